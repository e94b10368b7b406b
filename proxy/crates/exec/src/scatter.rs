//! One statement over several nodes: sent to all first, in one write per server, then read and made one answer.
//!
//! Several nodes on one server follow each other on one connection. What changes rows over several nodes is all or
//! nothing: outside a transaction it gets one of its own on each server, inside one it gets a savepoint.

mod answers;
mod define;
mod finish;
mod rows;
mod spill;
mod stream;
mod tables;
mod total;
mod track;

use backend::{Link, Refusal};
use meta::UnitId;
use plan::{Merge, RouteUnit, Rows, Window};
use smallvec::SmallVec;
use sql::Body;
use wire::caps::Status;
use wire::{frame, reply};

use crate::Error;
use crate::diagnostics::Conditions;
use crate::downstream::Downstream;
use crate::executor::{Executor, refuse, unit};
use crate::job::{Command, Job, Outcome};
use crate::lane::{Done, Lane};
use answers::Answers;
use total::{Sum, Total, total};
use track::{Track, give_up};

/// How a change over several nodes is kept whole.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Guard {
    /// Reads, or data definition, which cannot be taken back.
    None,
    /// In a transaction: back to the state before the statement.
    Savepoint,
    /// On its own: a transaction around it.
    Transaction,
}

/// How many rows a query without a LIMIT gives.
const SELECT_LIMIT: &str = "sql_select_limit";
/// The savepoint before a statement; a client's savepoint of that name would be unusual.
const SAVEPOINT: &str = "SAVEPOINT `weir statement`";
const BACK: &str = "ROLLBACK TO SAVEPOINT `weir statement`";

impl Executor {
    pub(crate) async fn scatter<D: Downstream>(
        &mut self,
        job: &Job<'_, '_>,
        down: &mut D,
    ) -> Result<Outcome, Error> {
        let (Body::Select(select), Some(limit)) =
            (&job.template.statement().body, self.settings.variable(SELECT_LIMIT))
        else {
            return self.scatter_all(job, None, down).await;
        };
        // Nodes give all that the answer is made of; it counts for the answer, and where that has no LIMIT of its own.
        let (limit, own) = (limit.to_owned(), select.limit.is_some());
        let whole = self.settings.clone();
        self.settings.unset(SELECT_LIMIT);
        let bare = self.settings.clone();
        let done = self.scatter_all(job, limit.parse().ok().filter(|_| !own), down).await;
        if self.settings == bare {
            self.settings = whole;
        } else {
            self.settings.set(SELECT_LIMIT, &limit);
        }
        done
    }

    /// The same; with `limit`, no more rows than that are shown.
    async fn scatter_all<D: Downstream>(
        &mut self,
        job: &Job<'_, '_>,
        limit: Option<u64>,
        down: &mut D,
    ) -> Result<Outcome, Error> {
        let mut tracks = self.tracks(job).await?;
        self.trail_leased(tracks.len());
        let guard = self.guard(job);
        for place in 0..tracks.len() {
            if self.is_unproven(&tracks[place].lane)
                && let Err(error) = self.prove(&mut tracks[place].lane).await
            {
                self.put_back(tracks.into_iter().map(|track| track.lane));
                return Err(self.lost(error).await);
            }
        }
        for track in &mut tracks {
            self.introduce(&mut track.lane, job);
            match guard {
                Guard::None => {}
                Guard::Savepoint => track.lane.command(SAVEPOINT),
                Guard::Transaction => track.lane.command("BEGIN"),
            }
        }
        tracks.iter_mut().for_each(|track| track.marks = self.marks());
        let mut conditions = Conditions::None;
        let done = self.scattered(job, &mut tracks, (guard, limit), down, &mut conditions).await;
        for track in &tracks {
            let lost = done.is_err() && track.lane.lease.link() == Link::Poisoned;
            self.trail_marked(job, &track.routes, &track.marks, lost);
        }
        match done {
            Ok(outcome) => {
                if self.running.is_interrupted() {
                    Box::pin(calm(&mut tracks)).await;
                }
                let lanes = tracks.into_iter().map(|track| track.lane);
                self.conclude(lanes, job, &outcome).await?;
                self.diagnostics.conditions = conditions;
                Ok(outcome)
            }
            Err(error) => Err(self.all_lost(tracks, job, guard, error).await),
        }
    }

    /// Takes the connections, always in the order of the units' numbers so that two sessions do not wait for each other.
    async fn tracks<'a>(&mut self, job: &Job<'a, '_>) -> Result<SmallVec<[Track<'a>; 4]>, Error> {
        let mut routes: SmallVec<[(UnitId, &'a RouteUnit); 8]> = SmallVec::new();
        for route in &job.plan.units {
            routes.push((unit(job, route)?.id, route));
        }
        routes.sort_by_key(|(id, _)| *id);
        let mut tracks: SmallVec<[Track<'a>; 4]> = SmallVec::new();
        for (id, route) in routes {
            if let Some(track) = tracks.last_mut().filter(|track| track.lane.unit == id) {
                track.routes.push(route);
                continue;
            }
            match self.checkout(unit(job, route)?, job).await {
                Ok(lane) => tracks.push(Track::new(lane, SmallVec::from_iter([route]))),
                Err(error) => {
                    // Nothing has been written: those that were held stay so.
                    self.held.extend(tracks.into_iter().map(|track| track.lane).filter(|lane| !lane.fresh));
                    return Err(error);
                }
            }
        }
        if self.limits.connections > 1 && self.may_spread(job) {
            self.spread(job, &mut tracks).await?;
        }
        Ok(tracks)
    }

    /// Whether a statement may run on several connections of one unit side by side: what it reads hangs on none of them.
    fn may_spread(&self, job: &Job<'_, '_>) -> bool {
        let statement = job.template.statement();
        let bound = self.transaction.manual || self.in_transaction() || !self.held.is_empty();
        let reads = matches!(&statement.body, Body::Select(select) if !select.locking);
        reads
            && !bound
            && statement.pin.is_empty()
            && !statement.session
            && matches!(job.plan.merge, Merge::Rows(_))
    }

    /// Deals the nodes of each unit out to as many connections as are free right now. Each track has its first one
    /// already, and no further one is waited for: whoever holds some still waits for nothing.
    async fn spread<'a>(
        &self,
        job: &Job<'a, '_>,
        tracks: &mut SmallVec<[Track<'a>; 4]>,
    ) -> Result<(), Error> {
        for Track { lane, routes, .. } in std::mem::take(tracks) {
            let unit = unit(job, routes[0])?;
            let mut lanes = vec![lane];
            while lanes.len() < routes.len().min(self.limits.connections)
                && let Some(lane) = self.further(unit).await
            {
                lanes.push(lane);
            }
            let (each, more) = (routes.len() / lanes.len(), routes.len() % lanes.len());
            let mut routes = routes.into_iter();
            for (place, lane) in lanes.into_iter().enumerate() {
                let dealt = routes.by_ref().take(each + usize::from(place < more)).collect();
                tracks.push(Track::new(lane, dealt));
            }
        }
        Ok(())
    }

    fn guard(&self, job: &Job<'_, '_>) -> Guard {
        match job.template.statement().body {
            Body::Delete(_) | Body::Insert(_) | Body::Update(_)
                if matches!(job.plan.merge, Merge::Count | Merge::Same) =>
            {
                let inside =
                    self.transaction.manual || self.transaction.open.is_some() || self.in_transaction();
                if inside { Guard::Savepoint } else { Guard::Transaction }
            }
            _ => Guard::None,
        }
    }

    async fn scattered<D: Downstream>(
        &self,
        job: &Job<'_, '_>,
        tracks: &mut [Track<'_>],
        (guard, limit): (Guard, Option<u64>),
        down: &mut D,
        conditions: &mut Conditions,
    ) -> Result<Outcome, Error> {
        let elsewhere = self.held.iter().any(Lane::in_transaction);
        match job.plan.merge {
            Merge::Tables => return tables::merge(tracks, job, elsewhere, down, conditions).await,
            Merge::Finish => {
                let bounds = (elsewhere, self.limits.memory, limit);
                let finished = finish::finish(tracks, job, bounds, self.pools.hub(), down, conditions);
                let outcome = Box::pin(finished).await?;
                tracks.iter_mut().for_each(|track| track.lane.forget_passing());
                return Ok(outcome);
            }
            _ => {}
        }
        if let Command::Execute { .. } = job.command
            && let Some(refusal) = prepare(tracks, job).await?
        {
            *conditions = Conditions::of(&refusal);
            undo(tracks, guard).await?;
            return Ok(refuse(down, &refusal).into());
        }
        if job.plan.merge == Merge::First {
            return define::run(tracks, job, elsewhere, down, conditions).await;
        }
        let counts = matches!(job.plan.merge, Merge::Count | Merge::Same);
        for track in &mut *tracks {
            track.asks = counts && track.routes.len() > 1;
            track.write(job)?;
            track.lane.flush().await?;
        }
        for track in &mut *tracks {
            track.lane.answers().await?;
        }
        let outcome = match &job.plan.merge {
            Merge::Rows(rows) => {
                let limited = limit.filter(|_| rows.limit.is_none()).map(|count| {
                    let limit = Some(Window { offset: 0, count });
                    Rows { limit, ..rows.clone() }
                });
                let rows = limited.as_ref().unwrap_or(rows);
                let answers = Answers::new(tracks, job, self);
                rows::merge(answers, rows, job, elsewhere, down, conditions).await?
            }
            Merge::Count => {
                let total = total(tracks, job, Sum::All).await?;
                count(tracks, guard, total, elsewhere, down, conditions).await?
            }
            Merge::Finish | Merge::First | Merge::Relay | Merge::Tables => {
                let total = total(tracks, job, Sum::None).await?;
                count(tracks, Guard::None, total, elsewhere, down, conditions).await?
            }
            Merge::Same => {
                let total = total(tracks, job, Sum::None).await?;
                count(tracks, guard, total, elsewhere, down, conditions).await?
            }
        };
        for track in tracks {
            track.lane.forget_passing();
        }
        Ok(outcome)
    }

    /// The statement failed half-way: keeps the connections on which a transaction goes on, if it still can.
    async fn all_lost(
        &mut self,
        mut tracks: SmallVec<[Track<'_>; 4]>,
        job: &Job<'_, '_>,
        guard: Guard,
        error: Error,
    ) -> Error {
        if let Merge::Rows(_) = job.plan.merge
            && let Err(error) = give_up(&mut tracks, job, self.pools.hub()).await
        {
            tracing::debug!(%error, "connection of a statement lost");
        }
        for track in tracks.iter_mut().filter(|track| track.lane.is_bound()) {
            if let Err(error) = track.drain(usize::MAX).await {
                tracing::debug!(%error, "connection of a session lost");
            }
        }
        let active = tracks.iter().any(|track| track.lane.active);
        let lost = |track: &Track<'_>| track.lane.is_bound() && track.lane.lease.link() == Link::Poisoned;
        let gone = tracks.iter().any(lost);
        // All others are closed, which rolls back.
        self.held.extend(tracks.into_iter().map(|track| track.lane).filter(Lane::is_bound));
        let whole = !gone && (guard != Guard::Savepoint || !active);
        if whole {
            return error;
        }
        // The first error is the one to be told; a server that does not answer is closed, which rolls back, too.
        let _ = self.end("ROLLBACK").await;
        self.release();
        error.with_transaction()
    }
}

/// Prepares the statement wherever it is not yet; gives a server's refusal.
async fn prepare(tracks: &mut [Track<'_>], job: &Job<'_, '_>) -> Result<Option<Refusal>, Error> {
    for track in &mut *tracks {
        track.ask(job);
        track.lane.flush().await?;
    }
    let mut first = None;
    for track in &mut *tracks {
        track.lane.answers().await?;
        let refused = track.told(job).await?;
        first = first.or(refused);
    }
    Ok(first)
}

/// The statement was told to end: should the order reach a server only now, it ends nothing that counts.
async fn calm(tracks: &mut [Track<'_>]) {
    if let Err(error) = all(tracks, "DO 0").await {
        tracing::debug!(%error, "after an interrupted statement");
    }
}

/// Makes a change final or takes it back, and tells the client.
async fn count<D: Downstream>(
    tracks: &mut [Track<'_>],
    guard: Guard,
    total: Result<Total, Refusal>,
    elsewhere: bool,
    down: &mut D,
    conditions: &mut Conditions,
) -> Result<Outcome, Error> {
    let done = match total {
        Ok(total) => {
            *conditions = total.conditions;
            total.done
        }
        Err(refusal) => {
            *conditions = Conditions::of(&refusal);
            undo(tracks, guard).await?;
            return Ok(refuse(down, &refusal).into());
        }
    };
    if guard == Guard::Transaction {
        all(tracks, "COMMIT").await?;
    }
    let status = down.dialect().told(status(tracks, elsewhere));
    let capabilities = down.dialect().capabilities();
    let (out, sequence) = down.output();
    let Done { affected, insert_id, warnings, info } = done;
    let ok = reply::Ok { affected, insert_id, status, warnings, info: &info, raw_changes: None };
    frame::put_with(out, sequence, |out| ok.encode(out, capabilities));
    Ok(Outcome { status, affected, insert_id, warnings, ..Outcome::default() })
}

/// The flags of the servers as the session sees them.
fn status(tracks: &[Track<'_>], elsewhere: bool) -> Status {
    let flags = tracks.first().map_or(Status::empty(), |track| track.lane.lease.status());
    let begun = tracks.iter().any(|track| track.lane.lease.status().contains(Status::IN_TRANSACTION));
    let mut status = flags - Status::MORE_RESULTS_EXIST - Status::LAST_ROW_SENT;
    status.set(Status::IN_TRANSACTION, begun || elsewhere);
    status
}

/// Takes back what a statement has done on any node.
async fn undo(tracks: &mut [Track<'_>], guard: Guard) -> Result<(), Error> {
    match guard {
        Guard::None => Ok(()),
        Guard::Savepoint => match all(tracks, BACK).await {
            // A deadlock has taken the savepoint with it.
            Err(Error::Backend(error)) if error.refusal().is_some() => Ok(()),
            done => done,
        },
        Guard::Transaction => all(tracks, "ROLLBACK").await,
    }
}

/// Sends one statement to all and awaits their answers; tells the first error.
async fn all(tracks: &mut [Track<'_>], text: &str) -> Result<(), Error> {
    let mut first = Ok(());
    for track in &mut *tracks {
        track.lane.command(text);
        let sent = track.lane.flush().await;
        first = first.and(sent);
    }
    for track in &mut *tracks {
        if track.lane.lease.link() == Link::Busy {
            let done = track.lane.all_answers().await;
            first = first.and(done);
        }
    }
    first
}

#[cfg(test)]
mod tests;
