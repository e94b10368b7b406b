//! Differences that are known, so that new ones show; each is to be mended.

use super::draft::Draft;

/// Whether this difference is one of them.
pub(super) fn is_known(draft: &Draft, told: &str) -> bool {
    // Grouping for COUNT(DISTINCT) makes servers warn of dates of their own.
    told.starts_with("warnings") && draft.text.contains("DISTINCT")
}
