//! The syntax tree: what is written, not yet checked against anything.

use indexmap::IndexMap;

/// A DistSQL statement. `database` is that of `FROM db`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Statement {
    /// `ALTER SHARDING TABLE RULE`.
    AlterSharding {
        /// Rules in the order written.
        tables: Vec<ShardingTable>,
    },
    /// `ALTER STORAGE UNIT`.
    AlterUnits {
        /// Units in the order written.
        units: Vec<Unit>,
    },
    /// `COUNT SHARDING RULE`.
    CountSharding {
        /// Database.
        database: Option<String>,
    },
    /// `CREATE SHARDING TABLE RULE`.
    CreateSharding {
        /// `IF NOT EXISTS`.
        if_not_exists: bool,
        /// Rules in the order written.
        tables: Vec<ShardingTable>,
    },
    /// `DROP SHARDING TABLE RULE`.
    DropSharding {
        /// `IF EXISTS`.
        if_exists: bool,
        /// Tables.
        names: Vec<String>,
    },
    /// `PREVIEW`: the statement that is shown and not executed.
    Preview(String),
    /// `REGISTER STORAGE UNIT`.
    RegisterUnits {
        /// `IF NOT EXISTS`.
        if_not_exists: bool,
        /// Units in the order written.
        units: Vec<Unit>,
    },
    /// `SET DIST VARIABLE`.
    SetVariable {
        /// Name, letter case as written.
        name: String,
        /// Value as a text.
        value: String,
    },
    /// `SHOW SHARDING ALGORITHMS`.
    ShowShardingAlgorithms {
        /// Database.
        database: Option<String>,
    },
    /// `SHOW SHARDING TABLE NODES`.
    ShowShardingNodes {
        /// One table only.
        table: Option<String>,
        /// Database.
        database: Option<String>,
    },
    /// `SHOW SHARDING TABLE RULES`, `SHOW SHARDING TABLE RULE t`.
    ShowShardingRules {
        /// One table only.
        table: Option<String>,
        /// Database.
        database: Option<String>,
    },
    /// `SHOW RULES USED STORAGE UNIT`.
    ShowUnitRules {
        /// Unit.
        unit: String,
        /// Database.
        database: Option<String>,
    },
    /// `SHOW STORAGE UNITS`.
    ShowUnits {
        /// Database.
        database: Option<String>,
        /// `WHERE USAGE_COUNT = n`.
        usage: Option<u64>,
        /// `LIKE 'pattern'`.
        like: Option<String>,
    },
    /// `SHOW DIST VARIABLE WHERE NAME = x`.
    ShowVariable {
        /// Name, letter case as written.
        name: String,
    },
    /// `SHOW DIST VARIABLES`.
    ShowVariables {
        /// `LIKE 'pattern'`.
        like: Option<String>,
    },
    /// `UNREGISTER STORAGE UNIT`.
    UnregisterUnits {
        /// `IF EXISTS`.
        if_exists: bool,
        /// Units.
        names: Vec<String>,
        /// `IGNORE … TABLES`.
        ignored: Ignored,
    },
}

impl Statement {
    /// Whether it only shows; what changes something is refused within a transaction.
    pub fn is_query(&self) -> bool {
        match self {
            Self::CountSharding { .. }
            | Self::Preview(_)
            | Self::ShowShardingAlgorithms { .. }
            | Self::ShowShardingNodes { .. }
            | Self::ShowShardingRules { .. }
            | Self::ShowUnitRules { .. }
            | Self::ShowUnits { .. }
            | Self::ShowVariable { .. }
            | Self::ShowVariables { .. } => true,
            Self::AlterSharding { .. }
            | Self::AlterUnits { .. }
            | Self::CreateSharding { .. }
            | Self::DropSharding { .. }
            | Self::RegisterUnits { .. }
            | Self::SetVariable { .. }
            | Self::UnregisterUnits { .. } => false,
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

/// The rule of an automatically laid out table.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ShardingTable {
    /// Logical name.
    pub name: String,
    /// Storage units or inline expressions of them.
    pub units: Vec<String>,
    /// Sharding column.
    pub column: String,
    /// Algorithm.
    pub algorithm: Algorithm,
}

/// `TYPE(NAME=…, PROPERTIES(…))`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Algorithm {
    /// Type name as written.
    pub name: String,
    /// Properties, values as texts.
    pub properties: IndexMap<String, String>,
}
