//! Keeps the closed files of a log: few, and small.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

use super::rotation::{Compression, HALF_DONE, Rotation, WHOLE, beside, closed};
use crate::warn::Warner;

/// Works on a thread of its own while there is something to do.
#[derive(Debug)]
pub(super) struct Keeper {
    work: Arc<Work>,
}

#[derive(Debug)]
struct Work {
    folder: PathBuf,
    /// Of the file that is written to.
    log: String,
    rotation: Rotation,
    warner: Arc<Warner>,
    turn: Mutex<Turn>,
    /// Something could not be done yet.
    left: AtomicBool,
}

/// Whether somebody works, and has to look once more.
#[derive(Debug, Default)]
struct Turn {
    working: bool,
    again: bool,
}

impl Keeper {
    pub(super) fn new(path: &Path, rotation: Rotation, warner: Arc<Warner>) -> Self {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or_else(|| Path::new(".")).to_owned();
        let log = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let (turn, left) = (Mutex::default(), AtomicBool::new(false));
        Self { work: Arc::new(Work { folder, log, rotation, warner, turn, left }) }
    }

    /// There may be something to do.
    pub(super) fn stir(&self) {
        let mut turn = self.work.turn.lock();
        if turn.working {
            turn.again = true;
            return;
        }
        let work = Arc::clone(&self.work);
        let thread = std::thread::Builder::new().name("log-files".to_owned()).spawn(move || work.run());
        match thread {
            Ok(_) => turn.working = true,
            Err(error) => {
                self.work.left.store(true, Ordering::Relaxed);
                self.work.warner.warn(format_args!("cannot keep closed files: {error}"));
            }
        }
    }

    /// Tries again what could not be done.
    pub(super) fn tick(&self) {
        if self.work.left.swap(false, Ordering::Relaxed) {
            self.stir();
        }
    }
}

impl Work {
    fn run(&self) {
        loop {
            if let Err(error) = self.keep() {
                self.left.store(true, Ordering::Relaxed);
                let folder = self.folder.display();
                self.warner
                    .warn(format_args!("cannot keep closed files of {} in {folder}: {error}", self.log));
            }
            let mut turn = self.turn.lock();
            if !turn.again {
                turn.working = false;
                return;
            }
            turn.again = false;
        }
    }

    fn keep(&self) -> io::Result<()> {
        let mut files: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for entry in fs::read_dir(&self.folder)? {
            let Ok(name) = entry?.file_name().into_string() else { continue };
            if let Some((stamp, suffix)) = closed(&self.log, &name)
                && (WHOLE.contains(&suffix) || suffix.ends_with(HALF_DONE))
            {
                files.entry(stamp.to_owned()).or_default().push(suffix.to_owned());
            }
        }
        let surplus = match self.rotation.keep {
            0 => 0,
            keep => files.len().saturating_sub(keep),
        };
        for (at, (stamp, suffixes)) in files.iter().enumerate() {
            let file = |suffix: &str| self.folder.join(format!("{}.{stamp}{suffix}", self.log));
            for suffix in suffixes {
                let whole = WHOLE.contains(&suffix.as_str());
                // Where the file itself is still there, who has locked it may be at work.
                let half_done = suffix.ends_with(HALF_DONE) && !suffixes.iter().any(String::is_empty);
                if at < surplus && whole || half_done {
                    remove(&file(suffix))?;
                } else if suffix.is_empty() && !self.compress(&file(""))? {
                    self.left.store(true, Ordering::Relaxed);
                }
            }
        }
        Ok(())
    }

    /// Makes a closed file smaller; whether it could be done now.
    fn compress(&self, path: &Path) -> io::Result<bool> {
        let compression = self.rotation.compression;
        if compression == Compression::None {
            return Ok(true);
        }
        let mut from = match File::open(path) {
            // Somebody else was quicker.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
            opened => opened?,
        };
        if from.try_lock().is_err() {
            // Another process has not closed it yet.
            return Ok(false);
        }
        let done = beside(path, compression.suffix());
        let half_done = beside(&done, HALF_DONE);
        let copied = copy(&mut from, &half_done, compression);
        if copied.is_err() {
            let _ = fs::remove_file(&half_done);
        }
        copied?;
        fs::rename(&half_done, &done)?;
        remove(path)?;
        Ok(true)
    }
}

fn copy(from: &mut File, to: &Path, compression: Compression) -> io::Result<()> {
    let to = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(to)?;
    let to = match compression {
        Compression::None => return Ok(()),
        Compression::Gzip => {
            let mut encoder = flate2::write::GzEncoder::new(to, flate2::Compression::fast());
            io::copy(from, &mut encoder)?;
            encoder.finish()?
        }
        Compression::Zstd => {
            let mut encoder = zstd::Encoder::new(to, 1)?;
            io::copy(from, &mut encoder)?;
            encoder.finish()?
        }
    };
    to.sync_data()
}

/// Removes a file that may be gone already.
fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
