//! Values cut into blocks of 16 bytes, the last one filled up as PKCS #7 says.

use bytes::BytesMut;

use super::Undecryptable;

/// Bytes of a block.
pub(super) const SIZE: usize = 16;

/// Hands a value out in stretches of whole blocks, each in the same `buffer`; the last is filled up.
pub(super) fn each<const N: usize>(plain: &[u8], mut with: impl FnMut(&mut [u8])) {
    let mut buffer = [0; N];
    let (whole, rest) = plain.as_chunks::<N>();
    for chunk in whole {
        buffer = *chunk;
        with(&mut buffer);
    }
    buffer[..rest.len()].copy_from_slice(rest);
    // The rest is shorter than the buffer, which holds whole blocks.
    let padding = SIZE - rest.len() % SIZE;
    let end = rest.len() + padding;
    buffer[rest.len()..end].fill(padding as u8);
    with(&mut buffer[..end]);
}

/// Takes off what a value that begins at `start` was filled up with.
pub(super) fn unpad(out: &mut BytesMut, start: usize) -> Result<(), Undecryptable> {
    let value = out.get(start..).unwrap_or_default();
    let padding = usize::from(*value.last().ok_or(Undecryptable)?);
    let len = value.len().checked_sub(padding).ok_or(Undecryptable)?;
    if !(1..=SIZE).contains(&padding) || value[len..].iter().any(|byte| usize::from(*byte) != padding) {
        return Err(Undecryptable);
    }
    out.truncate(start + len);
    Ok(())
}
