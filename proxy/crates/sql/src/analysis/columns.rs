//! Columns and keys in definitions of tables. What is not known is passed over up to the next comma; names in
//! parentheses that may be columns are noted all the same.

use super::cursor::Parser;
use crate::lexer::TokenKind;
use crate::{Change, Define, Error, Span, Use};

/// What begins an element of a table that is no column.
const KEYS: [&str; 9] =
    ["CHECK", "CONSTRAINT", "FOREIGN", "FULLTEXT", "INDEX", "KEY", "PRIMARY", "SPATIAL", "UNIQUE"];

/// Attributes that tie a column to others or may stand once only.
const CONSTRAINTS: [&str; 8] =
    ["AS", "AUTO_INCREMENT", "CHECK", "GENERATED", "KEY", "PRIMARY", "REFERENCES", "UNIQUE"];

impl Parser<'_> {
    /// Columns and keys of a table up to and with the `)`; `(` is taken.
    pub(super) fn elements(&mut self) -> Result<(), Error> {
        loop {
            if self.is_any(&KEYS) {
                self.key()?;
            } else {
                self.definition_of(self.at, &[Change::Add])?;
            }
            if !self.take_kind(TokenKind::Comma) {
                return self.expect_kind(TokenKind::RightParen, ")");
            }
        }
    }

    /// One clause of `ALTER TABLE`.
    pub(super) fn change(&mut self) -> Result<(), Error> {
        let first = self.at;
        if self.take("ADD") {
            if self.is_any(&KEYS) {
                return self.key();
            }
            if self.is("PARTITION") {
                return self.rest();
            }
            self.take("COLUMN");
            self.take_all(&["IF", "NOT", "EXISTS"]);
            if self.take_kind(TokenKind::LeftParen) {
                return self.elements();
            }
            return self.definition_of(first, &[Change::Add]);
        }
        if self.take("MODIFY") {
            self.take("COLUMN");
            return self.definition_of(first, &[Change::Modify]);
        }
        if self.take("CHANGE") {
            self.take("COLUMN");
            return self.definition_of(first, &[Change::ChangeFrom, Change::ChangeTo]);
        }
        if self.are(&["RENAME", "COLUMN"]) {
            self.at += 2;
            let from = self.lone_column(Use::Key)?;
            self.expect("TO")?;
            let to = self.lone_column(Use::Key)?;
            let span = self.span_from(first);
            for (column, change) in [(from, Change::RenameFrom), (to, Change::RenameTo)] {
                self.claim(
                    column,
                    Use::Define(Define { change, definition: None, span, constrained: false }),
                );
            }
            return self.rest();
        }
        if self.are(&["ORDER", "BY"]) {
            self.at += 2;
            loop {
                self.lone_column(Use::Other("ORDER BY".into()))?;
                self.take_any(&["ASC", "DESC"]);
                if !self.take_kind(TokenKind::Comma) {
                    return Ok(());
                }
            }
        }
        let dropped = self.is("DROP");
        if dropped || self.is("ALTER") {
            self.at += 1;
            let column = self.take("COLUMN");
            if column || self.is_name(0) && !self.is_any(&["INDEX", "KEY", "PARTITION"]) {
                self.take_all(&["IF", "EXISTS"]);
                let index = self.lone_column(Use::Key)?;
                self.attributes()?;
                let change = if dropped { Change::Drop } else { Change::Set };
                let span = self.span_from(first);
                self.claim(index, Use::Define(Define { change, definition: None, span, constrained: false }));
                return Ok(());
            }
        }
        self.rest()
    }

    /// A column from its name on, or from its old name on; `first` begins the whole.
    fn definition_of(&mut self, first: usize, changes: &[Change]) -> Result<(), Error> {
        let mut columns = Vec::new();
        for change in changes {
            columns.push((*change, self.lone_column(Use::Key)?));
        }
        let second = self.at;
        let constrained = self.attributes()?;
        let definition = Span { start: self.start(second), end: self.last_end() };
        if self.take("AFTER") {
            let index = self.lone_column(Use::Key)?;
            columns.push((Change::After, index));
        } else {
            self.take("FIRST");
        }
        let span = self.span_from(first);
        for (change, column) in columns {
            let definition = Some(definition).filter(|_| change != Change::After && self.at > second);
            self.claim(column, Use::Define(Define { change, definition, span, constrained }));
        }
        // Whatever else there is.
        self.attributes()?;
        Ok(())
    }

    /// Type and attributes up to `FIRST`, `AFTER`, a comma or the `)` that ends the table; says whether there are
    /// any of [`CONSTRAINTS`].
    fn attributes(&mut self) -> Result<bool, Error> {
        let mut constrained = false;
        while let Some(token) = self.peek() {
            match token.kind {
                TokenKind::Comma | TokenKind::RightParen => break,
                TokenKind::LeftParen => self.names_in("definition")?,
                TokenKind::Word if self.is_any(&["AFTER", "FIRST"]) => break,
                TokenKind::Word if self.is("REFERENCES") => {
                    constrained = true;
                    self.references_of()?;
                }
                _ => {
                    constrained |= self.is_any(&CONSTRAINTS);
                    self.at += 1;
                }
            }
        }
        Ok(constrained)
    }

    /// A key or constraint, up to a comma or the `)` that ends the table.
    fn key(&mut self) -> Result<(), Error> {
        let mut check = false;
        let mut parts = false;
        while let Some(token) = self.peek() {
            match token.kind {
                TokenKind::Comma | TokenKind::RightParen => return Ok(()),
                TokenKind::LeftParen if check => self.names_in("CHECK")?,
                TokenKind::LeftParen if !parts => {
                    parts = true;
                    self.key_parts()?;
                }
                TokenKind::LeftParen => self.names_in("definition")?,
                TokenKind::Word if self.is("REFERENCES") => self.references_of()?,
                _ => {
                    check |= self.is("CHECK");
                    self.at += 1;
                }
            }
        }
        Ok(())
    }

    /// `(a, b(10) DESC, (UPPER(c)))`
    pub(super) fn key_parts(&mut self) -> Result<(), Error> {
        self.expect_kind(TokenKind::LeftParen, "(")?;
        loop {
            if self.kind() == Some(TokenKind::LeftParen) {
                self.names_in("functional key")?;
            } else {
                self.lone_column(Use::Key)?;
                if self.take_kind(TokenKind::LeftParen) {
                    self.skip_parens()?;
                }
            }
            self.take_any(&["ASC", "DESC"]);
            if !self.take_kind(TokenKind::Comma) {
                return self.expect_kind(TokenKind::RightParen, ")");
            }
        }
    }

    /// `REFERENCES t (a, b)`: the columns are that table's.
    fn references_of(&mut self) -> Result<(), Error> {
        self.at += 1;
        self.target()?;
        let owner = self.scope.tables.last().map(|table| table.name.clone());
        if !self.take_kind(TokenKind::LeftParen) {
            return Ok(());
        }
        loop {
            let index = self.lone_column(Use::Other("REFERENCES".into()))?;
            if let Some(column) = self.uses.get_mut(index as usize) {
                column.owner.clone_from(&owner);
            }
            if !self.take_kind(TokenKind::Comma) {
                return self.expect_kind(TokenKind::RightParen, ")");
            }
        }
    }

    /// One token of the options of a table, or the columns of `PARTITION BY … (…)`.
    pub(super) fn option(&mut self) -> Result<(), Error> {
        if self.is_any(&["PARTITION", "SUBPARTITION"]) && self.is_ahead(1, "BY") {
            while self.kind().is_some_and(|kind| kind != TokenKind::LeftParen) {
                self.at += 1;
            }
            return self.names_in("PARTITION BY");
        }
        if self.are(&["WITH", "TABLE"]) {
            // EXCHANGE PARTITION p WITH TABLE t
            self.at += 2;
            return self.target();
        }
        self.at += 1;
        Ok(())
    }

    /// The rest of a clause of `ALTER TABLE`.
    fn rest(&mut self) -> Result<(), Error> {
        while let Some(token) = self.peek() {
            match token.kind {
                TokenKind::Comma => return Ok(()),
                TokenKind::LeftParen => {
                    self.at += 1;
                    self.skip_parens()?;
                }
                _ => self.option()?,
            }
        }
        Ok(())
    }

    /// Everything in the parentheses that come next, if any do: names that may be columns are noted.
    fn names_in(&mut self, what: &'static str) -> Result<(), Error> {
        if self.kind() != Some(TokenKind::LeftParen) {
            return Ok(());
        }
        let mut open = 0_u32;
        while let Some(token) = self.peek() {
            match token.kind {
                TokenKind::LeftParen => open += 1,
                TokenKind::RightParen if open == 1 => {
                    self.at += 1;
                    return Ok(());
                }
                TokenKind::RightParen => open -= 1,
                _ if self.is_name(0) && self.kind_ahead(1) != Some(TokenKind::LeftParen) => {
                    let column = self.column()?;
                    self.claim(column.index, Use::Other(what.into()));
                    continue;
                }
                _ => {}
            }
            self.at += 1;
        }
        Err(self.expected(")"))
    }
}
