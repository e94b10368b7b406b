//! Broadcast tables: read anywhere, written everywhere.

use sql::{Block, Body, Ddl, DdlKind, Modify, Role};

use crate::error::{Error, Refused};
use crate::plan::Merge;
use crate::route::Route;
use crate::scope::{Home, Scope};
use crate::write;

/// Functions that each server answers otherwise.
const RANDOM: [&str; 6] = ["CONNECTION_ID", "RAND", "RANDOM_BYTES", "SYSDATE", "UUID", "UUID_SHORT"];

/// Where a statement with this broadcast table and no sharded one goes.
pub(crate) fn route(scope: &Scope<'_>, mention: usize) -> Result<Route, Error> {
    let table = scope.statement.tables.get(mention).map(|table| table.name.clone()).unwrap_or_default();
    let refuse = |what| Err(Error::Broadcast { what, table: table.clone() });
    match &scope.statement.body {
        Body::Call => refuse(Refused::Call),
        Body::Ddl(ddl) => defined(scope, ddl, table.clone()),
        Body::Delete(modify) | Body::Update(modify) => modified(scope, modify, table.clone()),
        Body::Insert(insert) if is_broadcast(scope, usize::from(insert.table)) => {
            written(scope, table.clone())
        }
        Body::Other(words) => refuse(Refused::Other(words.clone())),
        _ => {
            let first = || scope.database.sources.visible().next().unwrap_or_default();
            Ok(Route::Source(scope.source()?.unwrap_or_else(first)))
        }
    }
}

fn is_broadcast(scope: &Scope<'_>, mention: usize) -> bool {
    scope.homes.get(mention) == Some(&Home::Broadcast)
}

fn everywhere(scope: &Scope<'_>, merge: Merge) -> Route {
    Route::Sources(scope.database.sources.visible().collect(), merge)
}

fn defined(scope: &Scope<'_>, ddl: &Ddl, table: String) -> Result<Route, Error> {
    let alike = scope.homes.iter().all(|home| *home == Home::Broadcast);
    let makes = matches!(ddl.kind, DdlKind::AlterTable | DdlKind::CreateTable | DdlKind::CreateTableFrom);
    let what = if ddl.temporary {
        Refused::Temporary
    } else if ddl.kind == DdlKind::RenameTable {
        Refused::Other("RENAME TABLE".to_owned())
    } else if makes && !is_broadcast(scope, 0) || ddl.kind == DdlKind::Other && is_view(scope) {
        // What is on one source finds the same rows there as anywhere.
        let any = scope.database.default_source().unwrap_or_default();
        return Ok(Route::Source(scope.source()?.unwrap_or(any)));
    } else if !alike {
        Refused::Others
    } else if makes && scope.reads_state() {
        Refused::SessionState
    } else if makes && calls_random(scope) {
        Refused::Random
    } else {
        return Ok(everywhere(scope, Merge::First));
    };
    Err(Error::Broadcast { what, table })
}

/// Whether it defines a view.
fn is_view(scope: &Scope<'_>) -> bool {
    let Ok(tokens) = sql::lexer::tokens(scope.text, scope.mode) else { return false };
    let mut words = tokens.iter().take_while(|token| !token.is(scope.text, "AS"));
    let others = ["EVENT", "FUNCTION", "PROCEDURE", "TRIGGER"];
    !words.clone().any(|word| word.is_any(scope.text, &others))
        && words.any(|word| word.is(scope.text, "VIEW"))
}

fn modified(scope: &Scope<'_>, modify: &Modify, table: String) -> Result<Route, Error> {
    let targets = write::targets(scope, modify);
    let changed = targets.iter().filter(|mention| is_broadcast(scope, **mention)).count();
    let alone = scope.homes.iter().all(|home| *home == Home::Broadcast);
    if modify.multi && changed > 0 && !(alone && changed == targets.len()) {
        let names = scope.statement.tables.iter().map(|table| table.name.clone());
        return Err(Error::MultiTable(names.collect()));
    }
    if changed > 0 {
        return written(scope, table);
    }
    Ok(Route::Source(scope.source()?.unwrap_or_default()))
}

/// The same change on every source.
fn written(scope: &Scope<'_>, table: String) -> Result<Route, Error> {
    let what = if scope.homes.iter().any(|home| *home != Home::Broadcast) {
        Refused::Others
    } else if scope.reads_state() {
        Refused::SessionState
    } else if calls_random(scope) {
        Refused::Random
    } else if takes_any_rows(scope) {
        Refused::Inner("LIMIT without ORDER BY")
    } else {
        return Ok(everywhere(scope, Merge::Same));
    };
    Err(Error::Broadcast { what, table })
}

/// Whether each server decides by itself which rows of many it takes.
fn takes_any_rows(scope: &Scope<'_>) -> bool {
    let own = match &scope.statement.body {
        Body::Delete(modify) | Body::Update(modify) => modify.limited && !modify.ordered,
        _ => false,
    };
    let inner = |block: &Block| block.shape.limited && !block.shape.ordered && block.role != Role::Exists;
    own || scope.statement.blocks.iter().any(inner)
}

/// Whether it calls a function that each server answers otherwise.
pub(crate) fn calls_random(scope: &Scope<'_>) -> bool {
    let Ok(tokens) = sql::lexer::tokens(scope.text, sql::Mode::default()) else { return true };
    tokens
        .windows(2)
        .any(|pair| pair[0].is_any(scope.text, &RANDOM) && pair[1].kind == sql::lexer::TokenKind::LeftParen)
}
