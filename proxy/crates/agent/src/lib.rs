//! What becomes of what sessions tell ([`observe`]): logs, traces and statistics, each a [`Sink`] on the one thread of the
//! [`Writer`].
//!
//! Nothing here is on the way of a query. A sink that fails (a full disk, a collector that is down) says so in the
//! proxy's own log, now and then, counts what it loses, and goes on.

pub mod http;
pub mod io;
mod sink;
mod writer;

pub use sink::Sink;
pub use writer::Writer;
