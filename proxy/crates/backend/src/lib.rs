//! Server connections: TLS, authentication, prepared statements, pools, introspection.
//!
//! A [`Connection`] moves bytes and knows its own state; [`Pools`] lend connections to the sessions of one worker and the
//! [`Hub`] holds what workers share. Nothing here reads SQL, and nothing here decides what a session may do.

mod backoff;
mod climb;
mod connection;
mod error;
mod gate;
mod health;
mod hub;
pub mod introspect;
mod lease;
mod login;
mod monitor;
#[cfg(test)]
mod peer;
mod pool;
mod prepared;
mod query;
mod queue;
mod settings;
mod socket;
mod tally;
mod tls;
mod tracking;
mod turn;

pub use connection::{Connection, Link, ServerInfo};
pub use error::{Error, Origin, Refusal};
pub use hub::{Hub, Kill, PoolStats};
pub use lease::{Lease, Pools};
pub use prepared::{Prepared, Statement};
pub use query::TextResult;
pub use settings::{Charset, Settings};
pub use tally::Waits;
pub use tracking::Tracked;
pub use turn::Turn;

#[cfg(test)]
mod tests;
