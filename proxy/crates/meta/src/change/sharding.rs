//! Changes of sharding rules.

use super::named::Named;
use super::{DatabaseSpec, Otherwise};
use crate::error::{Error, RuleKind};
use crate::rule::AutoTable;
use crate::snapshot::Snapshot;

impl Named for AutoTable {
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
        tables: Vec<AutoTable>,
        otherwise: Otherwise,
    ) -> Result<Self, Error> {
        self.create_rules(database, tables, otherwise)
    }

    /// `ALTER SHARDING TABLE RULE`.
    pub fn alter_sharding(&self, database: &str, tables: Vec<AutoTable>) -> Result<Self, Error> {
        self.alter_rules(database, tables)
    }

    /// `DROP SHARDING TABLE RULE`: the physical tables stay.
    pub fn drop_sharding(
        &self,
        database: &str,
        names: &[String],
        otherwise: Otherwise,
    ) -> Result<Self, Error> {
        self.drop_rules::<AutoTable>(database, names, otherwise)
    }
}
