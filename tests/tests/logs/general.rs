//! What stands in the general log.

use std::collections::BTreeMap;

use wire::caps::Capabilities;
use wire::value::Value;

use crate::{Line, eventually, lines, own};

const ON: &str = "general-query-log: true";

/// Texts that try to break a line.
const NASTY: [&[u8]; 10] = [
    b"SELECT 'a\r\nb'",
    b"SELECT 'tab\tand\\\\backslash\\n'",
    b"SELECT 'it''s', \"q\\\"q\"",
    b"SELECT 'nul\0nul'",
    b"SELECT _binary'\xff\xfe\xc3('",
    "SELECT 'ä€😀'".as_bytes(),
    b"SELECT '\x01\x1b\x7f' -- 2026-12-01T02:13:42.123456Z\t1\tQuery",
    b"SELECT 1\n2026-12-01T02:13:42.123456Z\t1\tQuery\troot\t-",
    b"   \n\t SELECT 2",
    b"SELECT '\\+12'",
];

#[test]
fn every_statement_is_there_once_in_order_and_with_every_byte() {
    const SESSIONS: usize = 6;
    const ROUNDS: usize = 40;
    let own = own("logs_all", &[ON, "rotate-size: 0"]);
    let sent: BTreeMap<u32, Vec<Vec<u8>>> = std::thread::scope(|scope| {
        let work = |session: usize| {
            let mut client = own.client();
            let id = client.value("SELECT CONNECTION_ID()").parse().unwrap();
            let mut sent = vec![b"SELECT CONNECTION_ID()".to_vec()];
            for round in 0..ROUNDS {
                let mut say = |text: &[u8]| {
                    // The server judges some of them to be wrong, which is told as well.
                    let _ = client.query(text);
                    sent.push(text.to_vec());
                };
                say(NASTY[(session + round) % NASTY.len()]);
                say(format!("SELECT v FROM t WHERE id = {round}").as_bytes());
                say(format!("SELECT {session}, {round}").as_bytes());
                say(b"SELEC");
            }
            (id, sent)
        };
        let threads: Vec<_> = (0..SESSIONS).map(|session| scope.spawn(move || work(session))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let count = |lines: &[Line]| lines.iter().filter(|line| sent.contains_key(&line.session)).count();
    let statements: usize = sent.values().map(Vec::len).sum();
    // With their logins and ends.
    eventually("all are written", || count(&lines(&own)) == statements + 2 * SESSIONS);
    for (session, texts) in sent {
        let lines: Vec<_> = lines(&own).into_iter().filter(|line| line.session == session).collect();
        let commands: Vec<_> = lines.iter().map(|line| line.command.as_str()).collect();
        assert_eq!((commands[0], *commands.last().unwrap()), ("Connect", "Quit"));
        assert!(commands[1..commands.len() - 1].iter().all(|command| *command == "Query"));
        let told: Vec<_> = lines[1..lines.len() - 1].iter().map(|line| line.sql.clone()).collect();
        assert!(told == texts, "session {session}");
    }
}

#[test]
fn a_line_tells_what_became_of_a_statement() {
    let own = own("logs_line", &[ON]);
    let mut client = own.client();
    client.run("INSERT INTO t VALUES (3, 3), (4, 4)");
    client.rows("SELECT id FROM t WHERE id > 1");
    client.fault("SELECT * FROM missing");
    let id: u32 = client.value("SELECT CONNECTION_ID()").parse().unwrap();
    drop(client);
    let of = |id| lines(&own).into_iter().filter(|line| line.session == id).collect::<Vec<_>>();
    eventually("the session has ended", || of(id).last().is_some_and(|line| line.command == "Quit"));
    let facts: Vec<_> = of(id)
        .into_iter()
        .map(|line| {
            assert_eq!((line.user.as_str(), line.database.as_str()), ("root", "logs_line"));
            let code = line.error.split(' ').next().unwrap().to_owned();
            (line.command, line.units, line.rows, line.affected, code)
        })
        .collect();
    let fact = |command: &str, units, rows, affected, code: &str| {
        (command.to_owned(), units, rows, affected, code.to_owned())
    };
    assert_eq!(
        facts,
        [
            fact("Connect", 0, 0, 0, "-"),
            fact("Query", 1, 0, 2, "-"),
            fact("Query", 1, 3, 0, "-"),
            fact("Query", 1, 0, 0, "1146"),
            fact("Query", 0, 1, 0, "-"),
            fact("Quit", 0, 0, 0, "-"),
        ]
    );
    assert!(of(id)[3].error.starts_with("1146 42S02 Table 'logs_line.missing' doesn't exist"));
}

#[test]
fn executed_statements_come_with_their_parameters() {
    let own = own("logs_parameters", &[ON]);
    let mut client = own.client();
    let prepared = client.prepare("SELECT ?, ?, ?, ?").unwrap();
    let parameters = [Value::Int(-7), Value::Bytes(b"it's\n\xff"), Value::Null, Value::Double(0.5)];
    client.execute(prepared.id, &parameters).unwrap();
    client.close(prepared.id).unwrap();
    client.run("DO 1");
    let of = || {
        let lines = lines(&own).into_iter().map(|line| (line.command, line.sql, line.parameters));
        lines.skip_while(|line| line.0 != "Prepare").collect::<Vec<_>>()
    };
    eventually("all are written", || of().len() >= 4);
    let sql = b"SELECT ?, ?, ?, ?".to_vec();
    assert_eq!(
        of()[..4],
        [
            ("Prepare".to_owned(), sql.clone(), "-".to_owned()),
            ("Execute".to_owned(), sql.clone(), "[-7, 'it\\'s\\n\\xFF', NULL, 0.5]".to_owned()),
            ("Close stmt".to_owned(), sql, "-".to_owned()),
            ("Query".to_owned(), b"DO 1".to_vec(), "-".to_owned()),
        ]
    );
}

#[test]
fn each_statement_of_a_text_of_several_is_a_line() {
    let own = own("logs_several", &[ON]);
    let several = own.account().database(own.name);
    let capabilities = several.capabilities | Capabilities::MULTI_STATEMENTS;
    let mut client = several.capabilities(capabilities).client();
    assert_eq!(client.replies("SELECT 'a'; SELECT v FROM t WHERE id = 1;SELECT 'c'").len(), 3);
    let told = || crate::told(&own, "SELECT ");
    eventually("all are written", || told().len() == 3);
    assert_eq!(told(), ["SELECT 'a'", "SELECT v FROM t WHERE id = 1", "SELECT 'c'"]);
}

#[test]
fn a_huge_statement_is_cut_and_says_so() {
    let own = own("logs_huge", &[ON, "max-sql-length: 1000"]);
    let mut client = own.client();
    let text = format!("SELECT LENGTH('{}')", "x".repeat(16 << 20));
    // Not by what would show the text when it fails.
    assert!(matches!(client.try_query(&text), Ok(weir_tests::Reply::Rows(_))));
    let prepared = client.prepare("SELECT LENGTH(?)").unwrap();
    let value = vec![b'y'; 1 << 20];
    client.execute(prepared.id, &[Value::Bytes(&value)]).unwrap();
    let huge = || lines(&own).into_iter().find(|line| line.missing > 0);
    let executed = || lines(&own).into_iter().find(|line| line.command == "Execute");
    eventually("both are written", || huge().is_some() && executed().is_some());
    let huge = huge().unwrap();
    assert_eq!((huge.sql.as_slice(), huge.rows), (&text.as_bytes()[..1000], 1));
    assert_eq!(huge.missing, text.len() as u64 - 1000);
    assert_eq!(executed().unwrap().parameters, format!("['{}\\+{}']", "y".repeat(1000), (1 << 20) - 1000));
}

#[test]
fn passwords_and_strangers_are_told_of_as_they_should() {
    let own = own("logs_secret", &[ON]);
    let mut client = own.client();
    let _ = client.query("ALTER USER nobody_there IDENTIFIED BY 'hunter2'");
    let _ = client.query("SET PASSWORD FOR nobody_there = 'hunter2'");
    assert!(own.account().password("hunter3").connect().is_err());
    let refused = || {
        lines(&own).into_iter().find(|line| line.command == "Connect" && line.error.starts_with("1045 28000"))
    };
    eventually("the refusal is written", || refused().is_some());
    eventually("the rest is written", || !crate::told(&own, "SET PASSWORD FOR nobody_there").is_empty());
    assert_eq!(refused().unwrap().user, "root");
    let text = std::fs::read_to_string(crate::general(&own)).unwrap();
    assert!(text.contains("ALTER USER nobody_there IDENTIFIED BY"), "{text}");
    assert!(!text.contains("hunter"), "{text}");
}
