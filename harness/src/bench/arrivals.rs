//! What clients cost that do nothing, and what becomes of many who come at once: through HAProxy and through Weir.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use futures_util::future::join_all;
use mysql_async::prelude::Queryable as _;
use mysql_async::{Conn, OptsBuilder, SslOpts};

use super::topology::definition;
use super::{Options, Part};
use crate::load::Target;
use crate::measure::resident;
use crate::provision::Tools;
use crate::report::{Finding, Live, Report, Standing};
use crate::sandbox::{HaProxy, WeirProcess};
use crate::stage::{Stage, run, say, through};

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
    live.step("starting haproxy");
    let haproxy = stage.sandbox.haproxy()?;
    let weir = stage.weir(live)?;
    run(async {
        let server = stage.sandbox.server(0);
        let unit = Stage::direct(server, server.database());
        let statements = vec![
            "CREATE DATABASE bench_idle".to_owned(),
            "USE bench_idle".to_owned(),
            format!("REGISTER STORAGE UNIT {}", definition("one", &unit)),
        ];
        say("", &through(&weir, ""), &statements, live).await?;
        for door in doors(&haproxy, &weir, &unit)? {
            if options.wants(Part::Idle) {
                live.step(&format!("{} idle clients, {}", door.idle, door.name));
                idle(&door, report).await?;
            }
            if options.wants(Part::Storm) {
                live.step(&format!("{STORM} clients at once, {}", door.name));
                storm(&door, report).await;
            }
        }
        for other in ["proxysql", "mysqlrouter"] {
            report.skipped.push(format!("idle and storm of {other}: it is not among the harness's tools"));
        }
        Ok(())
    })
}

fn doors(haproxy: &HaProxy, weir: &WeirProcess, unit: &Target) -> Result<[Door; 3]> {
    let Some(pid) = weir.pid() else { bail!("the proxy has ended; its log: {}", weir.log().display()) };
    let weir = through(weir, "bench_idle");
    let [plain, tls, behind] = IDLE;
    Ok([
        Door {
            name: "weir",
            target: weir.clone(),
            pid,
            tls: false,
            idle: plain,
            allowed: Some(KILOBYTES[0]),
        },
        Door { name: "weir, TLS", target: weir, pid, tls: true, idle: tls, allowed: Some(KILOBYTES[1]) },
        Door {
            name: "haproxy",
            target: Target { port: haproxy.address().port(), ..unit.clone() },
            pid: haproxy.pid(),
            tls: false,
            idle: behind,
            allowed: None,
        },
    ])
}

/// Counts what idle clients take, each of which has asked and prepared something.
async fn idle(door: &Door, report: &mut Report) -> Result<()> {
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
    Ok(())
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
        let ssl = self.tls.then(|| SslOpts::default().with_danger_accept_invalid_certs(true));
        OptsBuilder::default()
            .ip_or_hostname(&self.target.host)
            .tcp_port(self.target.port)
            .user(Some(&self.target.user))
            .pass(Some(&self.target.password))
            .db_name(Some(&self.target.database))
            // Told here, so that the client need not ask before the first statement.
            .max_allowed_packet(Some(16 << 20))
            .wait_timeout(Some(28_800))
            .prefer_socket(false)
            .ssl_opts(ssl)
    }
}
