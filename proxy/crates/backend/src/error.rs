//! What can go wrong between the proxy and a server.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use meta::StorageUnit;
use observe::Party;

/// Which storage unit and which server an error speaks of.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Origin {
    /// Name of the storage unit.
    pub unit: String,
    /// `host:port` as registered.
    pub address: String,
}

impl Origin {
    pub(crate) fn of(unit: &StorageUnit) -> Self {
        let spec = &unit.spec;
        Self { unit: unit.name.clone(), address: format!("{}:{}", spec.host, spec.port) }
    }
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "storage unit '{}' ({})", self.unit, self.address)
    }
}

/// An error packet of a server: number, SQLSTATE and text.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Refusal {
    /// Error number.
    pub code: u16,
    /// SQLSTATE, five characters.
    pub state: String,
    /// The server's own words.
    pub message: String,
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({}): {}", self.code, self.state, self.message)
    }
}

/// Why a connection could not be had, or was lost.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The login could not be brought to an end, by a method unknown here for instance.
    #[error("cannot log in to {origin}")]
    Auth {
        /// Where.
        origin: Arc<Origin>,
        /// What was wrong.
        source: wire::Error,
    },
    /// The server ended the connection, or the network did.
    #[error("{origin} closed the connection")]
    Closed {
        /// Where.
        origin: Arc<Origin>,
        /// Not one byte of the answer had come. A statement that only reads may then be tried again on another connection
        /// ([`Pools::lease_again`](crate::Pools::lease_again)); of one that writes nobody knows whether the server ran it.
        before_reply: bool,
    },
    /// No TCP connection.
    #[error("{origin} cannot be reached")]
    Connect {
        /// Where.
        origin: Arc<Origin>,
        /// What the system says.
        source: io::Error,
    },
    /// The server does not accept the account registered for the unit.
    #[error("{origin} denied access: {refusal}")]
    Denied {
        /// Where.
        origin: Arc<Origin>,
        /// The server's words, 1045 or 1044.
        refusal: Refusal,
    },
    /// No connection became free in time.
    #[error("no connection to storage unit '{pool}' became free within {waited:?} (maximumPoolSize {limit})")]
    Exhausted {
        /// Name of the storage unit.
        pool: String,
        /// Its limit.
        limit: u32,
        /// How long the session waited.
        waited: Duration,
    },
    /// Reading or writing failed.
    #[error("connection to {origin} failed")]
    Io {
        /// Where.
        origin: Arc<Origin>,
        /// What the system says.
        source: io::Error,
    },
    /// `sslMode=REQUIRED`, but the server speaks no TLS.
    #[error("{origin} does not offer TLS, which the storage unit requires")]
    NoTls {
        /// Where.
        origin: Arc<Origin>,
    },
    /// The server said what the protocol does not foresee.
    #[error("{origin} broke the protocol")]
    Protocol {
        /// Where.
        origin: Arc<Origin>,
        /// What was wrong.
        source: wire::Error,
    },
    /// The server refused a login or a statement of the proxy's own.
    #[error("{origin} refused: {refusal}")]
    Refused {
        /// Where.
        origin: Arc<Origin>,
        /// The server's words.
        refusal: Refusal,
    },
    /// The unit was altered or unregistered meanwhile.
    #[error("storage unit '{pool}' was altered or unregistered")]
    Retired {
        /// Name of the storage unit.
        pool: String,
    },
    /// The connection was not ready in time.
    #[error("{origin} did not answer within {waited:?}")]
    Timeout {
        /// Where.
        origin: Arc<Origin>,
        /// How long the session waited, for a free place in the pool included.
        waited: Duration,
    },
    /// The TLS handshake failed.
    #[error("TLS with {origin} failed")]
    Tls {
        /// Where.
        origin: Arc<Origin>,
        /// What rustls says.
        source: io::Error,
    },
    /// An answer with the wrong shape: more or fewer columns, or no result set where one is due.
    #[error("{origin} gave an unexpected answer: {what}")]
    Unexpected {
        /// Where.
        origin: Arc<Origin>,
        /// What was expected and what came.
        what: &'static str,
    },
    /// The unit's physical database does not exist.
    #[error("{origin} has no such database: {refusal}")]
    UnknownDatabase {
        /// Where.
        origin: Arc<Origin>,
        /// The server's words, 1049.
        refusal: Refusal,
    },
}

impl Error {
    /// Who is to blame.
    pub const fn party(&self) -> Party {
        match self {
            Self::Exhausted { .. } | Self::Retired { .. } => Party::Proxy,
            _ => Party::Server,
        }
    }

    /// Whether the connection it happened on is lost; without one, nothing is.
    pub const fn fatal(&self) -> bool {
        !matches!(self, Self::Exhausted { .. } | Self::Refused { .. } | Self::Retired { .. })
    }

    /// The server that it happened with.
    pub const fn origin(&self) -> Option<&Arc<Origin>> {
        match self {
            Self::Exhausted { .. } | Self::Retired { .. } => None,
            Self::Auth { origin, .. }
            | Self::Closed { origin, .. }
            | Self::Connect { origin, .. }
            | Self::Denied { origin, .. }
            | Self::Io { origin, .. }
            | Self::NoTls { origin }
            | Self::Protocol { origin, .. }
            | Self::Refused { origin, .. }
            | Self::Timeout { origin, .. }
            | Self::Tls { origin, .. }
            | Self::Unexpected { origin, .. }
            | Self::UnknownDatabase { origin, .. } => Some(origin),
        }
    }

    /// The server's own error packet, when that is what the error is.
    pub const fn refusal(&self) -> Option<&Refusal> {
        match self {
            Self::Denied { refusal, .. }
            | Self::Refused { refusal, .. }
            | Self::UnknownDatabase { refusal, .. } => Some(refusal),
            _ => None,
        }
    }

    /// Sorts an error packet that came during login.
    pub(crate) fn login(origin: Arc<Origin>, refusal: Refusal) -> Self {
        match refusal.code {
            1044 | 1045 | 1698 => Self::Denied { origin, refusal },
            1049 => Self::UnknownDatabase { origin, refusal },
            _ => Self::Refused { origin, refusal },
        }
    }
}
