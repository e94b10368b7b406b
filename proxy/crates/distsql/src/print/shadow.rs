//! Shadow databases.

use std::fmt;

use super::{From, IfExists, IfNotExists, List, Name, Names, Optional, Print};
use crate::ast::{
    Choice,
    shadow::{Named, Rule, Statement, Table},
};

impl Print for Statement {
    fn print(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Alter { rules } => write!(f, " {}", List(rules)),
            Self::Count { database } | Self::ShowAlgorithms { database } | Self::ShowDefault { database } => {
                write!(f, "{}", From(database))
            }
            Self::Create { if_not_exists, rules } => {
                write!(f, "{} {}", IfNotExists(*if_not_exists), List(rules))
            }
            Self::Drop { if_exists, names } | Self::DropAlgorithms { if_exists, names } => {
                write!(f, "{} {}", IfExists(*if_exists), Names(names))
            }
            Self::Show { name, database } | Self::ShowTables { table: name, database } => {
                write!(f, "{}{}", Optional(name), From(database))
            }
            Self::AlterDefault { algorithm } => default(f, algorithm),
            Self::CreateDefault { if_not_exists, algorithm } => {
                write!(f, "{}", IfNotExists(*if_not_exists))?;
                default(f, algorithm)
            }
            Self::DropDefault { if_exists } => write!(f, "{}", IfExists(*if_exists)),
        }
    }
}

fn default(f: &mut fmt::Formatter<'_>, algorithm: &Choice) -> fmt::Result {
    match algorithm {
        Choice::Name(name) => write!(f, " NAME={}", Name(name)),
        Choice::Type(algorithm) => write!(f, " {algorithm}"),
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, source, shadow, tables } = self;
        write!(f, "{} (SOURCE={}, SHADOW={}, ", Name(name), Name(source), Name(shadow))?;
        write!(f, "{})", List(tables))
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", Name(&self.name), List(&self.algorithms))
    }
}

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            Some(name) => write!(f, "({}, {})", Name(name), self.algorithm),
            None => write!(f, "{}", self.algorithm),
        }
    }
}
