//! Hexadecimal digits.

use bytes::{BufMut, BytesMut};

use super::Undecryptable;

const DIGITS: [u8; 16] = *b"0123456789abcdef";

/// Appends two lower-case digits for each byte.
pub(super) fn put(bytes: &[u8], out: &mut impl BufMut) {
    for byte in bytes {
        // Halves of a byte are below 16.
        out.put_slice(&[DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
    }
}

/// Appends the bytes that digits of either letter case stand for.
pub(super) fn read(text: &[u8], out: &mut BytesMut) -> Result<(), Undecryptable> {
    let (pairs, []) = text.as_chunks::<2>() else { return Err(Undecryptable) };
    out.reserve(pairs.len());
    for [high, low] in pairs {
        out.put_u8(digit(*high)? << 4 | digit(*low)?);
    }
    Ok(())
}

fn digit(byte: u8) -> Result<u8, Undecryptable> {
    match byte {
        b'0'..=b'9' => Ok(byte - b'0'),
        b'a'..=b'f' => Ok(byte - b'a' + 10),
        b'A'..=b'F' => Ok(byte - b'A' + 10),
        _ => Err(Undecryptable),
    }
}
