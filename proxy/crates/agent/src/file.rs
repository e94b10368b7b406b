//! A log file: appended to by whole records, rotated, and never in the way.
//!
//! Records are gathered and written by one call for each round of the writer. What cannot be written (a full disk) is
//! held for a while and tried again about once a second; what is too much to hold is lost and counted. Files are only
//! this user's. Closed ones carry the time in their names, are compressed and, the oldest first, removed by a thread of
//! their own.

mod keeper;
mod rotation;

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use rustix::fs::OFlags;

use crate::counters::SinkCounters;
use crate::stamp::file_stamp;
use crate::warn::Warner;
use keeper::Keeper;
pub use rotation::{Compression, Rotation};

/// Bytes of records that are written without waiting for the end of the round.
const CHUNK: usize = 256 * 1024;

/// Bytes of records that are held while they cannot be written.
const HELD: usize = 4 * 1024 * 1024;

/// What stands at the ends of each file.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Frame {
    /// At its beginning.
    pub head: &'static str,
    /// At its end, once it is closed.
    pub tail: &'static str,
}

/// Appends records to a file. It can be made whether the file can be opened or not.
#[derive(Debug)]
pub struct LogFile {
    path: PathBuf,
    rotation: Rotation,
    frame: Frame,
    /// What has been written is on the disk before another file is begun.
    durable: bool,
    counters: Arc<SinkCounters>,
    warner: Arc<Warner>,
    keeper: Keeper,
    open: Option<Open>,
    /// Whole records.
    buffer: Vec<u8>,
    /// How many.
    records: u64,
    /// Nothing is written before the next tick, since it would fail again.
    failing: bool,
    /// The same of rotation.
    stuck: bool,
}

#[derive(Debug)]
struct Open {
    file: File,
    size: u64,
    /// Since when it is written to.
    began: SystemTime,
    /// Device and number, by which it is told whether it is still the one of that name.
    id: (u64, u64),
    /// Not a pipe or a terminal.
    regular: bool,
    /// It ends in the midst of a line.
    torn: bool,
}

impl LogFile {
    /// Opens a file for a sink; makes it, and its folder, where there is none.
    pub fn new(path: PathBuf, rotation: Rotation, counters: Arc<SinkCounters>) -> Self {
        Self::framed(path, rotation, Frame::default(), counters)
    }

    /// The same for files with something at their ends.
    pub fn framed(path: PathBuf, rotation: Rotation, frame: Frame, counters: Arc<SinkCounters>) -> Self {
        let warner = Arc::new(Warner::new(counters.name()));
        let keeper = Keeper::new(&path, rotation, Arc::clone(&warner));
        let mut log = Self {
            path,
            rotation,
            frame,
            durable: false,
            counters,
            warner,
            keeper,
            open: None,
            buffer: Vec::new(),
            records: 0,
            failing: false,
            stuck: false,
        };
        log.open_anew();
        // What a process before this one left to do.
        log.keeper.stir();
        log
    }

    /// The same file, of which all is on the disk before another one is begun.
    pub fn durable(mut self) -> Self {
        self.durable = true;
        self
    }

    /// Adds a record: whole lines, as `write` appends them.
    pub fn record(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        let before = self.buffer.len();
        write(&mut self.buffer);
        if self.failing && self.buffer.len() > HELD {
            self.buffer.truncate(before);
            self.counters.lost.add(1);
            return;
        }
        self.records += 1;
        let size = self.open.as_ref().map_or(0, |open| open.size) + self.buffer.len() as u64;
        if self.rotation.size > 0 && size >= self.rotation.size && !self.stuck && !self.failing {
            self.rotate();
        } else if self.buffer.len() >= CHUNK {
            self.flush();
        }
    }

    /// Writes what there is; whether it has been written.
    pub fn flush(&mut self) -> bool {
        if self.buffer.is_empty() {
            return true;
        }
        if self.failing || self.open.is_none() && !self.open_anew() {
            return false;
        }
        let Some(open) = &mut self.open else { return false };
        match open.append(&self.buffer) {
            Ok(()) => {
                self.counters.records.add(self.records);
                self.counters.bytes.add(self.buffer.len() as u64);
                self.buffer.clear();
                // One that huge records made grow is given back.
                self.buffer.shrink_to(2 * CHUNK);
                self.records = 0;
                true
            }
            Err(error) => {
                self.fail("write", &error);
                false
            }
        }
    }

    /// Writes what there is to the disk itself; whether it has been.
    pub fn sync(&mut self) -> bool {
        if !self.flush() {
            return false;
        }
        match self.open.as_ref().map_or(Ok(()), Open::sync) {
            Ok(()) => true,
            Err(error) => {
                self.counters.errors.add(1);
                self.warner.warn(format_args!("cannot sync {}: {error}", self.path.display()));
                false
            }
        }
    }

    /// Begins a new file; the one before gets the time into its name. Not where it is empty.
    pub fn rotate(&mut self) {
        if !self.flush() {
            return;
        }
        let Some(open) = &mut self.open else { return };
        if open.size == 0 || !open.regular || !open.is_at(&self.path) {
            return;
        }
        match open.rotate(&self.path, self.frame, self.durable) {
            Ok(new) => {
                self.open = Some(new);
                self.counters.rotations.add(1);
                self.keeper.stir();
            }
            Err(error) => {
                self.stuck = true;
                self.counters.errors.add(1);
                self.warner.warn(format_args!("cannot rotate {}: {error}", self.path.display()));
            }
        }
    }

    /// Opens the file of that name anew, after somebody has moved it.
    pub fn reopen(&mut self) {
        self.failing = false;
        self.flush();
        self.failing = false;
        self.open_anew();
    }

    /// About once a second: tries again what failed, follows a file that was moved, and rotates one that is old.
    pub fn tick(&mut self) {
        (self.failing, self.stuck) = (false, false);
        if self.open.as_ref().is_none_or(|open| !open.is_at(&self.path)) {
            self.flush();
            self.failing = false;
            self.open_anew();
        }
        self.flush();
        let age = self.open.as_ref().and_then(|open| open.began.elapsed().ok());
        if !self.rotation.every.is_zero() && age.is_some_and(|age| age >= self.rotation.every) {
            self.rotate();
        }
        self.keeper.tick();
    }

    /// The one before stays open where this fails.
    fn open_anew(&mut self) -> bool {
        match Open::of(&self.path, self.frame) {
            Ok(open) => {
                self.open = Some(open);
                true
            }
            Err(error) => {
                self.fail("open", &error);
                false
            }
        }
    }

    fn fail(&mut self, what: &str, error: &io::Error) {
        self.warner.warn(format_args!("cannot {what} {}: {error}", self.path.display()));
        self.counters.errors.add(1);
        self.failing = true;
    }
}

impl Drop for LogFile {
    fn drop(&mut self) {
        self.failing = false;
        if !self.flush() {
            self.counters.lost.add(self.records);
        } else if let Some(open) = &mut self.open
            && let Err(error) = open.append(self.frame.tail.as_bytes())
        {
            self.warner.warn(format_args!("cannot close {}: {error}", self.path.display()));
        }
    }
}

impl Open {
    fn of(path: &Path, frame: Frame) -> io::Result<Self> {
        if let Some(folder) = path.parent()
            && !folder.as_os_str().is_empty()
        {
            fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        }
        // Without blocking: a pipe that nobody reads is an error, not a reason to wait.
        let flags = i32::try_from(OFlags::NONBLOCK.bits()).unwrap_or(0);
        let file = OpenOptions::new().append(true).create(true).mode(0o600).custom_flags(flags).open(path)?;
        let metadata = file.metadata()?;
        let regular = metadata.is_file();
        let size = if regular { metadata.len() } else { 0 };
        if regular {
            // Held while it may be written to, so that no other process compresses it. One that cannot be had does no
            // harm.
            let _ = file.try_lock_shared();
        }
        let torn = regular && size > 0 && !ends_with(path, b"\n")?;
        let began = if size > 0 { metadata.created().ok() } else { None };
        let mut open = Self {
            size,
            began: began.unwrap_or_else(SystemTime::now),
            id: (metadata.dev(), metadata.ino()),
            regular,
            torn,
            file,
        };
        if size == 0 {
            open.append(frame.head.as_bytes())?;
        } else if !frame.tail.is_empty() && ends_with(path, frame.tail.as_bytes())? {
            open.size -= frame.tail.len() as u64;
            open.file.set_len(open.size)?;
        }
        Ok(open)
    }

    /// Appends the whole of it, or nothing.
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.torn {
            // What a process that was killed left of a record must not become one with the next.
            write_all(&mut self.file, b"\n").1?;
            self.size += 1;
            self.torn = false;
        }
        let (written, result) = write_all(&mut self.file, bytes);
        if result.is_err() && written > 0 {
            let whole = self.file.metadata().is_ok_and(|now| now.len() == self.size + written);
            self.torn = !(self.regular && whole && self.file.set_len(self.size).is_ok());
            if self.torn {
                self.size += written;
            }
        } else {
            self.size += written;
        }
        result
    }

    fn sync(&self) -> io::Result<()> {
        if self.regular { self.file.sync_data() } else { Ok(()) }
    }

    /// Whether the file has this name still.
    fn is_at(&self, path: &Path) -> bool {
        fs::metadata(path).is_ok_and(|there| (there.dev(), there.ino()) == self.id)
    }

    /// Renames this file and opens a new one; this one gets its name back where that fails.
    fn rotate(&mut self, path: &Path, frame: Frame, durable: bool) -> io::Result<Self> {
        let aside = rotation::free_name(path, file_stamp);
        fs::rename(path, &aside)?;
        let new = Self::of(path, frame).inspect_err(|_| {
            // Then it is where the next tick looks for nothing, and goes on under its new name.
            let _ = fs::rename(&aside, path);
        })?;
        self.append(frame.tail.as_bytes())?;
        if durable {
            self.sync()?;
            // So that both names are there, too.
            path.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())?;
        }
        Ok(new)
    }
}

/// Writes all of it; how much was, and what went wrong.
fn write_all(file: &mut File, bytes: &[u8]) -> (u64, io::Result<()>) {
    let mut rest = bytes;
    let written = |rest: &[u8]| (bytes.len() - rest.len()) as u64;
    while !rest.is_empty() {
        match file.write(rest) {
            Ok(0) => return (written(rest), Err(ErrorKind::WriteZero.into())),
            Ok(count) => rest = &rest[count..],
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return (written(rest), Err(error)),
        }
    }
    (written(rest), Ok(()))
}

fn ends_with(path: &Path, end: &[u8]) -> io::Result<bool> {
    let mut file = File::open(path)?;
    if file.metadata()?.len() < end.len() as u64 {
        return Ok(false);
    }
    file.seek(SeekFrom::End(-(end.len() as i64)))?;
    let mut there = vec![0; end.len()];
    file.read_exact(&mut there)?;
    Ok(there == end)
}

#[cfg(test)]
mod tests;
