//! Rows that were worked out over a derived table, as the columns of the client's own statement have them.

use bytes::BytesMut;
use wire::column::{Column, ColumnFlags, ColumnType};
use wire::cursor::Cursor;
use wire::value::{Kind, Value};
use wire::{frame, row};

use crate::Error;
use crate::merge::Format;

/// What a column's values come to.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Class {
    Bytes,
    Date,
    Decimal,
    Double,
    Float,
    Integer,
    Json,
    Moment(u8),
    Nothing,
    Other(ColumnType),
    Text,
    Time(u8),
}

/// What becomes of a column's values.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Change {
    /// An integer that came as a decimal number.
    Count(Kind),
    /// Another width of a binary integer.
    Integer {
        from: Kind,
        to: Kind,
    },
    None,
    /// Fewer digits behind the point.
    Round(u8),
}

/// What a temporary table does not have.
const KEYS: ColumnFlags = ColumnFlags::PRIMARY_KEY
    .union(ColumnFlags::UNIQUE_KEY)
    .union(ColumnFlags::MULTIPLE_KEY)
    .union(ColumnFlags::from_bits_retain(1 << 14));

/// How rows become those that the client expects.
#[derive(Debug)]
pub(crate) struct Fit {
    changes: Vec<Change>,
    columns: Vec<Column>,
    format: Format,
    /// There is something to change.
    any: bool,
}

impl Fit {
    /// From the columns worked out to those told; refuses what differs in more than its encoding.
    pub(crate) fn new(told: &[Column], worked: Vec<Column>, format: Format) -> Result<Self, Error> {
        if told.len() != worked.len() {
            return Err(Error::Columns { first: told.len(), other: worked.len() });
        }
        let changes = told.iter().zip(&worked).map(|(told, worked)| change(told, worked, format));
        let changes = changes.collect::<Result<Vec<_>, _>>()?;
        let any = changes.iter().any(|change| *change != Change::None);
        Ok(Self { changes, columns: worked, format, any })
    }

    /// Makes definitions from a server that did not work say what they do where a temporary table holds the result.
    pub(crate) fn tell(&self, told: &mut [Column]) {
        let computed = |told: &Column| told.org_table.is_empty();
        let held = |told: &Column, worked: &Column| {
            !worked.org_name.is_empty()
                || told.flags.contains(ColumnFlags::BINARY) && !worked.flags.contains(ColumnFlags::BINARY)
        };
        let columns = || told.iter().zip(&self.columns);
        let temporary = columns().any(|(told, worked)| computed(told) && held(told, worked));
        for (told, worked) in told.iter_mut().zip(&self.columns).filter(|_| temporary) {
            if !computed(told) {
                told.flags -= KEYS;
            } else if held(told, worked) {
                told.flags -= ColumnFlags::BINARY - worked.flags;
                if class(told) == Class::Text {
                    told.decimals = worked.decimals;
                }
                if !worked.org_name.is_empty() {
                    told.org_name = told.name.clone();
                }
            }
        }
    }

    /// Writes a row.
    pub(crate) fn put(&self, payload: &[u8], out: &mut BytesMut, sequence: &mut u8) -> Result<(), Error> {
        if !self.any {
            frame::put(out, sequence, payload);
            return Ok(());
        }
        let written = frame::try_put_with(out, sequence, |out| match self.format {
            Format::Text => self.text(payload, out),
            Format::Binary => self.binary(payload, out),
        });
        written.map_err(Error::Malformed)
    }

    fn text(&self, payload: &[u8], out: &mut BytesMut) -> Result<(), wire::Error> {
        for (cell, change) in row::text(payload).zip(&self.changes) {
            match (cell?, change) {
                (Some(cell), Change::Round(digits)) => {
                    row::put_text(out, [Some(&rounded(cell, usize::from(*digits))[..])]);
                }
                (cell, _) => row::put_text(out, [cell]),
            }
        }
        Ok(())
    }

    fn binary(&self, payload: &[u8], out: &mut BytesMut) -> Result<(), wire::Error> {
        let kinds: Vec<_> = self.columns.iter().map(Column::value_kind).collect();
        let mut places = row::BinaryRow::default();
        places.read(payload, &kinds)?;
        let mut cells: Vec<Option<BytesMut>> = Vec::with_capacity(kinds.len());
        for (at, change) in self.changes.iter().enumerate() {
            let Some(cell) = places.cell(payload, at) else {
                cells.push(None);
                continue;
            };
            let mut made = BytesMut::new();
            match *change {
                Change::Count(to) => {
                    let text = Cursor::new(cell).string("a decimal")?;
                    let number = std::str::from_utf8(text).ok().and_then(|text| text.parse().ok());
                    let number = number.ok_or(wire::Error::Malformed { what: "a count" })?;
                    Value::Int(number).put_binary(&mut made, to)?;
                }
                Change::Integer { from, to } => from.decode(cell)?.put_binary(&mut made, to)?,
                Change::None => made.extend_from_slice(cell),
                Change::Round(digits) => {
                    let digits = usize::from(digits);
                    let text = Cursor::new(cell).string("a decimal")?;
                    let text = rounded(text, digits);
                    Value::Bytes(&text).put_binary(&mut made, Kind::new(ColumnType::NEWDECIMAL))?;
                }
            }
            cells.push(Some(made));
        }
        row::put_binary_cells(out, cells.len(), cells.iter().map(Option::as_deref));
        Ok(())
    }
}

fn change(told: &Column, worked: &Column, format: Format) -> Result<Change, Error> {
    let zeros = told.flags.contains(ColumnFlags::ZEROFILL) && told.kind != ColumnType::YEAR;
    match (class(told), class(worked)) {
        (Class::Decimal, Class::Decimal) if told.decimals == worked.decimals => Ok(Change::None),
        (Class::Decimal, Class::Decimal) if told.decimals < worked.decimals => {
            Ok(Change::Round(told.decimals))
        }
        (Class::Integer, Class::Decimal) if worked.decimals == 0 && !zeros => {
            Ok(if format == Format::Text { Change::None } else { Change::Count(told.value_kind()) })
        }
        (Class::Double, Class::Double) if told.decimals == worked.decimals => Ok(Change::None),
        (Class::Integer, Class::Integer) if !zeros => {
            let (from, to) = (worked.value_kind(), told.value_kind());
            let same = format == Format::Text || from == to;
            Ok(if same { Change::None } else { Change::Integer { from, to } })
        }
        // Documents are carried as texts.
        (Class::Json, Class::Text) => Ok(Change::None),
        // What is always NULL may be of any type.
        (_, Class::Nothing) => Ok(Change::None),
        (one, other) if one == other && !matches!(one, Class::Decimal | Class::Double | Class::Integer) => {
            Ok(Change::None)
        }
        _ => Err(Error::Unfit {
            column: String::from_utf8_lossy(&told.name).into_owned(),
            told: told.kind.name(),
            worked: worked.kind.name(),
        }),
    }
}

fn class(column: &Column) -> Class {
    let digits = if column.decimals > 6 { 0 } else { column.decimals };
    match column.kind {
        ColumnType::TINY
        | ColumnType::BOOL
        | ColumnType::SHORT
        | ColumnType::LONG
        | ColumnType::INT24
        | ColumnType::LONGLONG
        | ColumnType::YEAR => Class::Integer,
        ColumnType::FLOAT => Class::Float,
        ColumnType::DOUBLE => Class::Double,
        ColumnType::DECIMAL | ColumnType::NEWDECIMAL => Class::Decimal,
        ColumnType::DATE | ColumnType::NEWDATE => Class::Date,
        ColumnType::DATETIME | ColumnType::DATETIME2 | ColumnType::TIMESTAMP | ColumnType::TIMESTAMP2 => {
            Class::Moment(digits)
        }
        ColumnType::TIME | ColumnType::TIME2 => Class::Time(digits),
        ColumnType::JSON => Class::Json,
        ColumnType::NULL => Class::Nothing,
        other @ (ColumnType::BIT | ColumnType::GEOMETRY | ColumnType::VECTOR) => Class::Other(other),
        _ if column.is_binary() => Class::Bytes,
        _ => Class::Text,
    }
}

/// A decimal number with so many digits behind the point, as MySQL rounds: half away from zero.
fn rounded(number: &[u8], digits: usize) -> Vec<u8> {
    let Some(point) = number.iter().position(|byte| *byte == b'.') else { return number.to_vec() };
    let Some(next) = number.get(point + 1 + digits) else { return number.to_vec() };
    let up = *next >= b'5';
    let mut kept = number[..point + 1 + digits].to_vec();
    if digits == 0 {
        kept.pop();
    }
    if up {
        let mut carry = true;
        for digit in kept.iter_mut().rev().filter(|byte| byte.is_ascii_digit()) {
            if *digit < b'9' {
                *digit += 1;
                carry = false;
                break;
            }
            *digit = b'0';
        }
        if carry {
            let start = usize::from(kept.first() == Some(&b'-'));
            kept.insert(start, b'1');
        }
    }
    if kept.first() == Some(&b'-') && kept[1..].iter().all(|byte| matches!(byte, b'0' | b'.')) {
        kept.remove(0);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_half_away_from_zero() {
        for (number, digits, expected) in [
            ("6.976744186", 4, "6.9767"),
            ("6.97665", 4, "6.9767"),
            ("-6.97665", 4, "-6.9767"),
            ("9.9999", 3, "10.000"),
            ("-9.5", 0, "-10"),
            ("0.4", 0, "0"),
            ("-0.4", 0, "0"),
            ("-0.004", 2, "0.00"),
            ("12", 0, "12"),
            ("1.5", 4, "1.5"),
        ] {
            assert_eq!(String::from_utf8(rounded(number.as_bytes(), digits)).unwrap(), expected, "{number}");
        }
    }
}
