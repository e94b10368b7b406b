//! Single tables: those without a rule, found on the sources (`distsql.md` §7).

use serde::{Deserialize, Serialize};

use crate::snapshot::DataNode;

/// What is configured about single tables; what is stored and exported.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct SingleSpec {
    /// The source that new tables are created on. Without it they are on the first one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    /// Tables that are there and not to be seen, by their sources.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unloaded: Vec<DataNode>,
}

impl SingleSpec {
    /// Whether nothing is configured.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether a table of a source is not to be seen.
    pub fn hides(&self, source: &str, table: &str) -> bool {
        self.unloaded.iter().any(|node| node.unit == source && node.table.eq_ignore_ascii_case(table))
    }

    /// Whether a table of this name is not to be seen on some source.
    pub fn hides_some(&self, table: &str) -> bool {
        self.unloaded.iter().any(|node| node.table.eq_ignore_ascii_case(table))
    }
}
