//! Tables on data nodes, bound and broadcast tables, generated keys and audits, on real servers.

use std::collections::HashSet;
use std::sync::LazyLock;

use weir_tests::{Bed, Client, Logical, Reply};
use wire::value::Value;

fn bed() -> &'static Bed {
    static BED: LazyLock<Bed> = LazyLock::new(|| Bed::new(2));
    &BED
}

/// A logical database over `ds_0` and `ds_1`, whose databases are not called alike.
struct Stage {
    logical: Logical<'static>,
    units: Vec<Client>,
}

impl Stage {
    fn new(name: &str) -> Self {
        let logical = bed().bare(name);
        let (mut units, mut definitions) = (Vec::new(), Vec::new());
        for number in 0..2 {
            let database = format!("{name}_{number}");
            let server = bed().server(number);
            bed().unit(number).client().run(format!("CREATE DATABASE {database}"));
            units.push(bed().unit(number).database(&database).client());
            definitions.push(format!(
                "ds_{number} (HOST=\"127.0.0.1\", PORT={}, DB=\"{database}\", USER=\"{}\", PASSWORD=\"{}\")",
                server.port(),
                server.user(),
                server.password()
            ));
        }
        logical.client().run(format!("REGISTER STORAGE UNIT {}", definitions.join(", ")));
        Self { logical, units }
    }

    fn client(&self) -> Client {
        self.logical.client()
    }

    /// The first value of a query on each unit.
    fn each(&mut self, text: &str) -> Vec<String> {
        self.units.iter_mut().map(|unit| unit.value(text)).collect()
    }
}

/// By `user_id` on a source, by `order_id` in a table.
fn on_nodes(table: &str, more: &str) -> String {
    let by = |column: &str, expression: &str| {
        format!(
            "(TYPE=\"standard\", SHARDING_COLUMN={column}, SHARDING_ALGORITHM(TYPE(NAME=\"INLINE\", \
             PROPERTIES(\"algorithm-expression\"=\"{expression}\"))))"
        )
    };
    format!(
        "CREATE SHARDING TABLE RULE {table} (DATANODES(\"ds_${{0..1}}.{table}_${{0..1}}\"), DATABASE_STRATEGY{}, \
         TABLE_STRATEGY{}{more})",
        by("user_id", "ds_${user_id % 2}"),
        by("order_id", &format!("{table}_${{order_id % 2}}"))
    )
}

#[test]
fn rows_are_on_the_node_that_both_strategies_choose() {
    let mut stage = Stage::new("sharding_nodes");
    let mut client = stage.client();
    client.run(on_nodes("t_order", ""));
    client.run("CREATE TABLE t_order (order_id BIGINT PRIMARY KEY, user_id BIGINT, note VARCHAR(20))");
    client.run("INSERT INTO t_order VALUES (1, 1, 'a'), (2, 1, 'b'), (3, 2, 'c'), (4, 2, 'd')");
    let nodes = "SELECT CONCAT((SELECT GROUP_CONCAT(note) FROM t_order_0), '|', (SELECT GROUP_CONCAT(note) FROM \
                 t_order_1))";
    assert_eq!(stage.each(nodes), ["d|c", "b|a"]);
    for (condition, notes) in [
        ("user_id = 1 AND order_id = 2", "b"),
        ("user_id = 2", "c d"),
        ("order_id IN (1, 4)", "a d"),
        ("user_id = 1 OR order_id = 3", "a b c"),
    ] {
        let text = format!("SELECT note FROM t_order WHERE {condition} ORDER BY note");
        let rows: Vec<_> = client.rows(&text).into_iter().flatten().collect();
        assert_eq!(rows.join(" "), notes, "{condition}");
    }
    let Reply::Rows(table) = client
        .binary(
            "SELECT note FROM t_order WHERE user_id = ? AND order_id = ?",
            &[Value::Int(2), Value::Int(3)],
        )
        .unwrap()
    else {
        panic!("no rows")
    };
    assert_eq!(table.text(), [["c"]]);
    client.run("UPDATE t_order SET note = 'x' WHERE user_id = 2");
    assert_eq!(client.value("SELECT ROW_COUNT()"), "2");
    assert_eq!(client.fault("SELECT note FROM t_order WHERE user_id > 1").code, 30_001);
    assert_eq!(client.fault("SELECT note FROM t_order WHERE user_id = -1").code, 20_081);
    assert_eq!(client.fault("UPDATE t_order SET user_id = 2 WHERE user_id = 1").code, 20_041);
}

#[test]
fn bound_tables_are_joined_on_each_node() {
    let stage = Stage::new("sharding_bound");
    let mut client = stage.client();
    client.run(on_nodes("t_order", ""));
    client.run(on_nodes("t_item", ""));
    client.run("CREATE SHARDING TABLE REFERENCE RULE ref (t_order, t_item)");
    client.run("CREATE BROADCAST TABLE RULE t_config");
    client.run("CREATE TABLE t_order (order_id BIGINT PRIMARY KEY, user_id BIGINT, note VARCHAR(20))");
    client.run("CREATE TABLE t_item (item_id BIGINT PRIMARY KEY, order_id BIGINT, user_id BIGINT, n INT)");
    client.run("CREATE TABLE t_config (k INT PRIMARY KEY, v VARCHAR(20))");
    client.run("INSERT INTO t_order VALUES (1, 1, 'a'), (2, 1, 'b'), (3, 2, 'c'), (4, 2, 'd')");
    client.run("INSERT INTO t_item VALUES (1, 1, 1, 10), (2, 1, 1, 20), (3, 3, 2, 30), (4, 2, 1, 40)");
    client.run("INSERT INTO t_config VALUES (10, 'ten'), (30, 'thirty')");
    let mut all =
        |text: &str| client.rows(text).into_iter().map(|row| row.join("=")).collect::<Vec<_>>().join(" ");
    let inner = "t_order o JOIN t_item i ON o.order_id = i.order_id";
    assert_eq!(all(&format!("SELECT o.note, i.n FROM {inner} ORDER BY i.n")), "a=10 a=20 c=30 b=40");
    assert_eq!(all(&format!("SELECT COUNT(*), SUM(i.n) FROM {inner}")), "4=100");
    assert_eq!(
        all(&format!("SELECT o.note, SUM(i.n) FROM {inner} GROUP BY o.note ORDER BY o.note")),
        "a=30 b=40 c=30"
    );
    let left = "t_order o LEFT JOIN t_item i ON o.order_id = i.order_id";
    assert_eq!(
        all(&format!("SELECT o.note, COUNT(i.n) FROM {left} GROUP BY o.note ORDER BY o.note")),
        "a=2 b=1 c=1 d=0"
    );
    assert_eq!(
        all(&format!("SELECT o.note, c.v FROM {inner} JOIN t_config c ON c.k = i.n ORDER BY c.k")),
        "a=ten c=thirty"
    );
    assert_eq!(client.fault("SELECT * FROM t_order o JOIN t_item i ON o.order_id = i.n").code, 30_001);
}

#[test]
fn broadcast_tables_are_changed_everywhere_or_nowhere() {
    let mut stage = Stage::new("sharding_broadcast");
    let mut client = stage.client();
    client.run("CREATE BROADCAST TABLE RULE t_config");
    client.run("CREATE TABLE t_config (k INT PRIMARY KEY, v INT)");
    let Reply::Done(done) = client.run("INSERT INTO t_config VALUES (1, 1), (2, 2)") else { panic!("no OK") };
    assert_eq!(done.affected, 2);
    let keys = "SELECT GROUP_CONCAT(CONCAT(k, '=', v) ORDER BY k) FROM t_config";
    assert_eq!(stage.each(keys), ["1=1,2=2", "1=1,2=2"]);
    // Another row stands in the way on one of them.
    stage.units[1].run("INSERT INTO t_config VALUES (3, 0)");
    assert_eq!(client.fault("INSERT INTO t_config VALUES (3, 3)").code, 1062);
    assert_eq!(stage.each(keys), ["1=1,2=2", "1=1,2=2,3=0"]);
    stage.units[1].run("DELETE FROM t_config WHERE k = 3");
    client.run("BEGIN");
    client.run("UPDATE t_config SET v = 9");
    client.run("ROLLBACK");
    assert_eq!(stage.each(keys), ["1=1,2=2", "1=1,2=2"]);
    client.run("DROP TABLE t_config");
    assert_eq!(client.rows("SHOW TABLES").len(), 0);
}

#[test]
fn generated_keys_are_unique_and_told() {
    let stage = Stage::new("sharding_keys");
    let mut client = stage.client();
    client.run(on_nodes("t_order", ", KEY_GENERATE_STRATEGY(COLUMN=order_id, TYPE(NAME=\"snowflake\"))"));
    client.run(
        "CREATE SHARDING TABLE RULE t_uuid (STORAGE_UNITS(ds_0, ds_1), SHARDING_COLUMN=id, TYPE(NAME=\"HASH_MOD\", \
         PROPERTIES(\"sharding-count\"=4)), KEY_GENERATE_STRATEGY(COLUMN=id, TYPE(NAME=\"UUID\")))",
    );
    client.run("CREATE TABLE t_order (order_id BIGINT PRIMARY KEY, user_id BIGINT, note VARCHAR(20))");
    client.run("CREATE TABLE t_uuid (id CHAR(32) COLLATE utf8mb4_bin PRIMARY KEY, n INT)");
    let Reply::Done(done) =
        client.run("INSERT INTO t_order (user_id, note) VALUES (1, 'a'), (2, 'b'), (3, 'c')")
    else {
        panic!("no OK")
    };
    assert_eq!((done.affected, client.value("SELECT LAST_INSERT_ID()")), (3, done.insert_id.to_string()));
    let first = client.value(format!("SELECT note FROM t_order WHERE order_id = {}", done.insert_id));
    assert_eq!(first, "a");
    let prepared = client.prepare("INSERT INTO t_order (user_id, note) VALUES (?, ?)").unwrap();
    assert_eq!(prepared.parameters, 2);
    for user in 0..50 {
        client.execute(prepared.id, &[Value::Int(user), Value::Bytes(b"p")]).unwrap();
    }
    let keys: HashSet<_> = client.rows("SELECT order_id FROM t_order").into_iter().flatten().collect();
    assert_eq!(keys.len(), 53);
    client.run("INSERT INTO t_uuid (n) VALUES (1), (2), (3), (4), (5)");
    client.binary("INSERT INTO t_uuid SET n = ?", &[Value::Int(6)]).unwrap();
    for row in client.rows("SELECT id, n FROM t_uuid") {
        assert_eq!(row[0].len(), 32);
        let found = client.rows(format!("SELECT n FROM t_uuid WHERE id = '{}'", row[0]));
        assert_eq!(found, [[row[1].clone()]]);
    }
    assert_eq!(client.value("SELECT COUNT(*) FROM t_uuid"), "6");
    let fault = client.fault("INSERT INTO t_order (user_id, note) SELECT user_id, note FROM t_order");
    assert_eq!(fault.code, 20_048);
}

#[test]
fn intervals_and_audits_say_where_rows_are() {
    let stage = Stage::new("sharding_interval");
    let mut client = stage.client();
    client.run(
        "CREATE SHARDING TABLE RULE t_month (DATANODES(\"ds_0.t_month_20240${1..3}\"), TABLE_STRATEGY(TYPE=\"standard\", \
         SHARDING_COLUMN=at, SHARDING_ALGORITHM(TYPE(NAME=\"INTERVAL\", PROPERTIES(\"datetime-pattern\"=\"yyyy-MM-dd \
         HH:mm:ss\", \"datetime-lower\"=\"2024-01-01 00:00:00\", \"datetime-upper\"=\"2024-03-31 00:00:00\", \
         \"sharding-suffix-pattern\"=\"yyyyMM\", \"datetime-interval-unit\"=\"MONTHS\")))), \
         AUDIT_STRATEGY(TYPE(NAME=\"DML_SHARDING_CONDITIONS\"), ALLOW_HINT_DISABLE=true))",
    );
    client.run("CREATE TABLE t_month (at DATETIME, n INT)");
    client.run("INSERT INTO t_month VALUES ('2024-01-15 00:00:00', 1), ('2024-02-29 23:59:59', 2), ('2024-03-01', 3)");
    let between = "SELECT n FROM t_month WHERE at BETWEEN '2024-01-01' AND '2024-02-29 23:59:59' ORDER BY n";
    assert_eq!(client.rows(between), [["1"], ["2"]]);
    let moment = wire::value::DateTime {
        date: wire::value::Date { year: 2024, month: 3, day: 1 },
        ..wire::value::DateTime::default()
    };
    let Reply::Rows(table) =
        client.binary("SELECT n FROM t_month WHERE at = ?", &[Value::DateTime(moment)]).unwrap()
    else {
        panic!("no rows")
    };
    assert_eq!(table.text(), [["3"]]);
    // Rounded up it would be another month's.
    assert_eq!(client.fault("INSERT INTO t_month VALUES ('2024-02-29 23:59:59.5', 4)").code, 30_001);
    assert_eq!(client.fault("INSERT INTO t_month VALUES ('2024-05-01 00:00:00', 5)").code, 20_061);
    assert_eq!(client.fault("SELECT n FROM t_month").code, 16_000);
    let name = client.rows("SHOW SHARDING AUDITORS")[0][0].clone();
    let spared =
        format!("/* SHARDINGSPHERE_HINT: DISABLE_AUDIT_NAMES={name} */ SELECT COUNT(*) FROM t_month");
    assert_eq!(client.value(spared), "3");
}

#[test]
fn hints_of_comments_and_of_the_session_say_where_rows_are() {
    let mut stage = Stage::new("sharding_hints");
    let mut client = stage.client();
    client.run(
        "CREATE SHARDING TABLE RULE t_hint (DATANODES(\"ds_${0..1}.t_hint_${0..1}\"), \
         DATABASE_STRATEGY(TYPE=\"hint\", SHARDING_ALGORITHM(TYPE(NAME=\"HINT_INLINE\", \
         PROPERTIES(\"algorithm-expression\"=\"ds_${value % 2}\")))), \
         TABLE_STRATEGY(TYPE=\"hint\", SHARDING_ALGORITHM(TYPE(NAME=\"HINT_INLINE\", \
         PROPERTIES(\"algorithm-expression\"=\"t_hint_${value % 2}\")))))",
    );
    client.run("CREATE TABLE t_hint (id INT PRIMARY KEY)");
    let hint = "/* SHARDINGSPHERE_HINT: t_hint.SHARDING_DATABASE_VALUE=1, t_hint.SHARDING_TABLE_VALUE=0 */";
    client.run(format!("{hint} INSERT INTO t_hint VALUES (1)"));
    client.run("SET DIST VARIABLE proxy_hint_enabled = true");
    client.run("ADD SHARDING HINT DATABASE_VALUE t_hint = 0");
    client.run("ADD SHARDING HINT TABLE_VALUE t_hint = 1");
    client.run("INSERT INTO t_hint VALUES (2)");
    let nodes = "SELECT CONCAT((SELECT COUNT(*) FROM t_hint_0), '|', (SELECT COUNT(*) FROM t_hint_1))";
    assert_eq!(stage.each(nodes), ["0|1", "1|0"]);
    assert_eq!(client.value("SELECT GROUP_CONCAT(id) FROM t_hint"), "2", "the session's hint still holds");
    assert_eq!(
        client.value(format!("SELECT GROUP_CONCAT(id) FROM t_hint {hint}")),
        "1",
        "a comment goes first"
    );
    assert_eq!(client.value("SHOW SHARDING HINT STATUS"), "t_hint");
    client.run("CLEAR SHARDING HINT");
    assert_eq!(client.value("SELECT COUNT(*) FROM t_hint"), "2", "without a hint all nodes are asked");
    for _ in 0..1024 {
        client.run("ADD SHARDING HINT TABLE_VALUE t_hint = 1");
    }
    let refused = client.query("ADD SHARDING HINT TABLE_VALUE t_hint = 1");
    assert!(matches!(&refused, Reply::Error(fault) if fault.code == 30001), "{refused:?}");
}
