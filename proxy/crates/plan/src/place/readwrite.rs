//! Readwrite splitting: to a replica goes what only reads, outside of a transaction unless the group's strategy has it
//! otherwise (`sql-support.md` §9, `algorithms.md` §5).

use std::sync::Arc;

use meta::{
    Balance, Database, ReadwriteGroup, SourceIndex, StorageUnit, TransactionalReads, UnitId, UnitIndex,
};
use sql::{Body, Statement};

use super::{Chosen, Placing};
use crate::algorithm::balance::{self, Able};

impl Placing<'_, '_> {
    /// The member of a group that the statement goes to.
    pub(super) fn readwrite(&mut self, at: SourceIndex, number: u16) -> SourceIndex {
        match self.database.readwrite.get(usize::from(number)) {
            Some(group) => self.read(at, group).unwrap_or(group.write),
            None => at,
        }
    }

    /// Where it reads, when it may read elsewhere than is written.
    fn read(&mut self, at: SourceIndex, group: &ReadwriteGroup) -> Option<SourceIndex> {
        let database = self.database;
        let placement = &mut *self.placement;
        let statement = self.template.statement();
        if placement.write_only || group.balance == Balance::Primary || statement.hints.write_route_only() {
            return None;
        }
        let fixed = match group.transactional {
            _ if !placement.in_transaction => false,
            TransactionalReads::Dynamic => false,
            TransactionalReads::Fixed => true,
            // What cannot write may read from a replica, but from the same one to the end.
            TransactionalReads::Primary if placement.read_only => true,
            TransactionalReads::Primary => return None,
        };
        let chosen = if fixed { placement.chosen.member(group, database) } else { None };
        if !is_read(statement, database, fixed && placement.read_only) {
            if placement.read_only && chosen.is_none() && !statement.tables.is_empty() {
                // What was begun on the primary is read there to the end.
                self.choose(group, group.write);
            }
            return None;
        }
        if chosen.is_some() {
            return chosen;
        }
        let is_able = |unit: UnitIndex| unit_at(database, unit).is_some_and(|unit| (placement.is_up)(unit));
        let able: Able = (0..group.replicas.len())
            .filter(|number| {
                group.replicas.get(*number).is_some_and(|replica| replica.enabled && is_able(replica.unit))
            })
            .collect();
        let turn = || if placement.preview { group.rotation.peek() } else { group.rotation.advance() };
        let random = balance::mix(placement.random, at);
        let picked = balance::pick(&group.balance, &able, turn, random);
        let member = picked.and_then(|number| group.replicas.get(number)).map(|replica| replica.source);
        if member.is_none() {
            placement.bereft = Some(at);
        }
        if fixed {
            self.choose(group, member.unwrap_or(group.write));
        }
        member
    }

    /// Keeps a member for the rest of the transaction.
    fn choose(&mut self, group: &ReadwriteGroup, member: SourceIndex) {
        if let Some(unit) = id(self.database, member).filter(|_| !self.placement.preview) {
            let chosen = &mut self.placement.chosen.0;
            chosen.retain(|(rotation, _)| !Arc::ptr_eq(rotation, &group.rotation));
            chosen.push((Arc::clone(&group.rotation), unit));
        }
    }
}

impl Chosen {
    /// The member that a group was given, if it still has it.
    fn member(&self, group: &ReadwriteGroup, database: &Database) -> Option<SourceIndex> {
        let (_, chosen) = self.0.iter().find(|(rotation, _)| Arc::ptr_eq(rotation, &group.rotation))?;
        let is_it = |source: &SourceIndex| id(database, *source) == Some(*chosen);
        std::iter::once(group.write).chain(group.replicas.iter().map(|replica| replica.source)).find(is_it)
    }
}

/// The unit of a source, in production.
fn id(database: &Database, source: SourceIndex) -> Option<UnitId> {
    unit_at(database, database.sources.primary(source)).map(|unit| unit.id)
}

fn unit_at(database: &Database, unit: UnitIndex) -> Option<&StorageUnit> {
    database.units.get_index(usize::from(unit)).map(|(_, unit)| &**unit)
}

/// Whether a statement only reads, and reads the database's own tables. With none it is about the server, whose
/// variables may differ; so may what the server tells of itself in `information_schema` and its kin.
fn is_read(statement: &Statement, database: &Database, harmless: bool) -> bool {
    let own = |schema: &Option<String>| schema.as_ref().is_none_or(|schema| *schema == database.name);
    (statement.reads_only || harmless && is_query(statement))
        && !statement.tables.is_empty()
        && statement.tables.iter().all(|table| own(&table.schema))
}

/// Whether a query needs no other server than the one that the rest of a transaction without writes reads from.
fn is_query(statement: &Statement) -> bool {
    let Body::Select(select) = &statement.body else { return false };
    statement.pin.is_empty() && statement.unparsed.is_none() && !select.locking && !select.traits.into
}
