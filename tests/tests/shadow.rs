//! Shadow rules on real servers: what is test traffic goes to the shadow and nothing else does.

#![expect(clippy::unwrap_used, reason = "a test fails where it happens")]

use std::sync::LazyLock;

use weir_tests::{Bed, Client, Logical, Reply};
use wire::value::Value;

fn bed() -> &'static Bed {
    static BED: LazyLock<Bed> = LazyLock::new(|| Bed::new(4));
    &BED
}

/// A logical database over units whose databases are not called alike.
struct Stage {
    logical: Logical<'static>,
    units: Vec<Client>,
}

impl Stage {
    /// Storage units by their names, in the order of the servers.
    fn new(name: &str, units: &[&str]) -> Self {
        let logical = bed().bare(name);
        let (mut clients, mut definitions) = (Vec::new(), Vec::new());
        for (number, unit) in units.iter().enumerate() {
            let database = format!("{name}_{unit}");
            let server = bed().server(number);
            bed().unit(number).client().run(format!("CREATE DATABASE {database}"));
            clients.push(bed().unit(number).database(&database).client());
            definitions.push(format!(
                "{unit} (HOST=\"127.0.0.1\", PORT={}, DB=\"{database}\", USER=\"{}\", PASSWORD=\"{}\")",
                server.port(),
                server.user(),
                server.password()
            ));
        }
        logical.client().run(format!("REGISTER STORAGE UNIT {}", definitions.join(", ")));
        Self { logical, units: clients }
    }

    /// `ds` and `ds_shadow` with `t_user` on both, filled directly, before the proxy knows of them.
    fn guide(name: &str) -> Self {
        let mut stage = Self::new(name, &["ds", "ds_shadow"]);
        for (unit, place) in stage.units.iter_mut().zip(["production", "shadow"]) {
            unit.run("CREATE TABLE t_user (id INT PRIMARY KEY, place VARCHAR(20), status VARCHAR(20))");
            unit.run("CREATE TABLE sbtest1 (id INT PRIMARY KEY, place VARCHAR(20))");
            unit.run(format!("INSERT INTO t_user VALUES (0, '{place}', '0')"));
            unit.run(format!("INSERT INTO sbtest1 VALUES (0, '{place}')"));
        }
        stage
    }

    fn client(&self) -> Client {
        self.logical.client()
    }

    /// The ids of a table's rows on each unit.
    fn ids(&mut self, table: &str) -> Vec<String> {
        let ids = |unit: &mut Client| {
            let rows = unit.rows(format!("SELECT id FROM {table} WHERE id <> 0 ORDER BY id"));
            rows.into_iter().flatten().collect::<Vec<_>>().join(" ")
        };
        self.units.iter_mut().map(ids).collect()
    }
}

/// As the guide prints it.
const GUIDE: &str = "CREATE SHADOW RULE shadowDataSource(
SOURCE=ds,
SHADOW=ds_shadow,
t_user(
TYPE(NAME=\"VALUE_MATCH\", PROPERTIES(\"operation\"=\"insert\",\"column\"=\"status\", \"value\"=1)),
TYPE(NAME=\"SIMPLE_HINT\", PROPERTIES(\"shadow\"=true)))
);";

/// Where a query was answered, as text and prepared.
#[track_caller]
fn place(client: &mut Client, text: &str) -> String {
    let place = client.value(text);
    let Reply::Rows(table) = client.binary(text, &[]).unwrap() else { panic!("{text} has no rows") };
    assert_eq!(table.text()[0][0], place, "{text}");
    place
}

#[test]
fn the_guides_statements_run_as_printed() {
    let mut stage = Stage::guide("shadow_guide");
    let mut client = stage.client();
    client.run(GUIDE);
    assert_eq!(client.rows("SHOW SHADOW RULES"), [["shadowDataSource", "ds", "ds_shadow", "t_user"]]);
    assert_eq!(client.rows("SHOW TABLES"), [["sbtest1"], ["t_user"]]);
    assert_eq!(client.rows("SHOW SINGLE TABLE t_user"), [["t_user", "shadowDataSource"]]);

    assert_eq!(place(&mut client, "SELECT place FROM t_user WHERE id = 0"), "production");
    assert_eq!(place(&mut client, "SELECT place FROM t_user WHERE id = 0/*shadow:true*/"), "shadow");
    client.run("INSERT INTO t_user (id, place, status) VALUES (1, 'x', 1)");
    client.run("INSERT INTO t_user (id, place, status) VALUES (2, 'x', 2)");
    client.run("INSERT INTO t_user VALUES (3, 'x', '1'), (4, 'x', 1)");
    client.run("INSERT INTO t_user VALUES (5, 'x', '1'), (6, 'x', 0)");
    client.run("INSERT INTO t_user (id, place) VALUES (7, 'x')/*shadow:true*/");
    assert_eq!(stage.ids("t_user"), ["2 5 6", "1 3 4 7"]);
    client.run("UPDATE t_user SET place = 'y' WHERE id = 1 /*shadow:true*/");
    client.run("DELETE FROM t_user WHERE id IN (2, 3) /*shadow:true*/");
    assert_eq!(stage.ids("t_user"), ["2 5 6", "1 4 7"]);

    // No rule is about this table, and there is no default algorithm.
    assert_eq!(place(&mut client, "SELECT place FROM sbtest1 WHERE id = 0/*shadow:true*/"), "production");
    client.run("CREATE DEFAULT SHADOW ALGORITHM TYPE(NAME=\"SIMPLE_HINT\", PROPERTIES(\"shadow\"=true))");
    assert_eq!(place(&mut client, "SELECT place FROM sbtest1 WHERE id = 0/*shadow:true*/"), "shadow");
    assert_eq!(place(&mut client, "SELECT place FROM sbtest1 WHERE id = 0"), "production");
}

#[test]
fn a_comment_counts_wherever_it_stands() {
    let stage = Stage::guide("shadow_comments");
    let mut client = stage.client();
    client.run(GUIDE);
    for (text, expected) in [
        ("/*shadow:true*/SELECT place FROM t_user", "shadow"),
        ("SELECT/*shadow:true*/place FROM t_user", "shadow"),
        ("SELECT place FROM t_user /* trace */ /* shadow : true */ WHERE id = 0", "shadow"),
        ("SELECT place FROM t_user WHERE id = 0 /* foo:bar, shadow:true */", "shadow"),
        ("SELECT place FROM t_user WHERE id = 0/*shadow:true*/;", "shadow"),
        ("/* SHARDINGSPHERE_HINT: SHADOW=true */ SELECT place FROM t_user", "shadow"),
        ("SELECT place FROM t_user /* ShardingSphere hint: shadow=true */", "shadow"),
        ("SELECT place FROM t_user /*shadow:false*/", "production"),
        ("SELECT place FROM t_user -- shadow:true", "production"),
        ("SELECT place FROM t_user WHERE '/*shadow:true*/' <> ''", "production"),
    ] {
        assert_eq!(place(&mut client, text), expected, "{text}");
    }
    // Texts that differ in nothing but the comment, one after the other.
    for _ in 0..3 {
        assert_eq!(place(&mut client, "SELECT place FROM t_user /*shadow:true*/ LIMIT 1"), "shadow");
        assert_eq!(place(&mut client, "SELECT place FROM t_user /*shadow:nope*/ LIMIT 1"), "production");
    }
}

#[test]
fn values_decide_anew_for_each_execution() {
    let mut stage = Stage::guide("shadow_values");
    let mut client = stage.client();
    client.run(GUIDE);
    let insert = client.prepare("INSERT INTO t_user (id, place, status) VALUES (?, 'x', ?)").unwrap();
    for (id, status) in [
        (1, Value::Int(1)),
        (2, Value::Int(2)),
        (3, Value::Bytes(b"1")),
        (4, Value::Null),
        (5, Value::Bytes(b"1.0")),
    ] {
        let reply = client.execute(insert.id, &[Value::Int(id), status]).unwrap();
        assert!(matches!(reply, Reply::Done(_)), "{reply:?}");
    }
    assert_eq!(stage.ids("t_user"), ["2 4 5", "1 3"]);
    let rows = "INSERT INTO t_user VALUES (?, 'x', ?), (?, 'x', ?)";
    let one = || Value::Bytes(b"1");
    client.binary(rows, &[Value::Int(6), one(), Value::Int(7), one()]).unwrap();
    client.binary(rows, &[Value::Int(8), one(), Value::Int(9), Value::Int(3)]).unwrap();
    assert_eq!(stage.ids("t_user"), ["2 4 5 8 9", "1 3 6 7"]);

    let fault = client.fault("INSERT INTO t_user (id, status) VALUES (10, CONCAT('1'))");
    assert_eq!(fault.to_string(), "20840 (42000): Insert value of index `1` can not support for shadow.");
    let date = Value::Date(wire::value::Date { year: 2024, month: 1, day: 2 });
    let Reply::Error(fault) = client.execute(insert.id, &[Value::Int(10), date]).unwrap() else {
        panic!("a date was stored")
    };
    assert_eq!(
        fault.to_string(),
        "20820 (HY004): Shadow column `status` of table `t_user` does not support `DATE` type."
    );
    assert_eq!(stage.ids("t_user"), ["2 4 5 8 9", "1 3 6 7"]);
}

#[test]
fn conditions_tell_test_traffic() {
    let stage = Stage::guide("shadow_where");
    let mut client = stage.client();
    client.run(
        "CREATE SHADOW RULE r (SOURCE=ds, SHADOW=ds_shadow, t_user(
         TYPE(NAME=\"VALUE_MATCH\", PROPERTIES(\"operation\"=\"select\",\"column\"=\"status\",\"value\"=\"0\")),
         TYPE(NAME=\"REGEX_MATCH\", PROPERTIES(\"operation\"=\"update\",\"column\"=\"place\",\"regex\"=\"sha.*\"))))",
    );
    for (text, expected) in [
        ("SELECT place FROM t_user WHERE status = 0", "shadow"),
        ("SELECT u.place FROM t_user u WHERE u.status IN ('0', 0)", "shadow"),
        ("SELECT u.place FROM sbtest1 s JOIN t_user u ON s.id = u.id WHERE status = '0'", "shadow"),
        ("SELECT place FROM t_user WHERE id = 5 OR status = 0", "shadow"),
        ("SELECT place FROM t_user WHERE status IN (0, 1)", "production"),
        ("SELECT place FROM t_user WHERE NOT status = 1", "production"),
        ("SELECT place FROM t_user WHERE status BETWEEN 0 AND 0", "production"),
        ("SELECT s.place FROM sbtest1 s WHERE s.id = 0", "production"),
    ] {
        assert_eq!(place(&mut client, text), expected, "{text}");
    }
    let select = client.prepare("SELECT place FROM t_user WHERE id = ? OR status = ?").unwrap();
    for (status, expected) in [(0, "shadow"), (1, "production"), (0, "shadow")] {
        let reply = client.execute(select.id, &[Value::Int(0), Value::Int(status)]).unwrap();
        let Reply::Rows(table) = reply else { panic!("{reply:?}") };
        assert_eq!(table.text(), [[expected]]);
    }
    client.run("UPDATE t_user SET status = 9 WHERE place = 'shadow'");
    assert_eq!(client.rows("SELECT place, status FROM t_user WHERE id = 0"), [["production", "0"]]);
    assert!(client.rows("SELECT place FROM t_user WHERE status = 0").is_empty());
}

#[test]
fn a_transaction_goes_over_both_and_ends_on_both() {
    let mut stage = Stage::guide("shadow_tx");
    let (mut client, mut other) = (stage.client(), stage.client());
    client.run(GUIDE);
    for (end, expected) in [("ROLLBACK", ["", ""]), ("COMMIT", ["2", "1"])] {
        client.run("BEGIN");
        client.run("INSERT INTO t_user VALUES (1, 'x', 1)");
        client.run("INSERT INTO t_user VALUES (2, 'x', 2)");
        client.run("SAVEPOINT s");
        client.run("INSERT INTO t_user VALUES (3, 'x', 1)");
        client.run("INSERT INTO t_user VALUES (4, 'x', 2)");
        assert_eq!(
            client.rows("SELECT id FROM t_user WHERE id > 0 ORDER BY id /*shadow:true*/"),
            [["1"], ["3"]]
        );
        assert_eq!(client.rows("SELECT id FROM t_user WHERE id > 0 ORDER BY id"), [["2"], ["4"]]);
        client.run("ROLLBACK TO s");
        assert_eq!(other.rows("SELECT id FROM t_user /*shadow:true*/"), [["0"]]);
        assert_eq!(other.rows("SELECT id FROM t_user"), [["0"]]);
        client.run(end);
        assert_eq!(stage.ids("t_user"), expected, "{end}");
    }
}

#[test]
fn names_of_the_database_are_those_of_the_unit() {
    let stage = Stage::guide("shadow_names");
    let mut client = stage.client();
    client.run(GUIDE);
    for (text, expected) in [
        (
            "SELECT shadow_names.t_user.place FROM shadow_names.t_user WHERE shadow_names.t_user.id = 0",
            "production",
        ),
        ("SELECT shadow_names.t_user.place FROM shadow_names.t_user /*shadow:true*/", "shadow"),
        ("SELECT place FROM `shadow_names` . `t_user` /*shadow:true*/", "shadow"),
    ] {
        assert_eq!(place(&mut client, text), expected, "{text}");
        let Reply::Rows(table) = client.query(text) else { panic!("{text} has no rows") };
        assert_eq!(&table.columns[0].schema[..], b"shadow_names", "{text}");
    }
    client.run("DELETE FROM shadow_names.t_user WHERE id = 0 /*shadow:true*/");
    assert!(client.rows("SELECT place FROM shadow_names.t_user /*shadow:true*/").is_empty());
    assert_eq!(
        client.rows("SHOW TABLE STATUS FROM shadow_names LIKE 't_user' /*shadow:true*/")[0][0],
        "t_user"
    );
}

#[test]
fn definitions_go_where_a_comment_sends_them() {
    let mut stage = Stage::guide("shadow_ddl");
    let mut client = stage.client();
    client.run(GUIDE);
    client.run("CREATE TABLE t_new (id INT PRIMARY KEY)");
    client.run("CREATE TABLE t_test (id INT PRIMARY KEY) /*shadow:true*/");
    assert_eq!(stage.units[0].rows("SHOW TABLES"), [["sbtest1"], ["t_new"], ["t_user"]]);
    assert_eq!(stage.units[1].rows("SHOW TABLES"), [["sbtest1"], ["t_test"], ["t_user"]]);
    assert_eq!(client.rows("SHOW TABLES"), [["sbtest1"], ["t_new"], ["t_test"], ["t_user"]]);
    let rule = "shadowDataSource";
    assert_eq!(
        client.rows("SHOW SINGLE TABLES"),
        [["sbtest1", rule], ["t_new", rule], ["t_test", rule], ["t_user", rule]]
    );
    client.run("ALTER TABLE t_user ADD c INT /*shadow:true*/");
    assert_eq!(stage.units[0].rows("SHOW COLUMNS FROM t_user").len(), 3);
    assert_eq!(stage.units[1].rows("SHOW COLUMNS FROM t_user").len(), 4);
    client.run("DROP TABLE t_test /*shadow:true*/");
    assert_eq!(client.rows("SHOW TABLES"), [["sbtest1"], ["t_new"], ["t_user"]]);
}

#[test]
fn sharding_stands_over_shadow_rules() {
    let mut stage = Stage::new("shadow_sharded", &["p_0", "p_1", "s_0", "s_1"]);
    let mut client = stage.client();
    let algorithms = "TYPE(NAME=\"VALUE_MATCH\", PROPERTIES(\"operation\"=\"insert\",\"column\"=\"test\",\"value\"=1)), \
         TYPE(NAME=\"VALUE_MATCH\", PROPERTIES(\"operation\"=\"select\",\"column\"=\"test\",\"value\"=1)), \
         TYPE(NAME=\"SQL_HINT\")";
    client.run(format!(
        "CREATE SHADOW RULE r_0 (SOURCE=p_0, SHADOW=s_0, t({algorithms})), \
         r_1 (SOURCE=p_1, SHADOW=s_1, t({algorithms}))"
    ));
    client.run(
        "CREATE SHARDING TABLE RULE t (STORAGE_UNITS(r_0, r_1), SHARDING_COLUMN=id, \
         TYPE(NAME=\"MOD\", PROPERTIES(\"sharding-count\"=4)))",
    );
    let create = "CREATE TABLE t (id INT PRIMARY KEY, test INT)";
    client.run(create);
    client.run(format!("{create} /* SHARDINGSPHERE_HINT: SHADOW=true */"));
    for (unit, tables) in [(0, [["t_0"], ["t_2"]]), (1, [["t_1"], ["t_3"]]), (2, [["t_0"], ["t_2"]])] {
        assert_eq!(stage.units[unit].rows("SHOW TABLES"), tables, "{unit}");
    }
    client.run("INSERT INTO t (id, test) VALUES (1, 0), (2, 0), (3, 0), (4, 0)");
    client.run("INSERT INTO t (id, test) VALUES (5, 1), (6, 1), (7, 1), (8, 1)");
    client.run("INSERT INTO t (id, test) VALUES (9, 1), (10, 0)");
    let ids = |client: &mut Client, text: &str| {
        client.rows(text).into_iter().flatten().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(ids(&mut client, "SELECT id FROM t ORDER BY id"), "1 2 3 4 9 10");
    assert_eq!(ids(&mut client, "SELECT id FROM t WHERE test = 1 ORDER BY id"), "5 6 7 8");
    assert_eq!(
        ids(&mut client, "/* SHARDINGSPHERE_HINT: SHADOW=true */ SELECT id FROM t ORDER BY id DESC LIMIT 2"),
        "8 7"
    );
    assert_eq!(client.value("SELECT COUNT(*) FROM t /* SHARDINGSPHERE_HINT: SHADOW=true */"), "4");
    assert_eq!(ids(&mut stage.units[2], "SELECT id FROM t_2"), "6");
    assert_eq!(ids(&mut stage.units[3], "SELECT id FROM t_1"), "5");
    let Reply::Rows(rows) =
        client.binary("SELECT id FROM t WHERE test = ? AND id = ?", &[Value::Int(1), Value::Int(7)]).unwrap()
    else {
        panic!("no rows")
    };
    assert_eq!(rows.text(), [["7"]]);
    assert_eq!(client.rows("SHOW TABLES"), [["t"]]);
}

#[test]
fn sessions_follow_rules_at_once() {
    let mut stage = Stage::guide("shadow_live");
    let (mut client, mut admin) = (stage.client(), stage.client());
    let hinted = "SELECT place FROM t_user WHERE id = 0 /*shadow:true*/";
    let prepared = client.prepare(hinted).unwrap();
    let mut ask = || {
        let text = client.value(hinted);
        let Reply::Rows(table) = client.execute(prepared.id, &[]).unwrap() else { panic!("no rows") };
        assert_eq!(table.text(), [[text.as_str()]]);
        text
    };
    assert_eq!(ask(), "production");
    admin.run(GUIDE);
    assert_eq!(ask(), "shadow");
    admin.run(
        "ALTER SHADOW RULE shadowDataSource (SOURCE=ds, SHADOW=ds_shadow, \
         t_user(TYPE(NAME=\"SIMPLE_HINT\", PROPERTIES(\"shadow\"=\"maybe\"))))",
    );
    assert_eq!(ask(), "production");
    assert_eq!(
        admin
            .fault("ALTER SHADOW RULE shadowDataSource (SOURCE=ds, SHADOW=x, t_user(TYPE(NAME=SQL_HINT)))")
            .code,
        19001
    );
    assert_eq!(admin.rows("SHOW SHADOW ALGORITHMS")[0][2], "shadow=maybe");
    admin
        .run("ALTER SHADOW RULE shadowDataSource (SOURCE=ds_shadow, SHADOW=ds, t_user(TYPE(NAME=SQL_HINT)))");
    assert_eq!(ask(), "shadow");
    admin.run("DROP SHADOW RULE shadowDataSource");
    assert_eq!(ask(), "production");
    assert_eq!(stage.ids("t_user"), ["", ""]);
}

#[test]
fn values_are_compared_before_they_are_encrypted() {
    let mut stage = Stage::new("shadow_encrypted", &["ds", "ds_shadow"]);
    for unit in &mut stage.units {
        unit.run("CREATE TABLE t_user (id INT PRIMARY KEY, phone_cipher VARCHAR(64))");
    }
    let mut client = stage.client();
    client.run("REFRESH TABLE METADATA");
    client.run(
        "CREATE SHADOW RULE r (SOURCE=ds, SHADOW=ds_shadow, t_user(
         TYPE(NAME=\"REGEX_MATCH\", PROPERTIES(\"operation\"=\"insert\",\"column\"=\"phone\",\"regex\"=\"000.*\")),
         TYPE(NAME=\"VALUE_MATCH\", PROPERTIES(\"operation\"=\"select\",\"column\"=\"phone\",\"value\"=\"0001\"))))",
    );
    client.run(
        "CREATE ENCRYPT RULE t_user (COLUMNS((NAME=phone, CIPHER=phone_cipher, \
         ENCRYPT_ALGORITHM(TYPE(NAME=\"AES\", PROPERTIES(\"aes-key-value\"=\"123456abc\"))))))",
    );
    client.run("INSERT INTO t_user VALUES (1, '0001')");
    client.run("INSERT INTO t_user (phone, id) VALUES ('13800001111', 2)");
    client
        .binary("INSERT INTO t_user (id, phone) VALUES (?, ?)", &[Value::Int(3), Value::Bytes(b"0002")])
        .unwrap();
    assert_eq!(stage.ids("t_user"), ["2", "1 3"]);
    assert_eq!(stage.units[0].rows("SELECT phone_cipher FROM t_user"), [["sFlUS8NkKpiSI2iT5H6MdQ=="]]);
    assert_eq!(client.rows("SELECT id, phone FROM t_user"), [["2", "13800001111"]]);
    assert_eq!(client.rows("SELECT id, phone FROM t_user WHERE phone = '0001'"), [["1", "0001"]]);
}
