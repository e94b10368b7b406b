//! The first words of all statements of the language, by the first of them.

use super::{Read, Row, Then};
use crate::ast::sharding::Kind;
use crate::grammar::{
    audit, broadcast, compute, configuration, digest, encrypt, global, hint, mask, metadata, readwrite,
    shadow, sharding, single, unit, variable,
};

/// Rows that begin with a word. Asked of every statement a client sends: no word that is frequent in MySQL has both its
/// first letter and its length in common with more than two of these.
pub(super) fn beginning(word: &str) -> &'static [Row] {
    let candidates: &[(&str, &'static [Row])] = match word.as_bytes().first().map(u8::to_ascii_uppercase) {
        Some(b'A') => &[("ADD", ADD), ("ALTER", ALTER)],
        Some(b'C') => &[("CLEAR", CLEAR), ("CONVERT", CONVERT), ("COUNT", COUNT), ("CREATE", CREATE)],
        Some(b'D') => &[("DISABLE", DISABLE), ("DROP", DROP)],
        Some(b'E') => &[("ENABLE", ENABLE), ("EXPORT", EXPORT)],
        Some(b'F') => &[("FORCE", FORCE), ("FORMAT", FORMAT)],
        Some(b'I') => &[("IMPORT", IMPORT)],
        Some(b'L') => &[("LABEL", LABEL), ("LOAD", LOAD), ("LOCK", LOCK)],
        Some(b'P') => &[("PARSE", PARSE), ("PREVIEW", PREVIEW)],
        Some(b'R') => &[
            ("REFRESH", REFRESH),
            ("REGISTER", REGISTER),
            ("RELABEL", RELABEL),
            ("RESET", RESET),
            ("ROTATE", ROTATE),
        ],
        Some(b'S') => &[("SET", SET), ("SHOW", SHOW)],
        Some(b'U') => {
            &[("UNLABEL", UNLABEL), ("UNLOAD", UNLOAD), ("UNLOCK", UNLOCK), ("UNREGISTER", UNREGISTER)]
        }
        _ => &[],
    };
    let found = candidates.iter().find(|(candidate, _)| candidate.eq_ignore_ascii_case(word));
    found.map_or(&[], |(_, rows)| rows)
}

const fn read(words: &'static [&'static str], sure: usize, read: Read) -> Row {
    Row { words, sure, then: Then::Parse(read) }
}

const fn later(words: &'static [&'static str], sure: usize) -> Row {
    Row { words, sure, then: Then::NotYet }
}

const ADD: &[Row] = &[
    read(&["ADD", "RESOURCE"], 1, unit::register),
    read(&["ADD", "SHARDING", "HINT"], 2, hint::add_sharding),
];

const ALTER: &[Row] = &[
    read(&["ALTER", "AUDIT", "LOG"], 2, audit::alter),
    later(&["ALTER", "COMPUTE", "NODE"], 2),
    read(&["ALTER", "DEFAULT", "SHADOW", "ALGORITHM"], 3, shadow::alter_default),
    read(&["ALTER", "DEFAULT", "SHARDING"], 3, sharding::alter_default),
    read(&["ALTER", "DEFAULT", "SINGLE", "TABLE", "RULE"], 3, single::set_default_old),
    read(&["ALTER", "ENCRYPT", "RULE"], 2, encrypt::alter),
    read(&["ALTER", "MASK", "RULE"], 2, mask::alter),
    read(&["ALTER", "READWRITE_SPLITTING", "RULE"], 2, readwrite::alter),
    read(&["ALTER", "RESOURCE"], 2, unit::alter),
    read(&["ALTER", "SHADOW", "RULE"], 2, shadow::alter),
    read(&["ALTER", "SHARDING", "ALGORITHM"], 3, |cursor| {
        sharding::alter_algorithms(cursor, Kind::Algorithm)
    }),
    read(&["ALTER", "SHARDING", "AUDITOR"], 3, |cursor| sharding::alter_algorithms(cursor, Kind::Auditor)),
    read(&["ALTER", "SHARDING", "BINDING", "TABLE", "RULES"], 3, sharding::alter_references),
    read(&["ALTER", "SHARDING", "KEY", "GENERATOR"], 3, |cursor| {
        sharding::alter_algorithms(cursor, Kind::KeyGenerator)
    }),
    read(&["ALTER", "SHARDING", "TABLE", "REFERENCE", "RULE"], 2, sharding::alter_references),
    read(&["ALTER", "SHARDING", "TABLE", "RULE"], 2, sharding::alter_tables),
    later(&["ALTER", "SQL_PARSER", "RULE"], 2),
    read(&["ALTER", "STORAGE", "UNIT"], 2, unit::alter),
    later(&["ALTER", "TRANSACTION", "RULE"], 2),
];

const CLEAR: &[Row] = &[
    read(&["CLEAR", "HINT"], 2, hint::clear),
    read(&["CLEAR", "READWRITE_SPLITTING", "HINT"], 2, hint::clear_readwrite),
    read(&["CLEAR", "SHARDING", "HINT"], 2, hint::clear_sharding),
];

const CONVERT: &[Row] = &[read(&["CONVERT", "YAML", "CONFIGURATION"], 1, configuration::convert)];

const COUNT: &[Row] = &[
    read(&["COUNT", "BROADCAST", "RULE"], 2, broadcast::count),
    read(&["COUNT", "ENCRYPT", "RULE"], 2, encrypt::count),
    read(&["COUNT", "MASK", "RULE"], 2, mask::count),
    read(&["COUNT", "READWRITE_SPLITTING", "RULE"], 2, readwrite::count),
    read(&["COUNT", "SHADOW", "RULE"], 2, shadow::count),
    read(&["COUNT", "SHARDING", "RULE"], 1, sharding::count),
    read(&["COUNT", "SINGLE", "TABLE"], 2, single::count),
    read(&["COUNT", "SINGLE_TABLE", "RULE"], 2, single::count),
];

const CREATE: &[Row] = &[
    read(&["CREATE", "BROADCAST", "TABLE", "RULE"], 2, broadcast::create),
    read(&["CREATE", "DEFAULT", "SHADOW", "ALGORITHM"], 3, shadow::create_default),
    read(&["CREATE", "DEFAULT", "SHARDING"], 3, sharding::create_default),
    read(&["CREATE", "DEFAULT", "SINGLE", "TABLE", "RULE"], 3, single::set_default_old),
    read(&["CREATE", "ENCRYPT", "RULE"], 2, encrypt::create),
    read(&["CREATE", "MASK", "RULE"], 2, mask::create),
    read(&["CREATE", "READWRITE_SPLITTING", "RULE"], 2, readwrite::create),
    read(&["CREATE", "SHADOW", "RULE"], 2, shadow::create),
    read(&["CREATE", "SHARDING", "ALGORITHM"], 3, |cursor| {
        sharding::create_algorithms(cursor, Kind::Algorithm)
    }),
    read(&["CREATE", "SHARDING", "AUDITOR"], 3, |cursor| sharding::create_algorithms(cursor, Kind::Auditor)),
    read(&["CREATE", "SHARDING", "BINDING", "TABLE", "RULES"], 3, sharding::create_references),
    read(&["CREATE", "SHARDING", "BROADCAST", "TABLE", "RULES"], 3, broadcast::create_old),
    read(&["CREATE", "SHARDING", "KEY", "GENERATOR"], 3, |cursor| {
        sharding::create_algorithms(cursor, Kind::KeyGenerator)
    }),
    read(&["CREATE", "SHARDING", "TABLE", "REFERENCE", "RULE"], 2, sharding::create_references),
    read(&["CREATE", "SHARDING", "TABLE", "RULE"], 2, sharding::create_tables),
];

const DISABLE: &[Row] = &[
    later(&["DISABLE", "COMPUTE", "NODE"], 1),
    read(&["DISABLE", "READWRITE_SPLITTING"], 1, readwrite::disable),
];

const DROP: &[Row] = &[
    read(&["DROP", "BROADCAST", "TABLE", "RULE"], 2, broadcast::drop),
    read(&["DROP", "DEFAULT", "SHADOW", "ALGORITHM"], 3, shadow::drop_default),
    read(&["DROP", "DEFAULT", "SHARDING"], 3, sharding::drop_default),
    read(&["DROP", "DEFAULT", "SINGLE", "TABLE", "RULE"], 3, single::drop_default_old),
    read(&["DROP", "ENCRYPT", "RULE"], 2, encrypt::drop),
    read(&["DROP", "MASK", "RULE"], 2, mask::drop),
    read(&["DROP", "READWRITE_SPLITTING", "RULE"], 2, readwrite::drop),
    read(&["DROP", "RESOURCE"], 2, unit::unregister),
    read(&["DROP", "SHADOW", "ALGORITHM"], 2, shadow::drop_algorithms),
    read(&["DROP", "SHADOW", "RULE"], 2, shadow::drop),
    read(&["DROP", "SHARDING", "ALGORITHM"], 3, |cursor| sharding::drop_algorithms(cursor, Kind::Algorithm)),
    read(&["DROP", "SHARDING", "AUDITOR"], 3, |cursor| sharding::drop_algorithms(cursor, Kind::Auditor)),
    read(&["DROP", "SHARDING", "BINDING", "TABLE", "RULES"], 3, sharding::drop_bindings),
    read(&["DROP", "SHARDING", "BROADCAST", "TABLE", "RULES"], 3, broadcast::drop_old),
    read(&["DROP", "SHARDING", "KEY", "GENERATOR"], 3, |cursor| {
        sharding::drop_algorithms(cursor, Kind::KeyGenerator)
    }),
    read(&["DROP", "SHARDING", "TABLE", "REFERENCE", "RULE"], 2, sharding::drop_references),
    read(&["DROP", "SHARDING", "TABLE", "RULE"], 2, sharding::drop_tables),
];

const ENABLE: &[Row] = &[
    later(&["ENABLE", "COMPUTE", "NODE"], 1),
    read(&["ENABLE", "READWRITE_SPLITTING"], 1, readwrite::enable),
];

const EXPORT: &[Row] = &[
    read(&["EXPORT", "DATABASE", "CONFIG"], 1, configuration::export),
    read(&["EXPORT", "DATABASE", "CONFIGURATION"], 1, configuration::export),
    later(&["EXPORT", "METADATA"], 1),
    later(&["EXPORT", "STORAGE", "NODES"], 1),
];

const FORCE: &[Row] = &[later(&["FORCE", "REFRESH", "DATABASE", "METADATA"], 1)];

const FORMAT: &[Row] = &[later(&["FORMAT"], 1)];

const IMPORT: &[Row] = &[
    read(&["IMPORT", "DATABASE", "CONFIG"], 2, configuration::import),
    read(&["IMPORT", "DATABASE", "CONFIGURATION"], 2, configuration::import),
    later(&["IMPORT", "METADATA"], 2),
];

const LABEL: &[Row] = &[later(&["LABEL", "COMPUTE", "NODE"], 1)];

const LOAD: &[Row] = &[read(&["LOAD", "SINGLE", "TABLE"], 2, single::load)];

const LOCK: &[Row] = &[later(&["LOCK", "CLUSTER"], 2)];

const PARSE: &[Row] = &[later(&["PARSE"], 1)];

const PREVIEW: &[Row] = &[Row { words: &["PREVIEW"], sure: 1, then: Then::Preview }];

const REFRESH: &[Row] = &[
    later(&["REFRESH", "DATABASE", "METADATA"], 1),
    read(&["REFRESH", "TABLE", "METADATA"], 1, metadata::refresh),
];

const REGISTER: &[Row] = &[read(&["REGISTER", "STORAGE", "UNIT"], 1, unit::register)];

const RELABEL: &[Row] = &[later(&["RELABEL", "COMPUTE", "NODE"], 1)];

const SET: &[Row] = &[
    read(&["SET", "DEFAULT", "SINGLE", "TABLE", "STORAGE", "UNIT"], 3, single::set_default),
    read(&["SET", "DIST", "VARIABLE"], 3, variable::set),
    read(&["SET", "READWRITE_SPLITTING", "HINT"], 3, hint::set_readwrite),
    read(&["SET", "SHARDING", "HINT"], 3, hint::set_sharding),
    read(&["SET", "VARIABLE"], 2, variable::set),
];

const SHOW: &[Row] = &[
    read(&["SHOW", "ALL", "VARIABLES"], 3, variable::show),
    read(&["SHOW", "AUDIT", "LOG", "STATUS"], 2, audit::show_status),
    read(&["SHOW", "AUDIT", "LOG"], 2, audit::show),
    read(&["SHOW", "AUTHORITY", "RULE"], 2, global::show_authority),
    read(&["SHOW", "BROADCAST", "TABLE", "RULES"], 2, broadcast::show),
    read(&["SHOW", "COMPUTE", "NODE", "INFO"], 2, compute::show_info),
    read(&["SHOW", "COMPUTE", "NODE", "MODE"], 2, compute::show_mode),
    read(&["SHOW", "COMPUTE", "NODES"], 2, compute::show_nodes),
    read(&["SHOW", "DATABASE", "RESOURCES"], 3, unit::show),
    read(&["SHOW", "DEFAULT", "SHADOW", "ALGORITHM"], 3, shadow::show_default),
    read(&["SHOW", "DEFAULT", "SHARDING", "STRATEGY"], 3, sharding::show_default),
    read(&["SHOW", "DEFAULT", "SINGLE", "TABLE", "STORAGE", "UNIT"], 3, single::show_default),
    read(&["SHOW", "DIST", "VARIABLE"], 2, variable::show_one),
    read(&["SHOW", "DIST", "VARIABLES"], 2, variable::show),
    read(&["SHOW", "ENCRYPT", "RULE"], 2, encrypt::show_one),
    read(&["SHOW", "ENCRYPT", "RULES"], 2, encrypt::show),
    read(&["SHOW", "ENCRYPT", "TABLE", "RULE"], 2, encrypt::show_one),
    read(&["SHOW", "FULL", "LOGICAL", "TABLES"], 3, metadata::show_full_logical),
    later(&["SHOW", "GLOBAL", "CLOCK", "RULE"], 3),
    read(&["SHOW", "LOGICAL", "TABLES"], 2, metadata::show_logical),
    read(&["SHOW", "MASK", "RULE"], 2, mask::show_one),
    read(&["SHOW", "MASK", "RULES"], 2, mask::show),
    later(&["SHOW", "PLUGINS", "OF"], 3),
    read(&["SHOW", "READWRITE_SPLITTING", "HINT", "STATUS"], 2, hint::show_readwrite),
    read(&["SHOW", "READWRITE_SPLITTING", "READ", "RESOURCES"], 2, readwrite::show_status),
    read(&["SHOW", "READWRITE_SPLITTING", "RULE"], 2, readwrite::show_one),
    read(&["SHOW", "READWRITE_SPLITTING", "RULES"], 2, readwrite::show),
    read(&["SHOW", "RULES", "USED", "RESOURCE"], 2, unit::show_rules),
    read(&["SHOW", "RULES", "USED", "STORAGE", "UNIT"], 2, unit::show_rules),
    read(&["SHOW", "SHADOW", "ALGORITHMS"], 2, shadow::show_algorithms),
    read(&["SHOW", "SHADOW", "RULE"], 2, shadow::show_one),
    read(&["SHOW", "SHADOW", "RULES"], 2, shadow::show),
    read(&["SHOW", "SHADOW", "TABLE", "RULE"], 2, shadow::show_table),
    read(&["SHOW", "SHADOW", "TABLE", "RULES"], 2, shadow::show_tables),
    read(&["SHOW", "SHARDING", "ALGORITHMS"], 3, |cursor| sharding::show_algorithms(cursor, Kind::Algorithm)),
    read(&["SHOW", "SHARDING", "AUDITORS"], 3, |cursor| sharding::show_algorithms(cursor, Kind::Auditor)),
    read(&["SHOW", "SHARDING", "BINDING", "TABLE", "RULES"], 3, sharding::show_references),
    read(&["SHOW", "SHARDING", "BROADCAST", "TABLE", "RULES"], 3, broadcast::show),
    read(&["SHOW", "SHARDING", "HINT", "STATUS"], 3, hint::show_sharding),
    read(&["SHOW", "SHARDING", "KEY", "GENERATORS"], 3, |cursor| {
        sharding::show_algorithms(cursor, Kind::KeyGenerator)
    }),
    read(&["SHOW", "SHARDING", "TABLE", "NODES"], 2, sharding::show_nodes),
    read(&["SHOW", "SHARDING", "TABLE", "REFERENCE", "RULE"], 2, sharding::show_reference),
    read(&["SHOW", "SHARDING", "TABLE", "REFERENCE", "RULES"], 2, sharding::show_references),
    read(&["SHOW", "SHARDING", "TABLE", "RULE"], 2, sharding::show_table),
    read(&["SHOW", "SHARDING", "TABLE", "RULES", "USED"], 2, sharding::show_users),
    read(&["SHOW", "SHARDING", "TABLE", "RULES"], 2, sharding::show_tables),
    read(&["SHOW", "SINGLE", "TABLE"], 2, single::show_one),
    read(&["SHOW", "SINGLE", "TABLES"], 2, single::show),
    later(&["SHOW", "SQL_FEDERATION", "RULE"], 2),
    read(&["SHOW", "SQL_PARSER", "RULE"], 2, global::show_parser),
    later(&["SHOW", "SQL_TRANSLATOR", "RULE"], 2),
    read(&["SHOW", "STATEMENT", "DIGESTS"], 2, digest::show),
    read(&["SHOW", "STATUS", "FROM", "READWRITE_SPLITTING", "RULE"], 4, readwrite::show_status_of_one),
    read(&["SHOW", "STATUS", "FROM", "READWRITE_SPLITTING", "RULES"], 4, readwrite::show_status),
    read(&["SHOW", "STORAGE", "UNIT", "POOLS"], 3, unit::show_pools),
    read(&["SHOW", "STORAGE", "UNITS"], 2, unit::show),
    read(&["SHOW", "TABLE", "METADATA"], 3, metadata::show_tables),
    later(&["SHOW", "TRAFFIC", "RULES"], 2),
    read(&["SHOW", "TRANSACTION", "RULE"], 2, global::show_transaction),
    read(&["SHOW", "UNLOADED", "SINGLE", "TABLES"], 2, single::show_unloaded),
    read(&["SHOW", "UNUSED", "RESOURCES"], 3, unit::show_unused),
    read(&["SHOW", "UNUSED", "SHARDING", "ALGORITHMS"], 3, |cursor| {
        sharding::show_unused(cursor, Kind::Algorithm)
    }),
    read(&["SHOW", "UNUSED", "SHARDING", "AUDITORS"], 3, |cursor| {
        sharding::show_unused(cursor, Kind::Auditor)
    }),
    read(&["SHOW", "UNUSED", "SHARDING", "KEY", "GENERATORS"], 3, |cursor| {
        sharding::show_unused(cursor, Kind::KeyGenerator)
    }),
    read(&["SHOW", "UNUSED", "STORAGE", "UNITS"], 3, unit::show_unused),
    read(&["SHOW", "VARIABLE"], 2, variable::show_one),
];

const RESET: &[Row] = &[
    read(&["RESET", "AUDIT", "LOG"], 2, audit::reset),
    read(&["RESET", "STATEMENT", "DIGESTS"], 2, digest::reset),
];

const ROTATE: &[Row] = &[read(&["ROTATE", "AUDIT", "LOG"], 2, audit::rotate)];

const UNLABEL: &[Row] = &[later(&["UNLABEL", "COMPUTE", "NODE"], 1)];

const UNLOAD: &[Row] = &[
    read(&["UNLOAD", "ALL", "SINGLE", "TABLES"], 1, single::unload_all),
    read(&["UNLOAD", "SINGLE", "TABLE"], 1, single::unload),
];

const UNLOCK: &[Row] = &[later(&["UNLOCK", "CLUSTER"], 2)];

const UNREGISTER: &[Row] = &[read(&["UNREGISTER", "STORAGE", "UNIT"], 1, unit::unregister)];

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: [&str; 29] = [
        "ADD",
        "ALTER",
        "CLEAR",
        "CONVERT",
        "COUNT",
        "CREATE",
        "DISABLE",
        "DROP",
        "ENABLE",
        "EXPORT",
        "FORCE",
        "FORMAT",
        "IMPORT",
        "LABEL",
        "LOAD",
        "LOCK",
        "PARSE",
        "PREVIEW",
        "REFRESH",
        "REGISTER",
        "RELABEL",
        "RESET",
        "ROTATE",
        "SET",
        "SHOW",
        "UNLABEL",
        "UNLOAD",
        "UNLOCK",
        "UNREGISTER",
    ];

    #[test]
    fn a_row_comes_before_the_one_it_begins_with_and_fits_the_lookahead() {
        for first in FIRST {
            let rows = beginning(first);
            assert!(!rows.is_empty(), "{first}");
            for (at, row) in rows.iter().enumerate() {
                assert_eq!(row.words[0], first);
                assert!(
                    row.words.len() <= super::super::LONGEST && row.sure <= row.words.len(),
                    "{:?}",
                    row.words
                );
                for later in &rows[at + 1..] {
                    assert!(!later.words.starts_with(row.words), "{:?} hides {:?}", row.words, later.words);
                }
            }
        }
    }

    #[test]
    fn words_of_mysql_begin_no_row() {
        for word in [
            "SELECT", "INSERT", "UPDATE", "DELETE", "REPLACE", "BEGIN", "COMMIT", "START", "PREPARE",
            "EXECUTE", "USE",
        ] {
            assert!(beginning(word).is_empty(), "{word}");
        }
    }
}
