//! Broadcast tables.

use std::fmt;

use super::{From, IfExists, IfNotExists, Names, Print};
use crate::ast::broadcast::Statement;

impl Print for Statement {
    fn print(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count { database } | Self::Show { database } => write!(f, "{}", From(database)),
            Self::Create { if_not_exists, tables } => {
                write!(f, "{} {}", IfNotExists(*if_not_exists), Names(tables))
            }
            Self::Drop { if_exists, tables } => {
                write!(f, "{}", IfExists(*if_exists))?;
                tables.as_ref().map_or(Ok(()), |tables| write!(f, " {}", Names(tables)))
            }
        }
    }
}
