//! `CHAR_DIGEST_LIKE`: each character becomes another that several share, so that `LIKE` narrows the rows down without
//! telling what they hold. Characters are UTF-16 units, as in Java.
//!
//! Gap: upstream comes with a list of 3,726 common Chinese characters that count by their place in it. That file is
//! not ours to copy, so that without a property `dict` the list is empty and these characters are digested like all
//! others above 255. Digests that upstream has stored of them are not found; those of other characters are the same.
//!
//! Two UTF-16 units (an emoji, say) become two characters, of which `_` in a pattern stands for one.

use bytes::BufMut;
use meta::CharDigestLike;

/// Characters up to here are digested within themselves.
const NARROW: u16 = 255;

/// The digest of a value.
pub(super) fn digest(how: &CharDigestLike, plain: &[u8], out: &mut impl BufMut) {
    let text = String::from_utf8_lossy(plain);
    put(text.encode_utf16().map(|unit| one(how, unit)), out);
}

/// The digest of a pattern: `%` and `_` stay what they are, and what is escaped is not one of them. Where nothing
/// escapes, a digest that happens to be a wildcard finds more than it should.
pub(super) fn pattern(how: &CharDigestLike, pattern: &[u8], escape: Option<u8>, out: &mut impl BufMut) {
    let text = String::from_utf8_lossy(pattern);
    let escape = escape.map(u16::from);
    let mut units = Vec::with_capacity(text.len());
    let mut rest = text.encode_utf16();
    while let Some(unit) = rest.next() {
        let literal = match unit {
            PERCENT | UNDERLINE => {
                units.push(unit);
                continue;
            }
            _ if Some(unit) == escape => rest.next().unwrap_or(unit),
            _ => unit,
        };
        let digest = one(how, literal);
        if let Some(escape) = escape.filter(|escape| [*escape, PERCENT, UNDERLINE].contains(&digest)) {
            units.push(escape);
        }
        units.push(digest);
    }
    put(units, out);
}

const PERCENT: u16 = b'%' as u16;
const UNDERLINE: u16 = b'_' as u16;

fn one(how: &CharDigestLike, unit: u16) -> u16 {
    if unit == PERCENT {
        return unit;
    }
    let (delta, mask) = (how.delta, how.mask);
    let masked = |number: u32| number.wrapping_add(delta) & mask;
    let place = || how.dictionary.binary_search_by_key(&unit, |(known, _)| *known);
    let digest = if unit <= NARROW {
        masked(u32::from(unit))
    } else {
        let number = place().map_or_else(|_| u32::from(unit), |at| how.dictionary[at].1);
        masked(number).wrapping_add(how.start)
    };
    // Java keeps the lower half.
    let digest = digest as u16;
    if digest == PERCENT { unit } else { digest }
}

/// Writes UTF-16 units; half a character is `?`, as Java writes it.
fn put(units: impl IntoIterator<Item = u16>, out: &mut impl BufMut) {
    for char in char::decode_utf16(units) {
        out.put_slice(char.unwrap_or('?').encode_utf8(&mut [0; 4]).as_bytes());
    }
}
