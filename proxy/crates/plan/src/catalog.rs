//! `information_schema`: which of its tables speak of databases, tables and columns.
//!
//! Servers would answer with the names of their own databases and of the tables behind sharded ones, and each with its
//! own rows only. So the session answers queries over these tables; anything else that reads them is refused.

use meta::SYSTEM_DATABASES;
use sql::{Body, ShowWhat, Statement, TableRef};

use crate::error::Error;
use crate::route::Route;
use crate::scope::{Home, Scope};

/// The schema of the tables below.
pub const INFORMATION_SCHEMA: &str = "information_schema";

/// The table of what is running.
pub const PROCESSLIST: &str = "PROCESSLIST";

/// A table of `information_schema` whose rows belong to databases.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct CatalogTable {
    /// Its name, in upper case.
    pub name: &'static str,
    /// The column that says to which database a row belongs.
    pub schema: &'static str,
    /// Another column that says the same.
    pub also: Option<&'static str>,
    /// The column that says to which table or view a row belongs; none when rows belong to no table.
    pub table: Option<&'static str>,
    /// Columns that tell what else in a database a row is about.
    pub key: &'static [&'static str],
}

const fn of_table(name: &'static str) -> CatalogTable {
    CatalogTable { name, schema: "TABLE_SCHEMA", also: None, table: Some("TABLE_NAME"), key: &[] }
}

const fn of_schema(name: &'static str, schema: &'static str, key: &'static [&'static str]) -> CatalogTable {
    CatalogTable { name, schema, also: None, table: None, key }
}

/// All of them, of MySQL and MariaDB of any release.
static TABLES: [CatalogTable; 28] = [
    CatalogTable { schema: "CONSTRAINT_SCHEMA", ..of_table("CHECK_CONSTRAINTS") },
    of_table("COLUMNS"),
    of_table("COLUMNS_EXTENSIONS"),
    of_table("COLUMN_PRIVILEGES"),
    CatalogTable { schema: "SCHEMA_NAME", ..of_table("COLUMN_STATISTICS") },
    of_schema("EVENTS", "EVENT_SCHEMA", &["EVENT_NAME"]),
    CatalogTable { also: Some("CONSTRAINT_SCHEMA"), ..of_table("KEY_COLUMN_USAGE") },
    of_schema("LIBRARIES", "LIBRARY_SCHEMA", &["LIBRARY_NAME"]),
    of_schema("PARAMETERS", "SPECIFIC_SCHEMA", &["ROUTINE_TYPE", "SPECIFIC_NAME"]),
    of_table("PARTITIONS"),
    // Rows about sessions, which are the proxy's.
    of_schema(PROCESSLIST, "DB", &[]),
    CatalogTable { schema: "CONSTRAINT_SCHEMA", ..of_table("REFERENTIAL_CONSTRAINTS") },
    of_schema("ROUTINES", "ROUTINE_SCHEMA", &["ROUTINE_TYPE", "ROUTINE_NAME"]),
    of_schema("ROUTINE_LIBRARIES", "ROUTINE_SCHEMA", &["ROUTINE_TYPE", "ROUTINE_NAME"]),
    of_schema("SCHEMATA", "SCHEMA_NAME", &[]),
    of_schema("SCHEMATA_EXTENSIONS", "SCHEMA_NAME", &[]),
    of_schema("SCHEMA_PRIVILEGES", "TABLE_SCHEMA", &[]),
    CatalogTable { also: Some("INDEX_SCHEMA"), ..of_table("STATISTICS") },
    of_table("ST_GEOMETRY_COLUMNS"),
    of_table("TABLES"),
    of_table("TABLES_EXTENSIONS"),
    CatalogTable { also: Some("CONSTRAINT_SCHEMA"), ..of_table("TABLE_CONSTRAINTS") },
    CatalogTable { schema: "CONSTRAINT_SCHEMA", ..of_table("TABLE_CONSTRAINTS_EXTENSIONS") },
    of_table("TABLE_PRIVILEGES"),
    CatalogTable {
        name: "TRIGGERS",
        schema: "TRIGGER_SCHEMA",
        also: Some("EVENT_OBJECT_SCHEMA"),
        table: Some("EVENT_OBJECT_TABLE"),
        key: &[],
    },
    of_table("VIEWS"),
    of_table("VIEW_ROUTINE_USAGE"),
    CatalogTable { table: Some("VIEW_NAME"), schema: "VIEW_SCHEMA", ..of_table("VIEW_TABLE_USAGE") },
];

impl CatalogTable {
    /// The one of that name.
    pub fn named(name: &str) -> Option<&'static Self> {
        TABLES.iter().find(|known| known.name.eq_ignore_ascii_case(name))
    }

    /// The table that is mentioned, if it is one of these.
    pub fn of(table: &TableRef) -> Option<&'static Self> {
        let schema = table.schema.as_deref()?;
        if !schema.eq_ignore_ascii_case(INFORMATION_SCHEMA) {
            return None;
        }
        Self::named(&table.name)
    }
}

/// The session answers what reads these tables, as far as it is a query of nothing else.
pub(crate) fn route(scope: &Scope<'_>) -> Result<Option<Route>, Error> {
    let statement = scope.statement;
    if !statement.tables.iter().any(|table| CatalogTable::of(table).is_some()) {
        return Ok(None);
    }
    match &statement.body {
        // These tell how the table itself is made, or how a server would go about it.
        Body::Explain | Body::Show(_) => return Ok(None),
        _ => {}
    }
    if let Some(error) = &statement.unparsed {
        return Err(error.clone().into());
    }
    let Body::Select(select) = &statement.body else {
        return Err(Error::Catalog("in anything but a query"));
    };
    if !statement.pin.is_empty() || select.traits.into {
        return Err(Error::Catalog("with user variables or INTO"));
    }
    if select.traits.found_rows {
        return Err(Error::Catalog("with SQL_CALC_FOUND_ROWS"));
    }
    if scope.homes.iter().any(|home| *home != Home::Foreign) {
        return Err(Error::Catalog("together with tables of a database"));
    }
    Ok(Some(Route::Session))
}

/// The schema of that name which every server has beside the databases of its users. That of `information_schema` may
/// be written in any letter case.
pub fn system_schema(name: &str) -> Option<&'static str> {
    let named =
        |known: &&str| *known == name || *known == INFORMATION_SCHEMA && known.eq_ignore_ascii_case(name);
    SYSTEM_DATABASES.into_iter().find(named)
}

/// Where such a schema is the current one, puts the tables that are named without a schema into it; then no database
/// is current for planning.
pub(crate) fn enter<'a>(statement: &mut Statement, schema: Option<&'a str>) -> Option<&'a str> {
    let Some(system) = schema.and_then(system_schema) else { return schema };
    let guessed = statement.unparsed.is_some()
        || matches!(&statement.body, Body::Show(show) if show.what == ShowWhat::Other || show.schema.is_some());
    if !guessed {
        for table in statement.tables.iter_mut().filter(|table| table.schema.is_none()) {
            table.schema = Some(system.to_owned());
        }
    }
    None
}
