//! Sharding: tables laid out over data nodes (`distsql.md` §3, `algorithms.md` §1).

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::AlgorithmSpec;
use crate::algorithm::ShardingAlgorithm;
use crate::error::{Error, RuleKind};
use crate::inline;
use crate::snapshot::{DataNode, Database};

/// All sharded tables of a database, by lower-case logical name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ShardingRule {
    /// Sharded tables.
    pub tables: IndexMap<String, ShardedTable>,
}

/// An automatically laid out sharded table.
#[derive(Clone, Debug, PartialEq)]
pub struct ShardedTable {
    /// What the user wrote.
    pub spec: AutoTable,
    /// The algorithm, its properties read.
    pub algorithm: ShardingAlgorithm,
    /// Shard *i* is `nodes[i]`: table `<name>_<i>` on unit *i mod S* (`algorithms.md` §1.3).
    pub nodes: Vec<DataNode>,
}

/// `CREATE SHARDING TABLE RULE` of an auto table, as written; what is stored and exported.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct AutoTable {
    /// Logical name, letter case as written.
    pub name: String,
    /// Storage units in order, or inline expressions of them; repeated names keep their position.
    pub units: Vec<String>,
    /// Sharding column.
    pub column: String,
    /// Sharding algorithm.
    pub algorithm: AlgorithmSpec,
}

impl ShardingRule {
    /// Lays all tables out; their sources must be those of the database.
    pub(crate) fn build(specs: Vec<AutoTable>, database: &Database) -> Result<Self, Error> {
        let mut sources = Vec::new();
        for spec in &specs {
            sources.extend(spec.unit_names()?);
        }
        database.require_sources(&sources)?;
        let mut tables = IndexMap::with_capacity(specs.len());
        for spec in specs {
            tables.insert(spec.name.to_ascii_lowercase(), ShardedTable::build(spec)?);
        }
        Ok(Self { tables })
    }

    /// The sharded table of that name, whatever its letter case.
    pub fn table(&self, name: &str) -> Option<&ShardedTable> {
        self.tables.get(&name.to_ascii_lowercase())
    }

    /// Whether a physical table belongs to a rule: as one of its shards, or hidden behind its logical name.
    pub fn covers(&self, physical: &str) -> bool {
        self.table(physical).is_some()
            || self.tables.values().any(|table| {
                // All names of shards begin like the logical name; most tables are told apart by that.
                physical
                    .get(..table.spec.name.len())
                    .is_some_and(|s| s.eq_ignore_ascii_case(&table.spec.name))
                    && table.nodes.iter().any(|node| node.table.eq_ignore_ascii_case(physical))
            })
    }
}

impl ShardedTable {
    /// Lays the table out over its units. Whether the units exist is checked by the change that adds it.
    pub fn build(spec: AutoTable) -> Result<Self, Error> {
        let invalid = |reason: &str| Error::InvalidRule {
            kind: RuleKind::Sharding,
            name: spec.name.clone(),
            reason: reason.to_owned(),
        };
        let units = spec.unit_names()?;
        if units.is_empty() {
            return Err(invalid("no storage unit is given"));
        }
        if spec.column.is_empty() {
            return Err(invalid("the sharding column is empty"));
        }
        let algorithm = ShardingAlgorithm::parse_numbering(&spec.algorithm)?;
        let shards = algorithm.shards().unwrap_or_default();
        let width = algorithm.width();
        let nodes = (0..shards)
            .zip(units.iter().cycle())
            .map(|(shard, unit)| DataNode {
                unit: unit.clone(),
                table: format!("{}_{shard:0width$}", spec.name),
            })
            .collect();
        Ok(Self { spec, algorithm, nodes })
    }

    /// Storage units in the order written, expressions spelt out.
    pub fn units(&self) -> Vec<String> {
        self.spec.unit_names().unwrap_or_default()
    }
}

impl AutoTable {
    /// Storage units in the order written, expressions spelt out.
    pub fn unit_names(&self) -> Result<Vec<String>, Error> {
        let mut names = Vec::new();
        for unit in &self.units {
            names.extend(inline::expand(unit)?);
        }
        Ok(names)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(units: &[&str], properties: &[(&str, &str)]) -> AutoTable {
        AutoTable {
            name: "t_user".into(),
            units: units.iter().map(|unit| (*unit).to_owned()).collect(),
            column: "id".into(),
            algorithm: AlgorithmSpec {
                kind: "MOD".into(),
                properties: properties.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect(),
            },
        }
    }

    fn layout(units: &[&str], properties: &[(&str, &str)]) -> Vec<String> {
        let table = ShardedTable::build(spec(units, properties)).unwrap();
        table.nodes.iter().map(|node| format!("{}.{}", node.unit, node.table)).collect()
    }

    #[test]
    fn deals_shards_round_robin_over_the_units_as_the_guide_shows() {
        let expected = "ds_0.t_user_0 ds_1.t_user_1 ds_2.t_user_2 ds_3.t_user_3 ds_0.t_user_4 ds_1.t_user_5 \
                        ds_2.t_user_6 ds_3.t_user_7 ds_0.t_user_8 ds_1.t_user_9";
        for units in [&["ds_0", "ds_1", "ds_2", "ds_3"][..], &["ds_${0..3}"]] {
            assert_eq!(layout(units, &[("sharding-count", "10")]).join(" "), expected);
        }
    }

    #[test]
    fn keeps_the_position_of_repeated_units() {
        let nodes = layout(&["a", "b", "a"], &[("sharding-count", "4")]);
        assert_eq!(nodes, ["a.t_user_0", "b.t_user_1", "a.t_user_2", "a.t_user_3"]);
    }

    #[test]
    fn pads_names_of_shards_when_told_to() {
        let nodes = layout(&["a"], &[("sharding-count", "11"), ("zero-padding", "true")]);
        assert_eq!((nodes[0].as_str(), nodes[10].as_str()), ("a.t_user_00", "a.t_user_10"));
    }

    #[test]
    fn covers_shards_and_the_logical_name_but_no_neighbour() {
        let table = ShardedTable::build(spec(&["a"], &[("sharding-count", "2")])).unwrap();
        let rule = ShardingRule { tables: IndexMap::from([("t_user".to_owned(), table)]) };
        for (name, covered) in
            [("t_user", true), ("T_USER_1", true), ("t_user_2", false), ("t_users", false), ("t", false)]
        {
            assert_eq!(rule.covers(name), covered, "{name}");
        }
    }

    #[test]
    fn refuses_a_table_without_units_or_column() {
        let error = ShardedTable::build(spec(&[], &[("sharding-count", "2")])).unwrap_err();
        assert_eq!(
            error.to_string(),
            "Invalid sharding rule `t_user`, error message is: no storage unit is given"
        );
        let mut empty = spec(&["a"], &[("sharding-count", "2")]);
        empty.column.clear();
        let error = ShardedTable::build(empty).unwrap_err();
        assert_eq!(
            error.to_string(),
            "Invalid sharding rule `t_user`, error message is: the sharding column is empty"
        );
    }
}
