//! How a worker gets connections and gives them back.
//!
//! On the way of a query, [`Pools::lease`] is a look-up, a count, a lock nobody else wants and a pop; giving back is a
//! count and a push: no allocation, no system call, no timer. Everything else is in `obtain`, whose future is boxed to
//! keep the session's small.

use std::cell::{Cell, RefCell};
use std::ops::{Deref, DerefMut};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use hashbrown::HashMap;
use meta::{StorageUnit, UnitId};
use tokio::time::{Instant, timeout_at};

use crate::connection::Connection;
use crate::error::Error;
use crate::gate::Admission;
use crate::hub::Hub;
use crate::monitor::{Pacer, Patience};
use crate::pool::{Grant, Permit, Pool, Pooled, Shelf};
use crate::settings::Settings;

/// The server connections of one worker.
pub struct Pools {
    hub: Arc<Hub>,
    worker: u32,
    pub(crate) pacer: Rc<Pacer>,
    locals: RefCell<HashMap<UnitId, Rc<Local>, foldhash::fast::FixedState>>,
}

/// One unit's pool as one worker sees it.
pub(crate) struct Local {
    pub(crate) pool: Arc<Pool>,
    pub(crate) shelf: Arc<Shelf>,
    hub: Arc<Hub>,
    worker: u32,
    pacer: Rc<Pacer>,
    /// The monitor's, while the minimum of idle connections cannot be reached.
    pub(crate) patience: Cell<Patience>,
}

/// A server connection on loan.
///
/// When dropped, a settled connection without a transaction goes to whoever waits, else back on the shelf; any other is closed.
pub struct Lease {
    /// Taken by `drop` alone.
    pooled: Option<Box<Pooled>>,
    local: Rc<Local>,
}

impl Pools {
    /// The pools of one more worker.
    pub fn new(hub: Arc<Hub>) -> Rc<Self> {
        let worker = hub.enrol();
        Rc::new(Self { hub, worker, pacer: Rc::default(), locals: RefCell::default() })
    }

    /// What the workers share.
    pub const fn hub(&self) -> &Arc<Hub> {
        &self.hub
    }

    /// A connection to the unit: an idle one, or a new one, or the next that becomes free.
    ///
    /// Must be called on the worker's own runtime. With `found_rows`, `UPDATE` counts the rows found instead of the
    /// rows changed; that is fixed when a connection is opened.
    #[inline]
    pub async fn lease(&self, unit: &Arc<StorageUnit>, found_rows: bool) -> Result<Lease, Error> {
        self.lend(unit, found_rows, Connection::is_quiet).await
    }

    /// Like [`lease`](Self::lease) for a session that holds connections of other units, or may: it is not held back by
    /// the limit of active connections, since others may wait for what it holds.
    pub async fn lease_further(&self, unit: &Arc<StorageUnit>, found_rows: bool) -> Result<Lease, Error> {
        let local = self.local(unit);
        while let Some(mut pooled) = local.shelf.take(found_rows) {
            if pooled.connection.is_quiet() {
                return Ok(Lease { pooled: Some(pooled), local });
            }
            pooled.close();
        }
        Box::pin(local.obtain(found_rows, Admission::Urgent)).await
    }

    /// Like [`lease`](Self::lease) after a connection turned out to be lost: costs a system call for each idle
    /// connection, and lends none that the server has closed, though the runtime may not have heard of it yet.
    pub async fn lease_again(&self, unit: &Arc<StorageUnit>, found_rows: bool) -> Result<Lease, Error> {
        self.lend(unit, found_rows, Connection::is_open).await
    }

    #[inline]
    async fn lend(
        &self,
        unit: &Arc<StorageUnit>,
        found_rows: bool,
        is_sound: impl Fn(&mut Connection) -> bool,
    ) -> Result<Lease, Error> {
        let local = self.local(unit);
        if !local.pool.has_waiters()
            && let Some(entry) = local.pool.gate.enter()
        {
            while let Some(mut pooled) = local.shelf.take(found_rows) {
                if is_sound(&mut pooled.connection) {
                    pooled.permit.enter(entry);
                    return Ok(Lease { pooled: Some(pooled), local });
                }
                tracing::debug!(origin = %local.pool.origin, "idle connection was closed by the server");
                pooled.close();
            }
            local.pool.gate.leave(entry);
        }
        Box::pin(local.obtain(found_rows, Admission::Regular)).await
    }

    /// A further connection, if one is free or may be opened right now: nobody's place in the line is taken, and nothing
    /// is waited for but the server's greeting. So a session may ask for it whatever it holds.
    pub async fn spare(&self, unit: &Arc<StorageUnit>, found_rows: bool) -> Option<Lease> {
        let local = self.local(unit);
        let started = Instant::now();
        let deadline = started + unit.spec.pool.connection_timeout;
        // One that was lost meanwhile is not the last word, but they are not looked for without end.
        for _ in 0..local.pool.limit() {
            let grant = local.pool.spare(local.worker, found_rows)?;
            match local.redeem(grant, found_rows, started, deadline).await {
                Ok(Some(pooled)) => return Some(Lease { pooled: Some(pooled), local }),
                Ok(None) => {}
                Err(error) => {
                    tracing::debug!(%error, "no further connection");
                    return None;
                }
            }
        }
        None
    }

    pub(crate) fn locals(&self) -> Vec<Rc<Local>> {
        self.locals.borrow_mut().retain(|_, local| !local.pool.is_retired());
        self.locals.borrow().values().map(Rc::clone).collect()
    }

    pub(crate) fn local(&self, unit: &Arc<StorageUnit>) -> Rc<Local> {
        if let Some(local) = self.locals.borrow().get(&unit.id) {
            return Rc::clone(local);
        }
        let pool = self.hub.pool(unit);
        let shelf = pool.shelf(self.worker);
        let local = Rc::new(Local {
            pool,
            shelf,
            hub: Arc::clone(&self.hub),
            worker: self.worker,
            pacer: Rc::clone(&self.pacer),
            patience: Cell::default(),
        });
        self.locals.borrow_mut().insert(unit.id, Rc::clone(&local));
        local
    }
}

impl Local {
    /// The long way: waits for a turn, opens, takes over.
    async fn obtain(self: Rc<Self>, found_rows: bool, admission: Admission) -> Result<Lease, Error> {
        let started = Instant::now();
        let deadline = started + self.pool.unit.spec.pool.connection_timeout;
        loop {
            if self.pool.is_retired() {
                return Err(self.pool.retired_error());
            }
            let waits =
                self.pool.has_waiters() || self.pool.backoff.is_closed(started) && self.pool.open() > 0;
            let grant = match if waits { None } else { self.pool.admit(admission) } {
                Some(permit) => Grant::Open(permit),
                None => self.queue(found_rows, admission, started, deadline).await?,
            };
            if let Some(pooled) = self.redeem(grant, found_rows, started, deadline).await? {
                return Ok(Lease { pooled: Some(pooled), local: self });
            }
        }
    }

    /// Makes a connection of what was granted; nothing when the connection granted was of no use.
    async fn redeem(
        &self,
        grant: Grant,
        found_rows: bool,
        started: Instant,
        deadline: Instant,
    ) -> Result<Option<Box<Pooled>>, Error> {
        let permit = match grant {
            Grant::Open(permit) => permit,
            Grant::Replace(pooled) => pooled.replace(),
            Grant::Ready(pooled) => return Ok(self.adopt(pooled)),
        };
        // Boxed: whoever waits in line allocates the room for the rest of this with each statement, and a login takes
        // more of it than an allocator has at hand.
        Box::pin(self.open(permit, found_rows, started, deadline)).await.map(Some)
    }

    async fn queue(
        &self,
        found_rows: bool,
        admission: Admission,
        started: Instant,
        deadline: Instant,
    ) -> Result<Grant, Error> {
        let mut place = self.pool.enqueue(self.worker, found_rows, admission);
        self.pacer.wake();
        match timeout_at(deadline, &mut place.grant).await {
            Ok(Ok(grant)) => {
                place.served();
                self.pool.tally.waited(started.elapsed());
                Ok(grant)
            }
            Ok(Err(_)) => Err(self.pool.retired_error()),
            Err(_) => {
                self.pool.tally.given_up.fetch_add(1, Relaxed);
                Err(Error::Exhausted {
                    pool: self.pool.unit.name.clone(),
                    limit: self.pool.limit(),
                    waited: started.elapsed(),
                })
            }
        }
    }

    /// Takes over a connection another session gave back, maybe on another worker; nothing when it is of no use.
    fn adopt(&self, mut pooled: Box<Pooled>) -> Option<Box<Pooled>> {
        let own = pooled.home == self.worker;
        // What another worker's runtime heard of its idle connections may be old.
        let sound = if own { pooled.connection.is_quiet() } else { pooled.connection.is_open() };
        if !sound {
            pooled.close();
            return None;
        }
        if own {
            return Some(pooled);
        }
        let Pooled { connection, permit, home: _, expires, used, checked } = *pooled;
        match connection.rehome() {
            Ok(connection) => {
                Some(Box::new(Pooled { connection, permit, home: self.worker, expires, used, checked }))
            }
            Err(error) => {
                tracing::warn!(origin = %self.pool.origin, %error, "idle connection could not change worker");
                None
            }
        }
    }

    /// Opens a connection under a permit, which is given back when that fails.
    pub(crate) async fn open(
        &self,
        permit: Permit,
        found_rows: bool,
        started: Instant,
        deadline: Instant,
    ) -> Result<Box<Pooled>, Error> {
        let pool = &self.pool;
        pool.backoff.admit(started)?;
        let opening = crate::login::open(&pool.unit, &pool.origin, &pool.tls, found_rows);
        let opened = match timeout_at(self.hub.patience(pool.unit.id, deadline), opening).await {
            Ok(opened) => opened,
            Err(_) => Err(Error::Timeout { origin: Arc::clone(&pool.origin), waited: started.elapsed() }),
        };
        self.hub.note_login(pool.unit.id, opened.as_ref());
        let now = Instant::now();
        pool.backoff.note(opened.as_ref(), now);
        let count = if opened.is_ok() { &pool.tally.opened } else { &pool.tally.failed };
        count.fetch_add(1, Relaxed);
        let connection = opened?;
        let expires = lifetime(pool.unit.spec.pool.max_lifetime).map(|lifetime| now + lifetime);
        Ok(Box::new(Pooled { connection, permit, home: self.worker, expires, used: now, checked: now }))
    }

    /// Takes a connection back.
    pub(crate) fn give(&self, mut pooled: Box<Pooled>) {
        self.shelf.count(pooled.connection.take_traffic());
        if !pooled.connection.is_clean() {
            return pooled.close();
        }
        let now = Instant::now();
        if pooled.is_expired(now) {
            return pooled.close();
        }
        pooled.used = now;
        pooled.checked = now;
        pooled.connection.rest();
        pooled.permit.leave();
        if let Err(pooled) = self.shelf.give(&self.pool, pooled) {
            self.pool.hand(pooled);
        }
    }
}

impl Drop for Local {
    fn drop(&mut self) {
        self.pool.unshelve(&self.shelf);
    }
}

impl Deref for Lease {
    type Target = Connection;

    #[inline]
    fn deref(&self) -> &Connection {
        // Only `drop` takes it out.
        &self.pooled.as_ref().expect("a lease holds a connection").connection
    }
}

impl DerefMut for Lease {
    #[inline]
    fn deref_mut(&mut self) -> &mut Connection {
        // Only `drop` takes it out.
        &mut self.pooled.as_mut().expect("a lease holds a connection").connection
    }
}

impl Lease {
    /// Whether others wait for a connection to the same unit.
    #[inline]
    pub fn is_contended(&self) -> bool {
        self.local.pool.has_waiters()
    }

    /// Whether the server is known to take these settings: then they need not be waited for.
    pub fn has_taken(&self, settings: &Settings) -> bool {
        self.local.pool.has_taken(settings)
    }

    /// Applies settings and remembers that the server takes them. Refused ones leave the connection as it was, and it
    /// is closed when it is given back.
    pub async fn prove(&mut self, settings: &Settings) -> Result<(), Error> {
        self.apply(settings).await?;
        self.local.pool.take_note(settings);
        Ok(())
    }

    /// The server has refused settings that it took before.
    pub fn forget_taken(&self) {
        self.local.pool.forget_taken();
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if let Some(pooled) = self.pooled.take() {
            self.local.give(pooled);
        }
    }
}

impl std::fmt::Debug for Lease {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Lease").field(&self.pooled.as_ref().map(|pooled| &pooled.connection)).finish()
    }
}

/// Up to a tenth less than configured, so that connections opened together do not end together.
fn lifetime(max: Duration) -> Option<Duration> {
    (!max.is_zero()).then(|| max.mul_f64(1.0 - 0.1 * fastrand::f64()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size<A, B, C, F: Future>(_: impl FnOnce(A, B, C) -> F) -> usize {
        size_of::<F>()
    }

    /// Up to this size, glibc gives what was freed just before; under load every statement waits in line.
    #[test]
    fn who_waits_in_line_takes_little_room() {
        let size = size(Local::obtain);
        assert!(size <= 1024, "{size} bytes");
    }
}
