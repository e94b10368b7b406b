//! The documented benchmark scenarios: readable files, interpreted here.

mod check;
mod file;
mod fill;
mod run;

pub use check::{Targets, verify};
pub use file::{ArmPart, CheckPart, LoadPart, Proxy, Query, Scale, Scenario, WEIR, all};
pub use fill::{Fill, Unknown};
pub use run::{Choice, Options, folder, perform};

#[cfg(test)]
mod tests;
