//! What each command of the protocol does, one file for each family.

pub(crate) mod catalog;
pub(crate) mod control;
pub(crate) mod database;
mod describe;
mod diagnostics;
mod digests;
mod explain;
mod hint;
mod named;
pub(crate) mod prepared;
pub(crate) mod query;
pub(crate) mod set;
mod several;
pub(crate) mod show;
