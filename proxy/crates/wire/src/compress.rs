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

use crate::{Error, frame};

/// Bytes before each payload.
pub const HEADER: usize = 7;

/// What is shorter is sent as it is.
pub const LEAST: usize = 50;

/// Frames share a packet up to this size, before compression; a peer may send 16 MB in one.
pub const CHUNK: usize = 64 * 1024;

/// A larger frame has a packet of its own up to this size, and reaches over several beyond. Some readers take for granted
/// that a frame is in one packet or two.
pub const MOST: usize = 1 << 20;

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
    /// Bytes still to be packed of a frame that reaches over several packets.
    pending: usize,
}

impl Packets {
    /// Before the first packet.
    pub const fn new(method: Method) -> Self {
        Self { method, sequence: 0, pending: 0 }
    }

    /// The number of the packet that comes or goes next.
    pub const fn next(&self) -> u8 {
        self.sequence
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

    /// Appends a packet of what stands at the front of `from`, frames or the rest of one, and says how many bytes of
    /// it that is: 0 when the rest of a frame is to be waited for.
    pub fn pack(&mut self, codec: &mut Codec, from: &[u8], out: &mut BytesMut) -> usize {
        let now = &from[..self.cut(from)];
        if now.is_empty() {
            return 0;
        }
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
        now.len()
    }

    /// How much goes into the next packet. What is left of a frame then is noted.
    fn cut(&mut self, from: &[u8]) -> usize {
        let mut at = 0;
        // The end of the frame that begins at the front, or goes on there.
        let mut end = self.pending;
        loop {
            if end == at {
                let Some(header) = frame::header(&from[at..]) else { break };
                end = at + frame::HEADER + header.len;
            }
            if end > from.len().min(if at == 0 { MOST } else { CHUNK }) {
                break;
            }
            at = end;
        }
        if at == 0 && from.len() >= MOST {
            at = MOST;
            self.pending = end - at;
        } else if at > 0 {
            self.pending = 0;
        }
        at
    }
}

#[cfg(test)]
mod tests;
