//! What was measured, as data (JSON) and as a table.
//!
//! A report carries everything a stranger needs to believe or repeat it: host, versions, command
//! lines, server settings, load average, every single trial. Faulty trials stay in it, marked, and
//! out of every median.

mod clock;
mod live;
mod table;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use serde::Serialize;

pub use clock::Stamp;
pub use live::Live;

use crate::load::Load;
use crate::measure::{Host, Spread, Trial, Verdict};

/// Everything one command of the harness found out.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    /// `bench`, `demo` or the name of a scenario; the file is named after it.
    pub kind: String,
    /// What it is about, for a headline.
    pub title: String,
    /// When it began.
    pub started: Stamp,
    /// How long it took, in seconds.
    pub seconds: u64,
    /// The harness's own command line.
    pub command: String,
    /// The machine.
    pub host: Host,
    /// Load average before the first and after the last run.
    pub load_average: [f64; 2],
    /// Versions of everything that took part.
    pub versions: BTreeMap<String, String>,
    /// Settings of the servers that shape speed.
    pub settings: Vec<String>,
    /// Results, one group for each load.
    pub groups: Vec<Group>,
    /// Comparisons with a target.
    pub findings: Vec<Finding>,
    /// What was verified beside speed.
    pub checks: Vec<Check>,
    /// What this machine could not do.
    pub skipped: Vec<String>,
    /// What a reader should know.
    pub notes: Vec<String>,
}

/// One load, sent to several arms in turns.
#[derive(Debug, Clone, Serialize)]
pub struct Group {
    /// The load in words.
    pub title: String,
    /// The load itself.
    pub load: Load,
    /// The arms; the first is what the others are compared with.
    pub arms: Vec<Series>,
}

/// All trials of one arm under one load.
#[derive(Debug, Clone, Serialize)]
pub struct Series {
    /// Short name.
    pub arm: String,
    /// What it is.
    pub about: String,
    /// The sysbench command.
    pub command: String,
    /// One for each round, in order.
    pub trials: Vec<Outcome>,
    /// Medians with their spread over the valid trials, by figure; filled in at the end.
    pub medians: BTreeMap<&'static str, Spread>,
    /// What the documents say of this arm, if they do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub documented: Option<Documented>,
}

/// One round of one arm.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// It ran; the trial itself may still be faulty.
    Ran(Trial),
    /// sysbench gave no figures.
    Failed(String),
}

/// A figure from a public test report, never compared as an absolute number.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Documented {
    /// Client threads.
    pub threads: Option<u32>,
    /// Transactions per second.
    pub tps: Option<f64>,
    /// Queries per second.
    pub qps: Option<f64>,
    /// 95th percentile, in ms.
    pub p95: Option<f64>,
    /// 99th percentile, in ms.
    pub p99: Option<f64>,
}

/// A figure beside its target.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Finding {
    /// What was wanted.
    pub target: String,
    /// What was measured.
    pub measured: String,
    /// How they stand.
    pub standing: Standing,
}

/// How a figure stands to its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    /// Reached.
    Met,
    /// Not reached.
    Missed,
    /// The spread is too wide to say.
    Unclear,
}

/// Something verified beside speed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Check {
    /// What was verified.
    pub name: String,
    /// What was seen when it does not hold.
    pub fault: Option<String>,
}

/// Takes one figure out of a trial.
type Figure = fn(&Trial) -> f64;

impl Series {
    /// Trials that may be believed.
    pub fn valid(&self) -> impl Iterator<Item = &Trial> {
        self.trials.iter().filter_map(|outcome| match outcome {
            Outcome::Ran(trial) if trial.fault.is_none() => Some(trial),
            _ => None,
        })
    }

    /// Why trials may not be believed.
    pub fn faults(&self) -> impl Iterator<Item = &str> {
        self.trials.iter().filter_map(|outcome| match outcome {
            Outcome::Ran(trial) => trial.fault.as_deref(),
            Outcome::Failed(reason) => Some(reason.as_str()),
        })
    }

    /// Medians of the figures that are compared.
    fn summarise(&mut self) {
        let figures: [(&'static str, Figure); 8] = [
            ("tps", |trial| trial.summary.tps),
            ("qps", |trial| trial.summary.qps),
            ("p50_ms", |trial| trial.summary.latency.p50),
            ("p95_ms", |trial| trial.summary.latency.p95),
            ("p99_ms", |trial| trial.summary.latency.p99),
            ("proxy_cpu_us", |trial| trial.cost.proxy),
            ("servers_cpu_us", |trial| trial.cost.servers),
            ("client_cpu_us", |trial| trial.cost.client),
        ];
        self.medians =
            figures.into_iter().filter_map(|(name, figure)| Some((name, self.spread(figure)?))).collect();
    }

    /// The spread of one figure over the valid trials.
    pub fn spread(&self, figure: impl Fn(&Trial) -> f64) -> Option<Spread> {
        Spread::of(self.valid().map(figure))
    }

    /// One figure as a share of the same figure of `base`, round by round.
    pub fn share(&self, base: &Self, figure: impl Fn(&Trial) -> f64) -> Option<Spread> {
        self.beside(base, figure, |own, of| if of > 0.0 { own / of } else { 0.0 })
    }

    /// One figure beside the same figure of `base`, round by round, so that what slows the whole
    /// machine for a while does not count.
    pub fn beside(
        &self,
        base: &Self,
        figure: impl Fn(&Trial) -> f64,
        relation: impl Fn(f64, f64) -> f64,
    ) -> Option<Spread> {
        let rounds = self.trials.iter().zip(&base.trials);
        Spread::of(rounds.filter_map(|(own, other)| match (own, other) {
            (Outcome::Ran(own), Outcome::Ran(other)) if own.fault.is_none() && other.fault.is_none() => {
                Some(relation(figure(own), figure(other)))
            }
            _ => None,
        }))
    }

    /// Whether one figure differs from that of `base` by more than the spread.
    pub fn differs(&self, base: &Self, figure: impl Fn(&Trial) -> f64) -> Verdict {
        match (self.spread(&figure), base.spread(&figure)) {
            (Some(own), Some(other)) => own.against(&other),
            _ => Verdict::None,
        }
    }
}

impl Group {
    /// The arm of this name.
    pub fn arm(&self, name: &str) -> Option<&Series> {
        self.arms.iter().find(|series| series.arm == name)
    }
}

impl Report {
    /// A report that begins now.
    pub fn begin(kind: &str, title: &str) -> Self {
        let arguments: Vec<String> = std::env::args().skip(1).collect();
        Self {
            kind: kind.to_owned(),
            title: title.to_owned(),
            started: Stamp::now(),
            seconds: 0,
            command: format!("cargo harness {}", arguments.join(" ")),
            host: Host::read(),
            load_average: [Host::load(), 0.0],
            versions: BTreeMap::new(),
            settings: Vec::new(),
            groups: Vec::new(),
            findings: Vec::new(),
            checks: Vec::new(),
            skipped: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Notes the end.
    pub fn end(&mut self) {
        self.seconds = self.started.seconds_until(Stamp::now());
        self.load_average[1] = Host::load();
        self.groups.iter_mut().flat_map(|group| &mut group.arms).for_each(Series::summarise);
    }

    /// Whether every check holds and every arm has a trial to believe.
    pub fn sound(&self) -> bool {
        self.checks.iter().all(|check| check.fault.is_none())
            && self.groups.iter().flat_map(|group| &group.arms).all(|arm| arm.faults().next().is_none())
    }

    /// Writes the JSON below `folder` and says where.
    pub fn write(&self, folder: &Path) -> Result<PathBuf> {
        fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
        let file = folder.join(format!("{}-{}.json", self.kind, self.started.compact()));
        let text = serde_json::to_string_pretty(self).context("cannot write the report as JSON")?;
        fs::write(&file, text + "\n").with_context(|| format!("cannot write {}", file.display()))?;
        Ok(file)
    }

    /// The report as text, `width` columns wide; as wide as the terminal, or as it needs, if none is said.
    pub fn text(&self, width: Option<u16>) -> String {
        table::text(self, width)
    }
}

#[cfg(test)]
pub(crate) mod tests;
