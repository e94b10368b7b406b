//! `SHOW DATABASES`, `SHOW TABLES` and `SHOW CREATE DATABASE`: what `information_schema` tells, in the form of MySQL's own
//! answers.

use std::sync::Arc;

use bytes::Bytes;
use meta::StorageUnit;
use plan::{Arguments, CatalogTable, system_schema};
use sql::lexer::{Token, tokens};
use sql::{Show, ShowWhat};
use wire::column::Column;

use super::names::Names;
use super::text::{self, Reading};
use super::{Answered, Wanted};
use crate::error::Problem;
use crate::session::Session;

/// What stands behind what is shown.
enum Filter {
    Like(String),
    /// Byte for byte.
    Where(Vec<u8>),
}

impl Session {
    /// The answer to such a statement, with the session's own settings.
    pub(crate) async fn show_names(
        &mut self,
        show: &Show,
        raw: &[u8],
        params: Option<&dyn Arguments>,
    ) -> Result<Answered, Problem> {
        let asked = self.reading(raw.to_vec())?;
        let charset = self.charset();
        let valued = self.reading(text::valued(&asked, params, &charset))?;
        let own =
            text::own_calls(&valued, self.state.mode, self.own(Some(self.executor.figures().insert_id)));
        let fixed = self.reading(own.unwrap_or_else(|| valued.raw.clone()))?;
        let filter = self.filter(show, &fixed);
        match show.what {
            ShowWhat::CreateDatabase => self.create_database(show, &fixed).await,
            ShowWhat::Databases => self.databases(filter).await,
            _ => self.tables(show, &fixed, filter).await,
        }
    }

    fn filter(&self, show: &Show, fixed: &Reading) -> Option<Filter> {
        if let Some(pattern) = &show.like {
            return Some(Filter::Like(pattern.clone()));
        }
        let tokens = tokens(&fixed.text, self.state.mode).ok()?;
        let place = tokens.iter().find(|token| token.is(&fixed.text, "WHERE"))?;
        let end = fixed.statement.end.offset(&fixed.slots);
        Some(Filter::Where(fixed.raw.get(place.start as usize..end).unwrap_or_default().to_vec()))
    }

    async fn databases(&mut self, filter: Option<Filter>) -> Result<Answered, Problem> {
        let unit = self.server().ok_or_else(Problem::no_database)?;
        let known = CatalogTable::named("SCHEMATA").ok_or_else(Problem::no_database)?;
        let columns = vec!["SCHEMA_NAME".to_owned()];
        let rows = self.rows_of(known, &Wanted::default(), Some(&columns), &unit).await?;
        let header = header("Database", filter.as_ref());
        let named = [("SCHEMA_NAME", header)];
        self.listed(&unit, "SHOW DATABASES", &rows, &named, filter).await
    }

    async fn tables(
        &mut self,
        show: &Show,
        fixed: &Reading,
        filter: Option<Filter>,
    ) -> Result<Answered, Problem> {
        let name = match &show.schema {
            Some(name) => name.clone(),
            None => self.schema.as_deref().map(str::to_owned).ok_or_else(Problem::no_database)?,
        };
        if let Some(system) = system_schema(&name) {
            return self.tables_of_system(show, system, fixed).await;
        }
        let snapshot = self.local.snapshot();
        let Some(database) = snapshot.database(&name) else { return Err(Problem::unknown_database(&name)) };
        if !self.may_use(&name) {
            return Err(self.denied(&name));
        }
        let first = Names::new(database).places().into_iter().next();
        let unit = first.map(|place| place.unit).or_else(|| self.server());
        let unit = unit.ok_or_else(|| Problem::plan(&plan::Error::NoUnit(name.clone()), ""))?;
        let known = CatalogTable::named("TABLES").ok_or_else(Problem::no_database)?;
        let wanted = Wanted { schemas: Some(vec![name.to_ascii_lowercase()]), ..Wanted::default() };
        let columns = ["TABLE_SCHEMA", "TABLE_NAME", "TABLE_TYPE"].map(str::to_owned).to_vec();
        let rows = self.rows_of(known, &wanted, Some(&columns), &unit).await?;
        // Another one may differ from it in letter case only.
        let rows = format!("SELECT * FROM ({rows}) AS it WHERE TABLE_SCHEMA={}", text::literal(&name));
        let header = header(&format!("Tables_in_{name}"), filter.as_ref());
        let mut named = vec![("TABLE_NAME", header)];
        let full = if show.full { "FULL " } else { "" };
        if show.full {
            named.push(("TABLE_TYPE", "Table_type".to_owned()));
        }
        let model = format!("SHOW {full}TABLES FROM {} LIKE ''", text::name(&unit.spec.database));
        self.listed(&unit, &model, &rows, &named, filter).await
    }

    /// A server's own tables are what it says.
    async fn tables_of_system(
        &mut self,
        show: &Show,
        system: &str,
        fixed: &Reading,
    ) -> Result<Answered, Problem> {
        let mut raw = fixed.raw.clone();
        if show.schema.is_none() {
            let tokens = tokens(&fixed.text, self.state.mode).unwrap_or_default();
            let tables = tokens.iter().find(|token: &&Token| token.is(&fixed.text, "TABLES"));
            let end = tables.map_or(raw.len(), |token| token.end as usize);
            raw.splice(end..end, format!(" FROM {}", text::name(system)).into_bytes());
        }
        let unit = self.server().ok_or_else(Problem::no_database)?;
        let mut connection = self.speaking(&unit).await?;
        let answer = connection.query(&raw).await.map_err(|error| Problem::backend(&error))?;
        Ok(Answered { columns: answer.columns, rows: answer.rows })
    }

    /// Some columns of rows under names of their own, as far as they pass the filter, in their order. `model` is a `SHOW`
    /// whose answer has the same definitions but for the names.
    async fn listed(
        &mut self,
        unit: &Arc<StorageUnit>,
        model: &str,
        rows: &str,
        named: &[(&str, String)],
        filter: Option<Filter>,
    ) -> Result<Answered, Problem> {
        let items: Vec<String> =
            named.iter().map(|(column, name)| format!("{column} AS {}", text::name(name))).collect();
        let first = named.first().map(|(_, name)| text::name(name)).unwrap_or_default();
        let mut text =
            format!("SELECT * FROM (SELECT {} FROM ({rows}) AS it) AS it", items.join(",")).into_bytes();
        match filter {
            Some(Filter::Like(pattern)) => {
                text.extend_from_slice(format!(" WHERE {first} LIKE {}", text::literal(&pattern)).as_bytes());
            }
            Some(Filter::Where(condition)) => {
                text.push(b' ');
                text.extend_from_slice(&condition);
            }
            None => {}
        }
        text.extend_from_slice(format!(" ORDER BY {first}").as_bytes());
        let mut connection = self.speaking(unit).await?;
        let mut columns = connection.query(model).await.map_err(|error| Problem::backend(&error))?.columns;
        let answer = connection.query(&text).await.map_err(|error| Problem::backend(&error))?;
        for (column, (_, name)) in columns.iter_mut().zip(named) {
            rename(column, name);
        }
        Ok(Answered { columns, rows: answer.rows })
    }

    async fn create_database(&mut self, show: &Show, fixed: &Reading) -> Result<Answered, Problem> {
        let name = show.schema.as_deref().unwrap_or_default();
        let snapshot = self.local.snapshot();
        let database = snapshot.database(name);
        if database.is_none() && system_schema(name).is_none() {
            return Err(Problem::unknown_database(name));
        }
        if database.is_some() && !self.may_use(name) {
            return Err(self.denied(name));
        }
        let first = database.and_then(|database| Names::new(database).places().into_iter().next());
        let unit =
            first.map(|place| place.unit).or_else(|| self.server()).ok_or_else(Problem::no_database)?;
        let guarded = tokens(&fixed.text, self.state.mode)
            .is_ok_and(|tokens| tokens.iter().any(|token| token.is(&fixed.text, "EXISTS")));
        let physical = if database.is_some() { unit.spec.database.as_str() } else { name };
        let guard = if guarded { "IF NOT EXISTS " } else { "" };
        let text = format!("SHOW CREATE DATABASE {guard}{}", text::name(physical));
        let mut connection = self.speaking(&unit).await?;
        let mut answer = connection.query(&text).await.map_err(|error| Problem::backend(&error))?;
        for row in &mut answer.rows {
            if let [Some(told), Some(text)] = row.as_mut_slice() {
                *told = Bytes::copy_from_slice(name.as_bytes());
                let (from, to) = (text::name(physical), text::name(name));
                *text = Bytes::from(String::from_utf8_lossy(text).replacen(&from, &to, 1));
            }
        }
        Ok(Answered { columns: answer.columns, rows: answer.rows })
    }
}

/// The name of the first column.
fn header(name: &str, filter: Option<&Filter>) -> String {
    match filter {
        Some(Filter::Like(pattern)) => format!("{name} ({pattern})"),
        _ => name.to_owned(),
    }
}

fn rename(column: &mut Column, name: &str) {
    column.name = Bytes::copy_from_slice(name.as_bytes());
    if !column.org_name.is_empty() {
        column.org_name = column.name.clone();
    }
}
