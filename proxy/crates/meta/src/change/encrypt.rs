//! Changes of encrypt rules.

use super::named::Named;
use super::{DatabaseSpec, Otherwise};
use crate::error::{Error, RuleKind};
use crate::rule::EncryptTableSpec;
use crate::snapshot::Snapshot;

impl Named for EncryptTableSpec {
    const KIND: RuleKind = RuleKind::Encrypt;

    fn name(&self) -> &str {
        &self.name
    }

    fn all(spec: &mut DatabaseSpec) -> &mut Vec<Self> {
        &mut spec.encrypt
    }
}

impl Snapshot {
    /// `CREATE ENCRYPT RULE`.
    pub fn create_encrypt(
        &self,
        database: &str,
        tables: Vec<EncryptTableSpec>,
        otherwise: Otherwise,
    ) -> Result<Self, Error> {
        self.create_rules(database, tables, otherwise)
    }

    /// `ALTER ENCRYPT RULE`.
    pub fn alter_encrypt(&self, database: &str, tables: Vec<EncryptTableSpec>) -> Result<Self, Error> {
        self.alter_rules(database, tables)
    }

    /// `DROP ENCRYPT RULE`: what is encrypted stays so.
    pub fn drop_encrypt(
        &self,
        database: &str,
        names: &[String],
        otherwise: Otherwise,
    ) -> Result<Self, Error> {
        self.drop_rules::<EncryptTableSpec>(database, names, otherwise)
    }
}
