//! `SELECT` of nothing but the session's own facts: `SELECT DATABASE()`, `SELECT @@version_comment LIMIT 1` …
//!
//! A server behind the proxy would answer these with *its* database, user and connection id; and clients ask some of
//! them before any database, and so any server, is chosen.

use sql::Mode;
use sql::lexer::{Token, TokenKind, tokens};
use wire::column::{Column, ColumnFlags, ColumnType};

/// What a session knows of itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facts<'a> {
    pub(crate) connection: u32,
    pub(crate) database: Option<&'a str>,
    /// `user@host` as the client came.
    pub(crate) user: &'a str,
    /// `user@pattern` of the account.
    pub(crate) account: &'a str,
    pub(crate) version: &'a str,
    pub(crate) autocommit: bool,
    /// `@@wait_timeout`, `@@interactive_timeout`
    pub(crate) timeouts: (u32, u32),
    pub(crate) max_packet: usize,
    pub(crate) figures: exec::Figures,
    /// `@@warning_count`
    pub(crate) warnings: usize,
    /// `@@error_count`
    pub(crate) errors: usize,
}

/// One column of the answer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fact {
    pub(crate) column: Column,
    pub(crate) value: Option<String>,
}

/// An answer in one row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Facing {
    pub(crate) facts: Vec<Fact>,
    /// At least one of them only the session can tell.
    pub(crate) own: bool,
    /// `LIMIT 0`.
    pub(crate) empty: bool,
}

/// The answer, when every select item is a fact that can be told without a server.
pub(crate) fn answer(text: &str, mode: Mode, facts: Facts<'_>) -> Option<Facing> {
    let tokens: Vec<Token> =
        tokens(text, mode).ok()?.into_iter().filter(|token| token.kind != TokenKind::Comment).collect();
    let mut reader = Reader { text, mode, tokens: &tokens, facts };
    reader.keyword("SELECT").then_some(())?;
    let mut facing = Facing { facts: Vec::new(), own: false, empty: false };
    loop {
        let (fact, own) = reader.item()?;
        facing.facts.push(fact);
        facing.own |= own;
        if !reader.symbol(TokenKind::Comma) {
            break;
        }
    }
    if reader.keyword("FROM") && !reader.keyword("DUAL") {
        return None;
    }
    if reader.keyword("LIMIT") {
        facing.empty = reader.next(TokenKind::Integer)?.text(text).bytes().all(|byte| byte == b'0');
    }
    reader.symbol(TokenKind::Semicolon);
    reader.tokens.is_empty().then_some(facing)
}

/// Whether a text may speak of something: its name stands in it, whatever it means there.
pub(crate) fn names(text: &str, name: &str) -> bool {
    text.as_bytes().windows(name.len()).any(|window| window.eq_ignore_ascii_case(name.as_bytes()))
}

/// What a text asks for that no server can answer, since the connection of the last statement may be another's by now.
pub(crate) fn fleeting(text: &str, mode: Mode) -> Option<&'static str> {
    if !names(text, "_count") && !names(text, "found_rows") {
        return None;
    }
    let tokens = tokens(text, mode).ok()?;
    tokens.iter().enumerate().find_map(|(at, token)| {
        let before = at.checked_sub(1).and_then(|at| tokens.get(at)).map(|token| token.kind);
        let called = tokens.get(at + 1).is_some_and(|next| next.kind == TokenKind::LeftParen);
        let system = at
            .checked_sub(3)
            .and_then(|at| tokens.get(at))
            .is_some_and(|token| token.kind == TokenKind::SystemVariable);
        let variable =
            before == Some(TokenKind::SystemVariable) || (before == Some(TokenKind::Dot) && system);
        let known: [(&str, &str, bool); 4] = [
            ("FOUND_ROWS", "FOUND_ROWS()", called),
            ("ROW_COUNT", "ROW_COUNT()", called),
            ("ERROR_COUNT", "@@error_count", variable),
            ("WARNING_COUNT", "@@warning_count", variable),
        ];
        known.iter().find(|(word, _, means)| *means && token.is(text, word)).map(|(_, name, _)| *name)
    })
}

struct Reader<'a> {
    text: &'a str,
    mode: Mode,
    tokens: &'a [Token],
    facts: Facts<'a>,
}

impl Reader<'_> {
    fn keyword(&mut self, keyword: &str) -> bool {
        self.take(|token, text| token.is(text, keyword))
    }

    fn symbol(&mut self, kind: TokenKind) -> bool {
        self.take(|token, _| token.kind == kind)
    }

    fn take(&mut self, wanted: impl Fn(&Token, &str) -> bool) -> bool {
        match self.tokens.split_first() {
            Some((first, rest)) if wanted(first, self.text) => {
                self.tokens = rest;
                true
            }
            _ => false,
        }
    }

    fn next(&mut self, kind: TokenKind) -> Option<Token> {
        let (first, rest) = self.tokens.split_first()?;
        (first.kind == kind).then(|| self.tokens = rest)?;
        Some(*first)
    }

    /// One select item with its alias; whether only the session can tell it.
    fn item(&mut self) -> Option<(Fact, bool)> {
        let start = self.tokens.first()?.start as usize;
        let before = self.tokens;
        let (mut fact, own) = self.value()?;
        let used = before.len() - self.tokens.len();
        let end = before.get(used.checked_sub(1)?)?.end as usize;
        let alias = self.alias()?;
        fact.column.name = alias.unwrap_or_else(|| self.text[start..end].to_owned()).into();
        Some((fact, own))
    }

    #[expect(clippy::option_option, reason = "no alias is fine, a broken one is not")]
    fn alias(&mut self) -> Option<Option<String>> {
        let explicit = self.keyword("AS");
        let Some((first, rest)) = self.tokens.split_first() else {
            return (!explicit).then_some(None);
        };
        let name = match first.kind {
            TokenKind::Word if !explicit && first.is_any(self.text, &["FROM", "LIMIT"]) => None,
            TokenKind::Word | TokenKind::Quoted => first.name(self.text),
            TokenKind::String => first.string(self.text, self.mode),
            _ => None,
        };
        match name {
            Some(name) => {
                self.tokens = rest;
                Some(Some(name.into_owned()))
            }
            None => (!explicit).then_some(None),
        }
    }

    fn value(&mut self) -> Option<(Fact, bool)> {
        let (first, rest) = self.tokens.split_first()?;
        match first.kind {
            TokenKind::SystemVariable => {
                self.tokens = rest;
                self.variable()
            }
            TokenKind::Integer => {
                self.tokens = rest;
                let digits = first.text(self.text);
                digits.parse::<i64>().ok().map(|_| (integer(digits.to_owned(), digits.len()), false))
            }
            TokenKind::Word => {
                self.tokens = rest;
                self.function(first.text(self.text))
            }
            _ => None,
        }
    }

    fn function(&mut self, name: &str) -> Option<(Fact, bool)> {
        let called = self.symbol(TokenKind::LeftParen);
        if called {
            self.symbol(TokenKind::RightParen).then_some(())?;
        }
        let facts = self.facts;
        Some(match name.to_ascii_uppercase().as_str() {
            "CONNECTION_ID" if called => (unsigned(u64::from(facts.connection)), true),
            "DATABASE" | "SCHEMA" if called => (text(facts.database.map(str::to_owned), 64), true),
            "USER" | "SESSION_USER" | "SYSTEM_USER" if called => {
                (text(Some(facts.user.to_owned()), 288), true)
            }
            "CURRENT_USER" => (text(Some(facts.account.to_owned()), 288), true),
            "FOUND_ROWS" if called => (integer(facts.figures.found_rows.to_string(), 20), true),
            "LAST_INSERT_ID" if called => (unsigned(facts.figures.insert_id), true),
            "ROW_COUNT" if called => (integer(facts.figures.row_count.to_string(), 20), true),
            "VERSION" if called => (text(Some(facts.version.to_owned()), 60), false),
            _ => return None,
        })
    }

    /// `@@x`, `@@session.x`, `@@global.x` after the `@@`.
    fn variable(&mut self) -> Option<(Fact, bool)> {
        let mut name = self.next(TokenKind::Word)?.text(self.text);
        if self.symbol(TokenKind::Dot) {
            name = self.next(TokenKind::Word)?.text(self.text);
        }
        let facts = self.facts;
        Some(match name.to_ascii_lowercase().as_str() {
            // Connections to servers always have it on: transactions are begun where they are needed.
            "autocommit" => (switch(facts.autocommit), true),
            // What one unit's binary log has counted says nothing of the others.
            "gtid_executed" => (text(Some(String::new()), 65_535), true),
            "gtid_mode" => (text(Some("OFF".to_owned()), 21), true),
            "error_count" => (variable(facts.errors as u64), true),
            "identity" | "last_insert_id" => (variable(facts.figures.insert_id), true),
            "warning_count" => (variable(facts.warnings as u64), true),
            "max_allowed_packet" => (integer(facts.max_packet.to_string(), 21), false),
            "wait_timeout" => (seconds(facts.timeouts.0), true),
            "interactive_timeout" => (seconds(facts.timeouts.1), true),
            "version" => (text(Some(facts.version.to_owned()), 60), false),
            "version_comment" => (text(Some("Weir".to_owned()), 60), false),
            _ => return None,
        })
    }
}

fn integer(value: String, length: usize) -> Fact {
    let mut column = Column::integer(Vec::new());
    column.kind = ColumnType::LONGLONG;
    column.length = u32::try_from(length).unwrap_or(21) + 1;
    column.flags = ColumnFlags::NOT_NULL | ColumnFlags::BINARY;
    Fact { column, value: Some(value) }
}

fn switch(on: bool) -> Fact {
    let mut fact = integer(u8::from(on).to_string(), 0);
    fact.column.flags = ColumnFlags::BINARY;
    fact
}

fn unsigned(value: u64) -> Fact {
    let mut fact = integer(value.to_string(), 20);
    fact.column.flags |= ColumnFlags::UNSIGNED;
    fact
}

/// Variables may be NULL, as far as their columns say.
fn variable(value: u64) -> Fact {
    let mut fact = integer(value.to_string(), 20);
    fact.column.flags = ColumnFlags::UNSIGNED | ColumnFlags::BINARY;
    fact
}

fn seconds(value: u32) -> Fact {
    let mut fact = integer(value.to_string(), 20);
    fact.column.flags = ColumnFlags::UNSIGNED | ColumnFlags::BINARY;
    fact
}

fn text(value: Option<String>, chars: u32) -> Fact {
    Fact { column: Column::text(Vec::new(), chars), value }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FACTS: Facts<'_> = Facts {
        connection: 7,
        database: Some("shop"),
        user: "ann@10.0.0.1",
        account: "ann@%",
        version: "8.4.0",
        autocommit: true,
        timeouts: (60, 28_800),
        max_packet: 1024,
        figures: exec::Figures { row_count: -1, found_rows: 4, insert_id: 9 },
        warnings: 2,
        errors: 1,
    };

    fn row(text: &str) -> Option<Vec<(String, Option<String>)>> {
        let facing = answer(text, Mode::default(), FACTS)?;
        let name = |fact: &Fact| String::from_utf8_lossy(&fact.column.name).into_owned();
        Some(facing.facts.iter().map(|fact| (name(fact), fact.value.clone())).collect())
    }

    #[test]
    fn tells_what_the_session_knows() {
        for (text, expected) in [
            ("SELECT DATABASE()", vec![("DATABASE()", "shop")]),
            ("select @@version_comment limit 1", vec![("@@version_comment", "Weir")]),
            ("/* x */ SELECT schema ( ) AS d, CONNECTION_ID() `id`;", vec![("d", "shop"), ("id", "7")]),
            (
                "SELECT USER(), CURRENT_USER, current_user() me",
                vec![("USER()", "ann@10.0.0.1"), ("CURRENT_USER", "ann@%"), ("me", "ann@%")],
            ),
            (
                "SELECT ROW_COUNT(), FOUND_ROWS() n, LAST_INSERT_ID()",
                vec![("ROW_COUNT()", "-1"), ("n", "4"), ("LAST_INSERT_ID()", "9")],
            ),
            ("SELECT @@warning_count, @@session.error_count e", vec![("@@warning_count", "2"), ("e", "1")]),
            ("SELECT 1 FROM DUAL", vec![("1", "1")]),
            ("SELECT @@GLOBAL.GTID_MODE", vec![("@@GLOBAL.GTID_MODE", "OFF")]),
            ("SELECT @@session.autocommit a", vec![("a", "1")]),
        ] {
            let expected: Vec<(String, Option<String>)> =
                expected.into_iter().map(|(name, value)| (name.to_owned(), Some(value.to_owned()))).collect();
            assert_eq!(row(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn leaves_everything_else_to_a_server() {
        for text in [
            "SELECT DATABASE() FROM t",
            "SELECT DATABASE() = 'x'",
            "SELECT database",
            "SELECT 1 + 1",
            "SELECT @@sql_mode",
            "SELECT DATABASE() LIMIT ?",
            "SELECT DATABASE() WHERE 1",
            "INSERT INTO t VALUES (1)",
            "SELECT",
        ] {
            assert_eq!(row(text), None, "{text}");
        }
    }

    #[test]
    fn finds_what_no_server_can_tell() {
        for (text, expected) in [
            ("SELECT row_count() > 0", Some("ROW_COUNT()")),
            ("SELECT FOUND_ROWS () + 1", Some("FOUND_ROWS()")),
            ("SELECT @@session.warning_count + 1", Some("@@warning_count")),
            ("SELECT IF(@@ERROR_COUNT, 1, 2)", Some("@@error_count")),
            ("SELECT row_count, t.found_rows, 'ROW_COUNT()' FROM t", None),
            ("SELECT LAST_INSERT_ID() + 1", None),
        ] {
            assert_eq!(fleeting(text, Mode::default()), expected, "{text}");
        }
    }

    #[test]
    fn knows_what_only_the_session_can_tell() {
        assert!(answer("SELECT DATABASE()", Mode::default(), FACTS).is_some_and(|facing| facing.own));
        assert!(answer("SELECT VERSION()", Mode::default(), FACTS).is_some_and(|facing| !facing.own));
        assert!(answer("SELECT 1 LIMIT 0", Mode::default(), FACTS).is_some_and(|facing| facing.empty));
    }
}
