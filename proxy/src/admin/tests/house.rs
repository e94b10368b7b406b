//! The proxy as a whole, and what it knows of tables.

use super::*;

#[test]
fn shows_the_one_compute_node() {
    let bench = Bench::new();
    let head = "instance_id|host|port|status|mode_type|worker_id|labels";
    bench.admin.listens("10.0.0.7:3307".parse().unwrap());
    let row = "10.0.0.7@3307|10.0.0.7|3307|OK|Standalone|0|";
    assert_eq!(bench.rows("SHOW COMPUTE NODES"), [head, row]);
    assert_eq!(bench.rows("SHOW COMPUTE NODE INFO"), [head, row]);
    assert_eq!(bench.rows("SHOW COMPUTE NODE MODE"), ["type|repository|props", "Standalone|File|"]);
}

#[test]
fn shows_rules_of_the_proxy_as_a_whole() {
    let folder = tempfile::tempdir().unwrap();
    let text = "authority:\n  users:\n    - {user: root@%, password: a}\n    - {user: sharding@10.0.0.1, \
                password: b}\n  privilege: {type: DATABASE_PERMITTED, props: {user-database-mappings: root@%=*}}\n";
    let config = Config::parse(text, Path::new("server.yaml")).unwrap();
    let admin = Admin::open(folder.path(), &config, Book::default()).unwrap();
    let bench = Bench { admin, folder };
    assert_eq!(
        bench.rows("SHOW AUTHORITY RULE"),
        ["users|provider|props", "sharding@10.0.0.1; root@%|DATABASE_PERMITTED|"]
    );
    assert_eq!(bench.rows("SHOW TRANSACTION RULE"), ["default_type|provider_type|props", "LOCAL||"]);
    assert_eq!(
        bench.rows("SHOW SQL_PARSER RULE"),
        [
            "sql_comment_parse_enable|parse_tree_cache|sql_statement_cache",
            "true|initialCapacity: 128, maximumSize: 1024|initialCapacity: 2000, maximumSize: 65535"
        ]
    );
}

#[test]
fn lists_logical_tables() {
    let bench = Bench::guide(&[(13306, &["orders", "t_user_0"]), (13307, &["logs", "t_user_1"])]);
    bench.ok(
        "CREATE SHARDING TABLE RULE T_user (STORAGE_UNITS(ds_0, ds_1), SHARDING_COLUMN=id, TYPE(NAME=MOD, \
              PROPERTIES('sharding-count'=2)))",
    );
    assert_eq!(bench.rows("SHOW LOGICAL TABLES"), ["Tables_in_db", "T_user", "logs", "orders"]);
    assert_eq!(
        bench.rows("SHOW FULL LOGICAL TABLES FROM db LIKE '%s'"),
        ["Tables_in_db|Table_type", "logs|BASE TABLE", "orders|BASE TABLE"]
    );
}

#[test]
fn shows_the_columns_that_clients_see() {
    let bench = Bench::guide(&[(13306, &["orders"])]);
    let head = "schema_name|table_name|type|name";
    assert_eq!(bench.rows("SHOW TABLE METADATA orders, none"), [head, "db|orders|COLUMN|id"]);
    bench.ok("CREATE ENCRYPT RULE orders (COLUMNS((NAME=number, CIPHER=id, TYPE(NAME='MD5'))))");
    assert_eq!(bench.rows("SHOW TABLE METADATA orders FROM db"), [head, "db|orders|COLUMN|number"]);
}

#[test]
fn looks_at_tables_again() {
    let bench = Bench::guide(&[(13306, &["orders"])]);
    bench.admin.servers.tables.borrow_mut().insert(13307, vec!["fresh"]);
    bench.ok("REFRESH TABLE METADATA");
    assert_eq!(bench.singles(), ["ds_0.orders", "ds_1.fresh"]);
    bench.admin.servers.tables.borrow_mut().remove(&13306);
    bench.ok("REFRESH TABLE METADATA orders FROM STORAGE UNIT ds_0");
    assert_eq!(bench.singles(), ["ds_1.fresh"]);
    assert_eq!(
        bench.refusal("REFRESH TABLE METADATA orders FROM STORAGE UNIT x"),
        "19001 (44000): Storage units `[x]` do not exist in database `db`."
    );
}
