//! Logical names in what servers say: errors, warnings and some rows name the tables and the database of one node.
//!
//! In errors and warnings a name is replaced where MySQL puts one, which is in quotes, and only if it is one of the
//! statement's own on that node; in what foreign keys say also another sharded table's. Values that a text quotes stay
//! as they are, though they may read like a name.

use std::borrow::Cow;
use std::sync::Arc;

use backend::Refusal;
use meta::{Database, ShardedTable, logical_constraint};
use plan::{Renames, RouteUnit};

use crate::diagnostics::Condition;
use crate::job::Job;

/// The names that one node's texts hold, and what the client calls them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    /// The physical and the logical database, when they differ.
    schema: Option<(String, String)>,
    /// Physical and logical tables.
    tables: Vec<(String, String)>,
    /// Whose tables foreign keys may speak of.
    database: Option<Arc<Database>>,
}

/// A text of one node's with the client's names, wherever something in it reads like a name.
pub fn in_logical_names(renames: &Renames<'_>, text: &str) -> String {
    Names::new(renames, None).logical(text)
}

/// A name found behind a quote: how many bytes it takes, and what stands for it.
type Found = (usize, Vec<u8>);

impl Names {
    /// Those of one node.
    pub(crate) fn of(job: &Job<'_, '_>, route: &RouteUnit) -> Self {
        Self::new(&job.template.renames(route), Some(job.database))
    }

    pub(crate) fn new(renames: &Renames<'_>, database: Option<&Arc<Database>>) -> Self {
        let own = |(physical, logical): (&str, &str)| (physical.to_owned(), logical.to_owned());
        Self {
            schema: renames.schemas().map(own),
            tables: renames.tables().map(own).collect(),
            database: database.cloned(),
        }
    }

    /// What stands for a physical table.
    pub(crate) fn table(&self, physical: &str) -> Option<&str> {
        self.tables.iter().find(|(name, _)| name == physical).map(|(_, logical)| logical.as_str())
    }

    /// A server's error in the client's terms.
    pub(crate) fn refusal(&self, refusal: Refusal) -> Refusal {
        match self.message(refusal.code, refusal.message.as_bytes()) {
            Cow::Borrowed(_) => refusal,
            Cow::Owned(message) => {
                Refusal { message: String::from_utf8_lossy(&message).into_owned(), ..refusal }
            }
        }
    }

    /// A line of `SHOW WARNINGS` in the client's terms.
    pub(crate) fn condition(&self, condition: &mut Condition) {
        if let Cow::Owned(message) = self.message(condition.code, &condition.message) {
            condition.message = message.into();
        }
    }

    /// The text of an error or warning in the client's terms.
    pub(crate) fn message<'t>(&self, code: u16, text: &'t [u8]) -> Cow<'t, [u8]> {
        if self.schema.is_none() && self.tables.is_empty() {
            return Cow::Borrowed(text);
        }
        let begin = names_begin(code, text);
        if code == PARSE {
            let Ok(near) = std::str::from_utf8(&text[begin..]) else { return Cow::Borrowed(text) };
            return Cow::Owned([&text[..begin], self.logical(near).as_bytes()].concat());
        }
        let (mut out, mut copied) = (Vec::new(), 0);
        let mut at = begin;
        while let Some(&byte) = text.get(at) {
            let (before, behind) = (&text[..at], &text[at + 1..]);
            let found = match byte {
                b'\'' => self.quoted(code, before, behind),
                b',' if code == UNKNOWN_TABLE => self.quoted(code, before, behind),
                b'`' => self.ticked(code, behind),
                b' ' if before.ends_with(b"FUNCTION") || before.ends_with(b"PROCEDURE") => {
                    self.qualifier(behind)
                }
                b' ' if LOCKING.contains(&code) => self.bare(before, behind),
                _ => None,
            };
            at += 1;
            if let Some((len, name)) = found {
                out.extend_from_slice(&text[copied..at]);
                out.extend_from_slice(&name);
                at += len;
                copied = at;
            }
        }
        if copied == 0 {
            return Cow::Borrowed(text);
        }
        out.extend_from_slice(&text[copied..]);
        Cow::Owned(out)
    }

    /// `'db.t'`, `'t.c'`, `'t'`, `'db'`: what stands behind the first quote.
    fn quoted(&self, code: u16, before: &[u8], behind: &[u8]) -> Option<Found> {
        let ends = |text: &[u8]| matches!(text.first(), Some(b'\'' | b',') | None);
        let (mut len, mut out) = self.qualifier(behind).unwrap_or_default();
        let qualified = len > 0;
        let rest = &behind[len..];
        // Alone it is a table's only where the text says so: it could be a column's.
        let alone = qualified
            || code == UNKNOWN_COLUMN && before.ends_with(b" in ")
            || [&b"able "[..], b"alias: ", b"view "].iter().any(|words| before.ends_with(words));
        for (physical, logical) in &self.tables {
            let Some(after) = rest.strip_prefix(physical.as_bytes()) else { continue };
            if after.first() == Some(&b'.') || alone && ends(after) {
                out.extend_from_slice(logical.as_bytes());
                return Some((len + physical.len(), out));
            }
        }
        if qualified {
            return Some((len, out));
        }
        if alone
            && let Some(end) = rest.iter().position(|byte| *byte == b'\'')
            && let Some(name) =
                std::str::from_utf8(&rest[..end]).ok().and_then(|name| self.elsewhere(code, name))
        {
            return Some((end, name.into_bytes()));
        }
        if let Some((physical, logical)) = &self.schema
            && before.ends_with(b"atabase ")
            && behind.strip_prefix(physical.as_bytes()).is_some_and(ends)
        {
            return Some((physical.len(), logical.clone().into_bytes()));
        }
        if CONSTRAINTS.contains(&code) {
            len = behind.iter().position(|byte| *byte == b'\'')?;
            return self.constraint(code, &behind[..len]).map(|name| (len, name.into_bytes()));
        }
        None
    }

    /// A name in backquotes: what stands behind the first one.
    fn ticked(&self, code: u16, behind: &[u8]) -> Option<Found> {
        let len = behind.iter().position(|byte| *byte == b'`')?;
        let name = std::str::from_utf8(&behind[..len]).ok()?;
        if let Some((physical, logical)) = &self.schema
            && physical == name
            && behind[len..].starts_with(b"`.")
        {
            return Some((len, logical.clone().into_bytes()));
        }
        let table = self.table(name).map(str::to_owned).or_else(|| self.elsewhere(code, name));
        let found = table.or_else(|| self.constraint(code, name.as_bytes()))?;
        Some((len, found.into_bytes()))
    }

    /// `Table t appears …`
    fn bare(&self, before: &[u8], behind: &[u8]) -> Option<Found> {
        let of = |(physical, logical): &(String, String)| {
            let after = behind.strip_prefix(physical.as_bytes())?;
            after.starts_with(b" ").then(|| (physical.len(), logical.clone().into_bytes()))
        };
        self.tables.iter().find_map(of).filter(|_| before.ends_with(b"able") || before.ends_with(b"name"))
    }

    /// The physical database and a dot.
    fn qualifier(&self, behind: &[u8]) -> Option<Found> {
        let (physical, logical) = self.schema.as_ref()?;
        let after = behind.strip_prefix(physical.as_bytes())?;
        (after.first() == Some(&b'.')).then(|| (physical.len() + 1, format!("{logical}.").into_bytes()))
    }

    /// A sharded table that the statement does not name.
    fn elsewhere(&self, code: u16, physical: &str) -> Option<String> {
        if !FOREIGN_KEYS.contains(&code) {
            return None;
        }
        let mut tables = self.database.as_ref()?.sharding.tables.values();
        let has = |table: &&ShardedTable| table.nodes.iter().any(|node| node.table == physical);
        tables.find(has).map(|table| table.spec.name.clone())
    }

    /// A constraint that got its name of a physical table.
    fn constraint(&self, code: u16, name: &[u8]) -> Option<String> {
        let name = std::str::from_utf8(name).ok()?;
        let own =
            self.tables.iter().find_map(|(physical, logical)| logical_constraint(name, physical, logical));
        own.or_else(|| {
            let database = self.database.as_ref().filter(|_| FOREIGN_KEYS.contains(&code))?;
            database.sharding.tables.values().find_map(|table| {
                table.nodes.iter().find_map(|node| logical_constraint(name, &node.table, &table.spec.name))
            })
        })
    }

    /// A text of which nobody knows where its names are, with all that read like one replaced.
    pub(crate) fn logical(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let is_name = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '$');
        let mut rest = text;
        while let Some(start) = rest.find(is_name) {
            out.push_str(&rest[..start]);
            rest = &rest[start..];
            let end = rest.find(|letter| !is_name(letter)).unwrap_or(rest.len());
            let (name, after) = rest.split_at(end);
            match &self.schema {
                Some((physical, logical))
                    if physical == name && after.trim_start_matches('`').starts_with('.') =>
                {
                    out.push_str(logical);
                }
                _ => out.push_str(self.table(name).unwrap_or(name)),
            }
            rest = after;
        }
        out.push_str(rest);
        out
    }
}

const PARSE: u16 = 1064;
const UNKNOWN_TABLE: u16 = 1051;
const UNKNOWN_COLUMN: u16 = 1054;

/// Errors that speak of foreign keys.
const FOREIGN_KEYS: [u16; 6] = [1216, 1217, 1451, 1452, 1701, 3730];

/// Errors about locking clauses, which name tables without quotes.
const LOCKING: [u16; 2] = [3568, 3569];

/// Errors that name a constraint alone.
const CONSTRAINTS: [u16; 7] = [1091, 1826, 3730, 3819, 3821, 3822, 3940];

/// Where a text begins to name things, behind the values that it tells.
fn names_begin(code: u16, text: &[u8]) -> usize {
    let words: &[u8] = match code {
        PARSE => b" near '",
        // Duplicate entry 'x' for key 't.PRIMARY'
        1062 | 1586 => b" for key ",
        // Incorrect integer value: 'x' for column 'c' at row 1; Truncated incorrect INTEGER value: 'x'
        1292 | 1366 | 1367 | 1411 | 1525 => b" for column ",
        // Invalid JSON text: "x" at position 0 in value for column 't.c'.
        3140 | 3141 | 3156 => b" value for column ",
        // What a trigger or procedure says.
        1644 => return text.len(),
        _ => return 0,
    };
    let found = match code {
        PARSE => text.windows(words.len()).position(|window| window == words),
        _ => text.windows(words.len()).rposition(|window| window == words),
    };
    found.map_or(text.len(), |at| at + words.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Names {
        let pair = |physical: &str, logical: &str| (physical.to_owned(), logical.to_owned());
        Names {
            schema: Some(pair("db_unit", "db")),
            tables: vec![pair("t_3", "t"), pair("u_3", "u")],
            database: None,
        }
    }

    #[test]
    fn tells_errors_in_logical_names() {
        for (code, said, told) in [
            (1050, "Table 't_3' already exists", "Table 't' already exists"),
            (1051, "Unknown table 'db_unit.t_3,db_unit.u_3'", "Unknown table 'db.t,db.u'"),
            (1146, "Table 'db_unit.t_33' doesn't exist", "Table 'db.t_33' doesn't exist"),
            (1062, "Duplicate entry '7' for key 't_3.PRIMARY'", "Duplicate entry '7' for key 't.PRIMARY'"),
            (1054, "Unknown column 't_3.x' in 'field list'", "Unknown column 't.x' in 'field list'"),
            (1054, "Unknown column 'x' in 't_3'", "Unknown column 'x' in 't'"),
            (
                1091,
                "Can't DROP 'c_t_3'; check that column/key exists",
                "Can't DROP 'c'; check that column/key exists",
            ),
            (1066, "Not unique table/alias: 't_3'", "Not unique table/alias: 't'"),
            (
                1142,
                "INSERT command denied to user 'a'@'b' for table 't_3'",
                "INSERT command denied to user 'a'@'b' for table 't'",
            ),
            (
                3569,
                "Table t_3 appears in multiple locking clauses.",
                "Table t appears in multiple locking clauses.",
            ),
            (1049, "Unknown database 'db_unit'", "Unknown database 'db'"),
            (1305, "FUNCTION db_unit.f does not exist", "FUNCTION db.f does not exist"),
            (
                1690,
                "BIGINT value is out of range in '(`db_unit`.`t_3`.`k` + 1)'",
                "BIGINT value is out of range in '(`db`.`t`.`k` + 1)'",
            ),
            (3819, "Check constraint 't_3_chk_1' is violated.", "Check constraint 't_chk_1' is violated."),
            (3819, "Check constraint 'c_t_3' is violated.", "Check constraint 'c' is violated."),
            (
                1452,
                "fails (`db_unit`.`u_3`, CONSTRAINT `f_u_3` FOREIGN KEY (`db_unit`) REFERENCES `t_3` (`id`))",
                "fails (`db`.`u`, CONSTRAINT `f` FOREIGN KEY (`db_unit`) REFERENCES `t` (`id`))",
            ),
            (
                1064,
                "You have an error in your SQL syntax; check the manual for 't_3' near 'x t_3 SET db_unit.u_3.a' at line 1",
                "You have an error in your SQL syntax; check the manual for 't_3' near 'x t SET db.u.a' at line 1",
            ),
        ] {
            let message = names().message(code, said.as_bytes()).into_owned();
            assert_eq!(String::from_utf8(message).unwrap(), told);
        }
    }

    #[test]
    fn leaves_values_and_other_names_alone() {
        for (code, text) in [
            (1062, "Duplicate entry 't_3.x' for key 'v.PRIMARY'"),
            (1292, "Truncated incorrect DOUBLE value: 't_3.x'"),
            (1366, "Incorrect integer value: 'db_unit.t_3' for column 'k' at row 1"),
            (1048, "Column 't_3' cannot be null"),
            (1644, "Table 't_3' is mine"),
            (1146, "Table 'other.t' doesn't exist"),
        ] {
            assert_eq!(names().message(code, text.as_bytes()), text.as_bytes(), "{text}");
        }
    }
}
