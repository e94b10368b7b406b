//! Runs real MySQL servers, sysbench and HAProxy in a sandbox and compares direct with proxied.

pub mod bench;
pub mod demo;
pub mod load;
pub mod measure;
pub mod progress;
pub mod provision;
pub mod report;
pub mod sandbox;
pub mod scenario;
pub mod stage;

pub use progress::{Lines, Progress, Silent};
pub use provision::{Distribution, Flavour, Program, Tools};
pub use sandbox::{HaProxy, Sandbox, Server, WeirProcess};
