//! Storage units: where a MySQL is and how many connections to it may be open.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Identifies a storage unit within the process; never used twice, so that a pool outlives neither `ALTER` nor `DROP`.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct UnitId(pub u32);

/// A registered storage unit.
#[derive(Clone, Debug, PartialEq)]
pub struct StorageUnit {
    /// Identity of its pools.
    pub id: UnitId,
    /// Name, letter case significant.
    pub name: String,
    /// What the user wrote.
    pub spec: UnitSpec,
}

/// `REGISTER STORAGE UNIT`, as written; what is stored and exported.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct UnitSpec {
    /// Host name or address.
    pub host: String,
    /// TCP port.
    pub port: u16,
    /// Physical database.
    pub database: String,
    /// Account on that server.
    pub user: String,
    /// Its password.
    #[serde(default)]
    pub password: String,
    /// How the connection is secured (`useSSL`, `sslMode` of a JDBC URL).
    #[serde(default)]
    pub tls: TlsMode,
    /// Pool properties.
    #[serde(default)]
    pub pool: PoolSpec,
    /// Properties we know nothing of: kept, shown as `other_attributes`.
    #[serde(default)]
    pub other: indexmap::IndexMap<String, String>,
}

/// Whether a connection to a server is encrypted.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum TlsMode {
    /// In the clear.
    #[default]
    Disabled,
    /// Encrypted, any certificate.
    Required,
}

/// Pool properties with their defaults (`distsql.md` §2).
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(default)]
pub struct PoolSpec {
    /// `maximumPoolSize`: open connections over all workers, at least 1.
    pub max: u32,
    /// `minimumIdle`.
    pub min: u32,
    /// `connectionTimeout`: how long a session waits for a connection, opening one included.
    pub connection_timeout: Duration,
    /// `idleTimeout`: idle connections above `min` are closed after it; 0 never.
    pub idle_timeout: Duration,
    /// `maxLifetime`: connections are not reused after it; 0 for ever.
    pub max_lifetime: Duration,
    /// `keepaliveTime`: idle connections are pinged at this distance; 0 never.
    pub keepalive: Duration,
    /// `readOnly`.
    pub read_only: bool,
}

impl Default for PoolSpec {
    fn default() -> Self {
        Self {
            max: 50,
            min: 1,
            connection_timeout: Duration::from_millis(30_000),
            idle_timeout: Duration::from_millis(60_000),
            max_lifetime: Duration::from_millis(2_100_000),
            keepalive: Duration::ZERO,
            read_only: false,
        }
    }
}
