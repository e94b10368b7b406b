//! Many clients on one MySQL that has processors of its own, as in a data centre: direct, and through Weir.
//!
//! Where client, proxy and server share all processors, a proxy can only take from them, however much it spares the
//! server. With a slice for the server, which client and proxy cannot use, what the server is spared comes back as
//! throughput.

use anyhow::{Context as _, Result};

use super::topology::Topology;
use super::{Contest, Options, Part, Script, contest};
use crate::load::{Load, Statements};
use crate::measure::Host;
use crate::provision::Tools;
use crate::report::{Live, Report};
use crate::stage::{Stage, run};

/// Client threads.
const THREADS: [u32; 2] = [64, 256];

/// The arms beside the direct one when none is named.
const ARMS: [&str; 2] = ["haproxy", "pass"];

/// Runs the part, or says why it is skipped.
pub(super) fn perform(options: &Options, tools: &Tools, report: &mut Report, live: &Live) -> Result<()> {
    let options = narrowed(options);
    let share = options.server_cpu.unwrap_or_else(|| share(report.host.cores));
    let stage = Stage::set(tools, 1, Some(share), live)?;
    let notices = stage.sandbox.notices();
    if !notices.is_empty() {
        report
            .skipped
            .push(format!("many clients on a server with its own processors: {}", notices.join("; ")));
        return Ok(());
    }
    report.notes.push(format!(
        "crowd: the server has {share} of a processor to itself; load average {:.2} before",
        Host::load()
    ));
    let topology = Topology::build(&stage, &options, live)?;
    run(sweep(&options, &stage, &topology, report, live))
}

/// What of the choice concerns this part.
fn narrowed(options: &Options) -> Options {
    let mut only: Vec<Part> = options.only.iter().copied().filter(|part| *part != Part::Crowd).collect();
    if !only.iter().any(|part| matches!(part, Part::Arm(_))) {
        only.extend(ARMS.map(Part::Arm));
    }
    Options { only, ..options.clone() }
}

/// The server's slice on a machine of so many cores: the rest is enough for a client and a proxy that keep up with it.
fn share(cores: usize) -> f64 {
    (cores as f64 * 0.25).max(0.25)
}

fn contests(options: &Options, topology: &Topology) -> Vec<Contest> {
    loads(options)
        .into_iter()
        .map(|(script, load)| {
            let contest = contest(options, topology, script, load);
            Contest { title: format!("crowd: {}", contest.title), ..contest }
        })
        .collect()
}

fn loads(options: &Options) -> Vec<(Script, Load)> {
    let mut loads = Vec::new();
    for script in [Script::Point, Script::ReadWrite].into_iter().filter(|it| options.wants(Part::Load(*it))) {
        for statements in [Statements::Prepared, Statements::Text] {
            if !options.wants(Part::Statements(statements)) {
                continue;
            }
            loads.extend(THREADS.map(|threads| {
                let (seconds, rows) = (options.seconds, options.rows);
                (script, Load { statements, threads, seconds, rows, ..Load::new(script.file()) })
            }));
        }
    }
    loads
}

async fn sweep(
    options: &Options,
    stage: &Stage,
    topology: &Topology,
    report: &mut Report,
    live: &Live,
) -> Result<()> {
    topology.prepare(stage, options, live).await?;
    let contests = contests(options, topology);
    live.expect(contests.iter().map(Contest::runs).sum(), contests.iter().map(Contest::seconds).sum());
    for contest in contests {
        contest.hold(&stage.sysbench, &mut report.groups, live).await;
    }
    topology.alive().context("after the last load")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(only: &[&str]) -> Options {
        Options {
            rounds: 1,
            seconds: 1,
            threads: vec![8],
            rows: 1000,
            only: only.iter().map(|part| part.parse().unwrap()).collect(),
            server_cpu: None,
        }
    }

    fn titles(only: &[&str]) -> Vec<String> {
        let words = |(script, load): (Script, Load)| {
            format!("{} {} {}", script.words(), load.statements.word(), load.threads)
        };
        loads(&narrowed(&options(only))).into_iter().map(words).collect()
    }

    #[test]
    fn has_both_loads_in_both_protocols_unless_narrowed() {
        assert_eq!(titles(&["crowd"]).len(), 8);
        assert_eq!(
            titles(&["crowd", "read-write", "text", "pass"]),
            ["read-write text 64", "read-write text 256"]
        );
        let narrow = narrowed(&options(&["crowd", "pass"]));
        assert!(!narrow.wants(Part::Arm("haproxy")) && narrow.wants(Part::Arm("pass")));
        let wide = narrowed(&options(&["crowd"]));
        assert!(wide.wants(Part::Arm("haproxy")) && !wide.wants(Part::Arm("sharded")));
    }

    #[test]
    fn alone_it_leaves_out_the_rest() {
        let crowd = options(&["crowd", "point"]);
        assert!(crowd.wants(Part::Crowd) && crowd.loads().is_empty() && !crowd.wants(Part::Slices));
        assert!(options(&[]).wants(Part::Crowd) && !options(&["point"]).wants(Part::Crowd));
    }

    #[test]
    fn the_server_leaves_most_of_the_machine_to_the_others() {
        for cores in [1, 2, 4, 48] {
            assert!(share(cores) <= cores as f64 * 0.3, "{cores}");
        }
    }
}
