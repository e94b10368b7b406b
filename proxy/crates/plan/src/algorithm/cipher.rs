//! What stands in a cipher column for a value, and the value again (`algorithms.md` §3). Values are texts, in and out as
//! bytes. Only `CHAR_DIGEST_LIKE` looks at characters.

mod aes;
mod base64;
mod block;
mod char_digest_like;
mod digest;
mod hex;
mod rc4;
mod sm4;
#[cfg(test)]
mod tests;

use bytes::{BufMut, BytesMut};
use meta::Cipher;

pub(crate) use digest::md5;

/// What is stored is not what the cipher makes of any value.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Undecryptable;

/// Appends what is stored for a value.
pub(crate) fn encrypt(cipher: &Cipher, plain: &[u8], out: &mut impl BufMut) {
    match cipher {
        Cipher::Aes(it) => aes::encrypt(it, plain, out),
        Cipher::CharDigestLike(it) => char_digest_like::digest(it, plain, out),
        Cipher::Md5(salted) => md5(&salted.0, plain, out),
        Cipher::Rc4(it) => rc4::encrypt(it, plain, out),
        Cipher::Sm3(salted) => digest::sm3(&salted.0, plain, out),
        Cipher::Sm4(it) => sm4::encrypt(it, plain, out),
    }
}

/// Appends what finds the values that are like a pattern of `LIKE`, among those that [`encrypt`] made: wildcards
/// stay, and so does what is escaped, where something escapes.
pub(crate) fn encrypt_pattern(cipher: &Cipher, pattern: &[u8], escape: Option<u8>, out: &mut impl BufMut) {
    match cipher {
        Cipher::CharDigestLike(it) => char_digest_like::pattern(it, pattern, escape, out),
        // Only a pattern without wildcards finds anything then.
        _ => encrypt(cipher, pattern, out),
    }
}

/// Appends the value that is stored so. What cannot be had back is given as it is stored. On an error `out` is as
/// before.
pub(crate) fn decrypt(cipher: &Cipher, stored: &[u8], out: &mut BytesMut) -> Result<(), Undecryptable> {
    let start = out.len();
    let done = match cipher {
        Cipher::Aes(it) => aes::decrypt(it, stored, out),
        Cipher::Rc4(it) => rc4::decrypt(it, stored, out),
        Cipher::Sm4(it) => sm4::decrypt(it, stored, out),
        Cipher::CharDigestLike(_) | Cipher::Md5(_) | Cipher::Sm3(_) => {
            out.extend_from_slice(stored);
            Ok(())
        }
    };
    if done.is_err() {
        out.truncate(start);
    }
    done
}
