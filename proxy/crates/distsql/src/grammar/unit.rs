//! Storage units (`distsql.md` §2, §9).

use indexmap::IndexMap;
use sql::lexer::TokenKind;

use super::Read;
use crate::ast::Statement as Any;
use crate::ast::unit::{Address, Ignored, Statement, Unit};
use crate::cursor::Cursor;
use crate::error::Error;

pub(crate) fn register(cursor: &mut Cursor<'_>) -> Read {
    let if_not_exists = cursor.if_not_exists();
    Ok(Any::Unit(Statement::Register { if_not_exists, units: units(cursor)? }))
}

pub(crate) fn alter(cursor: &mut Cursor<'_>) -> Read {
    Ok(Any::Unit(Statement::Alter { units: units(cursor)? }))
}

pub(crate) fn unregister(cursor: &mut Cursor<'_>) -> Read {
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
    Ok(Any::Unit(Statement::Unregister { if_exists, names, ignored }))
}

pub(crate) fn show(cursor: &mut Cursor<'_>) -> Read {
    let database = cursor.from()?;
    let usage = if cursor.accept("WHERE") {
        cursor.assignment("USAGE_COUNT")?;
        Some(cursor.integer()?)
    } else {
        None
    };
    Ok(Any::Unit(Statement::Show { database, usage, like: cursor.like()? }))
}

pub(crate) fn show_unused(cursor: &mut Cursor<'_>) -> Read {
    Ok(Any::Unit(Statement::Show { database: cursor.from()?, usage: Some(0), like: None }))
}

pub(crate) fn show_pools(cursor: &mut Cursor<'_>) -> Read {
    Ok(Any::Unit(Statement::ShowPools { database: cursor.from()?, like: cursor.like()? }))
}

pub(crate) fn show_rules(cursor: &mut Cursor<'_>) -> Read {
    Ok(Any::Unit(Statement::ShowRules { unit: cursor.name("a storage unit")?, database: cursor.from()? }))
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
