//! Bytes in hexadecimal digits: what a literal `X'4F'` holds, and how MySQL writes digests of passwords.

use std::fmt::Write as _;

/// Two digits a byte, in upper case.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut digits, byte| {
        // A string takes whatever is written to it.
        let _ = write!(digits, "{byte:02X}");
        digits
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_has_two_digits() {
        assert_eq!((hex(&[]).as_str(), hex(&[0, 9, 0xaf, 255]).as_str()), ("", "0009AFFF"));
    }
}
