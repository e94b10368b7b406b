//! A database in which rules stand on each other: every pair of kinds on a table of its own, and all of them on `t_all`.

use meta::{
    AlgorithmSpec, EncryptColumnSpec, EncryptTableSpec, MaskColumnSpec, MaskTableSpec, Otherwise,
    ReadwriteSpec, ShadowDraft, ShadowPair, Snapshot,
};

use super::{rule, table, unit};

/// Units of the database, each with a physical database of its own name.
const UNITS: [&str; 11] = ["w", "r", "ds", "ds_test", "w_0", "r_0", "s_0", "w_1", "r_1", "s_1", "one"];

const COLUMNS: [&str; 5] = [
    "id bigint",
    "phone_cipher varchar utf8mb4_bin",
    "phone_digest varchar utf8mb4_bin",
    "email varchar utf8mb4_bin",
    "status int",
];

/// Adds `composed`.
pub(crate) fn add(snapshot: Snapshot) -> Snapshot {
    let name = "composed";
    let units = UNITS.iter().enumerate().map(|(number, name)| ((*name).to_owned(), unit(number, name)));
    let groups = [("rw", "w", "r"), ("rw_0", "w_0", "r_0"), ("rw_1", "w_1", "r_1")];
    let groups = groups.map(|(name, write, read)| ReadwriteSpec {
        name: name.to_owned(),
        write: write.to_owned(),
        reads: vec![read.to_owned()],
        ..ReadwriteSpec::default()
    });
    let shadows = vec![
        shadow(["sh", "ds", "ds_test"], &["shadow_encrypt", "shadow_mask"]),
        shadow(["all_0", "rw_0", "s_0"], &["t_all"]),
        shadow(["all_1", "rw_1", "s_1"], &["t_all"]),
    ];
    let four = [("sharding-count", "4")];
    let sharded = vec![
        rule("t_all", &["all_0", "all_1"], "id", &four),
        rule("sharding_mask", &["one"], "id", &four),
        rule("sharding_encrypt", &["one"], "id", &four),
    ];
    let encrypted =
        ["readwrite_encrypt", "shadow_encrypt", "sharding_encrypt", "encrypt_mask", "t_all"].map(encrypt);
    let masked = ["readwrite_mask", "shadow_mask", "sharding_mask", "encrypt_mask", "t_all"].map(mask);
    let homes = [
        ("readwrite_encrypt", Some("rw")),
        ("readwrite_mask", Some("rw")),
        ("shadow_encrypt", Some("sh")),
        ("shadow_mask", Some("sh")),
        ("encrypt_mask", Some("one")),
        ("sharding_encrypt", None),
        ("sharding_mask", None),
        ("t_all", None),
    ];
    let tables = homes.iter().map(|(name, home)| table(name, *home, &COLUMNS)).collect();
    snapshot
        .create_database(name, Otherwise::Fail)
        .and_then(|it| it.register_units(name, units.collect(), Otherwise::Fail))
        .and_then(|it| it.create_readwrite(name, groups.into(), Otherwise::Fail))
        .and_then(|it| it.create_shadow(name, shadows, Otherwise::Fail))
        .and_then(|it| it.create_sharding(name, sharded, Otherwise::Fail))
        .and_then(|it| it.create_encrypt(name, encrypted.into(), Otherwise::Fail))
        .and_then(|it| it.create_mask(name, masked.into(), Otherwise::Fail))
        .and_then(|it| it.learn_tables(name, tables))
        .unwrap()
}

fn algorithm(kind: &str, properties: &[(&str, &str)]) -> AlgorithmSpec {
    let properties = properties.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    AlgorithmSpec { kind: kind.to_owned(), properties: properties.collect() }
}

/// `status` 1 is a test, in every operation; so is what the comment says.
fn shadow(pair: [&str; 3], tables: &[&str]) -> ShadowDraft {
    let [name, source, shadow] = pair.map(str::to_owned);
    let value = |operation| {
        algorithm("VALUE_MATCH", &[("operation", operation), ("column", "status"), ("value", "1")])
    };
    let mut algorithms: Vec<_> =
        ["insert", "select", "update", "delete"].map(|operation| (None, value(operation))).into();
    algorithms.push((None, algorithm("SIMPLE_HINT", &[("shadow", "true")])));
    let tables = tables.iter().map(|name| ((*name).to_owned(), algorithms.clone()));
    ShadowDraft { pair: ShadowPair { name, source, shadow }, tables: tables.collect() }
}

/// `phone`, with an assisted column.
fn encrypt(table: &str) -> EncryptTableSpec {
    let phone = EncryptColumnSpec {
        name: "phone".to_owned(),
        cipher: "phone_cipher".to_owned(),
        assisted: Some("phone_digest".to_owned()),
        encryptor: algorithm("AES", &[("aes-key-value", "123456abc")]),
        assisted_algorithm: Some(algorithm("MD5", &[])),
        ..EncryptColumnSpec::default()
    };
    EncryptTableSpec { name: table.to_owned(), columns: vec![phone], query_with_cipher: None }
}

/// `email`, and `phone` where it is encrypted.
fn mask(table: &str) -> MaskTableSpec {
    let column = |name: &str| MaskColumnSpec {
        name: name.to_owned(),
        algorithm: algorithm(
            "KEEP_FIRST_N_LAST_M",
            &[("first-n", "1"), ("last-m", "1"), ("replace-char", "*")],
        ),
    };
    let both = matches!(table, "encrypt_mask" | "t_all");
    let columns = if both { vec![column("email"), column("phone")] } else { vec![column("email")] };
    MaskTableSpec { name: table.to_owned(), columns }
}
