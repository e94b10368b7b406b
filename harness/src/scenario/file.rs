//! The scenario file: what it may say, and what is refused with its line.
//!
//! A scenario is data, so that adding one needs no Rust. Unknown keys are errors, and so are names
//! that nothing in the file defines: a typing error must not measure something else.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use serde::{Deserialize, Serialize};

use super::fill::Fill;
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
    /// Groups of servers with their size.
    pub servers: BTreeMap<String, usize>,
    /// How the proxy is set up.
    pub proxy: Proxy,
    /// The load.
    pub load: LoadPart,
    /// Its sizes by name; `small` and `full` are always there.
    pub scales: BTreeMap<String, Scale>,
    /// Who is measured.
    pub arms: Vec<ArmPart>,
    /// What must be true besides.
    #[serde(default)]
    pub checks: Vec<CheckPart>,
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

/// The load without its size.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoadPart {
    /// A stock script.
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
    /// `weir`, or a server.
    pub target: String,
    /// The database on it.
    pub database: String,
    /// Where its size differs from the scenario's, by scale.
    #[serde(default)]
    pub scales: BTreeMap<String, Scale>,
    /// What the document says of it.
    pub documented: Option<Documented>,
}

/// Something that must be true.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckPart {
    /// In words.
    pub name: String,
    /// A counter and how far it goes: the check is made for each.
    #[serde(default)]
    pub each: BTreeMap<String, u64>,
    /// `weir`, or a server.
    pub on: String,
    /// A query of one row.
    pub sql: String,
    /// The row it must give.
    pub expect: Option<Vec<String>>,
    /// A query that must give the same row.
    pub same: Option<Query>,
    /// Queries whose rows must add up to the same.
    pub total: Option<Query>,
}

/// A query of one row, or several of them.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Query {
    /// A counter and how far it goes.
    #[serde(default)]
    pub each: BTreeMap<String, u64>,
    /// `weir`, or a server.
    pub on: String,
    /// The text.
    pub sql: String,
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
        let scenario: Self = match serde_saphyr::from_str(text) {
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

    /// The load at a scale, for one arm.
    pub fn load(&self, scale: Scale) -> Load {
        let part = &self.load;
        let mut load = Load::new(&part.script);
        load.tables = part.tables;
        load.statements = part.statements;
        load.percentile = part.percentile;
        load.options.clone_from(&part.options);
        load.rows = scale.rows.unwrap_or(load.rows);
        load.threads = scale.threads.unwrap_or(load.threads);
        load.seconds = scale.seconds.unwrap_or(load.seconds);
        load
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
        let known = |target: &str| target == WEIR || names.iter().any(|name| name == target);
        for arm in &self.arms {
            if !known(&arm.target) {
                return Err(Fault::unknown(&arm.target, &names));
            }
            if let Some(scale) = arm.scales.keys().find(|scale| !self.scales.contains_key(*scale)) {
                return Err(Fault::new(format!("arm `{}` names no scale: `{scale}`", arm.name), scale));
            }
        }
        let fill = Fill::trial(&names);
        for statement in &self.proxy.distsql {
            fill.text(statement).map_err(Fault::fill)?;
        }
        for check in &self.checks {
            check.check(&fill, &known, &names)?;
        }
        Ok(())
    }
}

impl CheckPart {
    fn check(&self, fill: &Fill, known: &dyn Fn(&str) -> bool, names: &[String]) -> Result<(), Fault> {
        let against = [self.expect.is_some(), self.same.is_some(), self.total.is_some()];
        if against.iter().filter(|given| **given).count() != 1 {
            return Err(Fault::new(
                format!("check `{}` needs one of expect, same and total", self.name),
                &self.name,
            ));
        }
        let own = Query { each: self.each.clone(), on: self.on.clone(), sql: self.sql.clone() };
        let others = [&self.same, &self.total].into_iter().flatten();
        for query in std::iter::once(&own).chain(others) {
            let counters = self.each.keys().chain(query.each.keys());
            let fill = counters.fold(fill.clone(), |fill, counter| fill.with(counter, 0));
            let on = fill.text(&query.on).map_err(Fault::fill)?;
            fill.text(&query.sql).map_err(Fault::fill)?;
            if !known(&on) {
                return Err(Fault::unknown(&on, names));
            }
        }
        Ok(())
    }
}

/// What is wrong in a file that can be read, and a word on the line where it is.
#[derive(Debug)]
struct Fault {
    text: String,
    word: Option<String>,
}

impl Fault {
    fn new(text: String, word: &str) -> Self {
        Self { text, word: Some(word.to_owned()) }
    }

    fn unknown(target: &str, names: &[String]) -> Self {
        let text = format!("no server is called `{target}`; there are {WEIR}, {}", names.join(", "));
        Self::new(text, target)
    }

    fn fill(error: super::fill::Unknown) -> Self {
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
