//! Encryption (`distsql.md` §5, §9).

use sql::lexer::TokenKind;

use super::Read;
use crate::ast::encrypt::{Column, Physical, Rule, Statement};
use crate::ast::{Algorithm, Statement as Any};
use crate::cursor::Cursor;
use crate::error::Error;

pub(crate) fn alter(cursor: &mut Cursor<'_>) -> Read {
    Ok(Any::Encrypt(Statement::Alter { rules: cursor.list(rule)? }))
}

pub(crate) fn count(cursor: &mut Cursor<'_>) -> Read {
    Ok(Any::Encrypt(Statement::Count { database: cursor.from()? }))
}

pub(crate) fn create(cursor: &mut Cursor<'_>) -> Read {
    let if_not_exists = cursor.if_not_exists();
    Ok(Any::Encrypt(Statement::Create { if_not_exists, rules: cursor.list(rule)? }))
}

pub(crate) fn drop(cursor: &mut Cursor<'_>) -> Read {
    let if_exists = cursor.if_exists();
    Ok(Any::Encrypt(Statement::Drop { if_exists, names: cursor.names("a table")? }))
}

pub(crate) fn show(cursor: &mut Cursor<'_>) -> Read {
    Ok(Any::Encrypt(Statement::Show { table: None, database: cursor.from()? }))
}

pub(crate) fn show_one(cursor: &mut Cursor<'_>) -> Read {
    Ok(Any::Encrypt(Statement::Show { table: Some(cursor.name("a table")?), database: cursor.from()? }))
}

fn rule(cursor: &mut Cursor<'_>) -> Result<Rule, Error> {
    let table = cursor.name("a table")?;
    cursor.sign(TokenKind::LeftParen)?;
    let unit = if cursor.sees("RESOURCE") {
        cursor.assignment("RESOURCE")?;
        let unit = cursor.name("a storage unit")?;
        cursor.comma()?;
        Some(unit)
    } else {
        None
    };
    cursor.keyword("COLUMNS")?;
    let columns = cursor.group(column)?;
    let query_with_cipher = if cursor.goes_on()? {
        cursor.assignment("QUERY_WITH_CIPHER_COLUMN")?;
        let cipher = cursor.boolean()?;
        cursor.sign(TokenKind::RightParen)?;
        Some(cipher)
    } else {
        None
    };
    Ok(Rule { table, unit, columns, query_with_cipher })
}

fn column(cursor: &mut Cursor<'_>) -> Result<Column, Error> {
    cursor.sign(TokenKind::LeftParen)?;
    cursor.assignment("NAME")?;
    let name = cursor.name("a column")?;
    cursor.comma()?;
    let data_type = data_type(cursor, "DATA_TYPE")?;
    let plain = physical(cursor, &["PLAIN"], "PLAIN_DATA_TYPE")?;
    let Some(cipher) = physical(cursor, &["CIPHER"], "CIPHER_DATA_TYPE")? else {
        return Err(cursor.expected(match (&data_type, &plain) {
            (None, None) => "DATA_TYPE, PLAIN or CIPHER",
            (Some(_), None) => "PLAIN or CIPHER",
            (_, Some(_)) => "CIPHER",
        }));
    };
    let assisted =
        physical(cursor, &["ASSISTED_QUERY_COLUMN", "ASSISTED_QUERY"], "ASSISTED_QUERY_DATA_TYPE")?;
    let like = physical(cursor, &["LIKE_QUERY_COLUMN", "LIKE_QUERY"], "LIKE_QUERY_DATA_TYPE")?;
    let [algorithm, assisted_algorithm, like_algorithm] = if cursor.sees("TYPE") {
        bare_algorithms(cursor, like.is_some() && assisted.is_none())?
    } else if cursor.sees("ENCRYPT_ALGORITHM") {
        algorithms(cursor)?
    } else {
        return Err(cursor.expected("TYPE or ENCRYPT_ALGORITHM"));
    };
    let Some(algorithm) = algorithm else { return Err(cursor.expected("an algorithm")) };
    Ok(Column {
        name,
        data_type,
        plain,
        cipher,
        assisted,
        like,
        algorithm,
        assisted_algorithm,
        like_algorithm,
    })
}

/// `KEYWORD = 'type',`, if it is there.
fn data_type(cursor: &mut Cursor<'_>, keyword: &str) -> Result<Option<String>, Error> {
    if !cursor.sees(keyword) {
        return Ok(None);
    }
    cursor.assignment(keyword)?;
    let data_type = cursor.string()?;
    cursor.comma()?;
    Ok(Some(data_type))
}

/// `KEYWORD = column, [KEYWORD = 'type',]`, if it is there.
fn physical(cursor: &mut Cursor<'_>, keywords: &[&str], with_type: &str) -> Result<Option<Physical>, Error> {
    let Some(keyword) = keywords.iter().find(|keyword| cursor.sees(keyword)) else { return Ok(None) };
    cursor.assignment(keyword)?;
    let name = cursor.name("a column")?;
    cursor.comma()?;
    Ok(Some(Physical { name, data_type: data_type(cursor, with_type)? }))
}

/// For the cipher, the assisted query and the like query column.
type Algorithms = [Option<Algorithm>; 3];

/// `TYPE(…) [, TYPE(…)] [, TYPE(…)])`: the guide's, which tell apart what they are for by their order.
fn bare_algorithms(cursor: &mut Cursor<'_>, like_only: bool) -> Result<Algorithms, Error> {
    let mut algorithms = [Some(cursor.algorithm()?), None, None];
    let order: &[usize] = if like_only { &[2] } else { &[1, 2] };
    let mut order = order.iter();
    while cursor.goes_on()? {
        let Some(at) = order.next() else { return Err(cursor.expected("')'")) };
        algorithms[*at] = Some(cursor.algorithm()?);
    }
    Ok(algorithms)
}

/// `ENCRYPT_ALGORITHM(TYPE(…)) [, ASSISTED_QUERY_ALGORITHM(TYPE(…))] [, LIKE_QUERY_ALGORITHM(TYPE(…))])`.
fn algorithms(cursor: &mut Cursor<'_>) -> Result<Algorithms, Error> {
    cursor.keyword("ENCRYPT_ALGORITHM")?;
    let mut algorithms = [Some(cursor.within(Cursor::algorithm)?), None, None];
    let mut more = cursor.goes_on()?;
    let assisted = more && cursor.accept("ASSISTED_QUERY_ALGORITHM");
    if assisted {
        algorithms[1] = Some(cursor.within(Cursor::algorithm)?);
        more = cursor.goes_on()?;
    }
    if more {
        if !cursor.accept("LIKE_QUERY_ALGORITHM") {
            return Err(cursor.expected(if assisted {
                "LIKE_QUERY_ALGORITHM"
            } else {
                "ASSISTED_QUERY_ALGORITHM or LIKE_QUERY_ALGORITHM"
            }));
        }
        algorithms[2] = Some(cursor.within(Cursor::algorithm)?);
        cursor.sign(TokenKind::RightParen)?;
    }
    Ok(algorithms)
}
