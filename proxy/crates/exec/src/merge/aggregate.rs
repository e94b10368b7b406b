//! Partial aggregates of several nodes added up, in the types of the server.

use std::cmp::Ordering;

use plan::{Combine, Merged};

use super::decimal::Decimal;
use super::double;
use super::row::Row;
use super::shape::{Field, Shape, Weight, Width};
use super::value::{Format, Kind};
use crate::Error;

/// What becomes of one column of a group.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Aggregate {
    /// Which column.
    pub(crate) column: usize,
    how: How,
}

#[derive(Clone, Copy, Debug)]
enum How {
    Average { sum: usize, count: usize },
    Count,
    Extreme { weight: Option<Weight>, wanted: Ordering },
    Sum,
}

impl Aggregate {
    /// Reads what the planner asks for.
    pub(crate) fn new(merged: &Merged, shape: &Shape) -> Result<Self, Error> {
        let column = shape.index(merged.column)?;
        let field = &shape.fields[column];
        let text = matches!(field.kind, Kind::Enumeration | Kind::Text);
        let extreme = |weight, wanted| {
            if field.kind == Kind::Json {
                return Err(Error::Unsortable { column: field.name.clone() });
            }
            Ok(How::Extreme { weight: shape.weight(column, weight, text)?, wanted })
        };
        let how = match merged.how {
            Combine::Average { sum, count } => {
                How::Average { sum: shape.index(sum)?, count: shape.index(count)? }
            }
            Combine::Count => How::Count,
            Combine::Max { weight } => extreme(weight, Ordering::Greater)?,
            Combine::Min { weight } => extreme(weight, Ordering::Less)?,
            Combine::Sum => How::Sum,
        };
        Ok(Self { column, how })
    }

    /// The column that follows this one: the weight of an extreme.
    pub(crate) fn weight(&self) -> Option<usize> {
        if let How::Extreme { weight, .. } = self.how { weight.map(|weight| weight.column) } else { None }
    }

    /// What it is before any row: 0 for a count.
    pub(crate) fn start(&self) -> Accumulator {
        match self.how {
            How::Average { .. } => Accumulator::Average { sum: None, count: 0 },
            How::Count => Accumulator::Count(0),
            How::Extreme { .. } => Accumulator::Extreme { value: None, weight: None },
            How::Sum => Accumulator::Sum(None),
        }
    }

    /// Adds a row's part.
    pub(crate) fn add(&self, accumulator: &mut Accumulator, row: &Row, shape: &Shape) {
        match (self.how, accumulator) {
            (How::Average { sum, count }, Accumulator::Average { sum: total, count: rows }) => {
                let counted =
                    row.value(count).map_or(0, |value| shape.fields[count].kind.integer(shape.format, value));
                *rows += u64::try_from(counted).unwrap_or(0);
                add(total, row.value(sum), &shape.fields[sum], shape.format);
            }
            (How::Count, Accumulator::Count(total)) => {
                if let Some(value) = row.value(self.column) {
                    *total += shape.fields[self.column].kind.integer(shape.format, value);
                }
            }
            (How::Extreme { weight, wanted }, Accumulator::Extreme { value: best, weight: heaviest }) => {
                let Some(value) = row.value(self.column) else { return };
                let field = &shape.fields[self.column];
                let other = weight.map(|weight| weight.of(row));
                let better = best.as_deref().is_none_or(|best| match weight {
                    Some(weight) => {
                        weight.compare(weight.of(row), heaviest.as_deref().unwrap_or_default(), row) == wanted
                    }
                    None => field.kind.compare(shape.format, value, best) == wanted,
                });
                if better {
                    *best = Some(value.to_vec());
                    *heaviest = other.map(<[u8]>::to_vec);
                }
            }
            (How::Sum, Accumulator::Sum(total)) => {
                add(total, row.value(self.column), &shape.fields[self.column], shape.format);
            }
            _ => {}
        }
    }

    /// The value of the column, encoded without length prefix, and that of the weight with it.
    pub(crate) fn finish(
        &self,
        accumulator: Accumulator,
        shape: &Shape,
    ) -> (Option<Vec<u8>>, Option<Vec<u8>>) {
        let field = &shape.fields[self.column];
        match (self.how, accumulator) {
            (How::Average { sum: summed, .. }, Accumulator::Average { sum: Some(sum), count })
                if count > 0 =>
            {
                (Some(encode(sum.over(count, &shape.fields[summed], field), field, shape.format)), None)
            }
            (_, Accumulator::Count(total)) => (Some(encode(Total::Whole(total), field, shape.format)), None),
            (_, Accumulator::Extreme { value, weight }) => (value, weight),
            (_, Accumulator::Sum(Some(total))) => (Some(encode(total, field, shape.format)), None),
            _ => (None, None),
        }
    }
}

/// A partly added aggregate.
#[derive(Clone, Debug)]
pub(crate) enum Accumulator {
    Average { sum: Option<Total>, count: u64 },
    Count(i128),
    Extreme { value: Option<Vec<u8>>, weight: Option<Vec<u8>> },
    Sum(Option<Total>),
}

impl Accumulator {
    /// What it costs while it is held.
    pub(crate) fn size(&self) -> usize {
        let held = match self {
            Self::Extreme { value, weight } => {
                value.as_ref().map_or(0, Vec::len) + weight.as_ref().map_or(0, Vec::len)
            }
            Self::Average { .. } | Self::Count(_) | Self::Sum(_) => 32,
        };
        size_of::<Self>() + held
    }
}

/// A sum in the type of its column.
#[derive(Clone, Debug)]
pub(crate) enum Total {
    Decimal(Decimal),
    Double(f64),
    Whole(i128),
}

impl Total {
    fn over(self, count: u64, summed: &Field, field: &Field) -> Self {
        let exact = |sum: &Decimal| sum.average(count, u32::from(summed.decimals), u32::from(field.decimals));
        match self {
            Self::Decimal(sum) => Self::Decimal(exact(&sum)),
            #[expect(clippy::cast_precision_loss, reason = "so does the server")]
            Self::Double(sum) => Self::Double(sum / count as f64),
            Self::Whole(sum) => Self::Decimal(exact(&Decimal::whole(sum))),
        }
    }
}

fn add(total: &mut Option<Total>, value: Option<&[u8]>, field: &Field, format: Format) {
    let Some(value) = value else { return };
    let part = match field.kind {
        Kind::Decimal => Total::Decimal(Decimal::read(value)),
        Kind::Signed | Kind::Unsigned => Total::Whole(field.kind.integer(format, value)),
        _ => Total::Double(field.kind.float(format, value)),
    };
    match (total.as_mut(), part) {
        (Some(Total::Decimal(sum)), Total::Decimal(part)) => sum.add(&part),
        (Some(Total::Double(sum)), Total::Double(part)) => *sum += part,
        (Some(Total::Whole(sum)), Total::Whole(part)) => *sum += part,
        (_, part) => *total = Some(part),
    }
}

fn encode(total: Total, field: &Field, format: Format) -> Vec<u8> {
    match (field.kind, total) {
        (Kind::Decimal, Total::Decimal(value)) => value.text(u32::from(field.decimals)).into_bytes(),
        (Kind::Decimal, Total::Whole(value)) => {
            Decimal::whole(value).text(u32::from(field.decimals)).into_bytes()
        }
        (_, Total::Whole(value)) => match (format, field.width) {
            (Format::Binary, Width::Fixed(bytes)) => value.to_le_bytes()[..usize::from(bytes)].to_vec(),
            _ => itoa::Buffer::new().format(value).as_bytes().to_vec(),
        },
        (_, Total::Double(value)) => match (format, field.width) {
            #[expect(clippy::cast_possible_truncation, reason = "the column is a FLOAT")]
            (Format::Binary, Width::Fixed(4)) => (value as f32).to_le_bytes().to_vec(),
            (Format::Binary, _) => value.to_le_bytes().to_vec(),
            (Format::Text, _) => double::text(value, field.decimals).into_bytes(),
        },
        (_, Total::Decimal(value)) => value.text(u32::from(field.decimals)).into_bytes(),
    }
}
