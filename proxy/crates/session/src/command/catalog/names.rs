//! What the names on a storage unit are to clients.

use std::collections::HashMap;
use std::sync::Arc;

use meta::{Database, EncryptPart, ShardedTable, StorageUnit};

/// A storage unit of a database as something that tables are on.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) unit: Arc<StorageUnit>,
    /// The name under which rules know it.
    pub(super) source: String,
    /// Beside production: nobody misses it when it does not answer.
    pub(super) shadow: bool,
}

/// The names of one database.
pub(super) struct Names<'a> {
    pub(super) database: &'a Arc<Database>,
    /// By source and physical table in lower case: the number of the table's rule, and of the node in it.
    nodes: HashMap<(&'a str, String), (usize, usize)>,
}

/// What a physical table is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Physical<'a> {
    /// Nothing that clients are to see.
    Hidden,
    /// A node of a sharded table, with its number.
    Node(&'a ShardedTable, usize),
    /// What it is called.
    Whole,
}

impl<'a> Names<'a> {
    pub(super) fn new(database: &'a Arc<Database>) -> Self {
        let mut nodes = HashMap::new();
        for (rule, table) in database.sharding.tables.values().enumerate() {
            for (number, node) in table.nodes.iter().enumerate() {
                nodes.entry((node.unit.as_str(), node.table.to_ascii_lowercase())).or_insert((rule, number));
            }
        }
        Self { database, nodes }
    }

    /// Where the database's tables are; what is written to in production first.
    pub(super) fn places(&self) -> Vec<Place> {
        let sources = &self.database.sources;
        let mut places = Vec::new();
        for source in sources.visible() {
            let primary = sources.primary(source);
            for at in sources.holders(source) {
                let Some((_, unit)) = self.database.units.get_index(usize::from(at)) else { continue };
                let source = sources.name(source).unwrap_or_default().to_owned();
                places.push(Place { unit: Arc::clone(unit), source, shadow: at != primary });
            }
        }
        places.sort_by_key(|place| place.shadow);
        places
    }

    /// What a table of a source is.
    pub(super) fn physical(&self, source: &str, table: &str) -> Physical<'a> {
        let lower = table.to_ascii_lowercase();
        let tables = &self.database.sharding.tables;
        if let Some((rule, number)) = self.nodes.get(&(source, lower.clone())) {
            return tables
                .get_index(*rule)
                .map_or(Physical::Whole, |(_, rule)| Physical::Node(rule, *number));
        }
        // Statements about it mean the sharded one.
        if tables.contains_key(&lower) || self.database.single.hides(source, table) {
            return Physical::Hidden;
        }
        Physical::Whole
    }

    /// The name that clients know a table by.
    pub(super) fn table(&self, source: &str, table: &str) -> String {
        match self.physical(source, table) {
            Physical::Node(rule, _) => rule.spec.name.clone(),
            Physical::Hidden | Physical::Whole => table.to_owned(),
        }
    }

    /// The physical tables that a logical one is on a source; `all`, or those whose rows stand for the whole table.
    pub(super) fn tables(&self, source: &str, logical: &str, all: bool) -> Vec<String> {
        let Some(rule) = self.database.sharding.tables.get(&logical.to_ascii_lowercase()) else {
            return vec![logical.to_owned()];
        };
        let nodes = rule.nodes.iter().take(if all { usize::MAX } else { 1 });
        nodes.filter(|node| node.unit == source).map(|node| node.table.clone()).collect()
    }

    /// The tables of a source for which others stand.
    pub(super) fn represented(&self, source: &str) -> Vec<&'a str> {
        let rules = self.database.sharding.tables.values();
        let others = rules.flat_map(|rule| rule.nodes.iter().skip(1));
        others.filter(|node| node.unit == source).map(|node| node.table.as_str()).collect()
    }

    /// A column as clients know it; nothing when they do not know it.
    pub(super) fn column(&self, table: &str, column: &str) -> Option<String> {
        let encrypted = self.database.encrypt.table(table);
        match encrypted.and_then(|table| table.physical(column)) {
            Some((known, EncryptPart::Cipher)) => Some(known.name.clone()),
            Some(_) => None,
            None if encrypted.is_some_and(|table| table.column(column).is_some()) => None,
            None => Some(column.to_owned()),
        }
    }

    /// A column of a key: what stands for an encrypted one is called by its name.
    pub(super) fn key_column(&self, table: &str, column: &str) -> String {
        let known = self.database.encrypt.table(table).and_then(|table| table.physical(column));
        known.map_or_else(|| column.to_owned(), |(known, _)| known.name.clone())
    }
}
