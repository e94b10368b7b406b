//! What names mean in the block that is merged: whose column one is, what `*` stands for, and what an alias stands for
//! inside an expression.

use meta::TableColumn;
use sql::{
    BlockIndex, Clause, Column, ColumnUse, Item, ItemKind, OutputKind, Role, Source, SourceKind, Span,
};

use super::Builder;
use crate::error::{Error, Refused};
use crate::scope::Home;
use crate::text::{Op, put_name};

/// A column behind a `*`.
#[derive(Clone, Copy)]
pub(super) struct Field<'a> {
    /// Number of what it comes from in the block's `FROM`.
    source: usize,
    /// Its definition.
    pub(super) column: &'a TableColumn,
}

/// The columns of a result.
pub(super) enum Shown<'a> {
    /// The n-th select item.
    Item(usize),
    /// A column behind a `*`.
    Field(Field<'a>),
}

/// The statement's own block.
fn block<'a>(builder: &Builder<'a>) -> Option<(BlockIndex, &'a sql::Block)> {
    (0..).zip(&builder.scope.statement.blocks).find(|(_, block)| block.role == Role::Statement)
}

/// What columns come from; nothing when the statement has no block of its own.
fn sources<'a>(builder: &Builder<'a>) -> &'a [Source] {
    block(builder).map_or(&[], |(_, block)| &block.from)
}

/// Whether columns come from several things.
pub(super) fn joins(builder: &Builder<'_>) -> bool {
    sources(builder).len() > 1
}

/// The columns of a table in `FROM`; nothing when they are not known.
fn columns<'a>(builder: &Builder<'a>, source: &Source) -> Option<&'a [TableColumn]> {
    let SourceKind::Table(mention) = source.kind else { return None };
    let mention = usize::from(mention);
    let scope = builder.scope;
    let name = match scope.homes.get(mention)? {
        Home::Foreign | Home::Unknown => return None,
        Home::Sharded(rule) => &scope.rule(*rule)?.spec.name,
        Home::Broadcast | Home::Single(_) => &scope.statement.tables.get(mention)?.name,
    };
    let known = scope.database.table(name)?;
    (!known.columns.is_empty()).then_some(known.columns.as_slice())
}

fn named<'a>(columns: &'a [TableColumn], name: &str) -> Option<&'a TableColumn> {
    columns.iter().find(|column| column.name.eq_ignore_ascii_case(name))
}

/// Whose column a name means; nothing when that is not known for certain.
pub(super) fn field<'a>(builder: &Builder<'a>, column: &Column) -> Option<Field<'a>> {
    let mut found = None;
    for (number, source) in sources(builder).iter().enumerate() {
        if column.owner.as_ref().is_some_and(|owner| !owner.eq_ignore_ascii_case(&source.name)) {
            continue;
        }
        let Some(column) = named(columns(builder, source)?, &column.name) else { continue };
        if found.is_some() {
            return None;
        }
        found = Some(Field { source: number, column });
    }
    found
}

/// Whether some table has, or may have, a column of that name.
pub(super) fn may_be_column(builder: &Builder<'_>, name: &str) -> bool {
    sources(builder)
        .iter()
        .any(|source| columns(builder, source).is_none_or(|all| named(all, name).is_some()))
}

/// The select item that is this column. A bare name means an item of that name whosever column it is.
pub(super) fn selected(builder: &Builder<'_>, column: &Column) -> Option<usize> {
    let alike = |other: &Column| other.name.eq_ignore_ascii_case(&column.name);
    let is = |item: &Item, same: &dyn Fn(&Column) -> bool| matches!(&item.kind, ItemKind::Column(other) if alike(other) && same(other));
    let items = &builder.select.items;
    if sources(builder).len() <= 1 {
        return items.iter().position(|item| is(item, &|_| true));
    }
    if column.owner.is_none()
        && let Some(number) = items.iter().position(|item| item.alias.is_none() && is(item, &|_| true))
    {
        return Some(number);
    }
    let source = |column: &Column| field(builder, column).map(|field| field.source);
    let same = |other: &Column| match (&column.owner, &other.owner) {
        (Some(one), Some(two)) => one.eq_ignore_ascii_case(two),
        (None, None) => true,
        _ => source(column).is_some() && source(column) == source(other),
    };
    items.iter().position(|item| is(item, &same))
}

/// The item that a bare name means by its alias, or by its text where it has none. An expression stands before columns
/// of that name; of several columns the server says that it does not know which.
pub(super) fn aliased(builder: &Builder<'_>, column: &Column) -> Option<usize> {
    if column.owner.is_some() {
        return None;
    }
    let mut found = None;
    for (number, item) in builder.select.items.iter().enumerate() {
        let is_column = matches!(item.kind, ItemKind::Column(_));
        let name = match &item.alias {
            Some(alias) => alias,
            None if is_column || item.kind == ItemKind::Wildcard => continue,
            None => item.span.text(builder.scope.text, builder.scope.slots),
        };
        if !name.eq_ignore_ascii_case(&column.name) {
            continue;
        }
        if !is_column {
            return Some(number);
        }
        found = found.or(Some(number));
    }
    found
}

/// Whether a mention is one of the selected columns, or the alias of an item.
pub(super) fn is_selected(builder: &Builder<'_>, mention: &ColumnUse) -> bool {
    let column = Column { owner: mention.owner.clone(), name: mention.name.clone() };
    let shown = |number: usize| {
        let field = field(builder, &column);
        let among = |all: Vec<Field<'_>>| {
            field.is_some_and(|field| all.iter().any(|other| std::ptr::eq(other.column, field.column)))
        };
        behind(builder, number).is_some_and(among)
    };
    block(builder).is_some_and(|(index, _)| mention.block == index)
        && (selected(builder, &column).is_some()
            || (aliased(builder, &column).is_some() && !may_be_column(builder, &column.name))
            || (0..builder.select.items.len()).any(shown))
}

/// What the n-th select item stands for when it is a `*`; nothing when that is not known.
pub(super) fn behind<'a>(builder: &Builder<'a>, number: usize) -> Option<Vec<Field<'a>>> {
    let (index, block) = block(builder)?;
    let owner = match &block.outputs.get(number)?.kind {
        OutputKind::All => None,
        OutputKind::AllOf { owner, .. } => Some(owner),
        _ => return None,
    };
    // These show a column of both sides once, and in an order of their own.
    let merged = |it: &ColumnUse| it.block == index && it.place == sql::Use::Using;
    if block.natural || builder.scope.statement.uses.iter().any(merged) {
        return None;
    }
    let mut fields = Vec::new();
    for (number, source) in block.from.iter().enumerate() {
        if owner.is_some_and(|owner| !owner.eq_ignore_ascii_case(&source.name)) {
            continue;
        }
        let columns = columns(builder, source)?;
        if let SourceKind::Table(mention) = source.kind {
            let table = builder.scope.statement.tables.get(usize::from(mention))?;
            // It has other columns on the servers.
            if builder.scope.database.encrypt.table(&table.name).is_some() {
                return None;
            }
        }
        fields.extend(columns.iter().map(|column| Field { source: number, column }));
    }
    Some(fields)
}

/// A column behind a `*`, to be written in the select list.
pub(super) fn write(builder: &Builder<'_>, field: Field<'_>) -> Vec<Op> {
    let literal = |before: &str, name: &str| {
        let mut text = before.as_bytes().to_vec();
        put_name(name, true, &mut text);
        Op::Literal(String::from_utf8_lossy(&text).into())
    };
    let sources = sources(builder);
    let Some(source) = sources.get(field.source).filter(|_| sources.len() > 1) else {
        return vec![literal("", &field.column.name)];
    };
    let owner = match (&source.kind, source.aliased) {
        (SourceKind::Table(mention), false) => match builder.scope.homes.get(usize::from(*mention)) {
            Some(Home::Sharded(rule)) => Op::Table { rule: *rule, quoted: true },
            _ => literal("", &source.name),
        },
        _ => literal("", &source.name),
    };
    vec![owner, literal(".", &field.column.name)]
}

/// Mentions of columns in a stretch of `ORDER BY` or `GROUP BY`, subqueries included.
pub(super) fn mentions<'a>(builder: &Builder<'a>, span: Span) -> impl Iterator<Item = &'a ColumnUse> {
    let inside = move |it: &&ColumnUse| span.start <= it.span.start && it.span.end <= span.end;
    builder.scope.statement.uses.iter().filter(inside)
}

/// An expression of `ORDER BY` or `GROUP BY` for the select list, where aliases mean nothing: the server takes a name
/// inside an expression for a column if there is one, else for an alias.
pub(super) fn spelled(builder: &Builder<'_>, span: Span) -> Result<Vec<Op>, Error> {
    let own = block(builder).map(|(index, _)| index);
    let mut places: Vec<(Span, Span)> = Vec::new();
    for mention in mentions(builder, span) {
        let column = Column { owner: mention.owner.clone(), name: mention.name.clone() };
        let Some(number) = aliased(builder, &column) else { continue };
        let item = &builder.select.items[number];
        let refuse = || builder.refuse(Refused::AliasInExpression(column.name.clone()));
        if Some(mention.block) != own || !matches!(mention.clause, Clause::Group | Clause::Order) {
            return refuse();
        }
        if may_be_column(builder, &column.name) {
            if field(builder, &column).is_none() {
                return refuse();
            }
            continue;
        }
        match item.kind {
            ItemKind::Column(_) | ItemKind::Expression => places.push((mention.span, item.span)),
            ItemKind::Aggregate(_) | ItemKind::OverAggregate | ItemKind::Wildcard => return refuse(),
        }
    }
    places.sort_by_key(|(place, _)| place.start);
    let mut ops = Vec::new();
    let mut at = span.start;
    for (place, item) in places {
        ops.extend(builder.edits.copy(Span { start: at, end: place.start }));
        ops.push(Op::Literal("(".into()));
        ops.extend(builder.edits.copy(item));
        ops.push(Op::Literal(")".into()));
        at = place.end;
    }
    ops.extend(builder.edits.copy(Span { start: at, end: span.end }));
    Ok(ops)
}
