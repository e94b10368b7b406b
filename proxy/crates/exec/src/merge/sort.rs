//! Puts rows in order in memory, up to a limit.

use super::row::Row;
use super::shape::Comparator;
use crate::Error;

/// Rows that wait for all others.
#[derive(Debug)]
pub(crate) struct Sorter {
    comparator: Comparator,
    rows: Vec<Row>,
    bytes: usize,
    limit: usize,
    /// So many of the first are wanted.
    most: usize,
}

/// Rows beyond those wanted are sorted out when there are at least so many.
const SPARE: usize = 1024;

impl Sorter {
    /// `limit` bounds what is held, in bytes; `most` is how many rows are wanted of all.
    pub(crate) fn new(comparator: Comparator, limit: usize, most: usize) -> Self {
        Self { comparator, rows: Vec::new(), bytes: 0, limit, most }
    }

    /// How many bytes of a text servers sort by.
    pub(crate) fn sorted_by(&mut self, bytes: usize) {
        self.comparator.longest = bytes;
    }

    /// Takes a row.
    pub(crate) fn feed(&mut self, row: Row) -> Result<(), Error> {
        self.bytes += row.size();
        if self.rows.len() >= self.most.saturating_mul(2).saturating_add(SPARE) {
            self.sort();
            self.rows.truncate(self.most);
            self.bytes = self.rows.iter().map(Row::size).sum::<usize>() + row.size();
        }
        if self.bytes > self.limit {
            return Err(Error::Memory { what: "ORDER BY", limit: self.limit });
        }
        self.rows.push(row);
        Ok(())
    }

    /// All rows in order; equal ones as they came.
    pub(crate) fn finish(&mut self) -> Vec<Row> {
        self.sort();
        std::mem::take(&mut self.rows)
    }

    fn sort(&mut self) {
        self.rows.sort_by(|a, b| self.comparator.compare(a, b));
    }
}
