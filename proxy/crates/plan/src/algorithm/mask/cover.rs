//! Masks that put one character in the place of others: `KEEP_*`, `MASK_*`.

use bytes::BytesMut;
use meta::{Cover, Pair};

use super::put;

/// A value shorter than both parts is shown as it is.
pub(super) fn keep_first_last(how: &Cover<Pair>, text: &str, out: &mut BytesMut) {
    let Pair { left, right } = how.which;
    let end = text.chars().count().saturating_sub(right);
    each(text, how.with, |at| at >= left && at < end, out);
}

pub(super) fn keep_from_to(how: &Cover<Pair>, text: &str, out: &mut BytesMut) {
    let Pair { left, right } = how.which;
    each(text, how.with, |at| at < left || at > right, out);
}

pub(super) fn mask_first_last(how: &Cover<Pair>, text: &str, out: &mut BytesMut) {
    let Pair { left, right } = how.which;
    let end = text.chars().count().saturating_sub(right);
    each(text, how.with, |at| at < left || at >= end, out);
}

pub(super) fn mask_from_to(how: &Cover<Pair>, text: &str, out: &mut BytesMut) {
    let Pair { left, right } = how.which;
    each(text, how.with, |at| at >= left && at <= right, out);
}

/// A value without the characters is shown as it is.
pub(super) fn before(how: &Cover<String>, text: &str, out: &mut BytesMut) {
    let end = text.find(how.which.as_str()).unwrap_or_default();
    each(&text[..end], how.with, |_| true, out);
    out.extend_from_slice(&text.as_bytes()[end..]);
}

/// A value without the characters is shown as it is.
pub(super) fn after(how: &Cover<String>, text: &str, out: &mut BytesMut) {
    let start = text.find(how.which.as_str()).map_or(text.len(), |at| at + how.which.len());
    out.extend_from_slice(&text.as_bytes()[..start]);
    each(&text[start..], how.with, |_| true, out);
}

fn each(text: &str, with: char, hidden: impl Fn(usize) -> bool, out: &mut BytesMut) {
    for (at, char) in text.chars().enumerate() {
        put(if hidden(at) { with } else { char }, out);
    }
}

#[cfg(test)]
mod tests {
    use meta::{AlgorithmSpec, Mask};

    use super::*;

    fn masked(kind: &str, properties: [(&str, &str); 2], value: &str) -> String {
        let mask = Mask::parse(&AlgorithmSpec {
            kind: kind.to_owned(),
            properties: properties
                .into_iter()
                .chain([("replace-char", "*")])
                .filter(|(name, _)| !name.is_empty())
                .map(|(k, v)| (k.to_owned(), v.to_owned()))
                .collect(),
        })
        .unwrap();
        let mut out = BytesMut::from("<");
        super::super::mask(&mask, value.as_bytes(), &mut out);
        String::from_utf8(out[1..].to_vec()).unwrap()
    }

    #[test]
    fn first_and_last_are_kept_or_hidden() {
        for (first, last, value, kept, hidden) in [
            ("3", "4", "13800001111", "138****1111", "***0000****"),
            ("1", "1", "测试文本", "测**本", "*试文*"),
            // As many as there are, and fewer.
            ("2", "2", "abcd", "abcd", "****"),
            ("2", "2", "abc", "abc", "***"),
            ("0", "1", "abc", "**c", "ab*"),
            ("5", "0", "", "", ""),
        ] {
            let properties = [("first-n", first), ("last-m", last)];
            assert_eq!(masked("KEEP_FIRST_N_LAST_M", properties, value), kept, "{first} {last} {value}");
            assert_eq!(masked("MASK_FIRST_N_LAST_M", properties, value), hidden, "{first} {last} {value}");
        }
    }

    #[test]
    fn a_stretch_is_kept_or_hidden_with_both_its_ends() {
        for (from, to, value, kept, hidden) in [
            ("1", "2", "abcde", "*bc**", "a**de"),
            ("3", "9", "abcde", "***de", "abc**"),
            ("5", "9", "abcde", "*****", "abcde"),
            ("0", "0", "测试", "测*", "*试"),
            ("1", "2", "", "", ""),
        ] {
            let properties = [("from-x", from), ("to-y", to)];
            assert_eq!(masked("KEEP_FROM_X_TO_Y", properties, value), kept, "{from} {to} {value}");
            assert_eq!(masked("MASK_FROM_X_TO_Y", properties, value), hidden, "{from} {to} {value}");
        }
    }

    #[test]
    fn what_stands_before_or_after_special_characters_is_hidden() {
        for (special, value, before, after) in [
            ("@", "测b@c@d", "**@c@d", "测b@***"),
            ("d1", "abcd134", "***d134", "abcd1**"),
            ("@", "abc", "abc", "abc"),
            ("@", "@", "@", "@"),
        ] {
            let properties = [("special-chars", special), ("", "")];
            assert_eq!(masked("MASK_BEFORE_SPECIAL_CHARS", properties, value), before, "{value}");
            assert_eq!(masked("MASK_AFTER_SPECIAL_CHARS", properties, value), after, "{value}");
        }
    }

    #[test]
    fn md5_masks_by_the_digest() {
        let mut out = BytesMut::new();
        super::super::mask(&Mask::Md5(String::new()), b"13800001111", &mut out);
        assert_eq!(&out[..], b"596348fb29f87debf950ef0af1755126");
    }
}
