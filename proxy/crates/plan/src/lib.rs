//! Templates, passes, algorithms, bind, and the plan cache.

mod plan;

pub use plan::*;
