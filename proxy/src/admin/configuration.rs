//! `EXPORT` and `IMPORT DATABASE CONFIGURATION`, `CONVERT YAML CONFIGURATION` (`distsql.md` §10), and the databases that
//! the configuration folder begins with.
//!
//! Files are read and written by this process with its own rights. What is exported holds passwords: nobody but the
//! owner may read it. A file that is there already is not written over, as `SELECT … INTO OUTFILE` of MySQL would not.

use std::fs::{self, File};
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use distsql::configuration::Statement;
use meta::{DatabaseSpec, Snapshot};

use super::{Admin, Answer, Error, Servers, cell, convert, tables};

impl<S: Servers> Admin<S> {
    pub(super) async fn configuration(
        &self,
        current: Option<&str>,
        statement: &Statement,
    ) -> Result<Answer, Error> {
        match statement {
            Statement::Convert { file } => Ok(Answer::Rows {
                columns: vec!["distsql"],
                rows: vec![vec![cell(convert::text(&read(file)?)?)]],
            }),
            Statement::Export { database, file } => {
                let text = self.named(database, current)?.spec().to_yaml();
                let answer = match file {
                    None => text,
                    Some(file) => {
                        write(Path::new(file), &text)?;
                        format!("Successfully exported to：'{file}'")
                    }
                };
                Ok(Answer::Rows { columns: vec!["result"], rows: vec![vec![cell(answer)]] })
            }
            Statement::Import { file } => self.import(file).await,
        }
    }

    /// All or nothing: every unit has to let us in before the database is there.
    async fn import(&self, file: &str) -> Result<Answer, Error> {
        let spec = read(file)?;
        let name = spec.name.clone();
        let _turn = self.turn.lock().await;
        let next = self.published.load().import(spec.clone())?;
        let units: Vec<_> = next.known(&name)?.units.values().cloned().collect();
        let found = self.survey(&units).await?;
        self.commit(|snapshot| tables::place(&snapshot.import(spec)?, &name, found))?;
        Ok(Answer::Ok)
    }
}

/// With the databases of the configuration folder that are not there yet: what DistSQL has said before stands.
pub(super) fn begin(stored: &Snapshot, databases: &[DatabaseSpec]) -> Result<Snapshot, meta::Error> {
    let mut snapshot = stored.clone();
    for spec in databases.iter().filter(|spec| stored.database(&spec.name).is_none()) {
        snapshot = snapshot.import(spec.clone())?;
    }
    Ok(snapshot)
}

/// Reads a file with a database in it.
fn read(file: &str) -> Result<DatabaseSpec, Error> {
    let path = Path::new(file);
    let text = fs::read_to_string(path)
        .map_err(|error| meta::Error::Unreadable { file: path.to_owned(), reason: error.to_string() })?;
    DatabaseSpec::from_yaml(&text, path)?
        .ok_or_else(|| Error::other(format_args!("there is no database in {file}")))
}

fn write(path: &Path, text: &str) -> Result<(), Error> {
    let written = File::options()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
        .and_then(|mut file| file.write_all(text.as_bytes()).and_then(|()| file.sync_all()));
    written.map_err(|error| Error::other(format_args!("cannot write {}: {error}", path.display())))
}
