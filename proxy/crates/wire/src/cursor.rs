//! Reads and writes the scalar forms of the protocol: little-endian integers, length-encoded integers and strings.
//!
//! [`Cursor`] is the only way the decoders of this crate touch a peer's bytes; every step checks the length.

use bytes::{BufMut, BytesMut};
use memchr::memchr;

use crate::Error;

/// The first byte of a text cell that is NULL.
pub const NULL: u8 = 0xFB;

/// A position in a payload.
#[derive(Debug, Clone, Copy)]
pub struct Cursor<'a> {
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    /// Starts at the front of `payload`.
    #[inline]
    pub const fn new(payload: &'a [u8]) -> Self {
        Self { rest: payload }
    }

    /// What was not read yet.
    #[inline]
    pub const fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Whether everything was read.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// Takes the next `len` bytes.
    #[inline]
    pub fn bytes(&mut self, len: usize, what: &'static str) -> Result<&'a [u8], Error> {
        match self.rest.split_at_checked(len) {
            Some((taken, rest)) => {
                self.rest = rest;
                Ok(taken)
            }
            None => Err(Error::Truncated { what }),
        }
    }

    /// Takes the next `N` bytes as an array.
    #[inline]
    pub fn array<const N: usize>(&mut self, what: &'static str) -> Result<[u8; N], Error> {
        match self.rest.split_first_chunk::<N>() {
            Some((taken, rest)) => {
                self.rest = rest;
                Ok(*taken)
            }
            None => Err(Error::Truncated { what }),
        }
    }

    /// Takes all that is left.
    #[inline]
    pub const fn take_rest(&mut self) -> &'a [u8] {
        let rest = self.rest;
        self.rest = &[];
        rest
    }

    /// Takes one byte.
    #[inline]
    pub fn u8(&mut self, what: &'static str) -> Result<u8, Error> {
        Ok(u8::from_le_bytes(self.array(what)?))
    }

    /// Takes two bytes.
    #[inline]
    pub fn u16(&mut self, what: &'static str) -> Result<u16, Error> {
        Ok(u16::from_le_bytes(self.array(what)?))
    }

    /// Takes four bytes.
    #[inline]
    pub fn u32(&mut self, what: &'static str) -> Result<u32, Error> {
        Ok(u32::from_le_bytes(self.array(what)?))
    }

    /// Takes eight bytes.
    #[inline]
    pub fn u64(&mut self, what: &'static str) -> Result<u64, Error> {
        Ok(u64::from_le_bytes(self.array(what)?))
    }

    /// Takes a length-encoded integer; NULL (0xFB) and 0xFF are no integers.
    #[inline]
    pub fn lenenc(&mut self, what: &'static str) -> Result<u64, Error> {
        Ok(match self.u8(what)? {
            small @ 0..=0xFA => u64::from(small),
            0xFC => u64::from(self.u16(what)?),
            0xFD => {
                let [a, b, c] = self.array(what)?;
                u64::from(u32::from_le_bytes([a, b, c, 0]))
            }
            0xFE => self.u64(what)?,
            NULL | 0xFF => return Err(Error::Malformed { what }),
        })
    }

    /// Takes a length-encoded string.
    #[inline]
    pub fn string(&mut self, what: &'static str) -> Result<&'a [u8], Error> {
        let len = self.lenenc(what)?;
        self.bytes(usize::try_from(len).map_err(|_| Error::Truncated { what })?, what)
    }

    /// Takes a length-encoded string or NULL.
    #[inline]
    pub fn nullable(&mut self, what: &'static str) -> Result<Option<&'a [u8]>, Error> {
        if self.rest.first() == Some(&NULL) {
            self.u8(what)?;
            return Ok(None);
        }
        self.string(what).map(Some)
    }

    /// Takes a string up to a zero byte, which is taken as well.
    #[inline]
    pub fn zero_terminated(&mut self, what: &'static str) -> Result<&'a [u8], Error> {
        let end = memchr(0, self.rest).ok_or(Error::Truncated { what })?;
        let taken = self.bytes(end, what)?;
        self.u8(what)?;
        Ok(taken)
    }
}

/// Writes a length-encoded integer.
#[inline]
pub fn put_lenenc(out: &mut BytesMut, value: u64) {
    match value {
        0..=0xFA => out.put_u8(value as u8),
        0xFB..=0xFFFF => {
            out.put_u8(0xFC);
            out.put_u16_le(value as u16);
        }
        0x1_0000..=0xFF_FFFF => {
            out.put_u8(0xFD);
            out.put_uint_le(value, 3);
        }
        _ => {
            out.put_u8(0xFE);
            out.put_u64_le(value);
        }
    }
}

/// Writes a length-encoded string.
#[inline]
pub fn put_string(out: &mut BytesMut, value: &[u8]) {
    put_lenenc(out, value.len() as u64);
    out.extend_from_slice(value);
}

/// How many bytes [`put_lenenc`] writes.
#[inline]
pub const fn lenenc_size(value: u64) -> usize {
    match value {
        0..=0xFA => 1,
        0xFB..=0xFFFF => 3,
        0x1_0000..=0xFF_FFFF => 4,
        _ => 9,
    }
}
