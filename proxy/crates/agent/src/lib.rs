//! What becomes of what sessions tell ([`observe`]): logs, traces and statistics, each a [`Sink`] on the one thread of the
//! [`Writer`], as `agent.yaml` says ([`Config`]).
//!
//! Nothing here is on the way of a query. A sink that fails (a full disk, a collector that is down) says so in the
//! proxy's own log, now and then, counts what it loses, and goes on.

mod audit;
mod config;
mod counters;
#[cfg(test)]
mod example;
pub mod file;
mod general;
pub mod http;
pub mod io;
mod logging;
pub mod metrics;
mod props;
mod sink;
mod slow;
pub mod stamp;
pub mod text;
pub mod trace;
mod warn;
mod writer;

pub use audit::{AuditConfig, AuditLog, WrongSetting};
pub use config::{Config, Kind, Plugin};
pub use counters::{Counter, Counters, SinkCounters};
pub use general::GeneralLog;
pub use logging::{Config as Logging, Log};
pub use props::{Fault, Place, Props};
pub use sink::Sink;
pub use slow::SlowLog;
pub use warn::Warner;
pub use writer::Writer;
