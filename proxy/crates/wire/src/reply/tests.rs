use super::*;
use crate::errno;
use proptest::prelude::*;

const TRACK: Capabilities = Capabilities::SESSION_TRACK;

#[test]
fn reads_the_session_changes_a_server_sends() {
    // USE test on a server that tracks the schema and a variable.
    let changes: &[u8] = b"\x01\x05\x04test\0\x0f\x0aautocommit\x03OFF\x02\x02\x011\x63\x01x";
    let mut payload = b"\0\0\0\x02\x40\0\0\0".to_vec();
    payload.push(changes.len() as u8);
    payload.extend_from_slice(changes);
    let ok = Ok::decode(&payload, TRACK).unwrap();
    assert_eq!(
        ok.changes().collect::<Result<Vec<_>, _>>().unwrap(),
        [
            Change::Schema(b"test"),
            Change::Variable { name: b"autocommit", value: b"OFF" },
            Change::State(true),
            Change::Unknown { kind: 0x63, data: b"x" },
        ]
    );
    let mut again = BytesMut::new();
    for change in ok.changes() {
        change.unwrap().encode(&mut again);
    }
    assert_eq!(&again[..], changes);
}

#[test]
fn tells_the_end_of_rows_from_a_row_that_begins_alike() {
    let (eof, ok) = (Capabilities::empty(), Capabilities::DEPRECATE_EOF);
    assert!(ends_rows(b"\xfe\0\0\x02\0", eof));
    assert!(ends_rows(b"\xfe\0\0\x02\0\0\0", ok));
    assert!(!ends_rows(b"\x01\xfe", ok));
    let mut row = vec![0; frame::MAX_PAYLOAD];
    row[0] = EOF;
    assert!(!ends_rows(&row, ok));
    assert!(!ends_rows(&row, eof));
    assert!(ends_rows(&row[..frame::MAX_PAYLOAD - 1], ok));
}

#[test]
fn writes_the_end_as_the_peer_expects() {
    let status = Status::AUTOCOMMIT | Status::SESSION_STATE_CHANGED;
    let end = Ok { status, warnings: 7, ..Ok::default() };
    for (capabilities, expected) in [
        (Capabilities::empty(), &b"\xfe\x07\0\x02\0"[..]),
        (Capabilities::DEPRECATE_EOF | TRACK, b"\xfe\0\0\x02\0\x07\0"),
    ] {
        let mut out = BytesMut::new();
        put_end(&mut out, &end, capabilities);
        assert_eq!(&out[..], expected);
        let read = decode_end(&out, capabilities).unwrap();
        assert_eq!((read.status, read.warnings), (Status::AUTOCOMMIT, 7));
    }
}

#[test]
fn reads_an_error_with_and_without_state() {
    let unknown = Err { code: 1045, state: *b"28000", message: b"Access denied" };
    assert_eq!(Err::decode(b"\xff\x15\x04#28000Access denied"), Ok(unknown));
    let early = Err { code: 1040, state: *b"HY000", message: b"Too many connections" };
    assert_eq!(Err::decode(b"\xff\x10\x04Too many connections"), Ok(early));
    assert_eq!(Err::decode(b"\xff\x15"), Err(Error::Truncated { what: "number of ERR" }));

    let (mut out, mut sequence) = (BytesMut::new(), 2);
    put_error(&mut out, &mut sequence, errno::ACCESS_DENIED, "Access denied");
    assert_eq!((Err::decode(&out[4..]), sequence), (Ok(unknown), 3));
}

proptest! {
    #[test]
    fn reads_back_what_it_wrote(
        affected in any::<u64>(), insert_id in any::<u64>(), bits in any::<u16>(), warnings in any::<u16>(),
        info in prop::collection::vec(any::<u8>(), 0..300),
        raw in prop::option::of(prop::collection::vec(any::<u8>(), 0..300)),
        track in any::<bool>(), end in any::<bool>(),
    ) {
        let mut status = Status::from_bits_retain(bits);
        status.set(Status::SESSION_STATE_CHANGED, track && raw.is_some());
        let raw_changes = raw.as_deref().filter(|_| track);
        let ok = Ok { affected, insert_id, status, warnings, info: &info, raw_changes };
        let capabilities = if track { TRACK } else { Capabilities::empty() };
        let mut out = BytesMut::new();
        if end { ok.encode_end(&mut out, capabilities) } else { ok.encode(&mut out, capabilities) }
        prop_assert_eq!(Ok::decode(&out, capabilities), Ok(ok));
    }

    #[test]
    fn never_panics_on_garbage(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        for capabilities in [Capabilities::empty(), TRACK, Capabilities::all()] {
            if let Ok(ok) = Ok::decode(&bytes, capabilities) {
                assert!(ok.changes().count() <= bytes.len());
            }
            let _ = decode_end(&bytes, capabilities);
        }
        let all = Ok { raw_changes: Some(&bytes), ..Ok::default() };
        assert!(all.changes().count() <= bytes.len());
        let _ = Err::decode(&bytes);
        let _ = Eof::decode(&bytes);
    }
}
