//! What a statement's condition says about where one table's rows are.
//!
//! `AND` intersects, `OR` unites; a branch that says nothing may be anywhere. Work is linear in the number of values.

use meta::ShardingAlgorithm;
use sql::{Comparison, Predicate, Scalar};

use crate::algorithm::shard::{self, Reading};
use crate::call::{Bound, Constant};
use crate::error::Error;
use crate::key::{Domain, Wanted};
use crate::shards::Shards;

/// A condition on one table's sharding column.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Condition {
    /// All hold.
    And(Vec<Self>),
    /// Says nothing.
    Any,
    /// The column is one of these.
    In(Vec<Scalar>),
    /// Any holds.
    Or(Vec<Self>),
    /// The column is this.
    Equal(Scalar),
    /// The column is at least each of `low` and at most each of `high`.
    Range { low: Vec<Scalar>, high: Vec<Scalar> },
}

/// How a sharding column's values become shards.
#[derive(Clone, Copy)]
pub(crate) struct Keys<'a> {
    pub(crate) algorithm: &'a ShardingAlgorithm,
    pub(crate) domain: Domain,
    /// The column's name, for errors.
    pub(crate) column: &'a str,
}

/// Deeper conditions are not looked into.
const DEPTH: usize = 200;

impl Condition {
    /// Reads a predicate; `is_key` tells the table's sharding column.
    pub(crate) fn of(predicate: &Predicate, is_key: &dyn Fn(&sql::Column) -> bool) -> Self {
        Self::read(predicate, is_key, DEPTH)
    }

    fn read(predicate: &Predicate, is_key: &dyn Fn(&sql::Column) -> bool, depth: usize) -> Self {
        let Some(depth) = depth.checked_sub(1) else { return Self::Any };
        match predicate {
            Predicate::And(all) => {
                let mut parts = Vec::new();
                let (mut lows, mut highs) = (Vec::new(), Vec::new());
                let mut add = |part| match part {
                    Self::Any => {}
                    Self::Range { low, high } => {
                        lows.extend(low);
                        highs.extend(high);
                    }
                    part => parts.push(part),
                };
                for part in all {
                    match Self::read(part, is_key, depth) {
                        Self::And(more) => more.into_iter().for_each(&mut add),
                        part => add(part),
                    }
                }
                if !lows.is_empty() || !highs.is_empty() {
                    parts.push(Self::Range { low: lows, high: highs });
                }
                match parts.len() {
                    0 => Self::Any,
                    1 => parts.remove(0),
                    _ => Self::And(parts),
                }
            }
            Predicate::Or(any) => {
                let mut parts = Vec::with_capacity(any.len());
                for part in any {
                    match Self::read(part, is_key, depth) {
                        Self::Any => return Self::Any,
                        Self::Or(more) => parts.extend(more),
                        part => parts.push(part),
                    }
                }
                Self::Or(parts)
            }
            Predicate::Between { column, low, high } if is_key(column) => {
                Self::Range { low: vec![low.clone()], high: vec![high.clone()] }
            }
            Predicate::Compare { column, op, value } if is_key(column) => match op {
                Comparison::Equal => Self::Equal(value.clone()),
                Comparison::Greater | Comparison::GreaterOrEqual => {
                    Self::Range { low: vec![value.clone()], high: vec![] }
                }
                Comparison::Less | Comparison::LessOrEqual => {
                    Self::Range { low: vec![], high: vec![value.clone()] }
                }
            },
            Predicate::In { column, values } if is_key(column) => Self::In(values.clone()),
            _ => Self::Any,
        }
    }

    /// The value that every row must have, when the whole condition is `column = value AND …`.
    pub(crate) fn equal(&self) -> Option<&Scalar> {
        match self {
            Self::Equal(value) => Some(value),
            Self::And(parts) => parts.iter().find_map(Self::equal),
            _ => None,
        }
    }

    /// Where rows that meet it can be.
    pub(crate) fn shards(&self, keys: Keys<'_>, bound: Bound<'_>) -> Result<Shards, Error> {
        Ok(match self {
            Self::Any => Shards::All,
            Self::Equal(value) => keys.equal(bound.constant(value)),
            Self::In(values) => keys.any(values, bound)?,
            Self::Range { low, high } => keys.range(low, high, bound),
            Self::And(parts) => {
                let mut found = Shards::All;
                for part in parts {
                    found = found.intersect(part.shards(keys, bound)?);
                }
                found
            }
            Self::Or(parts) => {
                let mut found = Shards::Nowhere;
                for part in parts {
                    found.unite(&part.shards(keys, bound)?);
                }
                found
            }
        })
    }
}

impl Keys<'_> {
    fn equal(self, constant: Constant<'_>) -> Shards {
        match self.domain.wanted(constant, shard::reading(self.algorithm)) {
            Wanted::Key(key) => shard::shard(self.algorithm, key).map_or(Shards::All, Shards::One),
            Wanted::Never => Shards::Nowhere,
            Wanted::Unsure => Shards::All,
        }
    }

    fn any(self, values: &[Scalar], bound: Bound<'_>) -> Result<Shards, Error> {
        let mut found = Shards::Nowhere;
        let (mut integers, mut texts) = (false, false);
        for value in values {
            let constant = bound.constant(value);
            integers |= matches!(constant, Constant::Int(_));
            texts |= matches!(constant, Constant::Text(_));
            found.unite(&self.equal(constant));
        }
        // Where the kind of a value decides, MySQL compares such lists as floating-point numbers.
        if integers && texts && shard::reading(self.algorithm) == Reading::Exact {
            return Err(Error::MixedTypes { column: self.column.to_owned() });
        }
        Ok(found)
    }

    fn range(self, low: &[Scalar], high: &[Scalar], bound: Bound<'_>) -> Shards {
        let reading = shard::reading(self.algorithm);
        let mut bounds = [None, None];
        for (side, scalars) in [low, high].into_iter().enumerate() {
            for scalar in scalars {
                let constant = bound.constant(scalar);
                if constant == Constant::Null {
                    return Shards::Nowhere;
                }
                let Some(value) = self.domain.bound(constant, side == 0, reading) else { continue };
                bounds[side] = Some(bounds[side].map_or(value, |known: i128| {
                    if side == 0 { known.max(value) } else { known.min(value) }
                }));
            }
        }
        shard::range(self.algorithm, bounds[0], bounds[1])
    }
}
