//! The tokens of one statement and the way over them.

use super::scope::Scope;
use super::words;
use crate::lexer::{Lexer, Token, TokenKind};
use crate::{AggregateCall, Clause, ColumnUse, Error, Mode, Pin, Place, Slot, SlotIndex, Span};
use std::borrow::Cow;

/// How deep parentheses, subqueries, calls and prefixes may nest. MySQL allows more, people do not write it; each
/// level costs some kilobytes of stack.
const DEPTH: u16 = 50;

/// A token and how many slots stand before it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lexeme {
    pub(super) token: Token,
    pub(super) slots: u32,
}

/// What was met on the way, counted where the innermost query asks for a difference.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Facts {
    /// Aggregate calls in the present query.
    pub(super) aggregates: u32,
    /// Columns anywhere.
    pub(super) columns: u32,
    /// Subqueries outside `FROM`.
    pub(super) subqueries: u32,
    /// Window functions in the present query.
    pub(super) windows: u32,
    /// Session functions or user variables anywhere.
    pub(super) session: bool,
    /// See [`crate::Statement::pin`].
    pub(super) pin: Pin,
    /// Something anywhere that only the primary can do or answer: see [`crate::Statement::reads_only`].
    pub(super) primary: bool,
}

/// Reads one statement. Its methods are spread over the modules of this folder, by what they read.
pub(super) struct Parser<'a> {
    pub(super) text: &'a str,
    pub(super) mode: Mode,
    pub(super) slots: &'a [Slot],
    /// Without comments, hints and the marks of version comments.
    pub(super) tokens: Vec<Lexeme>,
    /// Where `*/` of version comments stand, with how many tokens stand before each.
    pub(super) closes: Vec<(usize, Lexeme)>,
    /// Optimizer hints.
    pub(super) hints: Vec<Lexeme>,
    /// Plain comments `/* … */`.
    pub(super) comments: Vec<Token>,
    /// Number of the next token.
    pub(super) at: usize,
    pub(super) scope: Scope<'a>,
    /// Every column so far.
    pub(super) uses: Vec<ColumnUse>,
    /// Every call of an aggregate function so far.
    pub(super) aggregates: Vec<AggregateCall>,
    /// The part of a block that is being read.
    pub(super) clause: Clause,
    pub(super) facts: Facts,
    /// See [`crate::Statement::fixed`].
    pub(super) fixed: Vec<SlotIndex>,
    depth: u16,
}

impl<'a> Parser<'a> {
    pub(super) fn new(text: &'a str, slots: &'a [Slot], mode: Mode) -> Result<Self, Error> {
        let mut lexer = Lexer::new(text, mode);
        let mut tokens = Vec::with_capacity(text.len() / 5 + 4);
        let mut closes = Vec::new();
        let mut hints = Vec::new();
        let mut comments = Vec::new();
        let mut passed = 0;
        while let Some(token) = lexer.token()? {
            match token.kind {
                TokenKind::Comment => comments.push(token),
                TokenKind::VersionClose => closes.push((tokens.len(), Lexeme { token, slots: passed })),
                TokenKind::VersionOpen => {}
                TokenKind::Hint => hints.push(Lexeme { token, slots: passed }),
                _ => tokens.push(Lexeme { token, slots: passed }),
            }
            passed += u32::from(token.kind.slot().is_some());
        }
        Ok(Self {
            text,
            mode,
            slots,
            tokens,
            closes,
            hints,
            comments,
            at: 0,
            scope: Scope::default(),
            uses: Vec::new(),
            aggregates: Vec::new(),
            clause: Clause::Values,
            facts: Facts::default(),
            fixed: Vec::new(),
            depth: 0,
        })
    }

    /// The token `ahead` of the next one.
    #[inline]
    pub(super) fn ahead(&self, ahead: usize) -> Option<Token> {
        self.tokens.get(self.at + ahead).map(|lexeme| lexeme.token)
    }

    /// The next token.
    #[inline]
    pub(super) fn peek(&self) -> Option<Token> {
        self.ahead(0)
    }

    #[inline]
    pub(super) fn kind(&self) -> Option<TokenKind> {
        self.peek().map(|token| token.kind)
    }

    #[inline]
    pub(super) fn kind_ahead(&self, ahead: usize) -> Option<TokenKind> {
        self.ahead(ahead).map(|token| token.kind)
    }

    /// Whether the next token is the keyword.
    #[inline]
    pub(super) fn is(&self, keyword: &str) -> bool {
        self.is_ahead(0, keyword)
    }

    #[inline]
    pub(super) fn is_ahead(&self, ahead: usize, keyword: &str) -> bool {
        self.ahead(ahead).is_some_and(|token| token.is(self.text, keyword))
    }

    pub(super) fn is_any(&self, keywords: &[&str]) -> bool {
        self.peek().is_some_and(|token| token.is_any(self.text, keywords))
    }

    /// Whether the next tokens are the keywords.
    pub(super) fn are(&self, keywords: &[&str]) -> bool {
        keywords.iter().enumerate().all(|(ahead, keyword)| self.is_ahead(ahead, keyword))
    }

    /// Takes the keyword if it comes next.
    #[inline]
    pub(super) fn take(&mut self, keyword: &str) -> bool {
        let found = self.is(keyword);
        self.at += usize::from(found);
        found
    }

    /// Takes one of the keywords if it comes next.
    pub(super) fn take_any(&mut self, keywords: &[&str]) -> bool {
        let found = self.is_any(keywords);
        self.at += usize::from(found);
        found
    }

    /// Takes the keywords if they come next.
    pub(super) fn take_all(&mut self, keywords: &[&str]) -> bool {
        let found = self.are(keywords);
        if found {
            self.at += keywords.len();
        }
        found
    }

    /// Takes a token of this kind if it comes next.
    #[inline]
    pub(super) fn take_kind(&mut self, kind: TokenKind) -> bool {
        let found = self.kind() == Some(kind);
        self.at += usize::from(found);
        found
    }

    pub(super) fn expect(&mut self, keyword: &'static str) -> Result<(), Error> {
        if self.take(keyword) { Ok(()) } else { Err(self.expected(keyword)) }
    }

    pub(super) fn expect_kind(&mut self, kind: TokenKind, what: &'static str) -> Result<(), Error> {
        if self.take_kind(kind) { Ok(()) } else { Err(self.expected(what)) }
    }

    /// The error at the next token.
    pub(super) fn expected(&self, expected: &'static str) -> Error {
        let (at, found) = match self.peek() {
            Some(token) => {
                let text = token.text(self.text);
                (token.start as usize, text.chars().take(64).collect())
            }
            None => (self.text.len(), "the end of the statement".to_owned()),
        };
        Error::Syntax { at, expected, found }
    }

    /// Runs `read` one level deeper.
    pub(super) fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, Error>) -> Result<T, Error> {
        if self.depth >= DEPTH {
            return Err(Error::TooDeep {
                at: self.peek().map_or(self.text.len(), |token| token.start as usize),
            });
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Whether the token `ahead` can be a name: quoted, or a word that is not reserved.
    pub(super) fn is_name(&self, ahead: usize) -> bool {
        self.ahead(ahead).is_some_and(|token| match token.kind {
            TokenKind::Quoted => true,
            TokenKind::Word => !words::is_reserved(token.text(self.text)),
            _ => false,
        })
    }

    /// Takes a name.
    pub(super) fn name(&mut self, what: &'static str) -> Result<Cow<'a, str>, Error> {
        if !self.is_name(0) {
            return Err(self.expected(what));
        }
        self.any_name(what)
    }

    /// Takes a name where reserved words are names as well: after a dot.
    pub(super) fn any_name(&mut self, what: &'static str) -> Result<Cow<'a, str>, Error> {
        match self.peek().and_then(|token| token.name(self.text)) {
            Some(name) => {
                self.at += 1;
                Ok(name)
            }
            None => Err(self.expected(what)),
        }
    }

    /// Takes the word that comes next, in upper case.
    pub(super) fn word(&mut self) -> Option<String> {
        let token = self.peek().filter(|token| token.kind == TokenKind::Word)?;
        self.at += 1;
        Some(token.text(self.text).to_ascii_uppercase())
    }

    /// Number of the slot that the token is, which must be one.
    pub(super) fn slot(&self, token: usize) -> SlotIndex {
        self.tokens.get(token).map_or(0, |lexeme| lexeme.slots)
    }

    /// Whether a comma stands right inside the parenthesis that opens `ahead` of the next token.
    pub(super) fn is_list(&self, ahead: usize) -> bool {
        let mut open = 0_u32;
        for lexeme in self.tokens.iter().skip(self.at + ahead) {
            match lexeme.token.kind {
                TokenKind::LeftParen => open += 1,
                TokenKind::RightParen if open <= 1 => return false,
                TokenKind::RightParen => open -= 1,
                TokenKind::Comma if open == 1 => return true,
                _ => {}
            }
        }
        false
    }

    /// Moves past the `)` that closes the parenthesis whose inside comes next.
    pub(super) fn skip_parens(&mut self) -> Result<(), Error> {
        let mut open = 1;
        while let Some(kind) = self.kind() {
            match kind {
                TokenKind::LeftParen => open += 1,
                TokenKind::RightParen => open -= 1,
                _ => {}
            }
            self.at += 1;
            if open == 0 {
                return Ok(());
            }
        }
        Err(self.expected(")"))
    }

    /// Where the token begins.
    pub(super) fn start(&self, token: usize) -> Place {
        self.tokens.get(token).map_or_else(
            || Place::at(self.text.len() as u32, self.slots),
            |lexeme| self.place(lexeme.slots, lexeme.token.start),
        )
    }

    /// Where the token ends.
    pub(super) fn end(&self, token: usize) -> Place {
        match self.tokens.get(token) {
            Some(lexeme) if lexeme.token.kind.slot().is_some() => {
                Place { after: lexeme.slots + 1, offset: 0 }
            }
            Some(lexeme) => self.place(lexeme.slots, lexeme.token.end),
            None => Place { after: 0, offset: 0 },
        }
    }

    /// Where the last token taken ends.
    pub(super) fn last_end(&self) -> Place {
        match self.at.checked_sub(1) {
            Some(last) => self.end(last),
            None => Place { after: 0, offset: 0 },
        }
    }

    /// Where the statement ends: behind its last token and the `*/` of a version comment that the token is in.
    pub(super) fn statement_end(&self) -> Place {
        let count = self.tokens.len();
        match self.closes.iter().rev().find(|(before, _)| *before == count && count > 0) {
            Some((_, close)) => self.place(close.slots, close.token.end),
            None => self.last_end(),
        }
    }

    /// From the start of token `first` to the end of the last token taken.
    pub(super) fn span_from(&self, first: usize) -> Span {
        Span { start: self.start(first), end: self.last_end() }
    }

    pub(super) fn place(&self, after: u32, offset: u32) -> Place {
        let base = match after.checked_sub(1) {
            Some(last) => self.slots.get(last as usize).map_or(0, |slot| slot.end),
            None => 0,
        };
        Place { after, offset: offset.saturating_sub(base) }
    }
}
