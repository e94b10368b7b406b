//! Numbers and SQLSTATEs of what is refused (`distsql.md` §11, release 5.3).

use std::error::Error as _;

/// Why a statement is refused: what an ERR packet says.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("{message}")]
pub(crate) struct Error {
    /// Error number.
    pub(crate) code: u16,
    /// SQLSTATE.
    pub(crate) state: &'static str,
    /// Text.
    pub(crate) message: String,
}

impl Error {
    pub(crate) fn no_database() -> Self {
        Self { code: 1046, state: "3D000", message: "No database selected".to_owned() }
    }

    pub(crate) fn unsupported(what: &str) -> Self {
        Self { code: 30001, state: "0A000", message: format!("Unsupported SQL operation: {what}") }
    }

    /// Whatever has no number of its own.
    pub(crate) fn other(reason: impl std::fmt::Display) -> Self {
        Self { code: 30000, state: "HY000", message: format!("Unknown exception: {reason}") }
    }

    /// Another process goes on with the configuration.
    pub(crate) fn replaced() -> Self {
        Self::other("a new process has taken this one's place and keeps the configuration now: connect anew")
    }

    /// Part of the language, but not carried out.
    pub(crate) fn not_yet(what: &str) -> Self {
        Self::unsupported(&format!("{what} is not supported yet"))
    }

    /// Storage units that are wrong or cannot be reached: one message for each.
    pub(crate) fn invalid_units(messages: Vec<String>) -> Self {
        meta::Error::InvalidUnits(meta::Names(messages)).into()
    }

    /// A definition that leads nowhere; `unit` is its name.
    pub(crate) fn definition(unit: &str, error: &meta::UnitError) -> Self {
        match error {
            meta::UnitError::Url(_) => Self { code: 10001, state: "08000", message: error.to_string() },
            meta::UnitError::Value(_) => Self::invalid_units(vec![invalid_unit(unit, &error.to_string())]),
        }
    }
}

impl From<meta::Error> for Error {
    fn from(error: meta::Error) -> Self {
        use meta::Error as E;
        let (code, state) = match &error {
            E::ComplexColumns { .. } => (20083, "44000"),
            E::DataNode(_) => (10003, "HY004"),
            E::DatabaseExists(_) => (1007, "HY000"),
            E::DatabaseMissing(_) => (1008, "HY000"),
            E::DatabaseName(_) => (1102, "42000"),
            E::AlgorithmsInUse { .. } => (19152, "44000"),
            E::DefaultShadow => (20881, "44000"),
            E::DuplicateAlgorithms { .. } => (19153, "44000"),
            E::NoWeight(_) | E::Weight(_) => (20280, "HY004"),
            E::RulesInUse { .. } => (19102, "44000"),
            E::DatabaseNotEmpty(_) | E::Switch(_) => (30001, "0A000"),
            E::DuplicateRules { .. } => (19105, "44000"),
            E::DuplicateUnits(_) => (19004, "44000"),
            E::File { .. } | E::Unreadable { .. } => (30000, "HY000"),
            E::InlineColumn { .. } => (20082, "44000"),
            E::Inline { .. } | E::InvalidRule { .. } | E::InvalidRules { .. } => (19100, "44000"),
            E::IncompleteAlgorithm(_) | E::InvalidAlgorithms { .. } => (19150, "44000"),
            E::InvalidUnits(_) => (19000, "44000"),
            E::MissingAlgorithms { .. } => (19151, "44000"),
            E::MissingSingle(_) => (10501, "42S02"),
            E::MissingRules { .. } => (19101, "44000"),
            E::MissingUnits { .. } => (19001, "44000"),
            E::Property { kind, .. } => match kind {
                meta::AlgorithmKind::Encrypt => (20780, "HY004"),
                meta::AlgorithmKind::Balance => (20280, "HY004"),
                meta::AlgorithmKind::Shadow => (20880, "HY000"),
                meta::AlgorithmKind::Mask => (20980, "HY000"),
                meta::AlgorithmKind::Audit | meta::AlgorithmKind::Key | meta::AlgorithmKind::Sharding => {
                    (20080, "HY000")
                }
            },
            E::UnitInUse { .. } => (19003, "44000"),
            E::UnknownDatabase(_) => (1049, "42000"),
            E::UnknownVariable(_) => (12010, "42000"),
            E::VariableValue(_) => (11000, "HY004"),
        };
        Self { code, state, message: error.to_string() }
    }
}

impl From<store::Error> for Error {
    fn from(error: store::Error) -> Self {
        tracing::error!(%error, "a change of the configuration could not be stored and was not made");
        Self::other(error)
    }
}

/// One entry of the list of invalid units.
pub(crate) fn invalid_unit(unit: &str, reason: &str) -> String {
    format!("Invalid data source `{unit}`, error message is: {reason}")
}

/// An error with all its causes.
pub(crate) fn whole(error: &backend::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}
