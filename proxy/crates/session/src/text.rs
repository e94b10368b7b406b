//! The client's text as characters.

use std::borrow::Cow;

/// Stands for each byte that is no part of a character: in no keyword, name or number, and of the same length.
const UNREADABLE: char = '\u{1a}';

/// How a client's bytes are to be cut into characters: where a character has two, the second may look like a quote or a
/// backslash.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) enum Encoding {
    Big5,
    /// Also GB 18030, whose characters of four bytes are two such pairs.
    Gbk,
    /// Bytes below 128 are themselves wherever they stand.
    #[default]
    Plain,
    Sjis,
}

impl Encoding {
    /// That of a MySQL character set.
    pub(crate) fn of(charset: &str) -> Self {
        match charset.to_ascii_lowercase().as_str() {
            "big5" => Self::Big5,
            "gb18030" | "gbk" => Self::Gbk,
            "cp932" | "sjis" => Self::Sjis,
            _ => Self::Plain,
        }
    }

    /// Whether a byte begins a character of two.
    const fn leads(self, byte: u8) -> bool {
        match self {
            Self::Big5 => matches!(byte, 0xa1..=0xf9),
            Self::Gbk => matches!(byte, 0x81..=0xfe),
            Self::Plain => false,
            Self::Sjis => matches!(byte, 0x81..=0x9f | 0xe0..=0xfc),
        }
    }
}

/// The text with the same places; bytes that are not UTF-8 (binary data in strings, or another character set) are
/// blotted out. What is sent to a server is cut from the client's own bytes.
pub(crate) fn readable(bytes: &[u8], encoding: Encoding) -> Cow<'_, str> {
    if encoding != Encoding::Plain && !bytes.is_ascii() {
        Cow::Owned(pairs(bytes, encoding))
    } else {
        plain(bytes)
    }
}

fn pairs(bytes: &[u8], encoding: Encoding) -> String {
    let mut text = String::with_capacity(bytes.len());
    let mut rest = bytes.iter();
    while let Some(byte) = rest.next() {
        if byte.is_ascii() {
            text.push(char::from(*byte));
            continue;
        }
        text.push(UNREADABLE);
        if encoding.leads(*byte) && rest.next().is_some() {
            text.push(UNREADABLE);
        }
    }
    text
}

fn plain(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => {
            let mut text = String::with_capacity(bytes.len());
            for chunk in bytes.utf8_chunks() {
                text.push_str(chunk.valid());
                text.extend(chunk.invalid().iter().map(|_| UNREADABLE));
            }
            Cow::Owned(text)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Encoding, readable};

    #[test]
    fn keeps_every_place() {
        let text = readable(b"INSERT INTO t VALUES ('\xff\x00\xc3', 'caf\xc3\xa9')", Encoding::Plain);
        assert_eq!(text.len(), 37);
        assert_eq!(&text[..], "INSERT INTO t VALUES ('\u{1a}\0\u{1a}', 'café')");
        assert!(matches!(readable(b"SELECT 1", Encoding::Plain), std::borrow::Cow::Borrowed("SELECT 1")));
    }

    #[test]
    fn second_bytes_are_no_quotes_and_no_backslashes() {
        for charset in ["gbk", "GB18030", "big5", "sjis", "cp932"] {
            let text = readable(b"SELECT '\xbf\x5c', '\xe0'', 'b'", Encoding::of(charset));
            let expected = match charset {
                // A half-width katakana is a character of its own in these two.
                "sjis" | "cp932" => "SELECT '\u{1a}\\', '\u{1a}\u{1a}', 'b'",
                _ => "SELECT '\u{1a}\u{1a}', '\u{1a}\u{1a}', 'b'",
            };
            assert_eq!(text, expected, "{charset}");
        }
        assert_eq!(Encoding::of("latin1"), Encoding::Plain);
    }
}
