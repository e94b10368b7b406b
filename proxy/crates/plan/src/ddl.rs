//! Data definition on sharded tables: every data node, the same statement on each.
//!
//! [`constraint`] gives constraints the names that they have on a node, and says which foreign keys can be kept by the
//! nodes; [`listed`] plans statements about a list of tables.

mod constraint;
mod listed;

use sql::{BlockKind, Change, Ddl, DdlKind, Define, Role, Use};

use crate::error::{Error, Refused};
use crate::plan::Merge;
use crate::route::Route;
use crate::scope::{Home, Scope, columns};
use crate::text::{Edits, Op, put_name};

pub(crate) use listed::route as listed;

/// A server's limit for the names of tables and constraints, in characters.
const NAME: usize = 64;

/// Where it goes.
pub(crate) fn route(scope: &Scope<'_>, rule: u16, ddl: &Ddl) -> Result<Route, Error> {
    let refuse = |what| Err(Error::Sharded { what, table: scope.name(rule) });
    if ddl.temporary {
        return refuse(Refused::Temporary);
    }
    match ddl.kind {
        DdlKind::CreateDatabase | DdlKind::DropDatabase => return Ok(Route::Session),
        DdlKind::RenameTable => return Err(Error::Rename(scope.name(rule))),
        DdlKind::CreateTableFrom => return copied(scope, rule),
        DdlKind::AlterTable | DdlKind::CreateTable => {
            if !matches!(scope.homes.first(), Some(Home::Sharded(_))) {
                return refuse(Refused::ForeignKey);
            }
            constraint::check(scope, rule)?;
            key_columns(scope, rule)?;
        }
        DdlKind::CreateIndex | DdlKind::DropIndex | DdlKind::DropTable | DdlKind::TruncateTable => {}
        DdlKind::Checksum | DdlKind::Maintain | DdlKind::Other => {
            return refuse(Refused::Other(words(scope)));
        }
    }
    if ddl.kind == DdlKind::CreateTable {
        names_fit(scope, rule)?;
    }
    Ok(Route::Every(scope.layout(rule)?, Merge::First))
}

/// `CREATE TABLE … LIKE`: each node copies a table beside it. The rows of a query would have to be dealt out.
fn copied(scope: &Scope<'_>, rule: u16) -> Result<Route, Error> {
    let refuse = || Err(Error::Sharded { what: Refused::CreateFrom, table: scope.name(rule) });
    if scope.statement.blocks.iter().any(|block| block.role == Role::Stored || block.kind != BlockKind::Other)
    {
        return refuse();
    }
    match scope.homes.as_slice() {
        [Home::Sharded(new), Home::Broadcast] => {
            names_fit(scope, *new)?;
            Ok(Route::Every(scope.layout(*new)?, Merge::First))
        }
        [Home::Sharded(new), Home::Sharded(old)] if is_alike(scope, *new, *old) => {
            names_fit(scope, *new)?;
            Ok(Route::Every(scope.layout(*new)?, Merge::First))
        }
        [Home::Single(_) | Home::Unknown, Home::Sharded(old)] => {
            let source = scope.source()?.or_else(|| scope.database.default_source()).unwrap_or_default();
            let sources = scope.layout(*old)?.sources;
            if sources.contains(&source) { Ok(Route::Source(source)) } else { refuse() }
        }
        _ => refuse(),
    }
}

fn is_alike(scope: &Scope<'_>, one: u16, other: u16) -> bool {
    one == other || scope.rule(one).zip(scope.rule(other)).is_some_and(|(one, other)| one.is_alike(other))
}

/// Whether every node's table can be called so: found out here rather than when some nodes have theirs.
fn names_fit(scope: &Scope<'_>, rule: u16) -> Result<(), Error> {
    let mut nodes = scope.rule(rule).into_iter().flat_map(|table| &table.nodes);
    match nodes.find(|node| node.table.chars().count() > NAME) {
        Some(node) => Err(Error::NameTooLong(node.table.clone())),
        None => Ok(()),
    }
}

/// Refuses to drop, rename or convert a column by which rows have been dealt out.
fn key_columns(scope: &Scope<'_>, rule: u16) -> Result<(), Error> {
    let Some(table) = scope.rule(rule) else { return Ok(()) };
    let known = columns(scope.database, &table.spec.name);
    for used in &scope.statement.uses {
        let Use::Define(define) = &used.place else { continue };
        if !table.columns().any(|column| column.eq_ignore_ascii_case(&used.name)) {
            continue;
        }
        let change = match define.change {
            Change::Drop => Some("DROP COLUMN"),
            Change::RenameFrom => Some("RENAME COLUMN"),
            Change::ChangeFrom if renames(scope, define, &used.name) => Some("CHANGE COLUMN"),
            Change::ChangeFrom | Change::Modify => {
                let Some(column) = known.iter().find(|it| it.name.eq_ignore_ascii_case(&used.name)) else {
                    let tables = vec![table.spec.name.clone()];
                    return Err(Error::NeedTables { database: scope.database.name.clone(), tables });
                };
                let converted = !is_of_kind(scope, define, &column.data_type);
                converted.then_some("another type")
            }
            Change::Add | Change::After | Change::ChangeTo | Change::RenameTo | Change::Set => None,
        };
        if let Some(change) = change {
            let what = Refused::KeyColumn { change, column: used.name.clone() };
            return Err(Error::Sharded { what, table: scope.name(rule) });
        }
    }
    Ok(())
}

/// Whether a `CHANGE` gives the column another name.
fn renames(scope: &Scope<'_>, define: &Define, name: &str) -> bool {
    let mut others = scope.statement.uses.iter();
    others.any(|other| match &other.place {
        Use::Define(it) => {
            it.change == Change::ChangeTo && it.span == define.span && !other.name.eq_ignore_ascii_case(name)
        }
        _ => false,
    })
}

/// Whether the new type of a column holds the same values as the one it has: they decide where rows are.
fn is_of_kind(scope: &Scope<'_>, define: &Define, known: &str) -> bool {
    let kind = |name: &str| match name {
        "tinyint" | "smallint" | "mediumint" | "int" | "integer" | "bigint" => "integer".to_owned(),
        "varchar" | "varcharacter" | "nvarchar" => "varchar".to_owned(),
        "dec" | "decimal" | "fixed" | "numeric" => "decimal".to_owned(),
        other => other.to_owned(),
    };
    let text = define.definition.map(|span| span.text(scope.text, scope.slots)).unwrap_or_default();
    let word: String = text.chars().take_while(char::is_ascii_alphanumeric).collect();
    kind(&word.to_ascii_lowercase()) == kind(known)
}

/// Pass *edit*: the names of constraints, and lists of tables.
pub(crate) fn edit(scope: &Scope<'_>, route: &Route, edits: &mut Edits) -> Result<(), Error> {
    let sql::Body::Ddl(ddl) = &scope.statement.body else { return Ok(()) };
    match (ddl.kind, route) {
        (DdlKind::AlterTable | DdlKind::CreateTable, Route::Every(layout, _)) => {
            constraint::rename(scope, layout.rule, edits)
        }
        (DdlKind::DropTable | DdlKind::Maintain, Route::Sources(..)) => listed::edit(scope, edits),
        (DdlKind::CreateTableFrom, Route::Source(source)) => {
            // A table on one source is made like the first node there.
            if let [_, Home::Sharded(old)] = scope.homes.as_slice()
                && let Some(table) = scope.statement.tables.get(1)
                && let Some(name) = scope.database.sources.name(*source)
                && let Some(rule) = scope.rule(*old)
                && let Some(node) = rule.nodes.iter().find(|node| node.unit == name)
            {
                edits.instead(table.span, vec![Op::Literal(quoted(&node.table).into())]);
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

fn quoted(name: &str) -> String {
    let mut out = Vec::new();
    put_name(name, true, &mut out);
    String::from_utf8_lossy(&out).into_owned()
}

/// The first two words of the statement.
fn words(scope: &Scope<'_>) -> String {
    let tokens = sql::lexer::Lexer::new(scope.text, scope.mode).filter_map(Result::ok);
    let words = tokens.filter(|token| token.kind == sql::lexer::TokenKind::Word).take(2);
    let words: Vec<_> = words.map(|token| token.text(scope.text).to_ascii_uppercase()).collect();
    words.join(" ")
}
