//! Runs a scenario: servers, proxy, statements, load, checks, report.

use std::collections::BTreeMap;
use std::fs;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context as _, Result, bail};

use super::check::{Targets, count, recorded, verify};
use super::claim::When;
use super::collector::Collector;
use super::file::{ArmPart, Place, Scale, Scenario, Variation, WEIR};
use super::fill::Fill;
use crate::bench::{Arm, Contest};
use crate::load::{Load, Session, Target};
use crate::measure::{Meter, Watch};
use crate::provision::place;
use crate::report::{Check, Live, Report, Series};
use crate::sandbox::{WeirProcess, replication};
use crate::stage::{Stage, describe, finish, provide, run, say, through};

/// How large a scenario is run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// The scale of the file to start from.
    pub name: String,
    /// What the user set himself.
    pub own: Scale,
}

/// `small`, `full`, or `rows=…,threads=…,seconds=…,rounds=…`, which changes `small`; both can be mixed.
impl FromStr for Choice {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        let mut choice = Self { name: "small".to_owned(), own: Scale::default() };
        for part in text.split(',') {
            let Some((key, value)) = part.split_once('=') else {
                part.trim().clone_into(&mut choice.name);
                continue;
            };
            let bad = || format!("`{value}` is no number for {key}");
            match key.trim() {
                "rows" => choice.own.rows = Some(value.parse().with_context(bad)?),
                "threads" => choice.own.threads = Some(value.parse().with_context(bad)?),
                "seconds" => choice.own.seconds = Some(value.parse().with_context(bad)?),
                "rounds" => choice.own.rounds = Some(value.parse().with_context(bad)?),
                other => bail!("a scale has rows, threads, seconds and rounds, not `{other}`"),
            }
        }
        let own = choice.own;
        let zero = own.rows == Some(0) || [own.threads, own.seconds, own.rounds].contains(&Some(0));
        if zero {
            bail!("a scale of 0 measures nothing");
        }
        Ok(choice)
    }
}

/// What the user may choose.
#[derive(Debug, Clone)]
pub struct Options {
    /// How large.
    pub scale: Choice,
    /// A share of the processors for each server.
    pub server_cpu: Option<f64>,
}

/// The `file` of records that are spans, taken by the harness.
const COLLECTOR: &str = "collector";

/// The folder of the scenarios that come with the harness.
pub fn folder() -> PathBuf {
    place::workspace().join("harness/scenarios")
}

/// Runs a scenario and writes its report, also of what was done when it is interrupted.
pub fn perform(scenario: &Scenario, options: &Options, live: &Live) -> Result<(Report, PathBuf)> {
    let mut report = Report::begin(&scenario.name, &scenario.title);
    let scale = chosen(scenario, &options.scale, None)?;
    let tools = provide(live)?;
    describe(&mut report, &tools)?;
    let names = scenario.names();
    let replicas = scenario.replicas();
    let stage = Stage::replicated(&tools, names.len(), &replicas, options.server_cpu, live)?;
    let weir = stage.weir(live)?;
    introduce(&mut report, scenario, options, scale, &stage);
    let outcome = Further::start(scenario, &stage, live).and_then(|further| {
        run(Run::new(scenario, options, &stage, &weir, &further, live).measure(&mut report))
    });
    live.finish();
    report.end();
    finish(report, outcome, live)
}

fn introduce(report: &mut Report, scenario: &Scenario, options: &Options, scale: Scale, stage: &Stage) {
    report.notes.push(format!("scale: {scale}; the document: {}", chosen_full(scenario)));
    report.notes.push(format!("source: {}", scenario.source));
    report.notes.extend(scenario.notes.iter().cloned());
    if let Some(server) = stage.sandbox.servers().first().filter(|_| !scenario.replica_of.is_empty()) {
        let pairs = scenario.replica_of.iter().map(|(replica, source)| format!("{replica} follows {source}"));
        report.notes.push(format!(
            "replication: {}, by GTID, awaited before each run and each check; these servers run with {}",
            pairs.collect::<Vec<_>>().join(", "),
            replication(server.distribution().flavour()).join(" ")
        ));
    }
    match (options.server_cpu, stage.sandbox.notices().as_slice()) {
        (Some(share), []) => report.notes.push(format!("each server has {share} of a processor")),
        (Some(_), notices) => report.skipped.extend(notices.iter().cloned()),
        (None, _) if scenario.servers.values().sum::<usize>() > 1 => report.notes.push(
            "all servers share this machine's processors: more of them add no capacity here (--server-cpu gives each its own share)"
                .to_owned(),
        ),
        (None, _) => {}
    }
}

fn chosen_full(scenario: &Scenario) -> String {
    scenario.scales.get("full").map(ToString::to_string).unwrap_or_default()
}

/// The scale for an arm, or for the scenario as a whole.
fn chosen(scenario: &Scenario, choice: &Choice, arm: Option<&ArmPart>) -> Result<Scale> {
    let known = || scenario.scales.keys().cloned().collect::<Vec<_>>().join(", ");
    let whole = scenario
        .scales
        .get(&choice.name)
        .with_context(|| format!("no scale is called `{}`; there are {}", choice.name, known()))?;
    let of_arm = arm.and_then(|arm| arm.scales.get(&choice.name)).copied().unwrap_or_default();
    Ok(choice.own.over(of_arm).over(*whole))
}

/// The further proxies, with what takes their spans.
struct Further {
    proxies: BTreeMap<String, WeirProcess>,
    collector: Option<Collector>,
}

impl Further {
    /// Starts them, each with a copy of the sample configuration and its own `agent.yaml`.
    fn start(scenario: &Scenario, stage: &Stage, live: &Live) -> Result<Self> {
        let asks = scenario.proxies.values().any(|agent| agent.0.contains("${collector."));
        let collector = if asks { Some(Collector::start()?) } else { None };
        let taken = collector.as_ref().map_or(0, Collector::port);
        let fill = Fill::new(
            scenario
                .names()
                .iter()
                .map(String::as_str)
                .zip(stage.sandbox.servers())
                .map(|(name, server)| (name, "127.0.0.1", server.port())),
        );
        let mut proxies = BTreeMap::new();
        for (name, agent) in &scenario.proxies {
            live.step(&format!("starting weir, {name}"));
            let folder = stage.sandbox.subfolder(name)?;
            let conf = folder.join("conf");
            fs::create_dir_all(&conf)?;
            fs::copy(place::workspace().join("conf/server.yaml"), conf.join("server.yaml"))?;
            // Free at this moment; nobody else of ours takes it.
            let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port();
            let text = fill.clone().scraped(port).collected(taken).text(&agent.0)?;
            fs::write(conf.join("agent.yaml"), text)?;
            let weir = WeirProcess::builder(&stage.sandbox).conf(&conf).start();
            let weir = weir.with_context(|| format!("the proxy `{name}` did not start"))?;
            proxies.insert(name.clone(), weir);
        }
        Ok(Self { proxies, collector })
    }
}

/// A scenario with everything it runs on.
struct Run<'a> {
    scenario: &'a Scenario,
    options: &'a Options,
    stage: &'a Stage,
    weir: &'a WeirProcess,
    further: &'a Further,
    live: &'a Live,
    targets: Targets,
    fill: Fill,
}

impl<'a> Run<'a> {
    fn new(
        scenario: &'a Scenario,
        options: &'a Options,
        stage: &'a Stage,
        weir: &'a WeirProcess,
        further: &'a Further,
        live: &'a Live,
    ) -> Self {
        let mut targets: Targets = scenario
            .names()
            .into_iter()
            .zip(stage.sandbox.servers())
            .map(|(name, server)| (name, Stage::direct(server, server.database())))
            .collect();
        let fill = Fill::new(
            targets.iter().map(|(name, target)| (name.as_str(), target.host.as_str(), target.port)),
        );
        targets.insert(WEIR.to_owned(), through(weir, &scenario.proxy.database));
        for (name, weir) in &further.proxies {
            targets.insert(name.clone(), through(weir, &scenario.proxy.database));
        }
        for arm in &scenario.arms {
            if let Some(target) = targets.get(&arm.target) {
                let target = Target { database: arm.database.clone(), ..target.clone() };
                targets.entry(arm.name.clone()).or_insert(target);
            }
        }
        Self { scenario, options, stage, weir, further, live, targets, fill }
    }

    async fn measure(&self, report: &mut Report) -> Result<()> {
        let Self { scenario, stage, live, .. } = self;
        self.set_up().await?;
        live.step("telling the proxy what to do");
        let statements: Result<Vec<String>, _> =
            scenario.proxy.distsql.iter().map(|text| self.fill.text(text)).collect();
        let statements = statements?;
        say("", &through(self.weir, &scenario.proxy.database), &statements, live).await?;
        for (name, weir) in &self.further.proxies {
            live.step(&format!("telling {name} the same"));
            say("", &through(weir, &scenario.proxy.database), &statements, live).await?;
        }

        let arms: Result<Vec<Arm>> = scenario.arms.iter().map(|part| self.arm(part)).collect();
        let arms = arms?;
        let fillings = self.fillings(&arms)?;
        for (target, load, whom) in &fillings {
            live.step(&format!("filling {} × {} rows for {whom}", load.tables, load.rows));
            stage.sysbench.prepare(target, load).await.context("the tables could not be filled")?;
        }
        self.check(When::Filled, report).await;

        let contests = self.contests(&arms)?;
        live.expect(contests.iter().map(Contest::runs).sum(), contests.iter().map(Contest::seconds).sum());
        for contest in contests {
            contest.hold(&stage.sysbench, &mut report.groups, live).await;
            compare(scenario, report);
        }
        self.check(When::Loaded, report).await;

        for (target, load, whom) in &fillings {
            live.step(&format!("dropping the tables of {whom}"));
            stage.sysbench.cleanup(target, load).await.context("the tables could not be dropped")?;
        }
        Ok(())
    }

    /// What is measured one after the other: each load with each number of threads.
    fn contests(&self, arms: &[Arm]) -> Result<Vec<Contest>> {
        let Self { scenario, options, .. } = self;
        let rounds = chosen(scenario, &options.scale, None)?.rounds.unwrap_or(1);
        let grid = scenario.threads.get(&options.scale.name).filter(|_| options.scale.own.threads.is_none());
        let threads =
            grid.map_or_else(|| vec![None], |grid| grid.iter().map(|threads| Some(*threads)).collect());
        let own = Variation {
            name: script_name(&scenario.load.script).to_owned(),
            script: scenario.load.script.clone(),
            options: Vec::new(),
        };
        let variations =
            if scenario.variations.is_empty() { std::slice::from_ref(&own) } else { &scenario.variations };
        let mut contests = Vec::new();
        for variation in variations {
            for threads in &threads {
                let varied: Vec<Arm> = arms
                    .iter()
                    .cloned()
                    .map(|mut arm| {
                        arm.load.script.clone_from(&variation.script);
                        arm.load.options.extend(variation.options.iter().cloned());
                        arm.load.threads = threads.unwrap_or(arm.load.threads);
                        arm
                    })
                    .collect();
                let with = threads.map_or_else(String::new, |threads| format!(", {threads} threads"));
                contests.push(Contest {
                    title: format!("{}, {}{with}", variation.name, scenario.load.statements.word()),
                    warm_up: varied.first().map_or(0, |arm| (arm.load.seconds / 5).min(10)),
                    arms: varied,
                    rounds,
                    replicas: self.stage.sandbox.replicas().to_vec(),
                });
            }
        }
        Ok(contests)
    }

    /// The file's statements for servers.
    async fn set_up(&self) -> Result<()> {
        for part in &self.scenario.setup {
            for fill in self.fill.each(&part.each) {
                let (on, statement) = (fill.text(&part.on)?, fill.text(&part.sql)?);
                let target = self.target(&on)?;
                let mut session = Session::open(target).await?;
                session.say(&statement).await?;
                session.close().await;
            }
        }
        self.settle().await
    }

    /// Waits for every replica.
    async fn settle(&self) -> Result<()> {
        for replica in self.stage.sandbox.replicas() {
            replica.caught_up().await?;
        }
        Ok(())
    }

    fn target(&self, name: &str) -> Result<&Target> {
        self.targets.get(name).with_context(|| format!("no server is called `{name}`"))
    }

    /// What is filled, how, and for whom in words.
    fn fillings(&self, arms: &[Arm]) -> Result<Vec<(Target, Load, String)>> {
        let of_arm = |arm: &Arm| (arm.target.clone(), self.scenario.filling(&arm.load), arm.about.clone());
        let Some(places) = &self.scenario.prepare.into else { return Ok(arms.iter().map(of_arm).collect()) };
        let load = &arms.first().context("there is no arm to measure")?.load;
        let place = |place: &Place| {
            let target = Target { database: place.database.clone(), ..self.target(&place.target)?.clone() };
            Ok((target, self.scenario.filling(load), format!("{} on {}", place.database, place.target)))
        };
        places.iter().map(place).collect()
    }

    fn arm(&self, part: &ArmPart) -> Result<Arm> {
        let target = Target { database: part.database.clone(), ..self.target(&part.target)?.clone() };
        let servers = self.stage.sandbox.servers().iter();
        let further = self.further.proxies.get(&part.target);
        let proxy = further.or_else(|| (part.target == WEIR).then_some(self.weir));
        let watch = if let Some(proxy) = proxy {
            Watch {
                proxy: proxy.pid().into_iter().collect(),
                servers: servers.filter_map(crate::sandbox::Server::pid).collect(),
            }
        } else {
            let own = servers.filter(|server| server.port() == target.port);
            Watch { proxy: Vec::new(), servers: own.filter_map(crate::sandbox::Server::pid).collect() }
        };
        let counts = self.scenario.counts.iter().filter(|count| count.arm == part.name);
        let counted = counts.map(|count| {
            let counters = count.per_transaction.keys().cloned().collect();
            let target = self.target(&count.on)?.clone();
            Ok(Meter::Status { server: count.on.clone(), target, counters })
        });
        let meters = counted.chain(self.written(part).map(Ok));
        Ok(Arm {
            name: part.name.clone(),
            about: part.about.clone(),
            load: self.scenario.load(chosen(self.scenario, &self.options.scale, Some(part))?, part),
            documented: part.documented,
            meters: meters.collect::<Result<_>>()?,
            target,
            watch,
        })
    }

    /// What is counted of what an arm's proxy writes, or sends to the collector.
    fn written(&self, part: &ArmPart) -> impl Iterator<Item = Meter> {
        let logs = self.further.proxies.get(&part.target).map(WeirProcess::logs);
        let of_arm = self.scenario.records.iter().filter(|record| record.arm == part.name);
        of_arm.filter_map(move |record| {
            let name = record.name.clone();
            if record.file == COLLECTOR {
                let count = self.further.collector.as_ref()?.spans();
                return Some(Meter::Taken { name, count });
            }
            let (folder, file) = (logs.clone()?, record.file.clone());
            Some(Meter::Lines { name, folder, file, holding: record.holding.clone() })
        })
    }

    async fn check(&self, when: When, report: &mut Report) {
        let mut checks = Vec::new();
        if let Err(error) = self.settle().await {
            checks.push(Check {
                name: "every replica has caught up".to_owned(),
                fault: Some(format!("{error:#}")),
            });
        }
        let due = self.scenario.checks.iter().filter(|part| part.when.is_none_or(|only| only == when));
        for part in due {
            self.live.step(&format!("checking {}: {}", when.words(), part.name));
            checks.push(verify(part, &self.targets, &self.fill, when).await);
        }
        if let (When::Loaded, Some(group)) = (when, report.groups.last()) {
            checks.extend(self.scenario.counts.iter().map(|part| count(part, group)));
        }
        if when == When::Loaded {
            checks.extend(self.scenario.records.iter().map(|part| recorded(part, &report.groups)));
        }
        for fault in checks.iter().filter_map(|check| check.fault.as_ref()) {
            self.live.line(&format!("  ! does not hold: {fault}"));
        }
        report.checks.extend(checks);
    }
}

/// A script without its folder.
fn script_name(script: &str) -> &str {
    Path::new(script).file_stem().and_then(|name| name.to_str()).unwrap_or(script)
}

/// Each arm's transactions beside the first one's, here and in the document, and beside another's where the file says so.
fn compare(scenario: &Scenario, report: &mut Report) {
    let Some(group) = report.groups.last() else { return };
    let Some((base, others)) = group.arms.split_first() else { return };
    let beside = |series: &Series| {
        let part = scenario.arms.iter().find(|part| part.name == series.arm)?;
        let other = group.arm(part.beside.as_ref()?)?;
        let share = series.share(other, |trial| trial.summary.tps)?;
        Some(format!(", {:.2} × that of {} ({:.2}–{:.2})", share.median, other.about, share.min, share.max))
    };
    let mut notes = Vec::new();
    let several = !(scenario.variations.is_empty() && scenario.threads.is_empty());
    let which = if several { format!("{}: ", group.title) } else { String::new() };
    let documented = |series: &Series| series.documented.and_then(|figures| figures.tps);
    for series in others {
        let Some(share) = series.share(base, |trial| trial.summary.tps) else { continue };
        let theirs = match (documented(series), documented(base)) {
            (Some(own), Some(of)) => format!("; the document, on its hosts: {:.2} ×", own / of),
            _ => String::new(),
        };
        notes.push(format!(
            "{which}{}: {:.2} × the TPS of {} ({:.2}–{:.2}){}{theirs}",
            series.about,
            share.median,
            base.about,
            share.min,
            share.max,
            beside(series).unwrap_or_default()
        ));
    }
    report.notes.extend(notes);
}
