//! `SHOW` of what only the proxy knows: sessions, and databases while there is no server to ask.

use std::collections::BTreeSet;

use meta::{SYSTEM_DATABASES, like};
use sql::{Show, ShowWhat};

use crate::answer::Table;
use crate::error::Problem;
use crate::session::Session;

impl Session {
    /// The answer to a `SHOW` that the proxy gives itself; nothing when it is a server's to give.
    pub(crate) fn show(&self, show: &Show) -> Result<Option<Table>, Problem> {
        match show.what {
            ShowWhat::Databases => Ok(Some(self.show_databases(show))),
            ShowWhat::ProcessList => Ok(Some(self.show_processes(show))),
            ShowWhat::Tables => self.show_tables(show).map(Some),
            ShowWhat::CreateDatabase => self.show_create_database(show).map(Some),
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

    /// No database has a unit, and so a table.
    fn show_tables(&self, show: &Show) -> Result<Table, Problem> {
        let name = match &show.schema {
            Some(name) => name.clone(),
            None => self.schema.as_deref().map(str::to_owned).ok_or_else(Problem::no_database)?,
        };
        self.check_database(&name)?;
        let mut columns = vec![format!("Tables_in_{name}")];
        if show.full {
            columns.push("Table_type".to_owned());
        }
        Ok(Table { columns, rows: Vec::new() })
    }
}
