//! Values of expressions, with Java's arithmetic: `Integer` and `Long` wrap, a division of integers is a decimal.

use std::cmp::Ordering;
use std::fmt;

use crate::hash;

/// Why an expression has no value.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Fault {
    /// A division by zero.
    Divide,
    /// Characters that a text does not have.
    Index,
    /// A text longer than any name.
    Length,
    /// A text that is no integer.
    Number,
    /// A number of too many digits.
    Overflow,
    /// An operation that these kinds of values do not have.
    Type,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Divide => "division by zero",
            Self::Index => "the text is too short",
            Self::Length => "the text becomes too long",
            Self::Number => "the text is not an integer",
            Self::Overflow => "the number becomes too large",
            Self::Type => "an operation does not fit its values",
        })
    }
}

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Big(i128),
    /// Digits, and how many of them stand behind the point.
    Decimal(i128, u32),
    Int(i32),
    Long(i64),
    Text(String),
    Truth(bool),
}

/// Integer operations, each of them on the wider kind of its two sides.
#[derive(Clone, Copy)]
pub(super) enum Arithmetic {
    Add,
    And,
    FloorDiv,
    FloorMod,
    IntDiv,
    Multiply,
    Or,
    Remainder,
    Subtract,
    Xor,
}

impl Value {
    /// The narrowest kind that holds an integer, as for a literal.
    pub(super) fn integer(value: i128) -> Self {
        match (i32::try_from(value), i64::try_from(value)) {
            (Ok(value), _) => Self::Int(value),
            (_, Ok(value)) => Self::Long(value),
            _ => Self::Big(value),
        }
    }

    /// An integer, whatever its kind.
    pub(super) fn whole(&self) -> Option<i128> {
        match self {
            Self::Big(value) => Some(*value),
            Self::Int(value) => Some(i128::from(*value)),
            Self::Long(value) => Some(i128::from(*value)),
            Self::Decimal(..) | Self::Text(_) | Self::Truth(_) => None,
        }
    }

    /// Digits, and how many of them stand behind the point.
    fn decimal(&self) -> Option<(i128, u32)> {
        match self {
            Self::Decimal(digits, scale) => Some((*digits, *scale)),
            other => other.whole().map(|value| (value, 0)),
        }
    }

    /// A small number, such as the place of a character.
    pub(super) fn small(&self) -> Result<i64, Fault> {
        match self {
            Self::Int(value) => Ok(i64::from(*value)),
            _ => Err(Fault::Type),
        }
    }

    pub(super) fn arithmetic(&self, how: Arithmetic, other: &Self) -> Result<Self, Fault> {
        let (Some(left), Some(right)) = (self.whole(), other.whole()) else {
            return self.decimals(how, other);
        };
        let result = match how {
            Arithmetic::Add => left.checked_add(right),
            Arithmetic::And => Some(left & right),
            Arithmetic::Multiply => left.checked_mul(right),
            Arithmetic::Or => Some(left | right),
            Arithmetic::Subtract => left.checked_sub(right),
            Arithmetic::Xor => Some(left ^ right),
            Arithmetic::FloorDiv | Arithmetic::FloorMod | Arithmetic::IntDiv | Arithmetic::Remainder
                if right == 0 =>
            {
                return Err(Fault::Divide);
            }
            Arithmetic::FloorDiv => {
                let toward_zero = left.checked_div(right);
                let uneven = left.checked_rem(right).is_some_and(|rest| rest != 0);
                toward_zero.map(|value| value - i128::from(uneven && (left < 0) != (right < 0)))
            }
            Arithmetic::FloorMod => left
                .checked_rem(right)
                .map(|rest| if rest != 0 && (rest < 0) != (right < 0) { rest + right } else { rest }),
            Arithmetic::IntDiv => left.checked_div(right),
            Arithmetic::Remainder => left.checked_rem(right),
        };
        let result = result.ok_or(Fault::Overflow)?;
        Ok(match (self, other) {
            (Self::Big(_), _) | (_, Self::Big(_)) => Self::Big(result),
            (Self::Long(_), _) | (_, Self::Long(_)) => Self::Long(wrapped(result)),
            _ => Self::Int(narrowed(wrapped(result))),
        })
    }

    fn decimals(&self, how: Arithmetic, other: &Self) -> Result<Self, Fault> {
        let ((left, left_scale), (right, right_scale)) =
            self.decimal().zip(other.decimal()).ok_or(Fault::Type)?;
        if let Arithmetic::Multiply = how {
            let digits = left.checked_mul(right).ok_or(Fault::Overflow)?;
            return Ok(Self::Decimal(digits, left_scale + right_scale));
        }
        let scale = left_scale.max(right_scale);
        let (left, right) = (scaled(left, scale - left_scale)?, scaled(right, scale - right_scale)?);
        let digits = match how {
            Arithmetic::Add => left.checked_add(right),
            Arithmetic::Subtract => left.checked_sub(right),
            _ => return Err(Fault::Type),
        };
        digits.map(|digits| Self::Decimal(digits, scale)).ok_or(Fault::Overflow)
    }

    /// `/`: exact where there is an end to the digits, else to 10 of them.
    pub(super) fn divide(&self, other: &Self) -> Result<Self, Fault> {
        let (left, scale) = self.decimal().ok_or(Fault::Type)?;
        let right = other.whole().ok_or(Fault::Type)?;
        if right == 0 {
            return Err(Fault::Divide);
        }
        let mut rest = left.unsigned_abs() % right.unsigned_abs();
        let mut more = 0;
        while rest != 0 && more < 30 {
            rest = rest.checked_mul(10).ok_or(Fault::Overflow)? % right.unsigned_abs();
            more += 1;
        }
        if rest == 0 {
            let digits = scaled(left, more)?.checked_div(right).ok_or(Fault::Overflow)?;
            return Ok(Self::Decimal(digits, scale + more));
        }
        let target = scale.max(10);
        let digits = scaled(left, target - scale)?;
        let (quotient, rest) = (digits / right, digits % right);
        let up = rest.unsigned_abs() >= right.unsigned_abs() - rest.unsigned_abs();
        let away = if (digits < 0) == (right < 0) { 1 } else { -1 };
        Ok(Self::Decimal(if up { quotient + away } else { quotient }, target))
    }

    pub(super) fn negative(&self) -> Result<Self, Fault> {
        Ok(match self {
            Self::Big(value) => Self::Big(value.checked_neg().ok_or(Fault::Overflow)?),
            Self::Decimal(digits, scale) => {
                Self::Decimal(digits.checked_neg().ok_or(Fault::Overflow)?, *scale)
            }
            Self::Int(value) => Self::Int(value.wrapping_neg()),
            Self::Long(value) => Self::Long(value.wrapping_neg()),
            Self::Text(_) | Self::Truth(_) => return Err(Fault::Type),
        })
    }

    pub(super) fn absolute(&self) -> Result<Self, Fault> {
        Ok(match self {
            Self::Int(value) => Self::Int(value.wrapping_abs()),
            Self::Long(value) => Self::Long(value.wrapping_abs()),
            Self::Big(value) => Self::Big(value.checked_abs().ok_or(Fault::Overflow)?),
            Self::Decimal(..) | Self::Text(_) | Self::Truth(_) => return Err(Fault::Type),
        })
    }

    /// `<<`, `>>`, `>>>` by as many bits as the kind has at most.
    pub(super) fn shift(&self, by: &Self, left: bool, signed: bool) -> Result<Self, Fault> {
        let by = u32::try_from(by.small()? & 63).unwrap_or_default();
        Ok(match self {
            Self::Int(value) if left => Self::Int(value.wrapping_shl(by)),
            Self::Int(value) if signed => Self::Int(value.wrapping_shr(by)),
            Self::Int(value) => Self::Int(value.cast_unsigned().wrapping_shr(by).cast_signed()),
            Self::Long(value) if left => Self::Long(value.wrapping_shl(by)),
            Self::Long(value) if signed => Self::Long(value.wrapping_shr(by)),
            Self::Long(value) => Self::Long(value.cast_unsigned().wrapping_shr(by).cast_signed()),
            _ => return Err(Fault::Type),
        })
    }

    pub(super) fn compare(&self, other: &Self) -> Result<Ordering, Fault> {
        if let (Self::Text(left), Self::Text(right)) = (self, other) {
            return Ok(left.encode_utf16().cmp(right.encode_utf16()));
        }
        let ((left, left_scale), (right, right_scale)) =
            self.decimal().zip(other.decimal()).ok_or(Fault::Type)?;
        let scale = left_scale.max(right_scale);
        Ok(scaled(left, scale - left_scale)?.cmp(&scaled(right, scale - right_scale)?))
    }

    pub(super) fn equals(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Truth(left), Self::Truth(right)) => left == right,
            _ => self.compare(other) == Ok(Ordering::Equal),
        }
    }

    /// Groovy's truth.
    pub(super) fn truth(&self) -> bool {
        match self {
            Self::Big(value) => *value != 0,
            Self::Decimal(digits, _) => *digits != 0,
            Self::Int(value) => *value != 0,
            Self::Long(value) => *value != 0,
            Self::Text(text) => !text.is_empty(),
            Self::Truth(truth) => *truth,
        }
    }

    pub(super) fn to_long(&self) -> Result<i64, Fault> {
        match self {
            Self::Decimal(digits, scale) => Ok(wrapped(digits / scaled(1, *scale)?)),
            Self::Text(text) => text.trim().parse().map_err(|_| Fault::Number),
            Self::Truth(_) => Err(Fault::Type),
            other => other.whole().map(wrapped).ok_or(Fault::Type),
        }
    }

    pub(super) fn to_int(&self) -> Result<i32, Fault> {
        match self {
            Self::Text(text) => text.trim().parse().map_err(|_| Fault::Number),
            other => other.to_long().map(narrowed),
        }
    }

    pub(super) fn hash(&self) -> i32 {
        match self {
            Self::Big(value) => hash::of_big(*value),
            Self::Decimal(digits, scale) => {
                hash::of_big(*digits).wrapping_mul(31).wrapping_add(scale.cast_signed())
            }
            Self::Int(value) => *value,
            Self::Long(value) => hash::of_long(*value),
            Self::Text(text) => hash::of_text(text),
            Self::Truth(true) => 1231,
            Self::Truth(false) => 1237,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Big(value) => value.fmt(f),
            Self::Decimal(digits, 0) => digits.fmt(f),
            Self::Decimal(digits, scale) => {
                let width = *scale as usize + 1;
                let text = format!("{:0width$}", digits.unsigned_abs());
                let (before, after) = text.split_at(text.len() - *scale as usize);
                write!(f, "{}{before}.{after}", if *digits < 0 { "-" } else { "" })
            }
            Self::Int(value) => value.fmt(f),
            Self::Long(value) => value.fmt(f),
            Self::Text(text) => f.write_str(text),
            Self::Truth(truth) => truth.fmt(f),
        }
    }
}

/// The lowest 64 bits.
fn wrapped(value: i128) -> i64 {
    let bits = value.cast_unsigned() & u128::from(u64::MAX);
    u64::try_from(bits).unwrap_or_default().cast_signed()
}

/// The lowest 32 bits.
fn narrowed(value: i64) -> i32 {
    let bits = value.cast_unsigned() & u64::from(u32::MAX);
    u32::try_from(bits).unwrap_or_default().cast_signed()
}

/// With so many zeros more.
fn scaled(digits: i128, zeros: u32) -> Result<i128, Fault> {
    10_i128.checked_pow(zeros).and_then(|factor| digits.checked_mul(factor)).ok_or(Fault::Overflow)
}
