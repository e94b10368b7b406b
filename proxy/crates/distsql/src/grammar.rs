//! What follows the first words of each statement, one module per family.

pub(crate) mod audit;
pub(crate) mod broadcast;
pub(crate) mod compute;
pub(crate) mod configuration;
pub(crate) mod digest;
pub(crate) mod encrypt;
pub(crate) mod global;
pub(crate) mod hint;
pub(crate) mod mask;
pub(crate) mod metadata;
pub(crate) mod readwrite;
pub(crate) mod shadow;
pub(crate) mod sharding;
pub(crate) mod single;
pub(crate) mod unit;
pub(crate) mod variable;

use crate::ast::Statement;
use crate::error::{Error, Found, Place};

/// A statement, or why it is none.
pub(crate) type Read = Result<Statement, Error>;

/// The statement behind `PREVIEW`, which ends at byte `start`: taken as it is, for another parser to read.
pub(crate) fn preview(text: &str, start: usize) -> Read {
    let rest = text.get(start..).unwrap_or_default().trim_start();
    let sql = rest.trim_end_matches(|sign: char| sign == ';' || sign.is_whitespace());
    if sql.is_empty() {
        return Err(Error::Syntax {
            expected: "a statement".to_owned(),
            found: Found::End,
            place: Place::at(text, text.len()),
        });
    }
    Ok(Statement::Preview(sql.to_owned()))
}
