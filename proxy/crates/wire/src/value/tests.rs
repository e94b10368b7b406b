use super::*;
use proptest::prelude::*;

fn text(value: Value<'_>, decimals: u8) -> String {
    let (mut bare, mut cell) = (BytesMut::new(), BytesMut::new());
    value.write_text(&mut bare, decimals);
    value.put_text(&mut cell, decimals);
    if !value.is_null() {
        assert_eq!(Cursor::new(&cell).string("cell"), Ok(&bare[..]));
    }
    String::from_utf8_lossy(&bare).into_owned()
}

#[test]
fn writes_numbers_as_mysql_does() {
    let varying = 31;
    for (value, decimals, expected) in [
        (Value::Int(i64::MIN), 0, "-9223372036854775808"),
        (Value::UInt(u64::MAX), 0, "18446744073709551615"),
        (Value::Double(0.0), varying, "0"),
        (Value::Double(1.5), varying, "1.5"),
        (Value::Double(-0.1), varying, "-0.1"),
        (Value::Double(1e14), varying, "100000000000000"),
        (Value::Double(1e15), varying, "1e15"),
        (Value::Double(1e-15), varying, "0.000000000000001"),
        (Value::Double(1e-16), varying, "1e-16"),
        (Value::Double(1.25e300), varying, "1.25e300"),
        (Value::Double(123_456.789), varying, "123456.789"),
        (Value::Double(2.5), 3, "2.500"),
        (Value::Float(0.1), varying, "0.1"),
        (Value::Float(1_234_567.9), varying, "1234570"),
        (Value::Float(2.5), 2, "2.50"),
        (Value::Double(1e300), 2, &format!("{:.2}", 1e300)),
    ] {
        assert_eq!(text(value, decimals), expected, "{value:?}");
    }
}

#[test]
fn writes_dates_and_times_with_the_fraction_of_the_column() {
    let date = Date { year: 2024, month: 2, day: 9 };
    let at = DateTime { date, hour: 1, minute: 2, second: 3, micros: 4_500 };
    let time = Time { negative: true, days: 34, hours: 22, minutes: 59, seconds: 59, micros: 120_000 };
    for (value, decimals, expected) in [
        (Value::Date(date), 0, "2024-02-09"),
        (Value::Date(Date::default()), 0, "0000-00-00"),
        (Value::DateTime(at), 0, "2024-02-09 01:02:03"),
        (Value::DateTime(at), 3, "2024-02-09 01:02:03.004"),
        (Value::DateTime(at), 6, "2024-02-09 01:02:03.004500"),
        (Value::DateTime(DateTime::default()), 0, "0000-00-00 00:00:00"),
        (Value::Time(time), 0, "-838:59:59"),
        (Value::Time(time), 2, "-838:59:59.12"),
        (Value::Time(Time::default()), 0, "00:00:00"),
    ] {
        assert_eq!(text(value, decimals), expected);
    }
}

#[test]
fn refuses_numbers_that_do_not_fit() {
    let mut out = BytesMut::new();
    for (value, kind) in [
        (Value::Int(128), Kind::new(ColumnType::TINY)),
        (Value::Int(-1), Kind { column: ColumnType::LONG, unsigned: true }),
        (Value::UInt(u64::MAX), Kind::new(ColumnType::LONGLONG)),
        (Value::Bytes(b"x"), Kind::new(ColumnType::DOUBLE)),
        (Value::Int(1), Kind::new(ColumnType::DATE)),
    ] {
        assert_eq!(value.put_binary(&mut out, kind), Err(Error::Unfit { kind: kind.column.0 }), "{value:?}");
        assert!(out.is_empty());
    }
}

#[test]
fn reads_dates_of_every_length_and_no_other() {
    let read = |kind, bytes: &'static [u8]| Kind::new(kind).decode(bytes);
    let date = Date { year: 2010, month: 10, day: 17 };
    let at = DateTime { date, hour: 19, minute: 27, second: 30, micros: 1 };
    let (days, hours, minutes, seconds) = (120, 19, 27, 30);
    for (kind, bytes, expected) in [
        (ColumnType::DATE, &b"\0"[..], Value::Date(Date::default())),
        (ColumnType::DATE, b"\x04\xda\x07\x0a\x11", Value::Date(date)),
        (
            ColumnType::DATETIME,
            b"\x07\xda\x07\x0a\x11\x13\x1b\x1e",
            Value::DateTime(DateTime { micros: 0, ..at }),
        ),
        (ColumnType::TIMESTAMP, b"\x0b\xda\x07\x0a\x11\x13\x1b\x1e\x01\0\0\0", Value::DateTime(at)),
        (ColumnType::TIME, b"\0", Value::Time(Time::default())),
        (
            ColumnType::TIME,
            b"\x0c\x01\x78\0\0\0\x13\x1b\x1e\x01\0\0\0",
            Value::Time(Time { negative: true, days, hours, minutes, seconds, micros: 1 }),
        ),
    ] {
        assert_eq!(read(kind, bytes), Ok(expected));
    }
    assert_eq!(read(ColumnType::DATE, b"\x05\0\0\0\0\0"), Err(Error::Malformed { what: "a date" }));
    assert_eq!(read(ColumnType::TIME, b"\x07\0\0\0\0\0\0\0"), Err(Error::Malformed { what: "a time" }));
    assert_eq!(read(ColumnType::DATETIME, b"\x07\0\0"), Err(Error::Truncated { what: "a date" }));
}

/// Any value with a kind that carries it.
pub(crate) fn any_value() -> impl Strategy<Value = (OwnedValue, Kind)> {
    use ColumnType as T;
    let time = (any::<bool>(), any::<u32>(), any::<[u8; 3]>(), any::<u32>());
    prop_oneof![
        Just((OwnedValue::Null, Kind::new(T::VARCHAR))),
        any::<i8>().prop_map(|v| (OwnedValue::Int(v.into()), Kind::new(T::TINY))),
        any::<i16>().prop_map(|v| (OwnedValue::Int(v.into()), Kind::new(T::SHORT))),
        any::<i32>().prop_map(|v| (OwnedValue::Int(v.into()), Kind::new(T::INT24))),
        any::<i64>().prop_map(|v| (OwnedValue::Int(v), Kind::new(T::LONGLONG))),
        any::<u8>().prop_map(|v| (OwnedValue::UInt(v.into()), Kind { column: T::TINY, unsigned: true })),
        any::<u16>().prop_map(|v| (OwnedValue::UInt(v.into()), Kind::new(T::YEAR))),
        any::<u32>().prop_map(|v| (OwnedValue::UInt(v.into()), Kind { column: T::LONG, unsigned: true })),
        any::<u64>().prop_map(|v| (OwnedValue::UInt(v), Kind { column: T::LONGLONG, unsigned: true })),
        (-1e30_f32..1e30).prop_map(|v| (OwnedValue::Float(v), Kind::new(T::FLOAT))),
        (-1e300_f64..1e300).prop_map(|v| (OwnedValue::Double(v), Kind::new(T::DOUBLE))),
        prop::collection::vec(any::<u8>(), 0..300).prop_map(|v| (OwnedValue::Bytes(v), Kind::new(T::BLOB))),
        (any::<u16>(), any::<[u8; 5]>(), any::<u32>()).prop_map(
            |(year, [month, day, hour, minute, second], micros)| {
                let date = Date { year, month, day };
                (
                    OwnedValue::DateTime(DateTime { date, hour, minute, second, micros }),
                    Kind::new(T::DATETIME),
                )
            }
        ),
        (any::<u16>(), any::<[u8; 2]>()).prop_map(|(year, [month, day])| (
            OwnedValue::Date(Date { year, month, day }),
            Kind::new(T::DATE)
        )),
        time.prop_map(|(negative, days, [hours, minutes, seconds], micros)| {
            // A span of nothing has no sign on the wire.
            let negative = negative && (days, hours, minutes, seconds, micros) != (0, 0, 0, 0, 0);
            (OwnedValue::Time(Time { negative, days, hours, minutes, seconds, micros }), Kind::new(T::TIME))
        }),
    ]
}

/// A [`Value`] that proptest can keep.
#[derive(Debug, Clone)]
pub(crate) enum OwnedValue {
    Null,
    Int(i64),
    UInt(u64),
    Float(f32),
    Double(f64),
    Bytes(Vec<u8>),
    Date(Date),
    DateTime(DateTime),
    Time(Time),
}

impl OwnedValue {
    pub(crate) fn value(&self) -> Value<'_> {
        match self {
            Self::Null => Value::Null,
            Self::Int(v) => Value::Int(*v),
            Self::UInt(v) => Value::UInt(*v),
            Self::Float(v) => Value::Float(*v),
            Self::Double(v) => Value::Double(*v),
            Self::Bytes(v) => Value::Bytes(v),
            Self::Date(v) => Value::Date(*v),
            Self::DateTime(v) => Value::DateTime(*v),
            Self::Time(v) => Value::Time(*v),
        }
    }
}

proptest! {
    #[test]
    fn reads_back_what_it_wrote((owned, kind) in any_value()) {
        let mut out = BytesMut::new();
        owned.value().put_binary(&mut out, kind).unwrap();
        if owned.value() != Value::Null {
            prop_assert_eq!(kind.decode(&out), Ok(owned.value()));
            prop_assert_eq!(kind.raw(&mut Cursor::new(&out)), Ok(&out[..]));
        }
    }

    #[test]
    fn doubles_read_back_from_their_text(double in any::<f64>().prop_filter("numbers", |v| v.is_finite())) {
        prop_assert_eq!(text(Value::Double(double), 31).parse::<f64>().unwrap(), double);
    }

    #[test]
    fn never_panics_on_garbage(column in any::<u8>(), unsigned in any::<bool>(), bytes in prop::collection::vec(any::<u8>(), 0..40)) {
        let kind = Kind { column: ColumnType(column), unsigned };
        let _ = kind.raw(&mut Cursor::new(&bytes));
        if let Ok(value) = kind.decode(&bytes) {
            text(value, bytes.len() as u8);
        }
    }
}
