//! Every spelling of `distsql.md` §2, §3, §9 and §10, and every refusal.

mod refusals;
mod roundtrip;
mod spellings;

use crate::{Error, Statement, parse};

fn read(text: &str) -> Statement {
    match parse(text) {
        Ok(Some(statement)) => statement,
        other => panic!("{text}: {other:?}"),
    }
}

fn refusal(text: &str) -> String {
    match parse(text) {
        Err(error) => error.to_string(),
        other => panic!("{text}: {other:?}"),
    }
}

/// Checks that each text reads as the canonical one does, and that the canonical one prints as itself.
fn same(canonical: &str, texts: &[&str]) {
    let statement = read(canonical);
    assert_eq!(statement.to_string(), canonical);
    for text in texts {
        assert_eq!(read(text), statement, "{text}");
    }
}

#[test]
fn unsupported_is_an_error_of_its_own() {
    let error = parse("CREATE MASK RULE t ()").unwrap_err();
    assert_eq!(error, Error::Unsupported { what: "CREATE MASK RULE".to_owned() });
}
