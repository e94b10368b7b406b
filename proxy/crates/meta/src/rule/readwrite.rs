//! Readwrite splitting: one source that is written to, and replicas to read from (`distsql.md` §4).

use serde::{Deserialize, Serialize};

use super::AlgorithmSpec;

/// `CREATE READWRITE_SPLITTING RULE`, as written; what is stored and exported.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct ReadwriteSpec {
    /// The group's name, by which it is a source.
    pub name: String,
    /// The source written to.
    pub write: String,
    /// The sources read from, in order.
    pub reads: Vec<String>,
    /// Where reads inside a transaction go, when it was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transactional: Option<TransactionalReads>,
    /// The load balancer; `ROUND_ROBIN` when none was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub balancer: Option<AlgorithmSpec>,
    /// Replicas that were taken out of the rotation by `ALTER READWRITE_SPLITTING RULE … DISABLE`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disabled: Vec<String>,
}

/// `TRANSACTIONAL_READ_QUERY_STRATEGY`.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum TransactionalReads {
    /// Every read is balanced anew.
    Dynamic,
    /// The first read chooses a replica for the whole transaction.
    Fixed,
    /// They go where is written.
    #[default]
    Primary,
}
