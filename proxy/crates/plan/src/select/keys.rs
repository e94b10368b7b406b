//! What rows are compared by: for each item of `ORDER BY`, `GROUP BY` or `DISTINCT`, a visible column or a derived one,
//! and for text its weight, so that values compare as in the column's own collation.

use meta::TableColumn;
use sql::{Aggregate, Column, Item, ItemKind, SlotKind, Sort, SortBy};
use wire::charset;

use super::Builder;
use super::names::{self, Field, Shown, aliased};
use super::told::{Told, told};
use crate::distribute;
use crate::error::{Error, Refused};
use crate::plan::{Collation, Combine, Merged, Position, SortKey, Weight};
use crate::text::Op;

/// Where a key is used.
#[derive(Clone, Copy, Eq, PartialEq)]
pub(super) enum Clause {
    Group,
    Order,
}

/// How values of a column compare.
#[derive(Clone, Copy, Eq, PartialEq)]
pub(super) enum Class {
    /// By kind, then by value: can be sorted, not told apart.
    Json,
    /// By the moment, which the local time shown does not tell in the hour that a clock goes through twice.
    Moment,
    /// By number: the value itself does not tell it (`ENUM`, `SET`) or not exactly (`FLOAT`).
    Number,
    /// Text; its collation, if it is known here.
    Text(Option<&'static str>),
    /// In no way that the rows tell.
    Unordered,
    /// By the value.
    Value,
}

/// How values of a column compare.
pub(super) fn class(column: &TableColumn) -> Class {
    match column.data_type.as_str() {
        "enum" | "set" | "float" => Class::Number,
        "json" => Class::Json,
        "timestamp" => Class::Moment,
        "char" | "varchar" | "tinytext" | "text" | "mediumtext" | "longtext" => {
            let known = column.collation.as_deref().and_then(charset::Collation::named);
            Class::Text(known.map(|collation| collation.name))
        }
        "tinyint" | "smallint" | "mediumint" | "int" | "integer" | "bigint" | "decimal" | "numeric"
        | "double" | "real" | "bit" | "date" | "datetime" | "time" | "year" | "binary" | "varbinary"
        | "tinyblob" | "blob" | "mediumblob" | "longblob" => Class::Value,
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
            let place = builder.place(number);
            of_column(builder, column, builder.edits.copy(item.span), place)
        }
        ItemKind::Expression => {
            let place = builder.place(number);
            let told = told(item.span.text(builder.scope.text, builder.scope.slots), builder.scope.mode);
            of_expression(builder, builder.edits.copy(item.span), told, place, clause)
        }
        ItemKind::Aggregate(Aggregate { function: sql::Function::Other, .. }) | ItemKind::OverAggregate
            if builder.apart =>
        {
            let place = builder.place(number);
            let told = told(item.span.text(builder.scope.text, builder.scope.slots), builder.scope.mode);
            of_expression(builder, builder.edits.copy(item.span), told, place, Clause::Order)
        }
        ItemKind::Aggregate(aggregate) => {
            let value = builder.visible(number)?;
            if let Some(key) = extreme_number(builder, item, aggregate)? {
                return Ok(key);
            }
            Ok(SortKey { value, weight: extreme_weight(builder, item, aggregate)?, descending: false })
        }
        ItemKind::OverAggregate => builder.refuse(Refused::ExpressionOverAggregate),
        ItemKind::Wildcard => builder.refuse(Refused::Wildcard),
    }
}

/// The key of a column behind a `*`.
pub(super) fn field(builder: &mut Builder<'_>, field: Field<'_>, place: Position) -> Result<SortKey, Error> {
    let expression = names::write(builder, field);
    of_class(builder, class(field.column), &field.column.name, expression, Some(place))
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
            None if builder.apart => {
                let expression = names::spelled(builder, sort.span)?;
                let told = told(builder.text(sort), builder.scope.mode);
                of_expression(builder, expression, told, None, Clause::Order)
            }
            None => builder.refuse(Refused::OrderByAggregate),
        },
    }
}

/// A second key for a quotient of floating-point numbers, which text rows show with fewer digits than the server sorts by.
pub(super) fn finer(builder: &mut Builder<'_>, sort: &Sort) -> Result<Option<SortKey>, Error> {
    let item = match &sort.by {
        SortBy::Ordinal(position) => position.checked_sub(1).and_then(|it| usize::try_from(it).ok()),
        SortBy::Column(column) => aliased(builder, column),
        SortBy::Expression | SortBy::OverAggregate => None,
    };
    let item = item.and_then(|number| builder.select.items.get(number));
    let span = match (&sort.by, item) {
        (SortBy::Expression, _) => sort.span,
        (_, Some(item)) if item.kind == ItemKind::Expression => item.span,
        _ => return Ok(None),
    };
    let text = span.text(builder.scope.text, builder.scope.slots);
    let grouped = builder.select.distinct || !builder.select.group_by.is_empty();
    let inexact = |mention: &sql::ColumnUse| {
        let column = Column { owner: mention.owner.clone(), name: mention.name.clone() };
        names::field(builder, &column)
            .is_none_or(|field| matches!(field.column.data_type.as_str(), "double" | "float" | "real"))
    };
    if grouped || !text.contains('/') || !names::mentions(builder, span).any(inexact) {
        return Ok(None);
    }
    if told(text, builder.scope.mode) != Told::Number {
        return Ok(None);
    }
    let mut ops = vec![Op::Literal("(".into())];
    ops.extend(names::spelled(builder, span)?);
    ops.push(Op::Literal(")+0e0".into()));
    Ok(Some(SortKey { value: builder.derive("ORDER_BY", ops)?, weight: None, descending: sort.descending }))
}

/// The key of an item of `GROUP BY`. A column stands before an alias of that name.
pub(super) fn group(builder: &mut Builder<'_>, sort: &Sort) -> Result<SortKey, Error> {
    match &sort.by {
        SortBy::Ordinal(position) => ordinal(builder, *position, Clause::Group),
        SortBy::Column(column) => match aliased(builder, column) {
            Some(number) if !names::may_be_column(builder, &column.name) => {
                item(builder, number, Clause::Group)
            }
            Some(_) if names::field(builder, column).is_none() => {
                builder.refuse(Refused::GroupName(column.name.clone()))
            }
            _ => column_key(builder, column, sort, Clause::Group),
        },
        SortBy::Expression => expression_key(builder, sort, Clause::Group),
        SortBy::OverAggregate => builder.refuse(Refused::ExpressionOverAggregate),
    }
}

/// The n-th item of `GROUP BY` in an `ORDER BY` of our own.
pub(super) fn grouped_by(builder: &Builder<'_>, sort: &Sort, key: SortKey) -> Vec<Op> {
    let hidden = match &sort.by {
        SortBy::Column(column) => aliased(builder, column).is_some_and(|number| {
            let item = &builder.select.items[number].kind;
            let same = matches!(item, ItemKind::Column(same) if same.name.eq_ignore_ascii_case(&column.name));
            !same && names::may_be_column(builder, &column.name)
        }),
        _ => false,
    };
    match key.value {
        // The name would mean the alias.
        Position::Derived(number) if hidden => vec![builder.derived_name(number)],
        Position::Visible(number) if hidden => {
            vec![Op::Literal((u32::from(number) + 1).to_string().into())]
        }
        _ => builder.edits.copy(sort.span),
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
    let field = aggregate.column.as_ref().and_then(|column| names::field(builder, column));
    let class = field.map(|field| class(field.column));
    match class {
        Some(Class::Moment | Class::Value) => Ok(None),
        Some(Class::Number) if field.is_some_and(|field| field.column.data_type == "float") => Ok(None),
        Some(Class::Json | Class::Unordered) => {
            let name = aggregate.column.as_ref().map(|column| column.name.clone()).unwrap_or_default();
            builder.refuse(Refused::Unordered(name))
        }
        Some(Class::Text(known)) => weight(builder, builder.edits.copy(item.span), known, false).map(Some),
        // MIN and MAX of an ENUM compare its texts.
        Some(Class::Number) | None => weight(builder, builder.edits.copy(item.span), None, false).map(Some),
    }
}

/// The key of `MIN(x)` or `MAX(x)` of a `FLOAT`, of which the value shows only six digits.
fn extreme_number(
    builder: &mut Builder<'_>,
    item: &Item,
    aggregate: &Aggregate,
) -> Result<Option<SortKey>, Error> {
    let how = match aggregate.function {
        sql::Function::Max => Combine::Max { weight: None },
        sql::Function::Min => Combine::Min { weight: None },
        _ => return Ok(None),
    };
    let column = aggregate.column.as_ref().and_then(|column| names::field(builder, column));
    if column.is_none_or(|field| field.column.data_type != "float") {
        return Ok(None);
    }
    let mut ops = builder.edits.copy(item.span);
    ops.push(Op::Literal("+0".into()));
    let value = builder.derive("ORDER_BY", ops)?;
    let part = Merged { column: value, how };
    if !builder.parts.contains(&part) {
        builder.parts.push(part);
    }
    Ok(Some(SortKey { value, weight: None, descending: false }))
}

/// What the server will refuse. Should it not do so, because the table has changed, merging does.
const NOWHERE: SortKey = SortKey { value: Position::Visible(u16::MAX), weight: None, descending: false };

fn ordinal(builder: &mut Builder<'_>, position: u32, clause: Clause) -> Result<SortKey, Error> {
    let Some(number) = position.checked_sub(1).and_then(|number| u16::try_from(number).ok()) else {
        return Ok(NOWHERE);
    };
    match builder.shown(number) {
        Some(Some(Shown::Item(number))) => item(builder, number, clause),
        Some(Some(Shown::Field(behind))) => {
            builder.counted = true;
            field(builder, behind, Position::Visible(number))
        }
        Some(None) => Ok(NOWHERE),
        None => builder.refuse(Refused::Ordinal(position)),
    }
}

/// The item that is the same expression without alias, or with one. Values are then to stay as they are: another
/// statement of the template may have others in the two places.
fn same_text(builder: &mut Builder<'_>, sort: &Sort) -> Option<usize> {
    let text = builder.text(sort);
    let (texts, slots) = (builder.scope.text, builder.scope.slots);
    let values = |span: sql::Span| span.start.after..span.end.after;
    let is_param = |slot: u32| slots.get(slot as usize).is_some_and(|slot| slot.kind == SlotKind::Param);
    if values(sort.span).any(is_param) {
        return None;
    }
    let exact = !values(sort.span).is_empty();
    let same = |item: &Item| {
        let other = item.span.text(texts, slots);
        let alike = if exact { other == text } else { other.eq_ignore_ascii_case(text) };
        item.kind != ItemKind::Wildcard && alike
    };
    let number = builder.select.items.iter().position(same)?;
    builder.fixed.extend(values(sort.span).chain(values(builder.select.items[number].span)));
    Some(number)
}

fn column_key(
    builder: &mut Builder<'_>,
    column: &Column,
    sort: &Sort,
    clause: Clause,
) -> Result<SortKey, Error> {
    if let Some(number) = names::selected(builder, column) {
        return item(builder, number, clause);
    }
    let mut name = column.name.to_ascii_lowercase();
    if let Some(owner) = column.owner.as_ref().filter(|_| names::joins(builder)) {
        name = format!("{owner}.{name}");
    }
    once(builder, name, |builder| of_column(builder, column, builder.edits.copy(sort.span), None))
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
    let expression = names::spelled(builder, sort.span)?;
    let told = told(builder.text(sort), builder.scope.mode);
    let text = builder.text(sort).to_owned();
    let make = |builder: &mut Builder<'_>| of_expression(builder, expression, told, None, clause);
    if sort.span.start.after == sort.span.end.after {
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
    match known_class(builder, column) {
        Some(class) => of_class(builder, class, &column.name, expression, place),
        None => of_expression(builder, expression, Told::Nothing, place, Clause::Order),
    }
}

fn of_class(
    builder: &mut Builder<'_>,
    class: Class,
    name: &str,
    expression: Vec<Op>,
    place: Option<Position>,
) -> Result<SortKey, Error> {
    let key = |value, weight| SortKey { value, weight, descending: false };
    match class {
        Class::Unordered => builder.refuse(Refused::Unordered(name.to_owned())),
        Class::Json => json(builder, expression, false),
        Class::Moment => {
            let moment = call("UNIX_TIMESTAMP", expression);
            Ok(key(builder.derive("ORDER_BY", moment)?, None))
        }
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

/// An expression's type is known only when rows come, unless its text tells it: else a weight is asked for.
fn of_expression(
    builder: &mut Builder<'_>,
    expression: Vec<Op>,
    told: Told,
    place: Option<Position>,
    clause: Clause,
) -> Result<SortKey, Error> {
    let grouped = clause == Clause::Group;
    if told == Told::Json {
        return json(builder, expression, grouped);
    }
    let value = at(builder, &expression, place)?;
    let weight = match told {
        Told::Number => None,
        Told::Json | Told::Nothing => Some(weight(builder, expression, None, grouped)?),
    };
    Ok(SortKey { value, weight, descending: false })
}

/// JSON in the character set that it is kept in, whatever the session's is, and the name of its type.
fn json(builder: &mut Builder<'_>, expression: Vec<Op>, grouped: bool) -> Result<SortKey, Error> {
    let visible = |ops| if grouped { call("MIN", ops) } else { ops };
    let mut bytes = call("CAST", expression.clone());
    bytes.insert(bytes.len() - 1, Op::Literal(" AS BINARY".into()));
    let value = builder.derive("ORDER_BY", visible(bytes))?;
    let value_type = builder.derive("TYPE", visible(call("JSON_TYPE", expression)))?;
    let weight = Some(Weight { value: value_type, collation: Collation::Json });
    Ok(SortKey { value, weight, descending: false })
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

/// How a column compares; nothing when it is not known whose it is.
fn known_class(builder: &Builder<'_>, column: &Column) -> Option<Class> {
    let field = names::field(builder, column).map(|field| class(field.column));
    field.or_else(|| distribute::table_column(builder.scope, column).map(|column| class(&column)))
}
