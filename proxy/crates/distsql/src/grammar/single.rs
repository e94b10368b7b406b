//! Single tables (`distsql.md` §7, §9).

use sql::lexer::TokenKind;

use super::Read;
use crate::ast::Statement as Any;
use crate::ast::single::{Pattern, Statement};
use crate::cursor::Cursor;
use crate::error::Error;

pub(crate) fn count(cursor: &mut Cursor<'_>) -> Read {
    Ok(Any::Single(Statement::Count { database: cursor.from()? }))
}

pub(crate) fn load(cursor: &mut Cursor<'_>) -> Read {
    Ok(Any::Single(Statement::Load { patterns: cursor.list(pattern)? }))
}

pub(crate) fn set_default(cursor: &mut Cursor<'_>) -> Read {
    cursor.sign(TokenKind::Equal)?;
    let unit = if cursor.accept("RANDOM") { None } else { Some(cursor.name("a storage unit or RANDOM")?) };
    Ok(Any::Single(Statement::SetDefault { unit }))
}

/// `CREATE DEFAULT SINGLE TABLE RULE RESOURCE = x`, `ALTER …` of releases up to 5.2.
pub(crate) fn set_default_old(cursor: &mut Cursor<'_>) -> Read {
    cursor.assignment("RESOURCE")?;
    Ok(Any::Single(Statement::SetDefault { unit: Some(cursor.name("a storage unit")?) }))
}

/// `DROP DEFAULT SINGLE TABLE RULE` of releases up to 5.2.
pub(crate) fn drop_default_old(cursor: &mut Cursor<'_>) -> Read {
    cursor.if_exists();
    Ok(Any::Single(Statement::SetDefault { unit: None }))
}

pub(crate) fn show(cursor: &mut Cursor<'_>) -> Read {
    let (database, like) = cursor.listing()?;
    Ok(Any::Single(Statement::Show { table: None, database, like }))
}

pub(crate) fn show_one(cursor: &mut Cursor<'_>) -> Read {
    let table = Some(cursor.name("a table")?);
    Ok(Any::Single(Statement::Show { table, database: cursor.from()?, like: None }))
}

pub(crate) fn show_default(cursor: &mut Cursor<'_>) -> Read {
    Ok(Any::Single(Statement::ShowDefault { database: cursor.from()? }))
}

/// `[FROM [db] [STORAGE UNIT u]]`.
pub(crate) fn show_unloaded(cursor: &mut Cursor<'_>) -> Read {
    let (mut database, mut unit) = (None, None);
    if cursor.accept("FROM") {
        if !cursor.sees_all(&["STORAGE", "UNIT"]) {
            database = Some(cursor.name("a database or STORAGE UNIT")?);
        }
        if cursor.accept_all(&["STORAGE", "UNIT"]) {
            unit = Some(cursor.name("a storage unit")?);
        }
    }
    Ok(Any::Single(Statement::ShowUnloaded { database, unit }))
}

pub(crate) fn unload(cursor: &mut Cursor<'_>) -> Read {
    let every = cursor.accept_sign(TokenKind::Star);
    let tables = if every { None } else { Some(cursor.names("a table or '*'")?) };
    Ok(Any::Single(Statement::Unload { tables }))
}

pub(crate) fn unload_all(_: &mut Cursor<'_>) -> Read {
    Ok(Any::Single(Statement::Unload { tables: None }))
}

/// `unit.table`, `unit.*`, `*.*`.
fn pattern(cursor: &mut Cursor<'_>) -> Result<Pattern, Error> {
    if cursor.accept_sign(TokenKind::Star) {
        cursor.sign(TokenKind::Dot)?;
        return if cursor.accept_sign(TokenKind::Star) {
            Ok(Pattern::All)
        } else {
            Err(cursor.expected("'*'"))
        };
    }
    let unit = cursor.name("a storage unit or '*'")?;
    cursor.sign(TokenKind::Dot)?;
    if cursor.accept_sign(TokenKind::Star) {
        return Ok(Pattern::Unit(unit));
    }
    Ok(Pattern::Table { unit, table: cursor.name("a table or '*'")? })
}
