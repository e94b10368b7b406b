//! The measuring commands on real programs.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

use weir_harness::bench::{self, Options};
use weir_harness::report::{Live, Report};
use weir_harness::scenario::{self, Scenario, When};

#[test]
fn bench_compares_direct_with_haproxy() {
    let options = Options {
        rounds: 2,
        seconds: 1,
        threads: vec![2],
        rows: 1000,
        only: ["haproxy", "point", "text"].iter().map(|part| part.parse().unwrap()).collect(),
        server_cpu: None,
    };
    let (report, file) = bench::perform(&options, &Live::new()).unwrap();
    assert!(file.is_file());
    assert!(report.sound(), "{}", report.text(None));
    let [group] = report.groups.as_slice() else { panic!("one load: {}", report.text(None)) };
    let (direct, haproxy) = (group.arm("direct").unwrap(), group.arm("haproxy").unwrap());
    for arm in [direct, haproxy] {
        assert_eq!(arm.valid().count(), 2);
        assert!(arm.valid().all(|trial| trial.summary.qps > 100.0 && trial.cost.servers > 1.0));
        assert!(arm.valid().all(|trial| trial.cost.client > 1.0 && trial.summary.latency.p50 > 0.0));
    }
    assert!(direct.valid().all(|trial| trial.cost.proxy == 0.0));
    assert!(haproxy.valid().all(|trial| trial.cost.proxy > 1.0));
    std::fs::remove_file(file).unwrap();
}

#[test]
fn bench_measures_rules_beside_the_pass_through() {
    let rules = ["readwrite", "shadow", "encrypt-sm4"];
    let options = Options {
        rounds: 1,
        seconds: 1,
        threads: vec![1],
        rows: 500,
        only: rules.into_iter().chain(["point", "text"]).map(|part| part.parse().unwrap()).collect(),
        server_cpu: None,
    };
    let (report, file) = bench::perform(&options, &Live::new()).unwrap();
    assert!(report.sound(), "{}", report.text(None));
    through_the_proxy(&report, &["pass", "readwrite", "shadow", "encrypt-sm4"]);
    // How they stand depends on the machine; that each is judged does not.
    let judged: Vec<bool> =
        rules.iter().map(|rule| report.findings.iter().any(|found| found.target.contains(rule))).collect();
    assert_eq!(judged, [true; 3]);
    std::fs::remove_file(file).unwrap();
}

/// Runs a scenario of the harness in small and holds it to its checks; the file of its report is removed.
fn run(name: &str, rows: u32) -> Report {
    let scenario = Scenario::read(&scenario::folder().join(name).with_extension("yaml")).unwrap();
    // One client: several may wait for each other's rows, on one server (an error) or on different ones (a timeout).
    let scale = format!("rows={rows},threads=1,seconds=2,rounds=1").parse().unwrap();
    let options = scenario::Options { scale, server_cpu: None };
    let (report, file) = scenario::perform(&scenario, &options, &Live::new()).unwrap();
    assert!(report.sound(), "{}", report.text(None));
    let made =
        |when: When| scenario.checks.iter().filter(move |check| check.when.is_none_or(|only| only == when));
    let due = made(When::Filled).count() + made(When::Loaded).count() + scenario.counts.len();
    assert_eq!(report.checks.len(), due);
    std::fs::remove_file(file).unwrap();
    report
}

/// Every arm that goes through the proxy did so.
fn through_the_proxy(report: &Report, arms: &[&str]) {
    for name in arms {
        let arm = report.groups[0].arm(name).unwrap();
        assert!(arm.valid().count() == 1, "{name}");
        assert!(arm.valid().all(|trial| trial.summary.tps > 1.0 && trial.cost.proxy > 1.0), "{name}");
    }
}

#[test]
fn sharding_scenario_spreads_the_rows_and_keeps_them() {
    through_the_proxy(&run("sharding", 2000), &["weir"]);
}

#[test]
fn readwrite_scenario_reads_from_the_replica() {
    through_the_proxy(&run("readwrite", 2000), &["weir"]);
}

#[test]
fn encrypt_scenario_leaves_nothing_in_the_clear() {
    through_the_proxy(&run("encrypt", 1000), &["pass", "aes", "md5", "sm4", "sm3", "rc4"]);
}

#[test]
fn shadow_scenario_keeps_the_hinted_load_out_of_production() {
    through_the_proxy(&run("shadow", 500), &["no rule", "shadow", "production"]);
}
