//! What a value of the client's is as a text, to be encrypted (`algorithms.md` §3).
//!
//! Numbers are spelt as MySQL stores them in a text column, `TRUE` and moments as Java prints them. Refused: what is no
//! text in UTF-8, and what only the server can compute.

use std::borrow::Cow;

use bytes::BytesMut;
use sql::{Mode, Scalar, Slot, SlotIndex, SlotKind, unquote};
use wire::value::Value as Sent;

use crate::call::{Bound, Constant, Value};
use crate::error::Error;
use crate::template::Template;
use crate::text::Ciphered;

/// A value as text.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Clear<'a> {
    Null,
    Text(Cow<'a, str>),
    /// Not known, or no text.
    Unknown,
}

/// Whether a parameter is part of it.
pub(crate) fn holds_param(scalar: &Scalar, slots: &[Slot]) -> bool {
    match scalar {
        Scalar::Slot(slot) => slots.get(*slot as usize).is_some_and(|slot| slot.kind == SlotKind::Param),
        Scalar::Cast { inner, .. } | Scalar::Negative(inner) => holds_param(inner, slots),
        Scalar::Arithmetic(_, left, right) => holds_param(left, slots) || holds_param(right, slots),
        Scalar::Default | Scalar::Null | Scalar::Opaque | Scalar::Truth(_) | Scalar::Values(_) => false,
    }
}

impl<'a> Bound<'a> {
    /// A value as text.
    pub(crate) fn clear(&self, scalar: &Scalar, mode: Mode) -> Clear<'a> {
        match scalar {
            Scalar::Slot(slot) => self.clear_slot(*slot, mode),
            Scalar::Truth(truth) => Clear::Text(Cow::Borrowed(if *truth { "true" } else { "false" })),
            _ => spelt(self.constant(scalar)),
        }
    }

    fn clear_slot(&self, slot: SlotIndex, mode: Mode) -> Clear<'a> {
        let call = self.call;
        let Some(place) = call.slots.get(slot as usize) else { return Clear::Unknown };
        let range = place.start as usize..place.end as usize;
        let text = call.text.get(range.clone()).unwrap_or_default();
        match place.kind {
            // Where the two differ, characters have been blotted out: they are in another encoding.
            SlotKind::String if call.raw.get(range) != Some(text.as_bytes()) => Clear::Unknown,
            SlotKind::String => Clear::Text(unquote::string(text, mode)),
            SlotKind::Hex => hex(text).map_or(Clear::Unknown, |text| Clear::Text(Cow::Owned(text))),
            SlotKind::Param => self.clear_param(slot),
            SlotKind::Bit | SlotKind::Comment => Clear::Unknown,
            SlotKind::Decimal | SlotKind::Float | SlotKind::Integer => {
                spelt(self.constant(&Scalar::Slot(slot)))
            }
        }
    }

    fn clear_param(&self, slot: SlotIndex) -> Clear<'a> {
        let (Some(params), Some(index)) = (self.call.params, self.ordinals.get(slot as usize)) else {
            return Clear::Unknown;
        };
        let text = |text: String| Clear::Text(Cow::Owned(text));
        match params.value(*index as usize) {
            Value::Bytes(bytes) => {
                std::str::from_utf8(bytes).map_or(Clear::Unknown, |text| Clear::Text(Cow::Borrowed(text)))
            }
            Value::Double(value) => text(written(&Sent::Double(value), 31)),
            Value::Int(value) => text(value.to_string()),
            Value::Moment(Sent::DateTime(at)) => {
                let text = written(&Sent::DateTime(at), 6);
                let short = text.trim_end_matches('0');
                // At least one digit stays behind the point.
                let zero = if short.ends_with('.') { "0" } else { "" };
                Clear::Text(Cow::Owned(format!("{short}{zero}")))
            }
            Value::Moment(value) => text(written(&value, 31)),
            Value::Null => Clear::Null,
            Value::Other => Clear::Unknown,
            Value::UInt(value) => text(value.to_string()),
        }
    }
}

fn spelt(constant: Constant<'_>) -> Clear<'_> {
    match constant {
        Constant::Decimal(negative, digits) => Clear::Text(Cow::Owned(decimal(negative, digits))),
        Constant::Float(value) => Clear::Text(Cow::Owned(written(&Sent::Double(value), 31))),
        Constant::Int(value) => Clear::Text(Cow::Owned(value.to_string())),
        Constant::Null => Clear::Null,
        Constant::Text(text) => Clear::Text(Cow::Borrowed(text)),
        Constant::Moment(_) | Constant::Unknown => Clear::Unknown,
    }
}

/// A number without zeros that mean nothing before its point, and without a point that has nothing behind it.
fn decimal(negative: bool, digits: &str) -> String {
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let whole = whole.trim_start_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    let zero = whole == "0" && fraction.bytes().all(|digit| digit == b'0');
    let sign = if negative && !zero { "-" } else { "" };
    let point = if fraction.is_empty() { "" } else { "." };
    format!("{sign}{whole}{point}{fraction}")
}

fn written(value: &Sent<'_>, decimals: u8) -> String {
    let mut out = BytesMut::new();
    value.write_text(&mut out, decimals);
    String::from_utf8_lossy(&out).into_owned()
}

/// The text whose bytes are given by `x'…'` or `0x…`, if it is one.
fn hex(text: &str) -> Option<String> {
    let digits = text.get(2..)?.trim_end_matches('\'');
    let odd = digits.len() % 2;
    let pairs = (0..digits.len() / 2 + odd).map(|pair| {
        let end = (pair + 1) * 2 - odd;
        digits.get(end.saturating_sub(2)..end).and_then(|pair| u8::from_str_radix(pair, 16).ok())
    });
    String::from_utf8(pairs.collect::<Option<Vec<u8>>>()?).ok()
}

impl Template {
    /// Whether every value that is to be encrypted is a text. At a prepare parameters have no values yet.
    pub(crate) fn encryptable(&self, call: &crate::call::Call<'_>) -> Result<(), Error> {
        let Some(text) = self.one.as_ref().filter(|_| self.own_values) else { return Ok(()) };
        let bound = self.bound(call);
        let unknown = |it: &&Ciphered| {
            (call.params.is_some() || !holds_param(&it.value, call.slots))
                && bound.clear(&it.value, self.mode) == Clear::Unknown
        };
        match text.ciphered().find(unknown) {
            None => Ok(()),
            Some(it) => {
                Err(Error::Unencryptable { table: it.table.to_string(), column: it.column.to_string() })
            }
        }
    }
}

#[cfg(test)]
mod tests;
