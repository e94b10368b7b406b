//! Single tables.

use std::fmt;

use super::{From, Like, List, Name, Names, Optional, Print};
use crate::ast::single::{Pattern, Statement};

impl Print for Statement {
    fn print(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count { database } | Self::ShowDefault { database } => {
                write!(f, "{}", From(database))
            }
            Self::Load { patterns } => write!(f, " {}", List(patterns)),
            Self::SetDefault { unit: Some(unit) } => write!(f, " = {}", Name(unit)),
            Self::SetDefault { unit: None } => f.write_str(" = RANDOM"),
            Self::Show { table, database, like } => {
                write!(f, "{}{}{}", Optional(table), From(database), Like(like))
            }
            Self::ShowUnloaded { database, unit: None } => write!(f, "{}", From(database)),
            Self::ShowUnloaded { database, unit: Some(unit) } => {
                write!(f, " FROM{} STORAGE UNIT {}", Optional(database), Name(unit))
            }
            Self::Unload { tables } => {
                tables.as_ref().map_or(Ok(()), |tables| write!(f, " {}", Names(tables)))
            }
        }
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("*.*"),
            Self::Table { unit, table } => write!(f, "{}.{}", Name(unit), Name(table)),
            Self::Unit(unit) => write!(f, "{}.*", Name(unit)),
        }
    }
}
