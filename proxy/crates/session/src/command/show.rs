//! `SHOW` of what only the proxy knows: sessions, and databases while there is no server to ask.

use std::collections::BTreeSet;

use meta::{SYSTEM_DATABASES, like};
use plan::INFORMATION_SCHEMA;
use sql::{Show, ShowWhat};
use wire::column::{BINARY_CHARSET, Column, ColumnFlags, ColumnType};

use crate::answer::Table;
use crate::error::Problem;
use crate::registry::Process;
use crate::reply::Format;
use crate::session::Session;

/// So many characters of a statement are shown unless all are asked for.
const SHOWN: usize = 100;
/// The length that MySQL tells of whole statements.
const FULL: u32 = u32::MAX;

impl Session {
    /// The answer to a `SHOW` that the proxy gives itself; nothing when it is a server's to give.
    pub(crate) fn show(&self, show: &Show) -> Result<Option<Table>, Problem> {
        match show.what {
            ShowWhat::Databases => Ok(Some(self.show_databases(show))),
            ShowWhat::Tables => self.show_tables(show).map(Some),
            ShowWhat::CreateDatabase => self.show_create_database(show).map(Some),
            _ => Ok(None),
        }
    }

    fn show_databases(&self, show: &Show) -> Table {
        let (snapshot, administrator) = (self.local.snapshot(), self.is_administrator());
        let names: BTreeSet<&str> = snapshot
            .databases
            .keys()
            .map(String::as_str)
            .filter(|name| self.may_use(name))
            .chain(SYSTEM_DATABASES.into_iter().filter(|name| *name == INFORMATION_SCHEMA || administrator))
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
        self.check_database(name)?;
        let text = format!("CREATE DATABASE `{}`", name.replace('`', "``"));
        Ok(Table {
            columns: vec!["Database".to_owned(), "Create Database".to_owned()],
            rows: vec![vec![Some(name.to_owned()), Some(text)]],
        })
    }

    /// `SHOW [FULL] PROCESSLIST`: the sessions of the proxy. Without FULL, of a statement only its beginning.
    pub(crate) async fn show_processes(&mut self, full: bool, format: Format) -> Result<(), Problem> {
        let list = self.shared.registry.list(&self.by()).await;
        let rows: Vec<Vec<Option<String>>> = list.into_iter().map(|process| row(process, full)).collect();
        self.put_rows(&process_columns(full), &rows, format);
        Ok(())
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

/// A line of the process list as `SHOW PROCESSLIST` has it.
fn row(process: Process, full: bool) -> Vec<Option<String>> {
    let Process { id, user, host, database, command, time, state, info } = process;
    let info = info.map(|text| if full { text } else { text.chars().take(SHOWN).collect() });
    vec![
        Some(id.to_string()),
        Some(user),
        Some(host),
        database,
        Some(command.to_owned()),
        Some(time.to_string()),
        Some(state),
        info,
    ]
}

/// The columns of `SHOW [FULL] PROCESSLIST`, as MySQL 9 tells them.
pub(crate) fn process_columns(full: bool) -> Vec<Column> {
    let number = |name: &'static str, kind, length| Column {
        length,
        charset: BINARY_CHARSET,
        flags: ColumnFlags::NOT_NULL | ColumnFlags::BINARY,
        decimals: 0,
        ..Column::new(name, kind)
    };
    let text = |name: &'static str, length, flags| Column {
        length,
        charset: 255,
        flags,
        decimals: 31,
        ..Column::new(name, ColumnType::VAR_STRING)
    };
    let (always, maybe) = (ColumnFlags::NOT_NULL, ColumnFlags::empty());
    vec![
        number("Id", ColumnType::LONGLONG, 22),
        text("User", 128, always),
        text("Host", 1020, always),
        text("db", 256, maybe),
        text("Command", 64, always),
        number("Time", ColumnType::LONG, 8),
        text("State", 120, maybe),
        if full {
            Column { kind: ColumnType::LONG_BLOB, ..text("Info", FULL, maybe) }
        } else {
            text("Info", 4 * SHOWN as u32, maybe)
        },
    ]
}
