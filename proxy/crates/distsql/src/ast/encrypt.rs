//! Encryption.

use super::Algorithm;

/// A statement about encryption.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Statement {
    /// `ALTER ENCRYPT RULE`.
    Alter {
        /// Rules in the order written.
        rules: Vec<Rule>,
    },
    /// `COUNT ENCRYPT RULE`.
    Count {
        /// Database.
        database: Option<String>,
    },
    /// `CREATE ENCRYPT RULE`.
    Create {
        /// `IF NOT EXISTS`.
        if_not_exists: bool,
        /// Rules in the order written.
        rules: Vec<Rule>,
    },
    /// `DROP ENCRYPT RULE`.
    Drop {
        /// `IF EXISTS`.
        if_exists: bool,
        /// Tables.
        names: Vec<String>,
    },
    /// `SHOW ENCRYPT RULES`, `SHOW ENCRYPT RULE t`.
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
            Self::Alter { .. } => "ALTER ENCRYPT RULE",
            Self::Count { .. } => "COUNT ENCRYPT RULE",
            Self::Create { .. } => "CREATE ENCRYPT RULE",
            Self::Drop { .. } => "DROP ENCRYPT RULE",
            Self::Show { table: None, .. } => "SHOW ENCRYPT RULES",
            Self::Show { table: Some(_), .. } => "SHOW ENCRYPT RULE",
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
    /// `RESOURCE=…`: the unit of the table (up to 5.3.1).
    pub unit: Option<String>,
    /// Columns in the order written.
    pub columns: Vec<Column>,
    /// `QUERY_WITH_CIPHER_COLUMN`: whether reads use the cipher column (up to 5.3).
    pub query_with_cipher: Option<bool>,
}

/// A logical column.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Column {
    /// Logical name.
    pub name: String,
    /// `DATA_TYPE`: its type.
    pub data_type: Option<String>,
    /// `PLAIN`.
    pub plain: Option<Physical>,
    /// `CIPHER`.
    pub cipher: Physical,
    /// `ASSISTED_QUERY`, `ASSISTED_QUERY_COLUMN`.
    pub assisted: Option<Physical>,
    /// `LIKE_QUERY`, `LIKE_QUERY_COLUMN`.
    pub like: Option<Physical>,
    /// What encrypts the cipher column.
    pub algorithm: Algorithm,
    /// What encrypts the assisted query column.
    pub assisted_algorithm: Option<Algorithm>,
    /// What encrypts the like query column.
    pub like_algorithm: Option<Algorithm>,
}

/// A column of the physical table.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Physical {
    /// Name.
    pub name: String,
    /// Type (up to 5.3).
    pub data_type: Option<String>,
}
