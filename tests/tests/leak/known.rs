//! Differences that are known and tell nothing of other sessions. Each goes when it is mended.

use crate::twin::Known;

/// How a difference is known, if it is.
pub(crate) fn known(text: &str, difference: &str, home: &str) -> Option<Known> {
    let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
    let is = |kind: &str| difference.starts_with(kind);
    Some(if has(&["FOUND_ROWS()"]) && (is("row 0") || is("warnings")) {
        Known::Cosmetic("FOUND_ROWS() after errors and DO, and its deprecation")
    } else if has(&["@a", "@b", "@c", "given"]) && is("column\n") {
        Known::Cosmetic("types of user variables")
    } else if has(&["DATABASE()", "USER()"]) && is("column\n") {
        Known::Cosmetic("lengths and character sets of DATABASE() and USER()")
    } else if has(&["COM_INIT_DB"]) && is("OK\n") {
        Known::Cosmetic("COM_INIT_DB tells the warnings of the statement before it")
    } else if has(&["SET "]) && is("OK\n") && difference.contains("warnings") {
        Known::Cosmetic("warnings of SET")
    } else if has(&["SHOW WARNINGS", "SHOW COUNT(*)", "SHOW ERRORS", "@@warning_count"]) {
        Known::Cosmetic("warnings of SET and of FOUND_ROWS()")
    } else if has(&["ROLLBACK", "COMMIT", "START TRANSACTION"]) && is("OK\n") {
        Known::Cosmetic("warnings of COMMIT, ROLLBACK and START TRANSACTION")
    } else if is("status") && difference.contains("READONLY") {
        Known::Cosmetic("the status flag of transactions that only read")
    } else if is("status\n  plain Status(IN_TRANSACTION | AUTOCOMMIT)\n") {
        Known::Cosmetic("the status flag of transactions")
    } else if difference.contains("was not locked with LOCK TABLES") && home == "leak_s" {
        Known::Parted("tables of other units are not locked by LOCK TABLES")
    } else if difference.contains(" error 1792 ") {
        Known::Parted("a transaction that follows another at once is as that one was")
    } else if has(&["SET "]) && is("answer\n  plain error") {
        Known::Parted("settings that no server could be asked for")
    } else if has(&["DATABASE() AS d"]) && is("row 0") {
        Known::Cosmetic("DATABASE() under SET NAMES binary")
    } else if has(&["LAST_INSERT_ID()"]) && is("row 0") {
        Known::Cosmetic("LAST_INSERT_ID() in expressions")
    } else if is("number of rows") && home == "leak_s" {
        Known::Cosmetic("sql_select_limit over several nodes")
    } else {
        return None;
    })
}
