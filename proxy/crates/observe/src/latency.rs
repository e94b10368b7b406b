//! How long statements took, in few bytes: counts by size, of which percentiles are read.

use std::time::Duration;

/// Buckets of each power of two, so that a bound is at most an eighth above what it bounds.
const STEPS: u32 = 8;
/// Powers of two of microseconds, up to 2^27 (134 s); what took longer is counted with those.
const POWERS: u32 = 28;
const BUCKETS: usize = (STEPS * (POWERS - 2)) as usize;

/// Counts of durations: within an eighth of what they were, from a microsecond to two minutes.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Latency {
    buckets: Box<[u32; BUCKETS]>,
    count: u64,
    total: Duration,
    least: Duration,
    most: Duration,
}

impl Default for Latency {
    fn default() -> Self {
        Self {
            buckets: Box::new([0; BUCKETS]),
            count: 0,
            total: Duration::ZERO,
            least: Duration::MAX,
            most: Duration::ZERO,
        }
    }
}

impl Latency {
    /// Counts one.
    pub fn add(&mut self, time: Duration) {
        let bucket = &mut self.buckets[bucket(time)];
        *bucket = bucket.saturating_add(1);
        self.count += 1;
        self.total += time;
        self.least = self.least.min(time);
        self.most = self.most.max(time);
    }

    /// Counts all of another.
    pub fn merge(&mut self, other: &Self) {
        for (sum, more) in self.buckets.iter_mut().zip(other.buckets.iter()) {
            *sum = sum.saturating_add(*more);
        }
        self.count += other.count;
        self.total += other.total;
        self.least = self.least.min(other.least);
        self.most = self.most.max(other.most);
    }

    /// How many there were.
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// All together.
    pub const fn total(&self) -> Duration {
        self.total
    }

    /// The shortest; zero of none.
    pub const fn least(&self) -> Duration {
        if self.count == 0 { Duration::ZERO } else { self.least }
    }

    /// The longest.
    pub const fn most(&self) -> Duration {
        self.most
    }

    /// The mean; zero of none.
    pub fn mean(&self) -> Duration {
        let nanos = self.total.as_nanos().checked_div(u128::from(self.count)).unwrap_or(0);
        Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }

    /// What this share of them (0 to 1) did not exceed, at most an eighth too high; zero of none.
    pub fn quantile(&self, share: f64) -> Duration {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_precision_loss,
            clippy::cast_sign_loss,
            reason = "a share of a count, rounded"
        )]
        let wanted = ((self.count as f64 * share.clamp(0.0, 1.0)).ceil() as u64).max(1);
        let mut seen = 0;
        for (at, bucket) in self.buckets.iter().enumerate() {
            seen += u64::from(*bucket);
            if seen >= wanted {
                return bound(at).clamp(self.least(), self.most);
            }
        }
        self.most
    }
}

/// Which bucket counts a duration.
#[inline]
fn bucket(time: Duration) -> usize {
    let micros = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
    // Up to 7 µs each has its own.
    if micros < u64::from(STEPS) {
        return micros as usize;
    }
    let power = micros.ilog2();
    let step = (micros >> (power - 3)) as usize & 7;
    let at = (power as usize - 2) * STEPS as usize + step;
    at.min(BUCKETS - 1)
}

/// The end of a bucket.
fn bound(at: usize) -> Duration {
    if at < STEPS as usize {
        return Duration::from_micros(at as u64 + 1);
    }
    let (power, step) = (at / STEPS as usize + 2, (at % STEPS as usize) as u64);
    Duration::from_micros((STEPS as u64 + step + 1) << (power - 3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_duration_is_counted_below_the_bound_of_its_bucket() {
        for micros in (0..5000).chain([1 << 20, (1 << 20) + 1, 77_777_777]) {
            let at = bucket(Duration::from_micros(micros));
            assert!(bound(at) > Duration::from_micros(micros), "{micros}");
            assert!(at == 0 || bound(at - 1) <= Duration::from_micros(micros), "{micros}");
            let eighth = Duration::from_micros(micros + micros / 8 + 1);
            assert!(bound(at) <= eighth, "{micros}: {:?}", bound(at));
        }
        assert_eq!(bucket(Duration::MAX), BUCKETS - 1);
    }

    #[test]
    fn quantiles_are_within_an_eighth() {
        let mut all = Latency::default();
        assert_eq!(
            (all.quantile(0.5), all.mean(), all.least()),
            (Duration::ZERO, Duration::ZERO, Duration::ZERO)
        );
        let mut odd = Latency::default();
        for micros in 1..=1000_u64 {
            let half = if micros % 2 == 0 { &mut all } else { &mut odd };
            half.add(Duration::from_micros(micros));
        }
        all.merge(&odd);
        assert_eq!((all.count(), all.total()), (1000, Duration::from_micros(500_500)));
        assert_eq!((all.least(), all.most()), (Duration::from_micros(1), Duration::from_micros(1000)));
        for (share, exact) in [(0.0, 1), (0.5, 500), (0.95, 950), (0.99, 990), (1.0, 1000)] {
            let found = all.quantile(share).as_micros();
            assert!(found >= exact && found <= exact + exact / 8 + 1, "{share}: {found}");
        }
    }
}
