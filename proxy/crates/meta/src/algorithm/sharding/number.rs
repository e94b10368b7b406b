//! Algorithms over integers (and hashes of any value).

use super::MOST_SHARDS;
use crate::algorithm::Properties;
use crate::error::{AlgorithmKind, Error};
use crate::rule::AlgorithmSpec;

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

/// Properties of `HASH_MOD`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct HashMod {
    /// `sharding-count`: number of shards, at least 1.
    pub count: u32,
}

/// Properties of `VOLUME_RANGE`: shard 0 is below `lower`, the last one from `upper`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct VolumeRange {
    /// `range-lower`.
    pub lower: i64,
    /// `range-upper`.
    pub upper: i64,
    /// `sharding-volume`: how many integers a shard between them holds.
    pub volume: i64,
    /// Number of shards.
    pub shards: u32,
}

/// Properties of `BOUNDARY_RANGE`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct BoundaryRange {
    /// `sharding-ranges`, sorted: shard *i* holds what is at least `boundaries[i - 1]` and below `boundaries[i]`.
    pub boundaries: Vec<i64>,
}

impl Mod {
    pub(super) fn parse(spec: &AlgorithmSpec) -> Result<Self, Error> {
        let known = ["sharding-count", "start-offset", "stop-offset", "zero-padding"];
        let properties = Properties::of(AlgorithmKind::Sharding, spec, &known)?;
        Ok(Self {
            count: count(properties)?,
            start_offset: offset(properties, "start-offset")?,
            stop_offset: offset(properties, "stop-offset")?,
            zero_padding: properties.flag("zero-padding")?,
        })
    }
}

impl HashMod {
    pub(super) fn parse(spec: &AlgorithmSpec) -> Result<Self, Error> {
        let properties = Properties::of(AlgorithmKind::Sharding, spec, &["sharding-count"])?;
        Ok(Self { count: count(properties)? })
    }
}

impl VolumeRange {
    pub(super) fn parse(spec: &AlgorithmSpec) -> Result<Self, Error> {
        let known = ["range-lower", "range-upper", "sharding-volume"];
        let properties = Properties::of(AlgorithmKind::Sharding, spec, &known)?;
        let (lower, upper) = (integer(properties, "range-lower")?, integer(properties, "range-upper")?);
        let volume = integer(properties, "sharding-volume")?;
        if volume < 1 {
            return Err(properties.bad("sharding-volume", &volume.to_string(), "at least 1"));
        }
        let span = i128::from(upper) - i128::from(lower);
        if span < i128::from(volume) {
            return Err(properties.error(
                "property 'range-upper' must be at least 'range-lower' plus 'sharding-volume'".to_owned(),
            ));
        }
        let shards = (span + i128::from(volume) - 1) / i128::from(volume) + 2;
        match u32::try_from(shards) {
            Ok(shards @ ..=MOST_SHARDS) => Ok(Self { lower, upper, volume, shards }),
            _ => Err(properties.error(format!(
                "property 'sharding-volume' makes {shards} shards; there may be {MOST_SHARDS}"
            ))),
        }
    }
}

impl BoundaryRange {
    pub(super) fn parse(spec: &AlgorithmSpec) -> Result<Self, Error> {
        let properties = Properties::of(AlgorithmKind::Sharding, spec, &["sharding-ranges"])?;
        let text = properties.required("sharding-ranges")?;
        let wanted = "integers separated by commas";
        let mut boundaries = Vec::new();
        for number in text.split(',').map(str::trim).filter(|number| !number.is_empty()) {
            boundaries.push(number.parse().map_err(|_| properties.bad("sharding-ranges", text, wanted))?);
        }
        boundaries.sort_unstable();
        if boundaries.is_empty() || boundaries.len() >= MOST_SHARDS as usize {
            return Err(properties.bad("sharding-ranges", text, wanted));
        }
        if boundaries.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(properties.bad("sharding-ranges", text, "different integers"));
        }
        Ok(Self { boundaries })
    }

    /// Number of shards.
    pub fn shards(&self) -> u32 {
        u32::try_from(self.boundaries.len() + 1).unwrap_or(MOST_SHARDS)
    }
}

fn count(properties: Properties<'_>) -> Result<u32, Error> {
    let name = "sharding-count";
    let text = properties.required(name)?;
    match text.parse() {
        Ok(count @ 1..=MOST_SHARDS) => Ok(count),
        _ => Err(properties.bad(name, text, &format!("an integer from 1 to {MOST_SHARDS}"))),
    }
}

fn integer(properties: Properties<'_>, name: &str) -> Result<i64, Error> {
    let text = properties.required(name)?;
    text.parse().map_err(|_| properties.bad(name, text, "an integer"))
}

fn offset(properties: Properties<'_>, name: &str) -> Result<usize, Error> {
    let Some(text) = properties.text(name) else { return Ok(0) };
    text.parse::<u32>()
        .ok()
        .and_then(|offset| usize::try_from(offset).ok())
        .ok_or_else(|| properties.bad(name, text, "an integer, 0 or more"))
}
