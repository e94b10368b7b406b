//! Figures of statements by digest.

use std::fmt;

use super::{Name, Print, Text};
use crate::ast::digest::Statement;

impl Print for Statement {
    fn print(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::Show { database, like, limit } = self else { return Ok(()) };
        if let Some(database) = database {
            write!(f, " FROM {}", Name(database))?;
        }
        if let Some(like) = like {
            write!(f, " LIKE {}", Text(like))?;
        }
        limit.map_or(Ok(()), |limit| write!(f, " LIMIT {limit}"))
    }
}
