//! Where the rows of an `INSERT` or `REPLACE` go.

use std::borrow::Cow;

use meta::{GeneratedKey, KeyGenerator, ShardedTable, SourceIndex, TableColumn};
use smallvec::SmallVec;
use sql::{Body, Column, Insert, InsertSource, Scalar, Select, SetColumn, Span};

use crate::error::{Error, Refused};
use crate::key::Domain;
use crate::route::{Route, Verb, conditional, need_tables};
use crate::scope::{Home, Layout, Scope, columns};

/// Rows of an `INSERT`.
#[derive(Clone, Debug)]
pub(crate) struct RowRoute {
    pub(crate) layout: Layout,
    /// The columns of the strategies, one after the other.
    pub(crate) columns: SmallVec<[RowColumn; 1]>,
    /// For each row the values of these columns; `None` is generated.
    pub(crate) keys: Box<[Option<Scalar>]>,
    /// Where each row stands; empty when there is nothing to split.
    pub(crate) rows: Box<[Span]>,
    /// How many rows there are.
    pub(crate) count: u32,
    /// Where the tables of subqueries in it are.
    pub(crate) source: Option<SourceIndex>,
    /// What keeps the rows from being split.
    pub(crate) alone: Result<(), Error>,
    /// A column that the statement does not name, whose values are generated.
    pub(crate) generated: Option<KeyGenerator>,
}

/// A sharding column of an `INSERT`.
#[derive(Clone, Debug)]
pub(crate) struct RowColumn {
    pub(crate) name: Box<str>,
    pub(crate) domain: Domain,
    /// It is `AUTO_INCREMENT`: 0 is not stored.
    pub(crate) counts: bool,
    /// What `ON DUPLICATE KEY UPDATE` would make of it.
    pub(crate) update: Option<Scalar>,
}

/// `INSERT` and `REPLACE` with a sharded table.
pub(crate) fn inserted(scope: &Scope<'_>, rule: u16, insert: &Insert) -> Result<Route, Error> {
    need_tables(scope)?;
    if let InsertSource::Query(select) = &insert.source {
        return from_query(scope, rule, insert, select);
    }
    let others = (0..).zip(&scope.homes).filter(|(mention, _)| *mention != usize::from(insert.table));
    let target = scope.homes.get(usize::from(insert.table));
    if !matches!(target, Some(Home::Sharded(_)))
        || others.clone().any(|(_, home)| !matches!(home, Home::Broadcast | Home::Single(_)))
    {
        return Err(scope.many(rule, Refused::Subquery));
    }
    let source = scope.source()?;
    let layout = scope.layout(rule)?;
    let Some(table) = scope.rule(rule) else {
        return Err(Error::UnknownDatabase(scope.database.name.clone()));
    };
    let written = Written::new(scope, table, insert);
    let no_key = |column: &str| Error::NoKey { table: table.spec.name.clone(), column: column.to_owned() };
    let names = table.strategies.iter().flat_map(|strategy| &strategy.columns);
    let mut columns = SmallVec::<[RowColumn; 1]>::new();
    let mut places = SmallVec::<[Option<usize>; 1]>::new();
    for (name, domain) in names.zip(&layout.domains) {
        let place = written.place(name);
        if place.is_none() && !written.generates(name) {
            return Err(no_key(name));
        }
        places.push(place);
        columns.push(written.column(scope, name, *domain));
    }
    let rows: Vec<(&[Scalar], Option<Span>)> = match &insert.source {
        InsertSource::Set(values) => vec![(values, None)],
        InsertSource::Rows(rows) => rows.iter().map(|row| (&row.values[..], Some(row.span))).collect(),
        InsertSource::Query(_) => Vec::new(),
    };
    let mut keys = Vec::with_capacity(rows.len() * columns.len());
    for (number, (values, _)) in rows.iter().enumerate() {
        if values.is_empty() {
            return Err(no_key(table.column()));
        }
        if values.len() != written.width {
            return Err(Error::ColumnCount { row: number + 1 });
        }
        for (place, column) in places.iter().zip(&columns) {
            keys.push(match place {
                Some(place) => Some(values.get(*place).cloned().ok_or_else(|| no_key(&column.name))?),
                None => None,
            });
        }
    }
    let alone = if scope.reads_state() { Err(scope.many(rule, Refused::SessionState)) } else { Ok(()) };
    Ok(Route::Rows(RowRoute {
        source,
        count: u32::try_from(rows.len()).unwrap_or(u32::MAX),
        rows: if rows.len() > 1 {
            rows.iter().filter_map(|(_, span)| *span).collect()
        } else {
            Box::default()
        },
        generated: written.generated.map(|key| key.generator),
        layout,
        columns,
        keys: keys.into(),
        alone,
    }))
}

/// `INSERT … SELECT`: each node has the rows that it selects, where these keep their keys.
fn from_query(scope: &Scope<'_>, rule: u16, insert: &Insert, select: &Select) -> Result<Route, Error> {
    let target = scope.homes.get(usize::from(insert.table)).copied();
    let written = target.and_then(|target| match target {
        Home::Sharded(target) => Some(Written::new(scope, scope.rule(target)?, insert)),
        _ => None,
    });
    if let Some(written) = &written {
        if written.generated.is_some() {
            return Err(Error::InsertSelectKey);
        }
        let updates = insert.on_duplicate.iter().filter(|set| written.is_key(&set.column));
        for set in updates {
            if !written.leaves(scope, set) {
                return Err(Error::UpdateKey { table: written.table.spec.name.clone() });
            }
        }
    }
    let name = scope.statement.tables.get(usize::from(insert.table)).map(|table| table.name.clone());
    if target == Some(Home::Broadcast) {
        return Err(Error::Broadcast { what: Refused::Others, table: name.unwrap_or_default() });
    }
    let traits = select.traits;
    let alone = if scope.reads_state() || traits.session {
        Err(scope.many(rule, Refused::SessionState))
    } else if traits.into || traits.found_rows || written.is_none() && reads_target(scope, insert) {
        // A single table would already have the rows of another node.
        Err(scope.many(rule, Refused::InsertSelect))
    } else {
        Ok(())
    };
    let mut route = conditional(scope, rule, alone, Verb::Modify { keys: SmallVec::new() })?;
    if let Route::Where(route) = &mut route
        && matches!(&route.alone, Err(Error::Many { what, .. }) if *what != Refused::SessionState)
    {
        route.alone = Err(scope.many(rule, Refused::InsertSelect));
    }
    Ok(route)
}

/// Whether a query reads the table that it fills.
fn reads_target(scope: &Scope<'_>, insert: &Insert) -> bool {
    let target = scope.statement.tables.get(usize::from(insert.table));
    target.is_some_and(|target| {
        let same = |table: &&sql::TableRef| table.name.eq_ignore_ascii_case(&target.name);
        scope.statement.tables.iter().filter(same).count() > 1
    })
}

/// For each sharding column of the table that the rows of a query are stored in, which of the query's columns it gets;
/// nothing when a value of its own may come in the place of one.
pub(crate) fn stored_keys(scope: &Scope<'_>) -> Option<(usize, u16, Vec<usize>)> {
    let Body::Insert(insert) = &scope.statement.body else { return None };
    let (InsertSource::Query(_), mention) = (&insert.source, usize::from(insert.table)) else { return None };
    let Some(Home::Sharded(rule)) = scope.homes.get(mention) else { return None };
    let written = Written::new(scope, scope.rule(*rule)?, insert);
    let names = written.table.strategies.iter().flat_map(|strategy| &strategy.columns);
    let places = names.map(|name| written.place(name).filter(|_| !written.counts(name)));
    Some((mention, *rule, places.collect::<Option<_>>()?))
}

/// The columns that an `INSERT` writes.
struct Written<'a> {
    insert: &'a Insert,
    table: &'a ShardedTable,
    /// Those of the table; empty while nobody has asked the server.
    known: Cow<'a, [TableColumn]>,
    /// It names none: they are the table's.
    all: bool,
    width: usize,
    /// What is generated, as it is not written.
    generated: Option<&'a GeneratedKey>,
}

impl<'a> Written<'a> {
    fn new(scope: &'a Scope<'_>, table: &'a ShardedTable, insert: &'a Insert) -> Self {
        let known = columns(scope.database, &table.spec.name);
        let all = insert.columns.is_empty() && insert.columns_span.is_none();
        let width = if all { known.len() } else { insert.columns.len() };
        let mut written = Self { insert, table, known, all, width, generated: None };
        written.generated =
            table.key.as_ref().filter(|key| !all && width > 0 && written.place(&key.column).is_none());
        written
    }

    fn place(&self, name: &str) -> Option<usize> {
        if self.all {
            self.known.iter().position(|column| column.name.eq_ignore_ascii_case(name))
        } else {
            self.insert.columns.iter().position(|column| column.eq_ignore_ascii_case(name))
        }
    }

    fn generates(&self, name: &str) -> bool {
        self.generated.is_some_and(|key| key.column.eq_ignore_ascii_case(name))
    }

    /// Whether it is a sharding column.
    fn is_key(&self, name: &str) -> bool {
        let mut names = self.table.strategies.iter().flat_map(|strategy| &strategy.columns);
        names.any(|column| column.eq_ignore_ascii_case(name))
    }

    /// Whether 0 in a column stands for the next number.
    fn counts(&self, name: &str) -> bool {
        self.known.iter().any(|column| column.auto_increment && column.name.eq_ignore_ascii_case(name))
    }

    /// Whether `ON DUPLICATE KEY UPDATE` leaves a sharding column as it is, or makes it what a row of this node has.
    fn leaves(&self, scope: &Scope<'_>, set: &SetColumn) -> bool {
        let own = |column: &Column| {
            let owners = |owner: &String| {
                let table = scope.statement.tables.get(usize::from(self.insert.table));
                table.is_some_and(|table| table.name.eq_ignore_ascii_case(owner))
            };
            column.name.eq_ignore_ascii_case(&set.column) && column.owner.as_ref().is_none_or(owners)
        };
        matches!(&set.value, Scalar::Values(column) if column.eq_ignore_ascii_case(&set.column))
            || set.from.as_ref().is_some_and(own)
    }

    fn column(&self, scope: &Scope<'_>, name: &str, domain: Domain) -> RowColumn {
        let mut updates = self.insert.on_duplicate.iter().filter(|set| set.column.eq_ignore_ascii_case(name));
        let update = updates.find(|set| !self.leaves(scope, set)).map(|set| set.value.clone());
        RowColumn { name: name.into(), domain, counts: self.counts(name), update }
    }
}
