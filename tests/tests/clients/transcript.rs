//! Runs one client program on both sides and compares what it wrote down, line by line.
//!
//! A program writes one JSON object a line: `{"check": "...", ...}`. What it did not expect becomes `"unexpected"`; on the
//! plain server that must not happen, or the comparison would say nothing.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;
use weir_harness::Sandbox;

use crate::driver::{Driver, Skipped};
use crate::stage::{Databases, Side, Stage, USER};

/// No program takes longer, however busy the machine.
const PATIENCE: Duration = Duration::from_secs(300);

/// What a program came to.
#[derive(Debug)]
pub(crate) struct Transcript {
    pub(crate) lines: Vec<String>,
    /// What it complained of beside, and how it ended if not well.
    pub(crate) complaint: String,
}

/// Runs the part `part` of a client program on both sides. `pending` are the checks left out.
pub(crate) fn compare(driver: Driver, part: &str, pending: &[&str]) {
    let name = format!("{}_{}", driver.folder(), part.replace('-', "_"));
    let command = match driver.ready() {
        Ok(command) => command,
        Err(Skipped(reason)) => return skip(&name, &reason),
    };
    let stage = Stage::shared();
    let databases = stage.databases(&name);
    let pending = if std::env::var_os("WEIR_CLIENTS_PENDING").is_some() { &[] } else { pending };
    let run = |side| {
        let mut command = again(&command);
        command.arg(part);
        surroundings(&mut command, stage, side, &databases, pending);
        run(&stage.bed.sandbox, &name, command)
    };
    let plain = run(Side::Plain);
    if let Some(reason) = plain.checks(&name).get("skipped") {
        return skip(&name, reason["saw"].as_str().unwrap_or_default());
    }
    let weir = run(Side::Weir);
    check(&name, &plain, &weir);
}

/// Says that a client does not run here, past the test runner, which would keep it to itself.
pub(crate) fn skip(name: &str, reason: &str) {
    drop(writeln!(std::io::stderr(), "skipped: {name}: {reason}"));
}

/// A command with the same program, arguments and variables.
fn again(command: &Command) -> Command {
    let mut again = Command::new(command.get_program());
    again.args(command.get_args());
    again
}

/// What programs are told: in `tests/clients/README.md`.
fn surroundings(command: &mut Command, stage: &Stage, side: Side, databases: &Databases, skipped: &[&str]) {
    let account = stage.account(side);
    command
        .env("WEIR_HOST", "127.0.0.1")
        .env("WEIR_PORT", account.address.port().to_string())
        .env("WEIR_USER", USER)
        .env("WEIR_PASSWORD", USER)
        .env("WEIR_SHARDED", &databases.sharded)
        .env("WEIR_PASSED", &databases.passed)
        .env("WEIR_AUTHORITY", &stage.authority)
        .env("WEIR_STRANGER", &stage.stranger)
        .env("WEIR_SKIP", skipped.join(","))
        .env("TZ", "UTC");
}

/// Runs it to its end.
pub(crate) fn run(sandbox: &Sandbox, name: &str, mut command: Command) -> Transcript {
    let folder = sandbox.subfolder(name).unwrap();
    let (out, err) = (folder.join("stdout"), folder.join("stderr"));
    command.env("WEIR_FOLDER", &folder).current_dir(&folder).stdin(Stdio::null());
    command.stdout(File::create(&out).unwrap()).stderr(File::create(&err).unwrap());
    let mut program = sandbox.watcher().spawn(&mut command).unwrap();
    let ended = program.wait_for(PATIENCE).unwrap();
    program.kill().unwrap();
    let read = |file: &Path| String::from_utf8_lossy(&fs::read(file).unwrap()).into_owned();
    let mut complaint = closing(&read(&err));
    match ended {
        Some(status) if status.success() => {}
        Some(status) => writeln!(complaint, "ended with {status}").unwrap(),
        None => writeln!(complaint, "did not end within {PATIENCE:?}").unwrap(),
    }
    Transcript { lines: read(&out).lines().map(str::to_owned).collect(), complaint }
}

/// The last lines of what a program complained of; drivers tell much.
fn closing(text: &str) -> String {
    let lines: Vec<_> = text.lines().collect();
    let mut closing = lines[lines.len().saturating_sub(15)..].join("\n");
    closing.push('\n');
    closing
}

/// Both ran to their end and saw the same, and the plain server surprised nobody.
fn check(name: &str, plain: &Transcript, weir: &Transcript) {
    let surprises = plain.lines.iter().filter(|line| line.contains("\"unexpected\"")).take(3);
    let surprises: Vec<_> = surprises.collect();
    assert!(surprises.is_empty(), "{name}, on the plain server: {surprises:#?}\n{}", plain.complaint);
    let [expected, found] = [plain, weir].map(|side| side.checks(name));
    assert!(expected.contains_key("end"), "{name}, on the plain server, stops early: {}", plain.complaint);
    let differences = expected.iter().filter_map(|(check, expected)| {
        let found = found.get(check).cloned().unwrap_or_default();
        (*expected != found).then(|| format!("{check}: {}", difference(expected, &found)))
    });
    let differences: Vec<_> = differences.collect();
    assert!(differences.is_empty(), "{name}:\n{}\n{}", differences.join("\n"), weir.complaint);
    assert_eq!(expected.len(), found.len(), "{name}, through Weir, has checks of its own: {found:#?}");
}

/// The first that differs of what a check saw.
fn difference(expected: &Value, found: &Value) -> String {
    let saw = |line: &Value| line["saw"].as_array().cloned().unwrap_or_default();
    let (plain, weir) = (saw(expected), saw(found));
    let at = (0..plain.len().max(weir.len())).find(|at| plain.get(*at) != weir.get(*at));
    let mut text = match at {
        Some(at) => {
            let show = |saw: &[Value]| saw.get(at).map_or_else(|| "(nothing)".to_owned(), Value::to_string);
            format!("at {at}\n  plain {}\n   weir {}", show(&plain), show(&weir))
        }
        None => format!("\n  plain {expected}\n   weir {found}"),
    };
    if let Some(unexpected) = found["unexpected"].as_str() {
        write!(text, "\n  {unexpected}").unwrap();
    }
    text
}

impl Transcript {
    /// What was written down, by the name of the check.
    fn checks(&self, name: &str) -> BTreeMap<String, Value> {
        let lines = self.lines.iter().map(|line| {
            let value: Value =
                serde_json::from_str(line).unwrap_or_else(|error| panic!("{name}: {line}: {error}"));
            (value["check"].as_str().unwrap_or_default().to_owned(), value)
        });
        lines.collect()
    }
}
