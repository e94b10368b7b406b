//! Runs a plan: relay, scatter, merge, transactions.
//!
//! [`Executor::run`] takes a bound statement and a place for the answer. One node: the server's bytes are handed on
//! ([`Downstream`]). Several: sent to all first, then read and merged ([`merge`]).

mod abandon;
mod cursor;
mod decorate;
mod diagnostics;
mod downstream;
mod error;
mod executor;
mod finish;
mod job;
mod lane;
mod lent;
mod limits;
mod logical;
pub mod merge;
mod pin;
pub mod relay;
mod scatter;
mod trail;
mod transaction;
mod turn;
#[cfg(test)]
mod world;

pub use abandon::{Running, Wait};
pub use cursor::Fetch;
pub use diagnostics::{Condition, Figures};
pub use downstream::{Absence, Dialect, Downstream, Watch};
pub use error::Error;
pub use executor::Executor;
pub use job::{Command, Job, Outcome};
pub use lent::Lent;
pub use limits::Limits;
pub use logical::in_logical_names;
pub use pin::{literal, question};
pub use sql::Pin;
pub use trail::{Run, Trail};
pub use transaction::Begin;
