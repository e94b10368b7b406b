//! `conf/server.yaml`: accounts, properties, and the blocks of other releases that do no harm (`sql-support.md` §11).
//! Beside it `database-*.yaml` and, as older releases call them, `config-*.yaml`: databases to begin with.
//!
//! An unknown key, and a known one that asks for what this proxy does not do, is refused with file, line and column.

mod blocks;

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::change::DatabaseSpec;
use crate::error::Error;
use crate::properties::Properties;
use crate::users::Users;

/// Name of the file in the configuration folder.
const FILE: &str = "server.yaml";

/// What the configuration folder says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Config {
    /// Accounts.
    pub users: Users,
    /// Configuration variables.
    pub properties: Properties,
    /// Databases to begin with, in the order of their files.
    pub databases: Vec<DatabaseSpec>,
}

impl Config {
    /// Reads `server.yaml` in a folder, and the files of databases.
    pub fn load(folder: &Path) -> Result<Self, Error> {
        let file = folder.join(FILE);
        let config = Self::parse(&read(&file)?, &file)?;
        Ok(Self { databases: databases(folder)?, ..config })
    }

    /// Reads the text of a file; its name is for errors.
    pub fn parse(text: &str, file: &Path) -> Result<Self, Error> {
        let refuse = |line, column, reason| Error::File { file: file.to_owned(), line, column, reason };
        let server: Server = serde_saphyr::from_str(text).map_err(|error| {
            let (line, column) =
                error.location().map_or((1, 1), |location| (location.line(), location.column()));
            let reason = error.without_snippet().to_string();
            let place = format!(" at line {line}, column {column}");
            refuse(line, column, reason.strip_suffix(&place).unwrap_or(&reason).to_owned())
        })?;
        let authority = server
            .authority
            .or_else(|| server.rules.into_iter().find_map(blocks::Rule::authority))
            .unwrap_or_default();
        let users = authority.users();
        if users.iter().next().is_none() {
            return Err(refuse(1, 1, "nobody can log in: `authority.users` is missing or empty".to_owned()));
        }
        Ok(Self { users, properties: server.props, databases: Vec::new() })
    }
}

/// Databases of the files that are no more than comments are none; two of one name are refused.
fn databases(folder: &Path) -> Result<Vec<DatabaseSpec>, Error> {
    let unreadable =
        |error: std::io::Error| Error::Unreadable { file: folder.to_owned(), reason: error.to_string() };
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let file = entry.map_err(unreadable)?.path();
        let is_database = file.file_name().and_then(|name| name.to_str()).is_some_and(|name| {
            (name.starts_with("database-") || name.starts_with("config-"))
                && (name.ends_with(".yaml") || name.ends_with(".yml"))
        });
        if is_database {
            files.push(file);
        }
    }
    files.sort();
    let mut databases: Vec<DatabaseSpec> = Vec::new();
    for file in files {
        let Some(spec) = DatabaseSpec::from_yaml(&read(&file)?, &file)? else { continue };
        if databases.iter().any(|known| known.name == spec.name) {
            let reason = format!("another file has a database `{}`, too", spec.name);
            return Err(Error::File { file, line: 1, column: 1, reason });
        }
        databases.push(spec);
    }
    Ok(databases)
}

fn read(file: &Path) -> Result<String, Error> {
    let unreadable =
        |error: std::io::Error| Error::Unreadable { file: file.to_owned(), reason: error.to_string() };
    fs::read_to_string(file).map_err(unreadable)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[expect(dead_code, reason = "blocks without an effect are read only to be checked")]
struct Server {
    mode: Option<blocks::Mode>,
    authority: Option<blocks::Authority>,
    transaction: Option<blocks::Transaction>,
    sql_parser: Option<blocks::SqlParser>,
    sql_federation: Option<blocks::SqlFederation>,
    logging: Option<serde::de::IgnoredAny>,
    #[serde(default)]
    rules: Vec<blocks::Rule>,
    #[serde(default)]
    props: Properties,
    /// Files over stored state in old releases; here stored state always stands.
    overwrite: Option<bool>,
}

#[cfg(test)]
mod tests;
