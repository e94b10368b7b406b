//! What clients cost that do nothing, and what becomes of many who come at once: through HAProxy and through Weir.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use futures_util::future::join_all;
use mysql_async::prelude::Queryable as _;
use mysql_async::{Conn, OptsBuilder, SslOpts};

use super::topology::definition;
use super::{Arm, Contest, Options, Part};
use crate::load::{Load, Target};
use crate::measure::{Watch, resident};
use crate::provision::Tools;
use crate::report::{Finding, Live, Report, Standing};
use crate::sandbox::WeirProcess;
use crate::stage::{Stage, run, say, through};

/// The database of the proxy.
const DATABASE: &str = "bench_idle";
/// Idle clients of the proxy, plain and with TLS; and of HAProxy, behind which each takes a connection of the server.
const IDLE: [usize; 3] = [10_000, 2_000, 1_500];
/// Clients that a proxy has already when the others are counted.
const WARM: usize = 100;
/// Kilobytes that an idle client may take, plain and with TLS.
const KILOBYTES: [f64; 2] = [20.0, 60.0];
/// Clients that come within a second.
const STORM: usize = 1_000;
/// One of them that has no answer by then is counted as refused.
const PATIENCE: Duration = Duration::from_secs(30);

/// Clients that go on working beside idle ones.
const WORKING: u32 = 64;
/// The arms of the comparison: the same load without and with idle clients.
pub(super) const ALONE: &str = "alone";
/// See [`ALONE`].
pub(super) const BESIDE: &str = "beside";

/// A way to the server.
struct Door {
    name: &'static str,
    target: Target,
    pid: u32,
    tls: bool,
    /// Idle clients to count.
    idle: usize,
    /// What each may take, in KB.
    allowed: Option<f64>,
}

/// Runs the parts, [`Part::Idle`] and [`Part::Storm`].
pub(super) fn perform(options: &Options, tools: &Tools, report: &mut Report, live: &Live) -> Result<()> {
    let stage = Stage::set(tools, 1, None, live)?;
    run(async {
        let server = stage.sandbox.server(0);
        let unit = Stage::direct(server, server.database());
        if options.wants(Part::Idle) {
            live.step(&format!("filling {} rows", options.rows));
            stage.sysbench.prepare(&unit, &load(options)).await?;
        }
        // A proxy for each: memory that one kind of client gave back would hide what the next kind takes.
        for (tls, idle, allowed) in [(false, IDLE[0], KILOBYTES[0]), (true, IDLE[1], KILOBYTES[1])] {
            let weir = opened(&stage, &unit, live).await?;
            let door = Door {
                name: if tls { "weir, TLS" } else { "weir" },
                target: through(&weir, DATABASE),
                pid: pid(&weir)?,
                tls,
                idle,
                allowed: Some(allowed),
            };
            let clients = enter(&door, &unit, options, report, live).await?;
            if !tls && options.wants(Part::Idle) {
                beside(&door, &stage, &unit, options, report, live).await?;
            }
            drop(clients);
        }
        live.step("starting haproxy");
        let haproxy = stage.sandbox.haproxy()?;
        let door = Door {
            name: "haproxy",
            target: Target { port: haproxy.address().port(), ..unit.clone() },
            pid: haproxy.pid(),
            tls: false,
            idle: IDLE[2],
            allowed: None,
        };
        drop(enter(&door, &unit, options, report, live).await?);
        for other in ["proxysql", "mysqlrouter"] {
            report.skipped.push(format!("idle and storm of {other}: it is not among the harness's tools"));
        }
        Ok(())
    })
}

/// A fresh proxy before the server.
async fn opened(stage: &Stage, unit: &Target, live: &Live) -> Result<WeirProcess> {
    let weir = stage.weir(live)?;
    let statements = vec![
        format!("CREATE DATABASE {DATABASE}"),
        format!("USE {DATABASE}"),
        format!("REGISTER STORAGE UNIT {}", definition("one", unit)),
    ];
    say("", &through(&weir, ""), &statements, live).await?;
    Ok(weir)
}

fn pid(weir: &WeirProcess) -> Result<u32> {
    weir.pid().with_context(|| format!("the proxy has ended; its log: {}", weir.log().display()))
}

/// What is wanted of one door: first the storm, then the idle clients, who are still there afterwards.
async fn enter(
    door: &Door,
    unit: &Target,
    options: &Options,
    report: &mut Report,
    live: &Live,
) -> Result<Vec<Conn>> {
    if options.wants(Part::Storm) {
        live.step(&format!("{STORM} clients at once, {}", door.name));
        storm(door, report).await;
        deserted(unit).await?;
    }
    if !options.wants(Part::Idle) {
        return Ok(Vec::new());
    }
    live.step(&format!("{} idle clients, {}", door.idle, door.name));
    idle(door, report).await
}

/// Waits until the server has got rid of its clients: those of HAProxy are its own, and it lets in only so many.
async fn deserted(unit: &Target) -> Result<()> {
    let mut server = Conn::new(login(unit, false)).await?;
    let deadline = Instant::now() + PATIENCE;
    loop {
        let found: Option<(String, usize)> =
            server.query_first("SHOW STATUS LIKE 'Threads_connected'").await?;
        if found.is_none_or(|(_, clients)| clients <= WARM) || Instant::now() > deadline {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    server.disconnect().await?;
    Ok(())
}

fn load(options: &Options) -> Load {
    Load { threads: WORKING, seconds: options.seconds, rows: options.rows, ..Load::new("oltp_point_select") }
}

/// What clients at work get through a proxy that has idle ones, beside another that has none.
async fn beside(
    door: &Door,
    stage: &Stage,
    unit: &Target,
    options: &Options,
    report: &mut Report,
    live: &Live,
) -> Result<()> {
    let empty = opened(stage, unit, live).await?;
    let server = stage.sandbox.server(0).pid().context("the server has ended")?;
    let arm = |name: &str, about: &str, target: Target, proxy: u32| Arm {
        name: name.to_owned(),
        about: about.to_owned(),
        target,
        watch: Watch { proxy: vec![proxy], servers: vec![server] },
        meters: Vec::new(),
        load: load(options),
        documented: None,
    };
    let contest = Contest {
        title: format!("point select, prepared, {WORKING} threads beside {} idle clients", door.idle + WARM),
        arms: vec![
            arm(ALONE, "Weir, nobody else", through(&empty, DATABASE), pid(&empty)?),
            arm(BESIDE, "Weir, with idle clients", door.target.clone(), door.pid),
        ],
        rounds: options.rounds,
        replicas: Vec::new(),
        warm_up: 1,
    };
    live.expect(contest.runs(), contest.seconds());
    contest.hold(&stage.sysbench, &mut report.groups, live).await;
    Ok(())
}

/// Counts what idle clients take, each of which has asked and prepared something.
async fn idle(door: &Door, report: &mut Report) -> Result<Vec<Conn>> {
    let mut clients = Vec::with_capacity(door.idle + WARM);
    for _ in 0..WARM {
        clients.push(settled(door).await?);
    }
    let before = resident(door.pid)?;
    let started = Instant::now();
    for number in 0..door.idle {
        clients.push(settled(door).await.with_context(|| format!("client {number}"))?);
    }
    let took = started.elapsed();
    let each = resident(door.pid)?.saturating_sub(before) as f64 / door.idle as f64 / 1024.0;
    let measured = format!("{each:.1} KB ({} clients, let in within {:.1} s)", door.idle, took.as_secs_f64());
    match door.allowed {
        Some(allowed) => report.findings.push(Finding {
            target: format!("an idle client, {}: at most {allowed} KB", door.name),
            measured,
            standing: if each <= allowed { Standing::Met } else { Standing::Missed },
        }),
        None => report.notes.push(format!("an idle client, {}: {measured}", door.name)),
    }
    Ok(clients)
}

async fn settled(door: &Door) -> Result<Conn> {
    let mut client = Conn::new(door.login()).await?;
    let _: Option<u32> = client.query_first("SELECT 1").await?;
    client.prep("SELECT ? + 1").await?;
    Ok(client)
}

/// Many come at once; each asks one thing and leaves.
async fn storm(door: &Door, report: &mut Report) {
    let started = Instant::now();
    let all = join_all((0..STORM).map(|_| async {
        let came = Instant::now();
        let answer = tokio::time::timeout(PATIENCE, async {
            let mut client = Conn::new(door.login()).await?;
            let answer: Option<u32> = client.query_first("SELECT 1").await?;
            let took = came.elapsed();
            client.disconnect().await?;
            Ok::<_, mysql_async::Error>(answer.map(|_| took))
        });
        answer.await.ok().and_then(Result::ok).flatten()
    }));
    let mut served: Vec<_> = all.await.into_iter().flatten().collect();
    let took = started.elapsed();
    served.sort_unstable();
    let at = |share: f64| {
        let place = (served.len() as f64 * share) as usize;
        served.get(place.min(served.len().saturating_sub(1))).map_or(0, Duration::as_millis)
    };
    let measured = format!(
        "{} served, {} refused in {:.1} s; first answer after {} ms (p50), {} ms (p99)",
        served.len(),
        STORM - served.len(),
        took.as_secs_f64(),
        at(0.5),
        at(0.99)
    );
    report.findings.push(Finding {
        target: format!("{STORM} clients at once, {}: all served", door.name),
        measured,
        standing: if served.len() == STORM { Standing::Met } else { Standing::Missed },
    });
}

impl Door {
    fn login(&self) -> OptsBuilder {
        login(&self.target, self.tls)
    }
}

fn login(target: &Target, tls: bool) -> OptsBuilder {
    let ssl = tls.then(|| SslOpts::default().with_danger_accept_invalid_certs(true));
    OptsBuilder::default()
        .ip_or_hostname(&target.host)
        .tcp_port(target.port)
        .user(Some(&target.user))
        .pass(Some(&target.password))
        .db_name(Some(&target.database))
        // Told here, so that the client need not ask before the first statement.
        .max_allowed_packet(Some(16 << 20))
        .wait_timeout(Some(28_800))
        .prefer_socket(false)
        .ssl_opts(ssl)
}
