//! The key by which clients on plain TCP send their password: RSA with OAEP over SHA-1, as MySQL does it.

use std::{convert::Infallible, fmt};

use rsa::{
    Generate as _, PrivateKey, PublicKey,
    pkcs1::DecodeRsaPrivateKey as _,
    pkcs8::{
        DecodePrivateKey as _, DecodePublicKey as _, EncodePrivateKey as _, EncodePublicKey as _, LineEnding,
    },
    rand_core::{TryCryptoRng, TryRng},
};
use sha1::Sha1;

use super::caching::xor_password;
use crate::Error;

/// The size of MySQL's own keys.
const BITS: usize = 2048;

/// A server's key.
pub struct KeyPair {
    private: PrivateKey,
    public_pem: String,
}

impl KeyPair {
    /// A new key of 2048 bits; takes a good part of a second, far more without optimisation.
    pub fn generate() -> Result<Self, Error> {
        let key =
            PrivateKey::new(&mut System, BITS).map_err(|_| Error::Key { what: "cannot be generated" })?;
        Self::new(key)
    }

    /// Reads a private key in PEM, PKCS#8 or PKCS#1.
    pub fn from_pem(pem: &str) -> Result<Self, Error> {
        let key = PrivateKey::from_pkcs8_pem(pem)
            .or_else(|_| PrivateKey::from_pkcs1_pem(pem))
            .map_err(|_| Error::Key { what: "is no private key in PEM" })?;
        Self::new(key)
    }

    fn new(private: PrivateKey) -> Result<Self, Error> {
        let public_pem = private
            .to_public_key()
            .to_public_key_pem(LineEnding::LF)
            .map_err(|_| Error::Key { what: "cannot be written as PEM" })?;
        Ok(Self { private, public_pem })
    }

    /// The private key in PEM (PKCS#8), to be kept in a file.
    pub fn to_pem(&self) -> Result<String, Error> {
        let pem = self.private.to_pkcs8_pem(LineEnding::LF);
        Ok(pem.map_err(|_| Error::Key { what: "cannot be written as PEM" })?.to_string())
    }

    /// The public key in PEM, as clients ask for it.
    pub fn public_pem(&self) -> &str {
        &self.public_pem
    }

    /// Decrypts what a client sent; the password comes without its closing zero.
    pub fn decrypt(&self, encrypted: &[u8], nonce: &[u8]) -> Result<Vec<u8>, Error> {
        let mut password = self
            .private
            .oaep_decrypt::<Sha1>(encrypted)
            .map_err(|_| Error::Malformed { what: "encrypted password" })?;
        xor_password(&mut password, nonce);
        match password.pop() {
            Some(0) => Ok(password),
            _ => Err(Error::Malformed { what: "encrypted password" }),
        }
    }
}

impl fmt::Debug for KeyPair {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("KeyPair").finish_non_exhaustive()
    }
}

/// Encrypts a password by the public key (PEM) of a server.
pub fn encrypt(public_pem: &[u8], password: &[u8], nonce: &[u8]) -> Result<Vec<u8>, Error> {
    let pem = std::str::from_utf8(public_pem).map_err(|_| Error::Key { what: "is no public key in PEM" })?;
    let key = PublicKey::from_public_key_pem(pem.trim())
        .map_err(|_| Error::Key { what: "is no public key in PEM" })?;
    let mut hidden = [password, &[0]].concat();
    xor_password(&mut hidden, nonce);
    key.oaep_encrypt::<Sha1>(&hidden).map_err(|_| Error::Key { what: "is too short for the password" })
}

/// The operating system's random numbers, in the form the key generator takes them.
struct System;

impl TryRng for System {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(u32::generate())
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(u64::generate())
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        for chunk in bytes.chunks_mut(64) {
            chunk.copy_from_slice(&<[u8; 64]>::generate()[..chunk.len()]);
        }
        Ok(())
    }
}

impl TryCryptoRng for System {}
