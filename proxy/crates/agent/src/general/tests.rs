use std::path::Path;
use std::sync::Arc;

use observe::record::{self, Values};
use observe::{Command, Error, Party, Value};

use super::*;
use crate::counters::SinkCounters;
use crate::example::{head, statement};
use crate::file::Rotation;

/// What the log says of events, with texts cut behind 20 bytes.
fn logged(events: &[Event<'_>], parameters: bool) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("general.log");
    let rotation = Rotation::default();
    let config = Log { file: path.clone(), limit: 20, parameters, rotation };
    let file = LogFile::new(path.clone(), rotation, Arc::new(SinkCounters::new(GeneralLog::NAME)));
    let mut log = GeneralLog::new(file, &config);
    events.iter().for_each(|event| log.take(event));
    log.flush();
    read(&path)
}

pub(crate) fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

const BEFORE: &str = "2026-07-25T17:20:00.123456Z\t12";

#[test]
fn a_statement_is_one_line_of_thirteen_columns() {
    let said = logged(&[Event::Statement(statement(Command::Query, b"SELECT\n1"))], true);
    assert_eq!(
        said,
        format!("{BEFORE}\tQuery\tapp\t10.0.0.7:5000\tshop\t1.000512\t2\t3\t4\t-\tSELECT\\n1\t-\n")
    );
}

#[test]
fn what_is_empty_is_a_dash_and_errors_are_told() {
    let error = Error { code: 1146, state: *b"42S02", party: Party::Server, message: b"no\ttable" };
    let none = Head { user: "", client: "", database: "", error: Some(error), ..head() };
    let session = Session { head: none, encrypted: false, statements: 0 };
    let said = logged(&[Event::Connect(session), Event::Quit(Session { head: head(), ..session })], true);
    assert_eq!(
        said,
        format!(
            "{BEFORE}\tConnect\t-\t-\t-\t1.000512\t0\t0\t0\t1146 42S02 no\\ttable\t-\t-\n\
             {BEFORE}\tQuit\tapp\t10.0.0.7:5000\tshop\t1.000512\t0\t0\t0\t-\t-\t-\n"
        )
    );
}

#[test]
fn parameters_are_told_if_that_is_wanted() {
    let mut values = Vec::new();
    for value in [Value::Signed(-1), Value::Text(b"a\tb"), Value::Null] {
        record::put_value(&mut values, value);
    }
    let executed =
        Statement { parameters: Values::new(&values), ..statement(Command::Execute, b"DO ?, ?, ?") };
    let ends = |text: &str, end: &str| assert!(text.ends_with(end), "{text}");
    ends(&logged(&[Event::Statement(executed)], true), "\tDO ?, ?, ?\t[-1, 'a\\tb', NULL]\n");
    ends(&logged(&[Event::Statement(executed)], false), "\tDO ?, ?, ?\t-\n");
}

#[test]
fn a_text_that_was_cut_says_how_much_is_missing() {
    let long = statement(Command::Query, b"SELECT 'aaaaaaaaaaaaaaaaaaaa'");
    let said = logged(&[Event::Statement(long)], true);
    assert!(said.ends_with("\tSELECT 'aaaaaaaaaaaa\\+9\t-\n"), "{said}");
    let cut_before = Statement { text_length: 16 << 20, ..statement(Command::Query, b"SELECT") };
    let said = logged(&[Event::Statement(cut_before)], true);
    assert!(said.ends_with("\tSELECT\\+16777210\t-\n"), "{said}");
}
