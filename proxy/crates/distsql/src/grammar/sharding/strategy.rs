//! Strategies: how storage units, tables, keys and auditors are chosen.

use sql::lexer::TokenKind;

use crate::ast::sharding::{Audit, Auditors, Key, Strategy};
use crate::ast::{Algorithm, Choice};
use crate::cursor::Cursor;
use crate::error::Error;

/// `(TYPE=… [, SHARDING_COLUMN=c | , SHARDING_COLUMNS=c1,c2] [, SHARDING_ALGORITHM(TYPE(…))])`; up to 5.2 also
/// `SHARDING_ALGORITHM=name`.
pub(super) fn strategy(cursor: &mut Cursor<'_>) -> Result<Strategy, Error> {
    cursor.sign(TokenKind::LeftParen)?;
    cursor.assignment("TYPE")?;
    let kind = cursor.name_or_string("a strategy type")?;
    let mut strategy = Strategy { kind, columns: Vec::new(), algorithm: None };
    let mut more = cursor.goes_on()?;
    if more && cursor.sees("SHARDING_COLUMN") {
        cursor.assignment("SHARDING_COLUMN")?;
        strategy.columns.push(cursor.name("a column")?);
        more = cursor.goes_on()?;
    } else if more && cursor.sees("SHARDING_COLUMNS") {
        cursor.assignment("SHARDING_COLUMNS")?;
        while more && !begins_algorithm(cursor) {
            strategy.columns.push(cursor.name("a column")?);
            more = cursor.goes_on()?;
        }
    }
    if more {
        if !cursor.accept("SHARDING_ALGORITHM") {
            return Err(cursor.expected(if strategy.columns.is_empty() {
                "SHARDING_COLUMN, SHARDING_COLUMNS or SHARDING_ALGORITHM"
            } else {
                "SHARDING_ALGORITHM"
            }));
        }
        strategy.algorithm = Some(if cursor.accept_sign(TokenKind::Equal) {
            Choice::Name(cursor.name("an algorithm")?)
        } else {
            Choice::Type(cursor.within(Cursor::algorithm)?)
        });
        cursor.sign(TokenKind::RightParen)?;
    }
    Ok(strategy)
}

/// Whether the columns end here: one of them may be called like the clause.
fn begins_algorithm(cursor: &Cursor<'_>) -> bool {
    cursor.sees("SHARDING_ALGORITHM") && (cursor.then(TokenKind::LeftParen) || cursor.then(TokenKind::Equal))
}

/// `(COLUMN=c, TYPE(…))`; up to 5.2 also `(COLUMN=c, KEY_GENERATOR=name)`.
pub(super) fn key(cursor: &mut Cursor<'_>) -> Result<Key, Error> {
    cursor.within(|cursor| {
        cursor.assignment("COLUMN")?;
        let column = cursor.name("a column")?;
        cursor.comma()?;
        let generator = if cursor.sees("TYPE") {
            Choice::Type(cursor.algorithm()?)
        } else if cursor.sees("KEY_GENERATOR") {
            cursor.assignment("KEY_GENERATOR")?;
            Choice::Name(cursor.name("a key generator")?)
        } else {
            return Err(cursor.expected("TYPE or KEY_GENERATOR"));
        };
        Ok(Key { column, generator })
    })
}

/// `(TYPE(…) {, TYPE(…)}, ALLOW_HINT_DISABLE=…)`; up to 5.2 `(AUDITORS=[a, b], ALLOW_HINT_DISABLE=…)`.
pub(super) fn audit(cursor: &mut Cursor<'_>) -> Result<Audit, Error> {
    cursor.within(|cursor| {
        let auditors = if cursor.sees("AUDITORS") {
            cursor.assignment("AUDITORS")?;
            cursor.sign(TokenKind::LeftBracket)?;
            let names = cursor.names("an auditor")?;
            cursor.sign(TokenKind::RightBracket)?;
            cursor.comma()?;
            Auditors::Named(names)
        } else {
            Auditors::Types(auditors(cursor)?)
        };
        cursor.assignment("ALLOW_HINT_DISABLE")?;
        Ok(Audit { auditors, allow_hint_disable: cursor.boolean()? })
    })
}

/// `TYPE(…), {TYPE(…),}`: what follows is `ALLOW_HINT_DISABLE`.
fn auditors(cursor: &mut Cursor<'_>) -> Result<Vec<Algorithm>, Error> {
    if !cursor.sees("TYPE") {
        return Err(cursor.expected("TYPE or AUDITORS"));
    }
    let mut auditors = Vec::new();
    while cursor.sees("TYPE") {
        auditors.push(cursor.algorithm()?);
        cursor.comma()?;
    }
    if cursor.sees("ALLOW_HINT_DISABLE") {
        Ok(auditors)
    } else {
        Err(cursor.expected("TYPE or ALLOW_HINT_DISABLE"))
    }
}
