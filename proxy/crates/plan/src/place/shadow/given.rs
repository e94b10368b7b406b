//! Which values a statement has for a column that a rule asks for.

use std::collections::{BTreeMap, HashSet};

use meta::ShadowColumn;
use sql::lexer::{Token, TokenKind};
use sql::{
    BlockIndex, Body, Clause, Column, ColumnUse, Comparison, InsertSource, Operator, Predicate, Scalar,
    SourceKind, Use,
};

use super::Given;
use crate::error::Error;
use crate::scope::{Home, Scope};

/// The values that a statement has for a column of a mention; nothing when it has none.
pub(super) fn given(scope: &Scope<'_>, mention: usize, asked: &ShadowColumn) -> Result<Option<Given>, Error> {
    match &scope.statement.body {
        Body::Insert(insert) if usize::from(insert.table) == mention => rows(scope, insert, asked),
        Body::Insert(_) => Ok(None),
        Body::Delete(modify) | Body::Update(modify) => predicates(scope, mention, &modify.filter, asked),
        Body::Select(select) => predicates(scope, mention, &select.filter, asked),
        _ => Ok(None),
    }
}

fn rows(scope: &Scope<'_>, insert: &sql::Insert, asked: &ShadowColumn) -> Result<Option<Given>, Error> {
    if matches!(insert.source, InsertSource::Query(_)) {
        return Ok(None);
    }
    let is_asked = |name: &str| name.eq_ignore_ascii_case(&asked.column);
    let place = if insert.columns.is_empty() && insert.columns_span.is_none() {
        let name = scope.statement.tables.get(usize::from(insert.table)).map(|table| table.name.clone());
        let name = name.unwrap_or_default();
        let columns = scope.database.logical_columns(&name);
        if columns.is_empty() {
            let database = scope.database.name.clone();
            return Err(Error::NeedTables { database, tables: vec![name] });
        }
        columns.iter().position(|column| is_asked(&column.name))
    } else {
        insert.columns.iter().position(|name| is_asked(name))
    };
    let Some(place) = place else { return Ok(None) };
    let values: Option<Box<[Scalar]>> = match &insert.source {
        InsertSource::Rows(rows) => rows.iter().map(|row| row.values.get(place).cloned()).collect(),
        InsertSource::Set(values) => values.get(place).map(|value| Box::from([value.clone()])),
        InsertSource::Query(_) => None,
    };
    Ok(values.map(|values| Given::Rows(place, values)))
}

fn predicates(
    scope: &Scope<'_>,
    mention: usize,
    filter: &Predicate,
    asked: &ShadowColumn,
) -> Result<Option<Given>, Error> {
    let mut wanted = Vec::new();
    let mut found = nested(scope, mention, asked, &mut wanted);
    let known: HashSet<&[Scalar]> = found.iter().map(|values| &**values).collect();
    let mut more: Vec<Box<[Scalar]>> = Vec::new();
    let mut queue = vec![filter];
    while let Some(predicate) = queue.pop() {
        let (column, values) = match predicate {
            Predicate::And(parts) | Predicate::Or(parts) => {
                queue.extend(parts);
                continue;
            }
            Predicate::Compare { column, op: Comparison::Equal, value } => {
                (column, std::slice::from_ref(value))
            }
            Predicate::In { column, values } => (column, values.as_slice()),
            _ => continue,
        };
        if column.name.eq_ignore_ascii_case(&asked.column)
            && is_column(scope, mention, column, &mut wanted)
            && !known.contains(values)
        {
            more.push(values.into());
        }
    }
    found.extend(more);
    if !wanted.is_empty() {
        return Err(Error::NeedTables { database: scope.database.name.clone(), tables: wanted });
    }
    Ok((!found.is_empty()).then(|| Given::Any(found.into())))
}

/// Whether a column is one of this mention's table. A column without owner belongs to the table that has one of that
/// name: the structures of the others are wanted.
fn is_column(scope: &Scope<'_>, mention: usize, column: &Column, wanted: &mut Vec<String>) -> bool {
    if column.owner.is_some() {
        return scope.is_column(mention, &column.name, column);
    }
    let tables = &scope.statement.tables;
    if !scope.in_reach(mention) || tables.get(mention).is_none_or(|table| table.nested) {
        return false;
    }
    let mut others = (0..tables.len()).filter(|other| *other != mention && scope.in_reach(*other));
    others.all(|other| is_without(scope, other, &column.name, wanted))
}

/// Whether nobody knows a table that could have a column. Its structure is wanted when it may.
fn is_without(scope: &Scope<'_>, other: usize, column: &str, wanted: &mut Vec<String>) -> bool {
    let Some(table) = scope.statement.tables.get(other) else { return true };
    // A table that is foreign or temporary is in no rule.
    let is_known =
        matches!(scope.homes.get(other), Some(Home::Broadcast | Home::Sharded(_) | Home::Single(_)));
    if !is_known {
        return true;
    }
    let columns = scope.database.logical_columns(&table.name);
    if columns.is_empty() && !wanted.contains(&table.name) {
        wanted.push(table.name.clone());
    }
    !columns.is_empty() && columns.iter().all(|known| !known.name.eq_ignore_ascii_case(column))
}

/// The same of every predicate by itself, so that those in subqueries, derived tables and parts of a set operation are
/// found.
fn nested(
    scope: &Scope<'_>,
    mention: usize,
    asked: &ShadowColumn,
    wanted: &mut Vec<String>,
) -> Vec<Box<[Scalar]>> {
    let mut found = Vec::new();
    let mut negated = None;
    let is_asked = |it: &&ColumnUse| {
        matches!(it.clause, Clause::From | Clause::Where) && it.name.eq_ignore_ascii_case(&asked.column)
    };
    for mentioned in scope.statement.uses.iter().filter(is_asked) {
        let values: Box<[Scalar]> = match &mentioned.place {
            Use::Compare { op: Operator::Equal | Operator::NullSafeEqual, value, .. } => {
                [value.clone()].into()
            }
            Use::In { values, negated: false } => values.iter().map(|(value, _)| value.clone()).collect(),
            _ => continue,
        };
        let at = mentioned.span.start.offset(scope.slots);
        let negated = negated.get_or_insert_with(|| negations(scope.text));
        if !is_within(negated, at) && is_of(scope, mention, mentioned, wanted) {
            found.push(values);
        }
    }
    found
}

/// Whether a column is one of this mention's table, by the blocks in which its name is looked up.
fn is_of(scope: &Scope<'_>, mention: usize, mentioned: &ColumnUse, wanted: &mut Vec<String>) -> bool {
    let mut at: Option<BlockIndex> = Some(mentioned.block);
    while let Some(block) = at.and_then(|at| scope.statement.blocks.get(at as usize)) {
        let is_mention =
            |kind: &SourceKind| matches!(kind, SourceKind::Table(table) if usize::from(*table) == mention);
        if let Some(owner) = &mentioned.owner {
            if let Some(source) = block.from.iter().find(|source| source.name.eq_ignore_ascii_case(owner)) {
                return is_mention(&source.kind);
            }
        } else {
            let holds = block.from.iter().any(|source| is_mention(&source.kind));
            let mut others = block.from.iter().filter(|source| !is_mention(&source.kind));
            let is_alone = others.all(|source| match &source.kind {
                SourceKind::Table(table) => is_without(scope, usize::from(*table), &mentioned.name, wanted),
                _ => false,
            });
            if holds || !is_alone {
                return holds && is_alone;
            }
        }
        at = block.parent;
    }
    false
}

/// The stretches of the text that `NOT` or `!` turns round; a query within one is none.
fn negations(text: &str) -> BTreeMap<usize, usize> {
    let Ok(tokens) = sql::lexer::tokens(text, sql::Mode::default()) else { return BTreeMap::new() };
    let mut found = BTreeMap::new();
    for (number, token) in tokens.iter().enumerate() {
        let next = tokens.get(number + 1);
        let turns = token.is(text, "NOT")
            && !next.is_some_and(|next| {
                next.is_any(text, &["BETWEEN", "EXISTS", "IN", "LIKE", "NULL", "REGEXP", "RLIKE"])
            })
            || token.text(text) == "!";
        // One within another reaches no further.
        if turns && !is_within(&found, token.start as usize) {
            found.extend(operand(text, &tokens[number + 1..]));
        }
    }
    found
}

/// Whether a place is in one of these stretches, of which none overlap.
fn is_within(stretches: &BTreeMap<usize, usize>, at: usize) -> bool {
    stretches.range(..=at).next_back().is_some_and(|(_, end)| at < *end)
}

/// The stretches of what stands behind a `NOT`, up to an `AND`, `OR`, comma or parenthesis that does not belong to it,
/// without the queries in it.
fn operand(text: &str, tokens: &[Token]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let (mut depth, mut query) = (0_usize, None);
    let mut start = None;
    for token in tokens {
        match token.kind {
            TokenKind::LeftParen => depth += 1,
            TokenKind::RightParen if depth == 0 => break,
            TokenKind::RightParen => {
                depth -= 1;
                if query.is_some_and(|within| depth < within) {
                    query = None;
                    continue;
                }
            }
            TokenKind::Comma if depth == 0 => break,
            _ if depth == 0
                && token.is_any(text, &["AND", "OR", "XOR", "ORDER", "GROUP", "LIMIT", "UNION"]) =>
            {
                break;
            }
            _ if query.is_none() && token.is_any(text, &["SELECT", "TABLE", "VALUES", "WITH"]) => {
                query = Some(depth);
                found.extend(start.take());
            }
            _ => {}
        }
        if query.is_none() {
            let from = start.map_or(token.start as usize, |(from, _)| from);
            start = Some((from, token.end as usize));
        }
    }
    found.extend(start);
    found
}
