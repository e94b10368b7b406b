//! Sharding (`distsql.md` §3, §9).

mod strategy;
mod table;

use sql::lexer::TokenKind;

use super::Read;
use crate::ast::Statement as Any;
use crate::ast::sharding::{Kind, Level, Named, Reference, References, Statement};
use crate::cursor::Cursor;
use crate::error::Error;

const REFERENCE: &str = "a table reference rule";

pub(crate) fn alter_algorithms(cursor: &mut Cursor<'_>, kind: Kind) -> Read {
    Ok(Any::Sharding(Statement::AlterAlgorithms { kind, algorithms: cursor.list(named)? }))
}

pub(crate) fn alter_default(cursor: &mut Cursor<'_>) -> Read {
    let level = level(cursor)?;
    Ok(Any::Sharding(Statement::AlterDefault { level, strategy: strategy::strategy(cursor)? }))
}

pub(crate) fn alter_references(cursor: &mut Cursor<'_>) -> Read {
    Ok(Any::Sharding(Statement::AlterReferences { rules: cursor.list(reference)? }))
}

pub(crate) fn alter_tables(cursor: &mut Cursor<'_>) -> Read {
    Ok(Any::Sharding(Statement::AlterTables { tables: cursor.list(table::table)? }))
}

pub(crate) fn count(cursor: &mut Cursor<'_>) -> Read {
    Ok(Any::Sharding(Statement::Count { database: cursor.from()? }))
}

pub(crate) fn create_algorithms(cursor: &mut Cursor<'_>, kind: Kind) -> Read {
    let if_not_exists = cursor.if_not_exists();
    let algorithms = cursor.list(named)?;
    Ok(Any::Sharding(Statement::CreateAlgorithms { kind, if_not_exists, algorithms }))
}

pub(crate) fn create_default(cursor: &mut Cursor<'_>) -> Read {
    let level = level(cursor)?;
    let if_not_exists = cursor.if_not_exists();
    let strategy = strategy::strategy(cursor)?;
    Ok(Any::Sharding(Statement::CreateDefault { if_not_exists, level, strategy }))
}

pub(crate) fn create_references(cursor: &mut Cursor<'_>) -> Read {
    let if_not_exists = cursor.if_not_exists();
    Ok(Any::Sharding(Statement::CreateReferences { if_not_exists, rules: cursor.list(reference)? }))
}

pub(crate) fn create_tables(cursor: &mut Cursor<'_>) -> Read {
    let if_not_exists = cursor.if_not_exists();
    Ok(Any::Sharding(Statement::CreateTables { if_not_exists, tables: cursor.list(table::table)? }))
}

pub(crate) fn drop_algorithms(cursor: &mut Cursor<'_>, kind: Kind) -> Read {
    let if_exists = cursor.if_exists();
    Ok(Any::Sharding(Statement::DropAlgorithms { kind, if_exists, names: cursor.names(one(kind))? }))
}

pub(crate) fn drop_default(cursor: &mut Cursor<'_>) -> Read {
    let level = level(cursor)?;
    Ok(Any::Sharding(Statement::DropDefault { level, if_exists: cursor.if_exists() }))
}

pub(crate) fn drop_references(cursor: &mut Cursor<'_>) -> Read {
    let if_exists = cursor.if_exists();
    let which = if cursor.sees_sign(TokenKind::LeftParen) {
        References::Of(cursor.list(tables)?)
    } else {
        References::Named(cursor.names(REFERENCE)?)
    };
    Ok(Any::Sharding(Statement::DropReferences { if_exists, which }))
}

/// `DROP SHARDING BINDING TABLE RULES [(t1, t2), …]` of releases up to 5.2.
pub(crate) fn drop_bindings(cursor: &mut Cursor<'_>) -> Read {
    let if_exists = cursor.if_exists();
    let which = if cursor.finished() { References::All } else { References::Of(cursor.list(tables)?) };
    Ok(Any::Sharding(Statement::DropReferences { if_exists, which }))
}

pub(crate) fn drop_tables(cursor: &mut Cursor<'_>) -> Read {
    let if_exists = cursor.if_exists();
    let names = cursor.names("a table")?;
    // Algorithms live and die with their table here.
    if cursor.accept("WITH") {
        cursor.keyword("UNUSED")?;
        cursor.keyword("ALGORITHMS")?;
    }
    Ok(Any::Sharding(Statement::DropTables { if_exists, names }))
}

pub(crate) fn show_algorithms(cursor: &mut Cursor<'_>, kind: Kind) -> Read {
    Ok(Any::Sharding(Statement::ShowAlgorithms { kind, unused: false, database: cursor.from()? }))
}

pub(crate) fn show_default(cursor: &mut Cursor<'_>) -> Read {
    Ok(Any::Sharding(Statement::ShowDefault { database: cursor.from()? }))
}

pub(crate) fn show_nodes(cursor: &mut Cursor<'_>) -> Read {
    let table = if cursor.sees("FROM") || cursor.finished() { None } else { Some(cursor.name("a table")?) };
    Ok(Any::Sharding(Statement::ShowNodes { table, database: cursor.from()? }))
}

pub(crate) fn show_reference(cursor: &mut Cursor<'_>) -> Read {
    let name = Some(cursor.name(REFERENCE)?);
    Ok(Any::Sharding(Statement::ShowReferences { name, database: cursor.from()? }))
}

pub(crate) fn show_references(cursor: &mut Cursor<'_>) -> Read {
    Ok(Any::Sharding(Statement::ShowReferences { name: None, database: cursor.from()? }))
}

pub(crate) fn show_table(cursor: &mut Cursor<'_>) -> Read {
    Ok(Any::Sharding(Statement::ShowTables {
        table: Some(cursor.name("a table")?),
        database: cursor.from()?,
    }))
}

pub(crate) fn show_tables(cursor: &mut Cursor<'_>) -> Read {
    Ok(Any::Sharding(Statement::ShowTables { table: None, database: cursor.from()? }))
}

pub(crate) fn show_unused(cursor: &mut Cursor<'_>, kind: Kind) -> Read {
    Ok(Any::Sharding(Statement::ShowAlgorithms { kind, unused: true, database: cursor.from()? }))
}

/// What follows `SHOW SHARDING TABLE RULES USED`.
pub(crate) fn show_users(cursor: &mut Cursor<'_>) -> Read {
    let kind = if cursor.accept("ALGORITHM") {
        Kind::Algorithm
    } else if cursor.accept("AUDITOR") {
        Kind::Auditor
    } else if cursor.accept("KEY") {
        cursor.keyword("GENERATOR")?;
        Kind::KeyGenerator
    } else {
        return Err(cursor.expected("ALGORITHM, KEY GENERATOR or AUDITOR"));
    };
    let name = cursor.name(one(kind))?;
    Ok(Any::Sharding(Statement::ShowUsers { kind, name, database: cursor.from()? }))
}

const fn one(kind: Kind) -> &'static str {
    match kind {
        Kind::Algorithm => "an algorithm",
        Kind::Auditor => "an auditor",
        Kind::KeyGenerator => "a key generator",
    }
}

/// `DATABASE STRATEGY`, `TABLE STRATEGY`.
fn level(cursor: &mut Cursor<'_>) -> Result<Level, Error> {
    let level = if cursor.accept("DATABASE") {
        Level::Database
    } else if cursor.accept("TABLE") {
        Level::Table
    } else {
        return Err(cursor.expected("DATABASE or TABLE"));
    };
    cursor.keyword("STRATEGY")?;
    Ok(level)
}

/// `name (TYPE(…))`.
fn named(cursor: &mut Cursor<'_>) -> Result<Named, Error> {
    let name = cursor.name("a name")?;
    Ok(Named { name, algorithm: cursor.within(Cursor::algorithm)? })
}

/// `name (t1, t2)`; binding rules have no name.
fn reference(cursor: &mut Cursor<'_>) -> Result<Reference, Error> {
    let unnamed = cursor.sees_sign(TokenKind::LeftParen);
    let name = if unnamed { None } else { Some(cursor.name(REFERENCE)?) };
    Ok(Reference { name, tables: tables(cursor)? })
}

fn tables(cursor: &mut Cursor<'_>) -> Result<Vec<String>, Error> {
    cursor.group(|cursor| cursor.name("a table"))
}
