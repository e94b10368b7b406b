//! Bytes as each form of record can hold them: what needs nothing is copied in stretches, nothing is lost.

/// What a form must escape, by byte.
type Marked = [bool; 256];

const fn marked(bytes: &[u8], controls: bool) -> Marked {
    let mut marked = [false; 256];
    let mut at = 0;
    while at < bytes.len() {
        marked[bytes[at] as usize] = true;
        at += 1;
    }
    at = 0;
    while controls && at < 0x20 {
        marked[at] = true;
        at += 1;
    }
    marked
}

/// Copies stretches without marked bytes, and writes those through `escape`.
#[inline]
fn copy(out: &mut Vec<u8>, bytes: &[u8], marked: &Marked, mut escape: impl FnMut(&mut Vec<u8>, u8)) {
    let mut from = 0;
    for (at, byte) in bytes.iter().enumerate() {
        if marked[usize::from(*byte)] {
            out.extend_from_slice(&bytes[from..at]);
            escape(out, *byte);
            from = at + 1;
        }
    }
    out.extend_from_slice(&bytes[from..]);
}

const JSON: Marked = marked(b"\"\\\x7f", true);

/// What stands between the quotes of a JSON string. `false` when the bytes are no UTF-8: then each of them is the character
/// of its number.
pub(super) fn json(out: &mut Vec<u8>, bytes: &[u8]) -> bool {
    let is_text = std::str::from_utf8(bytes).is_ok();
    if is_text {
        copy(out, bytes, &JSON, json_byte);
    } else {
        bytes.iter().for_each(|byte| match byte {
            0x80.. => unicode(out, *byte),
            _ if JSON[usize::from(*byte)] => json_byte(out, *byte),
            _ => out.push(*byte),
        });
    }
    is_text
}

fn json_byte(out: &mut Vec<u8>, byte: u8) {
    match byte {
        b'"' => out.extend_from_slice(b"\\\""),
        b'\\' => out.extend_from_slice(b"\\\\"),
        b'\n' => out.extend_from_slice(b"\\n"),
        b'\r' => out.extend_from_slice(b"\\r"),
        b'\t' => out.extend_from_slice(b"\\t"),
        _ => unicode(out, byte),
    }
}

fn unicode(out: &mut Vec<u8>, byte: u8) {
    out.extend_from_slice(b"\\u00");
    hex(out, &[byte]);
}

const CSV: Marked = marked(b"\"", false);

/// What stands between the quotes of a CSV field (RFC 4180): any byte but a quote is itself.
pub(super) fn csv(out: &mut Vec<u8>, bytes: &[u8]) {
    copy(out, bytes, &CSV, |out, _| out.extend_from_slice(b"\"\""));
}

const XML: Marked = marked(b"&<>\"\t\n\r", false);

/// Character data of XML, also within double quotes. `false` when it cannot hold them, which is so of control characters and
/// of what is no UTF-8: then they are hexadecimal digits.
pub(super) fn xml(out: &mut Vec<u8>, bytes: &[u8]) -> bool {
    let is_text = is_xml(bytes);
    if is_text {
        copy(out, bytes, &XML, |out, byte| {
            out.extend_from_slice(match byte {
                b'&' => b"&amp;",
                b'<' => b"&lt;",
                b'>' => b"&gt;",
                b'"' => b"&quot;",
                // Readers make one blank of those within an attribute, and a line's end of any return.
                b'\t' => b"&#9;",
                b'\n' => b"&#10;",
                _ => b"&#13;",
            });
        });
    } else {
        hex(out, bytes);
    }
    is_text
}

/// Whether these are characters of XML 1.0.
pub(super) fn is_xml(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    let control = |byte: &u8| *byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r');
    // `U+FFFE` and `U+FFFF`, which are no characters, begin with this byte.
    !bytes.iter().any(control) && (!bytes.contains(&0xef) || !text.contains(['\u{fffe}', '\u{ffff}']))
}

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// Two digits for each byte.
pub(super) fn hex(out: &mut Vec<u8>, bytes: &[u8]) {
    for byte in bytes {
        let (high, low) = (usize::from(byte >> 4), usize::from(byte & 15));
        out.extend_from_slice(&[DIGITS[high], DIGITS[low]]);
    }
}
