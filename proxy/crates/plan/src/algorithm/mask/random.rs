//! Masks that put random characters in the place of others: `*_RANDOM_REPLACE`.

use bytes::BytesMut;
use meta::RandomReplace;

use super::put;

/// Each character becomes one of its kind.
pub(super) fn replace(codes: &RandomReplace, text: &str, out: &mut BytesMut) {
    for char in text.chars() {
        let list = match char {
            'A'..='Z' => &codes.upper,
            'a'..='z' => &codes.lower,
            '0'..='9' => &codes.digits,
            _ => &codes.special,
        };
        put(fastrand::choice(list).copied().unwrap_or('*'), out);
    }
}

/// Behind a known beginning come random digits; a value without one is shown as it is.
pub(super) fn number(beginnings: &[String], text: &str, out: &mut BytesMut) {
    let known = beginnings.iter().find(|beginning| text.starts_with(beginning.as_str()));
    let kept = known.map_or(text.len(), String::len);
    out.extend_from_slice(&text.as_bytes()[..kept]);
    for _ in text[kept..].chars() {
        put(fastrand::digit(10), out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_become_others_of_their_kind() {
        let codes =
            RandomReplace { upper: vec!['X'], lower: vec!['x', 'y'], digits: vec!['7'], special: vec!['#'] };
        let mut out = BytesMut::new();
        replace(&codes, "Ab1测", &mut out);
        assert!(matches!(&out[..], b"Xx7#" | b"Xy7#"), "{out:?}");
    }

    #[test]
    fn numbers_keep_their_beginning_and_length() {
        let beginnings = ["1380".to_owned(), "138".to_owned()];
        for (number_, kept) in [("13800001111", "1380"), ("13811112222", "138"), ("138", "138")] {
            let mut out = BytesMut::new();
            number(&beginnings, number_, &mut out);
            assert!(out.starts_with(kept.as_bytes()) && out.len() == number_.len(), "{out:?}");
            assert!(out.iter().all(u8::is_ascii_digit), "{out:?}");
        }
        let mut out = BytesMut::new();
        number(&beginnings, "150", &mut out);
        assert_eq!(&out[..], b"150");
    }
}
