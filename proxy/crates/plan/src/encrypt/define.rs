//! What defines encrypted columns: each definition is one of every part.

use meta::EncryptColumn;
use sql::{Change, Clause, ColumnUse, Define, Span, Use};

use super::names::Meant;
use super::{Pass, clause, name};
use crate::error::Error;
use crate::text::Op;

impl<'a> Pass<'a, '_> {
    pub(super) fn define(&mut self) -> Result<(), Error> {
        let statement = self.scope.statement;
        let found = |pass: &Self, column: &'a ColumnUse| -> Option<(Meant<'a>, &'a EncryptColumn)> {
            let meant = pass.names.meant(column).filter(|_| column.clause == Clause::Definition)?;
            Some((meant, meant.encrypted?))
        };
        // Names beside a definition first: they are copied with it.
        for column in &statement.uses {
            let Some((_, encrypted)) = found(self, column) else { continue };
            match &column.place {
                Use::Key => self.rename(column.name_span, encrypted.equality().0),
                Use::Define(Define { change: Change::After, .. }) => {
                    let last = encrypted.parts().last().map_or(encrypted.cipher.as_str(), |(part, _)| part);
                    self.rename(column.name_span, last);
                }
                _ => {}
            }
        }
        for column in &statement.uses {
            let Use::Define(define) = &column.place else { continue };
            let Some((meant, encrypted)) = found(self, column) else { continue };
            match define.change {
                Change::After => {}
                Change::Add | Change::Modify => {
                    self.check(define, encrypted)?;
                    self.multiply(define.span, &[column.name_span], encrypted);
                }
                Change::Drop => self.multiply(define.span, &[column.name_span], encrypted),
                Change::ChangeFrom | Change::ChangeTo => {
                    let other = statement.uses.iter().find(|other| {
                        let same = matches!(&other.place, Use::Define(it) if it.span == define.span
                            && matches!(it.change, Change::ChangeFrom | Change::ChangeTo));
                        same && !std::ptr::eq(*other, column)
                    });
                    let Some(other) = other else { continue };
                    if !other.name.eq_ignore_ascii_case(&column.name) {
                        return Err(alters(&meant));
                    }
                    if define.change == Change::ChangeFrom {
                        self.check(define, encrypted)?;
                        self.multiply(define.span, &[column.name_span, other.name_span], encrypted);
                    }
                }
                Change::RenameFrom | Change::RenameTo => return Err(alters(&meant)),
                Change::Set => return clause("ALTER COLUMN"),
            }
        }
        Ok(())
    }

    /// Writes a clause once for each part of a column.
    fn multiply(&mut self, span: Span, names: &[Span], encrypted: &EncryptColumn) {
        let mut others = Vec::new();
        for (part, _) in encrypted.parts().skip(1) {
            others.push(Op::Literal(", ".into()));
            let mut at = span.start;
            for place in names {
                others.extend(self.edits.copy(Span { start: at, end: place.start }));
                others.push(name(part));
                at = place.end;
            }
            others.extend(self.edits.copy(Span { start: at, end: span.end }));
        }
        for place in names {
            self.rename(*place, &encrypted.cipher);
        }
        if !others.is_empty() {
            self.edits.insert(span.end, others);
        }
    }

    /// Refuses attributes that would not be true of ciphertext, or not of several columns.
    fn check(&self, define: &Define, encrypted: &EncryptColumn) -> Result<(), Error> {
        let text = define.definition.map_or("", |span| span.text(self.scope.text, self.scope.slots));
        let tokens = sql::lexer::tokens(text, self.scope.mode)?;
        let several = encrypted.parts().count() > 1;
        let mut open = 0_u32;
        for (number, token) in tokens.iter().enumerate() {
            match token.kind {
                sql::lexer::TokenKind::LeftParen => open += 1,
                sql::lexer::TokenKind::RightParen => open = open.saturating_sub(1),
                _ => {}
            }
            let next = |word: &str| tokens.get(number + 1).is_some_and(|next| next.is(text, word));
            let is = |word: &str| open == 0 && token.is(text, word);
            let wrong = if is("DEFAULT") && !next("NULL") {
                "DEFAULT"
            } else if is("ON") && next("UPDATE") {
                "ON UPDATE"
            } else if is("AUTO_INCREMENT") {
                "AUTO_INCREMENT"
            } else if is("AS") || is("GENERATED") {
                "GENERATED"
            } else if is("REFERENCES") {
                "REFERENCES"
            } else if is("CHECK") {
                "CHECK"
            } else if is("PRIMARY") && several {
                "PRIMARY KEY"
            } else {
                continue;
            };
            return clause(wrong);
        }
        Ok(())
    }
}

fn alters(meant: &Meant<'_>) -> Error {
    Error::EncryptAlter { table: meant.table.to_owned(), column: meant.column.to_owned() }
}
