//! The result sets of several nodes as streams of rows, whichever connection they come on.
//!
//! Results on one connection come one after the other. When a merge wants a later one first, the earlier ones are read
//! ahead, on all connections at once: into memory as long as the whole statement keeps few there, then into a file.

use std::cell::{Cell, OnceCell};
use std::collections::VecDeque;

use backend::{Connection, Hub, Refusal};
use bytes::{Buf, BytesMut};
use futures_util::future::try_join_all;
use plan::RouteUnit;
use wire::caps::Capabilities;
use wire::column::Column;
use wire::cursor::Cursor;
use wire::frame::{self, HEADER};
use wire::reply;
use wire::scan::{Renumber, ResponseScan, Step};

use super::spill::{BLOCK, Spill, Stretch};
use super::track::{Track, give_up};
use crate::Error;
use crate::downstream::{Downstream, FULL};
use crate::executor::{Executor, Limits};
use crate::job::{Command, Job};
use crate::lane::refusal;
use crate::logical::Names;
use crate::merge::{Field, Format, Row, Shape};
use crate::relay::flush;

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
}

/// What all streams have in common.
struct Tally {
    /// Whether rows come in the binary form.
    binary: bool,
    /// The types of the columns as the first answer tells them, and the client is told.
    told: OnceCell<Vec<u8>>,
    /// Bytes of rows that were read before their turn and are in memory.
    held: Cell<usize>,
    /// Warnings of the results that have ended.
    warnings: Cell<u16>,
}

struct Stream {
    track: usize,
    /// Its columns, where a binary row does not read like one of the first answer.
    own: Option<Box<Shape>>,
    /// Rows read before their turn.
    early: VecDeque<Row>,
    /// Those that come after them and are in a file.
    spilled: Option<Stretch>,
    /// Read to its end.
    ended: bool,
}

/// What a server's answer turned out to be, or ended as.
pub(crate) enum Head {
    Columns(Vec<BytesMut>),
    Refused(Refusal),
}

/// The next of a stream.
pub(crate) enum Next {
    End,
    Refused(Refusal),
    Row(Row),
}

/// Why reading ahead ended early.
enum Stop {
    Failed(Error),
    Refused(Refusal),
}

impl<E: Into<Error>> From<E> for Stop {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

impl<'s, 'a, 'p> Answers<'s, 'a, 'p> {
    pub(crate) fn new(tracks: &'s mut [Track<'a>], job: &'s Job<'s, 'p>, executor: &'s Executor) -> Self {
        let mut streams = Vec::new();
        for (track, of) in tracks.iter().enumerate() {
            let stream = || Stream { track, own: None, early: VecDeque::new(), spilled: None, ended: false };
            streams.extend(of.routes.iter().map(|_| stream()));
        }
        let (limits, hub) = (&executor.limits, executor.pools.hub().as_ref());
        let tally = Tally {
            binary: matches!(job.command, Command::Execute { .. }),
            told: OnceCell::new(),
            held: Cell::default(),
            warnings: Cell::default(),
        };
        let sorted = executor.settings.variable("max_sort_length").and_then(|bytes| bytes.parse().ok());
        Self { tracks, job, streams, limits, hub, sorted, tally }
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
        let begun = try_join_all(self.tracks.iter_mut().map(|track| begun(&mut track.lane.lease))).await;
        match begun {
            Ok(_) => return Ok(None),
            Err(Some(error)) => return Err(error),
            Err(None) => {}
        }
        let firsts = self.firsts();
        Ok(firsts.into_iter().zip(&mut *self.tracks).find_map(|(stream, track)| {
            (track.lane.lease.input().get(HEADER) == Some(&reply::ERR)).then_some(stream)
        }))
    }

    /// Reads what comes before the rows of a stream whose turn it is.
    pub(crate) async fn head(&mut self, stream: usize) -> Result<Head, Error> {
        self.one(stream).head().await
    }

    /// The next row of a stream; those before it on the same connection must have ended.
    #[inline]
    pub(crate) async fn next(&mut self, stream: usize, shape: &Shape) -> Result<Next, Error> {
        self.one(stream).next(shape).await
    }

    fn one(&mut self, stream: usize) -> One<'_, 'a, 'p> {
        let stream = &mut self.streams[stream];
        let track = &mut self.tracks[stream.track];
        One { track, stream, job: self.job, tally: &self.tally }
    }

    /// Whether the rows of a stream whose head was read can be handed on as they are.
    pub(crate) fn is_as_told(&self, stream: usize) -> bool {
        self.streams[stream].own.is_none()
    }

    /// Hands all rows of a stream on as they are; gives a refusal that came instead of its end.
    pub(crate) async fn pour<D: Downstream>(
        &mut self,
        stream: usize,
        down: &mut D,
        rows: &mut u64,
    ) -> Result<Option<Refusal>, Error> {
        let connection: &mut Connection = &mut self.tracks[self.streams[stream].track].lane.lease;
        let capabilities = connection.capabilities();
        let mut scan = ResponseScan::among_rows(capabilities.contains(Capabilities::DEPRECATE_EOF));
        let mut renumber = Renumber::default();
        let mut shift = None;
        loop {
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
                    }
                }
                Ok(Step::Frame { len, .. }) => {
                    let frame = connection.input().split_to(len);
                    if let Some(shift) = shift {
                        *down.output().1 = frame[3].wrapping_add(shift);
                    }
                    return self.one(stream).row_end(&frame[HEADER..]).await;
                }
                Ok(Step::More) => {
                    if let Err(error) = connection.fill().await {
                        return Err(if scan.is_in_row() { Error::Torn(error) } else { error.into() });
                    }
                }
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
        let mut lines = Vec::with_capacity(self.tracks.len());
        for track in &mut *self.tracks {
            let (own, rest) = std::mem::take(&mut streams).split_at_mut(track.routes.len());
            streams = rest;
            if own.len() > 1 {
                lines.push(open_line(track, own, self.job, &self.tally, self.limits, shape));
            }
        }
        match try_join_all(lines).await {
            Ok(_) => Ok(None),
            Err(Stop::Refused(refusal)) => Ok(Some(refusal)),
            Err(Stop::Failed(error)) => Err(error),
        }
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

/// [`Answers::open_all`] for the streams of one connection, the first of which is at its rows.
async fn open_line<'a>(
    track: &mut Track<'a>,
    streams: &mut [Stream],
    job: &Job<'_, '_>,
    tally: &Tally,
    limits: &Limits,
    shape: &Shape,
) -> Result<(), Stop> {
    let last = streams.len() - 1;
    let mut spill = None;
    for (number, stream) in streams.iter_mut().enumerate() {
        let mut one = One { track: &mut *track, stream, job, tally };
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
            one.read_early(shape, limits, &mut spill).await?;
        }
    }
    Ok(())
}

/// One stream with its connection.
struct One<'x, 'a, 'p> {
    track: &'x mut Track<'a>,
    stream: &'x mut Stream,
    job: &'x Job<'x, 'p>,
    tally: &'x Tally,
}

impl One<'_, '_, '_> {
    async fn head(&mut self) -> Result<Head, Error> {
        let connection: &mut Connection = &mut self.track.lane.lease;
        connection.expect(1);
        let deprecate_eof = connection.capabilities().contains(Capabilities::DEPRECATE_EOF);
        // Nothing is taken before all of it is there: whoever gives the answer up in between finds its beginning.
        while !is_head(connection.input(), deprecate_eof) {
            connection.fill().await?;
        }
        let first = connection.message().await?;
        match first.payload.first() {
            Some(&reply::ERR) => return self.refused(&first.payload).map(Head::Refused),
            Some(&(reply::OK | reply::LOCAL_INFILE)) | None => {
                return Err(connection.broken(wire::Error::Malformed { what: "answer without rows" }).into());
            }
            Some(_) => {}
        }
        let count = Cursor::new(&first.payload).lenenc("number of columns");
        let count = count.map_err(|source| connection.broken(source))?;
        let mut columns = Vec::new();
        for _ in 0..count {
            columns.push(connection.message().await?.payload);
        }
        if !deprecate_eof {
            connection.message().await?;
        }
        self.track.scan = Some(ResponseScan::among_rows(deprecate_eof));
        if self.tally.binary {
            let types = types(&columns);
            if let Err(other) = self.tally.told.set(types)
                && self.tally.told.get() != Some(&other)
            {
                self.stream.own = Some(Box::new(own(&columns).map_err(Error::Malformed)?));
            }
        }
        Ok(Head::Columns(columns))
    }

    #[inline]
    async fn next(&mut self, shape: &Shape) -> Result<Next, Error> {
        if let Some(row) = self.stream.early.pop_front() {
            self.tally.held.set(self.tally.held.get().saturating_sub(row.size()));
            return Ok(Next::Row(row));
        }
        if let Some(spilled) = &mut self.stream.spilled {
            match spilled.message().await? {
                Some(payload) => return self.row(payload, shape),
                None => self.stream.spilled = None,
            }
        }
        if self.stream.ended {
            return Ok(Next::End);
        }
        let connection: &mut Connection = &mut self.track.lane.lease;
        let message = connection.message().await?;
        let capabilities = connection.capabilities();
        if message.payload.first() == Some(&reply::ERR) || reply::ends_rows(&message.payload, capabilities) {
            return Ok(self.row_end(&message.payload).await?.map_or(Next::End, Next::Refused));
        }
        self.row(message.payload, shape)
    }

    #[inline]
    fn row(&self, payload: BytesMut, shape: &Shape) -> Result<Next, Error> {
        match &self.stream.own {
            None => Row::read(payload, shape).map(Next::Row),
            Some(own) => Row::read(payload, own)?.recoded(own, shape).map(Next::Row),
        }
    }

    /// Reads a stream to its end before its turn.
    async fn read_early(
        &mut self,
        shape: &Shape,
        limits: &Limits,
        spill: &mut Option<Spill>,
    ) -> Result<(), Stop> {
        let mut early = VecDeque::new();
        while self.tally.held.get() <= limits.early {
            match self.next(shape).await? {
                Next::End => break,
                Next::Refused(refusal) => return Err(Stop::Refused(refusal)),
                Next::Row(row) => {
                    self.tally.held.set(self.tally.held.get() + row.size());
                    early.push_back(row);
                }
            }
        }
        self.stream.early = early;
        if self.stream.ended {
            return Ok(());
        }
        let spill = match spill {
            Some(spill) => spill,
            None => spill.insert(Spill::create(&limits.folder)?),
        };
        self.spill(spill).await
    }

    /// Reads the rest of a stream into a file, without looking at its rows.
    async fn spill(&mut self, spill: &mut Spill) -> Result<(), Stop> {
        let connection: &mut Connection = &mut self.track.lane.lease;
        let deprecate_eof = connection.capabilities().contains(Capabilities::DEPRECATE_EOF);
        // Kept with the connection: whoever gives the answer up in between goes on from here.
        let scan = self.track.scan.get_or_insert_with(|| ResponseScan::among_rows(deprecate_eof));
        let (start, mut first, mut block) = (spill.len(), None, Vec::with_capacity(BLOCK));
        loop {
            match scan.step(connection.input()) {
                Ok(Step::Rows { len, .. }) => {
                    let input = connection.input();
                    first.get_or_insert(input[3]);
                    block.extend_from_slice(&input[..len]);
                    input.advance(len);
                    if block.len() >= BLOCK {
                        block = spill.append(block).await?;
                    }
                }
                Ok(Step::Frame { len, .. }) => {
                    let frame = connection.input().split_to(len);
                    spill.append(block).await?;
                    self.stream.spilled = first.map(|first| spill.stretch(start, first));
                    return match self.row_end(&frame[HEADER..]).await? {
                        None => Ok(()),
                        Some(refusal) => Err(Stop::Refused(refusal)),
                    };
                }
                Ok(Step::More) => {
                    connection.fill().await?;
                }
                Ok(Step::Done) => return Ok(()),
                Err(source) => return Err(connection.broken(source).into()),
            }
        }
    }

    /// Takes note of what ends the rows of a stream; gives it if it is a refusal.
    async fn row_end(&mut self, payload: &[u8]) -> Result<Option<Refusal>, Error> {
        if payload.first() == Some(&reply::ERR) {
            return self.refused(payload).map(Some);
        }
        let connection: &mut Connection = &mut self.track.lane.lease;
        let end = reply::decode_end(payload, connection.capabilities());
        let end = end.map_err(|source| connection.broken(source))?;
        connection.note(end.status);
        self.tally.warnings.set(self.tally.warnings.get().saturating_add(end.warnings));
        self.stream.ended = true;
        self.track.scan = None;
        self.track.advance(self.job).await?;
        Ok(None)
    }

    fn refused(&mut self, payload: &[u8]) -> Result<Refusal, Error> {
        let connection: &mut Connection = &mut self.track.lane.lease;
        let refusal = refusal(payload).map_err(|source| connection.broken(source))?;
        self.stream.ended = true;
        self.track.scan = None;
        let route = self.track.routes.get(self.track.read);
        // What has not been written will not be.
        self.track.read += 1;
        Ok(match route {
            Some(route) => Names::of(self.job, route).refusal(refusal),
            None => refusal,
        })
    }
}

/// Whether all that comes before the rows is there, or what comes in its place.
fn is_head(input: &[u8], deprecate_eof: bool) -> bool {
    let mut at = 0;
    let mut left = 1;
    let mut first = true;
    while left > 0 {
        let Some(header) = frame::header(&input[at..]) else { return false };
        let Some(payload) = input.get(at + HEADER..at + HEADER + header.len) else { return false };
        left -= 1;
        at += HEADER + header.len;
        if std::mem::take(&mut first) && !matches!(payload.first(), Some(&(reply::ERR | reply::LOCAL_INFILE)))
        {
            let columns = Cursor::new(payload).lenenc("number of columns").unwrap_or_default();
            left = columns + u64::from(columns > 0 && !deprecate_eof);
        }
    }
    true
}

/// The types of columns, whose place is told from the end: it comes before two bytes of flags, one of decimals and two
/// that are empty.
fn types(head: &[BytesMut]) -> Vec<u8> {
    head.iter().map(|column| column.iter().rev().nth(5).copied().unwrap_or_default()).collect()
}

fn own(head: &[BytesMut]) -> Result<Shape, wire::Error> {
    let fields = columns(head)?.iter().map(|column| Field::of(column, Format::Binary)).collect();
    Ok(Shape { format: Format::Binary, fields, derived: 0 })
}

/// The columns of a head.
pub(crate) fn columns(head: &[BytesMut]) -> Result<Vec<Column>, wire::Error> {
    head.iter().map(|payload| Column::decode(payload)).collect()
}
