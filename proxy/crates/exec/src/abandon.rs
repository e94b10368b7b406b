//! Ending a statement whose answer nobody waits for any more.

use std::cell::RefCell;
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::time::Duration;

use backend::{Kill, Pools};
use futures_util::future::join_all;
use meta::{Database, UnitId};
use smallvec::SmallVec;

use crate::Error;
use crate::downstream::Absence;
use crate::job::Outcome;
use crate::lane::Lane;

/// A statement may finish for so long after its client has hung up: some send one and leave.
const GRACE: Duration = Duration::from_secs(1);

/// Where the statement of a session runs.
pub(crate) struct Running {
    pools: Rc<Pools>,
    /// Units and the servers' ids of the connections.
    threads: RefCell<SmallVec<[(UnitId, u32); 2]>>,
}

impl Running {
    pub(crate) fn new(pools: Rc<Pools>) -> Self {
        Self { pools, threads: RefCell::default() }
    }

    /// The statement goes to this connection.
    #[inline]
    pub(crate) fn note(&self, lane: &Lane) {
        self.threads.borrow_mut().push((lane.unit, lane.lease.server().thread));
    }

    /// It is done.
    #[inline]
    pub(crate) fn clear(&self) {
        self.threads.borrow_mut().clear();
    }

    /// Lets the statement finish if it does so soon, else kills it. Its connections must be dropped afterwards.
    #[cold]
    pub(crate) async fn abandon(
        &self,
        work: Pin<&mut impl Future<Output = Result<Outcome, Error>>>,
        why: Absence,
        database: &Database,
    ) -> Result<Outcome, Error> {
        if why == Absence::Left
            && let Ok(done) = tokio::time::timeout(GRACE, work).await
        {
            return done;
        }
        // The work is kept meanwhile: nobody else gets its connections before their statements are ended. The connections
        // end with them, since a statement for another node may be waiting on them, which would run for nobody.
        let threads = self.threads.take();
        join_all(threads.into_iter().map(|(id, thread)| async move {
            let Some(unit) = database.units.values().find(|unit| unit.id == id) else { return };
            if let Err(error) = self.pools.hub().kill(unit, thread, Kill::Connection).await {
                tracing::warn!(%error, thread, "cannot end the statement of a client that is gone");
            }
        }))
        .await;
        Err(match why {
            Absence::Killed => Error::Killed,
            Absence::Left => Error::Client(io::ErrorKind::BrokenPipe.into()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::{Answer, World, block_on};
    use crate::{Begin, Command};

    fn slow(text: &str) -> Answer {
        if text.starts_with("SELECT") {
            // Longer than a client that is gone takes to be noticed, shorter than it is waited for.
            std::thread::sleep(Duration::from_millis(200));
            return Answer::Rows(vec!["1"]);
        }
        Answer::Ok(1)
    }

    #[test]
    fn a_killed_session_ends_its_statement_on_every_server() {
        block_on(async {
            let mut world = World::new(slow);
            // Opens the connections.
            world.query("SELECT id FROM t WHERE id IN (1, 2)").await.unwrap();
            world.executor.begin(Begin::default()).await.unwrap();
            world.client.absence.set(Some(Absence::Killed));
            let error = world.query("SELECT id FROM t WHERE id IN (1, 2)").await.unwrap_err();
            assert!(matches!(error, Error::Killed) && error.fatal());
            for peer in 0..2 {
                assert!(world.seen(peer).contains(&"KILL CONNECTION 1".to_owned()));
            }
            world.client.absence.set(None);
            // Nothing of the statement is left where another session would find it.
            world.executor.reset().await;
            assert_eq!(world.query("SELECT id FROM t WHERE id = 1").await.unwrap().rows, 1);
        });
    }

    #[test]
    fn a_client_that_left_has_its_short_statement_finished() {
        block_on(async {
            let mut world = World::new(slow);
            world.client.absence.set(Some(Absence::Left));
            let outcome = world.run("SELECT id FROM t WHERE id = 1", Command::Query).await.unwrap();
            assert_eq!(outcome.rows, 1);
            assert_eq!(world.seen(1).len(), 1);
        });
    }
}
