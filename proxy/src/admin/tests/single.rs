//! Statements about single tables.

use super::*;

fn guide() -> Bench {
    Bench::guide(&[(13306, &["Orders", "users"]), (13307, &["orders", "logs"]), (13308, &["t_user_2"])])
}

#[test]
fn shows_single_tables_by_name() {
    let bench = guide();
    let header = "table_name|storage_unit_name";
    assert_eq!(
        bench.rows("SHOW SINGLE TABLES"),
        [header, "Orders|ds_0", "logs|ds_1", "t_user_2|ds_2", "users|ds_0"]
    );
    assert_eq!(bench.rows("SHOW SINGLE TABLES LIKE '%o%s'"), [header, "Orders|ds_0", "logs|ds_1"]);
    assert_eq!(bench.rows("SHOW SINGLE TABLE orders"), [header, "Orders|ds_0"]);
    assert_eq!(bench.rows("SHOW SINGLE TABLE x FROM db"), [header]);
    let count = ["rule_name|database|count", "single_table|db|4"];
    assert_eq!(bench.rows("COUNT SINGLE TABLE"), count);
    assert_eq!(bench.rows("COUNT SINGLE_TABLE RULE FROM db"), count);
    // Made beside the proxy.
    bench.admin.servers.tables.borrow_mut().insert(13309, vec!["fresh"]);
    assert_eq!(bench.rows("SHOW SINGLE TABLE fresh"), [header, "fresh|ds_3"]);
}

#[test]
fn keeps_the_default_unit_of_new_tables() {
    let bench = guide();
    let shown = |bench: &Bench| bench.rows("SHOW DEFAULT SINGLE TABLE STORAGE UNIT").remove(1);
    let default = |bench: &Bench| {
        let database = bench.database();
        database.sources.name(database.default_source().unwrap()).unwrap().to_owned()
    };
    assert_eq!((shown(&bench), default(&bench)), ("RANDOM".to_owned(), "ds_0".to_owned()));
    bench.ok("SET DEFAULT SINGLE TABLE STORAGE UNIT = ds_2");
    let bench = bench.restart();
    assert_eq!((shown(&bench), default(&bench)), ("ds_2".to_owned(), "ds_2".to_owned()));
    assert_eq!(
        bench.refusal("UNREGISTER STORAGE UNIT ds_2"),
        "19003 (44000): Resource `ds_2` is still used by `[SingleTableRule]`."
    );
    bench.ok("ALTER DEFAULT SINGLE TABLE RULE RESOURCE = ds_3");
    assert_eq!(shown(&bench), "ds_3");
    bench.ok("DROP DEFAULT SINGLE TABLE RULE");
    assert_eq!(shown(&bench), "RANDOM");
    bench.ok("CREATE DEFAULT SINGLE TABLE RULE RESOURCE = ds_1");
    bench.ok("SET DEFAULT SINGLE TABLE STORAGE UNIT = RANDOM");
    assert_eq!(shown(&bench), "RANDOM");
    assert_eq!(
        bench.refusal("SET DEFAULT SINGLE TABLE STORAGE UNIT = x"),
        "19001 (44000): Storage units `[x]` do not exist in database `db`."
    );
    bench.ok("CREATE SHADOW RULE r (SOURCE=ds_0, SHADOW=ds_1, t(TYPE(NAME=SQL_HINT)))");
    assert_eq!(
        bench.refusal("SET DEFAULT SINGLE TABLE STORAGE UNIT = ds_0"),
        "19100 (44000): Invalid single rule `ds_0`, error message is: its tables are those of shadow rule `r`"
    );
    bench.ok("SET DEFAULT SINGLE TABLE STORAGE UNIT = r");
}

#[test]
fn unloaded_tables_are_not_seen_until_they_are_loaded() {
    let bench = guide();
    bench.ok("UNLOAD SINGLE TABLE ORDERS");
    assert_eq!(bench.singles(), ["ds_0.users", "ds_1.logs", "ds_2.t_user_2"]);
    let unloaded = ["table_name|storage_unit_name", "Orders|ds_0", "orders|ds_1"];
    assert_eq!(bench.rows("SHOW UNLOADED SINGLE TABLES"), unloaded);
    let bench = bench.restart();
    block(bench.admin.refresh_all());
    block(bench.admin.learn("db", &["orders".to_owned()])).unwrap();
    assert_eq!(bench.singles(), ["ds_0.users", "ds_1.logs", "ds_2.t_user_2"]);
    assert_eq!(
        bench.rows("SHOW UNLOADED SINGLE TABLES FROM db STORAGE UNIT ds_1"),
        [unloaded[0], unloaded[2]]
    );
    bench.ok("LOAD SINGLE TABLE ds_1.orders");
    assert_eq!(bench.singles(), ["ds_0.users", "ds_1.logs", "ds_1.orders", "ds_2.t_user_2"]);
    bench.ok("UNLOAD ALL SINGLE TABLES");
    assert!(bench.singles().is_empty());
    bench.ok("LOAD SINGLE TABLE ds_2.*");
    assert_eq!(bench.singles(), ["ds_2.t_user_2"]);
    bench.ok("LOAD SINGLE TABLE *.*");
    assert_eq!(bench.singles(), ["ds_0.Orders", "ds_0.users", "ds_1.logs", "ds_2.t_user_2"]);
    assert_eq!(bench.rows("SHOW UNLOADED SINGLE TABLES").len(), 1);
}

#[test]
fn what_is_gone_is_not_unloaded_any_more() {
    let bench = guide();
    bench.ok("UNLOAD SINGLE TABLE logs");
    bench.admin.servers.tables.borrow_mut().insert(13307, vec!["orders"]);
    assert_eq!(bench.rows("SHOW UNLOADED SINGLE TABLES").len(), 1);
    bench.admin.servers.tables.borrow_mut().insert(13307, vec!["orders", "logs"]);
    assert_eq!(bench.rows("SHOW SINGLE TABLE logs").len(), 2);
}

#[test]
fn refuses_tables_that_are_not_there_or_are_of_another_rule() {
    let bench = guide();
    bench.ok("CREATE SHARDING TABLE RULE t_user (STORAGE_UNITS(ds_2), SHARDING_COLUMN=id, TYPE(NAME=MOD, \
         PROPERTIES(\"sharding-count\"=4)))");
    for (text, refusal) in [
        ("UNLOAD SINGLE TABLE users, x", "10501 (42S02): Single table 'x' does not exist."),
        ("UNLOAD SINGLE TABLE t_user", "10501 (42S02): Single table 't_user' does not exist."),
        ("LOAD SINGLE TABLE ds_3.x", "10501 (42S02): Single table 'x' does not exist."),
        ("LOAD SINGLE TABLE x.*", "19001 (44000): Storage units `[x]` do not exist in database `db`."),
        (
            "LOAD SINGLE TABLE ds_2.t_user_2",
            "19100 (44000): Invalid single rule `t_user_2`, error message is: it belongs to a sharding rule",
        ),
        (
            "LOAD SINGLE TABLE ds_1.orders",
            "19100 (44000): Invalid single rule `orders`, error message is: it is loaded from `ds_0`",
        ),
    ] {
        assert_eq!(bench.refusal(text), refusal, "{text}");
    }
    bench.ok("LOAD SINGLE TABLE ds_0.users");
}
