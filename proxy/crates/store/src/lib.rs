//! Governance: keeps configuration in the data folder, atomically.
//!
//! One JSON file per logical database and one for variables. A file is written beside the old one, synced, and renamed
//! over it, so that a killed process leaves the old or the new state and never half of one. A change is published only
//! after it is here. What does not read back is refused with the name of the file: guessing would lose rules.
//! Passwords of storage units stand here in the clear, so that nobody but the owner may read.

mod error;
mod file;

pub use error::Error;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{Read as _, Seek as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use meta::{DatabaseSpec, Snapshot};
use serde::{Deserialize, Serialize};

/// Format of the files; another one is refused.
const FORMAT: u32 = 1;

/// Folder of the databases' files.
const DATABASES: &str = "databases";

/// File of everything that is no database's.
const META: &str = "meta.json";

/// Held locked as long as the store is open.
const LOCK: &str = "lock";

/// The data folder, open and locked.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    /// Unlocked by the system when the process ends, however it does.
    _lock: File,
}

/// What the data folder held.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stored {
    /// Databases, by file name.
    pub databases: Vec<DatabaseSpec>,
    /// Variables set by DistSQL, by name.
    pub properties: BTreeMap<String, String>,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct DatabaseFile {
    format: u32,
    database: DatabaseSpec,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct MetaFile {
    format: u32,
    #[serde(default)]
    properties: BTreeMap<String, String>,
}

impl Store {
    /// Opens the data folder, making it if need be, and reads what is there.
    pub fn open(folder: &Path) -> Result<(Self, Stored), Error> {
        let databases = folder.join(DATABASES);
        file::make_folder(folder)?;
        let lock = lock(folder)?;
        file::make_folder(&databases)?;
        file::sweep(folder)?;
        file::sweep(&databases)?;
        let store = Self { folder: folder.to_owned(), _lock: lock };
        let stored = Stored { databases: read_databases(&databases)?, properties: store.read_meta()? };
        Ok((store, stored))
    }

    /// Stores what differs between two snapshots. On an error nothing may be published.
    pub fn save(&self, before: &Snapshot, after: &Snapshot) -> Result<(), Error> {
        let databases = self.folder.join(DATABASES);
        for (name, database) in &after.databases {
            let old = before.database(name);
            if old.is_some_and(|old| Arc::ptr_eq(old, database)) {
                continue;
            }
            let spec = database.spec();
            if old.is_none_or(|old| old.spec() != spec) {
                let file = DatabaseFile { format: FORMAT, database: spec };
                file::write(&databases.join(file_name(name)), &file)?;
            }
        }
        for name in before.databases.keys().filter(|name| after.database(name).is_none()) {
            file::remove(&databases.join(file_name(name)))?;
        }
        if before.properties.stored() != after.properties.stored() {
            let file = MetaFile { format: FORMAT, properties: after.properties.stored() };
            file::write(&self.folder.join(META), &file)?;
        }
        Ok(())
    }

    /// Whether two snapshots are the same as far as they are stored.
    pub fn is_same(before: &Snapshot, after: &Snapshot) -> bool {
        before.properties.stored() == after.properties.stored()
            && before.databases.len() == after.databases.len()
            && after.databases.iter().all(|(name, database)| {
                before
                    .database(name)
                    .is_some_and(|old| Arc::ptr_eq(old, database) || old.spec() == database.spec())
            })
    }

    /// The data folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn read_meta(&self) -> Result<BTreeMap<String, String>, Error> {
        let path = self.folder.join(META);
        if !path.exists() {
            return Ok(BTreeMap::new());
        }
        let meta: MetaFile = file::read(&path)?;
        check_format(&path, meta.format)?;
        meta::Properties::default()
            .restore(&meta.properties)
            .map_err(|error| Error::Foreign { file: path, reason: error.to_string() })?;
        Ok(meta.properties)
    }
}

fn lock(folder: &Path) -> Result<File, Error> {
    let path = folder.join(LOCK);
    let io = |source| Error::Io { file: path.clone(), source };
    let mut file = File::options()
        .create(true)
        .truncate(false)
        .read(true)
        .write(true)
        .mode(0o600)
        .open(&path)
        .map_err(io)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(fs::TryLockError::WouldBlock) => {
            let mut owner = String::new();
            file.read_to_string(&mut owner).map_err(io)?;
            return Err(Error::Locked { folder: folder.to_owned(), owner: owner.trim().to_owned() });
        }
        Err(fs::TryLockError::Error(source)) => return Err(io(source)),
    }
    file.set_len(0).and_then(|()| file.rewind()).map_err(io)?;
    writeln!(file, "{}", std::process::id()).map_err(io)?;
    Ok(file)
}

fn read_databases(folder: &Path) -> Result<Vec<DatabaseSpec>, Error> {
    let mut databases = Vec::new();
    for path in file::list(folder)? {
        let foreign = |reason: String| Error::Foreign { file: path.clone(), reason };
        if path.extension().is_none_or(|it| it != "json") {
            return Err(foreign("it is not one of this folder's files".to_owned()));
        }
        let stored: DatabaseFile = file::read(&path)?;
        check_format(&path, stored.format)?;
        let spec = stored.database;
        if path.file_name().and_then(|name| name.to_str()) != Some(&file_name(&spec.name)) {
            return Err(foreign(format!(
                "it holds database '{}', whose file is called otherwise",
                spec.name
            )));
        }
        Snapshot::load(vec![spec.clone()]).map_err(|error| foreign(error.to_string()))?;
        databases.push(spec);
    }
    Ok(databases)
}

fn check_format(file: &Path, format: u32) -> Result<(), Error> {
    if format == FORMAT {
        return Ok(());
    }
    Err(Error::Foreign {
        file: file.to_owned(),
        reason: format!("it has format {format}, this release reads {FORMAT}"),
    })
}

/// File name of a database: upper-case letters and signs as `%41`, so that two names differ on every file system.
fn file_name(database: &str) -> String {
    let mut name = String::with_capacity(database.len() + 5);
    for character in database.chars() {
        match character {
            'a'..='z' | '0'..='9' | '_' | '-' | '\u{80}'.. => name.push(character),
            _ => name.push_str(&format!("%{:02X}", u32::from(character))),
        }
    }
    name + ".json"
}

#[cfg(test)]
mod tests;
