//! Runs real MySQL servers, sysbench and HAProxy in a sandbox and compares direct with proxied.

pub mod load;
pub mod measure;
pub mod progress;
pub mod provision;
pub mod report;
pub mod sandbox;

pub use progress::{Lines, Progress, Silent};
pub use provision::{Distribution, Flavour, Program, Tools};
pub use sandbox::{HaProxy, Sandbox, Server, WeirProcess};
