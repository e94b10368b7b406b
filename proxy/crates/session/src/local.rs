//! What all sessions of one worker share, without locks.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use backend::Pools;
use meta::{Property, Reader, Snapshot};
use observe::{Outlet, Wants};
use sql::Fingerprinter;
use wire::compress::Codec;

use crate::clock::Clock;
use crate::counting::Counter;
use crate::digests::Digests;
use crate::pacing::Pacing;
use crate::registry::Sessions;
use crate::shared::Shared;

/// Shared by the sessions of one worker.
pub(crate) struct Local {
    pub(crate) pools: Rc<Pools>,
    pub(crate) templates: RefCell<plan::Cache>,
    pub(crate) fingerprinter: Fingerprinter,
    /// Its process list.
    pub(crate) sessions: Sessions,
    /// Where its sessions tell what they did.
    pub(crate) outlet: Outlet,
    /// What they count.
    pub(crate) counter: Rc<Counter>,
    pub(crate) clock: Clock,
    /// Figures of what its sessions have run.
    pub(crate) digests: Digests,
    /// Of the sessions whose clients asked for compression.
    pub(crate) codec: Rc<RefCell<Codec>>,
    /// For what is costly in logins.
    pub(crate) pacing: Pacing,
    reader: RefCell<Reader>,
}

impl Local {
    pub(crate) fn new(shared: &Shared) -> Self {
        let outlet = shared.events.outlet();
        Self {
            counter: Counter::new(outlet.counts()),
            pools: Pools::new(Arc::clone(&shared.hub)),
            templates: RefCell::new(plan::Cache::new(TEMPLATES, Arc::clone(&shared.numbers))),
            fingerprinter: Fingerprinter::random(),
            sessions: Sessions::new(),
            outlet,
            clock: Clock::new(),
            digests: Digests::default(),
            codec: Rc::default(),
            pacing: Pacing::new(),
            reader: RefCell::new(shared.published.reader()),
        }
    }

    /// Figures by digest are kept, or are not any more, as it is configured now.
    pub(crate) fn follow_digests(&self) {
        let on = self.snapshot().properties.text(Property::StatementDigestsEnabled) == "true";
        self.outlet.hub().keep(Wants::DIGESTS, on);
    }

    /// The metadata of this moment.
    pub(crate) fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(self.reader.borrow_mut().latest())
    }
}

/// Bytes of templates that one worker keeps.
const TEMPLATES: u64 = 32 << 20;
