//! Measures what a run cost: CPU time per query and memory, from `/proc`.
//!
//! Throughput on one machine says little about a proxy, because client, proxy and servers share the
//! cores; CPU per query does not depend on who else is busy. The window is exactly the run: it
//! opens when sysbench has all its connections and closes when its clock stops.

mod host;
pub mod meter;
mod process;
mod spread;
mod trial;

pub use host::Host;
pub use meter::{Counts, Meter};
pub use process::{Usage, resident, usage};
pub use spread::{Spread, Verdict};
pub use trial::{Cost, Trial, Watch, trial};
