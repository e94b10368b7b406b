//! Every stock script of sysbench, prepared and as text, on a sharded table: no error at all.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

use std::process::Stdio;
use std::sync::LazyLock;

use weir_tests::{Bed, Logical};

/// Scripts whose transactions lock several rows: two clients can wait for each other. One server sees that and ends one of
/// them with an error (1213); over several it shows only by the lock wait timeout (1205). One client alone needs neither.
const TRANSACTIONS: [&str; 2] = ["oltp_read_write", "oltp_write_only"];

const SCRIPTS: [&str; 11] = [
    "oltp_delete",
    "oltp_insert",
    "oltp_point_select",
    "oltp_read_only",
    "oltp_read_write",
    "oltp_update_index",
    "oltp_update_non_index",
    "oltp_write_only",
    "select_random_points",
    "select_random_ranges",
    "bulk_insert",
];

const ROWS: u64 = 2000;

fn bed() -> &'static Bed {
    static BED: LazyLock<Bed> = LazyLock::new(|| Bed::new(4));
    &BED
}

/// Runs one job of a script to its end and returns what it said.
fn sysbench(logical: &Logical<'_>, script: &str, mode: &str, job: &str) -> String {
    let tools = bed().sandbox.tools().unwrap();
    let mut command = tools.sysbench().command();
    command
        .arg(tools.scripts().join(format!("{script}.lua")))
        .args(["--mysql-host=127.0.0.1", "--mysql-user=root", "--mysql-password=root"])
        .arg(format!("--mysql-port={}", bed().weir.port()))
        .arg(format!("--mysql-db={}", logical.name))
        .arg(format!("--db-ps-mode={mode}"))
        .arg(format!("--threads={}", if TRANSACTIONS.contains(&script) { 1 } else { 2 }))
        .args(["--time=2", "--rand-type=uniform"]);
    if script != "bulk_insert" {
        command.args(["--tables=1", "--auto_inc=off"]).arg(format!("--table-size={ROWS}"));
    }
    let output = command.arg(job).stdin(Stdio::null()).output().unwrap();
    let said =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{script} {job}, {mode}: {}\n{said}", output.status);
    assert!(!said.contains("FATAL"), "{script} {job}, {mode}:\n{said}");
    said
}

/// A figure of the summary: `    ignored errors:    0   (0.00 per sec.)`.
fn figure(said: &str, name: &str) -> u64 {
    let line = said.lines().find_map(|line| line.trim().strip_prefix(name));
    let number = line.and_then(|rest| rest.split_whitespace().next()).and_then(|number| number.parse().ok());
    number.unwrap_or_else(|| panic!("no figure {name:?} in\n{said}"))
}

fn all(name: &str, mode: &str) {
    let logical = bed().logical(name);
    // `bulk_insert` fills one table for each of its threads.
    for table in ["sbtest1", "sbtest2"] {
        logical.shard(table, "id");
    }
    for script in SCRIPTS {
        sysbench(&logical, script, mode, "prepare");
        // These two begin with an empty table.
        if !["bulk_insert", "oltp_insert"].contains(&script) {
            assert_eq!(logical.client().value("SELECT COUNT(*) FROM sbtest1"), ROWS.to_string());
            // Ids from 1: a tenth in each of the ten tables.
            let on_one = logical.unit(1).value("SELECT COUNT(*) FROM sbtest1_5");
            assert_eq!(on_one, (ROWS / 10).to_string());
        }
        let said = sysbench(&logical, script, mode, "run");
        assert!(figure(&said, "transactions:") > 0, "{script}, {mode}:\n{said}");
        assert_eq!(figure(&said, "ignored errors:"), 0, "{script}, {mode}:\n{said}");
        assert_eq!(figure(&said, "reconnects:"), 0, "{script}, {mode}:\n{said}");
        sysbench(&logical, script, mode, "cleanup");
        assert!(logical.client().rows("SHOW TABLES").is_empty(), "{script} left a table");
    }
}

#[test]
fn prepared_scripts_run_without_an_error() {
    all("bench_prepared", "auto");
}

#[test]
fn scripts_as_text_run_without_an_error() {
    all("bench_text", "disable");
}
