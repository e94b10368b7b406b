//! `AES`: AES-128 in ECB with PKCS #5 padding, in Base64.

use aes::cipher::{Array, BlockCipherDecrypt as _, BlockCipherEncrypt as _};
use bytes::{BufMut, BytesMut};
use meta::AesCipher;

use super::{Undecryptable, base64, block};

pub(super) fn encrypt(cipher: &AesCipher, plain: &[u8], out: &mut impl BufMut) {
    block::each::<{ base64::CHUNK }>(plain, |chunk| {
        cipher.schedule.encrypt_blocks(Array::slice_as_chunks_mut(chunk).0);
        base64::put(chunk, out);
    });
}

pub(super) fn decrypt(cipher: &AesCipher, stored: &[u8], out: &mut BytesMut) -> Result<(), Undecryptable> {
    let start = out.len();
    base64::read(stored, out)?;
    let (blocks, []) = Array::slice_as_chunks_mut(&mut out[start..]) else { return Err(Undecryptable) };
    cipher.schedule.decrypt_blocks(blocks);
    block::unpad(out, start)
}
