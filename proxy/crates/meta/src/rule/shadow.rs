//! Shadow: test traffic goes to another source (`distsql.md` §6, `algorithms.md` §4).

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::AlgorithmSpec;

/// All shadow rules of a database; what is stored and exported.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct ShadowSpec {
    /// Rules in order of creation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pairs: Vec<ShadowPair>,
    /// Tables with what tells their test traffic.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<ShadowTableSpec>,
    /// Algorithms by name.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub algorithms: IndexMap<String, AlgorithmSpec>,
    /// The name of the default algorithm.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
}

/// `CREATE SHADOW RULE name (SOURCE=…, SHADOW=…`: production and its shadow.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct ShadowPair {
    /// The rule's name, by which it is a source.
    pub name: String,
    /// Where production data is.
    pub source: String,
    /// Where test data is.
    pub shadow: String,
}

/// A table of shadow rules.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct ShadowTableSpec {
    /// Logical table name.
    pub name: String,
    /// Names of the rules that list it.
    pub rules: Vec<String>,
    /// Names of its algorithms, in order.
    pub algorithms: Vec<String>,
}

impl ShadowSpec {
    /// Whether nothing is configured.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
