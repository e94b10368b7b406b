//! A file on its way from a client to a server, as `LOAD DATA LOCAL INFILE` has it sent.
//!
//! The packets are numbered on from the server's request. An empty one ends the file, unless it only ends a packet of
//! several frames.

use crate::Error;
use crate::frame::{HEADER, Header, MAX_PAYLOAD, header};

/// Follows the frames of one file and gives them the numbers of the other side.
#[derive(Debug, Clone)]
pub struct FileFrames {
    /// The number of the sender's next frame.
    expected: u8,
    /// What is taken off it.
    shift: u8,
    /// Bytes of the current frame still to come.
    pending: usize,
    /// Frames may have any number.
    lax: bool,
    /// The frame before was full: the next belongs to the same packet.
    continued: bool,
    done: bool,
}

impl FileFrames {
    /// The sender's first frame has the number `expected`; the receiver wants it lower by `shift`.
    pub const fn new(expected: u8, shift: u8) -> Self {
        Self { expected, shift, pending: 0, lax: false, continued: false, done: false }
    }

    /// The same for a sender within whose compressed packets frames are not numbered one by one.
    pub const fn relaxed(self) -> Self {
        Self { lax: true, ..self }
    }

    /// Renumbers what lies at the front of `bytes` in place and says how much of it may be sent on: all up to a header
    /// that is not there in whole, and never more than the file.
    ///
    /// The caller takes exactly that off before the next call.
    pub fn pass(&mut self, bytes: &mut [u8]) -> Result<usize, Error> {
        let mut at = 0;
        while !self.done {
            let held = self.pending.min(bytes.len() - at);
            self.pending -= held;
            at += held;
            if self.pending > 0 {
                break;
            }
            let Some(Header { len, sequence }) = header(&bytes[at..]) else { break };
            if sequence != self.expected && !self.lax {
                return Err(Error::OutOfOrder { expected: self.expected, got: sequence });
            }
            bytes[at + 3] = self.expected.wrapping_sub(self.shift);
            self.expected = self.expected.wrapping_add(1);
            self.done = len == 0 && !self.continued;
            self.continued = len == MAX_PAYLOAD;
            self.pending = len;
            at += HEADER;
        }
        Ok(at)
    }

    /// Whether the file has ended.
    pub const fn is_done(&self) -> bool {
        self.done
    }

    /// The number of the sender's next frame, or of the answer to it.
    pub const fn next(&self) -> u8 {
        self.expected
    }
}

#[cfg(test)]
mod tests {
    use bytes::BytesMut;
    use proptest::prelude::*;

    use super::*;
    use crate::frame::put;

    fn file(packets: &[usize], mut sequence: u8) -> BytesMut {
        let mut out = BytesMut::new();
        for len in packets {
            put(&mut out, &mut sequence, &vec![b'x'; *len]);
        }
        put(&mut out, &mut sequence, &[]);
        out
    }

    /// Feeds the bytes in pieces of these lengths, over and over; gives what was passed on.
    fn passed(frames: &mut FileFrames, bytes: &[u8], pieces: &[usize]) -> Result<BytesMut, Error> {
        let (mut input, mut out) = (BytesMut::new(), BytesMut::new());
        let (mut rest, mut pieces) = (bytes, pieces.iter().cycle());
        while !rest.is_empty() {
            let piece = rest.len().min(*pieces.next().unwrap());
            input.extend_from_slice(&rest[..piece]);
            rest = &rest[piece..];
            let len = frames.pass(&mut input)?;
            out.extend_from_slice(&input.split_to(len));
        }
        assert!(input.len() < HEADER || frames.is_done());
        Ok(out)
    }

    proptest! {
        #[test]
        fn a_file_arrives_under_the_numbers_of_the_other_side(
            packets in prop::collection::vec(1_usize..70_000, 0..20),
            pieces in prop::collection::vec(1_usize..50_000, 1..8),
            first: u8,
            shift: u8,
        ) {
            let bytes = file(&packets, first);
            let mut frames = FileFrames::new(first, shift);
            let sent = passed(&mut frames, &bytes, &pieces).unwrap();
            prop_assert!(frames.is_done());
            prop_assert_eq!(frames.next(), first.wrapping_add(packets.len() as u8).wrapping_add(1));
            prop_assert_eq!(sent, file(&packets, first.wrapping_sub(shift)));
        }
    }

    #[test]
    fn an_empty_frame_behind_a_full_one_does_not_end_the_file() {
        let bytes = file(&[MAX_PAYLOAD, 3, 2 * MAX_PAYLOAD, 1], 254);
        let mut frames = FileFrames::new(254, 3);
        let sent = passed(&mut frames, &bytes, &[1 << 20, 5]).unwrap();
        assert!(frames.is_done());
        assert!(sent == file(&[MAX_PAYLOAD, 3, 2 * MAX_PAYLOAD, 1], 251));
    }

    #[test]
    fn what_follows_the_file_is_left_alone() {
        let mut bytes = file(&[3], 2);
        let len = bytes.len();
        bytes.extend_from_slice(b"\x01\0\0\0\x0e");
        let before = bytes.clone();
        let mut frames = FileFrames::new(2, 0);
        assert_eq!(frames.pass(&mut bytes), Ok(len));
        assert_eq!(frames.pass(&mut bytes[len..]), Ok(0));
        assert_eq!(bytes, before);
    }

    #[test]
    fn a_frame_out_of_order_is_refused() {
        let mut frames = FileFrames::new(2, 0);
        assert_eq!(frames.pass(&mut file(&[3], 3)), Err(Error::OutOfOrder { expected: 2, got: 3 }));
        // Unless it came in a compressed packet.
        let mut bytes = file(&[3, 4], 90);
        let mut frames = FileFrames::new(2, 1).relaxed();
        assert_eq!(frames.pass(&mut bytes), Ok(bytes.len()));
        assert!(bytes == file(&[3, 4], 1) && frames.next() == 5);
    }
}
