//! `SHOW` of what there is: databases, tables, triggers, events and routines. The rows are those that
//! `information_schema` would tell; one server filters them by the client's own condition. The definitions are those of
//! the same `SHOW` on that server.

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

/// How rows of `information_schema` become those of a `SHOW`.
struct Listing {
    known: &'static CatalogTable,
    /// The logical database; nothing where rows are of all.
    database: Option<String>,
    /// A condition of the `SHOW`'s own.
    only: &'static str,
    /// The same `SHOW` of a unit's database, without rows.
    model: String,
    /// The name of the first column, if it is not the one that the server gives it.
    first: Option<String>,
    /// The column that `LIKE` is about.
    like: usize,
    /// What rows are sorted by.
    order: &'static str,
    /// Columns of `information_schema` that only the order needs.
    sorted: &'static [&'static str],
}

impl Session {
    /// Whether a statement is one of these, and there is a server to ask.
    pub(crate) fn server_shows(&self, show: &Show) -> bool {
        (show.what.is_of_catalog() || show.what == ShowWhat::Gtid) && self.server().is_some()
    }

    /// The answer to such a statement.
    pub(crate) async fn show_catalog(
        &mut self,
        show: &Show,
        raw: &[u8],
        params: Option<&dyn Arguments>,
    ) -> Result<Answered, Problem> {
        let asked = self.reading(raw.to_vec())?;
        let charset = self.charset();
        let valued = self.reading(text::valued(&asked, params, &charset))?;
        let own = text::own_calls(
            &valued,
            self.state.mode,
            self.own(Some(self.executor.figures().insert_id), None),
        );
        let fixed = self.reading(own.unwrap_or_else(|| valued.raw.clone()))?;
        if !fixed.statement.tables.is_empty() {
            return Err(Problem::unsupported("SHOW … WHERE with a subquery over a table"));
        }
        match show.what {
            ShowWhat::CreateDatabase => return self.create_database(show, &fixed).await,
            ShowWhat::Gtid => return self.gtid_variables(&fixed).await,
            _ => {}
        }
        let (database, unit) = match self.shown_database(show)? {
            Shown::All(unit) => (None, unit),
            Shown::Database(name, unit) => (Some(name), unit),
            Shown::System(system) => return self.ask_system(show, system, &fixed).await,
        };
        let filter = self.filter(show, &fixed);
        let listing = listing(show, database, &unit, filter.as_ref()).ok_or_else(Problem::no_database)?;
        self.listed(&unit, listing, filter).await
    }

    /// What a `SHOW` is about, and a server to ask.
    fn shown_database(&self, show: &Show) -> Result<Shown, Problem> {
        let any = self.server().ok_or_else(Problem::no_database)?;
        if matches!(show.what, ShowWhat::Databases | ShowWhat::Functions | ShowWhat::Procedures) {
            return Ok(Shown::All(any));
        }
        let name = match &show.schema {
            Some(name) => name.clone(),
            None => self.schema.as_deref().map(str::to_owned).ok_or_else(Problem::no_database)?,
        };
        if let Some(system) = system_schema(&name) {
            return Ok(Shown::System(system));
        }
        let snapshot = self.local.snapshot();
        let Some(database) = snapshot.database(&name) else { return Err(Problem::unknown_database(&name)) };
        if !self.may_use(&name) {
            return Err(self.denied(&name));
        }
        let first = Names::new(database).places().into_iter().next();
        Ok(Shown::Database(name, first.map_or(any, |place| place.unit)))
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

    /// Of what every server has, one says it itself.
    async fn ask_system(&mut self, show: &Show, system: &str, fixed: &Reading) -> Result<Answered, Problem> {
        let mut raw = fixed.raw.clone();
        if show.schema.is_none() {
            let tokens = tokens(&fixed.text, self.state.mode).unwrap_or_default();
            let shown = ["EVENTS", "STATUS", "TABLES", "TRIGGERS"];
            let last = tokens.iter().find(|token: &&Token| token.is_any(&fixed.text, &shown));
            let end = last.map_or(raw.len(), |token| token.end as usize);
            raw.splice(end..end, format!(" FROM {}", text::name(system)).into_bytes());
        }
        let unit = self.server().ok_or_else(Problem::no_database)?;
        let mut connection = self.speaking(&unit).await?;
        let answer = connection.query(&raw).await.map_err(|error| Problem::backend(&error))?;
        Ok(Answered { columns: answer.columns, rows: answer.rows })
    }

    /// What one unit's binary log has counted says nothing of the others: clients are to take it that nobody counts.
    async fn gtid_variables(&mut self, fixed: &Reading) -> Result<Answered, Problem> {
        let unit = self.server().ok_or_else(Problem::no_database)?;
        let mut connection = self.speaking(&unit).await?;
        let answer = connection.query(&fixed.raw).await.map_err(|error| Problem::backend(&error))?;
        let mut rows = answer.rows;
        for row in &mut rows {
            if let [Some(name), Some(value)] = row.as_mut_slice() {
                let mode = name.eq_ignore_ascii_case(b"gtid_mode");
                let set = ["gtid_executed", "gtid_owned", "gtid_purged"];
                let counts = set.iter().any(|known| name.eq_ignore_ascii_case(known.as_bytes()));
                match (mode, counts) {
                    (true, _) => *value = Bytes::from_static(b"OFF"),
                    (_, true) => *value = Bytes::new(),
                    _ => {}
                }
            }
        }
        Ok(Answered { columns: answer.columns, rows })
    }

    /// The rows that pass the filter, in their order.
    async fn listed(
        &mut self,
        unit: &Arc<StorageUnit>,
        listing: Listing,
        filter: Option<Filter>,
    ) -> Result<Answered, Problem> {
        let mut columns = {
            let mut model = listing.model.clone().into_bytes();
            // Definitions follow the way in which a server goes about a condition, if its columns have these names. One
            // that calls functions could tell by errors and by its time what the server holds of others.
            if let (Some(Filter::Where(condition)), None) = (&filter, &listing.first)
                && !condition.contains(&b'(')
            {
                model.truncate(listing.model.trim_end_matches(" LIKE ''").len());
                model.push(b' ');
                model.extend_from_slice(condition);
            }
            let mut connection = self.speaking(unit).await?;
            connection.query(&model).await.map_err(|error| Problem::backend(&error))?.columns
        };
        let names: Vec<String> =
            columns.iter().map(|column| String::from_utf8_lossy(&column.name).into_owned()).collect();
        let sources: Vec<String> = names.iter().map(|shown| source(listing.known, shown)).collect();
        if let (Some(first), Some(column)) = (&listing.first, columns.first_mut()) {
            rename(column, first);
        }
        let known = listing.known;
        let mut wanted = Wanted::default();
        if let Some(database) = &listing.database {
            wanted.schemas = Some(vec![database.to_ascii_lowercase()]);
        }
        let more = listing.sorted.iter().copied().chain([known.schema]).map(str::to_owned);
        let needed: Vec<String> = sources.iter().cloned().chain(more).collect();
        let rows = self.rows_of(known, &wanted, Some(&needed), unit).await?;
        let shown: Vec<String> =
            columns.iter().map(|column| text::name(&String::from_utf8_lossy(&column.name))).collect();
        let items = sources.iter().zip(&shown).map(|(source, shown)| format!("it.{source} AS {shown}"));
        let sorted = listing.sorted.iter().map(|column| format!("it.{column} AS `weir {column}`"));
        let items: Vec<String> = items.chain(sorted).collect();
        let mut text =
            format!("SELECT {} FROM (SELECT {} FROM ({rows}) AS it", shown.join(","), items.join(","));
        // Another database may differ from the one meant in letter case only.
        let schema = listing.database.map(|name| format!("it.{}={}", known.schema, text::literal(&name)));
        let conditions: Vec<&str> =
            schema.as_deref().into_iter().chain(Some(listing.only).filter(|only| !only.is_empty())).collect();
        if !conditions.is_empty() {
            text.push_str(&format!(" WHERE {}", conditions.join(" AND ")));
        }
        text.push_str(") AS it");
        let mut text = text.into_bytes();
        match filter {
            Some(Filter::Like(pattern)) => {
                let name = shown.get(listing.like).map(String::as_str).unwrap_or_default();
                text.extend_from_slice(format!(" WHERE {name} LIKE {}", text::literal(&pattern)).as_bytes());
            }
            Some(Filter::Where(condition)) => {
                text.push(b' ');
                text.extend_from_slice(&condition);
            }
            None => {}
        }
        text.extend_from_slice(format!(" ORDER BY {}", listing.order).as_bytes());
        let mut connection = self.speaking(unit).await?;
        let answer = connection.query(&text).await.map_err(|error| Problem::backend(&error))?;
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
                let read = String::from_utf8_lossy(text);
                // As the session's sql_mode and sql_quote_show_create have it.
                let ansi = |name: &str| format!("\"{}\"", name.replace('"', "\"\""));
                let forms = [
                    (text::name(physical), text::name(name)),
                    (ansi(physical), ansi(name)),
                    (physical.to_owned(), name.to_owned()),
                ];
                let form = forms.iter().find(|(from, _)| read.contains(from.as_str()));
                let told = form.map(|(from, to)| read.replacen(from, to, 1));
                if let Some(told) = told {
                    *text = Bytes::from(told);
                }
            }
        }
        Ok(Answered { columns: answer.columns, rows: answer.rows })
    }
}

/// What a `SHOW` is about.
enum Shown {
    /// All databases; with a server to ask.
    All(Arc<StorageUnit>),
    /// One, and a server that has it.
    Database(String, Arc<StorageUnit>),
    /// A schema that every server has.
    System(&'static str),
}

/// How the rows of a `SHOW` are made; nothing for one that shows no such rows.
fn listing(
    show: &Show,
    database: Option<String>,
    unit: &StorageUnit,
    filter: Option<&Filter>,
) -> Option<Listing> {
    let physical = text::name(&unit.spec.database);
    let header = |name: &str| match filter {
        Some(Filter::Like(pattern)) => format!("{name} ({pattern})"),
        _ => name.to_owned(),
    };
    let named = database.as_deref().unwrap_or_default();
    let tables = header(&format!("Tables_in_{named}"));
    let full = if show.full { "FULL " } else { "" };
    let (table, model, first, order) = match show.what {
        ShowWhat::Databases => {
            ("SCHEMATA", "SHOW DATABASES LIKE ''".to_owned(), Some(header("Database")), "1")
        }
        ShowWhat::Tables => {
            ("TABLES", format!("SHOW {full}TABLES FROM {physical} LIKE ''"), Some(tables), "1")
        }
        ShowWhat::TableStatus => ("TABLES", format!("SHOW TABLE STATUS FROM {physical} LIKE ''"), None, "1"),
        ShowWhat::Triggers => (
            "TRIGGERS",
            format!("SHOW TRIGGERS FROM {physical} LIKE ''"),
            None,
            "`Table`,FIELD(`Event`,'INSERT','UPDATE','DELETE'),FIELD(`Timing`,'BEFORE','AFTER'),\
             `weir ACTION_ORDER`",
        ),
        ShowWhat::Events => ("EVENTS", format!("SHOW EVENTS FROM {physical}"), None, "1,2"),
        ShowWhat::Functions => ("ROUTINES", "SHOW FUNCTION STATUS LIKE ''".to_owned(), None, "1,2"),
        ShowWhat::Procedures => ("ROUTINES", "SHOW PROCEDURE STATUS LIKE ''".to_owned(), None, "1,2"),
        _ => return None,
    };
    Some(Listing {
        known: CatalogTable::named(table)?,
        database,
        only: match show.what {
            ShowWhat::Functions => "it.ROUTINE_TYPE='FUNCTION'",
            ShowWhat::Procedures => "it.ROUTINE_TYPE='PROCEDURE'",
            _ => "",
        },
        model,
        first,
        // The table of a trigger, the name of a routine or event.
        like: match show.what {
            ShowWhat::Triggers => 2,
            ShowWhat::Events | ShowWhat::Functions | ShowWhat::Procedures => 1,
            _ => 0,
        },
        order,
        sorted: if show.what == ShowWhat::Triggers { &["ACTION_ORDER"] } else { &[] },
    })
}

/// The column of a table of `information_schema` that a `SHOW` shows under a name.
fn source(known: &CatalogTable, shown: &str) -> String {
    let name = shown.to_ascii_uppercase().replace(' ', "_");
    let source = match (known.name, name.as_str()) {
        ("EVENTS", "DB") => "EVENT_SCHEMA",
        ("EVENTS", "NAME") => "EVENT_NAME",
        ("EVENTS", "TYPE") => "EVENT_TYPE",
        ("ROUTINES", "COMMENT") => "ROUTINE_COMMENT",
        ("ROUTINES", "DB") => "ROUTINE_SCHEMA",
        ("ROUTINES", "LANGUAGE") => "EXTERNAL_LANGUAGE",
        ("ROUTINES", "MODIFIED") => "LAST_ALTERED",
        ("ROUTINES", "NAME") => "ROUTINE_NAME",
        ("ROUTINES", "TYPE") => "ROUTINE_TYPE",
        ("SCHEMATA", _) => "SCHEMA_NAME",
        ("TABLES", "COLLATION") => "TABLE_COLLATION",
        ("TABLES", "COMMENT") => "TABLE_COMMENT",
        ("TABLES", "NAME") => "TABLE_NAME",
        ("TABLES", "ROWS") => "TABLE_ROWS",
        ("TABLES", name) if name.starts_with("TABLES_IN_") => "TABLE_NAME",
        ("TRIGGERS", "EVENT") => "EVENT_MANIPULATION",
        ("TRIGGERS", "STATEMENT") => "ACTION_STATEMENT",
        ("TRIGGERS", "TABLE") => "EVENT_OBJECT_TABLE",
        ("TRIGGERS", "TIMING") => "ACTION_TIMING",
        ("TRIGGERS", "TRIGGER") => "TRIGGER_NAME",
        _ => return name,
    };
    source.to_owned()
}

fn rename(column: &mut Column, name: &str) {
    let told = Bytes::copy_from_slice(name.as_bytes());
    if column.org_name == column.name {
        column.org_name = told.clone();
    }
    column.name = told;
}
