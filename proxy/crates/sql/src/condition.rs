//! What a statement says about columns and values.

use crate::{BlockIndex, Column, SlotIndex};
use serde::Serialize;

/// A condition, as far as routing cares. Columns are those of the statement's own tables: what speaks, or may speak,
/// about a derived table or a common table expression is opaque, and so is everything under a set operation.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub enum Predicate {
    /// All hold.
    And(Vec<Self>),
    /// `low <= column <= high`.
    Between {
        /// Column.
        column: Column,
        /// Lower bound.
        low: Scalar,
        /// Upper bound.
        high: Scalar,
    },
    /// `column op value`, the column always on the left (the operator is turned where it was not).
    Compare {
        /// Column.
        column: Column,
        /// Operator.
        op: Comparison,
        /// Value.
        value: Scalar,
    },
    /// `column IN (…)`.
    In {
        /// Column.
        column: Column,
        /// Values.
        values: Vec<Scalar>,
    },
    /// `a.x = b.y`.
    Equal(Column, Column),
    /// Not understood: may be true or false.
    Opaque,
    /// At least one holds; none can when there are none.
    Or(Vec<Self>),
    /// No condition.
    True,
    /// The columns are one of the rows of a subquery, `(a, b) IN (SELECT …)`, or none.
    Within {
        /// Columns.
        columns: Vec<Column>,
        /// The subquery.
        block: BlockIndex,
        /// `NOT IN`: they are none of them.
        negated: bool,
    },
}

impl Predicate {
    /// What never holds.
    pub fn never() -> Self {
        Self::Or(Vec::new())
    }
}

/// Comparisons that say something about where a row is.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
pub enum Comparison {
    /// `=`, and `<=>` with a value that is not `NULL`.
    Equal,
    /// `>`.
    Greater,
    /// `>=`.
    GreaterOrEqual,
    /// `<`.
    Less,
    /// `<=`.
    LessOrEqual,
    /// `<>`.
    NotEqual,
}

/// A value that may be known at bind.
#[derive(Clone, Debug, Eq, Hash, PartialEq, Serialize)]
pub enum Scalar {
    /// `a + b` and the like over scalars: exact integer arithmetic, else unknown.
    Arithmetic(Arithmetic, Box<Self>, Box<Self>),
    /// `CAST(a AS SIGNED)`, `CAST(a AS UNSIGNED)`: of what is an integer of that type already, else unknown.
    Cast {
        /// `UNSIGNED`.
        unsigned: bool,
        /// What is cast.
        inner: Box<Self>,
    },
    /// `DEFAULT`.
    Default,
    /// `-a`.
    Negative(Box<Self>),
    /// `NULL`.
    Null,
    /// Not known before the server computes it.
    Opaque,
    /// A literal or parameter.
    Slot(SlotIndex),
    /// `TRUE` is 1, `FALSE` is 0.
    Truth(bool),
    /// `VALUES(c)` or `new.c` in `ON DUPLICATE KEY UPDATE`: the value that would have been inserted.
    Values(String),
}

/// Arithmetic that is folded.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq, Serialize)]
pub enum Arithmetic {
    /// `+`.
    Add,
    /// `DIV`.
    Divide,
    /// `*`.
    Multiply,
    /// `%`, `MOD`.
    Remainder,
    /// `-`.
    Subtract,
}
