//! The client's file handed to the server that asked for it, in constant memory: nothing is read from the client before
//! the server has taken what came before.

use std::io;

use bytes::Buf;
use wire::infile::FileFrames;
use wire::{frame, reply};

use super::passage::copy;
use super::{Passage, Upstream, flush};
use crate::Error;
use crate::downstream::Downstream;
use crate::lane::refusal;

impl Passage<'_> {
    /// Hands on the request at the front of the input, and then the file.
    ///
    /// On an error of the server all of the file has been read, so that the client waits for an answer.
    pub(super) async fn file<U: Upstream, D: Downstream>(
        &mut self,
        up: &mut U,
        down: &mut D,
        len: usize,
    ) -> Result<(), Error> {
        self.asked = true;
        let (out, sequence) = down.output();
        if let Some(first) = self.first.take() {
            self.shift = first.wrapping_sub(up.input()[3]);
        }
        copy(&up.input()[..len], out, sequence);
        up.input().advance(len);
        flush(up, down).await?;
        // Whether the server has taken all so far; one that speaks before the end reads no more.
        let mut taken = Ok(up.input().is_empty());
        let mut frames = FileFrames::new(*down.output().1, self.shift);
        if !down.numbers_frames() {
            frames = frames.relaxed();
        }
        loop {
            let len = frames.pass(down.input()).map_err(|error| {
                up.poison();
                Error::Client(io::Error::new(io::ErrorKind::InvalidData, error))
            })?;
            if len > 0 && matches!(taken, Ok(true)) {
                taken = up.send(&down.input()[..len]).await;
            }
            down.input().advance(len);
            *down.output().1 = frames.next();
            if frames.is_done() {
                break;
            }
            match down.fill().await {
                Ok(0) => {
                    // Without its end the file is not loaded: the server must not wait for that, nor be told of one.
                    up.poison();
                    return Err(Error::Client(io::ErrorKind::UnexpectedEof.into()));
                }
                Ok(_) => {}
                Err(error) => {
                    up.poison();
                    return Err(Error::Client(error));
                }
            }
        }
        match taken {
            Ok(true) => Ok(()),
            Ok(false) => Err(early(up).await),
            Err(error) => Err(error.into()),
        }
    }
}

/// Why the server spoke before the file had ended. Nobody knows what it would make of the next command.
async fn early<U: Upstream>(up: &mut U) -> Error {
    up.poison();
    loop {
        let input = up.input();
        if let Some(header) = frame::header(input)
            && let Some(payload) = input.get(frame::HEADER..frame::HEADER + header.len)
        {
            return match refusal(payload) {
                Ok(refusal) if payload.first() == Some(&reply::ERR) => up.refused(refusal),
                Ok(_) => up.broken(wire::Error::Malformed { what: "answer in the middle of a file" }),
                Err(source) => up.broken(source),
            }
            .into();
        }
        if let Err(error) = up.fill().await {
            return error.into();
        }
    }
}

#[cfg(test)]
mod tests;
