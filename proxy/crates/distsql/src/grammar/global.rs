//! Rules that belong to no database (`distsql.md` §10).

use super::Read;
use crate::ast::Statement as Any;
use crate::ast::global::Statement;
use crate::cursor::Cursor;

pub(crate) fn show_authority(_: &mut Cursor<'_>) -> Read {
    Ok(Any::Global(Statement::ShowAuthority))
}

pub(crate) fn show_parser(_: &mut Cursor<'_>) -> Read {
    Ok(Any::Global(Statement::ShowParser))
}

pub(crate) fn show_transaction(_: &mut Cursor<'_>) -> Read {
    Ok(Any::Global(Statement::ShowTransaction))
}
