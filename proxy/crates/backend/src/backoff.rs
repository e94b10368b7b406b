//! When a server that let nobody in is asked again: sessions get its last answer at once meanwhile.
//!
//! A server that comes back after a crash, or has too many connections already, is not helped by a login of every client
//! at a time; nor is a client helped by waiting for a server that has just kept silent. The first failures are
//! everybody's own, since one login can always fail. From then on one session at a time may try, at growing distances.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use crate::error::Error;

/// Failures in a row after which sessions are held back.
const FREE: u32 = 3;
/// The first distance of two attempts; each is twice the one before, up to the last.
const FIRST: Duration = Duration::from_millis(50);
const LAST: Duration = Duration::from_secs(1);

/// The failures of one unit's logins.
#[derive(Debug, Default)]
pub(crate) struct Backoff {
    /// In a row; read without the lock.
    failures: AtomicU32,
    state: Mutex<Option<Closed>>,
}

#[derive(Debug)]
struct Closed {
    until: Instant,
    reason: Error,
}

impl Backoff {
    /// Whether the caller may try; the error of the last attempt when it is too early.
    pub(crate) fn admit(&self, now: Instant) -> Result<(), Error> {
        let failures = self.failures.load(Relaxed);
        if failures < FREE {
            return Ok(());
        }
        let mut state = self.state.lock();
        match &mut *state {
            Some(closed) if now < closed.until => Err(again(&closed.reason)),
            Some(closed) => {
                // This one tries; the others wait for what comes of it.
                closed.until = now + distance(failures);
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Whether nobody may try now.
    pub(crate) fn is_closed(&self, now: Instant) -> bool {
        self.failures.load(Relaxed) >= FREE && self.state.lock().as_ref().is_some_and(|it| now < it.until)
    }

    /// An attempt has ended so.
    pub(crate) fn note<T>(&self, result: Result<&T, &Error>, now: Instant) {
        match result {
            Ok(_) => {
                if self.failures.swap(0, Relaxed) >= FREE {
                    *self.state.lock() = None;
                }
            }
            Err(error) => {
                let failures = self.failures.fetch_add(1, Relaxed).saturating_add(1);
                if failures >= FREE {
                    *self.state.lock() =
                        Some(Closed { until: now + distance(failures), reason: again(error) });
                }
            }
        }
    }
}

/// Up to a fifth less than the rule says, so that proxies that failed together do not come back together.
fn distance(failures: u32) -> Duration {
    let grown = FIRST.saturating_mul(1 << failures.saturating_sub(FREE).min(16)).min(LAST);
    grown.mul_f64(1.0 - 0.2 * fastrand::f64())
}

/// The same error for another session.
fn again(error: &Error) -> Error {
    let copy = |source: &io::Error| io::Error::new(source.kind(), source.to_string());
    match error {
        Error::Connect { origin, source } => {
            Error::Connect { origin: Arc::clone(origin), source: copy(source) }
        }
        Error::Denied { origin, refusal } => {
            Error::Denied { origin: Arc::clone(origin), refusal: refusal.clone() }
        }
        Error::Io { origin, source } => Error::Io { origin: Arc::clone(origin), source: copy(source) },
        Error::NoTls { origin } => Error::NoTls { origin: Arc::clone(origin) },
        Error::Refused { origin, refusal } => {
            Error::Refused { origin: Arc::clone(origin), refusal: refusal.clone() }
        }
        Error::Timeout { origin, waited } => Error::Timeout { origin: Arc::clone(origin), waited: *waited },
        Error::Tls { origin, source } => Error::Tls { origin: Arc::clone(origin), source: copy(source) },
        Error::UnknownDatabase { origin, refusal } => {
            Error::UnknownDatabase { origin: Arc::clone(origin), refusal: refusal.clone() }
        }
        Error::Auth { origin, .. }
        | Error::Closed { origin, .. }
        | Error::Protocol { origin, .. }
        | Error::Unexpected { origin, .. } => {
            Error::Closed { origin: Arc::clone(origin), before_reply: false }
        }
        Error::Exhausted { pool, .. } | Error::Retired { pool } => Error::Retired { pool: pool.clone() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Origin;

    fn refused() -> Error {
        let origin = Origin { unit: "ds_0".into(), address: "h:1".into() };
        Error::Connect { origin: Arc::new(origin), source: io::ErrorKind::ConnectionRefused.into() }
    }

    fn fail(backoff: &Backoff, now: Instant) {
        backoff.note::<()>(Err(&refused()), now);
    }

    #[test]
    fn holds_back_from_the_third_failure_on_and_tells_the_reason() {
        let (backoff, now) = (Backoff::default(), Instant::now());
        fail(&backoff, now);
        fail(&backoff, now);
        assert!(backoff.admit(now).is_ok() && !backoff.is_closed(now));
        fail(&backoff, now);
        assert!(backoff.is_closed(now));
        let error = backoff.admit(now).unwrap_err();
        assert_eq!(error.to_string(), refused().to_string());
    }

    #[test]
    fn one_may_try_at_a_time_and_the_distance_grows_to_a_second() {
        let (backoff, mut now) = (Backoff::default(), Instant::now());
        (0..3).for_each(|_| fail(&backoff, now));
        let mut distances = Vec::new();
        for _ in 0..8 {
            let began = now;
            while backoff.admit(now).is_err() {
                now += Duration::from_millis(1);
            }
            distances.push(now - began);
            assert!(backoff.admit(now).is_err(), "somebody is trying");
            fail(&backoff, now);
        }
        let bounds = [50, 100, 200, 400, 800, 1000, 1000, 1000];
        for (distance, bound) in distances.iter().zip(bounds.map(Duration::from_millis)) {
            assert!((bound.mul_f64(0.79)..=bound).contains(distance), "{distances:?}");
        }
    }

    #[test]
    fn a_good_login_opens_the_door() {
        let (backoff, now) = (Backoff::default(), Instant::now());
        (0..9).for_each(|_| fail(&backoff, now));
        backoff.note(Ok(&()), now);
        assert!(backoff.admit(now).is_ok() && !backoff.is_closed(now));
        fail(&backoff, now);
        assert!(backoff.admit(now).is_ok(), "one failure is none");
    }
}
