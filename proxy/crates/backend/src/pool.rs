//! The connections of one storage unit over all workers: who may open one, who holds one, who is next.
//!
//! Every open connection, idle or held or just being opened, carries a [`Permit`]; there are never more than
//! `maximumPoolSize`. Idle connections lie on the shelf of the worker that used them last. Sessions that find neither
//! wait in one queue over all workers, and what becomes free is handed to the first of them directly, past every
//! session that comes later.
//!
//! No wake-up is lost, because both sides first say what they did and then look: a waiter counts itself in `waiting`
//! before it looks for something free, and who frees something looks at `waiting` after (or, on a shelf, under the same lock as) freeing it.
//! Lock order: queue, then shelf. Nothing is closed or woken under a lock.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering::SeqCst};

use meta::StorageUnit;
use parking_lot::{Mutex, RwLock};
use tokio::sync::{Semaphore, oneshot};
use tokio::time::Instant;
use tokio_rustls::rustls::ClientConfig;

use crate::connection::Connection;
use crate::error::{Error, Origin};
use crate::hub::PoolStats;
use crate::settings::Settings;

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
///
/// Empty only after [`put_back`](Self::put_back).
pub(crate) struct Permit(Option<Arc<Pool>>);

#[derive(Default)]
struct Queue {
    next: u64,
    /// Tickets grow from front to back.
    waiters: VecDeque<Waiter>,
}

struct Waiter {
    ticket: u64,
    worker: u32,
    found_rows: bool,
    /// How often others were served that came later.
    passed: u8,
    grant: oneshot::Sender<Grant>,
}

/// A connection goes to a waiter of its own worker if one is among so many at the front: waking another thread and
/// moving the socket there costs about as much as the whole relay of a short query.
const REACH: usize = 16;
/// No waiter is passed over more often than this.
const PASSES: u8 = 8;

impl Queue {
    /// Takes out the waiter who gets a connection of worker `home`.
    fn next(&mut self, home: u32) -> Option<Waiter> {
        let near = self.waiters.iter().take(REACH).position(|waiter| waiter.worker == home).unwrap_or(0);
        if self.waiters.iter().take(near).any(|waiter| waiter.passed >= PASSES) {
            return self.waiters.pop_front();
        }
        self.waiters.iter_mut().take(near).for_each(|waiter| waiter.passed += 1);
        self.waiters.remove(near)
    }
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

/// A place in the queue; leaves it when dropped.
pub(crate) struct Place<'a> {
    pool: &'a Arc<Pool>,
    ticket: u64,
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
        let shelf = Arc::new(Shelf { worker, idle });
        self.shelves.write().push(Arc::clone(&shelf));
        shelf
    }

    /// The worker ends; its idle connections are closed.
    pub(crate) fn unshelve(&self, shelf: &Arc<Shelf>) {
        self.shelves.write().retain(|other| !Arc::ptr_eq(other, shelf));
        shelf.clear();
    }

    pub(crate) fn retire(&self) {
        self.retired.store(true, SeqCst);
        self.turns.close();
        let waiters = {
            let mut queue = self.queue.lock();
            self.waiting.store(0, SeqCst);
            std::mem::take(&mut queue.waiters)
        };
        // Waiters find their sender gone, and say so.
        drop(waiters);
        let shelves: Vec<_> = self.shelves.read().iter().map(Arc::clone).collect();
        shelves.iter().for_each(|shelf| shelf.clear());
    }

    pub(crate) fn stats(&self) -> PoolStats {
        let idle = self.shelves.read().iter().map(|shelf| shelf.idle.lock().len()).sum();
        PoolStats {
            unit: Arc::clone(&self.name),
            id: self.unit.id,
            active: (self.open() as usize).saturating_sub(idle),
            idle,
            waiting: self.waiting.load(SeqCst),
            limit: self.limit() as usize,
        }
    }

    /// A permit, if the limit allows one more.
    pub(crate) fn permit(self: &Arc<Self>) -> Option<Permit> {
        let limit = self.limit();
        self.open
            .fetch_update(SeqCst, SeqCst, |open| (open < limit).then_some(open + 1))
            .is_ok()
            .then(|| Permit(Some(Arc::clone(self))))
    }

    /// Queues up behind everybody else; the grant may be there already.
    pub(crate) fn enqueue(self: &Arc<Self>, worker: u32, found_rows: bool) -> Place<'_> {
        let (sender, grant) = oneshot::channel();
        let ticket = {
            let mut queue = self.queue.lock();
            let ticket = queue.next;
            queue.next += 1;
            queue.waiters.push_back(Waiter { ticket, worker, found_rows, passed: 0, grant: sender });
            self.waiting.fetch_add(1, SeqCst);
            ticket
        };
        let place = Place { pool: self, ticket, grant };
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
                let Some(first) = queue.waiters.front() else { return };
                let Some(grant) = self.free(first.worker, first.found_rows) else { return };
                let Some(waiter) = queue.waiters.pop_front() else { return };
                self.waiting.fetch_sub(1, SeqCst);
                (waiter, grant)
            };
            match waiter.grant.send(grant) {
                Ok(()) => {}
                Err(Grant::Ready(pooled) | Grant::Replace(pooled)) => self.hand(pooled),
                Err(Grant::Open(permit)) => permit.put_back(),
            }
        }
    }

    /// What is free now, unless somebody waits.
    pub(crate) fn spare(self: &Arc<Self>, worker: u32, found_rows: bool) -> Option<Grant> {
        let queue = self.queue.lock();
        let open = queue.waiters.is_empty() && !self.is_retired();
        open.then(|| self.free(worker, found_rows)).flatten()
    }

    /// What a waiter of this worker could have now, the cheapest first. Called under the queue's lock.
    fn free(self: &Arc<Self>, worker: u32, found_rows: bool) -> Option<Grant> {
        let shelves = self.shelves.read();
        let own = shelves.iter().filter(|shelf| shelf.worker == worker);
        let others = shelves.iter().filter(|shelf| shelf.worker != worker);
        if let Some(pooled) = own.clone().find_map(|shelf| shelf.take(found_rows)) {
            return Some(Grant::Ready(pooled));
        }
        if let Some(permit) = self.permit() {
            return Some(Grant::Open(permit));
        }
        if let Some(pooled) = others.clone().find_map(|shelf| shelf.take(found_rows)) {
            return Some(Grant::Ready(pooled));
        }
        own.chain(others).find_map(|shelf| shelf.take(!found_rows)).map(Grant::Replace)
    }

    /// Gives a connection to who waits longest on its worker or anywhere ([`Queue::next`]), or puts it on its worker's shelf.
    pub(crate) fn hand(self: &Arc<Self>, mut pooled: Box<Pooled>) {
        loop {
            let waiter = {
                let mut queue = self.queue.lock();
                let waiter = queue.next(pooled.home);
                if waiter.is_some() {
                    self.waiting.fetch_sub(1, SeqCst);
                } else if let Some(shelf) =
                    self.shelves.read().iter().find(|shelf| shelf.worker == pooled.home)
                {
                    match shelf.put(self, pooled) {
                        Ok(()) => return,
                        Err(back) => pooled = back,
                    }
                }
                waiter
            };
            let Some(waiter) = waiter else { return pooled.close() };
            let fits = waiter.found_rows == pooled.connection.found_rows();
            let grant = if fits { Grant::Ready(pooled) } else { Grant::Replace(pooled) };
            pooled = match waiter.grant.send(grant) {
                Err(Grant::Ready(pooled) | Grant::Replace(pooled)) => pooled,
                Ok(()) | Err(Grant::Open(_)) => return,
            };
        }
    }

    pub(crate) fn retired_error(&self) -> Error {
        Error::Retired { pool: self.unit.name.clone() }
    }
}

impl Shelf {
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
        drop(permit);
    }

    /// Closes the connection and keeps the right to another one.
    pub(crate) fn replace(self: Box<Self>) -> Permit {
        let Self { connection, permit, .. } = *self;
        connection.close();
        permit
    }

    pub(crate) fn is_expired(&self, now: Instant) -> bool {
        self.expires.is_some_and(|expires| expires <= now)
    }
}

impl Permit {
    /// Gives the permit back without looking for a waiter; the caller does.
    fn put_back(mut self) {
        if let Some(pool) = self.0.take() {
            pool.open.fetch_sub(1, SeqCst);
        }
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let Some(pool) = self.0.take() else { return };
        pool.open.fetch_sub(1, SeqCst);
        if pool.has_waiters() {
            pool.serve();
        }
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        {
            let mut queue = self.pool.queue.lock();
            if let Ok(at) = queue.waiters.binary_search_by_key(&self.ticket, |waiter| waiter.ticket) {
                queue.waiters.remove(at);
                self.pool.waiting.fetch_sub(1, SeqCst);
            }
        }
        self.grant.close();
        // The turn came too late for this waiter; it is the next one's.
        match self.grant.try_recv() {
            Ok(Grant::Ready(pooled) | Grant::Replace(pooled)) => self.pool.hand(pooled),
            Ok(Grant::Open(permit)) => drop(permit),
            Err(_) => {}
        }
    }
}
