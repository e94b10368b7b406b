//! Properties: what is printed reads back, and no text makes the parser panic.

mod rules;
mod sharding;
mod trees;

use proptest::prelude::*;

use crate::parse;
use trees::statement;

/// Bits of the language in any order.
fn soup() -> impl Strategy<Value = String> {
    let bit = prop::sample::select(vec![
        "REGISTER",
        "STORAGE",
        "UNIT",
        "UNITS",
        "CREATE",
        "SHARDING",
        "TABLE",
        "RULE",
        "RULES",
        "SHOW",
        "FROM",
        "(",
        ")",
        ",",
        "=",
        "HOST",
        "PORT",
        "URL",
        "USER",
        "PROPERTIES",
        "TYPE",
        "NAME",
        "'a'",
        "\"b\"",
        "1",
        "-",
        ";",
        "IF",
        "NOT",
        "EXISTS",
        "DIST",
        "VARIABLE",
        "SET",
        "STORAGE_UNITS",
        "SHARDING_COLUMN",
        "`x`",
        "x",
        "/*",
        "*/",
        "PREVIEW",
        "UNREGISTER",
        "é",
        "WHERE",
        "LIKE",
        "\n",
        "ALTER",
        "READWRITE_SPLITTING",
        "WRITE_STORAGE_UNIT",
        "READ_STORAGE_UNITS",
        "ENABLE",
        "ENCRYPT",
        "COLUMNS",
        "CIPHER",
        "PLAIN",
        "SHADOW",
        "SOURCE",
        "ALGORITHM",
        "DEFAULT",
        "SINGLE",
        "LOAD",
        "*",
        ".",
        "[",
        "]",
        "DATANODES",
        "TABLE_STRATEGY",
        "HINT",
        "METADATA",
        "REFRESH",
        "MASK",
        "BROADCAST",
        "DROP",
    ]);
    prop::collection::vec(bit, 0..24).prop_map(|bits| bits.join(" "))
}

proptest! {
    #[test]
    fn what_is_printed_reads_back(statement in statement()) {
        let text = statement.to_string();
        prop_assert_eq!(parse(&text), Ok(Some(statement)), "{}", text);
    }

    #[test]
    fn no_text_makes_it_panic(text in any::<String>(), bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        let _ = parse(&text).map_err(|error| error.to_string());
        let _ = parse(&String::from_utf8_lossy(&bytes)).map_err(|error| error.to_string());
        for head in ["REGISTER STORAGE UNIT", "DROP SHADOW RULE", "LOAD SINGLE TABLE", "CREATE ENCRYPT RULE t (COLUMNS("] {
            let _ = parse(&format!("{head} {text}")).map_err(|error| error.to_string());
        }
    }

    #[test]
    fn no_order_of_words_makes_it_panic(text in soup()) {
        if let Ok(Some(statement)) = parse(&text) {
            prop_assert_eq!(parse(&statement.to_string()), Ok(Some(statement)));
        }
    }
}
