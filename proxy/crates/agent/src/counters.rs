//! What sinks count of themselves.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

/// Of one sink. They only grow, also when its configuration is read anew.
#[derive(Debug)]
pub struct SinkCounters {
    name: &'static str,
    /// Records written or exported.
    pub records: Counter,
    /// Bytes written or exported.
    pub bytes: Counter,
    /// Records that were lost.
    pub lost: Counter,
    /// What failed: writes, exports.
    pub errors: Counter,
    /// New files begun.
    pub rotations: Counter,
    /// Exports that were taken.
    pub exports: Counter,
}

/// Grows.
#[derive(Debug, Default)]
pub struct Counter(AtomicU64);

impl Counter {
    /// So many more.
    pub fn add(&self, more: u64) {
        self.0.fetch_add(more, Ordering::Relaxed);
    }

    /// How many by now.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl SinkCounters {
    /// Those of the sink of this name.
    pub fn new(name: &'static str) -> Self {
        Self {
            name,
            records: Counter::default(),
            bytes: Counter::default(),
            lost: Counter::default(),
            errors: Counter::default(),
            rotations: Counter::default(),
            exports: Counter::default(),
        }
    }

    /// Whose they are, as [`Sink::name`](crate::Sink::name) says.
    pub const fn name(&self) -> &'static str {
        self.name
    }
}

/// Of all sinks there have been, for as long as the process lives.
#[derive(Debug, Default)]
pub struct Counters(Mutex<Vec<Arc<SinkCounters>>>);

impl Counters {
    /// Those of a sink.
    pub fn of(&self, name: &'static str) -> Arc<SinkCounters> {
        let mut all = self.0.lock();
        if let Some(found) = all.iter().find(|it| it.name == name) {
            return Arc::clone(found);
        }
        let new = Arc::new(SinkCounters::new(name));
        all.push(Arc::clone(&new));
        new
    }

    /// All, in the order in which they were first asked for.
    pub fn all(&self) -> Vec<Arc<SinkCounters>> {
        self.0.lock().clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sink_that_begins_anew_counts_on() {
        let counters = Counters::default();
        counters.of("general-log").records.add(2);
        counters.of("slow-log").lost.add(1);
        counters.of("general-log").records.add(3);
        let all = counters.all();
        let counted: Vec<_> = all.iter().map(|it| (it.name(), it.records.get(), it.lost.get())).collect();
        assert_eq!(counted, [("general-log", 5, 0), ("slow-log", 0, 1)]);
    }
}
