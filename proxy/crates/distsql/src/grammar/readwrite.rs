//! Readwrite splitting (`distsql.md` §4, §9, §10).

use sql::lexer::TokenKind;

use super::Read;
use crate::ast::Statement as Any;
use crate::ast::readwrite::{Rule, Statement, Switch};
use crate::cursor::Cursor;
use crate::error::Error;

const RULE: &str = "a readwrite splitting rule";
const UNIT: &str = "a storage unit";

/// Rules, or the switch of one read unit.
pub(crate) fn alter(cursor: &mut Cursor<'_>) -> Read {
    if let Some(switch) = switched(cursor) {
        return switch_unit(cursor, None, switch);
    }
    let name = cursor.name(RULE)?;
    if let Some(switch) = switched(cursor) {
        return switch_unit(cursor, Some(name), switch);
    }
    let mut rules = vec![rule(cursor, name)?];
    while cursor.accept_sign(TokenKind::Comma) {
        let name = cursor.name(RULE)?;
        rules.push(rule(cursor, name)?);
    }
    Ok(Any::Readwrite(Statement::Alter { rules }))
}

pub(crate) fn count(cursor: &mut Cursor<'_>) -> Read {
    Ok(Any::Readwrite(Statement::Count { database: cursor.from()? }))
}

pub(crate) fn create(cursor: &mut Cursor<'_>) -> Read {
    let if_not_exists = cursor.if_not_exists();
    let rules = cursor.list(|cursor| {
        let name = cursor.name(RULE)?;
        rule(cursor, name)
    })?;
    Ok(Any::Readwrite(Statement::Create { if_not_exists, rules }))
}

pub(crate) fn drop(cursor: &mut Cursor<'_>) -> Read {
    let if_exists = cursor.if_exists();
    Ok(Any::Readwrite(Statement::Drop { if_exists, names: cursor.names(RULE)? }))
}

pub(crate) fn show(cursor: &mut Cursor<'_>) -> Read {
    Ok(Any::Readwrite(Statement::Show { name: None, database: cursor.from()? }))
}

pub(crate) fn show_one(cursor: &mut Cursor<'_>) -> Read {
    Ok(Any::Readwrite(Statement::Show { name: Some(cursor.name(RULE)?), database: cursor.from()? }))
}

pub(crate) fn show_status(cursor: &mut Cursor<'_>) -> Read {
    Ok(Any::Readwrite(Statement::ShowStatus { name: None, database: cursor.from()? }))
}

pub(crate) fn show_status_of_one(cursor: &mut Cursor<'_>) -> Read {
    Ok(Any::Readwrite(Statement::ShowStatus { name: Some(cursor.name(RULE)?), database: cursor.from()? }))
}

/// `ENABLE READWRITE_SPLITTING READ u` of releases up to 5.1.
pub(crate) fn enable(cursor: &mut Cursor<'_>) -> Read {
    cursor.accept("READ");
    switch_unit(cursor, None, Switch::On)
}

/// `DISABLE READWRITE_SPLITTING READ u` of releases up to 5.1.
pub(crate) fn disable(cursor: &mut Cursor<'_>) -> Read {
    cursor.accept("READ");
    switch_unit(cursor, None, Switch::Off)
}

/// `ENABLE`, `DISABLE` before a storage unit.
fn switched(cursor: &mut Cursor<'_>) -> Option<Switch> {
    // A rule may be called so.
    if cursor.then(TokenKind::LeftParen) {
        None
    } else if cursor.accept("ENABLE") {
        Some(Switch::On)
    } else if cursor.accept("DISABLE") {
        Some(Switch::Off)
    } else {
        None
    }
}

fn switch_unit(cursor: &mut Cursor<'_>, name: Option<String>, switch: Switch) -> Read {
    let unit = cursor.name(UNIT)?;
    Ok(Any::Readwrite(Statement::Switch { name, unit, switch, database: cursor.from()? }))
}

fn rule(cursor: &mut Cursor<'_>, name: String) -> Result<Rule, Error> {
    cursor.sign(TokenKind::LeftParen)?;
    if cursor.sees("AUTO_AWARE_RESOURCE") {
        let what = format!("AUTO_AWARE_RESOURCE of readwrite splitting rule '{name}'");
        return Err(Error::Unsupported { what });
    }
    cursor.any(&["WRITE_STORAGE_UNIT", "WRITE_RESOURCE"])?;
    cursor.sign(TokenKind::Equal)?;
    let write = cursor.name(UNIT)?;
    cursor.comma()?;
    cursor.any(&["READ_STORAGE_UNITS", "READ_RESOURCES"])?;
    let read = cursor.group(|cursor| cursor.name(UNIT))?;
    let mut rule = Rule { name, write, read, transactional: None, balancer: None };
    let mut more = cursor.goes_on()?;
    if more && cursor.sees("TRANSACTIONAL_READ_QUERY_STRATEGY") {
        cursor.assignment("TRANSACTIONAL_READ_QUERY_STRATEGY")?;
        rule.transactional = Some(cursor.name_or_string("a strategy")?);
        more = cursor.goes_on()?;
    }
    if more {
        if !cursor.sees("TYPE") {
            let strategy = rule.transactional.is_none();
            return Err(cursor.expected(if strategy {
                "TRANSACTIONAL_READ_QUERY_STRATEGY or TYPE"
            } else {
                "TYPE"
            }));
        }
        rule.balancer = Some(cursor.algorithm()?);
        cursor.sign(TokenKind::RightParen)?;
    }
    Ok(rule)
}
