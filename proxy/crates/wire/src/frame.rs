//! Cuts the byte stream into messages and back.
//!
//! A payload of 16 MB − 1 bytes or more travels in several frames; the last of them is always shorter than the
//! maximum, if need be empty. Sequence numbers wrap at 256 and start anew with each command.

use bytes::{Buf, BytesMut};

use crate::Error;

/// Bytes before each frame: three of length, one of sequence.
pub const HEADER: usize = 4;

/// The largest payload of one frame; a frame of this size is followed by another.
pub const MAX_PAYLOAD: usize = 0xFF_FF_FF;

/// What a frame says of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// Bytes of payload that follow.
    pub len: usize,
    /// Its number within the exchange.
    pub sequence: u8,
}

/// Reads the header at the front of `input`, if it is there in whole.
#[inline]
pub const fn header(input: &[u8]) -> Option<Header> {
    match input {
        [a, b, c, sequence, ..] => {
            Some(Header { len: u32::from_le_bytes([*a, *b, *c, 0]) as usize, sequence: *sequence })
        }
        _ => None,
    }
}

/// The bytes of a header.
#[inline]
pub const fn header_bytes(len: usize, sequence: u8) -> [u8; HEADER] {
    let [a, b, c, _] = (len as u32).to_le_bytes();
    [a, b, c, sequence]
}

/// Writes `payload` as one message, in as many frames as it takes; `sequence` is that of the first frame and moves past the last.
pub fn put(out: &mut BytesMut, sequence: &mut u8, payload: &[u8]) {
    out.reserve(payload.len() + HEADER * (payload.len() / MAX_PAYLOAD + 1));
    let mut rest = payload;
    loop {
        let (now, later) = rest.split_at(rest.len().min(MAX_PAYLOAD));
        out.extend_from_slice(&header_bytes(now.len(), *sequence));
        out.extend_from_slice(now);
        *sequence = sequence.wrapping_add(1);
        if now.len() < MAX_PAYLOAD {
            return;
        }
        rest = later;
    }
}

/// Writes one message whose payload `write` appends in place.
///
/// `write` may only append; what stood in `out` before stays as it was.
#[inline]
pub fn put_with(out: &mut BytesMut, sequence: &mut u8, write: impl FnOnce(&mut BytesMut)) {
    let start = out.len();
    out.extend_from_slice(&[0; HEADER]);
    write(out);
    close(out, sequence, start);
}

/// Like [`put_with`] for a payload that may turn out impossible to write; then nothing is written.
#[inline]
pub fn try_put_with<E>(
    out: &mut BytesMut,
    sequence: &mut u8,
    write: impl FnOnce(&mut BytesMut) -> Result<(), E>,
) -> Result<(), E> {
    let start = out.len();
    out.extend_from_slice(&[0; HEADER]);
    if let Err(error) = write(out) {
        out.truncate(start);
        return Err(error);
    }
    close(out, sequence, start);
    Ok(())
}

/// Patches the header that was left blank at `start`, and splits what does not fit one frame.
#[inline]
fn close(out: &mut BytesMut, sequence: &mut u8, start: usize) {
    let len = out.len() - start - HEADER;
    if len >= MAX_PAYLOAD {
        let payload = out.split_off(start + HEADER);
        out.truncate(start);
        return put(out, sequence, &payload);
    }
    // The place was written by the caller, and what is written behind it only appends.
    out[start..start + HEADER].copy_from_slice(&header_bytes(len, *sequence));
    *sequence = sequence.wrapping_add(1);
}

/// One whole message, its frames joined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// What it says, without headers.
    pub payload: BytesMut,
    /// The number of its last frame; the answer begins with the next.
    pub sequence: u8,
}

/// Joins frames to messages and checks that they follow each other.
#[derive(Debug)]
pub struct Assembler {
    limit: usize,
    expected: u8,
    /// Frames may have any number.
    lax: bool,
    /// The full frames of a message whose last frame did not come yet.
    begun: Option<BytesMut>,
}

impl Assembler {
    /// Accepts messages of at most `limit` bytes, the first with sequence 0.
    pub const fn new(limit: usize) -> Self {
        Self { limit, expected: 0, lax: false, begun: None }
    }

    /// Takes one message off the front of `input`, or nothing when more bytes are needed.
    ///
    /// A message over the limit is refused as soon as its header is seen.
    #[inline]
    pub fn next(&mut self, input: &mut BytesMut) -> Result<Option<Message>, Error> {
        while let Some(Header { len, sequence }) = header(input) {
            if sequence != self.expected && !self.lax {
                return Err(Error::OutOfOrder { expected: self.expected, got: sequence });
            }
            let before = self.begun.as_ref().map_or(0, BytesMut::len);
            if before + len > self.limit {
                return Err(Error::TooLarge { limit: self.limit });
            }
            if input.len() < HEADER + len {
                return Ok(None);
            }
            self.expected = sequence.wrapping_add(1);
            input.advance(HEADER);
            let frame = input.split_to(len);
            let payload = match self.begun.take() {
                Some(mut begun) => {
                    begun.extend_from_slice(&frame);
                    begun
                }
                None => frame,
            };
            if len < MAX_PAYLOAD {
                return Ok(Some(Message { payload, sequence }));
            }
            self.begun = Some(payload);
        }
        Ok(None)
    }

    /// Like [`next`](Self::next) for a message of one frame that is wholly there, without taking it out of `input`:
    /// its payload is `input[4..4 + len]`, and the caller advances past it.
    ///
    /// Nothing means that more bytes are needed or that `next` must join frames.
    #[inline]
    pub fn front(&mut self, input: &[u8]) -> Result<Option<Header>, Error> {
        let Some(header) = header(input) else { return Ok(None) };
        if header.sequence != self.expected && !self.lax {
            return Err(Error::OutOfOrder { expected: self.expected, got: header.sequence });
        }
        if header.len > self.limit {
            return Err(Error::TooLarge { limit: self.limit });
        }
        if self.begun.is_some() || header.len == MAX_PAYLOAD || input.len() < HEADER + header.len {
            return Ok(None);
        }
        self.expected = header.sequence.wrapping_add(1);
        Ok(Some(header))
    }

    /// How many bytes `input` must hold before [`next`](Self::next) gets further, as far as its header tells.
    pub fn wants(&self, input: &[u8]) -> usize {
        header(input).map_or(HEADER, |header| HEADER + header.len)
    }

    /// Whether a message was begun whose end did not come yet.
    pub const fn is_midway(&self) -> bool {
        self.begun.is_some()
    }

    /// A new command: the next frame must have sequence 0.
    pub fn reset(&mut self) {
        self.expect(0);
    }

    /// The next frame must have this sequence: 1 for the answer to a command of one frame.
    pub fn expect(&mut self, sequence: u8) {
        self.expected = sequence;
        self.begun = None;
    }

    /// The sequence the next frame must have.
    pub const fn expected(&self) -> u8 {
        self.expected
    }

    /// Does not mind numbers any more: those of frames within compressed packets are not kept by all, and read by nobody.
    pub const fn relax(&mut self) {
        self.lax = true;
    }

    /// Changes the largest message accepted.
    pub const fn set_limit(&mut self, limit: usize) {
        self.limit = limit;
    }
}

#[cfg(test)]
mod tests;
