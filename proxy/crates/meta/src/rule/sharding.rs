//! Sharding: tables laid out over data nodes (`distsql.md` §3, `algorithms.md` §1).

mod binding;
mod spec;
mod strategy;

use std::collections::HashSet;

use indexmap::IndexMap;

pub use spec::{
    AuditSpec, BindingSpec, DefaultStrategies, KeyGenerateSpec, LayoutSpec, ShardingTableSpec, StrategyKind,
    StrategySpec,
};
pub use strategy::{Level, NamedTargets, Strategy, Targets};

use crate::algorithm::{Audit, KeyGenerator, ShardingAlgorithm};
use crate::error::{Error, RuleKind};
use crate::snapshot::{DataNode, Database};

/// All sharded tables of a database, by lower-case logical name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ShardingRule {
    /// Sharded tables.
    pub tables: IndexMap<String, ShardedTable>,
    /// Groups of tables that are joined by their sharding columns.
    pub bindings: Vec<BindingSpec>,
    /// Strategies of tables that name none.
    pub defaults: DefaultStrategies,
    /// Physical names in lower case.
    physical: HashSet<String>,
}

/// A sharded table.
#[derive(Clone, Debug, PartialEq)]
pub struct ShardedTable {
    /// What the user wrote.
    pub spec: ShardingTableSpec,
    /// Its data nodes. Shard *i* of an automatically laid out one is `nodes[i]`: table `<name>_<i>` on source *i mod S*
    /// (`algorithms.md` §1.3).
    pub nodes: Vec<DataNode>,
    /// Each chooses nodes; a row is on the one that all of them choose.
    pub strategies: Vec<Strategy>,
    /// Generates values of a column.
    pub key: Option<GeneratedKey>,
    /// What keeps statements from being carried out.
    pub audit: Option<TableAudit>,
    /// Its group in [`ShardingRule::bindings`].
    pub binding: Option<u16>,
}

/// A column whose values are generated.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct GeneratedKey {
    /// The column.
    pub column: String,
    /// How.
    pub generator: KeyGenerator,
}

/// The audit of a table.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct TableAudit {
    /// Auditors by name.
    pub auditors: Vec<(String, Audit)>,
    /// Hints may name auditors that a statement is to be spared.
    pub allow_hint_disable: bool,
}

impl ShardingRule {
    /// Lays all tables out; their sources must be those of the database.
    pub(crate) fn build(
        specs: Vec<ShardingTableSpec>,
        bindings: Vec<BindingSpec>,
        defaults: DefaultStrategies,
        database: &Database,
    ) -> Result<Self, Error> {
        defaults.check()?;
        let mut rule = Self { bindings, defaults, ..Self::default() };
        let mut sources = Vec::new();
        for spec in &specs {
            sources.extend(spec.sources()?);
        }
        database.require_sources(&sources)?;
        for spec in specs {
            let table = ShardedTable::build(spec, &rule.defaults)?;
            rule.physical.extend(table.nodes.iter().map(|node| node.table.to_ascii_lowercase()));
            rule.tables.insert(table.spec.name.to_ascii_lowercase(), table);
        }
        for (number, spec) in (0..).zip(rule.bindings.clone()) {
            binding::bind(&mut rule, number, &spec)?;
        }
        Ok(rule)
    }

    /// The sharded table of that name, whatever its letter case.
    pub fn table(&self, name: &str) -> Option<&ShardedTable> {
        self.tables.get(&name.to_ascii_lowercase())
    }

    /// The sharded table that a physical one on a source is a node of.
    pub fn at(&self, source: &str, physical: &str) -> Option<&ShardedTable> {
        if !self.physical.contains(&physical.to_ascii_lowercase()) {
            return None;
        }
        self.tables.values().find(|table| {
            let mut nodes = table.nodes.iter();
            nodes.any(|node| node.unit == source && node.table.eq_ignore_ascii_case(physical))
        })
    }

    /// Whether a physical table belongs to a rule: as one of its shards, or hidden behind its logical name.
    pub fn covers(&self, physical: &str) -> bool {
        let name = physical.to_ascii_lowercase();
        self.physical.contains(&name) || self.tables.contains_key(&name)
    }
}

impl ShardedTable {
    /// Lays the table out over its sources. Whether they exist is checked by the change that adds it.
    pub fn build(spec: ShardingTableSpec, defaults: &DefaultStrategies) -> Result<Self, Error> {
        let (nodes, strategies) = match &spec.layout {
            LayoutSpec::Auto { column, algorithm, .. } => {
                let algorithm = ShardingAlgorithm::parse_numbering(algorithm)?;
                let nodes = dealt(&spec, &algorithm)?;
                if column.is_empty() {
                    return Err(spec.invalid("the sharding column is empty"));
                }
                let (level, columns) = (Level::Table, vec![column.clone()]);
                (nodes, vec![Strategy { level, columns, algorithm, targets: Targets::Nodes }])
            }
            LayoutSpec::Nodes { database, table, .. } => {
                let nodes = named(&spec)?;
                let mut strategies = Vec::new();
                for (own, default, level) in
                    [(database, &defaults.database, Level::Database), (table, &defaults.table, Level::Table)]
                {
                    let Some(strategy) = own.as_ref().or(default.as_ref()) else { continue };
                    check(strategy).map_err(|reason| spec.invalid(reason))?;
                    strategies.extend(Strategy::build(strategy, level, &spec.name, &nodes)?);
                }
                (nodes, strategies)
            }
        };
        let key = spec.key.as_ref().map(|key| {
            let generator = KeyGenerator::parse(&key.algorithm)?;
            Ok(GeneratedKey { column: key.column.clone(), generator })
        });
        let audit = spec.audit.as_ref().map(|audit| {
            let parse = |(name, algorithm): (&String, _)| Ok((name.clone(), Audit::parse(algorithm)?));
            let auditors = audit.auditors.iter().map(parse).collect::<Result<_, _>>()?;
            Ok(TableAudit { auditors, allow_hint_disable: audit.allow_hint_disable })
        });
        Ok(Self { key: key.transpose()?, audit: audit.transpose()?, spec, nodes, strategies, binding: None })
    }

    /// Its logical name, letter case as written.
    pub fn name(&self) -> &str {
        &self.spec.name
    }

    /// The sources of its nodes in the order written, expressions spelt out; repeated ones keep their position in an
    /// automatically laid out table.
    pub fn units(&self) -> Vec<String> {
        self.spec.sources().unwrap_or_default()
    }

    /// Whether nodes of the same number hold rows with the same keys.
    pub fn is_alike(&self, other: &Self) -> bool {
        binding::alike(self, other)
    }

    /// The first sharding column; empty when it has none.
    pub fn column(&self) -> &str {
        self.strategies.iter().find_map(|strategy| strategy.columns.first()).map_or("", String::as_str)
    }

    /// All sharding columns, each once.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        let all = || self.strategies.iter().flat_map(|strategy| &strategy.columns);
        let first = move |at: usize, column: &str| !all().take(at).any(|it| it.eq_ignore_ascii_case(column));
        all().enumerate().filter(move |(at, column)| first(*at, column)).map(|(_, column)| column.as_str())
    }
}

impl ShardingTableSpec {
    /// The sources that it names: as written when it is laid out automatically, else each once.
    pub(crate) fn sources(&self) -> Result<Vec<String>, Error> {
        let names = self.names()?;
        if let LayoutSpec::Auto { .. } = self.layout {
            return Ok(names);
        }
        let mut sources = Vec::new();
        for name in names {
            let unit = node(&name)?.unit;
            if !sources.contains(&unit) {
                sources.push(unit);
            }
        }
        Ok(sources)
    }

    fn invalid(&self, reason: &str) -> Error {
        Error::InvalidRule { kind: RuleKind::Sharding, name: self.name.clone(), reason: reason.to_owned() }
    }
}

impl DefaultStrategies {
    /// Refuses what no table could be laid out by.
    fn check(&self) -> Result<(), Error> {
        for (strategy, level) in [(&self.database, Level::Database), (&self.table, Level::Table)] {
            let Some(strategy) = strategy else { continue };
            check(strategy).map_err(|reason| Error::InvalidRule {
                kind: RuleKind::DefaultStrategy,
                name: level.name().to_owned(),
                reason: reason.to_owned(),
            })?;
            Strategy::build(strategy, level, "", &[])?;
        }
        Ok(())
    }
}

/// The nodes of an automatically laid out table.
fn dealt(spec: &ShardingTableSpec, algorithm: &ShardingAlgorithm) -> Result<Vec<DataNode>, Error> {
    let units = spec.names()?;
    if units.is_empty() {
        return Err(spec.invalid("no storage unit is given"));
    }
    let width = algorithm.width();
    let shards = 0..algorithm.shards().unwrap_or_default();
    let node = |(shard, unit): (u32, &String)| DataNode {
        unit: unit.clone(),
        table: format!("{}_{shard:0width$}", spec.name),
    };
    Ok(shards.zip(units.iter().cycle()).map(node).collect())
}

/// The two parts of `unit.table`.
fn node(name: &str) -> Result<DataNode, Error> {
    match name.split('.').map(str::trim).collect::<Vec<_>>().as_slice() {
        [unit, table] if !unit.is_empty() && !table.is_empty() => {
            Ok(DataNode { unit: (*unit).to_owned(), table: (*table).to_owned() })
        }
        _ => Err(Error::DataNode(name.to_owned())),
    }
}

/// Data nodes as they are named.
fn named(spec: &ShardingTableSpec) -> Result<Vec<DataNode>, Error> {
    let mut nodes: Vec<DataNode> = Vec::new();
    let mut seen = HashSet::new();
    for name in spec.names()? {
        let node = node(&name)?;
        if !seen.insert((node.unit.clone(), node.table.to_ascii_lowercase())) {
            return Err(spec.invalid(&format!("data node {name} is named twice")));
        }
        nodes.push(node);
    }
    if nodes.is_empty() {
        return Err(spec.invalid("no data node is given"));
    }
    Ok(nodes)
}

/// Whether a strategy has the columns and the algorithm that its kind needs.
fn check(strategy: &StrategySpec) -> Result<(), &'static str> {
    let (least, most, what) = match strategy.kind {
        StrategyKind::Complex => (2, usize::MAX, "a complex strategy has two sharding columns or more"),
        StrategyKind::Hint | StrategyKind::None => (0, usize::MAX, ""),
        StrategyKind::Standard => (1, 1, "a standard strategy has one sharding column"),
    };
    if !(least..=most).contains(&strategy.columns.len()) || strategy.columns.iter().any(String::is_empty) {
        return Err(what);
    }
    if strategy.kind != StrategyKind::None && strategy.algorithm.is_none() {
        return Err("a strategy has a sharding algorithm");
    }
    Ok(())
}

#[cfg(test)]
mod tests;
