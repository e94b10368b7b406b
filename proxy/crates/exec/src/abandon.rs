//! Ending a statement on its servers: for good, because nobody waits for its answer any more, or because it was
//! interrupted and its session goes on.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::io;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::task::Poll;
use std::time::Duration;

use backend::{Kill, Pools};
use futures_util::future::join_all;
use meta::{Database, UnitId};
use smallvec::SmallVec;
use tokio::time::timeout;

use crate::Error;
use crate::downstream::{Absence, Watch};
use crate::job::Outcome;
use crate::lane::Lane;

/// A statement may finish for so long after its client has hung up: some send one and leave.
const GRACE: Duration = Duration::from_secs(1);
/// A server is given so long to take the order to end a statement.
const ENDING: Duration = Duration::from_secs(5);
/// The order is given again after so long, and then after twice as long each time: one that comes between two commands of
/// a statement ends neither.
const AGAIN: Duration = Duration::from_secs(1);
/// But at least so often.
const SELDOM: Duration = Duration::from_secs(60);

/// Where the statement of a session runs, and what it waits for.
pub struct Running {
    pools: Rc<Pools>,
    /// Units and the servers' ids of the connections.
    threads: RefCell<SmallVec<[(UnitId, u32); 2]>>,
    /// It is to end; whatever it waits for is given up.
    interrupted: Cell<bool>,
    waits: Cell<Option<Wait>>,
}

/// What a statement waits for before it can go on.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Wait {
    /// For a connection to this unit.
    Connection(UnitId),
    /// For its turn among those that hold connections of several units.
    Turn,
}

impl Running {
    pub(crate) fn new(pools: Rc<Pools>) -> Self {
        Self { pools, threads: RefCell::default(), interrupted: Cell::default(), waits: Cell::default() }
    }

    /// What the statement waits for; nothing while it runs, or while there is none.
    pub fn waits(&self) -> Option<Wait> {
        self.waits.get()
    }

    /// Whether the statement was told to end.
    #[inline]
    pub(crate) fn is_interrupted(&self) -> bool {
        self.interrupted.get()
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

    /// Waits for something that is no server's answer, unless the statement is told to end.
    #[inline]
    pub(crate) async fn wait<T>(
        &self,
        what: Wait,
        work: impl Future<Output = Result<T, backend::Error>>,
    ) -> Result<T, Error> {
        let mut work = pin!(work);
        let mut waited = false;
        poll_fn(|cx| {
            let done = match work.as_mut().poll(cx) {
                Poll::Ready(done) => done.map_err(Error::from),
                Poll::Pending if self.interrupted.get() => Err(Error::Interrupted),
                Poll::Pending => {
                    waited = true;
                    self.waits.set(Some(what));
                    return Poll::Pending;
                }
            };
            if waited {
                self.waits.set(None);
            }
            Poll::Ready(done)
        })
        .await
    }

    /// Ends what the statement does on its servers, and lets it come to its end by what they then answer. Its
    /// connections, and the transaction and state on them, stay the session's.
    #[cold]
    pub(crate) async fn interrupt(
        &self,
        mut work: Pin<&mut impl Future<Output = Result<Outcome, Error>>>,
        watch: &mut impl Watch,
        database: &Database,
    ) -> Result<Outcome, Error> {
        self.interrupted.set(true);
        let mut again = AGAIN;
        let done = loop {
            // Not polled meanwhile: no connection goes on to another statement while an order to end this one is under way.
            let threads = self.threads.borrow().clone();
            let _ = timeout(ENDING, self.end(threads, Kill::Query, database)).await;
            let stopped = timeout(
                again,
                poll_fn(|cx| match work.as_mut().poll(cx) {
                    Poll::Ready(done) => Poll::Ready(Ok(done)),
                    Poll::Pending => match watch.poll_absence(cx) {
                        None | Some(Absence::Interrupted) => Poll::Pending,
                        Some(why) => Poll::Ready(Err(why)),
                    },
                }),
            );
            match stopped.await {
                Ok(Ok(done)) => break done,
                Ok(Err(why)) => break self.abandon(work, why, database).await,
                Err(_) => again = (again * 2).min(SELDOM),
            }
        };
        self.interrupted.set(false);
        done
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
            && let Ok(done) = timeout(GRACE, work).await
        {
            return done;
        }
        // The work is kept meanwhile: nobody else gets its connections before their statements are ended. The connections
        // end with them, since a statement for another node may be waiting on them, which would run for nobody.
        self.end(self.threads.take(), Kill::Connection, database).await;
        Err(match why {
            Absence::Killed => Error::Killed,
            Absence::Interrupted => Error::Interrupted,
            Absence::Left => Error::Client(io::ErrorKind::BrokenPipe.into()),
        })
    }

    async fn end(&self, threads: SmallVec<[(UnitId, u32); 2]>, what: Kill, database: &Database) {
        join_all(threads.into_iter().map(|(id, thread)| async move {
            let Some(unit) = database.units.values().find(|unit| unit.id == id) else { return };
            if let Err(error) = self.pools.hub().kill(unit, thread, what).await {
                tracing::warn!(%error, thread, "cannot end a statement that nobody waits for");
            }
        }))
        .await;
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

    /// A statement runs until it is killed, as a server does it.
    fn endless(text: &str) -> Answer {
        if text.starts_with("SELECT") {
            std::thread::sleep(Duration::from_millis(100));
            return Answer::Said(1317, "Query execution was interrupted");
        }
        Answer::Ok(1)
    }

    #[test]
    fn an_interrupted_statement_ends_by_its_servers_and_the_session_goes_on() {
        block_on(async {
            for text in ["SELECT id FROM t WHERE id = 1", "SELECT id FROM t WHERE id IN (1, 2)"] {
                let mut world = World::new(endless);
                world.executor.begin(Begin::default()).await.unwrap();
                world.query("UPDATE t SET name = 'x' WHERE id IN (1, 2)").await.unwrap();
                world.client.absence.set(Some(Absence::Interrupted));
                let outcome = world.query(text).await.unwrap();
                assert_eq!((outcome.error, world.client.error()), (Some(1317), 1317), "{text}");
                assert!(world.executor.in_transaction());
                for peer in 0..2 {
                    let seen = world.seen(peer);
                    let reached = text.contains("IN") || peer == 1;
                    assert_eq!(seen.contains(&"KILL QUERY 1".to_owned()), reached, "{text}: {seen:?}");
                    // What comes late ends nothing of the client's.
                    assert!(
                        !reached || seen.last().is_some_and(|last| last == "DO 0" || last == "SHOW WARNINGS")
                    );
                }
                world.client.absence.set(None);
                world.executor.commit(false).await.unwrap();
            }
        });
    }

    #[test]
    fn an_interrupted_statement_waits_for_no_connection() {
        block_on(async {
            let mut world = World::new(slow);
            world.narrow(1);
            let mut other =
                crate::Executor::new(Rc::clone(&world.executor.pools), false, crate::Limits::default());
            world.executor.begin(Begin::default()).await.unwrap();
            world.query("UPDATE t SET name = 'x' WHERE id = 1").await.unwrap();
            std::mem::swap(&mut world.executor, &mut other);
            world.client.absence.set(Some(Absence::Interrupted));
            let error = world.query("SELECT id FROM t WHERE id = 1").await.unwrap_err();
            assert!(matches!(error, Error::Interrupted) && !error.fatal());
            assert_eq!(world.executor.running().waits(), None);
            world.client.absence.set(None);
            std::mem::swap(&mut world.executor, &mut other);
            world.executor.commit(false).await.unwrap();
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
