//! Storage units.

use std::fmt;

use super::{From, IfExists, IfNotExists, Like, List, Name, Names, Print, Properties, Text};
use crate::ast::unit::{Address, Statement, Unit};

impl Print for Statement {
    fn print(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Alter { units } => write!(f, " {}", List(units)),
            Self::Register { if_not_exists, units } => {
                write!(f, "{} {}", IfNotExists(*if_not_exists), List(units))
            }
            Self::Show { database, usage, like } => {
                write!(f, "{}", From(database))?;
                if let Some(usage) = usage {
                    write!(f, " WHERE USAGE_COUNT = {usage}")?;
                }
                write!(f, "{}", Like(like))
            }
            Self::ShowPools { database, like } => write!(f, "{}{}", From(database), Like(like)),
            Self::ShowRules { unit, database } => write!(f, " {}{}", Name(unit), From(database)),
            Self::Unregister { if_exists, names, ignored } => {
                write!(f, "{} {}", IfExists(*if_exists), Names(names))?;
                f.write_str(match (ignored.single, ignored.broadcast) {
                    (false, false) => "",
                    (true, false) => " IGNORE SINGLE TABLES",
                    (false, true) => " IGNORE BROADCAST TABLES",
                    (true, true) => " IGNORE SINGLE, BROADCAST TABLES",
                })
            }
        }
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (", Name(&self.name))?;
        match &self.address {
            Address::Host { host, port, database } => {
                write!(f, "HOST={}, PORT={port}, DB={}", Text(host), Text(database))?;
            }
            Address::Url(url) => write!(f, "URL={}", Text(url))?,
        }
        write!(f, ", USER={}, PASSWORD={}", Text(&self.user), Text(&self.password))?;
        write!(f, "{})", Properties(&self.properties))
    }
}
