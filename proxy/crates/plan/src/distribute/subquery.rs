//! Subqueries that are not in `FROM`: whether a row's own node gives what all nodes would.

use sql::{Block, BlockIndex, BlockKind, Clause, Column, Predicate, Role};

use super::from::{self, Equal, Facts};
use super::names::Named;
use super::{Keys, Spreader, Together};
use crate::error::Refused;

/// What is compared with the rows of a subquery.
#[derive(Default)]
pub(super) struct Asked {
    columns: Vec<Option<Named>>,
    /// `NOT IN`.
    negated: bool,
}

impl<'a> Spreader<'a> {
    /// Looks at all subqueries of a block that are not in its `FROM`.
    pub(super) fn subqueries(&mut self, index: BlockIndex) {
        let blocks = &self.scope.statement.blocks;
        for (number, block) in (0..).zip(blocks) {
            let inner = !matches!(block.role, Role::Branch(_) | Role::Common | Role::Derived | Role::Stored);
            if number != index && block.parent == Some(index) && (inner || block.shape.lateral) {
                self.subquery(number, index);
            }
        }
    }

    /// A subquery: its rows must be those of the row's own node.
    pub(super) fn subquery(&mut self, index: BlockIndex, outer: BlockIndex) {
        let asked = self.asked(index, outer);
        let exists = self.block(index).is_some_and(|block| block.role == Role::Exists);
        self.correlated(index, &asked, exists, true);
    }

    /// What a block's condition compares with the rows of a subquery.
    pub(super) fn asked(&self, inner: BlockIndex, outer: BlockIndex) -> Asked {
        let Some(block) = self.block(outer) else { return Asked::default() };
        let mut queue: Vec<&Predicate> = vec![&block.filter];
        if let Some(tree) = &block.joined {
            from::conditions(tree, &mut queue);
        }
        while let Some(predicate) = queue.pop() {
            match predicate {
                Predicate::And(parts) | Predicate::Or(parts) => queue.extend(parts),
                Predicate::Within { columns, block, negated } if *block == inner => {
                    let columns = columns.iter().map(|column| self.names.meant(outer, column)).collect();
                    return Asked { columns, negated: *negated };
                }
                _ => {}
            }
        }
        Asked::default()
    }

    pub(super) fn correlated(&mut self, index: BlockIndex, asked: &Asked, exists: bool, whole: bool) {
        let index = self.names.unwrapped(index);
        let Some(block) = self.block(index) else { return };
        let whole = whole && !block.shape.limited;
        if !block.operations.is_empty() || block.kind == BlockKind::Wrapped {
            for branch in &block.branches {
                self.correlated(*branch, asked, exists, whole);
            }
        }
        if matches!(block.kind, BlockKind::Wrapped | BlockKind::Values) {
            return;
        }
        let mut body = self.body(index, block);
        if body.together.is_empty() {
            if block.shape.limited && !block.shape.ordered && !exists && !self.is_single_row(block) {
                self.refuse(Refused::Inner("LIMIT without ORDER BY in a query over broadcast tables"));
            }
        } else if whole {
            body.facts.extend(self.asked_facts(index, block, asked, &body.together));
        }
        if self.is_aggregated_outside(index, block) {
            self.refuse(Refused::Subquery);
        }
        for together in &body.together {
            let outer = self.tied(together, &body.facts);
            match outer {
                Some(outer) => self.put_within(together.class, outer),
                None => {
                    self.refuse(Refused::Subquery);
                }
            }
        }
    }

    pub(super) fn is_single_row(&self, block: &Block) -> bool {
        block.from.is_empty() || block.shape.aggregated && block.shape.group_by.is_empty()
    }

    /// `a IN (SELECT b …)`: only rows matter in which `b` is `a`, where leaving out others changes none of the rows. Under
    /// `NOT` neither may be `NULL`, which keys never are.
    pub(super) fn asked_facts(
        &self,
        index: BlockIndex,
        block: &Block,
        asked: &Asked,
        together: &[Together],
    ) -> Vec<Equal> {
        let shape = &block.shape;
        let grouped = shape.aggregated || !shape.group_by.is_empty();
        if shape.windowed || shape.rollup || asked.columns.is_empty() {
            return Vec::new();
        }
        let groups = self.grouped_by(index, block);
        let Some(shown) = self.names.shown(index) else { return Vec::new() };
        let is_key = |keys: &Keys<Named>, column: &Named| {
            keys.sure && keys.columns.iter().any(|columns| columns.contains(column))
        };
        let outer = || self.around.iter().flat_map(|around| &around.keys);
        let inner = || together.iter().flat_map(|together| &together.keys);
        let mut facts = Vec::new();
        for (asked_for, shown) in asked.columns.iter().zip(&*shown) {
            if let (Some(asked_for), Some(column)) = (asked_for, &shown.column)
                && (!grouped || groups.contains(column))
                && (!asked.negated
                    || outer().any(|keys| is_key(keys, asked_for))
                        && inner().any(|keys| is_key(keys, column)))
            {
                facts.extend(self.fact(asked_for.clone(), column.clone()));
            }
        }
        facts
    }

    /// Whether an aggregate function may be one of a block further out: all columns that it names are from there.
    pub(super) fn is_aggregated_outside(&self, index: BlockIndex, block: &Block) -> bool {
        if !block.shape.aggregated {
            return false;
        }
        let inside = |mut at: BlockIndex| loop {
            if at == index {
                return true;
            }
            match self.block(at).and_then(|block| block.parent) {
                Some(parent) if parent != at => at = parent,
                _ => return false,
            }
        };
        let outside = |named: &Named| !inside(named.block);
        self.scope.statement.uses.iter().any(|used| {
            matches!(used.clause, Clause::Having | Clause::Items | Clause::Order)
                && inside(used.block)
                && self
                    .names
                    .meant(used.block, &Column { owner: used.owner.clone(), name: used.name.clone() })
                    .is_none_or(|named| outside(&named))
                && !self.is_alias(block, used)
        })
    }

    pub(super) fn is_alias(&self, block: &Block, used: &sql::ColumnUse) -> bool {
        used.owner.is_none()
            && matches!(used.clause, Clause::Having | Clause::Order)
            && block.outputs.iter().any(|output| {
                output.alias.as_ref().is_some_and(|alias| alias.eq_ignore_ascii_case(&used.name))
            })
    }

    /// The class further out to whose rows others are tied by their keys.
    pub(super) fn tied(&self, inner: &Together, facts: &Facts) -> Option<usize> {
        let mut all = facts.clone();
        for around in &self.around {
            all.extend(around.facts.iter().cloned());
        }
        let outer = || self.around.iter().rev().flat_map(|around| &around.keys);
        inner
            .keys
            .iter()
            .find_map(|mine| outer().find(|theirs| self.meet(mine, theirs, &all)).map(|theirs| theirs.class))
    }
}
