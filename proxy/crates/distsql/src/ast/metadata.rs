//! What is known of tables.

/// A statement about what is known of tables.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Statement {
    /// `REFRESH TABLE METADATA`.
    Refresh {
        /// One table only.
        table: Option<String>,
        /// One storage unit only.
        unit: Option<String>,
    },
    /// `SHOW LOGICAL TABLES`.
    ShowLogical {
        /// `FULL`: with their types.
        full: bool,
        /// Database.
        database: Option<String>,
        /// `LIKE 'pattern'`.
        like: Option<String>,
    },
    /// `SHOW TABLE METADATA`.
    ShowTables {
        /// Tables.
        tables: Vec<String>,
        /// Database.
        database: Option<String>,
    },
}

impl Statement {
    /// Its first words.
    pub fn title(&self) -> &'static str {
        match self {
            Self::Refresh { .. } => "REFRESH TABLE METADATA",
            Self::ShowLogical { full: false, .. } => "SHOW LOGICAL TABLES",
            Self::ShowLogical { full: true, .. } => "SHOW FULL LOGICAL TABLES",
            Self::ShowTables { .. } => "SHOW TABLE METADATA",
        }
    }

    /// The database that it names.
    pub fn database(&self) -> Option<&str> {
        match self {
            Self::ShowLogical { database, .. } | Self::ShowTables { database, .. } => database.as_deref(),
            _ => None,
        }
    }
}
