//! What lies around frames: compressed packets, headers of the PROXY protocol, files of clients, attributes of queries.

use bytes::{BufMut as _, BytesMut};
use wire::attributes::{Attributes, put_query};
use wire::caps::Capabilities;
use wire::command::{Command, code};
use wire::compress::{Codec, HEADER, MOST, Method, Packets};
use wire::frame::{self, Assembler};
use wire::infile::FileFrames;
use wire::proxy_protocol;

use crate::frames::pieces;
use crate::{Choices, seen};

/// Bytes that decide how an input is read.
const CUTS: usize = 8;

/// No packet may come to more: what three bytes can tell.
const PACKET_MAX: usize = 0xFF_FFFF;

fn method(choice: u8) -> Method {
    match choice % 3 {
        0 => Method::Zlib,
        level => Method::Zstd { level: level * 5 },
    }
}

/// What packets came to.
type Unpacked = (BytesMut, Option<wire::Error>);

/// Takes packets apart as they come.
fn unpack<'a>(codec: &mut Codec, method: Method, pieces: impl Iterator<Item = &'a [u8]>) -> Unpacked {
    let mut packets = Packets::new(method);
    let (mut input, mut out) = (BytesMut::new(), BytesMut::new());
    for piece in pieces {
        input.extend_from_slice(piece);
        loop {
            let before = (input.len(), out.len());
            match packets.unpack(codec, &mut input, &mut out) {
                Ok(true) => {
                    assert!(before.0 - input.len() >= HEADER, "a packet that takes nothing");
                    assert!(out.len() - before.1 <= PACKET_MAX, "more than a packet can hold");
                }
                Ok(false) => {
                    assert_eq!(before, (input.len(), out.len()), "taken though it is not whole");
                    break;
                }
                Err(error) => {
                    assert_eq!(before.1, out.len(), "something of a packet that is refused");
                    return (out, Some(error));
                }
            }
        }
    }
    (out, None)
}

/// Compressed packets, both ways: what a hostile peer sends is read alike however it is cut, and what is sent comes back.
pub(crate) fn compressed(input: &[u8]) -> u64 {
    let (mut choices, input) = Choices::split(input, CUTS);
    let (method, wide) = (method(choices.next()), usize::from(choices.next()));
    let mut codec = Codec::default();
    let whole = unpack(&mut codec, method, std::iter::once(input));
    // What went wrong before leaves nothing behind in the codec.
    assert_eq!(whole, unpack(&mut codec, method, pieces(&choices, input)), "cut otherwise");
    let (out, error) = &whole;
    let facts = (out.len().min(70), error.as_ref().map(std::mem::discriminant));
    round(&mut codec, method, wide, &pieces(&choices, input).collect::<Vec<_>>());
    seen((facts, matches!(method, Method::Zlib)))
}

/// Frames of these payloads, `wide` times as long, go out in packets and come back.
fn round(codec: &mut Codec, method: Method, wide: usize, payloads: &[&[u8]]) {
    let (mut stream, mut sequence) = (BytesMut::new(), 0);
    let mut held = BytesMut::new();
    let (mut sent, mut packets) = (BytesMut::new(), Packets::new(method));
    for (number, payload) in payloads.iter().take(12).enumerate() {
        let payload = if number % 4 == 1 { payload.repeat(wide * 16) } else { payload.to_vec() };
        let before = stream.len();
        frame::put(&mut stream, &mut sequence, &payload);
        // As a relay does, which has a header first and then what follows.
        let cut = before + (stream.len() - before) / 2;
        for part in [&stream[before..cut], &stream[cut..]] {
            held.extend_from_slice(part);
            loop {
                let start = sent.len();
                let taken = packets.pack(codec, &held, &mut sent);
                if taken == 0 {
                    assert_eq!(start, sent.len());
                    break;
                }
                assert!(taken <= MOST && sent.len() - start <= HEADER + taken, "a packet that grew");
                drop(held.split_to(taken));
            }
        }
    }
    assert!(held.is_empty(), "whole frames that are held back");
    let (back, error) = unpack(codec, method, std::iter::once(&sent[..]));
    assert!(error.is_none() && back == stream, "sent and not received: {error:?}");
}

pub(crate) fn compressed_seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for choice in 0..3 {
        let front = [choice, 40, 9, 30, 2, 17, 5, 1];
        let (mut codec, mut packets) = (Codec::default(), Packets::new(method(choice)));
        let mut out = BytesMut::new();
        for payload in [&b"\x03SELECT 1"[..], &[b'x'; 900], b"\x0e"] {
            let (mut frames, mut sequence) = (BytesMut::new(), 0);
            frame::put(&mut frames, &mut sequence, payload);
            packets.pack(&mut codec, &frames, &mut out);
        }
        seeds.push([&front[..], &out].concat());
        // One that becomes a million bytes, and that says it would become another number.
        let (mut bomb, mut frames, mut sequence) = (BytesMut::new(), BytesMut::new(), 0);
        frame::put(&mut frames, &mut sequence, &vec![0; MOST - frame::HEADER]);
        Packets::new(method(choice)).pack(&mut codec, &frames, &mut bomb);
        for told in [None, Some([0xFF; 3]), Some([1, 0, 0])] {
            let mut lie = bomb.clone();
            if let Some(told) = told {
                lie[4..HEADER].copy_from_slice(&told);
            }
            seeds.push([&front[..], &lie].concat());
        }
        // Lengths that nothing follows.
        seeds.push([&front[..], &[0xFF, 0xFF, 0xFF, 0, 0xFF, 0xFF, 0xFF, 1]].concat());
    }
    seeds
}

/// A header of the PROXY protocol: read, refused or waited for, and alike however much has come.
pub(crate) fn proxies(input: &[u8]) -> u64 {
    let whole = proxy_protocol::read(input);
    for end in 0..input.len().min(proxy_protocol::MAX) {
        match (proxy_protocol::read(&input[..end]), &whole) {
            (Ok(None), _) => {}
            (Ok(Some(header)), whole) => {
                assert!(header.len <= end, "a header of {} in {end} bytes", header.len);
                assert_eq!(whole, &Ok(Some(header)), "read of {end} bytes and not of all");
            }
            (Err(error), whole) => assert_eq!(whole, &Err(error), "refused at {end}"),
        }
    }
    if whole == Ok(None) {
        assert!(input.len() < proxy_protocol::MAX, "waited for without end");
    }
    match whole {
        Ok(None) => seen(input.len().min(20)),
        Ok(Some(header)) => seen((input[0], header.client.map(|client| client.is_ipv4()), header.len > 28)),
        Err(error) => seen((error.to_string(), input.first().copied())),
    }
}

pub(crate) fn proxy_seeds() -> Vec<Vec<u8>> {
    let signature = b"\r\n\r\n\0\r\nQUIT\n";
    let addresses = [192, 0, 2, 1, 198, 51, 100, 1, 0xC8, 0x22, 0x0C, 0xEA];
    let second = |command: u8, family: u8, rest: &[u8]| {
        [&signature[..], &[command, family, 0, rest.len() as u8], rest].concat()
    };
    vec![
        b"PROXY TCP4 192.0.2.1 198.51.100.1 51234 3306\r\nmore".to_vec(),
        b"PROXY TCP6 2001:db8::1 ::1 65535 0\r\n".to_vec(),
        b"PROXY UNKNOWN ffff:f...f:ffff 65535\r\n".to_vec(),
        second(0x21, 0x11, &addresses),
        second(0x21, 0x21, &[7; 36]),
        second(0x20, 0, b""),
        second(0x21, 0x31, &[0; 216]),
        second(0x21, 0x11, &[&addresses[..], &[3, 0, 4, 1, 2, 3, 4]].concat()),
    ]
}

/// Words of a line of version 1.
pub(crate) const LINES: &[&str] =
    &["PROXY", "TCP4", "TCP6", "UNKNOWN", "192.0.2.1", "::1", "65535", "65536", "0", "\r\n", "-1", "é"];

/// A file that a client sends: alike however it is cut, never a byte behind its end, numbered for the server.
pub(crate) fn files(input: &[u8]) -> u64 {
    let (mut choices, input) = Choices::split(input, CUTS);
    let (first, shift, how) = (choices.next(), choices.next(), choices.next());
    let fresh = || {
        let frames = FileFrames::new(first, shift);
        if how & 1 == 0 { frames } else { frames.relaxed() }
    };
    let mut frames = fresh();
    let whole = passed(&mut frames, std::iter::once(input));
    let mut again = fresh();
    let cut = passed(&mut again, pieces(&choices, input));
    assert_eq!(whole, cut, "cut otherwise");
    assert_eq!((frames.is_done(), frames.next()), (again.is_done(), again.next()));
    let (out, error) = &whole;
    // The server reads whole packets under its own numbers, of which the last is empty.
    let mut server = Assembler::new(usize::MAX);
    server.expect(first.wrapping_sub(shift));
    let (mut received, mut last) = (out.clone(), None);
    while let Some(message) = server.next(&mut received).expect("frames that are in order") {
        assert_ne!(last, Some(0), "something behind the end of the file");
        last = Some(message.payload.len());
    }
    assert!(!frames.is_done() || (received.is_empty() && last == Some(0)));
    seen((error.is_some(), frames.is_done(), how & 1, out.len().min(20)))
}

/// What of the pieces is sent on.
fn passed<'a>(frames: &mut FileFrames, pieces: impl Iterator<Item = &'a [u8]>) -> Unpacked {
    let (mut input, mut out) = (BytesMut::new(), BytesMut::new());
    for piece in pieces {
        input.extend_from_slice(piece);
        match frames.pass(&mut input) {
            Ok(len) => out.extend_from_slice(&input.split_to(len)),
            Err(error) => return (BytesMut::new(), Some(error)),
        }
    }
    (out, None)
}

pub(crate) fn file_seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for how in 0..2 {
        let (mut file, mut sequence) = (BytesMut::new(), 2);
        for payload in [&b"1,2\n"[..], &[b'x'; 300], b""] {
            frame::put(&mut file, &mut sequence, payload);
        }
        file.extend_from_slice(b"\x01\0\0\0\x0e");
        seeds.push([&[2, 1, how, 5, 30, 1, 9, 4][..], &file].concat());
    }
    seeds
}

/// Attributes of a query: read as the command is, and the same after they were written for a server.
pub(crate) fn attributes(input: &[u8]) -> u64 {
    let payload = [&[code::QUERY][..], input].concat();
    let capabilities = Capabilities::QUERY_ATTRIBUTES;
    let command = Command::decode(&payload, capabilities);
    let read = Attributes::of_query(&payload);
    let (Ok(Command::Query(text)), Ok(attributes)) = (&command, &read) else {
        // The command decides: what it refuses is never looked at again.
        return seen((command.is_ok(), read.map_err(|error| error.to_string()).is_ok()));
    };
    assert!(text.len() < payload.len());
    let Some(attributes) = attributes else { return seen(text.is_empty()) };
    assert!(attributes.len() <= input.len(), "more attributes than bytes");
    let mut written = BytesMut::new();
    put_query(&mut written, true, Some(attributes));
    written.put_slice(text);
    assert_eq!(Command::decode(&written, capabilities).ok(), Some(Command::Query(text)), "written again");
    // None at all are read as such.
    let again = Attributes::of_query(&written).expect("what was written can be read");
    assert_eq!(again.unwrap_or_default(), *attributes);
    let trace = attributes.traceparent();
    assert!(trace.is_none_or(|trace| trace.len() >= 55 && trace.is_ascii()));
    let kinds: Vec<_> = attributes.iter().map(|it| (it.kind, it.value.is_some())).take(6).collect();
    seen((format!("{kinds:?}"), trace.is_some()))
}

pub(crate) fn attribute_seeds() -> Vec<Vec<u8>> {
    let texts: [&[u8]; 5] = [
        b"\0\x01SELECT 1",
        b"\x01\x01\0\x01\xfd\0\x04name\x05valueSELECT 1",
        b"\x01\x01\x01\x01\xfd\0\x04nameSELECT 1",
        b"\x02\x01\0\x01\x08\x80\x01n\xfe\0\0\x01\0\0\0\0\0\0\0\x01xSELECT 1",
        b"\x01\x01\0\x01\xfe\0\x0btraceparent\x3700-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01DO 1",
    ];
    texts.map(<[u8]>::to_vec).to_vec()
}
