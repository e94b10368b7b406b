use super::*;

const fn text(exact: bool) -> Domain {
    Domain::Text { exact, room: Room::Characters(20), last: char::MAX }
}

const TEXT: Domain = text(false);
const BIGINT: Domain = Domain::Integer(i64::MIN as i128, i64::MAX as i128);

#[test]
fn looks_for_what_the_server_would_find_in_a_bigint() {
    for (constant, expected) in [
        (Constant::Int(5), Wanted::Key(Key::Int(5))),
        (Constant::Int(i128::from(u64::MAX)), Wanted::Never),
        (Constant::Decimal(false, "5.0"), Wanted::Key(Key::Int(5))),
        (Constant::Decimal(true, "5.00"), Wanted::Key(Key::Int(-5))),
        (Constant::Decimal(false, "5.5"), Wanted::Unsure),
        (Constant::Decimal(false, ".5"), Wanted::Unsure),
        (Constant::Float(1e1), Wanted::Key(Key::Int(10))),
        (Constant::Float(1e30), Wanted::Unsure),
        (Constant::Text("5"), Wanted::Key(Key::Int(5))),
        (Constant::Text("005"), Wanted::Key(Key::Int(5))),
        (Constant::Text("5abc"), Wanted::Unsure),
        (Constant::Text(""), Wanted::Unsure),
        (Constant::Text("9007199254740993"), Wanted::Unsure),
        (Constant::Null, Wanted::Never),
        (Constant::Unknown, Wanted::Unsure),
    ] {
        assert_eq!(BIGINT.wanted(constant, Reading::Value), expected, "{constant:?}");
    }
}

#[test]
fn looks_for_what_the_server_would_find_in_a_text() {
    for (constant, reading, expected) in [
        (Constant::Text("007"), Reading::Value, Wanted::Key(Key::Text("007"))),
        (Constant::Text("7 "), Reading::Value, Wanted::Key(Key::Text("7"))),
        (Constant::Text("٧"), Reading::Value, Wanted::Unsure),
        (Constant::Text("a7b"), Reading::Digits, Wanted::Key(Key::Text("a7b"))),
        (Constant::Text("ß7b"), Reading::Digits, Wanted::Unsure),
        (Constant::Text("a7 "), Reading::Digits, Wanted::Unsure),
        (Constant::Int(7), Reading::Value, Wanted::Key(Key::Int(7))),
        (Constant::Int(7), Reading::Digits, Wanted::Unsure),
    ] {
        assert_eq!(TEXT.wanted(constant, reading), expected, "{constant:?}");
    }
}

#[test]
fn stores_where_the_server_will_have_stored_it() {
    for (constant, expected) in [
        (Constant::Text("007"), Ok(Key::Int(7))),
        (Constant::Text(" 7 "), Ok(Key::Int(7))),
        (Constant::Text("7.4"), Err(Unfit::NotNumeric)),
        (Constant::Text("7a"), Err(Unfit::NotNumeric)),
        (Constant::Decimal(false, "7.4"), Ok(Key::Int(7))),
        (Constant::Decimal(false, "7.5"), Ok(Key::Int(8))),
        (Constant::Decimal(true, "7.5"), Ok(Key::Int(-8))),
        (Constant::Decimal(true, ".4"), Ok(Key::Int(0))),
        (Constant::Float(7.0), Ok(Key::Int(7))),
        (Constant::Float(7.5), Err(Unfit::Doubtful)),
        (Constant::Int(i128::from(u64::MAX)), Ok(Key::Int(i128::from(i64::MAX)))),
        (Constant::Text("123456789012345678901234567890123456789012"), Ok(Key::Int(i128::from(i64::MAX)))),
        (Constant::Null, Err(Unfit::Null)),
        (Constant::Unknown, Err(Unfit::Doubtful)),
    ] {
        assert_eq!(BIGINT.stored(constant, false, Reading::Value), expected, "{constant:?}");
    }
    assert_eq!(BIGINT.stored(Constant::Int(0), true, Reading::Value), Err(Unfit::Doubtful));
    assert_eq!(TEXT.stored(Constant::Text("007"), false, Reading::Value), Ok(Key::Text("007")));
    assert_eq!(TEXT.stored(Constant::Text("7 "), false, Reading::Value), Err(Unfit::NotNumeric));
}

#[test]
fn bounds_never_leave_out_an_integer() {
    for (constant, lower, expected) in [
        (Constant::Decimal(false, "1.5"), true, Some(2)),
        (Constant::Decimal(false, "3.2"), false, Some(3)),
        (Constant::Decimal(true, "1.5"), true, Some(-1)),
        (Constant::Decimal(true, "1.5"), false, Some(-2)),
        (Constant::Decimal(false, "3.0"), true, Some(3)),
        (Constant::Float(0.5), true, None),
        (Constant::Text("3"), true, Some(3)),
        (Constant::Text("x"), true, None),
    ] {
        assert_eq!(BIGINT.bound(constant, lower, Reading::Value), expected, "{constant:?}");
    }
    assert_eq!(TEXT.bound(Constant::Int(1), true, Reading::Value), None);
}

#[test]
fn knows_the_hash_of_a_text_only_when_no_other_is_equal_to_it() {
    let binary = text(true);
    for (text, any, exact) in [
        ("13800001111", true, true),
        ("2024-03-15 10:00:00", true, true),
        ("", true, true),
        ("abc", false, true),
        ("a~", false, true),
        ("ä", false, false),
        ("张", false, false),
    ] {
        for (domain, sure) in [(TEXT, any), (binary, exact)] {
            let expected = if sure { Wanted::Key(Key::Text(text)) } else { Wanted::Unsure };
            assert_eq!(domain.wanted(Constant::Text(text), Reading::Exact), expected, "{text}");
        }
    }
    assert_eq!(TEXT.wanted(Constant::Text("17 "), Reading::Exact), Wanted::Key(Key::Text("17")));
    assert_eq!(TEXT.wanted(Constant::Int(17), Reading::Exact), Wanted::Unsure);
}

#[test]
fn stores_a_text_only_where_it_can_be_found_again() {
    let binary = text(true);
    for (text, any, exact) in [
        ("abc", true, true),
        ("张三", true, true),
        ("ä", false, true),
        ("１", false, true),
        ("a ", false, false),
    ] {
        for (domain, stored) in [(TEXT, any), (binary, exact)] {
            let expected = if stored { Ok(Key::Text(text)) } else { Err(Unfit::Doubtful) };
            assert_eq!(domain.stored(Constant::Text(text), false, Reading::Exact), expected, "{text}");
        }
    }
    assert_eq!(TEXT.stored(Constant::Int(17), false, Reading::Exact), Ok(Key::Digits(17)));
}

#[test]
fn knows_moments_as_precisely_as_the_column_keeps_them() {
    let at = |text: &str| moment::of_text(text).unwrap();
    let (time, day) =
        (Domain::Moment { date: false, zoned: false }, Domain::Moment { date: true, zoned: false });
    let half = at("2024-03-15 23:59:59.5");
    for constant in [Constant::Text("2024-03-15 23:59:59.5"), Constant::Moment(half)] {
        assert_eq!(time.wanted(constant, Reading::Time), Wanted::Key(Key::Moment(half, half)));
        let around = Key::Moment(at("2024-03-15 23:59:59"), at("2024-03-16 00:00:00"));
        assert_eq!(time.stored(constant, false, Reading::Time), Ok(around));
        let days = Key::Moment(at("2024-03-15"), at("2024-03-16"));
        assert_eq!(day.stored(constant, false, Reading::Time), Ok(days));
        assert_eq!(time.bound(constant, true, Reading::Time), Some(i128::from(half.0)));
    }
    let whole = at("2024-03-15 10:00:00");
    let stored = time.stored(Constant::Int(20_240_315_100_000), false, Reading::Time);
    assert_eq!(stored, Ok(Key::Moment(whole, whole)));
    assert_eq!(time.wanted(Constant::Text("yesterday"), Reading::Time), Wanted::Unsure);
    assert_eq!(time.stored(Constant::Text("0000-00-00"), false, Reading::Time), Err(Unfit::Doubtful));
    assert_eq!(time.stored(Constant::Text("2024-03-15"), false, Reading::Exact), Err(Unfit::Doubtful));
    assert_eq!(time.wanted(Constant::Null, Reading::Time), Wanted::Never);
}

fn column(data_type: &str, limit: Option<u32>, collation: Option<&str>) -> Domain {
    Domain::of(Some(&TableColumn {
        name: "k".to_owned(),
        data_type: data_type.to_owned(),
        collation: collation.map(str::to_owned),
        auto_increment: false,
        unsigned: false,
        limit,
    }))
}

/// What `INSERT IGNORE`, and a server that is not strict, would store otherwise than written.
#[test]
fn refuses_what_the_column_would_cut_off_or_change() {
    let fits = |domain: Domain, constant| domain.stored(constant, false, Reading::Exact).is_ok();
    let short = column("varchar", Some(3), Some("utf8mb4_0900_ai_ci"));
    for (text, fit) in [("123", true), ("1234", false), ("张三丰", true), ("张三丰张", false)] {
        assert_eq!(fits(short, Constant::Text(text)), fit, "{text}");
    }
    assert!(!fits(short, Constant::Int(1234)) && fits(short, Constant::Int(123)));
    let bytes = column("varbinary", Some(3), None);
    assert!(fits(bytes, Constant::Text("张")) && !fits(bytes, Constant::Text("张1")));
    assert!(!fits(column("varchar", Some(9), Some("latin1_swedish_ci")), Constant::Text("张")));
    assert!(!fits(column("varchar", Some(9), Some("utf8mb3_bin")), Constant::Text("😀")));
    assert!(fits(column("varchar", Some(9), Some("utf8mb4_bin")), Constant::Text("😀")));
    let decimal = column("decimal", Some(3), None);
    assert!(fits(decimal, Constant::Int(-999)) && !fits(decimal, Constant::Int(1000)));
    let float = column("float", None, None);
    assert!(fits(float, Constant::Int(16_777_216)) && !fits(float, Constant::Int(16_777_217)));
    let unsure = float.wanted(Constant::Int(16_777_217), Reading::Exact);
    assert_eq!(unsure, Wanted::Unsure);
}

#[test]
fn refuses_moments_beyond_the_end_of_the_type() {
    let stamp = column("timestamp", None, None);
    let at = moment::of_text("2024-02-01 04:00:00").unwrap();
    assert_eq!(stamp.stored(Constant::Moment(at), false, Reading::Time), Ok(Key::Moment(at, at)));
    for (domain, text) in [
        (stamp, "2039-01-01 00:00:00"),
        (stamp, "1969-01-01 00:00:00"),
        (column("datetime", None, None), "9999-12-31 23:59:59.9"),
    ] {
        assert_eq!(domain.stored(Constant::Text(text), false, Reading::Time), Err(Unfit::Doubtful), "{text}");
    }
}
