//! The result sets of several nodes as streams of rows, whichever connection they come on.
//!
//! Results on one connection come one after the other. When a merge wants a later one first, the earlier ones are read
//! into memory, up to a limit over the whole statement.

use std::collections::VecDeque;

use backend::{Connection, Refusal};
use bytes::BytesMut;
use wire::caps::Capabilities;
use wire::column::Column;
use wire::cursor::Cursor;
use wire::reply;

use super::Track;
use crate::Error;
use crate::job::Job;
use crate::lane::refusal;
use crate::merge::{Row, Shape};

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
        if message.payload.first() == Some(&reply::ERR) {
            return self.refused(stream, &message.payload).map(Next::Refused);
        }
        let capabilities = connection.capabilities();
        if reply::ends_rows(&message.payload, capabilities) {
            let end = reply::decode_end(&message.payload, capabilities)
                .map_err(|source| connection.broken(source))?;
            connection.note(end.status);
            self.warnings = self.warnings.saturating_add(end.warnings);
            self.ended(stream).await?;
            return Ok(Next::End);
        }
        Row::read(message.payload, shape).map(Next::Row)
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

    async fn ended(&mut self, stream: usize) -> Result<(), Error> {
        self.streams[stream].ended = true;
        let track = &mut self.tracks[self.streams[stream].track];
        track.among_rows = false;
        track.advance(self.job).await
    }
}

/// The columns of a head.
pub(crate) fn columns(head: &[BytesMut]) -> Result<Vec<Column>, wire::Error> {
    head.iter().map(|payload| Column::decode(payload)).collect()
}
