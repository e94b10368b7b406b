use super::*;
use crate::rule::{AlgorithmSpec, ShadowPair, ShardingTableSpec, TransactionalReads};
use crate::unit::{Address, UnitSpec};
use indexmap::IndexMap;

fn unit(name: &str, port: u64) -> (String, UnitSpec) {
    let address = Address::Host { host: "127.0.0.1".into(), port, database: "test".into() };
    (name.to_owned(), UnitSpec::parse(&address, "test", "test", &IndexMap::new()).unwrap())
}

/// `db` with units `w`, `r0`, `r1`, `w2`, `r2`; a table on `w` and one on `w2`.
fn start() -> Snapshot {
    let units = ["w", "r0", "r1", "w2", "r2"].iter().zip(1..).map(|(name, port)| unit(name, port)).collect();
    let found = [("w", "orders"), ("r0", "orders"), ("w2", "logs")]
        .map(|(unit, table)| (unit.to_owned(), vec![table.to_owned()]));
    Snapshot::default()
        .create_database("db", Otherwise::Fail)
        .and_then(|it| it.register_units("db", units, Otherwise::Fail))
        .and_then(|it| it.place_tables("db", &found).map(|(next, _)| next))
        .unwrap()
}

fn group(name: &str, write: &str, reads: &[&str]) -> ReadwriteSpec {
    ReadwriteSpec {
        name: name.to_owned(),
        write: write.to_owned(),
        reads: reads.iter().map(|read| (*read).to_owned()).collect(),
        ..ReadwriteSpec::default()
    }
}

fn create(snapshot: &Snapshot, groups: Vec<ReadwriteSpec>) -> Result<Snapshot, Error> {
    snapshot.create_readwrite("db", groups, Otherwise::Fail)
}

fn refusal(result: Result<Snapshot, Error>) -> String {
    result.unwrap_err().to_string()
}

fn tables(snapshot: &Snapshot) -> Vec<String> {
    let tables = snapshot.database("db").unwrap().tables.values();
    tables.map(|table| format!("{}.{}", table.source.as_deref().unwrap(), table.name)).collect()
}

fn disabled(snapshot: &Snapshot, name: &str) -> Vec<String> {
    snapshot.database("db").unwrap().group(name).unwrap().spec.disabled.clone()
}

#[test]
fn tables_follow_a_group_that_comes_and_goes() {
    let before = start();
    let with = create(&before, vec![group("rw", "w", &["r0", "r1"])]).unwrap();
    assert_eq!(tables(&with), ["rw.orders", "w2.logs"]);
    let without = with.drop_readwrite("db", &["rw".to_owned()], Otherwise::Fail).unwrap();
    assert_eq!(tables(&without), ["w.orders", "w2.logs"]);
    // What a group no longer writes to is seen by its own name.
    let moved = with.alter_readwrite("db", vec![group("rw", "w2", &["r0"])]).unwrap();
    assert_eq!(tables(&moved), ["rw.orders", "rw.logs"]);
}

#[test]
fn a_group_knows_its_members_and_keeps_its_rotation() {
    let first = create(&start(), vec![group("rw", "w", &["r0", "r1"])]).unwrap();
    let built = first.database("db").unwrap().group("rw").unwrap();
    let replica = |source, enabled| crate::rule::Replica { source, unit: source, enabled };
    assert_eq!((built.write, &built.replicas[..]), (0, &[replica(1, true), replica(2, true)][..]));
    assert_eq!((built.rotation.advance(), built.rotation.advance(), built.rotation.peek()), (0, 1, 2));

    let off = first.switch_replica("db", Some("rw"), "r0", Switch::Off).unwrap();
    let built = off.database("db").unwrap().group("rw").unwrap();
    assert_eq!(built.replicas, [replica(1, false), replica(2, true)]);
    assert_eq!(built.rotation.peek(), 2);
}

#[test]
fn refuses_names_that_are_taken_or_missing() {
    let one = create(&start(), vec![group("rw", "w", &["r0"])]).unwrap();
    let other = || group("rw2", "w2", &["r2"]);
    for (groups, text) in [
        (
            vec![group("rw", "w2", &["r2"])],
            "Duplicate Readwrite splitting rule names `[rw]` in database `db`.",
        ),
        (vec![other(), other()], "Duplicate Readwrite splitting rule names `[rw2]` in database `db`."),
        (
            vec![group("w2", "w2", &["r2"])],
            "Invalid `Readwrite splitting` rules `[w2]`, error messages are: [[w2] already exists in storage unit]",
        ),
        (vec![group("rw2", "x", &["y"])], "Storage units `[x, y]` do not exist in database `db`."),
    ] {
        assert_eq!(refusal(create(&one, groups)), text);
    }
    let again = vec![group("rw", "w2", &["r2"]), other()];
    let skipped = one.create_readwrite("db", again, Otherwise::Skip).unwrap();
    let names: Vec<_> =
        skipped.database("db").unwrap().readwrite.iter().map(|it| it.spec.write.clone()).collect();
    assert_eq!(names, ["w", "w2"]);
    let missing = "Readwrite splitting rules `[no]` do not exist in database `db`.";
    assert_eq!(refusal(one.alter_readwrite("db", vec![group("no", "w2", &["r2"])])), missing);
    assert_eq!(refusal(one.drop_readwrite("db", &["no".to_owned()], Otherwise::Fail)), missing);
    assert_eq!(one.drop_readwrite("db", &["no".to_owned()], Otherwise::Skip).unwrap().epoch, one.epoch);
}

#[test]
fn refuses_units_that_another_group_has() {
    let one = create(&start(), vec![group("rw", "w", &["r0"])]).unwrap();
    for (groups, unit) in [
        (vec![group("x", "w", &["r2"])], "write storage unit `w`"),
        (vec![group("x", "w2", &["r2", "r0"])], "read storage unit `r0`"),
        (vec![group("x", "w2", &["w"])], "read storage unit `w`"),
        (vec![group("x", "w2", &["r2", "r2"])], "read storage unit `r2`"),
    ] {
        let text = refusal(create(&one, groups));
        assert!(text.ends_with(&format!("Can not config duplicate {unit} in database `db`")), "{text}");
    }
    // The unit written to may be read from as well.
    create(&one, vec![group("x", "w2", &["w2", "r2"])]).unwrap();
}

#[test]
fn refuses_a_balancer_that_contradicts_the_strategy() {
    let balancer = AlgorithmSpec { kind: "FIXED_REPLICA_RANDOM".into(), ..AlgorithmSpec::default() };
    let mut spec = ReadwriteSpec { balancer: Some(balancer), ..group("rw", "w", &["r0"]) };
    let built = create(&start(), vec![spec.clone()]).unwrap();
    let strategy = built.database("db").unwrap().group("rw").unwrap().transactional;
    assert_eq!(strategy, TransactionalReads::Fixed);
    spec.transactional = Some(TransactionalReads::Dynamic);
    assert_eq!(
        refusal(create(&start(), vec![spec])),
        "Invalid Readwrite splitting rule `rw`, error message is: `FIXED_REPLICA_RANDOM` contradicts \
         TRANSACTIONAL_READ_QUERY_STRATEGY"
    );
}

#[test]
fn a_group_that_a_rule_stands_on_stays() {
    let one = create(&start(), vec![group("rw", "w", &["r0"])]).unwrap();
    let in_use = "Readwrite splitting rules `[rw]` in database `db` are still in used.";
    let drop = |snapshot: &Snapshot| snapshot.drop_readwrite("db", &["rw".to_owned()], Otherwise::Fail);
    let shadowed = one
        .respec("db", |spec| {
            let pair = ShadowPair { name: "sh".into(), source: "rw".into(), shadow: "w2".into() };
            spec.shadow.pairs.push(pair);
            Ok(())
        })
        .unwrap();
    assert_eq!(refusal(drop(&shadowed)), in_use);
    let mod_2 = AlgorithmSpec {
        kind: "MOD".into(),
        properties: IndexMap::from([("sharding-count".to_owned(), "2".to_owned())]),
    };
    let table = ShardingTableSpec::auto("t".into(), vec!["rw".into()], "id".into(), mod_2);
    let sharded = one.create_sharding("db", vec![table], Otherwise::Fail).unwrap();
    assert_eq!(refusal(drop(&sharded)), in_use);
    drop(&one).unwrap();
}

#[test]
fn switches_replicas_off_and_on_but_never_the_last_one_off() {
    let switch =
        |snapshot: &Snapshot, group, unit, switch| snapshot.switch_replica("db", group, unit, switch);
    assert_eq!(
        refusal(switch(&start(), None, "r0", Switch::Off)),
        "Unsupported SQL operation: The current database has no read_write splitting rules"
    );
    let one = create(&start(), vec![group("rw", "w", &["r0", "r1"])]).unwrap();
    let off = switch(&one, None, "r0", Switch::Off).unwrap();
    assert_eq!(disabled(&off, "rw"), ["r0"]);
    for (snapshot, group, unit, to, text) in [
        (&off, Some("x"), "r0", Switch::On, "The current database does not exist the group `x`"),
        (&off, None, "r0", Switch::Off, "`r0` has been disabled"),
        (&off, None, "r1", Switch::Off, "`r1` is the last read storage unit in `[rw]`, cannot be disabled"),
        (&off, Some("rw"), "r1", Switch::On, "`r1` is not disabled"),
        (
            &off,
            None,
            "w",
            Switch::Off,
            "`w` is not used as a read storage unit by any read-write separation rules,cannot be disabled",
        ),
    ] {
        let refused = refusal(switch(snapshot, group, unit, to));
        assert_eq!(refused, format!("Unsupported SQL operation: {text}"));
    }
    assert!(disabled(&switch(&off, Some("rw"), "r0", Switch::On).unwrap(), "rw").is_empty());
}

#[test]
fn altering_keeps_replicas_disabled_while_another_is_left() {
    let one = create(&start(), vec![group("rw", "w", &["r0", "r1"])]).unwrap();
    let off = one.switch_replica("db", None, "r0", Switch::Off).unwrap();
    let wider = off.alter_readwrite("db", vec![group("rw", "w", &["r0", "r1", "r2"])]).unwrap();
    assert_eq!(disabled(&wider, "rw"), ["r0"]);
    let alone = off.alter_readwrite("db", vec![group("rw", "w", &["r0"])]).unwrap();
    assert!(disabled(&alone, "rw").is_empty());
}
