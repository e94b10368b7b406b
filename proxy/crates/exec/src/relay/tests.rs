//! Answers handed on between every pair of dialects, checked frame by frame, however the bytes arrive.

use std::cell::Cell;
use std::io;
use std::rc::Rc;

use bytes::BufMut;
use wire::column::{Column, ColumnType};
use wire::frame::{HEADER, put_with};
use wire::reply::put_end;

use super::*;
use crate::downstream::{Dialect, Watch};

/// A server whose bytes are known beforehand and come in pieces of one size.
pub(super) struct Script {
    bytes: BytesMut,
    piece: usize,
    input: BytesMut,
    capabilities: Capabilities,
    status: Status,
    pub(super) poisoned: bool,
    most: usize,
    /// What it has been sent beside the command.
    pub(super) taken: BytesMut,
    /// After how many bytes of that it speaks.
    pub(super) patience: usize,
    tracked: Option<Box<Tracked>>,
}

impl Script {
    pub(super) fn new(bytes: BytesMut, piece: usize, deprecate_eof: bool) -> Self {
        let mut capabilities = Capabilities::PROTOCOL_41 | Capabilities::SESSION_TRACK;
        capabilities.set(Capabilities::DEPRECATE_EOF, deprecate_eof);
        let status = Status::AUTOCOMMIT;
        Self {
            bytes,
            piece,
            input: BytesMut::new(),
            capabilities,
            status,
            poisoned: false,
            most: 0,
            taken: BytesMut::new(),
            patience: usize::MAX,
            tracked: None,
        }
    }
}

impl Upstream for Script {
    fn input(&mut self) -> &mut BytesMut {
        &mut self.input
    }

    async fn fill(&mut self) -> Result<usize, backend::Error> {
        let piece = self.bytes.split_to(self.piece.min(self.bytes.len()));
        if piece.is_empty() {
            let origin = backend::Origin { unit: "ds_0".to_owned(), address: "host:1".to_owned() };
            return Err(backend::Error::Closed { origin: origin.into(), before_reply: false });
        }
        self.input.extend_from_slice(&piece);
        self.most = self.most.max(self.input.len());
        Ok(piece.len())
    }

    async fn send(&mut self, bytes: &[u8]) -> Result<bool, backend::Error> {
        if self.taken.len() + bytes.len() > self.patience {
            self.fill().await?;
            return Ok(false);
        }
        self.taken.extend_from_slice(bytes);
        Ok(true)
    }

    fn refused(&mut self, refusal: Refusal) -> backend::Error {
        let origin = backend::Origin { unit: "ds_0".to_owned(), address: "host:1".to_owned() };
        backend::Error::Refused { origin: origin.into(), refusal }
    }

    fn broken(&mut self, source: wire::Error) -> backend::Error {
        self.poisoned = true;
        let origin = backend::Origin { unit: "ds_0".to_owned(), address: "host:1".to_owned() };
        backend::Error::Protocol { origin: origin.into(), source }
    }

    fn poison(&mut self) {
        self.poisoned = true;
    }

    fn note(&mut self, status: Status) {
        self.status = status;
    }

    fn track(&mut self, tracked: Box<Tracked>) {
        self.tracked = Some(tracked);
    }

    fn status(&self) -> Status {
        self.status
    }

    fn capabilities(&self) -> Capabilities {
        self.capabilities
    }
}

/// A client that keeps what it was sent, or only counts it.
#[derive(Default)]
pub(super) struct Client {
    output: BytesMut,
    pub(super) sequence: u8,
    dialect: Dialect,
    sent: Option<BytesMut>,
    counted: usize,
    most: usize,
    gone: bool,
    /// What it has to send, if it lets files be asked for.
    pub(super) file: Option<BytesMut>,
    pub(super) input: BytesMut,
}

impl Client {
    pub(super) fn new(dialect: Dialect) -> Self {
        Self { dialect, sequence: 1, sent: Some(BytesMut::new()), ..Self::default() }
    }

    /// Sequence numbers and payloads of everything written.
    pub(super) fn frames(&mut self) -> Vec<(u8, Vec<u8>)> {
        let mut all = self.sent.take().unwrap();
        all.extend_from_slice(&self.output);
        let mut frames = Vec::new();
        while let Some(header) = frame::header(&all) {
            let frame = all.split_to(HEADER + header.len);
            frames.push((header.sequence, frame[HEADER..].to_vec()));
        }
        assert!(all.is_empty());
        frames
    }
}

impl Downstream for Client {
    fn output(&mut self) -> (&mut BytesMut, &mut u8) {
        (&mut self.output, &mut self.sequence)
    }

    async fn flush(&mut self) -> io::Result<()> {
        if self.gone {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        self.most = self.most.max(self.output.len());
        self.counted += self.output.len();
        if let Some(sent) = &mut self.sent {
            sent.extend_from_slice(&self.output);
        }
        self.output.clear();
        Ok(())
    }

    fn sends_files(&self) -> bool {
        self.file.is_some()
    }

    fn input(&mut self) -> &mut BytesMut {
        &mut self.input
    }

    async fn fill(&mut self) -> io::Result<usize> {
        let Some(file) = &mut self.file else { return Ok(0) };
        let piece = file.split_to(file.len().min(5000));
        self.most = self.most.max(self.input.len() + piece.len());
        self.input.extend_from_slice(&piece);
        Ok(piece.len())
    }

    fn dialect(&self) -> Dialect {
        self.dialect
    }

    fn watch(&self) -> impl Watch + use<> {
        Rc::new(Cell::new(None))
    }
}

pub(super) const MODERN: Dialect = Dialect { deprecate_eof: true, session_track: true, more: false };
const OLD: Dialect = Dialect { deprecate_eof: false, session_track: false, more: false };

fn view<'a, 'r>(expect: Expect, renames: &'a Renames<'r>) -> View<'a, 'r> {
    View { statement: 7, ..View::of(expect, renames) }
}

/// Runs a relay to its end.
fn run(script: &mut Script, client: &mut Client, expect: Expect) -> Result<Ending, Error> {
    let renames = Renames::default();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(relay(script, client, &view(expect, &renames)))
}

fn column(name: &'static str) -> BytesMut {
    let mut out = BytesMut::new();
    Column::new(name, ColumnType::VAR_STRING).encode(&mut out);
    out
}

/// A result of two columns as a peer of that kind sends or sees it.
fn result(rows: &[&[u8]], deprecate_eof: bool, more: bool, out: &mut BytesMut, sequence: &mut u8) {
    let mut capabilities = Capabilities::SESSION_TRACK;
    capabilities.set(Capabilities::DEPRECATE_EOF, deprecate_eof);
    let mut end = reply::Ok { status: Status::AUTOCOMMIT, warnings: 3, ..reply::Ok::default() };
    put_with(out, sequence, |out| out.put_u8(2));
    put_with(out, sequence, |out| out.extend_from_slice(&column("a")));
    put_with(out, sequence, |out| out.extend_from_slice(&column("b")));
    if !deprecate_eof {
        let eof = reply::Eof { warnings: 0, status: Status::AUTOCOMMIT };
        put_with(out, sequence, |out| eof.encode(out));
    }
    for row in rows {
        frame::put(out, sequence, row);
    }
    end.status.set(Status::MORE_RESULTS_EXIST, more);
    put_with(out, sequence, |out| put_end(out, &end, capabilities));
}

fn frames(bytes: BytesMut) -> Vec<(u8, Vec<u8>)> {
    Client { sent: Some(bytes), ..Client::default() }.frames()
}

#[test]
fn translates_results_between_all_dialects() {
    let rows: [&[u8]; 3] = [b"\x011\x012", b"\x03abc\xfb", b"\x00\x00"];
    for server in [true, false] {
        for client in [MODERN, OLD] {
            for piece in [1, 2, 3, 5, 7, 64, 4096] {
                let (mut bytes, mut expected) = (BytesMut::new(), BytesMut::new());
                result(&rows, server, false, &mut bytes, &mut 1);
                result(&rows, client.deprecate_eof, false, &mut expected, &mut 1);
                let (mut script, mut client) = (Script::new(bytes, piece, server), Client::new(client));
                let ending = run(&mut script, &mut client, Expect::Results).unwrap();
                assert_eq!((ending.rows, ending.warnings, ending.error), (3, 3, None));
                let frames_seen = client.frames();
                assert_eq!(
                    frames_seen,
                    frames(expected),
                    "server {server}, {:?}, pieces of {piece}",
                    client.dialect
                );
                assert_eq!(client.sequence, u8::try_from(frames_seen.len()).unwrap() + 1);
            }
        }
    }
}

#[test]
fn numbers_frames_over_several_results() {
    for server in [true, false] {
        for client in [MODERN, OLD] {
            let (mut bytes, mut expected) = (BytesMut::new(), BytesMut::new());
            for (out, deprecate_eof) in [(&mut bytes, server), (&mut expected, client.deprecate_eof)] {
                let mut sequence = 1;
                result(&[b"\x011\x012"], deprecate_eof, true, out, &mut sequence);
                result(&[b"\x013\x014"], deprecate_eof, true, out, &mut sequence);
                let ok = reply::Ok { affected: 5, status: Status::AUTOCOMMIT, ..reply::Ok::default() };
                put_with(out, &mut sequence, |out| ok.encode(out, Capabilities::empty()));
            }
            let (mut script, mut client) = (Script::new(bytes, 11, server), Client::new(client));
            let ending = run(&mut script, &mut client, Expect::Results).unwrap();
            assert_eq!((ending.rows, ending.affected), (2, 5));
            assert_eq!(client.frames(), frames(expected));
        }
    }
}

#[test]
fn continues_the_numbers_of_a_command_of_several_frames() {
    let (mut bytes, mut expected) = (BytesMut::new(), BytesMut::new());
    result(&[b"\x011\x012"], true, false, &mut bytes, &mut 1);
    result(&[b"\x011\x012"], true, false, &mut expected, &mut 255);
    let (mut script, mut client) = (Script::new(bytes, 9, true), Client::new(MODERN));
    client.sequence = 255;
    run(&mut script, &mut client, Expect::Results).unwrap();
    assert_eq!(client.frames(), frames(expected));
}

#[test]
fn hands_on_an_error_among_rows() {
    for client in [MODERN, OLD] {
        let mut bytes = BytesMut::new();
        let mut sequence = 1;
        result(&[b"\x011\x012"], true, false, &mut bytes, &mut sequence);
        let end = bytes.len() - HEADER - 7;
        bytes.truncate(end);
        sequence -= 1;
        let error = reply::Err { code: 1317, state: *b"70100", message: b"interrupted" };
        put_with(&mut bytes, &mut sequence, |out| error.encode(out));
        let (mut script, mut client) = (Script::new(bytes, 8, true), Client::new(client));
        let ending = run(&mut script, &mut client, Expect::Results).unwrap();
        assert_eq!((ending.error, ending.rows), (Some(1317), 1));
        let frames = client.frames();
        let (number, last) = frames.last().unwrap();
        assert_eq!(reply::Err::decode(last), Ok(error));
        assert_eq!(usize::from(*number), frames.len());
    }
}

#[test]
fn tells_a_torn_row_from_a_lost_server() {
    let mut bytes = BytesMut::new();
    result(&[b"\x011\x012", b"\x013\x014"], true, false, &mut bytes, &mut 1);
    let whole = bytes.len();
    // The end packet is 11 bytes, a row 8: cut behind the first row, and within the second.
    for (cut, torn) in [(11 + 8, false), (11 + 3, true)] {
        let mut script = Script::new(bytes.clone().split_to(whole - cut), 1, true);
        let error = run(&mut script, &mut Client::new(MODERN), Expect::Results).unwrap_err();
        assert_eq!(matches!(error, Error::Torn(_)), torn, "{error:?}");
        assert_eq!(matches!(error, Error::Backend(_)), !torn, "{error:?}");
    }
}

#[test]
fn poisons_the_connection_when_the_client_goes() {
    let row = [&[0xfc, 0x00, 0x80][..], &[b'x'; 0x8000], b"\x00"].concat();
    let mut bytes = BytesMut::new();
    result(&[&row, &row], true, false, &mut bytes, &mut 1);
    let (mut script, mut client) = (Script::new(bytes, 4096, true), Client::new(MODERN));
    client.gone = true;
    let error = run(&mut script, &mut client, Expect::Results).unwrap_err();
    assert!(matches!(error, Error::Client(_)) && error.fatal());
    assert!(script.poisoned);
}

#[test]
fn passes_a_huge_row_in_constant_memory() {
    // One row of 40 MB in three frames.
    let mut row = BytesMut::new();
    wire::cursor::put_string(&mut row, &vec![b'x'; 40 << 20]);
    row.put_u8(0);
    for client in [MODERN, OLD] {
        let mut bytes = BytesMut::new();
        result(&[&row, b"\x011\x012"], true, false, &mut bytes, &mut 1);
        let total = bytes.len();
        let (mut script, mut client) = (Script::new(bytes, 64 * 1024, true), Client::new(client));
        client.sent = None;
        let ending = run(&mut script, &mut client, Expect::Results).unwrap();
        assert_eq!(ending.rows, 2);
        client.counted += client.output.len();
        let eofs = if client.dialect.deprecate_eof { 0 } else { 9 - 2 };
        assert_eq!(client.counted, total + eofs);
        assert!(script.most <= 2 * 64 * 1024, "input grew to {}", script.most);
        assert!(client.most <= FULL + 64 * 1024, "output grew to {}", client.most);
        // Count, two columns, an EOF perhaps, three frames, one frame, the end.
        assert_eq!(client.sequence, if client.dialect.deprecate_eof { 9 } else { 10 });
    }
}

#[test]
fn answers_a_prepare_under_the_clients_number() {
    for server in [true, false] {
        for client in [MODERN, OLD] {
            for (params, columns) in [(0, 0), (2, 0), (0, 1), (2, 3)] {
                let (mut bytes, mut expected) = (BytesMut::new(), BytesMut::new());
                for (out, statement, eofs) in
                    [(&mut bytes, 99, !server), (&mut expected, 7, !client.deprecate_eof)]
                {
                    let mut sequence = 1;
                    let prepared = Prepared { statement, columns, params, warnings: 0 };
                    put_with(out, &mut sequence, |out| prepared.encode(out));
                    for definitions in [params, columns] {
                        for _ in 0..definitions {
                            put_with(out, &mut sequence, |out| out.extend_from_slice(&column("?")));
                        }
                        if eofs && definitions > 0 {
                            let eof = reply::Eof { warnings: 0, status: Status::AUTOCOMMIT };
                            put_with(out, &mut sequence, |out| eof.encode(out));
                        }
                    }
                }
                let (mut script, mut client) = (Script::new(bytes, 10, server), Client::new(client));
                let ending = run(&mut script, &mut client, Expect::Prepare).unwrap();
                assert_eq!(ending.prepared.map(|prepared| prepared.statement), Some(99));
                assert_eq!(
                    client.frames(),
                    frames(expected),
                    "{server} {:?} {params} {columns}",
                    client.dialect
                );
            }
        }
    }
}

#[test]
fn tells_the_session_state_and_never_the_physical_database() {
    let mut changes = BytesMut::new();
    reply::Change::Schema(b"physical").encode(&mut changes);
    reply::Change::Variable { name: b"autocommit", value: b"ON" }.encode(&mut changes);
    reply::Change::Variable { name: b"SQL_mode", value: b"" }.encode(&mut changes);
    reply::Change::State(true).encode(&mut changes);
    let status = Status::AUTOCOMMIT | Status::SESSION_STATE_CHANGED;
    let ok = reply::Ok { affected: 1, status, raw_changes: Some(&changes), ..reply::Ok::default() };
    for client in [MODERN, OLD] {
        let mut bytes = BytesMut::new();
        put_with(&mut bytes, &mut 1, |out| ok.encode(out, Capabilities::SESSION_TRACK));
        let (mut script, mut client) = (Script::new(bytes, 100, true), Client::new(client));
        let renames = Renames::default();
        let view = View { elsewhere: true, ..view(Expect::Results, &renames) };
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(relay(&mut script, &mut client, &view)).unwrap();
        let frames = client.frames();
        let told = reply::Ok::decode(&frames[0].1, client.dialect.capabilities()).unwrap();
        assert!(told.status.contains(Status::IN_TRANSACTION | Status::AUTOCOMMIT));
        let told: Vec<_> = told.changes().map(Result::unwrap).collect();
        let variables = [("autocommit", "ON"), ("sql_mode", "")];
        let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
        let noted = Tracked { variables, state: true, schema: true };
        assert_eq!(script.tracked.as_deref(), Some(&noted));
        let variable = reply::Change::Variable { name: b"autocommit", value: b"ON" };
        assert_eq!(told, if client.dialect.session_track { vec![variable] } else { vec![] });
    }
}

/// Runs a relay of decorated rows to its end.
fn decorate(script: &mut Script, client: &mut Client, decorations: &[Decoration]) -> Result<Ending, Error> {
    let renames = Renames::default();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let view = View { decorations, ..view(Expect::Results, &renames) };
    runtime.block_on(relay(script, client, &view))
}

#[test]
fn decorates_rows_between_all_dialects() {
    let rows: [&[u8]; 3] =
        [b"\x011\x18sFlUS8NkKpiSI2iT5H6MdQ==", b"\xfb\xfb", b"\x012\x18CrZkuFZyp9Dz8RCciozH6A=="];
    let shown: [&[u8]; 3] = [b"\x011\x0b13800001111", b"\xfb\xfb", b"\x012\x00"];
    let decorations = [crate::decorate::tests::decrypted(1)];
    for server in [true, false] {
        for client in [MODERN, OLD] {
            for piece in [1, 2, 3, 7, 64, 4096] {
                let (mut bytes, mut expected) = (BytesMut::new(), BytesMut::new());
                result(&rows, server, false, &mut bytes, &mut 1);
                result(&shown, client.deprecate_eof, false, &mut expected, &mut 1);
                let (mut script, mut client) = (Script::new(bytes, piece, server), Client::new(client));
                let ending = decorate(&mut script, &mut client, &decorations).unwrap();
                assert_eq!((ending.rows, ending.warnings, ending.error), (3, 3, None));
                let (seen, mut wanted) = (client.frames(), frames(expected));
                // The definition names the logical column.
                let mut column = Column::new("b", ColumnType::VAR_STRING);
                column.org_name = "phone".into();
                let mut definition = BytesMut::new();
                column.encode(&mut definition);
                wanted[2].1 = definition.to_vec();
                assert_eq!(seen, wanted, "server {server}, {:?}, pieces of {piece}", client.dialect);
                assert_eq!(usize::from(client.sequence), seen.len() + 1);
            }
        }
    }
}

#[test]
fn stops_before_a_row_that_cannot_be_decrypted() {
    let rows: [&[u8]; 3] = [b"\x011\x18sFlUS8NkKpiSI2iT5H6MdQ==", b"\x012\x03bad", b"\x013\xfb"];
    let decorations = [crate::decorate::tests::decrypted(1)];
    for piece in [3, 4096] {
        let mut bytes = BytesMut::new();
        result(&rows, true, false, &mut bytes, &mut 1);
        let (mut script, mut client) = (Script::new(bytes, piece, true), Client::new(MODERN));
        let error = decorate(&mut script, &mut client, &decorations).unwrap_err();
        assert_eq!(
            error.to_string(),
            "Failed to decrypt the ciphertext 'bad' in the column 'phone' of table 't_user'."
        );
        assert!(!error.fatal() && !script.poisoned);
        // What is left of the answer begins with the next row, and the client waits for the frame after the first row.
        script.input.extend_from_slice(&script.bytes);
        assert_eq!(&script.input[HEADER..][..3], b"\x013\xfb");
        assert_eq!(client.sequence, 5);
        assert_eq!(client.frames().last().unwrap().1, b"\x011\x0b13800001111");
    }
}

#[test]
fn numbers_frames_behind_a_decorated_row_of_another_number_of_frames() {
    // Base64 is longer than what it stands for: the row comes in two frames and goes on in one.
    let plain = vec![b'x'; frame::MAX_PAYLOAD * 3 / 4 + 16];
    let cipher = crate::decorate::tests::decrypted(1);
    let stored = crate::decorate::tests::stored(&plain);
    let mut row = BytesMut::new();
    wire::row::put_text(&mut row, [Some(&b"1"[..]), Some(&stored)]);
    assert!(row.len() > frame::MAX_PAYLOAD);
    for client in [MODERN, OLD] {
        let mut bytes = BytesMut::new();
        result(&[&row, b"\x012\xfb"], true, false, &mut bytes, &mut 1);
        let (mut script, mut client) = (Script::new(bytes, 1 << 20, true), Client::new(client));
        let ending = decorate(&mut script, &mut client, std::slice::from_ref(&cipher)).unwrap();
        assert_eq!(ending.rows, 2);
        let seen = client.frames();
        assert!(seen.iter().zip(1..).all(|(frame, number)| frame.0 == number));
        let rows: Vec<usize> = seen.iter().map(|frame| frame.1.len()).filter(|len| *len > 1000).collect();
        assert_eq!(rows, [2 + 4 + plain.len()]);
        assert!(client.most < row.len() && script.most < 2 * row.len());
    }
}

#[test]
fn tells_the_clients_own_parameters_of_a_prepared_text_with_others() {
    for server in [true, false] {
        for client in [MODERN, OLD] {
            for (sent, own, columns) in [(3, 1, 0), (1, 2, 1), (2, 0, 1), (0, 1, 2), (2, 2, 2)] {
                let (mut bytes, mut expected) = (BytesMut::new(), BytesMut::new());
                prepared(sent, columns, server, 1, &mut bytes);
                prepared(own, columns, client.deprecate_eof, 7, &mut expected);
                let (mut script, mut client) = (Script::new(bytes, 5, server), Client::new(client));
                let renames = Renames::default();
                let view = View { params: Some(own), ..view(Expect::Prepare, &renames) };
                let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
                let ending = runtime.block_on(relay(&mut script, &mut client, &view)).unwrap();
                assert_eq!(ending.prepared.map(|it| (it.params, it.columns)), Some((sent, columns)));
                let seen = client.frames();
                assert_eq!(seen, frames(expected), "{sent} for {own}, {columns} columns, server {server}");
                assert_eq!(usize::from(client.sequence), seen.len() + 1);
            }
        }
    }
}

/// The answer to a prepare.
fn prepared(params: u16, columns: u16, deprecate_eof: bool, statement: u32, out: &mut BytesMut) {
    let sequence = &mut 1;
    put_with(out, sequence, |out| Prepared { statement, columns, params, warnings: 0 }.encode(out));
    for (name, count) in [("?", params), ("c", columns)] {
        for _ in 0..count {
            put_with(out, sequence, |out| Column::new(name, ColumnType::VAR_STRING).encode(out));
        }
        if count > 0 && !deprecate_eof {
            let eof = reply::Eof { warnings: 0, status: Status::AUTOCOMMIT };
            put_with(out, sequence, |out| eof.encode(out));
        }
    }
}
