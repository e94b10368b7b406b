//! Broadcast tables: the same rows on every visible source (`distsql.md` §3).

use indexmap::IndexMap;

use crate::error::{Error, RuleKind};
use crate::rule::ShardingRule;

/// All broadcast tables of a database.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct BroadcastRule {
    /// Names as written, by lower-case name.
    pub tables: IndexMap<String, String>,
}

impl BroadcastRule {
    /// Refuses names that stand there twice, or are those of sharded tables.
    pub(crate) fn build(names: Vec<String>, sharding: &ShardingRule) -> Result<Self, Error> {
        let mut tables = IndexMap::with_capacity(names.len());
        for name in names {
            let invalid = |reason: &str| Error::InvalidRule {
                kind: RuleKind::Broadcast,
                name: name.clone(),
                reason: reason.to_owned(),
            };
            if sharding.table(&name).is_some() {
                return Err(invalid("it is a sharding table"));
            }
            if tables.insert(name.to_ascii_lowercase(), name.clone()).is_some() {
                return Err(invalid("it is named twice"));
            }
        }
        Ok(Self { tables })
    }

    /// Whether it is a broadcast table, whatever its letter case.
    pub fn covers(&self, name: &str) -> bool {
        !self.tables.is_empty() && self.tables.contains_key(&name.to_ascii_lowercase())
    }
}
