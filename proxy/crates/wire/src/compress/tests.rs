use proptest::prelude::*;

use super::*;

const METHODS: [Method; 4] =
    [Method::Zlib, Method::Zstd { level: 1 }, Method::Zstd { level: 3 }, Method::Zstd { level: 22 }];

/// The packets of a stream of frames that comes in pieces of this size.
fn packed_in(method: Method, frames: &[u8], piece: usize) -> BytesMut {
    let (mut packets, mut codec, mut out) = (Packets::new(method), Codec::default(), BytesMut::new());
    let mut held = BytesMut::new();
    for piece in frames.chunks(piece) {
        held.extend_from_slice(piece);
        loop {
            let packed = packets.pack(&mut codec, &held, &mut out);
            if packed == 0 {
                break;
            }
            held.advance(packed);
        }
        assert!(held.len() < MOST);
    }
    assert!(held.is_empty());
    out
}

/// The packet of one frame's payload.
fn packed(method: Method, payload: &[u8]) -> BytesMut {
    packed_in(method, &framed(&[payload.to_vec()]), usize::MAX)
}

fn framed(payloads: &[Vec<u8>]) -> BytesMut {
    let mut out = BytesMut::new();
    for payload in payloads {
        frame::put(&mut out, &mut 0, payload);
    }
    out
}

/// The lengths that packets are said to have had.
fn lengths(mut packets: &[u8]) -> Vec<usize> {
    let mut lengths = Vec::new();
    while let Some(&[a, b, c, _, d, e, f]) = packets.first_chunk::<HEADER>() {
        let (len, before) =
            (u32::from_le_bytes([a, b, c, 0]) as usize, u32::from_le_bytes([d, e, f, 0]) as usize);
        lengths.push(if before == 0 { len } else { before });
        packets = &packets[HEADER + len..];
    }
    lengths
}

/// Bytes that compress well, or not at all.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..3000),
        (any::<u8>(), 0_usize..200_000).prop_map(|(byte, len)| vec![byte; len]),
        ("[a-f]{1,40}", 1_usize..4000).prop_map(|(text, times)| text.repeat(times).into_bytes()),
    ]
}

/// A packet whose payload is said to be `before` bytes long.
fn packet(payload: &[u8], sequence: u8, before: usize) -> BytesMut {
    let mut out = BytesMut::new();
    out.put_uint_le(payload.len() as u64, 3);
    out.put_u8(sequence);
    out.put_uint_le(before as u64, 3);
    out.put_slice(payload);
    out
}

fn compressed(method: Method, from: &[u8]) -> Vec<u8> {
    let mut out = vec![0; from.len() + 1000];
    let len = Codec::default().pack(method, from, &mut out).unwrap();
    out.truncate(len);
    out
}

proptest! {
    #[test]
    fn what_is_packed_is_unpacked_however_it_arrives(
        payloads in prop::collection::vec(bytes(), 1..6),
        written in 1_usize..100_000,
        method in prop::sample::select(METHODS.to_vec()),
        pieces in prop::collection::vec(1_usize..9000, 1..6),
    ) {
        let from = framed(&payloads);
        let sent = packed_in(method, &from, written);
        let (mut packets, mut codec) = (Packets::new(method), Codec::default());
        let (mut input, mut into) = (BytesMut::new(), BytesMut::new());
        let (mut rest, mut pieces) = (&sent[..], pieces.iter().cycle());
        while !rest.is_empty() {
            let piece = rest.len().min(*pieces.next().unwrap());
            input.extend_from_slice(&rest[..piece]);
            rest = &rest[piece..];
            while packets.unpack(&mut codec, &mut input, &mut into).unwrap() {}
        }
        prop_assert!(input.is_empty());
        prop_assert!(into == from);
        // Never much larger, and each packet smaller than what is in it where that is said.
        let lengths = lengths(&sent);
        prop_assert!(sent.len() <= from.len() + HEADER * lengths.len());
        // No frame of these reaches over two packets.
        let ends: Vec<_> = payloads.iter().scan(0, |end, payload| {
            *end += 4 + payload.len();
            Some(*end)
        }).collect();
        let mut at = 0;
        for len in lengths {
            at += len;
            prop_assert!(ends.contains(&at));
        }
    }

    #[test]
    fn whatever_arrives_is_refused_or_read(
        junk in prop::collection::vec(any::<u8>(), 0..400),
        before in 0_usize..70_000,
        method in prop::sample::select(METHODS.to_vec()),
    ) {
        let (mut packets, mut codec, mut into) = (Packets::new(method), Codec::default(), BytesMut::new());
        let mut input = packet(&junk, 0, before);
        let read = packets.unpack(&mut codec, &mut input, &mut into);
        if before == 0 {
            prop_assert_eq!(read, Ok(true));
            prop_assert!(into == junk);
        } else {
            prop_assert!(into.len() == before || (read.is_err() && into.is_empty()));
        }
        // The codec is of use afterwards.
        let text = vec![b'x'; 500];
        let (mut packets, mut into) = (Packets::new(method), BytesMut::new());
        prop_assert_eq!(packets.unpack(&mut codec, &mut packed(method, &text), &mut into), Ok(true));
        prop_assert!(into[4..] == text);
    }
}

#[test]
fn a_packet_looks_as_the_protocol_has_it() {
    // The example of the protocol's manual: a query in a frame.
    let query = b"\x2e\0\0\0\x03select \"012345678901234567890123456789012345\"";
    let example = b"\x22\0\0\0\x32\0\0\x78\x9c\xd3\x63\x60\x60\x60\x2e\x4e\xcd\x49\x4d\x2e\x51\x50\x32\x30\
        \x34\x32\x36\x31\x35\x33\xb7\xb0\xc4\xcd\x52\x02\x00\x0c\xd1\x0a\x6c";
    let (mut packets, mut into) = (Packets::new(Method::Zlib), BytesMut::new());
    let mut input = BytesMut::from(&example[..]);
    assert_eq!(packets.unpack(&mut Codec::default(), &mut input, &mut into), Ok(true));
    assert!(into == query[..] && input.is_empty());
    assert_eq!(packed(Method::Zlib, &query[4..])[..HEADER], example[..HEADER]);
    let short = &query[4..LEAST - 1];
    assert_eq!(packed(Method::Zlib, short)[..HEADER], [0x31, 0, 0, 0, 0, 0, 0]);
    assert_eq!(packed(Method::Zlib, short)[HEADER + 4..], *short);
    // A stream of zlib and a frame of zstd begin as theirs do.
    let text = b"a".repeat(1996);
    let zlib = packed(Method::Zlib, &text);
    assert_eq!((zlib[4..7].to_vec(), zlib[7]), (vec![0xd0, 7, 0], 0x78));
    let zstd = packed(Method::Zstd { level: 3 }, &text);
    assert_eq!((&zstd[4..7], &zstd[7..11]), (&[0xd0, 7, 0][..], &[0x28, 0xb5, 0x2f, 0xfd][..]));
}

#[test]
fn sixteen_megabytes_in_one_packet_are_read() {
    let text: Vec<u8> = (0..0xFF_FF_FF_u32).map(|at| (at / 100) as u8).collect();
    for method in METHODS {
        let mut input = packet(&compressed(method, &text), 0, text.len());
        let (mut packets, mut codec, mut into) = (Packets::new(method), Codec::default(), BytesMut::new());
        assert_eq!(packets.unpack(&mut codec, &mut input, &mut into), Ok(true));
        assert!(into == text && codec.scratch.is_empty());
    }
}

#[test]
fn lengths_must_be_those_that_were_told() {
    let text = b"0123456789".repeat(100);
    for method in METHODS {
        let payload = compressed(method, &text);
        let behind = [payload.as_slice(), b"x"].concat();
        let twice = [payload.as_slice(), payload.as_slice()].concat();
        let short = &payload[..payload.len() - 1];
        for (payload, before) in [
            (&payload[..], 999),
            (&payload[..], 1001),
            (&payload[..], 1),
            (&payload[..], 0xFF_FF_FF),
            (&behind[..], 1000),
            (&twice[..], 1000),
            (short, 1000),
            (&[][..], 1000),
        ] {
            let (mut packets, mut codec, mut into) =
                (Packets::new(method), Codec::default(), BytesMut::new());
            let read = packets.unpack(&mut codec, &mut packet(payload, 0, before), &mut into);
            assert_eq!(read, Err(Error::Malformed { what: "compressed payload" }), "{method:?} {before}");
            assert!(into.is_empty());
        }
    }
    // What is no longer than it was may be said to be as it is.
    let mut into = BytesMut::new();
    let mut packets = Packets::new(Method::Zlib);
    assert_eq!(packets.unpack(&mut Codec::default(), &mut packet(b"", 0, 0), &mut into), Ok(true));
    assert!(into.is_empty());
}

#[test]
fn packets_are_numbered_through_question_and_answer() {
    let (mut packets, mut codec) = (Packets::new(Method::Zlib), Codec::default());
    let (mut out, mut into) = (BytesMut::new(), BytesMut::new());
    let mut next = |packets: &mut Packets, sequence| {
        packets.unpack(&mut codec, &mut packet(b"q", sequence, 0), &mut into)
    };
    assert_eq!(next(&mut packets, 0), Ok(true));
    assert_eq!(next(&mut packets, 1), Ok(true));
    let frames = framed(&[vec![7; CHUNK - 4], vec![7; 1]]);
    assert_eq!(packets.pack(&mut Codec::default(), &frames, &mut out), CHUNK);
    assert_eq!(out[3], 2);
    out.clear();
    assert_eq!(packets.pack(&mut Codec::default(), &frames[CHUNK..], &mut out), 5);
    assert_eq!(out[3], 3);
    // A file goes on from there, another command begins anew.
    assert_eq!(next(&mut packets, 4), Ok(true));
    assert_eq!(next(&mut packets, 4), Err(Error::OutOfOrder { expected: 5, got: 4 }));
    assert_eq!(next(&mut packets, 0), Ok(true));
    assert_eq!(next(&mut packets, 1), Ok(true));
}

#[test]
fn a_frame_is_cut_when_it_is_too_large_and_never_in_its_header() {
    let large =
        framed(&[vec![1; 10], vec![2; MOST - 4], vec![3; 2 * MOST], vec![4; 10], vec![5; 0xFF_FF_FF]]);
    for written in [5000, 32 * 1024, 3 << 20, usize::MAX] {
        let lengths = lengths(&packed_in(Method::Zstd { level: 1 }, &large, written));
        // Behind the first frames: the third in two packets and a rest, which the fourth joins.
        assert_eq!(lengths[..5], [14, MOST, MOST, MOST, 4 + 14], "{written}");
        // And the last, whose second frame is empty.
        assert_eq!(lengths[5..], [vec![MOST; 16], vec![3 + 4]].concat());
    }
}
