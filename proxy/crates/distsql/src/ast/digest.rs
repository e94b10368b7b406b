//! Figures of statements by digest; an addition of Weir's.

/// A statement about figures by digest.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Statement {
    /// `RESET STATEMENT DIGESTS`.
    Reset,
    /// `SHOW STATEMENT DIGESTS`, those that took most time first.
    Show {
        /// `FROM db`: only of this database.
        database: Option<String>,
        /// `LIKE '…'`: only of texts like this.
        like: Option<String>,
        /// `LIMIT n`: no more than so many.
        limit: Option<u64>,
    },
}

impl Statement {
    /// Its first words.
    pub fn title(&self) -> &'static str {
        match self {
            Self::Reset => "RESET STATEMENT DIGESTS",
            Self::Show { .. } => "SHOW STATEMENT DIGESTS",
        }
    }

    /// The database that it names.
    pub fn database(&self) -> Option<&str> {
        match self {
            Self::Reset => None,
            Self::Show { database, .. } => database.as_deref(),
        }
    }
}
