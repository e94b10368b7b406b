//! `FROM`: tables, joins, derived tables.

use super::cursor::Parser;
use super::predicate;
use crate::lexer::TokenKind;
use crate::{BlockIndex, Error, Join, Predicate, Role, SourceKind, Use};
use std::borrow::Cow;

/// What a list of table references says.
#[derive(Debug)]
pub(super) struct From {
    pub(super) join: Join,
    /// The `ON` conditions that hold for every row of the result.
    pub(super) filter: Predicate,
    /// Those of left joins; nothing when there are other outer joins, or some in parentheses.
    pub(super) links: Vec<Predicate>,
    /// There is a derived table.
    pub(super) derived: bool,
}

#[derive(Clone, Copy, Eq, PartialEq)]
enum JoinKind {
    Inner,
    Left,
    Right,
}

/// What one factor or join turned out to be.
#[derive(Default)]
struct Factor {
    filter: Vec<Predicate>,
    links: Vec<Predicate>,
    joined: bool,
    outer: bool,
    /// There is an outer join of which nothing is told.
    untold: bool,
    derived: bool,
    /// A subquery in parentheses that has no name yet: may be the first part of a set operation.
    bare: Option<BlockIndex>,
}

impl<'a> Parser<'a> {
    /// Table references with commas between.
    pub(super) fn references(&mut self) -> Result<From, Error> {
        let mut all = self.joined()?;
        while self.take_kind(TokenKind::Comma) {
            let next = self.joined()?;
            all.filter.extend(next.filter);
            all.links.extend(next.links);
            all.joined = true;
            all.outer |= next.outer;
            all.untold |= next.untold;
            all.derived |= next.derived;
        }
        let links = if all.untold { Vec::new() } else { all.links };
        let join = match (all.outer, all.joined) {
            (true, _) => Join::Outer,
            (false, true) => Join::Inner,
            (false, false) => Join::None,
        };
        Ok(From { join, filter: predicate::all(all.filter), links, derived: all.derived })
    }

    /// One table reference with all its joins. `ON` belongs to the last join that has none.
    fn joined(&mut self) -> Result<Factor, Error> {
        let mut all = self.factor()?;
        all.untold |= all.outer;
        let mut open: Vec<JoinKind> = Vec::new();
        loop {
            if let Some((kind, natural)) = self.join_kind()? {
                let next = self.factor()?;
                all.joined = true;
                all.outer |= next.outer || kind != JoinKind::Inner;
                all.untold |= next.outer || kind == JoinKind::Right || natural && kind != JoinKind::Inner;
                all.derived |= next.derived;
                all.bare = None;
                if natural && let Some(block) = self.scope.present_mut() {
                    block.natural = true;
                }
                if kind == JoinKind::Right {
                    all.filter.clear();
                }
                if kind != JoinKind::Left && open.iter().all(|kind| *kind == JoinKind::Inner) {
                    all.filter.extend(next.filter);
                }
                if !natural {
                    open.push(kind);
                }
            } else if !open.is_empty() && !self.are(&["ON", "DUPLICATE", "KEY"]) && self.take("ON") {
                let kind = open.pop();
                let condition = self.condition()?;
                // Under an outer join it says nothing about the rows of the other side.
                if kind.is_none_or(|kind| kind == JoinKind::Inner)
                    && open.iter().all(|kind| *kind == JoinKind::Inner)
                {
                    all.filter.push(condition);
                } else if kind == Some(JoinKind::Left) && open.is_empty() {
                    all.links.push(condition);
                } else {
                    all.untold = true;
                }
            } else if self.take("USING") {
                all.untold |= open.pop().is_some_and(|kind| kind != JoinKind::Inner);
                self.using()?;
            } else {
                return Ok(all);
            }
        }
    }

    /// What follows `USING`.
    fn using(&mut self) -> Result<(), Error> {
        self.expect_kind(TokenKind::LeftParen, "(")?;
        loop {
            self.lone_column(Use::Using)?;
            if !self.take_kind(TokenKind::Comma) {
                return self.expect_kind(TokenKind::RightParen, ")");
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
        self.take("LATERAL");
        if self.take_kind(TokenKind::LeftParen) {
            return self.parenthesised_factor();
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
            return Ok(Factor { derived: true, ..Factor::default() });
        }
        self.scope.table(name, alias)?;
        Ok(Factor::default())
    }

    /// A subquery or table references; `(` is taken.
    fn parenthesised_factor(&mut self) -> Result<Factor, Error> {
        let mut inner = if self.is_query() {
            let query = self.derived_query()?;
            Factor { derived: true, bare: Some(query), ..Factor::default() }
        } else {
            let mut inner = self.joined()?;
            while self.take_kind(TokenKind::Comma) {
                let next = self.joined()?;
                inner.filter.extend(next.filter);
                inner.joined = true;
                inner.outer |= next.outer;
                inner.derived |= next.derived;
                inner.bare = None;
            }
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
        Ok(Factor { derived: true, ..Factor::default() })
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
