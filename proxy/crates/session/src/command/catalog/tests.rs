use std::sync::Arc;

use backend::TextResult;
use bytes::Bytes;
use meta::{DatabaseSpec, ShardingTableSpec, Snapshot};
use plan::{Arguments, CatalogTable, Value};
use sql::{Fingerprinter, Mode};
use wire::column::Column;

use super::names::{Names, Place};
use super::rows::Rows;
use super::text::{self, Own, Reading};
use super::wanted::{Wanted, mentioned};
use crate::text::{Encoding, readable};

const OWN: Own<'_> = Own {
    database: Some("shop"),
    user: "ann@10.0.0.1",
    account: "ann@%",
    connection: 7,
    insert_id: Some(9),
    left: None,
    encoding: Encoding::Plain,
};

struct Params(Vec<Value<'static>>);

impl Arguments for Params {
    fn value(&self, index: usize) -> Value<'_> {
        self.0.get(index).copied().unwrap_or(Value::Other)
    }
}

fn reading(text: &str) -> Reading {
    let fingerprint = Fingerprinter::fixed().fingerprint(text, Mode::default()).unwrap();
    Reading::new(text.into(), text.to_owned(), &fingerprint, Mode::default()).unwrap()
}

fn known(text: &str) -> &'static CatalogTable {
    CatalogTable::of(&reading(text).statement.tables[0]).unwrap()
}

#[test]
fn parameters_and_functions_of_the_session_become_literals() {
    let params = Params(vec![
        Value::Bytes(b"shop"),
        Value::Int(-5),
        Value::Null,
        Value::Bytes("größe".as_bytes()),
        Value::Bytes(b"it's"),
        Value::Double(0.5),
    ]);
    let read = reading("SELECT ?, ?, ?, ?, ?, ? FROM information_schema.TABLES LIMIT 1");
    assert_eq!(
        String::from_utf8(text::valued(&read, Some(&params), "utf8mb4")).unwrap(),
        "SELECT 'shop', -5, NULL, _utf8mb4 x'6772C3B6C39F65', _utf8mb4 x'69742773', 5e-1 FROM \
         information_schema.TABLES LIMIT 1"
    );
    for (text, expected) in [
        ("SELECT DATABASE() d", Some("SELECT CAST('shop' AS CHAR(64)) d")),
        ("SELECT schema ( ), 1", Some("SELECT CAST('shop' AS CHAR(64)) AS `schema ( )`, 1")),
        (
            "SELECT CONCAT(USER(), CURRENT_USER, '`')",
            Some("SELECT CONCAT('ann@10.0.0.1', 'ann@%', '`') AS `CONCAT(USER(), CURRENT_USER, '``')`"),
        ),
        ("UPDATE t SET a = CONNECTION_ID() + LAST_INSERT_ID()", Some("UPDATE t SET a = 7 + 9")),
        (
            "SELECT a FROM (SELECT DATABASE()) x",
            Some("SELECT a FROM (SELECT CAST('shop' AS CHAR(64)) AS `DATABASE()`) x"),
        ),
        ("SELECT t.user, database, 'DATABASE()', LAST_INSERT_ID(5), 1 AS CURRENT_USER", None),
    ] {
        let fixed = text::own_calls(&reading(text), Mode::default(), OWN);
        assert_eq!(fixed.map(|text| String::from_utf8(text).unwrap()).as_deref(), expected);
    }
}

#[test]
fn names_from_expressions_end_where_servers_end_them() {
    // a8 60 is one character.
    let raw = b"SELECT CONCAT(DATABASE(), '\xa8\x60', '`')".to_vec();
    let text = readable(&raw, Encoding::Gbk, Mode::default()).into_owned();
    let fingerprint = Fingerprinter::fixed().fingerprint(&text, Mode::default()).unwrap();
    let read = Reading::new(raw, text, &fingerprint, Mode::default()).unwrap();
    let fixed = text::own_calls(&read, Mode::default(), Own { encoding: Encoding::Gbk, ..OWN }).unwrap();
    assert_eq!(fixed, b"SELECT CONCAT('shop', '\xa8\x60', '`') AS `CONCAT(DATABASE(), '\xa8\x60', '``')`");
}

#[test]
fn what_a_query_wants_is_read_from_its_condition() {
    let some = |names: &[&str]| Some(names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
    for (condition, schemas, tables) in [
        ("TABLE_SCHEMA = 'Shop' AND table_name = 'T '", some(&["Shop"]), some(&["T"])),
        ("'shop' = x.TABLE_SCHEMA AND TABLE_NAME IN ('a', 'b')", some(&["shop"]), some(&["a", "b"])),
        ("TABLE_SCHEMA IN ('a', 'b') AND TABLE_SCHEMA = 'b'", some(&["b"]), None),
        ("TABLE_SCHEMA = 'a' OR TABLE_NAME = 'b'", None, None),
        ("y.TABLE_SCHEMA = 'a' AND TABLE_NAME LIKE 'b'", None, None),
        ("TABLE_SCHEMA = 'größe' AND TABLE_NAME = CONCAT('a', 'b')", None, None),
        ("TABLE_SCHEMA <> 'a' AND NOT TABLE_NAME = 'b'", None, None),
        ("TABLE_SCHEMA = 'a' 'b'", None, None),
    ] {
        let text = format!("SELECT 1 FROM information_schema.COLUMNS x WHERE {condition}");
        let read = reading(&text);
        let table = &read.statement.tables[0];
        let wanted = Wanted::of(&read, Mode::default(), table, CatalogTable::of(table).unwrap());
        assert_eq!((wanted.schemas, wanted.tables), (schemas, tables), "{condition}");
    }
    // What stands in a subquery is not asked by the condition around it.
    let read =
        reading("SELECT 1 WHERE EXISTS (SELECT * FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'a')");
    let table = &read.statement.tables[0];
    let wanted = Wanted::of(&read, Mode::default(), table, CatalogTable::of(table).unwrap());
    assert_eq!((wanted.schemas, wanted.tables), (None, None));
}

#[test]
fn columns_are_told_by_their_names_unless_all_are_meant() {
    let names =
        mentioned("SELECT table_name, `Engine` FROM information_schema.tables", Mode::default()).unwrap();
    assert!(names.contains(&"TABLE_NAME".to_owned()) && names.contains(&"ENGINE".to_owned()));
    for text in ["SELECT * FROM x", "SELECT COUNT(*) FROM x", "TABLE x", "SELECT a FROM x NATURAL JOIN y"] {
        assert_eq!(mentioned(text, Mode::default()), None, "{text}");
    }
}

/// A database of two units with a sharded table `t` of four nodes.
fn snapshot() -> Snapshot {
    let unit = |port| meta::UnitSpec {
        host: "127.0.0.1".into(),
        port,
        database: "phys".into(),
        user: "app".into(),
        password: String::new(),
        tls: meta::TlsMode::Disabled,
        pool: meta::PoolSpec::default(),
        other: Default::default(),
    };
    let spec = DatabaseSpec {
        name: "shop".to_owned(),
        units: [("ds_0".to_owned(), unit(1)), ("ds_1".to_owned(), unit(2))].into_iter().collect(),
        sharding: vec![table()],
        ..DatabaseSpec::default()
    };
    Snapshot::load(vec![spec]).unwrap()
}

fn table() -> ShardingTableSpec {
    let modulo = meta::AlgorithmSpec {
        kind: "MOD".to_owned(),
        properties: [("sharding-count".to_owned(), "4".to_owned())].into_iter().collect(),
    };
    let units = ["ds_0", "ds_1"].map(str::to_owned).to_vec();
    ShardingTableSpec::auto("t".to_owned(), units, "id".to_owned(), modulo)
}

fn answer(columns: &[&str], rows: &[&[&str]]) -> TextResult {
    let cell = |cell: &&str| (*cell != "NULL").then(|| Bytes::copy_from_slice(cell.as_bytes()));
    TextResult {
        columns: columns.iter().map(|name| Column::text((*name).to_owned().into_bytes(), 64)).collect(),
        rows: rows.iter().map(|row| row.iter().map(cell).collect()).collect(),
        affected: 0,
    }
}

#[test]
fn nodes_become_one_row_and_their_figures_one_sum() {
    let snapshot = snapshot();
    let database = snapshot.database("shop").unwrap();
    let names = Names::new(database);
    let places: Vec<Place> = names.places();
    assert_eq!(places.iter().map(|place| place.source.as_str()).collect::<Vec<_>>(), ["ds_0", "ds_1"]);
    let columns =
        ["TABLE_SCHEMA", "TABLE_NAME", "TABLE_ROWS", "AVG_ROW_LENGTH", "DATA_LENGTH", "AUTO_INCREMENT"];
    let mut rows = Rows::new(
        known("SELECT 1 FROM information_schema.TABLES"),
        columns.iter().map(|name| (*name).to_owned()).collect(),
    );
    let first: [&[&str]; 4] = [
        &["phys", "a", "1", "10", "10", "NULL"],
        &["phys", "t_2", "3", "20", "60", "9"],
        &["phys", "t_0", "1", "40", "40", "10"],
        &["phys", "t", "7", "7", "7", "NULL"],
    ];
    let second: [&[&str]; 3] = [
        &["phys", "a", "2", "20", "40", "NULL"],
        &["phys", "t_1", "0", "0", "0", "NULL"],
        &["phys", "t_3", "NULL", "NULL", "100", "8"],
    ];
    rows.take(&names, (0, 0), &places[0], answer(&columns, &first));
    rows.take(&names, (0, 1), &places[1], answer(&columns, &second));
    let cells: Vec<Vec<String>> = rows
        .merged()
        .iter()
        .map(|row| {
            let cell = |cell: &Option<Bytes>| {
                cell.as_ref()
                    .map_or_else(|| "NULL".to_owned(), |cell| String::from_utf8_lossy(cell).into_owned())
            };
            row.iter().map(cell).collect()
        })
        .collect();
    assert_eq!(cells, [["shop", "a", "1", "10", "10", "NULL"], ["shop", "t", "4", "50", "200", "10"]]);
    assert_eq!(names.represented("ds_0"), ["t_2"]);
    assert_eq!(names.represented("ds_1"), ["t_1", "t_3"]);
    assert_eq!(names.tables("ds_0", "T", false), ["t_0"]);
    assert_eq!(names.tables("ds_1", "T", false), Vec::<String>::new());
    assert!(Arc::ptr_eq(names.database, database));
}
