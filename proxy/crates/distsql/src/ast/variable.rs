//! Configuration variables.

/// A statement about configuration variables.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Statement {
    /// `SET DIST VARIABLE`.
    Set {
        /// Name, letter case as written.
        name: String,
        /// Value as a text.
        value: String,
    },
    /// `SHOW DIST VARIABLES`.
    Show {
        /// `LIKE 'pattern'`.
        like: Option<String>,
    },
    /// `SHOW DIST VARIABLE WHERE NAME = x`.
    ShowOne {
        /// Name, letter case as written.
        name: String,
    },
}

impl Statement {
    /// Its first words.
    pub fn title(&self) -> &'static str {
        match self {
            Self::Set { .. } => "SET DIST VARIABLE",
            Self::Show { .. } => "SHOW DIST VARIABLES",
            Self::ShowOne { .. } => "SHOW DIST VARIABLE",
        }
    }
}
