//! Which shard holds a key. A key is what the server will have *stored*, not what the statement wrote.

mod mod_;

use meta::ShardingAlgorithm;

use crate::shards::Shards;

/// A stored key.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Key<'a> {
    /// An integer.
    Int(i128),
    /// A text, or an integer of more digits than fit.
    Text(&'a str),
}

/// Why a key has no shard.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Misfit {
    /// What the offsets leave of it is no integer.
    NotNumeric,
    /// It is shorter than what the offsets cut off.
    TooShort,
}

/// The shard of one key.
pub(crate) fn shard(algorithm: &ShardingAlgorithm, key: Key<'_>) -> Result<u32, Misfit> {
    match algorithm {
        ShardingAlgorithm::Mod(properties) => mod_::shard(properties, key),
    }
}

/// Every shard that may hold a key in `low..=high`; `None` is no bound.
pub(crate) fn range(algorithm: &ShardingAlgorithm, low: Option<i128>, high: Option<i128>) -> Shards {
    match algorithm {
        ShardingAlgorithm::Mod(properties) => mod_::range(properties, low, high),
    }
}

/// Whether an integer's shard is found in its value alone, not in its decimal text.
pub(crate) fn by_value(algorithm: &ShardingAlgorithm) -> bool {
    match algorithm {
        ShardingAlgorithm::Mod(properties) => properties.start_offset == 0 && properties.stop_offset == 0,
    }
}
