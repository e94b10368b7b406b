use super::*;

const PARENT: Trace =
    Trace { id: 0x4bf9_2f35_77b3_4da6_a3ce_929d_0e0e_4736, parent: 0x00f0_67aa_0ba9_02b7, sampled: true };

fn chosen(rule: Rule, times: usize) -> usize {
    let (samplers, choice) = (Samplers::default(), Choice::default());
    samplers.set(Sampler { rule, parental: true });
    (0..times).filter(|_| choice.trace(&samplers, None).is_some_and(|trace| trace.sampled)).count()
}

#[test]
fn rules_choose_their_shares() {
    assert_eq!((chosen(Rule::Always, 100), chosen(Rule::Never, 100)), (100, 0));
    assert_eq!((chosen(Rule::Counted(10), 10_000), chosen(Rule::Counted(100), 300)), (1000, 300));
    assert_eq!((chosen(Rule::Counted(0), 300), chosen(Rule::Share(1.0), 300)), (0, 300));
    assert_eq!((chosen(Rule::Share(0.0), 300), chosen(Rule::Boundary(0), 300)), (0, 0));
    // Ten standard deviations around the share of 40,000.
    for (rule, share) in [(Rule::Share(0.5), 20_000), (Rule::Share(0.1), 4000), (Rule::Boundary(1000), 4000)]
    {
        let count = chosen(rule, 40_000);
        assert!(count.abs_diff(share) < 1000, "{rule:?}: {count}");
    }
}

#[test]
fn a_share_is_the_same_for_everybody_who_knows_the_id() {
    let (samplers, choice) = (Samplers::default(), Choice::default());
    let chooses = |rule, id| choice.chooses(&samplers, rule, id);
    // OpenTelemetry compares the lower 63 bits with the share of 2^63.
    assert!(chooses(Rule::Share(0.5), 0x3fff_ffff_ffff_ffff));
    assert!(chooses(Rule::Share(0.5), 1 << 63 | 1));
    assert!(!chooses(Rule::Share(0.5), 0x4000_0000_0000_0000));
    assert!(chooses(Rule::Share(1.0), u128::MAX));
}

#[test]
fn a_limit_lets_so_many_through_in_a_second() {
    let samplers = Samplers::default();
    let second = 1_000_000_000;
    let passed = |from: u64, to: u64, burst| {
        // A statement each millisecond.
        (from..to).step_by(1_000_000).filter(|now| samplers.is_due(20.0, burst, *now)).count()
    };
    assert_eq!(passed(0, second, 1.0), 20);
    assert_eq!(passed(second, 2 * second, 1.0), 20);
    // After a pause two of the burst, then one each 50 ms.
    assert_eq!(passed(9 * second, 10 * second, 2.0), 21);
    samplers.set(Sampler { rule: Rule::Limited { rate: 0.0, burst: 1.0 }, parental: false });
    assert_eq!(Choice::default().trace(&samplers, None), None);
}

#[test]
fn the_word_of_a_client_counts_where_it_should() {
    let (samplers, choice) = (Samplers::default(), Choice::default());
    let quiet = Trace { sampled: false, ..PARENT };
    samplers.set(Sampler { rule: Rule::Never, parental: true });
    assert_eq!(choice.trace(&samplers, Some(PARENT)), Some(PARENT));
    assert_eq!(choice.trace(&samplers, Some(quiet)), Some(quiet));
    samplers.set(Sampler { rule: Rule::Never, parental: false });
    assert_eq!(choice.trace(&samplers, Some(PARENT)), Some(quiet));
    samplers.set(Sampler { rule: Rule::Always, parental: false });
    assert_eq!(choice.trace(&samplers, Some(quiet)), Some(PARENT));
    let own = choice.trace(&samplers, None).expect("a trace");
    assert!(own.id != 0 && own.parent == 0 && own.sampled);
}

#[test]
fn traceparent_is_read_as_w3c_writes_it() {
    let text = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    assert_eq!(Trace::read(text.as_bytes()), Some(PARENT));
    let off = Trace::read(b"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-02");
    assert_eq!(off, Some(Trace { sampled: false, ..PARENT }));
    assert_eq!(Trace::read(format!("cc{}-more", &text[2..]).as_bytes()), Some(PARENT));
    let long = format!("{text}-more");
    for wrong in [
        "",
        "00",
        &text[..54],
        &long,
        "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "00-4BF92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
    ] {
        assert_eq!(Trace::read(wrong.as_bytes()), None, "{wrong}");
    }
}

#[test]
fn comments_name_a_trace_at_either_end_of_a_statement() {
    let context = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    for text in [
        format!("SELECT 1 /*traceparent='{context}'*/"),
        format!("SELECT 1 /*action='%2Findex',traceparent='{context}',tracestate='a%3D1'*/ ; "),
        format!(" /* traceparent={context} */ SELECT 1"),
        format!("/*traceparent='{context}'*/ SELECT '*/' /* other */"),
    ] {
        assert_eq!(Trace::of_comment(text.as_bytes()), Some(PARENT), "{text}");
    }
    for text in [
        format!("SELECT '/*traceparent={context}*/'"),
        format!("SELECT 1 traceparent='{context}'"),
        "SELECT 1 /*traceparent='00-12'*/".to_owned(),
        "/*traceparent=".to_owned(),
        "/*/".to_owned(),
        String::new(),
    ] {
        assert_eq!(Trace::of_comment(text.as_bytes()), None, "{text}");
    }
}
