//! `conf/server.yaml`: accounts, properties, and the blocks of other releases that do no harm (`sql-support.md` §11).
//!
//! An unknown key, and a known one that asks for what this proxy does not do, is refused with file, line and column.

mod blocks;

use std::fs;
use std::path::Path;

use serde::Deserialize;

use crate::error::Error;
use crate::properties::Properties;
use crate::users::Users;

/// Name of the file in the configuration folder.
const FILE: &str = "server.yaml";

/// What `server.yaml` says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Config {
    /// Accounts.
    pub users: Users,
    /// Configuration variables.
    pub properties: Properties,
}

impl Config {
    /// Reads `server.yaml` in a folder.
    pub fn load(folder: &Path) -> Result<Self, Error> {
        let file = folder.join(FILE);
        match fs::read_to_string(&file) {
            Ok(text) => Self::parse(&text, &file),
            Err(error) => Err(Error::Unreadable { file, reason: error.to_string() }),
        }
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
        Ok(Self { users, properties: server.props })
    }
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
