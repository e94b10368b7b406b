//! A session's prepared statements.

use std::cell::Cell;
use std::rc::Rc;

use crate::counting::Held;
use hashbrown::HashMap;
use plan::Template;
use sql::Fingerprint;
use wire::execute::ParamType;

/// The prepared statements of a session by their ids.
#[derive(Debug, Default)]
pub(crate) struct Statements {
    /// Boxed, since they are taken out while they run.
    entries: HashMap<u32, Box<Prepared>, foldhash::fast::FixedState>,
    last: u32,
    /// Those of SQL's `PREPARE` by their names in small letters.
    names: HashMap<String, u32, foldhash::fast::FixedState>,
    /// Bytes of long data of all of them.
    held: Rc<Cell<usize>>,
}

/// Long data that came ahead for the parameters of one statement.
#[derive(Debug)]
pub(crate) struct Pieces {
    by_parameter: Vec<(u16, Vec<u8>)>,
    /// Bytes of all statements of the session, these among them.
    held: Rc<Cell<usize>>,
}

/// One prepared statement.
#[derive(Debug)]
pub(crate) struct Prepared {
    /// The client's text, byte for byte.
    pub(crate) raw: Rc<[u8]>,
    /// The same as characters.
    pub(crate) text: Rc<str>,
    pub(crate) fingerprint: Rc<Fingerprint>,
    pub(crate) template: Rc<Template>,
    /// The metadata the template was drafted with; another one: drafted anew.
    pub(crate) epoch: u64,
    /// The database that was current when it was prepared; it stays the statement's own.
    pub(crate) database: Option<Rc<str>>,
    /// How many parameters it has.
    pub(crate) params: usize,
    /// Their types, once the client has told them.
    pub(crate) types: Vec<ParamType>,
    /// What came ahead for some of them.
    pub(crate) long: Pieces,
    /// What an open cursor was opened with, as far as the session knows.
    pub(crate) cursor: Option<Rc<Template>>,
    /// A piece of long data that could not be taken; told at the next execute.
    pub(crate) spoilt: Option<&'static str>,
    /// Counts it.
    pub(crate) _held: Held,
}

impl Statements {
    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Keeps a statement under an id that is free.
    pub(crate) fn insert(&mut self, prepared: Prepared) -> u32 {
        loop {
            self.last = self.last.wrapping_add(1).max(1);
            if !self.entries.contains_key(&self.last) {
                self.entries.insert(self.last, Box::new(prepared));
                return self.last;
            }
        }
    }

    pub(crate) fn get_mut(&mut self, id: u32) -> Option<&mut Prepared> {
        self.entries.get_mut(&id).map(Box::as_mut)
    }

    /// Room for long data of another statement.
    pub(crate) fn pieces(&self) -> Pieces {
        Pieces { by_parameter: Vec::new(), held: Rc::clone(&self.held) }
    }

    /// Adds a piece of long data; all that a session holds may be as long as a command.
    pub(crate) fn append(&mut self, id: u32, parameter: u16, data: &[u8], limit: usize) {
        let Some(prepared) = self.get_mut(id) else { return };
        if usize::from(parameter) >= prepared.params {
            prepared.spoilt = Some("Incorrect arguments to mysql_stmt_precheck");
        } else if !prepared.long.append(parameter, data, limit) {
            prepared.spoilt = Some(
                "Parameter of prepared statement which is set through mysql_send_long_data() is longer than 'max_long_data_size' bytes",
            );
        }
    }

    /// Takes a statement out while it runs.
    pub(crate) fn take(&mut self, id: u32) -> Option<Box<Prepared>> {
        self.entries.remove(&id)
    }

    /// Puts it back afterwards.
    pub(crate) fn put_back(&mut self, id: u32, prepared: Box<Prepared>) {
        self.entries.insert(id, prepared);
    }

    /// Gives a statement a name.
    pub(crate) fn name(&mut self, name: String, id: u32) {
        self.names.insert(name.to_lowercase(), id);
    }

    /// The statement of a name.
    pub(crate) fn named(&self, name: &str) -> Option<u32> {
        self.names.get(&name.to_lowercase()).copied()
    }

    /// Forgets a name; gives the statement that had it.
    pub(crate) fn unname(&mut self, name: &str) -> Option<u32> {
        self.names.remove(&name.to_lowercase())
    }

    pub(crate) fn remove(&mut self, id: u32) {
        self.entries.remove(&id);
    }

    pub(crate) fn clear(&mut self) {
        self.entries.clear();
        self.names.clear();
    }
}

impl Prepared {
    /// What came ahead for a parameter.
    pub(crate) fn long(&self, parameter: usize) -> Option<&[u8]> {
        self.long
            .by_parameter
            .iter()
            .find(|(number, _)| usize::from(*number) == parameter)
            .map(|(_, data)| data.as_slice())
    }

    /// Forgets long data, as every execute does; what was wrong with it stays.
    pub(crate) fn executed(&mut self) {
        self.long.clear();
    }

    /// Forgets long data, as `COM_STMT_RESET` does.
    pub(crate) fn reset(&mut self) {
        self.long.clear();
        self.spoilt = None;
    }
}

impl Pieces {
    pub(crate) fn is_empty(&self) -> bool {
        self.by_parameter.is_empty()
    }

    /// Whether there was room for it.
    fn append(&mut self, parameter: u16, data: &[u8], limit: usize) -> bool {
        let held = self.held.get() + data.len();
        if held > limit {
            return false;
        }
        self.held.set(held);
        match self.by_parameter.iter_mut().find(|(number, _)| *number == parameter) {
            Some((_, before)) => before.extend_from_slice(data),
            None => self.by_parameter.push((parameter, data.to_vec())),
        }
        true
    }

    fn clear(&mut self) {
        if !self.is_empty() {
            let bytes: usize = self.by_parameter.drain(..).map(|(_, data)| data.len()).sum();
            self.held.set(self.held.get() - bytes);
        }
    }
}

impl Drop for Pieces {
    fn drop(&mut self) {
        self.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_data_is_bounded_for_the_session() {
        let statements = Statements::default();
        let (mut one, mut other) = (statements.pieces(), statements.pieces());
        assert!(one.append(0, b"12345", 10) && one.append(0, b"67", 10) && other.append(3, b"890", 10));
        assert!(!other.append(3, b"x", 10));
        assert_eq!(one.by_parameter, [(0, b"1234567".to_vec())]);
        one.clear();
        assert!(other.append(3, b"1234567", 10) && !one.append(1, b"x", 10));
        drop(other);
        assert!(one.append(1, b"1234567890", 10));
        assert_eq!(statements.held.get(), 10);
    }
}
