//! Strategies: an algorithm that decides among *targets* (sources or tables by name), each of which stands for a set of
//! data nodes.

use std::collections::HashMap;

use super::spec::{StrategyKind, StrategySpec};
use crate::algorithm::ShardingAlgorithm;
use crate::error::{AlgorithmKind, Error, Names};
use crate::rule::AlgorithmSpec;
use crate::snapshot::DataNode;

/// What a strategy's targets are.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Level {
    /// Sources.
    Database,
    /// Tables.
    Table,
}

impl Level {
    /// As queries show it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Database => "DATABASE",
            Self::Table => "TABLE",
        }
    }
}

/// A strategy, ready to decide.
#[derive(Clone, Debug, PartialEq)]
pub struct Strategy {
    /// What its targets are.
    pub level: Level,
    /// Sharding columns as written; none for a strategy that looks at hints.
    pub columns: Vec<String>,
    /// The algorithm, its properties read.
    pub algorithm: ShardingAlgorithm,
    /// What it decides among.
    pub targets: Targets,
}

/// What an algorithm decides among.
#[derive(Clone, Debug, PartialEq)]
pub enum Targets {
    /// Names.
    Named(NamedTargets),
    /// Data nodes by their numbers: that of an automatically laid out table is the shard's.
    Nodes,
}

/// Targets by their names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NamedTargets {
    /// Names in the order of the data nodes.
    pub names: Vec<String>,
    /// For each target the numbers of its data nodes.
    pub nodes: Vec<Vec<u32>>,
    /// For each shard that the algorithm numbers itself, the target with that suffix.
    pub numbered: Vec<Option<u32>>,
    by_name: HashMap<String, u32>,
    prefix: String,
}

impl Strategy {
    /// Reads a strategy over some data nodes; nothing when it looks at nothing.
    pub(super) fn build(
        spec: &StrategySpec,
        level: Level,
        table: &str,
        nodes: &[DataNode],
    ) -> Result<Option<Self>, Error> {
        let (Some(algorithm), false) = (&spec.algorithm, spec.kind == StrategyKind::None) else {
            return Ok(None);
        };
        let unfit = |spec: &AlgorithmSpec| Error::InvalidAlgorithms {
            kind: AlgorithmKind::Sharding,
            names: Names::one(&spec.kind),
        };
        let built = ShardingAlgorithm::parse(algorithm)?;
        let kind = match built {
            ShardingAlgorithm::ComplexInline(_) => StrategyKind::Complex,
            ShardingAlgorithm::HintInline(_) => StrategyKind::Hint,
            _ => StrategyKind::Standard,
        };
        if kind != spec.kind {
            return Err(unfit(algorithm));
        }
        let columns = match kind {
            StrategyKind::Hint => Vec::new(),
            _ => spec.columns.clone(),
        };
        built.check_columns(&columns)?;
        let targets = NamedTargets::of(&built, level, table, nodes);
        Ok(Some(Self { level, columns, algorithm: built, targets: Targets::Named(targets) }))
    }

    /// The only sharding column; nothing when there are several or none.
    pub fn column(&self) -> Option<&str> {
        match self.columns.as_slice() {
            [column] => Some(column),
            _ => None,
        }
    }
}

impl NamedTargets {
    fn of(algorithm: &ShardingAlgorithm, level: Level, table: &str, nodes: &[DataNode]) -> Self {
        let mut targets = Self::default();
        for (number, node) in (0..).zip(nodes) {
            let (name, key) = match level {
                Level::Database => (&node.unit, node.unit.clone()),
                Level::Table => (&node.table, node.table.to_ascii_lowercase()),
            };
            let next = u32::try_from(targets.names.len()).unwrap_or(u32::MAX);
            let target = *targets.by_name.entry(key).or_insert(next);
            if target == next {
                targets.names.push(name.clone());
                targets.nodes.push(Vec::new());
            }
            if let Some(nodes) = targets.nodes.get_mut(target as usize) {
                nodes.push(number);
            }
        }
        let logical = if level == Level::Table { table } else { "" };
        let first = targets.names.first().map(String::as_str).unwrap_or_default();
        let prefix = prefix(first, logical).to_owned();
        let width =
            targets.names.iter().map(|name| name.len().saturating_sub(prefix.len())).min().unwrap_or(0);
        let numbers = 0..algorithm.shards().unwrap_or(0);
        targets.numbered = numbers.map(|shard| targets.find(&format!("{prefix}{shard:0>width$}"))).collect();
        targets.prefix = prefix;
        targets
    }

    /// What names begin with before their numbers.
    pub(super) fn prefix(&self) -> &str {
        &self.prefix
    }

    /// What names end with.
    pub(super) fn suffixes(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(|name| name.get(self.prefix.len()..).unwrap_or_default())
    }

    /// The target of that name; table names in any letter case.
    pub fn find(&self, name: &str) -> Option<u32> {
        self.by_name.get(name).or_else(|| self.by_name.get(&name.to_ascii_lowercase())).copied()
    }
}

/// A name without the number at its end (`\d+`, or several between `-` and `_`); the number is not looked for in what the
/// logical name says.
fn prefix<'a>(name: &'a str, logical: &str) -> &'a str {
    let begins = !logical.is_empty()
        && name.get(..logical.len()).is_some_and(|start| start.eq_ignore_ascii_case(logical));
    let least = if begins { logical.len() } else { 0 };
    let digits = |end: usize| {
        let bytes = name.as_bytes().get(least..end).unwrap_or_default();
        end - bytes.iter().rev().take_while(|byte| byte.is_ascii_digit()).count()
    };
    let mut start = digits(name.len());
    if start == name.len() {
        return name;
    }
    while start > least && matches!(name.as_bytes()[start - 1], b'-' | b'_') {
        let before = digits(start - 1);
        if before == start - 1 {
            break;
        }
        start = before;
    }
    &name[..start]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_the_number_off_a_name() {
        for (name, logical, expected) in [
            ("t_order_0", "t_order", "t_order_"),
            ("t_order_15", "t_order", "t_order_"),
            ("t_2_0", "t_2", "t_2_"),
            ("t_2_0", "", "t_"),
            ("t_order_2024_01", "t_order", "t_order_"),
            ("t_order_2024-01", "x", "t_order_"),
            ("t2", "t2", "t2"),
            ("ds_3", "", "ds_"),
            ("ds", "", "ds"),
            ("T_ORDER7", "t_order", "T_ORDER"),
            ("7", "", ""),
        ] {
            assert_eq!(prefix(name, logical), expected, "{name}");
        }
    }
}
