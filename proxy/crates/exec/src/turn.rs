//! When a session may hold connections of several units at once, and so must wait for its turn; see [`backend::Turn`].

use meta::{Source, TransactionalReads};

use crate::Error;
use crate::abandon::Wait;
use crate::executor::Executor;
use crate::job::Job;

impl Executor {
    /// Waits before a transaction goes to the first of several units, or a statement to several of them.
    ///
    /// A session that holds a connection already, as one tied to it, does not: whoever has a turn may wait for that one.
    #[inline]
    pub(crate) async fn take_turn(&mut self, job: &Job<'_, '_>) -> Result<(), Error> {
        let units = &job.database.units;
        if units.len() < 2 || self.turn.is_some() || !self.held.is_empty() {
            return Ok(());
        }
        let alone = job.plan.units.len() < 2 && self.transaction.open.is_none() && !self.transaction.manual;
        if alone || (job.plan.units.len() < 2 && stays(job, self.is_read_only())) {
            return Ok(());
        }
        if let Some(narrowest) = units.values().min_by_key(|unit| (unit.spec.pool.max, unit.id)) {
            self.turn = Some(self.running.wait(Wait::Turn, self.pools.turn(narrowest)).await?);
        }
        Ok(())
    }

    /// Lets the next session go ahead once this one holds nothing.
    #[inline]
    pub(crate) fn leave_turn(&mut self) {
        if self.held.is_empty() {
            self.turn = None;
        }
    }
}

/// Whether a transaction is on one unit all the way: the only source is a group that is read from where it is written
/// to.
fn stays(job: &Job<'_, '_>, read_only: bool) -> bool {
    let sources = &job.database.sources;
    let group = match sources.only().and_then(|only| sources.source(only)) {
        Some(Source::Readwrite(number)) => job.database.readwrite.get(usize::from(number)),
        _ => None,
    };
    group.is_some_and(|group| {
        !read_only
            && group.transactional == TransactionalReads::Primary
            && sources.source(group.write) == Some(Source::Unit)
    })
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;
    use std::time::Duration;

    use tokio::time::timeout;

    use crate::world::{Answer, World, block_on};
    use crate::{Begin, Executor, Limits};

    fn plain(text: &str) -> Answer {
        if text.starts_with("SELECT") { Answer::Rows(vec!["1"]) } else { Answer::Ok(1) }
    }

    #[test]
    fn transactions_over_several_units_do_not_wait_for_each_other() {
        block_on(async {
            let mut world = World::new(plain);
            world.narrow(1);
            let mut other = Executor::new(Rc::clone(&world.executor.pools), false, Limits::default());
            world.executor.begin(Begin::default()).await.unwrap();
            world.query("UPDATE t SET c = 1 WHERE id = 1").await.unwrap();

            // Another transaction must not take the connection that this one needs next.
            std::mem::swap(&mut world.executor, &mut other);
            world.executor.begin(Begin::default()).await.unwrap();
            let waits = timeout(Duration::from_millis(50), world.query("UPDATE t SET c = 1 WHERE id = 2"));
            assert!(waits.await.is_err());
            world.executor.reset().await;
            // A statement by itself holds nothing back, so it need not wait.
            world.query("SELECT id FROM t WHERE id = 2").await.unwrap();

            std::mem::swap(&mut world.executor, &mut other);
            world.query("UPDATE t SET c = 1 WHERE id = 2").await.unwrap();
            world.executor.commit(false).await.unwrap();
            assert!(world.executor.turn.is_none());

            std::mem::swap(&mut world.executor, &mut other);
            world.query("UPDATE t SET c = 1 WHERE id IN (1, 2)").await.unwrap();
            assert!(world.executor.turn.is_none());
        });
    }
}
