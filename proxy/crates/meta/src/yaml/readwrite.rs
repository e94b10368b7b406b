//! `!READWRITE_SPLITTING`: `dataSources` up to 5.3, `dataSourceGroups` since 5.4; members stand in `staticStrategy` in
//! between.

use indexmap::IndexMap;
use serde::Deserialize;

use super::Wrong;
use super::algorithm::{self, Algorithms, Block};
use super::emit::Node;
use crate::change::DatabaseSpec;
use crate::rule::{ReadwriteSpec, TransactionalReads};

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Rule {
    #[serde(alias = "dataSources")]
    data_source_groups: Option<IndexMap<String, Group>>,
    load_balancers: Algorithms,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Group {
    static_strategy: Option<Members>,
    write_data_source_name: Option<String>,
    read_data_source_names: Option<Names>,
    transactional_read_query_strategy: Option<String>,
    load_balancer_name: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Members {
    write_data_source_name: Option<String>,
    read_data_source_names: Option<Names>,
}

/// A list, or names between commas.
#[derive(Deserialize)]
#[serde(untagged)]
enum Names {
    List(Vec<String>),
    Text(String),
}

impl Rule {
    pub(super) fn read(self, spec: &mut DatabaseSpec) -> Result<(), Wrong> {
        for (name, group) in self.data_source_groups.unwrap_or_default() {
            let members = group.static_strategy.unwrap_or_default();
            let write = group.write_data_source_name.or(members.write_data_source_name);
            let reads = group.read_data_source_names.or(members.read_data_source_names);
            let balancer = group.load_balancer_name.filter(|name| !name.is_empty());
            let balancer = balancer.map(|it| algorithm::find(&self.load_balancers, "loadBalancers", &it));
            let transactional = group.transactional_read_query_strategy.map(|text| {
                TransactionalReads::parse(&text).ok_or_else(|| {
                    format!("`transactionalReadQueryStrategy` is PRIMARY, FIXED or DYNAMIC, not `{text}`")
                })
            });
            spec.readwrite.push(ReadwriteSpec {
                write: write.ok_or_else(|| format!("`{name}` has no `writeDataSourceName`"))?,
                reads: reads.map(Names::list).unwrap_or_default(),
                transactional: transactional.transpose()?,
                balancer: balancer.transpose()?,
                name,
                disabled: Vec::new(),
            });
        }
        Ok(())
    }
}

impl Names {
    fn list(self) -> Vec<String> {
        match self {
            Self::List(names) => names,
            Self::Text(text) => text.split(',').map(|name| name.trim().to_owned()).collect(),
        }
    }
}

/// Writes the rule; nothing when there is no group. Replicas that are switched off are not: that is a state.
pub(super) fn write(groups: &[ReadwriteSpec]) -> Option<Node> {
    let mut balancers = Block::default();
    let mut group = |group: &ReadwriteSpec| {
        let balancer = group
            .balancer
            .as_ref()
            .map(|it| balancers.add(format!("{}_{}", group.name, it.kind.to_lowercase()), it));
        let node = Node::map([
            ("writeDataSourceName", Some(Node::text(&group.write))),
            ("readDataSourceNames", Some(Node::texts(&group.reads))),
            ("transactionalReadQueryStrategy", group.transactional.map(|it| Node::text(it.name()))),
            ("loadBalancerName", balancer),
        ]);
        (group.name.clone(), node)
    };
    let nodes: Vec<_> = groups.iter().map(&mut group).collect();
    (!nodes.is_empty()).then(|| {
        Node::map([("dataSourceGroups", Some(Node::Map(nodes))), ("loadBalancers", balancers.finish())])
    })
}
