//! Sharding: tables, reference (binding) rules, default strategies, and what algorithms they use.

use super::{Algorithm, Choice};

/// A statement about sharding.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Statement {
    /// `ALTER SHARDING ALGORITHM`, `AUDITOR`, `KEY GENERATOR`.
    AlterAlgorithms {
        /// Of what kind.
        kind: Kind,
        /// Algorithms in the order written.
        algorithms: Vec<Named>,
    },
    /// `ALTER DEFAULT SHARDING … STRATEGY`.
    AlterDefault {
        /// What it chooses.
        level: Level,
        /// Strategy.
        strategy: Strategy,
    },
    /// `ALTER SHARDING TABLE REFERENCE RULE`.
    AlterReferences {
        /// Rules in the order written.
        rules: Vec<Reference>,
    },
    /// `ALTER SHARDING TABLE RULE`.
    AlterTables {
        /// Rules in the order written.
        tables: Vec<Table>,
    },
    /// `COUNT SHARDING RULE`.
    Count {
        /// Database.
        database: Option<String>,
    },
    /// `CREATE SHARDING ALGORITHM`, `AUDITOR`, `KEY GENERATOR`.
    CreateAlgorithms {
        /// Of what kind.
        kind: Kind,
        /// `IF NOT EXISTS`.
        if_not_exists: bool,
        /// Algorithms in the order written.
        algorithms: Vec<Named>,
    },
    /// `CREATE DEFAULT SHARDING … STRATEGY`.
    CreateDefault {
        /// `IF NOT EXISTS`.
        if_not_exists: bool,
        /// What it chooses.
        level: Level,
        /// Strategy.
        strategy: Strategy,
    },
    /// `CREATE SHARDING TABLE REFERENCE RULE`.
    CreateReferences {
        /// `IF NOT EXISTS`.
        if_not_exists: bool,
        /// Rules in the order written.
        rules: Vec<Reference>,
    },
    /// `CREATE SHARDING TABLE RULE`.
    CreateTables {
        /// `IF NOT EXISTS`.
        if_not_exists: bool,
        /// Rules in the order written.
        tables: Vec<Table>,
    },
    /// `DROP SHARDING ALGORITHM`, `AUDITOR`, `KEY GENERATOR`.
    DropAlgorithms {
        /// Of what kind.
        kind: Kind,
        /// `IF EXISTS`.
        if_exists: bool,
        /// Names.
        names: Vec<String>,
    },
    /// `DROP DEFAULT SHARDING … STRATEGY`.
    DropDefault {
        /// `IF EXISTS`.
        if_exists: bool,
        /// What it chooses.
        level: Level,
    },
    /// `DROP SHARDING TABLE REFERENCE RULE`.
    DropReferences {
        /// `IF EXISTS`.
        if_exists: bool,
        /// Which.
        which: References,
    },
    /// `DROP SHARDING TABLE RULE`.
    DropTables {
        /// `IF EXISTS`.
        if_exists: bool,
        /// Tables.
        names: Vec<String>,
    },
    /// `SHOW SHARDING ALGORITHMS`, `AUDITORS`, `KEY GENERATORS`.
    ShowAlgorithms {
        /// Of what kind.
        kind: Kind,
        /// `SHOW UNUSED …`: only those that no rule uses.
        unused: bool,
        /// Database.
        database: Option<String>,
    },
    /// `SHOW DEFAULT SHARDING STRATEGY`.
    ShowDefault {
        /// Database.
        database: Option<String>,
    },
    /// `SHOW SHARDING TABLE NODES`.
    ShowNodes {
        /// One table only.
        table: Option<String>,
        /// Database.
        database: Option<String>,
    },
    /// `SHOW SHARDING TABLE REFERENCE RULES`, `… RULE n`.
    ShowReferences {
        /// One rule only.
        name: Option<String>,
        /// Database.
        database: Option<String>,
    },
    /// `SHOW SHARDING TABLE RULES`, `… RULE t`.
    ShowTables {
        /// One table only.
        table: Option<String>,
        /// Database.
        database: Option<String>,
    },
    /// `SHOW SHARDING TABLE RULES USED ALGORITHM`, `AUDITOR`, `KEY GENERATOR`.
    ShowUsers {
        /// Of what kind.
        kind: Kind,
        /// Name of the algorithm.
        name: String,
        /// Database.
        database: Option<String>,
    },
}

impl Statement {
    /// Its first words.
    pub fn title(&self) -> &'static str {
        match self {
            Self::AlterAlgorithms { kind, .. } => kind.pick(
                "ALTER SHARDING ALGORITHM",
                "ALTER SHARDING AUDITOR",
                "ALTER SHARDING KEY GENERATOR",
            ),
            Self::AlterDefault { level, .. } => level
                .pick("ALTER DEFAULT SHARDING DATABASE STRATEGY", "ALTER DEFAULT SHARDING TABLE STRATEGY"),
            Self::AlterReferences { .. } => "ALTER SHARDING TABLE REFERENCE RULE",
            Self::AlterTables { .. } => "ALTER SHARDING TABLE RULE",
            Self::Count { .. } => "COUNT SHARDING RULE",
            Self::CreateAlgorithms { kind, .. } => kind.pick(
                "CREATE SHARDING ALGORITHM",
                "CREATE SHARDING AUDITOR",
                "CREATE SHARDING KEY GENERATOR",
            ),
            Self::CreateDefault { level, .. } => level
                .pick("CREATE DEFAULT SHARDING DATABASE STRATEGY", "CREATE DEFAULT SHARDING TABLE STRATEGY"),
            Self::CreateReferences { .. } => "CREATE SHARDING TABLE REFERENCE RULE",
            Self::CreateTables { .. } => "CREATE SHARDING TABLE RULE",
            Self::DropAlgorithms { kind, .. } => {
                kind.pick("DROP SHARDING ALGORITHM", "DROP SHARDING AUDITOR", "DROP SHARDING KEY GENERATOR")
            }
            Self::DropDefault { level, .. } => {
                level.pick("DROP DEFAULT SHARDING DATABASE STRATEGY", "DROP DEFAULT SHARDING TABLE STRATEGY")
            }
            Self::DropReferences { which: References::All, .. } => "DROP SHARDING BINDING TABLE RULES",
            Self::DropReferences { .. } => "DROP SHARDING TABLE REFERENCE RULE",
            Self::DropTables { .. } => "DROP SHARDING TABLE RULE",
            Self::ShowAlgorithms { kind, unused: false, .. } => kind.pick(
                "SHOW SHARDING ALGORITHMS",
                "SHOW SHARDING AUDITORS",
                "SHOW SHARDING KEY GENERATORS",
            ),
            Self::ShowAlgorithms { kind, unused: true, .. } => kind.pick(
                "SHOW UNUSED SHARDING ALGORITHMS",
                "SHOW UNUSED SHARDING AUDITORS",
                "SHOW UNUSED SHARDING KEY GENERATORS",
            ),
            Self::ShowDefault { .. } => "SHOW DEFAULT SHARDING STRATEGY",
            Self::ShowNodes { .. } => "SHOW SHARDING TABLE NODES",
            Self::ShowReferences { name: None, .. } => "SHOW SHARDING TABLE REFERENCE RULES",
            Self::ShowReferences { name: Some(_), .. } => "SHOW SHARDING TABLE REFERENCE RULE",
            Self::ShowTables { table: None, .. } => "SHOW SHARDING TABLE RULES",
            Self::ShowTables { table: Some(_), .. } => "SHOW SHARDING TABLE RULE",
            Self::ShowUsers { kind, .. } => kind.pick(
                "SHOW SHARDING TABLE RULES USED ALGORITHM",
                "SHOW SHARDING TABLE RULES USED AUDITOR",
                "SHOW SHARDING TABLE RULES USED KEY GENERATOR",
            ),
        }
    }

    /// The database that it names.
    pub fn database(&self) -> Option<&str> {
        match self {
            Self::Count { database, .. }
            | Self::ShowAlgorithms { database, .. }
            | Self::ShowDefault { database, .. }
            | Self::ShowNodes { database, .. }
            | Self::ShowReferences { database, .. }
            | Self::ShowTables { database, .. }
            | Self::ShowUsers { database, .. } => database.as_deref(),
            _ => None,
        }
    }
}

/// What an algorithm is for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Kind {
    /// Chooses shards.
    Algorithm,
    /// Refuses statements.
    Auditor,
    /// Makes keys.
    KeyGenerator,
}

impl Kind {
    const fn pick(self, algorithm: &'static str, auditor: &'static str, key: &'static str) -> &'static str {
        match self {
            Self::Algorithm => algorithm,
            Self::Auditor => auditor,
            Self::KeyGenerator => key,
        }
    }
}

/// What a strategy chooses.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Level {
    /// The storage unit.
    Database,
    /// The table in it.
    Table,
}

impl Level {
    const fn pick(self, database: &'static str, table: &'static str) -> &'static str {
        match self {
            Self::Database => database,
            Self::Table => table,
        }
    }
}

/// The rule of a table.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Table {
    /// Logical name.
    pub name: String,
    /// Where its rows are.
    pub layout: Layout,
    /// `KEY_GENERATE_STRATEGY`.
    pub key: Option<Key>,
    /// `AUDIT_STRATEGY`.
    pub audit: Option<Audit>,
}

/// Where the rows of a table are.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Layout {
    /// `STORAGE_UNITS(…)`: the proxy lays the tables out.
    Auto {
        /// Storage units or inline expressions of them.
        units: Vec<String>,
        /// Sharding column.
        column: String,
        /// Algorithm.
        algorithm: Algorithm,
    },
    /// `DATANODES(…)`.
    Nodes {
        /// Inline expressions of `unit.table`.
        nodes: Vec<String>,
        /// `DATABASE_STRATEGY`.
        database: Option<Strategy>,
        /// `TABLE_STRATEGY`.
        table: Option<Strategy>,
    },
}

/// How storage units or tables are chosen.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Strategy {
    /// `standard`, `complex`, `hint`, `none`, or what else was written.
    pub kind: String,
    /// `SHARDING_COLUMN`, `SHARDING_COLUMNS`.
    pub columns: Vec<String>,
    /// `SHARDING_ALGORITHM`.
    pub algorithm: Option<Choice>,
}

/// `KEY_GENERATE_STRATEGY(COLUMN=…, …)`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Key {
    /// Column.
    pub column: String,
    /// What makes its values.
    pub generator: Choice,
}

/// `AUDIT_STRATEGY(…, ALLOW_HINT_DISABLE=…)`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Audit {
    /// What checks statements.
    pub auditors: Auditors,
    /// Whether a hint may turn them off.
    pub allow_hint_disable: bool,
}

/// What checks statements.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Auditors {
    /// `AUDITORS=[a, b]`: created before (up to 5.2).
    Named(Vec<String>),
    /// `TYPE(…) {, TYPE(…)}`.
    Types(Vec<Algorithm>),
}

/// Tables that are sharded alike.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Reference {
    /// Name; binding rules, up to 5.2, have none.
    pub name: Option<String>,
    /// Tables.
    pub tables: Vec<String>,
}

/// Reference rules to be dropped.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum References {
    /// Every one: `DROP SHARDING BINDING TABLE RULES`.
    All,
    /// By name.
    Named(Vec<String>),
    /// By their tables: `DROP SHARDING BINDING TABLE RULES (a, b)`.
    Of(Vec<Vec<String>>),
}

/// An algorithm and its name.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Named {
    /// Name.
    pub name: String,
    /// Algorithm.
    pub algorithm: Algorithm,
}
