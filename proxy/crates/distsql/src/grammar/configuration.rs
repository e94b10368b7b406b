//! Configuration as a file (`distsql.md` §10).

use sql::lexer::TokenKind;

use super::Read;
use crate::ast::Statement as Any;
use crate::ast::configuration::Statement;
use crate::cursor::Cursor;
use crate::error::Error;

pub(crate) fn convert(cursor: &mut Cursor<'_>) -> Read {
    Ok(Any::Configuration(Statement::Convert { file: source(cursor)? }))
}

/// `[FROM db] [TO FILE "path"]`; up to 5.2 `[FROM db] [, FILE = "path"]`.
pub(crate) fn export(cursor: &mut Cursor<'_>) -> Read {
    let database = cursor.from()?;
    let file = if cursor.accept("TO") {
        cursor.keyword("FILE")?;
        Some(cursor.string()?)
    } else if cursor.accept_sign(TokenKind::Comma) || cursor.sees("FILE") {
        cursor.assignment("FILE")?;
        Some(cursor.string()?)
    } else {
        None
    };
    Ok(Any::Configuration(Statement::Export { database, file }))
}

pub(crate) fn import(cursor: &mut Cursor<'_>) -> Read {
    Ok(Any::Configuration(Statement::Import { file: source(cursor)? }))
}

/// `FROM FILE "path"`; up to 5.2 `FILE = "path"`.
fn source(cursor: &mut Cursor<'_>) -> Result<String, Error> {
    if cursor.accept("FROM") {
        cursor.keyword("FILE")?;
    } else if cursor.sees("FILE") {
        cursor.assignment("FILE")?;
    } else {
        return Err(cursor.expected("FROM FILE"));
    }
    cursor.string()
}
