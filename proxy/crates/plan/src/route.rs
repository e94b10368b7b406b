//! Pass *locate*, second half: what a template knows about where its statement goes before values are known.

use meta::SourceIndex;
use smallvec::SmallVec;
use sql::{Body, DdlKind, Join, Predicate, Scalar, Select, ShowWhat};

use crate::condition::{Condition, Keyed};
use crate::error::{Error, Refused};
use crate::key::Domain;
use crate::plan::Merge;
use crate::scope::{Home, Layout, Scope};
use crate::write::{RowRoute, inserted, modified};

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
    /// The same to several sources, and what becomes of their answers.
    Sources(Box<[SourceIndex]>, Merge),
    /// Where a condition says.
    Where(WhereRoute),
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
    /// The table's number in the rule.
    pub(crate) rule: u16,
    /// For each strategy the conditions on its columns.
    pub(crate) strategies: SmallVec<[SmallVec<[Keyed; 1]>; 1]>,
    /// Mentions of one class have equal keys in every row of the result.
    pub(crate) class: usize,
}

/// Kinds of statement with a condition.
#[derive(Clone, Debug)]
pub(crate) enum Verb {
    /// `UPDATE`, `DELETE`; with the values to which sharding columns are set, by the numbers of their strategies and
    /// of the columns in those.
    Modify { keys: SmallVec<[(usize, usize, Scalar); 1]> },
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
    if let Some(route) = crate::catalog::route(scope)? {
        return Ok(route);
    }
    if scope.database.units.is_empty() {
        return Err(Error::NoUnit(scope.database.name.clone()));
    }
    if let Some(table) = unloaded(scope) {
        return Err(Error::NoTable { database: scope.database.name.clone(), table });
    }
    let sharded = scope.sharded().next();
    if let Some(name) = scope.statement.hints.data_source_name() {
        if let Some((_, rule)) = sharded {
            let what = Refused::Other("the hint DATA_SOURCE_NAME".to_owned());
            return Err(Error::Sharded { what, table: scope.name(rule) });
        }
        let source = scope.database.sources.index(name);
        return source.map(Route::Source).ok_or_else(|| Error::HintedSource(name.to_owned()));
    }
    if let Body::Ddl(ddl) = &scope.statement.body
        && let Some(route) = crate::ddl::listed(scope, ddl)?
    {
        return Ok(route);
    }
    let Some((_, rule)) = sharded else { return whole(scope) };
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
    if let Some(mention) = scope.homes.iter().position(|home| *home == Home::Broadcast)
        && scope.statement.unparsed.is_none()
    {
        return crate::broadcast::route(scope, mention);
    }
    match scope.source() {
        Ok(source) => Ok(Route::Source(source.unwrap_or(any))),
        // Only names that may be tables: the server says what it does not understand.
        Err(_) if scope.statement.unparsed.is_some() => Ok(Route::Source(any)),
        Err(error) => Err(error),
    }
}

/// A statement whose condition says where it goes.
pub(crate) fn conditional(
    scope: &Scope<'_>,
    rule: u16,
    filter: &Predicate,
    alone: Result<(), Error>,
    verb: Verb,
) -> Result<Route, Error> {
    need_tables(scope)?;
    let layout = scope.layout(rule)?;
    let first = scope.rule(rule);
    let mut mentions = SmallVec::<[Mentioned; 1]>::new();
    let mut numbers = SmallVec::<[usize; 1]>::new();
    for (mention, other) in scope.sharded() {
        let table = scope.rule(other);
        let theirs = scope.layout(other)?;
        let alike = other == rule
            || first.zip(table).is_some_and(|(first, table)| first.is_alike(table))
            || layout.sources.len().max(theirs.sources.len()) == 1;
        if !alike {
            return Err(Error::Layouts(vec![scope.name(rule), scope.name(other)]));
        }
        let mut domains = theirs.domains.into_iter();
        let mut keyed = |key: &String| {
            let condition = Condition::of(filter, &|column| scope.is_column(mention, key, column));
            Keyed { condition, domain: domains.next().unwrap_or(Domain::Other) }
        };
        let strategies = table.into_iter().flat_map(|table| &table.strategies);
        let strategies = strategies.map(|strategy| strategy.columns.iter().map(&mut keyed).collect());
        mentions.push(Mentioned { rule: other, strategies: strategies.collect(), class: mentions.len() });
        numbers.push(mention);
    }
    let links = match (&scope.statement.body, &verb) {
        (Body::Select(select), Verb::Select) => select.links.as_slice(),
        _ => &[],
    };
    join_classes(scope, [filter].into_iter().chain(links), &numbers, &mut mentions);
    let alone = match alone {
        // A join of tables whose rows with equal keys are together can be done on each node by itself.
        Ok(()) | Err(Error::Many { what: Refused::SessionState, .. })
            if scope.homes.len() > 1 && !is_together(scope, &mentions, &verb) =>
        {
            Err(scope.many(rule, Refused::Join))
        }
        alone => alone,
    };
    crate::audit::check(scope, &mentions)?;
    Ok(Route::Where(WhereRoute { layout, mentions, source: scope.source()?, alone, verb }))
}

/// Whether each node can join its own rows: bound tables by their keys, and broadcast tables.
fn is_together(scope: &Scope<'_>, mentions: &[Mentioned], verb: &Verb) -> bool {
    let Body::Select(select) = &scope.statement.body else { return false };
    let group = |mention: &Mentioned| scope.rule(mention.rule).and_then(|table| table.binding);
    let Some(first) = mentions.first() else { return false };
    matches!(verb, Verb::Select)
        && match select.join {
            Join::Inner => true,
            // Left joins keep the rows of the first table: each node its own.
            Join::Outer => !select.links.is_empty() && matches!(scope.homes.first(), Some(Home::Sharded(_))),
            Join::None => false,
        }
        && scope.homes.iter().all(|home| matches!(home, Home::Broadcast | Home::Sharded(_)))
        && scope.statement.tables.iter().all(|table| !table.nested)
        && mentions[1..].iter().all(|mention| {
            mention.class == first.class && group(mention).is_some() && group(mention) == group(first)
        })
}

/// Puts mentions whose keys are equal in every row into one class: all sharding columns, or one of tables that are
/// bound.
fn join_classes<'p>(
    scope: &Scope<'_>,
    filters: impl Iterator<Item = &'p Predicate>,
    numbers: &[usize],
    mentions: &mut [Mentioned],
) {
    let columns = |mention: &Mentioned| -> Vec<(String, Domain)> {
        let strategies = scope.rule(mention.rule).into_iter().flat_map(|table| &table.strategies);
        let names = strategies.flat_map(|strategy| strategy.columns.iter().cloned());
        names.zip(mention.strategies.iter().flatten().map(|keyed| keyed.domain)).collect()
    };
    let all: Vec<_> = mentions.iter().map(columns).collect();
    let Some(width) = all.iter().map(Vec::len).max() else { return };
    // For each column the classes of mentions in which it is equal.
    let mut equal: Vec<Vec<usize>> = vec![(0..mentions.len()).collect(); width];
    let mut queue: Vec<_> = filters.collect();
    while let Some(predicate) = queue.pop() {
        match predicate {
            Predicate::And(parts) => queue.extend(parts),
            Predicate::Equal(left, right) => {
                for (at, classes) in equal.iter_mut().enumerate() {
                    let of = |column| {
                        numbers.iter().zip(&all).position(|(mention, columns)| {
                            columns.get(at).is_some_and(|(name, _)| scope.is_column(*mention, name, column))
                        })
                    };
                    if let (Some(left), Some(right)) = (of(left), of(right))
                        && all[left].get(at).map(|it| it.1) == all[right].get(at).map(|it| it.1)
                    {
                        let (from, to) = (classes[left], classes[right]);
                        classes.iter_mut().filter(|class| **class == from).for_each(|class| *class = to);
                    }
                }
            }
            _ => {}
        }
    }
    let group = |mention: &Mentioned| scope.rule(mention.rule).and_then(|table| table.binding);
    for later in 1..mentions.len() {
        let same = |earlier: &usize| {
            let mut columns = equal.iter().map(|classes| classes[*earlier] == classes[later]);
            let bound =
                group(&mentions[later]).is_some() && group(&mentions[later]) == group(&mentions[*earlier]);
            if bound { columns.any(|equal| equal) } else { !equal.is_empty() && columns.all(|equal| equal) }
        };
        let earlier: Vec<usize> = (0..later).filter(same).collect();
        for earlier in earlier {
            let (from, to) = (mentions[later].class, mentions[earlier].class);
            mentions.iter_mut().filter(|it| it.class == from).for_each(|it| it.class = to);
        }
    }
}

/// The structure of every sharded table is wanted before values are compared with its keys.
pub(crate) fn need_tables(scope: &Scope<'_>) -> Result<(), Error> {
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
    let what = if select.traits.set_operation {
        Refused::SetOperation
    } else if select.traits.cte {
        Refused::Cte
    } else if select.traits.derived {
        Refused::Derived
    } else if select.traits.subquery {
        Refused::Subquery
    } else if scope.reads_state() || select.traits.session {
        Refused::SessionState
    } else {
        return Ok(());
    };
    Err(scope.many(rule, what))
}
