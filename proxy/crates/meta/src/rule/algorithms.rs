//! Algorithms of sharding by name (`distsql.md` §3). A rule holds its own copy of each algorithm that it uses: under the
//! name of an equal one that was created by itself, else under a name made from those of the table and the type.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::{AlgorithmSpec, LayoutSpec, StrategySpec};
use crate::algorithm::{Audit, KeyGenerator, ShardingAlgorithm};
use crate::change::DatabaseSpec;
use crate::error::{AlgorithmKind, Error};

/// Algorithms that were created by themselves.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct NamedAlgorithms {
    /// `CREATE SHARDING ALGORITHM`.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub sharding: IndexMap<String, AlgorithmSpec>,
    /// `CREATE SHARDING KEY GENERATOR`.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub key: IndexMap<String, AlgorithmSpec>,
    /// `CREATE SHARDING AUDITOR`.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub audit: IndexMap<String, AlgorithmSpec>,
}

/// An algorithm where a rule uses it.
#[derive(Debug)]
pub struct AlgorithmUse<'a> {
    /// Its name.
    pub name: String,
    /// The table whose rule it is; nothing for a default strategy.
    pub table: Option<&'a str>,
    /// The rule's own copy.
    pub spec: &'a mut AlgorithmSpec,
}

impl NamedAlgorithms {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Those of a kind; other kinds than the three have none.
    pub fn of(&self, kind: AlgorithmKind) -> Option<&IndexMap<String, AlgorithmSpec>> {
        match kind {
            AlgorithmKind::Audit => Some(&self.audit),
            AlgorithmKind::Key => Some(&self.key),
            AlgorithmKind::Sharding => Some(&self.sharding),
            _ => None,
        }
    }

    pub(crate) fn of_mut(&mut self, kind: AlgorithmKind) -> Option<&mut IndexMap<String, AlgorithmSpec>> {
        match kind {
            AlgorithmKind::Audit => Some(&mut self.audit),
            AlgorithmKind::Key => Some(&mut self.key),
            AlgorithmKind::Sharding => Some(&mut self.sharding),
            _ => None,
        }
    }

    /// Refuses those that no rule could use.
    pub(crate) fn check(&self) -> Result<(), Error> {
        for spec in self.key.values() {
            KeyGenerator::parse(spec)?;
        }
        for spec in self.audit.values() {
            Audit::parse(spec)?;
        }
        for spec in self.sharding.values() {
            ShardingAlgorithm::parse(spec)?;
        }
        Ok(())
    }
}

impl DatabaseSpec {
    /// Shows every use of an algorithm of a kind.
    pub fn each_algorithm(&mut self, kind: AlgorithmKind, mut each: impl FnMut(AlgorithmUse<'_>)) {
        let Self { sharding, strategies, algorithms, .. } = self;
        let named = algorithms.of(kind);
        let name = |spec: &AlgorithmSpec, before: &str| {
            let same = named.and_then(|named| named.iter().find(|(_, it)| *it == spec));
            let generated = || format!("{before}_{}", spec.kind).to_lowercase();
            same.map_or_else(generated, |(name, _)| name.clone())
        };
        let mut of_strategy = |strategy: &mut Option<StrategySpec>, table: Option<&str>, level: &str| {
            let spec = strategy.as_mut().and_then(|strategy| strategy.algorithm.as_mut());
            if let Some(spec) = spec {
                let name = name(spec, &format!("{}_{level}", table.unwrap_or("default")));
                each(AlgorithmUse { name, table, spec });
            }
        };
        if kind == AlgorithmKind::Sharding {
            for table in sharding.iter_mut() {
                let owner = Some(table.name.as_str());
                if let LayoutSpec::Nodes { database, table: inner, .. } = &mut table.layout {
                    of_strategy(database, owner, "database");
                    of_strategy(inner, owner, "table");
                }
            }
            of_strategy(&mut strategies.database, None, "database");
            of_strategy(&mut strategies.table, None, "table");
        }
        for table in sharding {
            let owner = Some(table.name.as_str());
            match (kind, &mut table.layout, &mut table.key, &mut table.audit) {
                (AlgorithmKind::Audit, _, _, Some(audit)) => {
                    for (name, spec) in &mut audit.auditors {
                        each(AlgorithmUse { name: name.clone(), table: owner, spec });
                    }
                }
                (AlgorithmKind::Key, _, Some(key), _) => {
                    let name = name(&key.algorithm, &table.name);
                    each(AlgorithmUse { name, table: owner, spec: &mut key.algorithm });
                }
                (AlgorithmKind::Sharding, LayoutSpec::Auto { algorithm, .. }, ..) => {
                    let name = name(algorithm, &table.name);
                    each(AlgorithmUse { name, table: owner, spec: algorithm });
                }
                _ => {}
            }
        }
    }

    /// All algorithms of a kind, those that were created by themselves first.
    pub fn algorithms_by_name(&self, kind: AlgorithmKind) -> IndexMap<String, AlgorithmSpec> {
        let mut all = self.algorithms.of(kind).cloned().unwrap_or_default();
        self.clone().each_algorithm(kind, |it| {
            all.entry(it.name).or_insert_with(|| it.spec.clone());
        });
        all
    }

    /// Tables whose rules use an algorithm; nothing stands for a default strategy.
    pub fn algorithm_users(&self, kind: AlgorithmKind, name: &str) -> Vec<Option<String>> {
        let mut users = Vec::new();
        self.clone().each_algorithm(kind, |it| {
            let user = it.table.map(str::to_owned);
            if it.name == name && !users.contains(&user) {
                users.push(user);
            }
        });
        users
    }
}
