//! Drives sysbench: builds its command line, runs it under a deadline, and reads what it prints.
//!
//! Every load carries the documented common options, so that a command shown in a report can be
//! pasted into a shell and means the same thing there. A run is only as good as its errors: sysbench
//! is told to ignore them (as documented), so the summary counts them and [`Summary::fault`] says
//! why a run must not be believed.

mod output;
mod process;
mod session;

use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub use output::{Interval, Latency, Line, Reader, Summary};
pub use process::{Cause, Event, Failure};
pub use session::{Answer, Refused, Session};

use crate::provision::{Program, Tools};
use crate::sandbox::Watcher;

/// Where a load goes: a MySQL server, or anything that speaks its protocol.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Target {
    /// Host name or address.
    pub host: String,
    /// TCP port.
    pub port: u16,
    /// User to log in as.
    pub user: String,
    /// That user's password.
    #[serde(skip_serializing)]
    pub password: String,
    /// Database the tables are in.
    pub database: String,
}

/// How statements travel: prepared once and executed, or as text each time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Statements {
    /// Binary protocol, `--db-ps-mode=auto`.
    #[default]
    Prepared,
    /// Text protocol, `--db-ps-mode=disable`.
    Text,
}

impl Statements {
    /// The word used in tables and on command lines.
    pub fn word(self) -> &'static str {
        match self {
            Self::Prepared => "prepared",
            Self::Text => "text",
        }
    }
}

/// One sysbench workload, independent of where it is sent.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Load {
    /// A stock script by name (`oltp_read_write`), or the path of an own one.
    pub script: String,
    /// Number of tables.
    pub tables: u32,
    /// Rows of each table.
    pub rows: u64,
    /// Client threads of the run.
    pub threads: u32,
    /// Length of the run.
    pub seconds: u32,
    /// Prepared or text.
    pub statements: Statements,
    /// The percentile sysbench itself reports.
    pub percentile: u8,
    /// Further options, as written on the command line; they come last and so win.
    pub options: Vec<String>,
}

impl Load {
    /// A stock workload at a small size, to be adjusted by the caller.
    pub fn new(script: &str) -> Self {
        Self {
            script: script.to_owned(),
            tables: 1,
            rows: 10_000,
            threads: 1,
            seconds: 10,
            statements: Statements::Prepared,
            percentile: 99,
            options: Vec::new(),
        }
    }
}

/// Which of its three jobs sysbench does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Job {
    /// Creates and fills the tables.
    Prepare,
    /// Runs the load.
    Run,
    /// Drops the tables.
    Cleanup,
}

impl Job {
    fn word(self) -> &'static str {
        match self {
            Self::Prepare => "prepare",
            Self::Run => "run",
            Self::Cleanup => "cleanup",
        }
    }
}

/// Threads that fill tables. The guide says 128; sysbench fills one table per thread, so more
/// threads than tables only open connections.
const FILLERS: u32 = 128;

/// sysbench and its stock scripts.
#[derive(Debug, Clone)]
pub struct Sysbench {
    program: Program,
    scripts: PathBuf,
    watcher: Arc<Watcher>,
}

impl Sysbench {
    /// The sysbench among `tools`; its processes end with `watcher`'s.
    pub fn new(tools: &Tools, watcher: &Arc<Watcher>) -> Self {
        Self {
            program: tools.sysbench().clone(),
            scripts: tools.scripts().to_path_buf(),
            watcher: Arc::clone(watcher),
        }
    }

    /// The command line of one job, program excluded.
    pub fn arguments(&self, target: &Target, load: &Load, job: Job) -> Vec<String> {
        let (threads, seconds) = match job {
            Job::Run => (load.threads, load.seconds),
            // Fixed by the documents; they bound the job, they do not shape it.
            Job::Prepare | Job::Cleanup => (FILLERS.min(load.threads.max(load.tables)), 3600),
        };
        let mode = match load.statements {
            Statements::Prepared => "auto",
            Statements::Text => "disable",
        };
        let mut arguments = vec![
            self.script(&load.script),
            format!("--mysql-host={}", target.host),
            format!("--mysql-port={}", target.port),
            format!("--mysql-user={}", target.user),
            format!("--mysql-password={}", target.password),
            format!("--mysql-db={}", target.database),
            format!("--report-interval={}", if load.seconds >= 60 { 5 } else { 1 }),
            "--max-requests=0".to_owned(),
            "--mysql-ignore-errors=all".to_owned(),
            "--range_selects=off".to_owned(),
            "--rand-type=uniform".to_owned(),
            "--auto_inc=off".to_owned(),
            format!("--tables={}", load.tables),
            format!("--table-size={}", load.rows),
            format!("--time={seconds}"),
            format!("--threads={threads}"),
            format!("--percentile={}", load.percentile),
            format!("--db-ps-mode={mode}"),
        ];
        if job == Job::Run {
            // Costs nothing while running and lets one run state p50, p95 and p99.
            arguments.push("--histogram=on".to_owned());
        }
        arguments.extend(load.options.iter().cloned());
        arguments.push(job.word().to_owned());
        arguments
    }

    /// The command of one job as a person would type it, for reports.
    pub fn shown(&self, target: &Target, load: &Load, job: Job) -> String {
        let mut line = "sysbench".to_owned();
        for (at, argument) in self.arguments(target, load, job).into_iter().enumerate() {
            line.push(' ');
            line.push_str(if at == 0 { &load.script } else { &argument });
        }
        line
    }

    fn script(&self, name: &str) -> String {
        if name.contains('/') {
            return name.to_owned();
        }
        self.scripts.join(format!("{name}.lua")).to_string_lossy().into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target() -> Target {
        Target {
            host: "127.0.0.1".into(),
            port: 3307,
            user: "root".into(),
            password: "root".into(),
            database: "sharding_db".into(),
        }
    }

    fn sysbench() -> Sysbench {
        Sysbench {
            program: Program::system("/opt/bin/sysbench".into()),
            scripts: "/opt/share".into(),
            watcher: Watcher::start().unwrap(),
        }
    }

    #[test]
    fn command_line_carries_the_documented_options() {
        let load = Load { rows: 140_000_000, threads: 200, seconds: 180, ..Load::new("oltp_read_write") };
        let line = sysbench().arguments(&target(), &load, Job::Run).join(" ");
        assert_eq!(
            line,
            "/opt/share/oltp_read_write.lua --mysql-host=127.0.0.1 --mysql-port=3307 \
             --mysql-user=root --mysql-password=root --mysql-db=sharding_db --report-interval=5 \
             --max-requests=0 --mysql-ignore-errors=all --range_selects=off --rand-type=uniform \
             --auto_inc=off --tables=1 --table-size=140000000 --time=180 --threads=200 \
             --percentile=99 --db-ps-mode=auto --histogram=on run"
        );
    }

    #[test]
    fn filling_is_bounded_by_what_the_guide_uses() {
        let load = Load { threads: 200, ..Load::new("oltp_read_write") };
        let line = sysbench().arguments(&target(), &load, Job::Prepare).join(" ");
        assert!(line.contains("--threads=128 "), "{line}");
        assert!(line.contains("--time=3600 "), "{line}");
        assert!(line.ends_with(" prepare"), "{line}");
        assert!(!line.contains("--histogram"), "{line}");
    }

    #[test]
    fn own_options_come_after_the_common_ones() {
        let load = Load {
            statements: Statements::Text,
            options: vec!["--range_selects=on".into()],
            ..Load::new("oltp_read_only")
        };
        let line = sysbench().arguments(&target(), &load, Job::Run).join(" ");
        assert!(line.find("--range_selects=off") < line.find("--range_selects=on"), "{line}");
        assert!(line.contains("--db-ps-mode=disable"), "{line}");
    }

    #[test]
    fn own_scripts_are_taken_by_path() {
        let load = Load::new("scenarios/shadow.lua");
        assert_eq!(sysbench().arguments(&target(), &load, Job::Run)[0], "scenarios/shadow.lua");
    }
}
