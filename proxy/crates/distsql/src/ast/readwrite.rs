//! Readwrite splitting.

use super::Algorithm;

/// A statement about readwrite splitting.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Statement {
    /// `ALTER READWRITE_SPLITTING RULE`.
    Alter {
        /// Rules in the order written.
        rules: Vec<Rule>,
    },
    /// `COUNT READWRITE_SPLITTING RULE`.
    Count {
        /// Database.
        database: Option<String>,
    },
    /// `CREATE READWRITE_SPLITTING RULE`.
    Create {
        /// `IF NOT EXISTS`.
        if_not_exists: bool,
        /// Rules in the order written.
        rules: Vec<Rule>,
    },
    /// `DROP READWRITE_SPLITTING RULE`.
    Drop {
        /// `IF EXISTS`.
        if_exists: bool,
        /// Rules.
        names: Vec<String>,
    },
    /// `SHOW READWRITE_SPLITTING RULES`, `SHOW READWRITE_SPLITTING RULE r`.
    Show {
        /// One rule only.
        name: Option<String>,
        /// Database.
        database: Option<String>,
    },
    /// `SHOW STATUS FROM READWRITE_SPLITTING RULES`, `… RULE r`.
    ShowStatus {
        /// One rule only.
        name: Option<String>,
        /// Database.
        database: Option<String>,
    },
    /// `ALTER READWRITE_SPLITTING RULE r ENABLE u`, `… DISABLE u`.
    Switch {
        /// The rule; every one that reads from the unit when none is written (up to 5.3).
        name: Option<String>,
        /// Read storage unit.
        unit: String,
        /// On or off.
        switch: Switch,
        /// Database.
        database: Option<String>,
    },
}

impl Statement {
    /// Its first words.
    pub fn title(&self) -> &'static str {
        match self {
            Self::Alter { .. } | Self::Switch { .. } => "ALTER READWRITE_SPLITTING RULE",
            Self::Count { .. } => "COUNT READWRITE_SPLITTING RULE",
            Self::Create { .. } => "CREATE READWRITE_SPLITTING RULE",
            Self::Drop { .. } => "DROP READWRITE_SPLITTING RULE",
            Self::Show { name: None, .. } => "SHOW READWRITE_SPLITTING RULES",
            Self::Show { name: Some(_), .. } => "SHOW READWRITE_SPLITTING RULE",
            Self::ShowStatus { name: None, .. } => "SHOW STATUS FROM READWRITE_SPLITTING RULES",
            Self::ShowStatus { name: Some(_), .. } => "SHOW STATUS FROM READWRITE_SPLITTING RULE",
        }
    }

    /// The database that it names.
    pub fn database(&self) -> Option<&str> {
        match self {
            Self::Count { database, .. }
            | Self::Show { database, .. }
            | Self::ShowStatus { database, .. }
            | Self::Switch { database, .. } => database.as_deref(),
            _ => None,
        }
    }
}

/// A group of a write unit and the units that follow it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Rule {
    /// Name, which is also that of the logical data source.
    pub name: String,
    /// `WRITE_STORAGE_UNIT`.
    pub write: String,
    /// `READ_STORAGE_UNITS`.
    pub read: Vec<String>,
    /// `TRANSACTIONAL_READ_QUERY_STRATEGY`, letter case as written.
    pub transactional: Option<String>,
    /// Load balancer.
    pub balancer: Option<Algorithm>,
}

/// Whether a unit is read from.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Switch {
    /// `DISABLE`.
    Off,
    /// `ENABLE`.
    On,
}
