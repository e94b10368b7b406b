//! Where the first statement of a text ends.

use crate::Mode;
use crate::lexer::{Lexer, Token, TokenKind};

/// The first statement of a text.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct First {
    /// Where the `;` is that ends it; nothing when it goes to the end of the text.
    pub end: Option<usize>,
    /// Whether it is nothing but blanks and comments.
    pub empty: bool,
}

/// Finds the first statement of a text. The `;` within the body of a routine, trigger or event end no statement.
///
/// A text that the lexer refuses is one statement, which whoever reads it will refuse.
pub fn first(text: &str, mode: Mode) -> First {
    let mut lexer = Lexer::new(text, mode);
    let mut first = First { end: None, empty: true };
    let mut body = Body::default();
    while let Ok(Some(token)) = lexer.token() {
        if token.kind == TokenKind::Comment {
            continue;
        }
        if token.kind == TokenKind::Semicolon && body.open.is_empty() {
            first.end = Some(token.start as usize);
            return first;
        }
        body.follow(text, token);
        first.empty = false;
    }
    first
}

/// What is still to be ended by an `END`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Block {
    /// `CASE` within an expression.
    Expression,
    /// `BEGIN`, and `CASE`, `IF`, `LOOP`, `REPEAT`, `WHILE` as statements.
    Statement,
}

/// Follows the blocks in the body of a routine, trigger or event.
#[derive(Debug, Default)]
struct Body {
    /// How many tokens came.
    count: usize,
    /// Whether a statement began with `CREATE` or `ALTER`.
    defines: bool,
    /// Whether it makes something that has a body.
    routine: bool,
    open: Vec<Block>,
    /// The token before.
    before: Option<Token>,
    /// A statement of the body begins here.
    starts: bool,
    /// In the condition that ends a `REPEAT`.
    until: bool,
}

/// How far from the start of the statement its kind may stand, behind `DEFINER` and the like.
const HEAD: usize = 12;
const ROUTINES: &[&str] = &["EVENT", "FUNCTION", "PROCEDURE", "TRIGGER"];
/// What other blocks than `BEGIN` begin with.
const OPENERS: &[&str] = &["CASE", "IF", "LOOP", "REPEAT", "WHILE"];
/// Behind these a statement begins: within a body, and behind what introduces one.
const BEFORE: &[&str] = &[
    "BEGIN",
    "DATA",
    "DEFINER",
    "DETERMINISTIC",
    "DO",
    "ELSE",
    "FOUND",
    "INVOKER",
    "LOOP",
    "REPEAT",
    "ROW",
    "SQL",
    "SQLEXCEPTION",
    "SQLWARNING",
    "THEN",
];

impl Body {
    fn follow(&mut self, text: &str, token: Token) {
        self.count += 1;
        if self.count == 1 {
            self.defines = token.is_any(text, &["ALTER", "CREATE"]);
        }
        if !self.defines {
            return;
        }
        if self.routine {
            self.block(text, token);
        }
        self.routine |= self.count <= HEAD && token.is_any(text, ROUTINES);
        self.before = Some(token);
    }

    fn block(&mut self, text: &str, token: Token) {
        let before = |words: &[&str]| self.before.is_some_and(|before| before.is_any(text, words));
        let member = self.before.is_some_and(|before| before.kind == TokenKind::Dot);
        let expression = self.open.last() == Some(&Block::Expression);
        // `IF NOT EXISTS` stands behind the kind, which is none of those that a statement follows.
        let starts = self.starts && !expression;
        let word = token.kind == TokenKind::Word && !member;
        if word && token.is(text, "BEGIN") || (starts && token.is_any(text, OPENERS)) {
            self.open.push(Block::Statement);
        } else if word && token.is(text, "CASE") && !before(&["END"]) {
            self.open.push(Block::Expression);
        } else if word && token.is(text, "END") && (expression || starts || self.until) {
            self.open.pop();
            self.until &= expression;
        }
        self.until |= token.is(text, "UNTIL") && self.starts;
        self.starts = match token.kind {
            TokenKind::Colon | TokenKind::RightParen | TokenKind::Semicolon | TokenKind::String => true,
            // `DO` as a statement has an expression behind it.
            TokenKind::Word => token.is_any(text, BEFORE) && !(starts && token.is(text, "DO")),
            _ => false,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<&str> {
        let (mut found, mut rest) = (Vec::new(), text);
        while let Some(end) = first(rest, Mode::default()).end {
            found.push(rest[..end].trim());
            rest = &rest[end + 1..];
        }
        found.push(rest.trim());
        found
    }

    #[test]
    fn texts_end_at_semicolons() {
        for (text, expected) in [
            ("", &[""][..]),
            ("SELECT 1", &["SELECT 1"]),
            (
                "SELECT ';' ; /* a;b */ SELECT `;`; BEGIN;",
                &["SELECT ';'", "/* a;b */ SELECT `;`", "BEGIN", ""],
            ),
            ("SELECT 1; -- a;b\nSELECT 'x", &["SELECT 1", "-- a;b\nSELECT 'x"]),
            (
                "BEGIN; UPDATE t SET a = CASE WHEN b THEN 1 END; END",
                &["BEGIN", "UPDATE t SET a = CASE WHEN b THEN 1 END", "END"],
            ),
            (
                "CREATE TABLE event (a INT, b INT); SELECT 2",
                &["CREATE TABLE event (a INT, b INT)", "SELECT 2"],
            ),
        ] {
            assert_eq!(all(text), expected, "{text}");
        }
    }

    #[test]
    fn bodies_are_not_cut() {
        for text in [
            "CREATE PROCEDURE p() BEGIN SELECT 1; END",
            "CREATE DEFINER=`a`@`%` PROCEDURE IF NOT EXISTS p(a INT) COMMENT 'x' lbl: BEGIN SELECT 1; END lbl",
            "CREATE PROCEDURE p() SELECT IF(1, 2, 3), REPEAT('a', 2), CASE 1 WHEN 1 THEN 2 END",
            "CREATE PROCEDURE p(a INT) IF a > 1 THEN SELECT 1; ELSEIF a THEN SELECT 2; ELSE SELECT 3; END IF",
            "CREATE TRIGGER r BEFORE INSERT ON t FOR EACH ROW SET NEW.a = IF(NEW.a, CASE WHEN 1 THEN IF(1,2,3) END, 2)",
            "CREATE TRIGGER r BEFORE INSERT ON t FOR EACH ROW IF NEW.a THEN SET NEW.a = 1; END IF",
            "CREATE FUNCTION f() RETURNS CHAR(3) CHARACTER SET latin1 DETERMINISTIC BEGIN RETURN 'a;b'; END",
            "CREATE EVENT e ON SCHEDULE EVERY 1 DAY DO BEGIN DELETE FROM t; DELETE FROM u; END",
            "ALTER EVENT e DO BEGIN DELETE FROM t; DELETE FROM u; END",
            "create procedure p() begin declare continue handler for not found begin set @a = 1; end; \
             case @a when 1 then begin end; else select case when 1 then 2 end; end case; \
             l: while @a do set @a = 0; leave l; end while; repeat set @a = repeat('x', 2); until 1 end repeat; \
             loop do if(1,2,3); end loop; select x.begin, t.end from t; end",
        ] {
            assert_eq!(all(&format!("SELECT 0; {text}; SELECT 1")), ["SELECT 0", text, "SELECT 1"]);
        }
    }

    #[test]
    fn tells_what_says_nothing() {
        let told = |text| {
            let First { end, empty } = first(text, Mode::default());
            (end, empty)
        };
        assert_eq!(told(" ; SELECT 1"), (Some(1), true));
        assert_eq!(told("/* c */"), (None, true));
        assert_eq!(told("SELECT 1 /* c */"), (None, false));
        assert_eq!(told("'no end; "), (None, true));
    }
}
