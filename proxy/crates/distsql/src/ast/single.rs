//! Single tables.

/// A statement about single tables.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Statement {
    /// `COUNT SINGLE TABLE`.
    Count {
        /// Database.
        database: Option<String>,
    },
    /// `LOAD SINGLE TABLE`.
    Load {
        /// Which tables.
        patterns: Vec<Pattern>,
    },
    /// `SET DEFAULT SINGLE TABLE STORAGE UNIT`.
    SetDefault {
        /// The unit; nothing means `RANDOM`.
        unit: Option<String>,
    },
    /// `SHOW SINGLE TABLES`, `SHOW SINGLE TABLE t`.
    Show {
        /// One table only.
        table: Option<String>,
        /// Database.
        database: Option<String>,
        /// `LIKE 'pattern'`.
        like: Option<String>,
    },
    /// `SHOW DEFAULT SINGLE TABLE STORAGE UNIT`.
    ShowDefault {
        /// Database.
        database: Option<String>,
    },
    /// `SHOW UNLOADED SINGLE TABLES`.
    ShowUnloaded {
        /// Database.
        database: Option<String>,
        /// One storage unit only.
        unit: Option<String>,
    },
    /// `UNLOAD SINGLE TABLE`.
    Unload {
        /// Tables; nothing means every one.
        tables: Option<Vec<String>>,
    },
}

impl Statement {
    /// Its first words.
    pub fn title(&self) -> &'static str {
        match self {
            Self::Count { .. } => "COUNT SINGLE TABLE",
            Self::Load { .. } => "LOAD SINGLE TABLE",
            Self::SetDefault { .. } => "SET DEFAULT SINGLE TABLE STORAGE UNIT",
            Self::Show { table: None, .. } => "SHOW SINGLE TABLES",
            Self::Show { table: Some(_), .. } => "SHOW SINGLE TABLE",
            Self::ShowDefault { .. } => "SHOW DEFAULT SINGLE TABLE STORAGE UNIT",
            Self::ShowUnloaded { .. } => "SHOW UNLOADED SINGLE TABLES",
            Self::Unload { tables: None } => "UNLOAD ALL SINGLE TABLES",
            Self::Unload { tables: Some(_) } => "UNLOAD SINGLE TABLE",
        }
    }

    /// The database that it names.
    pub fn database(&self) -> Option<&str> {
        match self {
            Self::Count { database, .. }
            | Self::Show { database, .. }
            | Self::ShowDefault { database, .. }
            | Self::ShowUnloaded { database, .. } => database.as_deref(),
            _ => None,
        }
    }
}

/// Tables of storage units: `unit.table`, `unit.*`, `*.*`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Pattern {
    /// `*.*`.
    All,
    /// `unit.table`.
    Table {
        /// Storage unit.
        unit: String,
        /// Table.
        table: String,
    },
    /// `unit.*`.
    Unit(String),
}
