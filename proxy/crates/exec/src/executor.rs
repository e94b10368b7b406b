//! Runs the plans of one session and keeps the server connections it needs from one statement to the next.
//!
//! A connection is taken for one statement and given back, unless a transaction is open on it (the server's status flags
//! decide) or the statement tied it to the session. What the connection must know first (settings, `BEGIN`, savepoints)
//! travels in the same write as the statement.
//!
//! `LAST_INSERT_ID()` is the session's on any connection; what else the last statement left behind is kept by
//! [`diagnostics`](crate::diagnostics).
//!
//! A future of [`Executor::run`] that is dropped leaves its connection closed; the session must [`Executor::reset`].

use std::cell::RefCell;
use std::future::poll_fn;
use std::rc::Rc;
use std::sync::Arc;
use std::task::Poll;

use backend::{Link, Pools, Refusal, Settings, Turn};
use meta::{StorageUnit, UnitId};
use plan::{Given, Merge, RouteUnit, Undecryptable};
use smallvec::SmallVec;
use sql::{Body, DdlKind, Pin, Statement};
use wire::caps::Status;
use wire::scan::Expect;
use wire::{frame, reply};

use crate::Error;
use crate::abandon::{Running, Wait};
use crate::diagnostics::{Conditions, Diagnostics, recalls};
use crate::downstream::{Absence, Downstream, Watch as _};
use crate::job::{Command, Job, Outcome};
use crate::lane::Lane;
use crate::limits::Limits;
use crate::logical::Names;
use crate::pin::{self, Kept};
use crate::relay::{Ending, View, relay};
use crate::trail::Trail;
use crate::transaction::Transaction;

/// Runs the plans of one session.
pub struct Executor {
    pub(crate) pools: Rc<Pools>,
    pub(crate) found_rows: bool,
    pub(crate) settings: Settings,
    pub(crate) transaction: Transaction,
    pub(crate) held: SmallVec<[Lane; 1]>,
    pub(crate) limits: Limits,
    /// What `LAST_INSERT_ID()` is for the session.
    pub(crate) insert_id: u64,
    pub(crate) diagnostics: Diagnostics,
    /// Kept while connections are held.
    pub(crate) turn: Option<Turn>,
    pub(crate) running: Rc<Running>,
    /// A server has told of other settings.
    pub(crate) changed: bool,
    /// What ties connections by name.
    pub(crate) kept: Vec<(UnitId, Kept)>,
    /// Boxed, since most sessions never have one.
    pub(crate) trail: Option<Box<Trail>>,
}

impl Executor {
    /// For a session; with `found_rows`, `UPDATE` counts the rows found instead of the rows changed.
    pub fn new(pools: Rc<Pools>, found_rows: bool, limits: Limits) -> Self {
        Self {
            running: Rc::new(Running::new(Rc::clone(&pools))),
            pools,
            found_rows,
            settings: Settings::default(),
            transaction: Transaction::default(),
            held: SmallVec::new(),
            limits,
            insert_id: 0,
            diagnostics: Diagnostics::default(),
            turn: None,
            changed: false,
            kept: Vec::new(),
            trail: None,
        }
    }

    /// What the session has set.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// What the session sets: told to each server before its next statement. `autocommit` goes by [`Self::autocommit`].
    pub fn settings_mut(&mut self) -> &mut Settings {
        &mut self.settings
    }

    /// Runs a plan and writes the answer to the client, a server's error included. A client that hangs up meanwhile
    /// ends the statement.
    pub async fn run<D: Downstream>(&mut self, job: Job<'_, '_>, down: &mut D) -> Result<Outcome, Error> {
        let mut watch = down.watch();
        let running = Rc::clone(&self.running);
        let done = {
            let mut work = std::pin::pin!(self.work(&job, down));
            let waited = poll_fn(|cx| match work.as_mut().poll(cx) {
                Poll::Ready(done) => Poll::Ready(Ok(done)),
                Poll::Pending => watch.poll_absence(cx).map_or(Poll::Pending, |why| Poll::Ready(Err(why))),
            });
            match waited.await {
                Ok(done) => done,
                Err(Absence::Interrupted) => {
                    Box::pin(running.interrupt(work, &mut watch, job.database)).await
                }
                Err(why) => Box::pin(running.abandon(work, why, job.database)).await,
            }
        };
        self.running.clear();
        self.leave_turn();
        done
    }

    async fn work<D: Downstream>(&mut self, job: &Job<'_, '_>, down: &mut D) -> Result<Outcome, Error> {
        if let Body::Ddl(ddl) = &job.template.statement().body
            && !(ddl.temporary || ddl.kind == DdlKind::Checksum)
            && self.in_transaction()
            && !matches!(job.command, Command::Prepare { .. })
        {
            // The server would commit on the units that the statement goes to, and on no other.
            Box::pin(self.end("COMMIT")).await?;
        }
        self.next_statement();
        self.take_turn(job).await?;
        let outcome = match job.plan.units.as_slice() {
            [route] if !is_about_tables(job) => self.single(job, route, down).await?,
            _ => {
                let job = Job { command: job.command.at_once(), ..*job };
                Box::pin(self.scatter(&job, down)).await?
            }
        };
        if outcome.insert_id != 0 && is_generated(job, outcome.insert_id) {
            self.insert_id = outcome.insert_id;
        }
        self.diagnostics.answered(&outcome);
        Ok(outcome)
    }

    /// Rolls back and gives all connections back: the session begins anew.
    pub async fn reset(&mut self) {
        let rolled_back = self.end("ROLLBACK").await;
        if let Err(error) = rolled_back {
            tracing::debug!(%error, "rollback at the end of a session failed");
        }
        Box::pin(self.cleanse()).await;
        self.kept = Vec::new();
        self.settings = Settings::default();
        self.transaction = Transaction::default();
        self.diagnostics = Diagnostics::default();
        self.insert_id = 0;
    }

    /// `SET last_insert_id`: what `LAST_INSERT_ID()` answers from now on.
    pub const fn set_insert_id(&mut self, id: u64) {
        self.insert_id = id;
    }

    /// Whether a connection is held for state that cannot be taken elsewhere.
    pub fn is_pinned(&self) -> bool {
        self.held.iter().any(Lane::is_pinned)
    }

    /// What its statement is doing, for whoever asks meanwhile.
    pub fn running(&self) -> &Rc<Running> {
        &self.running
    }

    /// Asks a connection that is held for one of these reasons, if there is one.
    pub async fn ask_pinned(
        &mut self,
        why: Pin,
        question: &str,
    ) -> Option<Result<backend::TextResult, backend::Error>> {
        let lane = self.held.iter_mut().find(|lane| lane.pinned.intersects(why))?;
        if let Err(error) = lane.lease.apply(&self.settings).await {
            return Some(Err(error));
        }
        Some(lane.lease.query(question).await)
    }

    /// Gives all connections up, those with a state as clean ones as far as that can be done.
    pub async fn cleanse(&mut self) {
        for lane in &mut self.held {
            lane.cleanse().await;
        }
        self.release();
    }

    /// Gives all connections up; those with a state are closed, by which a transaction is rolled back.
    pub fn release(&mut self) {
        self.held.iter_mut().for_each(Lane::close_cursors);
        self.held.clear();
        self.turn = None;
    }

    /// A connection that the session holds is the one, else one from the pool.
    pub(crate) async fn checkout(
        &mut self,
        unit: &Arc<StorageUnit>,
        job: &Job<'_, '_>,
    ) -> Result<Lane, Error> {
        if job.template.statement().session {
            self.held.retain(|lane| !(lane.lingers && lane.lease.is_stained()));
        }
        if let Some(place) = self.held.iter().position(|lane| lane.unit == unit.id) {
            let mut lane = self.held.swap_remove(place);
            if !lane.lease.is_quiet() {
                return Box::pin(self.hung_up(lane, unit)).await;
            }
            lane.fresh = false;
            (lane.witness, lane.lingers) = (false, false);
            lane.sent = false;
            lane.active = lane.in_transaction() || (lane.begun && self.transaction.open.is_some());
            self.running.note(&lane);
            return Ok(lane);
        }
        let wait = Wait::Connection(unit.id);
        let mut lease = if self.held.is_empty() && self.turn.is_none() {
            self.running.wait(wait, self.pools.lease(unit, self.found_rows)).await?
        } else {
            self.running.wait(wait, self.pools.lease_further(unit, self.found_rows)).await?
        };
        lease.rewind(&self.settings, self.reads_variables(job)).await?;
        let lane = Lane::new(unit.id, lease);
        self.running.note(&lane);
        Ok(lane)
    }

    /// How many connections of one unit a statement may use side by side from now on.
    pub fn limit_connections(&mut self, connections: usize) {
        self.limits.connections = connections;
    }

    /// Whether a server may refuse the session's settings. Then the statement must not be sent behind them.
    #[inline]
    pub(crate) fn is_unproven(&mut self, lane: &Lane) -> bool {
        let manual = self.transaction.manual;
        if manual != self.settings.variable("autocommit").is_some() {
            // The session sets its variables as a whole; this one is kept here.
            if manual { self.settings.set("autocommit", "0") } else { self.settings.unset("autocommit") }
        }
        !lane.lease.has(&self.settings) && !lane.lease.has_taken(&self.settings)
    }

    /// Waits for the server to take the session's settings.
    pub(crate) async fn prove(&self, lane: &mut Lane) -> Result<(), Error> {
        // Most servers take all settings, and this is once for each on one server.
        Box::pin(lane.lease.prove(&self.settings)).await.map_err(Error::from)
    }

    /// Writes what a connection must know before the statement.
    pub(crate) fn introduce(&self, lane: &mut Lane, job: &Job<'_, '_>) {
        if let Some(text) = lane.lease.sync(&self.settings) {
            lane.command(&text);
        }
        if !lane.begun {
            for text in self.transaction.opening(&self.settings) {
                lane.command(&text);
            }
            lane.begun = self.transaction.open.is_some() || self.transaction.manual;
        }
        for text in std::mem::take(&mut lane.pending) {
            lane.command(&text);
        }
        lane.wrote |= !job.template.statement().reads_only;
        if job.template.statement().session && lane.last_id != Some(self.insert_id) {
            // The connection's own value is that of another session, or of another connection's statement.
            lane.command(&format!("SET @@SESSION.last_insert_id={}", self.insert_id));
            lane.last_id = Some(self.insert_id);
        }
        if !job.template.statement().reads_only {
            lane.last_id = None;
        }
    }

    async fn single<D: Downstream>(
        &mut self,
        job: &Job<'_, '_>,
        route: &RouteUnit,
        down: &mut D,
    ) -> Result<Outcome, Error> {
        let unit = unit(job, route)?;
        let mut lane = self.checkout(unit, job).await?;
        self.trail_leased(1);
        let mut again = true;
        let mut conditions = Conditions::None;
        loop {
            let proven = if self.is_unproven(&lane) { self.prove(&mut lane).await } else { Ok(()) };
            let done = match proven {
                Ok(()) => {
                    self.introduce(&mut lane, job);
                    self.trail_started(job, route);
                    self.attempt(&mut lane, job, route, down, &mut conditions).await
                }
                Err(error) => Err(error),
            };
            match done {
                Ok(ending) => {
                    let mut outcome = Outcome::from(ending);
                    self.trail_ended(outcome.error);
                    outcome.asked = recalls(job, &outcome);
                    if let Conditions::Known(_) = conditions {
                        // The server knows nothing of the error.
                        (self.diagnostics.conditions, outcome.asked) = (conditions, true);
                    } else if outcome.asked {
                        Box::pin(self.recall(&mut lane, &outcome, || Names::of(job, route))).await;
                    } else if self.running.is_interrupted() {
                        Box::pin(self.calm(&mut lane, &mut outcome, || Names::of(job, route))).await;
                    }
                    if pin::asks(job, &outcome) {
                        Box::pin(self.inquire(&mut lane, job, route, &mut outcome)).await;
                    }
                    self.conclude([lane], job, &outcome).await?;
                    return Ok(outcome);
                }
                Err(error) if again && repeatable(&lane, job, &error) => {
                    tracing::debug!(%error, "retried on another connection");
                    again = false;
                    let sent = lane.sent;
                    // In a full pool it may be the only one.
                    drop(lane);
                    let leased = self.pools.lease_again(unit, self.found_rows);
                    let mut lease = match self.running.wait(Wait::Connection(unit.id), leased).await {
                        Ok(lease) => lease,
                        // That it may have run matters more than that it cannot run again.
                        Err(_) if sent => return Err(error),
                        Err(refused) => return Err(refused),
                    };
                    lease.rewind(&self.settings, self.reads_variables(job)).await?;
                    lane = Lane::new(unit.id, lease);
                    self.running.note(&lane);
                }
                Err(error) => {
                    self.trail_lost();
                    self.put_back([lane]);
                    return Err(Box::pin(self.lost(error)).await);
                }
            }
        }
    }

    /// Keeps connections that the session would miss, as after a statement that was never sent.
    pub(crate) fn put_back(&mut self, lanes: impl IntoIterator<Item = Lane>) {
        for mut lane in lanes {
            if lane.lease.has_output() {
                // What was written for the statement would be sent with the next.
                lane.lease.poison();
            }
            if lane.is_bound() {
                self.held.push(lane);
            }
        }
    }

    async fn attempt<D: Downstream>(
        &self,
        lane: &mut Lane,
        job: &Job<'_, '_>,
        route: &RouteUnit,
        down: &mut D,
        conditions: &mut Conditions,
    ) -> Result<Ending, Error> {
        let renames = job.template.renames(route);
        let elsewhere = self.held.iter().any(Lane::in_transaction);
        let mut view = View {
            expect: Expect::Results,
            renames: &renames,
            database: Some(job.database),
            decorations: job.template.decorations(),
            binary: matches!(job.command, Command::Execute { .. }),
            params: None,
            statement: 0,
            begun: lane.begun,
            elsewhere,
            local_file: asks_for_file(job.template.statement()),
            insert_id: job.template.generated_id(job.call),
            columns: None,
        };
        let told = RefCell::default();
        match job.command {
            Command::Execute { params, cursor } => {
                view.columns = cursor.map(|_| &told);
                let statement = match lane.known(job, route) {
                    Some(statement) => statement,
                    None => {
                        lane.prepare(job, route);
                        lane.flush().await?;
                        lane.answers().await?;
                        match lane.prepared().await? {
                            Ok(prepared) => {
                                lane.remember(job, route, prepared);
                                prepared.statement
                            }
                            Err(refusal) => return Ok(refuse(down, &Names::of(job, route).refusal(refusal))),
                        }
                    }
                };
                lane.execute(statement, params, job, route)?;
            }
            Command::Prepare { statement } => {
                lane.prepare(job, route);
                (view.expect, view.statement) = (Expect::Prepare, statement);
                if job.template.has_own_params() {
                    view.params = u16::try_from(job.template.params()).ok();
                }
            }
            Command::Query => lane.query(job, route),
        }
        lane.flush().await?;
        lane.answers().await?;
        if let Some(trail) = &self.trail {
            trail.answer(&mut lane.lease).await?;
        }
        let ending = match relay(&mut *lane.lease, down, &view).await {
            Err(Error::Undecryptable(error)) => {
                lane.pass_over().await?;
                let refusal = unreadable(&error);
                *conditions = Conditions::of(&refusal);
                refuse(down, &refusal)
            }
            ending => ending?,
        };
        match (job.command, ending.prepared) {
            (Command::Prepare { .. }, Some(prepared)) => lane.remember(job, route, prepared),
            (Command::Execute { cursor: Some(client), .. }, _)
                if ending.status.contains(Status::CURSOR_EXISTS) =>
            {
                lane.opened(client, job, route, told.take());
            }
            _ => lane.forget_passing(),
        }
        Ok(ending)
    }

    /// A statement has been answered: follows what it did to the transaction, and keeps the connections or gives them back.
    pub(crate) async fn conclude(
        &mut self,
        lanes: impl IntoIterator<Item = Lane>,
        job: &Job<'_, '_>,
        outcome: &Outcome,
    ) -> Result<(), Error> {
        let error = outcome.error;
        let (mut committed, mut rolled_back) = (false, false);
        for mut lane in lanes {
            lane.lease.settle();
            if error.is_some_and(rolls_back) && (lane.begun || lane.active) {
                rolled_back = true;
                lane.witness = self.bears(job, outcome);
                self.held.push(lane);
                continue;
            }
            let over = (error.is_none() || outcome.known) && lane.lease.link() == Link::Idle;
            let ended = over && (lane.active || (lane.begun && self.transaction.open.is_some()));
            lane.begun &= !ended;
            committed |= ended;
            self.give(lane, job, outcome);
        }
        if self.transaction.open.is_none() && !self.transaction.manual {
            self.transaction.once = None;
        }
        if rolled_back {
            // One server has rolled back, and the client knows that the whole transaction is gone. The error to be told
            // is that server's; another that does not answer is closed, which rolls back, too.
            Box::pin(self.keep_conditions()).await;
            let _ = Box::pin(self.end("ROLLBACK")).await;
            return Ok(());
        }
        if committed {
            // Connections that were given back may be others' by now.
            self.running.clear();
            // A server committed by itself: so do the others. The answer tells of success already.
            Box::pin(self.keep_conditions()).await;
            let ended = Box::pin(self.end("COMMIT")).await;
            return ended.map_err(|error| Error::Belied(Box::new(error.with_transaction())));
        }
        Ok(())
    }

    fn give(&mut self, mut lane: Lane, job: &Job<'_, '_>, outcome: &Outcome) {
        let error = outcome.error;
        let statement = job.template.statement();
        if let Some(tracked) = lane.lease.take_tracked() {
            self.follow(&mut lane, job, &tracked, outcome);
        }
        if error.is_none() && !(statement.pin | lane.pinned).is_empty() {
            self.follow_text(&mut lane, job, outcome.untied);
        }
        let failed = error.is_some() && !lane.in_transaction();
        if failed && !outcome.known && matches!(statement.body, Body::Call | Body::Other(_)) {
            // It may have begun a transaction before it failed, and an ERR packet does not tell.
            lane.lease.doubt();
        }
        let begun = lane.begun && (self.transaction.open.is_some() || failed);
        if lane.lease.link() == Link::Poisoned {
            return;
        }
        let stays = lane.is_pinned() || lane.in_transaction() || begun;
        let bears = self.bears(job, outcome);
        if stays || bears {
            (lane.witness, lane.lingers) = (bears, !stays);
            self.held.push(lane);
        }
    }

    /// A connection may have failed. What the session had on it is gone then, and with it the transaction everywhere.
    pub(crate) async fn lost(&mut self, error: Error) -> Error {
        if self.held.iter().all(|lane| matches!(lane.lease.link(), Link::Idle | Link::InTransaction)) {
            return error;
        }
        self.held.retain(|lane| lane.lease.link() != Link::Poisoned && lane.lease.link() != Link::Busy);
        // The first error is the one to be told; a server that does not answer is closed, which rolls back, too.
        let _ = self.end("ROLLBACK").await;
        self.release();
        error.with_transaction()
    }
}

/// Which storage unit a route means.
pub(crate) fn unit<'a>(job: &Job<'a, '_>, route: &RouteUnit) -> Result<&'a Arc<StorageUnit>, Error> {
    let index = usize::from(route.unit);
    let units = &job.database.units;
    units.get_index(index).map(|(_, unit)| unit).ok_or(Error::Unit { index, units: units.len() })
}

/// Writes a server's error to the client.
pub(crate) fn refuse<D: Downstream>(down: &mut D, refusal: &Refusal) -> Ending {
    let (out, sequence) = down.output();
    let state = refusal.state.as_bytes().first_chunk().copied().unwrap_or(*b"HY000");
    let error = reply::Err { code: refusal.code, state, message: refusal.message.as_bytes() };
    frame::put_with(out, sequence, |out| error.encode(out));
    Ending { error: Some(refusal.code), ..Ending::default() }
}

/// A value that could not be decrypted, in the form of a server's error.
pub(crate) fn unreadable(error: &Undecryptable) -> Refusal {
    let state = Undecryptable::STATE.to_owned();
    Refusal { code: Undecryptable::CODE, state, message: error.to_string() }
}

/// Whether a statement may be sent once more: the connection was at rest in the pool and turned out to be dead, and
/// the statement was never sent in full or changes nothing.
fn repeatable(lane: &Lane, job: &Job<'_, '_>, error: &Error) -> bool {
    let Error::Backend(backend::Error::Closed { before_reply: true, .. }) = error else { return false };
    let reads = match &job.template.statement().body {
        Body::Select(select) => !select.locking && !select.traits.session && !select.traits.into,
        Body::Show(_) | Body::Explain => true,
        _ => matches!(job.command, Command::Prepare { .. }),
    };
    lane.fresh && (reads || !lane.sent)
}

/// Whether the client is to send a file: `LOAD DATA|XML LOCAL`.
#[inline]
fn asks_for_file(statement: &Statement) -> bool {
    matches!(&statement.body, Body::Other(words) if words.starts_with("LOAD ") && words.ends_with(" LOCAL"))
}

/// Whether its rows name tables, which must be read.
#[inline]
fn is_about_tables(job: &Job<'_, '_>) -> bool {
    job.plan.merge == Merge::Tables && !matches!(job.command, Command::Prepare { .. })
}

/// Whether an id is no value of the statement's own.
fn is_generated(job: &Job<'_, '_>, id: u64) -> bool {
    job.template.generated_id(job.call) == Some(id) || job.template.given(job.call, id) == Given::No
}

/// Errors after which the server has rolled back the whole transaction: deadlock, and its kin of XA.
pub(crate) fn rolls_back(code: u16) -> bool {
    matches!(code, 1213 | 1402 | 1614)
}

impl From<Ending> for Outcome {
    fn from(ending: Ending) -> Self {
        let Ending { status, affected, insert_id, warnings, rows, rowset, error, prepared } = ending;
        Self {
            status,
            affected,
            insert_id,
            warnings,
            rows,
            unsent: 0,
            rowset,
            asked: false,
            error,
            prepared,
            ..Self::default()
        }
    }
}

#[cfg(test)]
mod tests;
