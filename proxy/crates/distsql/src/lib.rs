//! The DistSQL grammar and its syntax tree; no execution.
