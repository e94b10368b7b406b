//! The result sets of several nodes as streams of rows, whichever connection they come on.
//!
//! Results on one connection come one after the other. When a merge wants a later one first, the earlier ones are read
//! into memory, up to a limit over the whole statement.

use std::collections::VecDeque;

use backend::{Connection, Refusal};
use bytes::{Buf, BytesMut};
use plan::RouteUnit;
use wire::caps::Capabilities;
use wire::column::Column;
use wire::cursor::Cursor;
use wire::frame::HEADER;
use wire::reply;
use wire::scan::{Renumber, ResponseScan, Step};

use super::Track;
use crate::Error;
use crate::downstream::{Downstream, FULL};
use crate::job::Job;
use crate::lane::refusal;
use crate::merge::{Row, Shape};
use crate::relay::flush;

/// All result sets of a statement, numbered by connection and then by order.
pub(crate) struct Answers<'s, 'a, 'p> {
    pub(crate) tracks: &'s mut [Track<'a>],
    job: &'s Job<'s, 'p>,
    streams: Vec<Stream>,
    limit: usize,
    held: usize,
    /// Warnings of the results that have ended.
    pub(crate) warnings: u16,
}

struct Stream {
    track: usize,
    /// Rows read before their turn.
    early: VecDeque<Row>,
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

impl<'s, 'a, 'p> Answers<'s, 'a, 'p> {
    pub(crate) fn new(tracks: &'s mut [Track<'a>], job: &'s Job<'s, 'p>, limit: usize) -> Self {
        let mut streams = Vec::new();
        for (track, of) in tracks.iter().enumerate() {
            streams.extend(of.routes.iter().map(|_| Stream { track, early: VecDeque::new(), ended: false }));
        }
        Self { tracks, job, streams, limit, held: 0, warnings: 0 }
    }

    /// How much memory the statement may take.
    pub(crate) fn limit(&self) -> usize {
        self.limit
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

    /// Reads what comes before the rows of a stream whose turn it is.
    pub(crate) async fn head(&mut self, stream: usize) -> Result<Head, Error> {
        let connection: &mut Connection = &mut self.tracks[self.streams[stream].track].lane.lease;
        connection.expect(1);
        let first = connection.message().await?;
        match first.payload.first() {
            Some(&reply::ERR) => return self.refused(stream, &first.payload).map(Head::Refused),
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
        if !connection.capabilities().contains(Capabilities::DEPRECATE_EOF) {
            connection.message().await?;
        }
        self.tracks[self.streams[stream].track].among_rows = true;
        Ok(Head::Columns(columns))
    }

    /// The next row of a stream; those before it on the same connection must have ended.
    pub(crate) async fn next(&mut self, stream: usize, shape: &Shape) -> Result<Next, Error> {
        if let Some(row) = self.streams[stream].early.pop_front() {
            self.held -= row.size();
            return Ok(Next::Row(row));
        }
        if self.streams[stream].ended {
            return Ok(Next::End);
        }
        let connection: &mut Connection = &mut self.tracks[self.streams[stream].track].lane.lease;
        let message = connection.message().await?;
        let capabilities = connection.capabilities();
        if message.payload.first() == Some(&reply::ERR) || reply::ends_rows(&message.payload, capabilities) {
            return Ok(self.row_end(stream, &message.payload).await?.map_or(Next::End, Next::Refused));
        }
        Row::read(message.payload, shape).map(Next::Row)
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
                    return self.row_end(stream, &frame[HEADER..]).await;
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

    /// Takes note of what ends the rows of a stream; gives it if it is a refusal.
    async fn row_end(&mut self, stream: usize, payload: &[u8]) -> Result<Option<Refusal>, Error> {
        if payload.first() == Some(&reply::ERR) {
            return self.refused(stream, payload).map(Some);
        }
        let connection: &mut Connection = &mut self.tracks[self.streams[stream].track].lane.lease;
        let end = reply::decode_end(payload, connection.capabilities());
        let end = end.map_err(|source| connection.broken(source))?;
        connection.note(end.status);
        self.warnings = self.warnings.saturating_add(end.warnings);
        self.streams[stream].ended = true;
        let track = &mut self.tracks[self.streams[stream].track];
        track.among_rows = false;
        track.advance(self.job).await?;
        Ok(None)
    }

    /// Reads a stream to its end into memory; gives a refusal that came instead of its end.
    pub(crate) async fn read_early(
        &mut self,
        stream: usize,
        shape: &Shape,
    ) -> Result<Option<Refusal>, Error> {
        let mut early = VecDeque::new();
        loop {
            match self.next(stream, shape).await? {
                Next::End => break,
                Next::Refused(refusal) => return Ok(Some(refusal)),
                Next::Row(row) => {
                    self.held += row.size();
                    if self.held > self.limit {
                        return Err(Error::Memory { what: "ORDER BY", limit: self.limit });
                    }
                    early.push_back(row);
                }
            }
        }
        self.streams[stream].early = early;
        Ok(None)
    }

    /// Whether another stream follows on the same connection.
    pub(crate) fn followed(&self, stream: usize) -> bool {
        self.streams.get(stream + 1).is_some_and(|next| next.track == self.streams[stream].track)
    }

    /// Nobody wants the rest.
    pub(crate) async fn drain(&mut self) -> Result<(), Error> {
        for track in &mut *self.tracks {
            track.drain().await?;
        }
        Ok(())
    }

    fn refused(&mut self, stream: usize, payload: &[u8]) -> Result<Refusal, Error> {
        let refusal = refusal(payload);
        let connection: &mut Connection = &mut self.tracks[self.streams[stream].track].lane.lease;
        let refusal = refusal.map_err(|source| connection.broken(source))?;
        self.streams[stream].ended = true;
        let track = &mut self.tracks[self.streams[stream].track];
        track.among_rows = false;
        // What has not been written will not be.
        track.read += 1;
        Ok(refusal)
    }
}

/// The columns of a head.
pub(crate) fn columns(head: &[BytesMut]) -> Result<Vec<Column>, wire::Error> {
    head.iter().map(|payload| Column::decode(payload)).collect()
}
