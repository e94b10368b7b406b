//! Values of quoted names and strings.

use crate::Mode;
use std::borrow::Cow;

/// The name in `` `…` `` or `"…"`; a text without quotes is returned as it is.
pub fn name(text: &str) -> Cow<'_, str> {
    match text.as_bytes() {
        [quote @ (b'`' | b'"'), .., last] if quote == last => doubled(&text[1..text.len() - 1], *quote),
        _ => Cow::Borrowed(text),
    }
}

/// The value of `'…'` or `"…"` with MySQL's escapes resolved; a text without quotes is returned as it is.
pub fn string(text: &str, mode: Mode) -> Cow<'_, str> {
    let quote = match text.as_bytes() {
        [quote @ (b'\'' | b'"'), .., last] if quote == last => *quote,
        _ => return Cow::Borrowed(text),
    };
    let inner = &text[1..text.len() - 1];
    if mode.no_backslash_escapes || !inner.contains('\\') {
        return doubled(inner, quote);
    }
    let mut value = String::with_capacity(inner.len());
    let mut chars = inner.chars().peekable();
    while let Some(char) = chars.next() {
        if char == char::from(quote) {
            chars.next_if_eq(&char);
            value.push(char);
            continue;
        }
        if char != '\\' {
            value.push(char);
            continue;
        }
        match chars.next() {
            Some('0') => value.push('\0'),
            Some('b') => value.push('\u{8}'),
            Some('n') => value.push('\n'),
            Some('r') => value.push('\r'),
            Some('t') => value.push('\t'),
            Some('Z') => value.push('\u{1a}'),
            // Kept as two characters, for patterns of LIKE.
            Some(wild @ ('%' | '_')) => value.extend(['\\', wild]),
            Some(other) => value.push(other),
            None => value.push('\\'),
        }
    }
    Cow::Owned(value)
}

/// Halves doubled quotes.
fn doubled(inner: &str, quote: u8) -> Cow<'_, str> {
    if memchr::memchr(quote, inner.as_bytes()).is_none() {
        return Cow::Borrowed(inner);
    }
    let quote = char::from(quote);
    let mut value = String::with_capacity(inner.len());
    let mut chars = inner.chars().peekable();
    while let Some(char) = chars.next() {
        value.push(char);
        if char == quote {
            chars.next_if_eq(&quote);
        }
    }
    Cow::Owned(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_their_quotes() {
        for (text, value) in [("`a`", "a"), ("`a``b`", "a`b"), ("\"a\"\"b\"", "a\"b"), ("a", "a"), ("`", "`")]
        {
            assert_eq!(name(text), value, "{text}");
        }
    }

    #[test]
    fn strings_follow_the_escape_rules_of_the_mode() {
        let plain = Mode::default();
        let raw = Mode { no_backslash_escapes: true, ..plain };
        for (text, escaped, unescaped) in [
            ("'a'", "a", "a"),
            ("'it''s'", "it's", "it's"),
            (r"'a\nb'", "a\nb", r"a\nb"),
            (r"'\0\b\r\t\Z\\'", "\0\u{8}\r\t\u{1a}\\", r"\0\b\r\t\Z\\"),
            (r"'50\%\_'", r"50\%\_", r"50\%\_"),
            (r"'\q\'''", "q''", r"\q\'"),
            (r#""a""b'""#, "a\"b'", "a\"b'"),
        ] {
            assert_eq!(string(text, plain), escaped, "{text}");
            assert_eq!(string(text, raw), unescaped, "{text}");
        }
    }
}
