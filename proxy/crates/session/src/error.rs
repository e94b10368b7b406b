//! The one place where errors become ERR packets: number, SQLSTATE and a text a DBA can act on.

use std::borrow::Cow;

use observe::Party;
use wire::errno::{self, ErrorCode};

use crate::admin::Refusal;

/// What an ERR packet says.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Problem {
    pub(crate) code: u16,
    pub(crate) state: Cow<'static, str>,
    pub(crate) message: String,
}

impl Problem {
    pub(crate) fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code: code.code, state: Cow::Borrowed(code.state), message: message.into() }
    }

    pub(crate) fn unknown_database(name: &str) -> Self {
        Self::new(errno::UNKNOWN_DATABASE, format!("Unknown database '{name}'"))
    }

    pub(crate) fn no_database() -> Self {
        Self::new(errno::NO_DATABASE, "No database selected")
    }

    /// The account may not do what concerns more than its databases.
    pub(crate) fn needs_administrator() -> Self {
        let message = "Access denied; you need (at least one of) the SUPER privilege(s) for this operation";
        Self::new(errno::PRIVILEGE_MISSING, message)
    }

    pub(crate) fn unsupported(what: impl std::fmt::Display) -> Self {
        Self {
            code: 30001,
            state: Cow::Borrowed("0A000"),
            message: format!("Unsupported SQL operation: {what}"),
        }
    }

    /// What servers say of a text that they cannot read on from a byte.
    pub(crate) fn near(text: &str, at: usize) -> Self {
        /// Characters of it that are shown.
        const SHOWN: usize = 80;
        let (before, rest) = text.split_at_checked(at).unwrap_or((text, ""));
        let shown: String = rest.chars().take(SHOWN).collect();
        let line = before.matches('\n').count() + 1;
        let message = format!(
            "You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for \
             the right syntax to use near '{shown}' at line {line}"
        );
        Self::new(errno::PARSE, message)
    }

    /// A text that cannot be read, in the words MySQL's users know.
    pub(crate) fn syntax(error: &sql::Error, text: &str) -> Self {
        if let sql::Error::Multiple { at } = *error {
            return Self::near(text, at);
        }
        let (line, column) = error.line_column(text);
        let message =
            format!("You have an error in your SQL syntax: {error} at line {line}, column {column}");
        Self::new(errno::PARSE, message)
    }

    /// DistSQL that cannot be read, or is not carried out.
    pub(crate) fn distsql(error: &distsql::Error) -> Self {
        match error {
            distsql::Error::Unsupported { .. } => Self::unsupported(error),
            _ => Self::new(errno::PARSE, format!("You have an error in your SQL syntax: {error}")),
        }
    }

    /// A packet that does not follow the protocol.
    pub(crate) fn packet(error: &wire::Error) -> Self {
        let code = match error {
            wire::Error::TooLarge { .. } => errno::PACKET_TOO_LARGE,
            wire::Error::OutOfOrder { .. } => errno::PACKETS_OUT_OF_ORDER,
            _ => errno::MALFORMED_PACKET,
        };
        Self::new(code, with_sources(error))
    }

    /// A statement that is refused.
    pub(crate) fn plan(error: &plan::Error, text: &str) -> Self {
        match error {
            plan::Error::Sql(error) => Self::syntax(error, text),
            _ => Self { code: error.code(), state: Cow::Borrowed(error.state()), message: error.to_string() },
        }
    }

    /// A plan that could not be carried out.
    pub(crate) fn exec(error: &exec::Error) -> Self {
        use exec::Error as E;
        let code = match error {
            E::Backend(error) => return Self::backend(error),
            E::Belied(error) => return Self::exec(error),
            E::Introduction(refused) => {
                return Self { message: with_sources(error), ..Self::exec(refused) };
            }
            E::Node { source, .. } => {
                return Self { message: with_sources(error), ..Self::exec(source) };
            }
            E::Carried { .. } | E::Conditions { .. } | E::Unfit { .. } => return Self::unsupported(error),
            E::Undecryptable(_) => {
                let (code, state) = (plan::Undecryptable::CODE, plan::Undecryptable::STATE);
                return Self { code, state: Cow::Borrowed(state), message: error.to_string() };
            }
            E::Interrupted => errno::QUERY_INTERRUPTED,
            E::NoSavepoint { .. } => errno::NO_SUCH_SAVEPOINT,
            E::Torn(_) | E::TransactionLost(_) => errno::SERVER_LOST,
            E::Gathered { .. } | E::Memory { .. } | E::Spill(_) => errno::OUT_OF_RESOURCES,
            _ => return Self { code: 30000, state: Cow::Borrowed("HY000"), message: with_sources(error) },
        };
        Self::new(code, with_sources(error))
    }

    /// Something between the proxy and a server.
    pub(crate) fn backend(error: &backend::Error) -> Self {
        use backend::Error as E;
        // Server-side trouble that the client can do nothing about, told apart by what it should do next: log in
        // anew, wait, or call the DBA.
        let code = match error {
            E::Refused { refusal, .. } => {
                return Self {
                    code: refusal.code,
                    state: Cow::Owned(refusal.state.clone()),
                    message: refusal.message.clone(),
                };
            }
            E::Closed { .. } | E::Io { .. } | E::Protocol { .. } | E::Unexpected { .. } => errno::SERVER_LOST,
            E::Exhausted { .. } => errno::TOO_MANY_CONNECTIONS,
            E::Denied { .. } | E::UnknownDatabase { .. } => return Self::unusable(error),
            _ => return Self::unreachable(error),
        };
        Self::new(code, with_sources(error))
    }

    fn unusable(error: &backend::Error) -> Self {
        let code = error.refusal().map_or(1045, |refusal| refusal.code);
        let state =
            error.refusal().map_or("28000", |refusal| if refusal.code == 1049 { "42000" } else { "28000" });
        Self { code, state: Cow::Borrowed(state), message: with_sources(error) }
    }

    /// Who is to blame for an error that no server has raised.
    pub(crate) const fn party(&self) -> Party {
        match self.code {
            2003 | 2013 => Party::Server,
            1040 | 1041 | 1053 | 30000 => Party::Proxy,
            _ => Party::Client,
        }
    }

    /// Whether a server could not be reached; another may answer.
    pub(crate) const fn is_unreachable(&self) -> bool {
        self.code == errno::CANNOT_CONNECT.code
    }

    fn unreachable(error: &backend::Error) -> Self {
        Self::new(errno::CANNOT_CONNECT, with_sources(error))
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        Self { code: refusal.code, state: Cow::Owned(refusal.state), message: refusal.message }
    }
}

/// An error and what caused it, in one line.
pub(crate) fn with_sources(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text.push_str(": ");
            text.push_str(&cause_text);
        }
        source = cause.source();
    }
    text
}
