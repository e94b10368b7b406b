//! Data definition on sharded tables: every data node, the same statement on each.

use sql::{Ddl, DdlKind};

use crate::error::{Error, Refused};
use crate::plan::{Merge, Rows};
use crate::route::Route;
use crate::scope::{Home, Scope};

/// Where it goes.
pub(crate) fn route(scope: &Scope<'_>, rule: u16, ddl: &Ddl) -> Result<Route, Error> {
    let refuse = |what| Err(Error::Sharded { what, table: scope.name(rule) });
    if ddl.temporary {
        return refuse(Refused::Temporary);
    }
    match ddl.kind {
        DdlKind::RenameTable => return Err(Error::Rename(scope.name(rule))),
        DdlKind::CreateTableFrom => return refuse(Refused::CreateFrom),
        DdlKind::CreateDatabase | DdlKind::DropDatabase => return Ok(Route::Session),
        DdlKind::Other => return refuse(Refused::Other(words(scope))),
        DdlKind::AlterTable | DdlKind::CreateTable => {
            if names_constraint(scope) || scope.homes.len() > 1 {
                return refuse(Refused::ForeignKey);
            }
        }
        DdlKind::CreateIndex
        | DdlKind::DropIndex
        | DdlKind::DropTable
        | DdlKind::Maintain
        | DdlKind::TruncateTable => {
            if scope.homes.len() > 1 {
                return refuse(Refused::DropSeveral);
            }
        }
    }
    // `ANALYZE` and the like answer in rows, which name the physical tables.
    let merge = if ddl.kind == DdlKind::Maintain { Merge::Rows(Rows::default()) } else { Merge::First };
    match scope.homes.first() {
        Some(Home::Sharded(rule)) => Ok(Route::Every(scope.layout(*rule)?, merge)),
        _ => refuse(Refused::Other(words(scope))),
    }
}

/// The first two words of the statement.
fn words(scope: &Scope<'_>) -> String {
    let words: Vec<_> = scope.text.split_ascii_whitespace().take(2).collect();
    words.join(" ").to_ascii_uppercase()
}

/// Whether it has a `FOREIGN KEY`, or names a `CHECK`: such names are unique per schema, not per table, and a foreign
/// key would point to a table that other nodes do not have.
fn names_constraint(scope: &Scope<'_>) -> bool {
    let Ok(tokens) = sql::lexer::tokens(scope.text, sql::Mode::default()) else { return true };
    let mut named = false;
    for (number, token) in tokens.iter().enumerate() {
        if token.is_any(scope.text, &["REFERENCES", "FOREIGN"]) {
            return true;
        }
        if token.is(scope.text, "CONSTRAINT") {
            named = tokens
                .get(number + 1)
                .is_some_and(|next| !next.is_any(scope.text, &["CHECK", "PRIMARY", "UNIQUE"]));
            continue;
        }
        if named && token.is(scope.text, "CHECK") {
            return true;
        }
        if token.is_any(scope.text, &["PRIMARY", "UNIQUE"]) {
            named = false;
        }
    }
    false
}
