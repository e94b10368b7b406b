//! The documented benchmark scenarios: readable files, interpreted here.

mod check;
mod claim;
mod collector;
mod file;
mod fill;
mod run;

pub use check::{Targets, verify};
pub use claim::{CheckPart, CountPart, Query, RecordPart, When};
pub use file::{
    Agent, ArmPart, LoadPart, Place, PreparePart, Proxy, Scale, Scenario, Setup, Variation, WEIR, all,
};
pub use fill::{Each, Fill, Unknown, Values};
pub use run::{Choice, Options, folder, perform};

#[cfg(test)]
mod tests;
