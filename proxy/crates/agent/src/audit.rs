//! The audit log: who logged in and what was asked, in the forms of Percona Server's audit log and TaurusDB's.
//!
//! Settings decide what is held ([`AuditConfig`]), a [`Strategy`](settings::Strategy) what becomes of a record while it is not
//! on the disk. Whatever bytes a client sent can be read back from each form; passwords and values of encrypted columns
//! never come here.

mod class;
mod escape;
mod filter;
mod form;
mod record;
mod settings;
mod sink;

pub use settings::{AuditConfig, WrongSetting};
pub use sink::AuditLog;

#[cfg(test)]
mod tests;
