//! Encryption.

use std::fmt;

use super::{From, IfExists, IfNotExists, List, Name, Names, Optional, Print, Text};
use crate::ast::encrypt::{Column, Physical, Rule, Statement};

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
        write!(f, "{} (", Name(&self.table))?;
        if let Some(unit) = &self.unit {
            write!(f, "RESOURCE={}, ", Name(unit))?;
        }
        write!(f, "COLUMNS({})", List(&self.columns))?;
        f.write_str(match self.query_with_cipher {
            None => ")",
            Some(false) => ", QUERY_WITH_CIPHER_COLUMN=false)",
            Some(true) => ", QUERY_WITH_CIPHER_COLUMN=true)",
        })
    }
}

impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "(NAME={}", Name(&self.name))?;
        if let Some(data_type) = &self.data_type {
            write!(f, ", DATA_TYPE={}", Text(data_type))?;
        }
        for (column, name, data_type) in [
            (self.plain.as_ref(), "PLAIN", "PLAIN_DATA_TYPE"),
            (Some(&self.cipher), "CIPHER", "CIPHER_DATA_TYPE"),
            (self.assisted.as_ref(), "ASSISTED_QUERY_COLUMN", "ASSISTED_QUERY_DATA_TYPE"),
            (self.like.as_ref(), "LIKE_QUERY_COLUMN", "LIKE_QUERY_DATA_TYPE"),
        ] {
            if let Some(column) = column {
                physical(f, column, name, data_type)?;
            }
        }
        write!(f, ", ENCRYPT_ALGORITHM({})", self.algorithm)?;
        if let Some(algorithm) = &self.assisted_algorithm {
            write!(f, ", ASSISTED_QUERY_ALGORITHM({algorithm})")?;
        }
        if let Some(algorithm) = &self.like_algorithm {
            write!(f, ", LIKE_QUERY_ALGORITHM({algorithm})")?;
        }
        f.write_str(")")
    }
}

fn physical(f: &mut fmt::Formatter<'_>, column: &Physical, name: &str, data_type: &str) -> fmt::Result {
    write!(f, ", {name}={}", Name(&column.name))?;
    column.data_type.as_ref().map_or(Ok(()), |it| write!(f, ", {data_type}={}", Text(it)))
}
