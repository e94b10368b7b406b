//! The connections of one storage unit over all workers: who may open one, who holds one, who is next.
//!
//! Every open connection, idle or held or just being opened, carries a [`Permit`]; there are never more than
//! `maximumPoolSize`, and fewer of them at work at a time (see [`Gate`]). Idle connections lie on the shelf of the
//! worker that used them last. Sessions that find neither, or that the gate does not let in yet, wait in one queue over
//! all workers, and what becomes free is handed to the first of them directly, past every session that comes later.
//!
//! No wake-up is lost, because both sides first say what they did and then look: a waiter counts itself in `waiting`
//! before it looks for something free, and who frees something, a connection, a permit or a place behind the gate, looks
//! at `waiting` after (or, on a shelf, under the same lock as) freeing it. Who goes in at the gate and finds nothing
//! behind it goes on to the queue, and so looks for those it may have kept out.
//! Lock order: queue, then shelf. Nothing is closed or woken under a lock.

use std::sync::Arc;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize};

use meta::StorageUnit;
use observe::Count;
use parking_lot::{Mutex, RwLock};
use tokio::sync::{Semaphore, oneshot};
use tokio::time::Instant;
use tokio_rustls::rustls::ClientConfig;

use crate::backoff::Backoff;
use crate::connection::{Connection, Traffic};
use crate::error::{Error, Origin};
use crate::gate::{Admission, Entry, Gate};
use crate::hub::PoolStats;
use crate::queue::{Queue, Waiter};
use crate::settings::Settings;
use crate::tally::Tally;

/// So many settings are remembered of one server; a session rarely differs from others of its kind.
const TAKEN: usize = 64;

pub(crate) struct Pool {
    pub(crate) unit: Arc<StorageUnit>,
    pub(crate) origin: Arc<Origin>,
    pub(crate) tls: Arc<ClientConfig>,
    name: Arc<str>,
    /// Permits given out.
    open: AtomicU32,
    /// Length of the queue, to be read without its lock.
    waiting: AtomicUsize,
    retired: AtomicBool,
    pub(crate) gate: Gate,
    pub(crate) backoff: Backoff,
    pub(crate) tally: Tally,
    /// For the sessions that may hold connections of other units, too; as many as there may be connections.
    pub(crate) turns: Arc<Semaphore>,
    queue: Mutex<Queue>,
    /// Settings that the server has taken, the latest last.
    taken: Mutex<Vec<Settings>>,
    shelves: RwLock<Vec<Arc<Shelf>>>,
}

/// The idle connections of one worker, the most recently used last.
///
/// The lock is uncontended: the worker itself takes it for a push or a pop, others only to take a connection over when the
/// limit is reached, and to count.
pub(crate) struct Shelf {
    worker: u32,
    #[expect(clippy::vec_box, reason = "connections live in boxes, so that lending one moves a pointer")]
    pub(crate) idle: Mutex<Vec<Box<Pooled>>>,
    /// How often its worker gave a connection back; only that worker writes these.
    served: Count,
    /// Bytes of connections that were given back.
    received: Count,
    sent: Count,
}

/// An open connection with its right to be open.
pub(crate) struct Pooled {
    pub(crate) connection: Connection,
    pub(crate) permit: Permit,
    /// The worker whose runtime its socket is registered with.
    pub(crate) home: u32,
    /// Not to be used again after it.
    pub(crate) expires: Option<Instant>,
    /// When it was given back.
    pub(crate) used: Instant,
    /// When it was last known to work.
    pub(crate) checked: Instant,
}

/// The right to one open connection.
pub(crate) struct Permit {
    /// Taken by `drop` alone.
    pool: Option<Arc<Pool>>,
    /// Since when its holder is at work; nothing for an idle connection, and for a holder that does not count.
    entry: Option<Entry>,
}

/// What a waiter gets.
pub(crate) enum Grant {
    /// A connection as asked for, maybe of another worker.
    Ready(Box<Pooled>),
    /// A connection of the other kind: close it and open one in its place.
    Replace(Box<Pooled>),
    /// Open one.
    Open(Permit),
}

impl Grant {
    fn let_in(mut self, entry: Option<Entry>) -> Self {
        match &mut self {
            Self::Ready(pooled) | Self::Replace(pooled) => pooled.permit.entry = entry,
            Self::Open(permit) => permit.entry = entry,
        }
        self
    }
}

/// A place in the queue; leaves it when dropped.
pub(crate) struct Place<'a> {
    pool: &'a Arc<Pool>,
    worker: u32,
    /// Nothing once it was served.
    ticket: Option<u64>,
    admission: Admission,
    pub(crate) grant: oneshot::Receiver<Grant>,
}

impl Pool {
    pub(crate) fn new(unit: Arc<StorageUnit>, tls: Arc<ClientConfig>) -> Self {
        let origin = Origin::of(&unit);
        Self {
            name: unit.name.as_str().into(),
            origin: Arc::new(origin),
            tls,
            open: AtomicU32::new(0),
            waiting: AtomicUsize::new(0),
            retired: AtomicBool::new(false),
            gate: Gate::new(&unit.spec.pool),
            backoff: Backoff::default(),
            tally: Tally::default(),
            turns: Arc::new(Semaphore::new(unit.spec.pool.max.max(1) as usize)),
            queue: Mutex::default(),
            taken: Mutex::default(),
            shelves: RwLock::default(),
            unit,
        }
    }

    /// `maximumPoolSize`, at least 1.
    pub(crate) fn limit(&self) -> u32 {
        self.unit.spec.pool.max.max(1)
    }

    pub(crate) fn open(&self) -> u32 {
        self.open.load(SeqCst)
    }

    /// Whether the server has taken these settings before, so that it can be trusted to take them again.
    pub(crate) fn has_taken(&self, settings: &Settings) -> bool {
        settings.is_empty() || self.taken.lock().iter().rev().any(|taken| taken == settings)
    }

    pub(crate) fn take_note(&self, settings: &Settings) {
        let mut taken = self.taken.lock();
        if !taken.contains(settings) {
            if taken.len() == TAKEN {
                taken.remove(0);
            }
            taken.push(settings.clone());
        }
    }

    /// The server has changed its mind about some.
    pub(crate) fn forget_taken(&self) {
        self.taken.lock().clear();
    }

    #[inline]
    pub(crate) fn has_waiters(&self) -> bool {
        self.waiting.load(SeqCst) != 0
    }

    pub(crate) fn is_retired(&self) -> bool {
        self.retired.load(SeqCst)
    }

    pub(crate) fn shelf(&self, worker: u32) -> Arc<Shelf> {
        let idle = Mutex::new(Vec::with_capacity(self.limit().min(64) as usize));
        let shelf = Arc::new(Shelf {
            worker,
            idle,
            served: Count::default(),
            received: Count::default(),
            sent: Count::default(),
        });
        self.shelves.write().push(Arc::clone(&shelf));
        shelf
    }

    /// The worker ends; its idle connections are closed.
    pub(crate) fn unshelve(&self, shelf: &Arc<Shelf>) {
        {
            // Under the lock: who sums up finds it here or there.
            let mut shelves = self.shelves.write();
            shelves.retain(|other| !Arc::ptr_eq(other, shelf));
            self.tally.received.fetch_add(shelf.received.get(), Relaxed);
            self.tally.sent.fetch_add(shelf.sent.get(), Relaxed);
        }
        shelf.clear();
    }

    pub(crate) fn retire(&self) {
        self.retired.store(true, SeqCst);
        self.turns.close();
        let waiters = {
            let mut queue = self.queue.lock();
            self.waiting.store(0, SeqCst);
            queue.take_all()
        };
        // Waiters find their sender gone, and say so.
        drop(waiters);
        let shelves: Vec<_> = self.shelves.read().iter().map(Arc::clone).collect();
        shelves.iter().for_each(|shelf| shelf.clear());
    }

    pub(crate) fn stats(&self) -> PoolStats {
        let (mut idle, mut received, mut sent) = (0, 0, 0);
        {
            let shelves = self.shelves.read();
            for shelf in &*shelves {
                idle += shelf.idle.lock().len();
                received += shelf.received.get();
                sent += shelf.sent.get();
            }
            received += self.tally.received.load(Relaxed);
            sent += self.tally.sent.load(Relaxed);
        }
        PoolStats {
            unit: Arc::clone(&self.name),
            id: self.unit.id,
            active: (self.open() as usize).saturating_sub(idle),
            idle,
            waiting: self.waiting.load(SeqCst),
            active_limit: self.gate.limit() as usize,
            limit: self.limit() as usize,
            opened: self.tally.opened.load(Relaxed),
            closed: self.tally.closed.load(Relaxed),
            failed: self.tally.failed.load(Relaxed),
            given_up: self.tally.given_up.load(Relaxed),
            waits: self.tally.waits(),
            received,
            sent,
        }
    }

    /// Goes on with time while sessions wait.
    pub(crate) fn tick(self: &Arc<Self>, now: Instant) {
        let served = self.shelves.read().iter().map(|shelf| shelf.served.get()).sum();
        if self.gate.tick(now, served) {
            self.serve();
        }
    }

    /// A permit, if the limit allows one more.
    pub(crate) fn permit(self: &Arc<Self>) -> Option<Permit> {
        let limit = self.limit();
        self.open
            .fetch_update(SeqCst, SeqCst, |open| (open < limit).then_some(open + 1))
            .is_ok()
            .then(|| Permit { pool: Some(Arc::clone(self)), entry: None })
    }

    /// A permit for somebody who is let in by the gate.
    pub(crate) fn admit(self: &Arc<Self>, admission: Admission) -> Option<Permit> {
        let entry = match admission {
            Admission::Regular => Some(self.gate.enter()?),
            Admission::Urgent => None,
        };
        let permit = self.permit();
        if permit.is_none() {
            self.leave(entry);
        }
        permit.map(|mut permit| {
            permit.entry = entry;
            permit
        })
    }

    fn leave(&self, entry: Option<Entry>) {
        if let Some(entry) = entry {
            self.gate.leave(entry);
        }
    }

    /// Queues up behind everybody else of its kind; the grant may be there already.
    pub(crate) fn enqueue(
        self: &Arc<Self>,
        worker: u32,
        found_rows: bool,
        admission: Admission,
    ) -> Place<'_> {
        let (sender, grant) = oneshot::channel();
        let ticket = {
            let mut queue = self.queue.lock();
            self.waiting.fetch_add(1, SeqCst);
            queue.join(admission, worker, found_rows, sender)
        };
        let place = Place { pool: self, worker, ticket: Some(ticket), admission, grant };
        if self.is_retired() {
            // Retired between the caller's look and the push: nobody would ever serve the queue.
            self.retire();
        }
        self.serve();
        place
    }

    /// Hands out whatever is free, to the first in the queue.
    fn serve(self: &Arc<Self>) {
        loop {
            let (waiter, grant) = {
                let mut queue = self.queue.lock();
                let Some((first, admission)) = queue.first() else { return };
                let Some(grant) = self.free(first.worker, first.found_rows, admission) else { return };
                let Some(waiter) = queue.take_first() else { return };
                self.waiting.fetch_sub(1, SeqCst);
                (waiter, grant)
            };
            self.send(waiter, grant);
        }
    }

    /// Gives a waiter what it gets; the next one has it when it is gone.
    fn send(self: &Arc<Self>, waiter: Waiter, grant: Grant) {
        if let Err(grant) = waiter.grant.send(grant) {
            self.take_back(grant);
        }
    }

    fn take_back(self: &Arc<Self>, grant: Grant) {
        match grant {
            Grant::Ready(pooled) | Grant::Replace(pooled) => self.hand(pooled),
            Grant::Open(permit) => drop(permit),
        }
    }

    /// What is free now, unless somebody waits.
    pub(crate) fn spare(self: &Arc<Self>, worker: u32, found_rows: bool) -> Option<Grant> {
        let queue = self.queue.lock();
        let open = queue.is_empty() && !self.is_retired();
        open.then(|| self.free(worker, found_rows, Admission::Regular)).flatten()
    }

    /// What a session of this worker could have now, if the gate lets it in. Called under the queue's lock.
    fn free(self: &Arc<Self>, worker: u32, found_rows: bool, admission: Admission) -> Option<Grant> {
        let entry = match admission {
            Admission::Regular => Some(self.gate.enter()?),
            Admission::Urgent => None,
        };
        let found = self.find(worker, found_rows);
        if found.is_none() {
            self.leave(entry);
        }
        found.map(|grant| grant.let_in(entry))
    }

    /// What is free, the cheapest first.
    fn find(self: &Arc<Self>, worker: u32, found_rows: bool) -> Option<Grant> {
        let shelves = self.shelves.read();
        let own = shelves.iter().filter(|shelf| shelf.worker == worker);
        let others = shelves.iter().filter(|shelf| shelf.worker != worker);
        if let Some(pooled) = own.clone().find_map(|shelf| shelf.take(found_rows)) {
            return Some(Grant::Ready(pooled));
        }
        // While the server lets nobody in, those are waited for that are inside.
        let waits = self.backoff.is_closed(Instant::now()) && self.open() > 0;
        if !waits && let Some(permit) = self.permit() {
            return Some(Grant::Open(permit));
        }
        if let Some(pooled) = others.clone().find_map(|shelf| shelf.take(found_rows)) {
            return Some(Grant::Ready(pooled));
        }
        own.chain(others).find_map(|shelf| shelf.take(!found_rows)).map(Grant::Replace)
    }

    /// Gives a connection to who waits longest on its worker or anywhere ([`Queue::take_near`]), or puts it on its
    /// worker's shelf.
    pub(crate) fn hand(self: &Arc<Self>, mut pooled: Box<Pooled>) {
        pooled.permit.leave();
        let home = pooled.home;
        let (next, rest) = {
            let mut queue = self.queue.lock();
            match self.next(&mut queue, home) {
                Some((waiter, entry)) => match self.beside(&waiter, home) {
                    Some(grant) => (Some((waiter, grant.let_in(entry))), self.lay_down(pooled)),
                    None => {
                        let fits = waiter.found_rows == pooled.connection.found_rows();
                        let grant = if fits { Grant::Ready(pooled) } else { Grant::Replace(pooled) };
                        (Some((waiter, grant.let_in(entry))), None)
                    }
                },
                None => (None, self.lay_down(pooled)),
            }
        };
        if let Some(pooled) = rest {
            pooled.close();
        }
        if let Some((waiter, grant)) = next {
            self.send(waiter, grant);
        }
    }

    /// The waiter who gets what worker `home` has given back, if the gate lets anybody in. Called under the queue's lock.
    fn next(&self, queue: &mut Queue, home: u32) -> Option<(Waiter, Option<Entry>)> {
        let next = match queue.first()?.1 {
            Admission::Urgent => (queue.take_first()?, None),
            Admission::Regular => {
                let entry = self.gate.enter()?;
                let waiter = queue.take_near(home);
                if waiter.is_none() {
                    self.gate.leave(entry);
                }
                (waiter?, Some(entry))
            }
        };
        self.waiting.fetch_sub(1, SeqCst);
        Some(next)
    }

    /// What a waiter of another worker gets instead of a connection of worker `home`: its turn, and a connection of
    /// its own worker, since moving a socket costs both of them more than keeping one each.
    fn beside(self: &Arc<Self>, waiter: &Waiter, home: u32) -> Option<Grant> {
        if waiter.worker == home {
            return None;
        }
        let shelves = self.shelves.read();
        let mut own = shelves.iter().filter(|shelf| shelf.worker == waiter.worker);
        match own.find_map(|shelf| shelf.take(waiter.found_rows)) {
            Some(pooled) => Some(Grant::Ready(pooled)),
            None if self.backoff.is_closed(Instant::now()) => None,
            None => self.permit().map(Grant::Open),
        }
    }

    /// Puts a connection on its worker's shelf; it comes back when it is to be closed.
    fn lay_down(&self, pooled: Box<Pooled>) -> Option<Box<Pooled>> {
        let shelves = self.shelves.read();
        match shelves.iter().find(|shelf| shelf.worker == pooled.home) {
            Some(shelf) => shelf.put(self, pooled).err(),
            None => Some(pooled),
        }
    }

    pub(crate) fn retired_error(&self) -> Error {
        Error::Retired { pool: self.unit.name.clone() }
    }
}

impl Shelf {
    /// Its worker gives a connection back.
    #[inline]
    pub(crate) fn count(&self, traffic: Traffic) {
        self.served.add(1);
        // Two loads and stores more, for the metrics, for each time that a connection is given back.
        self.received.add(traffic.received);
        self.sent.add(traffic.sent);
    }

    /// The most recently used connection of the kind.
    #[inline]
    pub(crate) fn take(&self, found_rows: bool) -> Option<Box<Pooled>> {
        let mut idle = self.idle.lock();
        if idle.last()?.connection.found_rows() == found_rows {
            return idle.pop();
        }
        let at = idle.iter().rposition(|pooled| pooled.connection.found_rows() == found_rows)?;
        Some(idle.remove(at))
    }

    /// Lays a connection down on top, unless the pool is gone.
    fn put(&self, pool: &Pool, pooled: Box<Pooled>) -> Result<(), Box<Pooled>> {
        let mut idle = self.idle.lock();
        // Under the lock: `retire` sets its mark first and clears the shelves after.
        if pool.is_retired() {
            return Err(pooled);
        }
        idle.push(pooled);
        Ok(())
    }

    /// Like `put`, unless somebody waits.
    #[inline]
    pub(crate) fn give(&self, pool: &Pool, pooled: Box<Pooled>) -> Result<(), Box<Pooled>> {
        let mut idle = self.idle.lock();
        // Under the lock: a waiter counts itself first and looks at the shelves after.
        if pool.has_waiters() || pool.is_retired() {
            return Err(pooled);
        }
        idle.push(pooled);
        Ok(())
    }

    /// Like `give`, but below the connections that did real work since.
    pub(crate) fn give_below(&self, pool: &Pool, pooled: Box<Pooled>) -> Result<(), Box<Pooled>> {
        let mut idle = self.idle.lock();
        if pool.has_waiters() || pool.is_retired() {
            return Err(pooled);
        }
        let at = idle.partition_point(|other| other.used <= pooled.used);
        idle.insert(at, pooled);
        Ok(())
    }

    fn clear(&self) {
        let idle = std::mem::take(&mut *self.idle.lock());
        idle.into_iter().for_each(|pooled| pooled.close());
    }
}

impl Pooled {
    /// Says goodbye to the server, then lets the next one open a connection.
    pub(crate) fn close(self: Box<Self>) {
        let Self { connection, permit, .. } = *self;
        connection.close();
        permit.note_closed();
        drop(permit);
    }

    /// Closes the connection and keeps the right to another one.
    pub(crate) fn replace(self: Box<Self>) -> Permit {
        let Self { connection, permit, .. } = *self;
        connection.close();
        permit.note_closed();
        permit
    }

    pub(crate) fn is_expired(&self, now: Instant) -> bool {
        self.expires.is_some_and(|expires| expires <= now)
    }
}

impl Permit {
    /// Its connection is lent to somebody whom the gate let in.
    #[inline]
    pub(crate) const fn enter(&mut self, entry: Entry) {
        self.entry = Some(entry);
    }

    /// Its connection is not at work any more; the caller looks for who waits.
    #[inline]
    pub(crate) fn leave(&mut self) {
        if let (Some(entry), Some(pool)) = (self.entry.take(), &self.pool) {
            pool.gate.leave(entry);
        }
    }

    fn note_closed(&self) {
        if let Some(pool) = &self.pool {
            pool.tally.closed.fetch_add(1, Relaxed);
        }
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.leave();
        let Some(pool) = self.pool.take() else { return };
        pool.open.fetch_sub(1, SeqCst);
        if pool.has_waiters() {
            pool.serve();
        }
    }
}

impl Place<'_> {
    /// It has its grant: who serves has taken it out of the queue.
    pub(crate) const fn served(&mut self) {
        self.ticket = None;
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let Some(ticket) = self.ticket else { return };
        {
            let mut queue = self.pool.queue.lock();
            if queue.quit(self.admission, self.worker, ticket) {
                self.pool.waiting.fetch_sub(1, SeqCst);
            }
        }
        self.grant.close();
        // The turn came too late for this waiter; it is the next one's.
        if let Ok(grant) = self.grant.try_recv() {
            self.pool.take_back(grant);
        }
    }
}
