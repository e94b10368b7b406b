//! The `weir-harness` binary.
fn main() {}
