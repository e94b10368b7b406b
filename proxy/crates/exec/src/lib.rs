//! Runs a plan: relay, scatter, merge, transactions.

mod error;
pub mod merge;

pub use error::Error;
