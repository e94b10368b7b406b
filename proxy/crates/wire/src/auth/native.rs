//! `mysql_native_password`: SHA1(password) xor SHA1(nonce + SHA1(SHA1(password))).

use sha1::{Digest as _, Sha1};

use super::{Verifier, same, xor};

/// The answer to a nonce; empty for an empty password.
pub fn scramble(password: &[u8], nonce: &[u8]) -> Vec<u8> {
    if password.is_empty() {
        return Vec::new();
    }
    let once: [u8; 20] = Sha1::digest(password).into();
    let twice = Sha1::digest(once);
    xor(once, mask(nonce, &twice)).to_vec()
}

/// Whether `answer` is that of someone who knows the password.
pub fn verify(verifier: &Verifier, nonce: &[u8], answer: &[u8]) -> bool {
    if answer.is_empty() || verifier.empty {
        return answer.is_empty() && verifier.empty;
    }
    let Ok(answer) = <[u8; 20]>::try_from(answer) else { return false };
    let Some(native) = &verifier.native else { return false };
    let once = xor(answer, mask(nonce, native));
    same(&Sha1::digest(once), native)
}

fn mask(nonce: &[u8], twice: &[u8]) -> [u8; 20] {
    Sha1::new().chain_update(nonce).chain_update(twice).finalize().into()
}
