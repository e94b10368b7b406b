//! Single tables: where new ones go, and which are to be seen (`distsql.md` §7, §9).

use std::collections::HashMap;

use distsql::single::{Pattern, Statement};
use futures_util::future::join_all;
use meta::{DataNode, Database, Load, like};

use super::error::invalid_unit;
use super::{Admin, Answer, Error, Servers, cell, counted, tables};

/// Names of tables by their units.
type Found = HashMap<String, Vec<String>>;

impl<S: Servers> Admin<S> {
    pub(super) async fn single(&self, current: Option<&str>, statement: &Statement) -> Result<Answer, Error> {
        match statement {
            Statement::SetDefault { unit } => {
                self.change(current, |snapshot, database| {
                    snapshot.set_single_default(&database.name, unit.clone())
                })
                .await
            }
            Statement::Load { patterns } => self.load(current, patterns).await,
            Statement::Unload { tables } => self.unload(current, tables.as_deref()).await,
            Statement::Count { database } => {
                let database = self.asked(database, current).await?;
                Ok(counted(&database, &[("single_table", singles(&database).count())]))
            }
            Statement::Show { table, database, like: pattern } => {
                let database = self.asked(database, current).await?;
                let is_shown = |name: &str| {
                    table.as_ref().is_none_or(|table| table.eq_ignore_ascii_case(name))
                        && pattern.as_ref().is_none_or(|pattern| like(pattern, name))
                };
                Ok(answer(singles(&database).filter(|(name, _)| is_shown(name)).collect()))
            }
            Statement::ShowDefault { database } => {
                let database = self.named(database, current)?;
                let default = database.single.default.as_deref().unwrap_or("RANDOM");
                Ok(Answer::Rows { columns: vec!["storage_unit_name"], rows: vec![vec![cell(default)]] })
            }
            Statement::ShowUnloaded { database, unit } => {
                let database = self.asked(database, current).await?;
                if let Some(unit) = unit {
                    database.require_sources([unit])?;
                }
                let nodes = database.single.unloaded.iter();
                let shown = nodes.filter(|node| unit.as_ref().is_none_or(|unit| node.unit == *unit));
                Ok(answer(shown.map(|node| (node.table.as_str(), node.unit.as_str())).collect()))
            }
        }
    }

    /// A database with its tables as they are now: they come and go beside the proxy as well.
    async fn asked(
        &self,
        database: &Option<String>,
        current: Option<&str>,
    ) -> Result<std::sync::Arc<Database>, Error> {
        let name = self.named(database, current)?.name.clone();
        self.refresh(&name).await;
        self.named(&Some(name), None)
    }

    /// `LOAD SINGLE TABLE`: tables that are named must be there.
    async fn load(&self, current: Option<&str>, patterns: &[Pattern]) -> Result<Answer, Error> {
        let _turn = self.turn.lock().await;
        let database = self.current(current)?;
        let name = database.name.as_str();
        let loads: Vec<_> = patterns.iter().map(load).collect();
        // What can be refused without asking servers is refused first.
        self.published.load().load_singles(name, &loads)?;
        let found = self.list(&database).await?;
        for node in
            loads.iter().filter_map(|load| if let Load::Table(node) = load { Some(node) } else { None })
        {
            if !nodes(&database, &found, &node.table).iter().any(|known| known.unit == node.unit) {
                return Err(meta::Error::MissingSingle(node.table.clone()).into());
            }
        }
        self.commit(|snapshot| {
            let next = snapshot.load_singles(name, &loads)?;
            tables::place(&next, name, found.into_iter().collect())
        })?;
        Ok(Answer::Ok)
    }

    /// `UNLOAD SINGLE TABLE`: wherever tables of these names are, they are not to be seen.
    async fn unload(&self, current: Option<&str>, names: Option<&[String]>) -> Result<Answer, Error> {
        let _turn = self.turn.lock().await;
        let database = self.current(current)?;
        let found = self.list(&database).await?;
        let is_single = |name: &String| {
            database.table(name).is_some_and(|table| table.source.is_some())
                || !nodes(&database, &found, name).is_empty()
        };
        let names: Vec<_> = match names {
            Some(names) => names.to_vec(),
            None => singles(&database).map(|(name, _)| name.to_owned()).collect(),
        };
        if let Some(missing) = names.iter().find(|name| !is_single(name)) {
            return Err(meta::Error::MissingSingle(missing.clone()).into());
        }
        let hidden: Vec<_> = names.iter().flat_map(|name| nodes(&database, &found, name)).collect();
        self.commit(|snapshot| snapshot.unload_singles(&database.name, &hidden))?;
        Ok(Answer::Ok)
    }

    /// The tables of all units; each must answer.
    async fn list(&self, database: &Database) -> Result<Found, Error> {
        let units: Vec<_> = database.units.values().collect();
        let answers = join_all(units.iter().map(|unit| self.servers.tables(unit))).await;
        let (mut found, mut failures) = (Found::new(), Vec::new());
        for (unit, answer) in units.iter().zip(answers) {
            match answer {
                Ok(tables) => {
                    found.insert(unit.name.clone(), tables);
                }
                Err(reason) => failures.push(invalid_unit(&unit.name, &reason)),
            }
        }
        if failures.is_empty() { Ok(found) } else { Err(Error::invalid_units(failures)) }
    }
}

fn load(pattern: &Pattern) -> Load {
    match pattern {
        Pattern::All => Load::All,
        Pattern::Table { unit, table } => Load::Table(DataNode { unit: unit.clone(), table: table.clone() }),
        Pattern::Unit(unit) => Load::Source(unit.clone()),
    }
}

/// The sources on which there is a table of this name, with its spelling there.
fn nodes(database: &Database, found: &Found, name: &str) -> Vec<DataNode> {
    let sources = &database.sources;
    let on = |source| {
        let holders = sources.holders(source);
        let mut tables = holders.iter().filter_map(|unit| found.get(sources.name(*unit)?)).flatten();
        let table = tables.find(|table| table.eq_ignore_ascii_case(name))?;
        Some(DataNode { unit: sources.name(source)?.to_owned(), table: table.clone() })
    };
    if database.sharding.covers(name) { Vec::new() } else { sources.visible().filter_map(on).collect() }
}

/// Single tables with their sources, by name.
fn singles(database: &Database) -> impl Iterator<Item = (&str, &str)> {
    let mut all: Vec<_> = database
        .tables
        .values()
        .filter_map(|table| Some((table.name.as_str(), table.source.as_deref()?)))
        .collect();
    all.sort_unstable();
    all.into_iter()
}

fn answer(tables: Vec<(&str, &str)>) -> Answer {
    Answer::Rows {
        columns: vec!["table_name", "storage_unit_name"],
        rows: tables.into_iter().map(|(table, source)| vec![cell(table), cell(source)]).collect(),
    }
}
