//! Who may log in: the accounts of the configuration, with their passwords kept as digests only.

use std::collections::HashMap;
use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

use arc_swap::ArcSwap;
use meta::Users;
use wire::auth::Verifier;

use crate::login::Who;

/// The accounts of the configuration; swapped whole.
pub struct Accounts(ArcSwap<Known>);

struct Known {
    users: Users,
    /// By account (`name@host`).
    verifiers: HashMap<String, Verifier>,
}

impl Accounts {
    /// From the users of the configuration.
    #[must_use]
    pub fn new(users: &Users) -> Self {
        Self(ArcSwap::from_pointee(Known::new(users)))
    }

    /// Takes these instead. Who is logged in stays so.
    pub fn replace(&self, users: &Users) {
        self.0.store(Arc::new(Known::new(users)));
    }

    /// The account of a user who comes from `peer`, with what checks the password.
    pub(crate) fn find(&self, name: &str, peer: IpAddr) -> Option<(String, Verifier)> {
        let known = self.0.load();
        let account = known.users.find(name, peer)?.account();
        let verifier = *known.verifiers.get(&account)?;
        Some((account, verifier))
    }

    /// Whether someone who is logged in may use a database.
    pub(crate) fn permits(&self, who: &Who, database: &str) -> bool {
        let known = self.0.load();
        known.users.find(&who.user, who.peer.ip()).is_some_and(|user| known.users.permits(user, database))
    }

    /// Whether someone who is logged in may do what concerns all: see and end the sessions of others, change what holds
    /// for every database, log in where others find no place.
    pub(crate) fn is_administrator(&self, who: &Who) -> bool {
        let known = self.0.load();
        known.users.find(&who.user, who.peer.ip()).is_some_and(|user| known.users.is_administrator(user))
    }
}

impl Known {
    fn new(users: &Users) -> Self {
        let verifiers =
            users.iter().map(|user| (user.account(), Verifier::from_password(&user.password))).collect();
        Self { users: users.clone(), verifiers }
    }
}

impl fmt::Debug for Accounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.load().verifiers.keys()).finish()
    }
}
