//! `SHOW` of what only the proxy knows: databases, tables by their logical names, sessions.

use std::collections::BTreeSet;
use std::sync::Arc;

use meta::{Database, SYSTEM_DATABASES, StorageUnit, like};
use sql::{Show, ShowWhat};

use crate::answer::Table;
use crate::error::Problem;
use crate::session::Session;

impl Session {
    /// The answer to a `SHOW` that the proxy gives itself; nothing when it is a server's to give.
    pub(crate) async fn show(&mut self, show: &Show) -> Result<Option<Table>, Problem> {
        match show.what {
            ShowWhat::Databases if !show.filtered => Ok(Some(self.show_databases(show))),
            ShowWhat::ProcessList => Ok(Some(self.show_processes(show))),
            ShowWhat::Tables => self.show_tables(show).await.map(Some),
            ShowWhat::CreateDatabase => self.show_create_database(show).map(Some),
            ShowWhat::Databases => Err(Problem::unsupported("SHOW DATABASES with WHERE (use LIKE)")),
            _ => Ok(None),
        }
    }

    fn show_databases(&self, show: &Show) -> Table {
        let snapshot = self.local.snapshot();
        let names: BTreeSet<&str> = snapshot
            .databases
            .keys()
            .map(String::as_str)
            .filter(|name| self.may_use(name))
            .chain(SYSTEM_DATABASES)
            .filter(|name| show.like.as_deref().is_none_or(|pattern| like(pattern, name)))
            .collect();
        let header = match &show.like {
            Some(pattern) => format!("Database ({pattern})"),
            None => "Database".to_owned(),
        };
        Table {
            columns: vec![header],
            rows: names.into_iter().map(|name| vec![Some(name.to_owned())]).collect(),
        }
    }

    fn show_create_database(&self, show: &Show) -> Result<Table, Problem> {
        let name = show.schema.as_deref().unwrap_or_default();
        if self.local.snapshot().database(name).is_none() {
            return Err(Problem::unknown_database(name));
        }
        let text = format!("CREATE DATABASE `{}`", name.replace('`', "``"));
        Ok(Table {
            columns: vec!["Database".to_owned(), "Create Database".to_owned()],
            rows: vec![vec![Some(name.to_owned()), Some(text)]],
        })
    }

    fn show_processes(&self, show: &Show) -> Table {
        let columns =
            ["Id", "User", "Host", "db", "Command", "Time", "State", "Info"].map(str::to_owned).to_vec();
        let rows = self
            .shared
            .registry
            .list()
            .into_iter()
            .map(|(id, entry)| {
                let own = id == self.id;
                let database = if own { self.schema.as_deref().map(str::to_owned) } else { None };
                let info = own
                    .then(|| if show.full { "SHOW FULL PROCESSLIST" } else { "SHOW PROCESSLIST" }.to_owned());
                vec![
                    Some(id.to_string()),
                    Some(entry.user.to_string()),
                    Some(entry.host.to_string()),
                    database,
                    Some(if own { "Query" } else { "Sleep" }.to_owned()),
                    Some(entry.since.elapsed().as_secs().to_string()),
                    Some(String::new()),
                    info,
                ]
            })
            .collect();
        Table { columns, rows }
    }

    async fn tables_on(&mut self, unit: &Arc<StorageUnit>) -> Result<Vec<String>, Problem> {
        let mut connection = self.lend(unit).await?;
        backend::introspect::tables(&mut connection).await.map_err(|error| Problem::backend(&error))
    }

    /// Asks every unit now, since tables come and go beside the proxy as well.
    async fn show_tables(&mut self, show: &Show) -> Result<Table, Problem> {
        if show.filtered {
            return Err(Problem::unsupported("SHOW TABLES with WHERE (use LIKE)"));
        }
        let snapshot = self.local.snapshot();
        let name = match &show.schema {
            Some(name) => name.clone(),
            None => self.schema.as_deref().map(str::to_owned).ok_or_else(Problem::no_database)?,
        };
        let Some(database) = snapshot.database(&name) else { return Err(Problem::unknown_database(&name)) };
        if !self.may_use(&name) {
            return Err(self.denied(&name));
        }
        let mut names = BTreeSet::new();
        let sources = &database.sources;
        for source in sources.visible() {
            let name = sources.name(source).unwrap_or_default();
            let primary = sources.primary(source);
            for at in sources.holders(source) {
                let Some((_, unit)) = database.units.get_index(usize::from(at)) else { continue };
                let tables = match self.tables_on(unit).await {
                    Ok(tables) => tables,
                    // Nobody in production misses a shadow.
                    Err(problem) if at != primary && problem.is_unreachable() => continue,
                    Err(problem) => return Err(problem),
                };
                let seen = tables.into_iter().filter(|table| !database.single.hides(name, table));
                names.extend(seen.map(|table| logical(database, name, table)));
            }
        }
        names.retain(|table| show.like.as_deref().is_none_or(|pattern| like(pattern, table)));
        let mut header = format!("Tables_in_{name}");
        if let Some(pattern) = &show.like {
            header.push_str(&format!(" ({pattern})"));
        }
        let mut columns = vec![header];
        if show.full {
            columns.push("Table_type".to_owned());
        }
        let rows = names
            .into_iter()
            .map(|table| {
                let kind = show.full.then(|| Some("BASE TABLE".to_owned()));
                std::iter::once(Some(table)).chain(kind).collect()
            })
            .collect();
        Ok(Table { columns, rows })
    }
}

/// The logical name of a table that is on a source.
fn logical(database: &Database, source: &str, table: String) -> String {
    let rule = database.sharding.tables.values().find(|rule| {
        rule.nodes.iter().any(|node| node.unit == source && node.table.eq_ignore_ascii_case(&table))
    });
    rule.map_or(table, |rule| rule.spec.name.clone())
}
