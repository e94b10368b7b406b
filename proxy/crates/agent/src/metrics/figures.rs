//! What is told to a scraper, as it is gathered.

use std::sync::Arc;
use std::time::Duration;

use observe::{Counts, Flow};

use crate::counters::SinkCounters;

/// Where figures come from.
pub trait Source: Send + Sync + 'static {
    /// All figures of this moment.
    fn figures(&self) -> Figures;

    /// Why the process should get no clients now; nothing when it is ready for them.
    fn troubles(&self) -> impl Future<Output = Vec<String>> + Send;
}

/// All figures of one moment.
#[derive(Clone, Debug, Default)]
pub struct Figures {
    /// Of the program.
    pub version: &'static str,
    /// What each worker has counted, by its number.
    pub workers: Vec<Arc<Counts>>,
    /// Logical databases.
    pub databases: u64,
    /// Distinct databases on servers.
    pub physical_databases: u64,
    /// All storage units.
    pub units: Vec<Unit>,
    /// Nobody is let in any more.
    pub draining: bool,
    /// What went to sinks.
    pub flow: Flow,
    /// What they made of it.
    pub sinks: Vec<Arc<SinkCounters>>,
}

/// A storage unit and its pool.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Unit {
    /// The logical database.
    pub database: String,
    /// Its name there.
    pub name: String,
    /// It takes statements, as far as is known.
    pub up: bool,
    /// Connections held by sessions.
    pub active: u64,
    /// Connections that are free.
    pub idle: u64,
    /// Sessions that wait for one.
    pub waiting: u64,
    /// How many may be at work at a time now.
    pub active_limit: u64,
    /// `maximumPoolSize`.
    pub limit: u64,
    /// Connections opened so far.
    pub opened: u64,
    /// Connections closed so far.
    pub closed: u64,
    /// Attempts to open one that failed.
    pub failed: u64,
    /// Sessions that waited in vain.
    pub given_up: u64,
    /// How many sessions waited for up to 2^n µs (and longer than 2^(n-1)), by n; the last one without an upper bound.
    pub waits: Vec<u64>,
    /// All waits together.
    pub waited: Duration,
    /// Bytes received from the server.
    pub received: u64,
    /// Bytes sent to it.
    pub sent: u64,
}
