//! End-to-end tests on real servers and golden plans.
//!
//! This library is what the tests share: a [`Bed`] with servers and a proxy, a [`Client`] that hides nothing of the
//! protocol, and the comparison of two answers.

mod bed;
mod client;
mod compare;
pub mod exposition;
mod own;
mod reply;
mod script;

pub use bed::{Bed, Logical, Setup, UNITS};
pub use client::{Account, Client, MODERN, OLD, Prepared, execute};
pub use compare::{Rules, differ, differ_prepared};
pub use own::{Own, configure};
pub use reply::{Done, Failure, Fault, Reply, Table};
pub use script::{Argument, Script, Side, Step, inline};
