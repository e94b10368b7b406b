//! Who may log in from where, and which databases they may use.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::net::IpAddr;

use wire::auth::Verifier;

use crate::like::like;

/// An account.
#[derive(Clone, Eq, PartialEq)]
pub struct User {
    /// Name; empty = anybody.
    pub name: String,
    /// Pattern of the host it may come from: `%` and `_` as in `LIKE`, an address, `address/mask`, `localhost`.
    pub host: String,
    /// What checks its password; nobody keeps that itself.
    pub verifier: Verifier,
    /// Every database is permitted, whatever else is said.
    pub administrator: bool,
}

/// Which databases an account may use.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub enum Privileges {
    /// Each of them all (`ALL_PERMITTED`).
    #[default]
    All,
    /// Only those listed by `name@host` (`DATABASE_PERMITTED`); `*` is all.
    Databases(HashMap<String, HashSet<String>>),
}

/// All accounts, the most specific first.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Users {
    list: Vec<User>,
    privileges: Privileges,
}

/// Everything but the password.
impl fmt::Debug for User {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("User").field("name", &self.name).field("host", &self.host).finish_non_exhaustive()
    }
}

impl User {
    /// Reads `root@%`; without a host, or with an empty one, any host. The password is in the clear or hashed, see
    /// [`Verifier::parse`].
    pub fn parse(account: &str, password: &str) -> Self {
        let (name, host) = account.rsplit_once('@').unwrap_or((account, ""));
        let host = if host.is_empty() { "%" } else { host };
        Self {
            name: name.to_owned(),
            host: host.to_owned(),
            verifier: Verifier::parse(password),
            administrator: false,
        }
    }

    /// `name@host`.
    pub fn account(&self) -> String {
        format!("{}@{}", self.name, self.host)
    }

    fn admits(&self, peer: IpAddr) -> bool {
        let host = self.host.as_str();
        if host == "%" || host.eq_ignore_ascii_case("localhost") {
            return host == "%" || peer.is_loopback();
        }
        if let Some((network, mask)) = host.split_once('/') {
            return within(peer, network, mask).unwrap_or(false);
        }
        match host.parse::<IpAddr>() {
            Ok(address) => address.to_canonical() == peer,
            Err(_) => like(host, &peer.to_string()),
        }
    }

    /// Smaller is more specific: hosts without wildcards, then the later the first wildcard comes, then `%`; names before anybody.
    fn rank(&self) -> (bool, usize, bool) {
        let wildcard = self.host.find(['%', '_']);
        (wildcard.is_some(), wildcard.map_or(0, |at| usize::MAX - at), self.name.is_empty())
    }
}

impl Users {
    /// Sorts accounts as MySQL does: by host, the most specific first, then by name.
    pub fn new(mut list: Vec<User>, privileges: Privileges) -> Self {
        list.sort_by_key(User::rank);
        Self { list, privileges }
    }

    /// The one account that a client with this name and address logs in to.
    pub fn find(&self, name: &str, peer: IpAddr) -> Option<&User> {
        let peer = peer.to_canonical();
        self.list.iter().find(|user| (user.name == name || user.name.is_empty()) && user.admits(peer))
    }

    /// Whether an account may use a database.
    pub fn permits(&self, user: &User, database: &str) -> bool {
        match &self.privileges {
            Privileges::All => true,
            Privileges::Databases(_) if user.administrator => true,
            Privileges::Databases(map) => map
                .get(&user.account())
                .is_some_and(|databases| databases.contains("*") || databases.contains(database)),
        }
    }

    /// Whether an account may use every database, also those to come.
    pub fn is_administrator(&self, user: &User) -> bool {
        match &self.privileges {
            Privileges::All => true,
            Privileges::Databases(_) if user.administrator => true,
            Privileges::Databases(map) => {
                map.get(&user.account()).is_some_and(|databases| databases.contains("*"))
            }
        }
    }

    /// All accounts.
    pub fn iter(&self) -> std::slice::Iter<'_, User> {
        self.list.iter()
    }

    /// Which databases accounts may use.
    pub fn privileges(&self) -> &Privileges {
        &self.privileges
    }
}

/// Whether an address is in a network, the mask as a length or an address.
pub(crate) fn within(peer: IpAddr, network: &str, mask: &str) -> Option<bool> {
    let bits = |address: IpAddr| match address {
        IpAddr::V4(it) => (u128::from(it.to_bits()) << 96, 32),
        IpAddr::V6(it) => (it.to_bits(), 128),
    };
    let network: IpAddr = network.parse().ok()?;
    let (network, width) = bits(network);
    let mask = match mask.parse::<u32>() {
        Ok(length) if length <= width => u128::MAX.checked_shl(128 - length).unwrap_or(0),
        Ok(_) => return None,
        Err(_) => bits(mask.parse().ok()?).0,
    };
    let (peer, peer_width) = bits(peer);
    Some(peer_width == width && peer & mask == network & mask)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn users(accounts: &[&str]) -> Users {
        Users::new(accounts.iter().map(|account| User::parse(account, "p")).collect(), Privileges::All)
    }

    fn found(users: &Users, name: &str, peer: &str) -> Option<String> {
        users.find(name, peer.parse().unwrap()).map(User::account)
    }

    #[test]
    fn reads_accounts_with_and_without_a_host() {
        for (account, name, host) in [
            ("root@%", "root", "%"),
            ("sharding@", "sharding", "%"),
            ("root", "root", "%"),
            ("a@b@10.0.0.1", "a@b", "10.0.0.1"),
        ] {
            let user = User::parse(account, "x");
            assert_eq!((user.name.as_str(), user.host.as_str()), (name, host), "{account}");
        }
    }

    #[test]
    fn the_most_specific_host_wins_then_the_name() {
        let users = users(&["root@%", "@10.0.0.1", "root@10.0.%", "root@10.0.0.%", "root@localhost"]);
        for (name, peer, account) in [
            ("root", "192.168.0.1", Some("root@%")),
            ("root", "10.0.5.1", Some("root@10.0.%")),
            ("root", "10.0.0.7", Some("root@10.0.0.%")),
            ("root", "10.0.0.1", Some("@10.0.0.1")),
            ("root", "127.0.0.1", Some("root@localhost")),
            ("root", "::1", Some("root@localhost")),
            ("root", "::ffff:10.0.0.7", Some("root@10.0.0.%")),
            ("other", "192.168.0.1", None),
            ("ROOT", "192.168.0.1", None),
        ] {
            assert_eq!(found(&users, name, peer).as_deref(), account, "{name} from {peer}");
        }
    }

    #[test]
    fn networks_are_given_by_length_or_mask() {
        let users = users(&[
            "a@192.168.1.0/24",
            "b@10.0.0.0/255.0.0.0",
            "c@fe80::/10",
            "d@1.2.3.4/99",
            "e@0.0.0.0/0",
        ]);
        for (name, peer, admitted) in [
            ("a", "192.168.1.77", true),
            ("a", "192.168.2.1", false),
            ("b", "10.9.8.7", true),
            ("b", "11.0.0.1", false),
            ("c", "fe80::1", true),
            ("c", "10.0.0.1", false),
            ("d", "1.2.3.4", false),
            ("e", "9.9.9.9", true),
            ("e", "::1", false),
        ] {
            assert_eq!(found(&users, name, peer).is_some(), admitted, "{name} from {peer}");
        }
    }

    #[test]
    fn databases_can_be_permitted_one_by_one() {
        let map = HashMap::from([
            ("root@%".to_owned(), HashSet::from(["db1".to_owned()])),
            ("all@%".to_owned(), HashSet::from(["*".to_owned()])),
        ]);
        let users = Users::new(
            ["root@%", "all@", "none@%", "boss@%"]
                .map(|account| User { administrator: account == "boss@%", ..User::parse(account, "") })
                .to_vec(),
            Privileges::Databases(map),
        );
        let permits = |name: &str, database| {
            users.permits(users.find(name, "127.0.0.1".parse().unwrap()).unwrap(), database)
        };
        assert!(permits("root", "db1") && permits("all", "db2"));
        assert!(!permits("root", "db2") && !permits("none", "db1"));
        let administrates =
            |name: &str| users.is_administrator(users.find(name, "127.0.0.1".parse().unwrap()).unwrap());
        assert!(administrates("all") && administrates("boss"));
        assert!(permits("boss", "db9") && !administrates("root") && !administrates("none"));
    }
}
