//! Algorithms by name.

use indexmap::IndexMap;
use serde::Deserialize;

use super::Wrong;
use super::emit::Node;
use crate::rule::AlgorithmSpec;

/// `type` and `props`.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Algorithm {
    #[serde(rename = "type")]
    kind: String,
    props: Option<IndexMap<String, Option<String>>>,
}

/// A block of algorithms, such as `encryptors`.
pub(super) type Algorithms = Option<IndexMap<String, Algorithm>>;

impl Algorithm {
    /// As rules keep it.
    pub(super) fn spec(&self) -> AlgorithmSpec {
        let props = self.props.iter().flatten();
        AlgorithmSpec {
            kind: self.kind.clone(),
            properties: props.map(|(k, v)| (k.clone(), v.clone().unwrap_or_default())).collect(),
        }
    }
}

/// The algorithm of that name in a block.
pub(super) fn find(algorithms: &Algorithms, block: &str, name: &str) -> Result<AlgorithmSpec, Wrong> {
    let found = algorithms.as_ref().and_then(|all| all.get(name));
    found.map(Algorithm::spec).ok_or_else(|| format!("`{name}` is not among `{block}`"))
}

/// All algorithms of a block.
pub(super) fn all(algorithms: Algorithms) -> impl Iterator<Item = (String, AlgorithmSpec)> {
    algorithms.into_iter().flatten().map(|(name, algorithm)| (name, algorithm.spec()))
}

/// Writes one.
pub(super) fn write(spec: &AlgorithmSpec) -> Node {
    let properties = spec.properties.iter().map(|(key, value)| (key.clone(), Node::text(value)));
    Node::map([
        ("type", Some(Node::text(&spec.kind))),
        ("props", (!spec.properties.is_empty()).then(|| Node::Map(properties.collect()))),
    ])
}

/// A block to be written: every algorithm under a name of its own.
#[derive(Default)]
pub(super) struct Block(Vec<(String, Node)>);

impl Block {
    /// Adds an algorithm; gives its name, which is another one when that is taken.
    pub(super) fn add(&mut self, name: String, spec: &AlgorithmSpec) -> Node {
        let node = write(spec);
        let free = |name: &String| self.0.iter().all(|(taken, other)| taken != name || *other == node);
        let mut others = (2..).map(|number: usize| format!("{name}_{number}"));
        let name = if free(&name) { name.clone() } else { others.find(free).unwrap_or_default() };
        if self.0.iter().all(|(taken, _)| *taken != name) {
            self.0.push((name.clone(), node));
        }
        Node::Text(name)
    }

    /// The block; nothing when it is empty.
    pub(super) fn finish(self) -> Option<Node> {
        (!self.0.is_empty()).then_some(Node::Map(self.0))
    }
}
