//! `!SHADOW`: production was called `sourceDataSourceName` up to 5.2.

use indexmap::IndexMap;
use serde::Deserialize;

use super::Wrong;
use super::algorithm::{self, Algorithms};
use super::emit::Node;
use crate::change::DatabaseSpec;
use crate::rule::{ShadowPair, ShadowSpec, ShadowTableSpec};

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Rule {
    data_sources: Option<IndexMap<String, Pair>>,
    tables: Option<IndexMap<String, Table>>,
    shadow_algorithms: Algorithms,
    default_shadow_algorithm_name: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Pair {
    #[serde(alias = "sourceDataSourceName")]
    production_data_source_name: String,
    shadow_data_source_name: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Table {
    data_source_names: Option<Vec<String>>,
    shadow_algorithm_names: Option<Vec<String>>,
}

impl Rule {
    pub(super) fn read(self, spec: &mut DatabaseSpec) -> Result<(), Wrong> {
        let shadow = &mut spec.shadow;
        for (name, pair) in self.data_sources.unwrap_or_default() {
            let (source, shadowed) = (pair.production_data_source_name, pair.shadow_data_source_name);
            shadow.pairs.push(ShadowPair { name, source, shadow: shadowed });
        }
        for (name, table) in self.tables.unwrap_or_default() {
            let rules = table.data_source_names.unwrap_or_default();
            let algorithms = table.shadow_algorithm_names.unwrap_or_default();
            shadow.tables.push(ShadowTableSpec { name, rules, algorithms });
        }
        shadow.algorithms.extend(algorithm::all(self.shadow_algorithms));
        if let Some(name) = self.default_shadow_algorithm_name.filter(|name| !name.is_empty()) {
            shadow.default = Some(name);
        }
        Ok(())
    }
}

/// Writes the rule; nothing when there is none.
pub(super) fn write(shadow: &ShadowSpec) -> Option<Node> {
    let list = |nodes: Vec<(String, Node)>| (!nodes.is_empty()).then_some(Node::Map(nodes));
    let pair = |pair: &ShadowPair| {
        let node = Node::map([
            ("productionDataSourceName", Some(Node::text(&pair.source))),
            ("shadowDataSourceName", Some(Node::text(&pair.shadow))),
        ]);
        (pair.name.clone(), node)
    };
    let table = |table: &ShadowTableSpec| {
        let node = Node::map([
            ("dataSourceNames", Some(Node::texts(&table.rules))),
            ("shadowAlgorithmNames", Some(Node::texts(&table.algorithms))),
        ]);
        (table.name.clone(), node)
    };
    let algorithms = shadow.algorithms.iter().map(|(name, it)| (name.clone(), algorithm::write(it)));
    (!shadow.is_empty()).then(|| {
        Node::map([
            ("dataSources", list(shadow.pairs.iter().map(pair).collect())),
            ("tables", list(shadow.tables.iter().map(table).collect())),
            ("shadowAlgorithms", list(algorithms.collect())),
            ("defaultShadowAlgorithmName", shadow.default.as_ref().map(Node::text)),
        ])
    })
}
