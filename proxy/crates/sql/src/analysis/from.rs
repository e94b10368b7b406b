//! `FROM`: tables, joins, derived tables.

use super::cursor::Parser;
use super::predicate;
use crate::lexer::TokenKind;
use crate::{BlockIndex, Common, Error, Join, JoinKind, Joined, Predicate, Role, SourceKind, Use};
use std::borrow::Cow;

/// What a list of table references says.
#[derive(Debug)]
pub(super) struct From {
    /// How they are joined; nothing when there are none.
    pub(super) joined: Option<Joined>,
    /// The `ON` conditions that hold for every row of the result.
    pub(super) filter: Predicate,
    /// There is a derived table.
    pub(super) derived: bool,
}

/// What one factor or join turned out to be.
#[derive(Default)]
struct Factor {
    tree: Option<Joined>,
    derived: bool,
    /// A subquery in parentheses that has no name yet: may be the first part of a set operation.
    bare: Option<BlockIndex>,
}

/// One side of a join.
struct Side {
    tree: Option<Joined>,
    /// How many joins outside of parentheses lie above its first source.
    spine: u32,
}

impl<'a> Parser<'a> {
    /// Table references with commas between.
    pub(super) fn references(&mut self) -> Result<From, Error> {
        let all = self.listed()?;
        let mut filter = Vec::new();
        if let Some(tree) = &all.tree {
            certain(tree, &mut filter);
        }
        Ok(From { joined: all.tree, filter: predicate::all(filter), derived: all.derived })
    }

    /// Table references with commas between, as one.
    fn listed(&mut self) -> Result<Factor, Error> {
        let mut all = self.joined()?;
        while self.take_kind(TokenKind::Comma) {
            let next = self.joined()?;
            all = Factor {
                tree: join(JoinKind::Inner, all.tree, next.tree, Predicate::True, Common::none()),
                derived: all.derived || next.derived,
                bare: None,
            };
        }
        Ok(all)
    }

    /// One table reference with all its joins. `ON` belongs to the last join that has none.
    fn joined(&mut self) -> Result<Factor, Error> {
        let first = self.factor()?;
        let (mut derived, mut bare) = (first.derived, first.bare);
        let mut sides = vec![Side { tree: first.tree, spine: 0 }];
        let mut open: Vec<JoinKind> = Vec::new();
        loop {
            if let Some((kind, natural)) = self.join_kind()? {
                let next = self.factor()?;
                derived |= next.derived;
                bare = None;
                sides.push(Side { tree: next.tree, spine: 0 });
                if natural {
                    if let Some(block) = self.scope.present_mut() {
                        block.natural = true;
                    }
                    close(&mut sides, kind, Predicate::True, Common::All);
                } else {
                    open.push(kind);
                }
            } else if !open.is_empty() && !self.are(&["ON", "DUPLICATE", "KEY"]) && self.take("ON") {
                let condition = self.condition()?;
                close(&mut sides, open.pop().unwrap_or(JoinKind::Inner), condition, Common::none());
            } else if self.take("USING") {
                let names = self.using()?;
                let kind = open.pop().unwrap_or(JoinKind::Inner);
                close(&mut sides, kind, Predicate::True, Common::Named(names));
            } else {
                break;
            }
        }
        // Joins without a condition are made first, whatever stands behind them.
        while sides.len() > 1
            && let (Some(right), Some(left)) = (sides.pop(), sides.pop())
        {
            let spine = left.spine + right.spine + 1;
            sides.push(Side { tree: crossed(left.tree, right.tree, right.spine), spine });
        }
        Ok(Factor { tree: sides.pop().and_then(|side| side.tree), derived, bare })
    }

    /// The columns that follow `USING`.
    fn using(&mut self) -> Result<Vec<String>, Error> {
        self.expect_kind(TokenKind::LeftParen, "(")?;
        let mut names = Vec::new();
        loop {
            let index = self.lone_column(Use::Using)?;
            names.extend(self.uses.get(index as usize).map(|column| column.name.clone()));
            if !self.take_kind(TokenKind::Comma) {
                self.expect_kind(TokenKind::RightParen, ")")?;
                return Ok(names);
            }
        }
    }

    /// Takes the words of a join; the flag says that no `ON` follows.
    fn join_kind(&mut self) -> Result<Option<(JoinKind, bool)>, Error> {
        if self.take("JOIN") || self.take("STRAIGHT_JOIN") {
            return Ok(Some((JoinKind::Inner, false)));
        }
        let natural = self.take("NATURAL");
        let kind = if self.take("LEFT") {
            self.take("OUTER");
            JoinKind::Left
        } else if self.take("RIGHT") {
            self.take("OUTER");
            JoinKind::Right
        } else if self.take_any(&["INNER", "CROSS"]) || natural {
            JoinKind::Inner
        } else {
            return Ok(None);
        };
        self.expect("JOIN")?;
        Ok(Some((kind, natural)))
    }

    fn factor(&mut self) -> Result<Factor, Error> {
        self.nested(Self::factor_inside)
    }

    fn factor_inside(&mut self) -> Result<Factor, Error> {
        if self.take_kind(TokenKind::LeftBrace) {
            self.expect("OJ")?;
            let inner = self.joined()?;
            self.expect_kind(TokenKind::RightBrace, "}")?;
            return Ok(inner);
        }
        if self.take("DUAL") {
            return Ok(Factor::default());
        }
        if self.kind_ahead(1) == Some(TokenKind::LeftParen) && self.take("JSON_TABLE") {
            return self.json_table();
        }
        let lateral = self.take("LATERAL");
        if self.take_kind(TokenKind::LeftParen) {
            return self.parenthesised_factor(lateral);
        }
        let name = self.table_name()?;
        if self.take("PARTITION") {
            self.expect_kind(TokenKind::LeftParen, "(")?;
            self.skip_parens()?;
        }
        let alias = self.table_alias()?;
        self.index_hints()?;
        if let Some(common) = self.scope.common(&name.name).filter(|_| name.schema.is_none()) {
            self.scope.derived(Some(alias.unwrap_or(name.name)), common)?;
            return Ok(Factor { tree: self.newest(), derived: true, bare: None });
        }
        self.scope.table(name, alias)?;
        Ok(Factor { tree: self.newest(), ..Factor::default() })
    }

    /// The source that was added last.
    fn newest(&self) -> Option<Joined> {
        let last = self.scope.sources().checked_sub(1)?;
        u16::try_from(last).ok().map(Joined::Source)
    }

    /// A subquery or table references; `(` is taken.
    fn parenthesised_factor(&mut self, lateral: bool) -> Result<Factor, Error> {
        let mut inner = if self.is_query() {
            let query = self.derived_query()?;
            Factor { derived: true, bare: Some(query), tree: None }
        } else {
            let mut inner = self.listed()?;
            if let Some(query) = inner.bare
                && self.is_query_tail()
            {
                inner.bare = Some(self.query_tail(query, Role::Derived)?);
            }
            self.expect_kind(TokenKind::RightParen, ")")?;
            inner
        };
        if let Some(block) = inner.bare
            && let Some(alias) = self.table_alias()?
        {
            let columns = self.column_names()?;
            self.scope.derived(Some(alias), SourceKind::Query { block, columns })?;
            if lateral {
                self.scope.lateral(block);
            }
            inner = Factor { tree: self.newest(), ..inner };
            inner.bare = None;
        }
        Ok(inner)
    }

    /// A query in parentheses inside `FROM`; `(` is taken.
    fn derived_query(&mut self) -> Result<BlockIndex, Error> {
        let before = self.facts;
        let block = self.inner_query(Role::Derived)?;
        self.facts.subqueries = before.subqueries;
        Ok(block)
    }

    /// What follows `JSON_TABLE`.
    fn json_table(&mut self) -> Result<Factor, Error> {
        self.expect_kind(TokenKind::LeftParen, "(")?;
        let first = self.uses.len();
        self.expr()?;
        self.claim_rest(first, || "function JSON_TABLE".into());
        self.skip_parens()?;
        let alias = self.table_alias()?;
        self.scope.derived(alias, SourceKind::Json)?;
        Ok(Factor { tree: self.newest(), derived: true, bare: None })
    }

    /// Takes `[AS] alias`.
    pub(super) fn table_alias(&mut self) -> Result<Option<Cow<'a, str>>, Error> {
        if self.take("AS") {
            return self.name("an alias").map(Some);
        }
        // Not reserved, but they begin something else behind a table.
        let taken = self.is_name(0) && !(self.is("OJ") || self.are(&["SKIP", "LOCKED"]));
        Ok(if taken { Some(self.name("an alias")?) } else { None })
    }

    /// Takes `USE INDEX (…)`, `FORCE KEY FOR JOIN (…)` and the like.
    fn index_hints(&mut self) -> Result<(), Error> {
        while self.is_any(&["USE", "FORCE", "IGNORE"])
            && (self.is_ahead(1, "INDEX") || self.is_ahead(1, "KEY"))
        {
            self.at += 2;
            if self.take("FOR") && !(self.take("JOIN") || self.take_all(&["ORDER", "BY"])) {
                self.take_all(&["GROUP", "BY"]);
            }
            self.expect_kind(TokenKind::LeftParen, "(")?;
            self.skip_parens()?;
        }
        Ok(())
    }
}

impl Common {
    /// No columns: the join has `ON`, or nothing.
    fn none() -> Self {
        Self::Named(Vec::new())
    }
}

/// Joins the last two sides.
fn close(sides: &mut Vec<Side>, kind: JoinKind, on: Predicate, common: Common) {
    if let (Some(right), Some(left)) = (sides.pop(), sides.pop()) {
        let tree = join(kind, left.tree, right.tree, on, common);
        sides.push(Side { tree, spine: left.spine + 1 });
    }
}

/// Two sides as one; of one side that has no source (`DUAL`) only the other remains.
fn join(
    kind: JoinKind,
    left: Option<Joined>,
    right: Option<Joined>,
    on: Predicate,
    common: Common,
) -> Option<Joined> {
    match (left, right) {
        (Some(left), Some(right)) => Some(Joined::Join(Box::new(Join { kind, left, right, on, common }))),
        (left, right) => left.or(right),
    }
}

/// `left` joined with the first source of `right`, below `spine` joins.
fn crossed(left: Option<Joined>, right: Option<Joined>, spine: u32) -> Option<Joined> {
    match (spine.checked_sub(1), right) {
        (Some(spine), Some(Joined::Join(mut top))) => {
            let first = std::mem::replace(&mut top.left, Joined::Source(0));
            top.left = crossed(left, Some(first), spine)?;
            Some(Joined::Join(top))
        }
        (_, right) => join(JoinKind::Inner, left, right, Predicate::True, Common::none()),
    }
}

/// Collects the conditions that hold for every row.
fn certain(tree: &Joined, found: &mut Vec<Predicate>) {
    let Joined::Join(join) = tree else { return };
    if join.kind != JoinKind::Right {
        certain(&join.left, found);
    }
    if join.kind != JoinKind::Left {
        certain(&join.right, found);
    }
    if join.kind == JoinKind::Inner {
        found.push(join.on.clone());
    }
}
