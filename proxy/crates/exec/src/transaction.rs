//! Transactions over several servers: begun on each with the first statement that goes there, ended on all.

use std::borrow::Cow;
use std::sync::Arc;

use backend::{Link, Settings};
use meta::StorageUnit;
use plan::Chosen;
use wire::caps::Status;

use crate::Error;
use crate::abandon::Wait;
use crate::executor::Executor;
use crate::lane::Lane;

/// The variable that says how transactions of the session begin.
const READ_ONLY: &str = "transaction_read_only";

/// How a transaction begins.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Begin {
    /// `READ ONLY`, or `READ WRITE`; nothing: as the session has it.
    pub read_only: Option<bool>,
    /// `WITH CONSISTENT SNAPSHOT`.
    pub snapshot: bool,
}

impl Begin {
    /// `told`: what the session has set may say otherwise, maybe since it began.
    fn text(self, told: bool) -> &'static str {
        match (self.read_only == Some(true), told, self.snapshot) {
            (false, false, false) => "BEGIN",
            (false, true, false) => "START TRANSACTION READ WRITE",
            (true, _, false) => "START TRANSACTION READ ONLY",
            (false, false, true) => "START TRANSACTION WITH CONSISTENT SNAPSHOT",
            (false, true, true) => "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ WRITE",
            (true, _, true) => "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY",
        }
    }
}

/// What a session wants of the servers it has not been to yet.
#[derive(Debug, Default)]
pub(crate) struct Transaction {
    /// `BEGIN` was said.
    pub(crate) open: Option<Begin>,
    /// `SET TRANSACTION …` for the next one.
    pub(crate) once: Option<String>,
    /// In the order they were set.
    pub(crate) savepoints: Vec<String>,
    /// `autocommit` is off: transactions begin by themselves.
    pub(crate) manual: bool,
    /// The replicas that it reads from.
    pub(crate) chosen: Chosen,
}

impl Transaction {
    /// What a server must be told before the first statement of the transaction.
    pub(crate) fn opening(&self, settings: &Settings) -> impl Iterator<Item = Cow<'_, str>> {
        let told = settings.variable(READ_ONLY).is_some() || self.once_read_only().is_some();
        let once = self.once.as_deref().map(Into::into);
        let begin = self.open.map(|begin| begin.text(told).into());
        let savepoints = self.savepoints.iter().map(|name| format!("SAVEPOINT {}", quoted(name)).into());
        once.into_iter().chain(begin).chain(savepoints)
    }

    /// What `SET TRANSACTION …` says of the access.
    fn once_read_only(&self) -> Option<bool> {
        let words = self.once.as_deref()?.to_ascii_uppercase();
        let says = |access: &str| words.contains(access);
        if says("READ ONLY") { Some(true) } else { says("READ WRITE").then_some(false) }
    }

    fn savepoint(&self, name: &str) -> Result<usize, Error> {
        let found = self.savepoints.iter().position(|known| known.eq_ignore_ascii_case(name));
        found.ok_or_else(|| Error::NoSavepoint { name: name.to_owned() })
    }
}

impl Executor {
    /// Whether a transaction is open, as the client sees it.
    pub fn in_transaction(&self) -> bool {
        self.transaction.open.is_some() || self.held.iter().any(Lane::in_transaction)
    }

    /// Whether it was opened to read only, by its own words or the session's.
    pub fn is_read_only(&self) -> bool {
        self.transaction.open.is_some_and(|begin| begin.read_only == Some(true))
    }

    /// The same as the client sees it, of one that a statement has opened, too.
    pub fn shows_read_only(&self) -> bool {
        let reads = |lane: &Lane| {
            lane.in_transaction() && lane.lease.status().contains(Status::IN_TRANSACTION_READONLY)
        };
        self.is_read_only() || (self.transaction.open.is_none() && self.held.iter().any(reads))
    }

    /// Which replicas the transaction reads from; forgotten at its end.
    pub const fn chosen_mut(&mut self) -> &mut Chosen {
        &mut self.transaction.chosen
    }

    /// `BEGIN`: no server hears of it yet. Commits what was open.
    pub async fn begin(&mut self, begin: Begin) -> Result<(), Error> {
        // What ends by it hands its characteristics on.
        let read_only = begin.read_only.or_else(|| Some(self.next_read_only()));
        let before = if self.in_transaction() {
            let once = self.transaction.once.take();
            let ended = self.end("COMMIT").await;
            self.transaction.once = once;
            ended
        } else {
            Ok(())
        };
        self.transaction.chosen.clear();
        self.transaction.open = Some(Begin { read_only, ..begin });
        if self.is_pinned() {
            return before.and(Box::pin(self.begin_unlocked()).await);
        }
        before
    }

    /// `SET TRANSACTION …` without `SESSION`, in the client's words: for the next transaction only.
    pub fn next_transaction(&mut self, text: &str) {
        self.transaction.once = Some(text.to_owned());
    }

    /// `autocommit`; told to each server before its next statement. Switching it on commits what is open.
    pub async fn autocommit(&mut self, on: bool) -> Result<(), Error> {
        let done = if on && self.transaction.manual && self.in_transaction() {
            self.end("COMMIT").await
        } else {
            Ok(())
        };
        self.transaction.manual = !on;
        self.transaction.chosen.clear();
        done
    }

    /// `COMMIT` on all servers that took part. One that fails does not keep the others from it; the first error is told.
    pub async fn commit(&mut self, chain: bool) -> Result<(), Error> {
        let again = self.chained(chain);
        if let Some(lost) = self.lost_participant() {
            // Known before any server has committed: then none shall.
            let _ = self.end("ROLLBACK").await;
            return Err(lost.with_transaction());
        }
        let once = self.transaction.once.take().filter(|_| chain);
        let done = self.end("COMMIT").await;
        (self.transaction.open, self.transaction.once) = (again, once);
        done
    }

    /// What `AND CHAIN` begins: a transaction of the same kind, and one even where none was open.
    fn chained(&self, chain: bool) -> Option<Begin> {
        chain.then(|| Begin { read_only: Some(self.next_read_only()), snapshot: false })
    }

    /// Whether a transaction that begins now and says nothing of it reads only: like the one that is open, whatever the
    /// session has set meanwhile.
    fn next_read_only(&self) -> bool {
        if self.in_transaction() {
            return self.shows_read_only();
        }
        let set = || self.settings.variable(READ_ONLY);
        self.transaction.once_read_only().unwrap_or_else(|| {
            set().is_some_and(|value| {
                ["1", "ON", "TRUE"].iter().any(|on| value.trim_matches('\'').eq_ignore_ascii_case(on))
            })
        })
    }

    /// Whether one of the servers that the transaction may have changed has hung up.
    fn lost_participant(&mut self) -> Option<Error> {
        let mut participants: Vec<_> =
            self.held.iter_mut().filter(|lane| lane.wrote && (lane.begun || lane.in_transaction())).collect();
        // For one alone its own answer tells, unless it has hung up before it was asked.
        let alone = participants.len() < 2;
        let gone = |lane: &mut &mut Lane| {
            if alone { !lane.lease.is_quiet() } else { !lane.lease.is_open() }
        };
        let place = participants.iter_mut().position(gone)?;
        let lane = participants.get_mut(place)?;
        lane.lease.poison();
        let origin = Arc::clone(lane.lease.origin());
        Some(backend::Error::Closed { origin, before_reply: true }.into())
    }

    /// The server has ended a connection that the session holds, as it does after its `wait_timeout`. What it may say of
    /// that is no answer to a statement.
    #[cold]
    pub(crate) async fn hung_up(&mut self, mut lane: Lane, unit: &Arc<StorageUnit>) -> Result<Lane, Error> {
        lane.lease.poison();
        if lane.lingers {
            let lease =
                self.running.wait(Wait::Connection(unit.id), self.pools.lease_again(unit, self.found_rows));
            let mut lease = lease.await?;
            lease.rewind(&self.settings, true).await?;
            let lane = Lane::new(unit.id, lease);
            self.running.note(&lane);
            return Ok(lane);
        }
        let origin = Arc::clone(lane.lease.origin());
        self.held.push(lane);
        Err(self.lost(backend::Error::Closed { origin, before_reply: true }.into()).await)
    }

    /// `ROLLBACK` on all servers that took part. One that was lost has rolled back.
    pub async fn rollback(&mut self, chain: bool) -> Result<(), Error> {
        let again = self.chained(chain);
        let once = self.transaction.once.take().filter(|_| chain);
        let done = self.end("ROLLBACK").await;
        (self.transaction.open, self.transaction.once) = (again, once);
        match done {
            Err(Error::Backend(error)) if error.refusal().is_none() => Ok(()),
            done => done,
        }
    }

    /// `SAVEPOINT`; sent with the next statement. Means nothing outside a transaction.
    pub fn savepoint(&mut self, name: &str) {
        if !self.in_transaction() && !self.transaction.manual {
            return;
        }
        self.transaction.savepoints.retain(|known| !known.eq_ignore_ascii_case(name));
        self.transaction.savepoints.push(name.to_owned());
        for lane in self.held.iter_mut().filter(|lane| lane.begun) {
            lane.pending.push(format!("SAVEPOINT {}", quoted(name)));
        }
    }

    /// `ROLLBACK TO SAVEPOINT`.
    pub async fn rollback_to(&mut self, name: &str) -> Result<(), Error> {
        let place = self.transaction.savepoint(name)?;
        self.transaction.savepoints.truncate(place + 1);
        let text = format!("ROLLBACK TO SAVEPOINT {}", quoted(name));
        let mut first = Ok(());
        for lane in self.held.iter_mut().filter(|lane| lane.begun) {
            for text in std::mem::take(&mut lane.pending) {
                lane.command(&text);
            }
            lane.command(&text);
            let sent = lane.flush().await;
            first = first.and(sent);
        }
        for lane in self.held.iter_mut().filter(|lane| lane.begun) {
            let done = lane.all_answers().await;
            first = first.and(done);
        }
        first
    }

    /// `RELEASE SAVEPOINT`; sent with the next statement.
    pub fn release_savepoint(&mut self, name: &str) -> Result<(), Error> {
        let place = self.transaction.savepoint(name)?;
        self.transaction.savepoints.truncate(place);
        for lane in self.held.iter_mut().filter(|lane| lane.begun) {
            lane.pending.push(format!("RELEASE SAVEPOINT {}", quoted(name)));
        }
        Ok(())
    }

    /// Ends the transaction on all servers at once and gives their connections back.
    pub(crate) async fn end(&mut self, how: &str) -> Result<(), Error> {
        self.transaction.open = None;
        self.transaction.once = None;
        self.transaction.savepoints.clear();
        self.transaction.chosen.clear();
        let mut first = Ok(());
        for lane in self.held.iter_mut().filter(|lane| lane.begun || lane.in_transaction()) {
            lane.pending.clear();
            lane.command(how);
            let sent = lane.flush().await;
            // Where nothing was changed there is nothing to lose.
            first = first.and(if lane.wrote { sent } else { Ok(()) });
        }
        for lane in &mut self.held {
            lane.begun = false;
            let wrote = std::mem::take(&mut lane.wrote);
            if lane.lease.link() == Link::Busy {
                let done = lane.all_answers().await;
                if done.is_err() {
                    // Whether it still has a transaction open is not known.
                    lane.lease.poison();
                }
                first = first.and(if wrote { done } else { Ok(()) });
            }
        }
        self.held.retain(|lane| lane.is_pinned() && lane.lease.link() != Link::Poisoned);
        self.leave_turn();
        first
    }
}

fn quoted(name: &str) -> String {
    format!("`{}`", name.replace('`', "``"))
}
