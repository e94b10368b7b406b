//! Texts within one line of a log, such that nothing of them is lost and no line can be forged.

use observe::Value;

/// Appends bytes to a line: `\\`, `\n`, `\r`, `\t`, `\0` as MySQL writes them, other control characters, and bytes that
/// are no UTF-8, as `\xHH`. What is left is UTF-8, and every backslash begins one of these.
pub fn put_line(out: &mut Vec<u8>, bytes: &[u8]) {
    if is_plain(bytes) {
        out.extend_from_slice(bytes);
        return;
    }
    for chunk in bytes.utf8_chunks() {
        put_valid(out, chunk.valid().as_bytes(), None);
        chunk.invalid().iter().for_each(|byte| put_hex(out, *byte));
    }
}

/// The same between quotes, those within written `\'`.
pub fn put_quoted(out: &mut Vec<u8>, bytes: &[u8]) {
    out.push(b'\'');
    for chunk in bytes.utf8_chunks() {
        put_valid(out, chunk.valid().as_bytes(), Some(b'\''));
        chunk.invalid().iter().for_each(|byte| put_hex(out, *byte));
    }
    out.push(b'\'');
}

/// Appends that so many bytes more came behind what was written: `\+123`.
pub fn put_cut(out: &mut Vec<u8>, missing: u64) {
    out.extend_from_slice(b"\\+");
    put_number(out, missing);
}

/// Appends a parameter of a prepared statement as a literal: `1`, `'text'`, `0x00FF`, `NULL`; `***` for one that is not
/// told.
pub fn put_value(out: &mut Vec<u8>, value: Value<'_>) {
    match value {
        Value::Null => out.extend_from_slice(b"NULL"),
        Value::Signed(number) => out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes()),
        Value::Unsigned(number) => put_number(out, number),
        Value::Float(number) => out.extend_from_slice(format!("{number:?}").as_bytes()),
        Value::Number(digits) => put_line(out, digits),
        Value::Text(text) => put_quoted(out, text),
        Value::Bytes(bytes) => {
            out.extend_from_slice(b"0x");
            bytes.iter().for_each(|byte| put_digits(out, *byte));
        }
        Value::Cut { start, length } => {
            put_quoted(out, start);
            // Inside of the quotes, where a text would have it.
            out.pop();
            put_cut(out, length.saturating_sub(start.len() as u64));
            out.push(b'\'');
        }
        Value::Hidden => out.extend_from_slice(b"***"),
    }
}

/// Appends a number in digits.
pub fn put_number(out: &mut Vec<u8>, number: u64) {
    out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}

/// Whether every byte is an ASCII character that stands for itself. Told for sixteen at a time, by what compiles to a few
/// vector instructions.
fn is_plain(bytes: &[u8]) -> bool {
    let plain = |byte: u8| (b' '..0x7f).contains(&byte) & (byte != b'\\');
    let (chunks, rest) = bytes.as_chunks::<16>();
    chunks.iter().all(|chunk| chunk.iter().fold(true, |all, byte| all & plain(*byte)))
        && rest.iter().all(|byte| plain(*byte))
}

/// Appends UTF-8.
fn put_valid(out: &mut Vec<u8>, bytes: &[u8], quote: Option<u8>) {
    let mut rest = bytes;
    while let Some(at) =
        rest.iter().position(|byte| *byte < b' ' || matches!(byte, b'\\' | 0x7f) || Some(*byte) == quote)
    {
        out.extend_from_slice(&rest[..at]);
        match rest[at] {
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            0 => out.extend_from_slice(b"\\0"),
            byte @ (b'\\' | b'\'') => out.extend_from_slice(&[b'\\', byte]),
            byte => put_hex(out, byte),
        }
        rest = &rest[at + 1..];
    }
    out.extend_from_slice(rest);
}

fn put_hex(out: &mut Vec<u8>, byte: u8) {
    out.extend_from_slice(b"\\x");
    put_digits(out, byte);
}

/// Two hexadecimal digits.
fn put_digits(out: &mut Vec<u8>, byte: u8) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    out.extend_from_slice(&[DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
}

#[cfg(test)]
mod tests;
