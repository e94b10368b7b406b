//! What a block joins, and what its conditions say of the keys in it.

use meta::ShardedTable;
use smallvec::SmallVec;
use sql::{Block, BlockIndex, Column, Common, JoinKind, Joined, Predicate};

use super::names::{Named, lower};
use super::{Around, Body, Keys, Nodes, Spreader, Together};
use crate::condition::{Condition, Keyed};
use crate::error::Refused;
use crate::route::Mentioned;

/// How many joins and blocks may be within each other: each takes some of the thread's stack.
const DEPTH: u32 = 150;

/// How many pairs of equal columns are kept.
const FACTS: usize = 256;

/// Two columns that are equal in every row, of types in which that makes them one value.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Equal(pub(super) Named, pub(super) Named);

/// What is equal.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts(Vec<Equal>);

/// One side of a join.
#[derive(Default)]
struct Side {
    /// Its sharded tables, as far as they lie together.
    together: Vec<Together>,
    /// What holds in each of its rows in which the columns are not `NULL`.
    facts: Facts,
}

/// A relation whose conditions are still to be read.
struct Pending<'a> {
    keys: Keys<Named>,
    /// What holds in each row that matters.
    conditions: Vec<&'a Predicate>,
    /// No outer join adds rows in which it is `NULL`.
    core: bool,
    derived: bool,
}

impl Facts {
    /// Adds what is not known yet. Of very many some are forgotten, which only makes less of it.
    pub(super) fn extend(&mut self, more: impl IntoIterator<Item = Equal>) {
        for equal in more {
            if self.0.len() < FACTS && !self.0.contains(&equal) {
                self.0.push(equal);
            }
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Equal> {
        self.0.iter()
    }

    /// Whether one of the columns is equal to one of the others, by any number of steps.
    pub(super) fn connect(&self, from: &Named, to: &[Named]) -> bool {
        let mut found: Vec<&Named> = vec![from];
        let mut at = 0;
        while let Some(column) = found.get(at).copied() {
            if to.contains(column) {
                return true;
            }
            for Equal(one, other) in &self.0 {
                let next = if one == column {
                    other
                } else if other == column {
                    one
                } else {
                    continue;
                };
                if !found.contains(&next) {
                    found.push(next);
                }
            }
            at += 1;
        }
        false
    }
}

/// What is read of a join on the way down.
#[derive(Clone)]
struct Above<'a> {
    conditions: Vec<&'a Predicate>,
    core: bool,
}

impl<'a> Spreader<'a> {
    /// Looks at what a block joins, at its conditions, and at the subqueries in it.
    pub(super) fn body(&mut self, index: BlockIndex, block: &'a Block) -> Body {
        let Some(left) = self.left.checked_sub(1) else {
            self.refuse(Refused::Inner("that many query blocks"));
            return Body { together: Vec::new(), facts: Facts::default() };
        };
        self.left = left;
        if self.depth > DEPTH {
            self.refuse(Refused::Inner("that many query blocks within each other"));
            return Body { together: Vec::new(), facts: Facts::default() };
        }
        self.depth += 1;
        let body = self.looked_at(index, block);
        self.depth -= 1;
        body
    }

    fn looked_at(&mut self, index: BlockIndex, block: &'a Block) -> Body {
        let mut pending = Vec::new();
        let above = Above { conditions: vec![&block.filter], core: true };
        let side = match &block.joined {
            Some(tree) => {
                let rejected = self.rejected(index, &block.filter);
                self.side(index, block, tree, &rejected, &above, &mut pending)
            }
            None => Side::default(),
        };
        let mut facts = side.facts;
        facts.extend(self.equalities(index, &block.filter, None));
        for relation in pending {
            self.read(index, relation, &facts);
        }
        let together = self.gathered(side.together, &facts);
        let keys = together.iter().flat_map(|together| together.keys.iter().cloned()).collect();
        self.around.push(Around { keys, facts: facts.clone() });
        self.subqueries(index);
        self.around.pop();
        Body { together, facts }
    }

    fn side(
        &mut self,
        index: BlockIndex,
        block: &'a Block,
        tree: &'a Joined,
        rejected: &[u16],
        above: &Above<'a>,
        pending: &mut Vec<Pending<'a>>,
    ) -> Side {
        let join = match tree {
            Joined::Join(join) => join,
            Joined::Source(number) => {
                let Some(source) = block.from.get(usize::from(*number)) else { return Side::default() };
                let together = self.source(index, *number, &source.kind);
                let derived = !matches!(source.kind, sql::SourceKind::Table(_));
                for keys in together.iter().flat_map(|together| &together.keys) {
                    pending.push(Pending {
                        keys: keys.clone(),
                        conditions: above.conditions.clone(),
                        core: above.core,
                        derived,
                    });
                }
                return Side { together, facts: Facts::default() };
            }
        };
        let (mut lefts, mut rights) = (Vec::new(), Vec::new());
        sources(&join.left, &mut lefts);
        sources(&join.right, &mut rights);
        // Rows that an outer join adds do not meet a condition on what is `NULL` in them.
        let kind = match join.kind {
            JoinKind::Left if rights.iter().any(|source| rejected.contains(source)) => JoinKind::Inner,
            JoinKind::Right if lefts.iter().any(|source| rejected.contains(source)) => JoinKind::Inner,
            kind => kind,
        };
        let mut inside = above.clone();
        inside.conditions.push(&join.on);
        let added = Above { core: false, ..inside.clone() };
        let (above_left, above_right) = match kind {
            JoinKind::Inner => (&inside, &inside),
            JoinKind::Left => (above, &added),
            JoinKind::Right => (&added, above),
        };
        self.depth += 1;
        let left = self.side(index, block, &join.left, rejected, above_left, pending);
        let right = self.side(index, block, &join.right, rejected, above_right, pending);
        self.depth -= 1;
        let mut both = lefts.clone();
        both.extend(&rights);
        let mut on = self.equalities(index, &join.on, Some(&both));
        on.extend(self.common(index, block, &join.common, &lefts, &rights));
        match kind {
            JoinKind::Inner => {
                let mut all = left;
                all.together.extend(right.together);
                all.facts.extend(right.facts.0);
                all.facts.extend(on);
                all
            }
            JoinKind::Left => self.kept(left, right, on),
            JoinKind::Right => self.kept(right, left, on),
        }
    }

    /// An outer join that keeps the rows of one side: those of the other that meet one must be on its node.
    fn kept(&mut self, mut kept: Side, other: Side, on: Vec<Equal>) -> Side {
        let mut facts = kept.facts.clone();
        facts.extend(other.facts.0.iter().cloned());
        facts.extend(on);
        for inner in other.together {
            let mut found = None;
            for (number, outer) in kept.together.iter().enumerate() {
                if inner.keys.iter().any(|mine| outer.keys.iter().any(|their| self.meet(mine, their, &facts)))
                {
                    found = Some(number);
                    break;
                }
            }
            let Some(outer) = found else {
                // Or they are all with the row further out that the block is asked for.
                match self.tied(&inner, &facts) {
                    Some(outer) => self.put_within(inner.class, outer),
                    None => {
                        self.refuse(Refused::Join);
                    }
                }
                continue;
            };
            self.put_within(inner.class, kept.together[outer].class);
            let keys = inner.keys.into_iter().map(|keys| Keys { sure: false, ..keys });
            kept.together[outer].keys.extend(keys);
        }
        // Where a row of the other side is missing its columns are all `NULL`; the condition holds only where it is not.
        kept.facts.extend(other.facts.0);
        kept
    }

    /// Puts together what is joined by its keys.
    fn gathered(&mut self, mut all: Vec<Together>, facts: &Facts) -> Vec<Together> {
        let mut first = 0;
        while first < all.len() {
            let meets = |other: &Together| {
                let mut mine = all[first].keys.iter();
                mine.any(|mine| other.keys.iter().any(|theirs| self.meet(mine, theirs, facts)))
            };
            match (first + 1..all.len()).find(|other| meets(&all[*other])) {
                Some(other) => {
                    let other = all.remove(other);
                    self.merge(all[first].class, other.class);
                    let nodes = std::mem::replace(&mut all[first].nodes, Nodes::Unite(Vec::new()));
                    all[first].nodes = Nodes::Meet(vec![nodes, other.nodes]);
                    all[first].keys.extend(other.keys);
                }
                None => first += 1,
            }
        }
        all
    }

    /// Whether one of the columns is known to be equal to one of the others.
    pub(super) fn connected(&self, facts: &Facts, from: &Named, to: &[Named]) -> bool {
        self.names.compares(4 * facts.0.len()) && facts.connect(from, to)
    }

    /// Reads the conditions on a relation's keys.
    fn read(&mut self, index: BlockIndex, pending: Pending<'a>, facts: &Facts) {
        let Pending { keys, conditions, core, derived } = pending;
        let mut columns = keys.columns.iter().zip(&keys.domains);
        let mut keyed = |_: &String| {
            let Some((columns, domain)) = columns.next() else {
                return Keyed { condition: Condition::Any, domain: crate::key::Domain::Other };
            };
            let is_key = |column: &Column| {
                self.names.meant(index, column).is_some_and(|named| {
                    columns.contains(&named) || core && self.connected(facts, &named, columns)
                })
            };
            Keyed { condition: Condition::of_all(conditions.iter().copied(), &is_key), domain: *domain }
        };
        let strategies =
            self.scope.rule(keys.rule).into_iter().flat_map(|table: &ShardedTable| &table.strategies);
        let strategies: SmallVec<_> =
            strategies.map(|strategy| strategy.columns.iter().map(&mut keyed).collect()).collect();
        let class = keys.class;
        self.relations.push(Mentioned { rule: keys.rule, strategies, class, block: index, core, derived });
    }

    /// The sources of which a condition does not hold while they are `NULL`.
    fn rejected(&self, index: BlockIndex, predicate: &Predicate) -> Vec<u16> {
        let of = |column: &Column| {
            let named = self.names.meant(index, column).filter(|named| named.block == index);
            named.map(|named| named.source)
        };
        match predicate {
            Predicate::And(parts) => parts.iter().flat_map(|part| self.rejected(index, part)).collect(),
            Predicate::Or(parts) => {
                let mut parts = parts.iter();
                let mut all = parts.next().map(|part| self.rejected(index, part)).unwrap_or_default();
                for part in parts {
                    if all.is_empty() {
                        break;
                    }
                    let others = self.rejected(index, part);
                    all.retain(|source| others.contains(source));
                }
                all
            }
            Predicate::Between { column, .. }
            | Predicate::Compare { column, .. }
            | Predicate::In { column, .. } => of(column).into_iter().collect(),
            Predicate::Equal(one, other) => of(one).into_iter().chain(of(other)).collect(),
            Predicate::Within { columns, negated: false, .. } => columns.iter().filter_map(of).collect(),
            // Nothing is in no empty list, not even NULL.
            Predicate::Opaque | Predicate::True | Predicate::Within { .. } => Vec::new(),
        }
    }

    /// The columns that a condition makes equal; of this block only those of some sources, if these are given.
    fn equalities(&self, index: BlockIndex, predicate: &Predicate, of: Option<&[u16]>) -> Vec<Equal> {
        let seen = |named: &Named| named.block != index || of.is_none_or(|of| of.contains(&named.source));
        let mut found = Vec::new();
        let mut queue = vec![predicate];
        while let Some(predicate) = queue.pop() {
            match predicate {
                Predicate::And(parts) => queue.extend(parts),
                Predicate::Equal(one, other) => {
                    let one = self.names.meant(index, one).filter(seen);
                    let other = self.names.meant(index, other).filter(seen);
                    found.extend(one.zip(other).and_then(|(one, other)| self.fact(one, other)));
                }
                _ => {}
            }
        }
        found
    }

    /// The columns that a join by name makes equal.
    fn common(
        &self,
        index: BlockIndex,
        block: &Block,
        common: &Common,
        lefts: &[u16],
        rights: &[u16],
    ) -> Vec<Equal> {
        let columns = |source: &u16| {
            let source = block.from.get(usize::from(*source));
            source.and_then(|source| self.names.columns_of(source)).unwrap_or_default()
        };
        let names: Vec<Box<str>> = match common {
            Common::All => rights.iter().flat_map(columns).collect(),
            Common::Named(names) => names.iter().map(|name| lower(name)).collect(),
        };
        let one = |name: &str, sources: &[u16]| {
            let mut having = sources.iter().filter(|source| columns(source).iter().any(|it| **it == *name));
            let first = having.next()?;
            // Of several the server tells which is meant.
            having.next().is_none().then(|| Named { block: index, source: *first, name: name.into() })
        };
        let pair = |name: &str| self.fact(one(name, lefts)?, one(name, rights)?);
        names.iter().filter_map(|name| pair(name)).collect()
    }
}

/// The sources of a tree.
fn sources(tree: &Joined, found: &mut Vec<u16>) {
    match tree {
        Joined::Source(number) => found.push(*number),
        Joined::Join(join) => {
            sources(&join.left, found);
            sources(&join.right, found);
        }
    }
}

/// All `ON` conditions of a tree.
pub(super) fn conditions<'a>(tree: &'a Joined, found: &mut Vec<&'a Predicate>) {
    if let Joined::Join(join) = tree {
        found.push(&join.on);
        conditions(&join.left, found);
        conditions(&join.right, found);
    }
}
