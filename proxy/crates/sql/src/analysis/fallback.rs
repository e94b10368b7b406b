//! What can be said of a statement that could not be read, or of which only the first words matter.

use super::cursor::Parser;
use super::scope::TableName;
use super::select::blank;
use crate::lexer::TokenKind;
use crate::{Body, Ddl, DdlKind, Error, Insert, InsertSource, Modify, Pin, Predicate, Show, ShowWhat};
use std::collections::HashSet;

/// First words that say little without the second.
const PAIRED: [&str; 16] = [
    "BINLOG",
    "CACHE",
    "CHANGE",
    "CLONE",
    "FLUSH",
    "GET",
    "INSTALL",
    "LOAD",
    "LOCK",
    "PURGE",
    "RESET",
    "START",
    "STOP",
    "UNINSTALL",
    "UNLOCK",
    "XA",
];

/// First words (and second, where paired) of statements that tie the server connection to the session.
const PINNING: [(&str, Pin); 6] = [
    ("HANDLER", Pin::HANDLER),
    ("LOCK INSTANCE", Pin::INSTANCE_LOCK),
    ("LOCK TABLE", Pin::TABLE_LOCK),
    ("LOCK TABLES", Pin::TABLE_LOCK),
    ("XA BEGIN", Pin::XA),
    ("XA START", Pin::XA),
];

/// Words that tie it wherever they stand in a statement that could not be read.
const ROUGHLY: [(&str, Pin); 4] = [
    ("GET_LOCK", Pin::USER_LOCK),
    ("RELEASE_ALL_LOCKS", Pin::USER_LOCK),
    ("RELEASE_LOCK", Pin::USER_LOCK),
    ("TEMPORARY", Pin::TEMPORARY_TABLE),
];

impl Parser<'_> {
    /// The statement by its first words; its tables are all names in it.
    pub(super) fn other(&mut self) -> Result<Body, Error> {
        self.at = 0;
        let mut words = self.word().unwrap_or_default();
        if matches!(words.as_str(), "DEALLOCATE" | "EXECUTE" | "PREPARE") {
            // What they name is the session's.
            self.at = self.tokens.len();
            return Ok(Body::Other(words));
        }
        if words == "FLUSH" {
            self.take_any(&["LOCAL", "NO_WRITE_TO_BINLOG"]);
        }
        if PAIRED.contains(&words.as_str())
            && let Some(second) = self.word()
        {
            words.push(' ');
            words.push_str(&second);
        }
        if words == "LOAD DATA" || words == "LOAD XML" {
            self.take_any(&["CONCURRENT", "LOW_PRIORITY"]);
            self.take_any(&["FROM"]);
            if self.take_any(&["LOCAL"]) {
                words.push_str(" LOCAL");
            }
        }
        let locks = words.starts_with("FLUSH ")
            && self.tokens.iter().any(|lexeme| lexeme.token.is_any(self.text, &["LOCK", "EXPORT"]));
        if locks {
            self.facts.pin |= Pin::GLOBAL_LOCK;
        }
        self.facts.pin |= PINNING.iter().filter(|(first, _)| *first == words).map(|(_, pin)| *pin).collect();
        self.every_name()?;
        self.at = self.tokens.len();
        Ok(Body::Other(words))
    }

    /// Adds every name from here on that could be a table, functions and columns included.
    pub(super) fn every_name(&mut self) -> Result<(), Error> {
        let mut seen = HashSet::new();
        for at in self.at..self.tokens.len() {
            self.at = at;
            let after_dot =
                at > 0 && self.tokens.get(at - 1).is_some_and(|before| before.token.kind == TokenKind::Dot);
            if after_dot || !self.is_name(0) {
                continue;
            }
            let first = self.any_name("a name")?;
            if seen.insert((None, first.clone())) {
                let alone = TableName { schema: None, name: first.clone(), span: self.span_from(at) };
                self.scope.push(&alone, None, true)?;
            }
            if !self.take_kind(TokenKind::Dot) {
                continue;
            }
            let Ok(second) = self.any_name("a name") else { continue };
            if seen.insert((Some(first.clone()), second.clone())) {
                let qualified = TableName { schema: Some(first), name: second, span: self.span_from(at) };
                self.scope.push(&qualified, None, true)?;
            }
        }
        Ok(())
    }

    /// Ties that can be told without reading the statement.
    pub(super) fn rough_pins(&mut self) {
        for at in 0..self.tokens.len() {
            self.at = at;
            let variable = |ahead| self.kind_ahead(ahead) == Some(TokenKind::UserVariable);
            let assigned = (variable(0) && self.kind_ahead(1) == Some(TokenKind::Assign))
                || (self.is("INTO") && variable(1))
                || (self.is("SET") && variable(1));
            let mut pin = if assigned { Pin::VARIABLE } else { Pin::empty() };
            // What is counted may be asked for next.
            pin.set(Pin::UNKNOWN, self.is("SQL_CALC_FOUND_ROWS"));
            pin.extend(ROUGHLY.iter().filter(|(word, _)| self.is(word)).map(|(_, pin)| *pin));
            self.facts.pin |= pin;
        }
    }

    /// The kind of a statement that could not be read.
    pub(super) fn rough_body(&mut self) -> Body {
        let modify = || Modify {
            set: Vec::new(),
            targets: Vec::new(),
            filter: Predicate::Opaque,
            ordered: false,
            limited: false,
            multi: false,
            subquery: false,
        };
        self.at = 0;
        let place = self.last_end();
        let Some(word) = self.word() else { return Body::Other(String::new()) };
        match word.as_str() {
            "SELECT" | "TABLE" | "VALUES" => Body::Select(blank(place)),
            "WITH" => {
                let is = |word| self.tokens.iter().any(|lexeme| lexeme.token.is(self.text, word));
                if is("UPDATE") && !is("FOR") {
                    Body::Update(modify())
                } else if is("DELETE") {
                    Body::Delete(modify())
                } else {
                    Body::Select(blank(place))
                }
            }
            "INSERT" | "REPLACE" => Body::Insert(Insert {
                table: 0,
                columns: Vec::new(),
                columns_span: None,
                set_end: None,
                columns_place: place,
                source: InsertSource::Rows(Vec::new()),
                replace: word == "REPLACE",
                ignore: false,
                on_duplicate: Vec::new(),
            }),
            "UPDATE" => Body::Update(modify()),
            "DELETE" => Body::Delete(modify()),
            "SET" => Body::Set(Vec::new()),
            "SHOW" => Body::Show(Show {
                what: ShowWhat::Other,
                schema: None,
                like: None,
                filtered: false,
                full: false,
            }),
            "DESC" | "DESCRIBE" | "EXPLAIN" => Body::Explain,
            "CALL" => Body::Call,
            "DO" => Body::Do,
            "CREATE" | "ALTER" | "DROP" | "TRUNCATE" | "RENAME" | "ANALYZE" | "CHECK" | "CHECKSUM"
            | "OPTIMIZE" | "REPAIR" | "GRANT" | "REVOKE" => {
                Body::Ddl(Ddl { kind: DdlKind::Other, guarded: false, temporary: false, database: None })
            }
            _ => Body::Other(word),
        }
    }
}
