//! Why a piece of configuration or a change to it is refused.

use std::fmt;
use std::path::PathBuf;

/// Names in a message: `[a, b]`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Names(pub Vec<String>);

/// The kind of a rule, as messages call it.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum RuleKind {
    /// `BROADCAST`.
    Broadcast,
    /// `DEFAULT SHARDING … STRATEGY`.
    DefaultStrategy,
    /// `ENCRYPT`.
    Encrypt,
    /// `MASK`.
    Mask,
    /// `READWRITE_SPLITTING`.
    Readwrite,
    /// `SHARDING TABLE REFERENCE`.
    Reference,
    /// `SHADOW`.
    Shadow,
    /// `SHARDING`.
    Sharding,
    /// Tables without a rule.
    Single,
}

/// The kind of an algorithm, as messages call it.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum AlgorithmKind {
    /// Of an audit strategy.
    Audit,
    /// Chooses a replica.
    Balance,
    /// Encrypts a column.
    Encrypt,
    /// Generates keys.
    Key,
    /// Masks a column.
    Mask,
    /// Tells test traffic.
    Shadow,
    /// Chooses a data node.
    Sharding,
}

/// Why configuration is refused. Texts of changes made by DistSQL follow `distsql.md` §2, §3 and §11.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum Error {
    /// Algorithms that something still uses.
    #[error("{} algorithms `{names}` in database `{database}` are still in used.", kind.title())]
    AlgorithmsInUse {
        /// Their kind.
        kind: AlgorithmKind,
        /// Which.
        names: Names,
        /// Where.
        database: String,
    },
    /// Sharding columns other than those that an algorithm declares.
    #[error("Complex inline need `{wanted}` sharing columns, but only found `{found}`.")]
    ComplexColumns {
        /// What it declares.
        wanted: Names,
        /// What the strategy has.
        found: Names,
    },
    /// A data node that is not a source and a table.
    #[error("Invalid format for actual data node `{0}`.")]
    DataNode(String),
    /// `CREATE DATABASE` of one that is there.
    #[error("Can't create database '{0}'; database exists")]
    DatabaseExists(String),
    /// `DROP DATABASE` of one that is not there.
    #[error("Can't drop database '{0}'; database doesn't exist")]
    DatabaseMissing(String),
    /// A name that no database can have.
    #[error("Incorrect database name '{0}'")]
    DatabaseName(String),
    /// A default shadow algorithm that asks for a column.
    #[error("Default shadow algorithm class should be implement HintShadowAlgorithm.")]
    DefaultShadow,
    /// Algorithms that exist already, or twice in one statement.
    #[error("Duplicate {kind} algorithms `{names}` in database `{database}`.")]
    DuplicateAlgorithms {
        /// Their kind.
        kind: AlgorithmKind,
        /// Which.
        names: Names,
        /// Where.
        database: String,
    },
    /// `IMPORT DATABASE CONFIGURATION` over one that has storage units.
    #[error("Unsupported SQL operation: Database `{0}` exists and is not empty")]
    DatabaseNotEmpty(String),
    /// Rules of a kind that exist already, or twice in one statement.
    #[error("Duplicate {kind} rule names `{names}` in database `{database}`.")]
    DuplicateRules {
        /// Their kind.
        kind: RuleKind,
        /// Which.
        names: Names,
        /// Where.
        database: String,
    },
    /// Storage units that exist already, or twice in one statement.
    #[error("Duplicate storage unit names `{0}`.")]
    DuplicateUnits(Names),
    /// A configuration file that cannot be used.
    #[error("{}:{line}:{column}: {reason}", file.display())]
    File {
        /// Which file.
        file: PathBuf,
        /// Line, from 1.
        line: u64,
        /// Column, from 1.
        column: u64,
        /// What is wrong there.
        reason: String,
    },
    /// An inline expression that is not one.
    #[error("Invalid inline expression `{expression}`: {reason}.")]
    Inline {
        /// As written.
        expression: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// An algorithm without the properties that it cannot do without.
    #[error("Invalid {0} algorithm.")]
    IncompleteAlgorithm(AlgorithmKind),
    /// An expression about something else than the sharding column.
    #[error(
        "Inline sharding algorithms expression `{expression}` and sharding column `{column}` do not match."
    )]
    InlineColumn {
        /// As written.
        expression: String,
        /// The column, or columns.
        column: String,
    },
    /// Algorithm types that do not exist or do not fit.
    #[error("Invalid {kind} algorithms `{names}`.")]
    InvalidAlgorithms {
        /// Their kind.
        kind: AlgorithmKind,
        /// The type names as written.
        names: Names,
    },
    /// A rule that contradicts itself.
    #[error("Invalid {kind} rule `{name}`, error message is: {reason}")]
    InvalidRule {
        /// Its kind.
        kind: RuleKind,
        /// Its name.
        name: String,
        /// What is wrong.
        reason: String,
    },
    /// Rules whose names are taken.
    #[error("Invalid `{kind}` rules `{names}`, error messages are: {reasons}")]
    InvalidRules {
        /// Their kind.
        kind: RuleKind,
        /// Their names.
        names: Names,
        /// One for each.
        reasons: Names,
    },
    /// Storage units that cannot be had.
    #[error("Can not process invalid storage units, error message is: {0}")]
    InvalidUnits(Names),
    /// Algorithms that are not there.
    #[error("{kind} algorithms `{names}` do not exist in database `{database}`.")]
    MissingAlgorithms {
        /// Their kind.
        kind: AlgorithmKind,
        /// Which.
        names: Names,
        /// Where.
        database: String,
    },
    /// Rules that are not there.
    #[error("{kind} rules `{names}` do not exist in database `{database}`.")]
    MissingRules {
        /// Their kind.
        kind: RuleKind,
        /// Which.
        names: Names,
        /// Where.
        database: String,
    },
    /// A replica without a weight.
    #[error("Read database `{0}` access weight is not configured.")]
    NoWeight(String),
    /// Storage units that are not there.
    #[error("Storage units `{names}` do not exist in database `{database}`.")]
    MissingUnits {
        /// Which.
        names: Names,
        /// Where.
        database: String,
    },
    /// A single table that is not there.
    #[error("Single table '{0}' does not exist.")]
    MissingSingle(String),
    /// An algorithm whose properties are wrong.
    #[error("{} algorithm `{algorithm}` initialization failed, reason is: {reason}.", kind.title())]
    Property {
        /// Its kind.
        kind: AlgorithmKind,
        /// Its type.
        algorithm: String,
        /// Which property, and why.
        reason: String,
    },
    /// Rules that others use.
    #[error("{} rules `{names}` in database `{database}` are still in used.", kind.title())]
    RulesInUse {
        /// Their kind.
        kind: RuleKind,
        /// Which.
        names: Names,
        /// Where.
        database: String,
    },
    /// A replica that cannot be enabled or disabled.
    #[error("Unsupported SQL operation: {0}")]
    Switch(Unswitchable),
    /// A file that cannot be read.
    #[error("cannot read {}: {reason}", file.display())]
    Unreadable {
        /// Which file.
        file: PathBuf,
        /// The system's reason.
        reason: String,
    },
    /// A storage unit that something still uses.
    #[error("Resource `{unit}` is still used by `{by}`.")]
    UnitInUse {
        /// Which.
        unit: String,
        /// By what.
        by: Names,
    },
    /// No database of that name.
    #[error("Unknown database '{0}'")]
    UnknownDatabase(String),
    /// No configuration variable of that name, or one that cannot be set.
    #[error("Can not support variable `{0}`.")]
    UnknownVariable(String),
    /// A value that a configuration variable cannot have.
    #[error("Invalid value `{0}`.")]
    VariableValue(String),
    /// What is no weight of a replica.
    #[error("Invalid read database weight `{0}`.")]
    Weight(String),
}

/// Why a replica cannot be enabled or disabled (`distsql.md` §10).
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum Unswitchable {
    /// It is out of the rotation already.
    #[error("`{0}` has been disabled")]
    Disabled(String),
    /// It is in the rotation already.
    #[error("`{0}` is not disabled")]
    Enabled(String),
    /// No group would have a replica without it.
    #[error("`{unit}` is the last read storage unit in `{groups}`, cannot be disabled")]
    Last {
        /// Which.
        unit: String,
        /// Of which groups.
        groups: Names,
    },
    /// There is no such group.
    #[error("The current database does not exist the group `{0}`")]
    NoGroup(String),
    /// There is no group at all.
    #[error("The current database has no read_write splitting rules")]
    NoGroups,
    /// No group reads from it.
    #[error(
        "`{unit}` is not used as a read storage unit by any read-write separation rules,cannot be {what}"
    )]
    NotRead {
        /// Which.
        unit: String,
        /// `disabled` or `enabled`.
        what: &'static str,
    },
}

impl Names {
    /// One name.
    pub fn one(name: impl Into<String>) -> Self {
        Self(vec![name.into()])
    }
}

impl fmt::Display for Names {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}]", self.0.join(", "))
    }
}

impl RuleKind {
    /// As the list of what uses a storage unit calls it (`distsql.md` §2).
    pub const fn class_name(self) -> &'static str {
        match self {
            Self::Broadcast => "BroadcastRule",
            Self::Encrypt => "EncryptRule",
            Self::Mask => "MaskRule",
            Self::Readwrite => "ReadwriteSplittingRule",
            Self::Shadow => "ShadowRule",
            Self::DefaultStrategy | Self::Reference | Self::Sharding => "ShardingRule",
            Self::Single => "SingleTableRule",
        }
    }
}

impl RuleKind {
    /// At the start of the one sentence that begins with a capital letter.
    fn title(self) -> String {
        let name = self.to_string();
        name.get(..1).unwrap_or_default().to_ascii_uppercase() + name.get(1..).unwrap_or_default()
    }
}

impl fmt::Display for RuleKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Broadcast => "broadcast",
            Self::DefaultStrategy => "default sharding strategy",
            Self::Encrypt => "encrypt",
            Self::Mask => "mask",
            Self::Readwrite => "Readwrite splitting",
            Self::Reference => "sharding table reference",
            Self::Shadow => "shadow",
            Self::Sharding => "sharding",
            Self::Single => "single",
        })
    }
}

impl AlgorithmKind {
    /// At the start of a sentence.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Audit => "Sharding audit",
            Self::Balance => "Load balance",
            Self::Encrypt => "Encrypt",
            Self::Key => "Key generate",
            Self::Mask => "Mask",
            Self::Shadow => "Shadow",
            Self::Sharding => "Sharding",
        }
    }
}

impl fmt::Display for AlgorithmKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Audit => "auditor",
            Self::Balance => "Load balancers",
            Self::Encrypt => "encryptor",
            Self::Key => "key generator",
            Self::Mask => "mask",
            Self::Shadow => "shadow",
            Self::Sharding => "sharding",
        })
    }
}
