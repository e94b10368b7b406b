//! Where a query puts its rows when a client does not get them.

use super::cursor::Parser;
use crate::lexer::TokenKind;
use crate::{Error, Pin, Select};

impl Parser<'_> {
    /// Takes `INTO …` if it comes next.
    pub(super) fn destination(&mut self, select: &mut Select) -> Result<bool, Error> {
        if !self.take("INTO") {
            return Ok(false);
        }
        select.traits.into = true;
        self.facts.primary = true;
        if self.take("OUTFILE") || self.take("DUMPFILE") {
            self.expect_kind(TokenKind::String, "a file name")?;
            while self.kind() == Some(TokenKind::String)
                || self.is_any(&[
                    "BY",
                    "CHARACTER",
                    "CHARSET",
                    "COLUMNS",
                    "ENCLOSED",
                    "ESCAPED",
                    "FIELDS",
                    "LINES",
                    "OPTIONALLY",
                    "SET",
                    "STARTING",
                    "TERMINATED",
                    "utf8mb4",
                    "utf8mb3",
                    "utf8",
                    "latin1",
                    "binary",
                    "ascii",
                    "gbk",
                ])
            {
                self.at += 1;
            }
            return Ok(true);
        }
        loop {
            if !self.take_kind(TokenKind::UserVariable) {
                self.name("a variable")?;
            }
            if !self.take_kind(TokenKind::Comma) {
                break;
            }
        }
        self.facts.pin |= Pin::VARIABLE;
        self.facts.session = true;
        Ok(true)
    }
}
