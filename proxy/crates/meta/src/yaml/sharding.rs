//! `!SHARDING`, and `!BROADCAST` which was a part of it up to 5.3.
//!
//! Algorithms that are called as DistSQL would have called them are the rules' own; others keep their names.

use indexmap::IndexMap;
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::Wrong;
use super::algorithm::{self, Algorithms, Block};
use super::emit::Node;
use crate::change::DatabaseSpec;
use crate::error::AlgorithmKind;
use crate::inline;
use crate::rule::{
    AlgorithmSpec, AuditSpec, BindingSpec, KeyGenerateSpec, LayoutSpec, ShardingTableSpec, StrategyKind,
    StrategySpec,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Rule {
    tables: Option<IndexMap<String, Table>>,
    auto_tables: Option<IndexMap<String, AutoTable>>,
    binding_tables: Option<Vec<String>>,
    broadcast_tables: Option<Vec<String>>,
    default_database_strategy: Option<Strategy>,
    default_table_strategy: Option<Strategy>,
    default_key_generate_strategy: Option<Key>,
    default_audit_strategy: Option<Audit>,
    default_sharding_column: Option<String>,
    sharding_algorithms: Algorithms,
    key_generators: Algorithms,
    auditors: Algorithms,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Table {
    /// The key again, in some releases.
    #[serde(rename = "logicTable")]
    _name: Option<String>,
    actual_data_nodes: Option<String>,
    database_strategy: Option<Strategy>,
    table_strategy: Option<Strategy>,
    key_generate_strategy: Option<Key>,
    audit_strategy: Option<Audit>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct AutoTable {
    /// The key again, in some releases.
    #[serde(rename = "logicTable")]
    _name: Option<String>,
    actual_data_sources: Option<String>,
    sharding_strategy: Option<Strategy>,
    key_generate_strategy: Option<Key>,
    audit_strategy: Option<Audit>,
}

/// One of them; `none` may have no value.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Strategy {
    standard: Option<Standard>,
    complex: Option<Complex>,
    hint: Option<Hint>,
    #[serde(rename = "none")]
    _none: Option<IgnoredAny>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Standard {
    sharding_column: Option<String>,
    sharding_algorithm_name: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Complex {
    sharding_columns: Option<String>,
    sharding_algorithm_name: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Hint {
    sharding_algorithm_name: String,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Key {
    column: String,
    key_generator_name: String,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Audit {
    auditor_names: Option<Vec<String>>,
    allow_hint_disable: Option<bool>,
}

/// `!BROADCAST`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Broadcast {
    tables: Option<Vec<String>>,
}

impl Rule {
    pub(super) fn read(mut self, spec: &mut DatabaseSpec) -> Result<(), Wrong> {
        let (tables, autos) = (self.tables.take(), self.auto_tables.take());
        for (name, table) in tables.unwrap_or_default() {
            let nodes = table.actual_data_nodes.as_deref().map(names).unwrap_or_default();
            if nodes.is_empty() {
                return Err(format!("table `{name}` has no `actualDataNodes`"));
            }
            let layout = LayoutSpec::Nodes {
                nodes,
                database: self.strategy(table.database_strategy.as_ref())?,
                table: self.strategy(table.table_strategy.as_ref())?,
            };
            let (key, audit) = self.common(table.key_generate_strategy, table.audit_strategy)?;
            spec.sharding.push(ShardingTableSpec { name, layout, key, audit });
        }
        for (name, table) in autos.unwrap_or_default() {
            let strategy = self.strategy(table.sharding_strategy.as_ref())?;
            let (Some(algorithm), [column]) =
                strategy.as_ref().map_or((None, &[][..]), |it| (it.algorithm.clone(), it.columns.as_slice()))
            else {
                return Err(format!("table `{name}` needs a `standard` sharding strategy with one column"));
            };
            let layout = LayoutSpec::Auto {
                units: table.actual_data_sources.as_deref().map(names).unwrap_or_default(),
                column: column.clone(),
                algorithm,
            };
            let (key, audit) = self.common(table.key_generate_strategy, table.audit_strategy)?;
            spec.sharding.push(ShardingTableSpec { name, layout, key, audit });
        }
        for binding in self.binding_tables.take().unwrap_or_default() {
            spec.bindings.push(read_binding(&binding));
        }
        spec.broadcast.extend(self.broadcast_tables.take().unwrap_or_default());
        if let Some(strategy) = self.strategy(self.default_database_strategy.as_ref())? {
            spec.strategies.database = Some(strategy);
        }
        if let Some(strategy) = self.strategy(self.default_table_strategy.as_ref())? {
            spec.strategies.table = Some(strategy);
        }
        for (kind, block) in [
            (AlgorithmKind::Sharding, self.sharding_algorithms),
            (AlgorithmKind::Key, self.key_generators),
            (AlgorithmKind::Audit, self.auditors),
        ] {
            keep_names(spec, kind, algorithm::all(block).collect());
        }
        Ok(())
    }

    fn strategy(&self, strategy: Option<&Strategy>) -> Result<Option<StrategySpec>, Wrong> {
        let Some(strategy) = strategy else { return Ok(None) };
        let (kind, columns, name) = match strategy {
            Strategy { standard: Some(it), complex: None, hint: None, .. } => {
                let column = it.sharding_column.as_ref().or(self.default_sharding_column.as_ref());
                (StrategyKind::Standard, column.cloned().into_iter().collect(), &it.sharding_algorithm_name)
            }
            Strategy { standard: None, complex: Some(it), hint: None, .. } => {
                let columns = it.sharding_columns.as_deref().unwrap_or_default().split(',');
                let columns = columns.map(|column| column.trim().to_owned()).collect();
                (StrategyKind::Complex, columns, &it.sharding_algorithm_name)
            }
            Strategy { standard: None, complex: None, hint: Some(it), .. } => {
                (StrategyKind::Hint, Vec::new(), &it.sharding_algorithm_name)
            }
            Strategy { standard: None, complex: None, hint: None, .. } => {
                return Ok(Some(StrategySpec::default()));
            }
            _ => return Err("a strategy is `standard`, `complex`, `hint` or `none`".to_owned()),
        };
        let algorithm = algorithm::find(&self.sharding_algorithms, "shardingAlgorithms", name)?;
        Ok(Some(StrategySpec { kind, columns, algorithm: Some(algorithm) }))
    }

    /// What tables of both kinds may have, by default that of all.
    fn common(
        &self,
        key: Option<Key>,
        audit: Option<Audit>,
    ) -> Result<(Option<KeyGenerateSpec>, Option<AuditSpec>), Wrong> {
        let key = key.or_else(|| self.default_key_generate_strategy.clone()).map(|key| {
            let algorithm = algorithm::find(&self.key_generators, "keyGenerators", &key.key_generator_name)?;
            Ok::<_, Wrong>(KeyGenerateSpec { column: key.column, algorithm })
        });
        let audit = audit.or_else(|| self.default_audit_strategy.clone()).map(|audit| {
            let names = audit.auditor_names.unwrap_or_default().into_iter();
            let auditors = names.map(|name| {
                let algorithm = algorithm::find(&self.auditors, "auditors", &name)?;
                Ok::<_, Wrong>((name, algorithm))
            });
            let allow_hint_disable = audit.allow_hint_disable.unwrap_or_default();
            Ok::<_, Wrong>(AuditSpec { auditors: auditors.collect::<Result<_, _>>()?, allow_hint_disable })
        });
        Ok((key.transpose()?, audit.transpose()?))
    }
}

impl Broadcast {
    pub(super) fn read(self, spec: &mut DatabaseSpec) {
        spec.broadcast.extend(self.tables.unwrap_or_default());
    }
}

/// Items of `ds_0.t_${0..1}, ds_1.t_0`.
fn names(text: &str) -> Vec<String> {
    inline::split(text).into_iter().map(|name| name.trim().to_owned()).collect()
}

/// `name:t_order,t_item`, or without a name, which is made of the tables' then.
fn read_binding(text: &str) -> BindingSpec {
    let (name, tables) = match text.split_once(':') {
        Some((name, tables)) => (Some(name.trim().to_owned()), tables),
        None => (None, text),
    };
    let tables: Vec<_> = tables.split(',').map(|table| table.trim().to_owned()).collect();
    BindingSpec { name: name.unwrap_or_else(|| tables.join("_").to_lowercase()), tables }
}

/// Keeps algorithms by name that are not called as DistSQL would call them, or that no rule uses.
fn keep_names(spec: &mut DatabaseSpec, kind: AlgorithmKind, block: IndexMap<String, AlgorithmSpec>) {
    let mut generated = IndexMap::new();
    spec.each_algorithm(kind, |it| {
        let own = match kind {
            // An audit names its algorithms itself.
            AlgorithmKind::Audit => {
                format!("{}_{}", it.table.unwrap_or_default(), it.spec.kind).to_lowercase()
            }
            _ => it.name,
        };
        generated.insert(own, it.spec.clone());
    });
    let named = block.into_iter().filter(|(name, algorithm)| generated.get(name) != Some(algorithm));
    let named: Vec<_> = named.collect();
    if let Some(all) = spec.algorithms.of_mut(kind) {
        all.extend(named);
    }
}

/// Writes the rule; nothing when there is none.
pub(super) fn write(spec: &DatabaseSpec) -> Option<Node> {
    let block = |kind: AlgorithmKind| {
        let mut block = Block::default();
        for (name, algorithm) in spec.algorithms.of(kind).into_iter().flatten() {
            block.add(name.clone(), algorithm);
        }
        block
    };
    let [algorithms, keys, auditors] =
        [AlgorithmKind::Sharding, AlgorithmKind::Key, AlgorithmKind::Audit].map(block);
    let mut writer = Writer { spec, algorithms, keys, auditors };
    let (mut tables, mut autos) = (Vec::new(), Vec::new());
    for table in &spec.sharding {
        let node = (table.name.clone(), writer.table(table));
        match &table.layout {
            LayoutSpec::Auto { .. } => autos.push(node),
            LayoutSpec::Nodes { .. } => tables.push(node),
        }
    }
    let bindings = spec.bindings.iter().map(|it| Node::text(format!("{}:{}", it.name, it.tables.join(","))));
    let some = |nodes: Vec<(String, Node)>| (!nodes.is_empty()).then_some(Node::Map(nodes));
    let mut default = |strategy: &Option<StrategySpec>, level: &str| {
        strategy.as_ref().map(|it| writer.strategy(it, &format!("default_{level}")))
    };
    let (database, table) =
        (default(&spec.strategies.database, "database"), default(&spec.strategies.table, "table"));
    let node = Node::map([
        ("tables", some(tables)),
        ("autoTables", some(autos)),
        ("bindingTables", (!spec.bindings.is_empty()).then(|| Node::List(bindings.collect()))),
        ("defaultDatabaseStrategy", database),
        ("defaultTableStrategy", table),
        ("shardingAlgorithms", writer.algorithms.finish()),
        ("keyGenerators", writer.keys.finish()),
        ("auditors", writer.auditors.finish()),
    ]);
    (node != Node::Map(Vec::new())).then_some(node)
}

/// Writes `!BROADCAST`; nothing when there is no table.
pub(super) fn write_broadcast(tables: &[String]) -> Option<Node> {
    (!tables.is_empty()).then(|| Node::map([("tables", Some(Node::texts(tables)))]))
}

/// Writes tables, and gathers the algorithms that they use.
struct Writer<'a> {
    spec: &'a DatabaseSpec,
    algorithms: Block,
    keys: Block,
    auditors: Block,
}

impl Writer<'_> {
    fn table(&mut self, table: &ShardingTableSpec) -> Node {
        let mut pairs = match &table.layout {
            LayoutSpec::Auto { units, column, algorithm } => {
                let standard = Node::map([
                    ("shardingColumn", Some(Node::text(column))),
                    ("shardingAlgorithmName", Some(self.algorithm(&table.name, algorithm))),
                ]);
                vec![
                    ("actualDataSources", Some(Node::Text(units.join(",")))),
                    ("shardingStrategy", Some(Node::map([("standard", Some(standard))]))),
                ]
            }
            LayoutSpec::Nodes { nodes, database, table: inner } => {
                let mut strategy = |strategy: &Option<StrategySpec>, level: &str| {
                    strategy.as_ref().map(|it| self.strategy(it, &format!("{}_{level}", table.name)))
                };
                vec![
                    ("actualDataNodes", Some(Node::Text(nodes.join(",")))),
                    ("databaseStrategy", strategy(database, "database")),
                    ("tableStrategy", strategy(inner, "table")),
                ]
            }
        };
        let key = table.key.as_ref().map(|key| {
            let name = self.name(AlgorithmKind::Key, &table.name, &key.algorithm);
            let name = self.keys.add(name, &key.algorithm);
            Node::map([("column", Some(Node::text(&key.column))), ("keyGeneratorName", Some(name))])
        });
        let audit = table.audit.as_ref().map(|audit| {
            let names = audit.auditors.iter().map(|(name, it)| self.auditors.add(name.clone(), it));
            Node::map([
                ("auditorNames", Some(Node::List(names.collect()))),
                ("allowHintDisable", Some(Node::word(audit.allow_hint_disable))),
            ])
        });
        pairs.extend([("keyGenerateStrategy", key), ("auditStrategy", audit)]);
        Node::Map(pairs.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))).collect())
    }

    fn strategy(&mut self, strategy: &StrategySpec, before: &str) -> Node {
        let name = strategy.algorithm.as_ref().map(|it| self.algorithm(before, it));
        let columns = |key| (key, Some(Node::Text(strategy.columns.join(","))));
        let (kind, body) = match strategy.kind {
            StrategyKind::Complex => {
                ("complex", Node::map([columns("shardingColumns"), ("shardingAlgorithmName", name)]))
            }
            StrategyKind::Hint => ("hint", Node::map([("shardingAlgorithmName", name)])),
            StrategyKind::None => ("none", Node::Map(Vec::new())),
            StrategyKind::Standard => {
                ("standard", Node::map([columns("shardingColumn"), ("shardingAlgorithmName", name)]))
            }
        };
        Node::map([(kind, Some(body))])
    }

    fn algorithm(&mut self, before: &str, algorithm: &AlgorithmSpec) -> Node {
        let name = self.name(AlgorithmKind::Sharding, before, algorithm);
        self.algorithms.add(name, algorithm)
    }

    /// The name of an algorithm where it is used.
    fn name(&self, kind: AlgorithmKind, before: &str, algorithm: &AlgorithmSpec) -> String {
        let mut named = self.spec.algorithms.of(kind).into_iter().flatten();
        let same = named.find(|(_, it)| *it == algorithm);
        same.map_or_else(|| format!("{before}_{}", algorithm.kind).to_lowercase(), |(name, _)| name.clone())
    }
}
