//! Shadow: test traffic goes to the shadow of a source (`algorithms.md` §4).

use meta::SourceIndex;

use super::Placing;
use crate::error::Error;

impl Placing<'_, '_> {
    /// The member of a shadow rule that the statement goes to: production, then shadow.
    pub(super) fn shadow(&self, rule: SourceIndex, _: u16) -> Result<SourceIndex, Error> {
        Ok(self.database.sources.members(rule).first().copied().unwrap_or(rule))
    }
}
