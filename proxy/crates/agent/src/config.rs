//! `conf/agent.yaml`: which plugins are on, and how. Without the file none is.
//!
//! ```yaml
//! plugins:
//!   logging: { BaseLogging: { props: { general-query-log: true } } }
//!   metrics: { Prometheus: { host: "0.0.0.0", port: 9090 } }
//! ```
//!
//! An unknown name and a value that cannot be are refused with file, line and column.

use std::fs;
use std::io;
use std::path::Path;

use meta::Error;
use serde::Deserialize;
use serde_saphyr::Spanned;

use crate::audit::AuditConfig;
use crate::logging;
use crate::metrics::Prometheus;
use crate::props::{Fault, Place, Props};
use crate::trace;

/// Name of the file in the configuration folder.
const FILE: &str = "agent.yaml";

/// What the file says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Config {
    /// General and slow log.
    pub logging: logging::Config,
    /// The audit log.
    pub audit: AuditConfig,
    /// Whom traces are sent to: one, as it is meant, or several.
    pub tracing: Vec<trace::Config>,
    /// Where scrapers ask.
    pub prometheus: Option<Prometheus>,
}

/// A plugin that is on.
#[derive(Clone, Debug, PartialEq)]
pub struct Plugin {
    /// Which.
    pub kind: Kind,
    /// Where its name stands.
    pub at: Place,
    /// Where it listens, or whom it sends to; never empty.
    pub host: Option<String>,
    /// The same; never 0.
    pub port: Option<u16>,
    /// Of the receiver.
    pub password: Option<String>,
    /// Its properties.
    pub props: Props,
}

/// All plugins there are.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Kind {
    /// `logging: SQLAudit`.
    Audit,
    /// `logging: BaseLogging`, or `File` as later releases call it.
    BaseLogging,
    /// `tracing: Jaeger`.
    Jaeger,
    /// `tracing: OpenTelemetry`.
    OpenTelemetry,
    /// `metrics: Prometheus`.
    Prometheus,
    /// `tracing: SkyWalking`, or `OpenTracing`.
    SkyWalking,
    /// `tracing: Zipkin`.
    Zipkin,
}

/// Names of plugins by category.
const NAMES: [(&str, &str, Kind); 9] = [
    ("logging", "SQLAudit", Kind::Audit),
    ("logging", "BaseLogging", Kind::BaseLogging),
    ("logging", "File", Kind::BaseLogging),
    ("metrics", "Prometheus", Kind::Prometheus),
    ("tracing", "Jaeger", Kind::Jaeger),
    ("tracing", "OpenTelemetry", Kind::OpenTelemetry),
    ("tracing", "OpenTracing", Kind::SkyWalking),
    ("tracing", "SkyWalking", Kind::SkyWalking),
    ("tracing", "Zipkin", Kind::Zipkin),
];

impl Config {
    /// Reads `agent.yaml` in a folder; nothing is on where there is none.
    ///
    /// # Errors
    /// [`Error::Unreadable`], [`Error::File`].
    pub fn load(folder: &Path) -> Result<Self, Error> {
        let file = folder.join(FILE);
        match fs::read_to_string(&file) {
            Ok(text) => Self::parse(&text, &file),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(Error::Unreadable { file, reason: error.to_string() }),
        }
    }

    /// Reads the text of a file; its name is for errors.
    ///
    /// # Errors
    /// [`Error::File`].
    pub fn parse(text: &str, file: &Path) -> Result<Self, Error> {
        let refuse = |at: Place, reason| Error::File {
            file: file.to_owned(),
            line: at.line.max(1),
            column: at.column.max(1),
            reason,
        };
        let read: Option<File> = serde_saphyr::from_str(text).map_err(|error| {
            let at = error.location().map_or_else(Place::default, Place::from);
            let reason = error.without_snippet().to_string();
            let place = format!(" at line {}, column {}", at.line, at.column);
            refuse(at, reason.strip_suffix(&place).unwrap_or(&reason).to_owned())
        })?;
        let categories = read.and_then(|file| file.plugins).unwrap_or_default();
        Self::of(categories).map_err(|fault| refuse(fault.at, fault.reason))
    }

    fn of(categories: Categories) -> Result<Self, Fault> {
        let Categories { logging, metrics, tracing } = categories;
        let (mut config, mut seen) = (Self::default(), Vec::new());
        for (category, map) in [("logging", logging), ("metrics", metrics), ("tracing", tracing)] {
            for (name, body) in map.unwrap_or_default().0 {
                let plugin = Plugin::of(category, &name, body)?;
                if seen.contains(&plugin.kind) {
                    let reason = format!("`{}` stands here under another name, too", name.value);
                    return Err(Fault { at: plugin.at, reason });
                }
                seen.push(plugin.kind);
                match plugin.kind {
                    Kind::Audit => config.audit = AuditConfig::read(&plugin.props)?,
                    Kind::Jaeger | Kind::OpenTelemetry | Kind::SkyWalking | Kind::Zipkin => {
                        config.tracing.extend(trace::Config::read(&plugin)?);
                    }
                    Kind::BaseLogging => config.logging = logging::Config::read(&plugin.props)?,
                    Kind::Prometheus => config.prometheus = Some(Prometheus::read(&plugin)?),
                }
            }
        }
        Ok(config)
    }
}

impl Plugin {
    fn of(category: &str, name: &Spanned<String>, body: Option<Body>) -> Result<Self, Fault> {
        let at = Place::from(name.referenced);
        let known = NAMES.iter().find(|known| known.0 == category && known.1 == name.value);
        let Some(&(_, _, kind)) = known else {
            let names: Vec<_> = NAMES.iter().filter(|it| it.0 == category).map(|it| it.1).collect();
            let reason =
                format!("there is no plugin `{}` for {category}, but {}", name.value, names.join(", "));
            return Err(Fault { at, reason });
        };
        let Body { host, port, password, props } = body.unwrap_or_default();
        let host = match host {
            Some(host) if host.value.trim().is_empty() => {
                return Err(Fault { at: host.referenced.into(), reason: "`host` is empty".to_owned() });
            }
            host => host.map(|host| host.value.trim().to_owned()),
        };
        let port = match port {
            None => None,
            Some(port) => match port.value.trim().parse::<u16>() {
                Ok(number) if number > 0 => Some(number),
                _ => {
                    let reason = format!("`port` must be from 1 to 65535, not `{}`", port.value);
                    return Err(Fault { at: port.referenced.into(), reason });
                }
            },
        };
        let plugin = Self { kind, at, host, port, password, props: props.unwrap_or_default() };
        if matches!(kind, Kind::Jaeger | Kind::Prometheus | Kind::Zipkin) {
            plugin.address()?;
        }
        Ok(plugin)
    }

    /// Host and port, for one that needs both.
    ///
    /// # Errors
    /// When one is missing.
    pub fn address(&self) -> Result<(&str, u16), Fault> {
        let missing = |what| Fault { at: self.at, reason: format!("`{what}` is missing") };
        let host = self.host.as_deref().ok_or_else(|| missing("host"))?;
        Ok((host, self.port.ok_or_else(|| missing("port"))?))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    plugins: Option<Categories>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Categories {
    logging: Option<Named>,
    metrics: Option<Named>,
    tracing: Option<Named>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Body {
    host: Option<Spanned<String>>,
    port: Option<Spanned<String>>,
    password: Option<String>,
    props: Option<Props>,
}

/// Plugins of a category, with the places of their names.
#[derive(Default)]
struct Named(Vec<(Spanned<String>, Option<Body>)>);

impl<'de> Deserialize<'de> for Named {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Map;
        impl<'de> serde::de::Visitor<'de> for Map {
            type Value = Named;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a map of plugins")
            }

            fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Named, A::Error> {
                let mut named = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    named.push(entry);
                }
                Ok(Named(named))
            }
        }
        deserializer.deserialize_map(Map)
    }
}

#[cfg(test)]
mod tests;
