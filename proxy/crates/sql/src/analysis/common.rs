//! `WITH`: common table expressions.

use super::cursor::Parser;
use super::scope::Common;
use crate::lexer::TokenKind;
use crate::{Error, Role};

impl Parser<'_> {
    /// What follows `WITH`.
    pub(super) fn common_tables(&mut self) -> Result<(), Error> {
        let recursive = self.take("RECURSIVE");
        loop {
            let name = self.name("a name")?;
            let columns = self.column_names()?;
            self.expect("AS")?;
            self.expect_kind(TokenKind::LeftParen, "(")?;
            if recursive {
                self.scope.common_table(Common { name: name.clone(), block: None, columns: Vec::new() })?;
            }
            let block = self.inner_query(Role::Common)?;
            if recursive {
                self.scope.commons.pop();
            }
            self.scope.common_table(Common { name, block: Some(block), columns })?;
            if !self.take_kind(TokenKind::Comma) {
                return Ok(());
            }
        }
    }

    /// Takes `(a, b)`, if it comes next: names given to the columns of a query.
    pub(super) fn column_names(&mut self) -> Result<Vec<String>, Error> {
        let mut columns = Vec::new();
        if !self.take_kind(TokenKind::LeftParen) {
            return Ok(columns);
        }
        loop {
            columns.push(self.name("a column")?.into_owned());
            if !self.take_kind(TokenKind::Comma) {
                self.expect_kind(TokenKind::RightParen, ")")?;
                return Ok(columns);
            }
        }
    }
}
