//! Rules of tables.

use sql::lexer::TokenKind;

use super::strategy;
use crate::ast::sharding::{Layout, Table};
use crate::cursor::Cursor;
use crate::error::Error;

/// Clauses in the order in which they may follow.
const STRATEGIES: [&str; 4] =
    ["DATABASE_STRATEGY", "TABLE_STRATEGY", "KEY_GENERATE_STRATEGY", "AUDIT_STRATEGY"];

pub(super) fn table(cursor: &mut Cursor<'_>) -> Result<Table, Error> {
    let name = cursor.name("a table")?;
    cursor.sign(TokenKind::LeftParen)?;
    let (mut layout, expected) = if cursor.accept("DATANODES") {
        let nodes = cursor.group(Cursor::string)?;
        (Layout::Nodes { nodes, database: None, table: None }, &STRATEGIES[..])
    } else if cursor.accept("STORAGE_UNITS") || cursor.accept("RESOURCES") {
        (auto(cursor)?, &STRATEGIES[2..])
    } else {
        return Err(cursor.expected("STORAGE_UNITS or DATANODES"));
    };
    let (mut key, mut audit) = (None, None);
    let mut left = expected;
    while cursor.goes_on()? {
        let Some(at) = left.iter().position(|clause| cursor.accept(clause)) else {
            return Err(cursor.expected(crate::cursor::alternatives(left)));
        };
        match left[at] {
            "AUDIT_STRATEGY" => audit = Some(strategy::audit(cursor)?),
            "KEY_GENERATE_STRATEGY" => key = Some(strategy::key(cursor)?),
            clause => {
                let strategy = strategy::strategy(cursor)?;
                if let Layout::Nodes { database, table, .. } = &mut layout {
                    *(if clause == "DATABASE_STRATEGY" { database } else { table }) = Some(strategy);
                }
            }
        }
        left = &left[at + 1..];
        if left.is_empty() {
            cursor.sign(TokenKind::RightParen)?;
            break;
        }
    }
    Ok(Table { name, layout, key, audit })
}

/// What follows `STORAGE_UNITS`.
fn auto(cursor: &mut Cursor<'_>) -> Result<Layout, Error> {
    let units = cursor.group(|cursor| cursor.name_or_string("a storage unit"))?;
    cursor.comma()?;
    cursor.assignment("SHARDING_COLUMN")?;
    let column = cursor.name("a column")?;
    cursor.comma()?;
    Ok(Layout::Auto { units, column, algorithm: cursor.algorithm()? })
}
