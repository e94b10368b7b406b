//! Pacing for what is costly in logins (keys of TLS, RSA), so that a storm of them does not hold up a worker's queries.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

use tokio::sync::{Semaphore, SemaphorePermit};

/// Gives one turn at a time, first come, first served. Nobody holds one while waiting for a peer.
#[derive(Debug)]
pub(crate) struct Pacing(Semaphore);

impl Pacing {
    pub(crate) fn new() -> Self {
        Self(Semaphore::new(1))
    }

    async fn take(&self) -> Option<SemaphorePermit<'_>> {
        // It is never closed.
        let turn = self.0.acquire().await.ok();
        // Comes back when the runtime has looked which sockets are ready: queries that have come go first.
        tokio::task::yield_now().await;
        turn
    }

    /// Does one costly thing in its turn.
    pub(crate) async fn run<T>(&self, step: impl FnOnce() -> T) -> T {
        let _turn = self.take().await;
        step()
    }

    /// Does what waits for a peer between costly steps, each of them in its turn.
    pub(crate) async fn pace<F: Future>(&self, work: F) -> F::Output {
        let mut work = pin!(work);
        loop {
            let turn = self.take().await;
            let step = poll_fn(|cx| Poll::Ready(work.as_mut().poll(cx))).await;
            drop(turn);
            if let Poll::Ready(done) = step {
                return done;
            }
            // Whatever the work waits for wakes this task.
            let mut woken = false;
            poll_fn(|_| if std::mem::replace(&mut woken, true) { Poll::Ready(()) } else { Poll::Pending })
                .await;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::rc::Rc;

    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::UnixStream;
    use tokio::task::{LocalSet, spawn_local};

    use super::*;

    #[tokio::test(flavor = "current_thread")]
    async fn what_has_come_goes_before_the_next_costly_step() {
        let (turns, done) = (Rc::new(Pacing::new()), Rc::new(RefCell::new(Vec::new())));
        let (mut near, mut far) = UnixStream::pair().unwrap();
        let set = LocalSet::new();
        #[expect(clippy::disallowed_methods, reason = "sessions of one worker")]
        set.run_until(async {
            let query = spawn_local({
                let done = Rc::clone(&done);
                async move {
                    far.read_u8().await.unwrap();
                    done.borrow_mut().push("query");
                }
            });
            tokio::task::yield_now().await;
            let logins: Vec<_> = (0..40)
                .map(|_| {
                    let (turns, done) = (Rc::clone(&turns), Rc::clone(&done));
                    spawn_local(async move { turns.run(|| done.borrow_mut().push("login")).await })
                })
                .collect();
            near.write_u8(1).await.unwrap();
            for task in logins.into_iter().chain([query]) {
                task.await.unwrap();
            }
        })
        .await;
        let done = done.borrow();
        assert_eq!(done.len(), 41);
        // At most one step was taken meanwhile.
        let place = done.iter().position(|what| *what == "query").unwrap();
        assert!(place <= 2, "{done:?}");
    }

    #[tokio::test(flavor = "current_thread")]
    async fn who_waits_for_a_peer_keeps_nobody_waiting() {
        let turns = Pacing::new();
        let (mut near, mut far) = UnixStream::pair().unwrap();
        let slow = turns.pace(async { far.read_u8().await.unwrap() });
        let others = async {
            for number in 0..3 {
                assert_eq!(turns.run(|| number).await, number);
            }
            near.write_u8(7).await.unwrap();
        };
        assert_eq!(tokio::join!(slow, others).0, 7);
    }
}
