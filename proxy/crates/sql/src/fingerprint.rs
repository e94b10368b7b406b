//! One pass over the text: a hash of all but the values, and where the values are.

use smallvec::SmallVec;

/// What kind of value a slot holds.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq, serde::Serialize)]
pub enum SlotKind {
    /// `b'01'`, `0b01`.
    Bit,
    /// `/* … */`, `-- …`, `# …`: left out of the hash, so that trace comments do not split the cache. Not
    /// `/*! … */` or `/*+ … */`, which are part of the statement.
    Comment,
    /// `1.5`.
    Decimal,
    /// `1e5`.
    Float,
    /// `x'1f'`, `0x1f`.
    Hex,
    /// `42`.
    Integer,
    /// `?`.
    Param,
    /// `'…'`, `"…"` (unless `ANSI_QUOTES`); adjacent strings are slots of their own.
    String,
}

/// A value in the text, quotes included.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Slot {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// What it is.
    pub kind: SlotKind,
}

/// What [`fingerprint`] found.
#[derive(Clone, Debug, Default)]
pub struct Fingerprint {
    /// Of the text with every slot left out (a text with literals and one with parameters there hash alike).
    /// Not proof of equality: whoever finds something by it compares the texts between the slots.
    pub hash: u64,
    /// In the order of the text.
    pub slots: SmallVec<[Slot; 12]>,
}
