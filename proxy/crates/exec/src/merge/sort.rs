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
}

impl Sorter {
    /// `limit` bounds what is held, in bytes.
    pub(crate) fn new(comparator: Comparator, limit: usize) -> Self {
        Self { comparator, rows: Vec::new(), bytes: 0, limit }
    }

    /// Takes a row.
    pub(crate) fn feed(&mut self, row: Row) -> Result<(), Error> {
        self.bytes += row.size();
        if self.bytes > self.limit {
            return Err(Error::Memory { what: "ORDER BY", limit: self.limit });
        }
        self.rows.push(row);
        Ok(())
    }

    /// All rows in order; equal ones as they came.
    pub(crate) fn finish(&mut self) -> Vec<Row> {
        let mut rows = std::mem::take(&mut self.rows);
        rows.sort_by(|a, b| self.comparator.compare(a, b));
        rows
    }
}
