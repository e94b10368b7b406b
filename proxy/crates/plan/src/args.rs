//! The parameters that a server gets in the place of the client's.

use std::ops::Range;

use smallvec::SmallVec;
use wire::execute::Arg;
use wire::value::Value;

use crate::call::{Call, Generated};
use crate::clear::Clear;
use crate::plan::{RouteUnit, Variant};
use crate::template::Template;
use crate::text::Param;

/// Parameters for one unit, with the bytes of those that are the proxy's own.
#[derive(Clone, Debug, Default)]
pub struct Args {
    list: SmallVec<[Sent; 8]>,
    bytes: Vec<u8>,
}

#[derive(Clone, Debug)]
enum Sent {
    Bytes(Range<usize>),
    Client(usize),
    Null,
    Unsigned(u64),
}

impl Args {
    /// In the order of the text.
    pub fn iter(&self) -> impl Iterator<Item = Arg<'_>> + Clone {
        self.list.iter().map(|sent| match sent {
            Sent::Bytes(range) => Arg::Value(Value::Bytes(self.bytes.get(range.clone()).unwrap_or_default())),
            Sent::Client(at) => Arg::Client(*at),
            Sent::Null => Arg::Value(Value::Null),
            Sent::Unsigned(number) => Arg::Unsigned(*number),
        })
    }
}

impl Template {
    /// The arguments for one unit of a plan, when they are not simply the client's own.
    pub fn args(&self, call: &Call<'_>, unit: &RouteUnit) -> Option<Args> {
        if unit.variant == Variant::One && unit.rows.is_empty() && !self.own_params {
            return None;
        }
        let total = self.total(call).unwrap_or_default();
        let params = self.text_of(unit)?.params(call.slots, unit, self.context(call));
        let bound = self.bound(call);
        let mut args = Args::default();
        for param in params {
            args.list.push(match param {
                Param::Client(slot) => {
                    Sent::Client(self.ordinals.get(slot as usize).copied().unwrap_or_default() as usize)
                }
                Param::Key(row) => match call.generated.get(row as usize) {
                    Some(Generated::Number(number)) => Sent::Unsigned(number.cast_unsigned()),
                    Some(Generated::Text(text)) => {
                        let start = args.bytes.len();
                        args.bytes.extend_from_slice(text);
                        Sent::Bytes(start..args.bytes.len())
                    }
                    // Refused before.
                    None => Sent::Null,
                },
                Param::Limit => Sent::Unsigned(total),
                Param::Own(it) => match bound.clear(&it.value, self.mode) {
                    Clear::Text(text) => {
                        let start = args.bytes.len();
                        it.encrypt(&text, self.mode, &mut args.bytes);
                        Sent::Bytes(start..args.bytes.len())
                    }
                    // Unknown values have been refused before.
                    Clear::Null | Clear::Unknown => Sent::Null,
                },
            });
        }
        Some(args)
    }

    /// Whether the servers' parameters are others than the client's, or in another order.
    pub const fn has_own_params(&self) -> bool {
        self.own_params
    }
}
