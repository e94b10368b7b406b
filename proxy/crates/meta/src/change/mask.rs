//! Changes of mask rules.

use super::named::Named;
use super::{DatabaseSpec, Otherwise};
use crate::error::{Error, RuleKind};
use crate::rule::MaskTableSpec;
use crate::snapshot::Snapshot;

impl Named for MaskTableSpec {
    const KIND: RuleKind = RuleKind::Mask;

    fn name(&self) -> &str {
        &self.name
    }

    fn all(spec: &mut DatabaseSpec) -> &mut Vec<Self> {
        &mut spec.mask
    }
}

impl Snapshot {
    /// `CREATE MASK RULE`.
    pub fn create_mask(
        &self,
        database: &str,
        tables: Vec<MaskTableSpec>,
        otherwise: Otherwise,
    ) -> Result<Self, Error> {
        self.create_rules(database, tables, otherwise)
    }

    /// `ALTER MASK RULE`.
    pub fn alter_mask(&self, database: &str, tables: Vec<MaskTableSpec>) -> Result<Self, Error> {
        self.alter_rules(database, tables)
    }

    /// `DROP MASK RULE`.
    pub fn drop_mask(&self, database: &str, names: &[String], otherwise: Otherwise) -> Result<Self, Error> {
        self.drop_rules::<MaskTableSpec>(database, names, otherwise)
    }
}
