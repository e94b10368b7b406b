//! The texts of a template: the client's own bytes with names, derived columns, paging and rows spliced in.

use bytes::BufMut;
use meta::Database;
use smallvec::SmallVec;
use sql::{Place, Slot, SlotKind, Span};

use crate::call::Call;
use crate::plan::RouteUnit;

/// One step of writing a text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Op {
    /// ` AS` and the stretch of the client's text as a quoted name.
    Alias(Span),
    /// A stretch of the client's text.
    Copy(Span),
    /// The number of rows that every node must give.
    Limit,
    /// A fixed text.
    Literal(Box<str>),
    /// The rows of `VALUES` that go to this node.
    Rows,
    /// The physical name of a sharded table (by its number in the rule) on this node.
    Table { rule: u16, quoted: bool },
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
}

/// What ops need beside the call.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub(crate) database: Option<&'a Database>,
    /// The stretches of the rows of `VALUES`.
    pub(crate) rows: &'a [Span],
    /// The number that [`Op::Limit`] writes; nothing when it is sent as a parameter.
    pub(crate) limit: Option<u64>,
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

    /// Adds something.
    pub(crate) fn insert(&mut self, place: Place, ops: Vec<Op>) {
        self.replace(Span { start: place, end: place }, ops);
    }

    /// Whether a name inside the stretch is replaced.
    pub(crate) fn touches(&self, span: Span) -> bool {
        self.names.iter().any(|(name, _)| span.start <= name.start && name.end <= span.end)
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

    /// The whole text up to `end`.
    pub(crate) fn text(&self, end: Place) -> Text {
        let mut all: Vec<(Span, &[Op])> =
            self.names.iter().map(|(span, op)| (*span, std::slice::from_ref(op))).collect();
        all.extend(self.others.iter().map(|(span, ops)| (*span, ops.as_slice())));
        all.sort_by_key(|(span, _)| span.start);
        let mut ops = Vec::with_capacity(all.len() * 2 + 1);
        let mut at = Place { after: 0, offset: 0 };
        for (span, with) in all {
            if span.start < at {
                continue;
            }
            push_copy(&mut ops, at, span.start);
            ops.extend_from_slice(with);
            at = span.end;
        }
        push_copy(&mut ops, at, end);
        Text { ops: ops.into() }
    }
}

fn push_copy(ops: &mut Vec<Op>, start: Place, end: Place) {
    if start < end {
        ops.push(Op::Copy(Span { start, end }));
    }
}

impl Text {
    /// Writes it for one node.
    pub(crate) fn write(
        &self,
        call: &Call<'_>,
        unit: &RouteUnit,
        context: Context<'_>,
        out: &mut impl BufMut,
    ) {
        for op in &self.ops {
            match op {
                Op::Copy(span) => out.put_slice(copy(call, *span)),
                Op::Literal(text) => out.put_slice(text.as_bytes()),
                Op::Table { rule, quoted } => {
                    let node = unit.node.unwrap_or_default() as usize;
                    let table = context
                        .database
                        .and_then(|database| database.sharding.tables.get_index(usize::from(*rule)))
                        .and_then(|(_, table)| table.nodes.get(node));
                    if let Some(table) = table {
                        put_name(&table.table, *quoted, out);
                    }
                }
                Op::Alias(span) => {
                    out.put_slice(b" AS ");
                    let text = span.text(call.text, call.slots);
                    // A name has 256 characters at most.
                    let end = text.char_indices().nth(255).map_or(text.len(), |(at, _)| at);
                    put_name(text[..end].trim_end(), true, out);
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
                        if let Some(span) = context.rows.get(*row as usize) {
                            out.put_slice(copy(call, *span));
                        }
                    }
                }
            }
        }
    }

    /// Which parameters the text holds, in its order: `Some` is the client's own, `None` the number of [`Op::Limit`].
    pub(crate) fn params(
        &self,
        slots: &[Slot],
        unit: &RouteUnit,
        context: Context<'_>,
    ) -> SmallVec<[Option<SlotNumber>; 8]> {
        let is_param =
            |slot: &u32| slots.get(*slot as usize).is_some_and(|slot| slot.kind == SlotKind::Param);
        let within = |span: &Span| (span.start.after..span.end.after).filter(is_param).map(Some);
        let mut params = SmallVec::new();
        for op in &self.ops {
            match op {
                Op::Copy(span) => params.extend(within(span)),
                Op::Rows => {
                    let rows = unit.rows.iter().filter_map(|row| context.rows.get(*row as usize));
                    params.extend(rows.flat_map(within));
                }
                Op::Limit if context.limit.is_none() => params.push(None),
                Op::Alias(_) | Op::Limit | Op::Literal(_) | Op::Table { .. } => {}
            }
        }
        params
    }
}

type SlotNumber = u32;

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
    name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$')
        && name.bytes().any(|byte| !byte.is_ascii_digit())
}
