//! Which rows of a table of `information_schema` a query can want at most, as far as its condition says so plainly. What
//! is gathered for it may be more: the query's own text is evaluated over it.

use std::ops::Range;

use plan::CatalogTable;
use sql::lexer::{Token, TokenKind, tokens};
use sql::{Body, Column, Comparison, Mode, Predicate, Scalar, SlotKind, TableRef};

use super::text::Reading;

/// What is wanted of one mention of a table, by names as they are written; nothing for any. The letter case of databases
/// does not count, that of tables does where the servers say so.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(super) struct Wanted {
    pub(super) schemas: Option<Vec<String>>,
    pub(super) tables: Option<Vec<String>>,
    /// Where these names stand in the text, those of databases and those of tables.
    pub(super) names: Vec<(Range<usize>, Kind)>,
}

/// What a name in a condition is of.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Kind {
    Schema,
    Table,
}

impl Wanted {
    /// Of one mention in a statement.
    pub(super) fn of(reading: &Reading, mode: Mode, table: &TableRef, known: &CatalogTable) -> Self {
        let mut wanted = Self::default();
        let Body::Select(select) = &reading.statement.body else { return wanted };
        // A condition is only about what is in the statement's own FROM.
        if table.nested || select.traits.set_operation {
            return wanted;
        }
        wanted.read(&select.filter, reading, mode, table, known);
        wanted
    }

    fn read(
        &mut self,
        filter: &Predicate,
        reading: &Reading,
        mode: Mode,
        table: &TableRef,
        known: &CatalogTable,
    ) {
        let (column, values) = match filter {
            Predicate::And(parts) => {
                parts.iter().for_each(|part| self.read(part, reading, mode, table, known));
                return;
            }
            Predicate::Compare { column, op: Comparison::Equal, value } => {
                (column, std::slice::from_ref(value))
            }
            Predicate::In { column, values } => (column, values.as_slice()),
            _ => return,
        };
        if !is_of(column, table) {
            return;
        }
        let is = |name: &str| column.name.eq_ignore_ascii_case(name);
        let (slot, kind) = if is(known.schema) || known.also.is_some_and(is) {
            (&mut self.schemas, Kind::Schema)
        } else if known.table.is_some_and(is) {
            (&mut self.tables, Kind::Table)
        } else {
            return;
        };
        let texts: Option<Vec<String>> = values.iter().map(|value| string(value, reading, mode)).collect();
        let Some(texts) = texts else { return };
        let slots = values.iter().filter_map(|value| match value {
            Scalar::Slot(slot) => reading.slots.get(*slot as usize),
            _ => None,
        });
        self.names.extend(slots.map(|slot| (slot.start as usize..slot.end as usize, kind)));
        match slot {
            Some(before) => {
                before.retain(|text| texts.iter().any(|other| other.eq_ignore_ascii_case(text)));
            }
            None => *slot = Some(texts),
        }
    }

    /// The only database that is wanted.
    pub(super) fn schema(&self) -> Option<&str> {
        let [schema] = self.schemas.as_deref()? else { return None };
        Some(schema)
    }

    /// The only table that is wanted.
    pub(super) fn table(&self) -> Option<&str> {
        let [table] = self.tables.as_deref()? else { return None };
        Some(table)
    }

    /// Whether a database may be wanted.
    pub(super) fn wants(&self, schema: &str) -> bool {
        self.schemas
            .as_ref()
            .is_none_or(|schemas| schemas.iter().any(|name| name.eq_ignore_ascii_case(schema)))
    }
}

/// Whether a column is one of this table; without an owner it may be.
fn is_of(column: &Column, table: &TableRef) -> bool {
    let name = table.alias.as_ref().unwrap_or(&table.name);
    column.owner.as_ref().is_none_or(|owner| owner.eq_ignore_ascii_case(name))
}

/// A plain string without blanks at its end, as collations compare names. Beyond ASCII they know more than we do.
fn string(value: &Scalar, reading: &Reading, mode: Mode) -> Option<String> {
    let Scalar::Slot(number) = value else { return None };
    let number = *number as usize;
    let slot = reading.slots.get(number).filter(|slot| slot.kind == SlotKind::String)?;
    // Strings side by side are one.
    let between = |range: Range<usize>| reading.text.get(range).is_some_and(|gap| gap.trim().is_empty());
    let joined = reading
        .slots
        .get(number + 1)
        .is_some_and(|next| next.kind == SlotKind::String && between(slot.end as usize..next.start as usize));
    if joined {
        return None;
    }
    let text = sql::unquote::string(slot.text(&reading.text), mode).into_owned();
    text.is_ascii().then(|| text.trim_end().to_owned())
}

/// The names that a query mentions, in upper case; nothing when it may mean columns that it does not name.
pub(super) fn mentioned(text: &str, mode: Mode) -> Option<Vec<String>> {
    let tokens: Vec<Token> = tokens(text, mode).ok()?;
    let all = |token: &Token| token.kind == TokenKind::Star || token.is_any(text, &["NATURAL", "TABLE"]);
    if tokens.iter().any(all) {
        return None;
    }
    Some(tokens.iter().filter_map(|token| token.name(text)).map(|name| name.to_ascii_uppercase()).collect())
}
