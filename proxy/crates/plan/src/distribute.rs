//! Which queries the data nodes can answer each by itself, so that putting their rows together is the answer.
//!
//! A query is *apart* when what it gives over all rows is what it gives over each node's rows, put together. A block is,
//! when all sharded tables in its `FROM` lie together: joined by the keys that say on which node a row is, so that no row
//! meets one of another node. Broadcast tables are the same everywhere, and so is what is made of them alone. A subquery
//! gives on a row's own node what it would give over all rows when its sharded tables are tied to that row by their
//! keys.
//!
//! Whatever is not apart can still be done where all rows that matter to it are on one node. What matters is told by
//! *relations*: each mention of a sharded table, and each derived table that shows the keys of one, with the conditions
//! on its keys. Relations of one *class* have equal keys in every row; to a class *within* another only rows matter that
//! are with those of the other.

mod from;
mod names;
mod query;
mod stored;
mod subquery;

use meta::TableColumn;
use sql::{Block, BlockIndex, Column};

use crate::algorithm::shard::{self, Reading};
use crate::condition::{Condition, Keyed};
use crate::error::Refused;
use crate::key::Domain;
use crate::route::Mentioned;
use crate::scope::{Home, Scope};
use from::{Equal, Facts};
use names::{Named, Names};

/// Blocks that are looked at, those of common table expressions once for each mention.
const BLOCKS: u32 = 512;

/// What is known of where a statement's rows are, before values are.
#[derive(Clone, Debug)]
pub(crate) struct Spread {
    pub(crate) relations: Vec<Mentioned>,
    /// For each class the one that it is within.
    pub(crate) within: Vec<Option<usize>>,
    /// Where rows of the result come from when it is apart.
    pub(crate) nodes: Nodes,
    /// What keeps it from being apart, if anything does.
    pub(crate) apart: Result<(), Refused>,
    /// Equal rows of different nodes are still to become one: it ends in `UNION`.
    pub(crate) united: bool,
    /// Each group of its `GROUP BY` is on one node.
    pub(crate) grouped: bool,
}

/// Nodes, by classes.
#[derive(Clone, Debug)]
pub(crate) enum Nodes {
    /// Those of a class.
    Class(usize),
    /// Those that are in all.
    Meet(Vec<Self>),
    /// Those that are in any.
    Unite(Vec<Self>),
}

/// The keys of one table, as columns of something.
#[derive(Clone, Debug)]
struct Keys<C> {
    rule: u16,
    class: usize,
    /// For each column of the strategies those that show it.
    columns: Vec<Vec<C>>,
    domains: Vec<Domain>,
    /// No outer join makes `NULL` of them.
    sure: bool,
}

/// Rows that lie together, with the keys that say where.
#[derive(Clone, Debug)]
struct Together {
    class: usize,
    nodes: Nodes,
    keys: Vec<Keys<Named>>,
}

/// How the rows of a query lie.
#[derive(Clone, Debug)]
enum Rows {
    /// Each node has its own; the keys by the numbers of the result's columns.
    Apart { nodes: Nodes, classes: Vec<usize>, keys: Vec<Keys<usize>> },
    /// The same on every node.
    Same,
    /// In no way that is known.
    Unfit,
}

/// What the `FROM` and `WHERE` of a block come to.
struct Body {
    together: Vec<Together>,
    facts: Facts,
}

/// What is known of a block around others.
struct Around {
    keys: Vec<Keys<Named>>,
    facts: Facts,
}

/// What a statement's own query, or the condition of another statement, says of where its rows are.
pub(crate) fn spread(scope: &Scope<'_>) -> Spread {
    let names = Names::new(scope);
    let top = names.top();
    let mut spreader = Spreader {
        scope,
        names,
        relations: Vec::new(),
        classes: Vec::new(),
        within: Vec::new(),
        refused: None,
        around: Vec::new(),
        seen: Vec::new(),
        left: BLOCKS,
        depth: 0,
    };
    let (nodes, united, grouped) = spreader.top(top);
    // What is not part of the query: the target of its rows, common table expressions that nobody asks.
    for (mention, rule) in scope.sharded() {
        if !spreader.seen.contains(&mention) {
            spreader.untold(rule);
            spreader.refuse(Refused::Subquery);
        }
    }
    Spread { united, grouped, ..spreader.finish(nodes) }
}

/// The table's column that is called so through a derived table in the statement's own block.
pub(crate) fn table_column(scope: &Scope<'_>, column: &Column) -> Option<TableColumn> {
    let names = Names::new(scope);
    let named = names.meant(names.top(), column).filter(|named| names.is_derived(named))?;
    names.table_column(&named)
}

/// One part of a set operation.
pub(crate) struct Part {
    /// The block whose select list it has.
    pub(crate) block: BlockIndex,
    /// Nothing where they are not all known.
    pub(crate) columns: Option<Vec<PartColumn>>,
}

/// A column of it.
pub(crate) struct PartColumn {
    /// As it is called; empty for an expression without alias.
    pub(crate) name: String,
    /// The table's column that it is and nothing else.
    pub(crate) definition: Option<TableColumn>,
}

/// The parts of the statement's set operation, those in parentheses taken apart, in the order of the text.
pub(crate) fn parts(scope: &Scope<'_>) -> Vec<Part> {
    let names = Names::new(scope);
    names.parts(names.top())
}

struct Spreader<'a> {
    scope: &'a Scope<'a>,
    names: Names<'a>,
    relations: Vec<Mentioned>,
    /// For each class another that it has become part of, or itself.
    classes: Vec<usize>,
    within: Vec<Option<usize>>,
    /// The first that keeps the statement from being apart.
    refused: Option<Refused>,
    around: Vec<Around>,
    /// Mentions of sharded tables.
    seen: Vec<usize>,
    /// How many blocks may still be looked at.
    left: u32,
    /// How many joins and blocks around are being looked at.
    depth: u32,
}

impl<'a> Spreader<'a> {
    fn refuse(&mut self, what: Refused) -> Rows {
        self.refused.get_or_insert(what);
        Rows::Unfit
    }

    fn class(&mut self) -> usize {
        self.classes.push(self.classes.len());
        self.within.push(None);
        self.classes.len() - 1
    }

    fn class_of(&self, mut class: usize) -> usize {
        while self.classes[class] != class {
            class = self.classes[class];
        }
        class
    }

    /// Makes one class of two.
    fn merge(&mut self, one: usize, other: usize) {
        let (one, other) = (self.class_of(one), self.class_of(other));
        if one != other {
            self.classes[other] = one;
            self.within[one] = self.within[one].or(self.within[other]);
        }
    }

    /// Only rows of `class` matter that are with those of `outer`.
    fn put_within(&mut self, class: usize, outer: usize) {
        let (class, outer) = (self.class_of(class), self.class_of(outer));
        let mut next = Some(outer);
        while let Some(at) = next {
            if at == class {
                return;
            }
            next = self.within[at].map(|outer| self.class_of(outer));
        }
        self.within[class].get_or_insert(outer);
    }

    /// A mention of which nothing is known.
    fn untold(&mut self, rule: u16) {
        let class = self.class();
        let mut domains = self.domains(rule).into_iter();
        let unknown = |domain| Keyed { condition: Condition::Any, domain };
        let strategies = self.scope.rule(rule).into_iter().flat_map(|table| &table.strategies);
        let strategies = strategies
            .map(|strategy| domains.by_ref().take(strategy.columns.len()).map(unknown).collect())
            .collect();
        self.relations.push(Mentioned { rule, strategies, class, block: 0, core: false, derived: false });
    }

    fn domains(&self, rule: u16) -> Vec<Domain> {
        self.scope.layout(rule).map(|layout| layout.domains.to_vec()).unwrap_or_default()
    }

    fn finish(mut self, nodes: Nodes) -> Spread {
        for number in 0..self.relations.len() {
            self.relations[number].class = self.class_of(self.relations[number].class);
        }
        let within = (0..self.classes.len()).map(|class| {
            let outer = self.within[self.class_of(class)]?;
            Some(self.class_of(outer)).filter(|outer| *outer != class)
        });
        let within = within.collect();
        let nodes = self.resolved(nodes);
        let apart = self.refused.map_or(Ok(()), Err);
        Spread { relations: self.relations, within, nodes, apart, united: false, grouped: false }
    }

    fn resolved(&self, nodes: Nodes) -> Nodes {
        let each = |parts: Vec<Nodes>| parts.into_iter().map(|part| self.resolved(part)).collect();
        match nodes {
            Nodes::Class(class) => Nodes::Class(self.class_of(class)),
            Nodes::Meet(parts) => Nodes::Meet(each(parts)),
            Nodes::Unite(parts) => Nodes::Unite(each(parts)),
        }
    }

    fn block(&self, block: BlockIndex) -> Option<&'a Block> {
        self.names.block(block)
    }

    /// Whether keys name one node: every strategy looks at columns, and all of them are shown.
    fn decides<C>(&self, keys: &Keys<C>) -> bool {
        self.is_by_columns(keys.rule)
            && !keys.columns.is_empty()
            && keys.columns.iter().all(|columns| !columns.is_empty())
            && keys.domains.iter().enumerate().all(|(at, domain)| self.holds(keys.rule, at, *domain))
    }

    fn is_by_columns(&self, rule: u16) -> bool {
        self.scope
            .rule(rule)
            .is_some_and(|table| table.strategies.iter().all(|strategy| !strategy.columns.is_empty()))
    }

    /// Whether values that the server finds equal are on one node.
    fn holds(&self, rule: u16, at: usize, domain: Domain) -> bool {
        let strategies = self.scope.rule(rule).into_iter().flat_map(|table| &table.strategies);
        let mut readings = strategies
            .flat_map(|strategy| strategy.columns.iter().map(|_| shard::reading(&strategy.algorithm)));
        match domain {
            Domain::Text { exact: false, .. } => {
                matches!(readings.nth(at), Some(Reading::Digits | Reading::Value))
            }
            Domain::Other => false,
            _ => true,
        }
    }

    /// Whether nodes of the same number hold rows of both tables with the same keys.
    fn alike(&self, one: u16, other: u16) -> bool {
        let (Some(first), Some(second)) = (self.scope.rule(one), self.scope.rule(other)) else {
            return false;
        };
        one == other || first.is_alike(second)
    }

    fn is_bound(&self, one: u16, other: u16) -> bool {
        let group = |rule| self.scope.rule(rule).and_then(|table| table.binding);
        group(one).is_some() && group(one) == group(other)
    }

    /// A fact, where values that are equal so are on one node.
    fn fact(&self, one: Named, other: Named) -> Option<Equal> {
        let (first, second) = (self.names.domain(&one)?, self.names.domain(&other)?);
        compare(first, second).then_some(Equal(one, other))
    }

    /// Whether rows with these keys only meet on one node.
    fn meet(&self, one: &Keys<Named>, other: &Keys<Named>, facts: &Facts) -> bool {
        let bound = self.is_bound(one.rule, other.rule);
        if !(bound || self.alike(one.rule, other.rule) && self.is_by_columns(one.rule)) {
            return false;
        }
        let width = one.columns.len().max(other.columns.len());
        // Binding promises that rows which belong together are on one unit, and so have one key there: what splits the rows of a
        // unit is to be equal.
        let last = self.scope.rule(one.rule).and_then(|table| table.strategies.last());
        let first =
            if bound { width.saturating_sub(last.map_or(0, |strategy| strategy.columns.len())) } else { 0 };
        let mut each = (first..width).map(|at| {
            let (Some(mine), Some(theirs)) = (one.columns.get(at), other.columns.get(at)) else {
                return false;
            };
            let (Some(first), Some(second)) = (one.domains.get(at), other.domains.get(at)) else {
                return false;
            };
            compare(*first, *second)
                && self.holds(one.rule, at, *first)
                && mine.iter().any(|mine| self.connected(facts, mine, theirs))
        });
        first < width && each.all(|equal| equal)
    }

    /// Whether a table stands for all rows of it, wherever it is asked.
    fn home(&self, table: u16) -> Home {
        self.scope.homes.get(usize::from(table)).copied().unwrap_or(Home::Unknown)
    }
}

/// Whether values of two columns that the server finds equal are one value.
fn compare(one: Domain, other: Domain) -> bool {
    match (one, other) {
        (Domain::Integer(..), Domain::Integer(..)) | (Domain::Decimal { .. }, Domain::Decimal { .. }) => true,
        (Domain::Text { exact, last, .. }, Domain::Text { exact: other, last: end, .. }) => {
            exact == other && last == end
        }
        (Domain::Other, _) => false,
        (one, other) => one == other,
    }
}
