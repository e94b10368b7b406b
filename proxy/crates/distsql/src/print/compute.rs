//! Nodes of the proxy.

use std::fmt;

use super::Print;
use crate::ast::compute::Statement;

impl Print for Statement {
    fn print(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        Ok(())
    }
}
