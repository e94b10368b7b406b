//! Events as sinks see them: borrowed from the record they were read from, or from the session that tells them.

use std::time::{Duration, SystemTime};

use crate::record::{Runs, Values};

/// Who is to blame for an error: label of metrics, level of the log line.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Party {
    /// The client sent what cannot be done.
    Client,
    /// The proxy ran out of something or is wrong.
    Proxy,
    /// A database server refused, failed or cannot be reached.
    Server,
}

impl Party {
    /// All of them, in the order of their numbers.
    pub const ALL: [Self; 3] = [Self::Client, Self::Proxy, Self::Server];

    /// Its name in labels and log lines.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Proxy => "proxy",
            Self::Server => "server",
        }
    }
}

macro_rules! numbered {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
        #[repr(u8)]
        pub enum $name { $($(#[$variant_doc])* $variant,)* }

        impl $name {
            /// All of them, in the order of their numbers.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// How it is called.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }

            /// The one with a number (`as u8`).
            pub fn from_number(number: u8) -> Option<Self> {
                Self::ALL.get(usize::from(number)).copied()
            }
        }
    };
}

numbered! {
    /// What a client sent, by the names that MySQL gives in its general log and process list.
    Command {
        /// `COM_QUERY`, or one statement of a text of several.
        Query = "Query",
        /// `COM_STMT_PREPARE`.
        Prepare = "Prepare",
        /// `COM_STMT_EXECUTE`.
        Execute = "Execute",
        /// `COM_STMT_FETCH`.
        Fetch = "Fetch",
        /// `COM_STMT_CLOSE`.
        Close = "Close stmt",
        /// `COM_STMT_RESET`.
        Reset = "Reset stmt",
        /// `COM_INIT_DB`.
        InitDb = "Init DB",
        /// `COM_FIELD_LIST`.
        FieldList = "Field List",
        /// `COM_CHANGE_USER`.
        ChangeUser = "Change user",
        /// `COM_RESET_CONNECTION`.
        ResetConnection = "Reset Connection",
        /// `COM_PROCESS_KILL`.
        Kill = "Kill",
        /// `COM_PING`.
        Ping = "Ping",
        /// Any other.
        Other = "Other",
    }
}

numbered! {
    /// What kind of statement it is: what audit filters, and metrics, tell apart.
    Class {
        /// None that could be told: a syntax error, a command without a text.
        Unknown = "UNKNOWN",
        /// `SELECT` and whatever else only reads rows (`TABLE`, `VALUES`, `WITH`).
        Select = "SELECT",
        /// `INSERT`, `REPLACE`.
        Insert = "INSERT",
        /// `UPDATE`.
        Update = "UPDATE",
        /// `DELETE`.
        Delete = "DELETE",
        /// Other data manipulation: `CALL`, `DO`, `HANDLER`, `LOAD DATA`.
        Dml = "DML",
        /// Data definition: `CREATE`, `ALTER`, `DROP`, `RENAME`, `TRUNCATE`.
        Ddl = "DDL",
        /// Data control: accounts and privileges.
        Dcl = "DCL",
        /// Administration: `SHOW`, `SET`, `USE`, `EXPLAIN`, `KILL`, `FLUSH`, `ANALYZE` …
        Dal = "DAL",
        /// Transaction control, `LOCK TABLES` and `XA` included.
        Tcl = "TCL",
        /// `PREPARE`, `EXECUTE`, `DEALLOCATE PREPARE` as statements.
        Prepared = "PREPARED",
        /// DistSQL that shows resources and rules.
        Rql = "RQL",
        /// DistSQL that defines resources and rules.
        Rdl = "RDL",
        /// DistSQL for administration.
        Ral = "RAL",
        /// DistSQL for utility (`PREVIEW`, `PARSE`).
        Rul = "RUL",
    }
}

/// What a record is about.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "most are statements, and none is kept")]
pub enum Event<'a> {
    /// A command that has been answered, or ended in another way.
    Statement(Statement<'a>),
    /// Somebody has logged in, or was not let in ([`Head::error`] tells why).
    Connect(Session<'a>),
    /// A session is another user's from now on, or ends because that was refused.
    ChangeUser(Session<'a>),
    /// A session has ended.
    Quit(Session<'a>),
}

/// What all events have: whose they are, when they were, how they ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Head<'a> {
    /// The worker, and its number of this event: unique within the process, growing by one.
    pub record: (u16, u64),
    /// Connection id.
    pub session: u32,
    /// User as logged in; empty before that.
    pub user: &'a str,
    /// The client's address, `address:port`.
    pub client: &'a str,
    /// Current database, empty for none.
    pub database: &'a str,
    /// When it began: of statements, when the command had come.
    pub at: SystemTime,
    /// How long it took until its answer had been sent; how long the session lasted when it ends.
    pub elapsed: Duration,
    /// The error it ended with.
    pub error: Option<Error<'a>>,
}

impl<'a> Event<'a> {
    /// What all events have.
    pub const fn head(&self) -> &Head<'a> {
        match self {
            Self::Statement(statement) => &statement.head,
            Self::Connect(session) | Self::ChangeUser(session) | Self::Quit(session) => &session.head,
        }
    }
}

/// A login, or an end of a session.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Session<'a> {
    /// What all events have.
    pub head: Head<'a>,
    /// The connection is encrypted.
    pub encrypted: bool,
    /// Statements that the session has sent.
    pub statements: u64,
}

/// A command that is over.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Statement<'a> {
    /// What all events have.
    pub head: Head<'a>,
    /// How it was sent.
    pub command: Command,
    /// What kind of statement.
    pub class: Class,
    /// The database that it is about, where that is not the current one; empty otherwise.
    pub target: &'a str,
    /// Its verb as MySQL's `Com_…` variables call it: `select`, `create_table`; empty where unknown.
    pub verb: &'a str,
    /// Its text as the client sent it, passwords left out, of a prepared statement that which was prepared; maybe cut.
    pub text: &'a [u8],
    /// How long the text was before it was cut; its length where it was not.
    pub text_length: u64,
    /// Passwords were left out of the text.
    pub masked: bool,
    /// The statement's number for the session, if it is a prepared one.
    pub prepared: Option<u32>,
    /// Parameters, where they are wanted.
    pub parameters: Values<'a>,
    /// Of the text without its values; 0 where it is not known.
    pub digest: u64,
    /// Rows sent to the client.
    pub rows_sent: u64,
    /// Rows changed.
    pub rows_affected: u64,
    /// The first key that was generated; 0 for none.
    pub insert_id: u64,
    /// Warnings told to the client.
    pub warnings: u16,
    /// Bytes received with the command.
    pub bytes_received: u64,
    /// Bytes of the answer.
    pub bytes_sent: u64,
    /// Server connections that it ran on, where [`Wants::PHASES`](crate::Wants::PHASES) are wanted.
    pub connections: u16,
    /// Route units that it ran on; of 0 the proxy answered itself.
    pub route_units: u16,
    /// The session is in a transaction, this statement included.
    pub in_transaction: bool,
    /// Where time went.
    pub phases: Phases,
    /// What ran on each unit, where that is wanted.
    pub runs: Runs<'a>,
    /// The trace that it belongs to, if it is sampled or the client named one.
    pub trace: Option<Trace>,
}

/// Moments of a statement, each as the time since the command had come; zero where it was not reached.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Phases {
    /// It was read and its template found.
    pub parsed: Duration,
    /// Its plan was made.
    pub planned: Duration,
    /// Connections had been taken; until then it may have waited for one.
    pub leased: Duration,
    /// The first byte of an answer had come.
    pub answered: Duration,
}

/// One physical statement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Run<'a> {
    /// The storage unit.
    pub unit: &'a str,
    /// Its host and port.
    pub host: &'a str,
    /// TCP port.
    pub port: u16,
    /// When it was sent, since the command had come.
    pub started: Duration,
    /// When its answer had come in full, since the command had come.
    pub ended: Duration,
    /// What was sent, where it is wanted; maybe cut.
    pub text: &'a [u8],
    /// The server's error, if that was the answer; 0 for none.
    pub error: u16,
}

/// An error as the client saw it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Error<'a> {
    /// Its number.
    pub code: u16,
    /// SQLSTATE.
    pub state: [u8; 5],
    /// Who is to blame.
    pub party: Party,
    /// Its text.
    pub message: &'a [u8],
}

/// The trace of a statement (W3C Trace Context).
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Trace {
    /// Of the trace; not 0.
    pub id: u128,
    /// The span that it stands under; 0 for none.
    pub parent: u64,
    /// It is to be exported.
    pub sampled: bool,
}

/// A parameter of a prepared statement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    /// `NULL`.
    Null,
    /// A signed integer.
    Signed(i64),
    /// An unsigned integer.
    Unsigned(u64),
    /// `FLOAT`, `DOUBLE`.
    Float(f64),
    /// Written without quotes: a decimal number.
    Number(&'a [u8]),
    /// Text, dates and times included.
    Text(&'a [u8]),
    /// Bytes.
    Bytes(&'a [u8]),
    /// Text or bytes, of which only the beginning is told.
    Cut {
        /// The beginning.
        start: &'a [u8],
        /// Bytes of the whole.
        length: u64,
    },
    /// What is not told: encrypted, sent in pieces.
    Hidden,
}
