//! Merges streams that are each in order into one: holds one row of each.

use std::cmp::Ordering;

use super::row::Row;
use super::shape::Comparator;

/// A heap of the first rows of each stream. Rows that compare equal come in the order of their streams.
#[derive(Debug)]
pub(crate) struct Ordered {
    comparator: Comparator,
    rows: Vec<Option<Row>>,
    /// Numbers of streams that have a row, as a binary heap.
    heap: Vec<usize>,
}

impl Ordered {
    /// For so many streams, none of which has given a row yet.
    pub(crate) fn new(comparator: Comparator, streams: usize) -> Self {
        let rows = std::iter::repeat_with(|| None).take(streams).collect();
        Self { comparator, rows, heap: Vec::with_capacity(streams) }
    }

    /// How many bytes of a text servers sort by.
    pub(crate) fn sorted_by(&mut self, bytes: usize) {
        self.comparator.longest = bytes;
    }

    /// Takes the next row of a stream; it must not hold one already.
    pub(crate) fn push(&mut self, stream: usize, row: Row) {
        self.rows[stream] = Some(row);
        self.heap.push(stream);
        let mut child = self.heap.len() - 1;
        while child > 0 {
            let parent = (child - 1) / 2;
            if !self.before(child, parent) {
                break;
            }
            self.heap.swap(child, parent);
            child = parent;
        }
    }

    /// Gives the first of all rows and the stream to refill, once every stream that has not ended holds a row.
    pub(crate) fn pop(&mut self) -> Option<(usize, Row)> {
        let last = self.heap.pop()?;
        let stream = if let Some(top) = self.heap.first_mut() { std::mem::replace(top, last) } else { last };
        let mut parent = 0;
        loop {
            let (left, right) = (2 * parent + 1, 2 * parent + 2);
            if left >= self.heap.len() {
                break;
            }
            let child = if right < self.heap.len() && self.before(right, left) { right } else { left };
            if !self.before(child, parent) {
                break;
            }
            self.heap.swap(child, parent);
            parent = child;
        }
        self.rows[stream].take().map(|row| (stream, row))
    }

    /// Whether the row at one place of the heap comes before that at another.
    fn before(&self, a: usize, b: usize) -> bool {
        let (a, b) = (self.heap[a], self.heap[b]);
        let (Some(one), Some(two)) = (&self.rows[a], &self.rows[b]) else { return false };
        self.comparator.compare(one, two).then(a.cmp(&b)) == Ordering::Less
    }
}
