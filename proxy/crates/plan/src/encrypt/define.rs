//! What defines encrypted columns: each definition is one of every part.

use meta::{EncryptColumn, EncryptPart};
use sql::lexer::TokenKind;
use sql::{Change, Clause, ColumnUse, Define, Scalar, SlotKind, Span, Use};

use super::names::Meant;
use super::write::fill;
use super::{Pass, clause, name};
use crate::error::Error;
use crate::text::Op;

/// A stretch of a definition that is another one for each part of the column.
enum Differing {
    /// The column's name.
    Name(Span),
    /// The value of `DEFAULT`.
    Value(Scalar, Span),
}

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
                    let mut differing = vec![Differing::Name(column.name_span)];
                    differing.extend(self.default(define, encrypted)?);
                    self.multiply(define.span, &differing, &meant, encrypted);
                }
                Change::Drop => {
                    self.multiply(define.span, &[Differing::Name(column.name_span)], &meant, encrypted);
                }
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
                        let mut differing =
                            vec![Differing::Name(column.name_span), Differing::Name(other.name_span)];
                        differing.extend(self.default(define, encrypted)?);
                        self.multiply(define.span, &differing, &meant, encrypted);
                    }
                }
                Change::RenameFrom | Change::RenameTo => return Err(alters(&meant)),
                Change::Set => return clause("ALTER COLUMN"),
            }
        }
        Ok(())
    }

    /// Writes a clause once for each part of a column; what differs stands in the order of the text.
    fn multiply(
        &mut self,
        span: Span,
        differing: &[Differing],
        meant: &Meant<'a>,
        encrypted: &EncryptColumn,
    ) {
        let mut others = Vec::new();
        for (part, kind) in encrypted.parts().skip(1) {
            others.push(Op::Literal(", ".into()));
            let mut at = span.start;
            for it in differing {
                let (place, op) = match it {
                    Differing::Name(place) => (place, name(part)),
                    Differing::Value(value, place) => (place, fill(value, *place, meant, encrypted, kind)),
                };
                others.extend(self.edits.copy(Span { start: at, end: place.start }));
                others.push(op);
                at = place.end;
            }
            others.extend(self.edits.copy(Span { start: at, end: span.end }));
        }
        for it in differing {
            match it {
                Differing::Name(place) => self.rename(*place, &encrypted.cipher),
                Differing::Value(value, place) => {
                    let op = fill(value, *place, meant, encrypted, EncryptPart::Cipher);
                    self.edits.replace(*place, vec![op]);
                }
            }
        }
        if !others.is_empty() {
            self.edits.insert(span.end, others);
        }
    }

    /// The literal of `DEFAULT`, which each part holds in its own way. Refuses attributes that would not be true of
    /// ciphertext, or not of several columns.
    fn default(&self, define: &Define, encrypted: &EncryptColumn) -> Result<Option<Differing>, Error> {
        let Some(definition) = define.definition else { return Ok(None) };
        let text = definition.text(self.scope.text, self.scope.slots);
        let base = definition.range(self.scope.slots).start;
        let mut default = None;
        let tokens = sql::lexer::tokens(text, self.scope.mode)?;
        let several = encrypted.parts().count() > 1;
        let mut open = 0_u32;
        for (number, token) in tokens.iter().enumerate() {
            match token.kind {
                TokenKind::LeftParen => open += 1,
                TokenKind::RightParen => open = open.saturating_sub(1),
                _ => {}
            }
            let next = |word: &str| tokens.get(number + 1).is_some_and(|next| next.is(text, word));
            let is = |word: &str| open == 0 && token.is(text, word);
            let wrong = if is("DEFAULT") && !next("NULL") {
                let value =
                    tokens.get(number + 1).and_then(|value| self.literal(base + value.start as usize));
                // Whatever else stands behind it is more than a literal, or a literal in two pieces.
                let last = tokens.get(number + 2).is_none_or(|after| after.kind == TokenKind::Word);
                default = value.filter(|_| last);
                if default.is_some() {
                    continue;
                }
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
        Ok(default)
    }

    /// The literal that begins at a byte of the text.
    fn literal(&self, at: usize) -> Option<Differing> {
        let slot = self.scope.slots.iter().position(|slot| slot.start as usize == at)?;
        let place = self.scope.slots.get(slot)?;
        if !matches!(place.kind, SlotKind::Decimal | SlotKind::Integer | SlotKind::String) {
            return None;
        }
        let span = Span::at(place.start..place.end, self.scope.slots);
        Some(Differing::Value(Scalar::Slot(u32::try_from(slot).ok()?), span))
    }
}

fn alters(meant: &Meant<'_>) -> Error {
    Error::EncryptAlter { table: meant.table.to_owned(), column: meant.column.to_owned() }
}
