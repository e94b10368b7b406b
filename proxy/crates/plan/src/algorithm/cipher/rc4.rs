//! `RC4`: the key stream begins anew with each value; in Base64.

use bytes::{BufMut, BytesMut};
use meta::Rc4Cipher;

use super::{Undecryptable, base64};

pub(super) fn encrypt(cipher: &Rc4Cipher, plain: &[u8], out: &mut impl BufMut) {
    let mut stream = Stream::new(cipher);
    for part in plain.chunks(base64::CHUNK) {
        let mut chunk = [0; base64::CHUNK];
        let chunk = &mut chunk[..part.len()];
        chunk.copy_from_slice(part);
        stream.mix(chunk);
        base64::put(chunk, out);
    }
}

pub(super) fn decrypt(cipher: &Rc4Cipher, stored: &[u8], out: &mut BytesMut) -> Result<(), Undecryptable> {
    let start = out.len();
    base64::read(stored, out)?;
    Stream::new(cipher).mix(&mut out[start..]);
    Ok(())
}

/// The key stream.
struct Stream {
    state: [u8; 256],
    one: u8,
    two: u8,
}

impl Stream {
    fn new(cipher: &Rc4Cipher) -> Self {
        Self { state: cipher.state, one: 0, two: 0 }
    }

    fn mix(&mut self, bytes: &mut [u8]) {
        for byte in bytes {
            self.one = self.one.wrapping_add(1);
            let left = self.state[usize::from(self.one)];
            self.two = self.two.wrapping_add(left);
            let right = self.state[usize::from(self.two)];
            self.state[usize::from(self.one)] = right;
            self.state[usize::from(self.two)] = left;
            *byte ^= self.state[usize::from(left.wrapping_add(right))];
        }
    }
}
