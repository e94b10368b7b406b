//! The client's text as characters.

use std::borrow::Cow;

/// Stands for each byte that is no part of a character: in no keyword, name or number, and of the same length.
const UNREADABLE: char = '\u{1a}';

/// The text with the same places; bytes that are not UTF-8 (binary data in strings, or another character set) are
/// blotted out. What is sent to a server is cut from the client's own bytes.
pub(crate) fn readable(bytes: &[u8]) -> Cow<'_, str> {
    let mut chunks = bytes.utf8_chunks();
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => {
            let mut text = String::with_capacity(bytes.len());
            for chunk in &mut chunks {
                text.push_str(chunk.valid());
                text.extend(chunk.invalid().iter().map(|_| UNREADABLE));
            }
            Cow::Owned(text)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::readable;

    #[test]
    fn keeps_every_place() {
        let text = readable(b"INSERT INTO t VALUES ('\xff\x00\xc3', 'caf\xc3\xa9')");
        assert_eq!(text.len(), 37);
        assert_eq!(&text[..], "INSERT INTO t VALUES ('\u{1a}\0\u{1a}', 'café')");
        assert!(matches!(readable(b"SELECT 1"), std::borrow::Cow::Borrowed("SELECT 1")));
    }
}
