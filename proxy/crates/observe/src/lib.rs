//! Event types, the Sink trait, and the hub that fans events out.
