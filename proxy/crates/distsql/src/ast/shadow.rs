//! Shadow databases.

use super::{Algorithm, Choice};

/// A statement about shadow databases.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Statement {
    /// `ALTER SHADOW RULE`.
    Alter {
        /// Rules in the order written.
        rules: Vec<Rule>,
    },
    /// `ALTER DEFAULT SHADOW ALGORITHM`.
    AlterDefault {
        /// Algorithm.
        algorithm: Choice,
    },
    /// `COUNT SHADOW RULE`.
    Count {
        /// Database.
        database: Option<String>,
    },
    /// `CREATE SHADOW RULE`.
    Create {
        /// `IF NOT EXISTS`.
        if_not_exists: bool,
        /// Rules in the order written.
        rules: Vec<Rule>,
    },
    /// `CREATE DEFAULT SHADOW ALGORITHM`.
    CreateDefault {
        /// `IF NOT EXISTS`.
        if_not_exists: bool,
        /// Algorithm.
        algorithm: Choice,
    },
    /// `DROP SHADOW RULE`.
    Drop {
        /// `IF EXISTS`.
        if_exists: bool,
        /// Rules.
        names: Vec<String>,
    },
    /// `DROP SHADOW ALGORITHM`.
    DropAlgorithms {
        /// `IF EXISTS`.
        if_exists: bool,
        /// Algorithms.
        names: Vec<String>,
    },
    /// `DROP DEFAULT SHADOW ALGORITHM`.
    DropDefault {
        /// `IF EXISTS`.
        if_exists: bool,
    },
    /// `SHOW SHADOW RULES`, `SHOW SHADOW RULE r`.
    Show {
        /// One rule only.
        name: Option<String>,
        /// Database.
        database: Option<String>,
    },
    /// `SHOW SHADOW ALGORITHMS`.
    ShowAlgorithms {
        /// Database.
        database: Option<String>,
    },
    /// `SHOW DEFAULT SHADOW ALGORITHM`.
    ShowDefault {
        /// Database.
        database: Option<String>,
    },
    /// `SHOW SHADOW TABLE RULES`, `SHOW SHADOW TABLE RULE t`.
    ShowTables {
        /// One table only.
        table: Option<String>,
        /// Database.
        database: Option<String>,
    },
}

impl Statement {
    /// Its first words.
    pub fn title(&self) -> &'static str {
        match self {
            Self::Alter { .. } => "ALTER SHADOW RULE",
            Self::AlterDefault { .. } => "ALTER DEFAULT SHADOW ALGORITHM",
            Self::Count { .. } => "COUNT SHADOW RULE",
            Self::Create { .. } => "CREATE SHADOW RULE",
            Self::CreateDefault { .. } => "CREATE DEFAULT SHADOW ALGORITHM",
            Self::Drop { .. } => "DROP SHADOW RULE",
            Self::DropAlgorithms { .. } => "DROP SHADOW ALGORITHM",
            Self::DropDefault { .. } => "DROP DEFAULT SHADOW ALGORITHM",
            Self::Show { name: None, .. } => "SHOW SHADOW RULES",
            Self::Show { name: Some(_), .. } => "SHOW SHADOW RULE",
            Self::ShowAlgorithms { .. } => "SHOW SHADOW ALGORITHMS",
            Self::ShowDefault { .. } => "SHOW DEFAULT SHADOW ALGORITHM",
            Self::ShowTables { table: None, .. } => "SHOW SHADOW TABLE RULES",
            Self::ShowTables { table: Some(_), .. } => "SHOW SHADOW TABLE RULE",
        }
    }

    /// The database that it names.
    pub fn database(&self) -> Option<&str> {
        match self {
            Self::Count { database, .. }
            | Self::Show { database, .. }
            | Self::ShowAlgorithms { database, .. }
            | Self::ShowDefault { database, .. }
            | Self::ShowTables { database, .. } => database.as_deref(),
            _ => None,
        }
    }
}

/// A production unit and its shadow.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Rule {
    /// Name, which is also that of the logical data source.
    pub name: String,
    /// `SOURCE`.
    pub source: String,
    /// `SHADOW`.
    pub shadow: String,
    /// Tables in the order written.
    pub tables: Vec<Table>,
}

/// A table, and what sends its statements to the shadow.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Table {
    /// Name.
    pub name: String,
    /// Algorithms in the order written.
    pub algorithms: Vec<Named>,
}

/// An algorithm, with a name where one is written (up to 5.2).
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Named {
    /// Name.
    pub name: Option<String>,
    /// Algorithm.
    pub algorithm: Algorithm,
}
