//! Hexadecimal digits.

use bytes::{BufMut, BytesMut};

use super::Undecryptable;

const DIGITS: [u8; 16] = *b"0123456789abcdef";

/// Bytes that are written in one go.
const CHUNK: usize = 32;

/// What a digit stands for; more than 15 for all that is none.
static VALUES: [u8; 256] = values();

const fn values() -> [u8; 256] {
    let mut table = [0xFF; 256];
    let mut at = 0;
    while at < DIGITS.len() {
        table[DIGITS[at] as usize] = at as u8;
        table[DIGITS[at].to_ascii_uppercase() as usize] = at as u8;
        at += 1;
    }
    table
}

/// Appends two lower-case digits for each byte.
pub(super) fn put(bytes: &[u8], out: &mut impl BufMut) {
    for part in bytes.chunks(CHUNK) {
        let mut text = [[0; 2]; CHUNK];
        for (pair, byte) in text.iter_mut().zip(part) {
            // Halves of a byte are below 16.
            *pair = [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]];
        }
        out.put_slice(text[..part.len()].as_flattened());
    }
}

/// Appends the bytes that digits of either letter case stand for.
pub(super) fn read(text: &[u8], out: &mut BytesMut) -> Result<(), Undecryptable> {
    let (pairs, []) = text.as_chunks::<2>() else { return Err(Undecryptable) };
    let start = out.len();
    out.resize(start + pairs.len(), 0);
    let mut seen = 0;
    for (byte, [high, low]) in out[start..].iter_mut().zip(pairs) {
        let (high, low) = (VALUES[usize::from(*high)], VALUES[usize::from(*low)]);
        seen |= high | low;
        *byte = high << 4 | low;
    }
    if seen > 15 { Err(Undecryptable) } else { Ok(()) }
}
