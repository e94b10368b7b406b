//! What servers send in answers: OK, ERR, EOF, columns and rows.

use bytes::BytesMut;
use wire::caps::{Capabilities, Status};
use wire::column::{Column, ColumnType, Names, rename};
use wire::reply::{self, Change, Eof, Err as ErrPacket, Ok as OkPacket};
use wire::row::{self, BinaryRow, TextRow};
use wire::value::{Kind, Value};

use crate::{Choices, seen};

/// One packet, read as everything that it may be.
pub(crate) fn packets(input: &[u8]) -> u64 {
    let (mut choices, payload) = Choices::split(input, 8);
    let capabilities = Capabilities::from_bits_retain(choices.long());
    let mut kinds = Vec::new();
    if let Ok(ok) = OkPacket::decode(payload, capabilities) {
        let mut written = BytesMut::new();
        ok.encode(&mut written, capabilities);
        let again = OkPacket::decode(&written, capabilities).expect("an OK that was written can be read");
        assert_eq!(
            (again.affected, again.insert_id, again.warnings),
            (ok.affected, ok.insert_id, ok.warnings)
        );
        assert_eq!((again.info, again.raw_changes), (ok.info, ok.raw_changes));
        let changes: Vec<_> = ok.changes().take(payload.len() + 1).collect();
        assert!(changes.len() <= payload.len(), "more changes than bytes");
        if changes.iter().all(Result::is_ok) {
            let mut encoded = BytesMut::new();
            for change in changes.iter().flatten() {
                change.encode(&mut encoded);
            }
            let again = OkPacket { raw_changes: Some(&encoded), status: Status::SESSION_STATE_CHANGED, ..ok };
            let again: Result<Vec<Change<'_>>, _> = again.changes().collect();
            let first: Result<Vec<Change<'_>>, _> = changes.iter().cloned().collect();
            assert_eq!(again, first, "changes written again");
        }
        kinds.push(format!("ok {} {:?}", changes.len().min(4), ok.raw_changes.is_some()));
    }
    if let Ok(error) = ErrPacket::decode(payload) {
        let mut written = BytesMut::new();
        error.encode(&mut written);
        assert_eq!(ErrPacket::decode(&written), Ok(error));
        assert!(error.text().len() <= payload.len() * 3);
        kinds.push(format!("err {}", error.state == *b"HY000"));
    }
    if let Ok(eof) = Eof::decode(payload) {
        let mut written = BytesMut::new();
        eof.encode(&mut written);
        assert_eq!(Eof::decode(&written), Ok(eof));
        kinds.push("eof".to_owned());
    }
    if reply::ends_rows(payload, capabilities) {
        kinds.push(format!("end {}", reply::decode_end(payload, capabilities).is_ok()));
    }
    if let Ok(column) = Column::decode(payload) {
        let mut written = BytesMut::new();
        column.encode(&mut written);
        assert_eq!(Column::decode(&written).as_ref(), Ok(&column));
        let names = Names::decode(payload).expect("a column has names");
        assert_eq!(names, column.names());
        let (mut renamed, mut sequence) = (BytesMut::new(), 0);
        rename(payload, &mut renamed, &mut sequence, |names| names.table = b"other")
            .expect("it can be renamed");
        let renamed = Column::decode(&renamed[wire::frame::HEADER..]).expect("what was renamed can be read");
        assert_eq!((&renamed.name, &renamed.table[..]), (&column.name, &b"other"[..]));
        kinds.push(format!("column {}", column.kind.name()));
    }
    seen(kinds)
}

pub(crate) fn packet_seeds() -> Vec<Vec<u8>> {
    let mut changes = BytesMut::new();
    for change in [
        Change::Schema(b"db"),
        Change::Variable { name: b"autocommit", value: b"OFF" },
        Change::State(true),
        Change::TransactionState(b"T_______"),
        Change::TransactionCharacteristics(b"START TRANSACTION;"),
        Change::Gtids(b"x:1"),
        Change::Unknown { kind: 77, data: b"what" },
    ] {
        change.encode(&mut changes);
    }
    let ok = OkPacket {
        affected: 70_000,
        insert_id: 3,
        status: Status::AUTOCOMMIT | Status::SESSION_STATE_CHANGED,
        warnings: 2,
        info: b"Rows matched: 1",
        raw_changes: Some(&changes),
    };
    let mut seeds = Vec::new();
    for bits in [0, u64::from(u32::MAX)] {
        let capabilities = Capabilities::from_bits_retain(bits);
        let mut add = |write: &dyn Fn(&mut BytesMut)| {
            let mut payload = BytesMut::new();
            write(&mut payload);
            seeds.push([&bits.to_le_bytes(), &payload[..]].concat());
        };
        add(&|out| ok.encode(out, capabilities));
        add(&|out| ok.encode_end(out, capabilities));
        add(&|out| ErrPacket::new(wire::errno::WRONG_ARGUMENTS, "words").encode(out));
        add(&|out| Eof { warnings: 1, status: Status::AUTOCOMMIT }.encode(out));
        add(&|out| Column::new("name", ColumnType::NEWDECIMAL).encode(out));
        add(&|out| Column::text("text", 40).encode_listed(out));
    }
    seeds
}

/// A row, as text and in the binary form.
pub(crate) fn rows(input: &[u8]) -> u64 {
    let (mut choices, payload) = Choices::split(input, 18);
    let columns = usize::from(choices.next() % 17);
    let signs = choices.next();
    let kinds: Vec<Kind> = (0..columns)
        .map(|at| Kind { column: ColumnType(choices.next()), unsigned: signs >> (at % 8) & 1 != 0 })
        .collect();
    seen((text(payload, columns), binary(payload, &kinds)))
}

fn text(payload: &[u8], columns: usize) -> (usize, bool) {
    let cells: Vec<_> = row::text(payload).take(payload.len() + 1).collect();
    assert!(cells.len() <= payload.len(), "more cells than bytes");
    let mut row = TextRow::default();
    let read = row.read(payload, columns);
    let whole = cells.iter().all(Result::is_ok) && cells.len() == columns;
    assert_eq!(read.is_ok(), whole, "two ways to read a row");
    if whole {
        for (at, cell) in cells.iter().enumerate() {
            assert_eq!(cell.as_ref().ok().copied().flatten(), row.cell(payload, at));
        }
        let mut written = BytesMut::new();
        row::put_text(&mut written, (0..columns).map(|at| row.cell(payload, at)));
        let mut again = TextRow::default();
        again.read(&written, columns).expect("a row that was written can be read");
        assert!((0..columns).all(|at| again.cell(&written, at) == row.cell(payload, at)));
    }
    (cells.len().min(6), whole)
}

fn binary(payload: &[u8], kinds: &[Kind]) -> Option<Vec<u8>> {
    let mut row = BinaryRow::default();
    row.read(payload, kinds).ok()?;
    let mut sight = Vec::new();
    let mut written = BytesMut::new();
    let mut values = Vec::new();
    for (at, kind) in kinds.iter().enumerate() {
        let Ok(value) = row.value(payload, at, *kind) else { return Some(sight) };
        let mut shown = BytesMut::new();
        value.put_text(&mut shown, 31);
        value.put_text(&mut shown, (at % 7) as u8);
        sight.push(if value.is_null() { 1 } else { kind.column.0 });
        values.push((value, *kind));
    }
    row::put_binary(&mut written, kinds.len(), values.iter().copied()).expect("values of their own kinds");
    let mut again = BinaryRow::default();
    again.read(&written, kinds).expect("a row that was written can be read");
    for (at, (value, kind)) in values.iter().enumerate() {
        let told = again.value(&written, at, *kind).expect("a value that was written can be read");
        assert!(same(value, &told), "{value:?} was written as {told:?}");
    }
    let mut copied = BytesMut::new();
    row::put_binary_cells(&mut copied, kinds.len(), (0..kinds.len()).map(|at| row.cell(payload, at)));
    again.read(&copied, kinds).expect("cells that were copied can be read");
    assert!((0..kinds.len()).all(|at| again.cell(&copied, at) == row.cell(payload, at)));
    Some(sight)
}

/// Whether two values are the same to the last bit.
fn same(one: &Value<'_>, other: &Value<'_>) -> bool {
    match (one, other) {
        (Value::Float(one), Value::Float(other)) => one.to_bits() == other.to_bits(),
        (Value::Double(one), Value::Double(other)) => one.to_bits() == other.to_bits(),
        (one, other) => one == other,
    }
}

pub(crate) fn row_seeds() -> Vec<Vec<u8>> {
    let kinds: [u8; 16] = [1, 2, 3, 4, 5, 8, 9, 7, 10, 11, 12, 13, 246, 252, 253, 245];
    let mut seeds = Vec::new();
    for columns in [1_usize, 4, 16] {
        let front = [&[columns as u8, 0b0101_0101][..], &kinds].concat();
        let mut text = BytesMut::new();
        row::put_text(&mut text, (0..columns).map(|at| if at % 3 == 2 { None } else { Some(&b"cell"[..]) }));
        seeds.push([&front, &text[..]].concat());
        let values = (0..columns).map(|at| {
            let kind = Kind::new(ColumnType(kinds[at]));
            let value = match kind.column.0 {
                4 => Value::Float(1.5),
                5 => Value::Double(-0.25),
                7 | 12 => Value::DateTime(wire::value::DateTime { hour: 7, micros: 5, ..Default::default() }),
                10 => Value::Date(wire::value::Date { year: 2020, month: 2, day: 30 }),
                11 => Value::Null,
                245.. => Value::Bytes(b"123.45"),
                _ => Value::Int(7),
            };
            (value, kind)
        });
        let mut binary = BytesMut::new();
        row::put_binary(&mut binary, columns, values).expect("values of their kinds");
        seeds.push([&[columns as u8, 0][..], &kinds, &binary[..]].concat());
    }
    seeds
}
