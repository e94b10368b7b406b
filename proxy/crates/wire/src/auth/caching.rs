//! `caching_sha2_password`: SHA256(password) xor SHA256(SHA256(SHA256(password)) + nonce), and a long way for
//! servers that do not hold the digest: the password itself, over TLS or encrypted by RSA.

use sha2::{Digest as _, Sha256};

use super::{Verifier, same, xor};

/// A client asks for the server's public key.
pub const REQUEST_KEY: u8 = 0x02;
/// The digest was right; OK follows.
pub const FAST_DONE: u8 = 0x03;
/// The password itself is wanted.
pub const SHOW_PASSWORD: u8 = 0x04;

/// The answer to a nonce; empty for an empty password.
pub fn scramble(password: &[u8], nonce: &[u8]) -> Vec<u8> {
    if password.is_empty() {
        return Vec::new();
    }
    let once: [u8; 32] = Sha256::digest(password).into();
    let twice = Sha256::digest(once);
    xor(once, mask(nonce, &twice)).to_vec()
}

/// Whether `answer` is that of someone who knows the password. An empty password is answered by nothing or one zero byte.
pub fn verify_fast(verifier: &Verifier, nonce: &[u8], answer: &[u8]) -> bool {
    let empty = is_empty(answer);
    if empty || verifier.empty {
        return empty && verifier.empty;
    }
    let Ok(answer) = <[u8; 32]>::try_from(answer) else { return false };
    let Some(caching) = &verifier.caching else { return false };
    let once = xor(answer, mask(nonce, caching));
    same(&Sha256::digest(once), caching)
}

/// Whether an answer is that of an empty password.
pub(super) const fn is_empty(answer: &[u8]) -> bool {
    matches!(answer, [] | [0])
}

/// Hides a password (or finds it again) before RSA: with a closing zero, xored by the nonce over and over.
pub fn xor_password(password: &mut [u8], nonce: &[u8]) {
    for (byte, key) in password.iter_mut().zip(nonce.iter().cycle()) {
        *byte ^= key;
    }
}

fn mask(nonce: &[u8], twice: &[u8]) -> [u8; 32] {
    Sha256::new().chain_update(twice).chain_update(nonce).finalize().into()
}
