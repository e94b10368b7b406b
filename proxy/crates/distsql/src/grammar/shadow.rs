//! Shadow databases (`distsql.md` §6, §9). Names may have dashes in them.

use sql::lexer::TokenKind;

use super::Read;
use crate::ast::shadow::{Named, Rule, Statement, Table};
use crate::ast::{Choice, Statement as Any};
use crate::cursor::Cursor;
use crate::error::Error;

pub(crate) fn alter(cursor: &mut Cursor<'_>) -> Read {
    Ok(Any::Shadow(Statement::Alter { rules: cursor.list(rule)? }))
}

pub(crate) fn alter_default(cursor: &mut Cursor<'_>) -> Read {
    Ok(Any::Shadow(Statement::AlterDefault { algorithm: default(cursor)? }))
}

pub(crate) fn count(cursor: &mut Cursor<'_>) -> Read {
    Ok(Any::Shadow(Statement::Count { database: cursor.from()? }))
}

pub(crate) fn create(cursor: &mut Cursor<'_>) -> Read {
    let if_not_exists = cursor.if_not_exists();
    Ok(Any::Shadow(Statement::Create { if_not_exists, rules: cursor.list(rule)? }))
}

pub(crate) fn create_default(cursor: &mut Cursor<'_>) -> Read {
    let if_not_exists = cursor.if_not_exists();
    Ok(Any::Shadow(Statement::CreateDefault { if_not_exists, algorithm: default(cursor)? }))
}

pub(crate) fn drop(cursor: &mut Cursor<'_>) -> Read {
    let if_exists = cursor.if_exists();
    let names = cursor.list(|cursor| cursor.dashed("a shadow rule"))?;
    Ok(Any::Shadow(Statement::Drop { if_exists, names }))
}

pub(crate) fn drop_algorithms(cursor: &mut Cursor<'_>) -> Read {
    let if_exists = cursor.if_exists();
    let names = cursor.list(|cursor| cursor.dashed("an algorithm"))?;
    Ok(Any::Shadow(Statement::DropAlgorithms { if_exists, names }))
}

pub(crate) fn drop_default(cursor: &mut Cursor<'_>) -> Read {
    Ok(Any::Shadow(Statement::DropDefault { if_exists: cursor.if_exists() }))
}

pub(crate) fn show(cursor: &mut Cursor<'_>) -> Read {
    Ok(Any::Shadow(Statement::Show { name: None, database: cursor.from()? }))
}

pub(crate) fn show_one(cursor: &mut Cursor<'_>) -> Read {
    Ok(Any::Shadow(Statement::Show { name: Some(cursor.dashed("a shadow rule")?), database: cursor.from()? }))
}

pub(crate) fn show_algorithms(cursor: &mut Cursor<'_>) -> Read {
    Ok(Any::Shadow(Statement::ShowAlgorithms { database: cursor.from()? }))
}

pub(crate) fn show_default(cursor: &mut Cursor<'_>) -> Read {
    Ok(Any::Shadow(Statement::ShowDefault { database: cursor.from()? }))
}

pub(crate) fn show_tables(cursor: &mut Cursor<'_>) -> Read {
    Ok(Any::Shadow(Statement::ShowTables { table: None, database: cursor.from()? }))
}

pub(crate) fn show_table(cursor: &mut Cursor<'_>) -> Read {
    Ok(Any::Shadow(Statement::ShowTables {
        table: Some(cursor.dashed("a table")?),
        database: cursor.from()?,
    }))
}

fn rule(cursor: &mut Cursor<'_>) -> Result<Rule, Error> {
    let name = cursor.dashed("a shadow rule")?;
    cursor.sign(TokenKind::LeftParen)?;
    cursor.assignment("SOURCE")?;
    let source = cursor.dashed("a storage unit")?;
    cursor.comma()?;
    cursor.assignment("SHADOW")?;
    let shadow = cursor.dashed("a storage unit")?;
    cursor.comma()?;
    let mut tables = vec![table(cursor)?];
    while cursor.goes_on()? {
        tables.push(table(cursor)?);
    }
    Ok(Rule { name, source, shadow, tables })
}

fn table(cursor: &mut Cursor<'_>) -> Result<Table, Error> {
    let name = cursor.dashed("a table")?;
    Ok(Table { name, algorithms: cursor.group(algorithm)? })
}

/// `TYPE(…)`; up to 5.2 `(name, TYPE(…))`, `(TYPE(…))`, `((TYPE(…)))`.
fn algorithm(cursor: &mut Cursor<'_>) -> Result<Named, Error> {
    let mut open = 0;
    while open < 2 && cursor.accept_sign(TokenKind::LeftParen) {
        open += 1;
    }
    let name = if open == 0 || (cursor.sees("TYPE") && cursor.then(TokenKind::LeftParen)) {
        None
    } else {
        let name = cursor.dashed("TYPE or an algorithm")?;
        cursor.comma()?;
        Some(name)
    };
    let algorithm = cursor.algorithm()?;
    for _ in 0..open {
        cursor.sign(TokenKind::RightParen)?;
    }
    Ok(Named { name, algorithm })
}

/// `TYPE(…)`; up to 5.2 `NAME = x`.
fn default(cursor: &mut Cursor<'_>) -> Result<Choice, Error> {
    if cursor.sees("NAME") {
        cursor.assignment("NAME")?;
        return Ok(Choice::Name(cursor.dashed("an algorithm")?));
    }
    if cursor.sees("TYPE") {
        cursor.algorithm().map(Choice::Type)
    } else {
        Err(cursor.expected("TYPE or NAME"))
    }
}
