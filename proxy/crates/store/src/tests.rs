//! What is saved is there again, whatever happens in between.

use std::os::unix::fs::PermissionsExt as _;

use indexmap::IndexMap;
use meta::{Address, AlgorithmSpec, Otherwise, Property, ShardingTableSpec, UnitSpec};

use super::*;

fn unit(password: &str) -> UnitSpec {
    let address = Address::Host { host: "127.0.0.1".into(), port: 13306, database: "sbtest".into() };
    let properties = IndexMap::from([("maxPoolSize".to_owned(), "7".to_owned())]);
    UnitSpec::parse(&address, "test", password, &properties).unwrap()
}

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

fn snapshot(database: &str) -> Snapshot {
    Snapshot::default()
        .create_database(database, Otherwise::Fail)
        .and_then(|it| it.register_units(database, vec![("ds_0".into(), unit("secret"))], Otherwise::Fail))
        .and_then(|it| it.create_sharding(database, vec![rule("10")], Otherwise::Fail))
        .unwrap()
}

/// Opens a folder, closes it again, and gives back what was there.
fn stored(folder: &Path) -> Stored {
    Store::open(folder).unwrap().1
}

fn refusal(folder: &Path) -> String {
    Store::open(folder).unwrap_err().to_string()
}

#[test]
fn what_is_saved_is_there_again() {
    let folder = tempfile::tempdir().unwrap();
    let (store, empty) = Store::open(folder.path()).unwrap();
    assert_eq!(empty, Stored::default());
    let after = snapshot("db");
    let after = after.with_properties(after.properties.with(Property::SqlShow, "true").unwrap());
    store.save(&Snapshot::default(), &after).unwrap();
    drop(store);
    let read = stored(folder.path());
    assert_eq!(read.databases, [after.database("db").unwrap().spec()]);
    assert_eq!(read.properties, after.properties.stored());
}

#[test]
fn a_dropped_database_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = Store::open(folder.path()).unwrap();
    let before = snapshot("db");
    store.save(&Snapshot::default(), &before).unwrap();
    store.save(&before, &before.drop_database("db", Otherwise::Fail).unwrap()).unwrap();
    drop(store);
    assert!(stored(folder.path()).databases.is_empty());
}

#[test]
fn names_of_databases_never_meet_on_disk() {
    let folder = tempfile::tempdir().unwrap();
    let names = ["db", "DB", "a/b", "..", "größe", "a%b", " x", "con.json"];
    let (store, _) = Store::open(folder.path()).unwrap();
    let mut before = Snapshot::default();
    for name in names {
        let after = before.create_database(name, Otherwise::Fail).unwrap();
        store.save(&before, &after).unwrap();
        before = after;
    }
    drop(store);
    let mut read: Vec<_> = stored(folder.path()).databases.into_iter().map(|it| it.name).collect();
    read.sort();
    let mut names = names.map(str::to_owned).to_vec();
    names.sort();
    assert_eq!(read, names);
    let longest = file_name(&"A".repeat(64)).len().max(file_name(&"中".repeat(64)).len());
    assert!(longest + ".tmp".len() <= 255, "{longest}");
}

#[test]
fn only_the_owner_may_read() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("new/data");
    let (store, _) = Store::open(&folder).unwrap();
    store.save(&Snapshot::default(), &snapshot("db")).unwrap();
    let mode = |path: PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(folder.clone()), 0o700);
    assert_eq!(mode(folder.join(DATABASES)), 0o700);
    assert_eq!(mode(folder.join(DATABASES).join("db.json")), 0o600);
    assert_eq!(mode(folder.join(LOCK)), 0o600);
}

#[test]
fn two_processes_do_not_share_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = Store::open(folder.path()).unwrap();
    let text = format!("data folder {} is in use by process {}", folder.path().display(), std::process::id());
    assert_eq!(refusal(folder.path()), text);
    drop(store);
    assert!(Store::open(folder.path()).is_ok());
}

#[test]
fn an_interrupted_write_leaves_the_old_state() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = Store::open(folder.path()).unwrap();
    let before = snapshot("db");
    store.save(&Snapshot::default(), &before).unwrap();
    drop(store);
    let left = folder.path().join(DATABASES).join("db.json.tmp");
    fs::write(&left, "{\"format\": 1, \"datab").unwrap();
    fs::write(folder.path().join("meta.json.tmp"), "").unwrap();
    assert_eq!(stored(folder.path()).databases, [before.database("db").unwrap().spec()]);
    assert!(!left.exists());
}

#[test]
fn names_the_file_that_does_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = Store::open(folder.path()).unwrap();
    store.save(&Snapshot::default(), &snapshot("db")).unwrap();
    drop(store);
    let path = folder.path().join(DATABASES).join("db.json");
    let whole = fs::read_to_string(&path).unwrap();
    let shown = path.display();
    let halved = &whole[..whole.len() / 2];
    for (text, start) in [
        ("", format!("cannot read {shown}, line 1, column 0: EOF")),
        (halved, format!("cannot read {shown}, line ")),
        (
            &whole.replace("\"format\": 1", "\"format\": 9"),
            format!("cannot use {shown}: it has format 9, this"),
        ),
        (
            &whole.replace("\"db\"", "\"other\""),
            format!("cannot use {shown}: it holds database 'other', whose"),
        ),
        (
            &whole.replace("\"MOD\"", "\"MOT\""),
            format!("cannot use {shown}: Invalid sharding algorithms `[MOT]`."),
        ),
        (&whole.replace("\"units\"", "\"unites\""), format!("cannot read {shown}, line ")),
    ] {
        fs::write(&path, text).unwrap();
        let message = refusal(folder.path());
        assert!(message.starts_with(&start), "{message}");
    }
    fs::write(&path, whole).unwrap();
    let alien = folder.path().join(DATABASES).join("notes.txt");
    fs::write(&alien, "x").unwrap();
    let text = format!("cannot use {}: it is not one of this folder's files", alien.display());
    assert_eq!(refusal(folder.path()), text);
}

#[test]
fn names_the_variable_it_does_not_know() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(META), "{\"format\":1,\"properties\":{\"sql-shwo\":\"true\"}}").unwrap();
    let text =
        format!("cannot use {}: Can not support variable `sql-shwo`.", folder.path().join(META).display());
    assert_eq!(refusal(folder.path()), text);
}

#[test]
fn an_unwritable_folder_is_an_error_that_names_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    fs::write(&path, "").unwrap();
    let message = refusal(&path.join("data"));
    assert!(message.starts_with(&format!("{}: ", path.join("data").display())), "{message}");
}
