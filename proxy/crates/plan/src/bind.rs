//! From a template and the values of one execution to a plan. Allocates nothing for a statement on one node.

use meta::{Level, ShardedTable, SourceIndex, Strategy};
use smallvec::{SmallVec, smallvec};
use sql::Scalar;

use crate::algorithm::shard::{self, Key, Misfit};
use crate::call::{Call, Constant, Generated};
use crate::condition::{self, Keys};
use crate::error::{Error, Refused};
use crate::key::{Domain, Unfit, Wanted};
use crate::plan::{Merge, Plan, RouteUnit, Variant};
use crate::route::{Mentioned, Route, RowRoute, Verb, WhereRoute};
use crate::scope::Layout;
use crate::shards::Shards;
use crate::template::Template;

pub(crate) fn bind(template: &Template, call: &Call<'_>) -> Result<Plan, Error> {
    locate(template, call).map(|plan| primary(template, plan))
}

fn locate(template: &Template, call: &Call<'_>) -> Result<Plan, Error> {
    match &template.route {
        Route::Source(source) => Ok(whole(*source)),
        Route::Sources(sources, merge) => Ok(everywhere(sources, merge)),
        Route::Where(route) => conditional(template, route, call),
        Route::Rows(route) => rows(template, route, call),
        Route::First(layout) => Ok(one(layout, 0)),
        Route::Every(layout, merge) => Ok(several(layout, &Shards::All, Variant::One, merge.clone())),
        Route::Session => only(template),
    }
}

/// Any node that the statement could go to; for what the session hands over after all, the database's only unit.
pub(crate) fn sample(template: &Template) -> Result<Plan, Error> {
    let plan = match &template.route {
        Route::Source(source) => whole(*source),
        Route::Sources(sources, _) => whole(sources.first().copied().unwrap_or_default()),
        Route::Where(WhereRoute { layout, .. })
        | Route::Rows(RowRoute { layout, .. })
        | Route::First(layout)
        | Route::Every(layout, _) => one(layout, 0),
        Route::Session => only(template)?,
    };
    Ok(primary(template, plan))
}

/// Puts every route unit on the unit that its source is when values and sessions say nothing else.
fn primary(template: &Template, mut plan: Plan) -> Plan {
    if let Some(sources) = template.database().map(|database| &database.sources)
        && sources.has_rules()
    {
        plan.units.iter_mut().for_each(|unit| unit.unit = template.resting(sources, unit.source));
    }
    plan
}

/// The database's only source: what concerns one connection can't be told to several.
fn only(template: &Template) -> Result<Plan, Error> {
    let database = template.database().ok_or(Error::NoDatabase)?;
    if database.units.is_empty() {
        return Err(Error::NoUnit(database.name.clone()));
    }
    database.sources.only().map(whole).ok_or(Error::Units(Refused::SessionState))
}

fn whole(source: SourceIndex) -> Plan {
    let unit = RouteUnit { source, unit: source, node: None, variant: Variant::One, rows: Vec::new() };
    Plan { units: smallvec![unit], merge: Merge::Relay }
}

/// The same on several sources; on one it is handed through.
fn everywhere(sources: &[SourceIndex], merge: &Merge) -> Plan {
    let unit = |source: &SourceIndex| RouteUnit {
        source: *source,
        unit: *source,
        node: None,
        variant: Variant::One,
        rows: Vec::new(),
    };
    let merge = if sources.len() > 1 { merge.clone() } else { Merge::Relay };
    Plan { units: sources.iter().map(unit).collect(), merge }
}

fn node(layout: &Layout, node: u32, variant: Variant) -> RouteUnit {
    let source = layout.sources.get(node as usize).copied().unwrap_or_default();
    RouteUnit { source, unit: source, node: Some(node), variant, rows: Vec::new() }
}

fn one(layout: &Layout, number: u32) -> Plan {
    Plan { units: smallvec![node(layout, number, Variant::One)], merge: Merge::Relay }
}

fn several(layout: &Layout, shards: &Shards, variant: Variant, merge: Merge) -> Plan {
    let units: SmallVec<[RouteUnit; 1]> =
        shards.iter(count(layout)).map(|shard| node(layout, shard, variant)).collect();
    if units.len() == 1 {
        return one(layout, units[0].node.unwrap_or_default());
    }
    Plan { units, merge }
}

fn count(layout: &Layout) -> u32 {
    u32::try_from(layout.sources.len()).unwrap_or(u32::MAX)
}

fn conditional(template: &Template, route: &WhereRoute, call: &Call<'_>) -> Result<Plan, Error> {
    let mut found = match route.mentions.as_slice() {
        [mention] => mentioned(template, mention, call)?,
        mentions => joined(template, mentions, call)?,
    };
    if count(&route.layout) == 1 && found == Shards::All {
        found = Shards::One(0);
    }
    if let Verb::Modify { keys } = &route.verb {
        for key in keys {
            same_key(template, route, call, key)?;
        }
    }
    let shard = match found {
        Shards::One(shard) => shard,
        // No row meets it; any node says so.
        Shards::Nowhere => 0,
        Shards::All | Shards::Several(_) => {
            route.alone.clone()?;
            return match &route.verb {
                Verb::Modify { .. } => Ok(several(&route.layout, &found, Variant::One, Merge::Count)),
                Verb::Select => rows_of(template, &route.layout, &found, call),
            };
        }
    };
    let plan = one(&route.layout, shard);
    match route.source {
        Some(source) if source != plan.units[0].source => Err(Error::DifferentUnits(
            template.statement().tables.iter().map(|table| table.name.clone()).collect(),
        )),
        _ => Ok(plan),
    }
}

/// Where the rows of one mention can be: on the nodes that every strategy allows.
fn mentioned(template: &Template, mention: &Mentioned, call: &Call<'_>) -> Result<Shards, Error> {
    let table = sharded(template, mention.rule)?;
    let bound = template.bound(call);
    let mut found = Shards::All;
    for (strategy, columns) in table.strategies.iter().zip(&mention.strategies) {
        let here = match (columns.as_slice(), strategy.columns.as_slice()) {
            ([keyed], [column]) => {
                keyed.condition.shards(Keys { strategy, domain: keyed.domain, column }, bound)?
            }
            ([], _) => hinted(template, table, strategy, call)?,
            (columns, _) => condition::several(strategy, columns, bound)?,
        };
        found = found.intersect(here);
    }
    Ok(found)
}

/// The nodes that hints ask for; all when there is none.
fn hinted(
    template: &Template,
    table: &ShardedTable,
    strategy: &Strategy,
    call: &Call<'_>,
) -> Result<Shards, Error> {
    let hints = &template.statement().hints;
    let name = table.spec.name.as_str();
    let mut values = match strategy.level {
        Level::Database => hints.sharding_database_values(name),
        Level::Table => hints.sharding_table_values(name),
    };
    if values.is_empty() {
        values = call.hints.of(strategy.level, name).collect();
    }
    if values.is_empty() {
        return Ok(Shards::All);
    }
    let mut found = Shards::Nowhere;
    for value in values {
        found.unite(&condition::located(strategy, shard::nodes_of_hint(strategy, value))?);
    }
    Ok(found)
}

/// Where a join of sharded tables is: on the nodes of its only class of equal keys, or on the one node that all its
/// classes are on.
fn joined(template: &Template, mentions: &[Mentioned], call: &Call<'_>) -> Result<Shards, Error> {
    let mut all = Shards::All;
    let mut classes = 0;
    let mut certain = true;
    for (number, mention) in mentions.iter().enumerate() {
        if mentions[..number].iter().any(|before| before.class == mention.class) {
            continue;
        }
        classes += 1;
        let mut class = Shards::All;
        for mention in mentions[number..].iter().filter(|other| other.class == mention.class) {
            class = class.intersect(mentioned(template, mention, call)?);
        }
        match (&class, &all) {
            (Shards::Nowhere, _) => return Ok(Shards::Nowhere),
            (Shards::One(here), Shards::One(there)) if here != there => certain = false,
            (Shards::One(_), _) => all = class,
            (Shards::All | Shards::Several(_), _) => {
                certain = false;
                all = class;
            }
        }
    }
    Ok(if certain || classes == 1 { all } else { Shards::All })
}

fn rows_of(template: &Template, layout: &Layout, found: &Shards, call: &Call<'_>) -> Result<Plan, Error> {
    let many = match &template.many {
        Some(Ok(many)) => many,
        Some(Err(error)) => return Err(error.clone()),
        None => return Err(Error::NoDatabase),
    };
    let mut rows = many.rows.clone();
    rows.limit = template.window(call)?;
    Ok(several(layout, found, Variant::Many, Merge::Rows(rows)))
}

/// `SET key = value` is allowed where the condition says that it is that value already.
fn same_key(
    template: &Template,
    route: &WhereRoute,
    call: &Call<'_>,
    (strategy, column, set): &(usize, usize, Scalar),
) -> Result<(), Error> {
    let table = sharded(template, route.layout.rule)?;
    let bound = template.bound(call);
    let refused = || Error::UpdateKey { table: table.spec.name.clone() };
    let mention = route.mentions.first().ok_or_else(refused)?;
    let keyed =
        mention.strategies.get(*strategy).and_then(|columns| columns.get(*column)).ok_or_else(refused)?;
    let reading = table.strategies.get(*strategy).map(|strategy| shard::reading(&strategy.algorithm));
    let reading = reading.ok_or_else(refused)?;
    let known = keyed.condition.equal().map(|value| keyed.domain.wanted(bound.constant(value), reading));
    let stored = keyed.domain.stored(bound.constant(set), false, reading);
    match (known, stored) {
        // NULL or out of range: no row meets the condition.
        (Some(Wanted::Never), _) => Ok(()),
        (Some(Wanted::Key(known)), Ok(stored)) if known == stored => Ok(()),
        _ => Err(refused()),
    }
}

fn rows(template: &Template, route: &RowRoute, call: &Call<'_>) -> Result<Plan, Error> {
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
        match found {
            Shards::One(node) => Ok(node),
            Shards::Nowhere => Err(Error::NoRoute),
            Shards::All if count(&self.route.layout) == 1 => Ok(0),
            Shards::All | Shards::Several(_) => Err(Error::InsertNodes(self.table.spec.name.clone())),
        }
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
        if let Some(update) = &column.update {
            let updated = self.template.bound(self.call).constant(update);
            if column.domain.stored(updated, false, reading) != Ok(key) {
                return Err(Error::UpdateKey { table: self.table.spec.name.clone() });
            }
        }
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

fn sharded(template: &Template, rule: u16) -> Result<&ShardedTable, Error> {
    let database = template.database().ok_or(Error::NoDatabase)?;
    let table = database.sharding.tables.get_index(usize::from(rule)).map(|(_, table)| table);
    table.ok_or(Error::NoDatabase)
}
