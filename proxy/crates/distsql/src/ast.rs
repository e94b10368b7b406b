//! The syntax tree: what is written, not yet checked against anything.
//!
//! One module per family of statements, each with a `Statement` of its own. Names keep their letter case and lose their
//! quotes; values are texts; `database` is that of `FROM db`.

pub mod audit;
pub mod broadcast;
pub mod compute;
pub mod configuration;
pub mod digest;
pub mod encrypt;
pub mod global;
pub mod hint;
pub mod mask;
pub mod metadata;
pub mod readwrite;
pub mod shadow;
pub mod sharding;
pub mod single;
pub mod unit;
pub mod variable;

use indexmap::IndexMap;

/// A DistSQL statement.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Statement {
    /// The audit log.
    Audit(audit::Statement),
    /// Broadcast tables.
    Broadcast(broadcast::Statement),
    /// Nodes of the proxy.
    Compute(compute::Statement),
    /// Configuration as a file.
    Configuration(configuration::Statement),
    /// Figures of statements by digest.
    Digest(digest::Statement),
    /// Encryption.
    Encrypt(encrypt::Statement),
    /// Rules that belong to no database.
    Global(global::Statement),
    /// Hints of the session.
    Hint(hint::Statement),
    /// Masking.
    Mask(mask::Statement),
    /// What is known of tables.
    Metadata(metadata::Statement),
    /// `PREVIEW`: the statement that is shown and not executed.
    Preview(String),
    /// Readwrite splitting.
    Readwrite(readwrite::Statement),
    /// Shadow databases.
    Shadow(shadow::Statement),
    /// Sharding.
    Sharding(sharding::Statement),
    /// Single tables.
    Single(single::Statement),
    /// Storage units.
    Unit(unit::Statement),
    /// Configuration variables.
    Variable(variable::Statement),
}

impl Statement {
    /// Its first words in their canonical spelling, by which messages call it.
    pub fn title(&self) -> &'static str {
        match self {
            Self::Audit(statement) => statement.title(),
            Self::Broadcast(statement) => statement.title(),
            Self::Compute(statement) => statement.title(),
            Self::Configuration(statement) => statement.title(),
            Self::Digest(statement) => statement.title(),
            Self::Encrypt(statement) => statement.title(),
            Self::Global(statement) => statement.title(),
            Self::Hint(statement) => statement.title(),
            Self::Mask(statement) => statement.title(),
            Self::Metadata(statement) => statement.title(),
            Self::Preview(_) => "PREVIEW",
            Self::Readwrite(statement) => statement.title(),
            Self::Shadow(statement) => statement.title(),
            Self::Sharding(statement) => statement.title(),
            Self::Single(statement) => statement.title(),
            Self::Unit(statement) => statement.title(),
            Self::Variable(statement) => statement.title(),
        }
    }

    /// The database that it names (`FROM db`); nothing means the current one.
    pub fn database(&self) -> Option<&str> {
        match self {
            Self::Broadcast(statement) => statement.database(),
            Self::Configuration(statement) => statement.database(),
            Self::Digest(statement) => statement.database(),
            Self::Encrypt(statement) => statement.database(),
            Self::Mask(statement) => statement.database(),
            Self::Metadata(statement) => statement.database(),
            Self::Readwrite(statement) => statement.database(),
            Self::Shadow(statement) => statement.database(),
            Self::Sharding(statement) => statement.database(),
            Self::Single(statement) => statement.database(),
            Self::Unit(statement) => statement.database(),
            Self::Audit(_)
            | Self::Compute(_)
            | Self::Global(_)
            | Self::Hint(_)
            | Self::Variable(_)
            | Self::Preview(_) => None,
        }
    }

    /// Whether it only shows, which its first word tells; what changes something is refused within a transaction.
    pub fn is_query(&self) -> bool {
        let first = self.title().split(' ').next();
        matches!(first, Some("CONVERT" | "COUNT" | "EXPORT" | "PREVIEW" | "SHOW"))
    }
}

/// `TYPE(NAME=…, PROPERTIES(…))`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Algorithm {
    /// Type name as written.
    pub name: String,
    /// Properties, values as texts.
    pub properties: IndexMap<String, String>,
}

/// An algorithm, or the name of one that was created before (up to 5.2).
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Choice {
    /// `…=name`.
    Name(String),
    /// `TYPE(…)`.
    Type(Algorithm),
}
