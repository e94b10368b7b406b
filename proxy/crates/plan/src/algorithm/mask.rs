//! What the client sees of a masked value (`distsql.md` §8). Characters are counted, not bytes; what is no text is read
//! with its broken characters replaced.

mod cover;
mod random;

use bytes::BytesMut;
use meta::Mask;

use super::cipher;

/// Appends the masked value.
pub(crate) fn mask(mask: &Mask, value: &[u8], out: &mut BytesMut) {
    if let Mask::Md5(salt) = mask {
        return cipher::md5(salt, value, out);
    }
    let text = String::from_utf8_lossy(value);
    match mask {
        Mask::AfterSpecialChars(how) => cover::after(how, &text, out),
        Mask::BeforeSpecialChars(how) => cover::before(how, &text, out),
        Mask::KeepFirstLast(how) => cover::keep_first_last(how, &text, out),
        Mask::KeepFromTo(how) => cover::keep_from_to(how, &text, out),
        Mask::MaskFirstLast(how) => cover::mask_first_last(how, &text, out),
        Mask::MaskFromTo(how) => cover::mask_from_to(how, &text, out),
        Mask::Md5(_) => {}
        Mask::Number(beginnings) => random::number(beginnings, &text, out),
        Mask::RandomReplace(codes) => random::replace(codes, &text, out),
    }
}

fn put(char: char, out: &mut BytesMut) {
    out.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
}
