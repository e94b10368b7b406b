//! What sessions tell of themselves.

use std::time::{Duration, Instant};

use observe::{Collector, Event, Wants};
use wire::auth::Plugin;

use super::house::House;

/// What was told, up to the end of so many sessions that got in.
fn told(collector: &Collector, ends: usize) -> Vec<String> {
    let deadline = Instant::now() + Duration::from_secs(30);
    let mut lines: Vec<String> = Vec::new();
    while lines.iter().filter(|line| line.starts_with("quit")).count() < ends {
        assert!(Instant::now() < deadline, "{lines:#?}");
        collector.wait(Duration::from_millis(100));
        for batch in collector.take() {
            lines.extend(batch.events().map(|event| line(&event)));
            collector.done(batch);
        }
    }
    lines
}

fn line(event: &Event<'_>) -> String {
    let head = event.head();
    let what = match event {
        Event::Connect(_) => "connect".to_owned(),
        Event::ChangeUser(_) => "change user".to_owned(),
        Event::Quit(session) => format!("quit {}", session.statements),
        Event::Statement(it) => {
            let masked = if it.masked { " masked" } else { "" };
            format!("{} {}{masked}: {}", it.command.name(), it.verb, it.text.escape_ascii())
        }
    };
    let how = if head.error.is_some() { "failed" } else { "fine" };
    format!("{what} | {}/{} {how}", head.user, head.database)
}

#[test]
fn every_login_is_told_and_every_statement() {
    let house = House::new();
    let hub = &house.shared.events;
    hub.want(Wants::SESSIONS | Wants::STATEMENTS, Duration::ZERO, 100);
    let collector = hub.collector();
    let mut client = house.connect();
    client.login_by(Plugin::Native, "root", "wrong", Some("shop")).unwrap_err();
    drop(client);
    let mut client = house.client("root", Some("plant"));
    client.query("SELECT 1");
    client.query("SELECT 'a\u{0}' FROM");
    client.query("SET PASSWORD = 'geheim'");
    client.query("CREATE USER a IDENTIFIED BY 'geheim");
    client.change_user("ann", "ann", Some("shop")).unwrap();
    client.change_user("bob", "wrong", None).unwrap_err();
    drop(client);
    let lines = told(&collector, 1);
    // No unit is there that could do what the session does not do itself.
    let expected = [
        "connect | root/shop failed",
        "connect | root/plant fine",
        "Query select: SELECT 1 | root/plant fine",
        "Query select: SELECT \\'a\\x00\\' FROM | root/plant failed",
        "Query set_password masked: SET PASSWORD = <secret> | root/plant failed",
        "Query create_user masked: CREATE \\xe2\\x80\\xa6 | root/plant failed",
        "change user | ann/shop fine",
        "change user | bob/ failed",
        "quit 6 | ann/shop fine",
    ];
    assert_eq!(lines, expected);
    assert!(!lines.iter().any(|line| line.contains("geheim")));
}
