//! Sharding algorithms' properties, read and checked. How they decide is `plan::algorithm`'s.

mod inline;
mod number;
mod time;

pub use inline::{ComplexInline, HintInline, Inline};
pub use number::{BoundaryRange, HashMod, Mod, VolumeRange};
pub use time::{AutoInterval, Interval, Step};

use crate::error::{AlgorithmKind, Error, Names};
use crate::rule::AlgorithmSpec;

/// More shards than this are refused: each is a physical table that has to be created and asked.
const MOST_SHARDS: u32 = 65_536;

/// A sharding algorithm with its properties.
#[derive(Clone, Debug, PartialEq)]
pub enum ShardingAlgorithm {
    /// `AUTO_INTERVAL` (`algorithms.md` §1.8).
    AutoInterval(AutoInterval),
    /// `BOUNDARY_RANGE` (§1.7).
    BoundaryRange(BoundaryRange),
    /// `COMPLEX_INLINE` (§1.11).
    ComplexInline(ComplexInline),
    /// `HASH_MOD` (§1.5).
    HashMod(HashMod),
    /// `HINT_INLINE` (§1.12).
    HintInline(HintInline),
    /// `INLINE` (§1.9).
    Inline(Inline),
    /// `INTERVAL` (§1.10).
    Interval(Interval),
    /// `MOD` (§1.4).
    Mod(Mod),
    /// `VOLUME_RANGE` (§1.6).
    VolumeRange(VolumeRange),
}

impl ShardingAlgorithm {
    /// Reads an algorithm's type (letter case ignored) and its properties.
    pub fn parse(spec: &AlgorithmSpec) -> Result<Self, Error> {
        match spec.kind.to_ascii_uppercase().as_str() {
            "AUTO_INTERVAL" => AutoInterval::parse(spec).map(Self::AutoInterval),
            "BOUNDARY_RANGE" => BoundaryRange::parse(spec).map(Self::BoundaryRange),
            "COMPLEX_INLINE" => ComplexInline::parse(spec).map(Self::ComplexInline),
            "HASH_MOD" => HashMod::parse(spec).map(Self::HashMod),
            "HINT_INLINE" => HintInline::parse(spec).map(Self::HintInline),
            "INLINE" => Inline::parse(spec).map(Self::Inline),
            "INTERVAL" => Interval::parse(spec).map(Self::Interval),
            "MOD" => Mod::parse(spec).map(Self::Mod),
            "VOLUME_RANGE" => VolumeRange::parse(spec).map(Self::VolumeRange),
            _ => Err(unfit(spec)),
        }
    }

    /// Reads an algorithm that numbers its shards itself, so that it can lay out a table automatically.
    pub fn parse_numbering(spec: &AlgorithmSpec) -> Result<Self, Error> {
        let names = ["COMPLEX_INLINE", "HINT_INLINE", "INLINE", "INTERVAL"];
        if names.iter().any(|name| spec.kind.eq_ignore_ascii_case(name)) {
            return Err(unfit(spec));
        }
        Self::parse(spec)
    }

    /// Refuses sharding columns that it is not about.
    pub(crate) fn check_columns(&self, columns: &[String]) -> Result<(), Error> {
        let named = |name: &String| columns.iter().any(|column| column.eq_ignore_ascii_case(name));
        let expression = match self {
            Self::ComplexInline(it) => {
                let declared = &it.columns;
                if !declared.is_empty() && (declared.len() != columns.len() || !declared.iter().all(named)) {
                    return Err(Error::ComplexColumns {
                        wanted: Names(declared.clone()),
                        found: Names(columns.to_vec()),
                    });
                }
                &it.expression
            }
            Self::Inline(it) => &it.expression,
            _ => return Ok(()),
        };
        if expression.variables().iter().all(named) {
            return Ok(());
        }
        Err(Error::InlineColumn { expression: expression.text().to_owned(), column: columns.join(", ") })
    }

    /// Number of shards that it numbers itself; nothing for those that need targets with names, which cannot lay out a
    /// table automatically.
    pub fn shards(&self) -> Option<u32> {
        match self {
            Self::AutoInterval(it) => Some(it.shards),
            Self::BoundaryRange(it) => Some(it.shards()),
            Self::HashMod(it) => Some(it.count),
            Self::Mod(it) => Some(it.count),
            Self::VolumeRange(it) => Some(it.shards),
            Self::ComplexInline(_) | Self::HintInline(_) | Self::Inline(_) | Self::Interval(_) => None,
        }
    }

    /// Digits that a shard's number is padded to with zeros.
    pub fn width(&self) -> usize {
        match self {
            Self::Mod(it) if it.zero_padding => digits(it.count - 1),
            _ => 1,
        }
    }
}

fn unfit(spec: &AlgorithmSpec) -> Error {
    Error::InvalidAlgorithms { kind: AlgorithmKind::Sharding, names: Names::one(&spec.kind) }
}

/// Decimal digits of a number.
fn digits(number: u32) -> usize {
    number.checked_ilog10().map_or(1, |log| log as usize + 1)
}

#[cfg(test)]
mod tests;
