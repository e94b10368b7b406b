//! The DistSQL grammar and its syntax tree; no execution.
//!
//! [`parse`] decides by the first words whether a text is DistSQL at all: what MySQL understands stays MySQL's. Every
//! spelling of `distsql.md` is read, old ones into the same tree; a statement of the language that this proxy does not
//! carry out yet is refused by name. [`std::fmt::Display`] prints a statement in its canonical spelling.

mod ast;
mod cursor;
mod error;
mod grammar;
mod head;
mod print;

pub use ast::{
    Algorithm, Choice, Statement, audit, broadcast, compute, configuration, digest, encrypt, global, hint,
    mask, metadata, readwrite, shadow, sharding, single, unit, variable,
};
pub use error::Error;

use cursor::Cursor;
use head::{Head, Then};

/// Reads a DistSQL statement; nothing when the text is not DistSQL.
pub fn parse(text: &str) -> Result<Option<Statement>, Error> {
    let Some(words) = head::words(text) else { return Ok(None) };
    match head::find(text, &words)? {
        Head::Foreign => Ok(None),
        Head::Known { then: Then::NotYet, words, .. } => Err(Error::Unsupported { what: words.join(" ") }),
        Head::Known { then: Then::Preview, end, .. } => grammar::preview(text, end).map(Some),
        Head::Known { then: Then::Parse(read), end, .. } => {
            let mut cursor = Cursor::new(text, end)?;
            let statement = read(&mut cursor)?;
            cursor.end()?;
            Ok(Some(statement))
        }
    }
}

#[cfg(test)]
mod tests;
