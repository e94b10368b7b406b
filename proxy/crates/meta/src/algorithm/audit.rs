//! Algorithms of audit strategies (`algorithms.md` §1.14).

use super::Properties;
use crate::error::{AlgorithmKind, Error, Names};
use crate::rule::AlgorithmSpec;

/// Which statements an audit refuses.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Audit {
    /// `DML_SHARDING_CONDITIONS`: those that read or change rows without a condition on a sharding column.
    ShardingConditions,
}

impl Audit {
    /// Reads an algorithm's type (letter case ignored).
    pub fn parse(spec: &AlgorithmSpec) -> Result<Self, Error> {
        if !spec.kind.eq_ignore_ascii_case("DML_SHARDING_CONDITIONS") {
            let names = Names::one(&spec.kind);
            return Err(Error::InvalidAlgorithms { kind: AlgorithmKind::Audit, names });
        }
        Properties::of(AlgorithmKind::Audit, spec, &[]).map(|_| Self::ShardingConditions)
    }
}
