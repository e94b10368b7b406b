//! Event types, the Sink trait, and the hub that fans events out.

/// Who is to blame for an error: label of metrics, level of the log line.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Party {
    /// The client sent what cannot be done.
    Client,
    /// The proxy ran out of something or is wrong.
    Proxy,
    /// A database server refused, failed or cannot be reached.
    Server,
}

impl Party {
    /// Its name in labels and log lines.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Proxy => "proxy",
            Self::Server => "server",
        }
    }
}
