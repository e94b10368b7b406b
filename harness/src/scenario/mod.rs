//! The documented benchmark scenarios: readable files, interpreted here.

mod check;
mod claim;
mod file;
mod fill;
mod run;

pub use check::{Targets, verify};
pub use claim::{CheckPart, CountPart, Query, When};
pub use file::{ArmPart, LoadPart, Place, PreparePart, Proxy, Scale, Scenario, Setup, WEIR, all};
pub use fill::{Each, Fill, Unknown, Values};
pub use run::{Choice, Options, folder, perform};

#[cfg(test)]
mod tests;
