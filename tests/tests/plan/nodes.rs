//! `nodes`: tables on data nodes under every kind of strategy, bound tables, broadcast tables, generated keys, audits.

use meta::{
    AlgorithmSpec, AuditSpec, BindingSpec, DatabaseSpec, KeyGenerateSpec, LayoutSpec, ShardingTableSpec,
    StrategyKind, StrategySpec, Table,
};

use super::{table, unit};

/// Units `ds_0` and `ds_1`.
pub(crate) fn spec() -> DatabaseSpec {
    DatabaseSpec {
        name: "nodes".to_owned(),
        units: ["ds_0", "ds_1"].iter().map(|name| ((*name).to_owned(), unit(0, "phys"))).collect(),
        sharding: sharding(),
        bindings: vec![BindingSpec { name: "ref".to_owned(), tables: names(&["t_order", "t_item"]) }],
        broadcast: names(&["t_config", "t_region"]),
        ..DatabaseSpec::default()
    }
}

pub(crate) fn tables() -> Vec<Table> {
    vec![
        table("t_order", None, &["order_id bigint", "user_id bigint", "note varchar utf8mb4_0900_ai_ci"]),
        table("t_item", None, &["item_id bigint", "order_id bigint", "user_id bigint", "n int"]),
        table("t_free", None, &["order_id bigint", "user_id bigint"]),
        table("t_padded", None, &["id bigint", "n int"]),
        table("t_month", None, &["at datetime", "n int"]),
        table("t_stamp", None, &["at timestamp", "n int"]),
        table("t_pair", None, &["a bigint", "b bigint", "n int"]),
        table("t_hint", None, &["id bigint", "n int"]),
        table("t_none", None, &["id bigint", "n int"]),
        table("t_wide", None, &["id bigint", "n int"]),
        table("t_odd", None, &["id bigint", "n int"]),
        table("t_word", None, &["word varchar utf8mb4_bin", "n int"]),
        table("t_snow", None, &["id bigint", "n int"]),
        table("t_late", None, &["id bigint", "n int"]),
        table("t_uuid", None, &["id char utf8mb4_0900_ai_ci", "n int"]),
        table("t_audit", None, &["id bigint", "n int"]),
        table("t_strict", None, &["id bigint", "n int"]),
        table("t_config", None, &["k int", "v int"]),
        table("t_region", None, &["k int", "v int"]),
        table("t_near", Some("ds_0"), &["id bigint", "order_id bigint"]),
        table("t_far", Some("ds_1"), &["id bigint"]),
    ]
}

fn sharding() -> Vec<ShardingTableSpec> {
    let by_user = || inline(&["user_id"], "ds_${user_id % 2}");
    let mut all = vec![
        on(
            "t_order",
            "ds_${0..1}.t_order_${0..1}",
            Some(by_user()),
            Some(inline(&["order_id"], "t_order_${order_id % 2}")),
        ),
        on(
            "t_item",
            "ds_${0..1}.t_item_${0..1}",
            Some(by_user()),
            Some(inline(&["order_id"], "t_item_${order_id % 2}")),
        ),
        on(
            "t_free",
            "ds_${0..1}.t_free_${0..1}",
            Some(by_user()),
            Some(inline(&["order_id"], "t_free_${order_id % 2}")),
        ),
        on(
            "t_padded",
            "ds_0.t_padded_0${0..3}",
            None,
            Some(standard("id", "MOD", &[("sharding-count", "4")])),
        ),
        months("t_month", "ds_${0..1}.t_month_20240${1..3}"),
        months("t_stamp", "ds_0.t_stamp_20240${1..3}"),
        on(
            "t_pair",
            "ds_0.t_pair_${0..1}_${0..2}",
            None,
            Some(strategy(
                StrategyKind::Complex,
                &["a", "b"],
                "COMPLEX_INLINE",
                &[("algorithm-expression", "t_pair_${a % 2}_${b % 3}")],
            )),
        ),
        on(
            "t_hint",
            "ds_${0..1}.t_hint_${0..1}",
            Some(strategy(
                StrategyKind::Hint,
                &[],
                "HINT_INLINE",
                &[("algorithm-expression", "ds_${value % 2}")],
            )),
            Some(strategy(
                StrategyKind::Hint,
                &[],
                "HINT_INLINE",
                &[("algorithm-expression", "t_hint_${value}")],
            )),
        ),
        on("t_none", "ds_${0..1}.t_none", Some(StrategySpec::default()), None),
        on(
            "t_wide",
            "ds_0.t_wide_${0..1}",
            None,
            Some(strategy(
                StrategyKind::Standard,
                &["id"],
                "INLINE",
                &[
                    ("algorithm-expression", "t_wide_${id % 2}"),
                    ("allow-range-query-with-inline-sharding", "true"),
                ],
            )),
        ),
        on("t_odd", "ds_0.t_odd_${0..1}", None, Some(inline(&["id"], "t_odd_${id % 3}"))),
        on(
            "t_word",
            "ds_0.t_word_${['a', 'b']}",
            None,
            Some(inline(&["word"], "t_word_${word.substring(0, 1)}")),
        ),
    ];
    all.push(keyed(auto("t_snow", "id"), "id", "SNOWFLAKE"));
    all.push(keyed(auto("t_late", "n"), "id", "SNOWFLAKE"));
    all.push(keyed(auto("t_uuid", "n"), "id", "UUID"));
    all.push(audited(auto("t_audit", "id"), true));
    all.push(audited(auto("t_strict", "id"), false));
    all
}

/// A table for each month, by `at`.
fn months(name: &str, nodes: &str) -> ShardingTableSpec {
    let properties = [
        ("datetime-pattern", "yyyy-MM-dd HH:mm:ss"),
        ("datetime-lower", "2024-01-01 00:00:00"),
        ("sharding-suffix-pattern", "yyyyMM"),
        ("datetime-interval-unit", "MONTHS"),
    ];
    on(name, nodes, None, Some(standard("at", "INTERVAL", &properties)))
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn algorithm(kind: &str, properties: &[(&str, &str)]) -> AlgorithmSpec {
    let properties = properties.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    AlgorithmSpec { kind: kind.to_owned(), properties: properties.collect() }
}

fn strategy(kind: StrategyKind, columns: &[&str], name: &str, properties: &[(&str, &str)]) -> StrategySpec {
    StrategySpec { kind, columns: names(columns), algorithm: Some(algorithm(name, properties)) }
}

fn standard(column: &str, name: &str, properties: &[(&str, &str)]) -> StrategySpec {
    strategy(StrategyKind::Standard, &[column], name, properties)
}

fn inline(columns: &[&str], expression: &str) -> StrategySpec {
    strategy(StrategyKind::Standard, columns, "INLINE", &[("algorithm-expression", expression)])
}

fn on(
    name: &str,
    nodes: &str,
    database: Option<StrategySpec>,
    table: Option<StrategySpec>,
) -> ShardingTableSpec {
    let layout = LayoutSpec::Nodes { nodes: vec![nodes.to_owned()], database, table };
    ShardingTableSpec { name: name.to_owned(), layout, key: None, audit: None }
}

fn auto(name: &str, column: &str) -> ShardingTableSpec {
    let algorithm = algorithm("MOD", &[("sharding-count", "4")]);
    ShardingTableSpec::auto(name.to_owned(), names(&["ds_0", "ds_1"]), column.to_owned(), algorithm)
}

fn keyed(table: ShardingTableSpec, column: &str, generator: &str) -> ShardingTableSpec {
    let key = KeyGenerateSpec { column: column.to_owned(), algorithm: algorithm(generator, &[]) };
    ShardingTableSpec { key: Some(key), ..table }
}

fn audited(table: ShardingTableSpec, allow_hint_disable: bool) -> ShardingTableSpec {
    let auditors = [("check".to_owned(), algorithm("DML_SHARDING_CONDITIONS", &[]))];
    let audit = AuditSpec { auditors: auditors.into_iter().collect(), allow_hint_disable };
    ShardingTableSpec { audit: Some(audit), ..table }
}
