//! The command line of the harness.

mod measuring;

use std::io::Write as _;

use anyhow::{Context as _, Result};
use clap::{Args, Parser, Subcommand, ValueEnum};
use tokio::signal::unix::{SignalKind, signal};
use weir_harness::{Flavour, Lines, Sandbox};

/// Real servers in a sandbox, and what they show about the proxy.
#[derive(Debug, Parser)]
#[command(name = "cargo harness", version)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Compare direct, HAProxy, Weir passing through and Weir sharding, interleaved
    Bench(measuring::BenchArgs),
    /// The sharding scenario in small: servers, proxy, statements, load, comparison
    Demo(measuring::DemoArgs),
    /// The documented scenarios
    List,
    /// Run a documented scenario
    Run(measuring::RunArgs),
    /// Start servers, print how to reach them, wait for Ctrl-C, leave nothing behind
    Sandbox(SandboxArgs),
}

#[derive(Debug, Args)]
struct SandboxArgs {
    /// How many servers
    #[arg(long, default_value_t = 1)]
    mysql: usize,
    /// Which kind of server
    #[arg(long, value_enum, default_value_t = ServerKind::Mysql)]
    server: ServerKind,
    /// Share of the processors each server may use (0.5 is half of one)
    #[arg(long)]
    server_cpu: Option<f64>,
    /// Leave the data folders when done
    #[arg(long)]
    keep: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ServerKind {
    Mariadb,
    Mysql,
}

impl Cli {
    pub(crate) fn run(self) -> Result<()> {
        match self.command {
            Command::Bench(args) => args.run(),
            Command::Demo(args) => args.run(),
            Command::List => measuring::list(),
            Command::Run(args) => args.run(),
            Command::Sandbox(args) => args.run(),
        }
    }
}

impl SandboxArgs {
    fn run(self) -> Result<()> {
        let flavour = match self.server {
            ServerKind::Mariadb => Flavour::MariaDb,
            ServerKind::Mysql => Flavour::MySql,
        };
        let sandbox = Sandbox::builder()
            .mysql(self.mysql)
            .flavour(flavour)
            .cpu_share(self.server_cpu)
            .keep(self.keep)
            .progress(&Lines)
            .start()?;
        let tools = sandbox.tools()?;
        let mut out = std::io::stdout().lock();
        for server in sandbox.servers() {
            writeln!(
                out,
                "server {}  {}  pid {}  socket {}",
                server.number(),
                server.url(),
                server.pid().unwrap_or_default(),
                server.socket().display()
            )?;
        }
        writeln!(
            out,
            "connect  mysql --host=127.0.0.1 --port={} --user=test --password=test sbtest   (mysql is {})",
            sandbox.servers().first().map(weir_harness::Server::port).unwrap_or_default(),
            tools.client()
        )?;
        writeln!(out, "folder   {}{}", sandbox.folder().display(), if self.keep { " (kept)" } else { "" })?;
        writeln!(out, "Ctrl-C ends them")?;
        out.flush()?;
        wait_for_the_end()
    }
}

/// Returns on Ctrl-C or SIGTERM.
fn wait_for_the_end() -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut interrupt = signal(SignalKind::interrupt()).context("cannot wait for Ctrl-C")?;
        let mut terminate = signal(SignalKind::terminate()).context("cannot wait for SIGTERM")?;
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        Ok(())
    })
}
