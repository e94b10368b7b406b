//! The audit log.

use indexmap::IndexMap;
use sql::lexer::TokenKind;

use super::Read;
use crate::ast::Statement as Any;
use crate::ast::audit::Statement;
use crate::cursor::Cursor;

pub(crate) fn alter(cursor: &mut Cursor<'_>) -> Read {
    let settings = cursor.group(|cursor| {
        let name = cursor.name_or_string("a setting")?;
        cursor.sign(TokenKind::Equal)?;
        // `format = CSV`: a word is a value here.
        let value = match cursor.name("a value") {
            Ok(word) => word,
            Err(_) => cursor.literal()?,
        };
        Ok((name, value))
    })?;
    Ok(Any::Audit(Statement::Alter(IndexMap::from_iter(settings))))
}

pub(crate) fn reset(_: &mut Cursor<'_>) -> Read {
    Ok(Any::Audit(Statement::Reset))
}

pub(crate) fn rotate(_: &mut Cursor<'_>) -> Read {
    Ok(Any::Audit(Statement::Rotate))
}

pub(crate) fn show(cursor: &mut Cursor<'_>) -> Read {
    Ok(Any::Audit(Statement::Show { like: cursor.like()? }))
}

pub(crate) fn show_status(_: &mut Cursor<'_>) -> Read {
    Ok(Any::Audit(Statement::ShowStatus))
}
