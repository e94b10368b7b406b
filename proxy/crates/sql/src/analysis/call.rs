//! Function calls: their arguments are passed over for the tables and owners in them, whatever words stand between.

use super::cursor::Parser;
use super::expr::Expr;
use super::words;
use crate::lexer::TokenKind;
use crate::{Aggregate, AggregateCall, Error, Function, Pin, Scalar, Span, Use};
use std::borrow::Cow;

/// What stood between the parentheses of a call.
#[derive(Debug, Default)]
pub(super) struct Arguments {
    /// `DISTINCT` came first.
    distinct: bool,
    /// From the first token of the arguments to the last, `DISTINCT` and `ALL` left out.
    span: Option<Span>,
    /// The argument, if it is one and nothing else.
    only: Option<Expr>,
    /// What it comes to when it is a value cast to an integer.
    cast: Option<Scalar>,
}

impl Parser<'_> {
    /// A call; the name comes next, then `(`.
    pub(super) fn call(&mut self) -> Result<Expr, Error> {
        let first = self.at;
        let stored = self.at > 0
            && self.tokens.get(self.at - 1).is_some_and(|lexeme| lexeme.token.kind == TokenKind::Dot);
        let name = self.any_name("a function")?;
        self.facts.session |= words::is_session(&name);
        if words::is_pinning(&name) {
            self.facts.pin |= Pin::USER_LOCK;
        }
        self.facts.primary |= stored || !words::is_harmless(&name);
        let columns = self.uses.len();
        let function = aggregate(&name);
        self.expect_kind(TokenKind::LeftParen, "(")?;
        let star = function.is_some()
            && self.kind() == Some(TokenKind::Star)
            && self.kind_ahead(1) == Some(TokenKind::RightParen);
        if name.eq_ignore_ascii_case("POSITION") {
            // POSITION(a IN b): the IN is no operator.
            self.bits(0)?;
        } else {
            self.unit_argument(&name);
        }
        let arguments = self.arguments(&name)?;
        let called = || Cow::Owned(format!("function {}", name.to_ascii_uppercase()));
        if self.over()? {
            self.claim_rest(columns, called);
            self.facts.windows += 1;
            if let Some(shape) = self.scope.shape() {
                shape.windowed = true;
            }
            return Ok(Expr::Other);
        }
        let Some(function) = function else {
            self.claim_rest(columns, called);
            return Ok(arguments.cast.map_or(Expr::Other, |cast| Expr::Scalar(cast, 1)));
        };
        self.facts.aggregates += 1;
        if let Some(shape) = self.scope.shape() {
            shape.aggregated = true;
        }
        let column = match arguments.only {
            Some(Expr::Column(column)) => {
                self.claim(column.index, Use::Aggregate { function, distinct: arguments.distinct });
                Some(column.column)
            }
            _ => None,
        };
        self.claim_rest(columns, called);
        let argument = if star { None } else { arguments.span };
        let aggregate = Aggregate { function, distinct: arguments.distinct, argument, column };
        self.aggregates.push(AggregateCall {
            block: self.scope.present_index(),
            name: name.to_ascii_uppercase(),
            aggregate: aggregate.clone(),
            span: self.span_from(first),
        });
        Ok(Expr::Aggregate(Box::new(aggregate)))
    }

    /// Takes a first argument that is a word of the function's own.
    fn unit_argument(&mut self, function: &str) {
        let unit = ["GET_FORMAT", "TIMESTAMPADD", "TIMESTAMPDIFF"]
            .iter()
            .any(|name| function.eq_ignore_ascii_case(name))
            && self.kind_ahead(1) == Some(TokenKind::Comma);
        self.at += usize::from(unit);
    }

    /// Everything up to and with the `)` that ends a call of that function; its `(` is taken.
    pub(super) fn arguments(&mut self, function: &str) -> Result<Arguments, Error> {
        let mut arguments = Arguments::default();
        if self.is_query() {
            self.subquery()?;
            return Ok(arguments);
        }
        arguments.distinct = self.take("DISTINCT");
        if !arguments.distinct {
            self.take("ALL");
        }
        let first = self.at;
        let mut parts = 0;
        loop {
            if self.kind() == Some(TokenKind::RightParen) {
                if self.at > first {
                    arguments.span = Some(self.span_from(first));
                }
                self.at += 1;
                arguments.only = arguments.only.filter(|_| parts == 1);
                return Ok(arguments);
            }
            parts += 1;
            let Some(token) = self.peek() else { return Err(self.expected(")")) };
            match token.kind {
                TokenKind::Comma if function.eq_ignore_ascii_case("CONVERT") => self.type_name()?,
                TokenKind::Comma | TokenKind::Star => self.at += 1,
                TokenKind::Word if self.take("AS") => {
                    arguments.cast = self.cast(function, arguments.only.as_ref());
                    self.type_name()?;
                }
                TokenKind::Word if self.take("USING") => self.type_name()?,
                TokenKind::Word if self.are(&["ON", "ERROR"]) || self.are(&["TIME", "ZONE"]) => self.at += 2,
                TokenKind::Word if self.are(&["AT", "TIME"]) => self.at += 1,
                // USING utf8mb4, BOTH x FROM y, ORDER BY x DESC, IN BOOLEAN MODE, UNSIGNED …
                TokenKind::Word if self.is_connective() => self.at += 1,
                TokenKind::Word | TokenKind::Quoted
                    if self.kind_ahead(1) == Some(TokenKind::Dot) && self.is_wildcard() =>
                {
                    self.wildcard()?;
                }
                _ => {
                    arguments.only = Some(self.expr()?);
                }
            }
        }
    }

    /// What `CAST(inner AS …)` comes to, where the type that comes next is one of integers.
    fn cast(&self, function: &str, inner: Option<&Expr>) -> Option<Scalar> {
        let Some(Expr::Scalar(inner, size)) = inner else { return None };
        let ends = self.kind_ahead(1) == Some(TokenKind::RightParen)
            || self.is_ahead(1, "INTEGER") && self.kind_ahead(2) == Some(TokenKind::RightParen);
        let unsigned = self.is("UNSIGNED");
        let fits = *size == 0 && ends && (unsigned || self.is("SIGNED"));
        (fits && function.eq_ignore_ascii_case("CAST"))
            .then(|| Scalar::Cast { unsigned, inner: Box::new(inner.clone()) })
    }

    /// Whether the next word only connects arguments or names a type.
    fn is_connective(&self) -> bool {
        self.is_any(&[
            "ASC",
            "BOTH",
            "BY",
            "CHARACTER",
            "DESC",
            "DOUBLE",
            "EMPTY",
            "FLOAT",
            "FOR",
            "FROM",
            "IN",
            "LEADING",
            "NULL",
            "ON",
            "ORDER",
            "PRECISION",
            "REAL",
            "RETURNING",
            "SEPARATOR",
            "SET",
            "SIGNED",
            "TRAILING",
            "UNSIGNED",
            "WITH",
            "DECIMAL",
            "BINARY",
            "LIMIT",
            "NATURAL",
            "INTEGER",
            "INT",
        ]) && !(self.is_any(&["BINARY", "NULL", "RETURNING", "SIGNED"]) && self.begins_argument())
            || self.kind_ahead(1) == Some(TokenKind::RightParen) && self.is_any(&["BINARY", "CHAR"])
            || self.is_ahead(1, "FROM")
                && self.peek().is_some_and(|token| words::is_unit(token.text(self.text)))
    }

    /// Whether the token before opens an argument.
    fn begins_argument(&self) -> bool {
        let before = self.at.checked_sub(1).and_then(|at| self.tokens.get(at));
        before.is_none_or(|before| matches!(before.token.kind, TokenKind::Comma | TokenKind::LeftParen))
    }

    /// The type of `CAST(… AS type)`, up to the `)` that ends the call.
    fn type_name(&mut self) -> Result<(), Error> {
        while let Some(kind) = self.kind() {
            match kind {
                TokenKind::RightParen => return Ok(()),
                TokenKind::LeftParen => {
                    self.at += 1;
                    self.skip_parens()?;
                }
                _ => self.at += 1,
            }
        }
        Err(self.expected(")"))
    }

    /// Takes what makes a call a window function.
    fn over(&mut self) -> Result<bool, Error> {
        let start = self.at;
        let _ = self.take_all(&["FROM", "FIRST"]) || self.take_all(&["FROM", "LAST"]);
        let _ = self.take_all(&["RESPECT", "NULLS"]) || self.take_all(&["IGNORE", "NULLS"]);
        if !self.take("OVER") {
            self.at = start;
            return Ok(false);
        }
        if self.take_kind(TokenKind::LeftParen) {
            self.window()?;
        } else {
            self.name("a window")?;
        }
        Ok(true)
    }

    /// The inside of a window's parentheses, and the `)`.
    pub(super) fn window(&mut self) -> Result<(), Error> {
        let columns = self.uses.len();
        // Expressions of the frame (`INTERVAL 1 DAY PRECEDING`) are told from its words by their place.
        while let Some(token) = self.peek() {
            match token.kind {
                TokenKind::RightParen => {
                    self.at += 1;
                    self.claim_rest(columns, || "OVER".into());
                    return Ok(());
                }
                TokenKind::Comma => self.at += 1,
                TokenKind::Word
                    if token.is_any(
                        self.text,
                        &[
                            "AND",
                            "ASC",
                            "BETWEEN",
                            "BY",
                            "CURRENT",
                            "DESC",
                            "FOLLOWING",
                            "ORDER",
                            "PARTITION",
                            "PRECEDING",
                            "RANGE",
                            "ROW",
                            "ROWS",
                            "UNBOUNDED",
                            "EXCLUDE",
                        ],
                    ) =>
                {
                    self.at += 1;
                }
                _ => {
                    self.expr()?;
                }
            }
        }
        Err(self.expected(")"))
    }
}

fn aggregate(name: &str) -> Option<Function> {
    const KNOWN: [(&str, Function); 5] = [
        ("AVG", Function::Avg),
        ("COUNT", Function::Count),
        ("MAX", Function::Max),
        ("MIN", Function::Min),
        ("SUM", Function::Sum),
    ];
    const OTHERS: [&str; 16] = [
        "ANY_VALUE",
        "BIT_AND",
        "BIT_OR",
        "BIT_XOR",
        "GROUP_CONCAT",
        "JSON_ARRAYAGG",
        "JSON_OBJECTAGG",
        "ST_COLLECT",
        "STD",
        "STDDEV",
        "STDDEV_POP",
        "STDDEV_SAMP",
        "VAR_POP",
        "VAR_SAMP",
        "VARIANCE",
        "MEDIAN",
    ];
    let known = KNOWN.iter().find(|(known, _)| name.eq_ignore_ascii_case(known));
    match known {
        Some((_, function)) => Some(*function),
        None => OTHERS.iter().any(|other| name.eq_ignore_ascii_case(other)).then_some(Function::Other),
    }
}
