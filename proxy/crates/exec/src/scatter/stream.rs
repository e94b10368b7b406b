//! One result set of a statement over several nodes: what comes before its rows, its rows in their turn or before it.

use std::cell::{Cell, OnceCell};
use std::collections::VecDeque;

use backend::{Connection, Refusal};
use bytes::{Buf as _, BytesMut};
use futures_util::FutureExt as _;
use wire::caps::Capabilities;
use wire::column::Column;
use wire::cursor::Cursor;
use wire::frame::{self, HEADER, MAX_PAYLOAD, Message};
use wire::reply;
use wire::scan::{ResponseScan, Step};

use super::spill::{BLOCK, Spill, Stretch};
use super::track::Track;
use crate::Error;
use crate::job::Job;
use crate::lane::refusal;
use crate::limits::Limits;
use crate::logical::Names;
use crate::merge::{Field, Format, Row, Shape};

/// What all streams of a statement have in common.
#[derive(Default)]
pub(super) struct Tally {
    /// Whether rows come in the binary form.
    pub(super) binary: bool,
    /// The types of the columns as the first answer tells them, and the client is told.
    pub(super) told: OnceCell<Vec<u8>>,
    /// Bytes of rows that were read before their turn and are in memory.
    pub(super) held: Cell<usize>,
    /// Warnings of the results that have ended.
    pub(super) warnings: Cell<u16>,
}

/// One result set.
#[derive(Default)]
pub(super) struct Stream {
    pub(super) track: usize,
    /// What comes before its rows, read before its turn.
    pub(super) head: Option<Vec<BytesMut>>,
    /// Its rows have been reached.
    pub(super) open: bool,
    /// Its columns, where a binary row does not read like one of the first answer.
    pub(super) own: Option<Box<Shape>>,
    /// Rows read before their turn.
    pub(super) early: VecDeque<Row>,
    /// Those that come after them and are in a file.
    pub(super) spilled: Option<Stretch>,
    /// The error that comes after them.
    pub(super) failed: Option<Refusal>,
    /// Read to its end.
    pub(super) ended: bool,
}

impl Stream {
    /// Whether something of it has been read.
    pub(super) const fn is_begun(&self) -> bool {
        self.open || self.ended
    }

    /// Whether an error was read in its place.
    pub(super) const fn is_refused(&self) -> bool {
        self.failed.is_some() && !self.open
    }
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
pub(super) enum Stop {
    Failed(Error),
    Refused(Refusal),
}

impl<E: Into<Error>> From<E> for Stop {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

/// One stream with its connection.
pub(super) struct One<'x, 'a, 'p> {
    pub(super) track: &'x mut Track<'a>,
    pub(super) stream: &'x mut Stream,
    pub(super) job: &'x Job<'x, 'p>,
    pub(super) tally: &'x Tally,
}

impl One<'_, '_, '_> {
    pub(super) async fn head(&mut self) -> Result<Head, Error> {
        let head = match self.stream.head.take() {
            Some(columns) => Head::Columns(columns),
            None => match self.stream.failed.take_if(|_| !self.stream.open) {
                Some(refusal) => Head::Refused(refusal),
                None => self.read_head().await?,
            },
        };
        if let Head::Columns(columns) = &head
            && self.tally.binary
            && let Err(other) = self.tally.told.set(types(columns))
            && self.tally.told.get() != Some(&other)
        {
            self.stream.own = Some(Box::new(own(columns).map_err(Error::Malformed)?));
        }
        Ok(head)
    }

    async fn read_head(&mut self) -> Result<Head, Error> {
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
        self.stream.open = true;
        Ok(Head::Columns(columns))
    }

    #[inline]
    pub(super) async fn next(&mut self, shape: &Shape) -> Result<Next, Error> {
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
            return Ok(self.stream.failed.take().map_or(Next::End, Next::Refused));
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
    pub(super) async fn read_early(&mut self, shape: &Shape, limits: &Limits) -> Result<(), Stop> {
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
        self.spill(limits).await
    }

    /// Reads the rest of a stream into a file, without looking at its rows.
    async fn spill(&mut self, limits: &Limits) -> Result<(), Stop> {
        let spill = spill(&mut self.track.spill, limits)?;
        let connection: &mut Connection = &mut self.track.lane.lease;
        let deprecate_eof = connection.capabilities().contains(Capabilities::DEPRECATE_EOF);
        // Kept with the connection: whoever gives the answer up in between goes on from here.
        let scan = self.track.scan.get_or_insert_with(|| ResponseScan::among_rows(deprecate_eof));
        let (start, mut first, mut block) = (spill.len(), None, Vec::with_capacity(BLOCK));
        loop {
            match scan.step(connection.input()) {
                Ok(Step::Rows { len, .. }) => {
                    let input = connection.input();
                    // The first bytes are a header; those of later pieces may be fewer.
                    first.get_or_insert_with(|| input[3]);
                    block.extend_from_slice(&input[..len]);
                    input.advance(len);
                    if block.len() >= BLOCK {
                        block = spill.append(block).await?;
                    }
                }
                Ok(Step::Frame { len, .. }) => {
                    let frame = connection.input().split_to(len);
                    spill.append(block).await?;
                    match (&mut self.stream.spilled, first) {
                        (Some(stretch), _) => stretch.extend(spill),
                        (spilled, first) => *spilled = first.map(|first| spill.stretch(start, first)),
                    }
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

    /// Reads whole rows of the stream whose place it is on its connection, as far as they are there, and keeps them
    /// behind those that wait already.
    pub(super) async fn sip(&mut self, left: &mut usize, limits: &Limits) -> Result<(), Error> {
        if !self.stream.open {
            match self.read_head().now_or_never() {
                None => return Ok(()),
                Some(Err(error)) => return Err(error),
                Some(Ok(Head::Columns(columns))) => self.stream.head = Some(columns),
                Some(Ok(Head::Refused(refusal))) => self.stream.failed = Some(refusal),
            }
        }
        let (mut block, mut end) = (BytesMut::new(), None);
        let mut first = None;
        while *left > 0 && !self.stream.ended && end.is_none() {
            let connection: &mut Connection = &mut self.track.lane.lease;
            let Some(message) = connection.message().now_or_never() else { break };
            let Message { payload, sequence } = message?;
            if payload.first() == Some(&reply::ERR) || reply::ends_rows(&payload, connection.capabilities()) {
                end = Some(payload);
            } else {
                let mut number = sequence.wrapping_sub((payload.len() / MAX_PAYLOAD) as u8);
                first.get_or_insert(number);
                frame::put(&mut block, &mut number, &payload);
                *left = left.saturating_sub(payload.len());
            }
        }
        if let Some(first) = first {
            let spill = spill(&mut self.track.spill, limits)?;
            let start = spill.len();
            spill.append(block.into()).await?;
            let stretch = self.stream.spilled.get_or_insert_with(|| spill.stretch(start, first));
            stretch.extend(spill);
        }
        if let Some(end) = end {
            self.stream.failed = self.row_end(&end).await?;
        }
        Ok(())
    }

    /// Takes note of what ends the rows of a stream; gives it if it is a refusal.
    pub(super) async fn row_end(&mut self, payload: &[u8]) -> Result<Option<Refusal>, Error> {
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
        self.track.advance(self.job, None).await?;
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
        self.track.marks.end(Some(refusal.code));
        Ok(match route {
            Some(route) => Names::of(self.job, route).refusal(refusal),
            None => refusal,
        })
    }
}

/// The file of a connection's streams.
fn spill<'s>(spill: &'s mut Option<Spill>, limits: &Limits) -> Result<&'s mut Spill, Error> {
    match spill {
        Some(spill) => Ok(spill),
        None => Ok(spill.insert(Spill::create(&limits.folder)?)),
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
