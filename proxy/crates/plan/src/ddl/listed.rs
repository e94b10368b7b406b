//! `DROP TABLE` of several tables, `ANALYZE TABLE` and the like: each table where it is, in one statement a source, so
//! that a server does all of its part or nothing.

use sql::{Ddl, DdlKind, Span};

use super::quoted;
use crate::error::{Error, Refused};
use crate::plan::Merge;
use crate::route::Route;
use crate::scope::{Home, Scope};
use crate::text::{Edits, Op};

/// Where it goes; nothing for a statement that is routed by one table.
pub(crate) fn route(scope: &Scope<'_>, ddl: &Ddl) -> Result<Option<Route>, Error> {
    let sharded = scope.sharded().next();
    let merge = match ddl.kind {
        DdlKind::DropTable if scope.homes.len() > 1 => Merge::First,
        // Its rows name tables, and the database that they are in.
        DdlKind::Maintain if sharded.is_some() || scope.is_called_otherwise() || scope.homes.len() > 1 => {
            Merge::Tables
        }
        DdlKind::Checksum => return checksum(scope),
        _ => return Ok(None),
    };
    if ddl.temporary || scope.statement.unparsed.is_some() {
        return Ok(None);
    }
    let is_handed_on = merge == Merge::First || !scope.is_called_otherwise();
    if sharded.is_none() && is_handed_on {
        let in_one_place = scope.homes.iter().all(|home| *home != Home::Broadcast)
            && (scope.source().is_ok() || scope.database.sources.only().is_some());
        if in_one_place {
            return Ok(None);
        }
    }
    if let ([Home::Sharded(rule)], Merge::Tables) = (scope.homes.as_slice(), &merge)
        && sql::lexer::tokens(scope.text, scope.mode)?.iter().any(|it| it.is(scope.text, "HISTOGRAM"))
    {
        // Of one table only.
        return Ok(Some(Route::Every(scope.layout(*rule)?, merge)));
    }
    if scope.homes.iter().all(|home| *home == Home::Foreign) {
        return Ok(None);
    }
    if scope.homes.contains(&Home::Foreign) {
        return Err(Error::DifferentUnits(
            scope.statement.tables.iter().map(|table| table.name.clone()).collect(),
        ));
    }
    if ddl.kind == DdlKind::DropTable && !ddl.guarded {
        all_there(scope)?;
    }
    let lists = lists(scope)?;
    let sources = (0..).zip(&lists).filter(|(_, list)| !list.is_empty()).map(|(source, _)| source);
    Ok(Some(Route::Sources(sources.collect(), merge)))
}

/// `CHECKSUM TABLE`: of broadcast tables any source has the rows; those of shards do not add up.
fn checksum(scope: &Scope<'_>) -> Result<Option<Route>, Error> {
    if let Some((_, rule)) = scope.sharded().next() {
        let what = Refused::Other("CHECKSUM TABLE".to_owned());
        return Err(Error::Sharded { what, table: scope.name(rule) });
    }
    if scope.statement.unparsed.is_some() || scope.homes.contains(&Home::Foreign) {
        return Ok(None);
    }
    let any = scope.database.default_source().unwrap_or_default();
    Ok(Some(Route::Sources(Box::new([scope.source()?.unwrap_or(any)]), Merge::Tables)))
}

/// A server drops either all or none: where there are several, what is missing is found out before.
fn all_there(scope: &Scope<'_>) -> Result<(), Error> {
    let missing = |name: &str| scope.database.table(name).is_none();
    let tables: Vec<_> = scope.statement.tables.iter().map(|table| table.name.clone()).collect();
    let tables: Vec<_> = tables.into_iter().filter(|name| missing(name)).collect();
    if tables.is_empty() {
        return Ok(());
    }
    Err(Error::UnknownTables { database: scope.database.name.clone(), tables })
}

/// For each source the tables that the statement means there.
fn lists(scope: &Scope<'_>) -> Result<Vec<String>, Error> {
    let sources = &scope.database.sources;
    let count = sources.visible().max().map_or(0, |last| usize::from(last) + 1);
    let mut lists = vec![String::new(); count];
    let mut add = |source: u16, name: &str| {
        if let Some(list) = lists.get_mut(usize::from(source)) {
            let separator = if list.is_empty() { "" } else { ", " };
            list.push_str(&format!("{separator}{}", quoted(name)));
        }
    };
    for (home, table) in scope.homes.iter().zip(&scope.statement.tables) {
        match home {
            Home::Broadcast => sources.visible().for_each(|source| add(source, &table.name)),
            Home::Sharded(rule) => {
                let nodes = scope.rule(*rule).into_iter().flat_map(|rule| &rule.nodes);
                for (source, node) in scope.layout(*rule)?.sources.iter().zip(nodes) {
                    add(*source, &node.table);
                }
            }
            Home::Single(source) => add(*source, &table.name),
            Home::Foreign | Home::Unknown => {
                add(scope.database.default_source().unwrap_or_default(), &table.name);
            }
        }
    }
    Ok(lists)
}

/// Puts each source's tables in the place of the client's.
pub(super) fn edit(scope: &Scope<'_>, edits: &mut Edits) -> Result<(), Error> {
    let tables = &scope.statement.tables;
    let (Some(first), Some(last)) = (tables.first(), tables.last()) else { return Ok(()) };
    let lists: Box<[Box<str>]> = lists(scope)?.into_iter().map(String::into_boxed_str).collect();
    edits.instead(Span { start: first.span.start, end: last.span.end }, vec![Op::Listed(lists)]);
    Ok(())
}
