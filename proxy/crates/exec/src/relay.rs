//! One server's answer handed to the client, frame by frame as it is, rows many at a time.
//!
//! What differs between the two sides is translated in passing: names in column definitions, EOF packets that only one
//! side knows, status flags, session changes the client did not ask for, and with them the sequence numbers. A row of any
//! size passes in constant memory: nothing is read on while more than [`FULL`] bytes wait for the client.

mod infile;

use std::borrow::Cow;
use std::future::Future;
use std::sync::Arc;

use backend::{Connection, Refusal};
use bytes::{Buf, BytesMut};
use meta::Database;
use plan::{Decoration, Renames};
use wire::caps::{Capabilities, Status};
use wire::column::{Column, ColumnType};
use wire::scan::{Expect, Part, Prepared, Renumber, ResponseScan, Step};
use wire::{column, frame, reply};

use crate::Error;
use crate::decorate::Decorator;
use crate::downstream::{Downstream, FULL};
use crate::logical::Names;

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
    passage.decorator = Some(Decorator::new(view.decorations, view.binary));
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

/// Where the two sides are in one answer.
struct Passage<'a> {
    server: Capabilities,
    client: Capabilities,
    /// Flags that hold in the session beside those of the server.
    beside: Status,
    /// What is added to the server's sequence numbers.
    shift: u8,
    /// The sequence number of the first frame; the shift is known from the first frame on.
    first: Option<u8>,
    renumber: Renumber,
    /// Definitions that are still to come in this stretch.
    left: u64,
    /// Columns that come after the parameters.
    columns: u64,
    ending: Ending,
    decorator: Option<Decorator<'a>>,
    /// The client was asked for its file.
    asked: bool,
}

impl<'a> Passage<'a> {
    fn new<D: Downstream>(server: Capabilities, down: &mut D, view: &View<'_, '_>) -> Self {
        let dialect = down.dialect();
        let mut beside = dialect.told(Status::empty());
        beside.set(Status::IN_TRANSACTION, view.elsewhere && !view.begun);
        Self {
            server,
            client: dialect.capabilities(),
            beside,
            shift: 0,
            first: Some(*down.output().1),
            renumber: Renumber::default(),
            left: 0,
            columns: 0,
            ending: Ending::default(),
            decorator: None,
            asked: false,
        }
    }

    /// Rewrites the row at the front of the input, which the caller then takes off.
    fn row<U: Upstream, D: Downstream>(&mut self, up: &mut U, down: &mut D, len: usize) -> Result<(), Error> {
        let (out, sequence) = down.output();
        let Some(decorator) = &self.decorator else { return Ok(()) };
        let input = &up.input()[..len];
        let start = *sequence;
        if len < frame::HEADER + frame::MAX_PAYLOAD {
            decorator.row(&input[frame::HEADER..], out, sequence)?;
        } else {
            let mut joined = BytesMut::with_capacity(len);
            for frame in input.chunks(frame::HEADER + frame::MAX_PAYLOAD) {
                joined.extend_from_slice(&frame[frame::HEADER..]);
            }
            decorator.row(&joined, out, sequence)?;
        }
        // The row may take another number of frames than it came in.
        let came = (len - 1) / (frame::HEADER + frame::MAX_PAYLOAD) + 1;
        self.shift = self.shift.wrapping_add(sequence.wrapping_sub(start)).wrapping_sub(came as u8);
        self.ending.rows += 1;
        Ok(())
    }

    #[inline]
    fn rows<U: Upstream, D: Downstream>(&mut self, up: &mut U, down: &mut D, len: usize, rows: u64) {
        let (out, sequence) = down.output();
        let start = out.len();
        out.extend_from_slice(&up.input()[..len]);
        up.input().advance(len);
        if self.shift != 0 {
            self.renumber.shift(&mut out[start..], self.shift);
        }
        self.ending.rows += rows;
        // Right unless a row took several frames; the frame that ends the rows puts it right even then.
        *sequence = sequence.wrapping_add(rows as u8);
    }

    /// Hands on the whole frame at the front of the input, which the caller then takes off.
    fn frame<U: Upstream, D: Downstream>(
        &mut self,
        up: &mut U,
        down: &mut D,
        view: &View<'_, '_>,
        len: usize,
        part: Part,
    ) -> Result<(), wire::Error> {
        let known = up.status();
        let (out, sequence) = down.output();
        let input = &up.input()[..len];
        let (number, payload) = (input[3], &input[frame::HEADER..]);
        if let Some(first) = self.first.take() {
            self.shift = first.wrapping_sub(number);
        }
        *sequence = number.wrapping_add(self.shift);
        let mut noted = None;
        match part {
            Part::Param if view.params.is_some() => self.shift = self.shift.wrapping_sub(1),
            Part::ParamsEof if view.params.is_some() => self.shift = self.shift.wrapping_sub(1),
            Part::Column | Part::Param => {
                if part == Part::Column
                    && let Some(decorator) = &mut self.decorator
                {
                    decorator.column(payload, view.renames, out, sequence)?;
                } else {
                    definition(input, view, out, sequence)?;
                }
                self.left = self.left.saturating_sub(1);
                if self.left == 0
                    && self.server.contains(Capabilities::DEPRECATE_EOF)
                    && view.expect != Expect::FieldList
                {
                    self.columns_end(self.shown(known), out, sequence);
                }
            }
            Part::ColumnsEof | Part::ParamsEof => {
                // Sent by a server that knows no better: dropped, and written anew if the client is of the same kind.
                self.shift = self.shift.wrapping_sub(1);
                let status = reply::Eof::decode(payload)?.status;
                self.columns_end(self.shown(status), out, sequence);
            }
            Part::Count(count) => {
                self.left = count;
                if let Some(decorator) = &mut self.decorator {
                    decorator.begin();
                }
                self.ending.rowset = true;
                copy(input, out, sequence);
            }
            Part::End(status) => {
                let end = reply::decode_end(payload, self.server)?;
                self.note(&end);
                noted = Some(status);
                let mut shown = end;
                shown.status = self.shown(status);
                self.ending.status = shown.status;
                let changes = self.changes(&end);
                shown.raw_changes = changes.as_deref();
                frame::put_with(out, sequence, |out| reply::put_end(out, &shown, self.client));
            }
            Part::Err => {
                let error = reply::Err::decode(payload)?;
                self.ending.error = Some(error.code);
                self.ending.status = self.shown(known);
                refusal(input, error, view, out, sequence);
            }
            Part::LocalInfile => {
                return Err(wire::Error::Malformed {
                    what: "request for a file that the client did not offer",
                });
            }
            Part::Ok(status) => {
                let ok = reply::Ok::decode(payload, self.server)?;
                self.note(&ok);
                self.ending.rowset = false;
                noted = Some(status);
                let mut shown = ok;
                if let Some(id) = view.insert_id {
                    (shown.insert_id, self.ending.insert_id) = (id, id);
                }
                shown.status = self.shown(status);
                self.ending.status = shown.status;
                let changes = self.changes(&ok);
                shown.raw_changes = changes.as_deref();
                frame::put_with(out, sequence, |out| shown.encode(out, self.client));
            }
            Part::Prepared(prepared) => {
                self.ending.prepared = Some(prepared);
                (self.left, self.columns) = (u64::from(prepared.params), u64::from(prepared.columns));
                if self.left == 0 {
                    self.left = std::mem::take(&mut self.columns);
                }
                let params = view.params.unwrap_or(prepared.params);
                let shown = Prepared { statement: view.statement, params, ..prepared };
                frame::put_with(out, sequence, |out| shown.encode(out));
                if view.params.is_some() {
                    (self.left, self.columns) = (u64::from(prepared.columns), 0);
                    self.own_params(params, self.shown(known), out, sequence);
                }
            }
        }
        if let Some(status) = noted {
            up.note(status);
        }
        Ok(())
    }

    /// Writes parameters in the place of the server's, of which nobody knows more than that they are there.
    fn own_params(&mut self, params: u16, status: Status, out: &mut BytesMut, sequence: &mut u8) {
        if params == 0 {
            return;
        }
        let parameter = Column::new("?", ColumnType::VAR_STRING);
        for _ in 0..params {
            frame::put_with(out, sequence, |out| parameter.encode(out));
        }
        self.shift = self.shift.wrapping_add(params as u8);
        let columns = self.left;
        self.columns_end(status, out, sequence);
        self.left = columns;
    }

    /// The last definition of a stretch has been written.
    fn columns_end(&mut self, status: Status, out: &mut BytesMut, sequence: &mut u8) {
        self.left = std::mem::take(&mut self.columns);
        if !self.client.contains(Capabilities::DEPRECATE_EOF) {
            // The flags may be those of an earlier answer, of which only the lasting ones hold.
            let status = (status - Status::MORE_RESULTS_EXIST - Status::SESSION_STATE_CHANGED) | self.beside;
            let eof = reply::Eof { warnings: 0, status };
            frame::put_with(out, sequence, |out| eof.encode(out));
            self.shift = self.shift.wrapping_add(1);
        }
    }

    /// The status flags as the session sees them.
    #[inline]
    fn shown(&self, status: Status) -> Status {
        status | self.beside
    }

    fn note(&mut self, ok: &reply::Ok<'_>) {
        self.ending.affected = ok.affected;
        self.ending.insert_id = ok.insert_id;
        self.ending.warnings = ok.warnings;
    }

    /// The session changes for a client that asked for them; never the physical database.
    fn changes(&self, ok: &reply::Ok<'_>) -> Option<BytesMut> {
        if !self.client.contains(Capabilities::SESSION_TRACK) || ok.raw_changes.is_none() {
            return None;
        }
        let mut kept = BytesMut::new();
        for change in ok.changes().flatten() {
            if !matches!(change, reply::Change::Schema(_)) {
                change.encode(&mut kept);
            }
        }
        (!kept.is_empty()).then_some(kept)
    }
}

fn definition(
    input: &[u8],
    view: &View<'_, '_>,
    out: &mut BytesMut,
    sequence: &mut u8,
) -> Result<(), wire::Error> {
    if view.renames.is_empty() {
        copy(input, out, sequence);
        return Ok(());
    }
    rename_column(&input[frame::HEADER..], view.renames, out, sequence)
}

/// Copies an ERR packet, with logical names.
#[cold]
fn refusal(input: &[u8], error: reply::Err<'_>, view: &View<'_, '_>, out: &mut BytesMut, sequence: &mut u8) {
    match Names::new(view.renames, view.database).message(error.code, error.message) {
        Cow::Borrowed(_) => copy(input, out, sequence),
        Cow::Owned(message) => {
            let error = reply::Err { message: &message, ..error };
            frame::put_with(out, sequence, |out| error.encode(out));
        }
    }
}

/// Copies a frame, under the client's number.
#[inline]
fn copy(input: &[u8], out: &mut BytesMut, sequence: &mut u8) {
    let start = out.len();
    out.extend_from_slice(input);
    out[start + 3] = *sequence;
    *sequence = sequence.wrapping_add(1);
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

    fn status(&self) -> Status {
        Self::status(self)
    }

    fn capabilities(&self) -> Capabilities {
        Self::capabilities(self)
    }
}

#[cfg(test)]
mod tests;
