//! The measuring commands on real programs.

use weir_harness::bench::{self, Options};
use weir_harness::report::Live;
use weir_harness::scenario::{self, Scenario};

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
fn sharding_scenario_spreads_the_rows_and_keeps_them() {
    let scenario = Scenario::read(&scenario::folder().join("sharding.yaml")).unwrap();
    // One client: several may wait for each other's rows, on one server (an error) or on different ones (a timeout).
    let scale = "rows=2000,threads=1,seconds=2,rounds=1".parse().unwrap();
    let options = scenario::Options { scale, server_cpu: None };
    let (report, file) = scenario::perform(&scenario, &options, &Live::new()).unwrap();
    assert!(report.sound(), "{}", report.text(None));
    assert_eq!(report.checks.len(), 2 * scenario.checks.len());
    let weir = report.groups[0].arm("weir").unwrap();
    assert!(weir.valid().all(|trial| trial.summary.tps > 1.0 && trial.cost.proxy > 1.0));
    std::fs::remove_file(file).unwrap();
}
