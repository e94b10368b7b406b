//! An answer that one server works out over what all nodes gave.
//!
//! First every node is asked for its rows, the first one also for the columns of the result; meanwhile servers leave
//! texts in their own character sets, so that no value is converted. Then the first one gets all rows in one text.
//! `ONLY_FULL_GROUP_BY` is off for that: the client's own statement has passed it, and the derived table has no keys.

mod exchange;

use std::collections::VecDeque;
use std::time::Duration;

use backend::{Connection, Hub, Kill, Link, Refusal};
use bytes::{BufMut, BytesMut};
use plan::{RouteUnit, Variant};
use sql::Body;
use tokio::time::timeout;
use wire::attributes::put_query;
use wire::caps::Capabilities;
use wire::column::Column;
use wire::command::code;
use wire::cursor::put_lenenc;
use wire::scan::{Expect, ResponseScan};
use wire::{frame, reply};

use super::stream::columns;
use super::{Track, status};
use crate::Error;
use crate::diagnostics::Conditions;
use crate::downstream::{Downstream, FULL};
use crate::executor::refuse;
use crate::finish::{Dialect, Fit, Gathered};
use crate::job::{Command, Job, Outcome};
use crate::lane::{Short, short};
use crate::logical::Names;
use crate::merge::Format;
use crate::relay::rename_column;
use exchange::{Asked, put_text, refused};

/// Before rows are gathered.
const OWN_CHARSETS: &str = "SET @@SESSION.character_set_results=NULL";
/// After that, where the answer is worked out. `ANSI` stands for several modes, this one among them; the others are told
/// by their own names, too.
const WORK: &str = "SET @weir_mode=@@SESSION.sql_mode,@@SESSION.sql_mode=REPLACE(REPLACE(\
                    CONCAT(',',@@SESSION.sql_mode,','),',ONLY_FULL_GROUP_BY,',','),',ANSI,',',')";
/// After that.
const MODE_BACK: &str = "SET @@SESSION.sql_mode=@weir_mode,@weir_mode=NULL";
/// So many bytes of texts, and so many prepared statements, are sent to one connection before answers are read.
const AHEAD: usize = 32 * 1024;
const TOGETHER: usize = 64;
/// The error of a statement that ran too long.
const GIVEN_UP: u16 = 3024;
/// Rows that nobody wants any more are waited for so long.
const GRACE: Duration = Duration::from_millis(50);
/// Every server takes a text of this size.
const SMALL: usize = 1 << 20;

/// An answer that is still to be read.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Owed {
    /// The columns of the result.
    Columns,
    /// OK, to a statement of the proxy's own.
    Ok,
    /// Gathered rows.
    Rows,
}

/// What is to be brought back on a connection.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Back {
    Charset,
    Mode,
}

/// One execution over all tracks.
struct Work<'t, 'a, 'j, 'p> {
    tracks: &'t mut [Track<'a>],
    job: &'j Job<'j, 'p>,
    /// For each track what it owes, in order.
    owed: Vec<VecDeque<Owed>>,
    /// For each track how many of its routes have been asked.
    asked: Vec<usize>,
    /// For each track how many of its routes have answered.
    answered: Vec<usize>,
    /// For each track what brings its settings back.
    back: Vec<Option<Back>>,
    gathered: Gathered,
    /// Which text tells the columns of the result.
    defining: Variant,
    /// The definitions of the result's columns.
    head: Vec<BytesMut>,
    warnings: u16,
    /// So many rows are shown.
    limit: u64,
}

/// Gathers, has the answer worked out and hands it on.
pub(super) async fn finish<D: Downstream>(
    tracks: &mut [Track<'_>],
    job: &Job<'_, '_>,
    (elsewhere, memory, limit): (bool, usize, Option<u64>),
    hub: &Hub,
    down: &mut D,
    conditions: &mut Conditions,
) -> Result<Outcome, Error> {
    let Some(first) = tracks.first() else { return Ok(Outcome::default()) };
    let format = if matches!(job.command, Command::Execute { .. }) { Format::Binary } else { Format::Text };
    let server = first.lane.lease.server();
    let dialect = Dialect::of(&server.version, server.mariadb);
    let begins = dialect == Dialect::Rows && job.template.begins();
    let count = tracks.len();
    let mut work = Work {
        tracks,
        job,
        owed: vec![VecDeque::new(); count],
        asked: vec![0; count],
        answered: vec![0; count],
        back: vec![None; count],
        gathered: Gathered::new(dialect, format, memory),
        defining: if begins { Variant::Begin } else { Variant::Define },
        head: Vec::new(),
        warnings: 0,
        limit: limit.unwrap_or(u64::MAX),
    };
    let mut outcome = Outcome { rowset: true, ..Outcome::default() };
    let done = work.run(format, elsewhere, down, &mut outcome, conditions).await;
    // Only then is the answer ended: a connection that a transaction needs may be lost even now.
    let settled = work.settle(hub).await;
    let refusal = done?;
    settled?;
    if let Some(refusal) = refusal {
        *conditions = Conditions::of(&refusal);
        outcome.error = refuse(down, &refusal).error;
    } else {
        work.end(elsewhere, down, &mut outcome);
    }
    Ok(outcome)
}

impl Work<'_, '_, '_, '_> {
    async fn run<D: Downstream>(
        &mut self,
        format: Format,
        elsewhere: bool,
        down: &mut D,
        outcome: &mut Outcome,
        conditions: &mut Conditions,
    ) -> Result<Option<Refusal>, Error> {
        if let Some(refusal) = self.gather().await? {
            return Ok(Some(refusal));
        }
        let worked = match self.ask().await? {
            Ok(columns) => columns,
            Err(refusal) => return Ok(Some(self.names().refusal(refusal))),
        };
        let mut told = columns(&self.head).map_err(Error::Malformed)?;
        let fit = match columns(&worked)
            .map_err(Error::Malformed)
            .and_then(|worked| Fit::new(&told, worked, format))
        {
            Ok(fit) => fit,
            Err(error) => {
                self.pass_over().await?;
                return Err(error);
            }
        };
        if self.defining == Variant::Define {
            fit.tell(&mut told);
        }
        self.begin(&told, elsewhere, down)?;
        if let Some(refusal) = self.rows(&fit, down, outcome).await? {
            return Ok(Some(refusal));
        }
        if self.warnings > 0 {
            *conditions = self.conditions().await;
        }
        Ok(None)
    }

    /// Asks all nodes and reads their rows; gives the first refusal.
    async fn gather(&mut self) -> Result<Option<Refusal>, Error> {
        while (0..self.tracks.len()).any(|at| self.asked[at] < self.tracks[at].routes.len()) {
            let mut asked = Vec::with_capacity(self.tracks.len());
            for at in 0..self.tracks.len() {
                asked.push(self.prepare(at, self.next(at)).await?);
            }
            let mut known = Vec::with_capacity(self.tracks.len());
            for (track, asked) in self.tracks.iter_mut().zip(asked) {
                known.push(asked.read(track, self.job).await?);
            }
            let known = match known.into_iter().collect::<Result<Vec<_>, _>>() {
                Ok(known) => known,
                Err(refusal) => return Ok(Some(self.names().refusal(refusal))),
            };
            for (at, statements) in known.into_iter().enumerate() {
                self.write(at, &statements)?;
                self.tracks[at].lane.flush().await?;
            }
            for at in 0..self.tracks.len() {
                self.tracks[at].lane.answers().await?;
                while let Some(owed) = self.owed[at].front().copied() {
                    let refusal = self.read(at, owed).await?;
                    if refusal.is_some() {
                        return Ok(refusal);
                    }
                }
            }
        }
        if self.head.is_empty() { self.define().await } else { Ok(None) }
    }

    /// Asks for the columns once more: the server had given up before it told them.
    async fn define(&mut self) -> Result<Option<Refusal>, Error> {
        self.defining = Variant::Define;
        let Some(route) = self.part(Variant::Define) else { return Ok(None) };
        self.bring_back(0);
        self.tracks[0].lane.flush().await?;
        let asked = self.prepare(0, vec![route]).await?;
        if let Some(owed) = self.owed[0].front().copied()
            && let Some(refusal) = self.read(0, owed).await?
        {
            return Ok(Some(refusal));
        }
        match asked.read(&mut self.tracks[0], self.job).await? {
            Ok(statements) => self.write(0, &statements)?,
            Err(refusal) => return Ok(Some(self.names().refusal(refusal))),
        }
        self.tracks[0].lane.flush().await?;
        self.read(0, Owed::Columns).await
    }

    /// The routes that a track is asked next, the definition of the result before them.
    fn next(&self, at: usize) -> Vec<RouteUnit> {
        let track = &self.tracks[at];
        let mut routes = Vec::new();
        if at == 0 && self.asked[at] == 0 {
            let first = track.routes.first().map(|route| (*route).clone());
            routes.extend(first.map(|route| RouteUnit { variant: self.defining, ..route }));
        }
        let ahead = match self.job.command {
            Command::Execute { .. } => TOGETHER,
            _ => (AHEAD / (2 * self.job.call.raw.len() + 256)).max(1),
        };
        routes.extend(track.routes.iter().skip(self.asked[at]).take(ahead).map(|route| (*route).clone()));
        routes
    }

    /// Has statements prepared where they are to be executed.
    async fn prepare(&mut self, at: usize, routes: Vec<RouteUnit>) -> Result<Asked, Error> {
        let track = &mut self.tracks[at];
        let mut asked = Asked { routes, waits: Vec::new() };
        if let Command::Execute { .. } = self.job.command {
            for (number, route) in asked.routes.iter().enumerate() {
                if track.lane.known(self.job, route).is_none() {
                    track.lane.prepare(self.job, route);
                    asked.waits.push(number);
                }
            }
            track.lane.flush().await?;
        }
        Ok(asked)
    }

    /// Writes what a track is asked.
    fn write(&mut self, at: usize, asked: &[(RouteUnit, u32)]) -> Result<(), Error> {
        let track = &mut self.tracks[at];
        for (route, statement) in asked {
            let defines = route.variant != Variant::Many;
            if !defines {
                if self.back[at].is_none() {
                    put_text(&mut track.lane.lease, OWN_CHARSETS);
                    self.owed[at].push_back(Owed::Ok);
                    self.back[at] = Some(Back::Charset);
                }
                self.asked[at] += 1;
                track.marks.start();
            }
            match self.job.command {
                Command::Execute { params, .. } => track.lane.execute(*statement, params, self.job, route)?,
                Command::Prepare { .. } | Command::Query => track.lane.query(self.job, route),
            }
            let owed = if defines { Owed::Columns } else { Owed::Rows };
            self.owed[at].push_back(owed);
        }
        Ok(())
    }

    /// Reads what a track owes next; gives a refusal in the client's terms.
    async fn read(&mut self, at: usize, owed: Owed) -> Result<Option<Refusal>, Error> {
        let route = self.tracks[at].routes.get(self.answered[at]).copied();
        let refusal = self.answer(at, owed).await?;
        if owed == Owed::Rows {
            self.answered[at] += 1;
            self.tracks[at].marks.end(refusal.as_ref().map(|refusal| refusal.code));
        }
        Ok(refusal.map(|refusal| match route {
            Some(route) => Names::of(self.job, route).refusal(refusal),
            None => refusal,
        }))
    }

    async fn answer(&mut self, at: usize, owed: Owed) -> Result<Option<Refusal>, Error> {
        if owed == Owed::Ok {
            let answer = short(&mut self.tracks[at].lane.lease).await?;
            self.owed[at].pop_front();
            return Ok(match answer {
                Short::Ok(_) => None,
                Short::Err(refusal) => Some(refusal),
            });
        }
        let patient = self.tracks[at].lane.stays();
        let connection: &mut Connection = &mut self.tracks[at].lane.lease;
        connection.expect(1);
        let head = match exchange::head(connection).await? {
            Ok(head) => head,
            Err(refusal) => {
                self.owed[at].pop_front();
                let late = owed == Owed::Columns && refusal.code == GIVEN_UP;
                return Ok((!late).then_some(refusal));
            }
        };
        let columns = columns(&head).map_err(|source| connection.broken(source))?;
        let mut failed = None;
        if owed == Owed::Columns {
            self.head = head;
        } else if let Err(error) = self.gathered.columns(&columns, self.job.template.gathered()) {
            failed = Some(error);
        }
        loop {
            let message = connection.message().await?;
            let capabilities = connection.capabilities();
            if message.payload.first() == Some(&reply::ERR) {
                self.owed[at].pop_front();
                if owed == Owed::Columns {
                    // It was to be given up.
                    return Ok(None);
                }
                return refused(connection, &message.payload).map(Some);
            }
            if reply::ends_rows(&message.payload, capabilities) {
                let end = reply::decode_end(&message.payload, capabilities);
                let end = end.map_err(|source| connection.broken(source))?;
                connection.note(end.status);
                self.owed[at].pop_front();
                if owed == Owed::Rows {
                    self.warnings = self.warnings.saturating_add(end.warnings);
                }
                return failed.map_or(Ok(None), Err);
            }
            if failed.is_none()
                && owed == Owed::Rows
                && let Err(error) = self.gathered.row(&message.payload, &columns)
            {
                if !patient {
                    // Nobody will miss the connection.
                    connection.poison();
                    return Err(error);
                }
                failed = Some(error);
            }
        }
    }

    /// Has the answer worked out: gives the definitions of its columns, behind which the rows come.
    async fn ask(&mut self) -> Result<Result<Vec<BytesMut>, Refusal>, Error> {
        let text = self.text().await?;
        for at in (0..self.tracks.len()).rev() {
            self.bring_back(at);
            if at > 0 {
                self.tracks[at].lane.flush().await?;
            }
        }
        let job = self.job;
        let Some(tail) = self.part(Variant::Tail) else { return Ok(Ok(Vec::new())) };
        let Some(head) = self.part(Variant::Head) else { return Ok(Ok(Vec::new())) };
        let track = &mut self.tracks[0];
        put_text(&mut track.lane.lease, WORK);
        self.owed[0].push_back(Owed::Ok);
        self.back[0] = Some(Back::Mode);
        let mut sequence = 0;
        let (some, prepares) =
            (track.lane.lease.takes_attributes(), matches!(job.command, Command::Execute { .. }));
        frame::put_with(track.lane.lease.output(), &mut sequence, |out| {
            if prepares {
                out.put_u8(code::STMT_PREPARE);
            } else {
                put_query(out, some, job.attributes);
            }
            out.extend_from_slice(&text);
        });
        track.lane.flush().await?;
        while self.owed[0].front() == Some(&Owed::Ok) {
            if let Some(refusal) = self.read(0, Owed::Ok).await? {
                return Ok(Err(refusal));
            }
        }
        let track = &mut self.tracks[0];
        if let Command::Execute { params, .. } = job.command {
            let prepared = match track.lane.prepared().await? {
                Ok(prepared) => prepared,
                Err(refusal) => return Ok(Err(refusal)),
            };
            track.lane.remember(job, &tail, prepared);
            let (head, tail) = (job.template.args(job.call, &head), job.template.args(job.call, &tail));
            let args = head.iter().chain(&tail).flat_map(plan::Args::iter);
            sequence = 0;
            let run = track.lane.execution(prepared.statement, job);
            run.put(track.lane.lease.output(), &mut sequence, params, args).map_err(Error::Malformed)?;
            track.lane.flush().await?;
        }
        let connection: &mut Connection = &mut self.tracks[0].lane.lease;
        connection.expect(sequence);
        exchange::head(connection).await
    }

    /// The client's statement over the rows.
    async fn text(&mut self) -> Result<BytesMut, Error> {
        let mut text = BytesMut::with_capacity(self.gathered.len() + self.job.call.raw.len() * 3 + 512);
        if let Some(head) = self.part(Variant::Head) {
            self.job.template.render(self.job.call, &head, &mut text);
        }
        self.gathered.write(self.job.template.gathered(), &mut text);
        if let Some(tail) = self.part(Variant::Tail) {
            self.job.template.render(self.job.call, &tail, &mut text);
        }
        if text.len() > SMALL {
            let told = self.tracks[0].lane.lease.query("SELECT @@max_allowed_packet").await?;
            let limit = told.text(0, 0).parse().unwrap_or(SMALL);
            if text.len() >= limit {
                return Err(Error::Gathered { limit });
            }
        }
        Ok(text)
    }

    fn part(&self, variant: Variant) -> Option<RouteUnit> {
        let route = self.tracks.first()?.routes.first()?;
        Some(RouteUnit { variant, ..(*route).clone() })
    }

    /// Hands the rows on; gives a refusal that came instead of their end.
    async fn rows<D: Downstream>(
        &mut self,
        fit: &Fit,
        down: &mut D,
        outcome: &mut Outcome,
    ) -> Result<Option<Refusal>, Error> {
        let counts =
            matches!(&self.job.template.statement().body, Body::Select(select) if select.traits.found_rows);
        let connection: &mut Connection = &mut self.tracks[0].lane.lease;
        let capabilities = connection.capabilities();
        loop {
            let message = connection.message().await?;
            if message.payload.first() == Some(&reply::ERR) {
                let refusal = refused(connection, &message.payload)?;
                return Ok(Some(self.names().refusal(refusal)));
            }
            if reply::ends_rows(&message.payload, capabilities) {
                let end = reply::decode_end(&message.payload, capabilities);
                let end = end.map_err(|source| connection.broken(source))?;
                connection.note(end.status);
                self.warnings = self.warnings.saturating_add(end.warnings);
                return Ok(None);
            }
            if outcome.rows >= self.limit {
                outcome.unsent += u64::from(counts);
                continue;
            }
            let (out, sequence) = down.output();
            if let Err(error) = fit.put(&message.payload, out, sequence) {
                connection.poison();
                return Err(error);
            }
            outcome.rows += 1;
            if out.len() >= FULL
                && let Err(error) = down.flush().await
            {
                connection.poison();
                return Err(Error::Client(error));
            }
        }
    }

    /// The rows of the answer will not be wanted.
    async fn pass_over(&mut self) -> Result<(), Error> {
        self.tracks[0].lane.pass_over().await
    }

    /// Names that the server which works the answer out says, and what the client calls them.
    fn names(&self) -> Names {
        let route = self.tracks.first().and_then(|track| track.routes.first());
        route.map(|route| Names::of(self.job, route)).unwrap_or_default()
    }

    /// What the warnings say: those of the nodes are known no more.
    async fn conditions(&mut self) -> Conditions {
        let names = self.names();
        match self.tracks[0].lane.conditions(&names).await {
            Some(list) if list.len() == usize::from(self.warnings) => Conditions::Known(list),
            _ => Conditions::Lost(self.warnings),
        }
    }

    /// Writes what brings a track's settings back.
    fn bring_back(&mut self, at: usize) {
        if let Some(back) = self.back[at].take() {
            let lease = &mut self.tracks[at].lane.lease;
            match back {
                Back::Charset => {
                    let text = lease.charset_text();
                    put_text(lease, &text);
                }
                Back::Mode => put_text(lease, MODE_BACK),
            }
            self.owed[at].push_back(Owed::Ok);
        }
    }

    /// Reads what is still owed, and brings all settings back. A connection on which that cannot be done is given up.
    async fn settle(&mut self, hub: &Hub) -> Result<(), Error> {
        for at in 0..self.tracks.len() {
            if self.tracks[at].lane.lease.link() == Link::Poisoned {
                continue;
            }
            self.bring_back(at);
            let unread = self.owed[at].iter().any(|owed| *owed != Owed::Ok);
            let done = if unread && !self.tracks[at].lane.stays() {
                match timeout(GRACE, self.settled(at)).await {
                    Ok(done) => done,
                    Err(_) => {
                        // Nobody wants what its server works on, and nobody will miss the connection.
                        self.tracks[at].kill(self.job, hub, Kill::Connection).await;
                        self.tracks[at].lane.lease.poison();
                        continue;
                    }
                }
            } else {
                self.settled(at).await
            };
            if done.is_err() {
                self.tracks[at].lane.lease.poison();
            }
            if self.tracks[at].lane.is_bound() {
                done?;
            }
        }
        Ok(())
    }

    async fn settled(&mut self, at: usize) -> Result<(), Error> {
        let lane = &mut self.tracks[at].lane;
        lane.flush().await?;
        lane.answers().await?;
        let deprecate_eof = lane.lease.capabilities().contains(Capabilities::DEPRECATE_EOF);
        while let Some(owed) = self.owed[at].pop_front() {
            if owed == Owed::Ok {
                if let Short::Err(refusal) = short(&mut lane.lease).await? {
                    return Err(lane.refused(refusal));
                }
            } else {
                let scan = &mut ResponseScan::new(Expect::Results, deprecate_eof);
                lane.skip(scan, &mut { usize::MAX }).await?;
            }
        }
        Ok(())
    }

    /// Writes what comes before the rows.
    fn begin<D: Downstream>(&self, told: &[Column], elsewhere: bool, down: &mut D) -> Result<(), Error> {
        let dialect = down.dialect();
        let (out, sequence) = down.output();
        frame::put_with(out, sequence, |out| put_lenenc(out, told.len() as u64));
        let route = self.tracks.first().and_then(|track| track.routes.first());
        let renames = route.map(|route| self.job.template.renames(route)).unwrap_or_default();
        let mut payload = BytesMut::new();
        for column in told {
            payload.clear();
            column.encode(&mut payload);
            rename_column(&payload, &renames, out, sequence).map_err(Error::Malformed)?;
        }
        if !dialect.deprecate_eof {
            let status = dialect.told(status(self.tracks, elsewhere));
            frame::put_with(out, sequence, |out| reply::Eof { warnings: 0, status }.encode(out));
        }
        Ok(())
    }

    /// Writes what comes behind them.
    fn end<D: Downstream>(&self, elsewhere: bool, down: &mut D, outcome: &mut Outcome) {
        let dialect = down.dialect();
        let capabilities = dialect.capabilities();
        outcome.status = dialect.told(status(self.tracks, elsewhere));
        outcome.warnings = self.warnings;
        let (out, sequence) = down.output();
        let end = reply::Ok { status: outcome.status, warnings: outcome.warnings, ..reply::Ok::default() };
        frame::put_with(out, sequence, |out| reply::put_end(out, &end, capabilities));
    }
}
