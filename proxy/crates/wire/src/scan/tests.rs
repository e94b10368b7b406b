use super::*;
use crate::frame;
use bytes::BytesMut;
use proptest::prelude::*;

// Answers of a MySQL 9.7, with EOF packets and without.
const SELECT_EOF: &[u8] = b"\x01\x00\x00\x01\x03\x17\x00\x00\x02\x03def\x00\x00\x00\x01a\x00\x0c?\x00\x02\x00\x00\x00\x08\x81\x00\x00\x00\x00\x17\x00\x00\x03\x03def\x00\x00\x00\x01b\x00\x0c\xff\x00\x04\x00\x00\x00\xfd\x01\x00\x1f\x00\x00\x17\x00\x00\x04\x03def\x00\x00\x00\x01n\x00\x0c?\x00\x00\x00\x00\x00\x06\x80\x00\x00\x00\x00\x05\x00\x00\x05\xfe\x00\x00\x02\x00\x05\x00\x00\x06\x011\x01x\xfb\x05\x00\x00\x07\xfe\x00\x00\x02\x00";
const SELECT_OK: &[u8] = b"\x01\x00\x00\x01\x03\x17\x00\x00\x02\x03def\x00\x00\x00\x01a\x00\x0c?\x00\x02\x00\x00\x00\x08\x81\x00\x00\x00\x00\x17\x00\x00\x03\x03def\x00\x00\x00\x01b\x00\x0c\xff\x00\x04\x00\x00\x00\xfd\x01\x00\x1f\x00\x00\x17\x00\x00\x04\x03def\x00\x00\x00\x01n\x00\x0c?\x00\x00\x00\x00\x00\x06\x80\x00\x00\x00\x00\x05\x00\x00\x05\x011\x01x\xfb\x07\x00\x00\x06\xfe\x00\x00\x02\x00\x00\x00";
// SELECT 1; DO 0; SELECT 2
const MULTI_EOF: &[u8] = b"\x01\x00\x00\x01\x01\x17\x00\x00\x02\x03def\x00\x00\x00\x011\x00\x0c?\x00\x02\x00\x00\x00\x08\x81\x00\x00\x00\x00\x05\x00\x00\x03\xfe\x00\x00\x0a\x00\x02\x00\x00\x04\x011\x05\x00\x00\x05\xfe\x00\x00\x0a\x00\x07\x00\x00\x06\x00\x00\x00\x0a\x00\x00\x00\x01\x00\x00\x07\x01\x17\x00\x00\x08\x03def\x00\x00\x00\x012\x00\x0c?\x00\x02\x00\x00\x00\x08\x81\x00\x00\x00\x00\x05\x00\x00\x09\xfe\x00\x00\x02\x00\x02\x00\x00\x0a\x012\x05\x00\x00\x0b\xfe\x00\x00\x02\x00";
const MULTI_OK: &[u8] = b"\x01\x00\x00\x01\x01\x17\x00\x00\x02\x03def\x00\x00\x00\x011\x00\x0c?\x00\x02\x00\x00\x00\x08\x81\x00\x00\x00\x00\x02\x00\x00\x03\x011\x07\x00\x00\x04\xfe\x00\x00\x0a\x00\x00\x00\x07\x00\x00\x05\x00\x00\x00\x0a\x00\x00\x00\x01\x00\x00\x06\x01\x17\x00\x00\x07\x03def\x00\x00\x00\x012\x00\x0c?\x00\x02\x00\x00\x00\x08\x81\x00\x00\x00\x00\x02\x00\x00\x08\x012\x07\x00\x00\x09\xfe\x00\x00\x02\x00\x00\x00";
// DO 1
const PREPARE_BARE: &[u8] = b"\x0c\x00\x00\x01\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00";
// SELECT ? AS p, 2 AS q
const PREPARE_EOF: &[u8] = b"\x0c\x00\x00\x01\x00\x02\x00\x00\x00\x02\x00\x01\x00\x00\x00\x00\x17\x00\x00\x02\x03def\x00\x00\x00\x01p\x00\x0c\xff\x00\xfc\xff\x00\x00\xfd\x00\x00\x1f\x00\x00\x05\x00\x00\x03\xfe\x00\x00\x02\x00\x17\x00\x00\x04\x03def\x00\x00\x00\x01p\x00\x0c\xff\x00\xfc\xff\x00\x00\xfd\x00\x00\x1f\x00\x00\x17\x00\x00\x05\x03def\x00\x00\x00\x01q\x00\x0c?\x00\x02\x00\x00\x00\x08\x81\x00\x00\x00\x00\x05\x00\x00\x06\xfe\x00\x00\x02\x00";
const PREPARE_OK: &[u8] = b"\x0c\x00\x00\x01\x00\x02\x00\x00\x00\x02\x00\x01\x00\x00\x00\x00\x17\x00\x00\x02\x03def\x00\x00\x00\x01p\x00\x0c\xff\x00\xfc\xff\x00\x00\xfd\x00\x00\x1f\x00\x00\x17\x00\x00\x03\x03def\x00\x00\x00\x01p\x00\x0c\xff\x00\xfc\xff\x00\x00\xfd\x00\x00\x1f\x00\x00\x17\x00\x00\x04\x03def\x00\x00\x00\x01q\x00\x0c?\x00\x02\x00\x00\x00\x08\x81\x00\x00\x00\x00";
const EXECUTE_OK: &[u8] = b"\x01\x00\x00\x01\x02\x17\x00\x00\x02\x03def\x00\x00\x00\x01p\x00\x0c?\x00\x15\x00\x00\x00\x08\x80\x00\x00\x00\x00\x17\x00\x00\x03\x03def\x00\x00\x00\x01q\x00\x0c?\x00\x02\x00\x00\x00\x08\x81\x00\x00\x00\x00\x12\x00\x00\x04\x00\x00\x07\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x07\x00\x00\x05\xfe\x00\x00\x02\x00\x00\x00";
// SELECT 1 UNION ALL SELECT EXP(710)
const ERROR_AMONG_ROWS: &[u8] = b"\x01\x00\x00\x01\x01\x18\x00\x00\x02\x03def\x00\x00\x00\x011\x011\x0c?\x00\x17\x00\x00\x00\x05\x00\x00\x1f\x00\x00\x02\x00\x00\x03\x0113\x00\x00\x04\xff\x9a\x06#22003DOUBLE value is out of range in 'exp(710)'";
const FIELDS_OK: &[u8] = b"\x1f\x00\x00\x01\x03def\x04test\x01t\x01t\x01a\x01a\x0c?\x00\x0b\x00\x00\x00\x03\x00\x00\x00\x00\x00\xfb\x1f\x00\x00\x02\x03def\x04test\x01t\x01t\x01b\x01b\x0c\xff\x00\x14\x00\x00\x00\xfd\x00\x00\x00\x00\x00\xfb\x07\x00\x00\x03\xfe\x00\x00\x02\x00\x00\x00";
const SET_OPTION_EOF: &[u8] = b"\x05\x00\x00\x01\xfe\x00\x00\x02\x00";
const SET_OPTION_OK: &[u8] = b"\x07\x00\x00\x01\xfe\x00\x00\x02\x00\x00\x00";

/// What a scan reports, rows of one stretch or many summed up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Seen {
    Part(Part),
    Rows(u64),
}

/// Feeds an answer in pieces of `chunk` bytes; says what was seen and what was left.
fn scan(
    expect: Expect,
    deprecate_eof: bool,
    bytes: &[u8],
    chunk: usize,
) -> Result<(Vec<Seen>, usize), Error> {
    let (mut scan, mut input, mut seen) = (ResponseScan::new(expect, deprecate_eof), BytesMut::new(), vec![]);
    let mut arriving = bytes.chunks(chunk);
    loop {
        match scan.step(&input)? {
            Step::Done => return Ok((seen, input.len() + arriving.map(<[u8]>::len).sum::<usize>())),
            Step::Frame { len, part } => {
                let frame = input.split_to(len);
                assert_eq!(header(&frame).map(|header| header.len), Some(len - HEADER));
                seen.push(Seen::Part(part));
            }
            Step::More => match arriving.next() {
                Some(more) => input.extend_from_slice(more),
                None => return Ok((seen, usize::MAX)),
            },
            Step::Rows { len, rows } => {
                assert!(len > 0);
                let _ = input.split_to(len);
                match seen.last_mut() {
                    Some(Seen::Rows(before)) => *before += rows,
                    _ => seen.push(Seen::Rows(rows)),
                }
            }
        }
    }
}

#[test]
fn follows_every_kind_of_answer_however_it_arrives() {
    use Part::{Column, ColumnsEof, Count, Err, Param, ParamsEof};
    let (end, more) = (Status::AUTOCOMMIT, Status::AUTOCOMMIT | Status::MORE_RESULTS_EXIST);
    let prepared = |statement, columns, params| {
        Seen::Part(Part::Prepared(Prepared { statement, columns, params, warnings: 0 }))
    };
    let p = Seen::Part;
    let (column, eof, one) = (p(Column), p(ColumnsEof), Seen::Rows(1));
    let (last, next) = (p(Part::End(end)), p(Part::End(more)));
    for (name, expect, deprecate_eof, bytes, expected) in [
        (
            "select, eof",
            Expect::Results,
            false,
            SELECT_EOF,
            vec![p(Count(3)), column, column, column, eof, one, last],
        ),
        (
            "select, ok",
            Expect::Results,
            true,
            SELECT_OK,
            vec![p(Count(3)), column, column, column, one, last],
        ),
        (
            "multi, eof",
            Expect::Results,
            false,
            MULTI_EOF,
            vec![p(Count(1)), column, eof, one, next, p(Part::Ok(more)), p(Count(1)), column, eof, one, last],
        ),
        (
            "multi, ok",
            Expect::Results,
            true,
            MULTI_OK,
            vec![p(Count(1)), column, one, next, p(Part::Ok(more)), p(Count(1)), column, one, last],
        ),
        ("prepare, bare", Expect::Prepare, false, PREPARE_BARE, vec![prepared(1, 0, 0)]),
        (
            "prepare, eof",
            Expect::Prepare,
            false,
            PREPARE_EOF,
            vec![prepared(2, 2, 1), p(Param), p(ParamsEof), column, column, eof],
        ),
        ("prepare, ok", Expect::Prepare, true, PREPARE_OK, vec![prepared(2, 2, 1), p(Param), column, column]),
        ("execute", Expect::Results, true, EXECUTE_OK, vec![p(Count(2)), column, column, one, last]),
        ("error among rows", Expect::Results, true, ERROR_AMONG_ROWS, vec![p(Count(1)), column, one, p(Err)]),
        ("fields", Expect::FieldList, true, FIELDS_OK, vec![column, column, last]),
        ("set option, eof", Expect::Results, false, SET_OPTION_EOF, vec![last]),
        ("set option, ok", Expect::Results, true, SET_OPTION_OK, vec![last]),
    ] {
        let with_next = [bytes, b"next"].concat();
        for chunk in [1, 2, 3, 5, 7, 30, 1000] {
            let seen = scan(expect, deprecate_eof, &with_next, chunk);
            assert_eq!(seen, Ok((expected.clone(), 4)), "{name} in pieces of {chunk}");
        }
    }
}

#[test]
fn passes_rows_of_many_frames_whose_first_byte_looks_like_an_end() {
    for len in [MAX_PAYLOAD, MAX_PAYLOAD + 1, 2 * MAX_PAYLOAD, 2 * MAX_PAYLOAD + 5] {
        let mut row = vec![reply::EOF; len];
        row[0] = reply::EOF;
        let (mut bytes, mut sequence) = (BytesMut::from(&SELECT_OK[..86]), 5);
        frame::put(&mut bytes, &mut sequence, &row);
        frame::put(&mut bytes, &mut sequence, b"\x011\x01x\xfb");
        frame::put(&mut bytes, &mut sequence, b"\xfe\0\0\x02\0\0\0");
        for chunk in [4_097, 1 << 20, usize::MAX] {
            let (seen, left) = scan(Expect::Results, true, &bytes, chunk).unwrap();
            let expected = [Seen::Rows(2), Seen::Part(Part::End(Status::AUTOCOMMIT))];
            assert_eq!((&seen[4..], left), (&expected[..], 0), "row of {len} in pieces of {chunk}");
        }
    }
}

#[test]
fn reports_part_of_a_row_at_once() {
    let mut scan = ResponseScan::new(Expect::Results, true);
    let mut at = 0;
    while let Step::Frame { len, .. } = scan.step(&SELECT_OK[at..86]).unwrap() {
        at += len;
    }
    assert_eq!(scan.step(b"\xff\xff\x0f\x05\xfd"), Ok(Step::Rows { len: 5, rows: 1 }));
    assert_eq!(scan.step(&[0; 1000]), Ok(Step::Rows { len: 1000, rows: 0 }));
    assert_eq!(scan.step(&[]), Ok(Step::More));
}

#[test]
fn stops_at_a_cursor() {
    let mut bytes = SELECT_EOF[..95].to_vec();
    bytes[93] |= Status::CURSOR_EXISTS.bits() as u8;
    let (seen, left) = scan(Expect::Results, false, &bytes, 10).unwrap();
    assert_eq!((seen.last(), left), (Some(&Seen::Part(Part::ColumnsEof)), 0));
}

#[test]
fn refuses_what_is_no_answer() {
    for bytes in [&b"\0\0\0\x01"[..], b"\xff\xff\xff\x01\x00", b"\x03\0\0\x01\xfc\0\0", b"\x02\0\0\x01\0\0"] {
        assert!(scan(Expect::Results, true, bytes, 100).is_err(), "{bytes:?}");
    }
    assert!(scan(Expect::Prepare, true, b"\x01\0\0\x01\x05", 100).is_err());
}

#[test]
fn shifts_sequences_of_frames_that_pass() {
    let mut shifted = SELECT_OK.to_vec();
    let mut renumber = Renumber::default();
    let (first, second) = shifted.split_at_mut(90);
    renumber.shift(first, 255);
    renumber.shift(second, 255);
    let (mut rest, mut expected) = (&shifted[..], 0);
    while let Some(header) = header(rest) {
        assert_eq!(header.sequence, expected);
        rest = &rest[HEADER + header.len..];
        expected += 1;
    }
    assert_eq!(expected, 6);
}

proptest! {
    #[test]
    fn reads_back_a_prepared(statement in any::<u32>(), columns in any::<u16>(), params in any::<u16>(), warnings in any::<u16>()) {
        let prepared = Prepared { statement, columns, params, warnings };
        let mut out = BytesMut::new();
        prepared.encode(&mut out);
        prop_assert_eq!(Prepared::decode(&out), Ok(prepared));
    }

    #[test]
    fn counts_rows_however_they_arrive(rows in prop::collection::vec(1_usize..100, 0..200), chunk in 1_usize..500) {
        let (mut bytes, mut sequence) = (BytesMut::from(&SELECT_OK[..86]), 5);
        for len in &rows {
            frame::put(&mut bytes, &mut sequence, &vec![1; *len]);
        }
        frame::put(&mut bytes, &mut sequence, b"\xfe\0\0\x02\0\0\0");
        let (seen, left) = scan(Expect::Results, true, &bytes, chunk).unwrap();
        let counted = seen.iter().map(|seen| if let Seen::Rows(rows) = seen { *rows } else { 0 }).sum::<u64>();
        prop_assert_eq!((counted, left), (rows.len() as u64, 0));
    }

    #[test]
    fn never_panics_on_garbage(
        bytes in prop::collection::vec(any::<u8>(), 0..300), tail in any::<bool>(), chunk in 1_usize..50, deprecate_eof in any::<bool>(),
    ) {
        let mut garbage = if tail { [&SELECT_OK[..86], &bytes].concat() } else { bytes };
        for expect in [Expect::FieldList, Expect::Prepare, Expect::Results] {
            let _ = scan(expect, deprecate_eof, &garbage, chunk);
        }
        Renumber::default().shift(&mut garbage, 1);
    }
}
