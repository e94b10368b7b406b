//! Logical names for column definitions.

use meta::ShardedTable;
use smallvec::SmallVec;

use crate::plan::{RouteUnit, Variant};
use crate::select::union;
use crate::template::Template;

/// Physical names that one unit's answers hold, and what the client is to see instead.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Renames<'a> {
    /// The physical and the logical database, when they differ.
    schema: Option<(&'a str, &'a str)>,
    /// Physical and logical tables.
    tables: SmallVec<[(&'a str, &'a str); 1]>,
    /// Columns may come out of a derived table of our own: what clients know has no table there.
    wrapped: bool,
}

impl<'a> Renames<'a> {
    pub(crate) fn new(template: &'a Template, unit: &RouteUnit) -> Self {
        let Some(database) = template.database() else { return Self::default() };
        let physical =
            database.units.get_index(usize::from(unit.unit)).map(|(_, unit)| unit.spec.database.as_str());
        let schema = physical
            .filter(|physical| *physical != database.name)
            .map(|physical| (physical, database.name.as_str()));
        let table = |rule: u16| -> Option<&'a ShardedTable> {
            database.sharding.tables.get_index(usize::from(rule)).map(|(_, table)| table)
        };
        let mut tables = SmallVec::new();
        for (rule, written) in &template.renamed {
            let nodes = table(*rule).map_or(&[][..], |table| &table.nodes);
            match unit.node {
                Some(node) => {
                    tables.extend(nodes.get(node as usize).map(|node| (node.table.as_str(), &**written)));
                }
                // A list of tables: all those that are there.
                None => {
                    let source = database.sources.name(unit.source);
                    let here = nodes.iter().filter(|node| Some(node.unit.as_str()) == source);
                    tables.extend(here.map(|node| (node.table.as_str(), &**written)));
                }
            }
        }
        Self { schema, tables, wrapped: unit.variant == Variant::Many }
    }

    /// The physical tables, and what the client calls them.
    pub fn tables(&self) -> impl Iterator<Item = (&'a str, &'a str)> + '_ {
        self.tables.iter().copied()
    }

    /// The physical and the logical database, when they differ.
    pub fn schemas(&self) -> Option<(&'a str, &'a str)> {
        self.schema
    }

    /// Whether column definitions can be handed through.
    pub fn is_empty(&self) -> bool {
        self.schema.is_none() && self.tables.is_empty()
    }

    /// What stands for this schema, if anything else.
    pub fn schema(&self, physical: &[u8]) -> Option<&'a str> {
        self.schema.filter(|(name, _)| name.as_bytes() == physical).map(|(_, logical)| logical)
    }

    /// Whether an alias is one of our own: for clients the column has no table.
    pub fn hides(&self, alias: &[u8]) -> bool {
        self.wrapped && alias == union::TABLE.as_bytes()
    }

    /// What stands for this table, if anything else.
    pub fn table(&self, physical: &[u8]) -> Option<&'a str> {
        self.tables.iter().find(|(name, _)| name.as_bytes() == physical).map(|(_, logical)| *logical)
    }
}
