//! Rules, typed and validated.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::algorithm::ShardingAlgorithm;
use crate::snapshot::DataNode;

/// All sharded tables of a database, by lower-case logical name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ShardingRule {
    /// Sharded tables.
    pub tables: IndexMap<String, ShardedTable>,
}

/// An automatically laid out sharded table.
#[derive(Clone, Debug, PartialEq)]
pub struct ShardedTable {
    /// What the user wrote.
    pub spec: AutoTable,
    /// The algorithm, its properties read.
    pub algorithm: ShardingAlgorithm,
    /// Shard *i* is `nodes[i]`: table `<name>_<i>` on unit *i mod S* (`algorithms.md` §1.3).
    pub nodes: Vec<DataNode>,
}

/// `CREATE SHARDING TABLE RULE` of an auto table, as written; what is stored and exported.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct AutoTable {
    /// Logical name, letter case as written.
    pub name: String,
    /// Storage units in order; repeated names keep their position.
    pub units: Vec<String>,
    /// Sharding column.
    pub column: String,
    /// Sharding algorithm.
    pub algorithm: AlgorithmSpec,
}

/// `TYPE(NAME=…, PROPERTIES(…))`: property values are texts in the order written.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct AlgorithmSpec {
    /// Type name as written; compared without letter case.
    #[serde(rename = "type")]
    pub kind: String,
    /// Properties.
    #[serde(default, rename = "props")]
    pub properties: IndexMap<String, String>,
}

impl ShardingRule {
    /// The sharded table of that name, whatever its letter case.
    pub fn table(&self, name: &str) -> Option<&ShardedTable> {
        self.tables.get(&name.to_ascii_lowercase())
    }
}
