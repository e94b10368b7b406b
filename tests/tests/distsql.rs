//! The guide as it stands, what is wrong with DistSQL and how it is told, and that it lasts.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

use std::sync::LazyLock;

use weir_harness::WeirProcess;
use weir_tests::{Account, Bed, Client, Logical, Setup};

fn bed() -> &'static Bed {
    static BED: LazyLock<Bed> = LazyLock::new(|| Bed::new(4));
    &BED
}

/// The guide's statements (`scenarios.md` A), with our hosts in the place of theirs.
fn guide(logical: &Logical<'_>) -> [String; 3] {
    let unit = |number: usize| {
        let server = bed().server(number);
        format!(
            "ds_{number} (HOST=\"127.0.0.1\", PORT={}, DB=\"{}\", USER=\"test\", PASSWORD=\"test\")",
            server.port(),
            logical.physical()
        )
    };
    [
        format!("CREATE DATABASE IF NOT EXISTS {};", logical.name),
        format!("REGISTER STORAGE UNIT {}, {}, {}, {};", unit(0), unit(1), unit(2), unit(3)),
        "CREATE SHARDING TABLE RULE t_user (\n\
         STORAGE_UNITS(ds_0, ds_1, ds_2, ds_3),\n\
         SHARDING_COLUMN=id,TYPE(NAME=\"MOD\",PROPERTIES(\"sharding-count\"=10))\n\
         );"
        .to_owned(),
    ]
}

/// A client without a database on a proxy of its own.
fn own_proxy() -> (WeirProcess, Account) {
    let weir = WeirProcess::builder(&bed().sandbox).start().unwrap();
    let account = Account { address: weir.address(), ..bed().proxy() };
    (weir, account)
}

#[test]
fn the_guide_runs_as_it_stands() {
    let logical = bed().bare("guide");
    let [create, register, rule] = guide(&logical);
    let mut client = bed().proxy().client();
    client.run(create);
    // The guide leaves this out; without it there is no database to register units in.
    assert_eq!(client.fault(&register).to_string(), "1046 (3D000): No database selected");
    client.run("USE guide");
    for text in [register, rule] {
        let done = client.run(text).done();
        assert_eq!((done.affected, done.warnings), (0, 0));
    }
    client.run("CREATE TABLE t_user (id INT PRIMARY KEY, name VARCHAR(20))");
    let values: Vec<_> = (-5..25).map(|id| format!("({id}, 'user {id}')")).collect();
    client.run(format!("INSERT INTO t_user VALUES {}", values.join(", ")));
    // MOD 10; table i on unit i mod 4.
    for id in -5_i64..25 {
        let table = id.rem_euclid(10);
        let mut unit = logical.unit(usize::try_from(table).unwrap() % 4);
        assert_eq!(
            unit.value(format!("SELECT name FROM t_user_{table} WHERE id = {id}")),
            format!("user {id}")
        );
    }
    assert_eq!(client.value("SELECT COUNT(*) FROM t_user"), "30");
}

#[test]
fn shows_are_as_the_reference_says() {
    let logical = bed().logical("shows");
    logical.shard("t_user", "id");
    let mut client = logical.client();
    let mut shown = |text: &str| {
        let table = client.query(text).table();
        (table.names().join(" "), table.text())
    };

    let (names, rows) = shown("SHOW STORAGE UNITS");
    assert_eq!(
        names,
        "name type host port db connection_timeout_milliseconds idle_timeout_milliseconds \
         max_lifetime_milliseconds max_pool_size min_pool_size read_only other_attributes"
    );
    assert_eq!(rows.len(), 4);
    let port = bed().server(2).port().to_string();
    assert_eq!(
        rows[2][..11],
        ["ds_2", "MySQL", "127.0.0.1", &port, "shows_unit", "30000", "60000", "2100000", "50", "1", "false"]
    );

    let (names, rows) = shown("SHOW SHARDING TABLE RULES");
    assert_eq!(
        names,
        "table actual_data_nodes actual_data_sources database_strategy_type database_sharding_column \
         database_sharding_algorithm_type database_sharding_algorithm_props table_strategy_type \
         table_sharding_column table_sharding_algorithm_type table_sharding_algorithm_props \
         key_generate_column key_generator_type key_generator_props auditor_types allow_hint_disable"
    );
    let (_, one) = shown("SHOW SHARDING TABLE RULE t_user");
    assert_eq!(one, rows);
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0][..3], ["t_user", "", "ds_0,ds_1,ds_2,ds_3"]);
    assert_eq!(rows[0][8], "id");
    assert!(rows[0][9].eq_ignore_ascii_case("mod"), "{rows:?}");
    assert_eq!(rows[0][10], "sharding-count=10");

    let (names, rows) = shown("SHOW SHARDING TABLE NODES t_user");
    assert_eq!(names, "name nodes");
    let nodes: Vec<_> = (0..10).map(|table| format!("ds_{}.t_user_{table}", table % 4)).collect();
    assert_eq!(rows, [["t_user".to_owned(), nodes.join(", ")]]);

    let (_, rows) = shown("SHOW DATABASES");
    assert!(rows.iter().any(|row| row[0] == "shows"), "{rows:?}");
    assert!(!rows.iter().any(|row| row[0] == "shows_unit"), "{rows:?}");
}

#[test]
fn tables_are_shown_by_their_logical_names() {
    let logical = bed().logical("tables");
    logical.shard("t_user", "id");
    let mut client = logical.client();
    assert!(client.rows("SHOW TABLES").is_empty());
    client.run("CREATE TABLE t_user (id INT PRIMARY KEY)");
    client.run("CREATE TABLE alone (id INT PRIMARY KEY)");
    let table = client.query("SHOW TABLES").table();
    assert_eq!(table.names(), ["Tables_in_tables"]);
    assert_eq!(table.text(), [["alone"], ["t_user"]]);
    assert_eq!(client.rows("SHOW TABLES LIKE 't%'"), [["t_user"]]);
    let full = client.rows("SHOW FULL TABLES FROM tables");
    assert_eq!(full, [["alone", "BASE TABLE"], ["t_user", "BASE TABLE"]]);
    client.run("DROP TABLE alone");
    assert_eq!(client.rows("SHOW TABLES"), [["t_user"]]);
}

#[test]
fn preview_shows_what_would_be_sent_and_sends_nothing() {
    let logical = bed().logical("preview");
    logical.shard("t_user", "id");
    let mut client = logical.client();
    client.run("CREATE TABLE t_user (id INT PRIMARY KEY, name VARCHAR(20))");
    let table = client.query("PREVIEW SELECT * FROM t_user WHERE id = 15").table();
    assert_eq!(table.names(), ["data_source_name", "actual_sql"]);
    assert_eq!(table.text(), [["ds_1", "SELECT * FROM t_user_5 WHERE id = 15"]]);
    let all = client.rows("PREVIEW SELECT name FROM t_user");
    assert!(all.len() >= 4, "{all:?}");
    for number in 0..10 {
        let named = all.iter().filter(|row| row[1].contains(&format!("t_user_{number}")));
        assert!(
            named.clone().count() == 1 && named.clone().all(|row| row[0] == format!("ds_{}", number % 4))
        );
    }
    let split = client.rows("PREVIEW INSERT INTO t_user (id, name) VALUES (1, 'a'), (2, 'b'), (11, 'c')");
    assert_eq!(split.len(), 2, "{split:?}");
    assert!(split.iter().any(|row| row[1].contains("(1, 'a'), (11, 'c')")), "{split:?}");
    assert_eq!(client.value("SELECT COUNT(*) FROM t_user"), "0");
    assert_eq!(client.fault("PREVIEW INSERT INTO t_user (name) VALUES ('x')").code, 30000);
}

#[test]
fn an_unknown_host_is_named_with_its_port() {
    let logical = bed().bare("unknown_host");
    let mut client = logical.client();
    let fault = client.fault(
        "REGISTER STORAGE UNIT ds_0 (HOST=\"no-such-host.invalid\", PORT=13306, DB=\"d\", USER=\"test\", PASSWORD=\"test\")",
    );
    assert_eq!((fault.code, fault.state.as_str()), (19000, "44000"), "{fault}");
    assert!(fault.text.contains("`ds_0`") && fault.text.contains("no-such-host.invalid:13306"), "{fault}");
    assert!(client.rows("SHOW STORAGE UNITS").is_empty());
}

#[test]
fn a_port_where_nobody_listens_is_named() {
    let logical = bed().bare("unknown_port");
    let mut client = logical.client();
    // Port 1 is reserved and nobody's.
    let fault = client.fault(
        "REGISTER STORAGE UNIT ds_0 (HOST=\"127.0.0.1\", PORT=1, DB=\"d\", USER=\"test\", PASSWORD=\"test\")",
    );
    assert_eq!(fault.code, 19000, "{fault}");
    assert!(fault.text.contains("`ds_0`") && fault.text.contains("127.0.0.1:1"), "{fault}");
}

#[test]
fn the_units_password_and_database_are_tried() {
    let logical = bed().bare("unit_login");
    let mut client = logical.client();
    let good = logical.definition(0);
    let fault = client.fault(format!(
        "REGISTER STORAGE UNIT {good}, {}",
        logical.definition(1).replace("PASSWORD=\"test\"", "PASSWORD=\"wrong\"")
    ));
    assert_eq!(fault.code, 19000, "{fault}");
    assert!(fault.text.contains("`ds_1`") && fault.text.contains("Access denied for user 'test'"), "{fault}");
    assert!(!fault.text.contains("`ds_0`"), "{fault}");

    let fault = client.fault(format!("REGISTER STORAGE UNIT {}", good.replace("unit_login_unit", "nowhere")));
    assert_eq!(fault.code, 19000, "{fault}");
    assert!(fault.text.contains("Unknown database 'nowhere'"), "{fault}");
    // All or nothing.
    assert!(client.rows("SHOW STORAGE UNITS").is_empty());
    client.run(format!("REGISTER STORAGE UNIT {good}"));
    assert_eq!(client.rows("SHOW STORAGE UNITS").len(), 1);
}

#[test]
fn databases_must_be_there_and_be_chosen() {
    let mut client = bed().proxy().client();
    assert_eq!(client.fault("USE nowhere").to_string(), "1049 (42000): Unknown database 'nowhere'");
    let none = "1046 (3D000): No database selected";
    for text in ["SHOW STORAGE UNITS", "SHOW SHARDING TABLE RULES", "SELECT * FROM t", "SHOW TABLES"] {
        assert_eq!(client.fault(text).to_string(), none, "{text}");
    }
    let unknown = client.fault("SHOW STORAGE UNITS FROM nowhere").to_string();
    assert_eq!(unknown, "1049 (42000): Unknown database 'nowhere'");

    client.run("CREATE DATABASE there");
    assert_eq!(
        client.fault("CREATE DATABASE there").to_string(),
        "1007 (HY000): Can't create database 'there'; database exists"
    );
    client.run("CREATE DATABASE IF NOT EXISTS there");
    client.run("USE there");
    assert_eq!(client.value("SELECT DATABASE()"), "there");
    client.run("DROP DATABASE there");
    assert_eq!(client.value("SELECT DATABASE()"), "NULL");
    assert_eq!(
        client.fault("DROP DATABASE there").to_string(),
        "1008 (HY000): Can't drop database 'there'; database doesn't exist"
    );
    client.run("DROP DATABASE IF EXISTS there");
}

#[test]
fn a_database_without_units_says_so() {
    let mut client = bed().proxy().client();
    client.run("CREATE DATABASE empty_one");
    client.run("USE empty_one");
    assert!(client.rows("SHOW TABLES").is_empty());
    let fault = client.fault("SELECT * FROM t");
    assert_eq!(fault.code, 19002, "{fault}");
    let fault = client.fault("CREATE TABLE t (id INT)");
    assert_eq!(fault.code, 19002, "{fault}");
}

#[test]
fn syntax_errors_say_what_was_expected_where() {
    let logical = bed().logical("syntax");
    let mut client = logical.client();
    let cases = [
        (
            "CREATE SHARDING TABLE RULE t (STORAGE_UNITS(ds_0), SHARDING_COLUM=id, TYPE(NAME=\"MOD\"))",
            "SHARDING_COLUMN",
            "line 1, column 52",
        ),
        ("CREATE SHARDING TABLE RULE t (\nSTORAGE_UNITS(ds_0)\nSHARDING_COLUMN=id)", ",", "line 3, column 1"),
        ("REGISTER STORAGE UNIT ds_0 (HOST=\"h\", PORT=\"13306\")", "", "line 1, column 44"),
        ("REGISTER STORAGE UNIT", "", "line 1, column 22"),
        ("SHOW SHARDING TABLE NONSENSE", "", "column 21"),
        (
            "CREATE SHARDING TABLE RULE t (STORAGE_UNITS(ds_0), SHARDING_COLUMN=id, TYPE(NAME=\"MOD",
            "",
            "column 82",
        ),
    ];
    for (text, expected, place) in cases {
        let fault = client.fault(text);
        assert_eq!((fault.code, fault.state.as_str()), (1064, "42000"), "{text}: {fault}");
        assert!(fault.text.contains("expected") || fault.text.contains("nterminated"), "{text}: {fault}");
        assert!(fault.text.contains(expected) && fault.text.contains(place), "{text}: {fault}");
    }
}

#[test]
fn rules_are_checked_before_they_count() {
    let logical = bed().logical("rules");
    let mut client = logical.client();
    let rule = |table: &str, units: &str, kind: &str, properties: &str| {
        format!(
            "CREATE SHARDING TABLE RULE {table} (STORAGE_UNITS({units}), SHARDING_COLUMN=id, \
             TYPE(NAME=\"{kind}\", PROPERTIES({properties})))"
        )
    };
    client.run(rule("t", "ds_0, ds_1", "MOD", "\"sharding-count\"=4"));
    let cases = [
        (rule("t", "ds_0", "MOD", "\"sharding-count\"=4"), 19105, "Duplicate sharding rule names `[t]` in database `rules`"),
        (rule("T", "ds_0", "MOD", "\"sharding-count\"=4"), 19105, "in database `rules`"),
        (rule("u", "ds_0, ds_9", "MOD", "\"sharding-count\"=4"), 19001, "Storage units `[ds_9]` do not exist in database `rules`"),
        (rule("u", "ds_0", "INLINE", "\"sharding-count\"=4"), 19150, "Invalid sharding algorithms `[INLINE]`"),
        (rule("u", "ds_0", "NONSENSE", "\"sharding-count\"=4"), 19150, "`[NONSENSE]`"),
        ("ALTER SHARDING TABLE RULE u (STORAGE_UNITS(ds_0), SHARDING_COLUMN=id, TYPE(NAME=\"MOD\", PROPERTIES(\"sharding-count\"=4)))".into(), 19101, "`[u]` do not exist in database `rules`"),
        ("DROP SHARDING TABLE RULE u".into(), 19101, "`[u]` do not exist in database `rules`"),
        ("UNREGISTER STORAGE UNIT ds_0".into(), 19003, "`ds_0` is still used by"),
        ("UNREGISTER STORAGE UNIT ds_9".into(), 19001, "`[ds_9]` do not exist in database `rules`"),
        (format!("REGISTER STORAGE UNIT {}", logical.definition(0)), 19004, "Duplicate storage unit names `[ds_0]`"),
        (format!("REGISTER STORAGE UNIT {0}, {0}", logical.definition(0).replace("ds_0", "ds_7")), 19004, "`[ds_7]`"),
        (format!("ALTER STORAGE UNIT {}", logical.definition(0).replace("ds_0", "ds_9")), 19001, "`[ds_9]`"),
        (format!("ALTER STORAGE UNIT {}", logical.definition(0).replace("rules_unit", "mysql")), 19000, "Cannot alter the database of [ds_0]"),
    ];
    for (text, code, words) in cases {
        let fault = client.fault(&text);
        assert_eq!(fault.code, code, "{text}: {fault}");
        assert_eq!(fault.state, "44000", "{text}: {fault}");
        assert!(fault.text.contains(words), "{text}: {fault}");
    }
    for properties in ["", "\"sharding-count\"=0", "\"sharding-count\"=-1", "\"sharding-count\"=\"x\""] {
        let fault = client.fault(rule("u", "ds_0", "MOD", properties));
        assert!(fault.text.contains("sharding-count"), "{properties}: {fault}");
    }
    client.run("CREATE SHARDING TABLE RULE IF NOT EXISTS t (STORAGE_UNITS(ds_3), SHARDING_COLUMN=id, TYPE(NAME=\"MOD\", PROPERTIES(\"sharding-count\"=1)))");
    client.run("DROP SHARDING TABLE RULE IF EXISTS u");
    assert_eq!(client.rows("SHOW SHARDING TABLE RULES").len(), 1);
    assert_eq!(client.rows("SHOW SHARDING TABLE RULES")[0][2], "ds_0,ds_1");
}

#[test]
fn keys_must_be_given_and_not_null() {
    let logical = bed().logical("null_keys");
    logical.shard("t", "id");
    let mut client = logical.client();
    client.run("CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(20))");
    let fault = client.fault("INSERT INTO t (name) VALUES ('x')");
    assert_eq!((fault.code, fault.state.as_str()), (30000, "HY000"));
    assert!(fault.text.contains("`t`") && fault.text.contains("`id`"), "{fault}");
    let fault = client.fault("INSERT INTO t (id, name) VALUES (NULL, 'x')");
    let expected = "20020 (44000): Sharding value can't be null in insert statement.";
    assert_eq!(fault.to_string(), expected);
    let bound = client.binary("INSERT INTO t (id, name) VALUES (?, 'x')", &[wire::value::Value::Null]);
    assert_eq!(bound.unwrap().fault().to_string(), expected);
    assert_eq!(client.value("SELECT COUNT(*) FROM t"), "0");
}

#[test]
fn distsql_stays_out_of_transactions_and_prepared_statements() {
    let logical = bed().logical("stays_out");
    let mut client = logical.client();
    let fault = client.prepare("SHOW STORAGE UNITS").unwrap_err().fault();
    assert_eq!((fault.code, fault.state.as_str()), (1295, "HY000"));
    client.run("BEGIN");
    let fault = client.fault(logical.rule("t", "id"));
    assert_eq!((fault.code, fault.state.as_str()), (30001, "0A000"), "{fault}");
    assert!(fault.text.contains("not supported within a transaction"), "{fault}");
    assert_eq!(client.rows("SHOW STORAGE UNITS").len(), 4);
    client.run("ROLLBACK");
    client.run(logical.rule("t", "id"));
}

#[test]
fn changes_take_effect_in_sessions_that_run() {
    let logical = bed().logical("live");
    let (mut one, mut other) = (logical.client(), logical.client());
    one.run("CREATE TABLE t (id INT PRIMARY KEY, v INT)");
    one.run("INSERT INTO t VALUES (3, 30)");
    let prepared = one.prepare("SELECT v FROM t WHERE id = ?").unwrap();
    let ask = |client: &mut Client, id: i64| {
        client.execute(prepared.id, &[wire::value::Value::Int(id)]).unwrap().table().text()
    };
    assert_eq!(ask(&mut one, 3), [["30"]]);

    // The table becomes sharded under the prepared statement's feet.
    other.run("DROP TABLE t");
    other.run(logical.rule("t", "id"));
    other.run("CREATE TABLE t (id INT PRIMARY KEY, v INT)");
    other.run("INSERT INTO t VALUES (3, 31), (14, 140)");
    assert_eq!(ask(&mut one, 3), [["31"]]);
    assert_eq!(ask(&mut one, 14), [["140"]]);
    assert_eq!(one.rows("SELECT v FROM t ORDER BY id"), [["31"], ["140"]]);
    assert_eq!(one.rows("PREVIEW SELECT v FROM t WHERE id = 14")[0][1], "SELECT v FROM t_4 WHERE id = 14");

    // Another number of tables, and another unit for each.
    other.run("ALTER SHARDING TABLE RULE t (STORAGE_UNITS(ds_3, ds_2), SHARDING_COLUMN=id, TYPE(NAME=\"MOD\", PROPERTIES(\"sharding-count\"=3)))");
    assert_eq!(one.fault("SELECT v FROM t WHERE id = 14").code, 1146);
    other.run("CREATE TABLE t (id INT PRIMARY KEY, v INT)");
    let plan = one.rows("PREVIEW SELECT v FROM t WHERE id = 14");
    assert_eq!(plan, [["ds_3", "SELECT v FROM t_2 WHERE id = 14"]]);

    // A database that goes away.
    other.run("DROP DATABASE live");
    let fault = one.fault("SELECT v FROM t WHERE id = 14");
    assert!([1046, 1049].contains(&fault.code), "{fault}");
    assert!(
        [1046, 1049].contains(&one.execute(prepared.id, &[wire::value::Value::Int(3)]).unwrap().fault().code)
    );
    assert_eq!(one.value("SELECT 1"), "1");
}

#[test]
fn definitions_reach_sessions_that_run() {
    let logical = bed().logical("definitions");
    logical.shard("t", "id");
    let (mut one, mut other) = (logical.client(), logical.client());
    one.run("CREATE TABLE t (id INT PRIMARY KEY, v INT)");
    other.run("INSERT INTO t VALUES (1, 1), (2, 2)");
    let insert = other.prepare("INSERT INTO t VALUES (?, ?)").unwrap();
    let select = other.prepare("SELECT * FROM t WHERE id = ?").unwrap();
    let int = wire::value::Value::Int;
    assert_eq!(other.execute(insert.id, &[int(3), int(3)]).unwrap().done().affected, 1);
    one.run("ALTER TABLE t ADD COLUMN w INT DEFAULT 7 FIRST");
    // The sharding column is the second one now.
    assert_eq!(other.fault("INSERT INTO t VALUES (4, 4)").code, 1136);
    other.run("INSERT INTO t VALUES (70, 4, 4), (70, 15, 5)");
    assert_eq!(other.execute(insert.id, &[int(5), int(5)]).unwrap().fault().code, 1136);
    let rows = other.execute(select.id, &[int(15)]).unwrap().table();
    assert_eq!(rows.names(), ["w", "id", "v"]);
    assert_eq!(rows.text(), [["70", "15", "5"]]);
    assert_eq!(other.rows("SELECT id FROM t ORDER BY id").len(), 5);
    one.run("DROP TABLE t");
    assert_eq!(other.execute(select.id, &[int(15)]).unwrap().fault().code, 1146);
    one.run("CREATE TABLE t (id BIGINT PRIMARY KEY)");
    other.run("INSERT INTO t VALUES (15)");
    assert_eq!(other.execute(select.id, &[int(15)]).unwrap().table().text(), [["15"]]);
}

#[test]
fn units_can_be_altered_and_unregistered_while_in_use() {
    let logical = bed().logical("altered");
    let mut client = logical.client();
    client.run("CREATE TABLE alone (id INT PRIMARY KEY)");
    client.run(format!(
        "ALTER STORAGE UNIT {}",
        logical
            .definition(1)
            .replace("PASSWORD=\"test\"", "PASSWORD=\"test\", PROPERTIES(\"maximumPoolSize\"=7)")
    ));
    let units = client.rows("SHOW STORAGE UNITS");
    let altered = units.iter().find(|row| row[0] == "ds_1").unwrap();
    assert_eq!(altered[8], "7");
    let fault = client.fault(format!(
        "ALTER STORAGE UNIT {}",
        logical.definition(1).replace("PASSWORD=\"test\"", "PASSWORD=\"wrong\"")
    ));
    assert_eq!(fault.code, 19000, "{fault}");
    client.run("INSERT INTO alone VALUES (1)");
    assert_eq!(client.value("SELECT COUNT(*) FROM alone"), "1");
    client.run("DROP TABLE alone");
    client.run("UNREGISTER STORAGE UNIT ds_0, ds_1");
    assert_eq!(client.rows("SHOW STORAGE UNITS").len(), 2);
    client.run("UNREGISTER STORAGE UNIT IF EXISTS ds_0, ds_2, ds_3");
    assert!(client.rows("SHOW STORAGE UNITS").is_empty());
}

#[test]
fn what_was_said_lasts_over_restart_and_kill() {
    let (weir, account) = own_proxy();
    let logical = Logical { bed: bed(), name: "lasting".into(), setup: Setup::Units };
    for number in 0..4 {
        bed().unit(number).client().run("CREATE DATABASE lasting_unit");
    }
    let [create, register, rule] = guide(&logical);
    let mut client = account.client();
    for text in [create.as_str(), "USE lasting", &register, &rule, "CREATE TABLE t_user (id INT PRIMARY KEY)"]
    {
        client.run(text);
    }
    client.run("INSERT INTO t_user VALUES (1), (2), (3)");
    let state = |client: &mut Client| {
        client.run("USE lasting");
        ["SHOW STORAGE UNITS", "SHOW SHARDING TABLE RULES", "SHOW SHARDING TABLE NODES", "SHOW TABLES"]
            .map(|text| client.rows(text))
    };
    let before = state(&mut client);
    weir.restart().unwrap();
    let mut client = account.client();
    assert_eq!(state(&mut client), before);
    assert_eq!(client.value("SELECT COUNT(*) FROM t_user"), "3");

    // Said and answered is kept, whatever happens next.
    client.run(rule.replace("t_user", "t_late"));
    let before = state(&mut client);
    weir.kill().unwrap();
    weir.restart().unwrap();
    let mut client = account.client();
    assert_eq!(state(&mut client), before);
    assert_eq!(client.rows("SHOW SHARDING TABLE RULES").len(), 2);
    assert_eq!(client.value("SELECT COUNT(*) FROM t_user"), "3");
}

#[test]
fn killed_amid_changes_it_comes_back_with_one_of_the_states() {
    let (weir, account) = own_proxy();
    for round in 0..3 {
        let mut client = account.client();
        client.run(format!("CREATE DATABASE IF NOT EXISTS amid_{round}"));
        let told = std::thread::scope(|scope| {
            let worker = scope.spawn(|| {
                let mut client = account.client();
                // Until the proxy is gone.
                let created = (0..100_000).take_while(|number| {
                    client.try_query(format!("CREATE DATABASE amid_{round}_{number}")).is_ok()
                });
                created.count()
            });
            while client.rows("SHOW DATABASES").len() < 20 * (round + 1) {}
            weir.kill().unwrap();
            worker.join().unwrap()
        });
        weir.restart().unwrap();
        let names = account.client().rows("SHOW DATABASES");
        let kept = names.iter().filter(|row| row[0].starts_with(&format!("amid_{round}_"))).count();
        assert!(kept == told || kept == told + 1, "{told} were answered, {kept} are there");
    }
}

#[test]
fn a_configuration_with_a_mistake_names_its_place() {
    let folder = bed().sandbox.subfolder("bad-conf").unwrap();
    let good = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../conf/server.yaml")).unwrap();
    let line = 1 + good.lines().position(|line| line.contains("sql-show:")).unwrap();
    for bad in
        [good.replace("sql-show: false", "sql-shwo: false"), good.replace("sql-show: false", "sql-show: [")]
    {
        std::fs::write(folder.join("server.yaml"), bad).unwrap();
        let error = WeirProcess::builder(&bed().sandbox).conf(&folder).start().unwrap_err().to_string();
        let place = error.split("server.yaml:").nth(1).unwrap_or_else(|| panic!("no place in {error}"));
        let told: Vec<usize> = place.split([':', ' ']).take(2).filter_map(|part| part.parse().ok()).collect();
        assert_eq!(told.len(), 2, "line and column in {error}");
        assert!(told[0] >= line, "{error}");
    }
}

#[test]
fn a_database_with_all_its_rules_travels_as_a_file() {
    let logical = bed().logical("travel");
    let mut client = logical.client();
    for rule in [
        "CREATE SHARDING TABLE RULE t_user (DATANODES('ds_${0..1}.t_user_${0..1}'), DATABASE_STRATEGY(TYPE=standard, \
         SHARDING_COLUMN=id, SHARDING_ALGORITHM(TYPE(NAME=INLINE, PROPERTIES('algorithm-expression'='ds_${id % 2}')))), \
         TABLE_STRATEGY(TYPE=standard, SHARDING_COLUMN=kind, SHARDING_ALGORITHM(TYPE(NAME=INLINE, \
         PROPERTIES('algorithm-expression'='t_user_${kind % 2}')))))",
        "CREATE BROADCAST TABLE RULE t_kind",
        "CREATE ENCRYPT RULE t_user (COLUMNS((NAME=phone, CIPHER=phone_cipher, ASSISTED_QUERY_COLUMN=phone_digest, \
         ENCRYPT_ALGORITHM(TYPE(NAME='AES', PROPERTIES('aes-key-value'='123456abc'))), \
         ASSISTED_QUERY_ALGORITHM(TYPE(NAME='MD5')))))",
        "CREATE MASK RULE t_user (COLUMNS((NAME=phone, TYPE(NAME='KEEP_FIRST_N_LAST_M', PROPERTIES('first-n'=3, \
         'last-m'=4, 'replace-char'='*')))))",
    ] {
        client.run(rule);
    }
    client.run("CREATE TABLE t_user (id INT PRIMARY KEY, kind INT, phone VARCHAR(64))");
    client.run("CREATE TABLE t_kind (kind INT PRIMARY KEY, name VARCHAR(20))");
    client.run("INSERT INTO t_user VALUES (1, 1, '13800001111'), (2, 1, '13900002222'), (3, 2, NULL)");
    client.run("INSERT INTO t_kind VALUES (1, 'one'), (2, 'two')");
    let seen = |client: &mut Client| {
        let found = client.rows("SELECT id, kind, phone FROM t_user WHERE phone = '13800001111'");
        (
            client.rows("SELECT * FROM t_user ORDER BY id"),
            found,
            client.rows("SELECT * FROM t_kind ORDER BY kind"),
        )
    };
    let before = seen(&mut client);
    assert_eq!(before.1, [["1", "1", "138****1111"]]);
    assert_eq!(before.0.len(), 3);

    let folder = std::env::temp_dir().join(format!("weir-travel-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("travel.yaml");
    client.value(format!("EXPORT DATABASE CONFIGURATION TO FILE '{}'", file.display()));
    client.run("DROP DATABASE travel");
    client.run(format!("IMPORT DATABASE CONFIGURATION FROM FILE '{}'", file.display()));
    let mut client = logical.client();
    assert_eq!(seen(&mut client), before);

    // The same by the statements of CONVERT.
    let statements = client.value(format!("CONVERT YAML CONFIGURATION FROM FILE '{}'", file.display()));
    client.run("DROP DATABASE travel");
    for statement in statements.lines() {
        client.run(statement);
    }
    assert_eq!(seen(&mut client), before);
    std::fs::remove_dir_all(folder).unwrap();
}
