//! Which replicas take statements: a replica that cannot be reached leaves the rotation by itself, and comes back.
//!
//! Counted are logins that fail, those of sessions as well as those made for no other purpose (*probes*); so many in a
//! row and the unit is down. Only members of readwrite-splitting groups are watched and probed, each at most once a
//! second over all workers. A server that hangs is noticed by its probes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::future::join_all;
use hashbrown::HashMap;
use meta::{StorageUnit, UnitId};
use parking_lot::{Mutex, RwLock};
use tokio::time::{Instant, timeout};

use crate::error::{Error, Origin};
use crate::hub::Hub;

/// Failed logins in a row that make a unit be down.
const ERRORS: u32 = 3;
/// Distance of two probes of a unit that works.
const CALM: Duration = Duration::from_secs(5);
/// Distance of two probes of a unit that does not, or may not.
const WORRY: Duration = Duration::from_millis(900);
/// A server that does not let anyone in within it is as good as dead.
const ANSWER: Duration = Duration::from_secs(3);
/// Distance of two warnings that no replica is left.
const SILENCE: Duration = Duration::from_secs(60);

/// What is known of the replicas' health.
pub(crate) struct Health {
    /// How many units are down: while none is, nothing else is looked at.
    down: AtomicUsize,
    watched: RwLock<HashMap<UnitId, Arc<Watched>, foldhash::fast::FixedState>>,
    started: Instant,
    /// When it was last said that no replica is left, in milliseconds after the start; 0: never.
    warned: AtomicU64,
}

/// One replica.
struct Watched {
    unit: Arc<StorageUnit>,
    /// Failed logins since the last good one.
    errors: AtomicU32,
    is_down: AtomicBool,
    /// When it is to be probed next; whoever probes it sets it on first.
    due: Mutex<Instant>,
}

impl Default for Health {
    fn default() -> Self {
        Self {
            down: AtomicUsize::new(0),
            watched: RwLock::default(),
            started: Instant::now(),
            warned: AtomicU64::new(0),
        }
    }
}

impl Hub {
    /// Watches these units from now on, and no others.
    pub fn watch(&self, units: impl IntoIterator<Item = Arc<StorageUnit>>) {
        let health = &self.health;
        let mut watched = health.watched.write();
        let mut next = HashMap::with_hasher(foldhash::fast::FixedState::default());
        for unit in units {
            let known = watched.get(&unit.id).map_or_else(|| Arc::new(Watched::new(&unit)), Arc::clone);
            next.insert(unit.id, known);
        }
        let down = next.values().filter(|it| it.is_down.load(Ordering::Relaxed)).count();
        health.down.store(down, Ordering::Relaxed);
        *watched = next;
    }

    /// Whether a unit takes statements, as far as is known.
    #[inline]
    pub fn is_up(&self, unit: UnitId) -> bool {
        self.health.down.load(Ordering::Relaxed) == 0 || !self.health.is_down(unit)
    }

    /// No replica of a group is left: its primary is read from. Said in the log, not too often.
    pub fn warn_of_bereft(&self, group: &str) {
        let health = &self.health;
        let now = health.started.elapsed().as_millis().try_into().unwrap_or(u64::MAX).max(1);
        let warned = health.warned.load(Ordering::Relaxed);
        let silence = u64::try_from(SILENCE.as_millis()).unwrap_or(u64::MAX);
        if (warned == 0 || now.saturating_sub(warned) >= silence)
            && health.warned.compare_exchange(warned, now, Ordering::Relaxed, Ordering::Relaxed).is_ok()
        {
            tracing::warn!(group, "no replica is left to read from: reads go to the primary");
        }
    }

    /// How long a login to a unit may take: a replica that is slower is as good as down, and another can be read from.
    pub(crate) fn patience(&self, unit: UnitId, deadline: Instant) -> Instant {
        let watched = self.health.watched.read().contains_key(&unit);
        if watched { deadline.min(Instant::now() + ANSWER) } else { deadline }
    }

    /// A login to a unit has ended so.
    pub(crate) fn note_login<T>(&self, unit: UnitId, result: Result<&T, &Error>) {
        // Held to the end: `watch` counts what is down.
        let watched = self.health.watched.read();
        if let Some(watched) = watched.get(&unit) {
            watched.note(&self.health.down, result);
        }
    }

    /// Tries to log in to the watched units that are due.
    pub(crate) async fn probe(&self) {
        let now = Instant::now();
        let due: Vec<_> =
            self.health.watched.read().values().filter(|it| it.is_due(now)).map(Arc::clone).collect();
        join_all(due.iter().map(|it| self.probe_one(it))).await;
    }

    async fn probe_one(&self, watched: &Watched) {
        let patience = ANSWER.min(watched.unit.spec.pool.connection_timeout);
        let opened = match timeout(patience, self.open_aside(&watched.unit)).await {
            Ok(opened) => opened,
            Err(_) => Err(Error::Timeout { origin: Arc::new(Origin::of(&watched.unit)), waited: patience }),
        };
        self.note_login(watched.unit.id, opened.as_ref());
        if let Ok(connection) = opened {
            connection.close();
        }
    }
}

impl Health {
    fn is_down(&self, unit: UnitId) -> bool {
        self.watched.read().get(&unit).is_some_and(|it| it.is_down.load(Ordering::Relaxed))
    }
}

impl Watched {
    fn new(unit: &Arc<StorageUnit>) -> Self {
        Self {
            unit: Arc::clone(unit),
            errors: AtomicU32::new(0),
            is_down: AtomicBool::new(false),
            due: Mutex::new(Instant::now()),
        }
    }

    /// Whether it is to be probed now; if so, by the caller alone.
    fn is_due(&self, now: Instant) -> bool {
        let mut due = self.due.lock();
        if *due > now {
            return false;
        }
        let worried = self.errors.load(Ordering::Relaxed) > 0;
        *due = now + if worried { WORRY } else { CALM };
        true
    }

    fn note<T>(&self, down: &AtomicUsize, result: Result<&T, &Error>) {
        let name = self.unit.name.as_str();
        match result {
            Ok(_) => {
                self.errors.store(0, Ordering::Relaxed);
                if self.is_down.swap(false, Ordering::Relaxed) {
                    down.fetch_sub(1, Ordering::Relaxed);
                    tracing::info!(unit = name, "a replica is back in the rotation");
                }
            }
            // The unit's own limit says nothing of its server.
            Err(Error::Exhausted { .. } | Error::Retired { .. }) => {}
            Err(error) => {
                let errors = self.errors.fetch_add(1, Ordering::Relaxed) + 1;
                if errors == 1 {
                    // Looked at again soon.
                    let soon = Instant::now() + WORRY;
                    let mut due = self.due.lock();
                    *due = soon.min(*due);
                }
                if errors >= ERRORS && !self.is_down.swap(true, Ordering::Relaxed) {
                    down.fetch_add(1, Ordering::Relaxed);
                    tracing::warn!(unit = name, %error, "a replica is out of the rotation");
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
