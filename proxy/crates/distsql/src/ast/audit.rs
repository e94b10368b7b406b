//! The audit log; an addition of Weir's.

use indexmap::IndexMap;

/// A statement about the audit log.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Statement {
    /// `ALTER AUDIT LOG`: settings that stand above the file's.
    Alter(IndexMap<String, String>),
    /// `RESET AUDIT LOG`: settings as the file has them.
    Reset,
    /// `ROTATE AUDIT LOG`: a new file.
    Rotate,
    /// `SHOW AUDIT LOG`: settings.
    Show {
        /// `LIKE '…'`: only of names like this.
        like: Option<String>,
    },
    /// `SHOW AUDIT LOG STATUS`: what has been written.
    ShowStatus,
}

impl Statement {
    /// Its first words.
    pub fn title(&self) -> &'static str {
        match self {
            Self::Alter(_) => "ALTER AUDIT LOG",
            Self::Reset => "RESET AUDIT LOG",
            Self::Rotate => "ROTATE AUDIT LOG",
            Self::Show { .. } => "SHOW AUDIT LOG",
            Self::ShowStatus => "SHOW AUDIT LOG STATUS",
        }
    }
}
