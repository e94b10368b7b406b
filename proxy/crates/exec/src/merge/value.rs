//! Values as the server sent them, compared and keyed without being decoded into anything else.

use std::cmp::Ordering;

use super::collation::Pad;
use super::decimal;

/// How the values of a row are encoded.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Format {
    /// Of prepared statements.
    Binary,
    /// Of `COM_QUERY`.
    Text,
}

/// How values of a column compare; from the column's definition.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Kind {
    /// Bytewise.
    Binary,
    /// `DATE`, `DATETIME`, `TIMESTAMP`.
    Date,
    /// `DECIMAL`.
    Decimal,
    /// `DOUBLE`.
    Double,
    /// `ENUM`, `SET`: the server sorts by number, the rows hold the names.
    Enumeration,
    /// `FLOAT`.
    Float,
    /// `JSON`: has an order of its own.
    Json,
    /// Integers with a sign.
    Signed,
    /// Character strings: by their weight, never by their bytes.
    Text,
    /// `TIME`.
    Time,
    /// Integers without a sign, `YEAR`.
    Unsigned,
}

impl Kind {
    /// Compares two values that are not `NULL`, without their length prefix.
    pub(crate) fn compare(self, format: Format, a: &[u8], b: &[u8]) -> Ordering {
        match self {
            Self::Binary | Self::Enumeration | Self::Json | Self::Text => a.cmp(b),
            Self::Date if format == Format::Text => a.cmp(b),
            Self::Date => date(a).cmp(&date(b)),
            Self::Decimal => decimal::compare(a, b),
            Self::Double | Self::Float => self.float(format, a).total_cmp(&self.float(format, b)),
            Self::Signed | Self::Unsigned => self.integer(format, a).cmp(&self.integer(format, b)),
            Self::Time => time(format, a).cmp(&time(format, b)),
        }
    }

    /// Appends bytes that are equal exactly for values that compare equal and that end themselves.
    pub(crate) fn key(self, format: Format, value: &[u8], out: &mut Vec<u8>) {
        match self {
            Self::Date if format == Format::Binary => out.extend_from_slice(&date(value).to_le_bytes()),
            Self::Binary | Self::Date | Self::Enumeration | Self::Json | Self::Text => sized(value, out),
            Self::Decimal => {
                let start = out.len();
                out.extend_from_slice(&[0; 4]);
                decimal::normal(value, out);
                let length = u32::try_from(out.len() - start - 4).unwrap_or(u32::MAX);
                out[start..start + 4].copy_from_slice(&length.to_le_bytes());
            }
            Self::Double | Self::Float => {
                out.extend_from_slice(&(self.float(format, value)).to_bits().to_le_bytes());
            }
            Self::Signed | Self::Unsigned => {
                out.extend_from_slice(&self.integer(format, value).to_le_bytes());
            }
            Self::Time => out.extend_from_slice(&time(format, value).to_le_bytes()),
        }
    }

    /// An integer's value; `i128` holds both `BIGINT` and `BIGINT UNSIGNED`.
    pub(crate) fn integer(self, format: Format, value: &[u8]) -> i128 {
        if format == Format::Text {
            return digits(value);
        }
        let unsigned = value.iter().rev().fold(0_u64, |sum, &byte| sum << 8 | u64::from(byte));
        if self == Self::Unsigned || value.is_empty() {
            return i128::from(unsigned);
        }
        let unused = 64_u32.saturating_sub(8 * u32::try_from(value.len()).unwrap_or(8));
        i128::from((unsigned << unused).cast_signed() >> unused)
    }

    /// A floating-point value; minus zero becomes zero, so that the two are one.
    pub(crate) fn float(self, format: Format, value: &[u8]) -> f64 {
        let float = match (format, self) {
            (Format::Text, _) => {
                std::str::from_utf8(value).ok().and_then(|text| text.parse().ok()).unwrap_or(0.0)
            }
            (Format::Binary, Self::Float) => {
                value.try_into().map_or(0.0, |bytes| f64::from(f32::from_le_bytes(bytes)))
            }
            (Format::Binary, _) => value.try_into().map_or(0.0, f64::from_le_bytes),
        };
        float + 0.0
    }
}

/// Compares the weights of texts as the server does; `pad` is asked for where one of them is the beginning of the other.
pub(crate) fn weights(a: &[u8], b: &[u8], pad: impl FnOnce() -> Pad) -> Ordering {
    let common = a.len().min(b.len());
    let ordering = a[..common].cmp(&b[..common]);
    if ordering != Ordering::Equal || a.len() == b.len() {
        return ordering;
    }
    let Pad::Space(space) = pad() else { return a.len().cmp(&b.len()) };
    let (tail, longer) =
        if a.len() > common { (&a[common..], Ordering::Greater) } else { (&b[common..], Ordering::Less) };
    for (byte, blank) in tail.iter().zip(space.iter().cycle()) {
        match byte.cmp(blank) {
            Ordering::Equal => {}
            Ordering::Greater => return longer,
            Ordering::Less => return longer.reverse(),
        }
    }
    Ordering::Equal
}

/// Appends the weight of a text without those of the blanks at its end, where they do not count.
pub(crate) fn weight_key(text: &[u8], weight: &[u8], pad: Pad, out: &mut Vec<u8>) {
    let mut weight = weight;
    if let Pad::Space(space) = pad {
        let blanks = text.iter().rev().take_while(|&&byte| byte == b' ').count();
        for _ in 0..blanks {
            weight = weight.strip_suffix(space).unwrap_or(weight);
        }
    }
    sized(weight, out);
}

fn sized(value: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(&u32::try_from(value.len()).unwrap_or(u32::MAX).to_le_bytes());
    out.extend_from_slice(value);
}

fn digits(text: &[u8]) -> i128 {
    let (negative, text) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    let value = text
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .fold(0_i128, |sum, byte| sum.wrapping_mul(10).wrapping_add(i128::from(byte - b'0')));
    if negative { -value } else { value }
}

/// Year, month, day, hour, minute, second and microsecond of a binary date as one number.
fn date(value: &[u8]) -> u64 {
    let byte = |index: usize| u64::from(value.get(index).copied().unwrap_or(0));
    let micros = byte(7) | byte(8) << 8 | byte(9) << 16 | byte(10) << 24;
    let seconds = (byte(4) * 60 + byte(5)) * 60 + byte(6);
    let days = ((byte(0) | byte(1) << 8) * 13 + byte(2)) * 32 + byte(3);
    (days * 86_400 + seconds) * 1_000_000 + micros
}

/// Microseconds of a `TIME`.
fn time(format: Format, value: &[u8]) -> i64 {
    let (negative, magnitude) = match format {
        Format::Binary => {
            let byte = |index: usize| i64::from(value.get(index).copied().unwrap_or(0));
            let long = |index: usize| {
                byte(index) | byte(index + 1) << 8 | byte(index + 2) << 16 | byte(index + 3) << 24
            };
            let seconds = ((long(1) * 24 + byte(5)) * 60 + byte(6)) * 60 + byte(7);
            (byte(0) != 0, seconds * 1_000_000 + long(8))
        }
        Format::Text => {
            let (negative, text) = value.strip_prefix(b"-").map_or((false, value), |rest| (true, rest));
            let (whole, fraction) = match text.iter().position(|&byte| byte == b'.') {
                Some(dot) => (&text[..dot], &text[dot + 1..]),
                None => (text, &[][..]),
            };
            let seconds = whole.split(|&byte| byte == b':').fold(0_i64, |sum, part| sum * 60 + short(part));
            let micros = (0..6).fold(0_i64, |sum, place| {
                sum * 10 + fraction.get(place).map_or(0, |byte| i64::from(byte.wrapping_sub(b'0')))
            });
            (negative, seconds * 1_000_000 + micros)
        }
    };
    if negative { -magnitude } else { magnitude }
}

fn short(digits: &[u8]) -> i64 {
    digits.iter().fold(0, |sum, byte| sum * 10 + i64::from(byte.wrapping_sub(b'0') % 10))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compares_text_values_by_their_kind() {
        let cases: [(Kind, &str, &str); 12] = [
            (Kind::Signed, "-10", "-9"),
            (Kind::Signed, "9", "10"),
            (Kind::Unsigned, "9223372036854775807", "18446744073709551615"),
            (Kind::Unsigned, "00007", "10"),
            (Kind::Decimal, "-1.50", "-1.49"),
            (Kind::Double, "1e3", "1.5e3"),
            (Kind::Double, "-2", "1e-16"),
            (Kind::Time, "-838:59:59", "-01:00:00"),
            (Kind::Time, "-00:00:00.500000", "00:00:00"),
            (Kind::Time, "99:00:00", "100:00:00"),
            (Kind::Date, "2024-01-09", "2024-01-10"),
            (Kind::Date, "2024-01-09 10:00:00.1", "2024-01-09 10:00:00.2"),
        ];
        for (kind, small, large) in cases {
            let compared = kind.compare(Format::Text, small.as_bytes(), large.as_bytes());
            assert_eq!(compared, Ordering::Less, "{kind:?}: {small} < {large}");
        }
    }

    #[test]
    fn compares_binary_values_by_their_kind() {
        let cases: [(Kind, &[u8], &[u8]); 7] = [
            (Kind::Signed, &[0xff], &[1]),
            (Kind::Signed, &(-5_i64).to_le_bytes(), &3_i64.to_le_bytes()),
            (Kind::Unsigned, &1_u64.to_le_bytes(), &u64::MAX.to_le_bytes()),
            (Kind::Float, &(-1.5_f32).to_le_bytes(), &1_f32.to_le_bytes()),
            (Kind::Date, &[0xe8, 7, 1, 9], &[0xe8, 7, 1, 9, 0, 0, 1]),
            (Kind::Time, &[1, 1, 0, 0, 0, 0, 0, 1], &[1, 0, 0, 0, 0, 23, 59, 59]),
            (Kind::Time, &[], &[0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]),
        ];
        for (kind, small, large) in cases {
            let compared = kind.compare(Format::Binary, small, large);
            assert_eq!(compared, Ordering::Less, "{kind:?}: {small:?} < {large:?}");
        }
    }

    #[test]
    fn pads_weights_with_blanks_where_the_collation_does() {
        let pad = Pad::Space(&[0x00, 0x20]);
        let (a, blank, tab) = ([0, 0x41], [0, 0x41, 0, 0x20], [0, 0x41, 0, 0x09]);
        assert_eq!(weights(&a, &blank, || pad), Ordering::Equal);
        assert_eq!(weights(&a, &tab, || pad), Ordering::Greater);
        assert_eq!(weights(&tab, &a, || pad), Ordering::Less);
        assert_eq!(weights(&a, &blank, || Pad::None), Ordering::Less);
        let (mut one, mut two) = (Vec::new(), Vec::new());
        weight_key(b"a", &a, pad, &mut one);
        weight_key(b"a ", &blank, pad, &mut two);
        assert_eq!(one, two);
    }

    #[test]
    fn gives_equal_values_equal_keys() {
        let cases: [(Kind, &str, &str); 4] = [
            (Kind::Decimal, "1.50", "1.5"),
            (Kind::Decimal, "-0.0", "0"),
            (Kind::Unsigned, "007", "7"),
            (Kind::Time, "10:00:00", "10:00:00.000"),
        ];
        for (kind, a, b) in cases {
            let (mut one, mut two) = (Vec::new(), Vec::new());
            kind.key(Format::Text, a.as_bytes(), &mut one);
            kind.key(Format::Text, b.as_bytes(), &mut two);
            assert_eq!(one, two, "{kind:?}: {a} = {b}");
        }
    }
}
