//! Where the two sides are in one answer, and what is translated between them.

use std::borrow::Cow;

use backend::Tracked;
use bytes::{Buf, BytesMut};
use wire::caps::{Capabilities, Status};
use wire::column::{Column, ColumnType};
use wire::scan::{Expect, Part, Prepared, Renumber};
use wire::{frame, reply};

use super::{Ending, Upstream, View, rename_column};
use crate::Error;
use crate::decorate::Decorator;
use crate::downstream::Downstream;
use crate::logical::Names;

/// Flags that are those of the session, not of one answer.
const LASTING: Status = Status::AUTOCOMMIT
    .union(Status::IN_TRANSACTION)
    .union(Status::IN_TRANSACTION_READONLY)
    .union(Status::NO_BACKSLASH_ESCAPES)
    .union(Status::ANSI_QUOTES);

/// The variables whose changes servers tell clients of by default.
const TOLD: [&[u8]; 5] = [
    b"autocommit",
    b"character_set_client",
    b"character_set_connection",
    b"character_set_results",
    b"time_zone",
];

/// Bytes of an EOF packet with its header.
const EOF: usize = frame::HEADER + 5;

/// Where the two sides are in one answer.
pub(super) struct Passage<'a> {
    server: Capabilities,
    client: Capabilities,
    /// Flags that hold in the session beside those of the server.
    beside: Status,
    /// What is added to the server's sequence numbers.
    pub(super) shift: u8,
    /// The sequence number of the first frame; the shift is known from the first frame on.
    pub(super) first: Option<u8>,
    renumber: Renumber,
    /// Definitions that are still to come in this stretch.
    left: u64,
    /// Columns that come after the parameters.
    columns: u64,
    /// Where in the output the end of the columns is, for clients that are told of it.
    pub(super) columns_end: Option<usize>,
    pub(super) ending: Ending,
    pub(super) decorator: Option<Decorator<'a>>,
    /// The client was asked for its file.
    pub(super) asked: bool,
}

impl<'a> Passage<'a> {
    pub(super) fn new<D: Downstream>(server: Capabilities, down: &mut D, view: &View<'_, '_>) -> Self {
        let dialect = down.dialect();
        let mut beside = dialect.told(Status::empty());
        beside.set(Status::IN_TRANSACTION, view.elsewhere && !view.begun);
        let first = *down.output().1;
        // Rows are not numbered one by one: where they come first, the server's first number is known to be 1.
        let among_rows = view.expect == Expect::Rows;
        Self {
            server,
            client: dialect.capabilities(),
            beside,
            shift: if among_rows { first.wrapping_sub(1) } else { 0 },
            first: (!among_rows).then_some(first),
            renumber: Renumber::default(),
            left: 0,
            columns: 0,
            columns_end: None,
            ending: Ending::default(),
            decorator: None,
            asked: false,
        }
    }

    /// Rewrites the row at the front of the input, which the caller then takes off.
    pub(super) fn row<U: Upstream, D: Downstream>(
        &mut self,
        up: &mut U,
        down: &mut D,
        len: usize,
    ) -> Result<(), Error> {
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
    pub(super) fn rows<U: Upstream, D: Downstream>(
        &mut self,
        up: &mut U,
        down: &mut D,
        len: usize,
        rows: u64,
    ) {
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
    pub(super) fn frame<U: Upstream, D: Downstream>(
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
        let (mut noted, mut tracked) = (None, None);
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
                    self.end_columns(self.shown(known), out, sequence);
                }
            }
            Part::ColumnsEof | Part::ParamsEof => {
                // Sent by a server that knows no better: dropped, and written anew if the client is of the same kind.
                let reply::Eof { warnings, status } = reply::Eof::decode(payload)?;
                if status.contains(Status::CURSOR_EXISTS) {
                    noted = Some(status);
                    self.cursor(status, warnings, out, sequence);
                } else {
                    self.shift = self.shift.wrapping_sub(1);
                    self.end_columns(self.shown(status), out, sequence);
                }
            }
            Part::Count(count) => {
                self.left = count;
                if let Some(decorator) = &mut self.decorator {
                    decorator.begin();
                }
                self.ending.rowset = true;
                copy(input, out, sequence);
            }
            Part::End(status) if self.opens(status) => {
                noted = Some(status);
                // The end of the columns is that of the answer.
                out.truncate(out.len() - EOF);
                *sequence = sequence.wrapping_sub(1);
                let warnings = reply::decode_end(payload, self.server)?.warnings;
                self.cursor(status, warnings, out, sequence);
            }
            Part::End(status) => {
                let end = reply::decode_end(payload, self.server)?;
                self.note(&end);
                noted = Some(status);
                let mut shown = end;
                shown.status = self.shown(status);
                if status.contains(Status::PS_OUT_PARAMS) {
                    shown.status = self.out_params(shown.status, out);
                }
                self.ending.status = shown.status;
                let changes = self.changes(&end, &mut tracked);
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
                let changes = self.changes(&ok, &mut tracked);
                shown.raw_changes = changes.as_deref();
                frame::put_with(out, sequence, |out| shown.encode(out, self.client));
            }
            Part::Prepared(prepared) => self.prepared(prepared, view, known, out, sequence),
        }
        if let Some(status) = noted {
            up.note(status);
        }
        tracked.into_iter().for_each(|tracked| up.track(tracked));
        Ok(())
    }

    /// Hands on what a server says of a statement that it has prepared.
    fn prepared(
        &mut self,
        prepared: Prepared,
        view: &View<'_, '_>,
        known: Status,
        out: &mut BytesMut,
        sequence: &mut u8,
    ) {
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

    /// Whether what ends the answer tells of a cursor to a client that has been told of the end of columns.
    fn opens(&self, status: Status) -> bool {
        status.contains(Status::CURSOR_EXISTS)
            && self.ending.rowset
            && !self.client.contains(Capabilities::DEPRECATE_EOF)
    }

    /// Writes the end of an answer whose rows a cursor will give.
    fn cursor(&mut self, status: Status, warnings: u16, out: &mut BytesMut, sequence: &mut u8) {
        (self.ending.status, self.ending.warnings) = (self.shown(status), warnings);
        let end = reply::Ok { status: self.ending.status, warnings, ..reply::Ok::default() };
        frame::put_with(out, sequence, |out| reply::put_end(out, &end, self.client));
    }

    /// Clients that know EOF packets are told before the row that it holds the OUT parameters of a procedure and that
    /// more follows, and not behind it; gives the flags to be told there.
    fn out_params(&mut self, status: Status, out: &mut BytesMut) -> Status {
        let flags = self.columns_end.take().map(|start| start + EOF - 2..start + EOF);
        match flags.and_then(|flags| out.get_mut(flags)) {
            Some(flags) if !self.client.contains(Capabilities::DEPRECATE_EOF) => {
                flags.copy_from_slice(&status.bits().to_le_bytes());
                status - Status::PS_OUT_PARAMS - Status::MORE_RESULTS_EXIST
            }
            _ => status,
        }
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
        self.end_columns(status, out, sequence);
        self.left = columns;
    }

    /// The last definition of a stretch has been written.
    fn end_columns(&mut self, status: Status, out: &mut BytesMut, sequence: &mut u8) {
        self.left = std::mem::take(&mut self.columns);
        if !self.client.contains(Capabilities::DEPRECATE_EOF) {
            let status = (status & LASTING) | self.beside;
            self.columns_end = Some(out.len());
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

    /// Takes note of session changes, and gives them for a client that wants them.
    #[inline]
    fn changes(&self, ok: &reply::Ok<'_>, noted: &mut Option<Box<Tracked>>) -> Option<BytesMut> {
        ok.raw_changes.and_then(|_| self.changed(ok, noted))
    }

    #[cold]
    fn changed(&self, ok: &reply::Ok<'_>, noted: &mut Option<Box<Tracked>>) -> Option<BytesMut> {
        let mut tracked = Tracked::default();
        tracked.add(ok);
        if tracked != Tracked::default() {
            *noted = Some(Box::new(tracked));
        }
        if !self.client.contains(Capabilities::SESSION_TRACK) {
            return None;
        }
        let mut kept = BytesMut::new();
        for change in ok.changes().flatten() {
            let wanted = match change {
                // Never the physical database; and what only the proxy has asked for.
                reply::Change::Schema(_) | reply::Change::State(_) => false,
                reply::Change::Variable { name, .. } => TOLD.contains(&name),
                _ => true,
            };
            if wanted {
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
pub(super) fn copy(input: &[u8], out: &mut BytesMut, sequence: &mut u8) {
    let start = out.len();
    out.extend_from_slice(input);
    out[start + 3] = *sequence;
    *sequence = sequence.wrapping_add(1);
}
