//! One server's answer handed to the client, frame by frame as it is, rows many at a time.
//!
//! What differs between the two sides is translated in passing: names in column definitions, EOF packets that only one
//! side knows, status flags, session changes the client did not ask for, and with them the sequence numbers. A row of any
//! size passes in constant memory: nothing is read on while more than [`FULL`] bytes wait for the client.

mod infile;
mod passage;

use std::cell::RefCell;
use std::future::Future;
use std::sync::Arc;

use backend::{Connection, Refusal, Tracked};
use bytes::{Buf, BytesMut};
use meta::Database;
use plan::{Decoration, Renames};
use wire::caps::{Capabilities, Status};
use wire::scan::{Expect, Part, Prepared, ResponseScan, Step};
use wire::{column, frame, reply};

use crate::Error;
use crate::decorate::{Decorator, Sent};
use crate::downstream::{Downstream, FULL};

use passage::Passage;

/// The server's side of an answer; a trait so that tests can script it.
pub trait Upstream {
    /// What has been received.
    fn input(&mut self) -> &mut BytesMut;
    /// Receives more.
    fn fill(&mut self) -> impl Future<Output = Result<usize, backend::Error>>;
    /// The bytes do not follow the protocol.
    fn broken(&mut self, source: wire::Error) -> backend::Error;
    /// Sends bytes of the client's beside an answer; false when the server has said something before it took them all.
    fn send(&mut self, bytes: &[u8]) -> impl Future<Output = Result<bool, backend::Error>>;
    /// It refuses to go on with an answer.
    fn refused(&mut self, refusal: Refusal) -> backend::Error;
    /// Nobody will read the rest.
    fn poison(&mut self);
    /// Status flags that were told.
    fn note(&mut self, status: Status);
    /// Changes to the server's session that were told.
    fn track(&mut self, tracked: Box<Tracked>);
    /// Those told last.
    fn status(&self) -> Status;
    /// What was agreed with the server.
    fn capabilities(&self) -> Capabilities;
}

/// How the client is to see an answer.
#[derive(Clone, Copy, Debug)]
pub struct View<'a, 'r> {
    /// What kind of answer.
    pub expect: Expect,
    /// Names.
    pub renames: &'a Renames<'r>,
    /// Of which errors may name further tables.
    pub database: Option<&'a Arc<Database>>,
    /// What becomes of its columns.
    pub decorations: &'a [Decoration],
    /// Rows come in the binary form.
    pub binary: bool,
    /// How many parameters the client's statement has, after a prepare of a text with others.
    pub params: Option<u16>,
    /// The client's number of the statement, after a prepare.
    pub statement: u32,
    /// A transaction was begun here: if the server says that it is over, it is over everywhere.
    pub begun: bool,
    /// Another server of the session is in a transaction.
    pub elsewhere: bool,
    /// The statement names a file of the client's, which the server will ask for.
    pub local_file: bool,
    /// The id that a change is to tell, when the proxy has generated it.
    pub insert_id: Option<u64>,
    /// Where the columns of a cursor are kept between the answer that tells them and those with rows.
    pub(crate) columns: Option<&'a RefCell<Vec<Sent>>>,
}

impl<'a, 'r> View<'a, 'r> {
    /// An answer of that kind in the text form, in which nothing but names differs.
    pub fn of(expect: Expect, renames: &'a Renames<'r>) -> Self {
        Self {
            expect,
            renames,
            database: None,
            decorations: &[],
            binary: false,
            params: None,
            statement: 0,
            begun: false,
            elsewhere: false,
            local_file: false,
            insert_id: None,
            columns: None,
        }
    }
}

/// How an answer ended.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ending {
    /// The server's flags.
    pub status: Status,
    /// Rows changed.
    pub affected: u64,
    /// The first generated id, or 0.
    pub insert_id: u64,
    /// How many conditions the server keeps.
    pub warnings: u16,
    /// Rows handed on.
    pub rows: u64,
    /// Rows came, or could have.
    pub rowset: bool,
    /// The number of the server's error.
    pub error: Option<u16>,
    /// What was prepared, in the server's numbers.
    pub prepared: Option<Prepared>,
}

/// Hands one answer on. On an error of the client the connection is poisoned, since the rest of the answer stays unread.
pub async fn relay<U: Upstream, D: Downstream>(
    up: &mut U,
    down: &mut D,
    view: &View<'_, '_>,
) -> Result<Ending, Error> {
    if !view.decorations.is_empty() {
        return Box::pin(decorated(up, down, view)).await;
    }
    let mut scan = ResponseScan::new(view.expect, up.capabilities().contains(Capabilities::DEPRECATE_EOF));
    let mut passage = Passage::new(up.capabilities(), down, view);
    loop {
        match scan.step(up.input()) {
            Ok(Step::Done) => return Ok(passage.ending),
            Ok(Step::Frame { len, part: Part::LocalInfile })
                if view.local_file && !passage.asked && down.sends_files() =>
            {
                Box::pin(passage.file(up, down, len)).await?;
            }
            Ok(Step::Frame { len, part }) => {
                if let Err(source) = passage.frame(up, down, view, len, part) {
                    return Err(up.broken(source).into());
                }
                up.input().advance(len);
            }
            Ok(Step::More) => {
                if let Err(error) = up.fill().await {
                    return Err(if scan.is_in_row() { Error::Torn(error) } else { error.into() });
                }
            }
            Ok(Step::Rows { len, rows }) => {
                passage.rows(up, down, len, rows);
                if down.output().0.len() >= FULL {
                    passage.columns_end = None;
                    flush(up, down).await?;
                }
            }
            Err(source) => return Err(up.broken(source).into()),
        }
    }
}

/// Hands one answer on whose rows are rewritten, each held in memory as a whole. On [`Error::Undecryptable`] the answer
/// has been read up to a row, and the client waits for an error in the place of that row.
async fn decorated<U: Upstream, D: Downstream>(
    up: &mut U,
    down: &mut D,
    view: &View<'_, '_>,
) -> Result<Ending, Error> {
    let mut scan = ResponseScan::new(view.expect, up.capabilities().contains(Capabilities::DEPRECATE_EOF));
    let mut passage = Passage::new(up.capabilities(), down, view);
    let kept = view.columns.map(RefCell::take).unwrap_or_default();
    passage.decorator = Some(Decorator::among_rows(view.decorations, view.binary, kept));
    let done = decorate(&mut scan, &mut passage, up, down, view).await;
    if let (Some(columns), Some(decorator)) = (view.columns, passage.decorator) {
        columns.replace(decorator.into_columns());
    }
    done
}

async fn decorate<U: Upstream, D: Downstream>(
    scan: &mut ResponseScan,
    passage: &mut Passage<'_>,
    up: &mut U,
    down: &mut D,
    view: &View<'_, '_>,
) -> Result<Ending, Error> {
    loop {
        if scan.is_in_rows() {
            match row(up.input()) {
                Front::Row(len) => {
                    let done = passage.row(up, down, len);
                    up.input().advance(len);
                    match done {
                        Err(Error::Malformed(source)) => return Err(up.broken(source).into()),
                        done => done?,
                    }
                    if down.output().0.len() >= FULL {
                        passage.columns_end = None;
                        flush(up, down).await?;
                    }
                    continue;
                }
                Front::More => {
                    up.fill().await?;
                    continue;
                }
                Front::End => {}
            }
        }
        match scan.step(up.input()) {
            Ok(Step::Done) => return Ok(passage.ending),
            Ok(Step::Frame { len, part }) => {
                if let Err(source) = passage.frame(up, down, view, len, part) {
                    return Err(up.broken(source).into());
                }
                up.input().advance(len);
            }
            Ok(Step::More) => {
                up.fill().await?;
            }
            Ok(Step::Rows { .. }) => {
                return Err(up.broken(wire::Error::Malformed { what: "row among columns" }).into());
            }
            Err(source) => return Err(up.broken(source).into()),
        }
    }
}

/// What is at the front of the input, among rows.
enum Front {
    /// No row.
    End,
    More,
    /// A whole row, of so many bytes with its headers.
    Row(usize),
}

fn row(input: &[u8]) -> Front {
    let mut at = 0;
    loop {
        let Some(header) = frame::header(&input[at..]) else { return Front::More };
        let end = at + frame::HEADER + header.len;
        if input.len() < end {
            return Front::More;
        }
        if at == 0 {
            match input.get(frame::HEADER) {
                Some(&reply::EOF) if header.len == frame::MAX_PAYLOAD => {}
                Some(&first) if first < reply::EOF && header.len > 0 => {}
                _ => return Front::End,
            }
        }
        at = end;
        if header.len < frame::MAX_PAYLOAD {
            return Front::Row(at);
        }
    }
}

/// Makes the client take what waits for it.
pub(crate) async fn flush<U: Upstream, D: Downstream>(up: &mut U, down: &mut D) -> Result<(), Error> {
    down.flush().await.map_err(|error| {
        up.poison();
        Error::Client(error)
    })
}

/// Copies a column definition with logical names.
pub(crate) fn rename_column(
    payload: &[u8],
    renames: &Renames<'_>,
    out: &mut BytesMut,
    sequence: &mut u8,
) -> Result<(), wire::Error> {
    column::rename(payload, out, sequence, |names| {
        if let Some(schema) = renames.schema(names.schema) {
            names.schema = schema.as_bytes();
        }
        if let Some(table) = renames.table(names.org_table) {
            // An alias stays; the table's own name follows.
            if names.table == names.org_table {
                names.table = table.as_bytes();
            }
            names.org_table = table.as_bytes();
        } else if renames.hides(names.table) {
            names.table = &[];
            names.org_name = names.name;
        }
    })
}

impl Upstream for Connection {
    fn input(&mut self) -> &mut BytesMut {
        Self::input(self)
    }

    fn fill(&mut self) -> impl Future<Output = Result<usize, backend::Error>> {
        Self::fill(self)
    }

    fn broken(&mut self, source: wire::Error) -> backend::Error {
        Self::broken(self, source)
    }

    fn send(&mut self, bytes: &[u8]) -> impl Future<Output = Result<bool, backend::Error>> {
        Self::stream(self, bytes)
    }

    fn refused(&mut self, refusal: Refusal) -> backend::Error {
        Self::poison(self);
        backend::Error::Refused { origin: Arc::clone(self.origin()), refusal }
    }

    fn poison(&mut self) {
        Self::poison(self);
    }

    fn note(&mut self, status: Status) {
        Self::note(self, status);
    }

    fn track(&mut self, tracked: Box<Tracked>) {
        Self::track(self, tracked);
    }

    fn status(&self) -> Status {
        Self::status(self)
    }

    fn capabilities(&self) -> Capabilities {
        Self::capabilities(self)
    }
}

#[cfg(test)]
mod tests;
