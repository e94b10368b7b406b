//! Storage units.

use indexmap::IndexMap;

/// A statement about storage units.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Statement {
    /// `ALTER STORAGE UNIT`.
    Alter {
        /// Units in the order written.
        units: Vec<Unit>,
    },
    /// `REGISTER STORAGE UNIT`.
    Register {
        /// `IF NOT EXISTS`.
        if_not_exists: bool,
        /// Units in the order written.
        units: Vec<Unit>,
    },
    /// `SHOW STORAGE UNITS`.
    Show {
        /// Database.
        database: Option<String>,
        /// `WHERE USAGE_COUNT = n`.
        usage: Option<u64>,
        /// `LIKE 'pattern'`.
        like: Option<String>,
    },
    /// `SHOW STORAGE UNIT POOLS`.
    ShowPools {
        /// Database.
        database: Option<String>,
        /// `LIKE 'pattern'`.
        like: Option<String>,
    },
    /// `SHOW RULES USED STORAGE UNIT`.
    ShowRules {
        /// Unit.
        unit: String,
        /// Database.
        database: Option<String>,
    },
    /// `UNREGISTER STORAGE UNIT`.
    Unregister {
        /// `IF EXISTS`.
        if_exists: bool,
        /// Units.
        names: Vec<String>,
        /// `IGNORE … TABLES`.
        ignored: Ignored,
    },
}

impl Statement {
    /// Its first words.
    pub fn title(&self) -> &'static str {
        match self {
            Self::Alter { .. } => "ALTER STORAGE UNIT",
            Self::Register { .. } => "REGISTER STORAGE UNIT",
            Self::Show { .. } => "SHOW STORAGE UNITS",
            Self::ShowPools { .. } => "SHOW STORAGE UNIT POOLS",
            Self::ShowRules { .. } => "SHOW RULES USED STORAGE UNIT",
            Self::Unregister { .. } => "UNREGISTER STORAGE UNIT",
        }
    }

    /// The database that it names.
    pub fn database(&self) -> Option<&str> {
        match self {
            Self::Show { database, .. }
            | Self::ShowPools { database, .. }
            | Self::ShowRules { database, .. } => database.as_deref(),
            _ => None,
        }
    }
}

/// A storage unit's definition.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Unit {
    /// Name.
    pub name: String,
    /// Where it is.
    pub address: Address,
    /// Account.
    pub user: String,
    /// Its password; empty when none is written.
    pub password: String,
    /// Properties, values as texts.
    pub properties: IndexMap<String, String>,
}

/// Where a storage unit is.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Address {
    /// `HOST=…, PORT=…, DB=…`.
    Host {
        /// Host name or address.
        host: String,
        /// Port.
        port: u64,
        /// Physical database.
        database: String,
    },
    /// `URL=…`.
    Url(String),
}

/// Tables that do not keep a unit from being unregistered.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Ignored {
    /// Broadcast tables.
    pub broadcast: bool,
    /// Single tables.
    pub single: bool,
}
