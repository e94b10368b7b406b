//! Storage units: where a MySQL is and how many connections to it may be open.

use std::fmt;
use std::time::Duration;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::jdbc;

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
#[derive(Clone, Deserialize, PartialEq, Serialize)]
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
    pub other: IndexMap<String, String>,
}

/// Everything but the password.
impl fmt::Debug for UnitSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { host, port, database, user, password: _, tls, pool, other } = self;
        let mut shown = f.debug_struct("UnitSpec");
        shown.field("host", host).field("port", port).field("database", database).field("user", user);
        shown.field("tls", tls).field("pool", pool).field("other", other).finish_non_exhaustive()
    }
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
    /// `maximumActive`: connections at work at a time, beyond which sessions wait; nothing for `auto`, the best number as
    /// it is found to be.
    pub active: Option<u32>,
    /// `connectionTimeout`: how long a session waits for a connection, opening one included.
    #[serde(rename = "connection_timeout_ms", with = "milliseconds")]
    pub connection_timeout: Duration,
    /// `idleTimeout`: idle connections above `min` are closed after it; 0 never.
    #[serde(rename = "idle_timeout_ms", with = "milliseconds")]
    pub idle_timeout: Duration,
    /// `maxLifetime`: connections are not reused after it; 0 for ever.
    #[serde(rename = "max_lifetime_ms", with = "milliseconds")]
    pub max_lifetime: Duration,
    /// `keepaliveTime`: idle connections are pinged at this distance; 0 never.
    #[serde(rename = "keepalive_ms", with = "milliseconds")]
    pub keepalive: Duration,
    /// `readOnly`.
    pub read_only: bool,
}

impl Default for PoolSpec {
    fn default() -> Self {
        Self {
            max: 50,
            min: 1,
            active: None,
            connection_timeout: Duration::from_millis(30_000),
            idle_timeout: Duration::from_millis(60_000),
            max_lifetime: Duration::from_millis(2_100_000),
            keepalive: Duration::ZERO,
            read_only: false,
        }
    }
}

/// Where a storage unit is, as `REGISTER STORAGE UNIT` has it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Address {
    /// `HOST=…, PORT=…, DB=…`.
    Host {
        /// Host name or address.
        host: String,
        /// Port, still any number.
        port: u64,
        /// Physical database.
        database: String,
    },
    /// `URL=…`: a JDBC URL.
    Url(String),
}

/// What is wrong with a unit's definition.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum UnitError {
    /// No JDBC URL of a MySQL.
    #[error("The URL `{0}` is not recognized, please refer to the pattern `{PATTERN}`", PATTERN = jdbc::PATTERN)]
    Url(String),
    /// A property or part of the address with a value it cannot have, in words.
    #[error("{0}")]
    Value(String),
}

impl UnitSpec {
    /// Reads a definition; the error is the reason alone, without the unit's name.
    pub fn parse(
        address: &Address,
        user: &str,
        password: &str,
        properties: &IndexMap<String, String>,
    ) -> Result<Self, UnitError> {
        let mut spec = match address {
            Address::Url(url) => jdbc::parse(url)?,
            Address::Host { host, port, database } => Self::at(host, *port, database)?,
        };
        user.clone_into(&mut spec.user);
        password.clone_into(&mut spec.password);
        for (name, value) in properties {
            if !spec.pool.set(name, value).map_err(UnitError::Value)? && !spec.secure(name, value)? {
                spec.other.insert(name.clone(), value.clone());
            }
        }
        spec.pool.check().map_err(UnitError::Value)?;
        Ok(spec)
    }

    /// A unit at an address, everything else by default.
    pub(crate) fn at(host: &str, port: u64, database: &str) -> Result<Self, UnitError> {
        if host.is_empty() {
            return Err(UnitError::Value("the host is empty".to_owned()));
        }
        if database.is_empty() {
            return Err(UnitError::Value("the database is empty".to_owned()));
        }
        let port = u16::try_from(port)
            .ok()
            .filter(|port| *port > 0)
            .ok_or_else(|| UnitError::Value(format!("port {port} is not between 1 and 65535")))?;
        Ok(Self {
            host: host.to_owned(),
            port,
            database: database.to_owned(),
            user: String::new(),
            password: String::new(),
            tls: TlsMode::default(),
            pool: PoolSpec::default(),
            other: IndexMap::new(),
        })
    }

    /// `host:port`, an IPv6 address in brackets.
    pub fn address(&self) -> String {
        if self.host.contains(':') {
            format!("[{}]:{}", self.host, self.port)
        } else {
            format!("{}:{}", self.host, self.port)
        }
    }

    /// Whether both are the same physical database: what `ALTER STORAGE UNIT` may not change.
    pub fn same_place(&self, other: &Self) -> bool {
        (&self.host, self.port, &self.database) == (&other.host, other.port, &other.database)
    }

    /// Takes `useSSL` and `sslMode`; whether it was one of them.
    pub(crate) fn secure(&mut self, name: &str, value: &str) -> Result<bool, UnitError> {
        self.tls = match name {
            "useSSL" if flag(name, value).map_err(UnitError::Value)? => TlsMode::Required,
            "useSSL" => TlsMode::Disabled,
            "sslMode" => match value.to_ascii_uppercase().as_str() {
                // PREFERRED promises nothing, so that the cheaper way keeps its promise.
                "DISABLED" | "PREFERRED" => TlsMode::Disabled,
                "REQUIRED" => TlsMode::Required,
                "VERIFY_CA" | "VERIFY_IDENTITY" => {
                    return Err(UnitError::Value(format!(
                        "sslMode={value} is not supported; there are DISABLED, REQUIRED"
                    )));
                }
                _ => {
                    return Err(UnitError::Value(format!(
                        "sslMode must be DISABLED or REQUIRED, not '{value}'"
                    )));
                }
            },
            _ => return Ok(false),
        };
        Ok(true)
    }
}

impl PoolSpec {
    /// Takes one property by any of its names; whether it was one of them.
    pub fn set(&mut self, name: &str, value: &str) -> Result<bool, String> {
        let default = Self::default();
        match name {
            "maximumPoolSize" | "maxPoolSize" => self.max = count(name, value)?.unwrap_or(default.max),
            "minimumIdle" | "minPoolSize" => self.min = count(name, value)?.unwrap_or(default.min),
            "maximumActive" => self.active = active(name, value)?,
            "connectionTimeout" | "connectionTimeoutMilliseconds" => {
                self.connection_timeout = millis(name, value)?;
            }
            "idleTimeout" | "idleTimeoutMilliseconds" => self.idle_timeout = millis(name, value)?,
            "maxLifetime" | "maxLifetimeMilliseconds" => self.max_lifetime = millis(name, value)?,
            "keepaliveTime" => self.keepalive = millis(name, value)?,
            "readOnly" => self.read_only = flag(name, value)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Checks the values against each other and their limits.
    pub fn check(&self) -> Result<(), String> {
        let shown = |name: &str, limit: &str, value: Duration| {
            Err(format!("{name} must be {limit}, not {}", value.as_millis()))
        };
        if self.max == 0 {
            return Err("maximumPoolSize must be 1 or more, not 0".to_owned());
        }
        if self.connection_timeout < Duration::from_millis(250) {
            return shown("connectionTimeout", "250 ms or more", self.connection_timeout);
        }
        if self.max_lifetime < Duration::from_secs(30) {
            return shown("maxLifetime", "30000 ms or more", self.max_lifetime);
        }
        if !self.keepalive.is_zero() && self.keepalive < Duration::from_secs(30) {
            return shown("keepaliveTime", "0 or 30000 ms or more", self.keepalive);
        }
        Ok(())
    }
}

/// Durations as whole milliseconds.
mod milliseconds {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
        u64::deserialize(deserializer).map(Duration::from_millis)
    }
}

/// A number of connections; -1 says "the default".
fn count(name: &str, value: &str) -> Result<Option<u32>, String> {
    let text = value.trim();
    if text == "-1" {
        return Ok(None);
    }
    text.parse().map(Some).map_err(|_| format!("{name} must be an integer, 0 or more, not '{value}'"))
}

/// A number of connections at work; none for `auto`.
fn active(name: &str, value: &str) -> Result<Option<u32>, String> {
    let text = value.trim();
    if text.eq_ignore_ascii_case("auto") {
        return Ok(None);
    }
    let number = text.parse().ok().filter(|number| *number > 0);
    number.map(Some).ok_or_else(|| format!("{name} must be auto or an integer, 1 or more, not '{value}'"))
}

fn millis(name: &str, value: &str) -> Result<Duration, String> {
    let text = value.trim();
    text.parse::<u32>()
        .map(|millis| Duration::from_millis(millis.into()))
        .map_err(|_| format!("{name} must be milliseconds, 0 or more, not '{value}'"))
}

fn flag(name: &str, value: &str) -> Result<bool, String> {
    match value.trim() {
        text if text.eq_ignore_ascii_case("true") => Ok(true),
        text if text.eq_ignore_ascii_case("false") => Ok(false),
        _ => Err(format!("{name} must be true or false, not '{value}'")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(port: u64) -> Address {
        Address::Host { host: "127.0.0.1".into(), port, database: "sbtest".into() }
    }

    fn unit(properties: &[(&str, &str)]) -> Result<UnitSpec, UnitError> {
        let properties = properties.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        UnitSpec::parse(&host(13306), "test", "secret", &properties)
    }

    #[test]
    fn reads_a_definition_with_defaults() {
        let spec = unit(&[]).unwrap();
        assert_eq!(spec.address(), "127.0.0.1:13306");
        assert_eq!((spec.user.as_str(), spec.password.as_str()), ("test", "secret"));
        assert_eq!((spec.database.as_str(), spec.tls), ("sbtest", TlsMode::Disabled));
        assert_eq!(spec.pool, PoolSpec::default());
        assert!(spec.other.is_empty());
    }

    #[test]
    fn reads_pool_properties_by_either_name() {
        let wanted = PoolSpec {
            max: 7,
            min: 2,
            active: Some(3),
            connection_timeout: Duration::from_millis(250),
            idle_timeout: Duration::ZERO,
            max_lifetime: Duration::from_secs(30),
            keepalive: Duration::from_secs(31),
            read_only: true,
        };
        let hikari = unit(&[
            ("maximumPoolSize", "7"),
            ("minimumIdle", "2"),
            ("maximumActive", "3"),
            ("connectionTimeout", "250"),
            ("idleTimeout", "0"),
            ("maxLifetime", "30000"),
            ("keepaliveTime", "31000"),
            ("readOnly", "TRUE"),
        ]);
        let synonyms = unit(&[
            ("maxPoolSize", "7"),
            ("minPoolSize", "2"),
            ("maximumActive", "3"),
            ("connectionTimeoutMilliseconds", "250"),
            ("idleTimeoutMilliseconds", "0"),
            ("maxLifetimeMilliseconds", "30000"),
            ("keepaliveTime", "31000"),
            ("readOnly", "true"),
        ]);
        assert_eq!(hikari.unwrap().pool, wanted);
        assert_eq!(synonyms.unwrap().pool, wanted);
    }

    #[test]
    fn takes_minus_one_for_the_default_size() {
        let spec =
            unit(&[("maximumPoolSize", "-1"), ("minimumIdle", "-1"), ("maximumActive", "Auto")]).unwrap();
        assert_eq!(spec.pool, PoolSpec::default());
    }

    #[test]
    fn keeps_properties_it_does_not_know() {
        let spec = unit(&[("leakDetectionThreshold", "0"), ("useSSL", "true")]).unwrap();
        assert_eq!(spec.other.get("leakDetectionThreshold").map(String::as_str), Some("0"));
        assert_eq!((spec.other.len(), spec.tls), (1, TlsMode::Required));
    }

    #[test]
    fn refuses_values_outside_their_limits() {
        for (name, value, reason) in [
            ("maximumPoolSize", "0", "maximumPoolSize must be 1 or more, not 0"),
            ("maxPoolSize", "many", "maxPoolSize must be an integer, 0 or more, not 'many'"),
            ("minimumIdle", "-2", "minimumIdle must be an integer, 0 or more, not '-2'"),
            ("maximumActive", "0", "maximumActive must be auto or an integer, 1 or more, not '0'"),
            ("connectionTimeout", "249", "connectionTimeout must be 250 ms or more, not 249"),
            ("maxLifetime", "29999", "maxLifetime must be 30000 ms or more, not 29999"),
            ("keepaliveTime", "1", "keepaliveTime must be 0 or 30000 ms or more, not 1"),
            ("idleTimeout", "-1", "idleTimeout must be milliseconds, 0 or more, not '-1'"),
            ("readOnly", "yes", "readOnly must be true or false, not 'yes'"),
            ("sslMode", "sure", "sslMode must be DISABLED or REQUIRED, not 'sure'"),
            ("sslMode", "VERIFY_CA", "sslMode=VERIFY_CA is not supported; there are DISABLED, REQUIRED"),
        ] {
            assert_eq!(unit(&[(name, value)]).unwrap_err().to_string(), reason);
        }
    }

    #[test]
    fn refuses_addresses_that_lead_nowhere() {
        let parse = |address| UnitSpec::parse(&address, "u", "", &IndexMap::new()).unwrap_err().to_string();
        assert_eq!(parse(host(0)), "port 0 is not between 1 and 65535");
        assert_eq!(parse(host(65536)), "port 65536 is not between 1 and 65535");
        let place = |host: &str, database: &str| Address::Host {
            host: host.into(),
            port: 1,
            database: database.into(),
        };
        assert_eq!(parse(place("", "db")), "the host is empty");
        assert_eq!(parse(place("h", "")), "the database is empty");
    }

    #[test]
    fn tells_a_moved_unit_from_one_with_other_credentials() {
        let spec = unit(&[]).unwrap();
        let other = UnitSpec { user: "else".into(), password: String::new(), ..spec.clone() };
        assert!(spec.same_place(&other));
        assert!(!spec.same_place(&UnitSpec { port: 1, ..spec.clone() }));
    }
}
