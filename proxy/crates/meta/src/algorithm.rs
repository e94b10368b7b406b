//! Sharding algorithms' properties, read and checked. How they decide is `plan::algorithm`'s.

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
