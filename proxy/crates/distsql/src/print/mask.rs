//! Masking.

use std::fmt;

use super::{From, IfExists, IfNotExists, List, Name, Names, Optional, Print};
use crate::ast::mask::{Column, Rule, Statement};

impl Print for Statement {
    fn print(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Alter { rules } => write!(f, " {}", List(rules)),
            Self::Count { database } => write!(f, "{}", From(database)),
            Self::Create { if_not_exists, rules } => {
                write!(f, "{} {}", IfNotExists(*if_not_exists), List(rules))
            }
            Self::Drop { if_exists, names } => write!(f, "{} {}", IfExists(*if_exists), Names(names)),
            Self::Show { table, database } => write!(f, "{}{}", Optional(table), From(database)),
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (COLUMNS({}))", Name(&self.table), List(&self.columns))
    }
}

impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "(NAME={}, {})", Name(&self.name), self.algorithm)
    }
}
