//! Statement digests: what is left of a text when its values are.

use crate::Mode;
use crate::lexer::{Lexer, Token, TokenKind};

/// A longer text is cut at the end of a token; its number is that of the whole.
const LIMIT: usize = 4096;

/// What texts have in common that differ in values, comments and blanks only.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Digest {
    /// Of the whole text: the same in every process and release (FNV-1a, 64 bits).
    pub id: u64,
    /// Values are `?`, several in parentheses `(...)`, and rows of them one; comments are left out, and between tokens there
    /// is a blank or nothing, by their kinds. Maybe cut.
    pub text: Box<str>,
}

impl Digest {
    /// Of a text, as far as it can be read.
    pub fn of(text: &str, mode: Mode) -> Self {
        let mut writer = Writer::default();
        let mut lexer = Lexer::new(text, mode);
        while let Ok(Some(token)) = lexer.token() {
            writer.token(&token, text);
        }
        writer.finish()
    }
}

/// What has been written of a list of values in parentheses.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum List {
    /// The parenthesis is open, at this place, and holds so many values.
    Open { start: usize, values: usize, after_value: bool },
    /// It has been closed; the list began at this place.
    Closed { start: usize },
    /// A comma stands behind it.
    Comma { start: usize },
}

#[derive(Debug, Default)]
struct Writer {
    out: String,
    last: Option<TokenKind>,
    /// Where the last token ended in the text.
    end: u32,
    list: Option<List>,
    /// Where the list before this one began, if they are parted by a comma alone.
    rows: Option<usize>,
    /// A sign that is written unless a number follows.
    sign: Option<char>,
}

impl Writer {
    fn token(&mut self, token: &Token, text: &str) {
        if matches!(token.kind, TokenKind::Comment | TokenKind::VersionOpen | TokenKind::VersionClose) {
            // As good as a blank.
            return;
        }
        let gap = token.start > self.end;
        if let Some(sign) = self.sign.take()
            && token.kind.slot().is_none()
        {
            self.part(TokenKind::Minus, true);
            self.out.push(sign);
            (self.list, self.last) = (None, Some(TokenKind::Minus));
        }
        match token.kind {
            TokenKind::LeftParen => {
                self.part(token.kind, gap);
                self.rows = match self.list {
                    Some(List::Comma { start }) => Some(start),
                    _ => None,
                };
                self.list = Some(List::Open { start: self.out.len(), values: 0, after_value: false });
                self.out.push('(');
            }
            TokenKind::RightParen => self.close(),
            TokenKind::Comma => {
                self.list = match self.list {
                    Some(List::Open { start, values, after_value: true }) => {
                        Some(List::Open { start, values, after_value: false })
                    }
                    Some(List::Closed { start }) => Some(List::Comma { start }),
                    _ => None,
                };
                self.out.push(',');
            }
            kind if kind.slot().is_some() => self.value(kind, gap),
            TokenKind::Word if matches!(self.list, Some(List::Open { .. })) && token.is(text, "NULL") => {
                self.value(TokenKind::Integer, gap);
            }
            TokenKind::Minus | TokenKind::Plus if self.last.is_some_and(begins_value) => {
                self.sign = text[token.start as usize..].chars().next();
                self.end = token.end;
                return;
            }
            kind => {
                self.part(kind, gap);
                self.out.push_str(token.text(text));
                self.list = None;
            }
        }
        (self.last, self.end) = (Some(token.kind), token.end);
    }

    fn value(&mut self, kind: TokenKind, gap: bool) {
        self.part(kind, gap);
        self.out.push('?');
        self.list = match self.list {
            Some(List::Open { start, values, after_value: false }) => {
                Some(List::Open { start, values: values + 1, after_value: true })
            }
            _ => None,
        };
    }

    fn close(&mut self) {
        self.list = match self.list {
            Some(List::Open { start, values, after_value: true }) => {
                self.out.truncate(start + 1);
                self.out.push_str(if values > 1 { "...)" } else { "?)" });
                match self.rows {
                    // One more row of the same kind says nothing new.
                    Some(before) if self.out[before..].starts_with(&self.out[start..]) => {
                        let end = before + self.out.len() - start;
                        self.out.truncate(end);
                        Some(List::Closed { start: before })
                    }
                    _ => Some(List::Closed { start }),
                }
            }
            _ => {
                self.out.push(')');
                None
            }
        };
    }

    /// Writes a blank between the last token and one of this kind, if one belongs there.
    fn part(&mut self, kind: TokenKind, gap: bool) {
        use TokenKind as T;
        let Some(last) = self.last else { return };
        let tight = match (last, kind) {
            (T::Dot | T::LeftParen, _) | (_, T::Dot | T::Semicolon) => true,
            // A function's name stands by its parenthesis, by which servers tell it.
            (T::Word | T::Quoted, T::LeftParen) => !gap,
            (T::Word | T::Quoted | T::String | T::UserVariable, T::UserVariable) => !gap,
            (T::SystemVariable, _) => true,
            _ => false,
        };
        if !tight {
            self.out.push(' ');
        }
    }

    fn finish(mut self) -> Digest {
        self.out.truncate(self.out.trim_end_matches(';').len());
        let id = self.out.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        if self.out.len() > LIMIT {
            let end = self.out.floor_char_boundary(LIMIT);
            self.out.truncate(end);
            self.out.push_str("...");
        }
        Digest { id, text: self.out.into_boxed_str() }
    }
}

/// Whether a sign behind it can only be a number's.
const fn begins_value(kind: TokenKind) -> bool {
    use TokenKind as T;
    matches!(
        kind,
        T::LeftParen
            | T::Comma
            | T::Equal
            | T::NotEqual
            | T::NullSafeEqual
            | T::Less
            | T::LessOrEqual
            | T::Greater
            | T::GreaterOrEqual
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> String {
        Digest::of(text, Mode::default()).text.into()
    }

    #[test]
    fn values_comments_and_blanks_are_left_out() {
        for (statement, digest) in [
            ("SELECT c FROM sbtest1 WHERE id=42", "SELECT c FROM sbtest1 WHERE id = ?"),
            ("SELECT  c\nFROM sbtest1 /* x */ WHERE id = ?;", "SELECT c FROM sbtest1 WHERE id = ?"),
            ("SELECT a.b, `c`.d FROM a WHERE x IN (1, 'b',0x1)", "SELECT a.b, `c`.d FROM a WHERE x IN (...)"),
            ("SELECT 1 WHERE a IN (1)", "SELECT ? WHERE a IN (?)"),
            ("INSERT INTO t VALUES (1, 'a'), (2,'b') ,(3, NULL)", "INSERT INTO t VALUES (...)"),
            (
                "SELECT a FROM t WHERE a IS NULL AND b = -1 AND c IN (1,-2, +3)",
                "SELECT a FROM t WHERE a IS NULL AND b = ? AND c IN (...)",
            ),
            ("SELECT a - 1, (-b), f(-c, 1)", "SELECT a - ?, (- b), f(- c, ?)"),
            ("INSERT INTO t (a, b) VALUES (1,2),(3,4),(5,6)", "INSERT INTO t (a, b) VALUES (...)"),
            ("INSERT INTO t VALUES (1),(2)", "INSERT INTO t VALUES (?)"),
            ("SELECT COUNT(*), SUM( a ) FROM t", "SELECT COUNT(*), SUM(a) FROM t"),
            ("SELECT @@session.x, @a", "SELECT @@session.x, @a"),
            ("SELECT f(1, 2), (3)", "SELECT f(...), (?)"),
            ("UPDATE t SET a=a+1,b='x' WHERE (a=1)", "UPDATE t SET a = a + ?, b = ? WHERE (a = ?)"),
            ("", ""),
            ("SELECT 'open", "SELECT"),
        ] {
            assert_eq!(text(statement), digest, "{statement}");
        }
    }

    #[test]
    fn the_number_is_that_of_the_text() {
        let id = |text| Digest::of(text, Mode::default()).id;
        assert_eq!(id("SELECT 1"), id("SELECT  'a' -- x"));
        assert_ne!(id("SELECT a"), id("SELECT b"));
        // FNV-1a of nothing, and of `a` (draft-eastlake-fnv).
        assert_eq!((id(""), id("a")), (0xcbf2_9ce4_8422_2325, 0xaf63_dc4c_8601_ec8c));
        let long = format!("SELECT {}", "a, ".repeat(3000));
        assert_ne!(id(&long), id(&format!("{long} b")));
        assert!(text(&long).len() <= LIMIT + 3);
    }
}
