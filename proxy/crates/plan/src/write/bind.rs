//! What changes of rows become with the values of one execution.

use meta::{ShardedTable, Strategy};
use smallvec::SmallVec;
use sql::Scalar;

use crate::algorithm::shard::{self, Key, Misfit};
use crate::bind::{count, hinted, node, one, sharded};
use crate::call::{Call, Constant, Generated};
use crate::error::Error;
use crate::key::{Domain, Unfit, Wanted};
use crate::plan::{Merge, Plan, RouteUnit, Variant};
use crate::route::{Route, WhereRoute};
use crate::shards::Shards;
use crate::template::Template;
use crate::write::RowRoute;

/// `SET key = value` is allowed where the condition says that it is that value already, or that the rows are on the
/// node of that value.
pub(crate) fn same_key(
    template: &Template,
    route: &WhereRoute,
    call: &Call<'_>,
    (number, column, set): &(usize, usize, Scalar),
    found: &Shards,
) -> Result<(), Error> {
    let table = sharded(template, route.layout.rule)?;
    let bound = template.bound(call);
    let refused = || Error::UpdateKey { table: table.spec.name.clone() };
    let mention = route.relations.first().ok_or_else(refused)?;
    let keyed =
        mention.strategies.get(*number).and_then(|columns| columns.get(*column)).ok_or_else(refused)?;
    let strategy = table.strategies.get(*number).ok_or_else(refused)?;
    let reading = shard::reading(&strategy.algorithm);
    let known = keyed.condition.equal().map(|value| keyed.domain.wanted(bound.constant(value), reading));
    let stored = keyed.domain.stored(bound.constant_for(keyed.domain, set), false, reading);
    match (known, stored, found) {
        // NULL or out of range: no row meets the condition.
        (Some(Wanted::Never), _, _) => Ok(()),
        (Some(Wanted::Key(known)), Ok(stored), _) if known == stored => Ok(()),
        (_, Ok(stored), Shards::One(node)) if is_on(strategy, stored, *node) => Ok(()),
        _ => Err(refused()),
    }
}

/// Whether rows with a key are on a node, as far as the strategy decides by that alone.
fn is_on(strategy: &Strategy, key: Key<'_>, node: u32) -> bool {
    strategy.columns.len() == 1 && shard::nodes(strategy, key).is_ok_and(|nodes| nodes.contains(node))
}

/// Each row of an `INSERT` where its key says.
pub(crate) fn rows(template: &Template, route: &RowRoute, call: &Call<'_>) -> Result<Plan, Error> {
    let rows = Inserted { template, table: sharded(template, route.layout.rule)?, route, call };
    if route.count == 0 {
        return Err(Error::NullKey);
    }
    if route.generated.is_some() && call.generated.len() < route.count as usize {
        return Err(Error::NoRoute);
    }
    let first = rows.node(0)?;
    let mut nodes: Vec<Vec<u32>> = Vec::new();
    for row in 1..route.count {
        let found = rows.node(row)?;
        if nodes.is_empty() {
            if found == first {
                continue;
            }
            nodes.resize(route.layout.sources.len(), Vec::new());
            nodes[first as usize].extend(0..row);
        }
        if let Some(rows) = nodes.get_mut(found as usize) {
            rows.push(row);
        }
    }
    let is_with_others = |node: u32| {
        route.source.is_none_or(|source| route.layout.sources.get(node as usize) == Some(&source))
    };
    let mut all = (0..).zip(&nodes).filter(|(_, rows)| !rows.is_empty()).map(|(node, _)| node);
    if !is_with_others(first) || !all.all(is_with_others) {
        let tables = template.statement().tables.iter().map(|table| table.name.clone());
        return Err(Error::DifferentUnits(tables.collect()));
    }
    if nodes.is_empty() {
        return Ok(one(&route.layout, first));
    }
    route.alone.clone()?;
    let units = (0..).zip(nodes).filter(|(_, rows)| !rows.is_empty());
    let units = units
        .map(|(number, rows)| RouteUnit { rows, ..node(&route.layout, number, Variant::Many) })
        .collect();
    Ok(Plan { units, merge: Merge::Count })
}

impl Template {
    /// The first of some rows of an `INSERT` whose key is part of what a server calls a duplicate entry (`7`, `7-x`).
    pub fn row_with_key(&self, call: &Call<'_>, rows: &[u32], entry: &str) -> Option<u32> {
        let Route::Rows(route) = &self.route else { return None };
        let inserted =
            Inserted { template: self, table: sharded(self, route.layout.rule).ok()?, route, call };
        let has = |row: u32, column: usize| {
            let key = match inserted.constant(row, column) {
                Constant::Int(value) => value.to_string(),
                Constant::Text(text) => text.to_owned(),
                _ => return false,
            };
            let rest = entry.strip_prefix(&*key).or_else(|| entry.strip_suffix(&*key));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-') || rest.ends_with('-'))
        };
        rows.iter().copied().find(|row| (0..route.columns.len()).any(|column| has(*row, column)))
    }
}

/// The rows of an `INSERT` with their values.
struct Inserted<'a> {
    template: &'a Template,
    table: &'a ShardedTable,
    route: &'a RowRoute,
    call: &'a Call<'a>,
}

impl<'a> Inserted<'a> {
    /// The node of one row: the only one that every strategy chooses.
    fn node(&self, row: u32) -> Result<u32, Error> {
        let mut found = Shards::All;
        let mut at = 0;
        for strategy in &self.table.strategies {
            let here = match strategy.columns.len() {
                0 => hinted(self.template, self.table, strategy, self.call)?,
                1 => {
                    self.placed(strategy, row, at, shard::nodes(strategy, self.stored(strategy, row, at)?))?
                }
                several => {
                    let keys = (at..at + several).map(|column| self.stored(strategy, row, column));
                    let keys = keys.collect::<Result<SmallVec<[Key<'_>; 2]>, _>>()?;
                    self.placed(strategy, row, at, shard::nodes_of_several(strategy, &keys))?
                }
            };
            at += strategy.columns.len();
            found = found.intersect(here);
        }
        let node = match found {
            Shards::One(node) => node,
            Shards::Nowhere => return Err(Error::NoRoute),
            Shards::All if count(&self.route.layout) == 1 => 0,
            Shards::All | Shards::Several(_) => {
                return Err(Error::InsertNodes(self.table.spec.name.clone()));
            }
        };
        self.updated(row, node).map(|()| node)
    }

    /// Checks that `ON DUPLICATE KEY UPDATE` leaves rows on their node.
    fn updated(&self, row: u32, node: u32) -> Result<(), Error> {
        let strategies = self.table.strategies.iter();
        let mut keyed = strategies.flat_map(|strategy| strategy.columns.iter().map(move |_| strategy));
        for (at, column) in self.route.columns.iter().enumerate() {
            let (Some(strategy), Some(update)) = (keyed.next(), &column.update) else { continue };
            let reading = shard::reading(&strategy.algorithm);
            let updated = self.template.bound(self.call).constant_for(column.domain, update);
            let fits = match column.domain.stored(updated, false, reading) {
                Ok(updated) => {
                    is_on(strategy, updated, node) || Ok(updated) == self.stored(strategy, row, at)
                }
                Err(_) => false,
            };
            if !fits {
                return Err(Error::UpdateKey { table: self.table.spec.name.clone() });
            }
        }
        Ok(())
    }

    fn constant(&self, row: u32, column: usize) -> Constant<'a> {
        let at = row as usize * self.route.columns.len() + column;
        match self.route.keys.get(at) {
            Some(Some(key)) => {
                let domain = self.route.columns.get(column).map_or(Domain::Other, |column| column.domain);
                self.template.bound(self.call).constant_for(domain, key)
            }
            Some(None) => {
                self.call.generated.get(row as usize).map_or(Constant::Unknown, Generated::constant)
            }
            None => Constant::Unknown,
        }
    }

    /// The key under which a row will be stored.
    fn stored(&self, strategy: &Strategy, row: u32, at: usize) -> Result<Key<'a>, Error> {
        let reading = shard::reading(&strategy.algorithm);
        let column = self.route.columns.get(at).ok_or(Error::NoRoute)?;
        let constant = self.constant(row, at);
        let key = column.domain.stored(constant, column.counts, reading).map_err(|unfit| match unfit {
            Unfit::Null => Error::NullKey,
            Unfit::NotNumeric => self.misfit(strategy, row, at, Misfit::NotNumeric),
            Unfit::Doubtful => self.misfit(strategy, row, at, Misfit::Doubtful),
        })?;
        Ok(key)
    }

    fn placed(
        &self,
        strategy: &Strategy,
        row: u32,
        at: usize,
        found: Result<Shards, Misfit>,
    ) -> Result<Shards, Error> {
        found.map_err(|misfit| self.misfit(strategy, row, at, misfit))
    }

    fn misfit(&self, strategy: &Strategy, row: u32, at: usize, misfit: Misfit) -> Error {
        let value = match self.constant(row, at) {
            Constant::Text(text) => format!("'{text}'"),
            Constant::Int(value) => value.to_string(),
            Constant::Decimal(negative, digits) => format!("{}{digits}", if negative { "-" } else { "" }),
            Constant::Float(value) => value.to_string(),
            Constant::Moment(_) => "of a parameter".to_owned(),
            Constant::Null => "NULL".to_owned(),
            Constant::Unknown => "of an expression".to_owned(),
        };
        let table = self.table.spec.name.clone();
        let column = self.route.columns.get(at).map(|column| column.name.to_string()).unwrap_or_default();
        match misfit {
            Misfit::Doubtful => Error::KeyUnknown { table, column, row: row as usize + 1 },
            Misfit::Fault(fault) => Error::KeyFault { table, column, value, fault },
            Misfit::NotNumeric => Error::KeyText { table, column, value },
            Misfit::NotTime => Error::KeyTime { table, column, value },
            Misfit::Target(name) => Error::target(strategy, name),
            Misfit::TooShort => Error::KeyTooShort { table, column, value },
        }
    }
}
