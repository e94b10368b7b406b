//! A database as a whole: `IMPORT DATABASE CONFIGURATION`, and files of the configuration folder (`distsql.md` §10).

use super::{DatabaseSpec, Otherwise};
use crate::error::Error;
use crate::snapshot::Snapshot;

impl Snapshot {
    /// Creates a database with all that is said of it, or nothing. One that is there already has to be empty.
    pub fn import(&self, spec: DatabaseSpec) -> Result<Self, Error> {
        let name = spec.name.clone();
        if self.database(&name).is_some_and(|known| !known.units.is_empty()) {
            return Err(Error::DatabaseNotEmpty(name));
        }
        let otherwise = if self.database(&name).is_some() { Otherwise::Skip } else { Otherwise::Fail };
        self.create_database(&name, otherwise)?.respec(&name, |known| {
            *known = spec;
            Ok(())
        })
    }
}
