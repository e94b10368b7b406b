use std::sync::Arc;
use std::time::Duration;

use observe::record::{self, Values};
use observe::{Command, Error, Event, Head, Party, Phases, Session, Statement, Value};

use super::*;
use crate::counters::SinkCounters;
use crate::example::statement;
use crate::file::Rotation;
use crate::general::tests::read;

/// What the log says of events, with texts cut behind 50 bytes, of those that take a second.
fn logged(events: &[Event<'_>]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("slow.log");
    let rotation = Rotation::default();
    let config = Log { file: path.clone(), limit: 50, parameters: true, rotation };
    let file = LogFile::new(path.clone(), rotation, Arc::new(SinkCounters::new(SlowLog::NAME)));
    let mut log = SlowLog::new(file, &config, Duration::from_secs(1));
    events.iter().for_each(|event| log.take(event));
    log.flush();
    read(&path)
}

/// The text of one statement as the log has it.
fn text(statement: Statement<'_>) -> String {
    let said = logged(&[Event::Statement(statement)]);
    said.split_once("SET timestamp=1785000000;\n").unwrap().1.to_owned()
}

fn executed(text: &'static [u8], values: &[Value<'_>]) -> String {
    let mut bytes = Vec::new();
    values.iter().for_each(|value| record::put_value(&mut bytes, *value));
    self::text(Statement { parameters: Values::new(&bytes), ..statement(Command::Execute, text) })
}

#[test]
fn a_record_is_as_mysql_writes_it_with_the_proxys_fields_behind() {
    let phases = Phases {
        parsed: Duration::from_micros(10),
        planned: Duration::from_micros(30),
        leased: Duration::ZERO,
        answered: Duration::from_micros(1_000_030),
    };
    let error = Error { code: 1317, state: *b"70100", party: Party::Server, message: b"" };
    let told = statement(Command::Query, b"SELECT SLEEP(1)");
    let told = Statement { phases, head: Head { error: Some(error), ..told.head }, ..told };
    assert_eq!(
        logged(&[Event::Statement(told)]),
        "# Time: 2026-07-25T17:20:01.123968Z\n\
         # User@Host: app[app] @ 10.0.0.7 [10.0.0.7]  Id:    12\n\
         # Query_time: 1.000512  Lock_time: 0.000000 Rows_sent: 3  Rows_examined: 0 Rows_affected: 4 Errno: 1317 \
         Bytes_received: 10 Bytes_sent: 20 Route_units: 2 Parse_time: 0.000010 Plan_time: 0.000020 \
         Answer_time: 1.000000 Relay_time: 0.000482\n\
         use shop;\n\
         SET timestamp=1785000000;\n\
         SELECT SLEEP(1);\n"
    );
}

#[test]
fn only_slow_statements_are_logged() {
    let slow = statement(Command::Query, b"DO 1");
    let quick = Statement { head: Head { elapsed: Duration::from_micros(999_999), ..slow.head }, ..slow };
    let quit = Event::Quit(Session { head: slow.head, encrypted: false, statements: 0 });
    assert_eq!(logged(&[Event::Statement(quick), quit]), "");
    let just = Statement { head: Head { elapsed: Duration::from_secs(1), ..slow.head }, ..slow };
    assert_ne!(logged(&[Event::Statement(just)]), "");
}

#[test]
fn parameters_stand_where_they_were_asked_for() {
    for (text, values, said) in [
        (
            &b"DO ?, '?', ? -- ?"[..],
            &[Value::Signed(1), Value::Text(b"it's\n")][..],
            "DO 1, '?', 'it\\'s\\n' -- ?;\n",
        ),
        (b"DO ?", &[Value::Bytes(b"\x00\xff")], "DO 0x00FF;\n"),
        (b"DO ?", &[Value::Text(b"\\\"\x1a\0")], "DO '\\\\\\\"\\Z\\0';\n"),
        (b"DO ?", &[Value::Cut { start: b"abc", length: 10 }], "DO 'abc' /* 7 bytes more */;\n"),
        // As many as there are places, or none.
        (b"DO ?", &[Value::Null, Value::Null], "DO ?;\n"),
        (b"DO ?, ?", &[Value::Null], "DO ?, ?;\n"),
    ] {
        assert_eq!(executed(text, values), said);
    }
}

#[test]
fn no_text_looks_like_the_end_of_a_record() {
    assert_eq!(
        text(statement(Command::Query, b"SELECT ';\n# Time: 1;\n#';")),
        "SELECT ';\n # Time: 1;\n #';\n"
    );
    assert_eq!(text(statement(Command::Query, b"DO 1; \n")), "DO 1;\n");
}

#[test]
fn what_has_no_text_is_a_command() {
    assert_eq!(text(statement(Command::Ping, b"")), "# administrator command: Ping;\n");
    assert_eq!(text(statement(Command::Query, b"")), ";\n");
}

#[test]
fn a_text_that_was_cut_says_so() {
    let long =
        statement(Command::Query, b"SELECT 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'");
    assert_eq!(text(long), format!("SELECT '{} /* 15 bytes more */;\n", "a".repeat(42)));
}

#[test]
fn addresses_are_shown_without_their_ports() {
    let told = statement(Command::Query, b"DO 1");
    let told = Statement { head: Head { client: "[::1]:5000", user: "a\nb", ..told.head }, ..told };
    let said = logged(&[Event::Statement(told)]);
    assert!(said.contains("# User@Host: a\\nb[a\\nb] @ ::1 [::1]  Id:    12\n"), "{said}");
}
