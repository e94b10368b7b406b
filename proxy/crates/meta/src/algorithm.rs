//! Algorithms that rules name: their properties, read and checked, one family per file. How they decide is
//! `plan::algorithm`'s.

mod properties;
mod sharding;

pub(crate) use properties::Properties;
pub use sharding::{Mod, ShardingAlgorithm};
