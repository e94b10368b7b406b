//! Encryption algorithms' properties, read and checked (`algorithms.md` §3). Keys are derived here, once; how values
//! are encrypted is `plan::algorithm`'s. No key is ever printed: neither by `Debug` nor in an error.

use std::fmt;

use aes::Aes128;
use aes::cipher::KeyInit as _;
use md5::{Digest as _, Md5};
use sm4::Sm4;

use super::Properties;
use crate::error::{AlgorithmKind, Error, Names};
use crate::rule::AlgorithmSpec;

/// An encryption algorithm with its properties. Two are equal when they make the same of every value.
#[derive(Clone, Debug, PartialEq)]
pub enum Cipher {
    /// `AES` (§3.1).
    Aes(Box<AesCipher>),
    /// `CHAR_DIGEST_LIKE` (§3.6).
    CharDigestLike(CharDigestLike),
    /// `MD5` (§3.2).
    Md5(Salted),
    /// `RC4` (§3.3).
    Rc4(Box<Rc4Cipher>),
    /// `SM3` (§3.4).
    Sm3(Salted),
    /// `SM4` (§3.5).
    Sm4(Box<Sm4Cipher>),
}

/// AES-128 in ECB, ready for use.
#[derive(Clone)]
pub struct AesCipher {
    key: [u8; 16],
    /// The expanded key.
    pub schedule: Aes128,
}

/// SM4, ready for use.
#[derive(Clone)]
pub struct Sm4Cipher {
    key: [u8; 16],
    /// The expanded key.
    pub schedule: Sm4,
    /// `sm4-mode`.
    pub mode: Sm4Mode,
}

/// `sm4-mode`.
#[derive(Clone, Copy, Eq, PartialEq)]
pub enum Sm4Mode {
    /// Each block depends on the one before, the first on this vector (`sm4-iv`).
    Cbc([u8; 16]),
    /// Each block for itself.
    Ecb,
}

/// RC4, ready for use.
#[derive(Clone, PartialEq)]
pub struct Rc4Cipher {
    /// The permutation that the key makes, with which every value begins.
    pub state: [u8; 256],
}

/// A digest of the value and what stands behind it (`salt`, `sm3-salt`).
#[derive(Clone, Eq, PartialEq)]
pub struct Salted(pub String);

/// Properties of `CHAR_DIGEST_LIKE`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct CharDigestLike {
    /// `delta`: added to each character.
    pub delta: u32,
    /// `mask`: the bits that are kept.
    pub mask: u32,
    /// `start`: where the digests of characters above 255 begin.
    pub start: u32,
    /// `dict`: characters that count by their place in it, sorted by character.
    pub dictionary: Vec<(u16, u32)>,
}

impl Cipher {
    /// Reads an algorithm's type (letter case ignored) and its properties.
    pub fn parse(spec: &AlgorithmSpec) -> Result<Self, Error> {
        match spec.kind.to_ascii_uppercase().as_str() {
            "AES" => AesCipher::parse(spec).map(|it| Self::Aes(Box::new(it))),
            "CHAR_DIGEST_LIKE" => CharDigestLike::parse(spec).map(Self::CharDigestLike),
            "MD5" => Salted::parse(spec, "salt").map(Self::Md5),
            "RC4" => Rc4Cipher::parse(spec).map(|it| Self::Rc4(Box::new(it))),
            "SM3" => Salted::parse_sm3(spec).map(Self::Sm3),
            "SM4" => Sm4Cipher::parse(spec).map(|it| Self::Sm4(Box::new(it))),
            _ => {
                Err(Error::InvalidAlgorithms { kind: AlgorithmKind::Encrypt, names: Names::one(&spec.kind) })
            }
        }
    }

    /// Its type.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Aes(_) => "AES",
            Self::CharDigestLike(_) => "CHAR_DIGEST_LIKE",
            Self::Md5(_) => "MD5",
            Self::Rc4(_) => "RC4",
            Self::Sm3(_) => "SM3",
            Self::Sm4(_) => "SM4",
        }
    }

    /// Whether the value can be had back. What cannot is shown as it is stored.
    pub const fn is_reversible(&self) -> bool {
        matches!(self, Self::Aes(_) | Self::Rc4(_) | Self::Sm4(_))
    }

    /// Whether equal results mean equal values, as far as anyone will ever see: not so for what only narrows a `LIKE`.
    pub const fn is_distinct(&self) -> bool {
        !matches!(self, Self::CharDigestLike(_))
    }
}

impl AesCipher {
    fn parse(spec: &AlgorithmSpec) -> Result<Self, Error> {
        let known = ["aes-key-value", "digest-algorithm-name"];
        let properties = Properties::of(AlgorithmKind::Encrypt, spec, &known)?;
        let value = given(properties, "aes-key-value")?;
        let name = properties.text("digest-algorithm-name").unwrap_or("SHA-1");
        let mut key = [0; 16];
        let digest = digest(name, value.as_bytes()).ok_or_else(|| {
            let known = "MD5, SHA-1, SHA-224, SHA-256, SHA-384, SHA-512, SHA-512/224 or SHA-512/256";
            properties.bad("digest-algorithm-name", name, known)
        })?;
        // Every digest has at least 16 bytes.
        key.copy_from_slice(&digest[..16]);
        Ok(Self { schedule: Aes128::new(&key.into()), key })
    }
}

/// The digest of that name, as Java spells names.
fn digest(name: &str, data: &[u8]) -> Option<Vec<u8>> {
    Some(match name.to_ascii_uppercase().as_str() {
        "MD5" => Md5::digest(data).to_vec(),
        "SHA" | "SHA1" | "SHA-1" => sha1::Sha1::digest(data).to_vec(),
        "SHA-224" => sha2::Sha224::digest(data).to_vec(),
        "SHA-256" => sha2::Sha256::digest(data).to_vec(),
        "SHA-384" => sha2::Sha384::digest(data).to_vec(),
        "SHA-512" => sha2::Sha512::digest(data).to_vec(),
        "SHA-512/224" => sha2::Sha512_224::digest(data).to_vec(),
        "SHA-512/256" => sha2::Sha512_256::digest(data).to_vec(),
        _ => return None,
    })
}

impl Sm4Cipher {
    fn parse(spec: &AlgorithmSpec) -> Result<Self, Error> {
        let known = ["sm4-key", "sm4-mode", "sm4-iv", "sm4-padding"];
        let properties = Properties::of(AlgorithmKind::Encrypt, spec, &known)?;
        let sixteen = |name: &str, what: &str| {
            let text = given(properties, name)?.trim();
            hex(text).ok_or_else(|| properties.error(format!("{what} length must be 16 bytes long")))
        };
        let key = sixteen("sm4-key", "Key")?;
        let mode = match given(properties, "sm4-mode")?.trim().to_ascii_uppercase().as_str() {
            "CBC" => Sm4Mode::Cbc(sixteen("sm4-iv", "Iv")?),
            "ECB" => Sm4Mode::Ecb,
            _ => return Err(properties.error("Mode must be either CBC or ECB".to_owned())),
        };
        let padding = given(properties, "sm4-padding")?.trim();
        if !["PKCS5Padding", "PKCS7Padding"].iter().any(|known| known.eq_ignore_ascii_case(padding)) {
            let reason = "Padding must be either PKCS5Padding or PKCS7Padding";
            return Err(properties.error(reason.to_owned()));
        }
        Ok(Self { schedule: Sm4::new(&key.into()), key, mode })
    }
}

impl Rc4Cipher {
    fn parse(spec: &AlgorithmSpec) -> Result<Self, Error> {
        let properties = Properties::of(AlgorithmKind::Encrypt, spec, &["rc4-key-value"])?;
        let key = properties.exact("rc4-key-value").unwrap_or_default().as_bytes();
        if !(5..=255).contains(&key.len()) {
            return Err(properties.error("Key length has to be between 5 and 255".to_owned()));
        }
        let mut state: [u8; 256] = std::array::from_fn(|at| at as u8);
        let mut other = 0_u8;
        for (at, byte) in (0..state.len()).zip(key.iter().cycle()) {
            other = other.wrapping_add(state[at]).wrapping_add(*byte);
            state.swap(at, usize::from(other));
        }
        Ok(Self { state })
    }
}

impl Salted {
    fn parse(spec: &AlgorithmSpec, name: &str) -> Result<Self, Error> {
        let properties = Properties::of(AlgorithmKind::Encrypt, spec, &[name])?;
        Ok(Self(properties.exact(name).unwrap_or_default().to_owned()))
    }

    fn parse_sm3(spec: &AlgorithmSpec) -> Result<Self, Error> {
        let salted = Self::parse(spec, "sm3-salt")?;
        if !matches!(salted.0.chars().count(), 0 | 8) {
            let properties = Properties::of(AlgorithmKind::Encrypt, spec, &["sm3-salt"])?;
            let reason = "Salt should be either blank or better 8 bytes long";
            return Err(properties.error(reason.to_owned()));
        }
        Ok(salted)
    }
}

impl CharDigestLike {
    fn parse(spec: &AlgorithmSpec) -> Result<Self, Error> {
        let properties = Properties::of(AlgorithmKind::Encrypt, spec, &["delta", "mask", "start", "dict"])?;
        let number = |name: &str, otherwise: u32| match properties.text(name) {
            None => Ok(otherwise),
            // Java counts in 32 bits with a sign, and what overflows comes out the same in either.
            Some(text) => text
                .parse::<i32>()
                .map(i32::cast_unsigned)
                .map_err(|_| properties.error(format!("{name} can only be a decimal number"))),
        };
        let mut dictionary: Vec<(u16, u32)> =
            properties.exact("dict").unwrap_or_default().encode_utf16().zip(0..).collect();
        // Of a character that is there twice the first place counts.
        dictionary.sort_by_key(|(unit, _)| *unit);
        dictionary.dedup_by_key(|(unit, _)| *unit);
        Ok(Self {
            delta: number("delta", 1)?,
            mask: number("mask", 0b1111_0111_1101)?,
            start: number("start", 0x4E00)?,
            dictionary,
        })
    }
}

/// A property that must be given; blanks around it count.
fn given<'a>(properties: Properties<'a>, name: &str) -> Result<&'a str, Error> {
    properties
        .exact(name)
        .filter(|text| !text.is_empty())
        .ok_or_else(|| properties.error(format!("{name} can not be null")))
}

/// Sixteen bytes in hexadecimal digits.
fn hex(text: &str) -> Option<[u8; 16]> {
    if text.len() != 32 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    u128::from_str_radix(text, 16).ok().map(u128::to_be_bytes)
}

impl PartialEq for AesCipher {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl PartialEq for Sm4Cipher {
    fn eq(&self, other: &Self) -> bool {
        (self.key, self.mode) == (other.key, other.mode)
    }
}

impl fmt::Debug for AesCipher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AesCipher")
    }
}

impl fmt::Debug for Rc4Cipher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Rc4Cipher")
    }
}

impl fmt::Debug for Sm4Cipher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sm4Cipher").field("mode", &self.mode).finish_non_exhaustive()
    }
}

impl fmt::Debug for Sm4Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if *self == Self::Ecb { "Ecb" } else { "Cbc" })
    }
}

impl fmt::Debug for Salted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_empty() { "Unsalted" } else { "Salted" })
    }
}

#[cfg(test)]
mod tests;
