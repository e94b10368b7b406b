//! One measured run: a load sent to a target while the processes behind it are watched.

use std::time::Duration;

use serde::Serialize;

use super::meter::Counts;
use super::process::{Usage, usage};
use crate::load::{Event, Failure, Interval, Load, Summary, Sysbench, Target};

/// The processes a query passes through, apart from the client.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Watch {
    /// The proxy; empty when there is none.
    pub proxy: Vec<u32>,
    /// The servers.
    pub servers: Vec<u32>,
}

/// CPU microseconds per query, by who used them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Cost {
    /// Of the proxy.
    pub proxy: f64,
    /// Of all servers together.
    pub servers: f64,
    /// Of sysbench.
    pub client: f64,
}

/// What one run gave.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Trial {
    /// What sysbench says.
    #[serde(flatten)]
    pub summary: Summary,
    /// CPU per query.
    pub cost: Cost,
    /// Peak of resident memory of the proxy so far, in kB.
    pub proxy_memory: u64,
    /// Peak of resident memory of the servers so far, in kB.
    pub server_memory: u64,
    /// What servers counted themselves, where that is asked for.
    #[serde(skip_serializing_if = "Counts::is_empty")]
    pub counts: Counts,
    /// Why it must not be believed.
    pub fault: Option<String>,
}

/// Runs `load` against `target` and accounts its cost to `watch`; `progress` hears each interval.
pub async fn trial(
    sysbench: &Sysbench,
    target: &Target,
    load: &Load,
    watch: &Watch,
    progress: &mut dyn FnMut(Interval),
) -> Result<Trial, Failure> {
    let (mut before, mut after) = (Snapshot::default(), Snapshot::default());
    let summary = sysbench
        .run(target, load, &mut |event| match event {
            Event::Started(client) => before = Snapshot::take(watch, client),
            Event::Stopped(client) => after = Snapshot::take(watch, client),
            Event::Interval(interval) => progress(interval),
        })
        .await?;
    let fault = summary.fault().or_else(|| after.gone.map(|pid| format!("process {pid} ended")));
    let per_query = |before: Usage, after: Usage| {
        let used: Duration = after.cpu.saturating_sub(before.cpu);
        used.as_secs_f64() * 1e6 / (summary.queries.max(1) as f64)
    };
    Ok(Trial {
        cost: Cost {
            proxy: per_query(before.proxy, after.proxy),
            servers: per_query(before.servers, after.servers),
            client: per_query(before.client, after.client),
        },
        proxy_memory: after.proxy.peak,
        server_memory: after.servers.peak,
        counts: Counts::new(),
        fault,
        summary,
    })
}

#[derive(Default)]
struct Snapshot {
    proxy: Usage,
    servers: Usage,
    client: Usage,
    gone: Option<u32>,
}

impl Snapshot {
    fn take(watch: &Watch, client: u32) -> Self {
        let mut gone = None;
        let mut sum = |pids: &[u32]| {
            let mut total = Usage::default();
            for pid in pids {
                match usage(*pid) {
                    Ok(usage) => {
                        total.cpu += usage.cpu;
                        total.peak += usage.peak;
                    }
                    Err(_) => gone = Some(*pid),
                }
            }
            total
        };
        let (proxy, servers) = (sum(&watch.proxy), sum(&watch.servers));
        Self { proxy, servers, client: usage(client).unwrap_or_default(), gone }
    }
}
