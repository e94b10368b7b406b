//! `SM4`: in ECB or CBC with PKCS #7 padding, in hexadecimal.
//!
//! Rounds depend on each other, so that a processor waits more than it works on one block; blocks that do not depend on
//! each other go through the rounds [`ABREAST`].

use bytes::{BufMut, BytesMut};
use meta::{SM4_SUBSTITUTES, Sm4Cipher, Sm4Mode};

use super::block::{self, SIZE};
use super::{Undecryptable, hex};

/// So many blocks at a time.
const ABREAST: usize = 4;

type Block = [u8; SIZE];

/// What a round makes of the first byte of a word; of the others the same, turned by as many bytes.
static MIXED: [u32; 256] = mixed();

const fn mixed() -> [u32; 256] {
    let mut table = [0; 256];
    let mut at = 0;
    while at < table.len() {
        let word = (SM4_SUBSTITUTES[at] as u32) << 24;
        table[at] =
            word ^ word.rotate_left(2) ^ word.rotate_left(10) ^ word.rotate_left(18) ^ word.rotate_left(24);
        at += 1;
    }
    table
}

pub(super) fn encrypt(cipher: &Sm4Cipher, plain: &[u8], out: &mut impl BufMut) {
    let mut before = match cipher.mode {
        Sm4Mode::Cbc(vector) => vector,
        Sm4Mode::Ecb => [0; SIZE],
    };
    block::each::<128>(plain, |chunk| {
        let blocks = chunk.as_chunks_mut().0;
        if cipher.mode == Sm4Mode::Ecb {
            all(blocks, &cipher.rounds);
        } else {
            for block in blocks {
                mix(block, &before);
                some::<1>(std::array::from_mut(block), &cipher.rounds);
                before = *block;
            }
        }
        hex::put(chunk, out);
    });
}

pub(super) fn decrypt(cipher: &Sm4Cipher, stored: &[u8], out: &mut BytesMut) -> Result<(), Undecryptable> {
    let start = out.len();
    hex::read(stored, out)?;
    let (blocks, []) = out[start..].as_chunks_mut::<SIZE>() else { return Err(Undecryptable) };
    let mut rounds = cipher.rounds;
    rounds.reverse();
    match cipher.mode {
        Sm4Mode::Cbc(vector) => {
            let mut before = vector;
            for blocks in blocks.chunks_mut(ABREAST) {
                let mut own = [[0; SIZE]; ABREAST];
                let own = &mut own[..blocks.len()];
                own.copy_from_slice(blocks);
                all(blocks, &rounds);
                for (block, own) in blocks.iter_mut().zip(own) {
                    mix(block, &before);
                    before = *own;
                }
            }
        }
        Sm4Mode::Ecb => all(blocks, &rounds),
    }
    block::unpad(out, start)
}

fn all(blocks: &mut [Block], rounds: &[u32; 32]) {
    let (groups, rest) = blocks.as_chunks_mut::<ABREAST>();
    groups.iter_mut().for_each(|group| some(group, rounds));
    for block in rest {
        some::<1>(std::array::from_mut(block), rounds);
    }
}

/// Encrypts; with the rounds in reverse it decrypts.
#[inline]
fn some<const N: usize>(blocks: &mut [Block; N], rounds: &[u32; 32]) {
    let mut words = [[0_u32; N]; 4];
    for (at, block) in blocks.iter().enumerate() {
        for (word, bytes) in words.iter_mut().zip(block.as_chunks::<4>().0) {
            word[at] = u32::from_be_bytes(*bytes);
        }
    }
    let [mut a, mut b, mut c, mut d] = words;
    for [one, two, three, four] in rounds.as_chunks::<4>().0 {
        round(&mut a, &b, &c, &d, *one);
        round(&mut b, &c, &d, &a, *two);
        round(&mut c, &d, &a, &b, *three);
        round(&mut d, &a, &b, &c, *four);
    }
    for (at, block) in blocks.iter_mut().enumerate() {
        for (bytes, word) in block.as_chunks_mut::<4>().0.iter_mut().zip([&d, &c, &b, &a]) {
            *bytes = word[at].to_be_bytes();
        }
    }
}

#[inline(always)]
fn round<const N: usize>(a: &mut [u32; N], b: &[u32; N], c: &[u32; N], d: &[u32; N], key: u32) {
    for at in 0..N {
        let [first, second, third, fourth] = (b[at] ^ c[at] ^ d[at] ^ key).to_be_bytes().map(usize::from);
        a[at] ^= MIXED[first]
            ^ MIXED[second].rotate_right(8)
            ^ MIXED[third].rotate_right(16)
            ^ MIXED[fourth].rotate_right(24);
    }
}

fn mix(block: &mut Block, with: &Block) {
    for (byte, with) in block.iter_mut().zip(with) {
        *byte ^= with;
    }
}
