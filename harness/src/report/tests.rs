use super::*;
use crate::load::{Latency, Summary};
use crate::measure::{Cost, Counts};

/// A trial of a point-select run.
pub(crate) fn trial(qps: f64, proxy: f64) -> Outcome {
    Outcome::Ran(Trial {
        summary: Summary {
            tps: qps,
            qps,
            transactions: (qps * 10.0) as u64,
            queries: (qps * 10.0) as u64,
            latency: Latency { avg: 0.5, p50: 0.4, p95: 0.8, p99: 1.25, max: 9.0 },
            errors: 0,
            reconnects: 0,
            seconds: 10.0,
        },
        cost: Cost { proxy, servers: 55.04, client: 12.0 },
        proxy_memory: if proxy > 0.0 { 8_000 } else { 0 },
        server_memory: 300_000,
        counts: Counts::new(),
        fault: None,
    })
}

/// An arm with these trials.
pub(crate) fn series(arm: &str, trials: Vec<Outcome>) -> Series {
    Series {
        arm: arm.to_owned(),
        about: String::new(),
        command: String::new(),
        trials,
        medians: BTreeMap::new(),
        documented: None,
    }
}

fn faulty(outcome: Outcome, fault: &str) -> Outcome {
    match outcome {
        Outcome::Ran(trial) => Outcome::Ran(Trial { fault: Some(fault.to_owned()), ..trial }),
        failed => failed,
    }
}

fn report() -> Report {
    let direct = series("direct", vec![trial(20_000.0, 0.0), trial(21_000.0, 0.0), trial(19_000.0, 0.0)]);
    let haproxy =
        series("haproxy", vec![trial(12_000.0, 52.0), trial(12_600.0, 51.0), trial(11_400.0, 53.5)]);
    let weir = series(
        "weir",
        vec![trial(19_500.0, 41.0), trial(20_500.0, 40.0), faulty(trial(99_000.0, 1.0), "3 errors")],
    );
    let mut report = Report::begin("bench", "Bench");
    report.groups.push(Group {
        title: "point select, prepared, 8 threads".into(),
        load: Load::new("oltp_point_select"),
        arms: vec![direct, haproxy, weir],
    });
    report
}

#[test]
fn table_lines_up_medians_spread_and_share() {
    let text = report().text(Some(140));
    let rows: Vec<Vec<&str>> = text
        .lines()
        .filter(|line| line.starts_with('│'))
        .map(|line| line.trim_matches('│').split('┆').map(str::trim).collect())
        .collect();
    assert_eq!(
        rows,
        [
            vec![
                "arm",
                "QPS",
                "of direct",
                "avg ms",
                "p95 ms",
                "p99 ms",
                "proxy CPU µs/q",
                "servers",
                "client"
            ],
            vec!["direct", "20,000 (19,000–21,000)", "1", "0.50", "0.80", "1.25", "–", "55.0", "12.0"],
            vec![
                "haproxy",
                "12,000 (11,400–12,600)",
                "0.60",
                "0.50",
                "0.80",
                "1.25",
                "52.0 (51.0–53.5)",
                "55.0",
                "12.0"
            ],
            vec![
                "weir",
                "20,000 (19,500–20,500)",
                "0.98 (0.97–0.98) ≈",
                "0.50",
                "0.80",
                "1.25",
                "40.5 (40.0–41.0)",
                "55.0",
                "12.0"
            ],
        ]
    );
    let widths: Vec<usize> = text
        .lines()
        .filter(|line| line.starts_with(['│', '┌', '╞', '└']))
        .map(|line| line.chars().count())
        .collect();
    assert!(widths.iter().all(|width| *width == widths[0] && *width <= 140), "{text}");
}

#[test]
fn invalid_runs_are_named_and_make_the_report_unsound() {
    let report = report();
    assert!(report.text(Some(120)).contains("! weir: a run is invalid: 3 errors"));
    assert!(!report.sound());
    let mut clean = report;
    clean.groups[0].arms.pop();
    assert!(clean.sound());
    clean.checks.push(Check { name: "rows".into(), fault: Some("3 instead of 4".into()) });
    assert!(!clean.sound());
}

#[test]
fn memory_of_the_proxies_stands_below_the_table() {
    assert!(report().text(None).contains("  peak memory of the proxy: haproxy 8 MB, weir 8 MB\n"));
}

#[test]
fn shares_are_taken_round_by_round() {
    let base = series("direct", vec![trial(100.0, 0.0), trial(10.0, 0.0)]);
    let half = series("weir", vec![trial(50.0, 0.0), trial(5.0, 0.0)]);
    let share = half.share(&base, |trial| trial.summary.qps).unwrap();
    assert_eq!((share.min, share.max), (0.5, 0.5));
}

#[test]
fn json_holds_every_trial_and_no_password() {
    let folder = tempfile::tempdir().unwrap();
    let mut report = report();
    report.end();
    let file = report.write(&folder.path().join("reports")).unwrap();
    let name = file.file_name().unwrap().to_string_lossy().into_owned();
    assert!(name.starts_with("bench-20") && name.ends_with(".json"), "{name}");
    let value: serde_json::Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    let weir = &value["groups"][0]["arms"][2];
    assert_eq!(weir["trials"].as_array().unwrap().len(), 3);
    assert_eq!(weir["trials"][2]["ran"]["fault"], "3 errors");
    assert_eq!(weir["medians"]["qps"]["median"], 20_000.0);
    assert_eq!(weir["medians"]["proxy_cpu_us"]["max"], 41.0);
    assert_eq!(value["groups"][0]["load"]["script"], "oltp_point_select");
}

#[test]
fn numbers_have_their_thousands_apart() {
    let shown = [0.0, 999.0, 1000.0, 1_234_567.89, -1234.0].map(|value| table::number(value, 0));
    assert_eq!(shown, ["0", "999", "1,000", "1,234,568", "-1,234"]);
    assert_eq!(table::number(1234.5, 1), "1,234.5");
}
