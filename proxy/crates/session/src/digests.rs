//! Figures of statements by digest: what each worker's sessions have run, as MySQL's
//! `events_statements_summary_by_digest` tells it of a server.
//!
//! A worker counts by itself; whoever asks gets the sums over all of them ([`Registry::digests`]).

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use hashbrown::HashMap;
use hashbrown::hash_map::Entry;
use observe::Latency;
use plan::Template;

use crate::registry::Registry;

/// Digests of one worker. What comes when there are so many is counted together, as one without a text.
const MOST: usize = 4096;

/// The figures of one worker.
#[derive(Debug, Default)]
pub(crate) struct Digests(RefCell<HashMap<u64, Figures, foldhash::fast::RandomState>>);

/// What is known of all statements of one digest.
#[derive(Clone, Debug)]
pub(crate) struct Figures {
    pub(crate) database: Box<str>,
    /// Empty where further ones are counted together.
    pub(crate) text: Box<str>,
    /// Of the text; 0 where further ones are counted together.
    pub(crate) id: u64,
    pub(crate) latency: Latency,
    pub(crate) errors: u64,
    pub(crate) warnings: u64,
    pub(crate) rows_sent: u64,
    pub(crate) rows_affected: u64,
    pub(crate) first: SystemTime,
    pub(crate) last: SystemTime,
}

/// What one statement adds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ran {
    pub(crate) at: SystemTime,
    pub(crate) elapsed: Duration,
    pub(crate) failed: bool,
    pub(crate) warnings: u16,
    pub(crate) rows_sent: u64,
    pub(crate) rows_affected: u64,
}

impl Digests {
    /// Counts a statement.
    pub(crate) fn count(&self, template: &Template, ran: &Ran) {
        let mut all = self.0.borrow_mut();
        let digest = template.digest();
        let mut key = digest.key;
        if all.len() >= MOST && !all.contains_key(&key) {
            key = 0;
        }
        let figures = match all.entry(key) {
            Entry::Occupied(found) => found.into_mut(),
            Entry::Vacant(place) => place.insert(Figures::new(key, template, ran.at)),
        };
        figures.add(ran);
    }

    /// All there are.
    pub(crate) fn list(&self) -> Vec<Figures> {
        self.0.borrow().values().cloned().collect()
    }

    /// Begins anew.
    pub(crate) fn reset(&self) {
        self.0.borrow_mut().clear();
    }
}

impl Figures {
    fn new(key: u64, template: &Template, at: SystemTime) -> Self {
        let known = key != 0;
        let digest = template.digest();
        let database = template.database().map_or("", |database| &database.name);
        Self {
            database: if known { database.into() } else { Box::default() },
            text: if known { digest.text.clone() } else { Box::default() },
            id: if known { digest.id } else { 0 },
            latency: Latency::default(),
            errors: 0,
            warnings: 0,
            rows_sent: 0,
            rows_affected: 0,
            first: at,
            last: at,
        }
    }

    fn add(&mut self, ran: &Ran) {
        self.latency.add(ran.elapsed);
        self.errors += u64::from(ran.failed);
        self.warnings += u64::from(ran.warnings);
        self.rows_sent += ran.rows_sent;
        self.rows_affected += ran.rows_affected;
        self.last = ran.at;
    }

    fn merge(&mut self, other: &Self) {
        self.latency.merge(&other.latency);
        self.errors += other.errors;
        self.warnings += other.warnings;
        self.rows_sent += other.rows_sent;
        self.rows_affected += other.rows_affected;
        self.first = self.first.min(other.first);
        self.last = self.last.max(other.last);
    }
}

impl Registry {
    /// Figures of all workers, those that took most time first.
    pub(crate) async fn digests(&self) -> Vec<Figures> {
        let mut sums: BTreeMap<(Box<str>, u64), Figures> = BTreeMap::new();
        for figures in self.digest_lists().await.into_iter().flatten() {
            match sums.get_mut(&(figures.database.clone(), figures.id)) {
                Some(sum) => sum.merge(&figures),
                None => {
                    sums.insert((figures.database.clone(), figures.id), figures);
                }
            }
        }
        let mut all: Vec<_> = sums.into_values().collect();
        all.sort_by_key(|figures| std::cmp::Reverse(figures.latency.total()));
        all
    }
}
