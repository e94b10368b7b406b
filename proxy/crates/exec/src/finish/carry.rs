//! One column on its way: the literal of each value, and what makes the column of literals one of its type again.

use bytes::{BufMut, BytesMut};
use wire::charset::Collation;
use wire::column::{Column, ColumnFlags, ColumnType};
use wire::value::Value;

use super::Dialect;
use crate::Error;

/// How values of one column travel.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Carry {
    /// Bytes without a character set.
    Bytes,
    Date,
    /// With digits in all, and behind the point.
    Decimal(u8, u8),
    /// `DOUBLE`; a server may not be able to cast to it.
    Double {
        cast: bool,
    },
    Integer {
        unsigned: bool,
    },
    Json,
    /// `DATETIME`, `TIMESTAMP`, with digits of a second.
    Moment(u8),
    /// Always `NULL`.
    Nothing,
    Text(Collation),
    /// `TIME`, with digits of a second.
    Time(u8),
    /// `YEAR`; a server may not be able to cast to it.
    Year {
        cast: bool,
    },
}

impl Carry {
    /// Of a column as a server describes it while it leaves texts in their own character sets.
    pub(crate) fn of(column: &Column, dialect: Dialect) -> Result<Self, Error> {
        let refuse =
            |what| Err(Error::Carried { column: String::from_utf8_lossy(&column.name).into_owned(), what });
        if column.flags.contains(ColumnFlags::ZEROFILL) && column.kind != ColumnType::YEAR {
            return refuse("ZEROFILL");
        }
        Ok(match column.kind {
            ColumnType::TINY
            | ColumnType::BOOL
            | ColumnType::SHORT
            | ColumnType::LONG
            | ColumnType::INT24
            | ColumnType::LONGLONG => {
                Self::Integer { unsigned: column.flags.contains(ColumnFlags::UNSIGNED) }
            }
            ColumnType::YEAR => Self::Year { cast: dialect == Dialect::Rows },
            // Its text is not the whole value.
            ColumnType::FLOAT => return refuse("FLOAT"),
            ColumnType::DOUBLE => Self::Double { cast: dialect != Dialect::Selects },
            ColumnType::DECIMAL | ColumnType::NEWDECIMAL => {
                Self::Decimal(precision(column), column.decimals.min(30))
            }
            ColumnType::DATE | ColumnType::NEWDATE => Self::Date,
            ColumnType::DATETIME | ColumnType::DATETIME2 | ColumnType::TIMESTAMP | ColumnType::TIMESTAMP2 => {
                Self::Moment(digits(column.decimals))
            }
            ColumnType::TIME | ColumnType::TIME2 => Self::Time(digits(column.decimals)),
            ColumnType::JSON => Self::Json,
            ColumnType::NULL => Self::Nothing,
            ColumnType::BIT => return refuse("BIT"),
            ColumnType::GEOMETRY => return refuse("GEOMETRY"),
            ColumnType::VECTOR => return refuse("VECTOR"),
            _ if column.is_binary() => Self::Bytes,
            _ => match Collation::find(column.charset) {
                Some(collation) => Self::Text(collation),
                None => return refuse("a text whose collation is not known"),
            },
        })
    }

    /// Writes a value of a text row.
    pub(crate) fn text(self, cell: Option<&[u8]>, column: &Column, out: &mut BytesMut) -> Result<(), Error> {
        let Some(cell) = cell else {
            out.extend_from_slice(b"NULL");
            return Ok(());
        };
        match self {
            Self::Integer { .. } | Self::Decimal(..) | Self::Year { .. } => out.extend_from_slice(cell),
            Self::Double { .. } => double(cell, out),
            Self::Bytes | Self::Nothing => hex(cell, out),
            Self::Json => text(b"utf8mb4", cell, out),
            Self::Text(collation) => match collation.charset.name {
                name @ ("ucs2" | "utf16" | "utf16le" | "utf32") => {
                    out.put_u8(b'_');
                    out.extend_from_slice(name.as_bytes());
                    out.put_u8(b' ');
                    hex(cell, out);
                }
                name => text(name.as_bytes(), cell, out),
            },
            Self::Date | Self::Moment(_) | Self::Time(_) => {
                if self != Self::Time(digits(column.decimals)) && has_zero(cell) {
                    let column = String::from_utf8_lossy(&column.name).into_owned();
                    return Err(Error::Carried { column, what: "a date with a part that is zero" });
                }
                out.put_u8(b'\'');
                out.extend_from_slice(cell);
                out.put_u8(b'\'');
            }
        }
        Ok(())
    }

    /// Writes a value of a binary row.
    pub(crate) fn value(self, value: Value<'_>, column: &Column, out: &mut BytesMut) -> Result<(), Error> {
        let mut cell = BytesMut::new();
        let cell = match value {
            Value::Null => return self.text(None, column, out),
            Value::Bytes(bytes) => bytes,
            // The shortest that is this very number.
            Value::Double(double) => {
                out.extend_from_slice(format!("{double:e}").as_bytes());
                return Ok(());
            }
            other => {
                other.write_text(&mut cell, digits(column.decimals));
                &cell[..]
            }
        };
        self.text(Some(cell), column, out)
    }

    /// Writes what makes a column of literals one of this type, though all of them may be `NULL`.
    pub(crate) fn cast(self, column: &str, out: &mut BytesMut) {
        let cast = match self {
            Self::Bytes => format!("CAST({column} AS BINARY)"),
            Self::Decimal(precision, scale) => format!("CAST({column} AS DECIMAL({precision},{scale}))"),
            Self::Double { cast: true } => format!("CAST({column} AS DOUBLE)"),
            Self::Double { cast: false } => format!("({column} + 0e0)"),
            Self::Nothing => column.to_owned(),
            Self::Date => format!("CAST({column} AS DATE)"),
            Self::Integer { unsigned: false } => format!("CAST({column} AS SIGNED)"),
            Self::Integer { unsigned: true } | Self::Year { cast: false } => {
                format!("CAST({column} AS UNSIGNED)")
            }
            // As a text: read anew, a document would forget types that its text does not tell.
            Self::Json => format!("CONVERT({column} USING utf8mb4) COLLATE utf8mb4_bin"),
            Self::Moment(digits) => format!("CAST({column} AS DATETIME({digits}))"),
            // A column of NULLs has no character set that a collation could be of.
            Self::Text(Collation { name, charset, .. }) => {
                format!("CONVERT({column} USING {}) COLLATE {name}", charset.name)
            }
            Self::Time(digits) => format!("CAST({column} AS TIME({digits}))"),
            Self::Year { cast: true } => format!("CAST({column} AS YEAR)"),
        };
        out.extend_from_slice(cast.as_bytes());
    }
}

/// Digits of a decimal in all: its length counts the sign and the point.
fn precision(column: &Column) -> u8 {
    let sign = u32::from(!column.flags.contains(ColumnFlags::UNSIGNED));
    let digits = column.length.saturating_sub(sign + u32::from(column.decimals > 0));
    u8::try_from(digits).unwrap_or(65).clamp(column.decimals.clamp(1, 30), 65)
}

/// Digits of a second: 31 where there are none to speak of.
fn digits(decimals: u8) -> u8 {
    if decimals > 6 { 0 } else { decimals }
}

/// Whether a year, month or day is zero.
fn has_zero(date: &[u8]) -> bool {
    let part = |range: std::ops::Range<usize>| date.get(range).unwrap_or_default();
    part(0..4) == b"0000" || part(5..7) == b"00" || part(8..10) == b"00"
}

/// A number that MySQL takes for no `DECIMAL`.
fn double(text: &[u8], out: &mut BytesMut) {
    out.extend_from_slice(text);
    if !text.iter().any(|byte| matches!(byte, b'e' | b'E')) {
        out.extend_from_slice(b"e0");
    }
}

/// A text in a character set that holds ASCII: as it is where nothing in it could be read otherwise.
fn text(charset: &[u8], value: &[u8], out: &mut BytesMut) {
    out.put_u8(b'_');
    out.extend_from_slice(charset);
    if value.iter().all(|byte| matches!(byte, b' '..=b'~') && !matches!(byte, b'\'' | b'\\')) {
        out.put_u8(b'\'');
        out.extend_from_slice(value);
        out.put_u8(b'\'');
    } else {
        out.put_u8(b' ');
        hex(value, out);
    }
}

fn hex(value: &[u8], out: &mut BytesMut) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    out.reserve(value.len() * 2 + 3);
    out.extend_from_slice(b"x'");
    for byte in value {
        out.put_u8(DIGITS[usize::from(byte >> 4)]);
        out.put_u8(DIGITS[usize::from(byte & 15)]);
    }
    out.put_u8(b'\'');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(kind: ColumnType, charset: u16) -> Column {
        Column { charset, ..Column::new("c", kind) }
    }

    fn written(column: &Column, cell: Option<&[u8]>) -> String {
        let mut out = BytesMut::new();
        Carry::of(column, Dialect::Rows).unwrap().text(cell, column, &mut out).unwrap();
        String::from_utf8(out.to_vec()).unwrap()
    }

    #[test]
    fn writes_texts_that_no_setting_changes() {
        let utf8 = column(ColumnType::VAR_STRING, 255);
        for (value, expected) in [
            (&b""[..], "_utf8mb4''"),
            (b"plain text, 1 + 1; -- #", "_utf8mb4'plain text, 1 + 1; -- #'"),
            (b"it's", "_utf8mb4 x'69742773'"),
            (b"back\\slash", "_utf8mb4 x'6261636b5c736c617368'"),
            (b"\"\"", "_utf8mb4'\"\"'"),
            (b"a\0b\nc", "_utf8mb4 x'6100620a63'"),
            ("日本".as_bytes(), "_utf8mb4 x'e697a5e69cac'"),
            (b"\xff\xfe", "_utf8mb4 x'fffe'"),
        ] {
            assert_eq!(written(&utf8, Some(value)), expected);
        }
        assert_eq!(written(&utf8, None), "NULL");
        // 0x5c is the second half of a character.
        assert_eq!(written(&column(ColumnType::VAR_STRING, 28), Some(b"\xd5\x5c")), "_gbk x'd55c'");
        assert_eq!(written(&column(ColumnType::BLOB, 8), Some(b"\xe9")), "_latin1 x'e9'");
        assert_eq!(written(&column(ColumnType::STRING, 35), Some(b"\0a")), "_ucs2 x'0061'");
        assert_eq!(written(&column(ColumnType::VAR_STRING, 63), Some(b"a'")), "x'6127'");
        assert_eq!(written(&column(ColumnType::JSON, 63), Some(b"{\"a\": 1}")), "_utf8mb4'{\"a\": 1}'");
    }

    #[test]
    fn writes_numbers_and_times_of_both_forms_alike() {
        let double = column(ColumnType::DOUBLE, 63);
        assert_eq!(written(&double, Some(b"1.5")), "1.5e0");
        assert_eq!(written(&double, Some(b"1e20")), "1e20");
        assert_eq!(written(&column(ColumnType::NEWDECIMAL, 63), Some(b"-1.50")), "-1.50");
        assert_eq!(
            written(&column(ColumnType::LONGLONG, 63), Some(b"-9223372036854775808")),
            "-9223372036854775808"
        );
        assert_eq!(written(&column(ColumnType::DATE, 63), Some(b"2024-02-29")), "'2024-02-29'");
        assert_eq!(written(&column(ColumnType::TIME, 63), Some(b"-838:59:59")), "'-838:59:59'");
        for (value, expected) in [
            (Value::Double(0.1 + 0.2), "3.0000000000000004e-1"),
            (Value::Int(-3), "-3"),
            (Value::UInt(u64::MAX), "18446744073709551615"),
            (Value::Null, "NULL"),
        ] {
            let kind = value.kind().column;
            let column = column(if kind == ColumnType::NULL { ColumnType::LONG } else { kind }, 63);
            let mut out = BytesMut::new();
            Carry::of(&column, Dialect::Rows).unwrap().value(value, &column, &mut out).unwrap();
            assert_eq!(out, expected);
        }
    }

    #[test]
    fn refuses_what_would_arrive_as_something_else() {
        let refused = |column: &Column| Carry::of(column, Dialect::Rows).is_err();
        for kind in [ColumnType::FLOAT, ColumnType::BIT, ColumnType::GEOMETRY, ColumnType::VECTOR] {
            assert!(refused(&column(kind, 63)), "{kind:?}");
        }
        assert!(refused(&Column { flags: ColumnFlags::ZEROFILL, ..column(ColumnType::LONG, 63) }));
        assert!(refused(&column(ColumnType::VAR_STRING, 9999)));
        let date = column(ColumnType::DATETIME, 63);
        for zero in ["0000-00-00 00:00:00", "2024-00-01 00:00:00", "2024-01-00 00:00:00"] {
            let mut out = BytesMut::new();
            let carried = Carry::of(&date, Dialect::Rows).unwrap();
            assert!(carried.text(Some(zero.as_bytes()), &date, &mut out).is_err(), "{zero}");
        }
    }

    #[test]
    fn casts_columns_of_literals_to_their_types() {
        let cast = |column: &Column| {
            let mut out = BytesMut::new();
            Carry::of(column, Dialect::Rows).unwrap().cast("c", &mut out);
            String::from_utf8(out.to_vec()).unwrap()
        };
        let decimal = Column { length: 12, decimals: 2, ..column(ColumnType::NEWDECIMAL, 63) };
        assert_eq!(cast(&decimal), "CAST(c AS DECIMAL(10,2))");
        assert_eq!(
            cast(&Column { decimals: 3, ..column(ColumnType::DATETIME, 63) }),
            "CAST(c AS DATETIME(3))"
        );
        assert_eq!(cast(&column(ColumnType::VAR_STRING, 46)), "CONVERT(c USING utf8mb4) COLLATE utf8mb4_bin");
        let unsigned = Column { flags: ColumnFlags::UNSIGNED, ..column(ColumnType::LONG, 63) };
        assert_eq!(cast(&unsigned), "CAST(c AS UNSIGNED)");
    }
}
