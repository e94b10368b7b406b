//! Rows with equal keys become one.
//!
//! Where the streams are in the order of the keys, one group is held at a time; else all of them, in the order in which
//! their first rows came, up to a limit. A group of one row is passed on as it is.

use hashbrown::HashMap;
use plan::{Combine, Group, Position, SortKey};
use smallvec::SmallVec;
use std::cmp::Ordering;

use super::aggregate::{Accumulator, Aggregate};
use super::row::Row;
use super::shape::{Comparator, Purpose, Shape};
use crate::Error;

/// Groups rows that are fed to it.
#[derive(Debug)]
pub(crate) struct Grouping {
    keys: Comparator,
    aggregates: Vec<Aggregate>,
    /// No keys: there is a group even when there are no rows.
    total: bool,
    /// What the columns are when there are no rows: 0 for counts, else `NULL`.
    counts: Vec<usize>,
    /// The column that counts the rows behind a row.
    witness: Option<usize>,
    state: State,
    limit: usize,
}

#[derive(Debug)]
enum State {
    /// Equal rows come one after the other.
    Adjacent(Option<Open>),
    /// Equal rows come at any time.
    Scattered { places: HashMap<Box<[u8]>, usize>, groups: Vec<Open>, bytes: usize },
}

/// A group that may still grow.
#[derive(Debug)]
pub(crate) struct Open {
    first: Row,
    /// Empty while there is only the first row.
    accumulators: SmallVec<[Accumulator; 2]>,
}

impl Grouping {
    /// `order` is that of the rows to come; `limit` bounds what is held, in bytes.
    pub(crate) fn new(group: &Group, order: &[SortKey], shape: &Shape, limit: usize) -> Result<Self, Error> {
        let adjacent = adjacent(&group.keys, order);
        let count = |merged: &&plan::Merged| matches!(merged.how, Combine::Count);
        Ok(Self {
            keys: Comparator::new(&group.keys, shape, Purpose::Equality)?,
            aggregates: group
                .aggregates
                .iter()
                .map(|merged| Aggregate::new(merged, shape))
                .collect::<Result<_, _>>()?,
            total: group.keys.is_empty(),
            counts: group
                .aggregates
                .iter()
                .filter(count)
                .map(|merged| shape.index(merged.column))
                .collect::<Result<_, _>>()?,
            witness: group.witness.map(|position| shape.index(position)).transpose()?,
            state: if adjacent {
                State::Adjacent(None)
            } else {
                State::Scattered { places: HashMap::new(), groups: Vec::new(), bytes: 0 }
            },
            limit,
        })
    }

    /// How many bytes of a text servers sort by.
    pub(crate) fn sorted_by(&mut self, bytes: usize) {
        self.keys.longest = bytes;
    }

    /// Takes a row; gives a group that can grow no more.
    pub(crate) fn feed(&mut self, row: Row, shape: &Shape) -> Result<Option<Row>, Error> {
        match &mut self.state {
            State::Adjacent(open) => match open {
                Some(group) if self.keys.compare(&group.first, &row) == Ordering::Equal => {
                    group.add(&row, &self.aggregates, shape);
                    if self.witness.is_some_and(|column| group.lacks(column, shape)) {
                        group.first = row;
                    }
                    Ok(None)
                }
                _ => {
                    let blurred = open.as_ref().and_then(|group| self.keys.blurred(&group.first, &row));
                    if let Some(column) = blurred {
                        let column = shape.fields[column].name.clone();
                        return Err(Error::Long { column, bytes: self.keys.longest });
                    }
                    open.replace(Open::new(row)).map(|group| group.close(&self.aggregates, shape)).transpose()
                }
            },
            State::Scattered { places, groups, bytes } => {
                let mut key = Vec::with_capacity(32);
                self.keys.key(&row, &mut key);
                if let Some(&place) = places.get(key.as_slice()) {
                    let before = groups[place].size();
                    groups[place].add(&row, &self.aggregates, shape);
                    *bytes = (*bytes + groups[place].size()).saturating_sub(before);
                } else {
                    let group = Open::new(row.detached());
                    *bytes += key.len() + group.size() + 48;
                    places.insert(key.into_boxed_slice(), groups.len());
                    groups.push(group);
                }
                if *bytes > self.limit {
                    Err(Error::Memory { what: "GROUP BY", limit: self.limit })
                } else {
                    Ok(None)
                }
            }
        }
    }

    /// No more rows come: the groups that are left.
    pub(crate) fn finish(&mut self, shape: &Shape) -> Result<Vec<Open>, Error> {
        let groups = match &mut self.state {
            State::Adjacent(open) => open.take().into_iter().collect(),
            State::Scattered { places, groups, .. } => {
                places.clear();
                std::mem::take(groups)
            }
        };
        if groups.is_empty() && self.total {
            return Ok(vec![Open::new(self.nothing(shape)?)]);
        }
        Ok(groups)
    }

    /// Makes a group's row.
    pub(crate) fn close(&self, group: Open, shape: &Shape) -> Result<Row, Error> {
        group.close(&self.aggregates, shape)
    }

    /// The row of a total over no rows.
    fn nothing(&self, shape: &Shape) -> Result<Row, Error> {
        let zero = |column| {
            let aggregate = Aggregate::new(
                &plan::Merged { column: position(column), how: Combine::Count },
                &Shape { derived: 0, ..shape.clone() },
            )?;
            Ok(aggregate.finish(aggregate.start(), shape).0)
        };
        let values: Vec<Option<Vec<u8>>> = (0..shape.fields.len())
            .map(|column| if self.counts.contains(&column) { zero(column) } else { Ok(None) })
            .collect::<Result<_, Error>>()?;
        Row::of(shape, values.iter().map(Option::as_deref))
    }
}

impl Open {
    fn new(first: Row) -> Self {
        Self { first, accumulators: SmallVec::new() }
    }

    fn add(&mut self, row: &Row, aggregates: &[Aggregate], shape: &Shape) {
        if self.accumulators.is_empty() {
            for aggregate in aggregates {
                let mut accumulator = aggregate.start();
                aggregate.add(&mut accumulator, &self.first, shape);
                self.accumulators.push(accumulator);
            }
        }
        for (aggregate, accumulator) in aggregates.iter().zip(&mut self.accumulators) {
            aggregate.add(accumulator, row, shape);
        }
    }

    /// Whether no row stands behind its first.
    fn lacks(&self, witness: usize, shape: &Shape) -> bool {
        let kind = shape.fields[witness].kind;
        self.first.value(witness).is_none_or(|count| kind.integer(shape.format, count) == 0)
    }

    fn close(self, aggregates: &[Aggregate], shape: &Shape) -> Result<Row, Error> {
        if self.accumulators.is_empty() {
            return Ok(self.first);
        }
        let mut changed: SmallVec<[(usize, Option<Vec<u8>>); 4]> = SmallVec::new();
        for (aggregate, accumulator) in aggregates.iter().zip(self.accumulators) {
            let (value, weight) = aggregate.finish(accumulator, shape);
            changed.push((aggregate.column, value));
            if let Some(column) = aggregate.weight() {
                changed.push((column, weight));
            }
        }
        let values =
            (0..shape.fields.len()).map(|column| match changed.iter().find(|(index, _)| *index == column) {
                Some((_, value)) => value.as_deref(),
                None => self.first.value(column),
            });
        Row::of(shape, values)
    }

    fn size(&self) -> usize {
        self.first.size() + self.accumulators.iter().map(Accumulator::size).sum::<usize>()
    }
}

/// Whether an order brings rows with equal keys together: its first columns are the keys, in whatever sequence.
fn adjacent(keys: &[SortKey], order: &[SortKey]) -> bool {
    let Some(first) = order.get(..keys.len()) else { return false };
    keys.iter().all(|key| first.iter().any(|sorted| sorted.value == key.value))
}

fn position(column: usize) -> Position {
    Position::Visible(u16::try_from(column).unwrap_or(u16::MAX))
}
