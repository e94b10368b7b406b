//! Which events an audit log holds.

use std::fmt;
use std::net::{IpAddr, SocketAddr};

use observe::{Event, Head};

use super::class::{Classes, command_class};
use super::settings::{AuditConfig, Policy};

/// Whose statements: a user anywhere, or at hosts.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Account {
    user: String,
    /// As MySQL writes hosts of accounts: `%`, `10.0.%`; nothing for all.
    host: Option<String>,
}

impl Account {
    /// `user` or `user@host`; an empty user stands for nobody but the one who has no name.
    pub(super) fn read(text: &str) -> Option<Self> {
        let (user, host) = match text.rsplit_once('@') {
            Some((user, host)) => (user, Some(host)),
            None => (text, None),
        };
        (host != Some("")).then(|| Self { user: user.to_owned(), host: host.map(str::to_owned) })
    }

    fn is(&self, user: &str, host: &str) -> bool {
        self.user == user && self.host.as_deref().is_none_or(|pattern| meta::like(pattern, host))
    }
}

impl fmt::Display for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.user)?;
        self.host.as_ref().map_or(Ok(()), |host| write!(f, "@{host}"))
    }
}

/// Networks, or none.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(super) struct Networks(Vec<String>);

impl Networks {
    pub(super) fn read(text: &str) -> Option<Self> {
        let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
        let known = |part: &str| {
            let known = meta::is_in_network(IpAddr::from([127, 0, 0, 1]), part).is_some();
            known.then(|| part.to_owned())
        };
        parts.map(known).collect::<Option<Vec<_>>>().map(Self)
    }

    fn hold(&self, host: IpAddr) -> bool {
        self.0.iter().any(|network| meta::is_in_network(host, network) == Some(true))
    }
}

impl fmt::Display for Networks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join(","))
    }
}

/// The host of a client's `address:port`.
pub(super) fn host(client: &str) -> &str {
    let host = client.rsplit_once(':').map_or(client, |(host, _)| host);
    host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host)
}

/// Decides, by the settings.
#[derive(Debug)]
pub(super) struct Filter {
    config: AuditConfig,
    /// Of 2^64 records, how many.
    sample: Option<u64>,
    /// Somebody's name or address decides.
    by_client: bool,
}

impl Filter {
    pub(super) fn new(config: &AuditConfig) -> Self {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of all numbers")]
        let sample = (config.sample < 1.0).then_some((config.sample * (u64::MAX as f64)) as u64);
        let by_client = !(config.include_accounts.is_empty() && config.exclude_accounts.is_empty())
            || config.include_hosts != Networks::default()
            || config.exclude_hosts != Networks::default();
        Self { config: config.clone(), sample, by_client }
    }

    /// Whether an event of these classes is held.
    pub(super) fn holds(&self, event: &Event<'_>, classes: Classes) -> bool {
        let config = &self.config;
        let head = event.head();
        if !config.include_classes.intersects(classes)
            || config.exclude_classes.intersects(classes)
            || config.errors_only && head.error.is_none()
            || self.by_client && !self.holds_client(head)
        {
            return false;
        }
        let Event::Statement(statement) = event else { return config.policy != Policy::Queries };
        config.policy != Policy::Logins
            && statement.head.elapsed >= config.min_duration
            && self.holds_database(head.database, statement.target)
            && self.holds_command(command_class(statement))
            && (head.error.is_some() || self.samples(head.record))
    }

    fn holds_client(&self, head: &Head<'_>) -> bool {
        let config = &self.config;
        let host = host(head.client);
        let is = |accounts: &[Account]| accounts.iter().any(|account| account.is(head.user, host));
        if !config.include_accounts.is_empty() && !is(&config.include_accounts)
            || is(&config.exclude_accounts)
        {
            return false;
        }
        // Who comes from nowhere that is known is in no network.
        let Ok(peer) = head.client.parse::<SocketAddr>() else { return config.include_hosts.0.is_empty() };
        (config.include_hosts.0.is_empty() || config.include_hosts.hold(peer.ip()))
            && !config.exclude_hosts.hold(peer.ip())
    }

    /// That which the statement is about, else the session's.
    fn holds_database(&self, current: &str, target: &str) -> bool {
        let is = |list: &[String], name: &str| list.iter().any(|it| it.as_str() == name);
        let (include, exclude) = (&self.config.include_databases, &self.config.exclude_databases);
        let target = if target.is_empty() { current } else { target };
        (include.is_empty() || is(include, target)) && !is(exclude, target)
    }

    fn holds_command(&self, name: &str) -> bool {
        let is = |list: &[String]| list.iter().any(|it| it.eq_ignore_ascii_case(name));
        let (include, exclude) = (&self.config.include_commands, &self.config.exclude_commands);
        (include.is_empty() || is(include)) && !is(exclude)
    }

    /// By its number alone, so that two who look at the same record agree.
    fn samples(&self, (worker, number): (u16, u64)) -> bool {
        let Some(share) = self.sample else { return true };
        let mut mixed = (number ^ (u64::from(worker) << 48)).wrapping_add(0x9e37_79b9_7f4a_7c15);
        for factor in [0xbf58_476d_1ce4_e5b9, 0x94d0_49bb_1331_11eb] {
            mixed = (mixed ^ (mixed >> 30)).wrapping_mul(factor);
        }
        mixed ^ (mixed >> 31) < share
    }
}
