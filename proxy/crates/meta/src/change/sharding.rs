//! Changes of sharding rules.

use super::named::Named;
use super::{DatabaseSpec, Otherwise};
use crate::error::{Error, RuleKind};
use crate::rule::ShardingTableSpec;
use crate::snapshot::Snapshot;

impl Named for ShardingTableSpec {
    const KIND: RuleKind = RuleKind::Sharding;

    fn name(&self) -> &str {
        &self.name
    }

    fn all(spec: &mut DatabaseSpec) -> &mut Vec<Self> {
        &mut spec.sharding
    }
}

impl Snapshot {
    /// `CREATE SHARDING TABLE RULE`.
    pub fn create_sharding(
        &self,
        database: &str,
        tables: Vec<ShardingTableSpec>,
        otherwise: Otherwise,
    ) -> Result<Self, Error> {
        self.create_rules(database, tables, otherwise)
    }

    /// `ALTER SHARDING TABLE RULE`.
    pub fn alter_sharding(&self, database: &str, tables: Vec<ShardingTableSpec>) -> Result<Self, Error> {
        self.alter_rules(database, tables)
    }

    /// `DROP SHARDING TABLE RULE`: the physical tables stay.
    pub fn drop_sharding(
        &self,
        database: &str,
        names: &[String],
        otherwise: Otherwise,
    ) -> Result<Self, Error> {
        self.drop_rules::<ShardingTableSpec>(database, names, otherwise)
    }
}
