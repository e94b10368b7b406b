use super::*;

fn options(only: &[&str]) -> Options {
    Options {
        rounds: 3,
        seconds: 5,
        threads: vec![1, 8],
        rows: 1000,
        only: only.iter().map(|part| part.parse().unwrap()).collect(),
        server_cpu: None,
    }
}

fn titles(options: &Options) -> Vec<String> {
    let words = |(script, load): (Script, Load)| {
        format!("{} {} {}", script.words(), load.statements.word(), load.threads)
    };
    options.loads().into_iter().map(words).collect()
}

#[test]
fn without_a_choice_everything_runs() {
    let all = options(&[]);
    assert_eq!(
        titles(&all),
        [
            "point select prepared 1",
            "point select prepared 8",
            "point select text 1",
            "point select text 8",
            "read-write prepared 1",
            "read-write prepared 8"
        ]
    );
    assert!(ARMS.into_iter().all(|name| all.wants(Part::Arm(name))) && all.wants(Part::Slices));
}

#[test]
fn a_choice_narrows_its_own_kind() {
    let chosen = options(&["point", "text", "haproxy"]);
    assert_eq!(titles(&chosen), ["point select text 1", "point select text 8"]);
    let arms: Vec<_> = ARMS.into_iter().filter(|name| chosen.wants(Part::Arm(name))).collect();
    assert_eq!(arms, ["direct", "haproxy"]);
    assert!(!chosen.wants(Part::Slices));
}

#[test]
fn rules_run_when_named_and_beside_the_pass_through() {
    let chosen = options(&["readwrite", "encrypt-sm4", "point"]);
    let arms: Vec<_> = all_arms().filter(|name| chosen.wants(Part::Arm(name))).collect();
    assert_eq!(arms, ["direct", "pass", "readwrite", "encrypt-sm4"]);
    let unasked: Vec<_> = all_arms().filter(|name| options(&[]).wants(Part::Arm(name))).collect();
    assert_eq!(unasked, ARMS);
}

#[test]
fn ranges_run_when_named() {
    let chosen = options(&["order-range", "ranges", "prepared"]);
    assert_eq!(
        titles(&chosen),
        [
            "range selects prepared 1",
            "range selects prepared 8",
            "order-range prepared 1",
            "order-range prepared 8"
        ]
    );
    for (script, load) in chosen.loads() {
        assert_eq!(
            (load.script.as_str(), load.options.join(" ")),
            ("oltp_read_only", script.options().join(" "))
        );
        assert!(load.options.contains(&"--range_selects=on".to_owned()));
    }
    assert!(!chosen.wants(Part::Slices) && chosen.wants(Part::Arm("sharded")));
    assert!(titles(&options(&["text"])).iter().all(|title| title.starts_with("point select text")));
}

#[test]
fn slices_alone_leave_out_the_rest() {
    let slices = options(&["slices"]);
    assert_eq!(titles(&slices), Vec::<String>::new());
    assert!(slices.wants(Part::Slices));
    let both = options(&["slices", "point"]);
    assert_eq!(titles(&both).len(), 4);
    assert!(both.wants(Part::Slices));
}

#[test]
fn an_unknown_part_is_refused_with_those_there_are() {
    let error = "proxysql".parse::<Part>().unwrap_err().to_string();
    assert!(
        error.contains("no part `proxysql`") && error.contains("haproxy") && error.contains("slices"),
        "{error}"
    );
}

#[test]
fn four_slices_fit_into_the_machine() {
    for cores in [1, 2, 4, 48] {
        let share = share(cores);
        assert!(share >= 0.1 && 4.0 * share <= cores as f64 * 0.5, "{cores}: {share}");
    }
}
