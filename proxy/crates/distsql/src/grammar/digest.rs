//! Figures of statements by digest.

use super::Read;
use crate::ast::Statement as Any;
use crate::ast::digest::Statement;
use crate::cursor::Cursor;

pub(crate) fn show(cursor: &mut Cursor<'_>) -> Read {
    let (database, like) = cursor.listing()?;
    let limit = if cursor.accept("LIMIT") { Some(cursor.integer()?) } else { None };
    Ok(Any::Digest(Statement::Show { database, like, limit }))
}

pub(crate) fn reset(_: &mut Cursor<'_>) -> Read {
    Ok(Any::Digest(Statement::Reset))
}
