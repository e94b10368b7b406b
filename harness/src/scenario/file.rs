//! The scenario file: what it may say, and what is refused with its line.
//!
//! A scenario is data, so that adding one needs no Rust. Unknown keys are errors, and so are names
//! that nothing in the file defines: a typing error must not measure something else.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use serde::{Deserialize, Serialize};

use super::claim::{CheckPart, CountPart, RecordPart};
use super::fill::{Each, Fill};
use crate::load::{Load, Statements};
use crate::report::Documented;

/// One documented test, ready to be run.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// What it is called on the command line.
    pub name: String,
    /// One line about it.
    pub title: String,
    /// The document it comes from, and what that was measured on.
    pub source: String,
    /// What a reader of its report should know.
    #[serde(default)]
    pub notes: Vec<String>,
    /// Groups of servers with their size.
    pub servers: BTreeMap<String, usize>,
    /// Groups that replicate, by the server they follow.
    #[serde(default)]
    pub replica_of: BTreeMap<String, String>,
    /// Statements said to servers before anything else.
    #[serde(default)]
    pub setup: Vec<Setup>,
    /// How the proxy is set up.
    pub proxy: Proxy,
    /// Further proxies by name, each told the same and with an `agent.yaml` of its own.
    #[serde(default)]
    pub proxies: BTreeMap<String, Agent>,
    /// How the tables are filled, where that is not what the load's own script does for each arm.
    #[serde(default)]
    pub prepare: PreparePart,
    /// The load.
    pub load: LoadPart,
    /// Other loads over the same tables, each measured for itself; `load` alone, if absent.
    #[serde(default)]
    pub variations: Vec<Variation>,
    /// Its sizes by name; `small` and `full` are always there.
    pub scales: BTreeMap<String, Scale>,
    /// Several numbers of threads for each load, by scale, instead of that of the scale.
    #[serde(default)]
    pub threads: BTreeMap<String, Vec<u32>>,
    /// Who is measured.
    pub arms: Vec<ArmPart>,
    /// What must be true besides.
    #[serde(default)]
    pub checks: Vec<CheckPart>,
    /// What servers must have done, by their own counters.
    #[serde(default)]
    pub counts: Vec<CountPart>,
    /// What proxies must have written, line by line.
    #[serde(default)]
    pub records: Vec<RecordPart>,
}

/// A proxy's `agent.yaml`. Besides `${…}` of servers there are `${scrape.port}`, a free port of each proxy's own, and
/// `${collector.port}`, where the harness takes whatever is posted and counts the spans in it.
#[derive(Debug, Clone, Deserialize)]
#[serde(transparent)]
pub struct Agent(pub String);

/// Statements for a server.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setup {
    /// Names and what each stands for in turn: the statement is said for every combination.
    #[serde(default)]
    pub each: Each,
    /// The server.
    pub on: String,
    /// The text.
    pub sql: String,
}

/// How the proxy is set up.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proxy {
    /// The logical database.
    pub database: String,
    /// The statements said to it, in order.
    pub distsql: Vec<String>,
}

/// How the tables are filled.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PreparePart {
    /// A stock script, or one of the harness's own; the load's if absent.
    pub script: Option<String>,
    /// Number of tables; the load's if absent.
    pub tables: Option<u32>,
    /// Where to; each arm's own place if absent.
    pub into: Option<Vec<Place>>,
}

/// A database on a target.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Place {
    /// `weir`, or a server.
    pub target: String,
    /// The database on it.
    pub database: String,
}

/// The load without its size.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoadPart {
    /// A stock script by name, or one of the harness's own by its file beside the scenario's (`*.lua`).
    pub script: String,
    /// Number of tables.
    #[serde(default = "one")]
    pub tables: u32,
    /// Prepared (the default) or text.
    #[serde(default)]
    pub statements: Statements,
    /// The percentile sysbench reports.
    #[serde(default = "ninety_nine")]
    pub percentile: u8,
    /// Further options.
    #[serde(default)]
    pub options: Vec<String>,
}

/// A load that differs from the scenario's in its script.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variation {
    /// In words.
    pub name: String,
    /// A stock script.
    pub script: String,
    /// Further options.
    #[serde(default)]
    pub options: Vec<String>,
}

fn one() -> u32 {
    1
}

fn ninety_nine() -> u8 {
    99
}

/// A size of the load; what is absent is taken from the scale below it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scale {
    /// Rows of each table.
    pub rows: Option<u64>,
    /// Client threads.
    pub threads: Option<u32>,
    /// Length of a run.
    pub seconds: Option<u32>,
    /// Runs of each arm.
    pub rounds: Option<u32>,
}

impl Scale {
    /// `self` where it says something, `below` elsewhere.
    pub fn over(self, below: Self) -> Self {
        Self {
            rows: self.rows.or(below.rows),
            threads: self.threads.or(below.threads),
            seconds: self.seconds.or(below.seconds),
            rounds: self.rounds.or(below.rounds),
        }
    }
}

impl fmt::Display for Scale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            self.rows.map(|rows| format!("{rows} rows")),
            self.threads.map(|threads| format!("{threads} threads")),
            self.seconds.map(|seconds| format!("{seconds} s")),
            self.rounds.map(|rounds| format!("{rounds} rounds")),
        ];
        f.write_str(&parts.into_iter().flatten().collect::<Vec<_>>().join(", "))
    }
}

/// One arm.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArmPart {
    /// Short name.
    pub name: String,
    /// What it is.
    pub about: String,
    /// `weir`, a further proxy, or a server.
    pub target: String,
    /// The database on it.
    pub database: String,
    /// Further options of the load.
    #[serde(default)]
    pub options: Vec<String>,
    /// Where its size differs from the scenario's, by scale.
    #[serde(default)]
    pub scales: BTreeMap<String, Scale>,
    /// Another arm it is compared with besides the first.
    pub beside: Option<String>,
    /// What the document says of it.
    pub documented: Option<Documented>,
}

/// The target that is no server.
pub const WEIR: &str = "weir";

impl Scenario {
    /// Reads and checks a file.
    pub fn read(file: &Path) -> Result<Self> {
        let text =
            std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
        Self::parse(&text, file)
    }

    /// Checks the text of `file`. Errors begin with file, line and column.
    pub fn parse(text: &str, file: &Path) -> Result<Self> {
        let mut scenario: Self = match serde_saphyr::from_str(text) {
            Ok(scenario) => scenario,
            Err(error) => {
                let place = error
                    .location()
                    .map_or_else(String::new, |place| format!(":{}:{}", place.line(), place.column()));
                bail!("{}{place}: {}", file.display(), error.without_snippet());
            }
        };
        if let Err(fault) = scenario.check() {
            // The names in question are in quotes in the message; their line is where they first stand.
            let line =
                fault.word.as_deref().and_then(|word| text.lines().position(|line| line.contains(word)));
            let place = line.map_or_else(String::new, |line| format!(":{}", line + 1));
            bail!("{}{place}: {}", file.display(), fault.text);
        }
        let folder = file.parent().unwrap_or_else(|| Path::new("."));
        for script in std::iter::once(&mut scenario.load.script).chain(&mut scenario.prepare.script) {
            if script.ends_with(".lua") {
                *script = folder.join(&*script).to_string_lossy().into_owned();
            }
        }
        Ok(scenario)
    }

    /// The names of its servers: `one`, `ds_0`, `ds_1`, …
    pub fn names(&self) -> Vec<String> {
        self.servers
            .iter()
            .flat_map(|(group, size)| {
                (0..*size).map(move |number| match size {
                    1 => group.clone(),
                    _ => format!("{group}_{number}"),
                })
            })
            .collect()
    }

    /// Which servers follow which, by number.
    pub fn replicas(&self) -> Vec<(usize, usize)> {
        let names = self.names();
        let number = |name: &str| names.iter().position(|other| other == name);
        let of = |group: &String, source: &String| {
            let source = number(source)?;
            let members = names.iter().enumerate().filter(|(_, name)| member(name, group));
            Some(members.map(|(at, _)| (at, source)).collect::<Vec<_>>())
        };
        self.replica_of.iter().filter_map(|(group, source)| of(group, source)).flatten().collect()
    }

    /// The load at a scale, for one arm.
    pub fn load(&self, scale: Scale, arm: &ArmPart) -> Load {
        let part = &self.load;
        let mut load = Load::new(&part.script);
        load.tables = part.tables;
        load.statements = part.statements;
        load.percentile = part.percentile;
        load.options = part.options.iter().chain(&arm.options).cloned().collect();
        load.rows = scale.rows.unwrap_or(load.rows);
        load.threads = scale.threads.unwrap_or(load.threads);
        load.seconds = scale.seconds.unwrap_or(load.seconds);
        load
    }

    /// How the tables for a load are filled.
    pub fn filling(&self, load: &Load) -> Load {
        let part = &self.prepare;
        Load {
            script: part.script.clone().unwrap_or_else(|| load.script.clone()),
            tables: part.tables.unwrap_or(load.tables),
            // An own script knows no other's options.
            options: Vec::new(),
            ..load.clone()
        }
    }

    fn check(&self) -> Result<(), Fault> {
        for needed in ["small", "full"] {
            let Some(scale) = self.scales.get(needed) else {
                return Err(Fault::new(format!("scales lacks `{needed}`"), "scales:"));
            };
            if scale.rows.is_none()
                || scale.threads.is_none()
                || scale.seconds.is_none()
                || scale.rounds.is_none()
            {
                return Err(Fault::new(
                    format!("scale `{needed}` must state rows, threads, seconds and rounds"),
                    &format!("{needed}:"),
                ));
            }
        }
        if self.arms.is_empty() {
            return Err(Fault::new("there is no arm to measure".to_owned(), "arms:"));
        }
        let names = self.names();
        self.check_servers(&names)?;
        let known = |target: &str| {
            target == WEIR || self.proxies.contains_key(target) || names.iter().any(|name| name == target)
        };
        let places = self.arms.iter().map(|arm| &arm.target);
        let filled = self.prepare.into.iter().flatten().map(|place| &place.target);
        if let Some(target) = places.chain(filled).find(|target| !known(target)) {
            return Err(Fault::unknown(target, &names));
        }
        for arm in &self.arms {
            if let Some(scale) = arm.scales.keys().find(|scale| !self.scales.contains_key(*scale)) {
                return Err(Fault::new(format!("arm `{}` names no scale: `{scale}`", arm.name), scale));
            }
            if let Some(other) = &arm.beside
                && !self.arms.iter().any(|arm| arm.name == *other)
            {
                return Err(Fault::new(format!("no arm is called `{other}`"), &format!("beside: {other}")));
            }
            if names.contains(&arm.name) {
                let text = format!("`{}` is both an arm and a server", arm.name);
                return Err(Fault::new(text, &arm.name));
            }
        }
        let fill = Fill::trial(&names);
        for statement in &self.proxy.distsql {
            fill.text(statement).map_err(Fault::fill)?;
        }
        if let Some(scale) = self.threads.keys().find(|scale| !self.scales.contains_key(*scale)) {
            return Err(Fault::new(format!("threads names no scale: `{scale}`"), "threads:"));
        }
        for (name, agent) in &self.proxies {
            if name == WEIR || names.contains(name) {
                return Err(Fault::new(format!("`{name}` is something else already"), name));
            }
            fill.clone().scraped(0).collected(0).text(&agent.0).map_err(Fault::fill)?;
        }
        for part in &self.records {
            let arm = self.arms.iter().find(|arm| arm.name == part.arm);
            if arm.is_none_or(|arm| !self.proxies.contains_key(&arm.target)) {
                let text = format!("no arm through a further proxy is called `{}`", part.arm);
                return Err(Fault::new(text, &part.arm));
            }
        }
        let known = |target: &str| known(target) || self.arms.iter().any(|arm| arm.name == target);
        for check in &self.checks {
            check.check(&fill, &known, &names)?;
        }
        for count in &self.counts {
            if !self.arms.iter().any(|arm| arm.name == count.arm) {
                return Err(Fault::new(format!("no arm is called `{}`", count.arm), &count.arm));
            }
            if !names.contains(&count.on) {
                return Err(Fault::unknown(&count.on, &names));
            }
        }
        Ok(())
    }

    /// Replicas and set-up name servers.
    fn check_servers(&self, names: &[String]) -> Result<(), Fault> {
        for (group, source) in &self.replica_of {
            if !names.iter().any(|name| member(name, group)) {
                return Err(Fault::unknown(group, names));
            }
            if !names.contains(source) || member(source, group) {
                return Err(Fault::unknown(source, names));
            }
        }
        for setup in &self.setup {
            for fill in Fill::trial(names).each(&setup.each) {
                let on = fill.text(&setup.on).map_err(Fault::fill)?;
                fill.text(&setup.sql).map_err(Fault::fill)?;
                if !names.contains(&on) {
                    return Err(Fault::unknown(&on, names));
                }
            }
        }
        Ok(())
    }
}

/// Whether a server is of a group, or is what the name says itself.
fn member(server: &str, group: &str) -> bool {
    let number = server.strip_prefix(group);
    number.is_some_and(|rest| {
        rest.is_empty() || rest.strip_prefix('_').is_some_and(|rest| rest.parse::<usize>().is_ok())
    })
}

/// What is wrong in a file that can be read, and a word on the line where it is.
#[derive(Debug)]
pub(super) struct Fault {
    text: String,
    word: Option<String>,
}

impl Fault {
    pub(super) fn new(text: String, word: &str) -> Self {
        Self { text, word: Some(word.to_owned()) }
    }

    pub(super) fn unknown(target: &str, names: &[String]) -> Self {
        let text = format!("no server is called `{target}`; there are {WEIR}, {}", names.join(", "));
        Self::new(text, target)
    }

    pub(super) fn fill(error: super::fill::Unknown) -> Self {
        Self { text: error.to_string(), word: Some(format!("${{{}}}", error.0)) }
    }
}

/// The scenarios that come with the harness: every `*.yaml` in `folder`, by name.
pub fn all(folder: &Path) -> Result<Vec<(PathBuf, Scenario)>> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|file| file.extension().is_some_and(|extension| extension == "yaml"))
        .collect();
    files.sort();
    files.into_iter().map(|file| Ok((file.clone(), Scenario::read(&file)?))).collect()
}
