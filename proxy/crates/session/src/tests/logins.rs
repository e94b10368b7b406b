//! Who is let in, and what everybody else is told.

use std::io::Write as _;

use meta::Property;
use wire::auth::Plugin;
use wire::caps::{Capabilities, Status};

use super::house::{House, Said};
use crate::Limits;

#[test]
fn lets_in_by_either_method() {
    let house = House::new();
    for plugin in [Plugin::CachingSha2, Plugin::Native] {
        let mut client = house.connect();
        let status = client.login_by(plugin, "root", "root", Some("shop")).unwrap();
        assert_eq!(status, Status::AUTOCOMMIT);
        assert_eq!(client.query("SELECT DATABASE(), CURRENT_USER()").row(), ["shop", "root@%"]);
        assert!(client.greeting.version.contains("-weir-"));
        assert!(!client.greeting.capabilities.contains(Capabilities::SSL));
    }
}

#[test]
fn says_why_nobody_is_let_in() {
    let house = House::new();
    let denied = |user: &str, using: &str| {
        (1045, format!("Access denied for user '{user}'@'127.0.0.1' (using password: {using})"))
    };
    for (user, password, database, expected) in [
        ("root", "wrong", None, denied("root", "YES")),
        ("root", "", None, denied("root", "NO")),
        ("nobody", "x", None, denied("nobody", "YES")),
        // The account is for another address.
        ("far", "far", None, denied("far", "YES")),
        ("root", "root", Some("nosuch"), (1049, "Unknown database 'nosuch'".to_owned())),
        (
            "ann",
            "ann",
            Some("plant"),
            (1044, "Access denied for user 'ann'@'127.0.0.1' to database 'plant'".to_owned()),
        ),
    ] {
        for plugin in [Plugin::CachingSha2, Plugin::Native] {
            let mut client = house.connect();
            assert_eq!(client.login_by(plugin, user, password, database), Err(expected.clone()));
            assert_eq!(client.message(), None);
        }
    }
    // Each ends a moment after its client.
    while house.shared.registry.len() > 0 {
        std::thread::yield_now();
    }
}

#[test]
fn takes_a_system_database_as_the_current_one() {
    let house = House::new();
    let mut client = house.client("root", Some("Information_Schema"));
    assert_eq!(client.query("SELECT DATABASE()").row(), ["information_schema"]);
    assert!(matches!(client.query("USE mysql"), Said::Ok(_)));
    assert_eq!(client.query("SELECT DATABASE()").row(), ["mysql"]);
    assert_eq!(client.query("USE MYSQL").code(), 1049);
}

#[test]
fn garbage_ends_its_own_connection_only() {
    let house = House::new();
    let mut other = house.client("root", None);
    for garbage in [
        &b"GET / HTTP/1.1\r\nHost: here\r\n\r\n"[..],
        &[0xFF; 64],
        // A login of nothing.
        &[0, 0, 0, 1],
        // The wrong sequence.
        &[4, 0, 0, 9, 1, 2, 3, 4],
        // Longer than any login.
        &[0xFF, 0xFF, 0x7F, 1, 0],
        // A length without what follows; then the end of the stream.
        &[200, 0, 0, 1, 0x85],
    ] {
        let mut client = house.connect();
        client.message().unwrap();
        client.stream.write_all(garbage).unwrap();
        // It may be over already.
        let _ = client.stream.shutdown(std::net::Shutdown::Write);
        assert!(client.hangs_up(), "{garbage:?}");
    }
    assert_eq!(other.query("SELECT 1").row(), ["1"]);
}

#[test]
fn does_not_wait_for_a_login_for_ever() {
    let house = House::with(Limits::default(), |snapshot| {
        snapshot.properties = snapshot.properties.with(Property::FrontendConnectTimeout, "1").unwrap();
    });
    let mut client = house.connect();
    client.message().unwrap();
    assert_eq!(client.message(), None);
}

#[test]
fn takes_no_more_clients_than_configured() {
    let house = House::with(Limits::default(), |snapshot| {
        snapshot.properties = snapshot.properties.with(Property::FrontendMaxConnections, "1").unwrap();
    });
    let refused = (1040, "Too many connections".to_owned());
    let first = house.client("ann", None);
    assert_eq!(house.connect().login("ann", "ann", None).unwrap_err(), refused);
    // An administrator finds one place more, for which one must have shown the password.
    assert_eq!(house.connect().login("root", "wrong", None).unwrap_err().0, 1045);
    let second = house.client("root", None);
    assert_eq!(house.connect().login("root", "root", None).unwrap_err(), refused);
    drop((first, second));
    // The session ends a moment after its client.
    while house.shared.registry.len() > 0 {
        std::thread::yield_now();
    }
    house.client("root", None);
}

#[test]
fn a_change_of_user_begins_anew_or_ends_the_connection() {
    let house = House::new();
    let mut client = house.client("root", Some("plant"));
    client.query("SET sql_mode = 'ANSI_QUOTES', autocommit = 0");
    let status = client.change_user("ann", "ann", Some("shop")).unwrap();
    assert_eq!(status, Status::AUTOCOMMIT);
    let row = client.query("SELECT DATABASE(), CURRENT_USER(), @@autocommit").row();
    assert_eq!(row, ["shop", "ann@%", "1"]);
    assert_eq!(client.query("USE plant").code(), 1044);
    // Others see who it is now.
    assert_eq!(house.client("ann", None).query(&format!("KILL {}", client.greeting.thread)).code_or_ok(), 0);

    let mut client = house.client("root", None);
    assert_eq!(client.change_user("ann", "wrong", None).unwrap_err().0, 1045);
    assert_eq!(client.message(), None);
}

#[test]
fn accounts_are_those_of_the_address_a_proxy_in_front_tells() {
    let house = House::with(Limits::default(), |snapshot| {
        let trusted = (Property::FrontendProxyProtocolNetworks, "127.0.0.0/8");
        snapshot.properties = snapshot.properties.with(trusted.0, trusted.1).unwrap();
    });
    for (address, admitted) in [("10.9.9.9", true), ("10.9.9.8", false)] {
        let mut client = house.connect();
        let header = format!("PROXY TCP4 {address} 127.0.0.1 4711 3307\r\n");
        client.stream.write_all(header.as_bytes()).unwrap();
        match client.login("far", "far", None) {
            Ok(_) => assert_eq!(client.query("SELECT USER()").row(), [format!("far@{address}")]),
            Err((code, text)) => {
                assert!(!admitted && code == 1045, "{text}");
                assert!(text.contains(&format!("'far'@'{address}'")), "{text}");
                continue;
            }
        }
        assert!(admitted);
    }
}
