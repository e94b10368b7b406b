//! The `weir` binary.

#[expect(dead_code, reason = "sessions come next")]
mod admin;

fn main() {}
