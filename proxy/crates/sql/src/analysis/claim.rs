//! Says of each column what is done with it, where an expression takes it up.

use super::cursor::Parser;
use super::expr::Expr;
use crate::{BlockIndex, Operator, Role, Span, Use};

impl Parser<'_> {
    /// A column that goes into something that has only a name.
    pub(super) fn passed_to(&mut self, expr: &Expr, what: &'static str) {
        if let Expr::Column(column) = expr {
            self.claim(column.index, Use::Other(what.into()));
        }
    }

    /// A column that the operator at that token works on.
    pub(super) fn operated(&mut self, operator: usize, expr: &Expr) {
        let Expr::Column(column) = expr else { return };
        let sign = self.tokens.get(operator).map_or("", |lexeme| lexeme.token.text(self.text));
        let what = format!("operator {}", sign.to_ascii_uppercase());
        self.claim(column.index, Use::Other(what.into()));
    }

    /// `IS [NOT] NULL`, or `IS [NOT] TRUE` and the like.
    pub(super) fn tested(&mut self, expr: &Expr, null: bool) {
        if let Expr::Column(column) = expr {
            self.claim(column.index, if null { Use::IsNull } else { Use::Other("IS".into()) });
        }
    }

    /// `left op right`.
    pub(super) fn compared(&mut self, op: Operator, left: (&Expr, Span), right: (&Expr, Span)) {
        match (left, right) {
            ((Expr::Column(left), _), (Expr::Column(right), _)) => {
                self.claim(left.index, Use::Same { op, other: right.index });
                self.claim(right.index, Use::Same { op: op.turned(), other: left.index });
            }
            ((left @ Expr::Column(_), _), (Expr::Query(block), _)) => self.asked(left, op, *block),
            ((Expr::Query(block), _), (right @ Expr::Column(_), _)) => self.asked(right, op.turned(), *block),
            ((Expr::Column(column), _), (value, span)) => {
                self.claim(column.index, Use::Compare { op, value: value.scalar(), span });
            }
            ((value, span), (Expr::Column(column), _)) => {
                self.claim(column.index, Use::Compare { op: op.turned(), value: value.scalar(), span });
            }
            _ => {}
        }
    }

    /// A column, or something else, compared with the rows of a subquery.
    pub(super) fn asked(&mut self, left: &Expr, op: Operator, block: BlockIndex) {
        if let Expr::Column(column) = left {
            self.claim(column.index, Use::Query { op, block });
            self.scope.role(block, Role::Compared(column.index));
        }
    }

    /// `left BETWEEN low AND high`.
    pub(super) fn within(&mut self, left: &Expr, low: &Expr, high: &Expr) {
        if let Expr::Column(column) = left {
            self.claim(column.index, Use::Between);
        }
        self.passed_to(low, "BETWEEN");
        self.passed_to(high, "BETWEEN");
    }
}
