//! Four servers against one, each with the same slice of CPU, through the proxy.
//!
//! With slices so small that client, proxy and four servers fit into the machine together, a proxy
//! that keeps up shows four times the throughput of one slice; one that does not shows its limit.

use anyhow::{Result, bail};

use super::topology::{SHARDS, definition, sharded};
use super::{Arm, Contest, Options, Script};
use crate::load::{Load, Target};
use crate::measure::{Host, Watch};
use crate::provision::Tools;
use crate::report::{Live, Report};
use crate::sandbox::WeirProcess;
use crate::stage::{Stage, run, say, through};

/// Enough clients to keep four servers busy while some of them wait for their next slice.
const THREADS: u32 = 128;

/// The arms, in the order of the table.
pub(super) const ONE: &str = "1 slice";
pub(super) const FOUR: &str = "4 slices";

/// Runs the part, or says why it is skipped.
pub(super) fn perform(options: &Options, tools: &Tools, report: &mut Report, live: &Live) -> Result<()> {
    let share = options.server_cpu.unwrap_or_else(|| share(report.host.cores));
    let stage = Stage::set(tools, SHARDS + 1, Some(share), live)?;
    let notices = stage.sandbox.notices();
    if !notices.is_empty() {
        report.skipped.push(format!("4 slices of CPU against one: {}", notices.join("; ")));
        return Ok(());
    }
    report.notes.push(format!(
        "slices: five servers, each with {share} of a processor; {ONE} is Weir before one of them without a rule, \
         {FOUR} is Weir with the table sharded over the other four; load average {:.2} before",
        Host::load()
    ));
    let weir = stage.weir(live)?;
    run(measure(options, &stage, &weir, report, live))
}

/// A server's slice on a machine of so many cores: four of them leave two
/// thirds of it to client and proxy, which need more for each query than a server does.
pub fn share(cores: usize) -> f64 {
    (cores as f64 * 0.075).max(0.1)
}

async fn measure(
    options: &Options,
    stage: &Stage,
    weir: &WeirProcess,
    report: &mut Report,
    live: &Live,
) -> Result<()> {
    let servers = stage.sandbox.servers();
    let Some((one, four)) = servers.split_last() else { bail!("there are no servers") };
    let units: Vec<Target> = four.iter().map(|server| Stage::direct(server, server.database())).collect();
    let alone = Stage::direct(one, one.database());
    let statements = [
        "CREATE DATABASE slice_one".to_owned(),
        "USE slice_one".to_owned(),
        format!("REGISTER STORAGE UNIT {}", definition("one", &alone)),
    ];
    say("", &through(weir, ""), &statements, live).await?;
    say("", &through(weir, ""), &sharded("slice_four", &units), live).await?;
    let pids =
        |servers: &[crate::sandbox::Server]| servers.iter().filter_map(|server| server.pid()).collect();
    let arm = |name: &str, about: &str, database: &str, servers: Vec<u32>, load: &Load| Arm {
        name: name.to_owned(),
        about: about.to_owned(),
        target: through(weir, database),
        watch: Watch { proxy: weir.pid().into_iter().collect(), servers },
        load: load.clone(),
        meters: Vec::new(),
        documented: None,
    };
    let contests: Vec<Contest> = [Script::Point, Script::ReadWrite]
        .into_iter()
        .map(|script| {
            let mut load = Load::new(script.file());
            (load.rows, load.threads, load.seconds) = (options.rows, THREADS, options.seconds);
            Contest {
                title: format!("slices of CPU: {}, prepared, {THREADS} threads", script.words()),
                arms: vec![
                    arm(ONE, "Weir before one server", "slice_one", pids(std::slice::from_ref(one)), &load),
                    arm(FOUR, "Weir, table sharded over four servers", "slice_four", pids(four), &load),
                ],
                rounds: options.rounds,
                replicas: Vec::new(),
                warm_up: (options.seconds / 4).clamp(1, 3),
            }
        })
        .collect();
    for arm in contests.first().into_iter().flat_map(|contest| &contest.arms) {
        live.step(&format!("filling {} rows for {}", arm.load.rows, arm.name));
        stage.sysbench.prepare(&arm.target, &arm.load).await?;
    }
    live.expect(contests.iter().map(Contest::runs).sum(), contests.iter().map(Contest::seconds).sum());
    for contest in contests {
        contest.hold(&stage.sysbench, &mut report.groups, live).await;
    }
    Ok(())
}
