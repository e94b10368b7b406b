//! Templates, passes, algorithms, bind, and the plan cache.
//!
//! A statement becomes a [`Template`] once (*locate*: which data nodes; *edit*: which texts), and a [`Plan`] with the
//! values of each execution. A statement that cannot be done right is an [`Error`], never a plan.

mod algorithm;
mod args;
mod audit;
mod bind;
mod broadcast;
mod cache;
mod call;
mod catalog;
mod clear;
mod condition;
mod ddl;
mod decorate;
mod digest;
mod distribute;
mod encrypt;
mod error;
mod explain;
mod finish;
mod given;
mod key;
mod keys;
mod moment;
mod place;
mod plan;
mod privileged;
mod renames;
mod route;
mod scope;
mod secret;
mod select;
mod shards;
mod template;
mod text;
mod write;

pub use algorithm::key::{Backwards, Sequence, uuid};
pub use args::Args;
pub use cache::{Cache, Kept, Numbers};
pub use call::{Arguments, Call, Generated, HintValue, HintValues, Value};
pub use catalog::{CatalogTable, INFORMATION_SCHEMA, PROCESSLIST, system_schema};
pub use decorate::{Decoration, Undecryptable};
pub use digest::Digested;
pub use error::{Error, Refused};
pub use explain::explain;
pub use given::Given;
pub use place::{Chosen, Placement};
pub use plan::*;
pub use renames::Renames;
pub use template::{Action, Template};
