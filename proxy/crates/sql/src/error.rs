//! What can be wrong with a text.

/// Why a text could not be read. Positions are byte offsets.
#[derive(Clone, Debug, Eq, PartialEq, serde::Serialize, thiserror::Error)]
pub enum Error {
    /// A second statement after a `;`.
    #[error("only one statement at a time is supported, another begins at byte {at}")]
    Multiple {
        /// Its first byte.
        at: usize,
    },
    /// Something else was expected.
    #[error("expected {expected}, found {found}")]
    Syntax {
        /// Where it was expected.
        at: usize,
        /// What was expected.
        expected: &'static str,
        /// The token there, or `the end of the statement`.
        found: String,
    },
    /// Parentheses, subqueries or operators are nested too deeply.
    #[error("nested too deeply")]
    TooDeep {
        /// Where the limit was reached.
        at: usize,
    },
    /// Longer than 4 GB.
    #[error("the statement is too long")]
    TooLong,
    /// More tables side by side, or common table expressions, than any server joins.
    #[error("too many tables")]
    TooManyTables,
    /// No end of `/* …`, `'…`, `` `… `` and the like.
    #[error("unterminated {what}")]
    Unterminated {
        /// Where it begins.
        at: usize,
        /// What it is.
        what: &'static str,
    },
}

impl Error {
    /// Where in the text, as a byte offset.
    pub fn at(&self) -> usize {
        match *self {
            Self::Multiple { at }
            | Self::Syntax { at, .. }
            | Self::TooDeep { at }
            | Self::Unterminated { at, .. } => at,
            Self::TooLong | Self::TooManyTables => 0,
        }
    }

    /// Where in `text`, as line and column in characters, both from 1.
    pub fn line_column(&self, text: &str) -> (usize, usize) {
        let mut at = self.at().min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        let before = &text[..at];
        let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        (line, before[start..].chars().count() + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_lines_and_columns_in_characters() {
        let text = "SELECT 'é',\n  'ü' x !";
        let at = text.find('!').unwrap();
        assert_eq!(Error::TooDeep { at }.line_column(text), (2, 9));
        assert_eq!(Error::TooLong.line_column(text), (1, 1));
    }
}
