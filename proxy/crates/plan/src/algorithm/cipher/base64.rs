//! Base64 as Java writes it: standard alphabet, padding, no line breaks.

use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use base64::{Engine as _, decoded_len_estimate};
use bytes::{BufMut, BytesMut};

use super::Undecryptable;

/// Padding may be missing where it is read.
const ENGINE: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Bytes that are encoded in one go: three blocks of 16 bytes are 16 groups of three.
pub(super) const CHUNK: usize = 192;

/// Appends up to [`CHUNK`] bytes; as many, unless it is the end.
pub(super) fn put(bytes: &[u8], out: &mut impl BufMut) {
    let mut text = [0; CHUNK / 3 * 4];
    // The text of a chunk is never longer.
    let len = ENGINE.encode_slice(bytes, &mut text).unwrap_or_default();
    out.put_slice(&text[..len]);
}

/// Appends the bytes that a text stands for; blanks around it do not count.
pub(super) fn read(text: &[u8], out: &mut BytesMut) -> Result<(), Undecryptable> {
    let text = text.trim_ascii();
    let start = out.len();
    out.resize(start + decoded_len_estimate(text.len()), 0);
    let len = ENGINE.decode_slice(text, &mut out[start..]).map_err(|_| Undecryptable)?;
    out.truncate(start + len);
    Ok(())
}
