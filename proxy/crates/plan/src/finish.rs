//! `SELECT`s over several nodes whose partial results do not simply add up: one server works them out.
//!
//! Every node gives what the rest of the statement needs (*gather*), and one of them is sent the client's own text once
//! more, over a derived table that holds what was gathered. Only MySQL computes exactly as MySQL; nothing is computed
//! here. Two shapes of what is gathered:
//!
//! - *partial*: where all aggregates can be put together from parts, each node's groups by the bytes of every column
//!   mentioned outside of aggregates, with the parts;
//! - *rows*: the columns mentioned behind `WHERE`, of every row.
//!
//! Mentions of columns become mentions of the derived table's, aggregates become aggregates of parts; all else of the
//! text stays.

mod aggregate;
mod names;

use sql::{Function, ItemKind, Place, Select, SortBy, Span, Use};

use crate::error::{Error, Refused};
use crate::scope::Scope;
use crate::template::Many;
use crate::text::{Edits, Op, Text};
use names::{Column, Names};

/// The derived table's name.
const DERIVED: &str = "`weir`";

/// The texts beside that for each node, all for the first one.
#[derive(Clone, Debug)]
pub(crate) struct Finish {
    /// The client's own without rows: tells names and types of the result.
    pub(crate) define: Text,
    /// The client's own, given up right after it has begun: tells the same as one that runs. Nothing where the client
    /// has hints of its own.
    pub(crate) begin: Option<Text>,
    /// Up to where the gathered rows go, as a `SELECT` with `UNION ALL` behind it.
    pub(crate) head: Text,
    /// From there on; begins with a `SELECT` without rows that gives the gathered columns their types.
    pub(crate) tail: Text,
    /// What it calls its columns, in the order in which they are gathered.
    pub(crate) names: Box<[String]>,
}

/// Plans a statement that merging refuses so.
pub(crate) fn many(
    scope: &Scope<'_>,
    rule: u16,
    select: &Select,
    edits: &Edits,
    refused: Error,
) -> Result<Many, Error> {
    let Some(names) = Names::new(scope, select).filter(|_| can(scope, select, &refused)) else {
        return Err(refused);
    };
    let unknown = names.unknown();
    if !unknown.is_empty() {
        return Err(Error::NeedTables { database: scope.database.name.clone(), tables: unknown });
    }
    let mut builder =
        Builder { scope, select, edits, names, keys: Vec::new(), parts: Vec::new(), called: Vec::new() };
    let partial = builder.is_aggregated() && builder.decomposes();
    let mut finish = Edits::default();
    builder.columns(partial, &mut finish).map_err(|what| scope.many(rule, what))?;
    if partial {
        builder.aggregates(&mut finish);
    }
    builder.texts(partial, finish).ok_or(refused)
}

/// Whether the refusal is about what one server can do with gathered rows.
fn can(scope: &Scope<'_>, select: &Select, refused: &Error) -> bool {
    let Error::Many { what, .. } = refused else { return false };
    let ruled = |table: &sql::TableRef| {
        let database = scope.database;
        database.encrypt.table(&table.name).is_some() || database.mask.table(&table.name).is_some()
    };
    let never = matches!(what, Refused::Columns | Refused::Into)
        || select.traits.into
        || select.traits.cte
        || select.traits.found_rows;
    !(never || scope.statement.tables.iter().any(ruled))
}

/// What is found out about a `SELECT` step by step.
struct Builder<'a> {
    scope: &'a Scope<'a>,
    select: &'a Select,
    edits: &'a Edits,
    names: Names<'a>,
    /// Gathered columns, by which partial groups are told apart.
    keys: Vec<Key>,
    /// Gathered parts of aggregates, behind the keys.
    parts: Vec<Vec<Op>>,
    /// Their texts, where these tell them, with their numbers.
    called: Vec<(String, usize)>,
}

/// A gathered column.
struct Key {
    column: Column,
    expression: Vec<Op>,
    /// Values that compare equal may differ.
    text: bool,
}

impl Builder<'_> {
    /// Every mention of a column becomes one of a gathered column.
    fn columns(&mut self, partial: bool, finish: &mut Edits) -> Result<(), Refused> {
        if self.names.rolls_constant() {
            return Err(Refused::Rollup);
        }
        let ordinals = self.select.order_by.iter().any(|sort| matches!(sort.by, SortBy::Ordinal(_)));
        for item in &self.select.items {
            if item.kind == ItemKind::Wildcard {
                let mut ops = Vec::new();
                for (column, expression) in self.names.expand(item).ok_or(Refused::Wildcard)? {
                    let document = self.names.is_document(&column);
                    let read = document && (self.select.distinct || partial)
                        || ordinals && (document || self.names.is_list(&column));
                    if read {
                        return Err(Refused::List(column.name().to_owned()));
                    }
                    if !ops.is_empty() {
                        ops.push(Op::Literal(", ".into()));
                    }
                    ops.push(self.gathered(column, expression));
                }
                finish.replace(item.span, ops);
            }
        }
        let scope = self.scope;
        for mention in &scope.statement.uses {
            if !self.names.is_late(mention) {
                continue;
            }
            let Some(column) = self.names.column(mention) else { continue };
            if partial && self.is_in_parts(mention.span) {
                let extreme =
                    matches!(mention.place, Use::Aggregate { function: Function::Max | Function::Min, .. });
                if extreme && self.names.is_list(&column) && !self.names.only_shows(mention, false) {
                    return Err(Refused::List(mention.name.clone()));
                }
                continue;
            }
            let document = self.names.is_document(&column);
            if (document || self.names.is_list(&column)) && !self.names.only_shows(mention, document) {
                return Err(Refused::List(mention.name.clone()));
            }
            let op = self.gathered(column, self.edits.copy(mention.span));
            finish.replace(mention.span, vec![op]);
        }
        Ok(())
    }

    fn gathered(&mut self, column: Column, expression: Vec<Op>) -> Op {
        let known = self.keys.iter().position(|key| key.column == column);
        let number = known.unwrap_or_else(|| {
            let text = self.names.is_text(&column);
            self.keys.push(Key { column, expression, text });
            self.keys.len() - 1
        });
        Op::Literal(format!("{DERIVED}.`k{number}`").into())
    }

    /// All texts; nothing where the statement has no `FROM`.
    fn texts(&self, partial: bool, finish: Edits) -> Option<Many> {
        let select = self.select;
        let from = select.from_span?;
        let mut gather = vec![Op::Literal("SELECT ".into())];
        self.list(&mut gather, false);
        gather.push(Op::Literal(" ".into()));
        gather.extend(self.edits.copy(from));
        if let Some(filter) = select.where_span {
            gather.push(Op::Literal(" ".into()));
            gather.extend(self.edits.copy(filter));
        }
        self.groups(&mut gather, partial);
        if let Some(lock) = select.lock_span {
            gather.push(Op::Literal(" ".into()));
            gather.extend(self.edits.copy(lock));
        }
        let mut head = vec![Op::Literal(if select.distinct { "SELECT DISTINCT " } else { "SELECT " }.into())];
        let start = select.items.first()?.span.start;
        let mut finish = finish;
        if let Some(lock) = select.lock_span {
            finish.replace(lock, Vec::new());
        }
        head.extend(finish.stretch(Span { start, end: select.items_end }));
        head.push(Op::Literal(" FROM (".into()));
        let mut tail = vec![Op::Literal("SELECT ".into())];
        self.list(&mut tail, true);
        tail.push(Op::Literal(" ".into()));
        tail.extend(self.edits.copy(from));
        tail.push(Op::Literal(" WHERE FALSE".into()));
        self.groups(&mut tail, partial);
        // Without groups there would be a row.
        let none = if partial { " HAVING FALSE" } else { "" };
        tail.push(Op::Literal(format!("{none}) AS {DERIVED}").into()));
        let after = select.where_span.unwrap_or(from).end;
        tail.extend(finish.stretch(Span { start: after, end: self.scope.statement.end }));
        let names = self.named().into();
        let begin = self.begin();
        let finish =
            Finish { define: self.define(), begin, head: Text::of(head), tail: Text::of(tail), names };
        Some(Many {
            text: Text::of(gather),
            rows: crate::plan::Rows::default(),
            limit: None,
            fixed: Vec::new(),
            finish: Some(Box::new(finish)),
        })
    }

    /// The client's own text without its locks, with a bound on its time.
    fn begin(&self) -> Option<Text> {
        let place = self.select.verb_end;
        let after = self.scope.text.get(place.offset(self.scope.slots)..)?;
        // What it began to do would be done twice.
        if after.trim_start().starts_with("/*") || !self.scope.statement.reads_only {
            return None;
        }
        let mut edits = self.edits.clone();
        edits.insert(place, vec![Op::Literal(" /*+ MAX_EXECUTION_TIME(3) */".into())]);
        if let Some(lock) = self.select.lock_span {
            edits.replace(lock, Vec::new());
        }
        Some(edits.text(self.scope.statement.end))
    }

    /// The client's own text without its rows and locks.
    fn define(&self) -> Text {
        let mut edits = self.edits.clone();
        let none = || vec![Op::Literal("LIMIT 0".into())];
        match &self.select.limit {
            Some(limit) => edits.replace(limit.span, none()),
            None => edits.insert(self.select.order_place, vec![Op::Literal(" LIMIT 0".into())]),
        }
        if let Some(lock) = self.select.lock_span {
            edits.replace(lock, Vec::new());
        }
        edits.text(self.scope.statement.end)
    }

    /// What the derived table calls its columns; there is one at least, so that rows are counted.
    fn named(&self) -> Vec<String> {
        let keys =
            (0..self.keys.len().max(usize::from(self.parts.is_empty()))).map(|number| format!("k{number}"));
        keys.chain((0..self.parts.len()).map(|number| format!("p{number}"))).collect()
    }

    /// What is gathered, `named` as the derived table calls it.
    fn list(&self, ops: &mut Vec<Op>, named: bool) {
        let one = [Op::Literal("1".into())];
        let expressions = self.keys.iter().map(|key| &key.expression).chain(&self.parts);
        let expressions = expressions.map(Vec::as_slice).chain([&one[..]]);
        for (number, (expression, name)) in expressions.zip(self.named()).enumerate() {
            if number > 0 {
                ops.push(Op::Literal(", ".into()));
            }
            ops.extend_from_slice(expression);
            if named {
                ops.push(Op::Literal(format!(" AS `{name}`").into()));
            }
        }
    }

    /// `GROUP BY` of partial groups: by bytes where values that compare equal may differ.
    fn groups(&self, ops: &mut Vec<Op>, partial: bool) {
        if !partial {
            return;
        }
        for (number, key) in self.keys.iter().enumerate() {
            ops.push(Op::Literal(if number == 0 { " GROUP BY " } else { ", " }.into()));
            ops.extend_from_slice(&key.expression);
            if key.text {
                ops.push(Op::Literal(", CAST(".into()));
                ops.extend_from_slice(&key.expression);
                ops.push(Op::Literal(" AS BINARY)".into()));
            }
        }
    }
}

fn holds(outer: Span, inner: Span) -> bool {
    let (start, end): (Place, Place) = (outer.start, outer.end);
    start <= inner.start && inner.end <= end
}
