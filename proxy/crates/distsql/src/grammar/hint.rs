//! Hints of the session (`distsql.md` §10).

use sql::lexer::TokenKind;

use super::Read;
use crate::ast::Statement as Any;
use crate::ast::hint::Statement;
use crate::ast::sharding::Level;
use crate::cursor::Cursor;

pub(crate) fn add_sharding(cursor: &mut Cursor<'_>) -> Read {
    let level = if cursor.accept("DATABASE_VALUE") {
        Level::Database
    } else {
        if !cursor.accept("TABLE_VALUE") {
            return Err(cursor.expected("DATABASE_VALUE or TABLE_VALUE"));
        }
        Level::Table
    };
    let table = cursor.name("a table")?;
    cursor.sign(TokenKind::Equal)?;
    Ok(Any::Hint(Statement::AddSharding { level, table, value: cursor.literal()? }))
}

pub(crate) fn clear(_: &mut Cursor<'_>) -> Read {
    Ok(Any::Hint(Statement::Clear))
}

pub(crate) fn clear_readwrite(_: &mut Cursor<'_>) -> Read {
    Ok(Any::Hint(Statement::ClearReadwrite))
}

pub(crate) fn clear_sharding(_: &mut Cursor<'_>) -> Read {
    Ok(Any::Hint(Statement::ClearSharding))
}

pub(crate) fn set_readwrite(cursor: &mut Cursor<'_>) -> Read {
    cursor.assignment("SOURCE")?;
    Ok(Any::Hint(Statement::SetReadwrite { source: cursor.name_or_string("write or auto")? }))
}

pub(crate) fn set_sharding(cursor: &mut Cursor<'_>) -> Read {
    cursor.assignment("DATABASE_VALUE")?;
    Ok(Any::Hint(Statement::SetSharding { value: cursor.literal()? }))
}

pub(crate) fn show_readwrite(_: &mut Cursor<'_>) -> Read {
    Ok(Any::Hint(Statement::ShowReadwrite))
}

pub(crate) fn show_sharding(_: &mut Cursor<'_>) -> Read {
    Ok(Any::Hint(Statement::ShowSharding))
}
