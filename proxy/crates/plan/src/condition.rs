//! What a statement's condition says about where one table's rows are.
//!
//! `AND` intersects, `OR` unites; a branch that says nothing may be anywhere. Work is linear in the number of values.

use meta::Strategy;
use smallvec::SmallVec;
use sql::{Comparison, Predicate, Scalar};

use crate::algorithm::shard::{self, Key, Misfit, Reading};
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
    /// The column gets this.
    Stored(Scalar),
}

/// A condition on one sharding column, and what kind of values that column holds.
#[derive(Clone, Debug)]
pub(crate) struct Keyed {
    pub(crate) condition: Condition,
    pub(crate) domain: Domain,
}

/// How a sharding column's values become nodes.
#[derive(Clone, Copy)]
pub(crate) struct Keys<'a> {
    pub(crate) strategy: &'a Strategy,
    pub(crate) domain: Domain,
    /// The column's name, for errors.
    pub(crate) column: &'a str,
}

/// The keys that a condition allows in one column.
enum Choice<'a> {
    /// Any.
    Any,
    /// Those of a range.
    Range,
    /// These.
    These(Vec<Key<'a>>),
}

/// More combinations of keys than this are not looked at: rows may be anywhere.
const MOST_COMBINATIONS: usize = 4096;

/// Deeper conditions are not looked into.
const DEPTH: usize = 200;

impl Condition {
    /// Reads predicates that hold all; `is_key` tells the table's sharding column.
    pub(crate) fn of_all<'p>(
        predicates: impl Iterator<Item = &'p Predicate>,
        is_key: &dyn Fn(&sql::Column) -> bool,
    ) -> Self {
        Self::all(predicates.map(|predicate| Self::read(predicate, is_key, DEPTH)))
    }

    fn all(conditions: impl Iterator<Item = Self>) -> Self {
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
        for part in conditions {
            match part {
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

    fn read(predicate: &Predicate, is_key: &dyn Fn(&sql::Column) -> bool, depth: usize) -> Self {
        let Some(depth) = depth.checked_sub(1) else { return Self::Any };
        match predicate {
            Predicate::And(all) => Self::all(all.iter().map(|part| Self::read(part, is_key, depth))),
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
                Comparison::NotEqual => Self::Any,
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
            Self::Equal(value) => keys.equal(bound.constant_for(keys.domain, value))?,
            Self::In(values) => keys.any(values, bound)?,
            Self::Range { low, high } => keys.range(low, high, bound)?,
            Self::Stored(value) => keys.stored(bound.constant_for(keys.domain, value)),
            Self::And(parts) => {
                let mut found = Shards::All;
                let mut refused = None;
                for part in parts {
                    match part.shards(keys, bound) {
                        // Another part may say it all.
                        Err(error @ Error::InlineRange) => refused = Some(error),
                        shards => found = found.intersect(shards?),
                    }
                }
                match refused {
                    Some(error) if found == Shards::All => return Err(error),
                    _ => found,
                }
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

    /// The keys that it allows, or more.
    fn choice<'a>(&self, domain: Domain, bound: Bound<'a>) -> Choice<'a> {
        match self {
            Self::Any => Choice::Any,
            Self::Equal(value) => match domain.wanted(bound.constant(value), Reading::Exact) {
                Wanted::Key(key) => Choice::These(vec![key]),
                Wanted::Never => Choice::These(Vec::new()),
                Wanted::Unsure => Choice::Any,
            },
            Self::Stored(value) => {
                let stored = domain.stored(bound.constant_for(domain, value), false, Reading::Exact);
                stored.map_or(Choice::Any, |key| Choice::These(vec![key]))
            }
            Self::In(values) => {
                let each = values.iter().map(|value| Self::Equal(value.clone()).choice(domain, bound));
                each.fold(Choice::These(Vec::new()), Choice::or)
            }
            Self::Range { low, high } => {
                let known = |value: &Scalar| {
                    domain.bound(bound.constant(value), true, Reading::Exact).is_some()
                        || matches!(bound.constant(value), Constant::Text(_))
                };
                if low.iter().chain(high).any(known) { Choice::Range } else { Choice::Any }
            }
            Self::And(parts) => {
                parts.iter().map(|part| part.choice(domain, bound)).fold(Choice::Any, Choice::and)
            }
            Self::Or(parts) => {
                let each = parts.iter().map(|part| part.choice(domain, bound));
                each.fold(Choice::These(Vec::new()), Choice::or)
            }
        }
    }
}

impl Choice<'_> {
    /// One of both holds.
    fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Any, _) | (_, Self::Any) => Self::Any,
            (Self::Range, _) | (_, Self::Range) => Self::Range,
            (Self::These(mut keys), Self::These(more)) => {
                keys.extend(more);
                Self::These(keys)
            }
        }
    }

    /// Both hold; what either allows is enough.
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::These(keys), Self::These(others)) if others.len() < keys.len() => Self::These(others),
            (Self::These(keys), _) | (_, Self::These(keys)) => Self::These(keys),
            (Self::Range, _) | (_, Self::Range) => Self::Range,
            (Self::Any, Self::Any) => Self::Any,
        }
    }
}

/// Where rows can be whose several columns meet conditions each.
pub(crate) fn several(strategy: &Strategy, all: &[Keyed], bound: Bound<'_>) -> Result<Shards, Error> {
    let mut sets = Vec::with_capacity(all.len());
    let mut any = false;
    for keyed in all {
        match keyed.condition.choice(keyed.domain, bound) {
            Choice::Any => any = true,
            Choice::Range if shard::refuses_ranges(&strategy.algorithm) => return Err(Error::InlineRange),
            Choice::Range => any = true,
            Choice::These(keys) => sets.push(keys),
        }
    }
    let combinations = sets.iter().try_fold(1_usize, |product, keys| product.checked_mul(keys.len()));
    if any || combinations.is_none_or(|count| count > MOST_COMBINATIONS) {
        return Ok(Shards::All);
    }
    let mut found = Shards::Nowhere;
    for number in 0..combinations.unwrap_or_default() {
        let mut rest = number;
        let mut keys = SmallVec::<[Key<'_>; 2]>::new();
        for set in &sets {
            keys.push(set[rest % set.len()]);
            rest /= set.len();
        }
        found.unite(&located(strategy, shard::nodes_of_several(strategy, &keys))?);
    }
    Ok(found)
}

/// A row that is looked for may be anywhere when its key has no place; a name that no target has is told.
pub(crate) fn located(strategy: &Strategy, found: Result<Shards, Misfit>) -> Result<Shards, Error> {
    match found {
        Ok(found) => Ok(found),
        Err(Misfit::Target(name)) => Err(Error::target(strategy, name)),
        Err(_) => Ok(Shards::All),
    }
}

impl Keys<'_> {
    fn equal(self, constant: Constant<'_>) -> Result<Shards, Error> {
        match self.domain.wanted(constant, shard::reading(&self.strategy.algorithm)) {
            Wanted::Key(key) => located(self.strategy, shard::nodes(self.strategy, key)),
            Wanted::Never => Ok(Shards::Nowhere),
            Wanted::Unsure => Ok(Shards::All),
        }
    }

    /// In doubt anywhere.
    fn stored(self, constant: Constant<'_>) -> Shards {
        let key = self.domain.stored(constant, false, shard::reading(&self.strategy.algorithm));
        key.ok().and_then(|key| shard::nodes(self.strategy, key).ok()).unwrap_or(Shards::All)
    }

    fn any(self, values: &[Scalar], bound: Bound<'_>) -> Result<Shards, Error> {
        let mut found = Shards::Nowhere;
        let (mut integers, mut texts) = (false, false);
        for value in values {
            let constant = bound.constant_for(self.domain, value);
            integers |= matches!(constant, Constant::Int(_));
            texts |= matches!(constant, Constant::Text(_));
            // In a list of several types MySQL takes -1 for 18446744073709551615.
            if values.len() > 1 && self.domain.is_beyond(constant) {
                return Ok(Shards::All);
            }
            found.unite(&self.equal(constant)?);
        }
        // Where the kind of a value decides, MySQL compares such lists as floating-point numbers.
        if integers && texts && shard::reading(&self.strategy.algorithm) == Reading::Exact {
            return Err(Error::MixedTypes { column: self.column.to_owned() });
        }
        Ok(found)
    }

    fn range(self, low: &[Scalar], high: &[Scalar], bound: Bound<'_>) -> Result<Shards, Error> {
        let reading = shard::reading(&self.strategy.algorithm);
        let mut bounds = [None, None];
        let (mut known, mut odd) = (false, false);
        for (side, scalars) in [low, high].into_iter().enumerate() {
            for scalar in scalars {
                let constant = bound.constant_for(self.domain, scalar);
                if constant == Constant::Null {
                    return Ok(Shards::Nowhere);
                }
                known |= constant != Constant::Unknown;
                let Some(value) = self.domain.bound(constant, side == 0, reading) else {
                    odd |= constant != Constant::Unknown;
                    continue;
                };
                bounds[side] = Some(bounds[side].map_or(value, |known: i128| {
                    if side == 0 { known.max(value) } else { known.min(value) }
                }));
            }
        }
        // `BETWEEN` compares otherwise than as moments when one end is none.
        if self.domain.is_moment() && odd {
            bounds = [None, None];
        }
        if known && shard::refuses_ranges(&self.strategy.algorithm) {
            return Err(Error::InlineRange);
        }
        Ok(match bounds {
            [None, None] => Shards::All,
            [low, high] => shard::range(self.strategy, low, high),
        })
    }
}
