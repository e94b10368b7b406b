//! Readwrite splitting: to a replica goes what only reads (`sql-support.md` §9).

use meta::SourceIndex;
use sql::{Body, Statement};

use super::Placing;

impl Placing<'_, '_> {
    /// The member of a group that the statement goes to.
    pub(super) fn readwrite(&self, group: SourceIndex) -> SourceIndex {
        let (sources, placement) = (&self.database.sources, &self.placement);
        let Some((write, replicas)) = sources.members(group).split_first() else { return group };
        if placement.in_transaction || placement.write_only || !reads(self.template.statement()) {
            return *write;
        }
        let unit = |member: SourceIndex| self.database.units.get_index(usize::from(sources.primary(member)));
        let up = |member: &&SourceIndex| unit(**member).is_some_and(|(_, unit)| (placement.is_up)(unit));
        let count = replicas.iter().filter(up).count().max(1) as u64;
        let number = usize::try_from(placement.random % count).unwrap_or_default();
        replicas.iter().filter(up).nth(number).copied().unwrap_or(*write)
    }
}

/// Whether a statement only reads, and reads what every replica knows.
fn reads(statement: &Statement) -> bool {
    let Body::Select(select) = &statement.body else { return false };
    let own = statement.session || statement.pin || statement.unparsed.is_some();
    !own && !select.locking && !select.traits.into && !statement.tables.is_empty()
}
