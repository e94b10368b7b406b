//! What all workers and sessions of one process share, built once by `weir::app` and handed down.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use meta::Property;
use tokio_util::sync::CancellationToken;

use crate::accounts::Accounts;
use crate::admin::Admin;
use crate::registry::Registry;

/// What all workers and sessions share.
pub struct Shared {
    /// Metadata; swapped whole.
    pub published: meta::Published,
    /// Who may log in.
    pub accounts: Accounts,
    /// Connections to the servers: limits over all workers.
    pub hub: Arc<backend::Hub>,
    /// What is told of sessions, and to whom.
    pub events: Arc<observe::Hub>,
    /// Executes DistSQL.
    pub admin: Arc<dyn Admin>,
    /// TLS towards clients who come from now on; none: not offered.
    pub tls: arc_swap::ArcSwapOption<tokio_rustls::rustls::ServerConfig>,
    /// For passwords of `caching_sha2_password` on unencrypted connections.
    pub rsa: Arc<wire::auth::rsa::KeyPair>,
    /// Limits and names.
    pub limits: Limits,
    /// Cancelled when the process is to end: no new sessions, idle ones are told 1053, running statements finish.
    pub drain: CancellationToken,
    /// Sessions by id.
    pub registry: Registry,
    /// The last connection id given out.
    pub last_id: AtomicU32,
    /// Keys that are generated.
    pub keys: crate::keys::Keys,
    /// Numbers of all workers' templates.
    pub numbers: Arc<plan::Numbers>,
}

/// Limits and names that sessions go by.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// What one statement may take.
    pub statement: exec::Limits,
}

impl Shared {
    /// `VERSION()` as told in the greeting: what clients take as the version of MySQL, and ours behind it.
    pub(crate) fn version(&self) -> String {
        let mysql = self.published.load();
        format!("{}-weir-{}", mysql.properties.text(Property::MysqlDefaultVersion), env!("CARGO_PKG_VERSION"))
    }

    /// The largest command a client may send who logs in now, in bytes (`max_allowed_packet`).
    pub(crate) fn max_packet(&self) -> usize {
        let limit = self.published.load().properties.integer(Property::FrontendMaxPacket);
        usize::try_from(limit).unwrap_or(1 << 30)
    }

    /// A client must have logged in within this time (`connect_timeout`).
    pub(crate) fn login_timeout(&self) -> Duration {
        let seconds = self.published.load().properties.integer(Property::FrontendConnectTimeout);
        Duration::from_secs(u64::try_from(seconds).unwrap_or(10))
    }

    /// How many sessions there may be; nothing: any number.
    pub(crate) fn max_sessions(&self) -> Option<usize> {
        let limit = self.published.load().properties.integer(Property::FrontendMaxConnections);
        usize::try_from(limit).ok().filter(|limit| *limit > 0)
    }

    /// `wait_timeout` of clients, and of interactive ones, in seconds.
    pub(crate) fn timeouts(&self) -> (u32, u32) {
        let snapshot = self.published.load();
        let seconds = |property| u32::try_from(snapshot.properties.integer(property)).unwrap_or(u32::MAX);
        (seconds(Property::FrontendWaitTimeout), seconds(Property::FrontendInteractiveTimeout))
    }

    /// A connection id that no other session of this process has had (until it wraps after 2^32).
    pub(crate) fn next_id(&self) -> u32 {
        self.last_id.fetch_add(1, Ordering::Relaxed).wrapping_add(1)
    }
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").field("limits", &self.limits).finish_non_exhaustive()
    }
}
