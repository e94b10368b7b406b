//! From a written value to the key that the server stores or compares, by the type of the sharding column.
//!
//! For rows that are looked for, doubt means *every shard*: no row is ever missed. For rows that are stored, doubt
//! means refusal: a row on the wrong shard would never be found again.

use meta::TableColumn;

use crate::algorithm::shard::Key;
use crate::call::Constant;

/// 2^53: doubles are exact up to here, and MySQL compares numbers with texts as doubles.
const EXACT: i128 = 1 << 53;

/// What kind of values a sharding column holds.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Domain {
    /// Exact numbers: integers of any length are routed by their value.
    Decimal,
    /// Integers from the first to the second.
    Integer(i128, i128),
    /// Floating-point numbers, or a column that is not known: small integers are routed by their value.
    Number,
    /// Texts.
    Text,
    /// Dates, enumerations, documents …: not understood.
    Other,
}

/// Where a value that is looked for can be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Wanted<'a> {
    /// With this key.
    Key(Key<'a>),
    /// Nowhere: no row holds it.
    Never,
    /// Anywhere.
    Unsure,
}

/// Why a value cannot be stored under a rule.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Unfit {
    /// Only the server can compute it, or what it stores depends on its settings.
    Doubtful,
    /// `NULL`.
    Null,
    /// A type of column, or a text, that names no integer.
    NotNumeric,
}

impl Domain {
    /// The domain of a column.
    pub(crate) fn of(column: Option<&TableColumn>) -> Self {
        let Some(column) = column else { return Self::Number };
        let bits = match column.data_type.as_str() {
            "tinyint" => 8,
            "smallint" => 16,
            "mediumint" => 24,
            "int" | "integer" => 32,
            "bigint" => 64,
            "decimal" | "numeric" => return Self::Decimal,
            "float" | "double" | "real" => return Self::Number,
            "char" | "varchar" | "tinytext" | "text" | "mediumtext" | "longtext" | "binary" | "varbinary"
            | "tinyblob" | "blob" | "mediumblob" | "longblob" => return Self::Text,
            _ => return Self::Other,
        };
        if column.unsigned {
            Self::Integer(0, (1 << bits) - 1)
        } else {
            Self::Integer(-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
        }
    }

    /// The key of a value in `column = value`. `by_value`: integers are routed by value, not by their digits.
    pub(crate) fn wanted<'a>(self, constant: Constant<'a>, by_value: bool) -> Wanted<'a> {
        if constant == Constant::Null {
            return Wanted::Never;
        }
        match self {
            Self::Integer(low, high) => match constant {
                Constant::Int(value) if value < low || value > high => Wanted::Never,
                Constant::Int(value) => Wanted::Key(Key::Int(value)),
                Constant::Decimal(negative, digits) => match whole(negative, digits) {
                    Some(value) if value < low || value > high => Wanted::Never,
                    Some(value) => Wanted::Key(Key::Int(value)),
                    None => Wanted::Unsure,
                },
                Constant::Float(value) => float(value).map_or(Wanted::Unsure, found),
                Constant::Text(text) => match short(text) {
                    Some(value) if value < low || value > high => Wanted::Unsure,
                    Some(value) => Wanted::Key(Key::Int(value)),
                    None => Wanted::Unsure,
                },
                Constant::Null | Constant::Unknown => Wanted::Unsure,
            },
            Self::Decimal => match constant {
                Constant::Int(value) => Wanted::Key(Key::Int(value)),
                Constant::Decimal(negative, digits) => exact(negative, digits).map_or(Wanted::Unsure, found),
                Constant::Text(text) if by_value => short(text).map_or(Wanted::Unsure, found),
                _ => Wanted::Unsure,
            },
            Self::Number => match constant {
                Constant::Int(value) if value.abs() <= EXACT => Wanted::Key(Key::Int(value)),
                Constant::Float(value) => float(value).map_or(Wanted::Unsure, found),
                Constant::Text(text) if by_value => short(text).map_or(Wanted::Unsure, found),
                _ => Wanted::Unsure,
            },
            Self::Text => match constant {
                Constant::Int(value) if by_value && value.abs() <= EXACT => Wanted::Key(Key::Int(value)),
                Constant::Text(text) if by_value => {
                    // `PAD SPACE` collations find '7' with '7 '.
                    let text = text.trim_end_matches(' ');
                    if is_integer(text) { Wanted::Key(Key::Text(text)) } else { Wanted::Unsure }
                }
                Constant::Text(text) if is_plain(text) => Wanted::Key(Key::Text(text)),
                _ => Wanted::Unsure,
            },
            Self::Other => Wanted::Unsure,
        }
    }

    /// A bound of a range as an integer: `lower` rounds up, else down; `None` is no bound.
    pub(crate) fn bound(self, constant: Constant<'_>, lower: bool) -> Option<i128> {
        let value = match constant {
            Constant::Int(value) => Some(value),
            Constant::Decimal(negative, digits) => whole(negative, digits),
            Constant::Float(value) => float(value),
            Constant::Text(text) => short(text),
            Constant::Null | Constant::Unknown => None,
        };
        match self {
            Self::Integer(low, high) => match value {
                Some(value) => Some(value),
                None => match constant {
                    Constant::Decimal(negative, digits) => {
                        let floor = floor(negative, digits)?;
                        Some(if lower { floor + 1 } else { floor }.clamp(low - 1, high + 1))
                    }
                    _ => None,
                },
            },
            Self::Decimal | Self::Number | Self::Other | Self::Text => None,
        }
    }

    /// The key under which the server will store a value. `generated`: 0 stands for the next number.
    pub(crate) fn stored<'a>(
        self,
        constant: Constant<'a>,
        generated: bool,
        by_value: bool,
    ) -> Result<Key<'a>, Unfit> {
        if constant == Constant::Null {
            return Err(Unfit::Null);
        }
        match self {
            Self::Integer(low, high) => {
                let value = match constant {
                    Constant::Int(value) => value,
                    Constant::Decimal(negative, digits) => {
                        rounded(negative, digits).ok_or(Unfit::Doubtful)?
                    }
                    Constant::Float(value) => float(value).ok_or(Unfit::Doubtful)?,
                    Constant::Text(text) => match text.trim_matches(' ') {
                        text if !is_integer(text) => return Err(Unfit::NotNumeric),
                        text => saturated(text),
                    },
                    Constant::Null | Constant::Unknown => return Err(Unfit::Doubtful),
                };
                if generated && value == 0 {
                    return Err(Unfit::Doubtful);
                }
                // Beyond the column's type a strict server refuses the row and another stores the nearest value.
                Ok(Key::Int(value.clamp(low, high)))
            }
            Self::Decimal => match constant {
                Constant::Int(0) if generated => Err(Unfit::Doubtful),
                Constant::Int(value) => Ok(Key::Int(value)),
                Constant::Decimal(negative, digits) => {
                    exact(negative, digits).map(Key::Int).ok_or(Unfit::Doubtful)
                }
                Constant::Text(text) if text.len() < 38 && is_integer(text) => Ok(Key::Int(saturated(text))),
                _ => Err(Unfit::Doubtful),
            },
            Self::Number => match constant {
                Constant::Int(value) if value.abs() <= EXACT && !(generated && value == 0) => {
                    Ok(Key::Int(value))
                }
                Constant::Float(value) if !generated => float(value).map(Key::Int).ok_or(Unfit::Doubtful),
                Constant::Text(text) if by_value && !generated => {
                    short(text).map(Key::Int).ok_or(Unfit::Doubtful)
                }
                Constant::Decimal(negative, digits) if !generated => whole(negative, digits)
                    .filter(|value| value.abs() <= EXACT)
                    .map(Key::Int)
                    .ok_or(Unfit::Doubtful),
                _ => Err(Unfit::Doubtful),
            },
            Self::Text => match constant {
                Constant::Int(value) => Ok(Key::Int(value)),
                Constant::Text(text) if by_value => {
                    if is_integer(text) {
                        Ok(Key::Text(text))
                    } else {
                        Err(Unfit::NotNumeric)
                    }
                }
                Constant::Text(text) if is_plain(text) => Ok(Key::Text(text)),
                _ => Err(Unfit::Doubtful),
            },
            Self::Other => Err(Unfit::Doubtful),
        }
    }
}

fn found<'a>(value: i128) -> Wanted<'a> {
    Wanted::Key(Key::Int(value))
}

/// `[+-]digits` and nothing else.
fn is_integer(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether two texts that a collation finds equal have the same length and the same digits at the same places.
fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) && !text.ends_with(' ')
}

/// An integer text that a double holds exactly.
fn short(text: &str) -> Option<i128> {
    if text.len() > 15 || !is_integer(text) { None } else { text.parse().ok() }
}

/// An integer text as a number; beyond the range of every integer column the nearest that is beyond it, too.
fn saturated(text: &str) -> i128 {
    let beyond = if text.starts_with('-') { i128::MIN } else { i128::MAX };
    text.parse().unwrap_or(beyond)
}

/// A floating-point number that is an integer.
fn float(value: f64) -> Option<i128> {
    #[expect(clippy::cast_possible_truncation, reason = "an integer of at most 2^53")]
    let whole = (value.fract() == 0.0 && value.abs() <= 9_007_199_254_740_992.0).then_some(value as i128);
    whole
}

/// Digits before and after the point.
fn parts(digits: &str) -> (&str, &str) {
    digits.split_once('.').unwrap_or((digits, ""))
}

fn signed(negative: bool, digits: &str) -> i128 {
    let value = if digits.is_empty() { 0 } else { digits.parse().unwrap_or(i128::MAX - 1) };
    if negative { -value } else { value }
}

/// A decimal that is an integer.
fn whole(negative: bool, digits: &str) -> Option<i128> {
    let (before, after) = parts(digits);
    after.bytes().all(|byte| byte == b'0').then(|| signed(negative, before))
}

/// A decimal that is an integer of less than 39 digits.
fn exact(negative: bool, digits: &str) -> Option<i128> {
    if parts(digits).0.len() > 38 { None } else { whole(negative, digits) }
}

/// The largest integer that is not larger.
fn floor(negative: bool, digits: &str) -> Option<i128> {
    let (before, after) = parts(digits);
    let fraction = after.bytes().any(|byte| byte != b'0');
    signed(negative, before).checked_sub(i128::from(negative && fraction))
}

/// Rounded as MySQL stores an exact number into an integer column: half away from zero.
fn rounded(negative: bool, digits: &str) -> Option<i128> {
    let (before, after) = parts(digits);
    let up = matches!(after.as_bytes().first(), Some(b'5'..=b'9'));
    let away = signed(false, before).checked_add(i128::from(up))?;
    Some(if negative { -away } else { away })
}

#[cfg(test)]
mod tests {
    use super::*;

    const BIGINT: Domain = Domain::Integer(i64::MIN as i128, i64::MAX as i128);

    #[test]
    fn looks_for_what_the_server_would_find_in_a_bigint() {
        for (constant, expected) in [
            (Constant::Int(5), Wanted::Key(Key::Int(5))),
            (Constant::Int(i128::from(u64::MAX)), Wanted::Never),
            (Constant::Decimal(false, "5.0"), Wanted::Key(Key::Int(5))),
            (Constant::Decimal(true, "5.00"), Wanted::Key(Key::Int(-5))),
            (Constant::Decimal(false, "5.5"), Wanted::Unsure),
            (Constant::Decimal(false, ".5"), Wanted::Unsure),
            (Constant::Float(1e1), Wanted::Key(Key::Int(10))),
            (Constant::Float(1e30), Wanted::Unsure),
            (Constant::Text("5"), Wanted::Key(Key::Int(5))),
            (Constant::Text("005"), Wanted::Key(Key::Int(5))),
            (Constant::Text("5abc"), Wanted::Unsure),
            (Constant::Text(""), Wanted::Unsure),
            (Constant::Text("9007199254740993"), Wanted::Unsure),
            (Constant::Null, Wanted::Never),
            (Constant::Unknown, Wanted::Unsure),
        ] {
            assert_eq!(BIGINT.wanted(constant, true), expected, "{constant:?}");
        }
    }

    #[test]
    fn looks_for_what_the_server_would_find_in_a_text() {
        for (constant, by_value, expected) in [
            (Constant::Text("007"), true, Wanted::Key(Key::Text("007"))),
            (Constant::Text("7 "), true, Wanted::Key(Key::Text("7"))),
            (Constant::Text("٧"), true, Wanted::Unsure),
            (Constant::Text("a7b"), false, Wanted::Key(Key::Text("a7b"))),
            (Constant::Text("ß7b"), false, Wanted::Unsure),
            (Constant::Text("a7 "), false, Wanted::Unsure),
            (Constant::Int(7), true, Wanted::Key(Key::Int(7))),
            (Constant::Int(7), false, Wanted::Unsure),
        ] {
            assert_eq!(Domain::Text.wanted(constant, by_value), expected, "{constant:?}");
        }
    }

    #[test]
    fn stores_where_the_server_will_have_stored_it() {
        for (constant, expected) in [
            (Constant::Text("007"), Ok(Key::Int(7))),
            (Constant::Text(" 7 "), Ok(Key::Int(7))),
            (Constant::Text("7.4"), Err(Unfit::NotNumeric)),
            (Constant::Text("7a"), Err(Unfit::NotNumeric)),
            (Constant::Decimal(false, "7.4"), Ok(Key::Int(7))),
            (Constant::Decimal(false, "7.5"), Ok(Key::Int(8))),
            (Constant::Decimal(true, "7.5"), Ok(Key::Int(-8))),
            (Constant::Decimal(true, ".4"), Ok(Key::Int(0))),
            (Constant::Float(7.0), Ok(Key::Int(7))),
            (Constant::Float(7.5), Err(Unfit::Doubtful)),
            (Constant::Int(i128::from(u64::MAX)), Ok(Key::Int(i128::from(i64::MAX)))),
            (
                Constant::Text("123456789012345678901234567890123456789012"),
                Ok(Key::Int(i128::from(i64::MAX))),
            ),
            (Constant::Null, Err(Unfit::Null)),
            (Constant::Unknown, Err(Unfit::Doubtful)),
        ] {
            assert_eq!(BIGINT.stored(constant, false, true), expected, "{constant:?}");
        }
        assert_eq!(BIGINT.stored(Constant::Int(0), true, true), Err(Unfit::Doubtful));
        assert_eq!(Domain::Text.stored(Constant::Text("007"), false, true), Ok(Key::Text("007")));
        assert_eq!(Domain::Text.stored(Constant::Text("7 "), false, true), Err(Unfit::NotNumeric));
    }

    #[test]
    fn bounds_never_leave_out_an_integer() {
        for (constant, lower, expected) in [
            (Constant::Decimal(false, "1.5"), true, Some(2)),
            (Constant::Decimal(false, "3.2"), false, Some(3)),
            (Constant::Decimal(true, "1.5"), true, Some(-1)),
            (Constant::Decimal(true, "1.5"), false, Some(-2)),
            (Constant::Decimal(false, "3.0"), true, Some(3)),
            (Constant::Float(0.5), true, None),
            (Constant::Text("3"), true, Some(3)),
            (Constant::Text("x"), true, None),
        ] {
            assert_eq!(BIGINT.bound(constant, lower), expected, "{constant:?}");
        }
        assert_eq!(Domain::Text.bound(Constant::Int(1), true), None);
    }
}
