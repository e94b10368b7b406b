//! `!MASK`.

use indexmap::IndexMap;
use serde::Deserialize;

use super::Wrong;
use super::algorithm::{self, Algorithms, Block};
use super::emit::Node;
use crate::change::DatabaseSpec;
use crate::rule::{MaskColumnSpec, MaskTableSpec};

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Rule {
    tables: Option<IndexMap<String, Table>>,
    mask_algorithms: Algorithms,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    columns: Option<IndexMap<String, Column>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Column {
    mask_algorithm: String,
}

impl Rule {
    pub(super) fn read(self, spec: &mut DatabaseSpec) -> Result<(), Wrong> {
        for (name, table) in self.tables.unwrap_or_default() {
            let column = |(name, column): (String, Column)| {
                let algorithm =
                    algorithm::find(&self.mask_algorithms, "maskAlgorithms", &column.mask_algorithm)?;
                Ok(MaskColumnSpec { name, algorithm })
            };
            let columns =
                table.columns.unwrap_or_default().into_iter().map(column).collect::<Result<_, Wrong>>()?;
            spec.mask.push(MaskTableSpec { name, columns });
        }
        Ok(())
    }
}

/// Writes the rule; nothing when there is no table.
pub(super) fn write(tables: &[MaskTableSpec]) -> Option<Node> {
    let mut algorithms = Block::default();
    let mut table = |table: &MaskTableSpec| {
        let column = |column: &MaskColumnSpec| {
            let kind = column.algorithm.kind.to_lowercase();
            let name = algorithms.add(format!("{}_{}_{kind}", table.name, column.name), &column.algorithm);
            (column.name.clone(), Node::map([("maskAlgorithm", Some(name))]))
        };
        let columns = table.columns.iter().map(column).collect();
        (table.name.clone(), Node::map([("columns", Some(Node::Map(columns)))]))
    };
    let nodes: Vec<_> = tables.iter().map(&mut table).collect();
    (!nodes.is_empty())
        .then(|| Node::map([("tables", Some(Node::Map(nodes))), ("maskAlgorithms", algorithms.finish())]))
}
