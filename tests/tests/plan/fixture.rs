//! The databases that golden plans are made against.

#[path = "composed.rs"]
mod composed;
#[path = "encrypted.rs"]
mod encrypted;
#[path = "nodes.rs"]
mod nodes;
#[path = "replicated.rs"]
mod replicated;
#[path = "shadowed.rs"]
mod shadowed;

use std::sync::LazyLock;

use meta::{AlgorithmSpec, Otherwise, ShardingTableSpec, Snapshot, Table, TableColumn, UnitSpec};

/// Of `nodes` (see there), `sharding_db` (four units), `plain` (one unit, other physical name) and `same` (one unit of its own name).
pub(crate) fn snapshot() -> &'static Snapshot {
    static SNAPSHOT: LazyLock<Snapshot> = LazyLock::new(build);
    &SNAPSHOT
}

const DAYS: [(&str, &str); 3] = [
    ("datetime-lower", "2024-01-01 00:00:00"),
    ("datetime-upper", "2024-01-04 00:00:00"),
    ("sharding-seconds", "86400"),
];

fn build() -> Snapshot {
    let mut snapshot = Snapshot::load(vec![nodes::spec()]).unwrap();
    for (database, units, physical) in [
        ("sharding_db", &["ds_0", "ds_1", "ds_2", "ds_3"][..], "sbtest"),
        ("plain", &["ds"][..], "phys"),
        ("same", &["ds"][..], "same"),
        ("empty", &[][..], ""),
    ] {
        snapshot = snapshot.create_database(database, Otherwise::Fail).unwrap();
        if !units.is_empty() {
            let units =
                units.iter().enumerate().map(|(number, name)| ((*name).to_owned(), unit(number, physical)));
            snapshot = snapshot.register_units(database, units.collect(), Otherwise::Fail).unwrap();
        }
    }
    let four = &["ds_0", "ds_1", "ds_2", "ds_3"][..];
    let rules = vec![
        rule("t_user", four, "id", &[("sharding-count", "10")]),
        rule("t_order", four, "user_id", &[("sharding-count", "10")]),
        rule("t_log", four, "id", &[("sharding-count", "3")]),
        rule("t_text", four, "code", &[("sharding-count", "10")]),
        rule("t_cut", four, "code", &[("sharding-count", "10"), ("start-offset", "1"), ("stop-offset", "1")]),
        rule("t_auto", four, "id", &[("sharding-count", "4")]),
        rule("t_big", four, "id", &[("sharding-count", "10")]),
        rule("t_exact", four, "id", &[("sharding-count", "10")]),
        rule("t_one", &["ds_1"], "id", &[("sharding-count", "1")]),
        rule("t_new", four, "id", &[("sharding-count", "4")]),
        auto("t_hash", four, "id", "HASH_MOD", &[("sharding-count", "4")]),
        auto("t_name", four, "name", "HASH_MOD", &[("sharding-count", "4")]),
        auto("t_code", four, "code", "hash_mod", &[("sharding-count", "4")]),
        auto(
            "t_volume",
            four,
            "id",
            "VOLUME_RANGE",
            &[("range-lower", "10"), ("range-upper", "45"), ("sharding-volume", "10")],
        ),
        auto("t_bound", four, "id", "BOUNDARY_RANGE", &[("sharding-ranges", "1,5,10,15,20")]),
        auto("t_days", four, "at", "AUTO_INTERVAL", &DAYS),
        auto("t_dates", four, "at", "AUTO_INTERVAL", &DAYS),
        auto("t_stamps", four, "at", "AUTO_INTERVAL", &DAYS),
    ];
    snapshot = snapshot.create_sharding("sharding_db", rules, Otherwise::Fail).unwrap();
    snapshot = snapshot.learn_tables("nodes", nodes::tables()).unwrap();
    let snapshot = snapshot.learn_tables("sharding_db", tables()).unwrap();
    composed::add(shadowed::add(replicated::add(encrypted::add(snapshot))))
}

fn tables() -> Vec<Table> {
    vec![
        table(
            "t_user",
            None,
            &[
                "id bigint",
                "name varchar utf8mb4_0900_ai_ci",
                "pad char utf8mb4_0900_ai_ci",
                "note text utf8mb4_general_ci",
                "age int",
                "score float",
                "amount decimal",
                "kind enum utf8mb4_0900_ai_ci",
                "created datetime",
                "doc json",
                "raw varbinary",
            ],
        ),
        table("t_order", None, &["id bigint", "user_id bigint", "amount decimal"]),
        table("t_log", None, &["id bigint", "line text utf8mb4_0900_ai_ci"]),
        table("t_text", None, &["code varchar utf8mb4_0900_ai_ci", "n int"]),
        table("t_cut", None, &["code varchar utf8mb4_0900_ai_ci", "n int"]),
        table("t_auto", None, &["id bigint auto_increment", "n int"]),
        table("t_big", None, &["id bigint unsigned", "n int"]),
        table("t_exact", None, &["id decimal", "n int"]),
        table("t_one", None, &["id bigint", "n int"]),
        table("t_hash", None, &["id bigint", "n int"]),
        table("t_name", None, &["name varchar utf8mb4_0900_ai_ci", "n int"]),
        table("t_code", None, &["code varchar utf8mb4_bin", "n int"]),
        table("t_volume", None, &["id bigint", "n int"]),
        table("t_bound", None, &["id int", "n int"]),
        table("t_days", None, &["at datetime", "n int"]),
        table("t_dates", None, &["at date", "n int"]),
        table("t_stamps", None, &["at varchar utf8mb4_0900_ai_ci", "n int"]),
        table("t_single", Some("ds_1"), &["id bigint", "n int"]),
        table("t_near", Some("ds_1"), &["id bigint", "user_id bigint"]),
        table("t_other", Some("ds_2"), &["id bigint", "n int"]),
    ]
}

pub(crate) fn unit(number: usize, physical: &str) -> UnitSpec {
    serde_json::from_value(serde_json::json!({
        "host": "127.0.0.1",
        "port": 13306 + number,
        "database": physical,
        "user": "test",
    }))
    .unwrap()
}

pub(crate) fn rule(
    name: &str,
    units: &[&str],
    column: &str,
    properties: &[(&str, &str)],
) -> ShardingTableSpec {
    auto(name, units, column, "MOD", properties)
}

fn auto(
    name: &str,
    units: &[&str],
    column: &str,
    kind: &str,
    properties: &[(&str, &str)],
) -> ShardingTableSpec {
    let properties = properties.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    ShardingTableSpec::auto(
        name.to_owned(),
        units.iter().map(|unit| (*unit).to_owned()).collect(),
        column.to_owned(),
        AlgorithmSpec { kind: kind.to_owned(), properties: properties.collect() },
    )
}

/// Columns as `name type [collation|unsigned|auto_increment]`.
pub(crate) fn table(name: &str, unit: Option<&str>, columns: &[&str]) -> Table {
    let column = |text: &&str| {
        let mut words = text.split(' ');
        let (name, data_type) = (words.next().unwrap(), words.next().unwrap());
        let last = words.next();
        TableColumn {
            name: name.to_owned(),
            data_type: data_type.to_owned(),
            collation: last.filter(|word| word.contains("_ci") || word.ends_with("_bin")).map(str::to_owned),
            auto_increment: last == Some("auto_increment"),
            unsigned: last == Some("unsigned"),
            limit: None,
        }
    };
    Table {
        name: name.to_owned(),
        source: unit.map(str::to_owned),
        columns: columns.iter().map(column).collect(),
    }
}
