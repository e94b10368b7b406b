//! One sysbench process: read line by line, ended by its deadline, when the future that runs it is
//! dropped, and with this process.

use std::collections::VecDeque;
use std::fmt;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{ChildStderr, ChildStdout};
use tokio::time::timeout;

use super::output::{Interval, Line, Reader, Summary};
use super::{Job, Load, Sysbench, Target};

/// What a caller may want to do while a run goes on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Event {
    /// The clock of the run starts now; the client is this process.
    Started(u32),
    /// An intermediate report.
    Interval(Interval),
    /// The clock of the run has just stopped; the client is still there.
    Stopped(u32),
}

/// Why sysbench gave no figures, with the command and the end of what it printed.
#[derive(Debug)]
pub struct Failure {
    /// What went wrong.
    pub cause: Cause,
    /// The command, as it can be typed.
    pub command: String,
    /// The last lines it printed.
    pub tail: Vec<String>,
}

/// The ways a sysbench process can go wrong.
#[derive(Debug)]
pub enum Cause {
    /// It could not be started or read.
    Start(anyhow::Error),
    /// It ended with an error.
    Exit(ExitStatus),
    /// It ended well but told of a failure, as it does when one of several threads fails to fill a table.
    Fatal,
    /// It did not end in time and was killed.
    Deadline(Duration),
    /// It ended well but did not print this figure.
    Missing(&'static str),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.cause {
            Cause::Start(error) => write!(f, "sysbench could not be run: {error:#}")?,
            Cause::Exit(status) => write!(f, "sysbench ended with {status}")?,
            Cause::Fatal => write!(f, "sysbench failed, though it ended well")?,
            Cause::Deadline(limit) => {
                write!(f, "sysbench did not end within {} s and was killed", limit.as_secs())?;
            }
            Cause::Missing(figure) => write!(f, "sysbench printed no figure for {figure}")?,
        }
        write!(f, "\n  command: {}", self.command)?;
        for line in &self.tail {
            write!(f, "\n  | {line}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Failure {}

/// Lines kept for the message of a failure.
const TAIL: usize = 12;
/// Beyond the length of a run: opening and closing of connections, and a slow machine.
const GRACE: Duration = Duration::from_secs(60);
/// A filling rate below this is a hang, not a slow disk.
const ROWS_PER_SECOND: u64 = 1000;

impl Sysbench {
    /// Creates and fills the tables.
    pub async fn prepare(&self, target: &Target, load: &Load) -> Result<(), Failure> {
        let rows = load.rows * u64::from(load.tables);
        let limit = GRACE + Duration::from_secs(rows / ROWS_PER_SECOND);
        self.job(target, load, Job::Prepare, limit, &mut |_| {}).await.map(drop)
    }

    /// Drops the tables.
    pub async fn cleanup(&self, target: &Target, load: &Load) -> Result<(), Failure> {
        self.job(target, load, Job::Cleanup, GRACE, &mut |_| {}).await.map(drop)
    }

    /// Runs the load and reads its figures; `watch` is told the course of the run.
    pub async fn run(
        &self,
        target: &Target,
        load: &Load,
        watch: &mut dyn FnMut(Event),
    ) -> Result<Summary, Failure> {
        let limit = GRACE + Duration::from_secs(u64::from(load.seconds));
        let output = self.job(target, load, Job::Run, limit, watch).await?;
        output.reader.summary().map_err(|missing| Failure {
            cause: Cause::Missing(missing.0),
            command: self.shown(target, load, Job::Run),
            tail: output.tail.into(),
        })
    }

    async fn job(
        &self,
        target: &Target,
        load: &Load,
        job: Job,
        limit: Duration,
        watch: &mut dyn FnMut(Event),
    ) -> Result<Output, Failure> {
        let mut output = Output::default();
        let outcome = self.attempt(target, load, job, limit, &mut output, watch).await;
        match outcome {
            Ok(()) => Ok(output),
            Err(cause) => {
                Err(Failure { cause, command: self.shown(target, load, job), tail: output.tail.into() })
            }
        }
    }

    async fn attempt(
        &self,
        target: &Target,
        load: &Load,
        job: Job,
        limit: Duration,
        output: &mut Output,
        watch: &mut dyn FnMut(Event),
    ) -> Result<(), Cause> {
        let mut command = self.program.command();
        command
            .args(self.arguments(target, load, job))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut process = self.watcher.spawn(&mut command).map_err(Cause::Start)?;
        let pid = process.pid();
        let (stdout, stderr) = (process.child().stdout.take(), process.child().stderr.take());
        let work = async {
            let stdout = stdout.map(ChildStdout::from_std).transpose()?;
            let stderr = stderr.map(ChildStderr::from_std).transpose()?;
            // A sysbench that floods one pipe must not stall the other: both are read at once.
            let (read, errors) = tokio::join!(output.read(stdout, pid, watch), last_lines(stderr));
            output.extend(errors);
            read?;
            loop {
                if let Some(status) = process.try_wait()? {
                    break anyhow::Ok(status);
                }
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
        };
        // Dropping the process kills it, whichever way this future ends.
        match timeout(limit, work).await {
            Ok(Ok(status)) if status.success() && !output.tells_of_failure() => Ok(()),
            Ok(Ok(status)) if status.success() => Err(Cause::Fatal),
            Ok(Ok(status)) => Err(Cause::Exit(status)),
            Ok(Err(error)) => Err(Cause::Start(error)),
            Err(_) => Err(Cause::Deadline(limit)),
        }
    }
}

#[derive(Default)]
struct Output {
    reader: Reader,
    tail: VecDeque<String>,
}

impl Output {
    async fn read(
        &mut self,
        pipe: Option<ChildStdout>,
        pid: u32,
        watch: &mut dyn FnMut(Event),
    ) -> std::io::Result<()> {
        let Some(pipe) = pipe else { return Ok(()) };
        let mut lines = BufReader::new(pipe).lines();
        while let Some(line) = lines.next_line().await? {
            match self.reader.feed(&line) {
                Line::Started => watch(Event::Started(pid)),
                Line::Interval(interval) => watch(Event::Interval(interval)),
                Line::Stopped => watch(Event::Stopped(pid)),
                Line::Other => {}
            }
            self.extend([line]);
        }
        Ok(())
    }

    fn tells_of_failure(&self) -> bool {
        self.tail.iter().any(|line| line.starts_with("FATAL:"))
    }

    fn extend(&mut self, lines: impl IntoIterator<Item = String>) {
        self.tail.extend(lines.into_iter().filter(|line| !line.trim().is_empty()));
        self.tail.drain(..self.tail.len().saturating_sub(TAIL));
    }
}

async fn last_lines(pipe: Option<ChildStderr>) -> Vec<String> {
    let mut kept = VecDeque::new();
    let Some(pipe) = pipe else { return Vec::new() };
    let mut lines = BufReader::new(pipe).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        kept.push_back(line);
        kept.drain(..kept.len().saturating_sub(TAIL));
    }
    kept.into()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;
    use std::path::PathBuf;

    use super::*;
    use crate::provision::Program;
    use crate::sandbox::Watcher;

    /// A program that does what `body` says in place of sysbench.
    fn stand_in(folder: &tempfile::TempDir, body: &str) -> Sysbench {
        let program = folder.path().join("sysbench");
        std::fs::write(&program, format!("#!/bin/sh\n{body}\n")).unwrap();
        std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
        let watcher = Watcher::start().unwrap();
        Sysbench { program: Program::system(program), scripts: PathBuf::from("/opt/share"), watcher }
    }

    fn target() -> Target {
        Target {
            host: "127.0.0.1".into(),
            port: 1,
            user: "test".into(),
            password: "test".into(),
            database: "sbtest".into(),
        }
    }

    fn block_on<T>(work: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
    }

    #[test]
    fn tells_the_course_of_a_run_and_its_figures() {
        let folder = tempfile::tempdir().unwrap();
        let captured = concat!(env!("CARGO_MANIFEST_DIR"), "/src/load/captured/read_write.txt");
        let sysbench = stand_in(&folder, &format!("cat {captured}"));
        let mut events = Vec::new();
        let summary = block_on(sysbench.run(&target(), &Load::new("oltp_read_write"), &mut |e| {
            events.push(e);
        }))
        .unwrap();
        assert_eq!(summary.transactions, 5771);
        assert!(matches!(events.first(), Some(Event::Started(pid)) if *pid > 0));
        assert!(matches!(events.last(), Some(Event::Stopped(_))));
        assert_eq!(events.len(), 5);
    }

    #[test]
    fn failure_shows_command_and_last_lines() {
        let folder = tempfile::tempdir().unwrap();
        let sysbench = stand_in(&folder, "echo 'FATAL: error 2002' >&2; exit 1");
        let failure = block_on(sysbench.prepare(&target(), &Load::new("oltp_insert"))).unwrap_err();
        let text = failure.to_string();
        assert!(text.contains("exit status: 1"), "{text}");
        assert!(text.contains("command: sysbench oltp_insert --mysql-host=127.0.0.1"), "{text}");
        assert!(text.contains("| FATAL: error 2002"), "{text}");
    }

    #[test]
    fn a_failure_told_of_is_one_whatever_the_status() {
        let folder = tempfile::tempdir().unwrap();
        let sysbench = stand_in(&folder, "echo 'FATAL: mysql_drv_query() returned error 1064' >&2; exit 0");
        let failure = block_on(sysbench.prepare(&target(), &Load::new("oltp_insert"))).unwrap_err();
        assert!(matches!(failure.cause, Cause::Fatal), "{failure}");
        assert!(failure.to_string().contains("| FATAL: mysql_drv_query() returned error 1064"), "{failure}");
    }

    #[test]
    fn kills_what_passes_its_deadline() {
        let folder = tempfile::tempdir().unwrap();
        let sysbench = stand_in(&folder, "echo $$; exec sleep 600");
        let mut output = Output::default();
        let load = Load::new("oltp_insert");
        let limit = Duration::from_millis(300);
        let cause = block_on(async {
            sysbench.attempt(&target(), &load, Job::Run, limit, &mut output, &mut |_| {}).await
        })
        .unwrap_err();
        assert!(matches!(cause, Cause::Deadline(_)), "{cause:?}");
        let pid = output.tail.front().unwrap();
        assert!(!std::path::Path::new("/proc").join(pid).join("exe").exists());
    }

    #[test]
    fn dropping_the_run_kills_the_process() {
        let folder = tempfile::tempdir().unwrap();
        let sysbench = stand_in(&folder, "echo 'Threads started!'; exec sleep 600");
        let load = Load::new("oltp_insert");
        let mut client = 0;
        block_on(async {
            let mut watch = |event| {
                if let Event::Started(pid) = event {
                    client = pid;
                }
            };
            let target = target();
            let run = sysbench.run(&target, &load, &mut watch);
            let ended = timeout(Duration::from_millis(500), run).await;
            assert!(ended.is_err());
        });
        assert_ne!(client, 0);
        let path = format!("/proc/{client}/exe");
        assert!(std::fs::read_link(path).is_err(), "process {client} still runs");
    }
}
