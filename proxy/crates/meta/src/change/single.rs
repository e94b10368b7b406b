//! Changes of what is configured about single tables (`distsql.md` §7).

use super::merged;
use crate::error::{Error, RuleKind};
use crate::snapshot::{DataNode, Database, Snapshot};

/// Tables of `LOAD SINGLE TABLE`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Load {
    /// `*.*`.
    All,
    /// `source.*`.
    Source(String),
    /// `source.table`.
    Table(DataNode),
}

impl Snapshot {
    /// `SET DEFAULT SINGLE TABLE STORAGE UNIT`; nothing means `RANDOM`.
    pub fn set_single_default(&self, database: &str, source: Option<String>) -> Result<Self, Error> {
        if let Some(source) = &source {
            self.known(database)?.require_visible(source)?;
        }
        self.respec(database, |spec| {
            spec.single.default = source;
            Ok(())
        })
    }

    /// `LOAD SINGLE TABLE`: they are to be seen again. Whether they are there only the servers know.
    pub fn load_singles(&self, database: &str, loads: &[Load]) -> Result<Self, Error> {
        let known = self.known(database)?;
        for load in loads {
            match load {
                Load::All => {}
                Load::Source(source) => known.require_visible(source)?,
                Load::Table(node) => {
                    known.require_visible(&node.unit)?;
                    known.check_load(node)?;
                }
            }
        }
        self.amend_singles(database, |node| {
            !loads.iter().any(|load| match load {
                Load::All => true,
                Load::Source(source) => *source == node.unit,
                Load::Table(loaded) => {
                    loaded.unit == node.unit && loaded.table.eq_ignore_ascii_case(&node.table)
                }
            })
        })
    }

    /// `UNLOAD SINGLE TABLE`: tables where they were found are not to be seen any more.
    pub fn unload_singles(&self, database: &str, nodes: &[DataNode]) -> Result<Self, Error> {
        let known = self.known(database)?;
        let fresh: Vec<_> =
            nodes.iter().filter(|node| !known.single.hides(&node.unit, &node.table)).cloned().collect();
        let next = self.respec(database, |spec| {
            spec.single.unloaded.extend(fresh);
            Ok(())
        })?;
        let hidden = |name: &&String| {
            let table = known.table(name);
            table.is_some_and(|table| {
                let source = table.source.as_deref();
                nodes.iter().any(|node| {
                    Some(node.unit.as_str()) == source && node.table.eq_ignore_ascii_case(&table.name)
                })
            })
        };
        let names: Vec<_> = merged(Vec::new(), nodes.iter().map(|node| &node.table).filter(hidden).cloned());
        next.forget_tables(database, &names)
    }

    /// Keeps only some of the tables that are not to be seen.
    pub fn amend_singles(&self, database: &str, keep: impl Fn(&DataNode) -> bool) -> Result<Self, Error> {
        self.respec(database, |spec| {
            spec.single.unloaded.retain(keep);
            Ok(())
        })
    }
}

impl Database {
    /// Refuses a source that is not there, or that is behind a rule, by whose name its tables are seen.
    fn require_visible(&self, source: &String) -> Result<(), Error> {
        self.require_sources([source])?;
        match self.sources.users(source).next() {
            None => Ok(()),
            Some((kind, rule)) => Err(Error::InvalidRule {
                kind: RuleKind::Single,
                name: source.clone(),
                reason: format!("its tables are those of {kind} rule `{rule}`"),
            }),
        }
    }

    /// Refuses a table that another rule or source has.
    fn check_load(&self, node: &DataNode) -> Result<(), Error> {
        let invalid =
            |reason| Err(Error::InvalidRule { kind: RuleKind::Single, name: node.table.clone(), reason });
        if self.sharding.covers(&node.table) {
            return invalid("it belongs to a sharding rule".to_owned());
        }
        match self.table(&node.table).and_then(|table| table.source.as_ref()) {
            Some(source) if *source != node.unit => invalid(format!("it is loaded from `{source}`")),
            _ => Ok(()),
        }
    }
}
