//! Configuration as a file.

/// A statement about configuration files.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Statement {
    /// `CONVERT YAML CONFIGURATION`.
    Convert {
        /// File.
        file: String,
    },
    /// `EXPORT DATABASE CONFIGURATION`.
    Export {
        /// Database.
        database: Option<String>,
        /// File; nothing means that the answer is the text.
        file: Option<String>,
    },
    /// `IMPORT DATABASE CONFIGURATION`.
    Import {
        /// File.
        file: String,
    },
}

impl Statement {
    /// Its first words.
    pub fn title(&self) -> &'static str {
        match self {
            Self::Convert { .. } => "CONVERT YAML CONFIGURATION",
            Self::Export { .. } => "EXPORT DATABASE CONFIGURATION",
            Self::Import { .. } => "IMPORT DATABASE CONFIGURATION",
        }
    }

    /// The database that it names.
    pub fn database(&self) -> Option<&str> {
        match self {
            Self::Export { database, .. } => database.as_deref(),
            _ => None,
        }
    }
}
