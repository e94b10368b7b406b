//! The time of day of moments.

use std::cell::Cell;
use std::time::{Instant, SystemTime};

/// Tells the time of day of a moment, without asking for it each time.
#[derive(Debug)]
pub(crate) struct Clock(Cell<(Instant, SystemTime)>);

impl Clock {
    pub(crate) fn new() -> Self {
        Self(Cell::new((Instant::now(), SystemTime::now())))
    }

    /// Follows a clock that was set meanwhile.
    pub(crate) fn tick(&self) {
        self.0.set((Instant::now(), SystemTime::now()));
    }

    pub(crate) fn at(&self, moment: Instant) -> SystemTime {
        let (instant, time) = self.0.get();
        match moment.checked_duration_since(instant) {
            Some(later) => time + later,
            None => time - instant.duration_since(moment),
        }
    }
}
