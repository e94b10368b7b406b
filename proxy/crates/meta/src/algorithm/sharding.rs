//! Sharding algorithms' properties, read and checked. How they decide is `plan::algorithm`'s.

use super::Properties;
use crate::error::{AlgorithmKind, Error, Names};
use crate::rule::AlgorithmSpec;

/// More shards than this are refused: each is a physical table that has to be created and asked.
const MOST_SHARDS: u32 = 65_536;

/// A sharding algorithm with its properties.
#[derive(Clone, Debug, PartialEq)]
pub enum ShardingAlgorithm {
    /// `MOD` (`algorithms.md` §1.4).
    Mod(Mod),
}

/// Properties of `MOD`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Mod {
    /// `sharding-count`: number of shards, at least 1.
    pub count: u32,
    /// `start-offset`: characters left out at the start of the value's text.
    pub start_offset: usize,
    /// `stop-offset`: characters left out at its end.
    pub stop_offset: usize,
    /// `zero-padding`: suffixes as wide as that of the last shard.
    pub zero_padding: bool,
}

impl ShardingAlgorithm {
    /// Reads an algorithm's type (letter case ignored) and its properties.
    pub fn parse(spec: &AlgorithmSpec) -> Result<Self, Error> {
        if spec.kind.eq_ignore_ascii_case("MOD") {
            return Mod::parse(spec).map(Self::Mod);
        }
        Err(Error::InvalidAlgorithms { kind: AlgorithmKind::Sharding, names: Names::one(&spec.kind) })
    }

    /// Number of shards of an automatically laid out table.
    pub fn shards(&self) -> u32 {
        match self {
            Self::Mod(it) => it.count,
        }
    }

    /// Digits that a shard's number is padded to with zeros.
    pub fn width(&self) -> usize {
        match self {
            Self::Mod(it) if it.zero_padding => digits(it.count - 1),
            Self::Mod(_) => 1,
        }
    }
}

impl Mod {
    fn parse(spec: &AlgorithmSpec) -> Result<Self, Error> {
        let known = ["sharding-count", "start-offset", "stop-offset", "zero-padding"];
        let properties = Properties::of(AlgorithmKind::Sharding, spec, &known)?;
        Ok(Self {
            count: shards(properties, "sharding-count")?,
            start_offset: offset(properties, "start-offset")?,
            stop_offset: offset(properties, "stop-offset")?,
            zero_padding: properties.flag("zero-padding")?,
        })
    }
}

fn shards(properties: Properties<'_>, name: &str) -> Result<u32, Error> {
    let text = properties.required(name)?;
    match text.parse() {
        Ok(count @ 1..=MOST_SHARDS) => Ok(count),
        _ => Err(properties.bad(name, text, &format!("an integer from 1 to {MOST_SHARDS}"))),
    }
}

fn offset(properties: Properties<'_>, name: &str) -> Result<usize, Error> {
    let Some(text) = properties.text(name) else { return Ok(0) };
    text.parse::<u32>()
        .ok()
        .and_then(|offset| usize::try_from(offset).ok())
        .ok_or_else(|| properties.bad(name, text, "an integer, 0 or more"))
}

/// Decimal digits of a number.
fn digits(number: u32) -> usize {
    number.checked_ilog10().map_or(1, |log| log as usize + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(kind: &str, properties: &[(&str, &str)]) -> AlgorithmSpec {
        AlgorithmSpec {
            kind: kind.to_owned(),
            properties: properties.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect(),
        }
    }

    fn refusal(kind: &str, properties: &[(&str, &str)]) -> String {
        ShardingAlgorithm::parse(&spec(kind, properties)).unwrap_err().to_string()
    }

    #[test]
    fn reads_mod_with_defaults_whatever_the_letter_case_of_its_name() {
        for kind in ["MOD", "mod", "Mod"] {
            let ShardingAlgorithm::Mod(it) =
                ShardingAlgorithm::parse(&spec(kind, &[("sharding-count", "10")])).unwrap();
            assert_eq!(it, Mod { count: 10, start_offset: 0, stop_offset: 0, zero_padding: false });
        }
    }

    #[test]
    fn reads_every_property_of_mod() {
        let all =
            [("sharding-count", "16"), ("start-offset", "1"), ("stop-offset", "2"), ("zero-padding", "TRUE")];
        let algorithm = ShardingAlgorithm::parse(&spec("MOD", &all)).unwrap();
        assert_eq!(
            algorithm,
            ShardingAlgorithm::Mod(Mod { count: 16, start_offset: 1, stop_offset: 2, zero_padding: true })
        );
        assert_eq!((algorithm.shards(), algorithm.width()), (16, 2));
    }

    #[test]
    fn pads_to_the_digits_of_the_last_shard() {
        for (count, width) in [("1", 1), ("10", 1), ("11", 2), ("100", 2), ("101", 3)] {
            let padded = [("sharding-count", count), ("zero-padding", "true")];
            assert_eq!(ShardingAlgorithm::parse(&spec("MOD", &padded)).unwrap().width(), width, "{count}");
        }
    }

    #[test]
    fn refuses_unknown_algorithms_by_name() {
        assert_eq!(refusal("MODULO", &[]), "Invalid sharding algorithms `[MODULO]`.");
        assert_eq!(refusal("INLINE", &[]), "Invalid sharding algorithms `[INLINE]`.");
    }

    #[test]
    fn refuses_properties_that_are_missing_wrong_or_unknown() {
        let start = "Sharding algorithm `MOD` initialization failed, reason is: ";
        for (properties, reason) in [
            (&[][..], "property 'sharding-count' is missing."),
            (
                &[("sharding-count", "0")],
                "property 'sharding-count' must be an integer from 1 to 65536, not '0'.",
            ),
            (
                &[("sharding-count", "-3")],
                "property 'sharding-count' must be an integer from 1 to 65536, not '-3'.",
            ),
            (
                &[("sharding-count", "4000000000")],
                "property 'sharding-count' must be an integer from 1 to 65536, not '4000000000'.",
            ),
            (
                &[("sharding-count", "ten")],
                "property 'sharding-count' must be an integer from 1 to 65536, not 'ten'.",
            ),
            (
                &[("sharding-count", "4"), ("start-offset", "-1")],
                "property 'start-offset' must be an integer, 0 or more, not '-1'.",
            ),
            (
                &[("sharding-count", "4"), ("zero-padding", "1")],
                "property 'zero-padding' must be true or false, not '1'.",
            ),
            (
                &[("Sharding-Count", "4")],
                "unknown property 'Sharding-Count'; there are 'sharding-count', 'start-offset', \
                 'stop-offset', 'zero-padding'.",
            ),
        ] {
            assert_eq!(refusal("MOD", properties), format!("{start}{reason}"));
        }
    }
}
