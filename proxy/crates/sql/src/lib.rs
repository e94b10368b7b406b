//! The SQL language by byte offsets: lexer, fingerprint, hints, analysis, spans.

mod fingerprint;
mod statement;

pub use fingerprint::{Fingerprint, Slot, SlotKind};
pub use statement::*;
