use super::*;

fn written(put: impl FnOnce(&mut Vec<u8>)) -> String {
    let mut out = Vec::new();
    put(&mut out);
    String::from_utf8(out).unwrap()
}

/// What was written, read as the documentation says.
pub(crate) fn read_back(line: &str) -> Vec<u8> {
    let (mut out, mut rest) = (Vec::new(), line.as_bytes());
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        if *first != b'\\' {
            out.push(*first);
            continue;
        }
        let (kind, after) = rest.split_first().expect("a backslash begins something");
        rest = after;
        match kind {
            b'n' => out.push(b'\n'),
            b'r' => out.push(b'\r'),
            b't' => out.push(b'\t'),
            b'0' => out.push(0),
            b'x' => {
                let digits = std::str::from_utf8(&rest[..2]).unwrap();
                out.push(u8::from_str_radix(digits, 16).unwrap());
                rest = &rest[2..];
            }
            b'\\' | b'\'' => out.push(*kind),
            _ => panic!("\\{}", char::from(*kind)),
        }
    }
    out
}

#[test]
fn nasty_bytes_stay_in_one_line_and_can_be_told() {
    for (bytes, line) in [
        (&b"SELECT 1"[..], "SELECT 1"),
        (b"a\r\nb\tc\0d", "a\\r\\nb\\tc\\0d"),
        (b"\\ ' \"", "\\\\ ' \""),
        (b"\x01\x7f\x1b", "\\x01\\x7F\\x1B"),
        (b"a\xffb\xc3", "a\\xFFb\\xC3"),
        ("ä€😀".as_bytes(), "ä€😀"),
        (b"\xed\xa0\x80", "\\xED\\xA0\\x80"),
        (b"", ""),
    ] {
        assert_eq!(written(|out| put_line(out, bytes)), line);
        assert_eq!(read_back(line), bytes);
    }
}

#[test]
fn every_byte_at_every_place_survives() {
    for byte in 0..=255 {
        for at in [0, 1, 15, 16, 17, 31, 32, 33] {
            let mut bytes = vec![b'a'; 40];
            bytes[at] = byte;
            let line = written(|out| put_line(out, &bytes));
            assert_eq!(read_back(&line), bytes, "{byte} at {at}");
            assert!(!line.contains(['\n', '\t']));
            let quoted = written(|out| put_quoted(out, &bytes));
            let inner = quoted.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')).unwrap();
            assert_eq!(read_back(inner), bytes, "{byte} at {at}");
        }
    }
}

#[test]
fn parameters_are_literals() {
    for (value, text) in [
        (Value::Null, "NULL"),
        (Value::Signed(i64::MIN), "-9223372036854775808"),
        (Value::Unsigned(u64::MAX), "18446744073709551615"),
        (Value::Float(0.1), "0.1"),
        (Value::Float(1e300), "1e300"),
        (Value::Number(b"12.50"), "12.50"),
        (Value::Text(b"it's"), "'it\\'s'"),
        (Value::Bytes(b"\x00\xff"), "0x00FF"),
        (Value::Cut { start: b"abc", length: 10 }, "'abc\\+7'"),
        (Value::Hidden, "***"),
    ] {
        assert_eq!(written(|out| put_value(out, value)), text);
    }
}
