//! What an audit log is told to do: `props` of `SQLAudit` in `agent.yaml`, and what `ALTER AUDIT LOG` puts above them.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::class::Classes;
use super::filter::{Account, Networks};
use crate::file::{Compression, Rotation};
use crate::props::{self, Fault, Props};

/// How records are written down.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Format {
    /// A JSON object on each line.
    Json,
    /// RFC 4180, all columns in each line, their names in the first.
    Csv,
    /// XML with an element for each field.
    New,
    /// XML with an attribute for each field.
    Old,
    /// The twelve columns of TaurusDB's audit log.
    Taurus,
}

/// What happens to a record between a statement's end and the disk, as Percona Server calls it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Strategy {
    /// It waits in memory for others; when too many do, sessions wait.
    Asynchronous,
    /// It waits in memory for others; when too many do, it is dropped.
    Performance,
    /// The client is answered when it has been written.
    Semisynchronous,
    /// The client is answered when it is on the disk.
    Synchronous,
}

/// Which kinds of records there are.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Policy {
    /// All.
    All,
    /// Logins and ends of sessions.
    Logins,
    /// Statements.
    Queries,
    /// None.
    None,
}

/// Settings of the audit log, which is off unless they say otherwise.
#[derive(Clone, Debug, PartialEq)]
pub struct AuditConfig {
    pub(super) enabled: bool,
    pub(super) file: String,
    pub(super) format: Format,
    pub(super) strategy: Strategy,
    pub(super) policy: Policy,
    pub(super) errors_only: bool,
    pub(super) include_classes: Classes,
    pub(super) exclude_classes: Classes,
    pub(super) include_accounts: Vec<Account>,
    pub(super) exclude_accounts: Vec<Account>,
    pub(super) include_hosts: Networks,
    pub(super) exclude_hosts: Networks,
    pub(super) include_databases: Vec<String>,
    pub(super) exclude_databases: Vec<String>,
    pub(super) include_commands: Vec<String>,
    pub(super) exclude_commands: Vec<String>,
    pub(super) min_duration: Duration,
    pub(super) sample: f64,
    pub(super) max_text: usize,
    pub(super) parameters: bool,
    pub(super) units: bool,
    pub(super) physical_sql: bool,
    pub(super) rotation: Rotation,
}

impl Default for AuditConfig {
    fn default() -> Self {
        Self {
            enabled: false,
            file: "audit.log".to_owned(),
            format: Format::Json,
            strategy: Strategy::Asynchronous,
            policy: Policy::All,
            errors_only: false,
            include_classes: Classes::all(),
            exclude_classes: Classes::empty(),
            include_accounts: Vec::new(),
            exclude_accounts: Vec::new(),
            include_hosts: Networks::default(),
            exclude_hosts: Networks::default(),
            include_databases: Vec::new(),
            exclude_databases: Vec::new(),
            include_commands: Vec::new(),
            exclude_commands: Vec::new(),
            min_duration: Duration::ZERO,
            sample: 1.0,
            max_text: 32 * 1024,
            parameters: true,
            units: true,
            physical_sql: false,
            rotation: Rotation::default(),
        }
    }
}

/// A setting that is none, or has a value that it cannot have.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum WrongSetting {
    /// There is none of this name.
    #[error("unknown setting `{0}` of the audit log")]
    Name(String),
    /// It cannot have this value.
    #[error("`{name}` must be {wanted}, not `{value}`")]
    Value {
        /// Of the setting.
        name: &'static str,
        /// What it can be.
        wanted: &'static str,
        /// What it was to be.
        value: String,
    },
}

/// A setting: its name, what it can be, how it is read and shown.
struct Setting {
    name: &'static str,
    wanted: &'static str,
    set: fn(&mut AuditConfig, &str) -> Option<()>,
    show: fn(&AuditConfig) -> String,
}

macro_rules! setting {
    ($name:literal, $wanted:expr, $field:ident, $read:expr, $show:expr) => {
        Setting {
            name: $name,
            wanted: $wanted,
            set: |config, value| {
                let read: fn(&str) -> Option<_> = $read;
                config.$field = read(value)?;
                Some(())
            },
            show: |config| {
                let show: fn(&_) -> String = $show;
                show(&config.$field)
            },
        }
    };
}

const FLAG: &str = "true or false";
const NAMES: &str = "names parted by commas";
const ACCOUNTS: &str = "accounts like user or user@10.0.%, parted by commas";
const NETWORKS: &str = "networks like 10.0.0.0/8, parted by commas";
const CLASSES: &str = "some of ddl, dml, dcl, tcl, other, prepare, execute, connect, quit";

/// One of [`Rotation`]'s.
macro_rules! rotation {
    ($name:literal, $wanted:expr, $field:ident, $read:expr, $show:expr) => {
        Setting {
            name: $name,
            wanted: $wanted,
            set: |config, value| {
                let read: fn(&str) -> Option<_> = $read;
                config.rotation.$field = read(value)?;
                Some(())
            },
            show: |config| {
                let show: fn(&_) -> String = $show;
                show(&config.rotation.$field)
            },
        }
    };
}

/// All settings, in the order in which they are shown.
const SETTINGS: &[Setting] = &[
    setting!("enabled", FLAG, enabled, flag, ToString::to_string),
    setting!("file", "the name of a file", file, file, String::clone),
    setting!("format", "JSON, CSV, NEW, OLD or TAURUSDB", format, |it| find(&FORMATS, it), |it| name(
        &FORMATS, it
    )),
    setting!(
        "strategy",
        "ASYNCHRONOUS, PERFORMANCE, SEMISYNCHRONOUS or SYNCHRONOUS",
        strategy,
        |it| find(&STRATEGIES, it),
        |it| name(&STRATEGIES, it)
    ),
    setting!("policy", "ALL, LOGINS, QUERIES or NONE", policy, |it| find(&POLICIES, it), |it| name(
        &POLICIES, it
    )),
    setting!("status", "ALL or ERRORS", errors_only, |it| find(&STATUSES, it), |it| name(&STATUSES, it)),
    setting!("include-classes", CLASSES, include_classes, included_classes, class_names),
    setting!("exclude-classes", CLASSES, exclude_classes, classes, class_names),
    setting!("include-accounts", ACCOUNTS, include_accounts, accounts, |it| joined(it)),
    setting!("exclude-accounts", ACCOUNTS, exclude_accounts, accounts, |it| joined(it)),
    setting!("include-hosts", NETWORKS, include_hosts, Networks::read, ToString::to_string),
    setting!("exclude-hosts", NETWORKS, exclude_hosts, Networks::read, ToString::to_string),
    setting!("include-databases", NAMES, include_databases, |it| Some(names(it)), |it| joined(it)),
    setting!("exclude-databases", NAMES, exclude_databases, |it| Some(names(it)), |it| joined(it)),
    setting!("include-commands", NAMES, include_commands, |it| Some(names(it)), |it| joined(it)),
    setting!("exclude-commands", NAMES, exclude_commands, |it| Some(names(it)), |it| joined(it)),
    setting!("min-duration", "a time like 500us, 20ms or 1s", min_duration, micros, |it: &Duration| {
        format!("{}us", it.as_micros())
    }),
    setting!("sample", "a share from 0 to 1", sample, share, ToString::to_string),
    setting!("max-sql-length", "a size from 64 to 16MB", max_text, text_bytes, ToString::to_string),
    setting!("log-parameters", FLAG, parameters, flag, ToString::to_string),
    setting!("log-units", FLAG, units, flag, ToString::to_string),
    setting!("log-physical-sql", FLAG, physical_sql, flag, ToString::to_string),
    rotation!("rotate-size", "0 or a size like 64KB, 100MB or 1GB", size, props::size, ToString::to_string),
    rotation!("rotate-every", "a time like 30s, 10m, 12h or 7d", every, seconds, |it: &Duration| {
        format!("{}s", it.as_secs())
    }),
    rotation!("rotate-keep", "a number of files, 0 for all", keep, |it| it.parse().ok(), ToString::to_string),
    rotation!("rotate-compression", "none, gzip or zstd", compression, |it| find(&COMPRESSIONS, it), |it| {
        name(&COMPRESSIONS, it)
    }),
];

const FORMATS: [(&str, Format); 5] = [
    ("JSON", Format::Json),
    ("CSV", Format::Csv),
    ("NEW", Format::New),
    ("OLD", Format::Old),
    ("TAURUSDB", Format::Taurus),
];

const STRATEGIES: [(&str, Strategy); 4] = [
    ("ASYNCHRONOUS", Strategy::Asynchronous),
    ("PERFORMANCE", Strategy::Performance),
    ("SEMISYNCHRONOUS", Strategy::Semisynchronous),
    ("SYNCHRONOUS", Strategy::Synchronous),
];

const POLICIES: [(&str, Policy); 4] =
    [("ALL", Policy::All), ("LOGINS", Policy::Logins), ("QUERIES", Policy::Queries), ("NONE", Policy::None)];

const COMPRESSIONS: [(&str, Compression); 3] =
    [("none", Compression::None), ("gzip", Compression::Gzip), ("zstd", Compression::Zstd)];

const STATUSES: [(&str, bool); 2] = [("ALL", false), ("ERRORS", true)];

impl AuditConfig {
    /// Reads the properties of the plugin, which is on unless they say otherwise.
    ///
    /// # Errors
    /// Unknown ones, and values that cannot be.
    pub fn read(props: &Props) -> Result<Self, Fault> {
        let mut config = Self { enabled: true, ..Self::default() };
        for setting in SETTINGS {
            if let Some(text) = props.text(setting.name) {
                (setting.set)(&mut config, text)
                    .ok_or_else(|| props.fault(setting.name, &format!("must be {}", setting.wanted)))?;
            }
        }
        props.end()?;
        Ok(config)
    }

    /// With some settings changed, by their names, in which `_` is `-` and letter case is nothing.
    ///
    /// # Errors
    /// The first that is none, or cannot have its value; nothing is changed then.
    pub fn with<'a>(
        &self,
        settings: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Self, WrongSetting> {
        let mut config = self.clone();
        for (name, value) in settings {
            let setting = find_setting(name).ok_or_else(|| WrongSetting::Name(name.to_owned()))?;
            (setting.set)(&mut config, value.trim()).ok_or_else(|| WrongSetting::Value {
                name: setting.name,
                wanted: setting.wanted,
                value: value.to_owned(),
            })?;
        }
        Ok(config)
    }

    /// All settings and their values, as [`Self::with`] reads them.
    pub fn settings(&self) -> impl Iterator<Item = (&'static str, String)> + '_ {
        SETTINGS.iter().map(|setting| (setting.name, (setting.show)(self)))
    }

    /// Whether there is to be an audit log at all.
    pub const fn is_on(&self) -> bool {
        self.enabled && !matches!(self.policy, Policy::None)
    }

    /// Where it is written to, by the folder of logs.
    pub fn path(&self, folder: &Path) -> PathBuf {
        folder.join(&self.file)
    }

    /// The one spelling of a setting's name.
    pub fn spelling(name: &str) -> Option<&'static str> {
        find_setting(name).map(|setting| setting.name)
    }
}

fn find_setting(name: &str) -> Option<&'static Setting> {
    let wanted = name.bytes().map(|byte| if byte == b'_' { b'-' } else { byte.to_ascii_lowercase() });
    SETTINGS.iter().find(|setting| setting.name.bytes().eq(wanted.clone()))
}

fn find<T: Copy>(named: &[(&str, T)], text: &str) -> Option<T> {
    named.iter().find(|(name, _)| name.eq_ignore_ascii_case(text)).map(|(_, it)| *it)
}

fn name<T: PartialEq>(named: &[(&str, T)], wanted: &T) -> String {
    named.iter().find(|(_, it)| it == wanted).map_or_else(String::new, |(name, _)| (*name).to_owned())
}

fn joined<T: fmt::Display>(list: &[T]) -> String {
    list.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}

fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(str::trim).filter(|part| !part.is_empty())
}

fn names(text: &str) -> Vec<String> {
    parts(text).map(str::to_owned).collect()
}

fn accounts(text: &str) -> Option<Vec<Account>> {
    parts(text).map(Account::read).collect()
}

fn classes(text: &str) -> Option<Classes> {
    parts(text).map(Classes::find).try_fold(Classes::empty(), |sum, class| Some(sum | class?))
}

fn class_names(classes: &Classes) -> String {
    classes.names()
}

/// Nothing is everything.
fn included_classes(text: &str) -> Option<Classes> {
    classes(text).map(|classes| if classes.is_empty() { Classes::all() } else { classes })
}

fn flag(text: &str) -> Option<bool> {
    find(&[("true", true), ("false", false)], text)
}

/// A name that leads nowhere but into the folder of logs, or the whole path.
fn file(text: &str) -> Option<String> {
    let strange = |part: &str| matches!(part, "" | "." | "..");
    let inner = text.strip_prefix('/').unwrap_or(text);
    (!inner.split('/').any(strange) && !text.contains(char::is_control)).then(|| text.to_owned())
}

/// A number without a unit is one of microseconds.
fn micros(text: &str) -> Option<Duration> {
    match text.strip_suffix("us") {
        Some(digits) => digits.trim_end().parse().ok().map(Duration::from_micros),
        None => props::duration(text, Duration::from_micros(1)),
    }
}

fn seconds(text: &str) -> Option<Duration> {
    props::duration(text, Duration::from_secs(1))
}

fn share(text: &str) -> Option<f64> {
    text.parse().ok().filter(|share| (0.0..=1.0).contains(share))
}

fn text_bytes(text: &str) -> Option<usize> {
    let bytes = usize::try_from(props::size(text)?).ok()?;
    (64..=16 << 20).contains(&bytes).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_can_be_set() {
        let config = AuditConfig::default()
            .with([
                ("FORMAT", "csv"),
                ("strategy", "Semisynchronous"),
                ("include_accounts", "app, root@10.0.%,'@localhost"),
                ("exclude-hosts", "10.0.0.0/8,::1"),
                ("include-classes", "DDL,quit"),
                ("sample", "0.25"),
                ("status", "errors"),
                ("rotate_every", "7d"),
                ("rotate-size", "64KB"),
            ])
            .unwrap();
        let shown: Vec<_> = config.settings().collect();
        let again = AuditConfig::default().with(shown.iter().map(|(name, value)| (*name, value.as_str())));
        assert_eq!(again.unwrap(), config);
        assert!(shown.contains(&("strategy", "SEMISYNCHRONOUS".to_owned())));
        assert!(shown.contains(&("include-classes", "ddl,quit".to_owned())));
        assert_ne!(config, AuditConfig::default());
    }

    #[test]
    fn what_is_wrong_is_told() {
        let with = |name, value| AuditConfig::default().with([(name, value)]).unwrap_err().to_string();
        assert_eq!(with("formats", "x"), "unknown setting `formats` of the audit log");
        assert_eq!(with("format", "x"), "`format` must be JSON, CSV, NEW, OLD or TAURUSDB, not `x`");
        for (name, value) in [
            ("enabled", "1"),
            ("sample", "1.5"),
            ("sample", "NaN"),
            ("include-classes", "select"),
            ("include-hosts", "example.org"),
            ("max-sql-length", "1"),
            ("rotate-size", "1TB"),
            ("rotate-compression", "lz4"),
            ("file", "../x"),
            ("file", ""),
            ("file", "/"),
            ("include-accounts", "@"),
        ] {
            assert!(with(name, value).contains(" must be "), "{name} {value}");
        }
    }
}
