//! Statements: the lexer, fingerprints, the analysis, the splitting of texts, and DistSQL.

use std::fmt::Write as _;

use sql::lexer::{TokenKind, tokens};
use sql::{Fingerprinter, Mode, SlotKind, analyse, split};

use crate::{Choices, seen};

/// Words that mean something in SQL.
pub(crate) const WORDS: &[&str] = &[
    "SELECT",
    "FROM",
    "WHERE",
    "GROUP BY",
    "ORDER BY",
    "HAVING",
    "LIMIT",
    "OFFSET",
    "UNION",
    "ALL",
    "DISTINCT",
    "JOIN",
    "LEFT",
    "ON",
    "USING",
    "NATURAL",
    "INSERT INTO",
    "VALUES",
    "ON DUPLICATE KEY UPDATE",
    "REPLACE",
    "UPDATE",
    "SET",
    "DELETE",
    "WITH",
    "RECURSIVE",
    "AS",
    "AND",
    "OR",
    "XOR",
    "NOT",
    "IN",
    "BETWEEN",
    "LIKE",
    "IS NULL",
    "EXISTS",
    "CASE",
    "WHEN",
    "THEN",
    "ELSE",
    "END",
    "CREATE",
    "TABLE",
    "ALTER",
    "DROP",
    "TEMPORARY",
    "IF",
    "BEGIN",
    "COMMIT",
    "ROLLBACK",
    "SAVEPOINT",
    "SHOW",
    "EXPLAIN",
    "CALL",
    "PREPARE",
    "EXECUTE",
    "LOCK TABLES",
    "HANDLER",
    "LOAD DATA",
    "INTO OUTFILE",
    "FOR UPDATE",
    "OVER",
    "PARTITION BY",
    "ROWS",
    "INTERVAL",
    "DAY",
    "COUNT(*)",
    "SUM(a)",
    "GROUP_CONCAT(",
    "SEPARATOR",
    "CAST(",
    "CONVERT(",
    "COLLATE",
    "_utf8mb4",
    "x'1f'",
    "b'01'",
    "0x1F",
    "1.5e3",
    "?",
    "'it''s'",
    "\"q\"",
    "`n``m`",
    "@a",
    "@@sql_mode",
    ":=",
    "->>",
    "<=>",
    "||",
    "&&",
    "/*",
    "*/",
    "/*!50000",
    "/*+",
    "--",
    "#",
    ";",
    "(",
    ")",
    ",",
    ".",
    "*",
    "t",
    "t.id",
    "db.t",
    "id = 1",
    "NULL",
    "\\",
    "\n",
    "DELIMITER",
    "é",
    "TRIGGER",
    "PROCEDURE",
    "LOOP",
    "REPEAT",
    "WHILE",
    "DO",
    "SQL_CALC_FOUND_ROWS",
    "STRAIGHT_JOIN",
    "LATERAL",
    "JSON_TABLE(",
    "MATCH",
    "AGAINST",
    "ROLLUP",
    "VALUES ROW(1)",
];

/// Modes that change how texts are read.
fn mode(choice: u8) -> Mode {
    let names = [
        "",
        "ANSI_QUOTES",
        "NO_BACKSLASH_ESCAPES",
        "PIPES_AS_CONCAT,ANSI_QUOTES",
        "HIGH_NOT_PRECEDENCE",
        "IGNORE_SPACE",
    ];
    Mode::of(names[usize::from(choice) % names.len()])
}

/// One text.
pub(crate) fn sql(input: &[u8]) -> u64 {
    let (mut choices, input) = Choices::split(input, 2);
    let (mode, digits) = (mode(choices.next()), choices.next());
    let text = String::from_utf8_lossy(input);
    let text = text.as_ref();
    let tokens = match tokens(text, mode) {
        Ok(tokens) => tokens,
        Err(error) => {
            assert!(Fingerprinter::fixed().fingerprint(text, mode).is_err(), "what the lexer refuses");
            return seen(std::mem::discriminant(&error));
        }
    };
    let mut end = 0;
    for token in &tokens {
        let (from, to) = (token.start as usize, token.end as usize);
        assert!(from < to && from >= end, "tokens out of order: {token:?}");
        assert!(
            text.is_char_boundary(from) && text.is_char_boundary(to),
            "a character cut in two: {token:?}"
        );
        let gap = &text[end..from];
        assert!(gap.bytes().all(|byte| byte <= b' ' || byte == 0x7F), "{gap:?} is in no token");
        end = to;
    }
    let print = Fingerprinter::fixed().fingerprint(text, mode).expect("what the lexer reads");
    slots(text, mode, &print, digits);
    pieces(text, mode);
    let statement = analyse(text, &print, mode);
    let kinds: Vec<_> = tokens.iter().take(12).map(|token| token.kind).collect();
    match statement {
        Ok(statement) => {
            let told = format!("{statement:?}");
            let head: String = told.chars().filter(|c| c.is_ascii_alphabetic()).take(400).collect();
            seen((head, 0))
        }
        Err(error) => seen((kinds, format!("{error:?}").len() + 1)),
    }
}

/// A text with other numbers in it has the same fingerprint.
fn slots(text: &str, mode: Mode, print: &sql::Fingerprint, digits: u8) {
    let mut other = String::new();
    let mut end = 0;
    for slot in &print.slots {
        assert!(slot.start as usize >= end && slot.start < slot.end, "{slot:?}");
        other.push_str(&text[end..slot.start as usize]);
        if slot.kind == SlotKind::Integer {
            let _ = write!(other, "{}", u32::from(digits) + 10);
        } else {
            other.push_str(slot.text(text));
        }
        end = slot.end as usize;
    }
    other.push_str(&text[end..]);
    // A number may have stood beside what makes it another token when its digits change, as in `1e5` of `1` and `e5`.
    let Ok(again) = Fingerprinter::fixed().fingerprint(&other, mode) else { return };
    if again.slots.len() != print.slots.len()
        || again.slots.iter().zip(&print.slots).any(|(one, other)| one.kind != other.kind)
    {
        return;
    }
    assert_eq!(again.hash, print.hash, "{other:?}");
    assert!(again.alike(&other, &print.slots, text), "{other:?}");
    assert!(print.alike(text, &again.slots, &other), "{other:?}");
}

/// Statement by statement a text is the same text.
fn pieces(text: &str, mode: Mode) {
    let mut rest = text;
    let mut count = 0;
    while let Some(end) = split::first(rest, mode).end {
        assert_eq!(rest.as_bytes().get(end), Some(&b';'), "a statement ends at a semicolon");
        rest = &rest[end + 1..];
        count += 1;
        assert!(count <= text.len(), "more statements than bytes");
    }
    let semicolons = tokens(text, mode)
        .map_or(0, |all| all.iter().filter(|token| token.kind == TokenKind::Semicolon).count());
    assert!(count <= semicolons, "{count} statements of {semicolons} semicolons");
}

pub(crate) fn sql_seeds() -> Vec<Vec<u8>> {
    include_str!("../corpus/sql.txt").lines().map(|line| [b"\0\x05", line.as_bytes()].concat()).collect()
}

/// Words of DistSQL.
pub(crate) const RULES: &[&str] = &[
    "REGISTER",
    "STORAGE",
    "UNIT",
    "UNITS",
    "CREATE",
    "ALTER",
    "DROP",
    "SHOW",
    "SHARDING",
    "TABLE",
    "RULE",
    "RULES",
    "FROM",
    "(",
    ")",
    ",",
    "=",
    ";",
    "HOST",
    "PORT",
    "URL",
    "DB",
    "USER",
    "PASSWORD",
    "PROPERTIES",
    "TYPE",
    "NAME",
    "'a'",
    "\"b\"",
    "1",
    "-1",
    "1.5",
    "true",
    "IF",
    "NOT",
    "EXISTS",
    "DIST",
    "VARIABLE",
    "VARIABLES",
    "SET",
    "STORAGE_UNITS",
    "SHARDING_COLUMN",
    "SHARDING_COLUMNS",
    "`x`",
    "x",
    "/*",
    "*/",
    "--",
    "PREVIEW",
    "SELECT 1",
    "UNREGISTER",
    "é",
    "WHERE",
    "LIKE",
    "ENCRYPT",
    "COLUMNS",
    "CIPHER",
    "ENCRYPT_ALGORITHM",
    "MASK",
    "SHADOW",
    "READWRITE_SPLITTING",
    "WRITE_STORAGE_UNIT",
    "READ_STORAGE_UNITS",
    "BROADCAST",
    "DEFAULT",
    "STRATEGY",
    "DATABASE_STRATEGY",
    "TABLE_STRATEGY",
    "KEY_GENERATE_STRATEGY",
    "ALGORITHM",
    "AUDITOR",
    "HINT",
    "EXPORT",
    "IMPORT",
    "CONFIGURATION",
    "SINGLE",
    "LOAD",
    "UNLOAD",
    "ALL",
    "COUNT",
    "REFRESH",
    "METADATA",
    "FORCE",
    "REFERENCE",
    "DATANODES",
    "COMPUTE",
    "NODE",
    "INFO",
    "MODE",
    "LABEL",
    "t_${0..1}",
    "ds_0.t",
];

/// One text of DistSQL: what is read can be printed and read again.
pub(crate) fn distsql(input: &[u8]) -> u64 {
    let text = String::from_utf8_lossy(input);
    match distsql::parse(&text) {
        Ok(None) => 0,
        Ok(Some(statement)) => {
            let printed = statement.to_string();
            let again = distsql::parse(&printed);
            assert_eq!(again.as_ref(), Ok(&Some(statement.clone())), "printed as {printed}");
            let told = format!("{statement:?}");
            seen(told.chars().filter(|c| c.is_ascii_alphabetic()).take(300).collect::<String>())
        }
        Err(error) => seen(error.to_string().chars().take(40).collect::<String>()),
    }
}

pub(crate) fn distsql_seeds() -> Vec<Vec<u8>> {
    include_str!("../corpus/distsql.txt").lines().map(|line| line.as_bytes().to_vec()).collect()
}
