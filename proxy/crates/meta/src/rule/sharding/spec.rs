//! Sharding rules as written; what is stored and exported.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::inline;
use crate::rule::AlgorithmSpec;

/// `CREATE SHARDING TABLE RULE`.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct ShardingTableSpec {
    /// Logical name, letter case as written.
    pub name: String,
    /// Where its shards are, and what decides among them.
    #[serde(flatten)]
    pub layout: LayoutSpec,
    /// `KEY_GENERATE_STRATEGY`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<KeyGenerateSpec>,
    /// `AUDIT_STRATEGY`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audit: Option<AuditSpec>,
}

/// Where a table's shards are.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(untagged)]
pub enum LayoutSpec {
    /// Laid out automatically.
    Auto {
        /// Storage units in order, or inline expressions of them; repeated names keep their position.
        units: Vec<String>,
        /// Sharding column.
        column: String,
        /// Sharding algorithm.
        algorithm: AlgorithmSpec,
    },
    /// On these data nodes.
    Nodes {
        /// `unit.table`, or inline expressions of them.
        nodes: Vec<String>,
        /// `DATABASE_STRATEGY`; the default one when not given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        database: Option<StrategySpec>,
        /// `TABLE_STRATEGY`; the default one when not given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        table: Option<StrategySpec>,
    },
}

/// What a strategy looks at.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum StrategyKind {
    /// Several columns.
    Complex,
    /// Values that stand in no column: hints.
    Hint,
    /// Nothing: every target.
    #[default]
    None,
    /// One column.
    Standard,
}

/// `DATABASE_STRATEGY(…)`, `TABLE_STRATEGY(…)`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct StrategySpec {
    /// What it looks at.
    pub kind: StrategyKind,
    /// Sharding columns.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<String>,
    /// Sharding algorithm; nothing for a strategy that looks at nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub algorithm: Option<AlgorithmSpec>,
}

/// `KEY_GENERATE_STRATEGY(…)`.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct KeyGenerateSpec {
    /// The column that gets a value when an `INSERT` does not name it.
    pub column: String,
    /// Key generator.
    pub algorithm: AlgorithmSpec,
}

/// `AUDIT_STRATEGY(…)`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct AuditSpec {
    /// Auditors by name: hints name those that a statement is to be spared.
    pub auditors: IndexMap<String, AlgorithmSpec>,
    /// `ALLOW_HINT_DISABLE`.
    #[serde(default)]
    pub allow_hint_disable: bool,
}

/// `CREATE SHARDING TABLE REFERENCE RULE`: tables that are joined by their sharding columns.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct BindingSpec {
    /// Its name.
    pub name: String,
    /// Logical tables.
    pub tables: Vec<String>,
}

/// `CREATE DEFAULT SHARDING DATABASE|TABLE STRATEGY`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct DefaultStrategies {
    /// For tables on data nodes without a `DATABASE_STRATEGY`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub database: Option<StrategySpec>,
    /// For tables on data nodes without a `TABLE_STRATEGY`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<StrategySpec>,
}

impl ShardingTableSpec {
    /// A table that is laid out automatically, with nothing else.
    pub fn auto(name: String, units: Vec<String>, column: String, algorithm: AlgorithmSpec) -> Self {
        Self { name, layout: LayoutSpec::Auto { units, column, algorithm }, key: None, audit: None }
    }

    /// Names of the sources of an automatically laid out table, or the data nodes of another, expressions spelt out.
    pub(crate) fn names(&self) -> Result<Vec<String>, Error> {
        let (LayoutSpec::Auto { units: names, .. } | LayoutSpec::Nodes { nodes: names, .. }) = &self.layout;
        let mut all = Vec::new();
        for name in names {
            all.extend(inline::expand(name)?);
        }
        Ok(all)
    }
}

impl DefaultStrategies {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.database.is_none() && self.table.is_none()
    }
}
