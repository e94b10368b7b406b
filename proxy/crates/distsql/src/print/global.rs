//! Rules that belong to no database.

use std::fmt;

use super::Print;
use crate::ast::global::Statement;

impl Print for Statement {
    fn print(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        Ok(())
    }
}
