//! What the proxy costs, beside nothing at all and beside a proxy that does not look.
//!
//! Arms, in turns under every load: one MySQL direct, HAProxy in TCP mode, Weir in front of one
//! database without a rule, Weir sharding over four databases. For the cost of a rule all four
//! databases are on the same server as the other arms', so that nothing else differs. Further rules
//! (read/write splitting, shadow, each cipher) are measured beside the pass-through when asked for. What
//! four servers give is another question, asked afterwards with a slice of CPU for each; so is what many clients get of one
//! server with processors of its own, and what clients cost that do nothing or come all at once.

mod arrivals;
mod contest;
mod crowd;
mod findings;
mod rules;
mod slices;
mod topology;

use std::path::PathBuf;
use std::str::FromStr;

use anyhow::{Context as _, Result, bail};

pub use contest::{Arm, Contest};
pub use rules::RULE_ARMS;
pub use slices::share;
use topology::{Topology, WEIR_ARMS};

use crate::load::{Load, Statements};
use crate::provision::Tools;
use crate::report::{Live, Report};
use crate::stage::{Stage, describe, finish, provide, run};

/// What the user may choose.
#[derive(Debug, Clone)]
pub struct Options {
    /// Runs of each arm under each load.
    pub rounds: u32,
    /// Length of a run.
    pub seconds: u32,
    /// Client threads, one sweep.
    pub threads: Vec<u32>,
    /// Rows of the table.
    pub rows: u64,
    /// The parts to run; empty for all.
    pub only: Vec<Part>,
    /// Each server's share of a processor where slices are compared; chosen by the number of cores if absent.
    pub server_cpu: Option<f64>,
}

/// A part of the bench that can be asked for by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// An arm by name; the direct one always runs.
    Arm(&'static str),
    /// A kind of load.
    Load(Script),
    /// One protocol.
    Statements(Statements),
    /// Many clients on a server with processors of its own; what else is named narrows it.
    Crowd,
    /// What idle clients take.
    Idle,
    /// Four slices of CPU against one.
    Slices,
    /// Many clients who come at once.
    Storm,
}

/// The loads of the bench.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Script {
    /// `oltp_point_select`
    Point,
    /// `oltp_read_write`
    ReadWrite,
    /// `oltp_read_only` as sysbench has it: ten point selects and one of each range, in a transaction.
    ReadOnly,
    /// The four range selects of it, nothing around them.
    Ranges,
    /// `SELECT c … WHERE id BETWEEN ? AND ?`
    SimpleRange,
    /// `SELECT SUM(k) …`
    SumRange,
    /// `SELECT c … ORDER BY c`
    OrderRange,
    /// `SELECT DISTINCT c … ORDER BY c`
    DistinctRange,
}

/// The loads that run only when named: a range of 100 rows lies on all shards, one table direct beside it.
const RANGES: [Script; 6] = [
    Script::ReadOnly,
    Script::Ranges,
    Script::SimpleRange,
    Script::SumRange,
    Script::OrderRange,
    Script::DistinctRange,
];

/// The arms that run when none is named, in the order of the table; [`RULE_ARMS`] follow.
pub const ARMS: [&str; 4] = ["direct", "haproxy", "pass", "sharded"];

fn all_arms() -> impl Iterator<Item = &'static str> {
    ARMS.into_iter().chain(RULE_ARMS)
}

impl Part {
    /// Whether it has servers and loads of its own.
    const fn is_apart(&self) -> bool {
        matches!(self, Self::Idle | Self::Slices | Self::Storm)
    }

    /// Whether it is an arm that runs only when named.
    fn is_rule(&self) -> bool {
        matches!(self, Self::Arm(name) if RULE_ARMS.contains(name))
    }
}

impl FromStr for Part {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        Ok(match text {
            "point" => Self::Load(Script::Point),
            "read-write" => Self::Load(Script::ReadWrite),
            "prepared" => Self::Statements(Statements::Prepared),
            "text" => Self::Statements(Statements::Text),
            "crowd" => Self::Crowd,
            "idle" => Self::Idle,
            "slices" => Self::Slices,
            "storm" => Self::Storm,
            part => match (
                RANGES.into_iter().find(|script| script.name() == part),
                all_arms().find(|name| *name == part),
            ) {
                (Some(script), _) => Self::Load(script),
                (None, Some(name)) => Self::Arm(name),
                (None, None) => bail!(
                    "there is no part `{part}`; there are {}, point, read-write, {}, prepared, text, crowd, idle, storm, slices",
                    all_arms().collect::<Vec<_>>().join(", "),
                    RANGES.map(Script::name).join(", ")
                ),
            },
        })
    }
}

impl Options {
    /// Whether a part is wanted: none of its kind was named, or it was.
    fn wants(&self, part: Part) -> bool {
        let alike = |other: &&Part| std::mem::discriminant(*other) == std::mem::discriminant(&part);
        match part {
            Part::Arm("direct") => true,
            // What a rule is compared with.
            Part::Arm("pass") if self.only.iter().any(Part::is_rule) => true,
            Part::Arm(_) if part.is_rule() => self.only.contains(&part),
            Part::Load(script) if RANGES.contains(&script) => self.only.contains(&part),
            Part::Crowd => self.only.is_empty() || self.only.contains(&part),
            // These alone leave out the rest; anything else alone leaves them out.
            Part::Idle | Part::Slices | Part::Storm => self.only.is_empty() || self.only.contains(&part),
            _ => match self.only.iter().find(alike) {
                Some(_) => self.only.contains(&part),
                None => self.only.is_empty() || self.only.iter().any(|other| !other.is_apart()),
            },
        }
    }

    /// Every load of the sweep. `read-write` runs prepared only, as in the documents.
    fn loads(&self) -> Vec<(Script, Load)> {
        let mut loads = Vec::new();
        if self.only.contains(&Part::Crowd) {
            return loads;
        }
        let kinds = [
            (Script::Point, Statements::Prepared),
            (Script::Point, Statements::Text),
            (Script::ReadWrite, Statements::Prepared),
        ];
        let both = |script| [(script, Statements::Prepared), (script, Statements::Text)];
        for (script, statements) in kinds.into_iter().chain(RANGES.into_iter().flat_map(both)) {
            if !self.wants(Part::Load(script)) || !self.wants(Part::Statements(statements)) {
                continue;
            }
            for threads in &self.threads {
                let mut load = Load::new(script.file());
                load.statements = statements;
                load.threads = *threads;
                load.seconds = self.seconds;
                load.rows = self.rows;
                load.options = script.options().iter().map(|option| (*option).to_owned()).collect();
                loads.push((script, load));
            }
        }
        loads
    }
}

impl Script {
    fn file(self) -> &'static str {
        match self {
            Self::Point => "oltp_point_select",
            Self::ReadWrite => "oltp_read_write",
            _ => "oltp_read_only",
        }
    }

    /// How it is asked for.
    const fn name(self) -> &'static str {
        match self {
            Self::Point => "point",
            Self::ReadWrite => "read-write",
            Self::ReadOnly => "read-only",
            Self::Ranges => "ranges",
            Self::SimpleRange => "simple-range",
            Self::SumRange => "sum-range",
            Self::OrderRange => "order-range",
            Self::DistinctRange => "distinct-range",
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Point => "point select",
            Self::ReadOnly => "read-only with ranges",
            Self::Ranges => "range selects",
            script => script.name(),
        }
    }

    /// What it has besides the common options, which switch ranges off; the last word wins.
    const fn options(self) -> &'static [&'static str] {
        match self {
            Self::Point | Self::ReadWrite => &[],
            Self::ReadOnly => &["--range_selects=on"],
            Self::Ranges => &["--range_selects=on", "--point_selects=0", "--skip_trx=on"],
            Self::SimpleRange => &[
                "--range_selects=on",
                "--point_selects=0",
                "--skip_trx=on",
                "--sum_ranges=0",
                "--order_ranges=0",
                "--distinct_ranges=0",
            ],
            Self::SumRange => &[
                "--range_selects=on",
                "--point_selects=0",
                "--skip_trx=on",
                "--simple_ranges=0",
                "--order_ranges=0",
                "--distinct_ranges=0",
            ],
            Self::OrderRange => &[
                "--range_selects=on",
                "--point_selects=0",
                "--skip_trx=on",
                "--simple_ranges=0",
                "--sum_ranges=0",
                "--distinct_ranges=0",
            ],
            Self::DistinctRange => &[
                "--range_selects=on",
                "--point_selects=0",
                "--skip_trx=on",
                "--simple_ranges=0",
                "--sum_ranges=0",
                "--order_ranges=0",
            ],
        }
    }
}

/// Threads at which the proxy must carry every client without an error, whatever the sweep.
const CROWD: u32 = 256;

/// Runs the bench and writes its report, also of what was done when it is interrupted.
pub fn perform(options: &Options, live: &Live) -> Result<(Report, PathBuf)> {
    let mut report =
        Report::begin("bench", "What the proxy costs: interleaved arms, medians (smallest–largest)");
    let tools = provide(live)?;
    describe(&mut report, &tools)?;
    report.notes.push(format!(
        "scale: {} rows, {} s, {} rounds; all arms use one and the same server: sharded is the sysbench table over 4 \
         databases there, encrypt-* a table with columns wide enough for ciphertext",
        options.rows, options.seconds, options.rounds
    ));
    let outcome = arms(options, &tools, &mut report, live).and_then(|()| {
        if options.wants(Part::Crowd) {
            crowd::perform(options, &tools, &mut report, live)?;
        }
        if options.wants(Part::Idle) || options.wants(Part::Storm) {
            arrivals::perform(options, &tools, &mut report, live)?;
        }
        if options.wants(Part::Slices) { slices::perform(options, &tools, &mut report, live) } else { Ok(()) }
    });
    live.finish();
    findings::judge(&mut report);
    report.end();
    finish(report, outcome, live)
}

fn arms(options: &Options, tools: &Tools, report: &mut Report, live: &Live) -> Result<()> {
    let loads = options.loads();
    if loads.is_empty() {
        return Ok(());
    }
    let stage = Stage::set(tools, 1, None, live)?;
    let topology = Topology::build(&stage, options, live)?;
    run(sweep(options, &stage, &topology, loads, report, live))
}

async fn sweep(
    options: &Options,
    stage: &Stage,
    topology: &Topology,
    loads: Vec<(Script, Load)>,
    report: &mut Report,
    live: &Live,
) -> Result<()> {
    topology.prepare(stage, options, live).await?;
    let mut contests: Vec<Contest> =
        loads.into_iter().map(|(script, load)| contest(options, topology, script, load)).collect();
    contests.extend(crowd(options, topology));
    let seconds: u64 = contests.iter().map(Contest::seconds).sum();
    live.expect(contests.iter().map(Contest::runs).sum(), seconds);
    live.line(&format!("  {} loads, at least {} min {} s", contests.len(), seconds / 60, seconds % 60));
    for contest in contests {
        contest.hold(&stage.sysbench, &mut report.groups, live).await;
    }
    topology.alive().context("after the last load")
}

fn contest(options: &Options, topology: &Topology, script: Script, load: Load) -> Contest {
    let threads = match load.threads {
        1 => "1 thread".to_owned(),
        threads => format!("{threads} threads"),
    };
    let arms = all_arms().filter(|name| options.wants(Part::Arm(name)));
    Contest {
        title: format!("{}, {}, {threads}", script.words(), load.statements.word()),
        arms: arms.filter_map(|name| topology.arm(name, &load)).collect(),
        rounds: options.rounds,
        replicas: Vec::new(),
        warm_up: (options.seconds / 4).clamp(1, 3),
    }
}

/// One short round with many clients, unless the sweep has it.
fn crowd(options: &Options, topology: &Topology) -> Option<Contest> {
    let whole = options.only.is_empty() && !options.threads.contains(&CROWD);
    let load = Load {
        threads: CROWD,
        seconds: options.seconds,
        rows: options.rows,
        ..Load::new(Script::Point.file())
    };
    let arms: Vec<Arm> = WEIR_ARMS.into_iter().filter_map(|name| topology.arm(name, &load)).collect();
    let direct = topology.arm("direct", &load);
    whole.then(|| Contest {
        title: format!("point select, prepared, {CROWD} threads"),
        arms: direct.into_iter().chain(arms).collect(),
        rounds: options.rounds,
        replicas: Vec::new(),
        warm_up: 1,
    })
}

#[cfg(test)]
mod tests;
