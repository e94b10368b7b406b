//! What is asked of servers: the port to `backend`, which tests put a book of answers in place of.

use std::sync::Arc;

use backend::{Hub, PoolStats, introspect};
use meta::{StorageUnit, Table, UnitId};

use super::error::whole;

/// Why a server did not answer: one line that names the unit and `host:port`.
pub(crate) type Failure = String;

/// Asks servers over connections of its own. Futures stay on the thread of the session that asks.
pub(crate) trait Servers {
    /// Names of all tables of a unit; proves that it can be reached and lets its account in.
    async fn tables(&self, unit: &StorageUnit) -> Result<Vec<String>, Failure>;

    /// One table of a unit with its columns.
    async fn table(&self, unit: &StorageUnit, name: &str) -> Result<Option<Table>, Failure>;

    /// Watches the health of these units, and of no others.
    fn watch(&self, units: Vec<Arc<StorageUnit>>);

    /// What every pool looks like right now.
    fn pools(&self) -> Vec<PoolStats>;

    /// Closes the pools of units that are not `live`.
    fn retain(&self, live: &dyn Fn(UnitId) -> bool);
}

impl Servers for Arc<Hub> {
    async fn tables(&self, unit: &StorageUnit) -> Result<Vec<String>, Failure> {
        introspect::survey(self, unit).await.map_err(|error| whole(&error))
    }

    async fn table(&self, unit: &StorageUnit, name: &str) -> Result<Option<Table>, Failure> {
        introspect::inspect(self, unit, name).await.map_err(|error| whole(&error))
    }

    fn watch(&self, units: Vec<Arc<StorageUnit>>) {
        Hub::watch(self, units);
    }

    fn pools(&self) -> Vec<PoolStats> {
        self.stats()
    }

    fn retain(&self, live: &dyn Fn(UnitId) -> bool) {
        Hub::retain(self, live);
    }
}
