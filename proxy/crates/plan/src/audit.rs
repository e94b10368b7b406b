//! Audits of sharded tables (`algorithms.md` §1.14): which statements are not carried out.

use meta::{Audit, ShardingAlgorithm};

use crate::condition::Condition;
use crate::error::Error;
use crate::route::Mentioned;
use crate::scope::Scope;

/// Refuses a statement that says nothing about where its rows are, where an audit wants it to. Hints may name auditors
/// that it is to be spared.
pub(crate) fn check(scope: &Scope<'_>, mentions: &[Mentioned]) -> Result<(), Error> {
    let hints = &scope.statement.hints;
    for mention in mentions {
        let Some(table) = scope.rule(mention.rule) else { continue };
        let Some(audit) = &table.audit else { continue };
        let spared = |name: &str| {
            audit.allow_hint_disable && hints.disabled_audits().any(|other| other.eq_ignore_ascii_case(name))
        };
        for (_, auditor) in audit.auditors.iter().filter(|(name, _)| !spared(name)) {
            match auditor {
                Audit::ShardingConditions if !says_where(scope, table, mention) => return Err(Error::Audit),
                Audit::ShardingConditions => {}
            }
        }
    }
    Ok(())
}

/// Whether a condition or a hint speaks about a sharding column.
fn says_where(scope: &Scope<'_>, table: &meta::ShardedTable, mention: &Mentioned) -> bool {
    let hints = &scope.statement.hints;
    let hinted = table.strategies.iter().any(|strategy| {
        matches!(strategy.algorithm, ShardingAlgorithm::HintInline(_))
            && !(hints.sharding_database_values(&table.spec.name).is_empty()
                && hints.sharding_table_values(&table.spec.name).is_empty())
    });
    hinted || mention.strategies.iter().flatten().any(|keyed| keyed.condition != Condition::Any)
}
