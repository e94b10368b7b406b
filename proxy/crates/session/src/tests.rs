//! Sessions as clients see them: over loopback sockets, with `wire` as the client and an `Admin` that keeps databases
//! without storage units.

mod house;
mod logins;
mod sampled;
mod sessions;
mod told;
