//! Hints of the session (up to 5.3.1).

use super::sharding::Level;

/// A statement about the session's hints.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Statement {
    /// `ADD SHARDING HINT DATABASE_VALUE t = v`, `… TABLE_VALUE t = v`.
    AddSharding {
        /// What it chooses.
        level: Level,
        /// Logical table.
        table: String,
        /// Value as a text.
        value: String,
    },
    /// `CLEAR HINT`.
    Clear,
    /// `CLEAR READWRITE_SPLITTING HINT`.
    ClearReadwrite,
    /// `CLEAR SHARDING HINT`.
    ClearSharding,
    /// `SET READWRITE_SPLITTING HINT SOURCE = …`.
    SetReadwrite {
        /// `write`, `auto`, or what else was written.
        source: String,
    },
    /// `SET SHARDING HINT DATABASE_VALUE = v`.
    SetSharding {
        /// Value as a text.
        value: String,
    },
    /// `SHOW READWRITE_SPLITTING HINT STATUS`.
    ShowReadwrite,
    /// `SHOW SHARDING HINT STATUS`.
    ShowSharding,
}

impl Statement {
    /// Its first words.
    pub fn title(&self) -> &'static str {
        match self {
            Self::AddSharding { .. } => "ADD SHARDING HINT",
            Self::Clear => "CLEAR HINT",
            Self::ClearReadwrite => "CLEAR READWRITE_SPLITTING HINT",
            Self::ClearSharding => "CLEAR SHARDING HINT",
            Self::SetReadwrite { .. } => "SET READWRITE_SPLITTING HINT",
            Self::SetSharding { .. } => "SET SHARDING HINT",
            Self::ShowReadwrite => "SHOW READWRITE_SPLITTING HINT STATUS",
            Self::ShowSharding => "SHOW SHARDING HINT STATUS",
        }
    }
}
