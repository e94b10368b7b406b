//! How result sets of equal shape become one: pure operators over rows, fed and asked, without I/O.
//!
//! [`Merging`] is the row of them in the order of [`plan::Rows`]: streams in order merged by a heap that holds one row of
//! each, groups, a final order in memory, `LIMIT`, and derived columns left out when the row is written. Values are
//! compared where they lie in the server's bytes; only aggregates are written anew. Refused: an order the rows do not
//! tell as the server sees it (`ENUM` names, `JSON`, text without its weight), and more memory than allowed.

mod aggregate;
mod collation;
mod decimal;
mod double;
mod group;
mod json;
mod ordered;
mod row;
mod shape;
mod sort;
#[cfg(test)]
mod tests;
mod value;

use bytes::BytesMut;
use plan::{Rows, Window};

pub use collation::Pad;
pub use row::Row;
pub use shape::{Field, Shape, Width};
pub use value::{Format, Kind};

use crate::Error;
use group::{Grouping, Open};
use ordered::Ordered;
use shape::{Comparator, Purpose};
use sort::Sorter;

/// Merges the streams of one statement.
#[derive(Debug)]
pub struct Merging {
    shape: Shape,
    ordered: Option<Ordered>,
    group: Option<Grouping>,
    sorter: Option<Sorter>,
    window: Remaining,
    rest: Rest,
}

/// Rows that come after the last one was fed.
#[derive(Debug)]
enum Rest {
    Groups(std::vec::IntoIter<Open>),
    None,
    Sorted(std::vec::IntoIter<Row>),
}

/// What is left of `LIMIT`.
#[derive(Clone, Copy, Debug)]
struct Remaining {
    skip: u64,
    show: u64,
    /// All rows are counted, also those behind the window.
    counted: bool,
    /// Rows that were there and are not shown.
    unsent: u64,
}

impl Merging {
    /// For so many streams; `limit` bounds what groups and a final order may hold, in bytes each.
    pub fn new(rows: &Rows, shape: Shape, streams: usize, limit: usize) -> Result<Self, Error> {
        let ordered = match rows.order.as_slice() {
            [] => None,
            keys => Some(Ordered::new(Comparator::new(keys, &shape, Purpose::Order)?, streams)),
        };
        let sorter = match rows.resort.as_slice() {
            [] => None,
            keys => {
                let window = Remaining::of(rows);
                let most = usize::try_from(window.skip.saturating_add(window.show)).unwrap_or(usize::MAX);
                let most = if window.counted { usize::MAX } else { most };
                Some(Sorter::new(Comparator::new(keys, &shape, Purpose::Order)?, limit, most))
            }
        };
        let group =
            rows.group.as_ref().map(|group| Grouping::new(group, &rows.order, &shape, limit)).transpose()?;
        Ok(Self { shape, ordered, group, sorter, window: Remaining::of(rows), rest: Rest::None })
    }

    /// How many bytes of a text servers sort by, where the session has set it: `max_sort_length`.
    pub fn sorted_by(&mut self, bytes: usize) {
        self.ordered.iter_mut().for_each(|ordered| ordered.sorted_by(bytes));
        self.group.iter_mut().for_each(|group| group.sorted_by(bytes));
        self.sorter.iter_mut().for_each(|sorter| sorter.sorted_by(bytes));
    }

    /// What the columns are.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Whether the streams must be read side by side, one row of each at a time.
    pub fn interleaves(&self) -> bool {
        self.ordered.is_some()
    }

    /// Whether every row is shown as it is, wherever it comes from.
    pub fn is_plain(&self) -> bool {
        let untouched = self.ordered.is_none() && self.group.is_none() && self.sorter.is_none();
        untouched && self.shape.derived == 0 && self.window.skip == 0 && self.window.show == u64::MAX
    }

    /// Whether no row that could still come would be shown.
    pub fn done(&self) -> bool {
        self.window.show == 0 && !self.window.counted
    }

    /// Rows that were there and are not shown, as far as they were asked for.
    pub fn unsent(&self) -> u64 {
        self.window.unsent
    }

    /// Takes the next row of a stream whose turn it is: any that has none held yet, or the one [`Self::pop`] named.
    pub fn push(&mut self, stream: usize, row: Row) {
        if let Some(ordered) = &mut self.ordered {
            ordered.push(stream, row);
        }
    }

    /// The first of the rows held, once every stream that has not ended holds one, and the stream to read on.
    pub fn pop(&mut self) -> Option<(usize, Row)> {
        self.ordered.as_mut()?.pop()
    }

    /// Takes a row in the order of the whole; gives one to be shown.
    pub fn feed(&mut self, row: Row) -> Result<Option<Row>, Error> {
        let row = match &mut self.group {
            None => Some(row),
            Some(group) => group.feed(row, &self.shape)?,
        };
        match (row, &mut self.sorter) {
            (None, _) => Ok(None),
            (Some(row), Some(sorter)) => sorter.feed(row).map(|()| None),
            (Some(row), None) => Ok(self.window.admit(row)),
        }
    }

    /// No more rows come.
    pub fn finish(&mut self) -> Result<(), Error> {
        let groups = match &mut self.group {
            None => Vec::new(),
            Some(group) => group.finish(&self.shape)?,
        };
        self.rest = match (&mut self.sorter, &self.group) {
            (None, _) => Rest::Groups(groups.into_iter()),
            (Some(sorter), group) => {
                if let Some(group) = group {
                    for open in groups {
                        sorter.feed(group.close(open, &self.shape)?)?;
                    }
                }
                Rest::Sorted(sorter.finish().into_iter())
            }
        };
        Ok(())
    }

    /// The next row to be shown after [`Self::finish`].
    pub fn take(&mut self) -> Result<Option<Row>, Error> {
        while !self.done() {
            let row = match (&mut self.rest, &self.group) {
                (Rest::Groups(groups), Some(group)) => {
                    groups.next().map(|open| group.close(open, &self.shape)).transpose()?
                }
                (Rest::Sorted(rows), _) => rows.next(),
                _ => None,
            };
            let Some(row) = row else { return Ok(None) };
            if let Some(row) = self.window.admit(row) {
                return Ok(Some(row));
            }
        }
        Ok(None)
    }

    /// Writes a row to the client.
    pub fn put(&self, row: &Row, out: &mut BytesMut, sequence: &mut u8) {
        row.put(&self.shape, out, sequence);
    }

    /// Appends the payload of a row as the client is to see it.
    pub fn write(&self, row: &Row, out: &mut BytesMut) {
        row.write(&self.shape, out);
    }
}

impl Remaining {
    fn of(rows: &Rows) -> Self {
        let Window { offset, count } = rows.limit.unwrap_or(Window { offset: 0, count: u64::MAX });
        Self { skip: offset, show: count, counted: rows.counted, unsent: 0 }
    }

    /// Gives the row back if it is to be shown.
    fn admit(&mut self, row: Row) -> Option<Row> {
        if self.skip > 0 {
            self.skip -= 1;
            self.unsent += 1;
            return None;
        }
        match self.show.checked_sub(1) {
            Some(left) => self.show = left,
            None => {
                self.unsent += 1;
                return None;
            }
        }
        Some(row)
    }
}
