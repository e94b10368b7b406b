use super::*;

fn spec(kind: &str, properties: &[(&str, &str)]) -> AlgorithmSpec {
    AlgorithmSpec {
        kind: kind.to_owned(),
        properties: properties.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect(),
    }
}

fn refusal(kind: &str, properties: &[(&str, &str)]) -> String {
    ShardingAlgorithm::parse(&spec(kind, properties)).unwrap_err().to_string()
}

#[test]
fn reads_mod_with_defaults_whatever_the_letter_case_of_its_name() {
    for kind in ["MOD", "mod", "Mod"] {
        let algorithm = ShardingAlgorithm::parse(&spec(kind, &[("sharding-count", "10")])).unwrap();
        let plain = Mod { count: 10, start_offset: 0, stop_offset: 0, zero_padding: false };
        assert_eq!(algorithm, ShardingAlgorithm::Mod(plain));
    }
}

#[test]
fn reads_every_property_of_mod() {
    let all =
        [("sharding-count", "16"), ("start-offset", "1"), ("stop-offset", "2"), ("zero-padding", "TRUE")];
    let algorithm = ShardingAlgorithm::parse(&spec("MOD", &all)).unwrap();
    assert_eq!(
        algorithm,
        ShardingAlgorithm::Mod(Mod { count: 16, start_offset: 1, stop_offset: 2, zero_padding: true })
    );
    assert_eq!((algorithm.shards(), algorithm.width()), (Some(16), 2));
}

#[test]
fn pads_to_the_digits_of_the_last_shard() {
    for (count, width) in [("1", 1), ("10", 1), ("11", 2), ("100", 2), ("101", 3)] {
        let padded = [("sharding-count", count), ("zero-padding", "true")];
        assert_eq!(ShardingAlgorithm::parse(&spec("MOD", &padded)).unwrap().width(), width, "{count}");
    }
}

#[test]
fn refuses_unknown_algorithms_by_name() {
    assert_eq!(refusal("MODULO", &[]), "Invalid sharding algorithms `[MODULO]`.");
    assert_eq!(refusal("CLASS_BASED", &[]), "Invalid sharding algorithms `[CLASS_BASED]`.");
    assert_eq!(refusal("COSID_MOD", &[]), "Invalid sharding algorithms `[COSID_MOD]`.");
}

#[test]
fn refuses_properties_that_are_missing_wrong_or_unknown() {
    let start = "Sharding algorithm `MOD` initialization failed, reason is: ";
    for (properties, reason) in [
        (&[][..], "property 'sharding-count' is missing."),
        (
            &[("sharding-count", "0")],
            "property 'sharding-count' must be an integer from 1 to 65536, not '0'.",
        ),
        (
            &[("sharding-count", "-3")],
            "property 'sharding-count' must be an integer from 1 to 65536, not '-3'.",
        ),
        (
            &[("sharding-count", "4000000000")],
            "property 'sharding-count' must be an integer from 1 to 65536, not '4000000000'.",
        ),
        (
            &[("sharding-count", "ten")],
            "property 'sharding-count' must be an integer from 1 to 65536, not 'ten'.",
        ),
        (
            &[("sharding-count", "4"), ("start-offset", "-1")],
            "property 'start-offset' must be an integer, 0 or more, not '-1'.",
        ),
        (
            &[("sharding-count", "4"), ("zero-padding", "1")],
            "property 'zero-padding' must be true or false, not '1'.",
        ),
        (
            &[("Sharding-Count", "4")],
            "unknown property 'Sharding-Count'; there are 'sharding-count', 'start-offset', \
             'stop-offset', 'zero-padding'.",
        ),
    ] {
        assert_eq!(refusal("MOD", properties), format!("{start}{reason}"));
    }
}

#[test]
fn counts_the_shards_of_ranges() {
    for (kind, properties, shards) in [
        ("HASH_MOD", &[("sharding-count", "4")][..], 4),
        ("VOLUME_RANGE", &[("range-lower", "10"), ("range-upper", "45"), ("sharding-volume", "10")], 6),
        ("VOLUME_RANGE", &[("range-lower", "0"), ("range-upper", "20"), ("sharding-volume", "10")], 4),
        ("volume_range", &[("range-lower", "-5"), ("range-upper", "5"), ("sharding-volume", "10")], 3),
        ("BOUNDARY_RANGE", &[("sharding-ranges", "1,5,10,15,20")], 6),
        ("BOUNDARY_RANGE", &[("sharding-ranges", " 20 , 1, -5,")], 4),
        (
            "AUTO_INTERVAL",
            &[
                ("datetime-lower", "2024-01-01 00:00:00"),
                ("datetime-upper", "2024-01-04 00:00:00"),
                ("sharding-seconds", "86400"),
            ],
            5,
        ),
    ] {
        assert_eq!(
            ShardingAlgorithm::parse(&spec(kind, properties)).unwrap().shards(),
            Some(shards),
            "{kind}"
        );
    }
}

#[test]
fn an_interval_has_windows() {
    let of = |lower: &str, upper: Option<&str>, unit: &str, amount: &str| {
        let mut properties = vec![
            ("datetime-pattern", "yyyy-MM-dd"),
            ("sharding-suffix-pattern", "yyyyMMdd"),
            ("datetime-lower", lower),
            ("datetime-interval-unit", unit),
            ("datetime-interval-amount", amount),
        ];
        properties.extend(upper.map(|upper| ("datetime-upper", upper)));
        match ShardingAlgorithm::parse(&spec("INTERVAL", &properties)).unwrap() {
            ShardingAlgorithm::Interval(it) => it,
            other => panic!("{other:?}"),
        }
    };
    let day = |text: &str| crate::moment::Pattern::parse("yyyy-MM-dd").unwrap().read(text).unwrap();
    let months = of("2024-01-15", Some("2024-12-31"), "months", "1");
    for (text, window) in [
        ("2024-01-14", None),
        ("2024-01-15", Some(0)),
        ("2024-02-14", Some(0)),
        ("2024-02-15", Some(1)),
        ("2024-12-31", Some(11)),
        ("2025-01-14", Some(11)),
        ("2025-01-15", None),
    ] {
        assert_eq!(months.window(day(text)), window, "{text}");
    }
    assert_eq!(months.last(), Some(11));
    let quarters = of("2023-01-01", None, "MONTHS", "3");
    assert_eq!(quarters.window(day("2024-03-31")), Some(4));
    assert_eq!(quarters.start(4), Some(day("2024-01-01")));
    let weeks = of("2024-01-01", None, "WEEKS", "2");
    assert_eq!((weeks.window(day("2024-01-14")), weeks.window(day("2024-01-15"))), (Some(0), Some(1)));
    assert_eq!(weeks.window(day("9999-12-31")), Some(208_083));
    assert_eq!(of("2024-01-01", None, "DECADES", "1").window(day("2043-12-31")), Some(1));
}

#[test]
fn refuses_properties_of_every_algorithm_by_name() {
    let interval = |name: &'static str, value: &'static str| {
        let mut properties = vec![
            ("datetime-pattern", "yyyy-MM-dd"),
            ("sharding-suffix-pattern", "yyyyMM"),
            ("datetime-lower", "2024-01-01"),
        ];
        properties.retain(|(known, _)| *known != name);
        properties.push((name, value));
        properties
    };
    let (lower, upper) =
        (("datetime-lower", "2024-01-01 00:00:00"), ("datetime-upper", "2024-01-04 00:00:00"));
    for (kind, properties, reason) in [
        ("HASH_MOD", vec![], "property 'sharding-count' is missing"),
        ("VOLUME_RANGE", vec![("range-lower", "1")], "property 'range-upper' is missing"),
        (
            "VOLUME_RANGE",
            vec![("range-lower", "1"), ("range-upper", "x"), ("sharding-volume", "1")],
            "property 'range-upper' must be an integer, not 'x'",
        ),
        (
            "VOLUME_RANGE",
            vec![("range-lower", "1"), ("range-upper", "5"), ("sharding-volume", "5")],
            "property 'range-upper' must be at least 'range-lower' plus 'sharding-volume'",
        ),
        (
            "VOLUME_RANGE",
            vec![("range-lower", "1"), ("range-upper", "5"), ("sharding-volume", "0")],
            "property 'sharding-volume' must be at least 1, not '0'",
        ),
        (
            "VOLUME_RANGE",
            vec![("range-lower", "0"), ("range-upper", "100000000"), ("sharding-volume", "1")],
            "property 'sharding-volume' makes 100000002 shards; there may be 65536",
        ),
        (
            "BOUNDARY_RANGE",
            vec![("sharding-ranges", "1,x")],
            "property 'sharding-ranges' must be integers separated by commas, not '1,x'",
        ),
        (
            "BOUNDARY_RANGE",
            vec![("sharding-ranges", "5,1,5")],
            "property 'sharding-ranges' must be different integers, not '5,1,5'",
        ),
        (
            "AUTO_INTERVAL",
            vec![("datetime-lower", "2024-01-01"), upper, ("sharding-seconds", "60")],
            "property 'datetime-lower' must be a date and time as 'yyyy-MM-dd HH:mm:ss', not '2024-01-01'",
        ),
        (
            "AUTO_INTERVAL",
            vec![lower, upper, ("sharding-seconds", "0")],
            "property 'sharding-seconds' must be an integer, 1 or more, not '0'",
        ),
        (
            "INTERVAL",
            interval("datetime-pattern", "yyyy-ww"),
            "property 'datetime-pattern' must be a pattern of dates (unknown letter 'w'), not 'yyyy-ww'",
        ),
        (
            "INTERVAL",
            interval("datetime-lower", "2024-02-30"),
            "property 'datetime-lower' must be a date and time as 'datetime-pattern' says, not '2024-02-30'",
        ),
        (
            "INTERVAL",
            interval("datetime-upper", "2023-01-01"),
            "property 'datetime-upper' must not be before 'datetime-lower'",
        ),
        (
            "INTERVAL",
            interval("datetime-interval-unit", "FORTNIGHTS"),
            "property 'datetime-interval-unit' must be a unit of time such as DAYS or MONTHS, not 'FORTNIGHTS'",
        ),
        (
            "INTERVAL",
            interval("datetime-interval-amount", "0"),
            "property 'datetime-interval-amount' must be an integer from 1 to 1000000000, not '0'",
        ),
        ("INLINE", vec![], "property 'algorithm-expression' is missing"),
        (
            "INLINE",
            vec![("algorithm-expression", "t_${id %}")],
            "property 'algorithm-expression' is wrong: a value is wanted instead of '}' at position 9",
        ),
        (
            "COMPLEX_INLINE",
            vec![("algorithm-expression", "t"), ("allow-range-query-with-inline-sharding", "yes")],
            "property 'allow-range-query-with-inline-sharding' must be true or false, not 'yes'",
        ),
        (
            "HINT_INLINE",
            vec![("algorithm-expression", "t_${id}")],
            "property 'algorithm-expression' has only the variable value, not id",
        ),
    ] {
        let text = format!("Sharding algorithm `{kind}` initialization failed, reason is: {reason}.");
        assert_eq!(refusal(kind, &properties), text);
    }
}
