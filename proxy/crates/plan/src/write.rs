//! Where changes of rows go: `INSERT`, `REPLACE`, `UPDATE` and `DELETE` of sharded tables.

mod bind;

use std::borrow::Cow;

use meta::{GeneratedKey, KeyGenerator, ShardedTable, TableColumn};
use smallvec::SmallVec;
use sql::{Insert, InsertSource, Modify, Scalar, Span};

use crate::error::{Error, Refused};
use crate::key::Domain;
use crate::route::{Route, Verb, conditional, need_tables};
use crate::scope::{Home, Layout, Scope, columns};

pub(crate) use bind::{rows, same_key};

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

pub(crate) fn modified(
    scope: &Scope<'_>,
    rule: u16,
    modify: &Modify,
    verb: &'static str,
) -> Result<Route, Error> {
    if modify.multi {
        return Err(Error::MultiTable(
            scope.statement.tables.iter().map(|table| table.name.clone()).collect(),
        ));
    }
    let alone = if modify.limited || modify.ordered {
        Err(Error::ModifyLimit { verb })
    } else if modify.subquery {
        Err(scope.many(rule, Refused::Subquery))
    } else if scope.reads_state() {
        Err(scope.many(rule, Refused::SessionState))
    } else {
        Ok(())
    };
    let target = matches!(scope.homes.first(), Some(Home::Sharded(_)));
    let mut keys = SmallVec::new();
    let strategies = scope.rule(rule).into_iter().flat_map(|table| &table.strategies).enumerate();
    for (number, strategy) in strategies.filter(|_| target) {
        for (at, column) in strategy.columns.iter().enumerate() {
            let mut sets = modify.set.iter().filter(|set| set.column.eq_ignore_ascii_case(column));
            keys.extend(sets.next().map(|set| (number, at, set.value.clone())));
            if sets.next().is_some() {
                return Err(Error::UpdateKey { table: scope.name(rule) });
            }
        }
    }
    conditional(scope, rule, alone, Verb::Modify { keys })
}

pub(crate) fn inserted(scope: &Scope<'_>, rule: u16, insert: &Insert) -> Result<Route, Error> {
    let into_sharded = matches!(scope.homes.get(usize::from(insert.table)), Some(Home::Sharded(_)));
    if let InsertSource::Query(_) = &insert.source {
        return from_query(scope, rule, insert, into_sharded);
    }
    if !into_sharded || scope.homes.len() > 1 {
        return Err(scope.many(rule, Refused::Subquery));
    }
    need_tables(scope)?;
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
        columns.push(written.column(name, *domain));
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

/// `INSERT … SELECT`.
fn from_query(scope: &Scope<'_>, rule: u16, insert: &Insert, into_sharded: bool) -> Result<Route, Error> {
    if let Some(Home::Sharded(target)) = scope.homes.get(usize::from(insert.table))
        && let Some(table) = scope.rule(*target)
        && Written::new(scope, table, insert).generated.is_some()
    {
        return Err(Error::InsertSelectKey);
    }
    let layout = scope.layout(rule)?;
    if into_sharded && layout.sources.len() > 1 {
        return Err(scope.many(rule, Refused::InsertSelect));
    }
    if scope.homes.get(usize::from(insert.table)) == Some(&Home::Broadcast) {
        let name = scope.statement.tables.get(usize::from(insert.table)).map(|table| table.name.clone());
        return Err(Error::Broadcast { what: Refused::Others, table: name.unwrap_or_default() });
    }
    let alone = Err(scope.many(rule, Refused::InsertSelect));
    conditional(scope, rule, alone, Verb::Select)
}

/// The columns that an `INSERT` writes.
struct Written<'a> {
    insert: &'a Insert,
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
        let mut written = Self { insert, known, all, width, generated: None };
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

    fn column(&self, name: &str, domain: Domain) -> RowColumn {
        let counts =
            self.known.iter().any(|column| column.auto_increment && column.name.eq_ignore_ascii_case(name));
        let mut updates = self.insert.on_duplicate.iter().filter(|set| set.column.eq_ignore_ascii_case(name));
        let update = match updates.next().map(|set| set.value.clone()) {
            Some(Scalar::Values(column)) if column.eq_ignore_ascii_case(name) => None,
            update => update,
        };
        RowColumn { name: name.into(), domain, counts, update }
    }
}
