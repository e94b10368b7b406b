//! Why the data folder cannot be read or written.

use std::io;
use std::path::PathBuf;

/// Why the data folder cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file that is not what it should be.
    #[error("cannot use {}: {reason}", file.display())]
    Foreign {
        /// Which.
        file: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The system refused.
    #[error("{}: {source}", file.display())]
    Io {
        /// Which file or folder.
        file: PathBuf,
        /// Its reason.
        source: io::Error,
    },
    /// Another process has it open.
    #[error("data folder {} is in use by process {owner}", folder.display())]
    Locked {
        /// Which folder.
        folder: PathBuf,
        /// Process id.
        owner: String,
    },
    /// A file that does not read as it was written.
    #[error("cannot read {}, line {}, column {}: {source}", file.display(), source.line(), source.column())]
    Torn {
        /// Which.
        file: PathBuf,
        /// What is wrong with it.
        source: serde_json::Error,
    },
}
