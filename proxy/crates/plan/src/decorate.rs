//! What becomes of a result on its way to the client: columns decrypted, columns masked.
//!
//! The server's bytes stay as they are until here: comparisons, groups and orders are over what is stored.

use std::sync::Arc;

use bytes::BytesMut;
use meta::{Cipher, Mask};

use crate::algorithm::{cipher, mask};

/// What becomes of one column of the client's result.
#[derive(Clone, Debug, PartialEq)]
pub struct Decoration {
    /// Its number in the client's result, from 0.
    pub column: u16,
    /// Decrypted by this, first.
    pub decrypt: Option<Arc<Cipher>>,
    /// Masked by this, then.
    pub mask: Option<Arc<Mask>>,
    /// The logical table, for errors.
    pub table: Box<str>,
    /// The logical column, for errors and as the column's own name in its definition.
    pub name: Box<str>,
}

/// A value that is not what its cipher makes of any.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("Failed to decrypt the ciphertext '{ciphertext}' in the column '{column}' of table '{table}'.")]
pub struct Undecryptable {
    /// What is stored, its beginning.
    pub ciphertext: String,
    /// Logical column.
    pub column: String,
    /// Logical table.
    pub table: String,
}

/// So many characters of what is stored are told.
const TOLD: usize = 64;

impl Undecryptable {
    /// The specification's number (`sql-support.md` §10).
    pub const CODE: u16 = 21_030;
    /// SQLSTATE.
    pub const STATE: &'static str = "22000";
}

impl Decoration {
    /// Appends what the client sees of a value as text that is not `NULL`. On an error `out` is as before.
    pub fn apply(&self, cell: &[u8], out: &mut BytesMut) -> Result<(), Undecryptable> {
        match (&self.decrypt, &self.mask) {
            (Some(how), None) => cipher::decrypt(how, cell, out).map_err(|_| self.undecryptable(cell))?,
            (Some(how), Some(mask)) => {
                let mut plain = BytesMut::new();
                cipher::decrypt(how, cell, &mut plain).map_err(|_| self.undecryptable(cell))?;
                mask::mask(mask, &plain, out);
            }
            (None, Some(mask)) => mask::mask(mask, cell, out),
            (None, None) => out.extend_from_slice(cell),
        }
        Ok(())
    }

    #[cold]
    fn undecryptable(&self, cell: &[u8]) -> Undecryptable {
        let text = String::from_utf8_lossy(cell);
        let ciphertext = match text.char_indices().nth(TOLD) {
            Some((end, _)) => format!("{}...", &text[..end]),
            None => text.into_owned(),
        };
        Undecryptable { ciphertext, column: (*self.name).into(), table: (*self.table).into() }
    }
}

#[cfg(test)]
mod tests {
    use meta::AlgorithmSpec;

    use super::*;

    fn spec(kind: &str, properties: &[(&str, &str)]) -> AlgorithmSpec {
        AlgorithmSpec {
            kind: kind.to_owned(),
            properties: properties.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect(),
        }
    }

    fn decoration(decrypt: bool, masked: bool) -> Decoration {
        let cipher = Cipher::parse(&spec("AES", &[("aes-key-value", "123456abc")])).unwrap();
        let keep = [("first-n", "3"), ("last-m", "4"), ("replace-char", "*")];
        let mask = Mask::parse(&spec("KEEP_FIRST_N_LAST_M", &keep)).unwrap();
        Decoration {
            column: 1,
            decrypt: decrypt.then(|| Arc::new(cipher)),
            mask: masked.then(|| Arc::new(mask)),
            table: "t_user".into(),
            name: "phone".into(),
        }
    }

    #[test]
    fn a_value_is_decrypted_and_then_masked() {
        for (decrypt, masked, cell, shown) in [
            (true, false, "sFlUS8NkKpiSI2iT5H6MdQ==", "13800001111"),
            (true, true, "sFlUS8NkKpiSI2iT5H6MdQ==", "138****1111"),
            (false, true, "13800001111", "138****1111"),
        ] {
            let mut out = BytesMut::from("before");
            decoration(decrypt, masked).apply(cell.as_bytes(), &mut out).unwrap();
            assert_eq!(&out[..], format!("before{shown}").as_bytes());
        }
    }

    #[test]
    fn what_cannot_be_decrypted_is_told_with_its_place_and_leaves_nothing_behind() {
        let mut out = BytesMut::from("before");
        let error = decoration(true, true).apply(b"13800001111", &mut out).unwrap_err();
        assert_eq!(
            error.to_string(),
            "Failed to decrypt the ciphertext '13800001111' in the column 'phone' of table 't_user'."
        );
        assert_eq!(&out[..], b"before");
        let long = decoration(true, false).apply("é".repeat(500).as_bytes(), &mut out).unwrap_err();
        assert_eq!(long.ciphertext, format!("{}...", "é".repeat(64)));
    }
}
