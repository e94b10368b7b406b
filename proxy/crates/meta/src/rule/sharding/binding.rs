//! Binding (reference) tables: laid out alike, so that rows with equal sharding keys are on nodes of the same number.

use super::spec::BindingSpec;
use super::strategy::{Strategy, Targets};
use super::{ShardedTable, ShardingRule};
use crate::algorithm::ShardingAlgorithm;
use crate::error::{Error, RuleKind};

/// Refuses a group whose tables are not there, bound already, or not laid out alike; else notes it in each.
pub(super) fn bind(rule: &mut ShardingRule, number: u16, spec: &BindingSpec) -> Result<(), Error> {
    let invalid = |reason: String| Error::InvalidRule {
        kind: RuleKind::Sharding,
        name: spec.name.clone(),
        reason: format!("invalid binding table configuration: {reason}."),
    };
    if spec.tables.len() < 2 {
        return Err(invalid("a group has two tables or more".to_owned()));
    }
    let mut first: Option<ShardedTable> = None;
    for name in &spec.tables {
        let table = rule
            .tables
            .get_mut(&name.to_ascii_lowercase())
            .ok_or_else(|| invalid(format!("{name} has no sharding rule")))?;
        if table.binding.is_some() {
            return Err(invalid(format!("{name} is bound twice")));
        }
        match &first {
            Some(first) if !alike(first, table) => {
                return Err(invalid(format!("{} and {name} are not laid out alike", first.spec.name)));
            }
            Some(_) => {}
            None => first = Some(table.clone()),
        }
        table.binding = Some(number);
    }
    Ok(())
}

/// Whether nodes of the same number hold rows with the same keys.
pub(super) fn alike(one: &ShardedTable, other: &ShardedTable) -> bool {
    one.nodes.len() == other.nodes.len()
        && one.nodes.iter().zip(&other.nodes).all(|(one, other)| one.unit == other.unit)
        && one.strategies.len() == other.strategies.len()
        && one.strategies.iter().zip(&other.strategies).all(|(one, other)| decide_alike(one, other))
}

fn decide_alike(one: &Strategy, other: &Strategy) -> bool {
    use ShardingAlgorithm::{ComplexInline, HintInline, Inline};
    let (Targets::Named(mine), Targets::Named(theirs)) = (&one.targets, &other.targets) else {
        return one.targets == other.targets && one.algorithm == other.algorithm;
    };
    let same_targets = one.level == other.level
        && one.columns.len() == other.columns.len()
        && mine.nodes == theirs.nodes
        && mine.numbered == theirs.numbered;
    let (first, second) = (mine.prefix(), theirs.prefix());
    same_targets
        && match (&one.algorithm, &other.algorithm) {
            (ComplexInline(one), ComplexInline(other)) => {
                one.ranges == other.ranges && one.expression.alike(first, &other.expression, second)
            }
            (HintInline(one), HintInline(other)) => one.expression.alike(first, &other.expression, second),
            (Inline(one), Inline(other)) => {
                one.ranges == other.ranges && one.expression.alike(first, &other.expression, second)
            }
            (ShardingAlgorithm::Interval(one), ShardingAlgorithm::Interval(other)) => {
                one == other && mine.suffixes().eq(theirs.suffixes())
            }
            (one, other) => one == other,
        }
}
