//! A connection with the nodes that it serves for one statement: commands ahead of answers, and what is left of these.

use std::time::Duration;

use backend::{Hub, Kill, Link, Refusal};
use futures_util::future::join_all;
use plan::RouteUnit;
use smallvec::SmallVec;
use tokio::time::timeout;
use wire::caps::Capabilities;
use wire::scan::{Expect, ResponseScan};

use crate::Error;
use crate::job::{Command, Job};
use crate::lane::Lane;
use crate::logical::Names;
use crate::trail::Marks;

use super::spill::Spill;

/// Commands that are written before the first answer is read. More would fill the buffers of both directions while
/// each side waits for the other to read.
const AHEAD: usize = 64 * 1024;

/// So many statements are prepared on one connection before they are executed; fewer than a connection keeps.
const TOGETHER: usize = 128;

/// A connection and the nodes that it serves, in the order of the plan.
pub(crate) struct Track<'a> {
    pub(crate) lane: Lane,
    pub(crate) routes: SmallVec<[&'a RouteUnit; 4]>,
    /// Server's numbers of the prepared statement, one for each route.
    statements: SmallVec<[u32; 4]>,
    /// How many commands have been written, and how many answers have been read.
    written: usize,
    pub(super) read: usize,
    /// The place in the answer being read, where that is not its beginning.
    pub(super) scan: Option<ResponseScan>,
    /// Asked to prepare statements, and not all answers have been read.
    preparing: bool,
    /// Rows of it that wait for others and are too many for memory.
    pub(super) spill: Option<Spill>,
    /// The conditions of a statement are to be known when the next one makes the server forget them.
    pub(super) asks: bool,
    /// An answer has been read, and not yet the conditions behind it.
    pub(super) asked: bool,
    pub(super) marks: Marks,
}

/// The rest of an answer that nobody wants any more is waited for so long, and read up to this size, rather than ending
/// the statement on its server.
const GRACE: Duration = Duration::from_millis(50);
const DRAIN: usize = 256 * 1024;
/// A server is given so long to end a statement.
const ENDING: Duration = Duration::from_secs(5);
/// The order to end a statement is given again after so long: one that comes between two statements ends neither.
const AGAIN: Duration = Duration::from_secs(1);

/// Nobody wants the rest of the answers on any of them.
pub(super) async fn give_up(tracks: &mut [Track<'_>], job: &Job<'_, '_>, hub: &Hub) -> Result<(), Error> {
    if tracks.iter().all(|track| track.unread() == 0) {
        for track in tracks {
            track.drain(0).await?;
        }
        return Ok(());
    }
    join_all(tracks.iter_mut().map(|track| track.give_up(job, hub))).await.into_iter().collect()
}

impl<'a> Track<'a> {
    pub(super) fn new(lane: Lane, routes: SmallVec<[&'a RouteUnit; 4]>) -> Self {
        Self {
            lane,
            routes,
            statements: SmallVec::new(),
            written: 0,
            read: 0,
            scan: None,
            preparing: false,
            spill: None,
            asks: false,
            asked: false,
            marks: Marks::default(),
        }
    }

    /// Whether the conditions of a statement, by its number here, are asked for behind it.
    pub(super) fn is_asked(&self, number: usize) -> bool {
        self.asks && number + 1 < self.routes.len()
    }

    /// Answers that are still to be read.
    pub(super) fn unread(&self) -> usize {
        self.written - self.read
    }

    /// Writes commands as far ahead as is safe.
    pub(super) fn write(&mut self, job: &Job<'_, '_>) -> Result<(), Error> {
        let end = match job.command {
            Command::Execute { .. } => self.statements.len(),
            Command::Prepare { .. } | Command::Query => self.routes.len(),
        };
        while self.written < end && (self.unread() == 0 || self.lane.lease.output().len() < AHEAD) {
            let route = self.routes[self.written];
            self.marks.start();
            match job.command {
                Command::Execute { params, .. } => {
                    self.lane.execute(self.statements[self.written], params, job, route)?;
                }
                Command::Prepare { .. } | Command::Query => self.lane.query(job, route),
            }
            if self.is_asked(self.written) {
                self.lane.ask_conditions();
            }
            self.written += 1;
        }
        Ok(())
    }

    /// Sends the next command alone, for servers that are asked about it before they get another.
    pub(super) async fn send_next(&mut self, job: &Job<'_, '_>) -> Result<(), Error> {
        let Some(route) = self.routes.get(self.written).copied() else { return Ok(()) };
        self.marks.start();
        if let Command::Execute { params, .. } = job.command {
            if self.statements.len() == self.written {
                self.ask(job);
                self.lane.flush().await?;
                if let Some(refusal) = self.told(job).await? {
                    return Err(self.lane.refused(refusal));
                }
            }
            self.lane.execute(self.statements[self.written], params, job, route)?;
        } else {
            self.lane.query(job, route);
        }
        self.written += 1;
        self.lane.flush().await?;
        self.lane.answers().await
    }

    /// An answer has been read in full, which may have been an error: sends what waited for it.
    pub(super) async fn advance(&mut self, job: &Job<'_, '_>, error: Option<u16>) -> Result<(), Error> {
        self.read += 1;
        self.marks.end(error);
        if self.unread() > 0 || self.written == self.routes.len() {
            return Ok(());
        }
        if let Command::Execute { .. } = job.command
            && self.statements.len() == self.written
        {
            self.ask(job);
            self.lane.flush().await?;
            if let Some(refusal) = self.told(job).await? {
                return Err(self.lane.refused(refusal));
            }
        }
        self.write(job)?;
        self.lane.flush().await
    }

    /// The routes whose statements are prepared together.
    fn next(&self) -> std::ops::Range<usize> {
        self.statements.len()..self.routes.len().min(self.statements.len() + TOGETHER)
    }

    /// Asks the server to prepare the next statements that it does not know.
    pub(super) fn ask(&mut self, job: &Job<'_, '_>) {
        for place in self.next() {
            if self.lane.known(job, self.routes[place]).is_none() {
                self.preparing = true;
                self.lane.prepare(job, self.routes[place]);
            }
        }
    }

    /// Reads what it was asked.
    pub(super) async fn told(&mut self, job: &Job<'_, '_>) -> Result<Option<Refusal>, Error> {
        let mut first = None;
        self.lane.forget_passing();
        for place in self.next() {
            let route = self.routes[place];
            if let Some(statement) = self.lane.known(job, route) {
                self.statements.push(statement);
                continue;
            }
            match self.lane.prepared().await? {
                Ok(prepared) => {
                    self.lane.remember(job, route, prepared);
                    self.statements.push(prepared.statement);
                }
                Err(refusal) => {
                    first = first.or_else(|| Some(Names::of(job, route).refusal(refusal)));
                }
            }
        }
        self.preparing = false;
        Ok(first)
    }

    /// Nobody wants the rest: reads what is short and comes soon, else ends the statement on its server, so that it does
    /// not work for nobody. A connection that the session would miss is kept, any other is then closed.
    pub(super) async fn give_up(&mut self, job: &Job<'_, '_>, hub: &Hub) -> Result<(), Error> {
        if let Ok(done) = timeout(GRACE, self.drain(DRAIN)).await
            && done?
        {
            return Ok(());
        }
        if !self.lane.stays() {
            self.kill(job, hub, Kill::Connection).await;
            self.lane.lease.poison();
            return Ok(());
        }
        while self.unread() > 0 {
            self.kill(job, hub, Kill::Query).await;
            if let Ok(skipped) = timeout(AGAIN, self.skip(&mut { usize::MAX })).await {
                skipped?;
            }
        }
        // Should the order to end it come late, it ends this.
        self.lane.command("DO 0");
        self.lane.flush().await?;
        match self.lane.all_answers().await {
            Err(Error::Backend(error)) if error.refusal().is_some() => Ok(()),
            done => done,
        }
    }

    /// Ends what the server works on.
    pub(super) async fn kill(&self, job: &Job<'_, '_>, hub: &Hub, what: Kill) {
        let Some(unit) = job.database.units.values().find(|unit| unit.id == self.lane.unit) else { return };
        let thread = self.lane.lease.server().thread;
        match timeout(ENDING, hub.kill(unit, thread, what)).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::warn!(%error, thread, "cannot end a statement that nobody waits for"),
            Err(_) => tracing::warn!(thread, "a server does not end a statement that nobody waits for"),
        }
    }

    /// Reads what is left, if it has no more than so many bytes; says whether it did, or nothing can be read any more.
    /// May be dropped and called again.
    pub(super) async fn drain(&mut self, most: usize) -> Result<bool, Error> {
        if self.lane.lease.link() == Link::Poisoned {
            return Ok(true);
        }
        if !self.lane.lease.output().is_empty() || self.lane.lease.is_midway() || self.preparing {
            // Sent in part, or read to a place from which nobody finds on.
            self.lane.lease.poison();
            return Ok(true);
        }
        let mut left = most;
        self.lane.answers().await?;
        while self.unread() > 0 {
            if !self.skip(&mut left).await? {
                return Ok(false);
            }
        }
        self.lane.lease.settle();
        Ok(true)
    }

    /// Reads the rest of one answer, if it has no more than so many bytes. May be dropped and called again.
    async fn skip(&mut self, left: &mut usize) -> Result<bool, Error> {
        let deprecate_eof = self.lane.lease.capabilities().contains(Capabilities::DEPRECATE_EOF);
        let scan = self.scan.get_or_insert_with(|| ResponseScan::new(Expect::Results, deprecate_eof));
        let ended = self.lane.skip(scan, left).await?;
        if ended {
            self.scan = None;
            self.asked = self.is_asked(self.read) && !self.asked;
            if !self.asked {
                self.read += 1;
                self.marks.end(None);
            }
        }
        Ok(ended)
    }
}
