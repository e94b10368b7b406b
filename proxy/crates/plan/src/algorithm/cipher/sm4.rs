//! `SM4`: in ECB or CBC with PKCS #7 padding, in hexadecimal.

use bytes::{BufMut, BytesMut};
use meta::{Sm4Cipher, Sm4Mode};
use sm4::cipher::{Array, BlockCipherDecrypt as _, BlockCipherEncrypt as _};

use super::{Undecryptable, block, hex};

pub(super) fn encrypt(cipher: &Sm4Cipher, plain: &[u8], out: &mut impl BufMut) {
    let mut before = match cipher.mode {
        Sm4Mode::Cbc(vector) => vector,
        Sm4Mode::Ecb => [0; block::SIZE],
    };
    block::each::<128>(plain, |chunk| {
        if cipher.mode == Sm4Mode::Ecb {
            cipher.schedule.encrypt_blocks(Array::slice_as_chunks_mut(chunk).0);
        } else {
            for block in chunk.as_chunks_mut().0 {
                mix(block, &before);
                cipher.schedule.encrypt_block(block.into());
                before = *block;
            }
        }
        hex::put(chunk, out);
    });
}

pub(super) fn decrypt(cipher: &Sm4Cipher, stored: &[u8], out: &mut BytesMut) -> Result<(), Undecryptable> {
    let start = out.len();
    hex::read(stored, out)?;
    let (blocks, []) = out[start..].as_chunks_mut() else { return Err(Undecryptable) };
    match cipher.mode {
        Sm4Mode::Cbc(vector) => {
            let mut before = vector;
            for block in blocks {
                let own = *block;
                cipher.schedule.decrypt_block(block.into());
                mix(block, &before);
                before = own;
            }
        }
        Sm4Mode::Ecb => cipher.schedule.decrypt_blocks(Array::cast_slice_from_core_mut(blocks)),
    }
    block::unpad(out, start)
}

fn mix(block: &mut [u8; block::SIZE], with: &[u8; block::SIZE]) {
    for (byte, with) in block.iter_mut().zip(with) {
        *byte ^= with;
    }
}
