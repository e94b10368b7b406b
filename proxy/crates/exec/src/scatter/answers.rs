//! The result sets of several nodes as streams of rows, whichever connection they come on.
//!
//! Results on one connection come one after the other. When a merge wants a later one first, the earlier ones are read
//! ahead, on all connections at once: into memory as long as the whole statement keeps few there, then into a file.

use std::time::Duration;

use backend::{Connection, Hub, Refusal};
use bytes::Buf as _;
use futures_util::StreamExt as _;
use futures_util::future::try_join_all;
use futures_util::stream::FuturesUnordered;
use plan::RouteUnit;
use tokio::time::{Instant, timeout};
use wire::caps::Capabilities;
use wire::frame::{self, HEADER};
use wire::reply;
use wire::scan::{Renumber, ResponseScan, Step};

use super::stream::{Head, Next, One, Stop, Stream, Tally};
use super::track::{Track, give_up};
use crate::Error;
use crate::downstream::{Downstream, FULL};
use crate::executor::Executor;
use crate::job::{Command, Job};
use crate::limits::Limits;
use crate::merge::Shape;
use crate::relay::flush;

/// A server closes a connection from which nobody takes its rows, by default after a minute (`net_write_timeout`). A
/// stream that waits for others has so much read this often, which begins that minute anew.
const SIP: usize = 1 << 20;
const PACE: Duration = if cfg!(test) { Duration::from_millis(20) } else { Duration::from_secs(3) };
/// After so many rows it is looked at the clock.
const OFTEN: u32 = 4096;

/// All result sets of a statement, numbered by connection and then by order.
pub(crate) struct Answers<'s, 'a, 'p> {
    pub(crate) tracks: &'s mut [Track<'a>],
    job: &'s Job<'s, 'p>,
    streams: Vec<Stream>,
    limits: &'s Limits,
    hub: &'s Hub,
    /// `max_sort_length`, where the session has set it.
    sorted: Option<usize>,
    tally: Tally,
    /// When those that wait were read last.
    sipped: Instant,
    /// Rows that were asked for.
    rows: u32,
}

impl<'s, 'a, 'p> Answers<'s, 'a, 'p> {
    pub(crate) fn new(tracks: &'s mut [Track<'a>], job: &'s Job<'s, 'p>, executor: &'s Executor) -> Self {
        let mut streams = Vec::new();
        for (track, of) in tracks.iter().enumerate() {
            let stream = || Stream { track, ..Stream::default() };
            streams.extend(of.routes.iter().map(|_| stream()));
        }
        let (limits, hub) = (&executor.limits, executor.pools.hub().as_ref());
        let binary = matches!(job.command, Command::Execute { .. });
        let tally = Tally { binary, ..Tally::default() };
        let sorted = executor.settings.variable("max_sort_length").and_then(|bytes| bytes.parse().ok());
        Self { tracks, job, streams, limits, hub, sorted, tally, sipped: Instant::now(), rows: 0 }
    }

    /// How many bytes of a text the servers sort by, if the session has set that.
    pub(crate) fn sorted(&self) -> Option<usize> {
        self.sorted
    }

    /// How much memory the statement may take.
    pub(crate) fn limit(&self) -> usize {
        self.limits.memory
    }

    /// Warnings of the results that have ended.
    pub(crate) fn warnings(&self) -> u16 {
        self.tally.warnings.get()
    }

    /// Where the first stream comes from, whose columns are the ones shown.
    pub(crate) fn route(&self) -> Option<&'a RouteUnit> {
        self.tracks.first()?.routes.first().copied()
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.streams.len()
    }

    /// Streams that are the first on their connection.
    pub(crate) fn firsts(&self) -> Vec<usize> {
        let first = |&index: &usize| index == 0 || self.streams[index].track != self.streams[index - 1].track;
        (0..self.streams.len()).filter(first).collect()
    }

    /// Waits until every connection has begun to answer, or one has refused: gives the stream that did.
    pub(crate) async fn first_refused(&mut self) -> Result<Option<usize>, Error> {
        let firsts = self.firsts();
        loop {
            let streams = &self.streams;
            let tracks = firsts.iter().zip(&mut *self.tracks);
            let silent = tracks.filter(|(first, _)| !streams[**first].is_begun());
            let all = try_join_all(silent.map(|(_, track)| begun(&mut track.lane.lease)));
            match timeout(PACE, all).await {
                Ok(Ok(_)) => return Ok(None),
                Ok(Err(Some(error))) => return Err(error),
                Ok(Err(None)) => {}
                Err(_) => self.sip(None).await?,
            }
            for (first, track) in firsts.iter().zip(&mut *self.tracks) {
                let stream = &self.streams[*first];
                let waits = !stream.is_begun() && track.lane.lease.input().get(HEADER) == Some(&reply::ERR);
                if waits || stream.is_refused() {
                    return Ok(Some(*first));
                }
            }
        }
    }

    /// Reads what comes before the rows of a stream whose turn it is.
    pub(crate) async fn head(&mut self, stream: usize) -> Result<Head, Error> {
        self.one(stream).head().await
    }

    /// The next row of a stream; those before it on the same connection must have ended.
    #[inline]
    pub(crate) async fn next(&mut self, stream: usize, shape: &Shape) -> Result<Next, Error> {
        self.rows = self.rows.wrapping_add(1);
        if self.rows.is_multiple_of(OFTEN) {
            self.keep_waiting().await?;
        }
        let of = &self.streams[stream];
        if of.early.is_empty() && of.spilled.is_none() && !of.ended {
            self.await_message(of.track).await?;
        }
        self.one(stream).next(shape).await
    }

    /// Waits until a connection has a whole message, or the beginning of a great one.
    #[inline]
    async fn await_message(&mut self, track: usize) -> Result<(), Error> {
        loop {
            let connection: &mut Connection = &mut self.tracks[track].lane.lease;
            let input = connection.input();
            if frame::header(input).is_some_and(|header| input.len() >= HEADER + header.len) {
                return Ok(());
            }
            match timeout(PACE, connection.fill()).await {
                Ok(filled) => filled?,
                Err(_) => {
                    self.sip(Some(track)).await?;
                    continue;
                }
            };
        }
    }

    fn one(&mut self, stream: usize) -> One<'_, 'a, 'p> {
        let stream = &mut self.streams[stream];
        let track = &mut self.tracks[stream.track];
        One { track, stream, job: self.job, tally: &self.tally }
    }

    /// Whether the rows of a stream whose head was read can be handed on as they come from the server.
    pub(crate) fn can_pour(&self, stream: usize) -> bool {
        let stream = &self.streams[stream];
        stream.own.is_none() && stream.early.is_empty() && stream.spilled.is_none() && !stream.ended
    }

    /// Hands all rows of a stream on as they are; gives a refusal that came instead of its end.
    pub(crate) async fn pour<D: Downstream>(
        &mut self,
        stream: usize,
        down: &mut D,
        rows: &mut u64,
    ) -> Result<Option<Refusal>, Error> {
        let track = self.streams[stream].track;
        let capabilities = self.tracks[track].lane.lease.capabilities();
        let mut scan = ResponseScan::among_rows(capabilities.contains(Capabilities::DEPRECATE_EOF));
        let mut renumber = Renumber::default();
        let mut shift = None;
        loop {
            let connection: &mut Connection = &mut self.tracks[track].lane.lease;
            match scan.step(connection.input()) {
                Ok(Step::Rows { len, rows: begun }) => {
                    let (out, sequence) = down.output();
                    let shift = *shift.get_or_insert_with(|| sequence.wrapping_sub(connection.input()[3]));
                    let start = out.len();
                    out.extend_from_slice(&connection.input()[..len]);
                    connection.input().advance(len);
                    renumber.shift(&mut out[start..], shift);
                    *rows += begun;
                    // Right unless a row took several frames; the end of the rows puts it right even then.
                    *sequence = sequence.wrapping_add(begun as u8);
                    if out.len() >= FULL {
                        flush(connection, down).await?;
                        if self.sipped.elapsed() >= PACE {
                            self.sip(Some(track)).await?;
                        }
                    }
                }
                Ok(Step::Frame { len, .. }) => {
                    let frame = connection.input().split_to(len);
                    if let Some(shift) = shift {
                        *down.output().1 = frame[3].wrapping_add(shift);
                    }
                    return self.one(stream).row_end(&frame[HEADER..]).await;
                }
                Ok(Step::More) => match timeout(PACE, connection.fill()).await {
                    Ok(Ok(_)) => {}
                    Ok(Err(error)) if scan.is_in_row() => return Err(Error::Torn(error)),
                    Ok(Err(error)) => return Err(error.into()),
                    Err(_) => self.sip(Some(track)).await?,
                },
                Ok(Step::Done) => return Ok(None),
                Err(source) => return Err(connection.broken(source).into()),
            }
        }
    }

    /// Nobody wants the rest.
    pub(crate) async fn give_up(&mut self) -> Result<(), Error> {
        give_up(self.tracks, self.job, self.hub).await
    }

    /// Brings all streams to their rows so that each can be read whenever it is wanted: reads to their ends those that
    /// are followed by another on the same connection. A stream must have as many columns as `shape`.
    pub(crate) async fn open_all(&mut self, shape: &Shape) -> Result<Option<Refusal>, Error> {
        let mut streams = self.streams.as_mut_slice();
        let (mut opening, mut open) = (FuturesUnordered::new(), Vec::new());
        for track in &mut *self.tracks {
            let (own, rest) = std::mem::take(&mut streams).split_at_mut(track.routes.len());
            streams = rest;
            let line = Line { track, streams: own, job: self.job, tally: &self.tally, limits: self.limits };
            if line.streams.len() > 1 { opening.push(line.open(shape)) } else { open.push(line) }
        }
        while !opening.is_empty() {
            match timeout(PACE, opening.next()).await {
                Ok(Some(Ok(line))) => open.push(line),
                Ok(Some(Err(Stop::Refused(refusal)))) => return Ok(Some(refusal)),
                Ok(Some(Err(Stop::Failed(error)))) => return Err(error),
                Ok(None) => break,
                Err(_) => {
                    for line in &mut open {
                        line.sip().await?;
                    }
                }
            }
        }
        Ok(None)
    }

    /// Reads a little of what waits on each connection, but for one that is being read.
    async fn sip(&mut self, busy: Option<usize>) -> Result<(), Error> {
        self.sipped = Instant::now();
        let mut streams = self.streams.as_mut_slice();
        for (number, track) in self.tracks.iter_mut().enumerate() {
            let (own, rest) = std::mem::take(&mut streams).split_at_mut(track.routes.len());
            streams = rest;
            if Some(number) != busy {
                let line =
                    &mut Line { track, streams: own, job: self.job, tally: &self.tally, limits: self.limits };
                line.sip().await?;
            }
        }
        Ok(())
    }

    /// What is to be done now and then while rows go to the client: see [`PACE`].
    pub(crate) async fn keep_waiting(&mut self) -> Result<(), Error> {
        if self.sipped.elapsed() >= PACE { self.sip(None).await } else { Ok(()) }
    }
}

/// Waits for the first byte of an answer, which tells an error: that is not taken, and given as nothing.
async fn begun(connection: &mut Connection) -> Result<(), Option<Error>> {
    loop {
        match connection.input().get(HEADER) {
            Some(&reply::ERR) => return Err(None),
            Some(_) => return Ok(()),
            None => connection.fill().await.map_err(Error::from)?,
        };
    }
}

/// One connection with its streams.
struct Line<'x, 'a, 'p> {
    track: &'x mut Track<'a>,
    streams: &'x mut [Stream],
    job: &'x Job<'x, 'p>,
    tally: &'x Tally,
    limits: &'x Limits,
}

impl<'a, 'p> Line<'_, 'a, 'p> {
    /// [`Answers::open_all`] for these streams, the first of which is at its rows.
    async fn open(mut self, shape: &Shape) -> Result<Self, Stop> {
        let last = self.streams.len() - 1;
        for number in 0..=last {
            let limits = self.limits;
            let mut one = self.one(number);
            if number > 0 {
                match one.head().await? {
                    Head::Refused(refusal) => return Err(Stop::Refused(refusal)),
                    Head::Columns(columns) if columns.len() == shape.fields.len() => {}
                    Head::Columns(columns) => {
                        let (first, other) = (shape.fields.len(), columns.len());
                        return Err(Error::Columns { first, other }.into());
                    }
                }
            }
            if number < last {
                one.read_early(shape, limits).await?;
            }
        }
        Ok(self)
    }

    /// Reads what is there, up to [`SIP`] bytes, and waits for nothing.
    async fn sip(&mut self) -> Result<(), Error> {
        let mut left = SIP;
        while left > 0 && self.track.unread() > 0 {
            let Some(number) = self.streams.iter().position(|stream| !stream.ended) else { break };
            let limits = self.limits;
            let mut one = self.one(number);
            one.sip(&mut left, limits).await?;
            if !one.stream.ended {
                break;
            }
        }
        Ok(())
    }

    fn one(&mut self, number: usize) -> One<'_, 'a, 'p> {
        One { track: self.track, stream: &mut self.streams[number], job: self.job, tally: self.tally }
    }
}
