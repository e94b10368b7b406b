//! Files that are there whole or not at all.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::Error;

/// End of the names of files being written; left behind by a killed process.
const TEMPORARY: &str = ".tmp";

/// Makes a folder only its owner may enter, with its parents; one that is there stays as it is.
pub(crate) fn make_folder(folder: &Path) -> Result<(), Error> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(|source| error(folder, source))
}

/// Removes what killed processes left behind.
pub(crate) fn sweep(folder: &Path) -> Result<(), Error> {
    for path in list(folder)? {
        if path.to_string_lossy().ends_with(TEMPORARY) {
            tracing::debug!(file = %path.display(), "removing a file that was never finished");
            fs::remove_file(&path).map_err(|source| error(&path, source))?;
        }
    }
    Ok(())
}

/// Everything in a folder, by name.
pub(crate) fn list(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut paths = fs::read_dir(folder)
        .and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>())
        .map_err(|source| error(folder, source))?;
    paths.sort();
    Ok(paths)
}

/// Reads a JSON file.
pub(crate) fn read<T: DeserializeOwned>(path: &Path) -> Result<T, Error> {
    let text = fs::read(path).map_err(|source| error(path, source))?;
    serde_json::from_slice(&text).map_err(|source| Error::Torn { file: path.to_owned(), source })
}

/// Writes a JSON file: beside the old one, then over it.
pub(crate) fn write<T: Serialize>(path: &Path, content: &T) -> Result<(), Error> {
    let mut text =
        serde_json::to_vec_pretty(content).map_err(|source| Error::Torn { file: path.to_owned(), source })?;
    text.push(b'\n');
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(TEMPORARY);
    let temporary = PathBuf::from(temporary);
    let written = || -> io::Result<()> {
        let mut file =
            OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&temporary)?;
        file.write_all(&text)?;
        file.sync_all()?;
        fs::rename(&temporary, path)
    };
    written().map_err(|source| error(path, source))?;
    sync_parent(path)
}

/// Removes a file; one that is gone is gone.
pub(crate) fn remove(path: &Path) -> Result<(), Error> {
    match fs::remove_file(path) {
        Ok(()) => sync_parent(path),
        Err(source) if source.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(source) => Err(error(path, source)),
    }
}

/// A rename or removal is lasting only once the folder is synced.
fn sync_parent(path: &Path) -> Result<(), Error> {
    let Some(folder) = path.parent() else { return Ok(()) };
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(|source| error(folder, source))
}

fn error(file: &Path, source: io::Error) -> Error {
    Error::Io { file: file.to_owned(), source }
}
