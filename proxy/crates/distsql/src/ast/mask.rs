//! Masking.

use super::Algorithm;

/// A statement about masking.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Statement {
    /// `ALTER MASK RULE`.
    Alter {
        /// Rules in the order written.
        rules: Vec<Rule>,
    },
    /// `COUNT MASK RULE`.
    Count {
        /// Database.
        database: Option<String>,
    },
    /// `CREATE MASK RULE`.
    Create {
        /// `IF NOT EXISTS`.
        if_not_exists: bool,
        /// Rules in the order written.
        rules: Vec<Rule>,
    },
    /// `DROP MASK RULE`.
    Drop {
        /// `IF EXISTS`.
        if_exists: bool,
        /// Tables.
        names: Vec<String>,
    },
    /// `SHOW MASK RULES`, `SHOW MASK RULE t`.
    Show {
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
            Self::Alter { .. } => "ALTER MASK RULE",
            Self::Count { .. } => "COUNT MASK RULE",
            Self::Create { .. } => "CREATE MASK RULE",
            Self::Drop { .. } => "DROP MASK RULE",
            Self::Show { table: None, .. } => "SHOW MASK RULES",
            Self::Show { table: Some(_), .. } => "SHOW MASK RULE",
        }
    }

    /// The database that it names.
    pub fn database(&self) -> Option<&str> {
        match self {
            Self::Count { database, .. } | Self::Show { database, .. } => database.as_deref(),
            _ => None,
        }
    }
}

/// The rule of a table.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Rule {
    /// Table.
    pub table: String,
    /// Columns in the order written.
    pub columns: Vec<Column>,
}

/// A column.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Column {
    /// Name.
    pub name: String,
    /// What masks it.
    pub algorithm: Algorithm,
}
