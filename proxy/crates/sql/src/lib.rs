//! The SQL language by byte offsets: lexer, fingerprint, hints, analysis, spans.

mod analysis;
mod condition;
mod error;
mod fingerprint;
pub mod lexer;
mod mode;
mod place;
mod statement;
pub mod unquote;

pub use analysis::{analyse, split};
pub use condition::{Arithmetic, Comparison, Predicate, Scalar};
pub use error::Error;
pub use fingerprint::{Fingerprint, Fingerprinter, Slot, SlotKind};
pub use mode::Mode;
pub use statement::*;
