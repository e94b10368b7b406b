//! The order of JSON values, as MySQL sorts them: first by kind, then by value.
//!
//! Objects and arrays are told apart by how many elements they have and no further, of which the server warns.

use std::cmp::Ordering;

use bigdecimal::BigDecimal;

use super::value::{Format, Kind};

/// Kinds of value in the order of their values.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
enum Rank {
    Null,
    Number,
    String,
    Object,
    Array,
    Boolean,
    Date,
    Time,
    DateTime,
    Other,
}

impl Rank {
    /// Of what `JSON_TYPE` says.
    fn of(name: &[u8]) -> Self {
        match name {
            b"NULL" => Self::Null,
            b"INTEGER" | b"UNSIGNED INTEGER" | b"DOUBLE" | b"DECIMAL" => Self::Number,
            b"STRING" => Self::String,
            b"OBJECT" => Self::Object,
            b"ARRAY" => Self::Array,
            b"BOOLEAN" => Self::Boolean,
            b"DATE" => Self::Date,
            b"TIME" => Self::Time,
            b"DATETIME" | b"TIMESTAMP" => Self::DateTime,
            _ => Self::Other,
        }
    }
}

/// Compares two values, each with the name of its type and its text in UTF-8.
pub(crate) fn compare(a: (&[u8], &[u8]), b: (&[u8], &[u8])) -> Ordering {
    let (one, other) = (Rank::of(a.0), Rank::of(b.0));
    if one != other {
        return one.cmp(&other);
    }
    match one {
        Rank::Number => number(a.1, b.1),
        Rank::String => text(a.1).cmp(&text(b.1)),
        Rank::Array | Rank::Object => elements(a.1).cmp(&elements(b.1)),
        Rank::Time => Kind::Time.compare(Format::Text, bare(a.1), bare(b.1)),
        Rank::Boolean | Rank::Date | Rank::DateTime | Rank::Null | Rank::Other => a.1.cmp(b.1),
    }
}

fn number(a: &[u8], b: &[u8]) -> Ordering {
    fn read<T: std::str::FromStr>(text: &[u8]) -> Option<T> {
        std::str::from_utf8(text).ok()?.parse().ok()
    }
    if let (Some(a), Some(b)) = (read::<i128>(a), read::<i128>(b)) {
        return a.cmp(&b);
    }
    read::<BigDecimal>(a).cmp(&read::<BigDecimal>(b))
}

/// Without the quotes.
fn bare(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"\"").and_then(|text| text.strip_suffix(b"\"")).unwrap_or(text)
}

/// The characters that a string stands for, as the server escapes them.
fn text(quoted: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(quoted.len());
    let mut rest = bare(quoted);
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        let escaped = if byte == b'\\' { after.split_first() } else { None };
        let Some((&escape, after)) = escaped else {
            out.push(byte);
            continue;
        };
        rest = after;
        match escape {
            b'b' => out.push(8),
            b'f' => out.push(12),
            b'n' => out.push(b'\n'),
            b'r' => out.push(b'\r'),
            b't' => out.push(b'\t'),
            b'u' => {
                let digits = after.get(..4).and_then(|digits| std::str::from_utf8(digits).ok());
                let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
                // The server writes control characters so, nothing beyond.
                out.extend(code.and_then(char::from_u32).map(String::from).unwrap_or_default().into_bytes());
                rest = after.get(4..).unwrap_or_default();
            }
            other => out.push(other),
        }
    }
    out
}

/// How many elements an array or object has.
fn elements(text: &[u8]) -> usize {
    let (mut depth, mut commas, mut quoted, mut escaped) = (0_usize, 0, false, false);
    for &byte in text {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            _ if quoted => {}
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            b',' if depth == 1 => commas += 1,
            _ => {}
        }
    }
    if text.len() <= 2 { 0 } else { commas + 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As MySQL 9.7 sorts them; those on one line are equal.
    #[test]
    fn sorts_as_mysql_does() {
        let order: [&[(&str, &str)]; 27] = [
            &[("NULL", "null")],
            &[("DOUBLE", "-1e300")],
            &[("INTEGER", "-9223372036854775808")],
            &[("INTEGER", "0"), ("DOUBLE", "-0.0")],
            &[("DOUBLE", "1e-300")],
            &[("DOUBLE", "0.1"), ("DECIMAL", "0.1")],
            &[("INTEGER", "1"), ("DOUBLE", "1.0")],
            &[("DOUBLE", "9.5")],
            &[("INTEGER", "10")],
            &[("DOUBLE", "1.2345678901234567e19")],
            &[("DECIMAL", "12345678901234567890.1")],
            &[("UNSIGNED INTEGER", "18446744073709551615")],
            &[("STRING", r#""""#)],
            &[("STRING", r#""A""#)],
            &[("STRING", r#""a""#), ("STRING", r#""\u0061""#)],
            &[("STRING", r#""a\tb""#)],
            &[("STRING", r#""a ""#)],
            &[("STRING", r#""a\"b""#)],
            &[("STRING", r#""é""#)],
            &[("OBJECT", "{}")],
            &[("OBJECT", r#"{"a": [1, 2]}"#), ("OBJECT", r#"{"b": ","}"#)],
            &[("ARRAY", "[1]"), ("ARRAY", r#"["\",["]"#)],
            &[("ARRAY", "[1, 2]")],
            &[("BOOLEAN", "false")],
            &[("BOOLEAN", "true")],
            &[("DATE", r#""2024-01-01""#)],
            &[("TIME", r#""-10:00:00.000000""#)],
        ];
        let all =
            || order.iter().enumerate().flat_map(|(place, same)| same.iter().map(move |it| (place, it)));
        for (one, a) in all() {
            for (other, b) in all() {
                let compared = compare((a.0.as_bytes(), a.1.as_bytes()), (b.0.as_bytes(), b.1.as_bytes()));
                assert_eq!(compared, one.cmp(&other), "{a:?} {b:?}");
            }
        }
        let time = |text: &'static str| (&b"TIME"[..], text.as_bytes());
        assert_eq!(compare(time("\"-11:00:00.0\""), time("\"-10:00:00.0\"")), Ordering::Less);
        assert_eq!(
            compare(time("\"09:00:00.0\""), (b"DATETIME", b"\"2000-01-01 00:00:00.0\"")),
            Ordering::Less
        );
    }
}
