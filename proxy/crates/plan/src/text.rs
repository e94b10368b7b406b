//! The texts of a template: the client's own bytes with names, derived columns, paging and rows spliced in.

use std::cmp::Reverse;
use std::sync::Arc;

use bytes::BufMut;
use meta::{Cipher, DataNode, Database, ShardedTable};
use smallvec::SmallVec;
use sql::{Mode, Place, Scalar, Slot, SlotKind, Span};

use crate::algorithm::cipher;
use crate::call::{Bound, Call, Generated};
use crate::clear::{Clear, holds_param};
use crate::plan::RouteUnit;

/// One step of writing a text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Op {
    /// ` AS` and the stretch of the client's text as a quoted name.
    Alias(Span),
    /// A value of the client's, encrypted. It is a parameter of the proxy's own where a parameter is part of it, else
    /// a quoted string; `NULL` stays `NULL`. May stand anywhere, any number of times.
    Cipher(Box<Ciphered>),
    /// The quoted name of a constraint of this sharded table on this node.
    Constraint {
        /// The table's number in the rule.
        rule: u16,
        /// What the client calls it.
        name: Box<str>,
    },
    /// A stretch of the client's text.
    Copy(Span),
    /// The generated key of this row of an `INSERT`: a parameter of the proxy's own in a prepared statement.
    Key(u32),
    /// The number of rows that every node must give.
    Limit,
    /// A fixed text for each source, by its number.
    Listed(Box<[Box<str>]>),
    /// A fixed text.
    Literal(Box<str>),
    /// The rows of `VALUES` that go to this node.
    Rows,
    /// The quoted name of the database on this unit, and a fixed text behind it.
    Schema(Box<str>),
    /// The physical name of a sharded table (by its number in the rule) on this node.
    Table { rule: u16, quoted: bool },
}

/// A value of the client's, as a column under an encryption rule holds it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Ciphered {
    /// Which value; one that is not known when it is needed is refused then.
    pub(crate) value: Scalar,
    pub(crate) cipher: Arc<Cipher>,
    pub(crate) role: Role,
    /// Logical table and column, for errors.
    pub(crate) table: Box<str>,
    pub(crate) column: Box<str>,
}

/// What the value is for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Role {
    /// The pattern of `LIKE` without `ESCAPE`.
    Pattern,
    /// To be stored, or compared with what is stored.
    Stored,
}

/// A parameter of a text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Param<'t> {
    /// The client's own, by its slot.
    Client(u32),
    /// The generated key of this row.
    Key(u32),
    /// The number of [`Op::Limit`].
    Limit,
    /// Encrypted.
    Own(&'t Ciphered),
}

/// Changes to the client's text, in any order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Edits {
    /// Names, which are replaced wherever their stretch of text is copied to.
    names: Vec<(Span, Op)>,
    /// All others; those at one place in the order they came.
    others: Vec<(Span, Vec<Op>)>,
}

/// A text, ready to be written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Text {
    pub(crate) ops: Box<[Op]>,
    /// How each row of `VALUES` is written for [`Op::Rows`]; empty when all are copied.
    pub(crate) rows: Box<[Box<[Op]>]>,
}

/// What ops need beside the call.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub(crate) database: Option<&'a Database>,
    /// The stretches of the rows of `VALUES`.
    pub(crate) rows: &'a [Span],
    /// The number that [`Op::Limit`] writes; nothing when it is sent as a parameter.
    pub(crate) limit: Option<u64>,
    /// For each slot, how many parameters stand before it.
    pub(crate) ordinals: &'a [u32],
    /// How the client's strings are quoted.
    pub(crate) mode: Mode,
}

impl<'a> Context<'a> {
    /// A sharded table, and which of its nodes the text is for.
    fn node(&self, rule: u16, unit: &RouteUnit) -> Option<(&'a ShardedTable, &'a DataNode)> {
        let (_, table) = self.database?.sharding.tables.get_index(usize::from(rule))?;
        Some((table, table.nodes.get(unit.node.unwrap_or_default() as usize)?))
    }
}

impl Edits {
    /// Replaces a name.
    pub(crate) fn name(&mut self, span: Span, op: Op) {
        self.names.push((span, op));
    }

    /// Replaces anything else.
    pub(crate) fn replace(&mut self, span: Span, ops: Vec<Op>) {
        self.others.push((span, ops));
    }

    /// Replaces anything else, with the names in it.
    pub(crate) fn instead(&mut self, span: Span, ops: Vec<Op>) {
        self.names.retain(|(name, _)| name.end <= span.start || span.end <= name.start);
        self.replace(span, ops);
    }

    /// Adds something.
    pub(crate) fn insert(&mut self, place: Place, ops: Vec<Op>) {
        self.replace(Span { start: place, end: place }, ops);
    }

    /// Whether a name inside the stretch is replaced.
    pub(crate) fn touches(&self, span: Span) -> bool {
        self.names.iter().any(|(name, _)| span.start <= name.start && name.end <= span.end)
    }

    /// Whether something is given an alias there.
    pub(crate) fn names(&self, place: Place) -> bool {
        let is_alias = |ops: &[Op]| ops.iter().any(|op| matches!(op, Op::Alias(_)));
        self.others.iter().any(|(span, ops)| span.start == place && span.end == place && is_alias(ops))
    }

    /// Gives something an alias, in the place of the one that it was given before.
    pub(crate) fn rename(&mut self, place: Place, ops: Vec<Op>) {
        let is_alias = |ops: &[Op]| ops.iter().any(|op| matches!(op, Op::Alias(_)));
        self.others.retain(|(span, ops)| !(span.start == place && span.end == place && is_alias(ops)));
        self.insert(place, ops);
    }

    /// Whether nothing changes.
    pub(crate) fn is_empty(&self) -> bool {
        self.names.is_empty() && self.others.is_empty()
    }

    /// A stretch of the text with its names replaced, to be put elsewhere.
    pub(crate) fn copy(&self, span: Span) -> Vec<Op> {
        let mut names: Vec<_> =
            self.names.iter().filter(|(name, _)| span.start <= name.start && name.end <= span.end).collect();
        names.sort_by_key(|(name, _)| name.start);
        let mut ops = Vec::with_capacity(names.len() * 2 + 1);
        let mut at = span.start;
        for (name, op) in names {
            push_copy(&mut ops, at, name.start);
            ops.push(op.clone());
            at = name.end;
        }
        push_copy(&mut ops, at, span.end);
        ops
    }

    /// A stretch of the text with all changes within it.
    pub(crate) fn stretch(&self, span: Span) -> Vec<Op> {
        stretch(&self.sorted(), span)
    }

    /// The whole text up to `end`.
    pub(crate) fn text(&self, end: Place) -> Text {
        let whole = Span { start: Place { after: 0, offset: 0 }, end };
        Text { ops: stretch(&self.sorted(), whole).into(), rows: Box::default() }
    }

    /// The text with [`Op::Rows`] in the place of the rows of `VALUES`.
    pub(crate) fn split(&self, rows: &[Span], end: Place) -> Option<Text> {
        let all = Span { start: rows.first()?.start, end: rows.last()?.end };
        let mut inner = self.sorted();
        inner.retain(|(span, _)| all.start < span.start && span.end < all.end);
        let each = |row: &Span| stretch(&inner, *row).into();
        let rows: Box<[Box<[Op]>]> =
            if inner.is_empty() { Box::default() } else { rows.iter().map(each).collect() };
        let mut outer = self.clone();
        outer.others.retain(|(span, _)| span.end <= all.start || all.end <= span.start);
        outer.replace(all, vec![Op::Rows]);
        Some(Text { rows, ..outer.text(end) })
    }

    /// All changes by where they begin; what is added at a place comes before what is replaced from there on, and the
    /// longest of these counts.
    fn sorted(&self) -> Vec<(Span, &[Op])> {
        let mut all: Vec<(Span, &[Op])> =
            self.names.iter().map(|(span, op)| (*span, std::slice::from_ref(op))).collect();
        all.extend(self.others.iter().map(|(span, ops)| (*span, ops.as_slice())));
        all.sort_by_key(|(span, _)| (span.start, span.start < span.end, Reverse(span.end)));
        all
    }
}

/// A stretch of the text with the changes within it.
fn stretch(sorted: &[(Span, &[Op])], within: Span) -> Vec<Op> {
    let from = sorted.partition_point(|(span, _)| span.start < within.start);
    let mut ops = Vec::new();
    let mut at = within.start;
    for (span, with) in &sorted[from..] {
        if span.start > within.end {
            break;
        }
        if span.start < at || span.end > within.end {
            continue;
        }
        push_copy(&mut ops, at, span.start);
        ops.extend_from_slice(with);
        at = span.end;
    }
    push_copy(&mut ops, at, within.end);
    ops
}

fn push_copy(ops: &mut Vec<Op>, start: Place, end: Place) {
    if start < end {
        ops.push(Op::Copy(Span { start, end }));
    }
}

impl Text {
    /// A text of these steps.
    pub(crate) fn of(ops: Vec<Op>) -> Self {
        Self { ops: ops.into(), rows: Box::default() }
    }

    /// Writes it for one node.
    pub(crate) fn write(
        &self,
        call: &Call<'_>,
        unit: &RouteUnit,
        context: Context<'_>,
        out: &mut impl BufMut,
    ) {
        self.put(&self.ops, call, unit, context, out);
    }

    fn put(
        &self,
        ops: &[Op],
        call: &Call<'_>,
        unit: &RouteUnit,
        context: Context<'_>,
        out: &mut impl BufMut,
    ) {
        for op in ops {
            match op {
                Op::Copy(span) => out.put_slice(copy(call, *span)),
                Op::Literal(text) => out.put_slice(text.as_bytes()),
                Op::Listed(texts) => {
                    let text = texts.get(usize::from(unit.source));
                    out.put_slice(text.map_or(&[], |text| text.as_bytes()));
                }
                Op::Schema(behind) => {
                    let units = context.database.map(|database| &database.units);
                    if let Some((_, on)) = units.and_then(|units| units.get_index(usize::from(unit.unit))) {
                        put_name(&on.spec.database, true, out);
                    }
                    out.put_slice(behind.as_bytes());
                }
                Op::Cipher(it) => it.put(call, context, out),
                Op::Constraint { rule, name } => {
                    if let Some((table, node)) = context.node(*rule, unit) {
                        put_name(&table.physical_constraint(node, name), true, out);
                    }
                }
                Op::Table { rule, quoted } => {
                    if let Some((_, node)) = context.node(*rule, unit) {
                        put_name(&node.table, *quoted, out);
                    }
                }
                Op::Key(row) => put_key(call, *row, out),
                Op::Alias(span) => {
                    out.put_slice(b" AS ");
                    put_alias(span.text(call.text, call.slots), copy(call, *span), out);
                }
                Op::Limit => match context.limit {
                    Some(limit) => out.put_slice(itoa::Buffer::new().format(limit).as_bytes()),
                    None => out.put_slice(b"?"),
                },
                Op::Rows => {
                    for (number, row) in unit.rows.iter().enumerate() {
                        if number > 0 {
                            out.put_slice(b", ");
                        }
                        match self.rows.get(*row as usize) {
                            Some(ops) => self.put(ops, call, unit, context, out),
                            None => {
                                let span = context.rows.get(*row as usize);
                                out.put_slice(span.map_or(&[], |span| copy(call, *span)));
                            }
                        }
                    }
                }
            }
        }
    }

    /// Which parameters the text holds, in its order.
    pub(crate) fn params<'t>(
        &'t self,
        slots: &[Slot],
        unit: &RouteUnit,
        context: Context<'_>,
    ) -> SmallVec<[Param<'t>; 8]> {
        let mut params = SmallVec::new();
        for op in &self.ops {
            if !matches!(op, Op::Rows) {
                param(op, slots, context, &mut params);
                continue;
            }
            for row in &unit.rows {
                match (self.rows.get(*row as usize), context.rows.get(*row as usize)) {
                    (Some(ops), _) => ops.iter().for_each(|op| param(op, slots, context, &mut params)),
                    (None, Some(span)) => params.extend(within(*span, slots)),
                    (None, None) => {}
                }
            }
        }
        params
    }

    /// All values that it encrypts.
    pub(crate) fn ciphered(&self) -> impl Iterator<Item = &Ciphered> {
        self.ops.iter().filter_map(|op| match op {
            Op::Cipher(it) => Some(&**it),
            _ => None,
        })
    }

    /// Whether it holds others than the client's parameters, or those in another order.
    pub(crate) fn has_own_params(&self, slots: &[Slot]) -> bool {
        let is_param = |slot: &u32| is_param(*slot, slots);
        let mut all = (0..).take(slots.len()).filter(is_param);
        let same = self.ops.iter().all(|op| match op {
            Op::Cipher(it) => !holds_param(&it.value, slots),
            Op::Copy(span) => {
                (span.start.after..span.end.after).filter(is_param).all(|slot| all.next() == Some(slot))
            }
            Op::Key(_) | Op::Limit | Op::Rows => false,
            Op::Alias(_)
            | Op::Constraint { .. }
            | Op::Listed(_)
            | Op::Literal(_)
            | Op::Schema(_)
            | Op::Table { .. } => true,
        });
        !same || all.next().is_some()
    }

    /// About how many bytes it takes.
    pub(crate) fn weight(&self) -> usize {
        let rows = self.rows.iter().flat_map(|row| row.iter());
        self.ops
            .iter()
            .chain(rows)
            .map(|op| {
                size_of::<Op>() + if matches!(op, Op::Cipher(_)) { size_of::<Ciphered>() + 32 } else { 0 }
            })
            .sum()
    }
}

fn is_param(slot: u32, slots: &[Slot]) -> bool {
    slots.get(slot as usize).is_some_and(|slot| slot.kind == SlotKind::Param)
}

/// The client's parameters in a stretch of its text.
fn within<'t>(span: Span, slots: &[Slot]) -> impl Iterator<Item = Param<'t>> {
    (span.start.after..span.end.after).filter(|slot| is_param(*slot, slots)).map(Param::Client)
}

fn param<'t>(op: &'t Op, slots: &[Slot], context: Context<'_>, params: &mut SmallVec<[Param<'t>; 8]>) {
    match op {
        Op::Cipher(it) if holds_param(&it.value, slots) => params.push(Param::Own(it)),
        Op::Copy(span) => params.extend(within(*span, slots)),
        Op::Key(row) => params.push(Param::Key(*row)),
        Op::Limit if context.limit.is_none() => params.push(Param::Limit),
        Op::Alias(_)
        | Op::Cipher(_)
        | Op::Constraint { .. }
        | Op::Limit
        | Op::Listed(_)
        | Op::Literal(_)
        | Op::Rows
        | Op::Schema(_)
        | Op::Table { .. } => {}
    }
}

impl Ciphered {
    /// Appends what stands for a value.
    pub(crate) fn encrypt(&self, plain: &str, mode: Mode, out: &mut impl BufMut) {
        match self.role {
            Role::Pattern => {
                let escape = (!mode.no_backslash_escapes).then_some(b'\\');
                cipher::encrypt_pattern(&self.cipher, plain.as_bytes(), escape, out);
            }
            Role::Stored => cipher::encrypt(&self.cipher, plain.as_bytes(), out),
        }
    }

    fn put(&self, call: &Call<'_>, context: Context<'_>, out: &mut impl BufMut) {
        if holds_param(&self.value, call.slots) {
            return out.put_slice(b"?");
        }
        match (Bound { call, ordinals: context.ordinals }.clear(&self.value, context.mode), &*self.cipher) {
            (Clear::Null, _) => out.put_slice(b"NULL"),
            (Clear::Text(plain), Cipher::CharDigestLike(_)) => {
                let mut digest = Vec::new();
                self.encrypt(&plain, context.mode, &mut digest);
                put_string(&digest, context.mode, out);
            }
            (Clear::Text(plain), _) => {
                // Digits and letters need no escape in any mode.
                out.put_slice(b"'");
                self.encrypt(&plain, context.mode, out);
                out.put_slice(b"'");
            }
            // Has been refused before; without a value the server refuses it, too.
            (Clear::Unknown, _) => {}
        }
    }
}

/// Writes a generated key. While a statement is prepared nobody knows it, and no text of a prepared one may hold it.
fn put_key(call: &Call<'_>, row: u32, out: &mut impl BufMut) {
    match call.generated.get(row as usize) {
        Some(Generated::Number(number)) if call.params.is_none() => {
            out.put_slice(itoa::Buffer::new().format(*number).as_bytes());
        }
        Some(Generated::Text(text)) if call.params.is_none() => {
            out.put_slice(b"'");
            out.put_slice(text);
            out.put_slice(b"'");
        }
        _ => out.put_slice(b"?"),
    }
}

/// Writes a string literal.
fn put_string(value: &[u8], mode: Mode, out: &mut impl BufMut) {
    out.put_slice(b"'");
    for byte in value {
        match byte {
            b'\'' => out.put_slice(b"''"),
            b'\\' if !mode.no_backslash_escapes => out.put_slice(b"\\\\"),
            _ => out.put_u8(*byte),
        }
    }
    out.put_slice(b"'");
}

/// Writes a stretch of the statement as a name. The text is the same as the raw bytes, but for what is no UTF-8.
fn put_alias(text: &str, raw: &[u8], out: &mut impl BufMut) {
    // A name has 256 characters at most.
    let end = text.char_indices().nth(255).map(|(at, _)| at);
    // Half a character would take the quote for its other half.
    let text = end.map_or(text, |end| text[..end].trim_end_matches('\u{1a}')).trim_end();
    out.put_slice(b"`");
    for (byte, own) in text.bytes().zip(raw) {
        out.put_u8(*own);
        if byte == b'`' {
            out.put_u8(b'`');
        }
    }
    out.put_slice(b"`");
}

fn copy<'a>(call: &Call<'a>, span: Span) -> &'a [u8] {
    call.raw.get(span.range(call.slots)).unwrap_or_default()
}

/// Writes a name, quoted if asked or needed.
pub(crate) fn put_name(name: &str, quoted: bool, out: &mut impl BufMut) {
    if !quoted && is_bare(name) {
        out.put_slice(name.as_bytes());
        return;
    }
    out.put_slice(b"`");
    for (number, part) in name.split('`').enumerate() {
        if number > 0 {
            out.put_slice(b"``");
        }
        out.put_slice(part.as_bytes());
    }
    out.put_slice(b"`");
}

/// Whether a name needs no quotes. All names of a server's reserved words are free of digits at the end, so that a
/// physical name like `order_0` is bare when this holds.
fn is_bare(name: &str) -> bool {
    let mut digits = true;
    for byte in name.bytes() {
        match byte {
            b'0'..=b'9' => {}
            b'A'..=b'Z' | b'a'..=b'z' | b'_' | b'$' => digits = false,
            _ => return false,
        }
    }
    !digits
}

#[cfg(test)]
mod tests;
