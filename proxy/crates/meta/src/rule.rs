//! Rules, typed and validated, one kind per file. A *spec* is what the user wrote, what is stored and exported; the type
//! beside it is built from that and ready for planning.

mod algorithms;
mod broadcast;
mod constraint;
mod encrypt;
mod mask;
mod readwrite;
mod shadow;
mod sharding;
mod single;

use std::fmt;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

pub use algorithms::{AlgorithmUse, NamedAlgorithms};
pub use broadcast::BroadcastRule;
pub use constraint::logical_constraint;
pub use encrypt::{
    EncryptColumn, EncryptColumnSpec, EncryptPart, EncryptRule, EncryptTable, EncryptTableSpec, EncryptTypes,
};
pub use mask::{MaskColumn, MaskColumnSpec, MaskRule, MaskTable, MaskTableSpec};
pub use readwrite::{ReadwriteGroup, ReadwriteSpec, Replica, Rotation, TransactionalReads};
pub use shadow::{ShadowPair, ShadowRule, ShadowSpec, ShadowTable, ShadowTableSpec};
pub use sharding::{
    AuditSpec, BindingSpec, DefaultStrategies, GeneratedKey, KeyGenerateSpec, LayoutSpec, Level,
    NamedTargets, ShardedTable, ShardingRule, ShardingTableSpec, Strategy, StrategyKind, StrategySpec,
    TableAudit, Targets,
};
pub use single::SingleSpec;

/// `TYPE(NAME=…, PROPERTIES(…))`: property values are texts in the order written.
#[derive(Clone, Default, Deserialize, PartialEq, Serialize)]
pub struct AlgorithmSpec {
    /// Type name as written; compared without letter case.
    #[serde(rename = "type")]
    pub kind: String,
    /// Properties.
    #[serde(default, rename = "props")]
    pub properties: IndexMap<String, String>,
}

/// Values may be keys: only the names of properties are told.
impl fmt::Debug for AlgorithmSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.properties.keys().collect();
        f.debug_struct("AlgorithmSpec").field("kind", &self.kind).field("properties", &names).finish()
    }
}
