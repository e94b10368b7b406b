//! Builds conditions out of expressions.

use super::expr::Expr;
use super::scope::Named;
use crate::{BlockIndex, Column, Comparison, Operator, Predicate, Scalar};

/// How many comparisons a list of rows may become.
const ROWS: usize = 256;

/// All hold.
pub(super) fn all(terms: Vec<Predicate>) -> Predicate {
    let mut flat = Vec::with_capacity(terms.len());
    for term in terms {
        match term {
            Predicate::True => {}
            Predicate::And(inner) => flat.extend(inner),
            term => flat.push(term),
        }
    }
    match flat.pop() {
        None => Predicate::True,
        Some(only) if flat.is_empty() => only,
        Some(last) => {
            flat.push(last);
            Predicate::And(flat)
        }
    }
}

/// At least one holds.
pub(super) fn any(terms: Vec<Predicate>) -> Predicate {
    let mut flat = Vec::with_capacity(terms.len());
    for term in terms {
        match term {
            Predicate::True => return Predicate::True,
            Predicate::Or(inner) => flat.extend(inner),
            term => flat.push(term),
        }
    }
    Predicate::Or(flat)
}

/// `left op right`, either way round.
pub(super) fn compare(left: Expr, op: Operator, right: Expr) -> Predicate {
    match (left, right) {
        (Expr::Column(Named { column, .. }), Expr::Scalar(value, _)) => bound(column, op, value),
        (Expr::Scalar(value, _), Expr::Column(Named { column, .. })) => bound(column, op.turned(), value),
        (Expr::Column(left), Expr::Column(right)) if op == Operator::Equal => {
            Predicate::Equal(left.column, right.column)
        }
        (Expr::Row(left), Expr::Row(right)) if op == Operator::Equal && left.len() == right.len() => {
            all(left.into_iter().zip(right).map(|(left, right)| compare(left, op, right)).collect())
        }
        _ => Predicate::Opaque,
    }
}

/// `left [NOT] IN (SELECT …)`.
pub(super) fn within(left: &Expr, block: BlockIndex, negated: bool) -> Predicate {
    let column = |expr: &Expr| match expr {
        Expr::Column(named) => Some(named.column.clone()),
        _ => None,
    };
    let columns: Option<Vec<Column>> = match left {
        Expr::Row(parts) => parts.iter().map(column).collect(),
        left => column(left).map(|column| vec![column]),
    };
    columns.map_or(Predicate::Opaque, |columns| Predicate::Within { columns, block, negated })
}

/// What holds exactly where the predicate is false (neither true nor unknown), as far as that is known.
pub(super) fn negated(predicate: Predicate) -> Predicate {
    match predicate {
        Predicate::And(terms) => any(terms.into_iter().map(negated).collect()),
        Predicate::Or(terms) => all(terms.into_iter().map(negated).collect()),
        Predicate::Compare { column, op, value } => {
            let op = match op {
                Comparison::Equal => Comparison::NotEqual,
                Comparison::Greater => Comparison::LessOrEqual,
                Comparison::GreaterOrEqual => Comparison::Less,
                Comparison::Less => Comparison::GreaterOrEqual,
                Comparison::LessOrEqual => Comparison::Greater,
                Comparison::NotEqual => Comparison::Equal,
            };
            Predicate::Compare { column, op, value }
        }
        Predicate::True => Predicate::never(),
        Predicate::Between { .. }
        | Predicate::Equal(..)
        | Predicate::In { .. }
        | Predicate::Opaque
        | Predicate::Within { .. } => Predicate::Opaque,
    }
}

fn bound(column: Column, op: Operator, value: Scalar) -> Predicate {
    let op = match op {
        Operator::Equal | Operator::NullSafeEqual => Comparison::Equal,
        Operator::Greater => Comparison::Greater,
        Operator::GreaterOrEqual => Comparison::GreaterOrEqual,
        Operator::Less => Comparison::Less,
        Operator::LessOrEqual => Comparison::LessOrEqual,
        Operator::NotEqual => Comparison::NotEqual,
    };
    Predicate::Compare { column, op, value }
}

/// `left BETWEEN low AND high`. `5 BETWEEN a AND b` is two comparisons.
pub(super) fn between(left: Expr, low: Expr, high: Expr) -> Predicate {
    match (left, low, high) {
        (Expr::Column(Named { column, .. }), Expr::Scalar(low, _), Expr::Scalar(high, _)) => {
            Predicate::Between { column, low, high }
        }
        (Expr::Column(Named { column, .. }), low, high) => {
            let half = |value, op, column| match value {
                Expr::Scalar(value, _) => bound(column, op, value),
                _ => Predicate::Opaque,
            };
            all(vec![
                half(low, Operator::GreaterOrEqual, column.clone()),
                half(high, Operator::LessOrEqual, column),
            ])
        }
        (Expr::Scalar(value, _), low, high) => {
            let half = |side, op, value| match side {
                Expr::Column(Named { column, .. }) => bound(column, op, value),
                _ => Predicate::Opaque,
            };
            all(vec![
                half(low, Operator::LessOrEqual, value.clone()),
                half(high, Operator::GreaterOrEqual, value),
            ])
        }
        _ => Predicate::Opaque,
    }
}

fn equal(column: Column, value: Expr) -> Predicate {
    match value {
        Expr::Scalar(value, _) => bound(column, Operator::Equal, value),
        Expr::Column(other) => Predicate::Equal(column, other.column),
        _ => Predicate::Opaque,
    }
}

/// `(a, b) IN ((1, 2), (3, 4))`: a row is one of few others.
pub(super) fn row_in(left: Expr, values: Vec<Expr>) -> Predicate {
    let Expr::Row(columns) = left else { return Predicate::Opaque };
    let columns: Option<Vec<Column>> = columns
        .into_iter()
        .map(|expr| match expr {
            Expr::Column(column) => Some(column.column),
            _ => None,
        })
        .collect();
    let Some(columns) = columns.filter(|columns| columns.len() * values.len() <= ROWS) else {
        return Predicate::Opaque;
    };
    let rows = values.into_iter().map(|value| match value {
        Expr::Row(row) if row.len() == columns.len() => {
            let pairs = columns.iter().cloned().zip(row);
            all(pairs.map(|(column, value)| equal(column, value)).collect())
        }
        _ => Predicate::Opaque,
    });
    match rows.collect::<Vec<_>>() {
        mut rows if rows.len() == 1 => rows.pop().unwrap_or(Predicate::Opaque),
        rows => any(rows),
    }
}
