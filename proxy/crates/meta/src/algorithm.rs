//! Algorithms that rules name: their properties, read and checked, one family per file. How they decide is
//! `plan::algorithm`'s.

mod audit;
mod balance;
mod cipher;
mod key;
mod mask;
mod properties;
mod shadow;
mod sharding;

pub use audit::Audit;
pub use balance::Balance;
pub use cipher::{AesCipher, CharDigestLike, Cipher, Rc4Cipher, Salted, Sm4Cipher, Sm4Mode};
pub use key::{KeyGenerator, Snowflake};
pub use mask::{Cover, Mask, Pair, RandomReplace};
pub(crate) use properties::Properties;
pub use shadow::{ShadowAlgorithm, ShadowColumn, ShadowHint, ShadowOperation, ShadowValue};
pub use sharding::{
    AutoInterval, BoundaryRange, ComplexInline, HashMod, HintInline, Inline, Interval, Mod,
    ShardingAlgorithm, Step, VolumeRange,
};
