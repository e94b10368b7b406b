//! Configuration variables (`distsql.md` §10).

use sql::lexer::TokenKind;

use super::Read;
use crate::ast::Statement as Any;
use crate::ast::variable::Statement;
use crate::cursor::Cursor;

pub(crate) fn show(cursor: &mut Cursor<'_>) -> Read {
    Ok(Any::Variable(Statement::Show { like: cursor.like()? }))
}

pub(crate) fn show_one(cursor: &mut Cursor<'_>) -> Read {
    if cursor.accept("WHERE") {
        cursor.assignment("NAME")?;
    }
    Ok(Any::Variable(Statement::ShowOne { name: cursor.name_or_string("a variable")? }))
}

pub(crate) fn set(cursor: &mut Cursor<'_>) -> Read {
    let name = cursor.name("a variable")?;
    cursor.sign(TokenKind::Equal)?;
    // `transaction_type = XA`: a word is a value here.
    let value = match cursor.name("a value") {
        Ok(word) => word,
        Err(_) => cursor.literal()?,
    };
    Ok(Any::Variable(Statement::Set { name, value }))
}
