//! The SQL language by byte offsets: lexer, fingerprint, hints, analysis, spans.

mod analysis;
mod condition;
mod digest;
mod error;
mod fingerprint;
mod hints;
mod joined;
pub mod lexer;
mod mode;
mod pin;
mod place;
pub mod split;
mod statement;
pub mod unquote;
mod uses;
mod verb;

pub use analysis::analyse;
pub use condition::{Arithmetic, Comparison, Predicate, Scalar};
pub use digest::Digest;
pub use error::Error;
pub use fingerprint::{Fingerprint, Fingerprinter, Slot, SlotKind};
pub use hints::Hints;
pub use joined::*;
pub use mode::Mode;
pub use pin::Pin;
pub use statement::*;
pub use uses::*;
pub use verb::Verb;
