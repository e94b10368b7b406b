//! From a template and the values of one execution to a plan. Allocates nothing for a statement on one node.

use meta::SourceIndex;
use smallvec::{SmallVec, smallvec};
use sql::Scalar;

use crate::algorithm::shard::{self, Key, Misfit};
use crate::call::{Bound, Call, Constant};
use crate::condition::Keys;
use crate::error::{Error, Refused};
use crate::key::{Unfit, Wanted};
use crate::plan::{Merge, Plan, RouteUnit, Variant};
use crate::route::{Route, RowRoute, Verb, WhereRoute};
use crate::scope::Layout;
use crate::shards::Shards;
use crate::template::Template;

pub(crate) fn bind(template: &Template, call: &Call<'_>) -> Result<Plan, Error> {
    locate(template, call).map(|plan| primary(template, plan))
}

fn locate(template: &Template, call: &Call<'_>) -> Result<Plan, Error> {
    match &template.route {
        Route::Source(source) => Ok(whole(*source)),
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
    let table = sharded(template, &route.layout)?;
    let strategy = strategy(table)?;
    let bound = template.bound(call);
    let of = |mention: &crate::route::Mentioned| {
        let (algorithm, column) = (&strategy.algorithm, table.column());
        mention.condition.shards(Keys { algorithm, domain: mention.domain, column }, bound)
    };
    let mut found = match route.mentions.as_slice() {
        [mention] => of(mention)?,
        mentions => joined(mentions, of)?,
    };
    if count(&route.layout) == 1 && found == Shards::All {
        found = Shards::One(0);
    }
    if let Verb::Modify { key: Some(set) } = &route.verb {
        same_key(template, route, bound, set)?;
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

/// Where a join of sharded tables is, when it is on one node: each class of equal keys on the same one.
fn joined(
    mentions: &[crate::route::Mentioned],
    of: impl Fn(&crate::route::Mentioned) -> Result<Shards, Error>,
) -> Result<Shards, Error> {
    let mut all = Shards::All;
    let mut certain = true;
    for (number, mention) in mentions.iter().enumerate() {
        if mentions[..number].iter().any(|before| before.class == mention.class) {
            continue;
        }
        let mut class = Shards::All;
        for mention in mentions[number..].iter().filter(|other| other.class == mention.class) {
            class = class.intersect(of(mention)?);
        }
        match (&class, &all) {
            (Shards::Nowhere, _) => return Ok(Shards::Nowhere),
            (Shards::One(here), Shards::One(there)) if here != there => certain = false,
            (Shards::One(_), _) => all = class,
            _ => certain = false,
        }
    }
    Ok(if certain { all } else { Shards::All })
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
fn same_key(template: &Template, route: &WhereRoute, bound: Bound<'_>, set: &Scalar) -> Result<(), Error> {
    let table = sharded(template, &route.layout)?;
    let refused = || Error::UpdateKey { table: table.spec.name.clone() };
    let mention = route.mentions.first().ok_or_else(refused)?;
    let reading = shard::reading(&strategy(table)?.algorithm);
    let known = mention.condition.equal().map(|value| mention.domain.wanted(bound.constant(value), reading));
    let stored = mention.domain.stored(bound.constant(set), false, reading);
    match (known, stored) {
        // NULL or out of range: no row meets the condition.
        (Some(Wanted::Never), _) => Ok(()),
        (Some(Wanted::Key(known)), Ok(stored)) if known == stored => Ok(()),
        _ => Err(refused()),
    }
}

fn rows(template: &Template, route: &RowRoute, call: &Call<'_>) -> Result<Plan, Error> {
    let bound = template.bound(call);
    let table = sharded(template, &route.layout)?;
    let shard = |row: usize, key: &Scalar| -> Result<u32, Error> {
        let key = stored(table, route, bound, row, key)?;
        if let Some(update) = &route.update {
            let reading = shard::reading(&strategy(table)?.algorithm);
            let refused = || Error::UpdateKey { table: table.spec.name.clone() };
            let updated =
                route.layout.domain.stored(bound.constant(update), false, reading).map_err(|_| refused())?;
            if updated != key {
                return Err(refused());
            }
        }
        shard::shard(&strategy(table)?.algorithm, key)
            .map_err(|misfit| misfit_error(table, misfit, bound, row, &route.keys[row]))
    };
    let mut keys = route.keys.iter().enumerate();
    let Some((_, first)) = keys.next() else { return Err(Error::NullKey) };
    let first = shard(0, first)?;
    let mut nodes: Vec<Vec<u32>> = Vec::new();
    let mut row_number = 0;
    for (row, key) in keys {
        row_number += 1;
        let found = shard(row, key)?;
        if nodes.is_empty() {
            if found == first {
                continue;
            }
            nodes.resize(route.layout.sources.len(), Vec::new());
            nodes[first as usize].extend(0..row_number);
        }
        if let Some(rows) = nodes.get_mut(found as usize) {
            rows.push(row_number);
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

/// The key under which a row will be stored.
fn stored<'a>(
    table: &meta::ShardedTable,
    route: &RowRoute,
    bound: Bound<'a>,
    row: usize,
    key: &Scalar,
) -> Result<Key<'a>, Error> {
    let reading = shard::reading(&strategy(table)?.algorithm);
    let constant = bound.constant(key);
    route.layout.domain.stored(constant, route.generated, reading).map_err(|unfit| match unfit {
        Unfit::Null => Error::NullKey,
        Unfit::NotNumeric => misfit_error(table, Misfit::NotNumeric, bound, row, key),
        Unfit::Doubtful => Error::KeyUnknown {
            table: table.spec.name.clone(),
            column: table.column().to_owned(),
            row: row + 1,
        },
    })
}

fn misfit_error(
    table: &meta::ShardedTable,
    misfit: Misfit,
    bound: Bound<'_>,
    row: usize,
    key: &Scalar,
) -> Error {
    let value = match bound.constant(key) {
        Constant::Text(text) => format!("'{text}'"),
        Constant::Int(value) => value.to_string(),
        Constant::Decimal(negative, digits) => format!("{}{digits}", if negative { "-" } else { "" }),
        Constant::Float(value) => value.to_string(),
        Constant::Moment(_) => "of a parameter".to_owned(),
        Constant::Null => "NULL".to_owned(),
        Constant::Unknown => "of an expression".to_owned(),
    };
    let (table, column) = (table.spec.name.clone(), table.column().to_owned());
    match misfit {
        Misfit::Doubtful => Error::KeyUnknown { table, column, row: row + 1 },
        Misfit::NotNumeric => Error::KeyText { table, column, value },
        Misfit::NotTime => Error::KeyTime { table, column, value },
        Misfit::TooShort => Error::KeyTooShort { table, column, value },
    }
}

fn sharded<'a>(template: &'a Template, layout: &Layout) -> Result<&'a meta::ShardedTable, Error> {
    let database = template.database().ok_or(Error::NoDatabase)?;
    let table = database.sharding.tables.get_index(usize::from(layout.rule)).map(|(_, table)| table);
    table.ok_or(Error::NoDatabase)
}

/// What decides.
fn strategy(table: &meta::ShardedTable) -> Result<&meta::Strategy, Error> {
    table.strategies.first().ok_or(Error::NoDatabase)
}
