//! What merging needs to know of the columns of a result, read once from their definitions.

use std::cmp::Ordering;

use plan::{Collation, Position, SortKey};
use wire::column::{BINARY_CHARSET, Column, ColumnFlags, ColumnType};

use super::collation::Pad;
use super::json;
use super::row::Row;
use super::value::{Format, Kind, weight_key, weights};
use crate::Error;

/// How many bytes a value takes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Width {
    /// Always that many.
    Fixed(u8),
    /// As many as its length prefix says.
    Sized,
}

/// One column.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name, for errors.
    pub name: String,
    /// How its values compare.
    pub kind: Kind,
    /// How its values are encoded.
    pub width: Width,
    /// Digits behind the point; 31: as many as it takes.
    pub decimals: u8,
}

/// All columns of a result.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Encoding of the rows.
    pub format: Format,
    /// Columns as the servers send them.
    pub fields: Vec<Field>,
    /// How many at the end the client does not see.
    pub derived: usize,
}

impl Field {
    /// What a definition says. Its character set is that of the answer, not the one that the column compares by.
    pub fn of(column: &Column, format: Format) -> Self {
        let integer =
            if column.flags.contains(ColumnFlags::UNSIGNED) { Kind::Unsigned } else { Kind::Signed };
        let (kind, width) = match column.kind {
            ColumnType::TINY | ColumnType::BOOL => (integer, Width::Fixed(1)),
            ColumnType::SHORT => (integer, Width::Fixed(2)),
            ColumnType::LONG | ColumnType::INT24 => (integer, Width::Fixed(4)),
            ColumnType::LONGLONG => (integer, Width::Fixed(8)),
            ColumnType::YEAR => (Kind::Unsigned, Width::Fixed(2)),
            ColumnType::FLOAT => (Kind::Float, Width::Fixed(4)),
            ColumnType::DOUBLE => (Kind::Double, Width::Fixed(8)),
            ColumnType::DECIMAL | ColumnType::NEWDECIMAL => (Kind::Decimal, Width::Sized),
            ColumnType::DATE | ColumnType::NEWDATE | ColumnType::DATETIME | ColumnType::DATETIME2 => {
                (Kind::Date, Width::Sized)
            }
            ColumnType::TIMESTAMP | ColumnType::TIMESTAMP2 => (Kind::Date, Width::Sized),
            ColumnType::TIME | ColumnType::TIME2 => (Kind::Time, Width::Sized),
            ColumnType::JSON => (Kind::Json, Width::Sized),
            ColumnType::BIT | ColumnType::GEOMETRY | ColumnType::NULL | ColumnType::VECTOR => {
                (Kind::Binary, Width::Sized)
            }
            ColumnType::ENUM | ColumnType::SET => (Kind::Enumeration, Width::Sized),
            _ if column.flags.intersects(ColumnFlags::ENUM | ColumnFlags::SET) => {
                (Kind::Enumeration, Width::Sized)
            }
            _ if column.charset == BINARY_CHARSET => (Kind::Binary, Width::Sized),
            _ => (Kind::Text, Width::Sized),
        };
        let name = String::from_utf8_lossy(&column.name).into_owned();
        let width = if format == Format::Text { Width::Sized } else { width };
        Self { name, kind, width, decimals: column.decimals }
    }

    /// Encodes a value in the binary form as that of another column; refuses what is not the same there.
    pub(crate) fn convert(&self, value: &[u8], to: &Self) -> Result<Vec<u8>, Error> {
        let refused = || Error::Types { column: to.name.clone() };
        let number = match (self.kind, self.width) {
            (Kind::Signed | Kind::Unsigned, Width::Fixed(_)) => {
                let sign = self.kind == Kind::Signed && value.last().is_some_and(|byte| *byte > 0x7F);
                let mut wide = [if sign { 0xFF } else { 0 }; 16];
                wide.get_mut(..value.len()).ok_or_else(refused)?.copy_from_slice(value);
                i128::from_le_bytes(wide)
            }
            (Kind::Decimal, Width::Sized) => {
                std::str::from_utf8(value).ok().and_then(|text| text.parse().ok()).ok_or_else(refused)?
            }
            (Kind::Float, _) if to.kind == Kind::Double => {
                let value = value.try_into().map(f32::from_le_bytes).map_err(|_| refused())?;
                return Ok(f64::from(value).to_le_bytes().to_vec());
            }
            _ => return Err(refused()),
        };
        let bytes = number.to_le_bytes();
        match (to.kind, to.width) {
            (Kind::Signed | Kind::Unsigned, Width::Fixed(width)) => {
                let bits = u32::from(width) * 8;
                let (least, most) = match to.kind {
                    Kind::Signed => (-(1_i128 << (bits - 1)), (1 << (bits - 1)) - 1),
                    _ => (0, (1 << bits) - 1),
                };
                let fits = (least..=most).contains(&number);
                fits.then(|| bytes[..usize::from(width)].to_vec()).ok_or_else(refused)
            }
            (Kind::Decimal, Width::Sized) if to.decimals == 0 => Ok(number.to_string().into_bytes()),
            (Kind::Double, _) if number.unsigned_abs() < 1 << 53 => {
                Ok((number as f64).to_le_bytes().to_vec())
            }
            _ => Err(refused()),
        }
    }
}

impl Shape {
    /// How many columns the client sees.
    pub fn visible(&self) -> usize {
        self.fields.len() - self.derived
    }

    /// Which column a position means.
    pub(crate) fn index(&self, position: Position) -> Result<usize, Error> {
        let index = match position {
            Position::Derived(index) => self.visible() + usize::from(index),
            Position::Visible(index) => usize::from(index),
        };
        if index < self.fields.len() {
            Ok(index)
        } else {
            Err(Error::Shape { columns: self.fields.len(), index })
        }
    }

    /// What decides about `value` when it is text.
    pub(crate) fn weight(
        &self,
        value: usize,
        weight: Option<plan::Weight>,
        text: bool,
    ) -> Result<Option<Weight>, Error> {
        if !text {
            return Ok(None);
        }
        let Some(weight) = weight else {
            return Err(Error::Weightless { column: self.fields[value].name.clone() });
        };
        let blanks = match weight.collation {
            Collation::Known(name) => Blanks::Known(Pad::of(name)),
            Collation::Told(position) => Blanks::Told(self.index(position)?),
            Collation::Json => return Ok(None),
        };
        Ok(Some(Weight { column: self.index(weight.value)?, blanks }))
    }
}

/// What a text is compared by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Weight {
    /// The column that holds it.
    pub(crate) column: usize,
    blanks: Blanks,
}

/// How blanks at the end weigh.
#[derive(Clone, Copy, Debug)]
enum Blanks {
    /// So.
    Known(Pad),
    /// As in the collation whose name this column holds.
    Told(usize),
}

impl Weight {
    /// Of that row.
    pub(crate) fn of(self, row: &Row) -> &[u8] {
        row.value(self.column).unwrap_or_default()
    }

    /// Compares two; one of them is of that row.
    pub(crate) fn compare(self, a: &[u8], b: &[u8], row: &Row) -> Ordering {
        weights(a, b, || self.pad(row))
    }

    /// Compares two as the server sorts: where blanks at the end do not count, no more than the first bytes count.
    fn sort(self, a: &[u8], b: &[u8], row: &Row, longest: usize) -> Ordering {
        let pad = if a.len().max(b.len()) > longest { self.pad(row) } else { Pad::None };
        match pad {
            Pad::None => self.compare(a, b, row),
            Pad::Space(_) => weights(&a[..a.len().min(longest)], &b[..b.len().min(longest)], || pad),
        }
    }

    fn pad(self, row: &Row) -> Pad {
        match self.blanks {
            Blanks::Known(pad) => pad,
            Blanks::Told(column) => Pad::told(row.value(column).unwrap_or_default()),
        }
    }
}

/// Whether rows are to be put in order or only told apart.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Purpose {
    /// Equal or not.
    Equality,
    /// Less, equal, greater.
    Order,
}

/// Compares rows by several columns.
#[derive(Clone, Debug)]
pub(crate) struct Comparator {
    format: Format,
    keys: Vec<Key>,
    purpose: Purpose,
    /// By so many bytes servers sort texts where blanks at the end do not count: `max_sort_length`.
    pub(crate) longest: usize,
}

/// What servers have when nobody sets it.
const MAX_SORT_LENGTH: usize = 1024;

#[derive(Clone, Copy, Debug)]
struct Key {
    column: usize,
    weight: Option<Weight>,
    /// The column that names the types of JSON values.
    types: Option<usize>,
    kind: Kind,
    descending: bool,
}

impl Comparator {
    /// Reads the planner's keys; refuses what the rows do not tell in the server's way.
    pub(crate) fn new(keys: &[SortKey], shape: &Shape, purpose: Purpose) -> Result<Self, Error> {
        let read = |key: &SortKey| {
            let column = shape.index(key.value)?;
            let field = &shape.fields[column];
            let untold = match field.kind {
                Kind::Enumeration => purpose == Purpose::Order,
                // Six digits are shown of the seven to nine that it has.
                Kind::Float => shape.format == Format::Text,
                Kind::Json => true,
                _ => false,
            };
            if untold {
                return Err(Error::Unsortable { column: field.name.clone() });
            }
            let weight = shape.weight(column, key.weight, field.kind == Kind::Text)?;
            let types = key.weight.filter(|weight| weight.collation == Collation::Json);
            let types = types.map(|types| shape.index(types.value)).transpose()?;
            Ok(Key { column, weight, types, kind: field.kind, descending: key.descending })
        };
        let keys = keys.iter().map(read).collect::<Result<_, _>>()?;
        Ok(Self { format: shape.format, keys, purpose, longest: MAX_SORT_LENGTH })
    }

    /// Which of two rows comes first.
    pub(crate) fn compare(&self, a: &Row, b: &Row) -> Ordering {
        let longest = if self.purpose == Purpose::Order { self.longest } else { usize::MAX };
        for key in &self.keys {
            let ordering = key.compare(self.format, a, b, longest);
            if ordering != Ordering::Equal {
                return if key.descending { ordering.reverse() } else { ordering };
            }
        }
        Ordering::Equal
    }

    /// The column of a text by which two rows that differ are the same to a sorting server, which thus does not bring
    /// equal rows together.
    pub(crate) fn blurred(&self, a: &Row, b: &Row) -> Option<usize> {
        let long = |key: &&Key| {
            key.weight.is_some_and(|weight| weight.of(a).len().min(weight.of(b).len()) > self.longest)
        };
        let column = self.keys.iter().find(long)?.column;
        let same = |key: &Key| key.compare(self.format, a, b, self.longest) == Ordering::Equal;
        self.keys.iter().all(same).then_some(column)
    }

    /// Appends bytes that are the same exactly for rows that compare equal.
    pub(crate) fn key(&self, row: &Row, out: &mut Vec<u8>) {
        for key in &self.keys {
            let Some(value) = row.value(key.column) else {
                out.push(0);
                continue;
            };
            out.push(1);
            match key.weight {
                Some(weight) => weight_key(value, weight.of(row), weight.pad(row), out),
                None => key.kind.key(self.format, value, out),
            }
        }
    }
}

impl Key {
    fn compare<'r>(&self, format: Format, a: &'r Row, b: &'r Row, longest: usize) -> Ordering {
        match (a.value(self.column), b.value(self.column)) {
            (None, None) => Ordering::Equal,
            (None, Some(_)) => Ordering::Less,
            (Some(_), None) => Ordering::Greater,
            (Some(one), Some(two)) => match (self.weight, self.types) {
                (Some(weight), _) => weight.sort(weight.of(a), weight.of(b), a, longest),
                (None, Some(types)) => {
                    let name = |row: &'r Row| row.value(types).unwrap_or_default();
                    json::compare((name(a), one), (name(b), two))
                }
                (None, None) => self.kind.compare(format, one, two),
            },
        }
    }
}

#[cfg(test)]
impl Field {
    /// A column for tests.
    pub(crate) fn plain(kind: Kind, width: Width) -> Self {
        Self { name: "c".to_owned(), kind, width, decimals: 0 }
    }
}
