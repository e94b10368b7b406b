//! Hints of the session.

use std::fmt;

use super::{Name, Print, Text};
use crate::ast::{hint::Statement, sharding::Level};

impl Print for Statement {
    fn print(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AddSharding { level: Level::Database, table, value } => {
                write!(f, " DATABASE_VALUE {} = {}", Name(table), Text(value))
            }
            Self::AddSharding { level: Level::Table, table, value } => {
                write!(f, " TABLE_VALUE {} = {}", Name(table), Text(value))
            }
            Self::SetReadwrite { source } => write!(f, " SOURCE = {}", Text(source)),
            Self::SetSharding { value } => write!(f, " DATABASE_VALUE = {}", Text(value)),
            Self::Clear
            | Self::ClearReadwrite
            | Self::ClearSharding
            | Self::ShowReadwrite
            | Self::ShowSharding => Ok(()),
        }
    }
}
