//! What all workers share: the pool of every storage unit, and what may still be opened.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use hashbrown::{HashMap, HashSet};
use meta::{StorageUnit, UnitId};
use parking_lot::Mutex;
use tokio::time::{Instant, timeout_at};
use tokio_rustls::rustls::ClientConfig;
use wire::errno::NO_SUCH_THREAD;

use crate::connection::Connection;
use crate::error::{Error, Origin};
use crate::health::Health;
use crate::pool::Pool;
use crate::tally::Waits;

/// The server connections of the process. Workers use it through their [`Pools`](crate::Pools).
pub struct Hub {
    pub(crate) tls: Arc<ClientConfig>,
    workers: AtomicU32,
    /// Locked when a worker meets a unit for the first time, never on the way of a query.
    registry: Mutex<Registry>,
    pub(crate) health: Health,
}

#[derive(Default)]
struct Registry {
    pools: HashMap<UnitId, Arc<Pool>, foldhash::fast::FixedState>,
    /// A session may still hold a snapshot with a unit that is gone; its pool must not come back. Ids are never used twice.
    retired: HashSet<UnitId, foldhash::fast::FixedState>,
}

/// The connections of one storage unit at one moment.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct PoolStats {
    /// The unit.
    pub unit: Arc<str>,
    /// Its identity.
    pub id: UnitId,
    /// Held by sessions, or being opened for them.
    pub active: usize,
    /// Open and free.
    pub idle: usize,
    /// Sessions in the queue.
    pub waiting: usize,
    /// How many may be at work at a time now: `maximumActive`, or what was found to be best.
    pub active_limit: usize,
    /// `maximumPoolSize`.
    pub limit: usize,
    /// Connections opened so far.
    pub opened: u64,
    /// Connections closed so far.
    pub closed: u64,
    /// Attempts to open one that failed.
    pub failed: u64,
    /// Sessions that waited in vain.
    pub given_up: u64,
    /// How long sessions waited.
    pub waits: Waits,
    /// Bytes received from the server, inside TLS, as far as their connections were given back.
    pub received: u64,
    /// Bytes sent to it.
    pub sent: u64,
}

/// What [`Hub::kill`] ends.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Kill {
    /// The whole connection.
    Connection,
    /// The statement that runs.
    Query,
}

impl Hub {
    /// A hub without any pool.
    pub fn new() -> Arc<Self> {
        Arc::new(Self {
            tls: crate::tls::config(),
            workers: AtomicU32::new(0),
            registry: Mutex::new(Registry::default()),
            health: Health::default(),
        })
    }

    /// Closes the pool of a unit that was altered or unregistered: idle connections at once, held ones when they are given back.
    pub fn retire(&self, unit: UnitId) {
        let pool = {
            let mut registry = self.registry.lock();
            registry.retired.insert(unit);
            registry.pools.remove(&unit)
        };
        if let Some(pool) = pool {
            pool.retire();
        }
    }

    /// Closes the pools of all units that `live` does not hold.
    pub fn retain(&self, live: impl Fn(UnitId) -> bool) {
        let gone: Vec<_> = self.registry.lock().pools.keys().copied().filter(|id| !live(*id)).collect();
        for id in gone {
            self.retire(id);
        }
    }

    /// What every pool looks like right now.
    pub fn stats(&self) -> Vec<PoolStats> {
        let pools: Vec<_> = self.registry.lock().pools.values().map(Arc::clone).collect();
        let mut stats: Vec<_> = pools.iter().map(|pool| pool.stats()).collect();
        stats.sort_by_key(|pool| pool.id);
        stats
    }

    /// Whether a server lets us in now.
    ///
    /// Goes over a connection of its own, outside the limit.
    pub async fn reach(&self, unit: &StorageUnit) -> Result<(), Error> {
        self.open_aside(unit).await?.close();
        Ok(())
    }

    /// Ends what another connection does: its statement, or all of it.
    ///
    /// Goes over a connection of its own, outside the limit: the pool may be full of what is to be killed.
    pub async fn kill(&self, unit: &StorageUnit, thread: u32, what: Kill) -> Result<(), Error> {
        let mut connection = self.open_aside(unit).await?;
        let sql = match what {
            Kill::Connection => format!("KILL CONNECTION {thread}"),
            Kill::Query => format!("KILL QUERY {thread}"),
        };
        let killed = connection.query(&sql).await;
        connection.close();
        match killed {
            Ok(_) => Ok(()),
            // There is nothing left to kill.
            Err(Error::Refused { refusal, .. }) if refusal.code == NO_SUCH_THREAD.code => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Opens a connection that belongs to no pool.
    pub(crate) async fn open_aside(&self, unit: &StorageUnit) -> Result<Connection, Error> {
        let started = Instant::now();
        let origin = Arc::new(Origin::of(unit));
        let opening = crate::login::open(unit, &origin, &self.tls, false);
        match timeout_at(started + unit.spec.pool.connection_timeout, opening).await {
            Ok(connection) => connection,
            Err(_) => Err(Error::Timeout { origin, waited: started.elapsed() }),
        }
    }

    /// The number of the next worker.
    pub(crate) fn enrol(&self) -> u32 {
        self.workers.fetch_add(1, Ordering::Relaxed)
    }

    /// The pool of a unit, shared by all workers; a retired one for a unit that is gone.
    pub(crate) fn pool(&self, unit: &Arc<StorageUnit>) -> Arc<Pool> {
        let mut registry = self.registry.lock();
        if registry.retired.contains(&unit.id) {
            let pool = Arc::new(Pool::new(Arc::clone(unit), Arc::clone(&self.tls)));
            pool.retire();
            return pool;
        }
        let pool = registry
            .pools
            .entry(unit.id)
            .or_insert_with(|| Arc::new(Pool::new(Arc::clone(unit), Arc::clone(&self.tls))));
        Arc::clone(pool)
    }
}
