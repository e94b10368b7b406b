//! Which statements are test traffic (`algorithms.md` §4), with literals and with parameters.

#![expect(clippy::unwrap_used, reason = "a test fails where it happens")]

use meta::{
    AlgorithmSpec, Otherwise, ReadwriteSpec, ShadowDefault, ShadowDraft, ShadowPair, Snapshot, Table,
    TableColumn, UnitSpec,
};
use plan::{Arguments, Call, Chosen, Error, Placement, Plan, Template, Value};
use proptest::prelude::*;
use sql::{Fingerprinter, Mode};

struct Given(Vec<Value<'static>>);

impl Arguments for Given {
    fn value(&self, index: usize) -> Value<'_> {
        self.0.get(index).copied().unwrap_or(Value::Other)
    }
}

fn unit(name: &str) -> (String, UnitSpec) {
    let spec = serde_json::json!({"host": "h", "port": 3306, "database": format!("of_{name}"), "user": "u"});
    (name.to_owned(), serde_json::from_value(spec).unwrap())
}

fn algorithm(kind: &str, properties: &[(&str, &str)]) -> AlgorithmSpec {
    AlgorithmSpec {
        kind: kind.to_owned(),
        properties: properties.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect(),
    }
}

fn value(operation: &str, column: &str, value: &str) -> AlgorithmSpec {
    algorithm("VALUE_MATCH", &[("operation", operation), ("column", column), ("value", value)])
}

fn hint() -> AlgorithmSpec {
    algorithm("SIMPLE_HINT", &[("shadow", "true")])
}

fn table(name: &str, source: &str, columns: &[&str]) -> Table {
    let column = |name: &&str| TableColumn {
        name: (*name).to_owned(),
        data_type: "varchar".to_owned(),
        collation: None,
        auto_increment: false,
        unsigned: false,
        limit: None,
    };
    Table {
        name: name.to_owned(),
        source: Some(source.to_owned()),
        columns: columns.iter().map(column).collect(),
    }
}

fn draft(pair: [&str; 3], tables: Vec<(&str, Vec<AlgorithmSpec>)>) -> ShadowDraft {
    let [name, source, shadow] = pair.map(str::to_owned);
    let tables = tables.into_iter().map(|(name, algorithms)| {
        (name.to_owned(), algorithms.into_iter().map(|algorithm| (None, algorithm)).collect())
    });
    ShadowDraft { pair: ShadowPair { name, source, shadow }, tables: tables.collect() }
}

/// `t_user` and `t_hint` under rule `r` of `prod` and `test`, `t_order` beside them.
fn snapshot() -> Snapshot {
    let snapshot = Snapshot::default().create_database("db", Otherwise::Fail).unwrap();
    let units = ["prod", "test"].map(unit).to_vec();
    let snapshot = snapshot.register_units("db", units, Otherwise::Fail).unwrap();
    let regex =
        algorithm("REGEX_MATCH", &[("operation", "select"), ("column", "name"), ("regex", "test.*|loop")]);
    let user = vec![
        value("insert", "status", "1"),
        value("select", "status", "1"),
        value("update", "Status", "1"),
        value("delete", "status", "true"),
        regex,
    ];
    let rule = draft(["r", "prod", "test"], vec![("t_user", user), ("t_hint", vec![hint()])]);
    let snapshot = snapshot.create_shadow("db", vec![rule], Otherwise::Fail).unwrap();
    let tables = vec![
        table("t_user", "r", &["id", "name", "status"]),
        table("t_hint", "r", &["id"]),
        table("t_order", "r", &["id", "user_id"]),
        table("t_both", "r", &["id", "status"]),
    ];
    snapshot.learn_tables("db", tables).unwrap()
}

fn plan(snapshot: &Snapshot, text: &str, values: &[Value<'static>]) -> Result<(Plan, Template), Error> {
    let fingerprint = Fingerprinter::fixed().fingerprint(text, Mode::default())?;
    let template = Template::draft(text, &fingerprint, Mode::default(), snapshot, Some("db"))?;
    let given = Given(values.to_vec());
    let params = (!values.is_empty()).then_some(&given as &dyn Arguments);
    let call = Call { text, raw: text.as_bytes(), slots: &fingerprint.slots, params, ..Call::default() };
    let mut plan = template.bind(&call)?;
    let mut placement = Placement {
        in_transaction: false,
        read_only: false,
        write_only: false,
        preview: false,
        chosen: &mut Chosen::default(),
        is_up: &|_| true,
        random: 0,
        bereft: None,
    };
    template.place(&mut plan, &call, &mut placement)?;
    Ok((plan, template))
}

/// The names of the units, or the refusal.
fn place(snapshot: &Snapshot, text: &str, values: &[Value<'static>]) -> String {
    match plan(snapshot, text, values) {
        Ok((plan, template)) => {
            let units = &template.database().unwrap().units;
            let name = |unit: u16| units.get_index(usize::from(unit)).unwrap().0.as_str();
            plan.units.iter().map(|route| name(route.unit)).collect::<Vec<_>>().join(" ")
        }
        Err(error) => format!("{} {} {error}", error.code(), error.state()),
    }
}

fn check(snapshot: &Snapshot, cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        assert_eq!(place(snapshot, text, &[]), *expected, "{text}");
    }
}

#[test]
fn rows_are_test_traffic_when_all_of_them_are() {
    check(
        &snapshot(),
        &[
            ("INSERT INTO t_user (id, status) VALUES (1, 1)", "test"),
            ("INSERT INTO t_user (id, `STATUS`) VALUES (1, '1')", "test"),
            ("REPLACE INTO T_USER (status) VALUES ('1')", "test"),
            ("INSERT INTO t_user SET id = 1, status = 1", "test"),
            ("INSERT INTO t_user SET id = 1, status = 2", "prod"),
            ("INSERT INTO t_user VALUES (1, 'x', 1)", "test"),
            ("INSERT INTO t_user VALUES (1, 1, 'x')", "prod"),
            ("INSERT INTO t_user (id, status) VALUES (1, 1), (2, 1)", "test"),
            ("INSERT INTO t_user (id, status) VALUES (1, 1), (2, 0)", "prod"),
            ("INSERT INTO t_user (id) VALUES (1)", "prod"),
            ("INSERT INTO t_user () VALUES ()", "prod"),
            ("INSERT INTO t_user (id, status) VALUES (1, 2) ON DUPLICATE KEY UPDATE status = 1", "prod"),
            ("INSERT INTO t_user (id, status) SELECT id, 1 FROM t_user WHERE status = 1", "prod"),
            ("INSERT INTO t_both (id, status) VALUES (1, 1)", "prod"),
        ],
    );
}

#[test]
fn values_are_compared_by_their_text() {
    let snapshot = snapshot();
    for (value, expected) in [
        ("1", "test"),
        ("'1'", "test"),
        ("01", "test"),
        ("x'31'", "test"),
        ("1.0", "prod"),
        ("'1.0'", "prod"),
        ("' 1'", "prod"),
        ("TRUE", "prod"),
        ("-1", "prod"),
        ("NULL", "prod"),
        ("'\\1'", "test"),
        ("DEFAULT", "20840 42000 Insert value of index `1` can not support for shadow."),
        ("1 + 0", "20840 42000 Insert value of index `1` can not support for shadow."),
        ("UPPER('1')", "20840 42000 Insert value of index `1` can not support for shadow."),
    ] {
        let text = format!("INSERT INTO t_user (id, status) VALUES (1, {value})");
        assert_eq!(place(&snapshot, &text, &[]), expected, "{text}");
    }
    let date = wire::value::Value::Date(wire::value::Date { year: 2024, month: 1, day: 1 });
    for (value, expected) in [
        (Value::Int(1), "test"),
        (Value::UInt(1), "test"),
        (Value::Bytes(b"1"), "test"),
        (Value::Bytes(b"1.0"), "prod"),
        (Value::Bytes(b"\xff"), "prod"),
        (Value::Int(-1), "prod"),
        (Value::Null, "prod"),
        (
            Value::Moment(date),
            "20820 HY004 Shadow column `status` of table `t_user` does not support `DATE` type.",
        ),
    ] {
        let text = "INSERT INTO t_user (status) VALUES (?)";
        assert_eq!(place(&snapshot, text, &[value]), expected, "{value:?}");
    }
    let rows = "INSERT INTO t_user (id, status) VALUES (?, ?), (?, ?)";
    let values = |last| [Value::Int(7), Value::Int(1), Value::Int(8), last];
    assert_eq!(place(&snapshot, rows, &values(Value::Bytes(b"1"))), "test");
    assert_eq!(place(&snapshot, rows, &values(Value::Int(2))), "prod");
}

#[test]
fn any_predicate_of_a_condition_tells_test_traffic() {
    check(
        &snapshot(),
        &[
            ("SELECT * FROM t_user WHERE status = 1", "test"),
            ("SELECT * FROM t_user WHERE 1 = STATUS", "test"),
            ("SELECT * FROM t_user WHERE id = 5 AND status = '1'", "test"),
            ("SELECT * FROM t_user WHERE id = 5 OR status = 1", "test"),
            ("SELECT * FROM t_user WHERE (id = 1 OR id = 2) AND (id = 3 OR (id = 4 AND status = 1))", "test"),
            ("SELECT * FROM t_user WHERE status IN (1, '1')", "test"),
            ("SELECT * FROM t_user WHERE status IN (1, 2)", "prod"),
            ("SELECT * FROM t_user WHERE status IN (1, NULL)", "prod"),
            ("SELECT * FROM t_user WHERE status IN (SELECT 1)", "prod"),
            ("SELECT * FROM t_user WHERE status NOT IN (1)", "prod"),
            ("SELECT * FROM t_user WHERE NOT (status = 1)", "prod"),
            ("SELECT * FROM t_user WHERE status <> 1", "prod"),
            ("SELECT * FROM t_user WHERE status >= 1", "prod"),
            ("SELECT * FROM t_user WHERE status BETWEEN 1 AND 1", "prod"),
            ("SELECT * FROM t_user WHERE status LIKE '1'", "prod"),
            ("SELECT * FROM t_user WHERE status = NULL", "prod"),
            ("SELECT * FROM t_user WHERE status = 1 + 0", "prod"),
            ("SELECT * FROM t_user WHERE status = id", "prod"),
            ("SELECT status = 1 FROM t_user", "prod"),
            ("SELECT * FROM t_user WHERE name = 'test_1'", "test"),
            ("SELECT * FROM t_user WHERE name = 'loop'", "test"),
            ("SELECT * FROM t_user WHERE name = 'a test'", "prod"),
            ("SELECT * FROM t_user", "prod"),
            ("UPDATE t_user SET name = 'x' WHERE status = 1", "test"),
            ("UPDATE t_user SET status = 1 WHERE id = 1", "prod"),
            ("DELETE FROM t_user WHERE status = TRUE", "test"),
            ("DELETE FROM t_user WHERE status = 1", "prod"),
        ],
    );
    let snapshot = snapshot();
    let text = "SELECT * FROM t_user WHERE id = ? AND status = ?";
    assert_eq!(place(&snapshot, text, &[Value::Int(1), Value::Int(2)]), "prod");
    assert_eq!(place(&snapshot, text, &[Value::Int(2), Value::Int(1)]), "test");
}

/// Looked for among each other they would take the square of their number.
#[test]
fn a_condition_may_have_many_predicates_and_negations() {
    let many = "(NOT status = 1) OR status = 2 OR CASE WHEN NOT id = 1 THEN 0 END OR ".repeat(10_000);
    let text = |last: u32| format!("SELECT * FROM t_user WHERE {many} status = {last}");
    assert_eq!(place(&snapshot(), &text(1), &[]), "test");
    assert_eq!(place(&snapshot(), &text(2), &[]), "prod");
}

#[test]
fn columns_belong_to_the_table_that_they_name_or_that_has_them() {
    check(
        &snapshot(),
        &[
            ("SELECT * FROM t_user u WHERE status = 1", "test"),
            ("SELECT * FROM t_user u WHERE u.status = 1", "test"),
            ("SELECT * FROM t_user WHERE t_user.status = 1", "test"),
            ("SELECT * FROM db.t_user WHERE db.t_user.status = 1", "test"),
            ("SELECT * FROM t_order o JOIN t_user u ON o.user_id = u.id WHERE status = 1", "test"),
            ("SELECT * FROM t_order o JOIN t_user u ON o.user_id = u.id WHERE u.status = 1", "test"),
            ("SELECT * FROM t_order o JOIN t_user u ON o.user_id = u.id AND u.status = 1", "test"),
            ("SELECT * FROM t_both b JOIN t_user u ON b.id = u.id WHERE b.status = 1", "prod"),
            ("SELECT * FROM t_both WHERE status = 1", "prod"),
            ("SELECT * FROM t_new, t_user u WHERE status = 1", "test"),
            ("UPDATE t_order o, t_user u SET o.id = 1 WHERE u.status = 1", "test"),
            ("DELETE u FROM t_user u WHERE u.status = 'true'", "test"),
        ],
    );
    let unknown = snapshot().learn_tables("db", vec![table("t_order", "r", &[])]).unwrap();
    assert_eq!(
        plan(&unknown, "SELECT * FROM t_order, t_user WHERE status = 1", &[]).unwrap_err(),
        Error::NeedTables { database: "db".to_owned(), tables: vec!["t_order".to_owned()] }
    );
    let unknown = snapshot().learn_tables("db", vec![table("t_user", "r", &[])]).unwrap();
    assert_eq!(
        plan(&unknown, "INSERT INTO t_user VALUES (1, 2, 3)", &[]).unwrap_err(),
        Error::NeedTables { database: "db".to_owned(), tables: vec!["t_user".to_owned()] }
    );
}

#[test]
fn predicates_of_subqueries_and_set_operations_count() {
    check(
        &snapshot(),
        &[
            ("SELECT * FROM (SELECT * FROM t_user WHERE status = 1) x", "test"),
            ("WITH x AS (SELECT * FROM t_user WHERE status = 1) SELECT * FROM x", "test"),
            ("SELECT * FROM t_order WHERE user_id IN (SELECT id FROM t_user WHERE status = 1)", "test"),
            ("SELECT * FROM t_order WHERE user_id NOT IN (SELECT id FROM t_user WHERE status = 1)", "test"),
            ("SELECT * FROM t_order WHERE NOT (user_id IN (SELECT id FROM t_user WHERE status = 1))", "test"),
            (
                "SELECT * FROM t_order o WHERE NOT EXISTS (SELECT 1 FROM t_user u WHERE u.status IN (1))",
                "test",
            ),
            ("SELECT * FROM t_user u WHERE EXISTS (SELECT 1 FROM t_order o WHERE u.status = 1)", "test"),
            ("SELECT * FROM t_user u WHERE EXISTS (SELECT 1 FROM t_order o WHERE status = 1)", "test"),
            ("SELECT * FROM t_order o LEFT JOIN t_user u ON u.status = 1", "test"),
            ("SELECT * FROM t_user WHERE (id, status) IN ((1, 1), (2, 1))", "test"),
            ("SELECT id FROM t_user WHERE status = 1 UNION SELECT id FROM t_order", "test"),
            ("SELECT id FROM t_order UNION ALL SELECT id FROM t_user WHERE status = 1", "test"),
            ("(SELECT id FROM t_user WHERE status = 1 LIMIT 1) UNION (SELECT 2)", "test"),
            ("SELECT * FROM t_order WHERE user_id IN (SELECT id FROM t_user WHERE NOT status = 1)", "prod"),
            ("SELECT * FROM (SELECT * FROM t_user WHERE NOT (id = 1 AND status = 1)) x", "prod"),
            ("SELECT * FROM (SELECT * FROM t_user WHERE !(status = 1) OR id = 2) x", "prod"),
            ("SELECT * FROM (SELECT * FROM t_user WHERE NOT id = 1 AND status = 1) x", "test"),
            ("SELECT * FROM (SELECT * FROM t_user WHERE id IS NOT NULL AND status = 1) x", "test"),
            ("SELECT * FROM t_user u WHERE EXISTS (SELECT 1 FROM t_both WHERE status = 1)", "prod"),
            ("SELECT id, status = 1 FROM t_user UNION SELECT 1, 2", "prod"),
            ("UPDATE t_order SET id = 1 WHERE user_id IN (SELECT id FROM t_user WHERE status = 1)", "test"),
        ],
    );
}

#[test]
fn comments_tell_test_traffic_of_tables_that_ask_for_them() {
    check(
        &snapshot(),
        &[
            ("SELECT * FROM t_hint /*shadow:true*/", "test"),
            ("/* shadow:true, foo:bar */ SELECT * FROM t_hint", "test"),
            ("SELECT /* a */ * FROM t_hint /* shadow : true */ WHERE id = 1", "test"),
            ("INSERT INTO t_hint (id) VALUES (1)/*shadow:true*/", "test"),
            ("INSERT INTO t_hint (id) SELECT id FROM t_order /*shadow:true*/", "test"),
            ("UPDATE t_hint SET id = 2 WHERE id = 1 /*shadow:true*/;", "test"),
            ("DELETE FROM t_hint WHERE id = 1 /*shadow:true*/", "test"),
            ("/* SHARDINGSPHERE_HINT: SHADOW=true */ SELECT * FROM t_hint", "test"),
            ("SELECT * FROM t_hint /* ShardingSphere hint: shadow=TRUE */", "test"),
            ("SELECT * FROM t_hint /*shadow:false*/", "prod"),
            ("SELECT * FROM t_hint /*Shadow:true*/", "prod"),
            ("SELECT * FROM t_hint /* SHARDINGSPHERE_HINT: SHADOW=false */", "prod"),
            ("SELECT * FROM t_hint -- shadow:true", "prod"),
            ("SELECT '/*shadow:true*/' FROM t_hint", "prod"),
            // No algorithm of these tables asks for a comment, and there is no default one.
            ("SELECT * FROM t_user /*shadow:true*/", "prod"),
            ("SELECT * FROM t_order /*shadow:true*/", "prod"),
            ("SELECT 1 /*shadow:true*/", "prod"),
            // One table that asks is enough, wherever it stands.
            ("SELECT * FROM t_order o JOIN t_hint h ON o.id = h.id /*shadow:true*/", "test"),
            ("SELECT * FROM t_order WHERE id IN (SELECT id FROM t_hint) /*shadow:true*/", "test"),
            // A comment leaves no question about values.
            ("INSERT INTO t_user (status) SELECT id FROM t_hint /*shadow:true*/", "test"),
        ],
    );
}

#[test]
fn a_default_algorithm_is_for_statements_without_a_table_of_the_rules() {
    let default = ShadowDefault::Type(algorithm("SQL_HINT", &[]));
    let snapshot = snapshot().create_default_shadow("db", default, Otherwise::Fail).unwrap();
    check(
        &snapshot,
        &[
            ("SELECT * FROM t_order /* SHARDINGSPHERE_HINT: SHADOW=true */", "test"),
            ("SELECT 1 /* SHARDINGSPHERE_HINT: SHADOW=true */", "test"),
            ("SELECT * FROM t_order /*shadow:true*/", "prod"),
            ("SELECT * FROM t_order", "prod"),
            ("SELECT * FROM t_user /* SHARDINGSPHERE_HINT: SHADOW=true */", "prod"),
        ],
    );
}

#[test]
fn statements_of_other_kinds_are_told_by_any_hint() {
    check(
        &snapshot(),
        &[
            ("CREATE TABLE t_new (id INT) /*shadow:true*/", "test"),
            ("ALTER TABLE t_order ADD c INT /*shadow:true*/", "test"),
            ("TRUNCATE t_user /* SHARDINGSPHERE_HINT: SHADOW=true */", "test"),
            ("EXPLAIN SELECT * FROM t_user WHERE status = 1 /*shadow:true*/", "test"),
            ("SHOW CREATE TABLE t_user /*shadow:true*/", "test"),
            ("CREATE TABLE t_new (id INT)", "prod"),
            ("EXPLAIN SELECT * FROM t_user WHERE status = 1", "prod"),
            ("TRUNCATE t_user /*shadow:maybe*/", "prod"),
        ],
    );
}

#[test]
fn what_cannot_be_read_is_refused_where_it_could_be_test_traffic() {
    let snapshot = snapshot();
    let refused = place(&snapshot, "SELECT * FROM t_user WHERE", &[]);
    assert!(refused.starts_with("1064 42000 "), "{refused}");
    assert_eq!(place(&snapshot, "SELECT * FROM t_order WHERE", &[]), "prod");
    assert_eq!(place(&snapshot, "SELECT * FROM t_hint WHERE /*shadow:true*/", &[]), "test");
}

#[test]
fn statements_are_prepared_where_a_comment_sends_them() {
    let snapshot = snapshot();
    for (text, unit) in [
        ("SELECT * FROM t_hint WHERE id = ? /*shadow:true*/", 1),
        ("SELECT * FROM t_hint WHERE id = ?", 0),
        ("SELECT * FROM t_user WHERE status = 1 AND id = ?", 0),
    ] {
        let fingerprint = Fingerprinter::fixed().fingerprint(text, Mode::default()).unwrap();
        let template = Template::draft(text, &fingerprint, Mode::default(), &snapshot, Some("db")).unwrap();
        assert_eq!(template.sample().unwrap().units[0].unit, unit, "{text}");
    }
}

#[test]
fn texts_name_the_database_of_their_unit() {
    let snapshot = snapshot();
    let text = |sql: &str| {
        let (plan, template) = plan(&snapshot, sql, &[]).unwrap();
        let fingerprint = Fingerprinter::fixed().fingerprint(sql, Mode::default()).unwrap();
        let call = Call {
            text: sql,
            raw: sql.as_bytes(),
            slots: &fingerprint.slots,
            params: None,
            ..Call::default()
        };
        let renames = template.renames(&plan.units[0]);
        let logical = [&b"of_prod"[..], b"of_test"].map(|physical| renames.schema(physical).is_some());
        (plan::explain(&plan, &template, &call).remove(0).1, logical)
    };
    assert_eq!(
        text("SELECT db.t_user.id FROM db.t_user WHERE status = 1"),
        ("SELECT `of_test`.`t_user`.id FROM `of_test`.`t_user` WHERE status = 1".to_owned(), [false, true])
    );
    assert_eq!(
        text("SELECT * FROM db.t_user WHERE status = 2"),
        ("SELECT * FROM `of_prod`.`t_user` WHERE status = 2".to_owned(), [true, false])
    );
    assert_eq!(
        text("SHOW INDEX FROM t_user FROM db /*shadow:true*/").0.trim_end(),
        "SHOW INDEX FROM `of_test`.`t_user`"
    );
}

#[test]
fn rules_nest_and_are_sharded_over() {
    let snapshot = Snapshot::default().create_database("db", Otherwise::Fail).unwrap();
    let units = ["w", "r", "tw", "w_1"].map(unit).to_vec();
    let snapshot = snapshot.register_units("db", units, Otherwise::Fail).unwrap();
    let group = ReadwriteSpec {
        name: "rw".to_owned(),
        write: "w".to_owned(),
        reads: vec!["r".to_owned()],
        ..ReadwriteSpec::default()
    };
    let snapshot = snapshot.create_readwrite("db", vec![group], Otherwise::Fail).unwrap();
    let status = || vec![("t", vec![value("insert", "status", "1"), value("select", "status", "1"), hint()])];
    let rules = vec![draft(["s_0", "rw", "tw"], status()), draft(["s_1", "w_1", "tw"], status())];
    let snapshot = snapshot.create_shadow("db", rules, Otherwise::Fail).unwrap();
    let sharded = serde_json::json!({
        "name": "t", "units": ["s_0", "s_1"], "column": "id",
        "algorithm": {"type": "MOD", "props": {"sharding-count": "4"}},
    });
    let sharded = serde_json::from_value(sharded).unwrap();
    let snapshot = snapshot.create_sharding("db", vec![sharded], Otherwise::Fail).unwrap();
    let t = Table { source: None, ..table("t", "", &["id", "status"]) };
    let snapshot = snapshot.learn_tables("db", vec![t]).unwrap();
    check(
        &snapshot,
        &[
            ("SELECT * FROM t WHERE id = 0", "r"),
            ("SELECT * FROM t WHERE id = 1", "w_1"),
            ("SELECT * FROM t WHERE id = 0 AND status = 1", "tw"),
            ("SELECT * FROM t", "r w_1 r w_1"),
            ("SELECT * FROM t WHERE status = 1", "tw tw tw tw"),
            ("SELECT * FROM t /*shadow:true*/", "tw tw tw tw"),
            ("INSERT INTO t (id, status) VALUES (0, 1), (1, 1)", "tw tw"),
            ("INSERT INTO t (id, status) VALUES (0, 1), (1, 2)", "w w_1"),
            ("UPDATE t SET status = 2 WHERE id = 2", "w"),
            ("CREATE TABLE t (id INT) /*shadow:true*/", "tw tw tw tw"),
        ],
    );
}

proptest! {
    #[test]
    fn rows_go_to_the_shadow_exactly_when_all_are_test_traffic(statuses in prop::collection::vec(0_i64..3, 1..6)) {
        let snapshot = snapshot();
        let expected = if statuses.iter().all(|status| *status == 1) { "test" } else { "prod" };
        let rows = |row: &dyn Fn(&i64) -> String| {
            let rows: Vec<_> = statuses.iter().map(row).collect();
            format!("INSERT INTO t_user (name, status) VALUES {}", rows.join(", "))
        };
        let numbers = rows(&|status| format!("('x', {status})"));
        prop_assert_eq!(place(&snapshot, &numbers, &[]), expected);
        let texts = rows(&|status| format!("('x', '{status}')"));
        prop_assert_eq!(place(&snapshot, &texts, &[]), expected);
        let values: Vec<_> = statuses.iter().map(|status| Value::Int(*status)).collect();
        prop_assert_eq!(place(&snapshot, &rows(&|_| "('x', ?)".to_owned()), &values), expected);
    }

    #[test]
    fn one_predicate_that_holds_for_test_traffic_is_enough(
        terms in prop::collection::vec((any::<bool>(), 0_i64..3, any::<bool>(), any::<bool>()), 1..6),
    ) {
        let snapshot = snapshot();
        let mut condition = String::new();
        for (number, (is_status, value, and, parens)) in terms.iter().enumerate() {
            let column = if *is_status { "status" } else { "id" };
            let term = format!("{column} = {value}");
            condition = match number {
                0 => term,
                _ => format!("{condition} {} {term}", if *and { "AND" } else { "OR" }),
            };
            if *parens {
                condition = format!("({condition})");
            }
        }
        let any = terms.iter().any(|(is_status, value, _, _)| *is_status && *value == 1);
        let expected = if any { "test" } else { "prod" };
        let direct = format!("SELECT * FROM t_user WHERE {condition}");
        prop_assert_eq!(place(&snapshot, &direct, &[]), expected);
        let nested = format!("SELECT * FROM t_order WHERE user_id IN (SELECT id FROM t_user WHERE {condition})");
        prop_assert_eq!(place(&snapshot, &nested, &[]), expected);
        let negated = format!("SELECT * FROM t_order WHERE id IN (SELECT id FROM t_user WHERE NOT ({condition}))");
        prop_assert_eq!(place(&snapshot, &negated, &[]), "prod");
    }
}
