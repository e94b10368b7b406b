//! Configuration and rules, validated into one immutable [`Snapshot`]; users and grants.

mod algorithm;
mod rule;
mod snapshot;
mod unit;

pub use algorithm::{Mod, ShardingAlgorithm};
pub use rule::{AlgorithmSpec, AutoTable, ShardedTable, ShardingRule};
pub use snapshot::{DataNode, Database, Snapshot, Table, TableColumn};
pub use unit::{PoolSpec, StorageUnit, TlsMode, UnitId, UnitSpec};
