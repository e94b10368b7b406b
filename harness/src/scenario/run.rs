//! Runs a scenario: servers, proxy, statements, load, checks, report.

use std::path::PathBuf;
use std::str::FromStr;

use anyhow::{Context as _, Result, bail};

use super::check::{Targets, verify};
use super::file::{ArmPart, Scale, Scenario, WEIR};
use super::fill::Fill;
use crate::bench::{Arm, Contest};
use crate::load::Target;
use crate::measure::Watch;
use crate::provision::place;
use crate::report::{Live, Report, Series};
use crate::sandbox::WeirProcess;
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
    let stage = Stage::set(&tools, names.len(), options.server_cpu, live)?;
    let weir = stage.weir(live)?;
    introduce(&mut report, scenario, options, scale, &stage);
    let outcome = run(measure(scenario, options, &stage, &weir, &mut report, live));
    live.finish();
    report.end();
    finish(report, outcome, live)
}

fn introduce(report: &mut Report, scenario: &Scenario, options: &Options, scale: Scale, stage: &Stage) {
    report.notes.push(format!("scale: {scale}; the document: {}", chosen_full(scenario)));
    report.notes.push(format!("source: {}", scenario.source));
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

async fn measure(
    scenario: &Scenario,
    options: &Options,
    stage: &Stage,
    weir: &WeirProcess,
    report: &mut Report,
    live: &Live,
) -> Result<()> {
    let (targets, fill) = places(scenario, stage, weir);
    let proxy = through(weir, &scenario.proxy.database);
    live.step("telling the proxy what to do");
    let statements: Result<Vec<String>, _> =
        scenario.proxy.distsql.iter().map(|text| fill.text(text)).collect();
    say("", &proxy, &statements?, live).await?;

    let arms: Result<Vec<Arm>> =
        scenario.arms.iter().map(|part| arm(scenario, options, part, &targets, stage, weir)).collect();
    let arms = arms?;
    for arm in &arms {
        live.step(&format!("filling {} × {} rows for {}", arm.load.tables, arm.load.rows, arm.about));
        stage.sysbench.prepare(&arm.target, &arm.load).await.context("the tables could not be filled")?;
    }
    check(scenario, &targets, &fill, "after filling", report, live).await;

    let rounds = chosen(scenario, &options.scale, None)?.rounds.unwrap_or(1);
    let warm_up = arms.first().map_or(0, |arm| (arm.load.seconds / 5).min(10));
    let load = &scenario.load;
    let title = format!("{}, {}", load.script, load.statements.word());
    let contest = Contest { title, arms, rounds, warm_up };
    live.expect(contest.runs(), contest.seconds());
    contest.hold(&stage.sysbench, &mut report.groups, live).await;
    compare(report);
    check(scenario, &targets, &fill, "after the load", report, live).await;

    for arm in &contest.arms {
        live.step(&format!("dropping the tables of {}", arm.about));
        stage.sysbench.cleanup(&arm.target, &arm.load).await.context("the tables could not be dropped")?;
    }
    Ok(())
}

fn places(scenario: &Scenario, stage: &Stage, weir: &WeirProcess) -> (Targets, Fill) {
    let names = scenario.names();
    let mut targets: Targets = names
        .iter()
        .zip(stage.sandbox.servers())
        .map(|(name, server)| (name.clone(), Stage::direct(server, server.database())))
        .collect();
    let fill =
        Fill::new(targets.iter().map(|(name, target)| (name.as_str(), target.host.as_str(), target.port)));
    targets.insert(WEIR.to_owned(), through(weir, &scenario.proxy.database));
    (targets, fill)
}

fn arm(
    scenario: &Scenario,
    options: &Options,
    part: &ArmPart,
    targets: &Targets,
    stage: &Stage,
    weir: &WeirProcess,
) -> Result<Arm> {
    let target =
        targets.get(&part.target).with_context(|| format!("no server is called `{}`", part.target))?;
    let target = Target { database: part.database.clone(), ..target.clone() };
    let servers = stage.sandbox.servers().iter();
    let watch = if part.target == WEIR {
        Watch {
            proxy: weir.pid().into_iter().collect(),
            servers: servers.filter_map(crate::sandbox::Server::pid).collect(),
        }
    } else {
        let own = servers.filter(|server| server.port() == target.port);
        Watch { proxy: Vec::new(), servers: own.filter_map(crate::sandbox::Server::pid).collect() }
    };
    Ok(Arm {
        name: part.name.clone(),
        about: part.about.clone(),
        load: scenario.load(chosen(scenario, &options.scale, Some(part))?),
        documented: part.documented,
        target,
        watch,
    })
}

async fn check(
    scenario: &Scenario,
    targets: &Targets,
    fill: &Fill,
    when: &str,
    report: &mut Report,
    live: &Live,
) {
    for part in &scenario.checks {
        live.step(&format!("checking {when}: {}", part.name));
        let check = verify(part, targets, fill, when).await;
        if let Some(fault) = &check.fault {
            live.line(&format!("  ! does not hold: {fault}"));
        }
        report.checks.push(check);
    }
}

/// Each arm's transactions beside the first one's, here and in the document.
fn compare(report: &mut Report) {
    let arms = report.groups.last().map(|group| group.arms.as_slice());
    let Some((base, others)) = arms.and_then(<[Series]>::split_first) else { return };
    let mut notes = Vec::new();
    let documented = |series: &Series| series.documented.and_then(|figures| figures.tps);
    for series in others {
        let Some(share) = series.share(base, |trial| trial.summary.tps) else { continue };
        let theirs = match (documented(series), documented(base)) {
            (Some(own), Some(of)) => format!("; the document, on its hosts: {:.2} ×", own / of),
            _ => String::new(),
        };
        notes.push(format!(
            "{}: {:.2} × the TPS of {} ({:.2}–{:.2}){theirs}",
            series.about, share.median, base.about, share.min, share.max
        ));
    }
    report.notes.extend(notes);
}
