//! What follows the first words of each statement (`distsql.md` §2, §3, §9, §10).

use indexmap::IndexMap;
use sql::lexer::TokenKind;

use crate::ast::{Address, Ignored, ShardingTable, Statement, Unit};
use crate::cursor::Cursor;
use crate::error::{Error, Found, Place};

type Read = Result<Statement, Error>;

pub(crate) fn register_units(cursor: &mut Cursor<'_>) -> Read {
    let if_not_exists = cursor.if_not_exists();
    Ok(Statement::RegisterUnits { if_not_exists, units: units(cursor)? })
}

pub(crate) fn alter_units(cursor: &mut Cursor<'_>) -> Read {
    Ok(Statement::AlterUnits { units: units(cursor)? })
}

pub(crate) fn unregister_units(cursor: &mut Cursor<'_>) -> Read {
    let if_exists = cursor.if_exists();
    let names = cursor.names("a storage unit")?;
    let mut ignored = Ignored::default();
    if cursor.accept("IGNORE") {
        loop {
            if cursor.accept("SINGLE") {
                ignored.single = true;
            } else if cursor.accept("BROADCAST") {
                ignored.broadcast = true;
            } else {
                return Err(cursor.expected("SINGLE or BROADCAST"));
            }
            // `SINGLE TABLES`, `SINGLE, BROADCAST TABLES`
            cursor.accept("TABLES");
            if !cursor.accept_sign(TokenKind::Comma) {
                break;
            }
        }
    }
    Ok(Statement::UnregisterUnits { if_exists, names, ignored })
}

pub(crate) fn show_units(cursor: &mut Cursor<'_>) -> Read {
    let database = cursor.from()?;
    let usage = if cursor.accept("WHERE") {
        cursor.assignment("USAGE_COUNT")?;
        Some(cursor.integer()?)
    } else {
        None
    };
    Ok(Statement::ShowUnits { database, usage, like: cursor.like()? })
}

pub(crate) fn show_unused_units(cursor: &mut Cursor<'_>) -> Read {
    Ok(Statement::ShowUnits { database: cursor.from()?, usage: Some(0), like: None })
}

pub(crate) fn show_unit_rules(cursor: &mut Cursor<'_>) -> Read {
    Ok(Statement::ShowUnitRules { unit: cursor.name("a storage unit")?, database: cursor.from()? })
}

pub(crate) fn create_sharding(cursor: &mut Cursor<'_>) -> Read {
    let if_not_exists = cursor.if_not_exists();
    Ok(Statement::CreateSharding { if_not_exists, tables: sharding_tables(cursor)? })
}

pub(crate) fn alter_sharding(cursor: &mut Cursor<'_>) -> Read {
    Ok(Statement::AlterSharding { tables: sharding_tables(cursor)? })
}

pub(crate) fn drop_sharding(cursor: &mut Cursor<'_>) -> Read {
    let if_exists = cursor.if_exists();
    let names = cursor.names("a table")?;
    // Algorithms live and die with their table here.
    if cursor.accept("WITH") {
        cursor.keyword("UNUSED")?;
        cursor.keyword("ALGORITHMS")?;
    }
    Ok(Statement::DropSharding { if_exists, names })
}

pub(crate) fn show_sharding_rules(cursor: &mut Cursor<'_>) -> Read {
    Ok(Statement::ShowShardingRules { table: None, database: cursor.from()? })
}

pub(crate) fn show_sharding_rule(cursor: &mut Cursor<'_>) -> Read {
    Ok(Statement::ShowShardingRules { table: Some(cursor.name("a table")?), database: cursor.from()? })
}

pub(crate) fn show_sharding_nodes(cursor: &mut Cursor<'_>) -> Read {
    let table = if cursor.sees("FROM") || cursor.finished() { None } else { Some(cursor.name("a table")?) };
    Ok(Statement::ShowShardingNodes { table, database: cursor.from()? })
}

pub(crate) fn show_sharding_algorithms(cursor: &mut Cursor<'_>) -> Read {
    Ok(Statement::ShowShardingAlgorithms { database: cursor.from()? })
}

pub(crate) fn count_sharding(cursor: &mut Cursor<'_>) -> Read {
    Ok(Statement::CountSharding { database: cursor.from()? })
}

pub(crate) fn show_variables(cursor: &mut Cursor<'_>) -> Read {
    Ok(Statement::ShowVariables { like: cursor.like()? })
}

pub(crate) fn show_variable(cursor: &mut Cursor<'_>) -> Read {
    if cursor.accept("WHERE") {
        cursor.assignment("NAME")?;
    }
    Ok(Statement::ShowVariable { name: cursor.name_or_string("a variable")? })
}

pub(crate) fn set_variable(cursor: &mut Cursor<'_>) -> Read {
    let name = cursor.name("a variable")?;
    cursor.sign(TokenKind::Equal)?;
    // `transaction_type = XA`: a word is a value here.
    let value = match cursor.name("a value") {
        Ok(word) => word,
        Err(_) => cursor.literal()?,
    };
    Ok(Statement::SetVariable { name, value })
}

/// The statement behind `PREVIEW`, which ends at byte `start`: taken as it is, for another parser to read.
pub(crate) fn preview(text: &str, start: usize) -> Read {
    let rest = text.get(start..).unwrap_or_default().trim();
    let sql = rest.strip_suffix(';').unwrap_or(rest).trim_end();
    if sql.is_empty() {
        return Err(Error::Syntax {
            expected: "a statement".to_owned(),
            found: Found::End,
            place: Place::at(text, text.len()),
        });
    }
    Ok(Statement::Preview(sql.to_owned()))
}

fn units(cursor: &mut Cursor<'_>) -> Result<Vec<Unit>, Error> {
    let mut units = vec![unit(cursor)?];
    while cursor.accept_sign(TokenKind::Comma) {
        if cursor.sees("CHECK_PRIVILEGES") && cursor.then(TokenKind::Equal) {
            check_privileges(cursor)?;
            break;
        }
        units.push(unit(cursor)?);
    }
    Ok(units)
}

/// `CHECK_PRIVILEGES = SELECT, …`: a test connection checks what `SELECT` and `NONE` ask for.
fn check_privileges(cursor: &mut Cursor<'_>) -> Result<(), Error> {
    cursor.assignment("CHECK_PRIVILEGES")?;
    loop {
        if cursor.sees("XA") || cursor.sees("PIPELINE") {
            let what = format!("CHECK_PRIVILEGES = {}", cursor.name("a privilege")?.to_uppercase());
            return Err(Error::Unsupported { what });
        }
        if !cursor.accept("SELECT") && !cursor.accept("NONE") {
            return Err(cursor.expected("SELECT, XA, PIPELINE or NONE"));
        }
        if !cursor.accept_sign(TokenKind::Comma) {
            return Ok(());
        }
    }
}

fn unit(cursor: &mut Cursor<'_>) -> Result<Unit, Error> {
    let name = cursor.name("a storage unit")?;
    cursor.sign(TokenKind::LeftParen)?;
    let address = if cursor.sees("URL") {
        cursor.assignment("URL")?;
        Address::Url(cursor.string()?)
    } else if cursor.sees("HOST") {
        cursor.assignment("HOST")?;
        let host = cursor.string()?;
        cursor.comma()?;
        cursor.assignment("PORT")?;
        let port = cursor.integer()?;
        cursor.comma()?;
        cursor.assignment("DB")?;
        Address::Host { host, port, database: cursor.string()? }
    } else {
        return Err(cursor.expected("HOST or URL"));
    };
    cursor.comma()?;
    cursor.assignment("USER")?;
    let user = cursor.string()?;
    let mut unit = Unit { name, address, user, password: String::new(), properties: IndexMap::new() };
    let mut more = cursor.goes_on()?;
    if more && cursor.sees("PASSWORD") {
        cursor.assignment("PASSWORD")?;
        unit.password = cursor.string()?;
        more = cursor.goes_on()?;
        if more && !cursor.sees("PROPERTIES") {
            return Err(cursor.expected("PROPERTIES"));
        }
    }
    if more {
        if !cursor.sees("PROPERTIES") {
            return Err(cursor.expected("PASSWORD or PROPERTIES"));
        }
        unit.properties = cursor.properties()?;
        cursor.sign(TokenKind::RightParen)?;
    }
    Ok(unit)
}

fn sharding_tables(cursor: &mut Cursor<'_>) -> Result<Vec<ShardingTable>, Error> {
    let mut tables = vec![sharding_table(cursor)?];
    while cursor.accept_sign(TokenKind::Comma) {
        tables.push(sharding_table(cursor)?);
    }
    Ok(tables)
}

fn sharding_table(cursor: &mut Cursor<'_>) -> Result<ShardingTable, Error> {
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
    Ok(ShardingTable { name, units, column, algorithm })
}
