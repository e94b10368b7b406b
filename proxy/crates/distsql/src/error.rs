//! Why a DistSQL text is refused.

use std::fmt;

/// Why a DistSQL text is refused.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum Error {
    /// A name that may come once comes again.
    #[error("{what} is given twice at {place}")]
    Repeated {
        /// What it is.
        what: String,
        /// Where it comes again.
        place: Place,
    },
    /// Something else was expected.
    #[error("expected {expected} but found {found} at {place}")]
    Syntax {
        /// What was expected.
        expected: String,
        /// The token there.
        found: Found,
        /// Where.
        place: Place,
    },
    /// Part of the language, but not carried out.
    #[error("{what} is not supported yet")]
    Unsupported {
        /// What it is.
        what: String,
    },
    /// A string, name or comment without an end.
    #[error("{what} at {place}")]
    Unterminated {
        /// What it is.
        what: String,
        /// Where it begins.
        place: Place,
    },
}

/// The token in place of what was expected.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Found {
    /// None.
    End,
    /// This one.
    Token(String),
}

/// A place in the text.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Place {
    /// From 1.
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
}

impl Place {
    /// The place of a byte of a text.
    pub(crate) fn at(text: &str, offset: usize) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        Self {
            line: before.bytes().filter(|byte| *byte == b'\n').count() + 1,
            column: before[start..].chars().count() + 1,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::End => f.write_str("the end of the statement"),
            Self::Token(text) => write!(f, "'{text}'"),
        }
    }
}
