//! Columns and rows of queries.

use super::*;

fn ruled() -> Bench {
    let bench = Bench::guide(&[(13306, &["orders"])]);
    bench.ok(
        "CREATE SHARDING TABLE RULE t_user (STORAGE_UNITS(ds_0, ds_1), SHARDING_COLUMN=id, TYPE(NAME=\"MOD\", \
         PROPERTIES(\"sharding-count\"=3, \"start-offset\"=1))), \
         T_order (STORAGE_UNITS(\"ds_${2..3}\"), SHARDING_COLUMN=uid, TYPE(NAME=\"MOD\", \
         PROPERTIES(\"sharding-count\"=2)))",
    );
    bench
}

#[test]
fn shows_storage_units() {
    let bench = ruled();
    let head = "name|type|host|port|db|connection_timeout_milliseconds|idle_timeout_milliseconds|\
                max_lifetime_milliseconds|max_pool_size|min_pool_size|read_only|other_attributes";
    assert_eq!(
        bench.rows("SHOW STORAGE UNITS"),
        [
            head,
            "ds_0|MySQL|127.0.0.1|13306|sbtest|30000|60000|2100000|50|1|false|",
            "ds_1|MySQL|127.0.0.1|13307|sbtest|30000|60000|2100000|50|1|false|",
            "ds_2|MySQL|127.0.0.1|13308|sbtest|30000|60000|2100000|50|1|false|",
            "ds_3|MySQL|127.0.0.1|13309|sbtest|30000|60000|2100000|10|1|false|{\"x\":\"y\"}",
        ]
    );
    let names = |text: &str| -> Vec<_> {
        let rows = bench.rows(text).into_iter().skip(1);
        rows.map(|row| row.split('|').next().unwrap_or_default().to_owned()).collect()
    };
    assert_eq!(names("SHOW STORAGE UNITS FROM db LIKE '%_1'"), ["ds_1"]);
    assert_eq!(names("SHOW STORAGE UNITS WHERE USAGE_COUNT = 2"), ["ds_0"]);
    assert_eq!(names("SHOW STORAGE UNITS WHERE USAGE_COUNT = 1"), ["ds_1", "ds_2", "ds_3"]);
    bench.ok("DROP SHARDING TABLE RULE t_order");
    assert_eq!(names("SHOW UNUSED RESOURCES"), ["ds_2", "ds_3"]);
}

#[test]
fn shows_attributes_without_a_column_of_their_own() {
    let bench = ruled();
    bench.ok(
        "REGISTER STORAGE UNIT e (URL=\"jdbc:mysql://h/d?sslMode=REQUIRED&serverTimezone=UTC\", USER='u', \
         PROPERTIES('keepaliveTime'=30000, 'maximumActive'=4, 'readOnly'=true))",
    );
    assert_eq!(
        bench.rows("SHOW STORAGE UNITS LIKE 'e'")[1],
        "e|MySQL|h|3306|d|30000|60000|2100000|50|1|true|{\"keepaliveTime\":\"30000\",\"maximumActive\":\"4\",\"serverTimezone\":\"UTC\",\
         \"sslMode\":\"REQUIRED\"}"
    );
}

#[test]
fn shows_the_pools_of_units_that_were_used() {
    let bench = ruled();
    let head = "name|active|idle|waiting|active_limit|max_pool_size|opened|closed|failed|waits|waits_in_vain|\
                wait_mean_milliseconds|wait_p50_milliseconds|wait_p99_milliseconds";
    let ds_0 = "ds_0|4|2|250|5|50|9|3|1|0|7|0.000|0.000|0.000";
    assert_eq!(bench.rows("SHOW STORAGE UNIT POOLS"), [head, ds_0]);
    assert_eq!(bench.rows("SHOW STORAGE UNIT POOLS FROM db LIKE '%_0'"), [head, ds_0]);
    assert_eq!(bench.rows("SHOW STORAGE UNIT POOLS LIKE '%_1'"), [head]);
}

#[test]
fn shows_what_uses_a_unit() {
    let bench = ruled();
    assert_eq!(bench.rows("SHOW RULES USED STORAGE UNIT ds_0"), ["type|name", "sharding|t_user"]);
    assert_eq!(bench.rows("SHOW RULES USED RESOURCE ds_3 FROM db"), ["type|name", "sharding|T_order"]);
    assert_eq!(
        bench.refusal("SHOW RULES USED STORAGE UNIT x"),
        "19001 (44000): Storage units `[x]` do not exist in database `db`."
    );
}

#[test]
fn shows_sharding_rules() {
    let bench = ruled();
    let head = "table|actual_data_nodes|actual_data_sources|database_strategy_type|database_sharding_column|\
                database_sharding_algorithm_type|database_sharding_algorithm_props|table_strategy_type|\
                table_sharding_column|table_sharding_algorithm_type|table_sharding_algorithm_props|\
                key_generate_column|key_generator_type|key_generator_props|auditor_types|allow_hint_disable";
    let user = "t_user||ds_0,ds_1|||||mod|id|mod|sharding-count=3,start-offset=1|||||";
    let order = "T_order||ds_${2..3}|||||mod|uid|mod|sharding-count=2|||||";
    assert_eq!(bench.rows("SHOW SHARDING TABLE RULES"), [head, user, order]);
    assert_eq!(bench.rows("SHOW SHARDING TABLE RULE T_USER FROM db"), [head, user]);
    assert_eq!(bench.rows("SHOW SHARDING TABLE RULE x"), [head]);
}

#[test]
fn shows_nodes_algorithms_and_counts() {
    let bench = ruled();
    let user = "t_user|ds_0.t_user_0, ds_1.t_user_1, ds_0.t_user_2";
    let order = "T_order|ds_2.T_order_0, ds_3.T_order_1";
    assert_eq!(bench.rows("SHOW SHARDING TABLE NODES"), ["name|nodes", user, order]);
    assert_eq!(bench.rows("SHOW SHARDING TABLE NODES t_order"), ["name|nodes", order]);
    assert_eq!(
        bench.rows("SHOW SHARDING ALGORITHMS"),
        [
            "name|type|props",
            "t_user_mod|mod|sharding-count=3,start-offset=1",
            "t_order_mod|mod|sharding-count=2"
        ]
    );
    assert_eq!(
        bench.rows("COUNT SHARDING RULE"),
        [
            "rule_name|database|count",
            "sharding_table|db|2",
            "sharding_table_reference|db|0",
            "broadcast_table|db|0"
        ]
    );
}

#[test]
fn shows_all_variables() {
    let bench = ruled();
    let rows = bench.rows("SHOW DIST VARIABLES");
    assert_eq!(rows[0], "variable_name|variable_value");
    for row in ["sql_show|false", "proxy_default_port|3307", "agent_plugins_enabled|true"] {
        assert!(rows.iter().any(|it| it == row), "{row}");
    }
    assert_eq!(rows[rows.len() - 2..], ["cached_connections|0", "transaction_type|LOCAL"]);
    assert_eq!(
        bench.rows("SHOW DIST VARIABLES LIKE 'sql%'"),
        [
            "variable_name|variable_value",
            "sql_show|false",
            "sql_simple|false",
            "sql_federation_type|NONE",
            "sql_audit|"
        ]
    );
}

#[test]
fn leaves_previews_to_sessions() {
    let bench = ruled();
    assert_eq!(
        bench.refusal("PREVIEW SELECT 1"),
        "30001 (0A000): Unsupported SQL operation: PREVIEW without a session"
    );
}
