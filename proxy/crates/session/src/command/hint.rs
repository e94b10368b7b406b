//! Hints of the session: where it reads (`distsql.md` §10, up to 5.3.1).

use std::rc::Rc;

use distsql::hint::Statement;
use meta::{Level, Property};
use plan::HintValue;

use crate::answer::Table;
use crate::error::Problem;
use crate::reply::Format;
use crate::session::Session;

/// A session keeps no more hints than this: each costs memory for as long as the client likes.
const MOST_HINTS: usize = 1024;

impl Session {
    pub(crate) fn hint(&mut self, statement: &Statement) -> Result<(), Problem> {
        if self.local.snapshot().properties.text(Property::HintEnabled) != "true" {
            return Err(Problem::unsupported("proxy-hint-enabled should be true, please check your config"));
        }
        match statement {
            Statement::Clear => {
                self.state.write_only = false;
                self.state.hints = Rc::default();
            }
            Statement::ClearReadwrite => self.state.write_only = false,
            Statement::SetReadwrite { source } => {
                self.state.write_only = match source.to_ascii_lowercase().as_str() {
                    "auto" => false,
                    "write" => true,
                    _ => {
                        return Err(Problem::unsupported(format_args!(
                            "unsupported hint source type: {source}"
                        )));
                    }
                };
            }
            Statement::ShowReadwrite => {
                let source = if self.state.write_only { "write" } else { "auto" };
                let table =
                    Table { columns: vec!["source".to_owned()], rows: vec![vec![Some(source.to_owned())]] };
                self.put_table(&table, Format::Text);
                return Ok(());
            }
            Statement::AddSharding { level, table, value } => {
                let level = match level {
                    distsql::sharding::Level::Database => Level::Database,
                    distsql::sharding::Level::Table => Level::Table,
                };
                if self.state.hints.len() >= MOST_HINTS {
                    return Err(Problem::unsupported(format_args!(
                        "more than {MOST_HINTS} sharding hints (CLEAR SHARDING HINT forgets them)"
                    )));
                }
                self.add_hint(HintValue { level, table: Some(table.clone()), value: value.clone() });
            }
            Statement::ClearSharding => self.state.hints = Rc::default(),
            // One value for all tables, and no other.
            Statement::SetSharding { value } => {
                self.state.hints = Rc::default();
                self.add_hint(HintValue { level: Level::Database, table: None, value: value.clone() });
            }
            Statement::ShowSharding => {
                let table = self.sharding_hints();
                self.put_table(&table, Format::Text);
                return Ok(());
            }
        }
        self.ok()
    }

    fn add_hint(&mut self, hint: HintValue) {
        Rc::make_mut(&mut self.state.hints).push(hint);
    }

    /// `SHOW SHARDING HINT STATUS`: a row for each table.
    fn sharding_hints(&self) -> Table {
        let hints = &self.state.hints;
        let mut tables: Vec<&str> = Vec::new();
        for hint in hints.iter() {
            let table = hint.table.as_deref().unwrap_or_default();
            if !tables.iter().any(|known| known.eq_ignore_ascii_case(table)) {
                tables.push(table);
            }
        }
        let values = |table: &str, level: Level| {
            let of = |hint: &&HintValue| {
                hint.level == level && hint.table.as_deref().unwrap_or_default().eq_ignore_ascii_case(table)
            };
            hints.iter().filter(of).map(|hint| hint.value.as_str()).collect::<Vec<_>>().join(",")
        };
        let row = |table: &&str| {
            let kind = if table.is_empty() { "databases_only" } else { "databases_tables" };
            let cells = [
                (*table).to_owned(),
                values(table, Level::Database),
                values(table, Level::Table),
                kind.to_owned(),
            ];
            cells.into_iter().map(Some).collect()
        };
        let columns = ["table_name", "database_sharding_values", "table_sharding_values", "sharding_type"];
        Table {
            columns: columns.iter().map(|column| (*column).to_owned()).collect(),
            rows: tables.iter().map(row).collect(),
        }
    }
}
