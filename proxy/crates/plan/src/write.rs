//! Where changes of rows go: `INSERT`, `REPLACE`, `UPDATE` and `DELETE` of sharded tables.
//!
//! A row never moves: a sharding column is only set to what leaves each row on its node. What changes rows on several
//! nodes is done by each node by itself, so that all it reads must be there: rows of other sharded tables that are tied
//! to its own by their keys, and broadcast tables, which it must not change.

mod bind;
mod insert;

use smallvec::SmallVec;
use sql::{Modify, SetColumn, TableRef};

use crate::error::{Error, Refused};
use crate::route::{Route, Verb, conditional, need_tables};
use crate::scope::{Home, Scope, columns};

pub(crate) use bind::{rows, same_key};
pub(crate) use insert::{RowRoute, inserted, stored_keys};

/// `UPDATE` and `DELETE`.
pub(crate) fn modified(
    scope: &Scope<'_>,
    rule: u16,
    modify: &Modify,
    verb: &'static str,
) -> Result<Route, Error> {
    need_tables(scope)?;
    let several =
        || Error::MultiTable(scope.statement.tables.iter().map(|table| table.name.clone()).collect());
    let targets = targets(scope, modify);
    let home = |mention: &usize| scope.homes.get(*mention).copied().unwrap_or(Home::Unknown);
    if targets.iter().any(|mention| !matches!(home(mention), Home::Sharded(_) | Home::Single(_))) {
        // A change of one server's copy.
        return Err(match scope.statement.tables.first() {
            Some(table) if !modify.multi && scope.homes.first() == Some(&Home::Broadcast) => {
                Error::Broadcast { what: Refused::Others, table: table.name.clone() }
            }
            _ => several(),
        });
    }
    let mut keys = SmallVec::new();
    for set in &modify.set {
        for mention in set_in(scope, set) {
            let Home::Sharded(number) = home(&mention) else { continue };
            let Some((strategy, at)) = key_of(scope, number, &set.column) else { continue };
            if keeps(scope, mention, set) {
                continue;
            }
            let again = keys.iter().any(|(known, place, _)| (*known, *place) == (strategy, at));
            if modify.multi || again {
                return Err(Error::UpdateKey { table: scope.name(number) });
            }
            keys.push((strategy, at, set.value.clone()));
        }
    }
    // With several tables the servers refuse it.
    let alone = if modify.limited && !modify.multi {
        Err(Error::ModifyLimit { verb })
    } else if scope.reads_state() {
        Err(scope.many(rule, Refused::SessionState))
    } else if targets.iter().any(|mention| !matches!(home(mention), Home::Sharded(_))) {
        // Each node would find the same row again.
        Err(if modify.multi { several() } else { scope.many(rule, Refused::Subquery) })
    } else {
        Ok(())
    };
    let mut route = conditional(scope, rule, alone, Verb::Modify { keys })?;
    if let Route::Where(route) = &mut route
        && modify.multi
        && let Err(Error::Many { what, .. }) = &route.alone
        && *what != Refused::SessionState
    {
        route.alone = Err(several());
    }
    Ok(route)
}

/// The mentions that rows are changed of.
pub(crate) fn targets(scope: &Scope<'_>, modify: &Modify) -> Vec<usize> {
    let own = || (0..).zip(&scope.statement.tables).filter(|(_, table)| !table.nested);
    let mut targets = Vec::new();
    if !modify.multi {
        targets.extend(own().next().map(|(mention, _)| mention));
    }
    for target in &modify.targets {
        targets.extend(own().filter(|(_, table)| is_called(table, target)).map(|(mention, _)| mention));
    }
    if modify.multi {
        targets.extend(modify.set.iter().flat_map(|set| set_in(scope, set)));
    }
    targets
}

/// The mentions whose column an assignment may set.
fn set_in(scope: &Scope<'_>, set: &SetColumn) -> Vec<usize> {
    let may_be = |(_, table): &(usize, &TableRef)| match &set.owner {
        Some(owner) => is_called(table, owner),
        None => {
            let known = columns(scope.database, &table.name);
            known.is_empty() || known.iter().any(|column| column.name.eq_ignore_ascii_case(&set.column))
        }
    };
    let own = (0..).zip(&scope.statement.tables).filter(|(_, table)| !table.nested);
    own.filter(may_be).map(|(mention, _)| mention).collect()
}

fn is_called(table: &TableRef, name: &str) -> bool {
    table.alias.as_ref().unwrap_or(&table.name).eq_ignore_ascii_case(name)
}

/// Which column of which strategy of a table this is.
fn key_of(scope: &Scope<'_>, rule: u16, column: &str) -> Option<(usize, usize)> {
    let strategies = scope.rule(rule)?.strategies.iter().enumerate();
    let mut places = strategies.flat_map(|(number, strategy)| {
        let columns = strategy.columns.iter().enumerate();
        columns.map(move |(at, name)| ((number, at), name))
    });
    places.find(|(_, name)| name.eq_ignore_ascii_case(column)).map(|(place, _)| place)
}

/// Whether an assignment gives a column of this mention the value that it has.
fn keeps(scope: &Scope<'_>, mention: usize, set: &SetColumn) -> bool {
    let (Some(from), Some(table)) = (&set.from, scope.statement.tables.get(mention)) else { return false };
    from.name.eq_ignore_ascii_case(&set.column)
        && match (&set.owner, &from.owner) {
            (_, Some(owner)) => is_called(table, owner),
            (None, None) => true,
            // Another table's column of that name would be ambiguous.
            (Some(_), None) => true,
        }
}
