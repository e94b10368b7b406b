//! `cargo demo`: the documented sharding scenario, small, in about two minutes.
//!
//! Four MySQL servers and the proxy; the guide's own statements, shown with their answers; the same
//! sysbench load on one MySQL and through the proxy; a table, and what was seen. One of the four
//! servers also holds the unsharded table the load is compared with, so nothing but the four runs.

use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::{Context as _, Result, ensure};

use crate::bench::{Arm, Contest};
use crate::load::{Load, Session, Sysbench, Target};
use crate::measure::Watch;
use crate::report::{Live, Report};
use crate::sandbox::{Server, Slice, WeirProcess};
use crate::scenario::{Fill, Scenario, Targets, WEIR, When, folder, verify};
use crate::stage::{Stage, describe, finish, provide, run, say, through};

/// How large the demo is.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Rows of the table.
    pub rows: u64,
    /// Client threads.
    pub threads: u32,
    /// Length of a run.
    pub seconds: u32,
    /// Runs of each arm.
    pub rounds: u32,
}

impl Default for Options {
    fn default() -> Self {
        Self { rows: 20_000, threads: 32, seconds: 5, rounds: 2 }
    }
}

/// Servers of the scenario's group `ds`.
const SERVERS: usize = 4;
/// The database of the unsharded table.
const ALONE: &str = "alone";
/// Said after the guide's statements, so that what they made can be seen.
const RULES: [&str; 2] = ["SHOW STORAGE UNITS", "SHOW SHARDING TABLE RULE sbtest1"];
/// Said once there are rows: where statements go.
const ROUTES: [&str; 3] = [
    "PREVIEW SELECT c FROM sbtest1 WHERE id = 2026",
    "PREVIEW SELECT c FROM sbtest1 WHERE id IN (1, 2)",
    "SELECT COUNT(*), MIN(id), MAX(id) FROM sbtest1",
];

/// Runs the demo and writes its report, also of what was done when it is interrupted.
pub fn perform(options: Options, live: &Live) -> Result<(Report, PathBuf)> {
    let mut report =
        Report::begin("demo", "The sharding scenario in small: four MySQL and the proxy, beside one MySQL");
    report.notes.push(format!(
        "scale: {} rows, {} threads, {} s, {} rounds; the document: 140,000,000 rows, 200 threads, 180 s on 48-core hosts, \
         one MySQL 1,827 TPS, four through its proxy 10,710 TPS",
        options.rows, options.threads, options.seconds, options.rounds
    ));
    let outcome = steps(options, &mut report, live);
    live.finish();
    report.end();
    let outcome = outcome.with_context(|| format!("the demo failed at: {}", live.last()));
    finish(report, outcome, live)
}

fn steps(options: Options, report: &mut Report, live: &Live) -> Result<()> {
    let tools = provide(live)?;
    describe(report, &tools)?;
    let scenario = Scenario::read(&folder().join("sharding.yaml"))?;
    // Before the servers, so that the servers are gone when the slices are removed.
    let mut slices: Vec<Slice> = Vec::new();
    let stage = Stage::set(&tools, SERVERS, None, live)?;
    let weir = stage.weir(live)?;
    let demo = Demo { options, scenario, stage: &stage, weir: &weir, live };
    let outcome = run(demo.show(&mut slices, report));
    if outcome.is_err() {
        tail(&weir).into_iter().for_each(|tail| live.line(&format!("! the proxy's log ends with:\n{tail}")));
    }
    outcome
}

/// The end of the proxy's log, if it says anything.
fn tail(weir: &WeirProcess) -> Option<String> {
    let log = std::fs::read_to_string(weir.log()).ok()?;
    let lines: Vec<&str> = log.lines().collect();
    let last = lines.get(lines.len().saturating_sub(10)..)?;
    (!last.is_empty()).then(|| last.join("\n"))
}

struct Demo<'a> {
    options: Options,
    scenario: Scenario,
    stage: &'a Stage,
    weir: &'a WeirProcess,
    live: &'a Live,
}

impl Demo<'_> {
    async fn show(&self, slices: &mut Vec<Slice>, report: &mut Report) -> Result<()> {
        let live = self.live;
        let (targets, fill) = self.places()?;
        live.step(
            "the guide's statements, said to the proxy (its rule, and the same for the table sysbench uses)",
        );
        let statements: Result<Vec<String>, _> =
            self.scenario.proxy.distsql.iter().map(|text| fill.text(text)).collect();
        let mut statements = statements?;
        statements.extend(RULES.map(str::to_owned));
        say("", &self.target(), &statements, live).await?;

        self.fill().await?;
        live.step("where statements go");
        say(&self.scenario.proxy.database, &self.target(), &ROUTES.map(str::to_owned), live).await?;
        self.check(&targets, &fill, When::Filled, report).await;
        report.notes.push(self.spread().await?);

        let title = format!("oltp_read_write, prepared, {} threads", self.options.threads);
        let sliced = format!("{title}, each server on a slice of CPU as if on its own small host");
        live.step("sysbench on one MySQL and through the proxy, in turns");
        let contest = self.contest(title);
        live.expect(contest.runs(), contest.seconds());
        contest.hold(&self.stage.sysbench, &mut report.groups, live).await;
        self.same_machine(report);

        *slices = self.slices(report);
        if !slices.is_empty() {
            live.step("the same with a slice of CPU for each server");
            let contest = self.contest(sliced);
            live.expect(contest.runs(), contest.seconds());
            contest.hold(&self.stage.sysbench, &mut report.groups, live).await;
            self.own_machines(report);
        }
        self.check(&targets, &fill, When::Loaded, report).await;
        Ok(())
    }

    /// Servers by the names of the scenario; `one` is the unsharded database on the first.
    fn places(&self) -> Result<(Targets, Fill)> {
        let servers = self.stage.sandbox.servers();
        ensure!(servers.len() == SERVERS, "the demo needs {SERVERS} servers");
        let mut targets: Targets = servers
            .iter()
            .enumerate()
            .map(|(number, server)| (format!("ds_{number}"), Stage::direct(server, server.database())))
            .collect();
        targets.insert("one".to_owned(), self.alone());
        let fill = Fill::new(
            targets.iter().map(|(name, target)| (name.as_str(), target.host.as_str(), target.port)),
        );
        targets.insert(WEIR.to_owned(), self.target());
        Ok((targets, fill))
    }

    fn target(&self) -> Target {
        through(self.weir, &self.scenario.proxy.database)
    }

    fn alone(&self) -> Target {
        Stage::direct(self.stage.sandbox.server(0), ALONE)
    }

    fn load(&self) -> Load {
        let mut load = Load::new("oltp_read_write");
        (load.rows, load.threads, load.seconds) =
            (self.options.rows, self.options.threads, self.options.seconds);
        load
    }

    async fn fill(&self) -> Result<()> {
        let (load, sysbench): (Load, &Sysbench) = (self.load(), &self.stage.sysbench);
        let login = Target { database: String::new(), ..self.alone() };
        let mut session = Session::open(&login).await?;
        session.say(&format!("CREATE DATABASE {ALONE}")).await?;
        session.close().await;
        self.live.step(&format!("sysbench fills {} rows into one MySQL", load.rows));
        sysbench.prepare(&self.alone(), &load).await.context("one MySQL could not be filled")?;
        self.live.step(&format!("sysbench fills {} rows through the proxy", load.rows));
        sysbench.prepare(&self.target(), &load).await.context("filling through the proxy failed")
    }

    async fn check(&self, targets: &Targets, fill: &Fill, when: When, report: &mut Report) {
        for part in &self.scenario.checks {
            self.live.step(&format!("checking {}: {}", when.words(), part.name));
            report.checks.push(verify(part, targets, fill, when).await);
        }
    }

    /// Where the rows are, in words.
    async fn spread(&self) -> Result<String> {
        let mut out = "rows on the shards:".to_owned();
        for (number, server) in self.stage.sandbox.servers().iter().enumerate() {
            let mut session = Session::open(&Stage::direct(server, server.database())).await?;
            let tables = session.say("SHOW TABLES LIKE 'sbtest1\\_%'").await?.rows;
            write!(out, "\n  ds_{number} (port {})", server.port())?;
            for table in tables.iter().filter_map(|row| row.first()) {
                let count = session.say(&format!("SELECT COUNT(*) FROM {table}")).await?;
                let count = count.rows.first().and_then(|row| row.first()).cloned().unwrap_or_default();
                write!(out, "  {table}: {count}")?;
            }
            session.close().await;
        }
        Ok(out)
    }

    fn contest(&self, title: String) -> Contest {
        let servers = self.stage.sandbox.servers();
        let first = servers.first().and_then(Server::pid);
        let arm = |name: &str, about: &str, target: Target, watch: Watch| Arm {
            name: name.to_owned(),
            about: about.to_owned(),
            target,
            watch,
            load: self.load(),
            meters: Vec::new(),
            documented: None,
        };
        let direct = Watch { proxy: Vec::new(), servers: first.into_iter().collect() };
        let proxied = Watch {
            proxy: self.weir.pid().into_iter().collect(),
            servers: servers.iter().filter_map(Server::pid).collect(),
        };
        Contest {
            title,
            arms: vec![
                arm("one MySQL", "one MySQL, direct", self.alone(), direct),
                arm("weir over 4", "the proxy over four MySQL", self.target(), proxied),
            ],
            rounds: self.options.rounds,
            replicas: Vec::new(),
            warm_up: 2,
        }
    }

    /// A slice for each server, or none and a word about it.
    fn slices(&self, report: &mut Report) -> Vec<Slice> {
        let share = crate::bench::share(report.host.cores);
        let servers = self.stage.sandbox.servers();
        let mut slices = Vec::new();
        for server in servers {
            let taken = self.stage.sandbox.slice(share).and_then(|slice| {
                let taken = slice.take(server.pid()?).is_ok();
                slices.push(slice);
                taken.then_some(())
            });
            if taken.is_none() {
                let reasons = self.stage.sandbox.notices().join("; ");
                report.skipped.push(format!("a slice of CPU for each server: {reasons}"));
                return Vec::new();
            }
        }
        report.notes.push(format!("slices: each server has {share} of a processor in the second table"));
        slices
    }

    fn same_machine(&self, report: &mut Report) {
        let words = "all servers share one machine here, so four add no capacity to one: \
                     the first table shows what the way through the proxy costs";
        report.notes.extend(ratio(report).map(|ratio| format!("{words} ({ratio} × the TPS of one MySQL)")));
    }

    fn own_machines(&self, report: &mut Report) {
        let words = "with the same slice of CPU for every server, as if each were a host of its own, \
                     four through the proxy do";
        report.notes.extend(
            ratio(report).map(|ratio| format!("{words} {ratio} × the TPS of one (the document: 5.86 ×)")),
        );
    }
}

/// Transactions through the proxy as a multiple of those of one MySQL, in the last table.
fn ratio(report: &Report) -> Option<String> {
    let [one, four] = report.groups.last()?.arms.as_slice() else { return None };
    let share = four.share(one, |trial| trial.summary.tps)?;
    Some(format!("{:.2}", share.median))
}
