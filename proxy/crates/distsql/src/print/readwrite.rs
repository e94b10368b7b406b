//! Readwrite splitting.

use std::fmt;

use super::{From, IfExists, IfNotExists, List, Name, Names, Optional, Print, Text};
use crate::ast::readwrite::{Rule, Statement, Switch};

impl Print for Statement {
    fn print(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Alter { rules } => write!(f, " {}", List(rules)),
            Self::Count { database } => write!(f, "{}", From(database)),
            Self::Create { if_not_exists, rules } => {
                write!(f, "{} {}", IfNotExists(*if_not_exists), List(rules))
            }
            Self::Drop { if_exists, names } => write!(f, "{} {}", IfExists(*if_exists), Names(names)),
            Self::Show { name, database } | Self::ShowStatus { name, database } => {
                write!(f, "{}{}", Optional(name), From(database))
            }
            Self::Switch { name, unit, switch, database } => {
                let switch = match switch {
                    Switch::Off => "DISABLE",
                    Switch::On => "ENABLE",
                };
                write!(f, "{} {switch} {}{}", Optional(name), Name(unit), From(database))
            }
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, write, read, transactional, balancer } = self;
        write!(f, "{} (WRITE_STORAGE_UNIT={}", Name(name), Name(write))?;
        write!(f, ", READ_STORAGE_UNITS({})", Names(read))?;
        if let Some(strategy) = transactional {
            write!(f, ", TRANSACTIONAL_READ_QUERY_STRATEGY={}", Text(strategy))?;
        }
        if let Some(algorithm) = balancer {
            write!(f, ", {algorithm}")?;
        }
        f.write_str(")")
    }
}
