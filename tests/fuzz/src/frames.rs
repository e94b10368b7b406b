//! Frames and answers: however the bytes are cut on their way, the same is read.

use bytes::{Buf as _, BytesMut};
use wire::column::{Column, ColumnType};
use wire::frame::{self, Assembler, Message};
use wire::scan::{Expect, ResponseScan, Step};
use wire::{caps::Capabilities, reply, result};

use crate::{Choices, seen};

/// Bytes that decide how the input is cut.
const CUTS: usize = 8;

/// The largest message that is accepted.
const LIMIT: usize = 3000;

/// Cuts of the input: pieces of these lengths, over and over.
pub(crate) fn pieces<'a>(choices: &Choices<'a>, input: &'a [u8]) -> impl Iterator<Item = &'a [u8]> {
    let lengths: Vec<usize> = choices.0.iter().map(|byte| usize::from(*byte % 40) + 1).collect();
    let mut at = 0;
    let mut turn = 0;
    std::iter::from_fn(move || {
        if at == input.len() {
            return None;
        }
        let len = lengths.get(turn % lengths.len().max(1)).copied().unwrap_or(1);
        turn += 1;
        let end = (at + len).min(input.len());
        let piece = &input[at..end];
        at = end;
        Some(piece)
    })
}

/// What an assembler made of bytes.
type Read = (Vec<Message>, Option<wire::Error>, bool);

/// Messages of all pieces. `front` takes whole frames where they lie.
fn assemble<'a>(pieces: impl Iterator<Item = &'a [u8]>, front: bool) -> Read {
    let mut assembler = Assembler::new(LIMIT);
    let mut input = BytesMut::new();
    let mut messages = Vec::new();
    for piece in pieces {
        input.extend_from_slice(piece);
        loop {
            assert!(assembler.wants(&input) >= frame::HEADER);
            if front {
                match assembler.front(&input) {
                    Ok(Some(header)) => {
                        input.advance(frame::HEADER);
                        let payload = input.split_to(header.len);
                        messages.push(Message { payload, sequence: header.sequence });
                        continue;
                    }
                    Ok(None) => {}
                    Err(error) => return (messages, Some(error), false),
                }
            }
            match assembler.next(&mut input) {
                Ok(Some(message)) => messages.push(message),
                Ok(None) => break,
                Err(error) => return (messages, Some(error), false),
            }
        }
    }
    (messages, None, assembler.is_midway())
}

/// A stream of frames.
pub(crate) fn frames(input: &[u8]) -> u64 {
    let (choices, input) = Choices::split(input, CUTS);
    let whole = assemble(std::iter::once(input), false);
    assert_eq!(whole, assemble(pieces(&choices, input), false), "cut otherwise");
    assert_eq!(whole, assemble(std::iter::once(input), true), "taken where they lie");
    assert_eq!(whole, assemble(pieces(&choices, input), true), "taken where they lie, cut otherwise");
    let (messages, error, _) = &whole;
    // What was read is written as it came.
    let mut written = BytesMut::new();
    let mut sequence = 0;
    for message in messages {
        frame::put(&mut written, &mut sequence, &message.payload);
        assert_eq!(sequence, message.sequence.wrapping_add(1));
        assert!(message.payload.len() <= LIMIT);
    }
    assert_eq!(input[..written.len()], written[..]);
    let kind = error.as_ref().map(std::mem::discriminant);
    seen((messages.len().min(5), kind, messages.last().map(|message| message.payload.len().min(4))))
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let mut stream = vec![1, 5, 39, 2, 7, 0, 0, 3];
    for (sequence, payload) in [&b"\x03SELECT 1"[..], b"", b"\x0e", &[7; 300]].iter().enumerate() {
        stream.extend_from_slice(&frame::header_bytes(payload.len(), sequence as u8));
        stream.extend_from_slice(payload);
    }
    vec![stream, vec![0; 40]]
}

/// What a scan reports, rows joined.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Event {
    Part(String),
    Rows { bytes: usize, rows: u64 },
    Error,
}

/// Follows an answer through its pieces.
fn scan<'a>(mut scan: ResponseScan, pieces: impl Iterator<Item = &'a [u8]>) -> (Vec<Event>, usize, bool) {
    let mut input = BytesMut::new();
    let (mut events, mut taken) = (Vec::new(), 0);
    for piece in pieces {
        input.extend_from_slice(piece);
        loop {
            let len = match scan.step(&input) {
                Ok(Step::More) => break,
                Ok(Step::Done) => return (events, taken, true),
                Ok(Step::Frame { len, part }) => {
                    assert!(
                        len >= frame::HEADER && len <= input.len(),
                        "a frame of {len} in {}",
                        input.len()
                    );
                    events.push(Event::Part(format!("{part:?}")));
                    len
                }
                Ok(Step::Rows { len, rows }) => {
                    assert!(len <= input.len(), "rows of {len} in {}", input.len());
                    if let Some(Event::Rows { bytes, rows: before }) = events.last_mut() {
                        *bytes += len;
                        *before += rows;
                    } else {
                        events.push(Event::Rows { bytes: len, rows });
                    }
                    len
                }
                Err(_) => {
                    events.push(Event::Error);
                    return (events, taken, false);
                }
            };
            assert!(len > 0, "a step that takes nothing");
            taken += len;
            input.advance(len);
        }
    }
    (events, taken, false)
}

/// The answer of a server.
pub(crate) fn answers(input: &[u8]) -> u64 {
    let (mut choices, input) = Choices::split(input, CUTS);
    let how = choices.next();
    let expect = [Expect::Results, Expect::Prepare, Expect::FieldList][usize::from(how % 3)];
    let deprecate_eof = how & 0x40 != 0;
    let fresh = || {
        if how & 0x80 != 0 {
            ResponseScan::among_rows(deprecate_eof)
        } else {
            ResponseScan::new(expect, deprecate_eof)
        }
    };
    let whole = scan(fresh(), std::iter::once(input));
    let cut = scan(fresh(), pieces(&choices, input));
    assert_eq!(whole, cut, "cut otherwise");
    assert!(whole.1 <= input.len());
    let kinds: Vec<_> = whole.0.iter().take(12).map(std::mem::discriminant).collect();
    seen((how & 0xC3, kinds, whole.2))
}

pub(crate) fn answer_seeds() -> Vec<Vec<u8>> {
    let columns = [Column::text("name", 10), Column::new("number", ColumnType::LONG)];
    let mut seeds = Vec::new();
    for (how, capabilities) in [(0_u8, Capabilities::empty()), (0x40, Capabilities::DEPRECATE_EOF)] {
        let front = [how, 3, 9, 1, 30, 17, 2, 5];
        let (mut out, mut sequence) = (BytesMut::new(), 1);
        let status = wire::caps::Status::MORE_RESULTS_EXIST;
        let mut writer = result::Writer::new(&mut out, &mut sequence, capabilities, &columns, status);
        for _ in 0..3 {
            writer.text([Some(&b"a name"[..]), None]);
        }
        writer.end(&reply::Ok { status, ..reply::Ok::default() });
        reply::put_ok(
            &mut out,
            &mut sequence,
            &reply::Ok { affected: 300, ..reply::Ok::default() },
            capabilities,
        );
        seeds.push([&front, &out[..]].concat());
        let (mut out, mut sequence) = (BytesMut::new(), 1);
        reply::put_error(&mut out, &mut sequence, wire::errno::WRONG_ARGUMENTS, "words");
        seeds.push([&front, &out[..]].concat());
        let (mut out, mut sequence) = (BytesMut::new(), 1);
        let prepared = wire::scan::Prepared { statement: 7, columns: 2, params: 1, warnings: 0 };
        frame::put_with(&mut out, &mut sequence, |out| prepared.encode(out));
        for column in [&columns[0], &columns[0], &columns[1]] {
            frame::put_with(&mut out, &mut sequence, |out| column.encode(out));
        }
        seeds.push([&[how + 1, 1, 2, 3, 4, 5, 6, 7], &out[..]].concat());
    }
    seeds
}
