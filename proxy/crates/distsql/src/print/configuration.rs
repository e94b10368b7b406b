//! Configuration as a file.

use std::fmt;

use super::{From, Print, Text};
use crate::ast::configuration::Statement;

impl Print for Statement {
    fn print(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Convert { file } | Self::Import { file } => write!(f, " FROM FILE {}", Text(file)),
            Self::Export { database, file } => {
                write!(f, "{}", From(database))?;
                file.as_ref().map_or(Ok(()), |file| write!(f, " TO FILE {}", Text(file)))
            }
        }
    }
}
