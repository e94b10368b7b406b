//! The bench's figures beside their targets.

use super::arrivals::{ALONE, BESIDE};
use super::rules::{ENCRYPT, RULE_ARMS};
use super::slices::{FOUR, ONE};
use super::topology::WEIR_ARMS;
use crate::measure::{Spread, Trial, Verdict};
use crate::report::{Finding, Group, Report, Series, Standing};

/// Microseconds a rule that routes to one node may add.
const RULE: f64 = 3.0;
/// Share of the pass-through's queries that must be left with two columns encrypted.
const CIPHER: f64 = 0.93;
/// Times one slice that four must give: the limit, and what is aimed at.
const SLICES: f64 = 3.5;
const SLICES_AIM: f64 = 3.8;
/// Clients that must be carried without an error.
const CROWD: u32 = 256;

/// Adds what the groups of the report show.
pub(super) fn judge(report: &mut Report) {
    let found: Vec<Finding> = report.groups.iter().flat_map(group).collect();
    report.findings.extend(found);
}

fn group(group: &Group) -> Vec<Finding> {
    let mut findings = Vec::new();
    let arm = |name: &str| group.arm(name);
    if let (Some(pass), Some(haproxy)) = (arm("pass"), arm("haproxy")) {
        findings.extend(floor(group, pass, haproxy));
    }
    if let Some(pass) = arm("pass") {
        let point = group.load.script == "oltp_point_select";
        let routed = ["sharded", "readwrite", "shadow"].into_iter().filter(|_| point).filter_map(arm);
        findings.extend(routed.filter_map(|routed| rule(group, pass, routed)));
        let encrypted = group.arms.iter().filter(|series| series.arm.starts_with(ENCRYPT));
        findings.extend(encrypted.filter_map(|encrypted| cipher(group, pass, encrypted)));
    }
    if let (Some(direct), Some(pass)) = (arm("direct"), arm("pass")) {
        findings.extend(many(group, direct, pass));
    }
    if let (Some(one), Some(four)) = (arm(ONE), arm(FOUR)) {
        findings.extend(slices(group, one, four));
    }
    if let (Some(alone), Some(beside)) = (arm(ALONE), arm(BESIDE)) {
        findings.extend(undisturbed(group, alone, beside));
    }
    if group.load.threads >= CROWD {
        findings.extend(
            WEIR_ARMS
                .into_iter()
                .chain(RULE_ARMS)
                .filter_map(|name| group.arm(name))
                .map(|arm| crowd(group, arm)),
        );
    }
    findings
}

fn proxy(trial: &Trial) -> f64 {
    trial.cost.proxy
}

/// CPU per query of the pass-through is not above HAProxy's.
fn floor(group: &Group, pass: &Series, haproxy: &Series) -> Option<Finding> {
    let (own, theirs) = (pass.spread(proxy)?, haproxy.spread(proxy)?);
    Some(Finding {
        target: format!("{}: CPU per query of pass ≤ haproxy", group.title),
        measured: format!("{:.1} against {:.1} µs", own.median, theirs.median),
        standing: match own.against(&theirs) {
            Verdict::Above => Standing::Missed,
            Verdict::Below => Standing::Met,
            Verdict::None if own.median <= theirs.median => Standing::Met,
            Verdict::None => Standing::Unclear,
        },
    })
}

/// What a rule that routes adds to the pass-through, round by round.
fn rule(group: &Group, pass: &Series, routed: &Series) -> Option<Finding> {
    let added = routed.beside(pass, proxy, |own, base| own - base)?;
    Some(Finding {
        target: format!("{}: {} adds ≤ {RULE} µs to pass", group.title, routed.arm),
        measured: format!("{:+.1} µs ({:+.1} to {:+.1})", added.median, added.min, added.max),
        standing: if added.median <= RULE {
            Standing::Met
        } else if added.min <= RULE {
            Standing::Unclear
        } else {
            Standing::Missed
        },
    })
}

/// What encryption leaves of the pass-through's throughput, round by round.
fn cipher(group: &Group, pass: &Series, encrypted: &Series) -> Option<Finding> {
    let share = encrypted.share(pass, |trial| trial.summary.qps)?;
    Some(Finding {
        target: format!("{}: {} ≥ {CIPHER} × the QPS of pass", group.title, encrypted.arm),
        measured: format!("{:.2} × ({:.2}–{:.2})", share.median, share.min, share.max),
        standing: if share.median >= CIPHER {
            Standing::Met
        } else if share.max >= CIPHER {
            Standing::Unclear
        } else {
            Standing::Missed
        },
    })
}

/// What many clients get through the proxy beside as many direct ones, round by round.
fn many(group: &Group, direct: &Series, pass: &Series) -> Vec<Finding> {
    let (throughput, latency) = match (group.load.script.as_str(), group.load.threads) {
        ("oltp_point_select", CROWD..) => (1.2, Some(0.6)),
        ("oltp_read_write", CROWD..) => (1.3, Some(0.6)),
        ("oltp_read_write", 64..) => (1.0, None),
        _ => return Vec::new(),
    };
    let shown = |share: Spread| format!("{:.2} × ({:.2}–{:.2})", share.median, share.min, share.max);
    let standing = |met: bool, possible: bool| match (met, possible) {
        (true, _) => Standing::Met,
        (false, true) => Standing::Unclear,
        (false, false) => Standing::Missed,
    };
    let qps = pass.share(direct, |trial| trial.summary.qps).map(|share| Finding {
        target: format!("{}: pass ≥ {throughput} × the QPS of direct", group.title),
        measured: shown(share),
        standing: standing(share.median >= throughput, share.max >= throughput),
    });
    let p99 = latency.and_then(|most| {
        let share = pass.share(direct, |trial| trial.summary.latency.p99)?;
        Some(Finding {
            target: format!("{}: pass ≤ {most} × the p99 of direct", group.title),
            measured: shown(share),
            standing: standing(share.median <= most, share.min <= most),
        })
    });
    qps.into_iter().chain(p99).collect()
}

/// Idle clients cost those at work nothing that shows.
fn undisturbed(group: &Group, alone: &Series, beside: &Series) -> Option<Finding> {
    let qps = |trial: &Trial| trial.summary.qps;
    let share = beside.share(alone, qps)?;
    Some(Finding {
        target: format!("{}: no throughput lost", group.title),
        measured: format!("{:.2} × ({:.2}–{:.2})", share.median, share.min, share.max),
        standing: match beside.spread(qps)?.against(&alone.spread(qps)?) {
            Verdict::Below => Standing::Missed,
            Verdict::Above | Verdict::None => Standing::Met,
        },
    })
}

fn slices(group: &Group, one: &Series, four: &Series) -> Option<Finding> {
    let share = four.share(one, |trial| trial.summary.tps)?;
    Some(Finding {
        target: format!("{}: 4 slices ≥ {SLICES} × one (aim {SLICES_AIM})", group.title),
        measured: format!(
            "{:.2} × ({:.2}–{:.2}); the one used {:.2} processors, the four {:.2}",
            share.median,
            share.min,
            share.max,
            one.spread(used)?.median,
            four.spread(used)?.median
        ),
        standing: if share.median >= SLICES {
            Standing::Met
        } else if share.max >= SLICES {
            Standing::Unclear
        } else {
            Standing::Missed
        },
    })
}

/// Processors the servers kept busy. Less than their slices together says that something else was the limit.
fn used(trial: &Trial) -> f64 {
    trial.cost.servers * trial.summary.qps / 1e6
}

fn crowd(group: &Group, arm: &Series) -> Finding {
    let faults: Vec<&str> = arm.faults().collect();
    Finding {
        target: format!("{}: {} without an error", group.title, arm.arm),
        measured: if faults.is_empty() {
            format!("{} runs, none", arm.trials.len())
        } else {
            faults.join("; ")
        },
        standing: if faults.is_empty() { Standing::Met } else { Standing::Missed },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::Load;
    use crate::report::Outcome;
    use crate::report::tests::{series, trial};

    fn judged(arms: Vec<Series>) -> Vec<(String, Standing)> {
        let load = Load::new("oltp_point_select");
        let found = group(&Group { title: "point".into(), load, arms });
        found.into_iter().map(|finding| (finding.measured, finding.standing)).collect()
    }

    fn costs(name: &str, proxy: [f64; 3]) -> Series {
        series(name, proxy.into_iter().map(|proxy| trial(1000.0, proxy)).collect())
    }

    #[test]
    fn pass_through_is_held_to_haproxy() {
        let haproxy = || costs("haproxy", [50.0, 52.0, 51.0]);
        let below = judged(vec![costs("pass", [41.0, 40.0, 42.0]), haproxy()]);
        assert_eq!(below, [("41.0 against 51.0 µs".to_owned(), Standing::Met)]);
        let above = judged(vec![costs("pass", [60.0, 61.0, 59.0]), haproxy()]);
        assert_eq!(above, [("60.0 against 51.0 µs".to_owned(), Standing::Missed)]);
        let within = judged(vec![costs("pass", [51.5, 51.5, 60.0]), haproxy()]);
        assert_eq!(within[0].1, Standing::Unclear);
    }

    #[test]
    fn a_rule_may_add_three_microseconds() {
        let pass = || costs("pass", [40.0, 41.0, 42.0]);
        let cheap = judged(vec![pass(), costs("sharded", [42.0, 43.5, 44.0])]);
        assert_eq!(cheap, [("+2.0 µs (+2.0 to +2.5)".to_owned(), Standing::Met)]);
        let dear = judged(vec![pass(), costs("sharded", [45.0, 46.0, 47.0])]);
        assert_eq!(dear[0].1, Standing::Missed);
        let unclear = judged(vec![pass(), costs("sharded", [42.0, 46.0, 47.0])]);
        assert_eq!(unclear[0].1, Standing::Unclear);
    }

    #[test]
    fn rules_asked_for_are_held_to_the_pass_through() {
        let rules = judged(vec![
            costs("pass", [40.0, 41.0, 42.0]),
            costs("readwrite", [41.0, 42.0, 43.0]),
            costs("shadow", [46.0, 47.0, 48.0]),
        ]);
        let standings: Vec<_> = rules.iter().map(|(_, standing)| *standing).collect();
        assert_eq!(standings, [Standing::Met, Standing::Missed]);
        let qps =
            |name: &str, qps: [f64; 2]| series(name, qps.into_iter().map(|qps| trial(qps, 40.0)).collect());
        let pass = || qps("pass", [1000.0, 1000.0]);
        let kept = judged(vec![pass(), qps("encrypt-aes", [950.0, 940.0])]);
        assert_eq!(kept, [("0.94 × (0.94–0.95)".to_owned(), Standing::Met)]);
        assert_eq!(judged(vec![pass(), qps("encrypt-rc4", [900.0, 910.0])])[0].1, Standing::Missed);
    }

    #[test]
    fn many_clients_are_held_to_as_many_direct_ones() {
        let run = |qps: f64, p99: f64| {
            let mut outcome = trial(qps, 40.0);
            if let Outcome::Ran(trial) = &mut outcome {
                trial.summary.latency.p99 = p99;
            }
            outcome
        };
        let judged = |script: &str, threads: u32, pass: [(f64, f64); 2]| -> Vec<(String, Standing)> {
            let direct = series("direct", vec![run(1000.0, 100.0), run(2000.0, 50.0)]);
            let pass = series("pass", pass.map(|(qps, p99)| run(qps, p99)).into());
            let load = Load { threads, ..Load::new(script) };
            let group = Group { title: "many".into(), load, arms: vec![direct.clone(), pass.clone()] };
            many(&group, &direct, &pass).into_iter().map(|it| (it.measured, it.standing)).collect()
        };
        let met = judged("oltp_point_select", 256, [(1300.0, 50.0), (2400.0, 30.0)]);
        let shown = |text: &str, standing| (text.to_owned(), standing);
        assert_eq!(
            met,
            [shown("1.25 × (1.20–1.30)", Standing::Met), shown("0.55 × (0.50–0.60)", Standing::Met)]
        );
        let missed = judged("oltp_read_write", 256, [(1100.0, 70.0), (2600.0, 45.0)]);
        assert_eq!(
            missed,
            [shown("1.20 × (1.10–1.30)", Standing::Unclear), shown("0.80 × (0.70–0.90)", Standing::Missed)]
        );
        assert_eq!(judged("oltp_read_write", 64, [(900.0, 1.0), (1800.0, 1.0)]).len(), 1);
        assert!(judged("oltp_point_select", 64, [(900.0, 1.0), (1800.0, 1.0)]).is_empty());
    }

    #[test]
    fn clients_at_work_are_held_to_those_without_idle_ones() {
        let qps = |name: &str, qps: [f64; 2]| series(name, qps.map(|qps| trial(qps, 40.0)).into());
        let alone = || qps(ALONE, [1000.0, 1100.0]);
        let within = judged(vec![alone(), qps(BESIDE, [1050.0, 935.0])]);
        assert_eq!(within, [("0.95 × (0.85–1.05)".to_owned(), Standing::Met)]);
        assert_eq!(judged(vec![alone(), qps(BESIDE, [900.0, 950.0])])[0].1, Standing::Missed);
    }

    #[test]
    fn four_slices_are_held_to_one() {
        let tps = |name: &str, tps: f64| series(name, vec![trial(tps, 9.0), trial(tps, 9.0)]);
        assert_eq!(
            judged(vec![tps(ONE, 1000.0), tps(FOUR, 3700.0)]),
            [("3.70 × (3.70–3.70); the one used 0.06 processors, the four 0.20".to_owned(), Standing::Met)]
        );
        assert_eq!(judged(vec![tps(ONE, 1000.0), tps(FOUR, 2000.0)])[0].1, Standing::Missed);
    }
}
