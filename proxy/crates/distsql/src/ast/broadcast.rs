//! Broadcast tables.

/// A statement about broadcast tables.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Statement {
    /// `COUNT BROADCAST RULE`.
    Count {
        /// Database.
        database: Option<String>,
    },
    /// `CREATE BROADCAST TABLE RULE`.
    Create {
        /// `IF NOT EXISTS`.
        if_not_exists: bool,
        /// Tables.
        tables: Vec<String>,
    },
    /// `DROP BROADCAST TABLE RULE`.
    Drop {
        /// `IF EXISTS`.
        if_exists: bool,
        /// Tables; nothing means every one (up to 5.2).
        tables: Option<Vec<String>>,
    },
    /// `SHOW BROADCAST TABLE RULES`.
    Show {
        /// Database.
        database: Option<String>,
    },
}

impl Statement {
    /// Its first words.
    pub fn title(&self) -> &'static str {
        match self {
            Self::Count { .. } => "COUNT BROADCAST RULE",
            Self::Create { .. } => "CREATE BROADCAST TABLE RULE",
            Self::Drop { tables: None, .. } => "DROP SHARDING BROADCAST TABLE RULES",
            Self::Drop { tables: Some(_), .. } => "DROP BROADCAST TABLE RULE",
            Self::Show { .. } => "SHOW BROADCAST TABLE RULES",
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
