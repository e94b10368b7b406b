//! Compressed packets: what `CLIENT_COMPRESS` (zlib) and `CLIENT_ZSTD_COMPRESSION_ALGORITHM` put around the stream of frames
//! once a login is over.
//!
//! A packet is a header (three bytes: length as sent; one: its number; three: length as it was) and a payload, a stream of
//! zlib or a frame of zstd of its own. Where the second length is 0 the payload stands as it was. Packets know nothing of
//! the frames in them: a frame may begin in one and end in another.

use std::fmt;
use std::io;

use bytes::{Buf, BufMut, BytesMut};
use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};
use zstd::bulk::{Compressor, Decompressor};

use crate::Error;

/// Bytes before each payload.
pub const HEADER: usize = 7;

/// What is shorter is sent as it is.
pub const LEAST: usize = 50;

/// As much goes into one packet, before compression; a peer may send 16 MB in one.
pub const CHUNK: usize = 64 * 1024;

/// A buffer up to this size is kept.
const KEEP: usize = 2 * CHUNK;

/// The level servers use for zlib.
const ZLIB_LEVEL: u32 = 6;

/// The highest level of zstd that is carried out: those above take many times as long for a few bytes less.
const ZSTD_MAX: u8 = 9;

/// How a connection is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// By zlib.
    Zlib,
    /// By zstd.
    Zstd {
        /// What the client asked for, from 1 to 22.
        level: u8,
    },
}

/// What compressing takes, for any number of connections after each other: a packet leaves nothing behind in it.
#[derive(Default)]
pub struct Codec {
    deflate: Option<Compress>,
    inflate: Option<Decompress>,
    zstd: Option<Compressor<'static>>,
    unzstd: Option<Decompressor<'static>>,
    scratch: Vec<u8>,
}

impl Codec {
    /// Compresses into `out`; nothing when that takes as many bytes as before, or more.
    fn pack(&mut self, method: Method, from: &[u8], out: &mut [u8]) -> Option<usize> {
        match method {
            Method::Zlib => {
                let deflate =
                    self.deflate.get_or_insert_with(|| Compress::new(Compression::new(ZLIB_LEVEL), true));
                deflate.reset();
                match deflate.compress(from, out, FlushCompress::Finish) {
                    Ok(Status::StreamEnd) => usize::try_from(deflate.total_out()).ok(),
                    Ok(_) | Err(_) => None,
                }
            }
            Method::Zstd { level } => {
                let zstd = made(&mut self.zstd, || Compressor::new(0)).ok()?;
                zstd.set_compression_level(i32::from(level.min(ZSTD_MAX))).ok()?;
                zstd.compress_to_buffer(from, out).ok()
            }
        }
    }

    /// Appends what is `len` bytes long uncompressed to `into`.
    fn unpack(&mut self, method: Method, from: &[u8], len: usize, into: &mut BytesMut) -> Result<(), Error> {
        let malformed = Error::Malformed { what: "compressed payload" };
        if self.scratch.len() < len {
            // Zeroed by the system page by page as it is written to: a length that was merely told takes no memory.
            self.scratch = vec![0; len];
        }
        let room = &mut self.scratch[..len];
        let whole = match method {
            Method::Zlib => {
                let inflate = self.inflate.get_or_insert_with(|| Decompress::new(true));
                inflate.reset(true);
                // A stream that is longer than it was told to be does not end.
                matches!(inflate.decompress(from, room, FlushDecompress::Finish), Ok(Status::StreamEnd))
                    && inflate.total_in() == from.len() as u64
                    && inflate.total_out() == len as u64
            }
            Method::Zstd { .. } => {
                let zstd = made(&mut self.unzstd, Decompressor::new).map_err(|_| malformed.clone())?;
                matches!(zstd.decompress_to_buffer(from, room), Ok(told) if told == len)
            }
        };
        if whole {
            into.extend_from_slice(room);
        }
        if self.scratch.len() > KEEP {
            self.scratch = Vec::new();
        }
        if whole { Ok(()) } else { Err(malformed) }
    }
}

/// What is in the place, made when it is first asked for.
fn made<T>(place: &mut Option<T>, make: impl FnOnce() -> io::Result<T>) -> io::Result<&mut T> {
    match place {
        Some(made) => Ok(made),
        None => Ok(place.insert(make()?)),
    }
}

impl fmt::Debug for Codec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Codec").finish_non_exhaustive()
    }
}

/// Takes the packets of one connection apart and makes those that go back.
#[derive(Debug)]
pub struct Packets {
    method: Method,
    /// The number of the next packet, in whichever direction it goes.
    sequence: u8,
}

impl Packets {
    /// Before the first packet.
    pub const fn new(method: Method) -> Self {
        Self { method, sequence: 0 }
    }

    /// Takes one packet off the front of `input`, if it is there in whole, and appends what is in it to `into`.
    ///
    /// Packets are numbered on through question and answer; the number 0 begins anew.
    pub fn unpack(
        &mut self,
        codec: &mut Codec,
        input: &mut BytesMut,
        into: &mut BytesMut,
    ) -> Result<bool, Error> {
        let Some(&[a, b, c, sequence, d, e, f]) = input.first_chunk::<HEADER>() else { return Ok(false) };
        if sequence != 0 && sequence != self.sequence {
            return Err(Error::OutOfOrder { expected: self.sequence, got: sequence });
        }
        let len = u32::from_le_bytes([a, b, c, 0]) as usize;
        let before = u32::from_le_bytes([d, e, f, 0]) as usize;
        let Some(payload) = input.get(HEADER..HEADER + len) else { return Ok(false) };
        match before {
            0 => into.extend_from_slice(payload),
            _ => codec.unpack(self.method, payload, before, into)?,
        }
        self.sequence = sequence.wrapping_add(1);
        input.advance(HEADER + len);
        if len > KEEP && input.is_empty() {
            *input = BytesMut::new();
        }
        Ok(true)
    }

    /// Appends a packet of at most [`CHUNK`] bytes from the front of `from`; gives the rest.
    pub fn pack<'a>(&mut self, codec: &mut Codec, from: &'a [u8], out: &mut BytesMut) -> &'a [u8] {
        let (now, rest) = from.split_at(from.len().min(CHUNK));
        let start = out.len();
        out.put_bytes(0, HEADER + now.len());
        // The place for header and payload was made above.
        let (header, payload) = out[start..].split_at_mut(HEADER);
        let room = now.len().saturating_sub(1);
        let packed =
            if now.len() < LEAST { None } else { codec.pack(self.method, now, &mut payload[..room]) };
        let (len, before) = match packed {
            Some(len) => (len, now.len()),
            None => {
                payload.copy_from_slice(now);
                (now.len(), 0)
            }
        };
        header[..3].copy_from_slice(&(len as u32).to_le_bytes()[..3]);
        header[3] = self.sequence;
        header[4..].copy_from_slice(&(before as u32).to_le_bytes()[..3]);
        out.truncate(start + HEADER + len);
        self.sequence = self.sequence.wrapping_add(1);
        rest
    }
}

#[cfg(test)]
mod tests;
