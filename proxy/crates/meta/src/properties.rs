//! Configuration variables: `props` of `server.yaml` and `SET DIST VARIABLE` (`sql-support.md` §11, `distsql.md` §10).
//!
//! A value set by DistSQL is stored and stands above the file's; one that has no effect in this proxy is accepted,
//! checked, stored and shown.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};

use serde::{Deserialize, Deserializer};

use crate::error::Error;
use crate::network::is_in_network;

/// What values a variable can have.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Kind {
    /// One of these, letter case ignored; kept as listed.
    Choice(&'static [&'static str]),
    /// `true` or `false`.
    Flag,
    /// An integer from the first to the second.
    Integer(i64, i64),
    /// Some of these, parted by commas, letter case ignored; kept as listed.
    List(&'static [&'static str]),
    /// Networks, parted by commas.
    Networks,
    /// Anything.
    Text,
}

/// When a new value is in force.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Effect {
    /// At the next start.
    AtStart,
    /// At once.
    AtOnce,
    /// When the configuration is read anew (SIGHUP), or at the next start.
    AtReload,
    /// Never: kept for compatibility only.
    None,
}

macro_rules! properties {
    ($($(#[$doc:meta])* $variant:ident, $name:literal, $kind:expr, $default:literal, $effect:ident;)*) => {
        /// A configuration variable.
        #[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
        pub enum Property {
            $($(#[$doc])* $variant,)*
        }

        impl Property {
            /// All of them, in the order `SHOW DIST VARIABLES` lists them.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// Name in `server.yaml`: `sql-show`.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// Value when nobody says anything.
            pub fn default_value(self) -> &'static str {
                match self { $(Self::$variant => $default,)* }
            }

            /// When a new value is in force.
            pub fn effect(self) -> Effect {
                match self { $(Self::$variant => Effect::$effect,)* }
            }

            fn kind(self) -> Kind {
                match self { $(Self::$variant => $kind,)* }
            }
        }
    };
}

properties! {
    /// Each statement and what became of it is logged.
    SqlShow, "sql-show", Kind::Flag, "false", AtOnce;
    /// `sql-show` leaves out values.
    SqlSimple, "sql-simple", Kind::Flag, "false", AtOnce;
    /// Threads that run statements in the original; here a session runs them itself.
    KernelExecutorSize, "kernel-executor-size", Kind::Integer(0, 65_535), "0", None;
    /// Connections of one unit that one statement may use side by side.
    MaxConnectionsSizePerQuery, "max-connections-size-per-query", Kind::Integer(1, 65_535), "1", AtOnce;
    /// Structures of all physical tables of a rule are compared at start.
    CheckTableMetadataEnabled, "check-table-metadata-enabled", Kind::Flag, "false", None;
    /// Tables whose structure is read at a time.
    LoadTableMetadataBatchSize, "load-table-metadata-batch-size", Kind::Integer(1, 1_000_000), "1000", None;
    /// Federated queries; there are none.
    SqlFederationType, "sql-federation-type", Kind::Choice(&["NONE", "ORIGINAL", "ADVANCED"]), "NONE", None;
    /// Protocol of the listener; only MySQL.
    FrontendDatabaseProtocolType, "proxy-frontend-database-protocol-type", Kind::Choice(&["", "MySQL"]), "", None;
    /// Rows between flushes in the original; here a buffer's size decides.
    FrontendFlushThreshold, "proxy-frontend-flush-threshold", Kind::Integer(1, 1_000_000), "128", None;
    /// DistSQL hint statements are allowed.
    HintEnabled, "proxy-hint-enabled", Kind::Flag, "false", AtOnce;
    /// Rows per fetch; rows always stream here.
    BackendQueryFetchSize, "proxy-backend-query-fetch-size", Kind::Integer(-1, 1_000_000), "-1", None;
    /// Worker threads; 0 = one per core.
    FrontendExecutorSize, "proxy-frontend-executor-size", Kind::Integer(0, 1024), "0", AtStart;
    /// How the original uses its threads.
    BackendExecutorSuitable, "proxy-backend-executor-suitable", Kind::Choice(&["OLAP", "OLTP"]), "OLAP", None;
    /// Client connections at a time; 0 or less = no limit.
    FrontendMaxConnections, "proxy-frontend-max-connections", Kind::Integer(-1, 1_000_000), "0", AtOnce;
    /// Seconds that running statements and open transactions may take to finish when the proxy is told to end.
    FrontendDrainTimeout, "proxy-frontend-drain-timeout-seconds", Kind::Integer(0, 86_400), "30", AtOnce;
    /// Seconds that sessions of a process may go on after another one has taken its place.
    FrontendUpgradeTimeout, "proxy-frontend-upgrade-timeout-seconds", Kind::Integer(0, 604_800), "600", AtOnce;
    /// Bytes of the largest command that a client may send.
    FrontendMaxPacket, "proxy-frontend-max-packet-bytes", Kind::Integer(1024, 1_073_741_824), "1073741824", AtOnce;
    /// Seconds for which a client may say nothing; its `wait_timeout` unless it sets its own.
    FrontendWaitTimeout, "proxy-frontend-wait-timeout", Kind::Integer(1, 31_536_000), "28800", AtOnce;
    /// The same of a client that says at login that someone sits at it.
    FrontendInteractiveTimeout, "proxy-frontend-interactive-timeout", Kind::Integer(1, 31_536_000), "28800", AtOnce;
    /// Seconds for which a client may say nothing within a transaction, which is then rolled back; 0 = any time.
    FrontendMaxIdleInTransaction, "proxy-frontend-max-idle-in-transaction", Kind::Integer(0, 31_536_000), "0", AtOnce;
    /// Seconds within which a client must have logged in.
    FrontendConnectTimeout, "proxy-frontend-connect-timeout", Kind::Integer(1, 31_536_000), "10", AtOnce;
    /// Prepared statements that one session may hold.
    FrontendMaxPreparedStatements, "proxy-frontend-max-prepared-statements", Kind::Integer(0, 4_194_304), "16382", AtOnce;
    /// Failed logins of one user from one host, one after the other, after which further ones are refused for a while; 0 =
    /// any number.
    FrontendMaxFailedLogins, "proxy-frontend-max-failed-logins", Kind::Integer(0, 1_000_000), "20", AtOnce;
    /// Figures of statements are kept by digest (`SHOW STATEMENT DIGESTS`).
    StatementDigestsEnabled, "proxy-statement-digests-enabled", Kind::Flag, "true", AtOnce;
    /// Driver to the servers in the original.
    BackendDriverType, "proxy-backend-driver-type", Kind::Choice(&["JDBC", "ExperimentalVertx"]), "JDBC", None;
    /// Server version told to clients.
    MysqlDefaultVersion, "proxy-mysql-default-version", Kind::Text, "8.4.0", AtOnce;
    /// Port of the listener; `--port` stands above it.
    DefaultPort, "proxy-default-port", Kind::Integer(1, 65_535), "3307", AtStart;
    /// Connections that the system keeps waiting for the listener.
    NettyBacklog, "proxy-netty-backlog", Kind::Integer(1, 65_535), "1024", AtStart;
    /// Kind of instance.
    InstanceType, "proxy-instance-type", Kind::Choice(&["Proxy"]), "Proxy", None;
    /// Port of change-data capture; there is none.
    CdcServerPort, "cdc-server-port", Kind::Integer(0, 65_535), "33071", None;
    /// Clients may use TLS.
    FrontendSslEnabled, "proxy-frontend-ssl-enabled", Kind::Flag, "true", AtReload;
    /// TLS versions.
    FrontendSslVersion, "proxy-frontend-ssl-version", Kind::Text, "TLSv1.2,TLSv1.3", None;
    /// TLS ciphers; empty = all that are safe.
    FrontendSslCipher, "proxy-frontend-ssl-cipher", Kind::Text, "", None;
    /// PEM file of the listener's certificate chain; empty = one made at start.
    FrontendSslCertificate, "proxy-frontend-ssl-certificate", Kind::Text, "", AtReload;
    /// PEM file of its key.
    FrontendSslKey, "proxy-frontend-ssl-key", Kind::Text, "", AtReload;
    /// Compression that clients may use, or must where `uncompressed` is missing.
    FrontendCompression, "proxy-frontend-compression", Kind::List(&["zlib", "zstd", "uncompressed"]), "zlib,zstd,uncompressed", AtOnce;
    /// Proxies in front, all of whose connections begin with a header of the PROXY protocol; empty = none.
    FrontendProxyProtocolNetworks, "proxy-frontend-proxy-protocol-networks", Kind::Networks, "", AtOnce;
    /// Level of the proxy's own log.
    SystemLogLevel, "system-log-level", Kind::Choice(&["OFF", "ERROR", "WARN", "INFO", "DEBUG", "TRACE"]), "INFO", AtStart;
    /// Settings of the audit log that stand above `agent.yaml`, as JSON; `ALTER AUDIT LOG` sets it.
    SqlAudit, "sql-audit", Kind::Text, "", AtOnce;
    /// Observability plugins run.
    AgentPluginsEnabled, "agent-plugins-enabled", Kind::Flag, "true", AtOnce;
}

impl Property {
    /// The variable of that name, with hyphens or underscores, letter case ignored.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|it| {
            it.name().len() == name.len()
                && it
                    .name()
                    .bytes()
                    .zip(name.bytes())
                    .all(|(a, b)| a == b.to_ascii_lowercase() || (a == b'-' && b == b'_'))
        })
    }

    /// Name in DistSQL: `sql_show`.
    pub fn variable(self) -> String {
        self.name().replace('-', "_")
    }

    /// Checks a value and brings it into its one spelling.
    fn normalise(self, value: &str) -> Result<String, Error> {
        let text = value.trim();
        let found = match self.kind() {
            Kind::Choice(values) => {
                values.iter().find(|it| it.eq_ignore_ascii_case(text)).map(|it| (*it).to_owned())
            }
            // As the original does for this one.
            Kind::Flag if self == Self::AgentPluginsEnabled => {
                Some(text.eq_ignore_ascii_case("true").to_string())
            }
            Kind::Flag => {
                ["true", "false"].iter().find(|it| it.eq_ignore_ascii_case(text)).map(|it| (*it).to_owned())
            }
            Kind::Integer(least, most) => text
                .parse::<i64>()
                .ok()
                .filter(|number| (least..=most).contains(number))
                .map(|number| number.to_string()),
            Kind::List(values) => {
                let known =
                    |word: &str| values.iter().find(|it| it.eq_ignore_ascii_case(word.trim())).copied();
                text.split(',').map(known).collect::<Option<Vec<_>>>().map(|list| list.join(","))
            }
            Kind::Networks if text.is_empty() => Some(String::new()),
            Kind::Networks => {
                let network = |word: &str| {
                    let word = word.trim();
                    is_in_network(IpAddr::V4(Ipv4Addr::LOCALHOST), word).map(|_| word.to_owned())
                };
                text.split(',').map(network).collect::<Option<Vec<_>>>().map(|list| list.join(","))
            }
            Kind::Text => Some(value.to_owned()),
        };
        found.ok_or_else(|| Error::VariableValue(value.to_owned()))
    }

    /// What values it can have, in words.
    fn wanted(self) -> String {
        match self.kind() {
            Kind::Choice(values) => format!("one of '{}'", values.join("', '")),
            Kind::Flag => "true or false".to_owned(),
            Kind::Integer(least, most) => format!("an integer from {least} to {most}"),
            Kind::List(values) => format!("some of '{}', parted by commas", values.join("', '")),
            Kind::Networks => "networks like 10.0.0.0/8 or *, parted by commas".to_owned(),
            Kind::Text => "a text".to_owned(),
        }
    }
}

/// Values of all variables.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Properties {
    configured: BTreeMap<Property, String>,
    set: BTreeMap<Property, String>,
}

impl Properties {
    /// The value in force.
    pub fn text(&self, property: Property) -> &str {
        self.set
            .get(&property)
            .or_else(|| self.configured.get(&property))
            .map_or_else(|| property.default_value(), String::as_str)
    }

    /// The value of a variable that is `true` or `false`; `false` for any other.
    pub fn flag(&self, property: Property) -> bool {
        self.text(property) == "true"
    }

    /// The value of a variable that is an integer; 0 for any other.
    pub fn integer(&self, property: Property) -> i64 {
        self.text(property).parse().unwrap_or(0)
    }

    /// The parts of a value that is a list.
    pub fn list(&self, property: Property) -> impl Iterator<Item = &str> + Clone {
        self.text(property).split(',').map(str::trim).filter(|part| !part.is_empty())
    }

    /// `SET DIST VARIABLE`.
    pub fn with(&self, property: Property, value: &str) -> Result<Self, Error> {
        let mut next = self.clone();
        next.set.insert(property, property.normalise(value)?);
        Ok(next)
    }

    /// Variables whose values differ here and there, and are in force at the next start only.
    pub fn awaiting_start(&self, before: &Self) -> Vec<Property> {
        let changed = |it: &Property| it.effect() == Effect::AtStart && self.text(*it) != before.text(*it);
        Property::ALL.iter().copied().filter(changed).collect()
    }

    /// What DistSQL has set, by name: what is stored.
    pub fn stored(&self) -> BTreeMap<String, String> {
        self.set.iter().map(|(property, value)| (property.name().to_owned(), value.clone())).collect()
    }

    /// Puts stored values above these.
    pub fn restore(&self, stored: &BTreeMap<String, String>) -> Result<Self, Error> {
        stored.iter().try_fold(self.clone(), |properties, (name, value)| {
            let property = Property::find(name).ok_or_else(|| Error::UnknownVariable(name.clone()))?;
            properties.with(property, value)
        })
    }
}

impl crate::snapshot::Snapshot {
    /// The next snapshot, with other values of variables.
    pub fn with_properties(&self, properties: Properties) -> Self {
        Self { properties, ..self.next() }
    }
}

/// Reads `props` of `server.yaml`; errors come where the key or value stands.
impl<'de> Deserialize<'de> for Properties {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(yaml::Props)
    }
}

mod yaml {
    use std::fmt;

    use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, Visitor};

    use super::{Properties, Property};

    pub(super) struct Props;

    impl<'de> Visitor<'de> for Props {
        type Value = Properties;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a map of properties")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Properties, A::Error> {
            let mut properties = Properties::default();
            while let Some(property) = map.next_key_seed(Key)? {
                let value = map.next_value_seed(Value(property))?;
                properties.configured.insert(property, value);
            }
            Ok(properties)
        }

        fn visit_unit<E: Error>(self) -> Result<Properties, E> {
            Ok(Properties::default())
        }
    }

    struct Key;

    impl<'de> DeserializeSeed<'de> for Key {
        type Value = Property;

        fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Property, D::Error> {
            deserializer.deserialize_str(self)
        }
    }

    impl Visitor<'_> for Key {
        type Value = Property;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("the name of a property")
        }

        fn visit_str<E: Error>(self, name: &str) -> Result<Property, E> {
            // Underscores are DistSQL's; a file says `sql-show`.
            match Property::find(name) {
                Some(property) if property.name() == name => Ok(property),
                Some(property) => Err(E::custom(format_args!(
                    "unknown property `{name}`; did you mean `{}`?",
                    property.name()
                ))),
                None => Err(E::custom(format_args!("unknown property `{name}`"))),
            }
        }
    }

    struct Value(Property);

    impl<'de> DeserializeSeed<'de> for Value {
        type Value = String;

        fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<String, D::Error> {
            // Every scalar can be read as a text, and a text is what DistSQL would hand over.
            deserializer.deserialize_str(self)
        }
    }

    impl Visitor<'_> for Value {
        type Value = String;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "{} for `{}`", self.0.wanted(), self.0.name())
        }

        fn visit_str<E: Error>(self, value: &str) -> Result<String, E> {
            self.0.normalise(value).map_err(|_| {
                E::custom(format_args!("`{}` must be {}, not `{value}`", self.0.name(), self.0.wanted()))
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_variables_by_either_spelling() {
        for name in ["sql-show", "sql_show", "SQL_SHOW"] {
            assert_eq!(Property::find(name), Some(Property::SqlShow));
        }
        for name in ["sql", "sql-showx", "sqlshow", ""] {
            assert_eq!(Property::find(name), None, "{name}");
        }
    }

    #[test]
    fn every_default_is_a_value_it_can_have() {
        for property in Property::ALL {
            assert_eq!(property.normalise(property.default_value()).unwrap(), property.default_value());
        }
    }

    #[test]
    fn what_distsql_sets_stands_above_the_file() {
        let file: Properties = serde_saphyr::from_str("sql-show: true\nproxy-default-port: 3308").unwrap();
        assert!(file.flag(Property::SqlShow));
        assert_eq!(file.integer(Property::DefaultPort), 3308);
        assert!(file.stored().is_empty());
        let set = file.with(Property::SqlShow, "FALSE").unwrap();
        assert!(!set.flag(Property::SqlShow));
        let again = file.restore(&set.stored()).unwrap();
        assert_eq!(again, set);
    }

    #[test]
    fn refuses_values_that_a_variable_cannot_have() {
        let properties = Properties::default();
        for (property, value) in [
            (Property::SqlShow, "1"),
            (Property::MaxConnectionsSizePerQuery, "0"),
            (Property::DefaultPort, "65536"),
            (Property::SqlFederationType, "SOME"),
            (Property::FrontendCompression, "zlib,gzip"),
            (Property::FrontendCompression, ""),
            (Property::FrontendProxyProtocolNetworks, "10.0.0.0/8,host"),
        ] {
            let error = properties.with(property, value).unwrap_err();
            assert_eq!(error.to_string(), format!("Invalid value `{value}`."));
        }
        assert!(
            !properties
                .with(Property::AgentPluginsEnabled, "maybe")
                .unwrap()
                .flag(Property::AgentPluginsEnabled)
        );
    }
}
