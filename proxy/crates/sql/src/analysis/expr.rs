//! Expressions with MySQL's own precedence, read for three things only: what a condition says about a column, which
//! value a scalar has, and which tables and owners are mentioned. The rest is passed over.
//!
//! From loose to tight: `OR ||`, `XOR`, `AND &&`, `NOT`, comparisons and `IS`, `BETWEEN IN LIKE REGEXP`, `|`, `&`,
//! `<< >>`, `+ -`, `* / DIV MOD %`, `^`, `||` as concatenation, prefixes.

use super::cursor::Parser;
use super::scope::Named;
use super::{predicate, words};
use crate::lexer::TokenKind;
use crate::{Aggregate, Arithmetic, BlockIndex, Error, Operator, Pin, Predicate, Role, Scalar, Use};

/// How many operators may stand in a folded constant.
const FOLDED: u8 = 16;

/// What an expression is, as far as somebody asks.
#[derive(Debug)]
pub(super) enum Expr {
    /// An aggregate call.
    Aggregate(Box<Aggregate>),
    /// A column.
    Column(Named),
    /// Something true or false; boxed, since every level of an expression holds one on the stack.
    Condition(Box<Predicate>),
    /// Something true or false of which nothing is known.
    Opaque,
    /// Anything else.
    Other,
    /// A subquery in parentheses.
    Query(BlockIndex),
    /// `(a, b)`.
    Row(Vec<Self>),
    /// A value, and how many operators are in it.
    Scalar(Scalar, u8),
}

impl Expr {
    pub(super) fn condition(predicate: Predicate) -> Self {
        if predicate == Predicate::Opaque { Self::Opaque } else { Self::Condition(Box::new(predicate)) }
    }

    /// As a condition.
    pub(super) fn into_predicate(self) -> Predicate {
        match self {
            Self::Condition(predicate) => *predicate,
            Self::Scalar(Scalar::Truth(true), _) => Predicate::True,
            Self::Scalar(Scalar::Truth(false) | Scalar::Null, _) => Predicate::never(),
            _ => Predicate::Opaque,
        }
    }

    /// A copy of its value.
    pub(super) fn scalar(&self) -> Scalar {
        match self {
            Self::Scalar(scalar, _) => scalar.clone(),
            _ => Scalar::Opaque,
        }
    }

    /// As a value.
    pub(super) fn into_scalar(self) -> Scalar {
        match self {
            Self::Scalar(scalar, _) => scalar,
            _ => Scalar::Opaque,
        }
    }
}

impl Parser<'_> {
    /// Any expression.
    pub(super) fn expr(&mut self) -> Result<Expr, Error> {
        self.nested(|parser| parser.logic(0))
    }

    /// An expression as a condition.
    pub(super) fn condition(&mut self) -> Result<Predicate, Error> {
        let expr = self.expr()?;
        Ok(self.truth(expr))
    }

    /// Expressions with commas between.
    pub(super) fn exprs(&mut self) -> Result<Vec<Expr>, Error> {
        let mut exprs = vec![self.expr()?];
        while self.take_kind(TokenKind::Comma) {
            exprs.push(self.expr()?);
        }
        Ok(exprs)
    }

    /// `IN`, `BETWEEN`, `LIKE` and their kin.
    pub(super) fn predicate(&mut self) -> Result<Expr, Error> {
        let left = self.bits(0)?;
        let not = self.is("NOT");
        let ahead = usize::from(not);
        let words = ["IN", "BETWEEN", "LIKE", "REGEXP", "RLIKE", "SOUNDS", "MEMBER"];
        let Some(word) = words.into_iter().find(|word| self.is_ahead(ahead, word)) else { return Ok(left) };
        let start = self.at;
        self.at += ahead + 1;
        let found = match word {
            "IN" => self.membership(left, not)?,
            "BETWEEN" => {
                let low = self.bits(0)?;
                self.expect("AND")?;
                let high = self.nested(Self::predicate)?;
                self.within(&left, &low, &high);
                predicate::between(left, low, high)
            }
            "LIKE" => {
                self.like(&left, not)?;
                Predicate::Opaque
            }
            "REGEXP" | "RLIKE" => {
                let right = self.bits(0)?;
                self.passed_to(&left, "REGEXP");
                self.passed_to(&right, "REGEXP");
                Predicate::Opaque
            }
            _ if !not
                && (self.take("LIKE") || self.take("OF") || self.kind() == Some(TokenKind::LeftParen)) =>
            {
                let right = self.bits(0)?;
                self.passed_to(&left, word);
                self.passed_to(&right, word);
                Predicate::Opaque
            }
            _ => {
                self.at = start;
                return Ok(left);
            }
        };
        // Of what is denied only the subquery's own kind says something.
        let kept = !not || matches!(found, Predicate::Within { .. });
        Ok(if kept { Expr::condition(found) } else { Expr::Opaque })
    }

    /// What follows `LIKE`.
    fn like(&mut self, left: &Expr, negated: bool) -> Result<(), Error> {
        let first = self.at;
        let right = self.bits(0)?;
        let span = self.span_from(first);
        let mut escape = None;
        let word = self.at;
        if self.take("ESCAPE") {
            let character = self.bits(0)?;
            self.passed_to(&character, "ESCAPE");
            escape = Some(self.span_from(word));
        }
        self.passed_to(&right, "LIKE");
        if let Expr::Column(column) = left {
            let pattern = right.into_scalar();
            self.claim(column.index, Use::Like { pattern, span, escape, negated });
        }
        Ok(())
    }

    /// What follows `IN`.
    fn membership(&mut self, left: Expr, negated: bool) -> Result<Predicate, Error> {
        self.expect_kind(TokenKind::LeftParen, "(")?;
        if self.is_query() {
            let query = self.subquery()?;
            let op = if negated { Operator::NotEqual } else { Operator::Equal };
            self.asked(&left, op, query);
            return Ok(predicate::within(&left, query, negated));
        }
        let Expr::Column(column) = left else {
            let values = self.exprs()?;
            self.expect_kind(TokenKind::RightParen, ")")?;
            self.passed_to(&left, "IN");
            values.iter().for_each(|value| self.passed_to(value, "IN"));
            return Ok(predicate::row_in(left, values));
        };
        let mut values = Vec::new();
        let mut places = Vec::new();
        loop {
            let first = self.at;
            let value = match self.lone_value() {
                Some(value) => value,
                None => {
                    let value = self.expr()?;
                    self.passed_to(&value, "IN");
                    value.into_scalar()
                }
            };
            places.push((value.clone(), self.span_from(first)));
            values.push(value);
            if !self.take_kind(TokenKind::Comma) {
                break;
            }
        }
        self.expect_kind(TokenKind::RightParen, ")")?;
        self.claim(column.index, Use::In { values: places, negated });
        Ok(Predicate::In { column: column.column, values })
    }

    /// A literal or parameter with `,` or `)` behind it: the short way through long lists.
    #[inline]
    pub(super) fn lone_value(&mut self) -> Option<Scalar> {
        self.kind()?.slot()?;
        if !matches!(self.kind_ahead(1), Some(TokenKind::Comma | TokenKind::RightParen)) {
            return None;
        }
        self.at += 1;
        Some(Scalar::Slot(self.slot(self.at - 1)))
    }

    /// Operators over values that bind at least as tight as `least`.
    pub(super) fn bits(&mut self, least: u8) -> Result<Expr, Error> {
        let mut left = self.prefix()?;
        while let Some((level, arithmetic)) = self.operator()
            && level >= least
        {
            let operator = self.at;
            self.at += 1;
            let right = self.bits(level + 1)?;
            self.operated(operator, &left);
            self.operated(operator, &right);
            left = match (arithmetic, left, right) {
                (Some(op), Expr::Scalar(left, inner), Expr::Scalar(right, other))
                    if inner + other < FOLDED =>
                {
                    Expr::Scalar(Scalar::Arithmetic(op, Box::new(left), Box::new(right)), inner + other + 1)
                }
                _ => Expr::Other,
            };
        }
        Ok(left)
    }

    /// How tight the operator that comes next binds, and what it computes if that can be folded.
    fn operator(&self) -> Option<(u8, Option<Arithmetic>)> {
        let token = self.peek()?;
        Some(match token.kind {
            TokenKind::Pipe => (0, None),
            TokenKind::Ampersand => (1, None),
            TokenKind::ShiftLeft | TokenKind::ShiftRight => (2, None),
            TokenKind::Plus => (3, Some(Arithmetic::Add)),
            TokenKind::Minus => (3, Some(Arithmetic::Subtract)),
            TokenKind::Star => (4, Some(Arithmetic::Multiply)),
            TokenKind::Slash => (4, None),
            TokenKind::Percent => (4, Some(Arithmetic::Remainder)),
            TokenKind::Word if token.is(self.text, "DIV") => (4, Some(Arithmetic::Divide)),
            TokenKind::Word if token.is(self.text, "MOD") => (4, Some(Arithmetic::Remainder)),
            TokenKind::Caret => (5, None),
            TokenKind::DoublePipe if self.mode.pipes_as_concat => (6, None),
            _ => return None,
        })
    }

    fn prefix(&mut self) -> Result<Expr, Error> {
        let mut expr = match self.kind() {
            Some(TokenKind::Minus) => {
                self.at += 1;
                match self.nested(Self::prefix)? {
                    Expr::Scalar(inner, size) if size < FOLDED => {
                        Expr::Scalar(Scalar::Negative(Box::new(inner)), size + 1)
                    }
                    other => {
                        self.passed_to(&other, "operator -");
                        Expr::Other
                    }
                }
            }
            Some(TokenKind::Plus) => {
                self.at += 1;
                match self.nested(Self::prefix)? {
                    scalar @ Expr::Scalar(..) => scalar,
                    other => {
                        self.passed_to(&other, "operator +");
                        Expr::Other
                    }
                }
            }
            Some(TokenKind::Exclamation | TokenKind::Tilde) => {
                let operator = self.at;
                self.at += 1;
                let inner = self.nested(Self::prefix)?;
                self.operated(operator, &inner);
                Expr::Other
            }
            _ => self.primary()?,
        };
        loop {
            if self.take("COLLATE") {
                self.passed_to(&expr, "COLLATE");
                if !self.take_kind(TokenKind::String) {
                    self.any_name("a collation")?;
                }
                expr = match expr {
                    Expr::Scalar(..) => Expr::Scalar(Scalar::Opaque, 0),
                    _ => Expr::Other,
                };
            } else if matches!(self.kind(), Some(TokenKind::Arrow | TokenKind::DoubleArrow)) {
                self.operated(self.at, &expr);
                self.at += 1;
                self.expect_kind(TokenKind::String, "a path")?;
                expr = Expr::Other;
            } else {
                return Ok(expr);
            }
        }
    }

    fn primary(&mut self) -> Result<Expr, Error> {
        let Some(token) = self.peek() else { return Err(self.expected("an expression")) };
        match token.kind {
            TokenKind::String => Ok(Expr::Scalar(self.strings(), 0)),
            kind if kind.slot().is_some() => {
                self.at += 1;
                Ok(Expr::Scalar(Scalar::Slot(self.slot(self.at - 1)), 0))
            }
            TokenKind::Word => self.word_primary(),
            TokenKind::Quoted => {
                if self.kind_ahead(1) == Some(TokenKind::LeftParen) {
                    return self.call();
                }
                self.column_or_call()
            }
            TokenKind::LeftParen => self.parenthesis(),
            TokenKind::LeftBrace => {
                self.at += 1;
                self.any_name("d, t or ts")?;
                let value = self.expr()?;
                self.passed_to(&value, "{}");
                self.expect_kind(TokenKind::RightBrace, "}")?;
                Ok(Expr::Other)
            }
            TokenKind::UserVariable => {
                self.at += 1;
                self.facts.session = true;
                self.facts.primary = true;
                if self.take_kind(TokenKind::Assign) {
                    self.facts.pin |= Pin::VARIABLE;
                    let value = self.expr()?;
                    self.passed_to(&value, "operator :=");
                }
                Ok(Expr::Other)
            }
            TokenKind::SystemVariable => self.system_variable(),
            _ => Err(self.expected("an expression")),
        }
    }

    /// One string, or several side by side.
    fn strings(&mut self) -> Scalar {
        self.at += 1;
        if self.kind() != Some(TokenKind::String) {
            return Scalar::Slot(self.slot(self.at - 1));
        }
        while self.take_kind(TokenKind::String) {}
        Scalar::Opaque
    }

    /// An expression that begins with a word.
    fn word_primary(&mut self) -> Result<Expr, Error> {
        if self.kind_ahead(1) == Some(TokenKind::Dot) && self.is_name(0) {
            return self.column_or_call();
        }
        let Some(token) = self.peek() else { return Err(self.expected("an expression")) };
        let word = token.text(self.text);
        let next = self.kind_ahead(1);
        if next == Some(TokenKind::String) && self.introduces(word, token.end) {
            self.at += 1;
            self.strings();
            return Ok(Expr::Scalar(Scalar::Opaque, 0));
        }
        if matches!(next, Some(TokenKind::Hex | TokenKind::Bit)) && is_introducer(word) {
            self.at += 2;
            return Ok(Expr::Scalar(Scalar::Opaque, 0));
        }
        if !words::is_reserved(word) {
            return if next == Some(TokenKind::LeftParen) { self.call() } else { self.column_or_call() };
        }
        self.reserved_primary()
    }

    /// Whether the word belongs to the string behind it: `N'…'`, `_utf8mb4'…'`, `DATE '…'`.
    fn introduces(&self, word: &str, end: u32) -> bool {
        let adjacent = self.ahead(1).is_some_and(|token| token.start == end);
        (adjacent && word.eq_ignore_ascii_case("N"))
            || is_introducer(word)
            || ["DATE", "TIME", "TIMESTAMP"].iter().any(|kind| word.eq_ignore_ascii_case(kind))
    }

    /// An expression that begins with a reserved word.
    fn reserved_primary(&mut self) -> Result<Expr, Error> {
        let call = self.kind_ahead(1) == Some(TokenKind::LeftParen);
        let word = self.peek().map_or("", |token| token.text(self.text));
        // INTERVAL(a, b) is a function, INTERVAL (a) DAY is none.
        if call && (words::is_callable(word) || (word.eq_ignore_ascii_case("INTERVAL") && self.is_list(1))) {
            return self.call();
        }
        if words::is_niladic(word) {
            self.facts.session |= words::is_session(word);
            self.at += 1;
            return Ok(Expr::Other);
        }
        let first = self.at;
        let Some(word) = self.word() else { return Err(self.expected("an expression")) };
        match word.as_str() {
            "NULL" => Ok(Expr::Scalar(Scalar::Null, 0)),
            "TRUE" => Ok(Expr::Scalar(Scalar::Truth(true), 0)),
            "FALSE" => Ok(Expr::Scalar(Scalar::Truth(false), 0)),
            "DEFAULT" => Ok(Expr::Scalar(Scalar::Default, 0)),
            "BINARY" => {
                let inner = self.nested(Self::prefix)?;
                self.passed_to(&inner, "BINARY");
                Ok(Expr::Other)
            }
            "CASE" => self.case(),
            "EXISTS" if call => {
                if let Expr::Query(block) = self.parenthesis()? {
                    self.scope.role(block, Role::Exists);
                }
                Ok(Expr::Opaque)
            }
            "INTERVAL" => {
                let inner = self.expr()?;
                self.passed_to(&inner, "INTERVAL");
                if self.peek().is_some_and(|token| words::is_unit(token.text(self.text))) {
                    self.at += 1;
                }
                Ok(Expr::Other)
            }
            "MATCH" => self.full_text(),
            "ROW" if call => self.parenthesis(),
            "VALUES" if call => {
                self.at += 1;
                let Named { column, index } = self.column()?;
                self.claim(index, Use::Other("function VALUES".into()));
                self.expect_kind(TokenKind::RightParen, ")")?;
                Ok(Expr::Scalar(Scalar::Values(column.name), 0))
            }
            _ => {
                self.at = first;
                Err(self.expected("an expression"))
            }
        }
    }

    fn column_or_call(&mut self) -> Result<Expr, Error> {
        let dotted = self.kind_ahead(1) == Some(TokenKind::Dot)
            && matches!(self.kind_ahead(2), Some(TokenKind::Word | TokenKind::Quoted));
        if dotted && self.kind_ahead(3) == Some(TokenKind::LeftParen) {
            // A stored function.
            self.at += 2;
            return self.call();
        }
        Ok(Expr::Column(self.column()?))
    }

    fn parenthesis(&mut self) -> Result<Expr, Error> {
        self.expect_kind(TokenKind::LeftParen, "(")?;
        if self.is_query() {
            return Ok(Expr::Query(self.subquery()?));
        }
        let first = self.expr()?;
        if let Expr::Query(block) = first
            && self.is_query_tail()
        {
            let whole = self.query_tail(block, Role::Value)?;
            self.expect_kind(TokenKind::RightParen, ")")?;
            return Ok(Expr::Query(whole));
        }
        if !self.take_kind(TokenKind::Comma) {
            self.expect_kind(TokenKind::RightParen, ")")?;
            return Ok(first);
        }
        let mut row = vec![first];
        row.extend(self.exprs()?);
        self.expect_kind(TokenKind::RightParen, ")")?;
        row.iter().for_each(|part| self.passed_to(part, "ROW"));
        Ok(Expr::Row(row))
    }
}

fn is_introducer(word: &str) -> bool {
    word.strip_prefix('_').is_some_and(words::is_charset)
}
