//! Who may log in: the accounts of the configuration, and those who have failed to.

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::fmt;
use std::hash::BuildHasher as _;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;
use meta::Users;
use parking_lot::Mutex;
use wire::auth::Verifier;

use crate::login::Who;

/// Logins of one user from one host are refused for so long after too many have failed.
const BLOCKED: Duration = Duration::from_secs(60);
/// Failures are forgotten after so long without another.
const FORGOTTEN: Duration = Duration::from_secs(600);
/// Of so many users and hosts is remembered that they have failed.
const REMEMBERED: usize = 10_000;

/// The accounts of the configuration; may be replaced as a whole while sessions are open.
pub struct Accounts {
    users: ArcSwap<Users>,
    /// Counts replacements.
    epoch: AtomicU64,
    failures: Mutex<HashMap<(String, IpAddr), Failures>>,
    /// Decides what unknown users are taken for.
    seed: RandomState,
}

/// Failed logins, one after the other.
struct Failures {
    count: u32,
    last: Instant,
}

/// Logins are refused for some time.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Blocked {
    /// Failures that led to it.
    pub(crate) count: u32,
    /// Seconds to go.
    pub(crate) left: u64,
}

impl Accounts {
    /// From the users of the configuration.
    #[must_use]
    pub fn new(users: &Users) -> Self {
        Self {
            users: ArcSwap::from_pointee(users.clone()),
            epoch: AtomicU64::new(0),
            failures: Mutex::default(),
            seed: RandomState::new(),
        }
    }

    /// Takes other accounts from now on. Who is logged in stays so, with what the account of that name may do now; who
    /// has none any more may use no database.
    pub fn replace(&self, users: &Users) {
        self.users.store(Arc::new(users.clone()));
        self.epoch.fetch_add(1, Ordering::Release);
    }

    /// How often they have been replaced.
    #[inline]
    pub(crate) fn epoch(&self) -> u64 {
        self.epoch.load(Ordering::Acquire)
    }

    /// The account of a user who comes from `peer`, with what checks the password. For a user without one, something
    /// that goes about it like an account and takes no password: nobody shall learn who there is.
    pub(crate) fn find(&self, name: &str, peer: IpAddr) -> (Option<String>, Verifier) {
        let users = self.users.load();
        match users.find(name, peer) {
            Some(user) => (Some(user.account()), user.verifier),
            None => {
                let count = users.iter().count().max(1);
                let like = usize::try_from(self.seed.hash_one(name)).unwrap_or_default() % count;
                let like = users.iter().nth(like).map(|user| user.verifier);
                (None, like.unwrap_or_else(|| Verifier::from_password("")).decoy(&wire::auth::nonce()))
            }
        }
    }

    /// Whether someone who is logged in may use a database.
    pub(crate) fn permits(&self, who: &Who, database: &str) -> bool {
        let users = self.users.load();
        users.find(&who.user, who.peer.ip()).is_some_and(|user| users.permits(user, database))
    }

    /// Whether someone who is logged in may do what concerns all: see and end the sessions of others, change what holds
    /// for every database, log in where others find no place.
    pub(crate) fn is_administrator(&self, who: &Who) -> bool {
        let users = self.users.load();
        users.find(&who.user, who.peer.ip()).is_some_and(|user| users.is_administrator(user))
    }

    /// Whether a login is not even tried, since `most` before it have failed.
    pub(crate) fn blocked(&self, name: &str, peer: IpAddr, most: u32) -> Option<Blocked> {
        let failures = self.failures.lock();
        if failures.is_empty() {
            return None;
        }
        let known = failures.get(&(name.to_owned(), peer))?;
        let left = BLOCKED.checked_sub(known.last.elapsed())?;
        (known.count >= most).then_some(Blocked { count: known.count, left: left.as_secs() + 1 })
    }

    /// A login has failed.
    pub(crate) fn failed(&self, name: &str, peer: IpAddr) {
        let mut failures = self.failures.lock();
        if failures.len() >= REMEMBERED {
            failures.retain(|_, known| known.last.elapsed() < FORGOTTEN);
            if failures.len() >= REMEMBERED
                && let Some(any) = failures.keys().next().cloned()
            {
                failures.remove(&any);
            }
        }
        let now = Instant::now();
        let known = failures.entry((name.to_owned(), peer)).or_insert(Failures { count: 0, last: now });
        if known.last.elapsed() > FORGOTTEN {
            known.count = 0;
        }
        known.count += 1;
        known.last = now;
    }

    /// A login has succeeded.
    pub(crate) fn succeeded(&self, name: &str, peer: IpAddr) {
        let mut failures = self.failures.lock();
        if !failures.is_empty() {
            failures.remove(&(name.to_owned(), peer));
        }
    }
}

impl fmt::Debug for Accounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.users.load().iter().map(meta::User::account)).finish()
    }
}

#[cfg(test)]
mod tests {
    use meta::{Privileges, User};

    use super::*;

    #[test]
    fn remembers_a_bounded_number_of_failures() {
        let accounts = Accounts::new(&Users::new(vec![User::parse("root", "root")], Privileges::All));
        let peer: IpAddr = "10.0.0.1".parse().unwrap();
        for number in 0..REMEMBERED + 10 {
            accounts.failed(&number.to_string(), peer);
        }
        assert_eq!(accounts.failures.lock().len(), REMEMBERED);
        let last = (REMEMBERED + 9).to_string();
        assert_eq!(accounts.blocked(&last, peer, 2), None);
        accounts.failed(&last, peer);
        assert_eq!(accounts.blocked(&last, peer, 2).map(|blocked| blocked.count), Some(2));
        assert_eq!(accounts.blocked(&last, "10.0.0.2".parse().unwrap(), 2), None);
        accounts.succeeded(&last, peer);
        assert_eq!(accounts.blocked(&last, peer, 2), None);
    }
}
