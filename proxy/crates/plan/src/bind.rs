//! From a template and the values of one execution to a plan. Allocates nothing for a statement on one node.

use meta::{Level, ShardedTable, SourceIndex, Strategy};
use smallvec::{SmallVec, smallvec};

use crate::algorithm::shard;
use crate::call::Call;
use crate::condition::{self, Keys};
use crate::error::{Error, Refused};
use crate::plan::{Merge, Plan, RouteUnit, Variant};
use crate::route::{Mentioned, Route, Verb, WhereRoute};
use crate::scope::Layout;
use crate::shards::Shards;
use crate::template::Template;
use crate::write::{self, RowRoute};

pub(crate) fn bind(template: &Template, call: &Call<'_>) -> Result<Plan, Error> {
    locate(template, call).map(|plan| primary(template, plan))
}

fn locate(template: &Template, call: &Call<'_>) -> Result<Plan, Error> {
    match &template.route {
        Route::Source(source) => Ok(whole(*source)),
        Route::Sources(sources, merge) => Ok(everywhere(sources, merge)),
        Route::Where(route) => conditional(template, route, call),
        Route::Rows(route) => write::rows(template, route, call),
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

/// The same on several sources; on one it is handed through, unless its rows name tables.
fn everywhere(sources: &[SourceIndex], merge: &Merge) -> Plan {
    let unit = |source: &SourceIndex| RouteUnit {
        source: *source,
        unit: *source,
        node: None,
        variant: Variant::One,
        rows: Vec::new(),
    };
    let alone = sources.len() == 1 && *merge != Merge::Tables;
    let merge = if alone { Merge::Relay } else { merge.clone() };
    Plan { units: sources.iter().map(unit).collect(), merge }
}

pub(crate) fn node(layout: &Layout, node: u32, variant: Variant) -> RouteUnit {
    let source = layout.sources.get(node as usize).copied().unwrap_or_default();
    RouteUnit { source, unit: source, node: Some(node), variant, rows: Vec::new() }
}

pub(crate) fn one(layout: &Layout, number: u32) -> Plan {
    Plan { units: smallvec![node(layout, number, Variant::One)], merge: Merge::Relay }
}

fn several(layout: &Layout, shards: &Shards, variant: Variant, merge: Merge) -> Plan {
    let units: SmallVec<[RouteUnit; 1]> =
        shards.iter(count(layout)).map(|shard| node(layout, shard, variant)).collect();
    if units.len() == 1 && merge != Merge::Tables {
        return one(layout, units[0].node.unwrap_or_default());
    }
    Plan { units, merge }
}

pub(crate) fn count(layout: &Layout) -> u32 {
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
            write::same_key(template, route, call, key)?;
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
pub(crate) fn hinted(
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

pub(crate) fn sharded(template: &Template, rule: u16) -> Result<&ShardedTable, Error> {
    let database = template.database().ok_or(Error::NoDatabase)?;
    let table = database.sharding.tables.get_index(usize::from(rule)).map(|(_, table)| table);
    table.ok_or(Error::NoDatabase)
}
