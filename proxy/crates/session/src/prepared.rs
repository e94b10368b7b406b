//! A session's prepared statements.

use std::rc::Rc;

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
    pub(crate) long: Vec<(u16, Vec<u8>)>,
    /// What an open cursor was opened with, as far as the session knows.
    pub(crate) cursor: Option<Rc<Template>>,
    /// A piece of long data that could not be taken; told at the next execute.
    pub(crate) spoilt: Option<&'static str>,
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
    /// Adds a piece of long data to a parameter; pieces together may be as long as a command.
    pub(crate) fn append(&mut self, parameter: u16, data: &[u8], limit: usize) {
        if usize::from(parameter) >= self.params {
            self.spoilt = Some("Incorrect arguments to mysql_stmt_precheck");
            return;
        }
        let held: usize = self.long.iter().map(|(_, data)| data.len()).sum();
        if held + data.len() > limit {
            self.spoilt = Some(
                "Parameter of prepared statement which is set through mysql_send_long_data() is longer than 'max_long_data_size' bytes",
            );
            return;
        }
        match self.long.iter_mut().find(|(number, _)| *number == parameter) {
            Some((_, held)) => held.extend_from_slice(data),
            None => self.long.push((parameter, data.to_vec())),
        }
    }

    /// What came ahead for a parameter.
    pub(crate) fn long(&self, parameter: usize) -> Option<&[u8]> {
        self.long
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
