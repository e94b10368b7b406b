//! Sharding.

use std::fmt;

use super::{From, IfExists, IfNotExists, List, Name, Names, Optional, Print, Text, is_plain, when};
use crate::ast::{
    Choice,
    sharding::{Audit, Auditors, Key, Layout, Named, Reference, References, Statement, Strategy, Table},
};

impl Print for Statement {
    fn print(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AlterAlgorithms { algorithms, .. } => write!(f, " {}", List(algorithms)),
            Self::AlterDefault { strategy, .. } => write!(f, " ({strategy})"),
            Self::AlterReferences { rules } => write!(f, " {}", List(rules)),
            Self::AlterTables { tables } => write!(f, " {}", List(tables)),
            Self::Count { database }
            | Self::ShowAlgorithms { database, .. }
            | Self::ShowDefault { database } => {
                write!(f, "{}", From(database))
            }
            Self::CreateAlgorithms { if_not_exists, algorithms, .. } => {
                write!(f, "{} {}", IfNotExists(*if_not_exists), List(algorithms))
            }
            Self::CreateDefault { if_not_exists, strategy, .. } => {
                write!(f, "{} ({strategy})", IfNotExists(*if_not_exists))
            }
            Self::CreateReferences { if_not_exists, rules } => {
                write!(f, "{} {}", IfNotExists(*if_not_exists), List(rules))
            }
            Self::CreateTables { if_not_exists, tables } => {
                write!(f, "{} {}", IfNotExists(*if_not_exists), List(tables))
            }
            Self::DropAlgorithms { if_exists, names, .. } | Self::DropTables { if_exists, names } => {
                write!(f, "{} {}", IfExists(*if_exists), Names(names))
            }
            Self::DropDefault { if_exists, .. } => write!(f, "{}", IfExists(*if_exists)),
            Self::DropReferences { if_exists, which } => write!(f, "{}{which}", IfExists(*if_exists)),
            Self::ShowNodes { table: name, database }
            | Self::ShowReferences { name, database }
            | Self::ShowTables { table: name, database } => {
                write!(f, "{}{}", Optional(name), From(database))
            }
            Self::ShowUsers { name, database, .. } => write!(f, " {}{}", Name(name), From(database)),
        }
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}", Name(&self.name), self.layout)?;
        if let Some(Key { column, generator }) = &self.key {
            write!(f, ", KEY_GENERATE_STRATEGY(COLUMN={}, ", Name(column))?;
            match generator {
                Choice::Name(name) => write!(f, "KEY_GENERATOR={})", Name(name))?,
                Choice::Type(algorithm) => write!(f, "{algorithm})")?,
            }
        }
        self.audit.as_ref().map_or(Ok(()), |audit| write!(f, ", {audit}"))?;
        f.write_str(")")
    }
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto { units, column, algorithm } => {
                f.write_str("STORAGE_UNITS(")?;
                for (at, unit) in units.iter().enumerate() {
                    f.write_str(when(at > 0, ", "))?;
                    if is_plain(unit) { f.write_str(unit)? } else { write!(f, "{}", Text(unit))? }
                }
                write!(f, "), SHARDING_COLUMN={}, {algorithm}", Name(column))
            }
            Self::Nodes { nodes, database, table } => {
                f.write_str("DATANODES(")?;
                for (at, node) in nodes.iter().enumerate() {
                    write!(f, "{}{}", when(at > 0, ", "), Text(node))?;
                }
                f.write_str(")")?;
                if let Some(strategy) = database {
                    write!(f, ", DATABASE_STRATEGY({strategy})")?;
                }
                table.as_ref().map_or(Ok(()), |strategy| write!(f, ", TABLE_STRATEGY({strategy})"))
            }
        }
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TYPE={}", Text(&self.kind))?;
        match self.columns.as_slice() {
            [] => {}
            [column] => write!(f, ", SHARDING_COLUMN={}", Name(column))?,
            columns => write!(f, ", SHARDING_COLUMNS={}", Names(columns))?,
        }
        match &self.algorithm {
            None => Ok(()),
            Some(Choice::Name(name)) => write!(f, ", SHARDING_ALGORITHM={}", Name(name)),
            Some(Choice::Type(algorithm)) => write!(f, ", SHARDING_ALGORITHM({algorithm})"),
        }
    }
}

impl fmt::Display for Audit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AUDIT_STRATEGY(")?;
        match &self.auditors {
            Auditors::Named(names) => write!(f, "AUDITORS=[{}]", Names(names))?,
            Auditors::Types(algorithms) => write!(f, "{}", List(algorithms))?,
        }
        write!(f, ", ALLOW_HINT_DISABLE={})", self.allow_hint_disable)
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(name) = &self.name {
            write!(f, "{} ", Name(name))?;
        }
        write!(f, "({})", Names(&self.tables))
    }
}

impl fmt::Display for References {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => Ok(()),
            Self::Named(names) => write!(f, " {}", Names(names)),
            Self::Of(groups) => {
                for (at, tables) in groups.iter().enumerate() {
                    write!(f, "{} ({})", when(at > 0, ","), Names(tables))?;
                }
                Ok(())
            }
        }
    }
}

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", Name(&self.name), self.algorithm)
    }
}
