//! Every spelling of `distsql.md` §2–§10, and every refusal.

mod encrypt;
mod others;
mod readwrite;
mod refusals;
mod roundtrip;
mod shadow;
mod sharding;
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
    let error = parse("PARSE SELECT 1").unwrap_err();
    assert_eq!(error, Error::Unsupported { what: "PARSE".to_owned() });
}

#[test]
fn its_first_word_tells_whether_a_statement_only_shows() {
    for text in ["COUNT MASK RULE", "EXPORT DATABASE CONFIGURATION", "PREVIEW SELECT 1", "SHOW COMPUTE NODES"]
    {
        assert!(read(text).is_query(), "{text}");
    }
    for text in ["CLEAR HINT", "DROP MASK RULE t", "REFRESH TABLE METADATA", "SET DIST VARIABLE a = 1"] {
        assert!(!read(text).is_query(), "{text}");
    }
}
