//! Queries over `information_schema`: answered as one MySQL would that holds the logical databases.
//!
//! What the query needs of each table is gathered from the units of the databases that the account may use and put into
//! logical names, one row for each logical object. Then one server evaluates the client's own text with these rows in
//! the place of each table, beside its own rows about the schemas that every server has. So conditions, joins, order and
//! types are MySQL's. The definitions of the answer are those of the client's text as it is.

mod names;
mod rows;
mod show;
mod text;
mod wanted;

use std::sync::Arc;

use backend::{Settings, TextResult};
use bytes::Bytes;
use exec::Lent;
use meta::{Database, SYSTEM_DATABASES, StorageUnit};
use plan::{Arguments, Call, CatalogTable, INFORMATION_SCHEMA, PROCESSLIST, Value, system_schema};
use sql::{Body, Statement, TableRef};
use wire::column::{Column, ColumnType};

use crate::command::query::Done;
use crate::error::Problem;
use crate::registry::Process;
use crate::reply::Format;
use crate::select;
use crate::session::Session;
use crate::text::readable;
use names::{Names, Place};
use rows::Rows;
use text::{Changes, Left, Own, Reading};
use wanted::{Kind, Wanted};

/// An answer of a server's, in memory.
pub(crate) struct Answered {
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: Vec<Vec<Option<Bytes>>>,
}

/// The server whose own rows a query could be about.
struct Model {
    unit: Arc<StorageUnit>,
    /// A logical database in lower case, and what the server calls it.
    schema: Option<(String, String)>,
    /// A logical table in lower case, and what the server calls it.
    table: Option<(String, String)>,
}

/// Parameters whose values are not there yet.
pub(crate) struct Nulls;

impl Arguments for Nulls {
    fn value(&self, _: usize) -> Value<'_> {
        Value::Null
    }
}

/// `Unknown column`.
const UNKNOWN_COLUMN: u16 = 1054;

impl Session {
    /// Answers a query over `information_schema`.
    pub(crate) async fn catalog(&mut self, call: &Call<'_>, format: Format) -> Done {
        if let Some(function) = select::fleeting(call.text, self.state.mode) {
            return Ok(Err(Problem::unsupported(format_args!(
                "{function} in an expression (select it alone)"
            ))));
        }
        Ok(self.cataloged(call).await.map(|answered| {
            self.executor.next_statement();
            self.put_rows(&answered.columns, &answered.rows, format);
        }))
    }

    /// The columns of such a query, for a prepare.
    pub(crate) async fn catalog_columns(&mut self, raw: &[u8]) -> Result<Vec<Column>, Problem> {
        let asked = self.qualified(raw.to_vec())?;
        let unit = self.server().ok_or_else(Problem::no_database)?;
        let mut connection = self.speaking(&unit).await?;
        connection.definitions(&asked.raw).await.map_err(|error| Problem::backend(&error))
    }

    async fn cataloged(&mut self, call: &Call<'_>) -> Result<Answered, Problem> {
        let mode = self.state.mode;
        let asked = self.qualified(call.raw.to_vec())?;
        let charset = self.charset();
        let valued = self.reading(text::valued(&asked, call.params, &charset))?;
        let fixed = text::own_calls(&valued, mode, self.own(Some(self.executor.figures().insert_id), None));
        let fixed = self.reading(fixed.unwrap_or_else(|| valued.raw.clone()))?;
        let wanted = mentions(&fixed).map(|(_, table, known)| Wanted::of(&fixed, mode, table, known)).next();
        let model = self.model(&wanted.unwrap_or_default()).ok_or_else(Problem::no_database)?;
        // First, since it says what is wrong with the client's text in MySQL's own words.
        let columns = self.defined(&asked, &valued, &model).await?;
        let mut changes = Changes::default();
        let mut replaced = Vec::new();
        for (at, table, known) in mentions(&fixed) {
            let rows = Box::pin(self.derived(&fixed, table, known, &model.unit)).await?;
            let name = text::name(table.alias.as_ref().unwrap_or(&table.name));
            let alias = if table.alias.is_none() { format!(" AS {name}") } else { String::new() };
            let mut span = table.span.range(&fixed.slots);
            let verb = text::table_verb(&fixed, mode, span.start);
            let select = if verb.is_some() { "SELECT * FROM " } else { "" };
            span.start = verb.unwrap_or(span.start);
            changes.replace(span, format!("{select}({rows}){alias}"));
            replaced.push((at, name));
        }
        for owner in &fixed.statement.owners {
            if let Some((_, name)) = replaced.iter().find(|(at, _)| *at == usize::from(owner.table)) {
                changes.replace(owner.span.range(&fixed.slots), name.as_str());
            }
        }
        let finish = changes.apply(&fixed.raw);
        let mut connection = self.speaking(&model.unit).await?;
        let answer = connection.query(&finish).await.map_err(|error| Problem::backend(&error))?;
        let columns = if columns.len() == answer.columns.len() { columns } else { answer.columns };
        Ok(Answered { columns, rows: answer.rows })
    }

    /// The definitions of the answer: those that the client's own text has on a server. It is prepared there and never
    /// carried out, since it would see what the server holds of others.
    async fn defined(
        &mut self,
        asked: &Reading,
        valued: &Reading,
        model: &Model,
    ) -> Result<Vec<Column>, Problem> {
        let mode = self.state.mode;
        let mut changes = Changes::default();
        for (_, table, known) in mentions(valued) {
            let wanted = Wanted::of(valued, mode, table, known);
            for (place, kind) in wanted.names {
                let name = match kind {
                    Kind::Schema if wanted.schemas.as_ref().is_some_and(|schemas| schemas.len() == 1) => {
                        &model.schema
                    }
                    Kind::Table if wanted.tables.as_ref().is_some_and(|tables| tables.len() == 1) => {
                        &model.table
                    }
                    _ => continue,
                };
                if let Some((logical, physical)) = name
                    && valued
                        .text
                        .get(place.clone())
                        .is_some_and(|text| text.to_ascii_lowercase().contains(logical.as_str()))
                {
                    changes.replace(place, text::literal(physical));
                }
            }
        }
        let mut connection = self.speaking(&model.unit).await?;
        let text = changes.apply(&valued.raw);
        let mut columns = connection.definitions(&text).await.map_err(|error| Problem::backend(&error))?;
        if asked.raw != valued.raw {
            // With values in the place of parameters, columns have other names.
            let names = connection.definitions(&asked.raw).await.map_err(|error| Problem::backend(&error))?;
            for (column, named) in columns.iter_mut().zip(names) {
                column.name = named.name;
            }
        }
        Ok(columns)
    }

    /// A server, and what it calls the database and the table that a query is about, so that it goes about the query as
    /// one would that has them under their logical names.
    fn model(&self, wanted: &Wanted) -> Option<Model> {
        let snapshot = self.local.snapshot();
        let named = wanted.schema().and_then(|schema| {
            let mut databases = snapshot.databases.values();
            databases
                .find(|database| database.name.eq_ignore_ascii_case(schema) && self.may_use(&database.name))
        });
        let Some(database) = named.filter(|database| !database.units.is_empty()) else {
            return Some(Model { unit: self.server()?, schema: None, table: None });
        };
        let mut unit = None;
        let mut table = None;
        if let Some(name) = wanted.table() {
            let node = database.sharding.table(name).and_then(|rule| rule.nodes.first());
            let known = || database.table(name).and_then(|table| table.source.as_deref());
            table = node.map(|node| (name.to_ascii_lowercase(), node.table.clone()));
            let source = node.map(|node| node.unit.as_str()).or_else(known);
            unit = source.and_then(|source| database.primary_unit(source)).cloned();
        }
        let first = || Names::new(database).places().into_iter().next().map(|place| place.unit);
        let unit = unit.or_else(first)?;
        let schema = Some((database.name.to_ascii_lowercase(), unit.spec.database.clone()));
        Some(Model { unit, schema, table })
    }

    /// The character set of the client's texts.
    fn charset(&self) -> String {
        self.state.settings.charset().map_or("utf8mb4", |charset| charset.name.as_str()).to_owned()
    }

    /// A unit whose server can evaluate what is asked, wherever that is.
    pub(crate) fn server(&self) -> Option<Arc<StorageUnit>> {
        let snapshot = self.local.snapshot();
        let any = || self.any_database(&snapshot)?.units.values().next().cloned();
        self.any_unit().or_else(any)
    }

    fn own(&self, insert_id: Option<u64>, left: Option<Left>) -> Own<'_> {
        Own {
            database: self.schema.as_deref(),
            user: &self.who.client,
            account: &self.who.account,
            connection: self.id,
            insert_id,
            left,
            encoding: self.state.encoding,
        }
    }

    /// A statement with the session's own answers in the place of functions that a server would answer for its connection
    /// (`DATABASE()`, `USER()` …); nothing when it calls none.
    pub(crate) fn own_text(&self, statement: &Statement, raw: &[u8], left: Option<Left>) -> Option<Vec<u8>> {
        // What a definition says is for later sessions.
        if matches!(statement.body, Body::Ddl(_) | Body::Other(_)) || statement.unparsed.is_some() {
            return None;
        }
        self.own_values(raw, left)
    }

    /// The same of a query.
    pub(crate) fn own_expression(&self, raw: &[u8]) -> Option<Vec<u8>> {
        self.own_values(raw, None)
    }

    /// What the last statement has left behind; `name`: what of that is asked for.
    pub(crate) async fn left(&mut self, name: &str) -> Left {
        let (mut warnings, mut errors) = (0, 0);
        if name.starts_with('@') {
            (warnings, errors) = self.executor.count_conditions().await;
        } else {
            self.executor.keep_conditions().await;
        }
        Left { figures: self.executor.figures(), warnings, errors }
    }

    fn own_values(&self, raw: &[u8], left: Option<Left>) -> Option<Vec<u8>> {
        // Most statements about the session ask for its last id.
        let names = [&b"database"[..], b"schema", b"user", b"connection_id"];
        let may = |name: &&[u8]| raw.windows(name.len()).any(|window| window.eq_ignore_ascii_case(name));
        if left.is_none() && !names.iter().any(may) {
            return None;
        }
        // A server tells who holds a lock by its own numbers.
        if may(&&b"is_used_lock"[..]) {
            return None;
        }
        let reading = self.reading(raw.to_vec()).ok()?;
        text::own_calls(&reading, self.state.mode, self.own(None, left))
    }

    /// What a text says.
    fn reading(&self, raw: Vec<u8>) -> Result<Reading, Problem> {
        let text = readable(&raw, self.state.encoding, self.state.mode).into_owned();
        let mode = self.state.mode;
        let fingerprint = self.local.fingerprinter.fingerprint(&text, mode);
        let fingerprint = fingerprint.map_err(|error| Problem::syntax(&error, &text))?;
        let mut reading = Reading::new(raw, text, &fingerprint, mode)?;
        if let Some(system) = self.schema.as_deref().and_then(system_schema) {
            for table in reading.statement.tables.iter_mut().filter(|table| table.schema.is_none()) {
                table.schema = Some(system.to_owned());
            }
        }
        Ok(reading)
    }

    /// What a text says, with the schema written before every table: no connection is in the one that is current.
    fn qualified(&self, raw: Vec<u8>) -> Result<Reading, Problem> {
        let reading = self.reading(raw)?;
        let mut changes = Changes::default();
        for table in &reading.statement.tables {
            let span = table.span.range(&reading.slots);
            if let Some(schema) = &table.schema
                && !reading.text.get(span.clone()).is_some_and(|written| written.contains('.'))
            {
                changes.replace(span, format!("{}.{}", text::name(schema), text::name(&table.name)));
            }
        }
        self.reading(changes.apply(&reading.raw))
    }

    /// A connection to a unit with the session's settings.
    async fn speaking(&mut self, unit: &Arc<StorageUnit>) -> Result<Lent<'_>, Problem> {
        let settings = self.executor.settings().clone();
        let mut connection = self.lend(unit).await?;
        connection.apply(&settings).await.map_err(|error| Problem::backend(&error))?;
        Ok(connection)
    }

    /// The query that gives the rows of one mention of a table: those of the logical databases as they are gathered now,
    /// and the server's own of what every server has.
    async fn derived(
        &mut self,
        fixed: &Reading,
        table: &TableRef,
        known: &'static CatalogTable,
        unit: &Arc<StorageUnit>,
    ) -> Result<String, Problem> {
        let mode = self.state.mode;
        let wanted = Wanted::of(fixed, mode, table, known);
        let mentioned = wanted::mentioned(&fixed.text, mode);
        self.rows_of(known, &wanted, mentioned.as_deref(), unit).await
    }

    /// The same of a table, in the columns that are mentioned; nothing for all.
    async fn rows_of(
        &mut self,
        known: &'static CatalogTable,
        wanted: &Wanted,
        mentioned: Option<&[String]>,
        unit: &Arc<StorageUnit>,
    ) -> Result<String, Problem> {
        let settings = self.plain_settings();
        let (all, rows) = {
            let mut connection = self.lend(unit).await?;
            connection.apply(&settings).await.map_err(|error| Problem::backend(&error))?;
            let text = format!("SELECT * FROM information_schema.{}", known.name);
            let columns = connection.definitions(&text).await.map_err(|error| Problem::backend(&error))?;
            (columns, values_style(&connection))
        };
        let needed: Vec<&Column> = all
            .iter()
            .filter(|column| {
                let name = String::from_utf8_lossy(&column.name).to_ascii_uppercase();
                mentioned.is_none_or(|names| rows::needs(known, names, &name))
            })
            .collect();
        let names: Vec<String> =
            needed.iter().map(|column| String::from_utf8_lossy(&column.name).into_owned()).collect();
        let found = if known.name == PROCESSLIST {
            self.processes(&names).await
        } else {
            self.gather(known, wanted, &names, &settings).await?
        };
        let list = names.iter().map(|column| text::name(column)).collect::<Vec<_>>().join(",");
        let (processes, administrator) = (known.name == PROCESSLIST, self.is_administrator());
        let systems: Vec<String> = SYSTEM_DATABASES
            .iter()
            .filter(|name| !processes && wanted.wants(name))
            .filter(|name| administrator || **name == INFORMATION_SCHEMA)
            .map(|name| format!("'{name}'"))
            .collect();
        let filter = if systems.is_empty() {
            "FALSE".to_owned()
        } else {
            format!("{} IN ({})", known.schema, systems.join(","))
        };
        let mut out = format!("SELECT {list} FROM information_schema.{} WHERE {filter}", known.name);
        for (number, row) in found.iter().enumerate() {
            let cells: Vec<String> =
                row.iter().zip(&needed).map(|(cell, column)| value(cell.as_deref(), column)).collect();
            let cells = cells.join(",");
            out.push_str(&match (rows, number) {
                (Style::Rows, 0) => format!(" UNION ALL VALUES ROW({cells})"),
                (Style::Rows, _) => format!(",ROW({cells})"),
                (Style::Values, 0) => format!(" UNION ALL VALUES ({cells})"),
                (Style::Values, _) => format!(",({cells})"),
                (Style::Selects, _) => format!(" UNION ALL SELECT {cells}"),
            });
        }
        Ok(out)
    }

    /// The rows of the process list, in these columns.
    async fn processes(&self, columns: &[String]) -> Vec<Vec<Option<Bytes>>> {
        let list = self.shared.registry.list(&self.by()).await;
        let row = |process: &Process| {
            columns.iter().map(|column| process.cell(&column.to_ascii_uppercase()).map(Bytes::from)).collect()
        };
        list.iter().map(row).collect()
    }

    /// Settings under which names come in UTF-8, and moments in the session's time zone.
    fn plain_settings(&self) -> Settings {
        let mut settings = Settings::default();
        if let Some(zone) = self.executor.settings().variable("time_zone") {
            settings.set("time_zone", zone);
        }
        settings
    }

    /// The rows of a table about all logical databases that are wanted, in these columns.
    async fn gather(
        &mut self,
        known: &'static CatalogTable,
        wanted: &Wanted,
        columns: &[String],
        settings: &Settings,
    ) -> Result<Vec<Vec<Option<Bytes>>>, Problem> {
        let snapshot = self.local.snapshot();
        let databases: Vec<&Arc<Database>> = snapshot
            .databases
            .values()
            .filter(|database| self.may_use(&database.name) && wanted.wants(&database.name))
            .collect();
        let mut rows = Rows::new(known, columns.iter().map(|name| name.to_ascii_uppercase()).collect());
        for (number, database) in databases.iter().enumerate() {
            let names = Names::new(database);
            let mut found = false;
            // What databases there are is known here, whatever servers are down.
            let of_databases = known.name.starts_with("SCHEMATA");
            let own = ["CATALOG_NAME", "SCHEMA_NAME", "SQL_PATH"];
            if of_databases && columns.iter().all(|column| own.contains(&column.as_str())) {
                rows.bare(number, database);
                continue;
            }
            for (at, place) in names.places().iter().enumerate() {
                let Some(text) = question(known, wanted, columns, &names, place) else { continue };
                let answer = match self.ask_place(place, &text, known, columns, settings).await {
                    Ok(answer) => answer,
                    // Nobody in production misses a shadow.
                    Err(problem) if (place.shadow || of_databases) && problem.is_unreachable() => continue,
                    Err(problem) => return Err(problem),
                };
                found |= !answer.rows.is_empty();
                rows.take(&names, (number, at), place, answer);
                // The database itself is the same everywhere.
                if of_databases && found {
                    break;
                }
            }
            if of_databases && !found {
                rows.bare(number, database);
            }
        }
        let encrypted = |schema: &str, table: &str| {
            snapshot.database(schema).is_some_and(|database| database.encrypt.table(table).is_some())
        };
        let columns = Rows::new(known, columns.iter().map(|name| name.to_ascii_uppercase()).collect());
        let mut merged = rows.merged();
        if known.name == "COLUMNS" {
            columns.renumber(&mut merged, encrypted);
        }
        Ok(merged)
    }

    async fn ask_place(
        &mut self,
        place: &Place,
        text: &Question,
        known: &CatalogTable,
        columns: &[String],
        settings: &Settings,
    ) -> Result<TextResult, Problem> {
        let mut connection = self.lend(&place.unit).await?;
        connection.apply(settings).await.map_err(|error| Problem::backend(&error))?;
        // MySQL does not say here which table a constraint is of.
        let joined = known.name == "CHECK_CONSTRAINTS" && !connection.server().mariadb;
        let answer = connection.query(text.write(known, Some(columns), joined)).await;
        let answer = match answer {
            // A server of another release, whose table has other columns.
            Err(backend::Error::Refused { refusal, .. }) if refusal.code == UNKNOWN_COLUMN => {
                connection.query(text.write(known, None, joined)).await
            }
            answer => answer,
        };
        answer.map_err(|error| Problem::backend(&error))
    }
}

/// What one place is asked.
struct Question {
    filter: String,
}

/// What a place is to be asked; nothing when it has nothing of it.
fn question(
    known: &CatalogTable,
    wanted: &Wanted,
    columns: &[String],
    names: &Names<'_>,
    place: &Place,
) -> Option<Question> {
    debug_assert!(!columns.is_empty());
    let list =
        |tables: &[&str]| tables.iter().map(|table| text::literal(table)).collect::<Vec<_>>().join(",");
    let mut filter = format!("it.{}={}", known.schema, text::literal(&place.unit.spec.database));
    let Some(column) = known.table else { return Some(Question { filter }) };
    let owner = if known.name == "CHECK_CONSTRAINTS" { "" } else { "it." };
    let all = Rows::sums(known);
    if let Some(tables) = &wanted.tables {
        let tables: Vec<String> =
            tables.iter().flat_map(|table| names.tables(&place.source, table, all)).collect();
        if tables.is_empty() {
            return None;
        }
        let tables: Vec<&str> = tables.iter().map(String::as_str).collect();
        filter.push_str(&format!(" AND {owner}{column} IN ({})", list(&tables)));
    } else if !all {
        let others = names.represented(&place.source);
        if !others.is_empty() {
            filter.push_str(&format!(" AND {owner}{column} NOT IN ({})", list(&others)));
        }
    }
    Some(Question { filter })
}

impl Question {
    fn write(&self, known: &CatalogTable, columns: Option<&[String]>, joined: bool) -> String {
        let mut list = match columns {
            Some(columns) => {
                let mut list: Vec<String> =
                    columns.iter().map(|column| format!("it.{}", text::name(column))).collect();
                let missing = |name: &&&str| !columns.iter().any(|column| column.eq_ignore_ascii_case(name));
                list.extend(known.key.iter().filter(missing).map(|key| format!("it.{key}")));
                list.join(",")
            }
            None => "it.*".to_owned(),
        };
        let mut from = format!("information_schema.{} it", known.name);
        if joined {
            list.push_str(",TABLE_NAME");
            from.push_str(
                " JOIN information_schema.TABLE_CONSTRAINTS t ON t.CONSTRAINT_SCHEMA=it.CONSTRAINT_SCHEMA AND \
                 t.CONSTRAINT_NAME=it.CONSTRAINT_NAME AND t.CONSTRAINT_TYPE='CHECK'",
            );
        }
        format!("SELECT {list} FROM {from} WHERE {}", self.filter)
    }
}

/// How a server writes rows of values in a query.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Style {
    /// `VALUES ROW(…)`: MySQL from 8.0.19 on.
    Rows,
    /// `SELECT …` for each.
    Selects,
    /// `VALUES (…)`: MariaDB.
    Values,
}

fn values_style(connection: &Lent<'_>) -> Style {
    let server = connection.server();
    if server.mariadb {
        return Style::Values;
    }
    let mut parts = server.version.split(['.', '-']).map(|part| part.parse::<u32>().unwrap_or(0));
    let version = (parts.next().unwrap_or(0), parts.next().unwrap_or(0), parts.next().unwrap_or(0));
    if version >= (8, 0, 19) { Style::Rows } else { Style::Selects }
}

/// A value of a column as a literal of its type.
fn value(cell: Option<&[u8]>, column: &Column) -> String {
    let Some(cell) = cell else { return "NULL".to_owned() };
    let text = String::from_utf8_lossy(cell);
    match column.kind {
        _ if text.parse::<f64>().is_ok() && !column.value_kind().is_string() => text.into_owned(),
        ColumnType::NEWDECIMAL => text.into_owned(),
        ColumnType::DATETIME | ColumnType::TIMESTAMP if !text.starts_with("0000") => {
            format!("TIMESTAMP'{text}'")
        }
        ColumnType::JSON => format!("CAST({} AS JSON)", text::string(cell, "utf8mb4")),
        // In the set of the column, so that the client may give it another collation of that set.
        _ => text::named(&text),
    }
}

/// The mentions of tables that are answered for, with their numbers.
fn mentions(reading: &Reading) -> impl Iterator<Item = (usize, &TableRef, &'static CatalogTable)> {
    let tables = reading.statement.tables.iter().enumerate();
    tables.filter_map(|(at, table)| Some((at, table, CatalogTable::of(table)?)))
}

#[cfg(test)]
mod tests;
