//! A database of shadow rules: one over units whose databases are not called alike, one over a readwrite-splitting group
//! and its shadow group, and tables sharded over two more. `t_enc` is encrypted, `t_all` everything at once.

use meta::{
    AlgorithmSpec, EncryptColumnSpec, EncryptTableSpec, MaskColumnSpec, MaskTableSpec, Otherwise,
    ReadwriteSpec, ShadowDefault, ShadowDraft, ShadowPair, Snapshot,
};

use super::{rule, table, unit};

/// Adds `shadow_db`.
pub(crate) fn add(snapshot: Snapshot) -> Snapshot {
    let names = ["ds", "ds_shadow", "w", "r", "sw", "sr", "p_0", "p_1", "s_0", "s_1"];
    let units = names
        .iter()
        .enumerate()
        .map(|(number, name)| ((*name).to_owned(), unit(number, &format!("of_{name}"))));
    let groups = vec![group("rw", "w", "r"), group("rw_shadow", "sw", "sr")];
    let guide = vec![value("insert", "1"), hint("SIMPLE_HINT", &[("shadow", "true")])];
    let every = || ["insert", "select", "update", "delete"].map(|operation| value(operation, "1")).to_vec();
    let regex =
        algorithm("REGEX_MATCH", &[("operation", "select"), ("column", "name"), ("regex", "test.*|load")]);
    let rules = vec![
        draft(
            ["guide", "ds", "ds_shadow"],
            &[("t_user", guide), ("t_every", every()), ("t_regex", vec![regex]), ("t_enc", phone())],
        ),
        draft(
            ["over_rw", "rw", "rw_shadow"],
            &[("t_rw", [every(), vec![hint("SQL_HINT", &[])]].concat()), ("t_all", phone())],
        ),
        draft(["r_0", "p_0", "s_0"], &[("t_shard", every())]),
        draft(["r_1", "p_1", "s_1"], &[("t_shard", vec![hint("SQL_HINT", &[])])]),
    ];
    let columns = &["id bigint", "name varchar utf8mb4_0900_ai_ci", "status int"][..];
    let encrypted = &["id bigint", "phone_cipher varchar utf8mb4_bin", "email varchar utf8mb4_bin"][..];
    let tables = vec![
        table("t_user", Some("guide"), columns),
        table("t_every", Some("guide"), columns),
        table("t_regex", Some("guide"), columns),
        table("t_plain", Some("guide"), &["id bigint", "n int"]),
        table("t_rw", Some("over_rw"), columns),
        table("t_shard", None, columns),
        table("t_enc", Some("guide"), encrypted),
        table("t_all", None, encrypted),
    ];
    let count = [("sharding-count", "4")];
    let sharded = vec![
        rule("t_shard", &["r_0", "r_1"], "id", &count),
        rule("t_all", &["over_rw", "r_1"], "id", &count),
    ];
    let default = ShadowDefault::Type(hint("SIMPLE_HINT", &[("all", "yes")]));
    snapshot
        .create_database("shadow_db", Otherwise::Fail)
        .and_then(|it| it.register_units("shadow_db", units.collect(), Otherwise::Fail))
        .and_then(|it| it.create_readwrite("shadow_db", groups, Otherwise::Fail))
        .and_then(|it| it.create_shadow("shadow_db", rules, Otherwise::Fail))
        .and_then(|it| it.create_default_shadow("shadow_db", default, Otherwise::Fail))
        .and_then(|it| it.create_sharding("shadow_db", sharded, Otherwise::Fail))
        .and_then(|it| {
            it.create_encrypt("shadow_db", vec![cipher("t_enc"), cipher("t_all")], Otherwise::Fail)
        })
        .and_then(|it| it.create_mask("shadow_db", vec![mask("t_all")], Otherwise::Fail))
        .and_then(|it| it.learn_tables("shadow_db", tables))
        .unwrap()
}

/// What tells test traffic by a column that is encrypted.
fn phone() -> Vec<AlgorithmSpec> {
    let of = |operation| {
        algorithm("VALUE_MATCH", &[("operation", operation), ("column", "phone"), ("value", "13800001111")])
    };
    ["insert", "select", "update", "delete"].map(of).to_vec()
}

fn cipher(table: &str) -> EncryptTableSpec {
    let column = EncryptColumnSpec {
        name: "phone".to_owned(),
        cipher: "phone_cipher".to_owned(),
        encryptor: algorithm("AES", &[("aes-key-value", "123456abc")]),
        ..EncryptColumnSpec::default()
    };
    EncryptTableSpec { name: table.to_owned(), columns: vec![column], query_with_cipher: None }
}

fn mask(table: &str) -> MaskTableSpec {
    let algorithm = algorithm("MD5", &[]);
    MaskTableSpec {
        name: table.to_owned(),
        columns: vec![MaskColumnSpec { name: "email".to_owned(), algorithm }],
    }
}

fn group(name: &str, write: &str, read: &str) -> ReadwriteSpec {
    let (name, write) = (name.to_owned(), write.to_owned());
    ReadwriteSpec { name, write, reads: vec![read.to_owned()], ..ReadwriteSpec::default() }
}

fn algorithm(kind: &str, properties: &[(&str, &str)]) -> AlgorithmSpec {
    let properties = properties.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    AlgorithmSpec { kind: kind.to_owned(), properties: properties.collect() }
}

fn value(operation: &str, value: &str) -> AlgorithmSpec {
    algorithm("VALUE_MATCH", &[("operation", operation), ("column", "status"), ("value", value)])
}

fn hint(kind: &str, properties: &[(&str, &str)]) -> AlgorithmSpec {
    algorithm(kind, properties)
}

fn draft(pair: [&str; 3], tables: &[(&str, Vec<AlgorithmSpec>)]) -> ShadowDraft {
    let [name, source, shadow] = pair.map(str::to_owned);
    let tables = tables.iter().map(|(name, algorithms)| {
        ((*name).to_owned(), algorithms.iter().map(|algorithm| (None, algorithm.clone())).collect())
    });
    ShadowDraft { pair: ShadowPair { name, source, shadow }, tables: tables.collect() }
}
