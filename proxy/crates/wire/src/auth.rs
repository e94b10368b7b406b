//! Authentication: the arithmetic of each method, and both sides of the exchange as state machines fed with payloads.
//!
//! A password is known only where the proxy is the client of a server. Where it is the server it keeps digests, see
//! [`Verifier`]. A password crosses the wire in clear only when the caller says that the connection is secure.

use std::fmt;

use ::rsa::Generate as _;
use sha1::{Digest as _, Sha1};
use sha2::Sha256;

pub mod caching;
mod client;
pub mod native;
pub mod rsa;
mod server;

pub use client::{Client, Reaction};
pub use server::{Server, Step};

/// The random bytes of a greeting.
pub type Nonce = [u8; 20];

/// A nonce for one connection: unpredictable, without zero bytes, which would cut it short, and without `$`, which
/// separates the parts of a stored digest.
pub fn nonce() -> Nonce {
    <[u8; 20]>::generate().map(|byte| match byte & 0x7F {
        unfit @ (0 | b'$') => unfit + 1,
        safe => safe,
    })
}

/// An authentication method of this crate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Plugin {
    /// `caching_sha2_password`: MySQL's own since 8.0.
    CachingSha2,
    /// `mysql_native_password`: the one every client since 4.1 and MariaDB know.
    Native,
}

impl Plugin {
    /// Its name in greetings, logins and switches.
    pub const fn name(self) -> &'static str {
        match self {
            Self::CachingSha2 => "caching_sha2_password",
            Self::Native => "mysql_native_password",
        }
    }

    /// The method with this name.
    pub fn named(name: &[u8]) -> Option<Self> {
        [Self::CachingSha2, Self::Native].into_iter().find(|plugin| plugin.name().as_bytes() == name)
    }
}

/// What is kept of a user's password: enough to check it, too little to use it elsewhere.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Verifier {
    /// SHA1(SHA1(password)).
    native: [u8; 20],
    /// SHA256(SHA256(password)).
    caching: [u8; 32],
    /// Whether the password is empty.
    empty: bool,
    /// Whether the password itself must be shown, as to a server that does not hold its digest yet.
    full: bool,
    /// The only method the user may log in by.
    required: Option<Plugin>,
}

impl Verifier {
    /// The digests of a password.
    pub fn from_password(password: &str) -> Self {
        Self {
            native: Sha1::digest(Sha1::digest(password)).into(),
            caching: Sha256::digest(Sha256::digest(password)).into(),
            empty: password.is_empty(),
            full: false,
            required: None,
        }
    }

    /// The same, for a user who may log in by one method only.
    #[must_use]
    pub const fn requiring(self, plugin: Plugin) -> Self {
        Self { required: Some(plugin), ..self }
    }

    /// The same, for a user who must show the password itself: `caching_sha2_password` then takes its long way.
    #[must_use]
    pub const fn showing_password(self) -> Self {
        Self { full: true, ..self }
    }

    /// Whether this is the password.
    pub fn matches(&self, password: &[u8]) -> bool {
        same(&self.caching, &Sha256::digest(Sha256::digest(password)))
    }
}

impl fmt::Debug for Verifier {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Verifier").field("required", &self.required).finish_non_exhaustive()
    }
}

/// Compares digests in a time that does not depend on where they differ.
fn same(one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len() && one.iter().zip(other).fold(0, |differ, (a, b)| differ | (a ^ b)) == 0
}

/// `one` with each byte xored by that of `other` at the same place.
fn xor<const N: usize>(mut one: [u8; N], other: [u8; N]) -> [u8; N] {
    for (a, b) in one.iter_mut().zip(other) {
        *a ^= b;
    }
    one
}

#[cfg(test)]
mod tests;
