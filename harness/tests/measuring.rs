//! The measuring commands on real programs, where no proxy of ours is needed.

use weir_harness::bench::{self, Options};
use weir_harness::report::Live;

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
