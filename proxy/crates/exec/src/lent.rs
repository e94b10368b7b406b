//! A connection for small questions of the session's own, beside its statements.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use backend::{Lease, Link, Settings};
use meta::StorageUnit;

use crate::executor::Executor;
use crate::job::Job;
use crate::lane::Lane;

/// A connection to ask something on.
#[derive(Debug)]
pub enum Lent<'a> {
    /// One that the session holds.
    Held(&'a mut Lease),
    /// One from the pool.
    Pooled(Lease),
}

impl Executor {
    /// A connection to a unit: the one that the session holds there in a transaction, since the pool may have no other,
    /// else one from the pool. It may have any settings.
    pub async fn lend(&mut self, unit: &Arc<StorageUnit>) -> Result<Lent<'_>, backend::Error> {
        let held =
            self.held.iter().position(|lane| lane.unit == unit.id && lane.lease.link() != Link::Poisoned);
        let alone = self.held.is_empty();
        match held.and_then(|place| self.held.get_mut(place)) {
            Some(lane) => Ok(Lent::Held(&mut lane.lease)),
            None if alone => self.pools.lease(unit, self.found_rows).await.map(Lent::Pooled),
            None => self.pools.lease_further(unit, self.found_rows).await.map(Lent::Pooled),
        }
    }

    /// Whether user variables may be read on the connection of a statement, by it or by later ones.
    pub(crate) fn reads_variables(&self, job: &Job<'_, '_>) -> bool {
        let statement = job.template.statement();
        statement.session
            || !statement.pin.is_empty()
            || self.transaction.manual
            || self.transaction.open.is_some()
    }

    /// One more connection to a unit beside the one checked out, if it is to be had without waiting in line.
    pub(crate) async fn further(&self, unit: &Arc<StorageUnit>) -> Option<Lane> {
        let mut lease = self.pools.spare(unit, self.found_rows).await?;
        lease.rewind(&self.settings, false).await.ok()?;
        let lane = Lane::new(unit.id, lease);
        self.running.note(&lane);
        Some(lane)
    }
}

impl Lent<'_> {
    /// Brings the connection to these settings. `autocommit` stays as it is on one that the session holds: it is told
    /// there with the session's statements, and to switch it on would commit what is open.
    pub async fn apply(&mut self, wanted: &Settings) -> Result<(), backend::Error> {
        let wanted = self.fitted(wanted);
        self.deref_mut().apply(&wanted).await
    }

    /// Like [`apply`](Self::apply), and remembers that the server takes these settings.
    pub async fn prove(&mut self, wanted: &Settings) -> Result<(), backend::Error> {
        let wanted = self.fitted(wanted);
        self.deref_mut().prove(&wanted).await
    }

    fn fitted(&self, wanted: &Settings) -> Settings {
        let mut fitted = wanted.clone();
        if let Self::Held(lease) = self {
            match lease.settings().variable("autocommit") {
                Some(value) => fitted.set("autocommit", value),
                None => fitted.unset("autocommit"),
            }
        }
        fitted
    }
}

impl Deref for Lent<'_> {
    type Target = Lease;

    fn deref(&self) -> &Lease {
        match self {
            Self::Held(lease) => lease,
            Self::Pooled(lease) => lease,
        }
    }
}

impl DerefMut for Lent<'_> {
    fn deref_mut(&mut self) -> &mut Lease {
        match self {
            Self::Held(lease) => lease,
            Self::Pooled(lease) => lease,
        }
    }
}
