//! The MySQL protocol without I/O: frames, handshakes, commands, rows, values, error numbers.
//!
//! Everything here is a function of bytes. A decoder never trusts a length: it either stays inside the bytes
//! it was given or answers [`Error`]. Nothing here panics on a peer's input, and nothing is allocated because
//! a peer merely *announced* a size.
//!
//! Encoders called `encode` write a payload without its header; wrap them in [`frame::put_with`].

pub mod attributes;
pub mod auth;
pub mod caps;
pub mod charset;
pub mod column;
pub mod command;
pub mod compress;
pub mod cursor;
pub mod errno;
pub mod execute;
pub mod frame;
pub mod handshake;
pub mod hex;
pub mod infile;
pub mod proxy_protocol;
pub mod reply;
pub mod result;
pub mod row;
pub mod scan;
pub mod value;

/// Why bytes could not be read as the protocol says.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A key cannot be used.
    #[error("the RSA key {what}")]
    Key {
        /// What is wrong with it.
        what: &'static str,
    },
    /// The payload says something the protocol has no meaning for.
    #[error("malformed packet: {what}")]
    Malformed {
        /// What could not be read.
        what: &'static str,
    },
    /// A frame does not follow the one before it.
    #[error("packets out of order: expected sequence {expected}, got {got}")]
    OutOfOrder {
        /// The number that should have come.
        expected: u8,
        /// The number that came.
        got: u8,
    },
    /// A message is larger than the reader accepts.
    #[error("packet of more than {limit} bytes")]
    TooLarge {
        /// The largest payload accepted.
        limit: usize,
    },
    /// The payload ends before what it should hold.
    #[error("truncated packet: {what} is missing")]
    Truncated {
        /// What was to be read when the bytes ended.
        what: &'static str,
    },
    /// The server wants an authentication method that is not known here.
    #[error("authentication method '{name}' is not supported")]
    UnknownPlugin {
        /// Its name.
        name: String,
    },
    /// A value cannot be written as the column type asks.
    #[error("value does not fit column type {kind}")]
    Unfit {
        /// The number of the column type.
        kind: u8,
    },
}
