//! What a session keeps of itself, and how it ends.

use std::sync::Arc;

use meta::{PoolSpec, Property, StorageUnit, TlsMode, UnitId, UnitSpec};
use wire::caps::Status;
use wire::command::code;

use super::house::{House, Said};
use crate::Limits;

#[test]
fn answers_without_a_server_what_is_its_own() {
    let house = House::new();
    for database in [None, Some("shop")] {
        let mut client = house.client("root", database);
        let id = client.greeting.thread.to_string();
        for (text, expected) in [
            ("SELECT ROW_COUNT()", "0"),
            ("SELECT DATABASE()", database.unwrap_or("NULL")),
            ("SELECT CONNECTION_ID()", id.as_str()),
            ("SELECT @@version_comment LIMIT 1", "Weir"),
            ("SELECT @@autocommit", "1"),
            ("SELECT ROW_COUNT()", "-1"),
            ("/* ping */ SELECT 1", "1"),
            ("SHOW DATABASES LIKE 'sh%'", "shop"),
            ("SHOW COUNT(*) WARNINGS", "0"),
        ] {
            assert_eq!(client.query(text).row(), [expected], "{text}");
        }
    }
}

#[test]
fn needs_a_database_and_a_unit_for_the_rest() {
    let house = House::new();
    let mut client = house.client("root", None);
    assert_eq!(client.query("SELECT * FROM t").code(), 1046);
    assert_eq!(client.query("SHOW TABLES").code(), 1046);
    assert_eq!(client.query("USE nosuch").code(), 1049);
    assert_eq!(client.command(code::INIT_DB, b"nosuch").unwrap().code(), 1049);
    assert!(matches!(client.command(code::INIT_DB, b"shop").unwrap(), Said::Ok(_)));
    let said = client.query("SELECT * FROM t");
    let no_unit = "There is no resource in the database `shop`.".to_owned();
    assert_eq!(said, Said::Err(said.code(), no_unit));
}

#[test]
fn shows_the_problems_it_raised_itself() {
    let house = House::new();
    let mut client = house.client("root", None);
    client.query("SELECT * FROM t");
    let row = ["Error", "1046", "No database selected"];
    assert_eq!(client.query("SHOW WARNINGS").row(), row);
    assert_eq!(client.query("SHOW ERRORS LIMIT 1").row(), row);
    assert_eq!(client.query("SHOW COUNT(*) ERRORS").row(), ["1"]);
    assert_eq!(client.query("SELECT @@error_count").row(), ["1"]);
    // That was a statement like any other.
    assert_eq!(client.query("SHOW WARNINGS"), Said::Rows(Vec::new()));
    assert_eq!(client.query("GET DIAGNOSTICS @n = NUMBER").code(), 1046);
}

#[test]
fn an_account_sees_its_own_databases_only() {
    let house = House::with(Limits::default(), |snapshot| {
        let plant = Arc::make_mut(snapshot.databases.get_mut("plant").unwrap());
        let spec = UnitSpec {
            host: "127.0.0.1".to_owned(),
            port: 1,
            database: "plant".to_owned(),
            user: "app".to_owned(),
            password: String::new(),
            tls: TlsMode::Disabled,
            pool: PoolSpec::default(),
            other: Default::default(),
        };
        let unit = StorageUnit { id: UnitId(1), name: "ds".to_owned(), spec };
        plant.units.insert("ds".to_owned(), Arc::new(unit));
    });
    let mut client = house.client("ann", Some("shop"));
    for text in [
        "USE plant",
        "SHOW TABLES FROM plant",
        "SELECT * FROM plant.t",
        "DROP DATABASE plant",
        "SHOW STORAGE UNITS FROM plant",
        "EXPORT DATABASE CONFIGURATION FROM plant",
    ] {
        assert_eq!(client.query(text).code(), 1044, "{text}");
    }
    assert_eq!(client.query("SHOW DATABASES LIKE 'plant'"), Said::Rows(Vec::new()));
    assert!(house.shared.published.load().database("plant").is_some());
    // What any server could answer is asked of none that is not open to the account.
    let mut client = house.client("ann", None);
    assert_eq!(client.query("SELECT 1 + 1").code(), 1046);
}

#[test]
fn keeps_what_is_set_until_it_is_reset() {
    let house = House::new();
    let mut client = house.client("root", None);
    let Said::Ok(status) = client.query("SET autocommit = OFF, SQL_MODE = 'NO_BACKSLASH_ESCAPES'") else {
        panic!("refused")
    };
    assert_eq!(status, Status::NO_BACKSLASH_ESCAPES);
    assert_eq!(client.query("SELECT @@autocommit").row(), ["0"]);
    // A backslash is a character like any other now.
    assert_eq!(client.query("SELECT 'a\\' FROM t").code(), 1046);
    assert!(matches!(client.command(code::RESET_CONNECTION, b""), Some(Said::Ok(Status::AUTOCOMMIT))));
    assert_eq!(client.query("SELECT @@autocommit").row(), ["1"]);
    assert_eq!(client.query("SELECT 'a\\' FROM t").code(), 1064);
}

#[test]
fn takes_all_of_a_set_or_nothing() {
    let house = House::new();
    let mut client = house.client("root", None);
    for text in [
        "SET autocommit = 0, autocommit = 7",
        "SET autocommit = 0, NAMES 'no''name'",
        "SET autocommit = 0, GLOBAL max_connections = 5",
    ] {
        assert!(matches!(client.query(text), Said::Err(..)), "{text}");
        assert_eq!(client.query("SELECT @@autocommit").row(), ["1"], "{text}");
    }
}

#[test]
fn a_transaction_is_only_a_flag_until_a_server_is_needed() {
    let house = House::new();
    let mut client = house.client("root", None);
    let begun = Status::AUTOCOMMIT | Status::IN_TRANSACTION;
    assert_eq!(client.query("BEGIN"), Said::Ok(begun));
    assert_eq!(client.query("SET TRANSACTION READ ONLY").code(), 1568);
    assert_eq!(client.query("ROLLBACK TO SAVEPOINT nosuch").code(), 1305);
    assert_eq!(client.query("SAVEPOINT a"), Said::Ok(begun));
    assert_eq!(client.query("COMMIT AND CHAIN"), Said::Ok(begun));
    assert_eq!(client.query("ROLLBACK"), Said::Ok(Status::AUTOCOMMIT));
    assert_eq!(client.query("COMMIT RELEASE"), Said::Ok(Status::AUTOCOMMIT));
    assert_eq!(client.message(), None);
}

#[test]
fn is_ended_by_others_of_its_user() {
    let house = House::new();
    let mut victim = house.client("root", None);
    let id = victim.greeting.thread;
    let mut ann = house.client("ann", None);
    assert_eq!(ann.query(&format!("KILL {id}")).code(), 1095);
    assert_eq!(ann.query(&format!("KILL QUERY {id}")).code(), 1095);
    let mut killer = house.client("root", None);
    // It runs nothing, and what it does next is not meant.
    assert!(matches!(killer.query(&format!("KILL QUERY {id}")), Said::Ok(_)));
    assert_eq!(victim.query("SELECT 1").row(), ["1"]);
    assert!(matches!(killer.query(&format!("KILL CONNECTION {id}")), Said::Ok(_)));
    // Its connection is closed without a word, as MySQL does it.
    assert_eq!(victim.message(), None);
    for (text, code) in [
        ("KILL 4000000", 1094),
        ("KILL QUERY 4000000", 1094),
        ("KILL HARD QUERY 4000000", 1094),
        ("KILL '4000000'", 1046),
        ("KILL QUERY CONNECTION_ID()", 1317),
    ] {
        assert_eq!(killer.query(text).code(), code, "{text}");
    }
    let own = killer.greeting.thread;
    assert_eq!(killer.query(&format!("KILL {own}")).code(), 1317);
    assert_eq!(killer.message(), None);
}

#[test]
fn holds_as_many_prepared_statements_as_configured() {
    let house = House::with(Limits::default(), |snapshot| {
        snapshot.properties = snapshot.properties.with(Property::FrontendMaxPreparedStatements, "0").unwrap();
    });
    let mut client = house.client("root", None);
    let message = "Can't create more than max_prepared_stmt_count statements (current value: 0)".to_owned();
    client.send(0, b"\x16SELECT 1");
    assert_eq!(client.answer(), Some(Said::Err(1461, message.clone())));
    assert_eq!(client.query("PREPARE a FROM 'SELECT 1'"), Said::Err(1461, message));
}

#[test]
fn is_told_to_go_when_the_proxy_ends_unless_a_transaction_is_open() {
    let house = House::new();
    let mut idle = house.client("root", None);
    let mut busy = house.client("root", None);
    busy.query("BEGIN");
    house.shared.drain.cancel();
    assert_eq!(idle.unasked().code(), 1053);
    assert_eq!(idle.message(), None);
    assert!(matches!(busy.query("SELECT 1"), Said::Rows(_)));
    busy.query("COMMIT");
    assert_eq!(busy.unasked().code(), 1053);
}

#[test]
fn tells_unknown_commands_from_broken_packets() {
    let house = House::new();
    let mut client = house.client("root", None);
    assert_eq!(client.command(0x70, b"x").unwrap().code(), 1047);
    assert!(matches!(client.command(code::PING, b""), Some(Said::Ok(_))));
    assert_eq!(client.command(code::STMT_EXECUTE, &[9, 0, 0, 0, 0, 1, 0, 0, 0]).unwrap().code(), 1243);
    // Too short to be one: nobody knows what else is wrong.
    assert!(matches!(client.command(code::STMT_EXECUTE, &[1]), Some(Said::Err(..))));
    assert_eq!(client.message(), None);
}

#[test]
fn answers_what_is_sent_ahead_in_order() {
    let house = House::new();
    let mut client = house.client("root", None);
    for number in 0..50 {
        client.send(0, format!("\u{3}SELECT {number}").as_bytes());
    }
    client.send(0, &[code::QUIT]);
    for number in 0..50 {
        let mut expected = client.answer_anew().row();
        assert_eq!(expected.pop(), Some(number.to_string()));
    }
    assert_eq!(client.message(), None);
}

#[test]
fn follows_its_database_when_that_goes() {
    let house = House::new();
    let mut client = house.client("root", None);
    client.query("CREATE DATABASE mill");
    client.query("USE mill");
    let mut other = house.client("root", Some("mill"));
    assert_eq!(client.query("SELECT DATABASE()").row(), ["mill"]);
    client.query("DROP DATABASE mill");
    assert_eq!(client.query("SELECT DATABASE()").row(), ["NULL"]);
    assert_eq!(other.query("SELECT * FROM t").code(), 1049);
}
