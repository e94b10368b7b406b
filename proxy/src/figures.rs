//! What metrics tell of the process, gathered from its parts when a scraper asks.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use agent::Counters;
use agent::metrics::{Figures, Source, Unit};
use backend::PoolStats;
use futures_util::future::select_ok;
use meta::{Database, StorageUnit, UnitId};
use session::Shared;
use tokio::time::{Instant, timeout};

/// How long it is taken for true that a server could be reached, or could not.
const MEMORY: Duration = Duration::from_secs(5);
/// A server that lets nobody in within it is not ready.
const ANSWER: Duration = Duration::from_secs(2);

/// Figures of all parts.
pub(crate) struct Figured {
    shared: Arc<Shared>,
    counters: Arc<Counters>,
    /// Whether each database could be reached when that was last tried. Held while it is tried, so that many who ask
    /// cost a server no more than one.
    reached: tokio::sync::Mutex<HashMap<String, (Instant, bool)>>,
}

impl std::fmt::Debug for Figured {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Figured").finish_non_exhaustive()
    }
}

impl Figured {
    pub(crate) fn new(shared: &Arc<Shared>, counters: &Arc<Counters>) -> Self {
        Self {
            shared: Arc::clone(shared),
            counters: Arc::clone(counters),
            reached: tokio::sync::Mutex::default(),
        }
    }

    fn pools(&self) -> HashMap<UnitId, PoolStats> {
        self.shared.hub.stats().into_iter().map(|pool| (pool.id, pool)).collect()
    }

    fn unit(&self, database: &Database, unit: &StorageUnit, pool: Option<&PoolStats>) -> Unit {
        let up = self.shared.hub.is_up(unit.id);
        let named = Unit { database: database.name.clone(), name: unit.name.clone(), up, ..Unit::default() };
        // No worker has met it yet.
        let Some(pool) = pool else {
            let limit = u64::from(unit.spec.pool.max.max(1));
            let waits = backend::Waits::default().buckets.to_vec();
            return Unit { active_limit: limit, limit, waits, ..named };
        };
        Unit {
            active: pool.active as u64,
            idle: pool.idle as u64,
            waiting: pool.waiting as u64,
            active_limit: pool.active_limit as u64,
            limit: pool.limit as u64,
            opened: pool.opened,
            closed: pool.closed,
            failed: pool.failed,
            given_up: pool.given_up,
            waits: pool.waits.buckets.to_vec(),
            waited: Duration::from_micros(pool.waits.total_us),
            received: pool.received,
            sent: pool.sent,
            ..named
        }
    }

    /// Whether any unit of a database lets us in.
    async fn reach(&self, database: &Database) -> bool {
        let tries = database.units.values().map(|unit| {
            let shared = Arc::clone(&self.shared);
            let unit = Arc::clone(unit);
            Box::pin(async move {
                match timeout(ANSWER, shared.hub.reach(&unit)).await {
                    Ok(Ok(())) => Ok(()),
                    _ => Err(()),
                }
            })
        });
        select_ok(tries).await.is_ok()
    }
}

impl Source for Figured {
    fn figures(&self) -> Figures {
        let snapshot = self.shared.published.load();
        let pools = self.pools();
        let units = snapshot.databases.values().flat_map(|database| {
            database.units.values().map(|unit| self.unit(database, unit, pools.get(&unit.id)))
        });
        let physical: HashSet<_> = snapshot
            .databases
            .values()
            .flat_map(|database| database.units.values())
            .map(|unit| (&unit.spec.host, unit.spec.port, &unit.spec.database))
            .collect();
        Figures {
            version: env!("CARGO_PKG_VERSION"),
            workers: self.shared.events.counts(),
            databases: snapshot.databases.len() as u64,
            physical_databases: physical.len() as u64,
            units: units.collect(),
            draining: self.shared.drain.is_cancelled(),
            flow: self.shared.events.flow(),
            sinks: self.counters.all(),
        }
    }

    async fn troubles(&self) -> Vec<String> {
        if self.shared.drain.is_cancelled() {
            return vec!["draining".to_owned()];
        }
        let snapshot = self.shared.published.load();
        let mut reached = self.reached.lock().await;
        let pools = self.pools();
        let mut troubles = Vec::new();
        let now = Instant::now();
        reached.retain(|_, (at, _)| now - *at < MEMORY);
        for database in snapshot.databases.values().filter(|database| !database.units.is_empty()) {
            let open =
                |unit: &Arc<StorageUnit>| pools.get(&unit.id).is_some_and(|pool| pool.opened > pool.closed);
            if database.units.values().any(open) {
                continue;
            }
            let known = reached.get(&database.name).map(|(_, reached)| *reached);
            let is_reached = match known {
                Some(known) => known,
                None => self.reach(database).await,
            };
            reached.entry(database.name.clone()).or_insert((now, is_reached));
            if !is_reached {
                troubles.push(format!("no storage unit of database {} can be reached", database.name));
            }
        }
        troubles
    }
}
