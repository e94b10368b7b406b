//! Rules that belong to no database.

/// A statement about rules that belong to no database.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Statement {
    /// `SHOW AUTHORITY RULE`.
    ShowAuthority,
    /// `SHOW SQL_PARSER RULE`.
    ShowParser,
    /// `SHOW TRANSACTION RULE`.
    ShowTransaction,
}

impl Statement {
    /// Its first words.
    pub fn title(self) -> &'static str {
        match self {
            Self::ShowAuthority => "SHOW AUTHORITY RULE",
            Self::ShowParser => "SHOW SQL_PARSER RULE",
            Self::ShowTransaction => "SHOW TRANSACTION RULE",
        }
    }
}
