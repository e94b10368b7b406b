//! The client's text as characters.

use std::borrow::Cow;

use sql::Mode;
use sql::lexer::{TokenKind, tokens};

/// Stands for each byte that is no part of a character: in no keyword, name or number, and of the same length.
const UNREADABLE: char = '\u{1a}';

/// How a client's bytes are to be cut into characters: where a character has several, those behind the first may look like
/// a quote or a backslash.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) enum Encoding {
    Big5,
    EucKr,
    Gb18030,
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
            "cp932" | "sjis" => Self::Sjis,
            "euckr" => Self::EucKr,
            "gb18030" => Self::Gb18030,
            "gbk" => Self::Gbk,
            _ => Self::Plain,
        }
    }

    /// How many bytes the character at the start of `bytes` has, as servers cut it: a first byte is one by itself where
    /// no other byte of a character follows.
    fn length(self, bytes: &[u8]) -> usize {
        let (lead, second) = match bytes {
            [lead, second, ..] => (*lead, *second),
            _ => return 1,
        };
        let leads = match self {
            Self::Big5 => matches!(lead, 0xa1..=0xf9),
            Self::EucKr | Self::Gb18030 | Self::Gbk => matches!(lead, 0x81..=0xfe),
            Self::Plain => false,
            Self::Sjis => matches!(lead, 0x81..=0x9f | 0xe0..=0xfc),
        };
        let follows = match self {
            Self::Big5 => matches!(second, 0x40..=0x7e | 0xa1..=0xfe),
            Self::EucKr => matches!(second, b'A'..=b'Z' | b'a'..=b'z' | 0x81..=0xfe),
            Self::Gb18030 | Self::Gbk => matches!(second, 0x40..=0x7e | 0x80..=0xfe),
            Self::Plain => false,
            Self::Sjis => matches!(second, 0x40..=0x7e | 0x80..=0xfc),
        };
        match bytes {
            _ if leads && follows => 2,
            [_, b'0'..=b'9', 0x81..=0xfe, b'0'..=b'9', ..] if leads && self == Self::Gb18030 => 4,
            _ => 1,
        }
    }
}

/// The text with the same places; bytes that are not UTF-8 (binary data in strings, or another character set) are
/// blotted out. What is sent to a server is cut from the client's own bytes.
///
/// Where a backslash stands before a character of several bytes, servers take it with the first of them in a string, but
/// not in a name. A text that has that in a name is given as one without an end, which nobody takes.
pub(crate) fn readable(bytes: &[u8], encoding: Encoding, mode: Mode) -> Cow<'_, str> {
    if encoding == Encoding::Plain || bytes.is_ascii() {
        return plain(bytes);
    }
    let (text, escaped) = characters(bytes, encoding, !mode.no_backslash_escapes);
    if !escaped.is_empty() && has_in_name(&text, mode, &escaped) {
        return Cow::Borrowed("`");
    }
    Cow::Owned(text)
}

/// The same of a name alone, in which a backslash is one.
pub(crate) fn name(bytes: &[u8], encoding: Encoding) -> Cow<'_, str> {
    if encoding == Encoding::Plain || bytes.is_ascii() {
        return plain(bytes);
    }
    Cow::Owned(characters(bytes, encoding, false).0)
}

/// The text, and where a backslash took the first byte of what would be a longer character.
fn characters(bytes: &[u8], encoding: Encoding, escapes: bool) -> (String, Vec<usize>) {
    let mut text = String::with_capacity(bytes.len());
    let mut escaped = Vec::new();
    let mut at = 0;
    let put = |text: &mut String, byte: u8| {
        text.push(if byte.is_ascii() { char::from(byte) } else { UNREADABLE });
    };
    while let Some(rest) = bytes.get(at..)
        && let [byte, behind @ ..] = rest
    {
        let length = encoding.length(rest);
        if length > 1 {
            text.extend(std::iter::repeat_n(UNREADABLE, length));
            at += length;
            continue;
        }
        put(&mut text, *byte);
        at += 1;
        if escapes
            && *byte == b'\\'
            && let Some(next) = behind.first()
        {
            if encoding.length(behind) > 1 {
                escaped.push(at);
            }
            put(&mut text, *next);
            at += 1;
        }
    }
    (text, escaped)
}

/// Whether one of these places is in a quoted name.
fn has_in_name(text: &str, mode: Mode, places: &[usize]) -> bool {
    // What has no end is refused anyway.
    let Ok(tokens) = tokens(text, mode) else { return false };
    let names = tokens.iter().filter(|token| match token.kind {
        TokenKind::Quoted => true,
        TokenKind::UserVariable => !token.text(text).starts_with("@'"),
        _ => false,
    });
    names.into_iter().any(|name| {
        let first = places.partition_point(|place| *place < name.start as usize);
        places.get(first).is_some_and(|place| *place < name.end as usize)
    })
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
    use sql::Mode;

    use super::{Encoding, name, readable};

    fn read(bytes: &[u8], charset: &str) -> String {
        readable(bytes, Encoding::of(charset), Mode::default()).into_owned()
    }

    #[test]
    fn keeps_every_place() {
        let text = read(b"INSERT INTO t VALUES ('\xff\x00\xc3', 'caf\xc3\xa9')", "utf8mb4");
        assert_eq!(text.len(), 37);
        assert_eq!(text, "INSERT INTO t VALUES ('\u{1a}\0\u{1a}', 'café')");
        let text = readable(b"SELECT 1", Encoding::Plain, Mode::default());
        assert!(matches!(text, std::borrow::Cow::Borrowed("SELECT 1")));
    }

    #[test]
    fn second_bytes_are_no_quotes_and_no_backslashes() {
        for charset in ["gbk", "GB18030", "big5", "sjis", "cp932"] {
            // A quote is a second byte in none of them.
            let text = read(b"SELECT '\xbf\x5c', '\xe0', 'b'", charset);
            let expected = match charset {
                // A half-width katakana is a character of its own in these two.
                "sjis" | "cp932" => "SELECT '\u{1a}\\', '\u{1a}', 'b'",
                _ => "SELECT '\u{1a}\u{1a}', '\u{1a}', 'b'",
            };
            assert_eq!(text, expected, "{charset}");
        }
        assert_eq!(
            read(b"'\x81\x30\x81\x30', '\x81\x30'", "gb18030"),
            "'\u{1a}\u{1a}\u{1a}\u{1a}', '\u{1a}0'"
        );
        assert_eq!(read(b"\xb0A\xb0\\", "euckr"), "\u{1a}\u{1a}\u{1a}\\");
        assert_eq!(Encoding::of("latin1"), Encoding::Plain);
    }

    #[test]
    fn a_backslash_takes_one_byte_in_strings() {
        // As `mysql_real_escape_string` writes the bytes bf 27.
        assert_eq!(read(b"SELECT '\\\xbf\\'', 'b'", "gbk"), "SELECT '\\\u{1a}\\'', 'b'");
        assert_eq!(read(b"SELECT '\\\\\xbf\\'", "gbk"), "SELECT '\\\\\u{1a}\u{1a}'");
        let plain = Mode { no_backslash_escapes: true, ..Mode::default() };
        assert_eq!(readable(b"'\\\xbf\\'", Encoding::Gbk, plain), "'\\\u{1a}\u{1a}'");
        // In a name it takes none: no guess is made.
        assert_eq!(read(b"SELECT `\\\xbf\x5c`", "gbk"), "`");
        assert_eq!(read(b"SELECT /* \\\xbf\x5c */ 1", "gbk"), "SELECT /* \\\u{1a}\\ */ 1");
        assert_eq!(name(b"\\\xbf\x60", Encoding::Gbk), "\\\u{1a}\u{1a}");
    }
}
