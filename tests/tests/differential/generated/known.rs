//! Differences that are known, so that new ones show; each is to be mended.

use super::draft::Draft;

/// Whether this difference is one of them.
pub(super) fn is_known(draft: &Draft, told: &str) -> bool {
    let text = draft.text.as_str();
    let inserts = text.starts_with("INSERT") || text.starts_with("REPLACE");
    // The only row of an INSERT into a broadcast table, of which each unit tells as if there were several.
    let single =
        inserts && told.starts_with("OK") && told.contains("info \"\"") && told.contains("\"Records: 1 ");
    // Warnings that the proxy shows itself are told in the collation that clients begin with.
    let collation = told.starts_with("SHOW WARNINGS: column");
    // A finished statement leaves its connections with the default collation for results.
    let results = told.contains("charset 4") && told.contains("charset 255");
    // Derived tables whose conditions exclude each other leave no node to answer.
    let nobody = draft.rules.derived && (told.contains("truncated packet") || told.contains("connection broke"));
    // A constant as the key of a ROLLUP.
    let constant = text.contains("WITH ROLLUP") && text.contains("GROUPING('");
    // A name of a node's table in a text that the proxy does not know.
    let locking = told.contains("appears in multiple locking clauses");
    single || collation || results || nobody || constant || locking
}
