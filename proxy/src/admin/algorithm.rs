//! Algorithms: as DistSQL writes them, as `meta` keeps them, and as queries show them.

use distsql::Algorithm;
use meta::AlgorithmSpec;

use super::properties;

/// As `meta` takes it.
pub(super) fn spec(algorithm: &Algorithm) -> AlgorithmSpec {
    AlgorithmSpec { kind: algorithm.name.clone(), properties: algorithm.properties.clone() }
}

/// Its type; empty when there is none.
pub(super) fn kind(algorithm: Option<&AlgorithmSpec>) -> &str {
    algorithm.map_or("", |it| &it.kind)
}

/// Its properties; empty when there is none.
pub(super) fn props(algorithm: Option<&AlgorithmSpec>) -> String {
    algorithm.map_or_else(String::new, |it| properties(&it.properties))
}
