//! The general and the slow log, read back from real proxies in front of real servers.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

mod general;
mod line;
mod slow;
mod trouble;

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use weir_tests::{Bed, Own};

use line::Line;

fn bed() -> &'static Bed {
    static BED: LazyLock<Bed> = LazyLock::new(|| Bed::new(1));
    &BED
}

/// `agent.yaml` with these properties of `BaseLogging`.
fn logging(props: &[&str]) -> String {
    format!("plugins:\n  logging:\n    BaseLogging:\n      props: {{ {} }}\n", props.join(", "))
}

fn own(name: &'static str, props: &[&str]) -> Own {
    Own::observed(bed(), name, &[], &logging(props))
}

fn general(own: &Own) -> PathBuf {
    own.weir.logs().join("general_query.log")
}

/// All lines of the general log's current file; one that is not whole yet is left out.
fn lines(own: &Own) -> Vec<Line> {
    let text = fs::read_to_string(general(own)).unwrap_or_default();
    let whole = text.rfind('\n').map_or("", |end| &text[..=end]);
    whole.split_terminator('\n').map(Line::parse).collect()
}

/// Texts of statements in the log that begin like this.
fn told(own: &Own, beginning: &str) -> Vec<String> {
    let lines = lines(own).into_iter().map(|line| String::from_utf8_lossy(&line.sql).into_owned());
    lines.filter(|sql| sql.starts_with(beginning)).collect()
}

fn signal(own: &Own, name: &str) {
    let pid = own.weir.pid().unwrap().to_string();
    assert!(Command::new("kill").args([&format!("-{name}"), &pid]).status().unwrap().success());
}

/// Reads the configuration anew, and waits until that has been done.
fn reload(own: &Own) {
    let said = |own: &Own| {
        let log = fs::read_to_string(own.weir.log()).unwrap();
        log.matches(" anew").count() + log.matches("stays as it is").count()
    };
    let before = said(own);
    signal(own, "HUP");
    eventually("the configuration is read anew", || said(own) > before);
}

fn configure(own: &Own, agent: &str) {
    fs::write(own.conf.path().join("agent.yaml"), agent).unwrap();
    reload(own);
}

#[track_caller]
fn eventually(what: &str, mut happened: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !happened() {
        assert!(Instant::now() < deadline, "{what}: has not come");
        std::thread::sleep(Duration::from_millis(10));
    }
}
