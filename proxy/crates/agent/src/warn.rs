//! Warnings that come now and then.

use std::fmt;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// How long nothing more is said.
const PAUSE: Duration = Duration::from_secs(10);

/// Says what goes wrong in a plugin in the proxy's own log: once in ten seconds, with the number of times that nothing
/// was said.
#[derive(Debug)]
pub struct Warner {
    plugin: &'static str,
    said: Mutex<Said>,
}

#[derive(Debug, Default)]
struct Said {
    last: Option<Instant>,
    suppressed: u64,
}

impl Warner {
    /// For a plugin.
    pub const fn new(plugin: &'static str) -> Self {
        Self { plugin, said: Mutex::new(Said { last: None, suppressed: 0 }) }
    }

    /// Something went wrong.
    pub fn warn(&self, what: fmt::Arguments<'_>) {
        match self.said.lock().again(Instant::now()) {
            Some(0) => tracing::warn!(plugin = self.plugin, "{what}"),
            Some(suppressed) => tracing::warn!(plugin = self.plugin, suppressed, "{what}"),
            None => {}
        }
    }
}

impl Said {
    /// Whether something may be said, and how often nothing was since the last time.
    fn again(&mut self, now: Instant) -> Option<u64> {
        if self.last.is_some_and(|last| now.saturating_duration_since(last) < PAUSE) {
            self.suppressed += 1;
            return None;
        }
        self.last = Some(now);
        Some(std::mem::take(&mut self.suppressed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_something_once_in_a_while_and_how_much_was_left_out() {
        let (mut said, start) = (Said::default(), Instant::now());
        let at = |seconds| start + Duration::from_secs(seconds);
        assert_eq!(said.again(at(0)), Some(0));
        assert_eq!((said.again(at(1)), said.again(at(9))), (None, None));
        assert_eq!(said.again(at(10)), Some(2));
        assert_eq!((said.again(at(19)), said.again(at(20))), (None, Some(1)));
    }
}
