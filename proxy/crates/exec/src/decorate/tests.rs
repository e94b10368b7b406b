//! Rows rewritten in both forms, and what their columns are told to be.

use std::sync::Arc;

use meta::{AlgorithmSpec, Cipher, Mask};
use wire::row;
use wire::value::{Date, Value};

use super::*;

fn spec(kind: &str, properties: &[(&str, &str)]) -> AlgorithmSpec {
    AlgorithmSpec {
        kind: kind.to_owned(),
        properties: properties.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect(),
    }
}

/// Decrypted with AES under the key of the vectors.
pub(crate) fn decrypted(column: u16) -> Decoration {
    let cipher = Cipher::parse(&spec("AES", &[("aes-key-value", "123456abc")])).unwrap();
    Decoration {
        column,
        decrypt: Some(Arc::new(cipher)),
        mask: None,
        table: "t_user".into(),
        name: "phone".into(),
    }
}

/// Masked but for the first character.
pub(crate) fn masked(column: u16) -> Decoration {
    let keep = [("first-n", "1"), ("last-m", "0"), ("replace-char", "*")];
    let mask = Mask::parse(&spec("KEEP_FIRST_N_LAST_M", &keep)).unwrap();
    Decoration { column, decrypt: None, mask: Some(Arc::new(mask)), table: "t_user".into(), name: "n".into() }
}

const STORED: &[u8] = b"sFlUS8NkKpiSI2iT5H6MdQ==";
const PHONE: &[u8] = b"13800001111";

fn columns() -> Vec<Column> {
    let mut date = Column::new("d", ColumnType::DATE);
    date.flags = ColumnFlags::BINARY | ColumnFlags::NOT_NULL;
    vec![
        Column::integer("id"),
        Column::text("phone_cipher", 100),
        date,
        Column::integer("n"),
        Column::text("last", 10),
    ]
}

/// A decorator that has seen the columns, and what it made of them.
fn decorator(decorations: &[Decoration], binary: bool) -> (Decorator<'_>, Vec<Column>) {
    let mut decorator = Decorator::new(decorations, binary);
    let mut out = BytesMut::new();
    for column in columns() {
        let mut payload = BytesMut::new();
        column.encode(&mut payload);
        decorator.column(&payload, &Renames::default(), &mut out, &mut 0).unwrap();
    }
    let mut shown = Vec::new();
    while let Some(header) = frame::header(&out) {
        let frame = out.split_to(frame::HEADER + header.len);
        shown.push(Column::decode(&frame[frame::HEADER..]).unwrap());
    }
    (decorator, shown)
}

fn rewritten(decorator: &Decorator<'_>, payload: &[u8]) -> Result<BytesMut, Error> {
    let (mut out, mut sequence) = (BytesMut::from("before"), 7);
    let done = decorator.row(payload, &mut out, &mut sequence);
    assert_eq!((&out[..6], sequence), (&b"before"[..], if done.is_ok() { 8 } else { 7 }));
    assert!(done.is_ok() || out.len() == 6);
    done.map(|()| out.split_off(6 + frame::HEADER))
}

#[test]
fn text_rows_change_in_decorated_columns_only() {
    let decorations = [decrypted(1), masked(3)];
    let (decorator, _) = decorator(&decorations, false);
    for (cells, expected) in [
        (
            [Some(&b"1"[..]), Some(STORED), Some(b"2020-01-02"), Some(b"-12"), Some(b"x")],
            [Some(&b"1"[..]), Some(PHONE), Some(b"2020-01-02"), Some(b"-**"), Some(b"x")],
        ),
        ([None, None, None, None, None], [None, None, None, None, None]),
        ([None, Some(STORED), None, Some(b""), None], [None, Some(PHONE), None, Some(b""), None]),
    ] {
        let (mut payload, mut wanted) = (BytesMut::new(), BytesMut::new());
        row::put_text(&mut payload, cells);
        row::put_text(&mut wanted, expected);
        assert_eq!(rewritten(&decorator, &payload).unwrap(), wanted);
    }
}

#[test]
fn binary_rows_change_in_decorated_columns_only() {
    let decorations = [decrypted(1), masked(2), masked(3)];
    let (decorator, shown) = decorator(&decorations, true);
    let date = Value::Date(Date { year: 2020, month: 1, day: 2 });
    for (values, expected) in [
        (
            [Value::Int(1), Value::Bytes(STORED), date, Value::Int(-12), Value::Bytes(b"x")],
            [
                Value::Int(1),
                Value::Bytes(PHONE),
                Value::Bytes(b"2*********"),
                Value::Bytes(b"-**"),
                Value::Bytes(b"x"),
            ],
        ),
        ([Value::Null; 5], [Value::Null; 5]),
        (
            [Value::Int(5), Value::Null, Value::Null, Value::Int(7), Value::Null],
            [Value::Int(5), Value::Null, Value::Null, Value::Bytes(b"7"), Value::Null],
        ),
    ] {
        let (mut payload, mut wanted) = (BytesMut::new(), BytesMut::new());
        let sent = columns();
        row::put_binary(&mut payload, 5, values.into_iter().zip(sent.iter().map(Column::value_kind)))
            .unwrap();
        row::put_binary(&mut wanted, 5, expected.into_iter().zip(shown.iter().map(Column::value_kind)))
            .unwrap();
        assert_eq!(rewritten(&decorator, &payload).unwrap(), wanted);
    }
}

#[test]
fn a_masked_number_or_date_is_told_as_text_and_a_decrypted_text_keeps_its_type() {
    let decorations = [decrypted(1), masked(2), masked(3)];
    let (_, shown) = decorator(&decorations, false);
    let sent = columns();
    assert_eq!(shown[0], sent[0]);
    assert_eq!(shown[4], sent[4]);
    assert_eq!(shown[1], Column { org_name: "phone".into(), ..sent[1].clone() });
    for (number, flags) in [(2, ColumnFlags::NOT_NULL), (3, ColumnFlags::empty())] {
        let column = &shown[number];
        assert_eq!((column.kind, column.charset), (ColumnType::VAR_STRING, 255));
        assert_eq!((column.flags, column.decimals), (flags, 0));
        assert!(column.length >= 128 && column.name == sent[number].name);
    }
}

#[test]
fn a_decrypted_text_is_told_to_be_utf8() {
    for (sent, told) in [(8, 255), (11, 255), (28, 255), (33, 33), (45, 45), (46, 46), (63, 63), (255, 255)] {
        let mut column = Column { charset: sent, ..columns()[1].clone() };
        let length = column.length;
        define(&mut column, &decrypted(1));
        let longer = if sent == told { 1 } else { 4 };
        assert_eq!((column.charset, column.length), (told, length * longer), "{sent}");
    }
}

#[test]
fn values_of_every_length_have_the_right_prefix() {
    let decorations = [masked(0)];
    let (decorator, _) = decorator(&decorations, false);
    for len in [0, 1, 250, 251, 252, 0xFFFF, 0x1_0000, 0x1_0001] {
        let (mut payload, mut wanted) = (BytesMut::new(), BytesMut::new());
        let value = "x".repeat(len);
        let hidden =
            value.chars().enumerate().map(|(at, x)| if at == 0 { x } else { '*' }).collect::<String>();
        row::put_text(&mut payload, [Some(value.as_bytes()), Some(b"end")]);
        row::put_text(&mut wanted, [Some(hidden.as_bytes()), Some(b"end")]);
        assert_eq!(rewritten(&decorator, &payload).unwrap(), wanted, "{len}");
    }
}

#[test]
fn what_cannot_be_decrypted_or_read_leaves_nothing_behind() {
    let decorations = [decrypted(1)];
    for binary in [false, true] {
        let (decorator, _) = decorator(&decorations, binary);
        let mut payload = BytesMut::new();
        let values = [Value::Int(1), Value::Bytes(PHONE), Value::Null, Value::Null, Value::Null];
        if binary {
            let sent = columns();
            row::put_binary(&mut payload, 5, values.into_iter().zip(sent.iter().map(Column::value_kind)))
                .unwrap();
        } else {
            row::put_text(&mut payload, [Some(&b"1"[..]), Some(PHONE), None, None, None]);
        }
        let error = rewritten(&decorator, &payload).unwrap_err();
        assert!(matches!(&error, Error::Undecryptable(it) if it.ciphertext == "13800001111"), "{error}");
        let error = rewritten(&decorator, &payload[..3]).unwrap_err();
        assert!(matches!(error, Error::Malformed(_)), "{error}");
    }
}

/// What AES under that key makes of a value, by the cipher itself.
pub(crate) fn stored(plain: &[u8]) -> Vec<u8> {
    use aes::cipher::{BlockCipherEncrypt as _, KeyInit as _};
    let key = 0xa172_ffc9_9012_9fe6_f68b_50f6_037c_54a1_u128.to_be_bytes();
    let mut padded = plain.to_vec();
    let padding = 16 - plain.len() % 16;
    padded.resize(plain.len() + padding, padding as u8);
    let schedule = aes::Aes128::new(&key.into());
    for block in padded.as_chunks_mut::<16>().0 {
        schedule.encrypt_block(block.into());
    }
    base64::Engine::encode(&base64::engine::general_purpose::STANDARD, padded).into_bytes()
}
