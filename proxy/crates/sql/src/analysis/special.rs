//! Expressions with a form of their own: `CASE`, `MATCH`, system variables.

use super::cursor::Parser;
use super::expr::Expr;
use crate::Error;
use crate::lexer::TokenKind;

impl Parser<'_> {
    /// `@@x`, `@@global.x`.
    pub(super) fn system_variable(&mut self) -> Result<Expr, Error> {
        self.at += 1;
        loop {
            let name = self.any_name("a variable")?;
            let reports = ["identity", "last_insert_id", "warning_count", "error_count", "pseudo_thread_id"];
            let reports = reports.iter().any(|report| name.eq_ignore_ascii_case(report));
            self.facts.session |= reports;
            self.facts.primary |= reports;
            if !self.take_kind(TokenKind::Dot) {
                return Ok(Expr::Other);
            }
        }
    }

    /// What follows `CASE`.
    pub(super) fn case(&mut self) -> Result<Expr, Error> {
        let first = self.uses.len();
        if !self.is("WHEN") {
            self.expr()?;
        }
        while self.take("WHEN") {
            self.expr()?;
            self.expect("THEN")?;
            self.expr()?;
        }
        if self.take("ELSE") {
            self.expr()?;
        }
        self.expect("END")?;
        self.claim_rest(first, || "CASE".into());
        Ok(Expr::Other)
    }

    /// What follows `MATCH`.
    pub(super) fn full_text(&mut self) -> Result<Expr, Error> {
        let first = self.uses.len();
        let parens = self.take_kind(TokenKind::LeftParen);
        loop {
            self.column()?;
            if !self.take_kind(TokenKind::Comma) {
                break;
            }
        }
        if parens {
            self.expect_kind(TokenKind::RightParen, ")")?;
        }
        self.expect("AGAINST")?;
        self.expect_kind(TokenKind::LeftParen, "(")?;
        // AGAINST (a IN BOOLEAN MODE): the IN is no operator.
        self.bits(0)?;
        while self.take_kind(TokenKind::Word) {}
        self.expect_kind(TokenKind::RightParen, ")")?;
        self.claim_rest(first, || "MATCH".into());
        Ok(Expr::Other)
    }
}
