//! What a pool has done so far: counts for SHOW and for metrics.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// Bounds of the histogram: waits of up to 2^n µs, the last without a bound (beyond 16 s).
const BUCKETS: usize = 25;

/// Counts of one unit's pool since it was made.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// Connections opened.
    pub(crate) opened: AtomicU64,
    /// Connections closed, by either side.
    pub(crate) closed: AtomicU64,
    /// Attempts to open one that failed.
    pub(crate) failed: AtomicU64,
    /// Waits that ended without a connection.
    pub(crate) given_up: AtomicU64,
    /// Bytes that shelves had counted which are gone with their workers.
    pub(crate) received: AtomicU64,
    pub(crate) sent: AtomicU64,
    waits: [AtomicU64; BUCKETS],
    waited_us: AtomicU64,
}

/// How long sessions waited in the queue of a pool.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Waits {
    /// How many waited for up to 2^n µs (and longer than 2^(n-1)), by n; the last one without an upper bound.
    pub buckets: [u64; BUCKETS],
    /// All waits together, in microseconds.
    pub total_us: u64,
}

impl Tally {
    pub(crate) fn waited(&self, time: Duration) {
        let micros = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        self.waits[bucket(micros)].fetch_add(1, Relaxed);
        self.waited_us.fetch_add(micros, Relaxed);
    }

    pub(crate) fn waits(&self) -> Waits {
        Waits {
            buckets: std::array::from_fn(|at| self.waits[at].load(Relaxed)),
            total_us: self.waited_us.load(Relaxed),
        }
    }
}

fn bucket(micros: u64) -> usize {
    let bits = micros.saturating_sub(1).checked_ilog2().map_or(0, |log| log as usize + 1);
    bits.min(BUCKETS - 1)
}

impl Waits {
    /// How many sessions waited.
    pub fn count(&self) -> u64 {
        self.buckets.iter().sum()
    }

    /// The mean wait; zero without any.
    pub fn mean(&self) -> Duration {
        Duration::from_micros(self.total_us.checked_div(self.count()).unwrap_or(0))
    }

    /// A bound that this share of the waits did not exceed, to the next power of two of microseconds; zero without any.
    pub fn quantile(&self, share: f64) -> Duration {
        let count = self.count();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_precision_loss,
            clippy::cast_sign_loss,
            reason = "a share of a count, rounded"
        )]
        let wanted = ((count as f64 * share.clamp(0.0, 1.0)).ceil() as u64).max(1);
        let mut seen = 0;
        for (at, bucket) in self.buckets.iter().enumerate() {
            seen += bucket;
            if seen >= wanted {
                return Duration::from_micros(1 << at);
            }
        }
        Duration::ZERO
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_fall_into_the_bucket_of_their_bound() {
        for (micros, expected) in
            [(0, 0), (1, 0), (2, 1), (3, 2), (4, 2), (5, 3), (1024, 10), (1025, 11), (u64::MAX, 24)]
        {
            assert_eq!(bucket(micros), expected, "{micros}");
        }
    }

    #[test]
    fn quantiles_are_bounds() {
        let tally = Tally::default();
        assert_eq!((tally.waits().quantile(0.99), tally.waits().mean()), (Duration::ZERO, Duration::ZERO));
        (0..99).for_each(|_| tally.waited(Duration::from_micros(100)));
        tally.waited(Duration::from_millis(10));
        let waits = tally.waits();
        assert_eq!((waits.count(), waits.mean()), (100, Duration::from_micros(199)));
        assert_eq!(waits.quantile(0.99), Duration::from_micros(128));
        assert_eq!(waits.quantile(1.0), Duration::from_micros(16_384));
    }
}
