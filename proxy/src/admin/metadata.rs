//! What is known of tables (`distsql.md` §9, §10).

use distsql::metadata::Statement;
use meta::{Database, like};

use super::{Admin, Answer, Error, Servers, cell};

impl<S: Servers> Admin<S> {
    pub(super) async fn metadata(
        &self,
        current: Option<&str>,
        statement: &Statement,
    ) -> Result<Answer, Error> {
        match statement {
            Statement::Refresh { table, unit } => {
                let database = self.current(current)?;
                if let Some(unit) = unit {
                    database.require_units([unit])?;
                }
                let _turn = self.turn.lock().await;
                self.refresh(&database.name).await;
                // What is known of how tables look is old, too.
                let names: Vec<_> = match table {
                    Some(table) => vec![table.clone()],
                    None => {
                        let known = self.current(current)?;
                        let looked_at = known.tables.values().filter(|table| !table.columns.is_empty());
                        looked_at.map(|table| table.name.clone()).collect()
                    }
                };
                self.learn(&database.name, &names).await?;
                Ok(Answer::Ok)
            }
            Statement::ShowLogical { full, database, like } => {
                Ok(logical(&*self.named(database, current)?, *full, like.as_deref()))
            }
            Statement::ShowTables { tables, database } => {
                let name = self.named(database, current)?.name.clone();
                self.learn(&name, tables).await?;
                let known = self.named(database, current)?;
                Ok(structure(&known, tables))
            }
        }
    }
}

/// `SHOW LOGICAL TABLES`.
fn logical(database: &Database, full: bool, pattern: Option<&str>) -> Answer {
    let mut names: Vec<_> = database
        .sharding
        .tables
        .values()
        .map(|table| table.spec.name.as_str())
        .chain(database.tables.values().map(|table| table.name.as_str()))
        .filter(|name| pattern.is_none_or(|pattern| like(pattern, name)))
        .collect();
    names.sort_unstable();
    names.dedup_by(|one, other| one.eq_ignore_ascii_case(other));
    let mut columns = vec![format!("Tables_in_{}", database.name)];
    columns.extend(full.then(|| "Table_type".to_owned()));
    let kind = full.then(|| cell("BASE TABLE"));
    let row = |name: &str| std::iter::once(cell(name)).chain(kind.clone()).collect();
    Answer::Named { columns, rows: names.into_iter().map(row).collect() }
}

/// `SHOW TABLE METADATA`: the columns that clients see of each table that is there.
fn structure(database: &Database, tables: &[String]) -> Answer {
    let rows = tables.iter().filter_map(|name| database.table(name)).flat_map(|table| {
        let columns = database.logical_columns(&table.name);
        columns.into_iter().map(move |column| {
            vec![cell(&database.name), cell(&table.name), cell("COLUMN"), cell(column.name)]
        })
    });
    Answer::Rows { columns: vec!["schema_name", "table_name", "type", "name"], rows: rows.collect() }
}
