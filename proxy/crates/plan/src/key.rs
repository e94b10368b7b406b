//! From a written value to the key that the server stores or compares, by the type of the sharding column.
//!
//! For rows that are looked for, doubt means *every shard*: no row is ever missed. For rows that are stored, doubt
//! means refusal: a row on the wrong shard would never be found again.

use meta::{Moment, TableColumn};

use crate::algorithm::shard::{Key, Reading};
use crate::call::Constant;
use crate::moment;

/// 2^53: doubles are exact up to here, and MySQL compares numbers with texts as doubles.
const EXACT: i128 = 1 << 53;

/// 2^24: `FLOAT` columns are exact up to here.
const EXACT_FLOAT: i128 = 1 << 24;

/// What kind of values a sharding column holds.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Domain {
    /// Exact numbers: integers of any length are routed by their value.
    Decimal {
        /// Less than the first integer that it does not hold.
        below: i128,
        /// Nothing below 0.
        unsigned: bool,
    },
    /// Integers from the first to the second.
    Integer(i128, i128),
    /// Dates, or dates and times.
    Moment {
        /// Days only.
        date: bool,
        /// `TIMESTAMP`: what is written is a moment of the session's time zone, and time ends in 2038.
        zoned: bool,
    },
    /// Floating-point numbers, or a column that is not known: integers up to this are routed by their value.
    Number {
        /// What is stored exactly.
        exact: i128,
        /// Nothing below 0.
        unsigned: bool,
    },
    /// Enumerations, documents, padded bytes …: not understood.
    Other,
    /// Texts.
    Text {
        /// Only equal characters are equal, letter case and accents included.
        exact: bool,
        /// How long texts may be.
        room: Room,
        /// The last character that the column's character set certainly has.
        last: char,
    },
}

/// How long a text may be: the server may cut off the rest (`INSERT IGNORE`, `sql_mode`), which changes the key.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Room {
    /// Bytes.
    Bytes(usize),
    /// Characters.
    Characters(usize),
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
        let Some(column) = column else { return Self::Number { exact: EXACT, unsigned: false } };
        let unsigned = column.unsigned;
        let limit = column.limit.map(|limit| 10_i128.checked_pow(limit).unwrap_or(i128::MAX));
        let bits = match column.data_type.as_str() {
            "tinyint" => 8,
            "smallint" => 16,
            "mediumint" => 24,
            "int" | "integer" => 32,
            "bigint" => 64,
            "decimal" | "numeric" => return Self::Decimal { below: limit.unwrap_or(i128::MAX), unsigned },
            "float" | "double" | "real" => {
                let exact = if column.data_type == "float" { EXACT_FLOAT } else { EXACT };
                return Self::Number { exact: limit.map_or(exact, |limit| exact.min(limit - 1)), unsigned };
            }
            "char" | "varchar" | "tinytext" | "text" | "mediumtext" | "longtext" => {
                let collation = column.collation.as_deref().unwrap_or_default();
                let exact = collation == "binary" || collation.ends_with("_bin");
                return Self::Text { exact, room: room(column), last: last(collation) };
            }
            "varbinary" | "tinyblob" | "blob" | "mediumblob" | "longblob" => {
                return Self::Text { exact: true, room: room(column), last: char::MAX };
            }
            "date" => return Self::Moment { date: true, zoned: false },
            "datetime" => return Self::Moment { date: false, zoned: false },
            "timestamp" => return Self::Moment { date: false, zoned: true },
            _ => return Self::Other,
        };
        if column.unsigned {
            Self::Integer(0, (1 << bits) - 1)
        } else {
            Self::Integer(-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
        }
    }

    /// Whether what is written means another moment in another time zone.
    pub(crate) const fn is_zoned(self) -> bool {
        matches!(self, Self::Moment { zoned: true, .. })
    }

    /// Whether it holds dates or times.
    pub(crate) fn is_moment(self) -> bool {
        matches!(self, Self::Moment { .. })
    }

    /// Whether it is an integer that no row of an integer column has.
    pub(crate) fn is_beyond(self, constant: Constant<'_>) -> bool {
        match (self, constant) {
            (Self::Integer(low, high), Constant::Int(value)) => value < low || value > high,
            _ => false,
        }
    }

    /// The key of a value in `column = value`.
    pub(crate) fn wanted<'a>(self, constant: Constant<'a>, reading: Reading) -> Wanted<'a> {
        let by_value = reading == Reading::Value;
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
                Constant::Moment(_) | Constant::Null | Constant::Unknown => Wanted::Unsure,
            },
            Self::Moment { .. } if reading == Reading::Time => {
                moment(constant).map_or(Wanted::Unsure, |moment| Wanted::Key(Key::Moment(moment, moment)))
            }
            Self::Decimal { .. } => match constant {
                Constant::Int(value) => Wanted::Key(Key::Int(value)),
                Constant::Decimal(negative, digits) => exact(negative, digits).map_or(Wanted::Unsure, found),
                Constant::Text(text) if by_value => short(text).map_or(Wanted::Unsure, found),
                _ => Wanted::Unsure,
            },
            Self::Number { exact, .. } => match constant {
                Constant::Int(value) if value.abs() <= exact => Wanted::Key(Key::Int(value)),
                Constant::Float(value) => float(value).map_or(Wanted::Unsure, found),
                Constant::Text(text) if by_value => short(text).map_or(Wanted::Unsure, found),
                _ => Wanted::Unsure,
            },
            Self::Text { exact, .. } => match constant {
                Constant::Int(value) if by_value && value.abs() <= EXACT => Wanted::Key(Key::Int(value)),
                Constant::Text(text) => {
                    // `PAD SPACE` collations find '7' with '7 '.
                    let cut = text.trim_end_matches(' ');
                    match reading {
                        Reading::Digits if is_plain(text) => Wanted::Key(Key::Text(text)),
                        Reading::Exact | Reading::Time if is_plain(cut) && (exact || is_caseless(cut)) => {
                            Wanted::Key(Key::Text(cut))
                        }
                        Reading::Value if is_integer(cut) => Wanted::Key(Key::Text(cut)),
                        _ => Wanted::Unsure,
                    }
                }
                _ => Wanted::Unsure,
            },
            Self::Moment { .. } | Self::Other => Wanted::Unsure,
        }
    }

    /// A bound of a range as an integer (of a moment: its microseconds): `lower` rounds up, else down; `None` is no
    /// bound.
    pub(crate) fn bound(self, constant: Constant<'_>, lower: bool, reading: Reading) -> Option<i128> {
        match (self, reading) {
            (Self::Moment { .. }, Reading::Time) => {
                return moment(constant).map(|moment| i128::from(moment.0));
            }
            (_, Reading::Time) => return None,
            _ => {}
        }
        let value = match constant {
            Constant::Int(value) => Some(value),
            Constant::Decimal(negative, digits) => whole(negative, digits),
            Constant::Float(value) => float(value),
            Constant::Text(text) => short(text),
            Constant::Moment(_) | Constant::Null | Constant::Unknown => None,
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
            Self::Decimal { .. }
            | Self::Moment { .. }
            | Self::Number { .. }
            | Self::Other
            | Self::Text { .. } => None,
        }
    }

    /// The key under which the server will store a value. `generated`: 0 stands for the next number.
    pub(crate) fn stored<'a>(
        self,
        constant: Constant<'a>,
        generated: bool,
        reading: Reading,
    ) -> Result<Key<'a>, Unfit> {
        let by_value = reading == Reading::Value;
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
                    Constant::Moment(_) | Constant::Null | Constant::Unknown => return Err(Unfit::Doubtful),
                };
                if generated && value == 0 {
                    return Err(Unfit::Doubtful);
                }
                // Beyond the column's type a strict server refuses the row and another stores the nearest value.
                Ok(Key::Int(value.clamp(low, high)))
            }
            Self::Decimal { below, unsigned } => {
                let value = match constant {
                    Constant::Int(0) if generated => None,
                    Constant::Int(value) => Some(value),
                    Constant::Decimal(negative, digits) => exact(negative, digits),
                    Constant::Text(text) if text.len() < 38 && is_integer(text) => Some(saturated(text)),
                    _ => None,
                };
                let kept = |value: &i128| value.abs() < below && !(unsigned && *value < 0);
                value.filter(kept).map(Key::Int).ok_or(Unfit::Doubtful)
            }
            Self::Number { exact, unsigned } => {
                let value = match constant {
                    Constant::Int(value) if !(generated && value == 0) => Some(value),
                    Constant::Float(value) if !generated => float(value),
                    Constant::Text(text) if by_value && !generated => short(text),
                    Constant::Decimal(negative, digits) if !generated => whole(negative, digits),
                    _ => None,
                };
                let kept = |value: &i128| value.abs() <= exact && !(unsigned && *value < 0);
                value.filter(kept).map(Key::Int).ok_or(Unfit::Doubtful)
            }
            Self::Moment { date, zoned } if reading == Reading::Time => {
                let exact = moment(constant).ok_or(Unfit::Doubtful)?;
                // A fraction is cut off, rounded or kept, as the column's precision says.
                let (low, high) = (exact.floor(SECOND), exact.ceil(SECOND));
                // Beyond the type's end a server that is not strict stores zeros.
                if high.0 >= END || zoned && (low.0 < DAY || high.0 > ZONED_END - DAY) {
                    return Err(Unfit::Doubtful);
                }
                Ok(if date { Key::Moment(low.floor(DAY), high.floor(DAY)) } else { Key::Moment(low, high) })
            }
            Self::Text { room, .. } if !room.has(constant) => Err(Unfit::Doubtful),
            Self::Text { exact, last, .. } => match (constant, reading) {
                (Constant::Int(value), Reading::Digits | Reading::Value) => Ok(Key::Int(value)),
                (Constant::Int(value), Reading::Exact | Reading::Time) => Ok(Key::Digits(value)),
                (Constant::Text(text), Reading::Value) if is_integer(text) => Ok(Key::Text(text)),
                (Constant::Text(_), Reading::Value) => Err(Unfit::NotNumeric),
                (Constant::Text(text), Reading::Digits) if is_plain(text) => Ok(Key::Text(text)),
                (Constant::Text(text), Reading::Exact | Reading::Time) if is_own(text, exact, last) => {
                    Ok(Key::Text(text))
                }
                _ => Err(Unfit::Doubtful),
            },
            Self::Moment { .. } | Self::Other => Err(Unfit::Doubtful),
        }
    }
}

impl Room {
    fn has(self, constant: Constant<'_>) -> bool {
        let mut digits = itoa::Buffer::new();
        let text = match constant {
            Constant::Int(value) => digits.format(value),
            Constant::Text(text) => text,
            _ => return true,
        };
        match self {
            Self::Bytes(most) => text.len() <= most,
            Self::Characters(most) => text.len() <= most || text.chars().count() <= most,
        }
    }
}

fn room(column: &TableColumn) -> Room {
    let limit = column.limit.and_then(|limit| usize::try_from(limit).ok());
    match (column.data_type.as_str(), limit) {
        ("char" | "varchar", limit) => Room::Characters(limit.unwrap_or(usize::MAX)),
        ("varbinary", limit) => Room::Bytes(limit.unwrap_or(usize::MAX)),
        ("tinytext" | "tinyblob", _) => Room::Bytes(255),
        ("text" | "blob", _) => Room::Bytes(65_535),
        ("mediumtext" | "mediumblob", _) => Room::Bytes(16_777_215),
        _ => Room::Bytes(usize::MAX),
    }
}

/// The last character that the character set of a collation certainly has: of others the server may make `?`.
fn last(collation: &str) -> char {
    match collation.split('_').next().unwrap_or_default() {
        "" | "binary" | "utf8mb4" | "utf16" | "utf16le" | "utf32" | "gb18030" => char::MAX,
        "utf8" | "utf8mb3" | "ucs2" => '\u{ffff}',
        _ => '~',
    }
}

fn found<'a>(value: i128) -> Wanted<'a> {
    Wanted::Key(Key::Int(value))
}

/// A second, a day, in microseconds.
const SECOND: i64 = 1_000_000;
const DAY: i64 = 86_400 * SECOND;

/// The first moment after the year 9999, and that after the last `TIMESTAMP`.
const END: i64 = 253_402_300_800 * SECOND;
const ZONED_END: i64 = 2_147_483_648 * SECOND;

fn moment(constant: Constant<'_>) -> Option<Moment> {
    match constant {
        Constant::Int(value) => moment::of_number(value),
        Constant::Moment(moment) => Some(moment),
        Constant::Text(text) => moment::of_text(text),
        _ => None,
    }
}

/// `[+-]digits` and nothing else.
pub(crate) fn is_integer(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether two texts that a collation finds equal have the same length and the same digits at the same places.
fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) && !text.ends_with(' ')
}

/// Whether a plain text has no character that some collation finds equal to another plain one: letters, and in one
/// collation (`gbk_chinese_ci`) the tilde.
fn is_caseless(text: &str) -> bool {
    !text.bytes().any(|byte| byte.is_ascii_alphabetic() || byte == b'~')
}

/// Whether no other text for which a shard is looked up is equal to this one: it is plain, or has characters that are
/// never equal to a plain one.
fn is_own(text: &str, exact: bool, last: char) -> bool {
    let ideograph = |c: char| ('\u{3400}'..='\u{9fff}').contains(&c);
    let own = |c: char| (' '..='~').contains(&c) || c <= last && (ideograph(c) || exact && c >= '\u{80}');
    text.chars().all(own) && !text.ends_with(' ')
}

/// An integer text that a double holds exactly.
fn short(text: &str) -> Option<i128> {
    if text.len() > 15 || !is_integer(text) { None } else { text.parse().ok() }
}

/// An integer text as a number; beyond the range of every integer column the nearest that is beyond it, too.
pub(crate) fn saturated(text: &str) -> i128 {
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
mod tests;
