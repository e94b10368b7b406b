//! Listeners, login, the command loop, session state, and the one mapping of errors to ERR packets.
//!
//! [`Listener`] accepts and hands sockets to [`Workers`]; each session is one task on its worker. What a statement means is decided by
//! `plan`, how it is carried out by `exec`; what is the session's own (transactions, `SET`, `USE`, `SHOW DATABASES` …) is done in
//! `command`. A panic or a broken packet ends its own session alone.

mod accounts;
mod admin;
mod answer;
mod carrier;
mod class;
mod client;
mod clock;
mod command;
mod counting;
mod digests;
mod error;
mod keys;
mod line;
mod listener;
mod local;
mod login;
mod notes;
mod pacing;
mod place;
mod prepared;
mod recode;
mod redact;
mod registry;
mod reply;
mod sample;
mod select;
mod session;
mod shared;
mod shown;
mod state;
mod text;
mod visits;
mod worker;

pub use accounts::Accounts;
pub use admin::{Admin, Pending, Refusal};
pub use answer::{Answer, Table};
pub use keys::Keys;
pub use listener::Listener;
pub use registry::Registry;
pub use shared::{Limits, Shared};
pub use worker::Workers;

#[cfg(test)]
mod tests;
