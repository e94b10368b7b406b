//! What the lexer hands out.

use crate::fingerprint::SlotKind;
use crate::{Mode, unquote};
use std::borrow::Cow;

/// What a token is.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum TokenKind {
    /// `&`.
    Ampersand,
    /// `->`.
    Arrow,
    /// `:=`.
    Assign,
    /// `b'01'`, `0b01`.
    Bit,
    /// `^`.
    Caret,
    /// `:`.
    Colon,
    /// `,`.
    Comma,
    /// `/* … */`, `-- …`, `# …`.
    Comment,
    /// `1.5`, `.5`, `1.`.
    Decimal,
    /// `.`.
    Dot,
    /// `&&`.
    DoubleAmpersand,
    /// `->>`.
    DoubleArrow,
    /// `||`.
    DoublePipe,
    /// `=`.
    Equal,
    /// `!`.
    Exclamation,
    /// `1e5`, `1.5e-3`.
    Float,
    /// `>`.
    Greater,
    /// `>=`.
    GreaterOrEqual,
    /// `x'1f'`, `0x1f`.
    Hex,
    /// `/*+ … */`: optimizer hints.
    Hint,
    /// `42`.
    Integer,
    /// `{`.
    LeftBrace,
    /// `[`.
    LeftBracket,
    /// `(`.
    LeftParen,
    /// `<`.
    Less,
    /// `<=`.
    LessOrEqual,
    /// `-`.
    Minus,
    /// `<>`, `!=`.
    NotEqual,
    /// `<=>`.
    NullSafeEqual,
    /// `?`.
    Param,
    /// `%`.
    Percent,
    /// `|`.
    Pipe,
    /// `+`.
    Plus,
    /// `` `…` ``, and `"…"` under `ANSI_QUOTES`.
    Quoted,
    /// `}`.
    RightBrace,
    /// `]`.
    RightBracket,
    /// `)`.
    RightParen,
    /// `;`.
    Semicolon,
    /// `<<`.
    ShiftLeft,
    /// `>>`.
    ShiftRight,
    /// `/`.
    Slash,
    /// `*`.
    Star,
    /// `'…'`, `"…"`.
    String,
    /// `@@`.
    SystemVariable,
    /// `~`.
    Tilde,
    /// A character that begins no token.
    Unknown,
    /// `@x`, `@'x'`, `` @`x` ``: also the host part of an account.
    UserVariable,
    /// `*/` of `/*! … */`.
    VersionClose,
    /// `/*!`, `/*!50100`.
    VersionOpen,
    /// A keyword or a name without quotes.
    Word,
}

impl TokenKind {
    /// What kind of slot such a token is, if it is one.
    #[inline]
    pub fn slot(self) -> Option<SlotKind> {
        Some(match self {
            Self::Bit => SlotKind::Bit,
            Self::Comment => SlotKind::Comment,
            Self::Decimal => SlotKind::Decimal,
            Self::Float => SlotKind::Float,
            Self::Hex => SlotKind::Hex,
            Self::Integer => SlotKind::Integer,
            Self::Param => SlotKind::Param,
            Self::String => SlotKind::String,
            _ => return None,
        })
    }
}

/// A token: a stretch of the text.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Token {
    /// The text of the token, quotes included.
    #[inline]
    pub fn text<'a>(&self, text: &'a str) -> &'a str {
        &text[self.start as usize..self.end as usize]
    }

    /// Whether it is this keyword (a word without quotes, in any letter case).
    #[inline]
    pub fn is(&self, text: &str, keyword: &str) -> bool {
        self.kind == TokenKind::Word && self.text(text).eq_ignore_ascii_case(keyword)
    }

    /// Whether it is one of these keywords.
    pub fn is_any(&self, text: &str, keywords: &[&str]) -> bool {
        self.kind == TokenKind::Word && keywords.iter().any(|word| self.is(text, word))
    }

    /// The name it says, without quotes; nothing if it is neither a word nor a quoted name.
    pub fn name<'a>(&self, text: &'a str) -> Option<Cow<'a, str>> {
        match self.kind {
            TokenKind::Quoted => Some(unquote::name(self.text(text))),
            TokenKind::Word => Some(Cow::Borrowed(self.text(text))),
            _ => None,
        }
    }

    /// The value of a string, without quotes and escapes; nothing if it is no string.
    pub fn string<'a>(&self, text: &'a str, mode: Mode) -> Option<Cow<'a, str>> {
        (self.kind == TokenKind::String).then(|| unquote::string(self.text(text), mode))
    }
}
