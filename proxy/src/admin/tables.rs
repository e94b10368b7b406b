//! What is known of the servers' tables: which unit holds a table without a rule, and how tables look.

use std::collections::HashMap;
use std::time::Duration;

use futures_util::future::join_all;
use meta::{DataNode, Database, Snapshot, StorageUnit, Table, UnitIndex};

use super::{Admin, Error, Servers};

/// A unit that takes longer than this to list its tables keeps those that are known of it.
const PATIENCE: Duration = Duration::from_secs(5);

impl<S: Servers> Admin<S> {
    /// Asks all units of all databases for their tables; units that do not answer are logged and left as they are.
    pub(crate) async fn refresh_all(&self) {
        let names: Vec<_> = self.published.load().databases.keys().cloned().collect();
        join_all(names.iter().map(|name| self.refresh(name))).await;
    }

    /// Asks all units of a database for their tables.
    pub(crate) async fn refresh(&self, database: &str) {
        let snapshot = self.published.load();
        let Some(known) = snapshot.database(database) else { return };
        let answers = join_all(known.units.values().map(|unit| async move {
            let asked = tokio::time::timeout(PATIENCE, self.servers.tables(unit)).await;
            match asked.unwrap_or_else(|_| Err(format!("no answer within {PATIENCE:?}"))) {
                Ok(tables) => Some((unit.name.clone(), tables)),
                Err(reason) => {
                    tracing::warn!(database, unit = unit.name, reason, "cannot list tables");
                    None
                }
            }
        }));
        let found: Vec<_> = answers.await.into_iter().flatten().collect();
        if let Err(error) = self.commit(|snapshot| place(snapshot, database, found)) {
            tracing::warn!(database, %error, "cannot place tables");
        }
    }

    /// Asks the servers how tables look now: after DDL, or when planning needs their columns.
    pub(crate) async fn learn(&self, database: &str, tables: &[String]) -> Result<(), Error> {
        let snapshot = self.published.load();
        let known = snapshot.known(database)?;
        let (mut found, mut gone) = (Vec::new(), Vec::new());
        for name in tables {
            match self.look(known, name).await? {
                Some(table) => found.push(table),
                None => gone.push(name.clone()),
            }
        }
        // In this order: a table whose name changed its letter case is both gone and found.
        self.commit(|snapshot| snapshot.forget_tables(database, &gone)?.learn_tables(database, found))?;
        Ok(())
    }

    /// A table of a database, wherever it is. A unit that does not answer matters only if no other one has it.
    async fn look(&self, database: &Database, name: &str) -> Result<Option<Table>, Error> {
        let mut failures = Vec::new();
        for Place { source, unit, table: physical } in places(database, name) {
            match self.servers.table(unit, physical).await {
                Ok(Some(table)) => {
                    return Ok(Some(match database.sharding.table(name) {
                        Some(rule) => Table { name: rule.spec.name.clone(), source: None, ..table },
                        None if database.broadcast.covers(name) => Table { source: None, ..table },
                        None => Table { source: Some(source.to_owned()), ..table },
                    }));
                }
                Ok(None) => {}
                Err(reason) => failures.push(super::error::invalid_unit(&unit.name, &reason)),
            }
        }
        if failures.is_empty() { Ok(None) } else { Err(Error::invalid_units(failures)) }
    }
}

/// Where a table may be.
struct Place<'a> {
    source: &'a str,
    unit: &'a StorageUnit,
    table: &'a str,
}

/// Where a table may be, the likeliest place first: on the units that are written to in production, then on the others.
fn places<'a>(database: &'a Database, name: &'a str) -> Vec<Place<'a>> {
    let sources = &database.sources;
    let of = |(source, table), is_primary: bool| {
        let at = sources.index(source);
        let primary = at.map(|at| sources.primary(at));
        let holders = at.map(|at| sources.holders(at)).unwrap_or_default().into_iter();
        let holders = holders.filter(move |unit| (Some(*unit) == primary) == is_primary);
        let units = holders.filter_map(|unit| database.units.get_index(usize::from(unit)));
        units.map(move |(_, unit)| Place { source, unit, table })
    };
    let named = named(database, name);
    let all = [true, false].into_iter();
    all.flat_map(|is_primary| named.iter().flat_map(move |place| of(*place, is_primary))).collect()
}

/// The sources that a table may be on, with its name there: physical tables of a sharded one, one for each source; else
/// the source it was last seen on, then all.
fn named<'a>(database: &'a Database, name: &'a str) -> Vec<(&'a str, &'a str)> {
    if let Some(rule) = database.sharding.table(name) {
        let mut places: Vec<(&str, &str)> = Vec::new();
        for node in &rule.nodes {
            if !places.iter().any(|(unit, _)| *unit == node.unit) {
                places.push((&node.unit, &node.table));
            }
        }
        return places;
    }
    // A server may tell letter cases apart: the spelling it told us comes first.
    let known = database.table(name);
    let seen = known.and_then(|table| Some((table.source.as_deref()?, table.name.as_str())));
    let default = database.default_source();
    let visible = default.into_iter().chain(database.sources.visible().filter(|at| Some(*at) != default));
    let visible = visible.filter_map(|source| database.sources.name(source));
    let others = visible.map(|source| (source, name)).filter(|place| Some(*place) != seen);
    seen.into_iter().chain(others).filter(|(source, table)| !database.single.hides(source, table)).collect()
}

/// Places single tables anew: sources whose units were asked by their answers, the others by what is known. What is only
/// on a shadow comes last, since several sources may share one.
pub(super) fn place(
    snapshot: &Snapshot,
    database: &str,
    found: Vec<(String, Vec<String>)>,
) -> Result<Snapshot, meta::Error> {
    let known = snapshot.known(database)?;
    let found: HashMap<_, _> = found.into_iter().collect();
    let sources = &known.sources;
    let of_unit = |unit: UnitIndex| sources.name(unit).and_then(|name| found.get(name));
    let (mut by_source, mut beside) = (Vec::new(), Vec::new());
    for source in sources.visible() {
        let Some(name) = sources.name(source) else { continue };
        let primary = sources.primary(source);
        let tables = of_unit(primary).cloned().unwrap_or_else(|| {
            let there = known.tables.values().filter(|table| table.source.as_deref() == Some(name));
            there.map(|table| table.name.clone()).collect()
        });
        by_source.push((name.to_owned(), tables));
        let others = sources.holders(source).into_iter().filter(|unit| *unit != primary);
        beside.extend(others.filter_map(of_unit).map(|tables| (name.to_owned(), tables.clone())));
    }
    let is_first = |source: &String, table: &String| {
        by_source
            .iter()
            .any(|(name, tables): &(String, Vec<String>)| name == source && tables.contains(table))
    };
    let all: Vec<_> = by_source.iter().cloned().chain(beside).collect();
    // What was unloaded and is gone is not unloaded any more.
    let is_there = |node: &DataNode| {
        let Some(holders) = sources.index(&node.unit).map(|at| sources.holders(at)) else { return true };
        holders.into_iter().any(|unit| {
            of_unit(unit)
                .is_none_or(|tables| tables.iter().any(|table| table.eq_ignore_ascii_case(&node.table)))
        })
    };
    let (next, passed_over) = snapshot.amend_singles(database, is_there)?.place_tables(database, &all)?;
    for (table, source) in passed_over.iter().filter(|(table, source)| is_first(source, table)) {
        tracing::warn!(
            database,
            table,
            source,
            "a source named earlier has a table of this name: it is used"
        );
    }
    Ok(next)
}
