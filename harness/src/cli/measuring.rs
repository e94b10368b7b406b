//! The commands that measure: `demo`, `bench`, `run`, `list`.

use std::io::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use clap::Args;
use weir_harness::report::{Live, Report};
use weir_harness::scenario::{self, Choice, Scenario};
use weir_harness::{bench, demo};

/// Four MySQL servers, the proxy, the guide's statements, sysbench direct and through the proxy.
#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// Rows of the table
    #[arg(long, default_value_t = demo::Options::default().rows)]
    rows: u64,
    /// Client threads
    #[arg(long, default_value_t = demo::Options::default().threads)]
    threads: u32,
    /// Length of a run
    #[arg(long, default_value_t = demo::Options::default().seconds)]
    seconds: u32,
    /// Runs of each arm
    #[arg(long, default_value_t = demo::Options::default().rounds)]
    rounds: u32,
}

impl DemoArgs {
    pub(crate) fn run(self) -> Result<()> {
        let Self { rows, threads, seconds, rounds } = self;
        let (report, file) = demo::perform(demo::Options { rows, threads, seconds, rounds }, &Live::new())?;
        tell(&report, &file)
    }
}

/// Direct, HAProxy, Weir passing through, Weir sharding, under the same loads in turns.
#[derive(Debug, Args)]
pub(crate) struct BenchArgs {
    /// Short runs, few rounds: to see that it works, not to believe it
    #[arg(long)]
    quick: bool,
    /// Runs of each arm under each load [default: 3, quick: 2]
    #[arg(long)]
    rounds: Option<u32>,
    /// Length of a run [default: 10, quick: 2]
    #[arg(long)]
    seconds: Option<u32>,
    /// Client threads
    #[arg(long, value_delimiter = ',', default_value = "1,8,64")]
    threads: Vec<u32>,
    /// Rows of the table
    #[arg(long, default_value_t = 100_000)]
    rows: u64,
    /// Only these: direct, haproxy, pass, sharded, point, read-write, prepared, text, slices, crowd (narrowed by the others); and what runs only when
    /// named: read-only, ranges, simple-range, sum-range, order-range, distinct-range; and beside pass: readwrite, shadow, encrypt-aes, encrypt-md5, encrypt-sm4, encrypt-sm3, encrypt-rc4
    #[arg(long, value_delimiter = ',')]
    only: Vec<bench::Part>,
    /// Share of a processor for each server where slices are compared
    #[arg(long)]
    server_cpu: Option<f64>,
}

impl BenchArgs {
    pub(crate) fn run(self) -> Result<()> {
        let (rounds, seconds) = if self.quick { (2, 2) } else { (3, 10) };
        let options = bench::Options {
            rounds: self.rounds.unwrap_or(rounds),
            seconds: self.seconds.unwrap_or(seconds),
            threads: self.threads,
            rows: self.rows,
            only: self.only,
            server_cpu: self.server_cpu,
        };
        if [options.rounds, options.seconds].contains(&0) || options.threads.contains(&0) || options.rows == 0
        {
            bail!("rounds, seconds, threads and rows must be at least 1");
        }
        let (report, file) = bench::perform(&options, &Live::new())?;
        tell(&report, &file)
    }
}

/// A documented scenario.
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// Its name (see `list`), or the path of a scenario file
    scenario: String,
    /// small, full, or rows=…,threads=…,seconds=…,rounds=…
    #[arg(long, default_value = "small")]
    scale: Choice,
    /// Share of a processor for each server, where control groups can be made (0.25 is a quarter of one)
    #[arg(long)]
    server_cpu: Option<f64>,
}

impl RunArgs {
    pub(crate) fn run(self) -> Result<()> {
        let scenario = find(&self.scenario)?;
        let options = scenario::Options { scale: self.scale, server_cpu: self.server_cpu };
        let (report, file) = scenario::perform(&scenario, &options, &Live::new())?;
        tell(&report, &file)
    }
}

fn find(name: &str) -> Result<Scenario> {
    if Path::new(name).extension().is_some_and(|extension| extension == "yaml") {
        return Scenario::read(Path::new(name));
    }
    let all = scenario::all(&scenario::folder())?;
    let names: Vec<String> = all.iter().map(|(_, scenario)| scenario.name.clone()).collect();
    all.into_iter()
        .map(|(_, scenario)| scenario)
        .find(|scenario| scenario.name == name)
        .with_context(|| format!("no scenario is called `{name}`; there are {}", names.join(", ")))
}

/// Prints the scenarios that come with the harness.
pub(crate) fn list() -> Result<()> {
    let mut out = std::io::stdout().lock();
    for (_, scenario) in scenario::all(&scenario::folder())? {
        writeln!(out, "{:<12} {}\n{:<12} {}", scenario.name, scenario.title, "", scenario.source)?;
        for (name, scale) in &scenario.scales {
            writeln!(out, "{:<12} --scale {name}: {scale}", "")?;
        }
    }
    Ok(())
}

/// The report on the terminal; an error when it is not to be believed.
fn tell(report: &Report, file: &Path) -> Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "\n{}", report.text(None))?;
    writeln!(out, "report: {}", file.display())?;
    out.flush()?;
    if !report.sound() {
        bail!("not everything held: see the lines marked ✗ and ! above");
    }
    Ok(())
}
