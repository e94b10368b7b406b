//! The audit log: every login and every statement once, in each of its forms, whatever happens to the file or the
//! proxy meanwhile.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

mod losses;
mod read;

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;
use std::time::{Duration, Instant};

use read::{Record, text};
use weir_tests::{Account, Bed, Own};
use wire::value::Value;

/// A hang becomes a failure after this long.
const PATIENCE: Duration = Duration::from_secs(60);

/// Every form.
const FORMATS: [&str; 5] = ["JSON", "CSV", "NEW", "OLD", "TAURUSDB"];

/// Sets something of the audit log.
#[track_caller]
fn alter(own: &Own, settings: &str) {
    own.account().client().run(format!("ALTER AUDIT LOG ({settings})"));
}

/// Records of a log, once there are as many as wanted of those that count.
#[track_caller]
fn await_records(
    own: &Own,
    (name, format): (&str, &str),
    wanted: usize,
    counts: impl Fn(&Record) -> bool,
) -> Vec<Record> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        // While a file is written to, its last record may be half there, which not every parser forgives.
        own.account().client().run("ROTATE AUDIT LOG");
        let mut records = read::records(&own.weir.logs(), name, format);
        records.retain(|record| counts(record));
        if records.len() >= wanted || Instant::now() > deadline {
            assert_eq!(records.len(), wanted, "{name}");
            return records;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Of sessions of these users only.
fn is_of<'u>(users: &'u [&'u str]) -> impl Fn(&Record) -> bool + 'u {
    |record| users.contains(&text(record, "user").split('[').next().unwrap_or_default())
}

/// An account of its own, so that its records are told from those of the test.
fn create_user(own: &Own, user: &str) -> Account {
    let text = format!(
        "authority:\n  users:\n    - user: root@%\n      password: root\n      admin: true\n    - user: {user}@%\n      \
         password: secret-{user}\n  privilege:\n    type: DATABASE_PERMITTED\n    props:\n      \
         user-database-mappings: root@%=*, {user}@%={}\n",
        own.name
    );
    std::fs::write(own.conf.path().join("server.yaml"), text).unwrap();
    own.weir.restart().unwrap();
    Account::new(own.weir.address(), user, &format!("secret-{user}")).database(own.name)
}

/// What breaks lines, quotes, elements and characters, as strings of SQL that MySQL takes as they are.
const NASTY: [&[u8]; 7] = [
    b"SELECT 'a\r\nb\tc,d;e'",
    b"SELECT 'say \"x\" \\\\ &amp; ]]> <b/>'",
    b"SELECT 'nul \0 bell \x07 esc \x1b'",
    "SELECT 'emoji \u{1f600} \u{fffe}'".as_bytes(),
    b"SELECT _binary'\xff\xfe\xc3\x28'",
    b"SELECT 1 /* \xe4 */",
    b"SELECT v FROM t WHERE id = 1 AND 'x' <> '\x80\"\\'\n'",
];

#[test]
fn every_statement_and_login_is_there_once_in_each_form() {
    const SESSIONS: usize = 4;
    let own = Own::new(Bed::shared(), "audit_forms", &[]);
    let account = create_user(&own, "app");
    for format in FORMATS {
        let file = format!("{}.log", format.to_ascii_lowercase());
        alter(
            &own,
            &format!(
                "enabled=true, format='{format}', file='{file}', rotate_compression=none, rotate_keep=0"
            ),
        );
        Account::new(own.weir.address(), "app", "wrong").connect().unwrap_err();
        std::thread::scope(|scope| {
            for session in 0..SESSIONS {
                let account = &account;
                scope.spawn(move || {
                    let mut client = account.client();
                    for round in 0..20 {
                        client.run(format!("SELECT v, {round} FROM t WHERE id = {session}"));
                        client.run(NASTY[round % NASTY.len()]);
                    }
                    client.fault("SELECT nosuch FROM t");
                    let prepared = client.prepare("SELECT v FROM t WHERE id = ?").unwrap();
                    for id in 0..5 {
                        client.execute(prepared.id, &[Value::Int(id)]).unwrap();
                    }
                    client.close(prepared.id).unwrap();
                    client.run("BEGIN");
                    client.run("COMMIT");
                });
            }
        });
        // A login refused; then of each session its login, statements, and end.
        let each = 1 + 40 + 1 + 1 + 5 + 1 + 2 + 1;
        let records = await_records(&own, (&file, format), 1 + SESSIONS * each, is_of(&["app"]));
        check_forms(&records, format, SESSIONS);
        for path in read::files(&own.weir.logs(), &file) {
            assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600, "{}", path.display());
        }
    }
}

fn check_forms(records: &[Record], format: &str, sessions: usize) {
    let taurus = format == "TAURUSDB";
    let (id, status) = if taurus { ("record_id", "connection_status") } else { ("record", "status") };
    let ids: std::collections::BTreeSet<_> = records.iter().map(|record| text(record, id)).collect();
    assert_eq!(ids.len(), records.len(), "{format}: numbers are there twice");
    let mut by_session: BTreeMap<&str, Vec<&Record>> = BTreeMap::new();
    for record in records {
        by_session.entry(text(record, "connection_id")).or_default().push(record);
    }
    let refused: Vec<_> = by_session.values().filter(|records| records.len() == 1).collect();
    assert_eq!(refused.len(), 1, "{format}");
    assert_eq!(text(refused[0][0], status), "1045", "{format}");
    assert_eq!(by_session.len(), sessions + 1, "{format}");
    for records in by_session.values().filter(|records| records.len() > 1) {
        let name = |record: &Record| text(record, "name").to_ascii_lowercase();
        assert_eq!(
            (name(records[0]).as_str(), name(records[records.len() - 1]).as_str()),
            ("connect", "quit")
        );
        let sent = &records[1..records.len() - 1];
        for round in 0..20 {
            let expected = format!("SELECT v, {round} FROM t WHERE id = ");
            assert!(
                text(sent[2 * round], "sqltext").starts_with(&expected),
                "{format}: {:?}",
                sent[2 * round]
            );
            assert_eq!(sent[2 * round + 1]["sqltext"], NASTY[round % NASTY.len()], "{format}");
        }
        let rest: Vec<_> =
            sent[40..].iter().map(|it| format!("{} {}", text(it, status), text(it, "sqltext"))).collect();
        let execute = "0 SELECT v FROM t WHERE id = ?".to_owned();
        let mut expected = vec!["1054 SELECT nosuch FROM t".to_owned()];
        expected.extend(std::iter::repeat_n(execute, 7));
        expected.extend(["0 BEGIN".to_owned(), "0 COMMIT".to_owned()]);
        assert_eq!(rest, expected, "{format}");
        if !taurus {
            let parameters: Vec<_> = sent[42..47].iter().map(|it| text(it, "parameters")).collect();
            assert_eq!(parameters, ["[0]", "[1]", "[2]", "[3]", "[4]"], "{format}");
        }
    }
}

#[test]
fn neither_passwords_nor_encrypted_values_are_written() {
    let own = Own::new(Bed::shared(), "audit_secrets", &[]);
    alter(&own, "enabled=true, log_physical_sql=true, rotate_compression=none");
    let mut client = own.client();
    client.run(
        "CREATE ENCRYPT RULE person (COLUMNS((NAME=phone, CIPHER=phone_cipher, \
         ENCRYPT_ALGORITHM(TYPE(NAME='AES', PROPERTIES('aes-key-value'='geheim-key'))))))",
    );
    client.run("CREATE TABLE person (id INT PRIMARY KEY, phone VARCHAR(200), note VARCHAR(50))");
    client
        .run("INSERT INTO person (id, phone, note) VALUES (1, 'geheim-1', 'open'), (2, 'geheim-2', 'open')");
    assert_eq!(client.value("SELECT note FROM person WHERE phone = 'geheim-1'"), "open");
    client
        .binary("UPDATE person SET phone = ? WHERE id = ?", &[Value::Bytes(b"geheim-3"), Value::Int(2)])
        .unwrap();
    client.run("UPDATE person SET phone = 'geheim-4', note = 'seen' WHERE id = 2");
    client.fault("SELECT note FROM person WHERE phone > 'geheim-5'");
    client.fault("SELECT note FRM person WHERE phone = 'geheim-6'");
    client.query("CREATE USER audit_x IDENTIFIED BY 'geheim-7'");
    client.query("SET PASSWORD FOR audit_x = 'geheim-8'");
    client.query("ALTER USER audit_x IDENTIFIED BY 'geheim-9");
    client.query("DROP USER IF EXISTS audit_x");
    client.run("SELECT 'the end'");
    drop(client);
    let ends = |record: &Record| text(record, "sqltext") == "SELECT 'the end'";
    await_records(&own, ("audit.log", "JSON"), 1, ends);
    let mut all = String::new();
    for path in read::files(&own.weir.logs(), "audit.log") {
        all.push_str(&std::fs::read_to_string(path).unwrap());
    }
    assert!(
        !all.contains("geheim"),
        "{}",
        all.lines().find(|line| line.contains("geheim")).unwrap_or_default()
    );
    for shown in [
        "INSERT INTO person (id, phone, note) VALUES (1, ***, 'open'), (2, ***, 'open')",
        "SELECT note FROM person WHERE phone = ***",
        "\"parameters\":\"[***, 2]\"",
        "SET phone = ***, note = 'seen' WHERE id = 2",
        "CREATE USER audit_x IDENTIFIED BY <secret>",
    ] {
        assert!(all.contains(shown), "{shown}\n{all}");
    }
    // What the unit was sent is ciphertext.
    assert!(all.contains("phone_cipher"), "{all}");
}

#[test]
fn changes_reach_sessions_that_are_there_and_stay() {
    let own = Own::new(Bed::shared(), "audit_changes", &[]);
    let account = create_user(&own, "app");
    let mut administrator = own.account().client();
    let setting =
        |client: &mut weir_tests::Client, name: &str| client.rows(format!("SHOW AUDIT LOG LIKE '{name}'"));
    assert_eq!(setting(&mut administrator, "enabled"), [["enabled", "false", "agent.yaml"]]);
    let mut client = account.client();
    let id: u32 = client.value("SELECT CONNECTION_ID()").parse().unwrap();
    // A record that waits in memory while settings change falls under either: each is awaited.
    let log = ("audit.log", "JSON");
    let of_app = |record: &Record| text(record, "connection_id") == id.to_string();
    administrator.run(
        "ALTER AUDIT LOG (enabled=true, include_accounts='app', exclude_classes='dml,tcl', rotate_compression=none)",
    );
    client.run("SELECT 2");
    client.run("SET @a = 3");
    await_records(&own, log, 1, of_app);
    administrator.run("ALTER AUDIT LOG (exclude_classes='', include_commands='select')");
    client.run("SET @a = 5");
    client.run("SELECT 4");
    await_records(&own, log, 2, of_app);
    administrator.run("ALTER AUDIT LOG (status=ERRORS)");
    client.run("SELECT 6");
    client.fault("SELECT nosuch FROM t");
    let records = await_records(&own, log, 3, of_app);
    let texts: Vec<_> = records.iter().map(|record| text(record, "sqltext")).collect();
    assert_eq!(texts, ["SET @a = 3", "SELECT 4", "SELECT nosuch FROM t"]);
    for (text, code) in [("ALTER AUDIT LOG (format=YAML)", 11_000), ("ALTER AUDIT LOG (nosuch=1)", 11_000)] {
        assert_eq!(administrator.fault(text).code, code, "{text}");
    }
    // Nobody else may see it or change it.
    let mut other = account.client();
    for text in [
        "SHOW AUDIT LOG",
        "SHOW AUDIT LOG STATUS",
        "ALTER AUDIT LOG (enabled=false)",
        "ROTATE AUDIT LOG",
        "RESET AUDIT LOG",
    ] {
        assert_eq!(other.fault(text).code, 1227, "{text}");
    }
    drop(other);
    administrator.run("RESET AUDIT LOG");
    let shown: Vec<_> = setting(&mut administrator, "status").into_iter().flatten().collect();
    assert_eq!(shown, ["status", "ALL", "agent.yaml"]);
    administrator.run("ALTER AUDIT LOG (enabled=true, format='csv')");
    own.weir.restart().unwrap();
    let mut administrator = own.account().client();
    assert_eq!(setting(&mut administrator, "format"), [["format", "CSV", "ALTER AUDIT LOG"]]);
}
