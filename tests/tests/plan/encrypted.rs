//! Databases with encrypted and masked tables for golden plans.
//!
//! `encrypted` has one unit: `t_user` with all kinds of parts, `t_card` with `mobile` made the same and `idCard` of the
//! same encryptor without more parts, `t_other` with other encryptors, `t_clear` read from the columns in the clear,
//! `t_both` encrypted and masked, `t_mask` masked, `t_plain` neither. `both` has the first two sharded by `id`.

use meta::{
    AlgorithmSpec, EncryptColumnSpec, EncryptTableSpec, MaskColumnSpec, MaskTableSpec, Otherwise, Snapshot,
    Table,
};

use super::{rule, table, unit};

const USER: [&str; 8] = [
    "id bigint",
    "mobile_cipher varchar utf8mb4_bin",
    "mobile_digest varchar utf8mb4_bin",
    "mobile_like varchar utf8mb4_bin",
    "mobile_plain varchar utf8mb4_bin",
    "idcard_cipher varchar utf8mb4_bin",
    "name varchar utf8mb4_0900_ai_ci",
    "age int",
];

const CARD: [&str; 7] = [
    "id bigint",
    "user_id bigint",
    "m_c varchar utf8mb4_bin",
    "m_d varchar utf8mb4_bin",
    "m_l varchar utf8mb4_bin",
    "m_p varchar utf8mb4_bin",
    "idcard_cipher varchar utf8mb4_bin",
];

pub(crate) fn add(mut snapshot: Snapshot) -> Snapshot {
    for (database, units) in [("encrypted", &["ds"][..]), ("both", &["ds_0", "ds_1", "ds_2", "ds_3"][..])] {
        snapshot = snapshot.create_database(database, Otherwise::Fail).unwrap();
        let units =
            units.iter().enumerate().map(|(number, name)| ((*name).to_owned(), unit(number, database)));
        snapshot = snapshot.register_units(database, units.collect(), Otherwise::Fail).unwrap();
    }
    snapshot = snapshot.create_encrypt("encrypted", rules(), Otherwise::Fail).unwrap();
    snapshot = snapshot.create_mask("encrypted", masks(), Otherwise::Fail).unwrap();
    snapshot = snapshot.learn_tables("encrypted", tables(Some("ds"))).unwrap();
    let sharded = ["t_user", "t_card"]
        .map(|name| rule(name, &["ds_0", "ds_1", "ds_2", "ds_3"], "id", &[("sharding-count", "10")]));
    snapshot = snapshot.create_sharding("both", sharded.into(), Otherwise::Fail).unwrap();
    let rules = rules().into_iter().take(2).collect();
    snapshot = snapshot.create_encrypt("both", rules, Otherwise::Fail).unwrap();
    snapshot.learn_tables("both", tables(None).into_iter().take(2).collect()).unwrap()
}

fn algorithm(kind: &str, properties: &[(&str, &str)]) -> AlgorithmSpec {
    AlgorithmSpec {
        kind: kind.to_owned(),
        properties: properties
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect(),
    }
}

fn aes() -> AlgorithmSpec {
    algorithm("AES", &[("aes-key-value", "123456abc")])
}

fn column(name: &str, cipher: &str, encryptor: AlgorithmSpec) -> EncryptColumnSpec {
    EncryptColumnSpec {
        name: name.to_owned(),
        cipher: cipher.to_owned(),
        encryptor,
        ..EncryptColumnSpec::default()
    }
}

fn full(name: &str, parts: [&str; 4]) -> EncryptColumnSpec {
    let [cipher, digest, like, plain] = parts.map(str::to_owned);
    EncryptColumnSpec {
        assisted: Some(digest),
        like: Some(like),
        plain: Some(plain),
        assisted_algorithm: Some(algorithm("MD5", &[])),
        like_algorithm: Some(algorithm("CHAR_DIGEST_LIKE", &[])),
        ..column(name, &cipher, aes())
    }
}

fn encrypted(name: &str, columns: Vec<EncryptColumnSpec>) -> EncryptTableSpec {
    EncryptTableSpec { name: name.to_owned(), columns, query_with_cipher: None }
}

fn rules() -> Vec<EncryptTableSpec> {
    let user = full("mobile", ["mobile_cipher", "mobile_digest", "mobile_like", "mobile_plain"]);
    let clear =
        EncryptColumnSpec { plain: Some("phone_plain".to_owned()), ..column("phone", "phone", aes()) };
    vec![
        encrypted("t_user", vec![user, column("idCard", "idcard_cipher", aes())]),
        encrypted(
            "t_card",
            vec![full("mobile", ["m_c", "m_d", "m_l", "m_p"]), column("idCard", "idcard_cipher", aes())],
        ),
        encrypted(
            "t_other",
            vec![
                column("mobile", "mobile", algorithm("RC4", &[("rc4-key-value", "123456")])),
                column("idCard", "idcard_cipher", algorithm("AES", &[("aes-key-value", "other")])),
            ],
        ),
        EncryptTableSpec { query_with_cipher: Some(false), ..encrypted("t_clear", vec![clear]) },
        encrypted("t_both", vec![column("mobile", "mobile", aes())]),
    ]
}

fn masks() -> Vec<MaskTableSpec> {
    let mask = |table: &str, name: &str, kind: &str, properties: &[(&str, &str)]| MaskTableSpec {
        name: table.to_owned(),
        columns: vec![MaskColumnSpec { name: name.to_owned(), algorithm: algorithm(kind, properties) }],
    };
    let keep = [("first-n", "3"), ("last-m", "4"), ("replace-char", "*")];
    vec![mask("t_both", "mobile", "KEEP_FIRST_N_LAST_M", &keep), mask("t_mask", "email", "MD5", &[])]
}

fn tables(unit: Option<&str>) -> Vec<Table> {
    vec![
        table("t_user", unit, &USER),
        table("t_card", unit, &CARD),
        table(
            "t_other",
            unit,
            &["id bigint", "mobile varchar utf8mb4_bin", "idcard_cipher varchar utf8mb4_bin"],
        ),
        table(
            "t_clear",
            unit,
            &["id bigint", "phone varchar utf8mb4_bin", "phone_plain varchar utf8mb4_bin"],
        ),
        table("t_both", unit, &["id bigint", "mobile varchar utf8mb4_bin", "n int"]),
        table("t_mask", unit, &["id bigint", "email varchar utf8mb4_bin", "n int"]),
        table("t_plain", unit, &["id bigint", "phone varchar utf8mb4_bin", "n int"]),
    ]
}
