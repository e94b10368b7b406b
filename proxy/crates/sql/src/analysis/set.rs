//! `SET` in all its forms.

use super::cursor::Parser;
use crate::lexer::{Token, TokenKind};
use crate::{Assignment, Body, Error, Pin, SetTarget, SetValue};

#[derive(Clone, Copy, Eq, PartialEq)]
enum Scope {
    Global,
    Session,
}

impl Parser<'_> {
    /// What follows `SET`.
    pub(super) fn set_statement(&mut self) -> Result<Body, Error> {
        let first = self.at;
        let scoped = self.is_any(&["GLOBAL", "SESSION", "LOCAL"]) && self.is_ahead(1, "TRANSACTION");
        if scoped || (self.is("TRANSACTION") && self.kind_ahead(1) == Some(TokenKind::Word)) {
            return self.set_transaction();
        }
        // `SET password = …` could be a variable's name; these are statements of their own.
        if self.is_any(&["PASSWORD", "ROLE", "RESOURCE"]) && self.kind_ahead(1) != Some(TokenKind::Dot)
            || self.are(&["DEFAULT", "ROLE"])
        {
            let name = self.word().unwrap_or_default();
            self.at = self.tokens.len();
            let span = self.span_from(first);
            let target = SetTarget::Other(name);
            return Ok(Body::Set(vec![Assignment { target, value: SetValue::Expression, span }]));
        }
        let mut assignments = Vec::new();
        // The scope last named holds for what follows without one.
        let mut scope = Scope::Session;
        loop {
            assignments.push(self.assignment(&mut scope)?);
            if !self.take_kind(TokenKind::Comma) {
                return Ok(Body::Set(assignments));
            }
        }
    }

    /// `[GLOBAL|SESSION] TRANSACTION ISOLATION LEVEL …, READ ONLY`
    fn set_transaction(&mut self) -> Result<Body, Error> {
        let first = self.at;
        let global = self.take("GLOBAL");
        let session = self.take_any(&["SESSION", "LOCAL"]);
        self.expect("TRANSACTION")?;
        let mut words = String::new();
        while let Some(token) = self.peek() {
            match token.kind {
                TokenKind::Comma => words.push(','),
                TokenKind::Word => {
                    if !words.is_empty() {
                        words.push(' ');
                    }
                    words.push_str(&token.text(self.text).to_ascii_uppercase());
                }
                _ => return Err(self.expected("ISOLATION LEVEL, READ ONLY or READ WRITE")),
            }
            self.at += 1;
        }
        let target = if global {
            SetTarget::Global("transaction".to_owned())
        } else {
            SetTarget::Transaction { session }
        };
        let span = self.span_from(first);
        Ok(Body::Set(vec![Assignment { target, value: SetValue::Text(words), span }]))
    }

    fn assignment(&mut self, scope: &mut Scope) -> Result<Assignment, Error> {
        let first = self.at;
        if self.is("NAMES") && !self.is_assigned(1) {
            return self.names();
        }
        if self.are(&["CHARACTER", "SET"])
            || self.are(&["CHAR", "SET"])
            || (self.is("CHARSET") && !self.is_assigned(1))
        {
            self.at += if self.is("CHARSET") { 1 } else { 2 };
            let value = self.set_value()?;
            return Ok(Assignment { target: SetTarget::CharacterSet, value, span: self.span_from(first) });
        }
        let target = match self.kind() {
            Some(TokenKind::UserVariable) => {
                self.facts.pin |= Pin::VARIABLE;
                let text = self.peek().map_or("", |token| token.text(self.text)).trim_start_matches('@');
                self.at += 1;
                let name = if text.starts_with('`') {
                    crate::unquote::name(text)
                } else {
                    crate::unquote::string(text, self.mode)
                };
                SetTarget::User(name.to_lowercase())
            }
            Some(TokenKind::SystemVariable) => {
                self.at += 1;
                let mut own = Scope::Session;
                if self.kind_ahead(1) == Some(TokenKind::Dot) {
                    self.scope_word(&mut own);
                    self.take_kind(TokenKind::Dot);
                }
                self.variable(own)?
            }
            _ => {
                if !self.is_assigned(1) && self.kind_ahead(1) != Some(TokenKind::Dot) {
                    self.scope_word(scope);
                    self.take_kind(TokenKind::SystemVariable);
                }
                self.variable(*scope)?
            }
        };
        if !self.take_kind(TokenKind::Equal) {
            self.expect_kind(TokenKind::Assign, "=")?;
        }
        let value = self.set_value()?;
        Ok(Assignment { target, value, span: self.span_from(first) })
    }

    fn is_assigned(&self, ahead: usize) -> bool {
        matches!(self.kind_ahead(ahead), Some(TokenKind::Equal | TokenKind::Assign))
    }

    /// Takes the word that names a scope, if one comes next.
    fn scope_word(&mut self, scope: &mut Scope) {
        if self.take_any(&["GLOBAL", "PERSIST", "PERSIST_ONLY"]) {
            *scope = Scope::Global;
        } else if self.take_any(&["SESSION", "LOCAL"]) {
            *scope = Scope::Session;
        }
    }

    fn variable(&mut self, scope: Scope) -> Result<SetTarget, Error> {
        let mut name = self.any_name("a variable")?.to_lowercase();
        while self.take_kind(TokenKind::Dot) {
            name.push('.');
            name.push_str(&self.any_name("a variable")?.to_lowercase());
        }
        Ok(match scope {
            Scope::Global => SetTarget::Global(name),
            Scope::Session => SetTarget::Session(name),
        })
    }

    /// `NAMES x [COLLATE y]`
    fn names(&mut self) -> Result<Assignment, Error> {
        let first = self.at;
        self.at += 1;
        let value = self.word_value().ok_or_else(|| self.expected("a character set"))?;
        let mut collation = None;
        if self.take("COLLATE") {
            collation = match self.word_value() {
                Some(SetValue::Text(collation)) => Some(collation),
                Some(_) => None,
                None => return Err(self.expected("a collation")),
            };
        }
        Ok(Assignment { target: SetTarget::Names { collation }, value, span: self.span_from(first) })
    }

    /// A value up to the next comma.
    fn set_value(&mut self) -> Result<SetValue, Error> {
        let start = self.at;
        let sign = matches!(self.kind(), Some(TokenKind::Minus | TokenKind::Plus));
        self.at += usize::from(sign);
        let constant = self.word_value();
        if let Some(constant) = constant
            && matches!(self.kind(), None | Some(TokenKind::Comma))
        {
            let minus =
                sign && self.tokens.get(start).is_some_and(|lexeme| lexeme.token.kind == TokenKind::Minus);
            return Ok(match constant {
                SetValue::Text(text) if minus => SetValue::Text(format!("-{text}")),
                constant => constant,
            });
        }
        // A parameter alone has the fingerprint of a constant: what is said here holds for parameters only.
        let lone = self.kind() == Some(TokenKind::Param)
            && matches!(self.kind_ahead(1), None | Some(TokenKind::Comma));
        let param = lone.then(|| self.slot(self.at));
        // Read for the tables in it; no value in it is asked for.
        let first = self.slot(start);
        while self.fixed.pop_if(|slot| *slot >= first).is_some() {}
        self.fixed.extend(param);
        self.at = start;
        self.expr()?;
        Ok(SetValue::Expression)
    }

    /// One word, string or number as it is.
    fn word_value(&mut self) -> Option<SetValue> {
        let token = self.peek()?;
        let value = self.constant(token)?;
        if token.kind.slot().is_some() {
            self.fixed.push(self.slot(self.at));
        }
        self.at += 1;
        Some(value)
    }

    fn constant(&self, token: Token) -> Option<SetValue> {
        Some(match token.kind {
            TokenKind::String => SetValue::Text(token.string(self.text, self.mode)?.into_owned()),
            TokenKind::Word if token.is(self.text, "DEFAULT") => SetValue::Default,
            TokenKind::Word | TokenKind::Quoted => SetValue::Text(token.name(self.text)?.into_owned()),
            TokenKind::Integer | TokenKind::Decimal | TokenKind::Float | TokenKind::Hex | TokenKind::Bit => {
                SetValue::Text(token.text(self.text).to_owned())
            }
            _ => return None,
        })
    }
}
