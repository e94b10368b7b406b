//! `SHOW CREATE TABLE`, `SHOW INDEX` and `SHOW COLUMNS` of tables under a rule: one physical table is asked, and its
//! answer told in logical names.

use backend::Settings;
use bytes::Bytes;
use plan::{Call, Template};
use sql::{Body, Show, ShowWhat};
use wire::column::Column;

use crate::command::query::Done;
use crate::error::Problem;
use crate::reply::Format;
use crate::session::Session;

/// A result set with its definitions.
pub(crate) struct Described {
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: Vec<Vec<Option<String>>>,
}

/// The table that is described.
struct Names<'a> {
    physical: &'a str,
    logical: &'a str,
    schema: &'a str,
}

impl Session {
    /// Answers a statement that [`Template::describes`] a table.
    pub(crate) async fn describe(&mut self, template: &Template, call: &Call<'_>, format: Format) -> Done {
        Ok(self.described(template, call).await.map(|it| self.put_rows(&it.columns, &it.rows, format)))
    }

    /// The answer, and with it the columns for a prepare.
    pub(crate) async fn described(
        &mut self,
        template: &Template,
        call: &Call<'_>,
    ) -> Result<Described, Problem> {
        let Body::Show(show) = &template.statement().body else {
            return Err(Problem::unsupported("a description of anything but a table"));
        };
        let plan = template.bind(call).map_err(|error| Problem::plan(&error, call.text))?;
        let database = template.database().ok_or_else(Problem::no_database)?;
        let (Some(route), Some(table)) = (plan.units.first(), template.statement().tables.first()) else {
            return Err(Problem::no_database());
        };
        let unit = database.units.get_index(usize::from(route.unit)).map(|(_, unit)| unit);
        let unit = unit.ok_or_else(Problem::no_database)?;
        let rule = database.sharding.table(&table.name);
        let node = rule.and_then(|rule| rule.nodes.get(route.node.unwrap_or_default() as usize));
        let names = Names {
            physical: node.map_or(table.name.as_str(), |node| node.table.as_str()),
            logical: rule.map_or(table.name.as_str(), |rule| rule.spec.name.as_str()),
            schema: &database.name,
        };
        let text = if show.filtered {
            if self.state.mode.ansi_quotes {
                return Err(Problem::unsupported("SHOW … WHERE with sql_mode ANSI_QUOTES"));
            }
            let mut text = Vec::new();
            template.render(call, route, &mut text);
            String::from_utf8_lossy(&text).into_owned()
        } else {
            question(show, names.physical)
        };
        let mut connection = self.lend(unit).await?;
        // The answer is read below: it must come in the standard form.
        connection.apply(&Settings::default()).await.map_err(|error| Problem::backend(&error))?;
        let result = connection.query(&text).await.map_err(|error| Problem::backend(&error))?;
        let mut columns = result.columns;
        for column in &mut columns {
            if !column.schema.is_empty() && *column.schema == *unit.spec.database.as_bytes() {
                column.schema = Bytes::copy_from_slice(names.schema.as_bytes());
            }
        }
        let cell = |cell: Option<Bytes>| cell.map(|cell| String::from_utf8_lossy(&cell).into_owned());
        let mut rows: Vec<Vec<Option<String>>> =
            result.rows.into_iter().map(|row| row.into_iter().map(cell).collect()).collect();
        for row in &mut rows {
            tell(show.what, row, &names);
        }
        Ok(Described { columns, rows })
    }
}

/// What the server is asked.
fn question(show: &Show, physical: &str) -> String {
    let name = physical.replace('`', "``");
    match show.what {
        ShowWhat::CreateTable => format!("SHOW CREATE TABLE `{name}`"),
        ShowWhat::Index => format!("SHOW INDEX FROM `{name}`"),
        _ => format!("SHOW {}COLUMNS FROM `{name}`", if show.full { "FULL " } else { "" }),
    }
}

/// Puts logical names into a row.
fn tell(what: ShowWhat, row: &mut [Option<String>], names: &Names<'_>) {
    match (what, row) {
        (ShowWhat::CreateTable, [table, text, ..]) => {
            *table = Some(names.logical.to_owned());
            let head = format!("CREATE TABLE `{}`", names.physical.replace('`', "``"));
            if let Some(text) = text
                && let Some(rest) = text.strip_prefix(&head)
            {
                *text = format!("CREATE TABLE `{}`{rest}", names.logical.replace('`', "``"));
            }
        }
        (ShowWhat::Index, [table, ..]) => *table = Some(names.logical.to_owned()),
        _ => {}
    }
}
