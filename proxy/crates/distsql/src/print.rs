//! Prints statements in their canonical spelling, which reads back as the same tree.

use std::fmt;

use indexmap::IndexMap;
use sql::Mode;
use sql::lexer::{Lexer, TokenKind};

use crate::ast::{Address, Algorithm, ShardingTable, Statement, Unit};

/// Words that are quoted when they are names, since they would be read as the next clause.
const CLAUSES: [&str; 9] =
    ["CHECK_PRIVILEGES", "FROM", "IF", "IGNORE", "LIKE", "URL", "WHERE", "WITH", "GROUP"];

impl fmt::Display for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AlterSharding { tables } => write!(f, "ALTER SHARDING TABLE RULE {}", List(tables)),
            Self::AlterUnits { units } => write!(f, "ALTER STORAGE UNIT {}", List(units)),
            Self::CountSharding { database } => write!(f, "COUNT SHARDING RULE{}", From(database)),
            Self::CreateSharding { if_not_exists, tables } => {
                write!(
                    f,
                    "CREATE SHARDING TABLE RULE {}{}",
                    when(*if_not_exists, "IF NOT EXISTS "),
                    List(tables)
                )
            }
            Self::DropSharding { if_exists, names } => {
                write!(f, "DROP SHARDING TABLE RULE {}{}", when(*if_exists, "IF EXISTS "), Names(names))
            }
            Self::Preview(sql) => write!(f, "PREVIEW {sql}"),
            Self::RegisterUnits { if_not_exists, units } => {
                write!(f, "REGISTER STORAGE UNIT {}{}", when(*if_not_exists, "IF NOT EXISTS "), List(units))
            }
            Self::SetVariable { name, value } => {
                write!(f, "SET DIST VARIABLE {} = {}", Name(name), Text(value))
            }
            Self::ShowShardingAlgorithms { database } => {
                write!(f, "SHOW SHARDING ALGORITHMS{}", From(database))
            }
            Self::ShowShardingNodes { table, database } => {
                f.write_str("SHOW SHARDING TABLE NODES")?;
                if let Some(table) = table {
                    write!(f, " {}", Name(table))?;
                }
                write!(f, "{}", From(database))
            }
            Self::ShowShardingRules { table, database } => {
                match table {
                    Some(table) => write!(f, "SHOW SHARDING TABLE RULE {}", Name(table))?,
                    None => f.write_str("SHOW SHARDING TABLE RULES")?,
                }
                write!(f, "{}", From(database))
            }
            Self::ShowUnitRules { unit, database } => {
                write!(f, "SHOW RULES USED STORAGE UNIT {}{}", Name(unit), From(database))
            }
            Self::ShowUnits { database, usage, like } => {
                write!(f, "SHOW STORAGE UNITS{}", From(database))?;
                if let Some(usage) = usage {
                    write!(f, " WHERE USAGE_COUNT = {usage}")?;
                }
                write!(f, "{}", Like(like))
            }
            Self::ShowVariable { name } => write!(f, "SHOW DIST VARIABLE WHERE NAME = {}", Name(name)),
            Self::ShowVariables { like } => write!(f, "SHOW DIST VARIABLES{}", Like(like)),
            Self::UnregisterUnits { if_exists, names, ignored } => {
                write!(f, "UNREGISTER STORAGE UNIT {}{}", when(*if_exists, "IF EXISTS "), Names(names))?;
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

impl fmt::Display for ShardingTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (STORAGE_UNITS(", Name(&self.name))?;
        for (at, unit) in self.units.iter().enumerate() {
            f.write_str(when(at > 0, ", "))?;
            if is_plain(unit) { f.write_str(unit)? } else { write!(f, "{}", Text(unit))? }
        }
        write!(f, "), SHARDING_COLUMN={}, {})", Name(&self.column), self.algorithm)
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TYPE(NAME={}{})", Text(&self.name), Properties(&self.properties))
    }
}

/// Items between commas.
struct List<'a, T>(&'a [T]);

impl<T: fmt::Display> fmt::Display for List<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, item) in self.0.iter().enumerate() {
            write!(f, "{}{item}", when(at > 0, ", "))?;
        }
        Ok(())
    }
}

/// Names between commas.
struct Names<'a>(&'a [String]);

impl fmt::Display for Names<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, name) in self.0.iter().enumerate() {
            write!(f, "{}{}", when(at > 0, ", "), Name(name))?;
        }
        Ok(())
    }
}

/// A name, in backquotes where it needs them.
struct Name<'a>(&'a str);

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if is_plain(self.0) { f.write_str(self.0) } else { write!(f, "`{}`", self.0.replace('`', "``")) }
    }
}

/// A string: nothing in it is escaped, so that one of the two quotes fits what was read between quotes.
struct Text<'a>(&'a str);

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let double = format!("\"{}\"", self.0);
        if is_string(&double) { f.write_str(&double) } else { write!(f, "'{}'", self.0) }
    }
}

/// `, PROPERTIES(…)`, nothing when there are none.
struct Properties<'a>(&'a IndexMap<String, String>);

impl fmt::Display for Properties<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return Ok(());
        }
        f.write_str(", PROPERTIES(")?;
        for (at, (key, value)) in self.0.iter().enumerate() {
            write!(f, "{}{}={}", when(at > 0, ", "), Text(key), Text(value))?;
        }
        f.write_str(")")
    }
}

/// ` FROM db`.
struct From<'a>(&'a Option<String>);

impl fmt::Display for From<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.as_ref().map_or(Ok(()), |database| write!(f, " FROM {}", Name(database)))
    }
}

/// ` LIKE 'p'`.
struct Like<'a>(&'a Option<String>);

impl fmt::Display for Like<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.as_ref().map_or(Ok(()), |pattern| write!(f, " LIKE {}", Text(pattern)))
    }
}

fn when(condition: bool, text: &'static str) -> &'static str {
    if condition { text } else { "" }
}

fn is_plain(name: &str) -> bool {
    !name.starts_with(|first: char| first.is_ascii_digit())
        && !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$')
        && !CLAUSES.iter().any(|word| word.eq_ignore_ascii_case(name))
}

/// Whether a text is one string from its first byte to its last.
fn is_string(text: &str) -> bool {
    let first = Lexer::new(text, Mode::default()).next();
    matches!(first, Some(Ok(token)) if token.kind == TokenKind::String && token.end as usize == text.len())
}
