//! What holds: `OR`, `AND`, `NOT`, comparisons, and constants whose truth is certain.

use super::cursor::Parser;
use super::expr::Expr;
use super::predicate;
use crate::lexer::TokenKind;
use crate::{Error, Operator, Predicate, Scalar, SlotIndex, SlotKind};

impl Parser<'_> {
    /// Conditions joined by operators that bind at least as tight as `least`: 0 `OR`, 1 `XOR`, 2 `AND`, 3 none.
    pub(super) fn logic(&mut self, least: u8) -> Result<Expr, Error> {
        let mut left = if self.take("NOT") {
            let closed = self.closing();
            let inner = self.nested(|parser| parser.logic(3))?;
            self.passed_to(&inner, "NOT");
            // Without parentheses HIGH_NOT_PRECEDENCE would make it something else.
            let whole = closed.is_some_and(|closed| self.at == closed + 1);
            if whole { Expr::condition(predicate::negated(self.truth(inner))) } else { Expr::Opaque }
        } else {
            self.comparison()?
        };
        while let Some(level) = self.connective().filter(|level| *level >= least) {
            let mut terms = vec![self.truth(left)];
            while self.connective() == Some(level) {
                self.at += 1;
                let term = self.logic(level + 1)?;
                terms.push(self.truth(term));
            }
            left = match level {
                0 => Expr::condition(predicate::any(terms)),
                1 => Expr::Opaque,
                _ => Expr::condition(predicate::all(terms)),
            };
        }
        Ok(left)
    }

    /// How tight the logical operator that comes next binds.
    fn connective(&self) -> Option<u8> {
        match self.kind()? {
            TokenKind::DoublePipe if !self.mode.pipes_as_concat => Some(0),
            TokenKind::DoubleAmpersand => Some(2),
            TokenKind::Word if self.is("OR") => Some(0),
            TokenKind::Word if self.is("XOR") => Some(1),
            TokenKind::Word if self.is("AND") => Some(2),
            _ => None,
        }
    }

    fn comparison(&mut self) -> Result<Expr, Error> {
        let first = self.at;
        let mut left = self.predicate()?;
        loop {
            if self.take("IS") {
                self.take("NOT");
                let null = self.is("NULL");
                if !self.take_any(&["NULL", "TRUE", "FALSE", "UNKNOWN"]) {
                    return Err(self.expected("NULL, TRUE, FALSE or UNKNOWN"));
                }
                self.tested(&left, null);
                left = Expr::Opaque;
                continue;
            }
            let Some(op) = self.comparator() else { return Ok(left) };
            let left_span = self.span_from(first);
            self.at += 1;
            let quantified =
                self.is_any(&["ALL", "ANY", "SOME"]) && self.kind_ahead(1) == Some(TokenKind::LeftParen);
            let any = quantified && !self.is("ALL") && op == Operator::Equal;
            self.at += usize::from(quantified);
            let second = self.at;
            let right = self.predicate()?;
            self.compared(op, (&left, left_span), (&right, self.span_from(second)));
            left = Expr::condition(match (op, &right) {
                (_, Expr::Query(block)) if any => predicate::within(&left, *block, false),
                _ if quantified => Predicate::Opaque,
                (Operator::NullSafeEqual, _) => self.null_safe(left, right),
                (op, _) => match self.decided(&left, op, &right) {
                    Some(true) => Predicate::True,
                    Some(false) => Predicate::never(),
                    None => predicate::compare(left, op, right),
                },
            });
        }
    }

    /// An expression as a condition. A number decides by its value, which is fixed then.
    pub(super) fn truth(&mut self, expr: Expr) -> Predicate {
        match expr {
            Expr::Scalar(Scalar::Slot(slot), _) => match self.integer(slot) {
                Some(value) if self.fix(slot) => {
                    if value == 0 {
                        Predicate::never()
                    } else {
                        Predicate::True
                    }
                }
                _ => Predicate::Opaque,
            },
            expr => expr.into_predicate(),
        }
    }

    /// What a comparison of two constants comes to, where that is certain; the constants are fixed then.
    fn decided(&mut self, left: &Expr, op: Operator, right: &Expr) -> Option<bool> {
        let (Expr::Scalar(left, _), Expr::Scalar(right, _)) = (left, right) else { return None };
        let (left, right) = match (left, right) {
            (Scalar::Null, _) | (_, Scalar::Null) => return Some(false),
            (Scalar::Slot(left), Scalar::Slot(right)) => (*left, *right),
            _ => return None,
        };
        let order = match (self.integer(left), self.integer(right)) {
            (Some(one), Some(other)) => one.cmp(&other),
            _ => return None,
        };
        let (_, _) = (self.fix(left), self.fix(right));
        Some(match op {
            Operator::Equal | Operator::NullSafeEqual => order.is_eq(),
            Operator::Greater => order.is_gt(),
            Operator::GreaterOrEqual => order.is_ge(),
            Operator::Less => order.is_lt(),
            Operator::LessOrEqual => order.is_le(),
            Operator::NotEqual => order.is_ne(),
        })
    }

    /// The value of an integer literal.
    fn integer(&self, slot: SlotIndex) -> Option<u64> {
        let slot = self.slots.get(slot as usize).filter(|slot| slot.kind == SlotKind::Integer)?;
        slot.text(self.text).parse().ok()
    }

    /// Makes a literal part of what the statement is.
    fn fix(&mut self, slot: SlotIndex) -> bool {
        self.fixed.push(slot);
        true
    }

    /// The token that closes the parenthesis which comes next, if one does.
    fn closing(&self) -> Option<usize> {
        if self.kind() != Some(TokenKind::LeftParen) {
            return None;
        }
        let mut open = 0_u32;
        for (number, lexeme) in self.tokens.iter().enumerate().skip(self.at) {
            match lexeme.token.kind {
                TokenKind::LeftParen => open += 1,
                TokenKind::RightParen if open == 1 => return Some(number),
                TokenKind::RightParen => open -= 1,
                _ => {}
            }
        }
        None
    }

    fn comparator(&self) -> Option<Operator> {
        Some(match self.kind()? {
            TokenKind::Equal => Operator::Equal,
            TokenKind::Greater => Operator::Greater,
            TokenKind::GreaterOrEqual => Operator::GreaterOrEqual,
            TokenKind::Less => Operator::Less,
            TokenKind::LessOrEqual => Operator::LessOrEqual,
            TokenKind::NotEqual => Operator::NotEqual,
            TokenKind::NullSafeEqual => Operator::NullSafeEqual,
            _ => return None,
        })
    }

    /// `a <=> b` says something only while `b` is no `NULL`, which a parameter may be. A literal there is fixed, since
    /// a parameter in its place would make the same fingerprint.
    fn null_safe(&mut self, left: Expr, right: Expr) -> Predicate {
        let slot = match (&left, &right) {
            (Expr::Column(_), Expr::Scalar(Scalar::Slot(slot), _))
            | (Expr::Scalar(Scalar::Slot(slot), _), Expr::Column(_)) => *slot,
            _ => return Predicate::Opaque,
        };
        self.fixed.push(slot);
        if self.slots.get(slot as usize).is_none_or(|slot| slot.kind == SlotKind::Param) {
            return Predicate::Opaque;
        }
        // Where it does not hold the column may be `NULL`: denied, it says nothing.
        predicate::all(vec![predicate::compare(left, Operator::Equal, right), Predicate::Opaque])
    }
}
