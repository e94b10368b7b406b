//! What a worker counts of its sessions' commands, into cells of its own ([`Counts`]) that a scrape reads.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use hashbrown::HashMap;
use meta::Database;
use observe::{Class, Command, Count, Counts, Party, UnitName};
use plan::{Plan, RouteUnit, Template};

/// Counts of one worker.
#[derive(Debug)]
pub(crate) struct Counter {
    counts: Arc<Counts>,
    /// Where route units have been counted before, so that no name is looked for again.
    routes: RefCell<Routes>,
}

type Routes = HashMap<Route, Box<[Arc<Count>]>, foldhash::fast::FixedState>;

/// A unit's part in statements of one template, whose numbers are never used twice.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
struct Route {
    template: u64,
    node: Option<u32>,
    unit: u16,
}

/// Routes that are remembered.
const ROUTES: usize = 16 * 1024;

impl Counter {
    pub(crate) fn new(counts: &Arc<Counts>) -> Rc<Self> {
        Rc::new(Self { counts: Arc::clone(counts), routes: RefCell::default() })
    }

    fn routed(&self, database: &Database, template: &Template, unit: &RouteUnit) {
        let route = Route { template: template.number(), node: unit.node, unit: unit.unit };
        let mut routes = self.routes.borrow_mut();
        if let Some(known) = routes.get(&route) {
            known.iter().for_each(|count| count.add(1));
            return;
        }
        if routes.len() >= ROUTES {
            routes.clear();
        }
        let counts = self.counts_of(database, template, unit);
        counts.iter().for_each(|count| count.add(1));
        routes.insert(route, counts);
    }

    #[cold]
    fn counts_of(&self, database: &Database, template: &Template, unit: &RouteUnit) -> Box<[Arc<Count>]> {
        let name = database.units.get_index(usize::from(unit.unit)).map(|(name, _)| UnitName {
            database: database.name.as_str().into(),
            unit: name.as_str().into(),
        });
        let units = name.map(|name| self.counts.units.of(name));
        let tables = template.physical_tables(unit).into_iter();
        units.into_iter().chain(tables.map(|table| self.counts.tables.of(table.into()))).collect()
    }
}

/// A prepared statement of some session is counted for as long as this lives.
#[derive(Debug)]
pub(crate) struct Held(Rc<Counter>);

impl Held {
    pub(crate) fn new(counter: &Rc<Counter>) -> Self {
        counter.counts.prepared.add(1);
        Self(Rc::clone(counter))
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.0.counts.prepared.take(1);
    }
}

/// What is to be counted of a session's current command.
#[derive(Debug)]
pub(crate) struct Tally {
    counter: Rc<Counter>,
    began: Instant,
    pub(crate) command: Command,
    pub(crate) class: Class,
    /// It was routed to servers.
    routed: bool,
    pub(crate) error: Option<(Party, u16)>,
    pub(crate) rows: u64,
    pub(crate) affected: u64,
    /// What had been sent to the client before.
    sent: u64,
}

impl Tally {
    pub(crate) fn new(counter: &Rc<Counter>) -> Self {
        Self {
            counter: Rc::clone(counter),
            began: Instant::now(),
            command: Command::Other,
            class: Class::Unknown,
            routed: false,
            error: None,
            rows: 0,
            affected: 0,
            sent: 0,
        }
    }

    /// A packet of so many bytes has come.
    #[inline]
    pub(crate) fn received(&self, bytes: usize) {
        let counts = &self.counter.counts;
        counts.requests.add(1);
        counts.received.add((bytes + wire::frame::HEADER) as u64);
    }

    /// A command begins; so many bytes have been sent to the client before.
    #[inline]
    pub(crate) fn begin(&mut self, sent: u64) {
        self.began = Instant::now();
        (self.command, self.class) = (Command::Other, Class::Unknown);
        (self.routed, self.error) = (false, None);
        (self.rows, self.affected) = (0, 0);
        self.sent = sent;
    }

    /// A text's template was in the cache, or was not.
    #[inline]
    pub(crate) fn looked_up(&self, hit: bool) {
        let counts = &self.counter.counts;
        if hit { counts.cache_hits.add(1) } else { counts.cache_misses.add(1) }
    }

    /// It goes to these units.
    #[inline]
    pub(crate) fn routed(&mut self, database: &Database, template: &Template, plan: &Plan) {
        self.routed = true;
        for unit in &plan.units {
            self.counter.routed(database, template, unit);
        }
    }

    /// It is over; so many bytes have been sent to the client by now.
    pub(crate) fn end(&self, sent: u64) {
        let counts = &self.counter.counts;
        counts.times.add(self.began.elapsed());
        counts.sent.add(sent.saturating_sub(self.sent));
        counts.commands.of(self.command).add(1);
        if matches!(self.command, Command::Query | Command::Prepare) {
            counts.parsed.of(self.class).add(1);
        }
        if matches!(self.command, Command::Query | Command::Execute) {
            counts.statements.of(self.class).add(1);
        }
        if self.routed {
            counts.routed.of(self.class).add(1);
        }
        if self.rows != 0 {
            counts.rows_sent.add(self.rows);
        }
        if self.affected != 0 {
            counts.rows_affected.add(self.affected);
        }
        if let Some(error) = self.error {
            counts.errors.of(error).add(1);
        }
    }

    /// Nothing but that it came is counted of it.
    pub(crate) fn forgotten(&self) {
        self.counter.counts.commands.of(Command::Other).add(1);
    }

    /// A transaction was ended by the client's own words.
    pub(crate) fn ended(&self, committed: bool) {
        let counts = &self.counter.counts;
        if committed { counts.commits.add(1) } else { counts.rollbacks.add(1) }
    }
}
