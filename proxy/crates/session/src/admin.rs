//! The port through which sessions hand DistSQL and changes of metadata to whoever executes them.

use std::future::Future;
use std::pin::Pin;

use crate::answer::Answer;

/// A future that stays on its worker.
pub type Pending<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

/// Why an administrative statement failed, ready to be sent.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    /// Vendor code (`distsql.md` §11).
    pub code: u16,
    /// SQLSTATE.
    pub state: String,
    /// Text.
    pub message: String,
}

/// Executes what changes or shows the proxy's own configuration.
pub trait Admin: Send + Sync {
    /// Executes one DistSQL statement for a session whose current database is `database`.
    fn execute<'a>(
        &'a self,
        database: Option<&'a str>,
        statement: &'a distsql::Statement,
    ) -> Pending<'a, Result<Answer, Refusal>>;

    /// `CREATE DATABASE`; true when it was created, false when it was there and `guarded`.
    fn create_database<'a>(&'a self, name: &'a str, guarded: bool) -> Pending<'a, Result<bool, Refusal>>;

    /// `DROP DATABASE`; true when it was dropped, false when it was missing and `guarded`.
    fn drop_database<'a>(&'a self, name: &'a str, guarded: bool) -> Pending<'a, Result<bool, Refusal>>;

    /// Asks the servers anew how these tables of a database look (after DDL, or when a plan needs to know).
    fn learn<'a>(&'a self, database: &'a str, tables: &'a [String]) -> Pending<'a, Result<(), Refusal>>;
}
