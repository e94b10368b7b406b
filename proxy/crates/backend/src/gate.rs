//! How many connections of one storage unit may be at work at a time, which is fewer than may be open.
//!
//! A server that has more statements to run than processors runs none of them sooner, and every further thread of it
//! costs caches and locks. So beyond a limit sessions wait in the pool's queue, in order, instead of in the server. What
//! the best limit is, [`Climb`] finds out; a unit's `maximumActive` fixes it.
//!
//! The limit is for short work. Whoever has held a connection for an [`ERA`] or two does something else than keep a
//! processor busy: waits for a row lock, sleeps, thinks in the middle of a transaction, or runs a statement so long that
//! others must not wait for it. Such a holder no longer counts, so that however many of them there are, others still
//! get their turn, up to `maximumPoolSize`. Nor do those count who hold connections of several units
//! ([`Admission::Urgent`]): others may be waiting for what they hold.

use std::sync::atomic::{AtomicI32, AtomicU32, Ordering::Relaxed, Ordering::SeqCst};
use std::time::Duration;

use meta::PoolSpec;
use parking_lot::Mutex;
use tokio::time::Instant;

use crate::climb::Climb;

/// A holder counts in the era in which it came and in the next.
pub(crate) const ERA: Duration = Duration::from_millis(50);
/// Eras that have a count of their own: two that count, one that is over, one to come.
const ERAS: usize = 4;
/// Nobody gives a connection back for so long, though others wait: whatever the holders do, it is no short work.
const STALL: Duration = Duration::from_millis(20);

/// Whether a session asks for a connection as everybody does.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Admission {
    /// It waits until the limit of active connections lets it in.
    Regular,
    /// It holds connections that others may need: it only waits for a connection.
    Urgent,
}

/// Counts who is at work, and lets in as many as the limit allows.
#[derive(Debug)]
pub(crate) struct Gate {
    era: AtomicU32,
    /// Holders by the era they came in. A late leave may make one negative; it is set to 0 before it counts again.
    counts: [AtomicI32; ERAS],
    limit: AtomicU32,
    pace: Mutex<Pace>,
}

/// What moves the limit, looked at only while sessions wait.
#[derive(Debug)]
struct Pace {
    /// Nothing where the limit is fixed.
    climb: Option<Climb>,
    /// The last tick; long ago when nobody waited meanwhile.
    ticked: Option<Instant>,
    era_began: Option<Instant>,
    /// When connections were last given back, as far as ticks can tell, and how many there had been.
    moved: Option<Instant>,
    served: u64,
}

/// The era a holder was let in.
pub(crate) type Entry = u32;

impl Gate {
    pub(crate) fn new(spec: &PoolSpec) -> Self {
        let most = spec.max.max(1);
        let climb = spec.active.is_none().then(|| Climb::new(most));
        let limit = match (spec.active, &climb) {
            (Some(fixed), _) => fixed.clamp(1, most),
            (None, Some(climb)) => climb.limit(),
            (None, None) => most,
        };
        Self {
            era: AtomicU32::new(0),
            counts: Default::default(),
            limit: AtomicU32::new(limit),
            pace: Mutex::new(Pace { climb, ticked: None, era_began: None, moved: None, served: 0 }),
        }
    }

    /// How many may be at work now.
    pub(crate) fn limit(&self) -> u32 {
        self.limit.load(Relaxed)
    }

    /// Lets one more in. Two that come at the very same moment may both be: the limit is no promise to anybody.
    #[inline]
    pub(crate) fn enter(&self) -> Option<Entry> {
        let era = self.era.load(SeqCst);
        let counted =
            self.count(era).load(SeqCst).max(0) + self.count(era.wrapping_sub(1)).load(SeqCst).max(0);
        if counted.unsigned_abs() >= self.limit.load(Relaxed) {
            return None;
        }
        self.count(era).fetch_add(1, SeqCst);
        Some(era)
    }

    /// The holder has given its connection back; the caller looks for who waits.
    #[inline]
    pub(crate) fn leave(&self, entry: Entry) {
        if self.era.load(SeqCst).wrapping_sub(entry) < 2 {
            self.count(entry).fetch_sub(1, SeqCst);
        }
    }

    /// Goes on with time while sessions wait; `served` is how many connections were ever given back. True when others may
    /// be let in now.
    pub(crate) fn tick(&self, now: Instant, served: u64) -> bool {
        // Another worker does it.
        let Some(mut pace) = self.pace.try_lock() else { return false };
        let since = pace.ticked.map(|ticked| now.saturating_duration_since(ticked));
        if since.is_some_and(|since| since < TICK / 2) {
            return false;
        }
        pace.ticked = Some(now);
        let given = served.saturating_sub(pace.served);
        pace.served = served;
        // Nobody waited for a while: what was measured before tells nothing.
        let resumed = since.is_none_or(|since| since > 5 * TICK);
        if resumed {
            (pace.era_began, pace.moved) = (Some(now), Some(now));
        }
        let mut opened = false;
        if pace.era_began.is_none_or(|began| now.saturating_duration_since(began) >= ERA) {
            pace.era_began = Some(now);
            self.advance();
            opened = true;
        }
        if given > 0 {
            pace.moved = Some(now);
        }
        let stalled = pace.moved.is_some_and(|moved| now.saturating_duration_since(moved) >= STALL);
        if stalled {
            pace.moved = Some(now);
        }
        if let Some(climb) = &mut pace.climb {
            match since {
                _ if stalled => climb.open_up(),
                Some(since) if !resumed => climb.feed(since, given),
                _ => climb.pause(),
            }
            let before = self.limit.swap(climb.limit(), Relaxed);
            opened |= before < climb.limit();
        }
        opened
    }

    /// Goes on while nobody waits, now and then: those who have stayed for long do not keep out whoever comes first.
    pub(crate) fn rest(&self, now: Instant) {
        let Some(pace) = self.pace.try_lock() else { return };
        if pace.ticked.is_none_or(|ticked| now.saturating_duration_since(ticked) > ERA) {
            self.advance();
        }
    }

    /// Holders that came two eras ago count no more.
    fn advance(&self) {
        let next = self.era.load(SeqCst).wrapping_add(1);
        self.count(next).store(0, SeqCst);
        self.era.store(next, SeqCst);
    }

    const fn count(&self, era: u32) -> &AtomicI32 {
        &self.counts[era as usize % ERAS]
    }
}

/// Distance of two ticks.
pub(crate) const TICK: Duration = Duration::from_millis(10);

#[cfg(test)]
mod tests;
