//! Walks over tokens; every refusal says what was expected and where.

use indexmap::IndexMap;
use sql::Mode;
use sql::lexer::{Lexer, Token, TokenKind};

use crate::ast::Algorithm;
use crate::error::{Error, Found, Place};

/// A place between the tokens of a text; comments are left out.
pub(crate) struct Cursor<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    at: usize,
}

impl<'a> Cursor<'a> {
    /// At the first token behind byte `start`.
    pub(crate) fn new(text: &'a str, start: usize) -> Result<Self, Error> {
        let mut tokens = Vec::new();
        // Strings are strings whatever the session's mode: DistSQL has rules of its own.
        let mut lexer = Lexer::new(text, Mode::default());
        while let Some(token) = lexer.token().map_err(|error| Error::Unterminated {
            what: error.to_string(),
            place: Place::at(text, error.at()),
        })? {
            if token.start as usize >= start && significant(&token) {
                tokens.push(token);
            }
        }
        Ok(Self { text, tokens, at: 0 })
    }

    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn kind(&self) -> Option<TokenKind> {
        self.peek().map(|token| token.kind)
    }

    /// The refusal of the current token.
    pub(crate) fn expected(&self, what: impl Into<String>) -> Error {
        let expected = what.into();
        match self.peek() {
            Some(token) => Error::Syntax {
                expected,
                found: Found::Token(shown(token.text(self.text))),
                place: Place::at(self.text, token.start as usize),
            },
            None => {
                Error::Syntax { expected, found: Found::End, place: Place::at(self.text, self.text.len()) }
            }
        }
    }

    /// Whether the current token is a keyword.
    pub(crate) fn sees(&self, keyword: &str) -> bool {
        self.peek().is_some_and(|token| token.is(self.text, keyword))
    }

    /// Whether the tokens from here on are these keywords.
    pub(crate) fn sees_all(&self, keywords: &[&str]) -> bool {
        keywords.iter().enumerate().all(|(ahead, keyword)| {
            self.tokens.get(self.at + ahead).is_some_and(|token| token.is(self.text, keyword))
        })
    }

    /// Whether the token after the current one is of a kind.
    pub(crate) fn then(&self, kind: TokenKind) -> bool {
        self.tokens.get(self.at + 1).is_some_and(|token| token.kind == kind)
    }

    /// Moves over a keyword if it is there.
    pub(crate) fn accept(&mut self, keyword: &str) -> bool {
        let seen = self.sees(keyword);
        self.at += usize::from(seen);
        seen
    }

    /// Moves over keywords if they are all there.
    pub(crate) fn accept_all(&mut self, keywords: &[&str]) -> bool {
        let seen = self.sees_all(keywords);
        self.at += if seen { keywords.len() } else { 0 };
        seen
    }

    /// Whether the current token is a sign.
    pub(crate) fn sees_sign(&self, kind: TokenKind) -> bool {
        self.kind() == Some(kind)
    }

    /// Moves over a sign if it is there.
    pub(crate) fn accept_sign(&mut self, kind: TokenKind) -> bool {
        let seen = self.sees_sign(kind);
        self.at += usize::from(seen);
        seen
    }

    /// Moves over a keyword.
    pub(crate) fn keyword(&mut self, keyword: &str) -> Result<(), Error> {
        if self.accept(keyword) { Ok(()) } else { Err(self.expected(keyword)) }
    }

    /// Moves over a sign.
    pub(crate) fn sign(&mut self, kind: TokenKind) -> Result<(), Error> {
        if self.accept_sign(kind) { Ok(()) } else { Err(self.expected(sign(kind))) }
    }

    /// Moves over a comma; the error names it and what else may follow.
    pub(crate) fn comma(&mut self) -> Result<(), Error> {
        self.sign(TokenKind::Comma)
    }

    /// Whether a list goes on, within parentheses: moves over `,` or `)`.
    pub(crate) fn goes_on(&mut self) -> Result<bool, Error> {
        if self.accept_sign(TokenKind::Comma) {
            return Ok(true);
        }
        if self.accept_sign(TokenKind::RightParen) { Ok(false) } else { Err(self.expected("',' or ')'")) }
    }

    /// Moves over `KEYWORD =`.
    pub(crate) fn assignment(&mut self, keyword: &str) -> Result<(), Error> {
        self.keyword(keyword)?;
        self.sign(TokenKind::Equal)
    }

    /// A name, quoted or not.
    pub(crate) fn name(&mut self, what: &str) -> Result<String, Error> {
        match self.peek().and_then(|token| token.name(self.text)) {
            Some(name) if !name.is_empty() => {
                let name = name.into_owned();
                self.at += 1;
                Ok(name)
            }
            _ => Err(self.expected(what)),
        }
    }

    /// A name in which `-` needs no quotes, as shadow rules allow it.
    pub(crate) fn dashed(&mut self, what: &str) -> Result<String, Error> {
        let Some(first) = self.peek().filter(|token| token.kind == TokenKind::Word) else {
            return self.name(what);
        };
        let start = first.start as usize;
        let rest = &self.text[start..];
        let length = rest.find(|sign: char| sign.is_ascii() && !is_dashed(sign)).unwrap_or(rest.len());
        let end = start + length;
        let within = self.tokens[self.at..].iter().take_while(|token| token.end as usize <= end).count();
        if within == 0 || self.tokens[self.at + within - 1].end as usize != end {
            return Err(self.expected(what));
        }
        self.at += within;
        Ok(self.text[start..end].to_owned())
    }

    /// Items between commas.
    pub(crate) fn list<T>(
        &mut self,
        mut item: impl FnMut(&mut Self) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        let mut items = vec![item(self)?];
        while self.accept_sign(TokenKind::Comma) {
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// Items between commas within parentheses.
    pub(crate) fn group<T>(
        &mut self,
        mut item: impl FnMut(&mut Self) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        self.sign(TokenKind::LeftParen)?;
        let mut items = vec![item(self)?];
        while self.goes_on()? {
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// One item within parentheses.
    pub(crate) fn within<T>(&mut self, item: impl FnOnce(&mut Self) -> Result<T, Error>) -> Result<T, Error> {
        self.sign(TokenKind::LeftParen)?;
        let item = item(self)?;
        self.sign(TokenKind::RightParen)?;
        Ok(item)
    }

    /// Names between commas.
    pub(crate) fn names(&mut self, what: &str) -> Result<Vec<String>, Error> {
        self.list(|cursor| cursor.name(what))
    }

    /// Any of keywords, which mean the same.
    pub(crate) fn any(&mut self, keywords: &[&str]) -> Result<(), Error> {
        let seen = keywords.iter().any(|keyword| self.accept(keyword));
        if seen { Ok(()) } else { Err(self.expected(alternatives(keywords))) }
    }

    /// A string; only the outer quotes are removed.
    pub(crate) fn string(&mut self) -> Result<String, Error> {
        match self.peek().filter(|token| token.kind == TokenKind::String).map(|token| token.text(self.text)) {
            Some(text) => {
                self.at += 1;
                Ok(text[1..text.len() - 1].to_owned())
            }
            None => Err(self.expected("a string")),
        }
    }

    /// A name or a string.
    pub(crate) fn name_or_string(&mut self, what: &str) -> Result<String, Error> {
        if self.kind() == Some(TokenKind::String) { self.string() } else { self.name(what) }
    }

    /// An integer.
    pub(crate) fn integer(&mut self) -> Result<u64, Error> {
        let text =
            self.peek().filter(|token| token.kind == TokenKind::Integer).map(|token| token.text(self.text));
        match text.and_then(|text| text.parse().ok()) {
            Some(number) => {
                self.at += 1;
                Ok(number)
            }
            None => Err(self.expected("an integer")),
        }
    }

    /// A literal as a text: string, integer with or without sign, `TRUE`, `FALSE`.
    pub(crate) fn literal(&mut self) -> Result<String, Error> {
        let minus = self.kind() == Some(TokenKind::Minus) && self.then(TokenKind::Integer);
        if minus || self.kind() == Some(TokenKind::Integer) {
            self.at += usize::from(minus);
            let digits = self.peek().map(|token| token.text(self.text)).unwrap_or_default();
            self.at += 1;
            return Ok(format!("{}{digits}", if minus { "-" } else { "" }));
        }
        if self.kind() == Some(TokenKind::String) {
            return self.string();
        }
        if self.sees("TRUE") || self.sees("FALSE") {
            return self.name("TRUE or FALSE");
        }
        Err(self.expected("a string, an integer, TRUE or FALSE"))
    }

    /// `TRUE`, `FALSE`.
    pub(crate) fn boolean(&mut self) -> Result<bool, Error> {
        if self.accept("TRUE") {
            Ok(true)
        } else if self.accept("FALSE") {
            Ok(false)
        } else {
            Err(self.expected("TRUE or FALSE"))
        }
    }

    /// `IF NOT EXISTS`, if it is there.
    pub(crate) fn if_not_exists(&mut self) -> bool {
        self.accept_all(&["IF", "NOT", "EXISTS"])
    }

    /// `IF EXISTS`, if it is there.
    pub(crate) fn if_exists(&mut self) -> bool {
        self.accept_all(&["IF", "EXISTS"])
    }

    /// `FROM db`, if it is there.
    pub(crate) fn from(&mut self) -> Result<Option<String>, Error> {
        if self.accept("FROM") { self.name("a database").map(Some) } else { Ok(None) }
    }

    /// `LIKE 'pattern'`, if it is there.
    pub(crate) fn like(&mut self) -> Result<Option<String>, Error> {
        if self.accept("LIKE") { self.string().map(Some) } else { Ok(None) }
    }

    /// `FROM db`, `LIKE 'pattern'`, if they are there, in either order.
    pub(crate) fn listing(&mut self) -> Result<(Option<String>, Option<String>), Error> {
        if let Some(pattern) = self.like()? {
            return Ok((self.from()?, Some(pattern)));
        }
        Ok((self.from()?, self.like()?))
    }

    /// `PROPERTIES(…)`.
    pub(crate) fn properties(&mut self) -> Result<IndexMap<String, String>, Error> {
        self.keyword("PROPERTIES")?;
        self.sign(TokenKind::LeftParen)?;
        let mut properties = IndexMap::new();
        if self.accept_sign(TokenKind::RightParen) {
            return Ok(properties);
        }
        loop {
            let place = self.peek().map_or(self.text.len(), |token| token.start as usize);
            let key = self.name_or_string("a property")?;
            self.sign(TokenKind::Equal)?;
            let value = self.literal()?;
            if properties.contains_key(&key) {
                return Err(Error::Repeated {
                    what: format!("property '{key}'"),
                    place: Place::at(self.text, place),
                });
            }
            properties.insert(key, value);
            if !self.goes_on()? {
                return Ok(properties);
            }
        }
    }

    /// `TYPE(NAME=… [, PROPERTIES(…)])`.
    pub(crate) fn algorithm(&mut self) -> Result<Algorithm, Error> {
        self.keyword("TYPE")?;
        self.sign(TokenKind::LeftParen)?;
        self.assignment("NAME")?;
        let name = self.name_or_string("an algorithm type")?;
        let properties = if self.goes_on()? {
            let properties = self.properties()?;
            self.sign(TokenKind::RightParen)?;
            properties
        } else {
            IndexMap::new()
        };
        Ok(Algorithm { name, properties })
    }

    /// Whether nothing is left but a `;`.
    pub(crate) fn finished(&self) -> bool {
        self.peek().is_none_or(|token| token.kind == TokenKind::Semicolon)
    }

    /// The end of the statement, one `;` before it or not.
    pub(crate) fn end(&mut self) -> Result<(), Error> {
        self.accept_sign(TokenKind::Semicolon);
        if self.peek().is_some() { Err(self.expected("the end of the statement")) } else { Ok(()) }
    }
}

/// Whether a token is part of the statement.
pub(crate) fn significant(token: &Token) -> bool {
    !matches!(
        token.kind,
        TokenKind::Comment | TokenKind::Hint | TokenKind::VersionOpen | TokenKind::VersionClose
    )
}

/// A token's text in a message, shortened.
fn shown(text: &str) -> String {
    const LONGEST: usize = 64;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// What a name with dashes consists of, besides what is not ASCII.
fn is_dashed(sign: char) -> bool {
    sign.is_ascii_alphanumeric() || matches!(sign, '_' | '$' | '-')
}

/// `A, B or C`.
pub(crate) fn alternatives(words: &[&str]) -> String {
    match words {
        [rest @ .., last] if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => words.concat(),
    }
}

fn sign(kind: TokenKind) -> &'static str {
    match kind {
        TokenKind::Comma => "','",
        TokenKind::Dot => "'.'",
        TokenKind::Equal => "'='",
        TokenKind::LeftBracket => "'['",
        TokenKind::LeftParen => "'('",
        TokenKind::RightBracket => "']'",
        TokenKind::RightParen => "')'",
        _ => "another sign",
    }
}
