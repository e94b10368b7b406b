//! The facts of one moment: databases, storage units, rules, tables, users. Immutable; a change builds the next one.

use std::sync::Arc;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::properties::Properties;
use crate::rule::{
    BroadcastRule, EncryptRule, MaskRule, NamedAlgorithms, ReadwriteGroup, ShadowRule, ShardingRule,
    SingleSpec,
};
use crate::source::{SourceIndex, Sources};
use crate::unit::StorageUnit;

/// Everything that sessions read, swapped whole.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// Grows with every change; part of every plan-cache key.
    pub epoch: u64,
    /// Logical databases by name (letter case kept and significant, as on a Linux MySQL).
    pub databases: IndexMap<String, Arc<Database>>,
    /// Configuration variables (`server.yaml` props, `SET DIST VARIABLE`).
    pub properties: Properties,
    /// The next [`crate::UnitId`]; only grows.
    pub next_unit: u32,
}

/// One logical database.
#[derive(Clone, Debug, Default)]
pub struct Database {
    /// Its name.
    pub name: String,
    /// Storage units by name, in order of registration.
    pub units: IndexMap<String, Arc<StorageUnit>>,
    /// Units and the rules that choose among them, by name.
    pub sources: Sources,
    /// Readwrite-splitting groups in order of creation.
    pub readwrite: Vec<ReadwriteGroup>,
    /// Shadow rules.
    pub shadow: ShadowRule,
    /// Single tables.
    pub single: SingleSpec,
    /// Sharded tables by lower-case name.
    pub sharding: ShardingRule,
    /// Sharding algorithms, key generators and auditors that were created by themselves.
    pub algorithms: NamedAlgorithms,
    /// Tables with the same rows on every visible source.
    pub broadcast: BroadcastRule,
    /// Encrypted tables by lower-case name.
    pub encrypt: EncryptRule,
    /// Masked tables by lower-case name.
    pub mask: MaskRule,
    /// What introspection found out about tables, by lower-case *logical* name.
    pub tables: IndexMap<String, Arc<Table>>,
}

/// What is known of a table's structure.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// Logical name, letter case as on the server.
    pub name: String,
    /// The source that it is on, for a table without a rule (a *single table*).
    pub source: Option<String>,
    /// Columns in the table's order; empty while nobody has asked the server.
    pub columns: Vec<TableColumn>,
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct TableColumn {
    /// Name, letter case as on the server.
    pub name: String,
    /// `DATA_TYPE` of `information_schema.COLUMNS`, lower case (`bigint`, `varchar` …).
    pub data_type: String,
    /// Collation of character columns.
    pub collation: Option<String>,
    /// `AUTO_INCREMENT`.
    pub auto_increment: bool,
    /// `UNSIGNED`.
    pub unsigned: bool,
    /// How many characters, bytes, or digits before the point it holds, where its type says so (`varchar(20)`: 20,
    /// `decimal(10,2)`: 8).
    pub limit: Option<u32>,
}

/// One physical table: `unit.table`.
#[derive(Clone, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
pub struct DataNode {
    /// Storage unit, or the rule that stands for some.
    pub unit: String,
    /// Physical table name.
    pub table: String,
}

impl Snapshot {
    /// The database of that name.
    pub fn database(&self, name: &str) -> Option<&Arc<Database>> {
        self.databases.get(name)
    }
}

impl Database {
    /// The unit that a source is when nothing speaks for another.
    pub fn primary_unit(&self, source: &str) -> Option<&Arc<StorageUnit>> {
        let primary = self.sources.primary(self.sources.index(source)?);
        self.units.get_index(usize::from(primary)).map(|(_, unit)| unit)
    }

    /// The source of new tables without a rule, and of what is on none: the one set, else the first.
    pub fn default_source(&self) -> Option<SourceIndex> {
        let set = self.single.default.as_ref().and_then(|name| self.sources.index(name));
        set.or_else(|| self.sources.visible().next())
    }

    /// Whether there is a table of this name that was unloaded, and no other.
    pub fn is_unloaded(&self, name: &str) -> bool {
        !self.single.unloaded.is_empty() && self.single.hides_some(name) && self.table(name).is_none()
    }

    /// The table's structure, whatever the letter case of `name`.
    pub fn table(&self, name: &str) -> Option<&Arc<Table>> {
        self.tables.get(&name.to_ascii_lowercase())
    }

    /// The columns that clients see of a table; empty while nobody has asked the server.
    pub fn logical_columns(&self, name: &str) -> Vec<TableColumn> {
        match (self.table(name), self.encrypt.table(name)) {
            (Some(table), Some(rule)) => rule.logical_columns(&table.columns),
            (Some(table), None) => table.columns.clone(),
            (None, _) => Vec::new(),
        }
    }
}
