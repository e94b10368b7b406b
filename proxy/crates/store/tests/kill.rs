//! A process is killed while it saves. In a binary of its own: a child shares the lock of its parent's stores between
//! fork and exec, so that other tests could not open them again.

#![expect(clippy::unwrap_used, reason = "helpers of tests are not told apart from other code here")]

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use indexmap::IndexMap;
use meta::{Address, AlgorithmSpec, Otherwise, ShardingTableSpec, Snapshot, UnitSpec};
use store::Store;

fn rule(count: &str) -> ShardingTableSpec {
    ShardingTableSpec::auto(
        "t_user".into(),
        vec!["ds_0".into()],
        "id".into(),
        AlgorithmSpec {
            kind: "MOD".into(),
            properties: IndexMap::from([("sharding-count".to_owned(), count.to_owned())]),
        },
    )
}

fn snapshot() -> Snapshot {
    let address = Address::Host { host: "127.0.0.1".into(), port: 13306, database: "sbtest".into() };
    let unit = UnitSpec::parse(&address, "test", "secret", &IndexMap::new()).unwrap();
    Snapshot::default()
        .create_database("db", Otherwise::Fail)
        .and_then(|it| it.register_units("db", vec![("ds_0".into(), unit)], Otherwise::Fail))
        .and_then(|it| it.create_sharding("db", vec![rule("10")], Otherwise::Fail))
        .unwrap()
}

/// Saves two states in turn until it is killed.
#[test]
#[ignore = "run by the test below, which kills it"]
fn child_that_saves_for_ever() {
    let mut folder = String::new();
    std::io::stdin().lock().read_line(&mut folder).unwrap();
    if folder.is_empty() {
        return;
    }
    let (store, _) = Store::open(Path::new(folder.trim())).unwrap();
    let one = snapshot();
    let two = one.alter_sharding("db", vec![rule("99")]).unwrap();
    store.save(&Snapshot::default(), &one).unwrap();
    println!("\nsaved");
    loop {
        store.save(&one, &two).unwrap();
        store.save(&two, &one).unwrap();
    }
}

#[test]
fn a_killed_process_leaves_one_of_its_states() {
    let folder = tempfile::tempdir().unwrap();
    for round in 0..8 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "child_that_saves_for_ever", "--ignored", "--nocapture"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        writeln!(child.stdin.take().unwrap(), "{}", folder.path().display()).unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap() == "saved"));
        std::thread::sleep(std::time::Duration::from_micros(300 + 1_700 * round));
        child.kill().unwrap();
        child.wait().unwrap();
        let databases = Store::open(folder.path()).unwrap().1.databases;
        let meta::LayoutSpec::Auto { algorithm, .. } = &databases[0].sharding[0].layout else {
            panic!("{:?}", databases[0].sharding[0])
        };
        let count = &algorithm.properties["sharding-count"];
        assert!(count == "10" || count == "99", "{count}");
    }
}
