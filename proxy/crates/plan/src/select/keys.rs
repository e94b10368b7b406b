//! What rows are compared by: for each item of `ORDER BY`, `GROUP BY` or `DISTINCT`, a visible column or a derived one,
//! and for text its weight, so that values compare as in the column's own collation.

use meta::TableColumn;
use sql::{Aggregate, Column, Item, ItemKind, Sort, SortBy};
use wire::charset;

use super::Builder;
use crate::error::{Error, Refused};
use crate::plan::{Collation, Position, SortKey, Weight};
use crate::text::Op;

/// Where a key is used.
#[derive(Clone, Copy, Eq, PartialEq)]
pub(super) enum Clause {
    Group,
    Order,
}

/// How values of a column compare.
#[derive(Clone, Copy, Eq, PartialEq)]
enum Class {
    /// By number: the value itself does not tell it (`ENUM`, `SET`) or not exactly (`FLOAT`).
    Number,
    /// Text; its collation, if it is known here.
    Text(Option<&'static str>),
    /// In no way that the rows tell.
    Unordered,
    /// By the value.
    Value,
}

fn class(column: &TableColumn) -> Class {
    match column.data_type.as_str() {
        "enum" | "set" | "float" => Class::Number,
        "char" | "varchar" | "tinytext" | "text" | "mediumtext" | "longtext" => {
            let known = column.collation.as_deref().and_then(charset::Collation::named);
            Class::Text(known.map(|collation| collation.name))
        }
        "tinyint" | "smallint" | "mediumint" | "int" | "integer" | "bigint" | "decimal" | "numeric"
        | "double" | "real" | "bit" | "date" | "datetime" | "timestamp" | "time" | "year" | "binary"
        | "varbinary" | "tinyblob" | "blob" | "mediumblob" | "longblob" => Class::Value,
        _ => Class::Unordered,
    }
}

/// The key of the n-th select item.
pub(super) fn item(builder: &mut Builder<'_>, number: usize, clause: Clause) -> Result<SortKey, Error> {
    let Some(item) = builder.select.items.get(number) else {
        return builder.refuse(Refused::Ordinal(u32::try_from(number + 1).unwrap_or(u32::MAX)));
    };
    match &item.kind {
        ItemKind::Column(column) => {
            let place = builder.visible(number).ok();
            of_column(builder, column, builder.edits.copy(item.span), place)
        }
        ItemKind::Expression => {
            let place = builder.visible(number).ok();
            of_expression(builder, builder.edits.copy(item.span), place, clause)
        }
        ItemKind::Aggregate(aggregate) => {
            let value = builder.visible(number)?;
            Ok(SortKey { value, weight: extreme_weight(builder, item, aggregate)?, descending: false })
        }
        ItemKind::OverAggregate => builder.refuse(Refused::ExpressionOverAggregate),
        ItemKind::Wildcard => builder.refuse(Refused::Wildcard),
    }
}

/// The key of an item of `ORDER BY`. An alias stands before a column of that name.
pub(super) fn order(builder: &mut Builder<'_>, sort: &Sort) -> Result<SortKey, Error> {
    let clause = if builder.select.group_by.is_empty() { Clause::Order } else { Clause::Group };
    match &sort.by {
        SortBy::Ordinal(position) => ordinal(builder, *position, clause),
        SortBy::Column(column) => match aliased(builder, column) {
            Some(number) => item(builder, number, clause),
            None => column_key(builder, column, sort, clause),
        },
        SortBy::Expression => expression_key(builder, sort, clause),
        SortBy::OverAggregate => match same_text(builder, sort) {
            Some(number) => item(builder, number, clause),
            None => builder.refuse(Refused::OrderByAggregate),
        },
    }
}

/// The key of an item of `GROUP BY`. A column stands before an alias of that name.
pub(super) fn group(builder: &mut Builder<'_>, sort: &Sort) -> Result<SortKey, Error> {
    match &sort.by {
        SortBy::Ordinal(position) => ordinal(builder, *position, Clause::Group),
        SortBy::Column(column) => match aliased(builder, column) {
            Some(number) if !may_be_column(builder, column) => item(builder, number, Clause::Group),
            Some(number) => match &builder.select.items[number].kind {
                ItemKind::Column(same) if same.name.eq_ignore_ascii_case(&column.name) => {
                    item(builder, number, Clause::Group)
                }
                // Our own ORDER BY would read the name as the alias.
                _ => builder.refuse(Refused::GroupName(column.name.clone())),
            },
            None => column_key(builder, column, sort, Clause::Group),
        },
        SortBy::Expression => expression_key(builder, sort, Clause::Group),
        SortBy::OverAggregate => builder.refuse(Refused::ExpressionOverAggregate),
    }
}

/// The weight of `MIN(x)` or `MAX(x)`, where it may be text.
pub(super) fn extreme_weight(
    builder: &mut Builder<'_>,
    item: &Item,
    aggregate: &Aggregate,
) -> Result<Option<Weight>, Error> {
    if !matches!(aggregate.function, sql::Function::Max | sql::Function::Min) {
        return Ok(None);
    }
    let class = aggregate.column.as_ref().and_then(|column| table_column(builder, column)).map(class);
    match class {
        Some(Class::Value) => Ok(None),
        Some(Class::Unordered) => {
            let name = aggregate.column.as_ref().map(|column| column.name.clone()).unwrap_or_default();
            builder.refuse(Refused::Unordered(name))
        }
        Some(Class::Text(known)) => weight(builder, builder.edits.copy(item.span), known, false).map(Some),
        // MIN and MAX of an ENUM compare its texts.
        Some(Class::Number) | None => weight(builder, builder.edits.copy(item.span), None, false).map(Some),
    }
}

fn ordinal(builder: &mut Builder<'_>, position: u32, clause: Clause) -> Result<SortKey, Error> {
    let number = position.checked_sub(1).and_then(|number| usize::try_from(number).ok());
    let wildcard = builder.select.items.iter().any(|item| item.kind == ItemKind::Wildcard);
    match number {
        // The server will say that there is no such column.
        Some(number) if number >= builder.select.items.len() && !wildcard => {
            Ok(SortKey { value: Position::Visible(0), weight: None, descending: false })
        }
        Some(number) if builder.visible(number).is_ok() => item(builder, number, clause),
        _ => builder.refuse(Refused::Ordinal(position)),
    }
}

/// The item that a bare name means by its alias.
fn aliased(builder: &Builder<'_>, column: &Column) -> Option<usize> {
    if column.owner.is_some() {
        return None;
    }
    let is = |item: &Item| item.alias.as_ref().is_some_and(|alias| alias.eq_ignore_ascii_case(&column.name));
    builder.select.items.iter().position(is)
}

/// The item that is the same expression without alias, or with one.
fn same_text(builder: &Builder<'_>, sort: &Sort) -> Option<usize> {
    let text = builder.text(sort);
    let (texts, slots) = (builder.scope.text, builder.scope.slots);
    // Values are compared as the first text has them: two texts with one template may differ in them.
    let has_values = sort.span.start.after != sort.span.end.after;
    let same = |item: &Item| {
        !has_values
            && item.kind != ItemKind::Wildcard
            && item.span.text(texts, slots).eq_ignore_ascii_case(text)
    };
    builder.select.items.iter().position(same)
}

fn column_key(
    builder: &mut Builder<'_>,
    column: &Column,
    sort: &Sort,
    clause: Clause,
) -> Result<SortKey, Error> {
    let is = |item: &Item| matches!(&item.kind, ItemKind::Column(other) if other.name.eq_ignore_ascii_case(&column.name));
    if let Some(number) = builder.select.items.iter().position(is) {
        return item(builder, number, clause);
    }
    once(builder, column.name.to_ascii_lowercase(), |builder| {
        of_column(builder, column, builder.edits.copy(sort.span), None)
    })
}

/// Makes the key of something that is not selected once for `GROUP BY` and `ORDER BY`.
fn once<'a>(
    builder: &mut Builder<'a>,
    name: String,
    make: impl FnOnce(&mut Builder<'a>) -> Result<SortKey, Error>,
) -> Result<SortKey, Error> {
    if let Some((_, key)) = builder.keys.iter().find(|(known, _)| *known == name) {
        return Ok(*key);
    }
    let key = make(builder)?;
    builder.keys.push((name, key));
    Ok(key)
}

fn expression_key(builder: &mut Builder<'_>, sort: &Sort, clause: Clause) -> Result<SortKey, Error> {
    if let Some(number) = same_text(builder, sort) {
        return item(builder, number, clause);
    }
    let text = builder.text(sort);
    let words = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_' && letter != '$');
    let aliases = || builder.select.items.iter().filter_map(|item| item.alias.as_ref());
    for word in words {
        if let Some(alias) = aliases().find(|alias| alias.eq_ignore_ascii_case(word)) {
            return builder.refuse(Refused::AliasInExpression(alias.clone()));
        }
    }
    // Aliases with blanks and the like.
    if let Some(alias) =
        aliases().find(|alias| !alias.chars().all(char::is_alphanumeric) && text.contains(alias.as_str()))
    {
        return builder.refuse(Refused::AliasInExpression(alias.clone()));
    }
    let make =
        |builder: &mut Builder<'_>| of_expression(builder, builder.edits.copy(sort.span), None, clause);
    if sort.span.start.after == sort.span.end.after {
        let text = text.to_owned();
        return once(builder, text, make);
    }
    make(builder)
}

fn of_column(
    builder: &mut Builder<'_>,
    column: &Column,
    expression: Vec<Op>,
    place: Option<Position>,
) -> Result<SortKey, Error> {
    let key = |value, weight| SortKey { value, weight, descending: false };
    let Some(class) = table_column(builder, column).map(class) else {
        // The server will say that there is no such column.
        return of_expression(builder, expression, place, Clause::Order);
    };
    match class {
        Class::Unordered => builder.refuse(Refused::Unordered(column.name.clone())),
        Class::Number => {
            let mut ops = expression;
            ops.push(Op::Literal("+0".into()));
            Ok(key(builder.derive("ORDER_BY", ops)?, None))
        }
        Class::Value => Ok(key(at(builder, &expression, place)?, None)),
        Class::Text(known) => {
            let value = at(builder, &expression, place)?;
            Ok(key(value, Some(weight(builder, expression, known, false)?)))
        }
    }
}

/// An expression's type is known only when rows come: its weight is asked for in any case.
fn of_expression(
    builder: &mut Builder<'_>,
    expression: Vec<Op>,
    place: Option<Position>,
    clause: Clause,
) -> Result<SortKey, Error> {
    let value = at(builder, &expression, place)?;
    let weight = weight(builder, expression, None, clause == Clause::Group)?;
    Ok(SortKey { value, weight: Some(weight), descending: false })
}

/// What a text is compared by. `grouped`: it is equal within a group, which the server does not see.
fn weight(
    builder: &mut Builder<'_>,
    expression: Vec<Op>,
    known: Option<&'static str>,
    grouped: bool,
) -> Result<Weight, Error> {
    let visible = |ops| if grouped { call("MIN", ops) } else { ops };
    // A weight that is not the same for equal rows would keep both, where one of them counts for LIMIT.
    let weighed =
        if builder.select.distinct { trimmed(expression.clone(), known) } else { expression.clone() };
    let value = builder.derive("WEIGHT", visible(call("WEIGHT_STRING", weighed)))?;
    let collation = match known {
        Some(name) => Collation::Known(name),
        None => Collation::Told(builder.derive("COLLATION", visible(call("COLLATION", expression)))?),
    };
    Ok(Weight { value, collation })
}

fn at(builder: &mut Builder<'_>, expression: &[Op], place: Option<Position>) -> Result<Position, Error> {
    match place {
        Some(place) => Ok(place),
        None => builder.derive("ORDER_BY", expression.to_vec()),
    }
}

/// The text without the blanks at its end where these do not count.
fn trimmed(expression: Vec<Op>, known: Option<&'static str>) -> Vec<Op> {
    match known.and_then(charset::Collation::named).map(|collation| collation.pad()) {
        Some(charset::Pad::NoPad) => expression,
        Some(charset::Pad::PadSpace) => call("RTRIM", expression),
        None => {
            // `CONCAT` of two collations has one that nothing can be compared by, so the name decides.
            let mut ops = call("IF", call("COLLATION", expression.clone()));
            ops.pop();
            ops.push(Op::Literal(" REGEXP '0900|nopad|binary', ".into()));
            ops.extend_from_slice(&expression);
            ops.push(Op::Literal(", ".into()));
            ops.extend(call("RTRIM", expression));
            ops.push(Op::Literal(")".into()));
            ops
        }
    }
}

fn call(function: &str, argument: Vec<Op>) -> Vec<Op> {
    let mut ops = vec![Op::Literal(format!("{function}(").into())];
    ops.extend(argument);
    ops.push(Op::Literal(")".into()));
    ops
}

/// A column's definition; nothing when it is not known whose it is.
fn table_column<'a>(builder: &Builder<'a>, column: &Column) -> Option<&'a TableColumn> {
    let scope = builder.scope;
    if scope.homes.len() == 1 {
        let table = scope.rule(builder.rule)?;
        let known = scope.database.table(&table.spec.name)?;
        return known.columns.iter().find(|known| known.name.eq_ignore_ascii_case(&column.name));
    }
    let is_owner = |table: &&sql::TableRef| {
        let name = table.alias.as_ref().unwrap_or(&table.name);
        column.owner.as_ref().is_none_or(|owner| owner.eq_ignore_ascii_case(name))
    };
    let mut found = None;
    for table in scope.statement.tables.iter().filter(is_owner) {
        let known = scope.database.table(&table.name).filter(|known| !known.columns.is_empty())?;
        let mut columns = known.columns.iter();
        let here = columns.find(|known| known.name.eq_ignore_ascii_case(&column.name));
        if here.is_some() && found.is_some() {
            return None;
        }
        found = here.or(found);
    }
    found
}

/// Whether some table has, or may have, a column of that name.
fn may_be_column(builder: &Builder<'_>, column: &Column) -> bool {
    let scope = builder.scope;
    scope.statement.tables.iter().any(|table| {
        scope.database.table(&table.name).is_none_or(|known| {
            known.columns.is_empty()
                || known.columns.iter().any(|known| known.name.eq_ignore_ascii_case(&column.name))
        })
    })
}
