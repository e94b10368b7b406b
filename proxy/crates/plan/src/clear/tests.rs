//! Values of every kind as text.

use sql::{Arithmetic, Fingerprinter};
use wire::value::{Date, DateTime, Time};

use super::*;
use crate::call::{Arguments, Call};

struct One(Value<'static>);

impl Arguments for One {
    fn value(&self, _: usize) -> Value<'_> {
        self.0
    }
}

/// The first value of a text, with a parameter.
fn clear(text: &str, mode: Mode, param: Value<'static>) -> Option<String> {
    let slots = Fingerprinter::fixed().fingerprint(text, mode).unwrap().slots;
    let params = One(param);
    let call = Call { text, raw: text.as_bytes(), slots: &slots, params: Some(&params), ..Call::default() };
    match (Bound { call: &call, ordinals: &[0] }).clear(&Scalar::Slot(0), mode) {
        Clear::Null => Some("NULL".to_owned()),
        Clear::Text(text) => Some(format!("<{text}>")),
        Clear::Unknown => None,
    }
}

#[test]
fn literals_are_what_a_text_column_would_hold() {
    for (literal, text) in [
        ("1", "<1>"),
        ("007", "<7>"),
        ("18446744073709551616", "<18446744073709551616>"),
        ("1.50", "<1.50>"),
        (".5", "<0.5>"),
        ("1.", "<1>"),
        ("00.0", "<0.0>"),
        ("1e3", "<1000>"),
        ("'a b'", "<a b>"),
        ("'it''s'", "<it's>"),
        (r"'a\nb\'c'", "<a\nb'c>"),
        ("\"x\"", "<x>"),
        ("''", "<>"),
        ("'测试'", "<测试>"),
        ("x'e6b58b'", "<测>"),
        ("0x41", "<A>"),
        ("0x4", "<\u{4}>"),
        ("x''", "<>"),
    ] {
        let found = clear(&format!("SELECT {literal}"), Mode::default(), Value::Null);
        assert_eq!(found.as_deref(), Some(text), "{literal}");
    }
    let raw = Mode { no_backslash_escapes: true, ..Mode::default() };
    assert_eq!(clear(r"SELECT 'a\n'", raw, Value::Null).as_deref(), Some(r"<a\n>"));
}

#[test]
fn parameters_are_what_java_prints_or_a_text_column_would_hold() {
    let date = Date { year: 2020, month: 1, day: 2 };
    let at = |micros| Value::Moment(Sent::DateTime(DateTime { date, hour: 3, minute: 4, second: 5, micros }));
    for (param, text) in [
        (Value::Null, "NULL"),
        (Value::Int(-1), "<-1>"),
        (Value::UInt(u64::MAX), "<18446744073709551615>"),
        (Value::Bytes(b"13800001111"), "<13800001111>"),
        (Value::Bytes(b""), "<>"),
        (Value::Double(1.5), "<1.5>"),
        (at(0), "<2020-01-02 03:04:05.0>"),
        (at(120_000), "<2020-01-02 03:04:05.12>"),
        (Value::Moment(Sent::Date(date)), "<2020-01-02>"),
        (Value::Moment(Sent::Time(Time { hours: 1, ..Time::default() })), "<01:00:00>"),
    ] {
        let found = clear("SELECT ?", Mode::default(), param);
        assert_eq!(found.as_deref(), Some(text), "{param:?}");
    }
}

#[test]
fn what_is_no_text_is_unknown() {
    for (literal, param) in
        [("b'01'", Value::Null), ("x'ff'", Value::Null), ("?", Value::Other), ("?", Value::Bytes(b"\xff"))]
    {
        assert_eq!(clear(&format!("SELECT {literal}"), Mode::default(), param), None, "{literal}");
    }
    // Characters of another encoding are blotted out in the text.
    let (text, raw) = ("SELECT '\u{1a}'", b"SELECT '\xe9'");
    let slots = Fingerprinter::fixed().fingerprint(text, Mode::default()).unwrap().slots;
    let call = Call { text, raw, slots: &slots, params: None, ..Call::default() };
    let bound = Bound { call: &call, ordinals: &[0] };
    assert_eq!(bound.clear(&Scalar::Slot(0), Mode::default()), Clear::Unknown);
}

#[test]
fn scalars_are_computed_first() {
    let text = "SELECT 1, 2";
    let slots = Fingerprinter::fixed().fingerprint(text, Mode::default()).unwrap().slots;
    let call = Call { text, raw: text.as_bytes(), slots: &slots, params: None, ..Call::default() };
    let bound = Bound { call: &call, ordinals: &[0, 0] };
    let slot = |slot| Box::new(Scalar::Slot(slot));
    for (scalar, text) in [
        (Scalar::Negative(slot(0)), Some("-1")),
        (Scalar::Arithmetic(Arithmetic::Add, slot(0), slot(1)), Some("3")),
        (Scalar::Truth(true), Some("true")),
        (Scalar::Truth(false), Some("false")),
        (Scalar::Opaque, None),
        (Scalar::Default, None),
    ] {
        let expected = text.map_or(Clear::Unknown, |text| Clear::Text(Cow::Borrowed(text)));
        assert_eq!(bound.clear(&scalar, Mode::default()), expected, "{scalar:?}");
    }
    assert_eq!(bound.clear(&Scalar::Null, Mode::default()), Clear::Null);
}
