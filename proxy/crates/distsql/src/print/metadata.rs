//! What is known of tables.

use std::fmt;

use super::{From, Like, Name, Names, Optional, Print};
use crate::ast::metadata::Statement;

impl Print for Statement {
    fn print(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refresh { table, unit } => {
                write!(f, "{}", Optional(table))?;
                unit.as_ref().map_or(Ok(()), |unit| write!(f, " FROM STORAGE UNIT {}", Name(unit)))
            }
            Self::ShowLogical { database, like, .. } => write!(f, "{}{}", From(database), Like(like)),
            Self::ShowTables { tables, database } => write!(f, " {}{}", Names(tables), From(database)),
        }
    }
}
