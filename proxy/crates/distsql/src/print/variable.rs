//! Configuration variables.

use std::fmt;

use super::{Like, Name, Print, Text};
use crate::ast::variable::Statement;

impl Print for Statement {
    fn print(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Set { name, value } => write!(f, " {} = {}", Name(name), Text(value)),
            Self::Show { like } => write!(f, "{}", Like(like)),
            Self::ShowOne { name } => write!(f, " WHERE NAME = {}", Name(name)),
        }
    }
}
