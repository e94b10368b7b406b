//! Blocks, set operations, and what stands in `FROM`: how their rows lie.

use sql::{Block, BlockIndex, BlockKind, Body, SetOperator, SourceKind};

use super::names::{self, Named};
use super::{Keys, Nodes, Rows, Spreader, Together, compare};
use crate::broadcast::calls_random;
use crate::error::Refused;
use crate::scope::Home;

impl<'a> Spreader<'a> {
    /// The statement itself: where its rows come from, whether equal ones are still to become one, and whether each group
    /// is on one node.
    pub(super) fn top(&mut self, index: BlockIndex) -> (Nodes, bool, bool) {
        let nowhere = || Nodes::Unite(Vec::new());
        let index = self.names.unwrapped(index);
        let Some(block) = self.block(index) else { return (nowhere(), false, false) };
        if matches!(self.scope.statement.body, Body::Insert(_)) {
            let rows = self.query(index);
            self.stored(index, shown(&rows));
            return (of(&rows), false, false);
        }
        if block.kind == BlockKind::Wrapped || !block.operations.is_empty() {
            let parts = self.parts(index, block);
            let (rows, united) = self.combined(block, parts, true);
            return (of(&rows), united, false);
        }
        let body = self.body(index, block);
        let grouped = !block.shape.rollup && self.groups_apart(index, block, &body.together).is_some();
        let joined = self.joined(body.together).ok().flatten();
        (joined.map_or_else(nowhere, |together| together.nodes), false, grouped)
    }

    /// The parts of a set operation.
    pub(super) fn parts(&mut self, index: BlockIndex, block: &'a Block) -> Vec<Rows> {
        let mut parts = Vec::with_capacity(block.branches.len() + 1);
        if block.kind != BlockKind::Wrapped {
            parts.push(self.part(index, block));
        }
        for branch in &block.branches {
            parts.push(self.query(*branch));
        }
        parts
    }

    /// A query whose rows go into something: a derived table, a common table expression, a part of a set operation.
    pub(super) fn query(&mut self, index: BlockIndex) -> Rows {
        let index = self.names.unwrapped(index);
        let Some(block) = self.block(index) else { return Rows::Unfit };
        if block.kind == BlockKind::Wrapped || !block.operations.is_empty() {
            let parts = self.parts(index, block);
            let (rows, _) = self.combined(block, parts, false);
            if block.shape.limited && !matches!(rows, Rows::Same) {
                return self.refuse(Refused::Inner("LIMIT in a derived table or part of a UNION"));
            }
            return self.certain(block, rows);
        }
        let rows = self.part(index, block);
        self.certain(block, rows)
    }

    /// Which rows a `LIMIT` without order takes may differ from server to server.
    pub(super) fn certain(&mut self, block: &Block, rows: Rows) -> Rows {
        if block.shape.limited && !block.shape.ordered && matches!(rows, Rows::Same) {
            return self.refuse(Refused::Inner("LIMIT without ORDER BY in a query over broadcast tables"));
        }
        rows
    }

    /// A set operation, and whether equal rows are still to become one: only the statement's own can leave that to who
    /// puts its rows together.
    pub(super) fn combined(&mut self, block: &Block, parts: Vec<Rows>, top: bool) -> (Rows, bool) {
        let operations = &block.operations;
        let all = operations.iter().all(|it| it.operator == SetOperator::Union && it.all);
        let unions = operations.iter().all(|it| it.operator == SetOperator::Union);
        let united = top && unions && operations.last().is_some_and(|last| !last.all);
        if parts.iter().all(|part| matches!(part, Rows::Same)) {
            return (Rows::Same, false);
        }
        let (mut unite, mut classes, mut shown) = (Vec::new(), Vec::new(), Vec::new());
        let mut same = false;
        for part in parts {
            match part {
                Rows::Same => same = true,
                Rows::Unfit => return (Rows::Unfit, false),
                Rows::Apart { nodes, classes: inner, keys } => {
                    unite.push(nodes);
                    classes.extend(inner);
                    shown.push(keys);
                }
            }
        }
        let keys = if same { Vec::new() } else { self.in_common(shown) };
        let decided = keys.iter().any(|keys| keys.sure && self.decides(keys));
        let apart = Rows::Apart { nodes: Nodes::Unite(unite), classes, keys };
        if same {
            // What is the same on every node would come once from each.
            return if united {
                (apart, true)
            } else {
                (self.refuse(Refused::Inner("a set operation of sharded with other tables")), false)
            };
        }
        if all || decided {
            return (apart, false);
        }
        if united {
            return (apart, true);
        }
        (self.refuse(Refused::SetOperation), false)
    }

    /// The keys that all parts of a set operation show in the same columns.
    pub(super) fn in_common(&mut self, mut parts: Vec<Vec<Keys<usize>>>) -> Vec<Keys<usize>> {
        let Some(first) = parts.pop() else { return Vec::new() };
        let class = self.class();
        let mut found = Vec::new();
        for mut keys in first {
            let mut sure = keys.sure;
            let in_all = parts.iter().all(|part| {
                part.iter().any(|other| {
                    let alike = self.alike(keys.rule, other.rule);
                    let domains = keys.domains.iter().zip(&other.domains);
                    let comparable = alike && domains.into_iter().all(|(one, other)| compare(*one, *other));
                    if comparable {
                        let both = |(mine, theirs): (&mut Vec<usize>, &Vec<usize>)| {
                            mine.retain(|column| theirs.contains(column));
                        };
                        keys.columns.iter_mut().zip(&other.columns).for_each(both);
                        sure &= other.sure;
                    }
                    comparable
                })
            });
            if in_all && keys.columns.iter().any(|columns| !columns.is_empty()) {
                found.push(Keys { class, sure, ..keys });
            }
        }
        found
    }

    /// One block as part of something else.
    pub(super) fn part(&mut self, index: BlockIndex, block: &'a Block) -> Rows {
        if block.kind == BlockKind::Values {
            self.subqueries(index);
            return self.same();
        }
        let body = self.body(index, block);
        let shape = &block.shape;
        let together = match self.joined(body.together) {
            Ok(None) => return self.same(),
            Ok(Some(together)) => together,
            Err(rows) => return rows,
        };
        if shape.limited && block.operations.is_empty() {
            return self.refuse(Refused::Inner("LIMIT in a derived table or part of a UNION"));
        }
        if shape.windowed {
            return self.refuse(Refused::Inner("a window function in a derived table or part of a UNION"));
        }
        let groups = (!shape.group_by.is_empty() && !shape.rollup)
            .then(|| self.groups_apart(index, block, std::slice::from_ref(&together)))
            .flatten();
        let grouped = shape.aggregated || !shape.group_by.is_empty();
        if grouped && groups.is_none() {
            return self.refuse(Refused::Inner(
                "an aggregate function or GROUP BY without the sharding column in a derived table or part of a UNION",
            ));
        }
        let mut keys = self.shown(index, &together);
        if let Some(groups) = &groups {
            keys.retain(|keys| groups.contains(&keys.class));
        }
        if block.distinct && !keys.iter().any(|keys| keys.sure && self.decides(keys)) {
            return self.refuse(Refused::Inner(
                "DISTINCT without the sharding column in a derived table or part of a UNION",
            ));
        }
        Rows::Apart { nodes: together.nodes, classes: vec![together.class], keys }
    }

    /// Rows that are the same on every node, unless the nodes make them up.
    fn same(&mut self) -> Rows {
        if calls_random(self.scope) {
            return self.refuse(Refused::Inner(
                "a function that each server answers otherwise beside a query over no sharded table",
            ));
        }
        Rows::Same
    }

    /// The one that all that a block joins has become; nothing when it has no sharded table.
    pub(super) fn joined(&mut self, together: Vec<Together>) -> Result<Option<Together>, Rows> {
        let mut all = together.into_iter();
        let first = all.next();
        if all.next().is_some() {
            return Err(self.refuse(Refused::Join));
        }
        Ok(first)
    }

    /// The classes whose keys all are among the columns that a block groups by.
    pub(super) fn groups_apart(
        &self,
        index: BlockIndex,
        block: &Block,
        together: &[Together],
    ) -> Option<Vec<usize>> {
        let groups = self.grouped_by(index, block);
        let [together] = together else { return None };
        let fits = |keys: &&Keys<Named>| {
            let mut kept = (*keys).clone();
            kept.columns.iter_mut().for_each(|columns| columns.retain(|column| groups.contains(column)));
            kept.sure && self.decides(&kept)
        };
        let found: Vec<usize> = together.keys.iter().filter(fits).map(|keys| keys.class).collect();
        (!found.is_empty()).then_some(found)
    }

    /// The columns that a block groups by.
    pub(super) fn grouped_by(&self, index: BlockIndex, block: &Block) -> Vec<Named> {
        let columns = block.shape.group_by.iter().flatten();
        let mut groups: Vec<Named> = columns.filter_map(|column| self.names.meant(index, column)).collect();
        if !block.group_ordinals.is_empty() {
            let shown = self.names.shown(index);
            let of = |ordinal: &u32| shown.as_ref()?.get((*ordinal as usize).checked_sub(1)?)?.column.clone();
            groups.extend(block.group_ordinals.iter().filter_map(of));
        }
        groups
    }

    /// The keys among the columns of a block's result.
    pub(super) fn shown(&self, index: BlockIndex, together: &Together) -> Vec<Keys<usize>> {
        let Some(shown) = self.names.shown(index) else { return Vec::new() };
        let numbers = |column: &Named| {
            let is = |shown: &names::Shown| shown.column.as_ref() == Some(column);
            shown
                .iter()
                .enumerate()
                .filter(|(_, shown)| is(shown))
                .map(|(number, _)| number)
                .collect::<Vec<_>>()
        };
        let all = together.keys.iter().map(|keys| Keys {
            rule: keys.rule,
            class: keys.class,
            columns: keys.columns.iter().map(|columns| columns.iter().flat_map(numbers).collect()).collect(),
            domains: keys.domains.clone(),
            sure: keys.sure,
        });
        all.filter(|keys| keys.columns.iter().any(|columns| !columns.is_empty())).collect()
    }

    /// A derived table, or a table, of a block's `FROM`.
    pub(super) fn source(&mut self, index: BlockIndex, number: u16, kind: &'a SourceKind) -> Vec<Together> {
        match kind {
            SourceKind::Table(table) => match self.home(*table) {
                Home::Broadcast | Home::Single(_) => Vec::new(),
                Home::Foreign | Home::Unknown => {
                    self.refuse(Refused::Join);
                    Vec::new()
                }
                Home::Sharded(rule) => {
                    self.seen.push(usize::from(*table));
                    vec![self.table(index, number, rule)]
                }
            },
            SourceKind::Query { block, .. } => {
                if self.block(*block).is_some_and(|block| block.shape.lateral) {
                    return Vec::new();
                }
                match self.query(*block) {
                    Rows::Apart { nodes, classes, keys } => {
                        vec![self.derived(index, number, nodes, &classes, keys)]
                    }
                    Rows::Same | Rows::Unfit => Vec::new(),
                }
            }
            SourceKind::Recursion => {
                self.refuse(Refused::Cte);
                Vec::new()
            }
            SourceKind::Inserted(_) | SourceKind::Json => Vec::new(),
        }
    }

    pub(super) fn table(&mut self, block: BlockIndex, source: u16, rule: u16) -> Together {
        let class = self.class();
        let strategies = self.scope.rule(rule).into_iter().flat_map(|table| &table.strategies);
        let names = strategies.flat_map(|strategy| &strategy.columns);
        let columns = names.map(|name| vec![Named { block, source, name: names::lower(name) }]).collect();
        let keys = Keys { rule, class, columns, domains: self.domains(rule), sure: true };
        Together { class, nodes: Nodes::Class(class), keys: vec![keys] }
    }

    pub(super) fn derived(
        &mut self,
        block: BlockIndex,
        source: u16,
        nodes: Nodes,
        classes: &[usize],
        keys: Vec<Keys<usize>>,
    ) -> Together {
        let class = self.class();
        for inner in classes {
            self.put_within(*inner, class);
        }
        let kind = self.block(block).and_then(|block| block.from.get(usize::from(source)));
        let names = kind.and_then(|source| self.names.columns_of(source)).unwrap_or_default();
        let named = |number: &usize| {
            let name = names.get(*number).filter(|name| !name.is_empty())?;
            // Of two columns of one name none can be meant.
            let alone = names.iter().filter(|other| *other == name).count() == 1;
            alone.then(|| Named { block, source, name: name.clone() })
        };
        let keys = keys.into_iter().map(|keys| Keys {
            rule: keys.rule,
            class,
            columns: keys.columns.iter().map(|columns| columns.iter().filter_map(named).collect()).collect(),
            domains: keys.domains,
            sure: keys.sure,
        });
        Together { class, nodes: Nodes::Meet(vec![Nodes::Class(class), nodes]), keys: keys.collect() }
    }
}

/// The keys among the columns of a result.
fn shown(rows: &Rows) -> &[Keys<usize>] {
    match rows {
        Rows::Apart { keys, .. } => keys,
        Rows::Same | Rows::Unfit => &[],
    }
}

fn of(rows: &Rows) -> Nodes {
    match rows {
        Rows::Apart { nodes, .. } => nodes.clone(),
        Rows::Same | Rows::Unfit => Nodes::Unite(Vec::new()),
    }
}
