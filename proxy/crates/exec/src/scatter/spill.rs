//! Rows that wait for others and are too many for memory: a file, which has no name any more once it is open.
//!
//! It holds the servers' frames as they came, each stream's in one stretch. Reading and writing is done by the
//! runtime's threads for blocking work, in blocks, so that a slow disk holds up this statement and no other session.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::sync::Arc;

use bytes::BytesMut;
use wire::frame::Assembler;

use crate::Error;

/// Bytes written at a time.
pub(crate) const BLOCK: usize = 256 * 1024;
/// Bytes read at a time. Every stretch has room for so many while it is read.
const READ: usize = 64 * 1024;
/// No server sends a larger row.
const ROW_MAX: usize = 1 << 30;

/// The file of one connection's streams, written from front to end.
#[derive(Debug)]
pub(crate) struct Spill {
    file: Arc<File>,
    len: u64,
}

/// The rows of one stream in it, read from front to end.
#[derive(Debug)]
pub(crate) struct Stretch {
    file: Arc<File>,
    at: u64,
    end: u64,
    input: BytesMut,
    assembler: Assembler,
}

impl Spill {
    /// A new one in a folder.
    pub(crate) fn create(folder: &Path) -> Result<Self, Error> {
        // Nobody else is to see it, and nothing of it is left, however the process ends.
        let file = tempfile::tempfile_in(folder).map_err(Error::Spill)?;
        Ok(Self { file: Arc::new(file), len: 0 })
    }

    /// How many bytes it has.
    pub(crate) const fn len(&self) -> u64 {
        self.len
    }

    /// Writes bytes behind those that are there; gives their room back empty.
    pub(crate) async fn append(&mut self, mut bytes: Vec<u8>) -> Result<Vec<u8>, Error> {
        let (file, at) = (Arc::clone(&self.file), self.len);
        self.len += bytes.len() as u64;
        let done = blocking(move || {
            file.write_all_at(&bytes, at)?;
            bytes.clear();
            Ok(bytes)
        });
        done.await
    }

    /// What was written from `start` on; the first frame there has this sequence number.
    pub(crate) fn stretch(&self, start: u64, first: u8) -> Stretch {
        let mut assembler = Assembler::new(ROW_MAX);
        assembler.expect(first);
        let file = Arc::clone(&self.file);
        Stretch { file, at: start, end: self.len, input: BytesMut::new(), assembler }
    }
}

impl Stretch {
    /// What was written since belongs to it, too: nothing else has been written in between.
    pub(crate) const fn extend(&mut self, spill: &Spill) {
        self.end = spill.len;
    }

    /// The payload of the next row; nothing when there are no more.
    pub(crate) async fn message(&mut self) -> Result<Option<BytesMut>, Error> {
        loop {
            if let Some(message) = self.assembler.next(&mut self.input).map_err(Error::Malformed)? {
                return Ok(Some(message.payload));
            }
            if self.at == self.end {
                return Ok(None);
            }
            let len = READ.min(usize::try_from(self.end - self.at).unwrap_or(READ));
            let (file, at) = (Arc::clone(&self.file), self.at);
            let read = blocking(move || {
                let mut bytes = vec![0; len];
                file.read_exact_at(&mut bytes, at)?;
                Ok(bytes)
            });
            let read = read.await?;
            self.at += read.len() as u64;
            self.input.extend_from_slice(&read);
        }
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> Result<T, Error> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done.map_err(Error::Spill),
        Err(error) => Err(Error::Spill(io::Error::other(error))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::block_on;
    use wire::frame;

    #[test]
    fn gives_back_each_stretch_as_it_was_written() {
        block_on(async {
            let mut spill = Spill::create(&std::env::temp_dir()).unwrap();
            let rows: Vec<Vec<u8>> = (0_u32..3000).map(|n| vec![n as u8; (n % 300) as usize + 1]).collect();
            let mut stretches = Vec::new();
            for part in rows.chunks(1000) {
                let (start, mut out, mut sequence) = (spill.len(), BytesMut::new(), 200);
                part.iter().for_each(|row| frame::put(&mut out, &mut sequence, row));
                for block in out.chunks(BLOCK / 7) {
                    assert!(spill.append(block.to_vec()).await.unwrap().is_empty());
                }
                stretches.push(spill.stretch(start, 200));
            }
            // Each by itself, in turns.
            for place in 0..1000 {
                for (stretch, part) in stretches.iter_mut().zip(rows.chunks(1000)) {
                    assert_eq!(stretch.message().await.unwrap().unwrap(), part[place]);
                }
            }
            for stretch in &mut stretches {
                assert!(stretch.message().await.unwrap().is_none());
            }
        });
    }

    #[test]
    fn a_folder_that_is_not_there_is_told() {
        let error = Spill::create(Path::new("/nowhere/at/all")).unwrap_err();
        assert!(matches!(error, Error::Spill(_)) && !error.fatal(), "{error}");
    }
}
