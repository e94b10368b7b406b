//! Statements prepared on one connection: which server id a text has, bounded by what was not used longest.

use std::hash::BuildHasher as _;

use hashbrown::HashMap;
use smallvec::SmallVec;

/// How many statements one connection keeps prepared; the server's own limit is 16,382 over all connections.
const LIMIT: usize = 256;

/// A statement as the server knows it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Statement {
    /// The server's id on this connection.
    pub id: u32,
    /// Parameters.
    pub params: u16,
    /// Columns of its result; 0 for none.
    pub columns: u16,
}

/// The prepared statements of a connection by the id of their text.
#[derive(Debug)]
pub struct Prepared {
    entries: HashMap<u64, Entry, foldhash::fast::FixedState>,
    /// Counts uses; the entry with the lowest mark is the next to go.
    clock: u64,
    limit: usize,
    /// Server ids to be closed with the next write.
    evicted: SmallVec<[u32; 4]>,
    seed: u64,
}

#[derive(Debug)]
struct Entry {
    statement: Statement,
    used: u64,
}

impl Default for Prepared {
    fn default() -> Self {
        Self::new(LIMIT)
    }
}

impl Prepared {
    pub(crate) fn new(limit: usize) -> Self {
        let seed = foldhash::fast::RandomState::default().hash_one(limit);
        Self { entries: HashMap::default(), clock: 0, limit, evicted: SmallVec::new(), seed }
    }

    /// A number of this connection's own for ids made by hashing, so that no client can make two of them alike.
    pub const fn seed(&self) -> u64 {
        self.seed
    }

    /// The statement for this text, now the most recently used.
    #[inline]
    pub fn get(&mut self, text: u64) -> Option<Statement> {
        self.clock += 1;
        let entry = self.entries.get_mut(&text)?;
        entry.used = self.clock;
        Some(entry.statement)
    }

    /// Remembers a statement the server has just prepared; closes the one unused longest when there are too many.
    pub fn insert(&mut self, text: u64, statement: Statement) {
        self.clock += 1;
        if self.entries.len() >= self.limit && !self.entries.contains_key(&text) {
            // A scan of a few hundred entries is small against the PREPARE round trip that led here.
            let oldest = self.entries.iter().min_by_key(|(_, entry)| entry.used).map(|(text, _)| *text);
            if let Some(oldest) = oldest {
                self.remove(oldest);
            }
        }
        if let Some(before) = self.entries.insert(text, Entry { statement, used: self.clock }) {
            self.evicted.push(before.statement.id);
        }
    }

    /// Gives a statement to another id.
    pub fn rename(&mut self, from: u64, to: u64) -> Option<Statement> {
        let entry = self.entries.remove(&from)?;
        let statement = entry.statement;
        if let Some(before) = self.entries.insert(to, entry) {
            self.evicted.push(before.statement.id);
        }
        Some(statement)
    }

    /// Closes a statement, with the next write.
    pub fn remove(&mut self, text: u64) {
        if let Some(entry) = self.entries.remove(&text) {
            self.evicted.push(entry.statement.id);
        }
    }

    /// Takes a statement out that its taker alone may run from now on.
    pub fn take(&mut self, text: u64) -> Option<Statement> {
        self.entries.remove(&text).map(|entry| entry.statement)
    }

    /// Closes a statement that was taken out, with the next write.
    pub fn close(&mut self, statement: Statement) {
        self.evicted.push(statement.id);
    }

    /// Forgets everything: the server has closed them all itself (`COM_RESET_CONNECTION`, `COM_CHANGE_USER`).
    pub fn clear(&mut self) {
        self.entries.clear();
        self.evicted.clear();
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// None.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(crate) fn has_evicted(&self) -> bool {
        !self.evicted.is_empty()
    }

    pub(crate) fn take_evicted(&mut self) -> SmallVec<[u32; 4]> {
        std::mem::take(&mut self.evicted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statement(id: u32) -> Statement {
        Statement { id, params: 1, columns: 2 }
    }

    #[test]
    fn evicts_the_statement_unused_longest() {
        let mut prepared = Prepared::new(2);
        prepared.insert(10, statement(1));
        prepared.insert(20, statement(2));
        assert_eq!(prepared.get(10), Some(statement(1)));
        prepared.insert(30, statement(3));
        assert_eq!(prepared.get(20), None);
        assert_eq!(prepared.get(10), Some(statement(1)));
        assert_eq!(prepared.take_evicted().as_slice(), [2]);
        assert!(!prepared.has_evicted());
    }

    #[test]
    fn closes_the_statement_replaced_under_the_same_text() {
        let mut prepared = Prepared::new(2);
        prepared.insert(10, statement(1));
        prepared.insert(10, statement(2));
        assert_eq!(prepared.take_evicted().as_slice(), [1]);
        assert_eq!(prepared.len(), 1);
    }

    #[test]
    fn closes_nothing_that_the_server_closed_itself() {
        let mut prepared = Prepared::new(2);
        prepared.insert(10, statement(1));
        prepared.clear();
        assert!(prepared.is_empty() && !prepared.has_evicted());
    }
}
