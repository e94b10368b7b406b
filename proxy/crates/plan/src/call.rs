//! The values of one execution, and what a scalar comes to with them.

use meta::{Level, Moment};
use sql::{Arithmetic, Scalar, Slot, SlotIndex, SlotKind};

use crate::key::{Domain, is_integer};
use crate::moment;

/// One execution: the text, where its values stand, and the client's parameters.
#[derive(Clone, Copy, Default)]
pub struct Call<'a> {
    /// The client's text as characters; bytes that are none are blotted out, one for one.
    pub text: &'a str,
    /// The same byte for byte: what goes to the servers is cut from it.
    pub raw: &'a [u8],
    /// Its slots.
    pub slots: &'a [Slot],
    /// Parameters of an `EXECUTE`.
    pub params: Option<&'a dyn Arguments>,
    /// For each row of an `INSERT` that [`crate::Template::generates`] keys, the key.
    pub generated: &'a [Generated],
    /// What the session was told of where rows are.
    pub hints: HintValues<'a>,
    /// The session has a time zone of its own: what it writes for a `TIMESTAMP` is another moment than others write so.
    pub own_zone: bool,
}

/// A generated key.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Generated {
    /// A number.
    Number(i64),
    /// ASCII characters.
    Text([u8; 32]),
}

/// Values for strategies that look at hints, in the session's own words (`ADD SHARDING HINT`).
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct HintValues<'a>(pub &'a [HintValue]);

/// One of them.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct HintValue {
    /// What it chooses.
    pub level: Level,
    /// Logical table; every one when there is none.
    pub table: Option<String>,
    /// The value.
    pub value: String,
}

impl<'a> HintValues<'a> {
    /// Those for one table.
    pub(crate) fn of<'t>(self, level: Level, table: &'t str) -> impl Iterator<Item = &'a str> {
        let fits = move |hint: &&HintValue| {
            hint.level == level && hint.table.as_ref().is_none_or(|name| name.eq_ignore_ascii_case(table))
        };
        self.0.iter().filter(fits).map(|hint| hint.value.as_str())
    }
}

impl Generated {
    /// As a value of the statement.
    pub(crate) fn constant(&self) -> Constant<'_> {
        match self {
            Self::Number(number) => Constant::Int(i128::from(*number)),
            Self::Text(text) => std::str::from_utf8(text).map_or(Constant::Unknown, Constant::Text),
        }
    }
}

/// Parameters of an `EXECUTE`.
pub trait Arguments {
    /// The n-th parameter; `Other` when there is none.
    fn value(&self, index: usize) -> Value<'_>;

    /// Whether its bytes are a number (`DECIMAL`), which MySQL compares as such, also with texts.
    fn is_decimal(&self, _index: usize) -> bool {
        false
    }
}

/// A parameter's value, as far as routing reads it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    /// Text or bytes (also decimals, which are sent as text).
    Bytes(&'a [u8]),
    /// `FLOAT`, `DOUBLE`.
    Double(f64),
    /// A signed integer.
    Int(i64),
    /// A date, a time, or both.
    Moment(wire::value::Value<'a>),
    /// `NULL`.
    Null,
    /// Anything else.
    Other,
    /// An unsigned integer.
    UInt(u64),
}

/// What a scalar comes to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Constant<'a> {
    /// An exact number that is not a machine integer: sign, and digits with at most one point.
    Decimal(bool, &'a str),
    /// A binary floating-point number.
    Float(f64),
    /// An integer.
    Int(i128),
    /// A date, or a date and time.
    Moment(Moment),
    /// `NULL`.
    Null,
    /// A text without anything to unescape.
    Text(&'a str),
    /// Only the server can tell.
    Unknown,
}

/// A call with what the template knows of its parameters.
#[derive(Clone, Copy)]
pub(crate) struct Bound<'a> {
    pub(crate) call: &'a Call<'a>,
    /// For each slot, how many parameters stand before it.
    pub(crate) ordinals: &'a [u32],
}

impl<'a> Bound<'a> {
    /// What a scalar comes to for a column.
    pub(crate) fn constant_for(&self, domain: Domain, scalar: &Scalar) -> Constant<'a> {
        match self.constant(scalar) {
            Constant::Null => Constant::Null,
            _ if self.call.own_zone && domain.is_zoned() => Constant::Unknown,
            constant => constant,
        }
    }

    /// What a scalar comes to.
    pub(crate) fn constant(&self, scalar: &Scalar) -> Constant<'a> {
        match scalar {
            Scalar::Slot(slot) => self.slot(*slot),
            Scalar::Null => Constant::Null,
            Scalar::Truth(truth) => Constant::Int(i128::from(*truth)),
            Scalar::Negative(inner) => match self.constant(inner) {
                // A literal of any length with a sign is a number of MySQL's; an integer computed is not.
                Constant::Int(value) if self.is_literal(inner) => Constant::Int(-value),
                Constant::Int(value) => integer(value.checked_neg()),
                Constant::Decimal(negative, digits) => Constant::Decimal(!negative, digits),
                Constant::Float(value) => Constant::Float(-value),
                Constant::Null => Constant::Null,
                Constant::Moment(_) | Constant::Text(_) | Constant::Unknown => Constant::Unknown,
            },
            Scalar::Arithmetic(how, left, right) => match (self.constant(left), self.constant(right)) {
                (Constant::Null, _) | (_, Constant::Null) => Constant::Null,
                (Constant::Int(left), Constant::Int(right)) => integer(match how {
                    Arithmetic::Add => left.checked_add(right),
                    Arithmetic::Divide if is_signed(left) && is_signed(right) => left.checked_div(right),
                    Arithmetic::Multiply => left.checked_mul(right),
                    Arithmetic::Remainder if is_signed(left) && is_signed(right) => left.checked_rem(right),
                    Arithmetic::Subtract => left.checked_sub(right),
                    Arithmetic::Divide | Arithmetic::Remainder => None,
                }),
                _ => Constant::Unknown,
            },
            Scalar::Cast { unsigned, inner } => match self.constant(inner) {
                Constant::Null => Constant::Null,
                Constant::Int(value) => cast(value, *unsigned),
                // Blanks, fractions and letters are the server's.
                Constant::Text(text) if text.len() < 19 && is_integer(text) => {
                    text.parse().map_or(Constant::Unknown, |value| cast(value, *unsigned))
                }
                _ => Constant::Unknown,
            },
            Scalar::Default | Scalar::Opaque | Scalar::Values(_) => Constant::Unknown,
        }
    }

    /// Whether it is a number as it stands in the text.
    fn is_literal(&self, scalar: &Scalar) -> bool {
        let Scalar::Slot(slot) = scalar else { return false };
        self.call.slots.get(*slot as usize).is_some_and(|place| place.kind == SlotKind::Integer)
    }

    /// A number of rows in `LIMIT`.
    pub(crate) fn rows(&self, slot: SlotIndex) -> Option<u64> {
        match self.slot(slot) {
            Constant::Int(value) => u64::try_from(value).ok(),
            // Some drivers bind every parameter as a text.
            Constant::Text(text) => text.parse().ok(),
            _ => None,
        }
    }

    fn slot(&self, slot: SlotIndex) -> Constant<'a> {
        let Some(place) = self.call.slots.get(slot as usize) else { return Constant::Unknown };
        let text = || self.call.text.get(place.start as usize..place.end as usize).unwrap_or_default();
        match place.kind {
            SlotKind::Integer => match text().parse() {
                Ok(value) => Constant::Int(value),
                Err(_) => Constant::Decimal(false, text()),
            },
            SlotKind::Param => self.param(slot),
            SlotKind::String => unquoted(text()),
            SlotKind::Decimal => Constant::Decimal(false, text()),
            SlotKind::Float => text().parse().map_or(Constant::Unknown, Constant::Float),
            SlotKind::Bit | SlotKind::Comment | SlotKind::Hex => Constant::Unknown,
        }
    }

    fn param(&self, slot: SlotIndex) -> Constant<'a> {
        let (Some(params), Some(index)) = (self.call.params, self.ordinals.get(slot as usize)) else {
            return Constant::Unknown;
        };
        match params.value(*index as usize) {
            Value::Bytes(bytes) if params.is_decimal(*index as usize) => decimal(bytes),
            Value::Bytes(bytes) => std::str::from_utf8(bytes).map_or(Constant::Unknown, Constant::Text),
            Value::Double(value) => Constant::Float(value),
            Value::Int(value) => Constant::Int(i128::from(value)),
            Value::Moment(sent) => moment::of_sent(sent).map_or(Constant::Unknown, Constant::Moment),
            Value::Null => Constant::Null,
            Value::Other => Constant::Unknown,
            Value::UInt(value) => Constant::Int(i128::from(value)),
        }
    }
}

/// `[-]digits[.digits]`, as a client sends a decimal.
fn decimal(bytes: &[u8]) -> Constant<'_> {
    let Ok(text) = std::str::from_utf8(bytes) else { return Constant::Unknown };
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    match digits.split_once('.') {
        Some((before, after)) if is_number(before) && is_number(after) => Constant::Decimal(negative, digits),
        None if is_number(digits) => text.parse().map_or(Constant::Unknown, Constant::Int),
        _ => Constant::Unknown,
    }
}

/// The result of integer arithmetic: beyond what MySQL computes in 64 bits it reports an error of its own.
fn integer<'a>(value: Option<i128>) -> Constant<'a> {
    match value {
        Some(value) if value >= i128::from(i64::MIN) && value <= i128::from(u64::MAX) => Constant::Int(value),
        _ => Constant::Unknown,
    }
}

/// Whether it is a signed integer of the server's, so that nothing is computed without a sign.
fn is_signed(value: i128) -> bool {
    i64::try_from(value).is_ok()
}

/// An integer as one of a type; one that is of the other type only is none.
fn cast<'a>(value: i128, unsigned: bool) -> Constant<'a> {
    let kept = if unsigned { u64::try_from(value).is_ok() } else { is_signed(value) };
    if kept { Constant::Int(value) } else { Constant::Unknown }
}

fn unquoted(text: &str) -> Constant<'_> {
    let mut inner = text.chars();
    let quote = inner.next();
    if !matches!(quote, Some('\'' | '"')) || inner.next_back() != quote {
        return Constant::Unknown;
    }
    let inner = inner.as_str();
    if inner.contains(['\\', '\'', '"']) { Constant::Unknown } else { Constant::Text(inner) }
}

impl Arguments for wire::execute::Params<'_> {
    fn value(&self, index: usize) -> Value<'_> {
        use wire::value::Value as Sent;
        match self.get(index) {
            Sent::Null => Value::Null,
            Sent::Int(value) => Value::Int(value),
            Sent::UInt(value) => Value::UInt(value),
            Sent::Float(value) => Value::Double(f64::from(value)),
            Sent::Double(value) => Value::Double(value),
            Sent::Bytes(bytes) => Value::Bytes(bytes),
            moment @ (Sent::Date(_) | Sent::DateTime(_) | Sent::Time(_)) => Value::Moment(moment),
        }
    }

    fn is_decimal(&self, index: usize) -> bool {
        use wire::column::ColumnType;
        let kind = self.types().get(index).map(|kind| kind.column);
        matches!(kind, Some(ColumnType::DECIMAL | ColumnType::NEWDECIMAL))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_decimals_as_numbers() {
        for (text, expected) in [
            ("5", Constant::Int(5)),
            ("-5", Constant::Int(-5)),
            ("5.0", Constant::Decimal(false, "5.0")),
            ("-0.50", Constant::Decimal(true, "0.50")),
            ("", Constant::Unknown),
            ("+5", Constant::Unknown),
            ("5.", Constant::Unknown),
            ("1e3", Constant::Unknown),
        ] {
            assert_eq!(decimal(text.as_bytes()), expected, "{text}");
        }
    }
}
