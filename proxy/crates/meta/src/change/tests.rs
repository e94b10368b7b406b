//! Every change and every reason it is refused for.

use super::*;
use crate::rule::{AlgorithmSpec, EncryptColumnSpec, LayoutSpec, MaskColumnSpec};
use crate::unit::Address;

fn spec(port: u64) -> UnitSpec {
    let address = Address::Host { host: "127.0.0.1".into(), port, database: "sbtest".into() };
    UnitSpec::parse(&address, "test", "test", &IndexMap::new()).unwrap()
}

fn units(names: &[&str]) -> Vec<(String, UnitSpec)> {
    names.iter().zip(13306..).map(|(name, port)| ((*name).to_owned(), spec(port))).collect()
}

fn table(name: &str, units: &[&str], count: &str) -> ShardingTableSpec {
    ShardingTableSpec::auto(
        name.into(),
        names(units),
        "id".into(),
        AlgorithmSpec {
            kind: "MOD".into(),
            properties: IndexMap::from([("sharding-count".to_owned(), count.to_owned())]),
        },
    )
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// `db` with four units, `t_user` over them, and single tables on two.
fn guide() -> Snapshot {
    Snapshot::default()
        .create_database("db", Otherwise::Fail)
        .and_then(|it| it.register_units("db", units(&["ds_0", "ds_1", "ds_2", "ds_3"]), Otherwise::Fail))
        .and_then(|it| {
            it.create_sharding("db", vec![table("t_user", &["ds_0", "ds_1"], "4")], Otherwise::Fail)
        })
        .and_then(|it| {
            let found = [
                ("ds_0".to_owned(), names(&["T_user_0", "t_user_2", "orders"])),
                ("ds_2".to_owned(), names(&["Orders", "logs"])),
            ];
            it.place_tables("db", &found).map(|(next, _)| next)
        })
        .unwrap()
}

fn refusal(result: Result<Snapshot, Error>) -> String {
    result.unwrap_err().to_string()
}

#[test]
fn creates_and_drops_databases() {
    let empty = Snapshot::default();
    let one = empty.create_database("db", Otherwise::Fail).unwrap();
    assert_eq!((one.epoch, one.database("db").unwrap().name.as_str()), (1, "db"));
    assert_eq!(
        refusal(one.create_database("db", Otherwise::Fail)),
        "Can't create database 'db'; database exists"
    );
    assert_eq!(one.create_database("db", Otherwise::Skip).unwrap().epoch, 1);
    let none = one.drop_database("db", Otherwise::Fail).unwrap();
    assert!(none.databases.is_empty());
    assert_eq!(
        refusal(none.drop_database("db", Otherwise::Fail)),
        "Can't drop database 'db'; database doesn't exist"
    );
    assert_eq!(none.drop_database("db", Otherwise::Skip).unwrap().epoch, 2);
}

#[test]
fn refuses_names_that_no_database_can_have() {
    let empty = Snapshot::default();
    let create = |name: &str| refusal(empty.create_database(name, Otherwise::Fail));
    assert_eq!(create(""), "Incorrect database name ''");
    assert_eq!(create("a "), "Incorrect database name 'a '");
    assert_eq!(create(&"x".repeat(65)), format!("Incorrect database name '{}'", "x".repeat(65)));
    assert_eq!(create("MySQL"), "Can't create database 'MySQL'; database exists");
}

#[test]
fn every_change_needs_a_known_database() {
    let empty = Snapshot::default();
    for result in [
        empty.register_units("x", units(&["a"]), Otherwise::Fail),
        empty.alter_units("x", units(&["a"])),
        empty.unregister_units("x", &names(&["a"]), Otherwise::Skip, SingleTables::Count),
        empty.create_sharding("x", vec![], Otherwise::Fail),
        empty.alter_sharding("x", vec![]),
        empty.drop_sharding("x", &[], Otherwise::Skip),
        empty.learn_tables("x", vec![]),
    ] {
        assert_eq!(refusal(result), "Unknown database 'x'");
    }
}

#[test]
fn registers_units_in_order_with_ids_of_their_own() {
    let snapshot = guide();
    let database = snapshot.database("db").unwrap();
    let ids: Vec<_> = database.units.values().map(|unit| (unit.name.as_str(), unit.id.0)).collect();
    assert_eq!(ids, [("ds_0", 0), ("ds_1", 1), ("ds_2", 2), ("ds_3", 3)]);
}

#[test]
fn refuses_units_that_are_there_or_come_twice() {
    let snapshot = guide();
    let register = |list: &[&str], otherwise| snapshot.register_units("db", units(list), otherwise);
    assert_eq!(
        refusal(register(&["ds_9", "ds_1", "ds_0"], Otherwise::Fail)),
        "Duplicate storage unit names `[ds_1, ds_0]`."
    );
    assert_eq!(refusal(register(&["new", "new"], Otherwise::Skip)), "Duplicate storage unit names `[new]`.");
    let next = register(&["ds_0", "DS_0"], Otherwise::Skip).unwrap();
    let database = next.database("db").unwrap();
    assert_eq!(database.units.len(), 5, "names are told apart by letter case");
    assert_eq!(database.units["ds_0"].id, UnitId(0), "the one that was there is left alone");
}

#[test]
fn alters_credentials_under_a_new_id_at_the_same_place_in_the_order() {
    let snapshot = guide();
    let changed = UnitSpec { password: "new".into(), ..spec(13307) };
    let next = snapshot.alter_units("db", vec![("ds_1".into(), changed)]).unwrap();
    let unit = next.database("db").unwrap().units.get_index(1).unwrap().1;
    assert_eq!((unit.id, unit.spec.password.as_str()), (UnitId(4), "new"));
    assert_eq!(next.epoch, snapshot.epoch + 1);
}

#[test]
fn refuses_to_move_a_unit_or_to_alter_one_that_is_not_there() {
    let snapshot = guide();
    assert_eq!(
        refusal(snapshot.alter_units("db", vec![("ds_1".into(), spec(1))])),
        "Can not process invalid storage units, error message is: [Cannot alter the database of [ds_1]]"
    );
    assert_eq!(
        refusal(snapshot.alter_units("db", units(&["ds_0", "x", "y"]))),
        "Storage units `[x, y]` do not exist in database `db`."
    );
    assert_eq!(
        refusal(snapshot.alter_units("db", units(&["ds_0", "ds_0"]))),
        "Duplicate storage unit names `[ds_0]`."
    );
}

#[test]
fn unregisters_only_units_that_nothing_uses() {
    let snapshot = guide();
    let unregister =
        |list: &[&str], otherwise, singles| snapshot.unregister_units("db", &names(list), otherwise, singles);
    let (fail, skip, count, ignore) =
        (Otherwise::Fail, Otherwise::Skip, SingleTables::Count, SingleTables::Ignore);
    assert_eq!(
        refusal(unregister(&["ds_0"], fail, count)),
        "Resource `ds_0` is still used by `[ShardingRule, SingleTableRule]`."
    );
    assert_eq!(
        refusal(unregister(&["ds_0"], fail, ignore)),
        "Resource `ds_0` is still used by `[ShardingRule]`."
    );
    assert_eq!(
        refusal(unregister(&["ds_3", "ds_2"], fail, count)),
        "Resource `ds_2` is still used by `[SingleTableRule]`."
    );
    assert_eq!(
        refusal(unregister(&["ds_3", "x"], fail, count)),
        "Storage units `[x]` do not exist in database `db`."
    );
    let next = unregister(&["ds_3", "x"], skip, count).unwrap();
    assert_eq!(next.database("db").unwrap().units.len(), 3);
    let next = unregister(&["ds_2"], fail, ignore).unwrap();
    assert!(next.database("db").unwrap().table("logs").is_none(), "its single tables go with it");
    assert_eq!(unregister(&["x"], skip, count).unwrap().epoch, snapshot.epoch);
}

#[test]
fn never_gives_an_id_twice() {
    let snapshot = guide()
        .unregister_units("db", &names(&["ds_3"]), Otherwise::Fail, SingleTables::Count)
        .and_then(|it| it.register_units("db", units(&["ds_3"]), Otherwise::Fail))
        .unwrap();
    assert_eq!(snapshot.database("db").unwrap().units["ds_3"].id, UnitId(4));
}

#[test]
fn creates_rules_once_whatever_the_letter_case() {
    let snapshot = guide();
    let create = |tables, otherwise| snapshot.create_sharding("db", tables, otherwise);
    assert_eq!(
        refusal(create(vec![table("T_USER", &["ds_0"], "2")], Otherwise::Fail)),
        "Duplicate sharding rule names `[T_USER]` in database `db`."
    );
    assert_eq!(
        refusal(create(vec![table("a", &["ds_0"], "2"), table("A", &["ds_0"], "2")], Otherwise::Skip)),
        "Duplicate sharding rule names `[a]` in database `db`."
    );
    let next = create(vec![table("t_user", &["ds_3"], "9"), table("b", &["ds_3"], "2")], Otherwise::Skip);
    let next = next.unwrap();
    let rule = &next.database("db").unwrap().sharding;
    assert_eq!(rule.table("T_User").unwrap().nodes.len(), 4);
    assert_eq!(rule.table("b").unwrap().nodes.len(), 2);
}

#[test]
fn checks_a_rule_before_anything_is_done() {
    let snapshot = guide();
    let create = |table| refusal(snapshot.create_sharding("db", vec![table], Otherwise::Fail));
    assert_eq!(
        create(table("a", &["ds_${3..5}", "ds_4"], "2")),
        "Storage units `[ds_4, ds_5]` do not exist in database `db`."
    );
    let mut inline = table("a", &["ds_0"], "2");
    if let LayoutSpec::Auto { algorithm, .. } = &mut inline.layout {
        algorithm.kind = "INLINE".into();
    }
    assert_eq!(create(inline), "Invalid sharding algorithms `[INLINE]`.");
    assert_eq!(
        create(table("a", &["ds_0"], "x")),
        "Sharding algorithm `MOD` initialization failed, reason is: property 'sharding-count' must be an \
         integer from 1 to 65536, not 'x'."
    );
}

#[test]
fn alters_and_drops_only_rules_that_are_there() {
    let snapshot = guide();
    assert_eq!(
        refusal(snapshot.alter_sharding("db", vec![table("x", &["ds_0"], "2")])),
        "sharding rules `[x]` do not exist in database `db`."
    );
    let next = snapshot.alter_sharding("db", vec![table("t_user", &["ds_3"], "3")]).unwrap();
    assert_eq!(next.database("db").unwrap().sharding.table("t_user").unwrap().nodes.len(), 3);
    assert_eq!(
        refusal(snapshot.drop_sharding("db", &names(&["t_user", "x"]), Otherwise::Fail)),
        "sharding rules `[x]` do not exist in database `db`."
    );
    let next = snapshot.drop_sharding("db", &names(&["T_USER", "x"]), Otherwise::Skip).unwrap();
    assert!(next.database("db").unwrap().sharding.tables.is_empty());
    assert_eq!(snapshot.drop_sharding("db", &names(&["x"]), Otherwise::Skip).unwrap().epoch, snapshot.epoch);
}

#[test]
fn places_single_tables_on_the_first_unit_that_has_them() {
    let snapshot = guide();
    let found =
        [("ds_0".to_owned(), names(&["orders", "t_user_0"])), ("ds_2".to_owned(), names(&["Orders"]))];
    let (next, passed_over) = snapshot.place_tables("db", &found).unwrap();
    let tables: Vec<_> = next.database("db").unwrap().tables.keys().cloned().collect();
    assert_eq!(tables, ["orders"]);
    assert_eq!(passed_over, [("Orders".to_owned(), "ds_2".to_owned())]);
}

#[test]
fn keeps_known_structures_when_tables_are_placed_again() {
    let column = crate::snapshot::TableColumn {
        name: "id".into(),
        data_type: "bigint".into(),
        collation: None,
        auto_increment: true,
        unsigned: false,
        limit: None,
    };
    let known = |name: &str, unit: Option<&str>| Table {
        name: name.into(),
        source: unit.map(str::to_owned),
        columns: vec![column.clone()],
    };
    let snapshot =
        guide().learn_tables("db", vec![known("t_user", None), known("orders", Some("ds_0"))]).unwrap();
    let (next, _) = snapshot.place_tables("db", &[("ds_0".to_owned(), names(&["orders"]))]).unwrap();
    let database = next.database("db").unwrap();
    assert_eq!(database.table("T_USER").unwrap().columns.len(), 1);
    assert_eq!(database.table("orders").unwrap().columns.len(), 1);
    let (again, _) = next.place_tables("db", &[("ds_0".to_owned(), names(&["orders"]))]).unwrap();
    assert_eq!(again.epoch, next.epoch, "nothing new, no new plans");
    let forgotten = next.forget_tables("db", &names(&["ORDERS"])).unwrap();
    assert!(forgotten.database("db").unwrap().table("orders").is_none());
}

#[test]
fn a_new_rule_takes_single_tables_over() {
    let snapshot =
        guide().create_sharding("db", vec![table("orders", &["ds_3"], "2")], Otherwise::Fail).unwrap();
    assert!(snapshot.database("db").unwrap().table("orders").is_none());
}

#[test]
fn what_is_stored_loads_again() {
    let spec = guide().database("db").unwrap().spec();
    let snapshot = Snapshot::load(vec![spec.clone()]).unwrap();
    assert_eq!(snapshot.database("db").unwrap().spec(), spec);
    let text = spec.sharding[0].name.clone();
    assert_eq!(text, "t_user");
}

#[test]
fn creates_alters_and_drops_rules_of_columns() {
    let algorithm = |kind: &str| AlgorithmSpec { kind: kind.into(), properties: IndexMap::new() };
    let encrypt = |name: &str, cipher: &str| EncryptTableSpec {
        name: name.into(),
        columns: vec![EncryptColumnSpec {
            name: "phone".into(),
            cipher: cipher.into(),
            encryptor: algorithm("MD5"),
            ..EncryptColumnSpec::default()
        }],
        query_with_cipher: None,
    };
    let mask = |name: &str| MaskTableSpec {
        name: name.into(),
        columns: vec![MaskColumnSpec { name: "phone".into(), algorithm: algorithm("MD5") }],
    };
    let ruled = guide()
        .create_encrypt("db", vec![encrypt("T_user", "a"), encrypt("t", "a")], Otherwise::Fail)
        .and_then(|it| it.create_mask("db", vec![mask("T_user")], Otherwise::Fail))
        .and_then(|it| it.create_encrypt("db", vec![encrypt("T", "x"), encrypt("u", "a")], Otherwise::Skip))
        .and_then(|it| it.alter_encrypt("db", vec![encrypt("t_USER", "b")]))
        .unwrap();
    let database = ruled.database("db").unwrap();
    let spec = database.spec();
    assert_eq!(spec.encrypt, [encrypt("t_USER", "b"), encrypt("t", "a"), encrypt("u", "a")]);
    assert_eq!(spec.mask, [mask("T_user")]);
    assert_eq!(database.encrypt.table("t_user").unwrap().columns[0].cipher, "b");
    let loaded = Snapshot::load(vec![spec.clone()]).unwrap();
    assert_eq!(loaded.database("db").unwrap().spec(), spec);
    for (result, text) in [
        (
            ruled.create_encrypt("db", vec![encrypt("u", "a"), encrypt("T", "a")], Otherwise::Fail),
            "Duplicate encrypt rule names `[u, T]` in database `db`.",
        ),
        (
            ruled.create_mask("db", vec![mask("v"), mask("V")], Otherwise::Skip),
            "Duplicate mask rule names `[v]` in database `db`.",
        ),
        (
            ruled.alter_mask("db", vec![mask("x"), mask("t_user")]),
            "mask rules `[x]` do not exist in database `db`.",
        ),
        (
            ruled.drop_encrypt("db", &names(&["x", "t", "y"]), Otherwise::Fail),
            "encrypt rules `[x, y]` do not exist in database `db`.",
        ),
    ] {
        assert_eq!(refusal(result), text);
    }
    let dropped = ruled
        .drop_encrypt("db", &names(&["x", "T", "t_user", "u"]), Otherwise::Skip)
        .and_then(|it| it.drop_mask("db", &names(&["T_USER"]), Otherwise::Fail))
        .unwrap();
    assert_eq!(dropped.database("db").unwrap().spec(), guide().database("db").unwrap().spec());
}

#[test]
fn shows_clients_the_columns_that_they_know() {
    let column = |name: &str| crate::snapshot::TableColumn {
        name: name.into(),
        data_type: "varchar".into(),
        collation: None,
        auto_increment: false,
        unsigned: false,
        limit: None,
    };
    let table =
        Table { name: "t_user".into(), source: None, columns: vec![column("id"), column("phone_cipher")] };
    let learnt = guide().learn_tables("db", vec![table]).unwrap();
    let seen = |snapshot: &Snapshot, table: &str| -> Vec<_> {
        let columns = snapshot.database("db").unwrap().logical_columns(table);
        columns.into_iter().map(|column| column.name).collect()
    };
    assert_eq!(seen(&learnt, "T_USER"), ["id", "phone_cipher"]);
    let rule = EncryptTableSpec {
        name: "t_user".into(),
        columns: vec![EncryptColumnSpec {
            name: "phone".into(),
            cipher: "phone_cipher".into(),
            encryptor: AlgorithmSpec { kind: "SM3".into(), properties: IndexMap::new() },
            ..EncryptColumnSpec::default()
        }],
        query_with_cipher: None,
    };
    let ruled = learnt.create_encrypt("db", vec![rule], Otherwise::Fail).unwrap();
    assert_eq!(seen(&ruled, "t_user"), ["id", "phone"]);
    assert!(seen(&ruled, "unknown").is_empty());
}
