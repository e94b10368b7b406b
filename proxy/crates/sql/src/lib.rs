//! The SQL language by byte offsets: lexer, fingerprint, hints, analysis, spans.

mod error;
mod fingerprint;
pub mod lexer;
mod mode;
mod place;
mod statement;
pub mod unquote;

pub use error::Error;
pub use fingerprint::{Fingerprint, Fingerprinter, Slot, SlotKind};
pub use mode::Mode;
pub use statement::*;
