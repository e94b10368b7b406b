//! Who may hold connections of several units at once.
//!
//! Sessions that each hold what another waits for would all wait until `connectionTimeout`. So of the sessions that may
//! hold connections of several units, no more go ahead than the smallest of these pools has connections. Each of them
//! then finds a connection wherever it goes: all others together hold fewer than there are, or their statements end
//! without waiting for anything.

use std::sync::Arc;

use meta::StorageUnit;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, timeout_at};

use crate::error::Error;
use crate::lease::{Local, Pools};

/// The right to hold connections of several units at once; the next session has it when it is dropped.
#[derive(Debug)]
pub struct Turn {
    _permit: OwnedSemaphorePermit,
}

impl Pools {
    /// A turn at units of which `narrowest` has the smallest `maximumPoolSize`. Must not be waited for by a session
    /// that holds a connection.
    #[inline]
    pub async fn turn(&self, narrowest: &Arc<StorageUnit>) -> Result<Turn, Error> {
        let local = self.local(narrowest);
        match Arc::clone(&local.pool.turns).try_acquire_owned() {
            Ok(permit) => Ok(Turn { _permit: permit }),
            Err(_) => Box::pin(local.await_turn()).await,
        }
    }
}

impl Local {
    async fn await_turn(&self) -> Result<Turn, Error> {
        let started = Instant::now();
        let deadline = started + self.pool.unit.spec.pool.connection_timeout;
        match timeout_at(deadline, Arc::clone(&self.pool.turns).acquire_owned()).await {
            Ok(Ok(permit)) => Ok(Turn { _permit: permit }),
            // The semaphore is closed with the pool.
            Ok(Err(_)) => Err(self.pool.retired_error()),
            Err(_) => Err(Error::Exhausted {
                pool: self.pool.unit.name.clone(),
                limit: self.pool.limit(),
                waited: started.elapsed(),
            }),
        }
    }
}
