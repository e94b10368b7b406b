//! Sharding (`distsql.md` §3, §9).

use sql::lexer::TokenKind;

use super::Read;
use crate::ast::Statement as Any;
use crate::ast::sharding::{Kind, Layout, Statement, Table};
use crate::cursor::Cursor;
use crate::error::Error;

pub(crate) fn create_tables(cursor: &mut Cursor<'_>) -> Read {
    let if_not_exists = cursor.if_not_exists();
    Ok(Any::Sharding(Statement::CreateTables { if_not_exists, tables: tables(cursor)? }))
}

pub(crate) fn alter_tables(cursor: &mut Cursor<'_>) -> Read {
    Ok(Any::Sharding(Statement::AlterTables { tables: tables(cursor)? }))
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

pub(crate) fn show_tables(cursor: &mut Cursor<'_>) -> Read {
    Ok(Any::Sharding(Statement::ShowTables { table: None, database: cursor.from()? }))
}

pub(crate) fn show_table(cursor: &mut Cursor<'_>) -> Read {
    Ok(Any::Sharding(Statement::ShowTables {
        table: Some(cursor.name("a table")?),
        database: cursor.from()?,
    }))
}

pub(crate) fn show_nodes(cursor: &mut Cursor<'_>) -> Read {
    let table = if cursor.sees("FROM") || cursor.finished() { None } else { Some(cursor.name("a table")?) };
    Ok(Any::Sharding(Statement::ShowNodes { table, database: cursor.from()? }))
}

pub(crate) fn show_algorithms(cursor: &mut Cursor<'_>) -> Read {
    Ok(Any::Sharding(Statement::ShowAlgorithms {
        kind: Kind::Algorithm,
        unused: false,
        database: cursor.from()?,
    }))
}

pub(crate) fn count(cursor: &mut Cursor<'_>) -> Read {
    Ok(Any::Sharding(Statement::Count { database: cursor.from()? }))
}

fn tables(cursor: &mut Cursor<'_>) -> Result<Vec<Table>, Error> {
    let mut tables = vec![table(cursor)?];
    while cursor.accept_sign(TokenKind::Comma) {
        tables.push(table(cursor)?);
    }
    Ok(tables)
}

fn table(cursor: &mut Cursor<'_>) -> Result<Table, Error> {
    let name = cursor.name("a table")?;
    cursor.sign(TokenKind::LeftParen)?;
    let later =
        |what: &str| Err(Error::Unsupported { what: format!("{what} of sharding table rule '{name}'") });
    if cursor.sees("DATANODES") {
        return later("DATANODES");
    }
    if !cursor.accept("STORAGE_UNITS") && !cursor.accept("RESOURCES") {
        return Err(cursor.expected("STORAGE_UNITS or DATANODES"));
    }
    cursor.sign(TokenKind::LeftParen)?;
    let mut units = Vec::new();
    loop {
        units.push(cursor.name_or_string("a storage unit")?);
        if !cursor.goes_on()? {
            break;
        }
    }
    cursor.comma()?;
    cursor.assignment("SHARDING_COLUMN")?;
    let column = cursor.name("a column")?;
    cursor.comma()?;
    let algorithm = cursor.algorithm()?;
    if cursor.goes_on()? {
        for clause in ["KEY_GENERATE_STRATEGY", "AUDIT_STRATEGY"] {
            if cursor.sees(clause) {
                return later(clause);
            }
        }
        return Err(cursor.expected("KEY_GENERATE_STRATEGY or AUDIT_STRATEGY"));
    }
    Ok(Table { name, layout: Layout::Auto { units, column, algorithm }, key: None, audit: None })
}
