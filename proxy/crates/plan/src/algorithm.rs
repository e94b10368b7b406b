//! The algorithms that rules name, one per file. How their properties are written and checked is `meta`'s.

pub(crate) mod balance;
pub(crate) mod cipher;
pub(crate) mod key;
pub(crate) mod mask;
pub(crate) mod shard;
