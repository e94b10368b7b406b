//! Templates through the cache, and the promise that no row is missed.

#![expect(clippy::unwrap_used, reason = "a test fails where it happens")]

use std::rc::Rc;
use std::sync::Arc;

use meta::{AlgorithmSpec, Otherwise, ShardingTableSpec, Snapshot, Table, TableColumn, UnitSpec};
use plan::{Cache, Call, Error, Kept, Numbers, Plan, Template};
use proptest::prelude::*;
use sql::{Fingerprint, Fingerprinter, Mode};

const SHARDS: i64 = 7;

fn unit(number: u16) -> UnitSpec {
    UnitSpec {
        host: "127.0.0.1".to_owned(),
        port: 3306 + number,
        database: "db".to_owned(),
        user: "test".to_owned(),
        password: String::new(),
        tls: Default::default(),
        pool: Default::default(),
        other: Default::default(),
    }
}

/// `t`, sharded by `id` over two units; `u` alone on the second.
fn snapshot() -> Snapshot {
    let units = vec![("a".to_owned(), unit(0)), ("b".to_owned(), unit(1))];
    let rule = ShardingTableSpec::auto(
        "t".to_owned(),
        vec!["a".to_owned(), "b".to_owned()],
        "id".to_owned(),
        AlgorithmSpec {
            kind: "MOD".to_owned(),
            properties: [("sharding-count".to_owned(), SHARDS.to_string())].into_iter().collect(),
        },
    );
    let column = |name: &str| TableColumn {
        name: name.to_owned(),
        data_type: "bigint".to_owned(),
        collation: None,
        auto_increment: false,
        unsigned: false,
        limit: None,
    };
    let table = |name: &str, unit: Option<&str>| Table {
        name: name.to_owned(),
        source: unit.map(str::to_owned),
        columns: vec![column("id"), column("n")],
    };
    let snapshot = Snapshot::default().create_database("db", Otherwise::Fail).unwrap();
    let snapshot = snapshot.register_units("db", units, Otherwise::Fail).unwrap();
    let snapshot = snapshot.create_sharding("db", vec![rule], Otherwise::Fail).unwrap();
    snapshot.learn_tables("db", vec![table("t", None), table("u", Some("b"))]).unwrap()
}

fn read(text: &str) -> Fingerprint {
    Fingerprinter::fixed().fingerprint(text, Mode::default()).unwrap()
}

fn find(cache: &mut Cache, snapshot: &Snapshot, text: &str, kept: Kept) -> Rc<Template> {
    cache.template(text, &read(text), Mode::default(), snapshot, Some("db"), kept).unwrap()
}

fn bind(template: &Template, text: &str) -> Result<Plan, Error> {
    template.bind(&Call {
        text,
        raw: text.as_bytes(),
        slots: &read(text).slots,
        params: None,
        ..Call::default()
    })
}

fn plan(snapshot: &Snapshot, text: &str) -> Result<Plan, Error> {
    let template = Template::draft(text, &read(text), Mode::default(), snapshot, Some("db"))?;
    bind(&template, text)
}

fn nodes(plan: &Plan) -> Vec<i64> {
    plan.units.iter().filter_map(|unit| unit.node.map(i64::from)).collect()
}

#[test]
fn texts_that_differ_in_values_share_a_template() {
    let (snapshot, mut cache) = (snapshot(), Cache::new(1 << 20, Arc::default()));
    let first = find(&mut cache, &snapshot, "SELECT n FROM t WHERE id = 5", Kept::Alike);
    let text = "SELECT n FROM t WHERE id = 12345";
    let second = find(&mut cache, &snapshot, text, Kept::Alike);
    assert!(Rc::ptr_eq(&first, &second));
    let plan = bind(&second, text).unwrap();
    assert_eq!(nodes(&plan), [12345 % SHARDS]);
    let mut out = Vec::new();
    second.render(
        &Call { text, raw: text.as_bytes(), slots: &read(text).slots, params: None, ..Call::default() },
        &plan.units[0],
        &mut out,
    );
    assert_eq!(String::from_utf8(out).unwrap(), "SELECT n FROM t_4 WHERE id = 12345");
}

#[test]
fn other_statements_get_other_templates() {
    let (snapshot, mut cache) = (snapshot(), Cache::new(1 << 20, Arc::default()));
    let first = find(&mut cache, &snapshot, "SELECT id, n FROM t ORDER BY 1", Kept::Alike);
    for (text, kept) in [
        // A position decides about the shape.
        ("SELECT id, n FROM t ORDER BY 2", Kept::Alike),
        ("SELECT id, n FROM t ORDER BY ?", Kept::Alike),
        ("SELECT id, n FROM u ORDER BY 1", Kept::Alike),
        ("SELECT id, n FROM t ORDER BY 1", Kept::Exact),
    ] {
        let other = find(&mut cache, &snapshot, text, kept);
        assert!(!Rc::ptr_eq(&first, &other), "{text}");
    }
    let again = find(&mut cache, &snapshot, "SELECT id, n FROM t ORDER BY 1", Kept::Alike);
    assert!(Rc::ptr_eq(&first, &again));
}

#[test]
fn a_new_snapshot_makes_new_templates() {
    let (snapshot, mut cache) = (snapshot(), Cache::new(1 << 20, Arc::default()));
    let first = find(&mut cache, &snapshot, "SELECT n FROM t WHERE id = 5", Kept::Alike);
    let next = snapshot.forget_tables("db", &["u".to_owned()]).unwrap();
    assert_ne!(next.epoch, snapshot.epoch);
    let second = find(&mut cache, &next, "SELECT n FROM t WHERE id = 5", Kept::Alike);
    assert!(!Rc::ptr_eq(&first, &second));
}

#[test]
fn texts_without_values_have_a_number() {
    let (snapshot, mut cache) = (snapshot(), Cache::new(1 << 20, Arc::default()));
    let text = "SELECT n FROM t WHERE id = 5";
    let alike = find(&mut cache, &snapshot, text, Kept::Alike);
    let plan = bind(&alike, text).unwrap();
    assert_eq!(alike.text_id(&plan.units[0]), None);
    let exact = find(&mut cache, &snapshot, text, Kept::Exact);
    let number = exact.text_id(&plan.units[0]);
    assert!(number.is_some());
    let mut other = plan.units[0].clone();
    other.node = Some(6);
    assert_ne!(exact.text_id(&other), number);
    let bare = find(&mut cache, &snapshot, "SELECT n FROM t WHERE id = ?", Kept::Alike);
    assert!(bare.text_id(&plan.units[0]).is_some_and(|bare| Some(bare) != number));
}

#[test]
fn caches_that_share_numbers_never_name_two_texts_alike() {
    let (snapshot, numbers) = (snapshot(), Arc::<Numbers>::default());
    let mut caches = [Cache::new(1 << 20, Arc::clone(&numbers)), Cache::new(1 << 20, numbers)];
    let mut seen = std::collections::HashSet::new();
    for text in ["SELECT n FROM t WHERE id = 5", "SELECT id FROM t WHERE id = 5"] {
        for cache in &mut caches {
            let template = find(cache, &snapshot, text, Kept::Exact);
            let plan = bind(&template, text).unwrap();
            assert!(seen.insert(template.text_id(&plan.units[0]).unwrap()));
        }
    }
}

#[test]
fn large_templates_do_not_fill_the_cache() {
    let (snapshot, mut cache) = (snapshot(), Cache::new(1 << 24, Arc::default()));
    let rows: Vec<_> = (0..20_000).map(|id| format!("({id}, 'some text')")).collect();
    let text = format!("INSERT INTO t (id, n) VALUES {}", rows.join(", "));
    let template = find(&mut cache, &snapshot, &text, Kept::Alike);
    assert_eq!(bind(&template, &text).unwrap().units.len(), 7);
    assert_eq!(cache.bytes(), 0);
}

#[test]
fn ten_thousand_values_are_read_in_linear_time() {
    let snapshot = snapshot();
    let values: Vec<_> = (0..10_000).map(|value| (value * SHARDS + 3).to_string()).collect();
    let list = plan(&snapshot, &format!("SELECT n FROM t WHERE id IN ({})", values.join(","))).unwrap();
    assert_eq!(nodes(&list), [3]);
    let ors: Vec<_> = values.iter().map(|value| format!("id = {value}")).collect();
    let ors = plan(&snapshot, &format!("SELECT n FROM t WHERE {}", ors.join(" OR "))).unwrap();
    assert_eq!(nodes(&ors), [3]);
}

#[test]
fn rows_of_an_insert_keep_their_order() {
    let snapshot = snapshot();
    let text = "INSERT INTO t (n, id) VALUES (1, 3), (2, 4), (3, 10), (4, 11), (5, 3)";
    let plan = plan(&snapshot, text).unwrap();
    let rows: Vec<_> = plan.units.iter().map(|unit| unit.rows.clone()).collect();
    assert_eq!(rows, [vec![0, 2, 4], vec![1, 3]]);
}

/// A condition on `id` and `n`, as text and as truth.
#[derive(Clone, Debug)]
enum Condition {
    And(Vec<Self>),
    Between(i64, i64),
    Compare(&'static str, i64),
    In(Vec<i64>),
    Not(Box<Self>),
    Or(Vec<Self>),
    Other(i64),
    Turned(i64, &'static str),
}

impl Condition {
    fn text(&self) -> String {
        let join = |parts: &[Self], word| {
            let parts: Vec<_> = parts.iter().map(|part| format!("({})", part.text())).collect();
            parts.join(word)
        };
        match self {
            Self::And(parts) => join(parts, " AND "),
            Self::Between(low, high) => format!("id BETWEEN {low} AND {high}"),
            Self::Compare(operator, value) => format!("id {operator} {value}"),
            Self::In(values) => {
                let values: Vec<_> = values.iter().map(i64::to_string).collect();
                format!("t.id IN ({})", values.join(", "))
            }
            Self::Not(inner) => format!("NOT ({})", inner.text()),
            Self::Or(parts) => join(parts, " OR "),
            Self::Other(value) => format!("n = {value}"),
            Self::Turned(value, operator) => format!("{value} {operator} `id`"),
        }
    }

    fn holds(&self, id: i64, n: i64) -> bool {
        let compare = |left: i64, operator: &str, right: i64| match operator {
            "=" | "<=>" => left == right,
            "<>" => left != right,
            "<" => left < right,
            "<=" => left <= right,
            ">" => left > right,
            _ => left >= right,
        };
        match self {
            Self::And(parts) => parts.iter().all(|part| part.holds(id, n)),
            Self::Between(low, high) => (*low..=*high).contains(&id),
            Self::Compare(operator, value) => compare(id, operator, *value),
            Self::In(values) => values.contains(&id),
            Self::Not(inner) => !inner.holds(id, n),
            Self::Or(parts) => parts.iter().any(|part| part.holds(id, n)),
            Self::Other(value) => n == *value,
            Self::Turned(value, operator) => compare(*value, operator, id),
        }
    }
}

fn condition() -> impl Strategy<Value = Condition> {
    let operator = prop::sample::select(vec!["=", "<=>", "<>", "<", "<=", ">", ">="]);
    let value = -10i64..30;
    let leaf = prop_oneof![
        (value.clone(), value.clone()).prop_map(|(low, high)| Condition::Between(low, high)),
        (operator.clone(), value.clone()).prop_map(|(operator, value)| Condition::Compare(operator, value)),
        (value.clone(), operator).prop_map(|(value, operator)| Condition::Turned(value, operator)),
        prop::collection::vec(value, 1..4).prop_map(Condition::In),
        (0i64..3).prop_map(Condition::Other),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 2..4).prop_map(Condition::And),
            prop::collection::vec(inner.clone(), 2..4).prop_map(Condition::Or),
            inner.prop_map(|inner| Condition::Not(Box::new(inner))),
        ]
    })
}

proptest! {
    #[test]
    fn no_row_is_missed(condition in condition()) {
        let snapshot = snapshot();
        let text = format!("SELECT n FROM t WHERE {}", condition.text());
        let nodes = nodes(&plan(&snapshot, &text).unwrap());
        for id in -15i64..35 {
            for n in 0..3 {
                if condition.holds(id, n) {
                    prop_assert!(nodes.contains(&id.rem_euclid(SHARDS)), "id {} of {}", id, text);
                }
            }
        }
    }

    #[test]
    fn any_words_give_a_plan_or_an_error(
        begin in prop::sample::select(vec!["SELECT", "INSERT INTO t", "UPDATE t SET", "DELETE FROM t", "SHOW", "CREATE TABLE t", "ALTER TABLE t"]),
        words in prop::collection::vec(prop::sample::select(vec![
            "id", "n", "t", "u", "*", ",", "(", ")", "=", "5", "'ü'", "?", ".", "`t`", "db", "FROM", "FROM t", "WHERE", "AND",
            "OR", "IN", "BETWEEN", "ORDER BY", "GROUP BY", "LIMIT", "COUNT(*)", "MAX(t.n)", "AS", "x", "VALUES", "SET",
            "SELECT", "UNION", "JOIN", "ON", "DISTINCT", "HAVING", "1.5", "NULL", "-", "+", "/* ä */", "t.id", "@v", "FOR UPDATE",
        ]), 0..14),
    ) {
        let snapshot = snapshot();
        let text = format!("{begin} {}", words.join(" "));
        let fingerprint = read(&text);
        if let Ok(template) = Template::draft(&text, &fingerprint, Mode::default(), &snapshot, Some("db")) {
            let call = Call { text: &text, raw: text.as_bytes(), slots: &fingerprint.slots, params: None, ..Call::default() };
            for plan in [template.bind(&call), template.sample()].into_iter().flatten() {
                for unit in &plan.units {
                    let mut out = Vec::new();
                    template.render(&call, unit, &mut out);
                    prop_assert!(String::from_utf8(out).is_ok());
                    template.args(&call, unit);
                    template.renames(unit);
                }
            }
        }
    }

    #[test]
    fn a_row_is_looked_for_where_it_was_put(id in any::<i64>()) {
        let snapshot = snapshot();
        let put = nodes(&plan(&snapshot, &format!("INSERT INTO t (id) VALUES ({id})")).unwrap());
        prop_assert_eq!(&put, &[id.rem_euclid(SHARDS)]);
        for found in [
            format!("SELECT n FROM t WHERE id = {id}"),
            format!("SELECT n FROM t WHERE id = '{id}'"),
            format!("SELECT n FROM t WHERE id = {id}.0"),
            format!("SELECT n FROM t WHERE id BETWEEN {id} AND {id}"),
            format!("DELETE FROM t WHERE id IN ({id}, NULL)"),
        ] {
            prop_assert!(nodes(&plan(&snapshot, &found).unwrap()).contains(&put[0]), "{}", found);
        }
    }
}

#[test]
fn names_no_database_that_the_client_did_not() {
    let draft = |snapshot: &Snapshot, text: &str, schema: Option<&str>| {
        Template::draft(text, &read(text), Mode::default(), snapshot, schema).map(|_| ())
    };
    let none = Snapshot::default();
    let empty = none.create_database("empty", Otherwise::Fail).unwrap();
    for text in ["SELECT 1 + 1", "SELECT DATABASE()", "DO 1", "EXPLAIN SELECT 1", "SHOW ENGINES"] {
        for snapshot in [&none, &empty] {
            assert_eq!(draft(snapshot, text, None), Err(Error::NoDatabase), "{text}");
        }
        assert_eq!(draft(&empty, text, Some("empty")), Err(Error::NoUnit("empty".to_owned())), "{text}");
        let missing = Err(Error::UnknownDatabase("missing".to_owned()));
        assert_eq!(draft(&empty, text, Some("missing")), missing, "{text}");
    }
    for text in ["SET @a = 1", "BEGIN", "USE shop", "SHOW DATABASES", "SHOW TABLES", "KILL 5"] {
        assert_eq!(draft(&none, text, None), Ok(()), "{text}");
        assert_eq!(draft(&empty, text, Some("empty")), Ok(()), "{text}");
    }
}

/// A pattern decides who answers: the kept template of one must not serve another.
#[test]
fn variables_are_told_apart_by_their_pattern() {
    let (snapshot, mut cache) = (snapshot(), Cache::new(1 << 20, Arc::default()));
    let mut action = |text: &str| find(&mut cache, &snapshot, text, Kept::Alike).action();
    for _ in 0..2 {
        assert_eq!(action("SHOW VARIABLES LIKE 'sql_mode'"), plan::Action::Route);
        assert_eq!(action("SHOW VARIABLES LIKE 'gtid_mode'"), plan::Action::Session);
        assert_eq!(action("SHOW GLOBAL VARIABLES LIKE 'version'"), plan::Action::Route);
        assert_eq!(action("SHOW GLOBAL VARIABLES LIKE 'gtid%'"), plan::Action::Session);
    }
}

/// `mysqldump` flushes before it chooses its database; a lock is about the only server there is.
#[test]
fn flushes_without_a_database() {
    let text = "FLUSH /*!40101 LOCAL */ TABLES";
    let home = |snapshot: &Snapshot, text: &str| {
        let template = Template::draft(text, &read(text), Mode::default(), snapshot, None)?;
        Ok(template.database().map(|database| database.name.clone()))
    };
    let with = |databases: &[(&str, u16)]| {
        let empty = Snapshot::default().create_database("empty", Otherwise::Fail).unwrap();
        databases.iter().fold(empty, |snapshot, (name, units)| {
            let units = (0..*units).map(|number| (format!("u{number}"), unit(number))).collect();
            let snapshot = snapshot.create_database(name, Otherwise::Fail).unwrap();
            snapshot.register_units(name, units, Otherwise::Fail).unwrap()
        })
    };
    let one = with(&[("one", 1)]);
    assert_eq!(home(&one, text), Ok(Some("one".to_owned())));
    assert_eq!(home(&one, "FLUSH TABLES WITH READ LOCK"), Ok(Some("one".to_owned())));
    assert_eq!(home(&one, "FLUSH TABLES t"), Err(Error::NoDatabase));
    assert_eq!(home(&with(&[]), text), Err(Error::NoDatabase));
    for several in [with(&[("two", 2)]), with(&[("two", 1), ("other", 1)])] {
        assert_eq!(home(&several, text), Ok(Some("two".to_owned())));
        assert_eq!(home(&several, "FLUSH TABLES WITH READ LOCK"), Err(Error::NoDatabase));
    }
}

#[test]
fn knows_where_the_id_of_an_insert_comes_from() {
    use plan::Given::{self, No, Unknown, Yes};
    let snapshot = snapshot();
    let columns = |auto| {
        let column = |name: &str, auto_increment| TableColumn {
            name: name.to_owned(),
            data_type: "bigint".to_owned(),
            collation: None,
            auto_increment,
            unsigned: false,
            limit: None,
        };
        vec![column("n", false), column("k", auto)]
    };
    let table = |name: &str, columns| Table { name: name.to_owned(), source: Some("a".to_owned()), columns };
    let known = vec![table("auto", columns(true)), table("none", columns(false)), table("dark", Vec::new())];
    let snapshot = snapshot.learn_tables("db", known).unwrap();
    let cases: [(&str, u64, Given); 18] = [
        ("INSERT INTO auto (n) VALUES (7)", 7, No),
        ("INSERT INTO auto (n, k) VALUES (7, 9)", 9, Yes),
        ("INSERT INTO auto (K, n) VALUES (7, 9)", 7, Yes),
        ("INSERT INTO auto VALUES (7, '9')", 9, Yes),
        ("INSERT INTO auto VALUES (7, 9), (7, NULL)", 9, No),
        ("INSERT INTO auto VALUES (7, NULL), (7, 9)", 9, Yes),
        ("INSERT INTO auto VALUES (9, 0)", 9, No),
        ("INSERT INTO auto VALUES (9, DEFAULT)", 9, No),
        ("INSERT INTO auto SET k = 9", 9, Yes),
        ("INSERT INTO auto (k) VALUES (UUID_SHORT())", 9, Unknown),
        ("INSERT INTO auto (n) SELECT n FROM none", 9, No),
        ("INSERT INTO auto SELECT n, k FROM none", 9, Unknown),
        ("INSERT INTO none VALUES (9, 9)", 9, No),
        ("INSERT INTO dark VALUES (7, 'x')", 9, No),
        ("INSERT INTO dark VALUES (7, 9)", 9, Unknown),
        ("INSERT INTO dark VALUES (7, NOW())", 9, Unknown),
        ("INSERT INTO t (id, n) VALUES (9, 9)", 9, No),
        ("UPDATE auto SET k = 9", 9, No),
    ];
    for (text, id, expected) in cases {
        let fingerprint = read(text);
        let template =
            Template::draft(text, &fingerprint, Mode::default(), &snapshot, Some("db")).expect(text);
        let call =
            Call { text, raw: text.as_bytes(), slots: &fingerprint.slots, params: None, ..Call::default() };
        assert_eq!(template.given(&call, id), expected, "{text}");
    }
}
