//! Configuration and rules, validated into one immutable [`Snapshot`]; users and grants.

mod algorithm;
mod change;
mod config;
mod error;
pub mod hash;
mod inline;
mod jdbc;
mod like;
mod moment;
mod network;
mod properties;
mod published;
mod rule;
mod snapshot;
mod source;
mod unit;
mod users;
mod yaml;

pub use algorithm::{
    AesCipher, Audit, AutoInterval, Balance, BoundaryRange, CharDigestLike, Cipher, ComplexInline, Cover,
    HashMod, HintInline, Inline, Interval, KeyGenerator, Mask, Mod, Pair, RandomReplace, Rc4Cipher, Salted,
    ShadowAlgorithm, ShadowColumn, ShadowHint, ShadowOperation, ShadowValue, ShardingAlgorithm, Sm4Cipher,
    Sm4Mode, Snowflake, Step, VolumeRange,
};
pub use change::{
    DatabaseSpec, Load, NamedAlgorithm, Otherwise, SYSTEM_DATABASES, ShadowDefault, ShadowDraft,
    SingleTables, Switch,
};
pub use config::Config;
pub use error::{AlgorithmKind, Error, Names, RuleKind, Unswitchable};
pub use inline::{Expression, Fault, Operand};
pub use like::like;
pub use moment::{Fields, Moment, Pattern};
pub use network::is_in_network;
pub use properties::{Properties, Property};
pub use published::{Published, Reader};
pub use rule::{
    AlgorithmSpec, AlgorithmUse, AuditSpec, BindingSpec, BroadcastRule, DefaultStrategies, EncryptColumn,
    EncryptColumnSpec, EncryptPart, EncryptRule, EncryptTable, EncryptTableSpec, EncryptTypes, GeneratedKey,
    KeyGenerateSpec, LayoutSpec, Level, MaskColumn, MaskColumnSpec, MaskRule, MaskTable, MaskTableSpec,
    NamedAlgorithms, NamedTargets, ReadwriteGroup, ReadwriteSpec, Replica, Rotation, ShadowPair, ShadowRule,
    ShadowSpec, ShadowTable, ShadowTableSpec, ShardedTable, ShardingRule, ShardingTableSpec, SingleSpec,
    Strategy, StrategyKind, StrategySpec, TableAudit, Targets, TransactionalReads, logical_constraint,
};
pub use snapshot::{DataNode, Database, Snapshot, Table, TableColumn};
pub use source::{Source, SourceIndex, Sources, UnitIndex};
pub use unit::{Address, PoolSpec, StorageUnit, TlsMode, UnitError, UnitId, UnitSpec};
pub use users::{Privileges, User, Users};
