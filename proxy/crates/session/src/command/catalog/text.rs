//! The texts by which a query over `information_schema` becomes one that a single server can answer.

use std::ops::Range;

use bytes::BytesMut;
use plan::{Arguments, Value};
use sql::lexer::{Token, TokenKind, tokens};
use sql::{Fingerprint, Mode, Slot, SlotKind, Statement};
use wire::hex::hex;

use crate::error::Problem;
use crate::text::Encoding;

/// A text and what it says. All characters before the end stand at the same places in both of its forms.
pub(super) struct Reading {
    pub(super) raw: Vec<u8>,
    pub(super) text: String,
    pub(super) slots: Vec<Slot>,
    pub(super) statement: Statement,
}

impl Reading {
    /// Reads a text; `text` is `raw` as characters.
    pub(super) fn new(
        raw: Vec<u8>,
        text: String,
        fingerprint: &Fingerprint,
        mode: Mode,
    ) -> Result<Self, Problem> {
        let statement =
            sql::analyse(&text, fingerprint, mode).map_err(|error| Problem::syntax(&error, &text))?;
        Ok(Self { raw, text, slots: fingerprint.slots.to_vec(), statement })
    }
}

/// Changes to a text: each stretch with what stands for it. They do not overlap.
#[derive(Debug, Default)]
pub(super) struct Changes(Vec<(Range<usize>, Vec<u8>)>);

impl Changes {
    pub(super) fn replace(&mut self, stretch: Range<usize>, with: impl Into<Vec<u8>>) {
        self.0.push((stretch, with.into()));
    }

    /// The text with the changes made.
    pub(super) fn apply(mut self, raw: &[u8]) -> Vec<u8> {
        self.0.sort_by_key(|(stretch, _)| stretch.start);
        let mut out =
            Vec::with_capacity(raw.len() + self.0.iter().map(|(_, with)| with.len()).sum::<usize>());
        let mut at = 0;
        for (stretch, with) in self.0 {
            out.extend_from_slice(raw.get(at..stretch.start).unwrap_or_default());
            out.extend_from_slice(&with);
            at = stretch.end;
        }
        out.extend_from_slice(raw.get(at..).unwrap_or_default());
        out
    }
}

/// Puts literals in the place of parameters.
pub(super) fn valued(reading: &Reading, params: Option<&dyn Arguments>, charset: &str) -> Vec<u8> {
    let mut changes = Changes::default();
    let slots = reading.slots.iter().filter(|slot| slot.kind == SlotKind::Param);
    for (at, slot) in slots.enumerate() {
        if let Some(params) = params {
            changes.replace(slot.start as usize..slot.end as usize, parameter(params, at, charset));
        }
    }
    changes.apply(&reading.raw)
}

/// What functions about the session answer, in the proxy's place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Own<'a> {
    pub(super) database: Option<&'a str>,
    pub(super) user: &'a str,
    pub(super) account: &'a str,
    pub(super) connection: u32,
    /// Nothing: the server is told it otherwise.
    pub(super) insert_id: Option<u64>,
    /// What the last statement has left behind, where that is asked for.
    pub(super) left: Option<Left>,
    /// Of the text.
    pub(super) encoding: Encoding,
}

/// What the last statement of a session has left behind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Left {
    /// `ROW_COUNT()`, `FOUND_ROWS()`
    pub(crate) figures: exec::Figures,
    /// `@@warning_count`
    pub(crate) warnings: usize,
    /// `@@error_count`
    pub(crate) errors: usize,
}

impl Left {
    /// A number as an expression of the type and length that functions give.
    fn number(value: impl std::fmt::Display, kind: &str) -> String {
        format!("CAST(CAST({value} AS DECIMAL(20)) AS {kind})")
    }
}

impl Own<'_> {
    /// The value of a system variable as an expression.
    fn variable(&self, name: &str) -> Option<String> {
        let left = self.left?;
        let value = match name.to_ascii_lowercase().as_str() {
            "error_count" => left.errors,
            "warning_count" => left.warnings,
            _ => return None,
        };
        // Variables may be NULL, as far as their columns say.
        Some(format!("NULLIF({}, NULL)", Left::number(value, "UNSIGNED")))
    }

    /// The value of a function without arguments as a literal, and the type that makes it a column as MySQL has it.
    fn call(&self, name: &str, called: bool) -> Option<(String, &'static str)> {
        const USER: &str = "CHAR(288)";
        Some(match name.to_ascii_uppercase().as_str() {
            "DATABASE" | "SCHEMA" if called => {
                (self.database.map_or_else(|| "NULL".to_owned(), literal), "CHAR(64)")
            }
            "USER" | "SESSION_USER" | "SYSTEM_USER" if called => (literal(self.user), USER),
            "CURRENT_USER" => (literal(self.account), USER),
            "CONNECTION_ID" if called => (self.connection.to_string(), "UNSIGNED"),
            "FOUND_ROWS" if called => (Left::number(self.left?.figures.found_rows, "SIGNED"), "SIGNED"),
            "LAST_INSERT_ID" if called => (self.insert_id?.to_string(), "UNSIGNED"),
            "ROW_COUNT" if called => (Left::number(self.left?.figures.row_count, "SIGNED"), "SIGNED"),
            _ => return None,
        })
    }
}

/// Puts literals in the place of functions that a server would answer for its own connection; nothing when there is none
/// of them. Columns keep the names that the functions gave them.
pub(super) fn own_calls(reading: &Reading, mode: Mode, own: Own<'_>) -> Option<Vec<u8>> {
    let text = reading.text.as_str();
    let tokens = tokens(text, mode).ok()?;
    let tokens: Vec<Token> = tokens.into_iter().filter(|token| token.kind != TokenKind::Comment).collect();
    let mut calls: Vec<(Range<usize>, String, &str)> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let kind = |ahead: usize| tokens.get(at + ahead).map(|token| token.kind);
        let before = at.checked_sub(1).and_then(|at| tokens.get(at));
        let named = before.is_some_and(|before| {
            matches!(before.kind, TokenKind::Dot | TokenKind::SystemVariable) || before.is(text, "AS")
        });
        if token.kind == TokenKind::SystemVariable {
            let scoped = kind(2) == Some(TokenKind::Dot);
            let name = tokens.get(at + if scoped { 3 } else { 1 });
            if let Some((name, value)) = name.and_then(|name| Some((name, own.variable(name.text(text))?))) {
                calls.push((token.start as usize..name.end as usize, value, "UNSIGNED"));
            }
        }
        if token.kind != TokenKind::Word || named || kind(1) == Some(TokenKind::Dot) {
            continue;
        }
        let called = kind(1) == Some(TokenKind::LeftParen) && kind(2) == Some(TokenKind::RightParen);
        if let Some((value, kind)) = own.call(token.text(text), called) {
            let last = if called { tokens.get(at + 2).unwrap_or(token) } else { token };
            calls.push((token.start as usize..last.end as usize, value, kind));
        }
    }
    if calls.is_empty() {
        return None;
    }
    let mut changes = Changes::default();
    let outputs = reading.statement.blocks.iter().flat_map(|block| &block.outputs);
    let items: Vec<Range<usize>> = outputs
        .filter(|output| output.alias.is_none())
        .map(|output| output.span.range(&reading.slots))
        .filter(|item| calls.iter().any(|(call, ..)| item.start <= call.start && call.end <= item.end))
        .collect();
    for item in &items {
        let written = text.get(item.clone()).unwrap_or_default();
        // A name has 256 characters at most.
        let end = written.char_indices().nth(255).map_or(written.len(), |(at, _)| at);
        let written = reading.raw.get(item.start..item.start + end).unwrap_or_default();
        let mut alias = b" AS `".to_vec();
        // As a server reads it between backquotes.
        let read = crate::text::name(written, own.encoding);
        written.iter().zip(read.bytes()).for_each(|(byte, read)| {
            alias.extend_from_slice(if read == b'`' { b"``" } else { std::slice::from_ref(byte) })
        });
        alias.push(b'`');
        changes.replace(item.end..item.end, alias);
    }
    for (call, value, kind) in calls {
        let alone = reading
            .statement
            .blocks
            .iter()
            .flat_map(|block| &block.outputs)
            .any(|output| output.span.range(&reading.slots) == call);
        // Among others its coercibility counts, which is that of a literal, nearly.
        changes.replace(call, if alone { format!("CAST({value} AS {kind})") } else { value });
    }
    Some(changes.apply(&reading.raw))
}

/// Where the word of a `TABLE t` begins whose table is mentioned at `start`.
pub(super) fn table_verb(reading: &Reading, mode: Mode, start: usize) -> Option<usize> {
    let text = reading.text.as_str();
    let tokens = tokens(text, mode).ok()?;
    let before =
        tokens.iter().rfind(|token| token.kind != TokenKind::Comment && token.end as usize <= start)?;
    before.is(text, "TABLE").then_some(before.start as usize)
}

/// A parameter's value as a literal.
fn parameter(params: &dyn Arguments, at: usize, charset: &str) -> Vec<u8> {
    match params.value(at) {
        Value::Null | Value::Other => b"NULL".to_vec(),
        Value::Int(value) => value.to_string().into_bytes(),
        Value::UInt(value) => value.to_string().into_bytes(),
        Value::Double(value) => format!("{value:e}").into_bytes(),
        Value::Moment(value) => {
            let mut text = BytesMut::new();
            value.write_text(&mut text, 6);
            [b"'", &text[..], b"'"].concat()
        }
        Value::Bytes(bytes)
            if params.is_decimal(at) && bytes.iter().all(|byte| b"0123456789.-".contains(byte)) =>
        {
            bytes.to_vec()
        }
        Value::Bytes(bytes) => string(bytes, charset).into_bytes(),
    }
}

/// A text as a literal that means the same in every mode and character set.
pub(super) fn literal(text: &str) -> String {
    // Names and what is said of them are in utf8mb3 wherever that can hold them.
    let charset = if text.chars().any(|character| character.len_utf8() > 3) { "utf8mb4" } else { "utf8mb3" };
    string(text.as_bytes(), charset)
}

/// The same with the character set always named, as that of a column.
pub(super) fn named(text: &str) -> String {
    let literal = literal(text);
    if literal.starts_with('_') { literal } else { format!("_utf8mb3{literal}") }
}

/// Bytes in a character set as a literal; plain where they are.
pub(super) fn string(bytes: &[u8], charset: &str) -> String {
    let plain = bytes.iter().all(|byte| matches!(byte, b' '..=b'~') && !matches!(byte, b'\'' | b'\\'));
    if plain {
        return format!("'{}'", String::from_utf8_lossy(bytes));
    }
    format!("_{charset} x'{}'", hex(bytes))
}

/// A name in backquotes.
pub(super) fn name(name: &str) -> String {
    format!("`{}`", name.replace('`', "``"))
}
