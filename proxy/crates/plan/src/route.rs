//! Pass *locate*, second half: what a template knows about where its statement goes before values are known.

use meta::SourceIndex;
use smallvec::SmallVec;
use sql::{Body, DdlKind, Insert, InsertSource, Join, Modify, Predicate, Scalar, Select, ShowWhat, Span};

use crate::condition::Condition;
use crate::error::{Error, Refused};
use crate::key::Domain;
use crate::plan::Merge;
use crate::scope::{Home, Layout, Scope, columns};

/// Where a statement goes.
#[derive(Clone, Debug)]
pub(crate) enum Route {
    /// To each data node of one table, and what becomes of their answers.
    Every(Layout, Merge),
    /// To the first data node of one table.
    First(Layout),
    /// Rows of an `INSERT`, each where its key says.
    Rows(RowRoute),
    /// The session does it.
    Session,
    /// To one source.
    Source(SourceIndex),
    /// Where a condition says.
    Where(WhereRoute),
}

/// Rows of an `INSERT`.
#[derive(Clone, Debug)]
pub(crate) struct RowRoute {
    pub(crate) layout: Layout,
    /// The key of each row.
    pub(crate) keys: Box<[Scalar]>,
    /// Where each row stands; empty when there is nothing to split.
    pub(crate) rows: Box<[Span]>,
    /// The sharding column is `AUTO_INCREMENT`: 0 is not stored.
    pub(crate) generated: bool,
    /// What `ON DUPLICATE KEY UPDATE` would make of the key.
    pub(crate) update: Option<Scalar>,
    /// What keeps the rows from being split.
    pub(crate) alone: Result<(), Error>,
}

/// A condition.
#[derive(Clone, Debug)]
pub(crate) struct WhereRoute {
    /// Of every sharded table in it: they are laid out alike.
    pub(crate) layout: Layout,
    /// For each mention of one, what is known of its rows.
    pub(crate) mentions: SmallVec<[Mentioned; 1]>,
    /// Where all other tables are.
    pub(crate) source: Option<SourceIndex>,
    /// What keeps it from going to several nodes.
    pub(crate) alone: Result<(), Error>,
    /// What is to be checked once the node is known.
    pub(crate) verb: Verb,
}

/// What is known of one mention of a sharded table.
#[derive(Clone, Debug)]
pub(crate) struct Mentioned {
    pub(crate) condition: Condition,
    pub(crate) domain: Domain,
    /// Mentions of one class have equal keys in every row of the result.
    pub(crate) class: usize,
}

/// Kinds of statement with a condition.
#[derive(Clone, Debug)]
pub(crate) enum Verb {
    /// `UPDATE`, `DELETE`; with the value to which the sharding column is set.
    Modify { key: Option<Scalar> },
    /// `SELECT`, and the sources of `INSERT … SELECT`.
    Select,
}

/// Whether the session does a statement by itself.
pub(crate) fn is_session(body: &Body) -> bool {
    match body {
        Body::Empty | Body::Kill { .. } | Body::Set(_) | Body::Transaction(_) | Body::Use(_) => true,
        Body::Ddl(ddl) => matches!(ddl.kind, DdlKind::CreateDatabase | DdlKind::DropDatabase),
        Body::Show(show) => matches!(
            show.what,
            ShowWhat::CreateDatabase
                | ShowWhat::Databases
                | ShowWhat::ProcessList
                | ShowWhat::Tables
                | ShowWhat::Warnings
        ),
        _ => false,
    }
}

/// Where a statement goes.
pub(crate) fn route(scope: &Scope<'_>) -> Result<Route, Error> {
    if scope.database.units.is_empty() {
        return Err(Error::NoUnit(scope.database.name.clone()));
    }
    if let Some(table) = unloaded(scope) {
        return Err(Error::NoTable { database: scope.database.name.clone(), table });
    }
    let Some((_, rule)) = scope.sharded().next() else { return whole(scope) };
    if let Some(error) = &scope.statement.unparsed {
        return Err(error.clone().into());
    }
    let refuse = |what| Err(Error::Sharded { what, table: scope.name(rule) });
    match &scope.statement.body {
        Body::Select(select) => {
            conditional(scope, rule, &select.filter, select_alone(scope, rule, select), Verb::Select)
        }
        Body::Update(modify) => modified(scope, rule, modify, "UPDATE"),
        Body::Delete(modify) => modified(scope, rule, modify, "DELETE"),
        Body::Insert(insert) => inserted(scope, rule, insert),
        Body::Ddl(ddl) => crate::ddl::route(scope, rule, ddl),
        Body::Show(show) => match show.what {
            ShowWhat::Columns | ShowWhat::CreateTable | ShowWhat::Index => {
                Ok(Route::First(scope.layout(rule)?))
            }
            _ => refuse(Refused::Show("SHOW")),
        },
        Body::Explain => refuse(Refused::Explain),
        Body::Call => refuse(Refused::Call),
        Body::Other(words) => refuse(Refused::Other(words.clone())),
        Body::Do => refuse(Refused::Subquery),
        Body::Empty | Body::Kill { .. } | Body::Set(_) | Body::Transaction(_) | Body::Use(_) => {
            Ok(Route::Session)
        }
    }
}

/// A table that is there and was unloaded; one that is to be created may be called so.
fn unloaded(scope: &Scope<'_>) -> Option<String> {
    let created = match &scope.statement.body {
        Body::Ddl(ddl) => matches!(ddl.kind, DdlKind::CreateTable | DdlKind::CreateTableFrom),
        _ => false,
    };
    let tables = scope.homes.iter().zip(&scope.statement.tables).skip(usize::from(created));
    let mut unknown = tables.filter(|(home, _)| **home == Home::Unknown).map(|(_, table)| &table.name);
    unknown.find(|name| scope.database.is_unloaded(name)).cloned()
}

/// A statement without a sharded table.
fn whole(scope: &Scope<'_>) -> Result<Route, Error> {
    if let Some(only) = scope.database.sources.only() {
        return Ok(Route::Source(only));
    }
    let any = scope.database.default_source().unwrap_or_default();
    if let Body::Show(show) = &scope.statement.body {
        match show.what {
            ShowWhat::Events => return Err(Error::Units(Refused::Show("SHOW EVENTS"))),
            ShowWhat::TableStatus => return Err(Error::Units(Refused::Show("SHOW TABLE STATUS"))),
            ShowWhat::Triggers => return Err(Error::Units(Refused::Show("SHOW TRIGGERS"))),
            _ => {}
        }
    }
    match scope.source() {
        Ok(source) => Ok(Route::Source(source.unwrap_or(any))),
        // Only names that may be tables: the server says what it does not understand.
        Err(_) if scope.statement.unparsed.is_some() => Ok(Route::Source(any)),
        Err(error) => Err(error),
    }
}

/// A statement whose condition says where it goes.
fn conditional(
    scope: &Scope<'_>,
    rule: u16,
    filter: &Predicate,
    alone: Result<(), Error>,
    verb: Verb,
) -> Result<Route, Error> {
    need_tables(scope)?;
    let layout = scope.layout(rule)?;
    let mut mentions = SmallVec::<[Mentioned; 1]>::new();
    let mut numbers = SmallVec::<[usize; 1]>::new();
    for (mention, other) in scope.sharded() {
        let theirs = scope.layout(other)?;
        let alike = other == rule
            || theirs.sources == layout.sources
                && scope.rule(other).map(algorithms) == scope.rule(rule).map(algorithms);
        if !alike && layout.sources.len().max(theirs.sources.len()) > 1 {
            return Err(Error::Layouts(vec![scope.name(rule), scope.name(other)]));
        }
        let key = scope.rule(other).map(|table| table.column()).unwrap_or_default();
        let condition = Condition::of(filter, &|column| scope.is_column(mention, key, column));
        mentions.push(Mentioned { condition, domain: theirs.domain, class: mentions.len() });
        numbers.push(mention);
    }
    join_classes(scope, filter, &numbers, &mut mentions);
    Ok(Route::Where(WhereRoute { layout, mentions, source: scope.source()?, alone, verb }))
}

/// Puts mentions whose keys are equal in every row into one class.
fn join_classes(scope: &Scope<'_>, filter: &Predicate, numbers: &[usize], mentions: &mut [Mentioned]) {
    let mut queue = vec![filter];
    while let Some(predicate) = queue.pop() {
        match predicate {
            Predicate::And(all) => queue.extend(all),
            Predicate::Equal(left, right) => {
                let of = |column| {
                    numbers.iter().position(|mention| {
                        let rule = match scope.homes.get(*mention) {
                            Some(Home::Sharded(rule)) => scope.rule(*rule),
                            _ => None,
                        };
                        rule.is_some_and(|table| scope.is_column(*mention, table.column(), column))
                    })
                };
                if let (Some(left), Some(right)) = (of(left), of(right))
                    && mentions[left].domain == mentions[right].domain
                {
                    let (from, to) = (mentions[left].class, mentions[right].class);
                    mentions
                        .iter_mut()
                        .filter(|mention| mention.class == from)
                        .for_each(|mention| mention.class = to);
                }
            }
            _ => {}
        }
    }
}

/// The structure of every sharded table is wanted before values are compared with its keys.
fn need_tables(scope: &Scope<'_>) -> Result<(), Error> {
    let mut tables: Vec<String> = Vec::new();
    for (mention, _) in scope.sharded() {
        let Some(table) = scope.statement.tables.get(mention) else { continue };
        let known = scope.database.table(&table.name).is_some_and(|known| !known.columns.is_empty());
        if !known && !tables.contains(&table.name) {
            tables.push(table.name.clone());
        }
    }
    if tables.is_empty() {
        Ok(())
    } else {
        Err(Error::NeedTables { database: scope.database.name.clone(), tables })
    }
}

/// What keeps a `SELECT` from going to several nodes, beside its own clauses.
fn select_alone(scope: &Scope<'_>, rule: u16, select: &Select) -> Result<(), Error> {
    let what = if select.traits.found_rows {
        Refused::FoundRows
    } else if select.traits.set_operation {
        Refused::SetOperation
    } else if select.traits.cte {
        Refused::Cte
    } else if select.traits.derived {
        Refused::Derived
    } else if select.traits.subquery {
        Refused::Subquery
    } else if select.join != Join::None || scope.homes.len() > 1 {
        Refused::Join
    } else if scope.reads_state() || select.traits.session {
        Refused::SessionState
    } else {
        return Ok(());
    };
    Err(scope.many(rule, what))
}

fn modified(scope: &Scope<'_>, rule: u16, modify: &Modify, verb: &'static str) -> Result<Route, Error> {
    if modify.multi {
        return Err(Error::MultiTable(
            scope.statement.tables.iter().map(|table| table.name.clone()).collect(),
        ));
    }
    let alone = if modify.limited || modify.ordered {
        Err(Error::ModifyLimit { verb })
    } else if modify.subquery {
        Err(scope.many(rule, Refused::Subquery))
    } else if scope.homes.len() > 1 {
        Err(scope.many(rule, Refused::Join))
    } else if scope.reads_state() {
        Err(scope.many(rule, Refused::SessionState))
    } else {
        Ok(())
    };
    let column = scope.rule(rule).map(|table| table.column()).unwrap_or_default();
    let target = matches!(scope.homes.first(), Some(Home::Sharded(_)));
    let mut sets = modify.set.iter().filter(|set| target && set.column.eq_ignore_ascii_case(column));
    let key = sets.next().map(|set| set.value.clone());
    if sets.next().is_some() {
        return Err(Error::UpdateKey { table: scope.name(rule) });
    }
    conditional(scope, rule, &modify.filter, alone, Verb::Modify { key })
}

fn inserted(scope: &Scope<'_>, rule: u16, insert: &Insert) -> Result<Route, Error> {
    let into_sharded = matches!(scope.homes.get(usize::from(insert.table)), Some(Home::Sharded(_)));
    if let InsertSource::Query(select) = &insert.source {
        let layout = scope.layout(rule)?;
        if into_sharded && layout.sources.len() > 1 {
            return Err(scope.many(rule, Refused::InsertSelect));
        }
        let alone = Err(scope.many(rule, Refused::InsertSelect));
        return conditional(scope, rule, &select.filter, alone, Verb::Select);
    }
    if !into_sharded || scope.homes.len() > 1 {
        return Err(scope.many(rule, Refused::Subquery));
    }
    need_tables(scope)?;
    let layout = scope.layout(rule)?;
    let Some(table) = scope.rule(rule) else {
        return Err(Error::UnknownDatabase(scope.database.name.clone()));
    };
    let key = table.column();
    let columns = columns(scope.database, &table.spec.name);
    let no_key = || Error::NoKey { table: table.spec.name.clone(), column: key.to_owned() };
    let (width, position) = if insert.columns.is_empty() && insert.columns_span.is_none() {
        (columns.len(), columns.iter().position(|column| column.name.eq_ignore_ascii_case(key)))
    } else {
        (insert.columns.len(), insert.columns.iter().position(|column| column.eq_ignore_ascii_case(key)))
    };
    let (keys, rows) = match &insert.source {
        InsertSource::Set(values) => {
            let value = position.and_then(|position| values.get(position)).ok_or_else(no_key)?;
            (vec![value.clone()], Vec::new())
        }
        InsertSource::Rows(rows) => {
            let mut keys = Vec::with_capacity(rows.len());
            for (number, row) in rows.iter().enumerate() {
                if row.values.is_empty() {
                    return Err(no_key());
                }
                if row.values.len() != width {
                    return Err(Error::ColumnCount { row: number + 1 });
                }
                keys.push(position.and_then(|position| row.values.get(position)).ok_or_else(no_key)?.clone());
            }
            (keys, rows.iter().map(|row| row.span).collect())
        }
        InsertSource::Query(_) => return Err(scope.many(rule, Refused::InsertSelect)),
    };
    let mut updates = insert.on_duplicate.iter().filter(|set| set.column.eq_ignore_ascii_case(key));
    let update = updates.next().map(|set| set.value.clone());
    let update = match update {
        Some(Scalar::Values(column)) if column.eq_ignore_ascii_case(key) => None,
        update => update,
    };
    let generated =
        columns.iter().any(|column| column.auto_increment && column.name.eq_ignore_ascii_case(key));
    let rows = if rows.len() > 1 { rows.into() } else { Box::default() };
    let alone = if scope.reads_state() { Err(scope.many(rule, Refused::SessionState)) } else { Ok(()) };
    Ok(Route::Rows(RowRoute { layout, keys: keys.into(), rows, generated, update, alone }))
}

fn algorithms(table: &meta::ShardedTable) -> Vec<&meta::ShardingAlgorithm> {
    table.strategies.iter().map(|strategy| &strategy.algorithm).collect()
}
