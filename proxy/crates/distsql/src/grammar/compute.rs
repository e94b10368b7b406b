//! Nodes of the proxy (`distsql.md` §10).

use super::Read;
use crate::ast::Statement as Any;
use crate::ast::compute::Statement;
use crate::cursor::Cursor;

pub(crate) fn show_info(_: &mut Cursor<'_>) -> Read {
    Ok(Any::Compute(Statement::ShowInfo))
}

pub(crate) fn show_mode(_: &mut Cursor<'_>) -> Read {
    Ok(Any::Compute(Statement::ShowMode))
}

pub(crate) fn show_nodes(_: &mut Cursor<'_>) -> Read {
    Ok(Any::Compute(Statement::ShowNodes))
}
