//! Which shard holds a key. A key is what the server will have *stored*, not what the statement wrote.

mod auto_interval;
mod boundary_range;
mod hash_mod;
mod mod_;
mod volume_range;

use meta::{Moment, ShardingAlgorithm};

use crate::shards::Shards;

/// A stored key.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Key<'a> {
    /// The text that a text column makes of an integer.
    Digits(i128),
    /// An integer.
    Int(i128),
    /// A date or time from the first to the second moment: which one, only the precision of the column tells.
    Moment(Moment, Moment),
    /// A text, or an integer of more digits than fit.
    Text(&'a str),
}

/// Why a key has no shard.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Misfit {
    /// It may be on either of two.
    Doubtful,
    /// What the offsets leave of it is no integer.
    NotNumeric,
    /// It is no date and time in the form that the algorithm reads.
    NotTime,
    /// It is shorter than what the offsets cut off.
    TooShort,
}

/// What of a key an algorithm looks at.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Reading {
    /// Some of its decimal digits.
    Digits,
    /// Its kind and every character.
    Exact,
    /// A moment.
    Time,
    /// The value of an integer, however it is written.
    Value,
}

/// The shard of one key.
pub(crate) fn shard(algorithm: &ShardingAlgorithm, key: Key<'_>) -> Result<u32, Misfit> {
    match algorithm {
        ShardingAlgorithm::AutoInterval(properties) => auto_interval::shard(*properties, key),
        ShardingAlgorithm::BoundaryRange(properties) => boundary_range::shard(properties, key),
        ShardingAlgorithm::HashMod(properties) => hash_mod::shard(*properties, key),
        ShardingAlgorithm::Mod(properties) => mod_::shard(properties, key),
        ShardingAlgorithm::VolumeRange(properties) => volume_range::shard(*properties, key),
        _ => Err(Misfit::Doubtful),
    }
}

/// Every shard that may hold a key in `low..=high`; `None` is no bound. Bounds are integers, or microseconds of
/// [`Moment`] for algorithms that read times.
pub(crate) fn range(algorithm: &ShardingAlgorithm, low: Option<i128>, high: Option<i128>) -> Shards {
    let moment = |bound: i128| i64::try_from(bound).ok().map(Moment);
    match algorithm {
        ShardingAlgorithm::AutoInterval(properties) => {
            auto_interval::range(*properties, low.and_then(moment), high.and_then(moment))
        }
        ShardingAlgorithm::BoundaryRange(properties) => boundary_range::range(properties, low, high),
        ShardingAlgorithm::Mod(properties) => mod_::range(properties, low, high),
        ShardingAlgorithm::VolumeRange(properties) => volume_range::range(*properties, low, high),
        _ => Shards::All,
    }
}

/// What of a key an algorithm looks at.
pub(crate) fn reading(algorithm: &ShardingAlgorithm) -> Reading {
    match algorithm {
        ShardingAlgorithm::AutoInterval(_) | ShardingAlgorithm::Interval(_) => Reading::Time,
        ShardingAlgorithm::BoundaryRange(_) | ShardingAlgorithm::VolumeRange(_) => Reading::Value,
        ShardingAlgorithm::ComplexInline(_)
        | ShardingAlgorithm::HashMod(_)
        | ShardingAlgorithm::HintInline(_)
        | ShardingAlgorithm::Inline(_) => Reading::Exact,
        ShardingAlgorithm::Mod(properties) if properties.start_offset == 0 && properties.stop_offset == 0 => {
            Reading::Value
        }
        ShardingAlgorithm::Mod(_) => Reading::Digits,
    }
}

/// An integer; one too large to be one is as large as can be.
fn integer(key: Key<'_>) -> Result<i128, Misfit> {
    match key {
        Key::Digits(value) | Key::Int(value) => Ok(value),
        Key::Moment(..) => Err(Misfit::NotNumeric),
        Key::Text(text) if crate::key::is_integer(text) => Ok(crate::key::saturated(text)),
        Key::Text(_) => Err(Misfit::NotNumeric),
    }
}
