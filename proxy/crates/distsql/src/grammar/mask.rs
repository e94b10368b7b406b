//! Masking (`distsql.md` §8).

use sql::lexer::TokenKind;

use super::Read;
use crate::ast::Statement as Any;
use crate::ast::mask::{Column, Rule, Statement};
use crate::cursor::Cursor;
use crate::error::Error;

pub(crate) fn alter(cursor: &mut Cursor<'_>) -> Read {
    Ok(Any::Mask(Statement::Alter { rules: cursor.list(rule)? }))
}

pub(crate) fn count(cursor: &mut Cursor<'_>) -> Read {
    Ok(Any::Mask(Statement::Count { database: cursor.from()? }))
}

pub(crate) fn create(cursor: &mut Cursor<'_>) -> Read {
    let if_not_exists = cursor.if_not_exists();
    Ok(Any::Mask(Statement::Create { if_not_exists, rules: cursor.list(rule)? }))
}

pub(crate) fn drop(cursor: &mut Cursor<'_>) -> Read {
    let if_exists = cursor.if_exists();
    Ok(Any::Mask(Statement::Drop { if_exists, names: cursor.names("a table")? }))
}

pub(crate) fn show(cursor: &mut Cursor<'_>) -> Read {
    Ok(Any::Mask(Statement::Show { table: None, database: cursor.from()? }))
}

pub(crate) fn show_one(cursor: &mut Cursor<'_>) -> Read {
    Ok(Any::Mask(Statement::Show { table: Some(cursor.name("a table")?), database: cursor.from()? }))
}

fn rule(cursor: &mut Cursor<'_>) -> Result<Rule, Error> {
    let table = cursor.name("a table")?;
    cursor.sign(TokenKind::LeftParen)?;
    cursor.keyword("COLUMNS")?;
    let columns = cursor.group(|cursor| cursor.within(column))?;
    cursor.sign(TokenKind::RightParen)?;
    Ok(Rule { table, columns })
}

fn column(cursor: &mut Cursor<'_>) -> Result<Column, Error> {
    cursor.assignment("NAME")?;
    let name = cursor.name("a column")?;
    cursor.comma()?;
    Ok(Column { name, algorithm: cursor.algorithm()? })
}
