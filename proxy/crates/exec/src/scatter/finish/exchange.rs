//! What one connection is asked, and how its answers begin.

use backend::{Connection, Refusal};
use bytes::{BufMut, BytesMut};
use plan::RouteUnit;
use wire::attributes::put_query;
use wire::caps::Capabilities;
use wire::cursor::Cursor;
use wire::{frame, reply};

use crate::Error;
use crate::job::{Command, Job};
use crate::lane::refusal;
use crate::scatter::Track;

/// Routes whose statements may still be on their way to being prepared.
pub(super) struct Asked {
    pub(super) routes: Vec<RouteUnit>,
    /// Numbers of those whose preparation is to be read.
    pub(super) waits: Vec<usize>,
}

impl Asked {
    /// The server's number of each statement; 0 where none is prepared.
    pub(super) async fn read(
        self,
        track: &mut Track<'_>,
        job: &Job<'_, '_>,
    ) -> Result<Result<Vec<(RouteUnit, u32)>, Refusal>, Error> {
        let mut first = None;
        let mut statements = Vec::with_capacity(self.routes.len());
        let prepares = matches!(job.command, Command::Execute { .. });
        if prepares {
            track.lane.answers().await?;
        }
        for (number, route) in self.routes.into_iter().enumerate() {
            let statement = if !prepares {
                0
            } else if self.waits.contains(&number) {
                match track.lane.prepared().await? {
                    Ok(prepared) => {
                        track.lane.remember(job, &route, prepared);
                        prepared.statement
                    }
                    Err(refusal) => {
                        first = first.or(Some(refusal));
                        0
                    }
                }
            } else {
                track.lane.known(job, &route).unwrap_or_default()
            };
            statements.push((route, statement));
        }
        Ok(first.map_or(Ok(statements), Err))
    }
}

/// Writes a statement of the proxy's own.
pub(super) fn put_text(connection: &mut Connection, text: &str) {
    let some = connection.takes_attributes();
    frame::put_with(connection.output(), &mut 0, |out| {
        put_query(out, some, None);
        out.put_slice(text.as_bytes());
    });
}

/// Reads what comes before rows.
pub(super) async fn head(connection: &mut Connection) -> Result<Result<Vec<BytesMut>, Refusal>, Error> {
    let first = connection.message().await?;
    match first.payload.first() {
        Some(&reply::ERR) => return refused(connection, &first.payload).map(Err),
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
    Ok(Ok(columns))
}

pub(super) fn refused(connection: &mut Connection, payload: &[u8]) -> Result<Refusal, Error> {
    refusal(payload).map_err(|source| connection.broken(source).into())
}
