//! Cuts a text into tokens by MySQL's lexical rules; tokens are byte ranges, nothing is copied.
//!
//! Blanks are the gaps between tokens, comments are tokens ([`TokenKind::Comment`]) that a reader skips. The content of
//! `/*! … */` is read as part of the statement. The lexer refuses only what has no end.

mod token;

use crate::{Error, Mode};
pub use token::{Token, TokenKind};

/// Version comments from here on are written to be skipped by every server (`/*!99999 … */`).
const FUTURE: u32 = 99_000;

/// All tokens of a text, comments included.
pub fn tokens(text: &str, mode: Mode) -> Result<Vec<Token>, Error> {
    let mut lexer = Lexer::new(text, mode);
    let mut tokens = Vec::with_capacity(text.len() / 4 + 1);
    while let Some(token) = lexer.token()? {
        tokens.push(token);
    }
    Ok(tokens)
}

/// Reads one token after another.
#[derive(Clone, Debug)]
pub struct Lexer<'a> {
    text: &'a str,
    at: usize,
    mode: Mode,
    /// Where `/*!` began, while inside it.
    version: Option<usize>,
    /// A name ended here: a dot that follows at once is not the start of a number.
    name_end: usize,
    /// A dot after a name ended here: what follows at once is a name even if it begins with a digit.
    dot_end: usize,
}

impl<'a> Lexer<'a> {
    /// A lexer at the start of `text`.
    pub fn new(text: &'a str, mode: Mode) -> Self {
        Self { text, at: 0, mode, version: None, name_end: usize::MAX, dot_end: usize::MAX }
    }

    /// The next token; nothing at the end.
    #[inline]
    pub fn token(&mut self) -> Result<Option<Token>, Error> {
        let bytes = self.text.as_bytes();
        while let Some(byte) = bytes.get(self.at)
            && class(*byte) == Class::Blank
        {
            self.at += 1;
        }
        let start = self.at;
        let Some(&first) = bytes.get(start) else {
            return match self.version {
                Some(at) => Err(Error::Unterminated { at, what: "comment" }),
                None => Ok(None),
            };
        };
        let kind = match class(first) {
            Class::Letter => self.word(first)?,
            Class::Digit => self.number(),
            Class::Quote => self.quoted(first)?,
            _ => self.symbol(first)?,
        };
        let (Ok(start), Ok(end)) = (u32::try_from(start), u32::try_from(self.at)) else {
            return Err(Error::TooLong);
        };
        Ok(Some(Token { kind, start, end }))
    }

    /// The byte `ahead` of the current one; 0 past the end.
    #[inline]
    fn peek(&self, ahead: usize) -> u8 {
        self.text.as_bytes().get(self.at + ahead).copied().unwrap_or(0)
    }

    /// Moves over the characters of a name.
    #[inline]
    fn name(&mut self) {
        let bytes = self.text.as_bytes();
        while bytes.get(self.at).is_some_and(|byte| is_name(*byte)) {
            self.at += 1;
        }
    }

    fn digits(&mut self) {
        while self.peek(0).is_ascii_digit() {
            self.at += 1;
        }
    }

    #[inline]
    fn word(&mut self, first: u8) -> Result<TokenKind, Error> {
        if self.peek(1) == b'\'' {
            let kind = match first {
                b'x' | b'X' => Some(TokenKind::Hex),
                b'b' | b'B' => Some(TokenKind::Bit),
                _ => None,
            };
            if let Some(kind) = kind {
                let start = self.at;
                self.at += 2;
                self.close(start, b'\'', false, "string")?;
                return Ok(kind);
            }
        }
        self.name();
        self.name_end = self.at;
        Ok(TokenKind::Word)
    }

    /// A token that begins with a digit, which may be a name (`1a`).
    fn number(&mut self) -> TokenKind {
        let start = self.at;
        if self.dot_end == start {
            self.name();
            self.name_end = self.at;
            return TokenKind::Word;
        }
        if self.peek(0) == b'0'
            && let Some(kind) = self.radix()
        {
            return kind;
        }
        self.digits();
        match self.peek(0) {
            b'.' => {
                self.at += 1;
                self.fraction()
            }
            b'e' | b'E' if self.exponent() => TokenKind::Float,
            next if is_name(next) => {
                self.name();
                self.name_end = self.at;
                TokenKind::Word
            }
            _ => TokenKind::Integer,
        }
    }

    /// `0x1f` and `0b01`; `0xg` is a name.
    fn radix(&mut self) -> Option<TokenKind> {
        let (kind, digit): (_, fn(&u8) -> bool) = match self.peek(1) {
            b'x' => (TokenKind::Hex, u8::is_ascii_hexdigit),
            b'b' => (TokenKind::Bit, |byte| matches!(byte, b'0' | b'1')),
            _ => return None,
        };
        let rest = self.text.as_bytes().get(self.at + 2..)?;
        let length = rest.iter().take_while(|byte| digit(byte)).count();
        if length == 0 || rest.get(length).is_some_and(|byte| is_name(*byte)) {
            return None;
        }
        self.at += 2 + length;
        Some(kind)
    }

    /// What follows the point of a number.
    fn fraction(&mut self) -> TokenKind {
        self.digits();
        if matches!(self.peek(0), b'e' | b'E') && self.exponent() {
            return TokenKind::Float;
        }
        TokenKind::Decimal
    }

    /// Moves over `e5`, `e+5`; stays if no digit follows.
    fn exponent(&mut self) -> bool {
        let sign = usize::from(matches!(self.peek(1), b'+' | b'-'));
        if !self.peek(1 + sign).is_ascii_digit() {
            return false;
        }
        self.at += 1 + sign;
        self.digits();
        true
    }

    fn quoted(&mut self, quote: u8) -> Result<TokenKind, Error> {
        let start = self.at;
        self.at += 1;
        if quote == b'`' || (quote == b'"' && self.mode.ansi_quotes) {
            self.close(start, quote, false, "name")?;
            return Ok(TokenKind::Quoted);
        }
        self.close(start, quote, !self.mode.no_backslash_escapes, "string")?;
        Ok(TokenKind::String)
    }

    /// Moves past the closing quote; a doubled quote does not close.
    #[inline]
    fn close(&mut self, start: usize, quote: u8, escapes: bool, what: &'static str) -> Result<(), Error> {
        let bytes = self.text.as_bytes();
        loop {
            let rest = bytes.get(self.at..).unwrap_or_default();
            let found =
                if escapes { memchr::memchr2(quote, b'\\', rest) } else { memchr::memchr(quote, rest) };
            let Some(found) = found else {
                return Err(Error::Unterminated { at: start, what });
            };
            self.at += found + 1;
            if rest[found] == b'\\' && escapes {
                // One character, of which only the first byte matters: the others are no quotes.
                self.at += 1;
            } else if self.peek(0) == quote {
                self.at += 1;
            } else {
                return Ok(());
            }
        }
    }

    fn symbol(&mut self, first: u8) -> Result<TokenKind, Error> {
        use TokenKind as Kind;
        let (next, third) = (self.peek(1), self.peek(2));
        let (kind, length) = match first {
            b'.' if next.is_ascii_digit() && self.name_end != self.at => {
                self.at += 1;
                return Ok(self.fraction());
            }
            b'.' => {
                if self.name_end == self.at {
                    self.dot_end = self.at + 1;
                }
                (Kind::Dot, 1)
            }
            b'@' => return self.variable(),
            b'#' => return Ok(self.line_comment()),
            b'-' if next == b'-' && self.dashes() => return Ok(self.line_comment()),
            b'/' if next == b'*' => return self.comment(),
            b'*' if next == b'/' && self.version.take().is_some() => (Kind::VersionClose, 2),
            b'<' if next == b'=' && third == b'>' => (Kind::NullSafeEqual, 3),
            b'-' if next == b'>' && third == b'>' => (Kind::DoubleArrow, 3),
            b'<' if next == b'=' => (Kind::LessOrEqual, 2),
            b'<' if next == b'>' => (Kind::NotEqual, 2),
            b'<' if next == b'<' => (Kind::ShiftLeft, 2),
            b'>' if next == b'=' => (Kind::GreaterOrEqual, 2),
            b'>' if next == b'>' => (Kind::ShiftRight, 2),
            b'!' if next == b'=' => (Kind::NotEqual, 2),
            b'|' if next == b'|' => (Kind::DoublePipe, 2),
            b'&' if next == b'&' => (Kind::DoubleAmpersand, 2),
            b':' if next == b'=' => (Kind::Assign, 2),
            b'-' if next == b'>' => (Kind::Arrow, 2),
            _ => (single(first), 1),
        };
        self.at += length;
        Ok(kind)
    }

    /// `--` begins a comment only before a blank, a control character or the end.
    fn dashes(&self) -> bool {
        let third = self.peek(2);
        third <= b' ' || third == 0x7f
    }

    fn line_comment(&mut self) -> TokenKind {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        self.at += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        TokenKind::Comment
    }

    fn comment(&mut self) -> Result<TokenKind, Error> {
        let start = self.at;
        let (kind, nests) = match self.peek(2) {
            b'!' if self.version.is_none() => {
                self.at += 3;
                let number = self.version_number();
                if number.is_none_or(|number| number < FUTURE) {
                    self.version = Some(start);
                    return Ok(TokenKind::VersionOpen);
                }
                (TokenKind::Comment, true)
            }
            b'+' => (TokenKind::Hint, false),
            _ => (TokenKind::Comment, false),
        };
        self.at = start + 2;
        let bytes = self.text.as_bytes();
        let mut open = 1;
        while open > 0 {
            let rest = bytes.get(self.at..).unwrap_or_default();
            let Some(star) = memchr::memchr(b'*', rest) else {
                return Err(Error::Unterminated { at: start, what: "comment" });
            };
            // Only what a server skips for its version may hold comments.
            if nests && star > 0 && rest[star - 1] == b'/' {
                open += 1;
                self.at += star + 1;
            } else if rest.get(star + 1) == Some(&b'/') {
                open -= 1;
                self.at += star + 2;
            } else {
                self.at += star + 1;
            }
        }
        Ok(kind)
    }

    /// Takes the number of `/*!50100` or `/*!080034 `: six digits only before a blank.
    fn version_number(&mut self) -> Option<u32> {
        let digits = (0..6).take_while(|ahead| self.peek(*ahead).is_ascii_digit()).count();
        let length = match digits {
            6 if class(self.peek(6)) == Class::Blank => 6,
            5 | 6 => 5,
            _ => return None,
        };
        let number = self.text.get(self.at..self.at + length)?.parse().ok();
        self.at += length;
        number
    }

    fn variable(&mut self) -> Result<TokenKind, Error> {
        let start = self.at;
        self.at += 1;
        match self.peek(0) {
            b'@' => {
                self.at += 1;
                return Ok(TokenKind::SystemVariable);
            }
            quote @ (b'`' | b'\'' | b'"') => {
                self.at += 1;
                let escapes = quote != b'`' && !self.mode.no_backslash_escapes;
                self.close(start, quote, escapes, "name")?;
            }
            _ => {
                while is_name(self.peek(0)) || self.peek(0) == b'.' {
                    self.at += 1;
                }
            }
        }
        Ok(TokenKind::UserVariable)
    }
}

impl Iterator for Lexer<'_> {
    type Item = Result<Token, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        self.token().transpose()
    }
}

fn single(byte: u8) -> TokenKind {
    match byte {
        b'!' => TokenKind::Exclamation,
        b'%' => TokenKind::Percent,
        b'&' => TokenKind::Ampersand,
        b'(' => TokenKind::LeftParen,
        b')' => TokenKind::RightParen,
        b'*' => TokenKind::Star,
        b'+' => TokenKind::Plus,
        b',' => TokenKind::Comma,
        b'-' => TokenKind::Minus,
        b'/' => TokenKind::Slash,
        b':' => TokenKind::Colon,
        b';' => TokenKind::Semicolon,
        b'<' => TokenKind::Less,
        b'=' => TokenKind::Equal,
        b'>' => TokenKind::Greater,
        b'?' => TokenKind::Param,
        b'[' => TokenKind::LeftBracket,
        b']' => TokenKind::RightBracket,
        b'^' => TokenKind::Caret,
        b'{' => TokenKind::LeftBrace,
        b'|' => TokenKind::Pipe,
        b'}' => TokenKind::RightBrace,
        b'~' => TokenKind::Tilde,
        _ => TokenKind::Unknown,
    }
}

#[derive(Clone, Copy, Eq, PartialEq)]
enum Class {
    Blank,
    Digit,
    Letter,
    Other,
    Quote,
}

/// What a byte may begin; bytes above ASCII are letters, as in MySQL.
static CLASSES: [Class; 256] = {
    let mut classes = [Class::Other; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b' ' | b'\t'..=b'\r' => Class::Blank,
            b'0'..=b'9' => Class::Digit,
            b'A'..=b'Z' | b'a'..=b'z' | b'_' | b'$' | 0x80.. => Class::Letter,
            b'\'' | b'"' | b'`' => Class::Quote,
            _ => Class::Other,
        };
        byte += 1;
    }
    classes
};

#[inline]
fn class(byte: u8) -> Class {
    CLASSES[byte as usize]
}

#[inline]
fn is_name(byte: u8) -> bool {
    matches!(class(byte), Class::Letter | Class::Digit)
}

#[cfg(test)]
mod tests;
