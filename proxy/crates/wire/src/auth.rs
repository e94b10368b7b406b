//! Authentication: the arithmetic of each method, and both sides of the exchange as state machines fed with payloads.
//!
//! A password is known only where the proxy is the client of a server. Where it is the server it keeps digests, see
//! [`Verifier`]. A password crosses the wire in clear only when the caller says that the connection is secure.

use std::fmt;

use ::rsa::Generate as _;
use sha1::{Digest as _, Sha1};
use sha2::Sha256;

use crate::hex::hex;

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
    /// SHA1(SHA1(password)), if it is known.
    native: Option<[u8; 20]>,
    /// SHA256(SHA256(password)), if it is known; one of the two is.
    caching: Option<[u8; 32]>,
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
            native: Some(Sha1::digest(Sha1::digest(password)).into()),
            caching: Some(Sha256::digest(Sha256::digest(password)).into()),
            empty: password.is_empty(),
            full: false,
            required: None,
        }
    }

    /// The digests that a text gives in hexadecimal digits, as [`Self::hash`] writes them: `*` and SHA1(SHA1(password)) as
    /// MySQL's `mysql_native_password` has it, `*` and SHA256(SHA256(password)), or both one after the other. Any other
    /// text is the password itself.
    ///
    /// Who has the first alone must show the password, over TLS or encrypted, to a client of `caching_sha2_password`; who
    /// has the second alone cannot log in by `mysql_native_password`.
    pub fn parse(text: &str) -> Self {
        let Some(rest) = text.strip_prefix('*') else { return Self::from_password(text) };
        let mut digests = Self { native: None, caching: None, empty: false, full: false, required: None };
        for part in rest.split('*') {
            let (native, caching) = (unhex::<20>(part), unhex::<32>(part));
            if native.is_none() && caching.is_none()
                || native.is_some() && digests.native.is_some()
                || caching.is_some() && digests.caching.is_some()
            {
                return Self::from_password(text);
            }
            digests.native = digests.native.or(native);
            digests.caching = digests.caching.or(caching);
        }
        digests.full = digests.caching.is_none();
        digests.required = digests.native.is_none().then_some(Plugin::CachingSha2);
        let none = Self::from_password("");
        digests.empty = digests.native == none.native || digests.caching == none.caching;
        digests
    }

    /// The digests as [`Self::parse`] reads them.
    pub fn hash(&self) -> String {
        let parts =
            [self.native.as_ref().map(<[u8; 20]>::as_slice), self.caching.as_ref().map(<[u8; 32]>::as_slice)];
        parts.into_iter().flatten().map(|digest| format!("*{}", hex(digest))).collect()
    }

    /// What goes about a login in the same way and takes no password.
    #[must_use]
    pub fn decoy(&self, random: &Nonce) -> Self {
        Self {
            native: self.native.map(|_| Sha1::digest(random).into()),
            caching: self.caching.map(|_| Sha256::digest(random).into()),
            empty: false,
            ..*self
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
        match (&self.caching, &self.native) {
            (Some(caching), _) => same(caching, &Sha256::digest(Sha256::digest(password))),
            (None, Some(native)) => same(native, &Sha1::digest(Sha1::digest(password))),
            (None, None) => false,
        }
    }
}

impl fmt::Debug for Verifier {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Verifier").field("required", &self.required).finish_non_exhaustive()
    }
}

/// Bytes by their hexadecimal digits.
fn unhex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    if text.len() != 2 * N || !text.is_ascii() {
        return None;
    }
    for (byte, digits) in bytes.iter_mut().zip(text.as_bytes().chunks(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    }
    Some(bytes)
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
