//! Statements that concern a server as a whole, and not a database: a storage unit's account may do there what most
//! accounts of the proxy may not. They are told by their words, as they are mostly not parsed.

use sql::lexer::{Token, TokenKind, tokens};
use sql::{Body, Mode, SetTarget, Statement};

use crate::catalog::{INFORMATION_SCHEMA, system_schema};

/// Statements that begin so.
const FIRST: [&str; 14] = [
    "BINLOG",
    "CHANGE",
    "CLONE",
    "FLUSH",
    "GRANT",
    "IMPORT",
    "INSTALL",
    "PURGE",
    "RESET",
    "RESTART",
    "REVOKE",
    "SHUTDOWN",
    "STOP",
    "UNINSTALL",
];

/// What `CREATE`, `ALTER`, `DROP` and `RENAME` do to more than databases.
const OBJECTS: [&str; 8] =
    ["INSTANCE", "LOGFILE", "RESOURCE", "ROLE", "SERVER", "TABLESPACE", "UNDO", "USER"];

/// What `SHOW` tells of servers.
const SHOWN: [&str; 10] =
    ["AUTHORS", "BINARY", "BINLOG", "ENGINE", "MASTER", "RELAYLOG", "REPLICA", "REPLICAS", "SLAVE", "USER"];

/// Whether only administrators may give the statement, in this current database: routines elsewhere are not looked up.
pub(crate) fn is_privileged(statement: &Statement, text: &str, mode: Mode, current: Option<&str>) -> bool {
    let closed = |schema: &str| system_schema(schema).is_some_and(|schema| schema != INFORMATION_SCHEMA);
    let of_server = statement.tables.iter().any(|table| {
        let schema = table.schema.as_deref().unwrap_or_default();
        closed(schema)
            || schema.eq_ignore_ascii_case(INFORMATION_SCHEMA)
                && table.name.get(..7).is_some_and(|name| name.eq_ignore_ascii_case("INNODB_"))
    });
    if of_server {
        return true;
    }
    match &statement.body {
        Body::Set(assignments) => {
            return assignments.iter().any(|assignment| match &assignment.target {
                SetTarget::Global(_) => true,
                SetTarget::Other(words) => !words.to_ascii_uppercase().starts_with("ROLE"),
                _ => false,
            });
        }
        // The most there are, and what they may do to files.
        Body::Select(_) | Body::Insert(_) | Body::Update(_) | Body::Delete(_) if !speaks_of_files(text) => {
            return false;
        }
        _ => {}
    }
    let Ok(tokens) = tokens(text, mode) else { return true };
    let words: Vec<&Token> = tokens.iter().filter(|token| token.kind != TokenKind::Comment).collect();
    let is = |at: usize, keywords: &[&str]| words.get(at).is_some_and(|word| word.is_any(text, keywords));
    let among = |keywords: &[&str], first: usize, last: usize| (first..last).any(|at| is(at, keywords));
    if is(0, &FIRST) {
        return true;
    }
    match () {
        () if is(0, &["ALTER", "CREATE", "DROP", "RENAME"]) => {
            is(1, &OBJECTS)
                || is(1, &["OR"]) && is(3, &OBJECTS)
                || is(1, &["SPATIAL"]) && is(2, &["REFERENCE"])
                || is(words.len().saturating_sub(2), &["SONAME"])
        }
        () if is(0, &["START"]) => !is(1, &["TRANSACTION"]),
        () if is(0, &["SHOW"]) => among(&SHOWN, 1, 3) && !is(1, &["FULL", "EXTENDED", "TABLES", "COLUMNS"]),
        () if is(0, &["LOCK", "UNLOCK"]) => is(1, &["INSTANCE"]),
        () if is(0, &["LOAD"]) => !among(&["LOCAL"], 2, 4),
        () if is(0, &["CALL"]) => {
            let qualified = words.get(2).is_some_and(|word| word.kind == TokenKind::Dot);
            qualified && words.get(1).and_then(|word| word.name(text)).as_deref() != current
        }
        () => {
            // In any other statement: a server's own files.
            (0..words.len()).any(|at| {
                let called = || words.get(at + 1).is_some_and(|next| next.kind == TokenKind::LeftParen);
                is(at, &["DUMPFILE", "OUTFILE"]) || is(at, &["LOAD_FILE"]) && called()
            })
        }
    }
}

fn speaks_of_files(text: &str) -> bool {
    let holds =
        |word: &str| text.as_bytes().windows(word.len()).any(|it| it.eq_ignore_ascii_case(word.as_bytes()));
    ["OUTFILE", "DUMPFILE", "LOAD_FILE"].iter().any(|word| holds(word))
}

#[cfg(test)]
mod tests {
    use sql::Fingerprinter;

    use super::*;

    fn privileged(text: &str) -> bool {
        let mode = Mode::default();
        let fingerprint = Fingerprinter::fixed().fingerprint(text, mode).unwrap();
        is_privileged(&sql::analyse(text, &fingerprint, mode).unwrap(), text, mode, Some("shop"))
    }

    #[test]
    fn servers_are_for_administrators() {
        for text in [
            "SELECT * FROM mysql.user",
            "SELECT 1 FROM t JOIN performance_schema.threads",
            "SELECT * FROM information_schema.innodb_trx",
            "SELECT * FROM t INTO OUTFILE '/x'",
            "SELECT LOAD_FILE('/x')",
            "LOAD DATA INFILE '/x' INTO TABLE t",
            "CREATE USER a IDENTIFIED BY 'x'",
            "CREATE OR REPLACE USER a",
            "/* x */ DROP USER a",
            "ALTER USER a IDENTIFIED BY 'x'",
            "RENAME USER a TO b",
            "CREATE ROLE r",
            "CREATE SERVER s FOREIGN DATA WRAPPER mysql OPTIONS (USER 'x')",
            "CREATE FUNCTION f RETURNS STRING SONAME 'x.so'",
            "GRANT ALL ON *.* TO a",
            "REVOKE ALL ON *.* FROM a",
            "SET GLOBAL max_connections = 1",
            "SET @@GLOBAL.max_connections = 1",
            "SET PERSIST max_connections = 1",
            "SET PASSWORD = 'x'",
            "SHUTDOWN",
            "FLUSH LOGS",
            "STOP REPLICA",
            "START GROUP_REPLICATION",
            "SHOW ENGINE INNODB STATUS",
            "SHOW BINARY LOGS",
            "SHOW CREATE USER root",
            "CALL sys.ps_truncate_all_tables(FALSE)",
            "CALL plant.p()",
            "LOCK INSTANCE FOR BACKUP",
            "INSTALL PLUGIN x SONAME 'x.so'",
        ] {
            assert!(privileged(text), "{text}");
        }
    }

    #[test]
    fn databases_are_for_whom_they_are_permitted() {
        for text in [
            "SELECT * FROM t WHERE user = 'OUTFILE'",
            "SELECT * FROM information_schema.TABLES",
            "INSERT INTO t VALUES (1)",
            "CREATE TABLE user (id INT)",
            "CREATE SPATIAL INDEX i ON t (g)",
            "ALTER TABLE server ADD COLUMN role INT",
            "DROP TABLE role",
            "SET SESSION wait_timeout = 1, @a = 2",
            "SET NAMES utf8mb4",
            "START TRANSACTION",
            "SHOW TABLES",
            "SHOW FULL COLUMNS FROM user",
            "SHOW CREATE TABLE t",
            "SHOW ENGINES",
            "LOAD DATA LOCAL INFILE 'x' INTO TABLE t",
            "CALL p()",
            "CALL shop.p()",
            "LOCK TABLES t READ",
        ] {
            assert!(!privileged(text), "{text}");
        }
    }
}
