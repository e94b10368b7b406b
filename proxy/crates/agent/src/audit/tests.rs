//! Records are read back by parsers of others: every form holds every byte.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use observe::record::{Runs, Values, put_run, put_value};
use observe::{Class, Command, Error, Event, Head, Party, Run, Session, Statement, Value};

use super::AuditConfig;
use super::sink::Scribe;
use crate::example;

/// What breaks lines, quotes, elements and characters.
const NASTY: [&[u8]; 14] = [
    b"",
    b"a\r\nb\nc\rd",
    b"a,b;c\td",
    b"say \"x\" 'y' \\\" \\n \\",
    b"nul \0 bell \x07 del \x7f esc \x1b",
    b"]]> <![CDATA[ &amp; <a b=\"c\"/> &#13;",
    "emoji \u{1f600} combining e\u{301}".as_bytes(),
    b"\xff\xfe not UTF-8 \xc3\x28",
    b"cut \xf0\x9f\x98",
    "\u{fffe}\u{ffff}\u{feff}".as_bytes(),
    "line\u{2028}\u{85}".as_bytes(),
    b" blanks at both ends ",
    b"\"",
    b"\x80\"\\\n",
];

fn head() -> Head<'static> {
    Head {
        record: (3, 1742),
        session: 37,
        user: "app",
        client: "10.0.0.1:4711",
        database: "shop",
        at: UNIX_EPOCH + Duration::from_micros(1_764_554_602_000_042),
        elapsed: Duration::from_micros(1500),
        error: None,
    }
}

fn statement(text: &[u8]) -> Statement<'_> {
    Statement {
        head: head(),
        digest: 0xab,
        rows_sent: 1,
        rows_affected: 0,
        warnings: 2,
        bytes_received: 30,
        bytes_sent: 40,
        route_units: 1,
        ..example::statement(Command::Query, text)
    }
}

fn session(head: Head<'static>) -> Session<'static> {
    Session { head, encrypted: true, statements: 5 }
}

fn config(settings: &[(&str, &str)]) -> AuditConfig {
    AuditConfig::default().with(settings.iter().copied()).unwrap()
}

fn epoch() -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(1_764_554_602)
}

/// A whole file of these events.
fn written(settings: &[(&str, &str)], events: &[Event<'_>]) -> Vec<u8> {
    let config = config(settings);
    let mut scribe = Scribe::new(&config, epoch());
    let mut out = config.format.frame().head.as_bytes().to_vec();
    for event in events {
        let classes = scribe.classes(event).unwrap();
        scribe.write(event, classes, &mut out);
    }
    out.extend_from_slice(config.format.frame().tail.as_bytes());
    out
}

/// A record as it was read: values by their names.
type Fields = BTreeMap<String, Vec<u8>>;

fn json(bytes: &[u8]) -> Vec<Fields> {
    let lines = std::str::from_utf8(bytes).unwrap().lines();
    lines
        .map(|line| {
            let value: serde_json::Value = serde_json::from_str(line).unwrap();
            let object = value["audit_record"].as_object().unwrap();
            let bytes = |name: &String, text: &str| match object.get(&format!("{name}_encoding")) {
                Some(_) => text.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect(),
                None => text.as_bytes().to_vec(),
            };
            object
                .iter()
                .filter(|(name, _)| !name.ends_with("_encoding"))
                .map(|(name, value)| match value {
                    serde_json::Value::String(text) => (name.clone(), bytes(name, text)),
                    other => (name.clone(), other.to_string().into_bytes()),
                })
                .collect()
        })
        .collect()
}

fn csv(bytes: &[u8]) -> Vec<Fields> {
    let mut reader = csv::ReaderBuilder::new().flexible(false).from_reader(bytes);
    let names = reader.headers().unwrap().clone();
    reader
        .byte_records()
        .map(|record| {
            let record = record.unwrap();
            names.iter().map(str::to_owned).zip(record.iter().map(<[u8]>::to_vec)).collect()
        })
        .collect()
}

fn unhex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap()).collect()
}

fn xml(bytes: &[u8]) -> Vec<Fields> {
    let text = std::str::from_utf8(bytes).unwrap();
    let document = roxmltree::Document::parse(text).unwrap();
    let is_record = |node: &roxmltree::Node<'_, '_>| node.has_tag_name("AUDIT_RECORD");
    document
        .root_element()
        .children()
        .filter(is_record)
        .map(|record| {
            let attributes = record.attributes().filter(|it| !it.name().ends_with("_ENCODING")).map(|it| {
                let encoding = record.attribute(format!("{}_ENCODING", it.name()).as_str());
                (it.name().to_ascii_lowercase(), value(it.value(), encoding))
            });
            let elements = record.children().filter(roxmltree::Node::is_element).map(|it| {
                let text = it.text().unwrap_or_default();
                (it.tag_name().name().to_ascii_lowercase(), value(text, it.attribute("encoding")))
            });
            attributes.chain(elements).collect()
        })
        .collect()
}

fn value(text: &str, encoding: Option<&str>) -> Vec<u8> {
    if encoding.is_some() { unhex(text) } else { text.as_bytes().to_vec() }
}

type Reader = fn(&[u8]) -> Vec<Fields>;

/// Every form, and what reads it.
const FORMS: [(&str, Reader); 5] =
    [("JSON", json), ("CSV", csv), ("NEW", xml), ("OLD", xml), ("TAURUSDB", csv)];

fn text<'f>(fields: &'f Fields, name: &str) -> &'f str {
    std::str::from_utf8(fields.get(name).map_or(&[], Vec::as_slice)).unwrap()
}

#[test]
fn every_byte_can_be_read_back_from_every_form() {
    let events: Vec<_> = NASTY.iter().map(|text| Event::Statement(statement(text))).collect();
    for (form, read) in FORMS {
        let records = read(&written(&[("format", form)], &events));
        let texts: Vec<_> = records.iter().map(|record| record["sqltext"].as_slice()).collect();
        assert_eq!(texts, NASTY, "{form}");
    }
}

#[test]
fn names_of_clients_break_no_form() {
    let names = ["a\"b", "<&>'", "x,\r\ny", "\u{1}", "ünïcode"];
    let events: Vec<_> = names
        .iter()
        .map(|user| {
            let head = Head { user, database: user, client: "[2001:db8::1]:5", ..head() };
            Event::Connect(session(head))
        })
        .collect();
    for (form, read) in FORMS {
        let records = read(&written(&[("format", form)], &events));
        for (record, name) in records.iter().zip(names) {
            let user =
                if form == "TAURUSDB" { format!("{name}[{name}] @  [2001:db8::1]") } else { name.to_owned() };
            assert_eq!(text(record, "user"), user, "{form}");
            assert_eq!(text(record, "ip"), "2001:db8::1", "{form}");
            let db = if form == "TAURUSDB" { "default_db" } else { "db" };
            assert_eq!(text(record, db), name, "{form}");
        }
        assert_eq!(records.len(), names.len());
    }
}

#[test]
fn a_record_holds_what_is_known_of_a_statement() {
    let mut parameters = Vec::new();
    for value in [
        Value::Null,
        Value::Signed(-5),
        Value::Number(b"1.50"),
        Value::Text(b"it's \\"),
        Value::Bytes(b"\0\xff"),
        Value::Hidden,
    ] {
        put_value(&mut parameters, value);
    }
    let mut runs = Vec::new();
    for (unit, text) in [("ds_0", b"SELECT 1".as_slice()), ("ds_1", b"SELECT 2")] {
        let (started, ended) = (Duration::ZERO, Duration::ZERO);
        put_run(&mut runs, &Run { unit, host: "h", port: 1, started, ended, text, error: 0 });
    }
    let error = Error { code: 1213, state: *b"40001", party: Party::Server, message: b"Deadlock" };
    let event = Event::Statement(Statement {
        head: Head { error: Some(error), ..head() },
        command: Command::Execute,
        prepared: Some(7),
        parameters: Values::new(&parameters),
        runs: Runs::new(&runs),
        route_units: 2,
        target: "crm",
        ..statement(b"SELECT ?")
    });
    for (form, read) in &FORMS[..4] {
        let records = read(&written(&[("format", form), ("log-physical-sql", "true")], &[event]));
        let [record] = records.as_slice() else { panic!("one record") };
        for (name, expected) in [
            ("name", "Execute"),
            ("record", "3.1742_2025-12-01T02:03:22.000000Z"),
            ("timestamp", "2025-12-01T02:03:22 UTC"),
            ("command_class", "select"),
            ("connection_id", "37"),
            ("status", "1213"),
            ("sqltext", "SELECT ?"),
            ("user", "app[app] @  [10.0.0.1]"),
            ("host", "10.0.0.1"),
            ("os_user", ""),
            ("ip", "10.0.0.1"),
            ("db", "shop"),
            ("class", "dml"),
            ("port", "4711"),
            ("time_us", "1764554602000042"),
            ("duration_us", "1500"),
            ("sqlstate", "40001"),
            ("error", "Deadlock"),
            ("error_party", "server"),
            ("target_db", "crm"),
            ("statement_id", "7"),
            ("parameters", "[NULL, -5, 1.50, 'it\\'s \\\\', 0x00FF, ***]"),
            ("rows_sent", "1"),
            ("warnings", "2"),
            ("bytes_received", "30"),
            ("bytes_sent", "40"),
            ("digest", "00000000000000ab"),
            ("transaction", "false"),
            ("shards", "2"),
            ("units", "ds_0,ds_1"),
            ("physical_sql", "ds_0 ::: SELECT 1\nds_1 ::: SELECT 2"),
            ("truncated", "false"),
            ("masked", "false"),
        ] {
            assert_eq!(text(record, name), expected, "{form} {name}");
        }
    }
}

#[test]
fn sessions_have_records_of_their_own() {
    let refused = Error { code: 1045, state: *b"28000", party: Party::Client, message: b"Access denied" };
    let events = [
        Event::Connect(session(Head { error: Some(refused), ..head() })),
        Event::Connect(session(head())),
        Event::ChangeUser(session(head())),
        Event::Quit(session(head())),
    ];
    for (form, read) in &FORMS[..4] {
        let records = read(&written(&[("format", form)], &events));
        let told: Vec<_> = records
            .iter()
            .map(|record| ["name", "status", "priv_user", "class", "tls"].map(|name| text(record, name)))
            .collect();
        let expected = [
            ["Connect", "1045", "app", "connect", "true"],
            ["Connect", "0", "app", "connect", "true"],
            ["Change user", "0", "app", "connect", "true"],
            ["Quit", "0", "app", "quit", "true"],
        ];
        assert_eq!(told, expected, "{form}");
    }
    let records = csv(&written(&[("format", "TAURUSDB")], &events));
    let told: Vec<_> =
        records.iter().map(|record| ["name", "connection_status"].map(|name| text(record, name))).collect();
    assert_eq!(told, [["CONNECT", "1045"], ["CONNECT", "0"], ["CONNECT", "0"], ["QUIT", "0"]]);
}

#[test]
fn what_is_cut_says_so_and_cuts_no_character() {
    let long = "x".repeat(62) + "\u{1f600}" + &"y".repeat(100);
    let events = [
        Event::Statement(statement(long.as_bytes())),
        Event::Statement(Statement { text_length: 16 << 20, ..statement(b"SELECT 'abc") }),
    ];
    for (form, read) in &FORMS[..4] {
        let records = read(&written(&[("format", form), ("max-sql-length", "64")], &events));
        let told: Vec<_> = records
            .iter()
            .map(|record| ["sqltext", "truncated", "text_bytes"].map(|name| text(record, name).to_owned()))
            .collect();
        let expected = [
            ["x".repeat(62), "true".into(), "166".into()],
            ["SELECT 'abc", "true", "16777216"].map(str::to_owned),
        ];
        assert_eq!(told, expected, "{form}");
    }
}

#[test]
fn filters_choose() {
    let by = |command, class, verb| Statement { command, class, verb, ..statement(b"x") };
    let denied = Error { code: 1064, state: *b"42000", party: Party::Client, message: b"" };
    let slow = Head { elapsed: Duration::from_secs(1), ..head() };
    let root = Head { user: "root", client: "[::1]:9", ..head() };
    let events = [
        Event::Statement(by(Command::Query, Class::Ddl, "create_table")),
        Event::Statement(by(Command::Execute, Class::Insert, "insert")),
        Event::Statement(by(Command::Prepare, Class::Insert, "insert")),
        Event::Statement(Statement {
            head: Head { error: Some(denied), ..head() },
            ..by(Command::Query, Class::Unknown, "")
        }),
        Event::Statement(Statement {
            head: slow,
            target: "crm",
            ..by(Command::Query, Class::Select, "select")
        }),
        Event::Connect(session(root)),
        Event::Quit(session(root)),
        Event::Statement(Statement { head: root, ..by(Command::Query, Class::Tcl, "commit") }),
        Event::Statement(by(Command::Query, Class::Dcl, "create_user")),
        Event::Statement(by(Command::Ping, Class::Unknown, "")),
    ];
    for (settings, expected) in [
        (&[][..], &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9][..]),
        (&[("include-classes", "ddl,dcl")], &[0, 8]),
        // What is executed is what its text says, and an execution.
        (&[("include-classes", "dml")], &[1, 4]),
        (&[("include-classes", "execute")], &[1]),
        (&[("exclude-classes", "execute,prepare,connect,quit")], &[0, 3, 4, 7, 8, 9]),
        (&[("include-classes", "other")], &[3, 9]),
        (&[("status", "ERRORS")], &[3]),
        (&[("policy", "LOGINS")], &[5, 6]),
        (&[("policy", "QUERIES")], &[0, 1, 2, 3, 4, 7, 8, 9]),
        (&[("include-accounts", "root")], &[5, 6, 7]),
        (&[("include-accounts", "root@10.%")], &[]),
        (&[("exclude-accounts", "app@10.0.0._")], &[5, 6, 7]),
        (&[("include-hosts", "10.0.0.0/8")], &[0, 1, 2, 3, 4, 8, 9]),
        (&[("exclude-hosts", "10.0.0.0/8")], &[5, 6, 7]),
        (&[("include-databases", "crm")], &[4, 5, 6]),
        (&[("exclude-databases", "shop")], &[4, 5, 6]),
        (&[("include-commands", "INSERT,error")], &[1, 2, 3, 5, 6]),
        (&[("exclude-commands", "insert,ping")], &[0, 3, 4, 5, 6, 7, 8]),
        (&[("min-duration", "2ms")], &[4, 5, 6]),
        (&[("sample", "0")], &[3, 5, 6]),
    ] {
        let scribe = Scribe::new(&config(settings), epoch());
        let held: Vec<_> = (0..events.len()).filter(|at| scribe.classes(&events[*at]).is_some()).collect();
        assert_eq!(held, expected, "{settings:?}");
    }
}

#[test]
fn a_sample_is_a_share_of_all() {
    let scribe = Scribe::new(&config(&[("sample", "0.25")]), epoch());
    let held = (0..40_000_u64)
        .filter(|number| {
            let head = Head { record: (2, *number), ..head() };
            scribe.classes(&Event::Statement(Statement { head, ..statement(b"x") })).is_some()
        })
        .count();
    // Four times the deviation of as many throws.
    assert!((9_650..10_350).contains(&held), "{held}");
}
