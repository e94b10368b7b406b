//! What sessions tell of themselves: events, and how they travel to the one thread that makes logs, traces and
//! statistics of them.
//!
//! A session's worker writes an event down as it is, a [`record`], into a buffer of its own ([`Outlet`]); no lock is
//! taken and nothing is formatted on the way of a query. A full buffer, or one that has waited for a moment, goes to the
//! [`Collector`], which reads the records back as events for its sinks. What nobody [`Wants`] is not written down.

mod channel;
mod count;
mod event;
mod latency;
pub mod record;
mod sample;
mod wants;

pub use channel::{Batch, Capacity, Collector, Flow, Hub, Outlet, Ticket};
pub use count::{ByClass, ByCommand, Count, Counts, Family, Named, Times, UnitName};
pub use event::{Class, Command, Error, Event, Head, Party, Phases, Run, Session, Statement, Trace, Value};
pub use latency::Latency;
pub use sample::{Rule, Sampler};
pub use wants::Wants;
