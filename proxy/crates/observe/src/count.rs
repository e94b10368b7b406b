//! What each worker counts by itself: cells that only the worker writes, with plain loads and stores, and anybody reads.
//!
//! They only grow and stay for as long as the process lives, whatever becomes of the worker, so that what is summed over
//! workers never goes back.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use parking_lot::Mutex;

use crate::event::{Class, Command, Party};

/// A number that one thread writes.
#[derive(Debug, Default)]
pub struct Count(AtomicU64);

impl Count {
    /// So many more.
    #[inline]
    pub fn add(&self, more: u64) {
        self.0.store(self.0.load(Relaxed).wrapping_add(more), Relaxed);
    }

    /// So many less, of what may become less.
    #[inline]
    pub fn take(&self, less: u64) {
        self.0.store(self.0.load(Relaxed).wrapping_sub(less), Relaxed);
    }

    /// How many by now.
    #[inline]
    pub fn get(&self) -> u64 {
        self.0.load(Relaxed)
    }
}

/// How long something took: counts by size, from 62.5 µs to 16 s by powers of two.
#[derive(Debug, Default)]
pub struct Times {
    buckets: [Count; BUCKETS],
    nanos: Count,
}

/// The bounds, and one bucket without.
const BUCKETS: usize = 20;
/// What the first bucket holds.
const FIRST: Duration = Duration::from_nanos(62_500);

impl Times {
    /// Bounds of all buckets but the last, which has none; each belongs to its bucket.
    pub fn bounds() -> impl Iterator<Item = Duration> {
        (0..BUCKETS - 1).map(|power| FIRST * (1 << power))
    }

    /// Counts one.
    #[inline]
    pub fn add(&self, time: Duration) {
        let nanos = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        // How many bits the whole firsts below it take.
        let bits = u64::BITS - (nanos.saturating_sub(1) / 62_500).leading_zeros();
        if let Some(bucket) = self.buckets.get((bits as usize).min(BUCKETS - 1)) {
            bucket.add(1);
        }
        self.nanos.add(nanos);
    }

    /// How many were in each bucket, and how long all took together.
    pub fn get(&self) -> ([u64; BUCKETS], Duration) {
        (std::array::from_fn(|at| self.buckets[at].get()), Duration::from_nanos(self.nanos.get()))
    }
}

/// Counts by name, made when they are first wanted. The worker keeps those that it needs often at hand.
#[derive(Debug)]
pub struct Family<K>(Mutex<HashMap<K, Arc<Count>>>);

impl<K> Default for Family<K> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

/// Names of one family; what comes beyond is counted with [`Named::rest`].
const NAMES: usize = 10_000;

/// What stands for names that are too many.
pub trait Named: Clone + Eq + Hash {
    /// All others.
    fn rest() -> Self;
}

impl<K: Named> Family<K> {
    /// The count of a name; to be written by one thread alone.
    pub fn of(&self, name: K) -> Arc<Count> {
        let mut all = self.0.lock();
        let name = if all.len() >= NAMES && !all.contains_key(&name) { K::rest() } else { name };
        Arc::clone(all.entry(name).or_default())
    }

    /// All there are.
    pub fn all(&self) -> Vec<(K, u64)> {
        self.0.lock().iter().map(|(name, count)| (name.clone(), count.get())).collect()
    }
}

/// Names of tables, and of anything else.
impl Named for Arc<str> {
    fn rest() -> Self {
        "(other)".into()
    }
}

/// A storage unit of a database.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct UnitName {
    /// The logical database.
    pub database: Arc<str>,
    /// Its name there.
    pub unit: Arc<str>,
}

impl Named for UnitName {
    fn rest() -> Self {
        Self { database: "(other)".into(), unit: "(other)".into() }
    }
}

/// Who is to blame, and the number that the client was told.
impl Named for (Party, u16) {
    fn rest() -> Self {
        (Party::Client, 0)
    }
}

/// One for each class of statements.
#[derive(Debug, Default)]
pub struct ByClass([Count; Class::ALL.len()]);

impl ByClass {
    /// The count of a class.
    #[inline]
    pub fn of(&self, class: Class) -> &Count {
        &self.0[class as usize]
    }

    /// All there are.
    pub fn all(&self) -> impl Iterator<Item = (Class, u64)> + '_ {
        Class::ALL.iter().map(|class| (*class, self.of(*class).get()))
    }
}

/// One for each kind of command.
#[derive(Debug, Default)]
pub struct ByCommand([Count; Command::ALL.len()]);

impl ByCommand {
    /// The count of a kind.
    #[inline]
    pub fn of(&self, command: Command) -> &Count {
        &self.0[command as usize]
    }

    /// All there are.
    pub fn all(&self) -> impl Iterator<Item = (Command, u64)> + '_ {
        Command::ALL.iter().map(|command| (*command, self.of(*command).get()))
    }
}

/// What one worker has counted while [`Wants::COUNTS`](crate::Wants::COUNTS) was wanted.
#[derive(Debug, Default)]
pub struct Counts {
    /// Packets from clients that are logged in.
    pub requests: Count,
    /// Commands that are over, each statement of a text of several by itself.
    pub commands: ByCommand,
    /// Texts that were read: of queries, and of statements to be prepared.
    pub parsed: ByClass,
    /// Statements that were executed.
    pub statements: ByClass,
    /// Statements that went to servers.
    pub routed: ByClass,
    /// How long commands took, from their last byte to that of the answer.
    pub times: Times,
    /// Bytes of commands.
    pub received: Count,
    /// Bytes of answers.
    pub sent: Count,
    /// Rows sent.
    pub rows_sent: Count,
    /// Rows changed.
    pub rows_affected: Count,
    /// COMMITs that were done.
    pub commits: Count,
    /// ROLLBACKs that were done.
    pub rollbacks: Count,
    /// Texts whose template was in the cache.
    pub cache_hits: Count,
    /// Texts that were analysed and planned.
    pub cache_misses: Count,
    /// Sessions now, whatever is wanted; those that log in, too.
    pub sessions: Count,
    /// Prepared statements that sessions hold now, whatever is wanted.
    pub prepared: Count,
    /// Logins that led to a session.
    pub logins: Count,
    /// Logins that were refused.
    pub refused: Count,
    /// Errors told to clients, by whose they are and their numbers.
    pub errors: Family<(Party, u16)>,
    /// Route units by where they went.
    pub units: Family<UnitName>,
    /// Physical tables of route units.
    pub tables: Family<Arc<str>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_fall_into_the_bucket_that_their_bound_belongs_to() {
        let bounds: Vec<_> = Times::bounds().collect();
        assert_eq!((bounds.len(), bounds[4]), (BUCKETS - 1, Duration::from_millis(1)));
        assert_eq!(bounds[16], Duration::from_millis(4096));
        for (at, bound) in bounds.iter().enumerate() {
            for (time, bucket) in [(*bound, at), (*bound + Duration::from_nanos(1), at + 1)] {
                let times = Times::default();
                times.add(time);
                let (buckets, sum) = times.get();
                assert_eq!((buckets.iter().position(|count| *count == 1), sum), (Some(bucket), time));
            }
        }
        let times = Times::default();
        times.add(Duration::ZERO);
        times.add(Duration::from_secs(1000));
        let (buckets, _) = times.get();
        assert_eq!((buckets[0], buckets[BUCKETS - 1], buckets.iter().sum::<u64>()), (1, 1, 2));
    }

    #[test]
    fn what_was_counted_outlives_its_worker() {
        let hub = crate::Hub::new(crate::Capacity::default());
        let outlet = hub.outlet();
        outlet.counts().requests.add(3);
        drop(outlet);
        hub.outlet().counts().requests.add(4);
        let counted: Vec<_> = hub.counts().iter().map(|counts| counts.requests.get()).collect();
        assert_eq!(counted, [3, 4]);
    }

    #[test]
    fn a_family_has_so_many_names_and_no_more() {
        let family = Family::<Arc<str>>::default();
        for number in 0..NAMES + 10 {
            family.of(number.to_string().into()).add(1);
        }
        family.of("7".into()).add(1);
        let all: HashMap<_, _> = family.all().into_iter().collect();
        assert_eq!(all.len(), NAMES + 1);
        assert_eq!((all[&Arc::from("7")], all[&Arc::<str>::rest()]), (2, 10));
    }
}
