//! Changes, and every reason they are refused for.

use super::*;

const RULE: &str = "CREATE SHARDING TABLE RULE t_user (\nSTORAGE_UNITS(ds_0, ds_1, ds_2, ds_3),\n\
    SHARDING_COLUMN=id,TYPE(NAME=\"MOD\",PROPERTIES(\"sharding-count\"=10))\n);";

#[test]
fn the_guide_runs_and_is_there_after_a_restart() {
    let bench = Bench::guide(&[]);
    bench.ok(RULE);
    let bench = bench.restart();
    let database = bench.database();
    assert_eq!(database.units.keys().collect::<Vec<_>>(), ["ds_0", "ds_1", "ds_2", "ds_3"]);
    assert_eq!(database.units["ds_3"].spec.pool.max, 10);
    let nodes: Vec<_> =
        database.sharding.table("T_USER").unwrap().nodes.iter().map(|node| node.unit.as_str()).collect();
    assert_eq!(nodes.join(" "), "ds_0 ds_1 ds_2 ds_3 ds_0 ds_1 ds_2 ds_3 ds_0 ds_1");
}

#[test]
fn creates_and_drops_databases() {
    let bench = Bench::new();
    let create = |otherwise| block(bench.admin.create_database("db", otherwise));
    assert_eq!(create(Otherwise::Fail), Ok(false));
    assert_eq!(create(Otherwise::Skip), Ok(true));
    let error = create(Otherwise::Fail).unwrap_err();
    assert_eq!((error.code, error.state), (1007, "HY000"));
    let drop = |otherwise| block(bench.admin.drop_database("db", otherwise));
    assert_eq!(drop(Otherwise::Fail), Ok(false));
    assert_eq!(drop(Otherwise::Skip), Ok(true));
    let error = drop(Otherwise::Fail).unwrap_err();
    assert_eq!((error.code, error.state), (1008, "HY000"));
}

#[test]
fn needs_a_database_that_is_there() {
    let bench = Bench::guide(&[]);
    for text in [RULE, "SHOW STORAGE UNITS", "UNREGISTER STORAGE UNIT ds_0", "SHOW SHARDING TABLE RULES"] {
        let none = bench.run(None, text).unwrap_err();
        assert_eq!((none.code, none.state, none.message.as_str()), (1046, "3D000", "No database selected"));
        let unknown = bench.run(Some("x"), text).unwrap_err();
        assert_eq!(
            (unknown.code, unknown.state, unknown.message.as_str()),
            (1049, "42000", "Unknown database 'x'")
        );
    }
    assert_eq!(bench.refusal("SHOW STORAGE UNITS FROM x"), "1049 (42000): Unknown database 'x'");
    assert!(bench.run(None, "SHOW STORAGE UNITS FROM db").is_ok());
}

#[test]
fn registers_all_units_or_none() {
    let bench = Bench::guide(&[]);
    assert_eq!(
        bench.refusal(
            "REGISTER STORAGE UNIT a (HOST='h', PORT=13306, DB='d', USER='u'), b (HOST='h', PORT=1, DB='d', USER='u'), \
             c (HOST='h2', PORT=5, DB='d', USER='u', PASSWORD='wrong')"
        ),
        "19000 (44000): Can not process invalid storage units, error message is: [Invalid data source `b`, error \
         message is: storage unit 'b' (h:1) cannot be reached, Invalid data source `c`, error message is: storage \
         unit 'c' (h2:5) cannot be reached]"
    );
    assert_eq!(bench.database().units.len(), 4);
}

#[test]
fn refuses_definitions_before_anybody_is_asked() {
    let bench = Bench::guide(&[]);
    let asked = bench.admin.servers.asked.get();
    for (text, message) in [
        (
            "REGISTER STORAGE UNIT a (HOST='h', PORT=70000, DB='d', USER='u')",
            "19000 (44000): Can not process invalid storage units, error message is: [Invalid data source `a`, error \
             message is: port 70000 is not between 1 and 65535]",
        ),
        (
            "REGISTER STORAGE UNIT a (HOST='h', PORT=7, DB='d', USER='u', PROPERTIES('connectionTimeout'=10))",
            "19000 (44000): Can not process invalid storage units, error message is: [Invalid data source `a`, error \
             message is: connectionTimeout must be 250 ms or more, not 10]",
        ),
        (
            "REGISTER STORAGE UNIT a (URL='h:1/d', USER='u')",
            "10001 (08000): The URL `h:1/d` is not recognized, please refer to the pattern \
             `jdbc:mysql://host[:port]/database[?key=value&…]`",
        ),
        (
            "REGISTER STORAGE UNIT ds_0 (HOST='h', PORT=7, DB='d', USER='u'), n (HOST='h', PORT=7, DB='d', USER='u'), \
             n (HOST='h', PORT=7, DB='d', USER='u')",
            "19004 (44000): Duplicate storage unit names `[n, ds_0]`.",
        ),
        (
            "ALTER STORAGE UNIT x (HOST='h', PORT=7, DB='d', USER='u')",
            "19001 (44000): Storage units `[x]` do not exist in database `db`.",
        ),
        (
            "ALTER STORAGE UNIT ds_0 (HOST='127.0.0.1', PORT=7, DB='sbtest', USER='u')",
            "19000 (44000): Can not process invalid storage units, error message is: [Cannot alter the database of \
             [ds_0]]",
        ),
    ] {
        assert_eq!(bench.refusal(text), message);
    }
    assert_eq!(bench.admin.servers.asked.get(), asked);
}

#[test]
fn asks_only_units_that_are_new() {
    let bench = Bench::guide(&[]);
    let asked = bench.admin.servers.asked.get();
    bench.ok("REGISTER STORAGE UNIT IF NOT EXISTS ds_0 (HOST='h', PORT=1, DB='d', USER='u'), \
         n (HOST='h', PORT=7, DB='d', USER='u')");
    assert_eq!(bench.admin.servers.asked.get(), asked + 1);
    assert_eq!(bench.database().units["ds_0"].spec.port, 13306);
}

#[test]
fn alters_credentials_after_trying_them() {
    let bench = Bench::guide(&[]);
    assert_eq!(
        bench.refusal(
            "ALTER STORAGE UNIT ds_1 (HOST='127.0.0.1', PORT=13307, DB='sbtest', USER='u', PASSWORD='wrong')"
        ),
        "19000 (44000): Can not process invalid storage units, error message is: [Invalid data source `ds_1`, error \
         message is: storage unit 'ds_1' (127.0.0.1:13307) cannot be reached]"
    );
    bench.ok("ALTER STORAGE UNIT ds_1 (HOST='127.0.0.1', PORT=13307, DB='sbtest', USER='u', PASSWORD='new')");
    let unit = Arc::clone(&bench.database().units["ds_1"]);
    assert_eq!((unit.spec.user.as_str(), unit.id), ("u", UnitId(4)));
    assert_eq!(*bench.admin.servers.live.borrow(), HashSet::from([0, 2, 3, 4]));
}

#[test]
fn unregisters_units_that_nothing_uses() {
    let bench = Bench::guide(&[(13309, &["logs"])]);
    bench.ok("CREATE SHARDING TABLE RULE t (STORAGE_UNITS(ds_0, ds_1), SHARDING_COLUMN=id, TYPE(NAME=MOD, \
              PROPERTIES('sharding-count'=2)))");
    for (text, message) in [
        ("UNREGISTER STORAGE UNIT ds_0", "19003 (44000): Resource `ds_0` is still used by `[ShardingRule]`."),
        (
            "UNREGISTER STORAGE UNIT ds_3",
            "19003 (44000): Resource `ds_3` is still used by `[SingleTableRule]`.",
        ),
        (
            "UNREGISTER STORAGE UNIT x, y",
            "19001 (44000): Storage units `[x, y]` do not exist in database `db`.",
        ),
    ] {
        assert_eq!(bench.refusal(text), message);
    }
    bench.ok("UNREGISTER STORAGE UNIT ds_3 IGNORE SINGLE TABLES");
    bench.ok("UNREGISTER STORAGE UNIT IF EXISTS x, ds_2");
    assert_eq!(bench.database().units.len(), 2);
    assert_eq!(*bench.admin.servers.live.borrow(), HashSet::from([0, 1]));
    block(bench.admin.drop_database("db", Otherwise::Fail)).unwrap();
    assert!(bench.admin.servers.live.borrow().is_empty());
}

#[test]
fn refuses_rules_that_cannot_be() {
    let bench = Bench::guide(&[]);
    bench.ok(RULE);
    for (text, message) in [
        (RULE, "19105 (44000): Duplicate sharding rule names `[t_user]` in database `db`."),
        (
            "CREATE SHARDING TABLE RULE a (STORAGE_UNITS(x, ds_0), SHARDING_COLUMN=id, TYPE(NAME=MOD, \
             PROPERTIES('sharding-count'=2)))",
            "19001 (44000): Storage units `[x]` do not exist in database `db`.",
        ),
        (
            "CREATE SHARDING TABLE RULE a (STORAGE_UNITS(ds_0), SHARDING_COLUMN=id, TYPE(NAME=\"INLINE\"))",
            "19150 (44000): Invalid sharding algorithms `[INLINE]`.",
        ),
        (
            "CREATE SHARDING TABLE RULE a (STORAGE_UNITS(ds_0), SHARDING_COLUMN=id, TYPE(NAME=MOD))",
            "20080 (HY000): Sharding algorithm `MOD` initialization failed, reason is: property 'sharding-count' is \
             missing.",
        ),
        (
            "CREATE SHARDING TABLE RULE a (STORAGE_UNITS(\"ds_${0..\"), SHARDING_COLUMN=id, TYPE(NAME=MOD))",
            "19100 (44000): Invalid inline expression `ds_${0..`: '}' is missing.",
        ),
        (
            "ALTER SHARDING TABLE RULE a (STORAGE_UNITS(ds_0), SHARDING_COLUMN=id, TYPE(NAME=MOD))",
            "19101 (44000): sharding rules `[a]` do not exist in database `db`.",
        ),
        (
            "DROP SHARDING TABLE RULE t_user, a",
            "19101 (44000): sharding rules `[a]` do not exist in database `db`.",
        ),
    ] {
        assert_eq!(bench.refusal(text), message);
    }
    bench.ok(&RULE.replace("RULE t_user", "RULE IF NOT EXISTS t_user"));
    bench.ok("DROP SHARDING TABLE RULE IF EXISTS a, T_user");
    assert!(bench.restart().database().sharding.tables.is_empty());
}

#[test]
fn finds_single_tables_that_no_rule_covers() {
    let bench = Bench::guide(&[
        (13306, &["orders", "t_user_0", "t_user_4"]),
        (13307, &["Orders", "t_user_1"]),
        (13309, &["logs"]),
    ]);
    assert_eq!(
        bench.singles(),
        ["ds_0.orders", "ds_0.t_user_0", "ds_0.t_user_4", "ds_1.t_user_1", "ds_3.logs"]
    );
    bench.ok(RULE);
    assert_eq!(bench.singles(), ["ds_0.orders", "ds_3.logs"]);
    bench.ok("DROP SHARDING TABLE RULE t_user");
    assert_eq!(bench.singles().len(), 5);
    let bench = bench.restart();
    assert!(bench.singles().is_empty());
    block(bench.admin.refresh_all());
    assert_eq!(bench.singles().len(), 5);
}

#[test]
fn a_unit_that_is_down_keeps_its_tables_and_stops_no_rule() {
    let bench = Bench::guide(&[(13306, &["orders"]), (13307, &["logs"])]);
    let statement = "ALTER STORAGE UNIT ds_1 (HOST='127.0.0.1', PORT=13307, DB='sbtest', USER='test')";
    bench.ok(statement);
    // The account of `ds_0` is no longer good.
    bench
        .admin
        .commit(|snapshot| {
            let mut spec = snapshot.database("db").unwrap().units["ds_0"].spec.clone();
            spec.password = "wrong".into();
            snapshot.alter_units("db", vec![("ds_0".into(), spec)])
        })
        .unwrap();
    bench.ok(RULE);
    assert_eq!(bench.singles(), ["ds_0.orders", "ds_1.logs"]);
}

#[test]
fn learns_where_tables_are_and_how_they_look() {
    let bench = Bench::guide(&[]);
    bench.ok(RULE);
    let learn = |names: &[&str]| {
        let names: Vec<_> = names.iter().map(|name| (*name).to_owned()).collect();
        block(bench.admin.learn("db", &names))
    };
    bench.admin.servers.tables.borrow_mut().insert(13308, vec!["t_user_2", "New"]);
    learn(&["T_USER", "New", "none"]).unwrap();
    let database = bench.database();
    let sharded = database.table("t_user").unwrap();
    assert_eq!((sharded.name.as_str(), &sharded.source, sharded.columns.len()), ("t_user", &None, 1));
    assert_eq!(bench.singles(), ["ds_2.New"]);
    let epoch = bench.admin.published.load().epoch;
    learn(&["new"]).unwrap();
    assert_eq!(bench.admin.published.load().epoch, epoch, "nothing new, no new plans");
    bench.admin.servers.tables.borrow_mut().insert(13308, vec!["NEW"]);
    learn(&["New", "NEW"]).unwrap();
    assert_eq!(bench.singles(), ["ds_2.NEW"], "renamed");
    bench.admin.servers.tables.borrow_mut().clear();
    learn(&["new"]).unwrap();
    assert!(bench.singles().is_empty());
    let error = block(bench.admin.learn("x", &[])).unwrap_err();
    assert_eq!(error.code, 1049);
}

#[test]
fn what_cannot_be_stored_is_not_published() {
    let bench = Bench::guide(&[]);
    let file = bench.folder.path().join("databases/db.json");
    std::fs::remove_file(&file).unwrap();
    std::fs::create_dir(&file).unwrap();
    let refusal = bench.refusal(RULE);
    assert!(refusal.starts_with("30000 (HY000): Unknown exception: "), "{refusal}");
    assert!(refusal.contains("db.json"), "{refusal}");
}

#[test]
fn sets_variables_for_good() {
    let bench = Bench::guide(&[]);
    bench.ok("SET DIST VARIABLE SQL_SHOW = true");
    bench.ok("SET VARIABLE proxy_frontend_max_connections = 5");
    bench.ok("SET DIST VARIABLE transaction_type = local");
    let bench = bench.restart();
    assert_eq!(
        bench.rows("SHOW DIST VARIABLE WHERE NAME = sql_show"),
        ["variable_name|variable_value", "sql_show|true"]
    );
    assert_eq!(
        bench.rows("SHOW VARIABLE proxy_frontend_max_connections")[1],
        "proxy_frontend_max_connections|5"
    );
    for (text, message) in [
        ("SET DIST VARIABLE sql_show = 1", "11000 (HY004): Invalid value `1`."),
        ("SET DIST VARIABLE nothing = 1", "12010 (42000): Can not support variable `nothing`."),
        (
            "SET DIST VARIABLE cached_connections = 1",
            "12010 (42000): Can not support variable `cached_connections`.",
        ),
        (
            "SET DIST VARIABLE transaction_type = X",
            "12010 (42000): Can not support variable `transaction_type`.",
        ),
        (
            "SET DIST VARIABLE transaction_type = XA",
            "30001 (0A000): Unsupported SQL operation: transaction_type = XA is not supported yet",
        ),
        ("SHOW DIST VARIABLE WHERE NAME = nothing", "12010 (42000): Can not support variable `nothing`."),
    ] {
        assert_eq!(bench.refusal(text), message);
    }
}
