//! From a template and the values of one execution to a plan. Allocates nothing for a statement on one node.

use meta::{Level, ShardedTable, SourceIndex, Strategy};
use smallvec::{SmallVec, smallvec};
use sql::Body;

use crate::algorithm::shard;
use crate::call::Call;
use crate::condition::{self, Keys};
use crate::distribute::Nodes;
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
    let located = Located { template, route, call };
    let simple = matches!(route.relations.as_slice(), [relation] if !relation.derived);
    let found = match route.relations.first() {
        Some(relation) if simple => located.relation(relation)?,
        _ => located.relevant()?,
    };
    if let Verb::Modify { keys } = &route.verb {
        for key in keys {
            write::same_key(template, route, call, key, &found)?;
        }
    }
    let found = match found {
        Shards::All | Shards::Several(_) => {
            route.alone.clone()?;
            if simple { found } else { located.nodes(&route.nodes)? }
        }
        found => found,
    };
    let shard = match found {
        Shards::One(shard) => shard,
        // No row meets it; any node says so.
        Shards::Nowhere => located.any(),
        Shards::All | Shards::Several(_) => {
            let plan = match &route.verb {
                Verb::Modify { .. } => several(&route.layout, &found, Variant::One, Merge::Count),
                Verb::Select => rows_of(template, &route.layout, &found, call)?,
            };
            return match route.source {
                // Each of its nodes is where the other tables are, or it would miss them.
                Some(source) if plan.units.iter().any(|unit| unit.source != source) => Err(located.refused()),
                _ => Ok(plan),
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

/// Where the rows of a condition are, with the values of one execution.
struct Located<'a> {
    template: &'a Template,
    route: &'a WhereRoute,
    call: &'a Call<'a>,
}

impl Located<'_> {
    fn relation(&self, relation: &Mentioned) -> Result<Shards, Error> {
        let found = mentioned(self.template, relation, self.call)?;
        Ok(if count(&self.route.layout) == 1 && found == Shards::All { Shards::One(0) } else { found })
    }

    /// Where the rows of a class are that matter: where each of its relations allows, and the class that it is within.
    fn class(&self, class: usize) -> Result<Shards, Error> {
        let mut found = if count(&self.route.layout) == 1 { Shards::One(0) } else { Shards::All };
        let mut next = Some(class);
        // Classes are never within each other; there are as many steps as classes at most.
        for _ in 0..=self.route.within.len() {
            let Some(class) = next else { break };
            for relation in self.route.relations.iter().filter(|relation| relation.class == class) {
                found = found.intersect(self.relation(relation)?);
            }
            next = self.route.within.get(class).copied().flatten();
        }
        Ok(found)
    }

    /// Where rows are that matter to anything: of what is joined with nothing no row matters.
    fn relevant(&self) -> Result<Shards, Error> {
        let relations = &self.route.relations;
        let mut all: SmallVec<[(usize, Shards); 4]> = SmallVec::new();
        for relation in relations {
            if !all.iter().any(|(class, _)| *class == relation.class) {
                all.push((relation.class, self.class(relation.class)?));
            }
        }
        let of = |class: usize| all.iter().find(|(known, _)| *known == class).map(|(_, found)| found);
        let is_empty = |block| {
            let mut core = relations.iter().filter(|relation| relation.core && relation.block == block);
            core.any(|relation| of(relation.class) == Some(&Shards::Nowhere))
        };
        let mut found = Shards::Nowhere;
        for relation in relations.iter().filter(|relation| !relation.derived && !is_empty(relation.block)) {
            if let Some(shards) = of(relation.class) {
                found.unite(shards);
            }
        }
        Ok(found)
    }

    /// Where the rows of the result are.
    fn nodes(&self, nodes: &Nodes) -> Result<Shards, Error> {
        Ok(match nodes {
            Nodes::Class(class) => self.class(*class)?,
            Nodes::Meet(parts) => {
                let mut found = Shards::All;
                for part in parts {
                    found = found.intersect(self.nodes(part)?);
                }
                found
            }
            Nodes::Unite(parts) => {
                let mut found = Shards::Nowhere;
                for part in parts {
                    found.unite(&self.nodes(part)?);
                }
                found
            }
        })
    }

    /// A node that can answer when no row matters: one where all other tables are.
    fn any(&self) -> u32 {
        let mut nodes = (0..).zip(&self.route.layout.sources);
        nodes
            .find(|(_, source)| self.route.source.is_none_or(|wanted| wanted == **source))
            .map_or(0, |it| it.0)
    }

    fn refused(&self) -> Error {
        let column = sharded(self.template, self.route.layout.rule);
        let (table, column) = column.map_or_else(
            |_| (String::new(), String::new()),
            |table| (table.spec.name.clone(), table.column().to_owned()),
        );
        let what = match &self.template.statement().body {
            Body::Insert(_) => Refused::InsertSelect,
            Body::Delete(modify) | Body::Update(modify) if modify.multi => {
                let tables = &self.template.statement().tables;
                return Error::MultiTable(tables.iter().map(|table| table.name.clone()).collect());
            }
            Body::Delete(_) | Body::Update(_) => Refused::Subquery,
            _ => Refused::Join,
        };
        Error::Many { what, table, column }
    }
}

/// Where the rows of one mention can be: on the nodes that every strategy allows.
fn mentioned(template: &Template, mention: &Mentioned, call: &Call<'_>) -> Result<Shards, Error> {
    let table = sharded(template, mention.rule)?;
    let bound = template.bound(call);
    let mut found = None;
    for (strategy, columns) in table.strategies.iter().zip(&mention.strategies) {
        let here = match (columns.as_slice(), strategy.columns.as_slice()) {
            ([keyed], [column]) => {
                keyed.condition.shards(Keys { strategy, domain: keyed.domain, column }, bound)?
            }
            ([], _) => hinted(template, table, strategy, call)?,
            (columns, _) => condition::several(strategy, columns, bound)?,
        };
        found = Some(match found {
            None => here,
            Some(found) => Shards::intersect(found, here),
        });
    }
    Ok(found.unwrap_or(Shards::All))
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

fn rows_of(template: &Template, layout: &Layout, found: &Shards, call: &Call<'_>) -> Result<Plan, Error> {
    let many = match &template.many {
        Some(Ok(many)) => many,
        Some(Err(error)) => return Err(error.clone()),
        None => return Err(Error::NoDatabase),
    };
    if many.finish.is_some() {
        return Ok(several(layout, found, Variant::Many, Merge::Finish));
    }
    let mut rows = many.rows.clone();
    rows.limit = template.window(call)?;
    Ok(several(layout, found, Variant::Many, Merge::Rows(rows)))
}

pub(crate) fn sharded(template: &Template, rule: u16) -> Result<&ShardedTable, Error> {
    let none = || Error::NoDatabase;
    let database = template.database().ok_or_else(none)?;
    database.sharding.tables.get_index(usize::from(rule)).map(|(_, table)| table).ok_or_else(none)
}
