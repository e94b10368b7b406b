//! How the rows of a query block come about: what is joined in `FROM`, and what is done with its rows afterwards.

use crate::{Column, Predicate};
use serde::Serialize;

/// Table references: one source, or two sides joined.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub enum Joined {
    /// Two sides.
    Join(Box<Join>),
    /// The n-th of [`crate::Block::from`].
    Source(u16),
}

/// A join of two sides. A comma is an inner join without a condition.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Join {
    /// Which rows it keeps.
    pub kind: JoinKind,
    /// What stands before the word `JOIN`.
    pub left: Joined,
    /// What stands behind it.
    pub right: Joined,
    /// `ON`.
    pub on: Predicate,
    /// Columns that both sides have in common, by which it joins.
    pub common: Common,
}

/// Which rows a join keeps.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
pub enum JoinKind {
    /// Those that meet the condition.
    Inner,
    /// And each row of the left side that meets none.
    Left,
    /// And each row of the right side that meets none.
    Right,
}

/// The columns of a join by name.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub enum Common {
    /// All that both sides have: `NATURAL`.
    All,
    /// `USING (…)`; none without it.
    Named(Vec<String>),
}

/// What becomes of the rows behind `FROM` and `WHERE` of one block (not of the other parts of its set operation).
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Shape {
    /// An aggregate function is called.
    pub aggregated: bool,
    /// The columns of `GROUP BY`; `None` is anything but a column.
    pub group_by: Vec<Option<Column>>,
    /// `HAVING`.
    pub having: bool,
    /// `WITH ROLLUP` and the like.
    pub rollup: bool,
    /// A window function is called.
    pub windowed: bool,
    /// `ORDER BY` (of the whole set operation).
    pub ordered: bool,
    /// `LIMIT` (of the whole set operation).
    pub limited: bool,
    /// It is a derived table that sees what stands before it.
    pub lateral: bool,
}

/// A set operation.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
pub struct SetOperation {
    /// Which.
    pub operator: SetOperator,
    /// `ALL`: equal rows stay as many as there are.
    pub all: bool,
}

/// Kinds of set operation.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
pub enum SetOperator {
    /// `EXCEPT`.
    Except,
    /// `INTERSECT`.
    Intersect,
    /// `UNION`.
    Union,
}
