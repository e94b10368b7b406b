//! Prints statements in their canonical spelling, which reads back as the same tree.

mod audit;
mod broadcast;
mod compute;
mod configuration;
mod digest;
mod encrypt;
mod global;
mod hint;
mod mask;
mod metadata;
mod readwrite;
mod shadow;
mod sharding;
mod single;
mod unit;
mod variable;

use std::fmt;

use indexmap::IndexMap;
use sql::Mode;
use sql::lexer::{Lexer, TokenKind};

use crate::ast::{Algorithm, Statement};

/// Words that are quoted when they are names, since they would be read as the next clause.
const CLAUSES: [&str; 13] = [
    "CHECK_PRIVILEGES",
    "DISABLE",
    "ENABLE",
    "FROM",
    "GROUP",
    "IF",
    "IGNORE",
    "LIKE",
    "LIMIT",
    "RANDOM",
    "STORAGE",
    "WHERE",
    "WITH",
];

impl fmt::Display for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.title())?;
        match self {
            Self::Audit(statement) => statement.print(f),
            Self::Broadcast(statement) => statement.print(f),
            Self::Compute(statement) => statement.print(f),
            Self::Configuration(statement) => statement.print(f),
            Self::Digest(statement) => statement.print(f),
            Self::Encrypt(statement) => statement.print(f),
            Self::Global(statement) => statement.print(f),
            Self::Hint(statement) => statement.print(f),
            Self::Mask(statement) => statement.print(f),
            Self::Metadata(statement) => statement.print(f),
            Self::Preview(sql) => write!(f, " {sql}"),
            Self::Readwrite(statement) => statement.print(f),
            Self::Shadow(statement) => statement.print(f),
            Self::Sharding(statement) => statement.print(f),
            Self::Single(statement) => statement.print(f),
            Self::Unit(statement) => statement.print(f),
            Self::Variable(statement) => statement.print(f),
        }
    }
}

/// What follows the first words of a statement.
trait Print {
    fn print(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;
}

/// ` IF EXISTS`.
struct IfExists(bool);

impl fmt::Display for IfExists {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(when(self.0, " IF EXISTS"))
    }
}

/// ` IF NOT EXISTS`.
struct IfNotExists(bool);

impl fmt::Display for IfNotExists {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(when(self.0, " IF NOT EXISTS"))
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

/// ` name`, if there is one.
struct Optional<'a>(&'a Option<String>);

impl fmt::Display for Optional<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.as_ref().map_or(Ok(()), |name| write!(f, " {}", Name(name)))
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
