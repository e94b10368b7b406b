//! When a new file is begun, what becomes of those before, and how they are called.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::props::{Fault, Props};

/// When a new file is begun, and what becomes of those before.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Rotation {
    /// Once it has so many bytes; 0 = of any size.
    pub size: u64,
    /// Once it is so old; zero = of any age.
    pub every: Duration,
    /// How many closed ones are kept; 0 = all.
    pub keep: usize,
    /// How closed ones are kept.
    pub compression: Compression,
}

/// How closed files are kept.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Compression {
    /// As gzip does: `.gz`.
    Gzip,
    /// As they are.
    None,
    /// As zstd does: `.zst`.
    Zstd,
}

impl Default for Rotation {
    fn default() -> Self {
        Self { size: 100 << 20, every: Duration::ZERO, keep: 10, compression: Compression::Zstd }
    }
}

impl Rotation {
    /// Reads `rotate-size`, `rotate-every`, `rotate-keep` and `rotate-compression`.
    ///
    /// # Errors
    /// Values that cannot be.
    pub fn read(props: &Props) -> Result<Self, Fault> {
        let default = Self::default();
        let kinds = [("none", Compression::None), ("gzip", Compression::Gzip), ("zstd", Compression::Zstd)];
        Ok(Self {
            size: props.size("rotate-size", default.size)?,
            every: props.duration("rotate-every", Duration::from_secs(1), default.every)?,
            keep: props.number("rotate-keep", (0, 1_000_000), default.keep)?,
            compression: props.choice("rotate-compression", &kinds, default.compression)?,
        })
    }
}

impl Compression {
    /// What stands behind the name of a file.
    pub(super) const fn suffix(self) -> &'static str {
        match self {
            Self::Gzip => ".gz",
            Self::None => "",
            Self::Zstd => ".zst",
        }
    }
}

/// Behind the names of closed files.
pub(super) const WHOLE: [&str; 3] = ["", ".gz", ".zst"];

/// Behind the name of a closed file that is being compressed.
pub(super) const HALF_DONE: &str = ".tmp";

/// A name for a file that is closed now, which no other has or had.
pub(super) fn free_name(path: &Path, stamp: impl Fn(SystemTime) -> String) -> PathBuf {
    let mut at = SystemTime::now();
    loop {
        let name = beside(path, &format!(".{}", stamp(at)));
        let taken = WHOLE.iter().any(|suffix| beside(&name, suffix).exists());
        if !taken {
            return name;
        }
        at += Duration::from_micros(1);
    }
}

/// The path with something behind its name.
pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// What the name of a file says, if it is a closed one of the log that is called `log`: when that was, and what stands
/// behind it.
pub(super) fn closed<'n>(log: &str, name: &'n str) -> Option<(&'n str, &'n str)> {
    let (stamp, suffix) = name.strip_prefix(log)?.strip_prefix('.')?.split_at_checked(STAMP.len())?;
    let like = stamp.bytes().zip(STAMP.bytes()).all(|(byte, like)| match like {
        b'0' => byte.is_ascii_digit(),
        like => byte == like,
    });
    like.then_some((stamp, suffix))
}

/// How a time looks in a name.
const STAMP: &str = "00000000T000000.000000Z";
