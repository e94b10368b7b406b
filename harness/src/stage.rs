//! What every measurement stands on: servers in a sandbox, the proxy, sysbench, and a report that
//! is kept even when the user has had enough.

use std::future::Future;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};
use tokio::signal::unix::{SignalKind, signal};

use crate::load::{Answer, Session, Sysbench, Target};
use crate::progress::Progress;
use crate::provision::{Tools, place};
use crate::report::{Live, Report};
use crate::sandbox::{Sandbox, Server, WeirProcess, settings};

/// Servers and tools, ready to be measured.
#[derive(Debug)]
pub struct Stage {
    /// The servers.
    pub sandbox: Sandbox,
    /// The load generator.
    pub sysbench: Sysbench,
}

impl Stage {
    /// Starts `servers` servers, each with `share` of a processor if said and possible.
    pub fn set(tools: &Tools, servers: usize, share: Option<f64>, live: &Live) -> Result<Self> {
        Self::replicated(tools, servers, &[], share, live)
    }

    /// The same with replication: pairs of a replica's number and the one it follows.
    pub fn replicated(
        tools: &Tools,
        servers: usize,
        replicas: &[(usize, usize)],
        share: Option<f64>,
        live: &Live,
    ) -> Result<Self> {
        let builder = Sandbox::builder().mysql(servers).tools(tools).cpu_share(share).progress(live);
        let builder =
            replicas.iter().fold(builder, |builder, (replica, source)| builder.replica(*replica, *source));
        let sandbox = builder.start()?;
        let sysbench = Sysbench::new(tools, sandbox.watcher());
        Ok(Self { sandbox, sysbench })
    }

    /// Starts the proxy with the workspace's own configuration.
    pub fn weir(&self, live: &Live) -> Result<WeirProcess> {
        live.step("starting weir");
        WeirProcess::builder(&self.sandbox).start().context("the proxy did not start")
    }

    /// Where a load for `database` on `server` goes.
    pub fn direct(server: &Server, database: &str) -> Target {
        Target {
            host: server.address().ip().to_string(),
            port: server.port(),
            user: server.user().to_owned(),
            password: server.password().to_owned(),
            database: database.to_owned(),
        }
    }
}

/// Finds what is to be run, or fetches it, which the first time takes a while.
pub fn provide(live: &Live) -> Result<Tools> {
    live.step("finding MySQL, sysbench and HAProxy, or fetching them once");
    Tools::provide(live)
}

/// Where a load for `database` through the proxy goes, with the account of the sample configuration.
pub fn through(weir: &WeirProcess, database: &str) -> Target {
    Target {
        host: weir.address().ip().to_string(),
        port: weir.port(),
        user: "root".to_owned(),
        password: "root".to_owned(),
        database: database.to_owned(),
    }
}

/// Says statements to the proxy in one session, telling each with its answer. The session begins in `database`;
/// in none if that is empty.
pub async fn say(database: &str, target: &Target, statements: &[String], live: &Live) -> Result<Vec<Answer>> {
    let login = Target { database: database.to_owned(), ..target.clone() };
    let mut session = Session::open(&login).await?;
    let mut answers = Vec::with_capacity(statements.len());
    for statement in statements {
        let answer = session.say(statement).await?;
        live.line(&indented("weir> ", statement));
        live.line(&indented("      ", &answer.brief(WIDTH)));
        answers.push(answer);
    }
    session.close().await;
    Ok(answers)
}

/// How wide answers are shown at most.
const WIDTH: usize = 110;

fn indented(first: &str, text: &str) -> String {
    let mut out = String::new();
    for (at, line) in text.lines().enumerate() {
        let lead = if at == 0 { first } else { "      " };
        out.push_str(if at == 0 { "  " } else { "\n  " });
        out.push_str(lead);
        out.push_str(line);
    }
    out
}

/// Puts versions and settings of what takes part into the head of a report.
pub fn describe(report: &mut Report, tools: &Tools) -> Result<()> {
    for (name, version) in tools.versions()? {
        report.versions.insert(name.to_owned(), version);
    }
    let version = env!("CARGO_PKG_VERSION");
    let commit = commit().map_or_else(String::new, |commit| format!(" at {commit}"));
    report.versions.insert("weir".to_owned(), format!("{version}{commit}"));
    report.settings = settings(tools.mysql().flavour()).into_iter().map(str::to_owned).collect();
    report.notes.extend(tools.notices().iter().cloned());
    Ok(())
}

/// The commit that is built, if this is a checkout.
fn commit() -> Option<String> {
    let mut git = Command::new("git");
    git.args(["describe", "--always", "--dirty"]).current_dir(place::workspace());
    let output = git.stdin(Stdio::null()).output().ok().filter(|output| output.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (!text.is_empty()).then_some(text)
}

/// Runs `work` until it ends or the user interrupts it; then everything it started is ended.
pub fn run<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut interrupt = signal(SignalKind::interrupt()).context("cannot wait for Ctrl-C")?;
        let mut terminate = signal(SignalKind::terminate()).context("cannot wait for SIGTERM")?;
        tokio::select! {
            outcome = work => outcome,
            _ = interrupt.recv() => bail!("interrupted; everything that was started has been ended"),
            _ = terminate.recv() => bail!("terminated; everything that was started has been ended"),
        }
    })
}

/// Writes the report. What was not finished is kept all the same, marked, and its place said.
pub fn finish(mut report: Report, outcome: Result<()>, live: &Live) -> Result<(Report, PathBuf)> {
    let Err(error) = outcome else {
        let file = report.write(&reports())?;
        return Ok((report, file));
    };
    report.notes.push(format!("incomplete: {error:#}"));
    match report.write(&reports()) {
        Ok(file) => live.line(&format!("! what was done until then: {}", file.display())),
        Err(second) => live.line(&format!("! {second:#}")),
    }
    Err(error)
}

/// The folder of reports.
pub fn reports() -> PathBuf {
    place::target().join("weir-reports")
}

impl Progress for Live {
    fn step(&self, what: &str) {
        Self::step(self, what);
    }

    fn notice(&self, text: &str) {
        self.line(&format!("! {text}"));
    }
}
