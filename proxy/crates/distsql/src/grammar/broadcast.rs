//! Broadcast tables (`distsql.md` §3, §9).

use sql::lexer::TokenKind;

use super::Read;
use crate::ast::Statement as Any;
use crate::ast::broadcast::Statement;
use crate::cursor::Cursor;

pub(crate) fn count(cursor: &mut Cursor<'_>) -> Read {
    Ok(Any::Broadcast(Statement::Count { database: cursor.from()? }))
}

pub(crate) fn create(cursor: &mut Cursor<'_>) -> Read {
    let if_not_exists = cursor.if_not_exists();
    Ok(Any::Broadcast(Statement::Create { if_not_exists, tables: cursor.names("a table")? }))
}

/// `CREATE SHARDING BROADCAST TABLE RULES (t1, t2)` of releases up to 5.2.
pub(crate) fn create_old(cursor: &mut Cursor<'_>) -> Read {
    let tables = cursor.group(|cursor| cursor.name("a table"))?;
    Ok(Any::Broadcast(Statement::Create { if_not_exists: false, tables }))
}

pub(crate) fn drop(cursor: &mut Cursor<'_>) -> Read {
    let if_exists = cursor.if_exists();
    Ok(Any::Broadcast(Statement::Drop { if_exists, tables: Some(cursor.names("a table")?) }))
}

/// `DROP SHARDING BROADCAST TABLE RULES [t1, t2]` of releases up to 5.2.
pub(crate) fn drop_old(cursor: &mut Cursor<'_>) -> Read {
    let if_exists = cursor.if_exists();
    let tables = if cursor.finished() {
        None
    } else if cursor.sees_sign(TokenKind::LeftParen) {
        Some(cursor.group(|cursor| cursor.name("a table"))?)
    } else {
        Some(cursor.names("a table")?)
    };
    Ok(Any::Broadcast(Statement::Drop { if_exists, tables }))
}

pub(crate) fn show(cursor: &mut Cursor<'_>) -> Read {
    Ok(Any::Broadcast(Statement::Show { database: cursor.from()? }))
}
