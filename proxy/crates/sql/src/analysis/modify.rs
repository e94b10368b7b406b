//! `UPDATE` and `DELETE`.

use super::cursor::Parser;
use super::expr::Expr;
use super::from::From;
use super::predicate;
use super::scope::Named;
use crate::lexer::TokenKind;
use crate::{
    BlockKind, Clause, Error, Joined, Modify, Predicate, Role, Scalar, SetBy, SetColumn, Use, UseIndex,
};

impl Parser<'_> {
    /// What follows `UPDATE`.
    pub(super) fn update(&mut self) -> Result<Modify, Error> {
        while self.take_any(&["LOW_PRIORITY", "IGNORE"]) {}
        let outer = self.scope.open(Role::Statement, BlockKind::Other);
        self.clause = Clause::From;
        let from = self.references()?;
        self.expect("SET")?;
        self.clause = Clause::Set;
        let set = self.set_columns(SetBy::Update)?;
        let modify = self.modify_end(set, Vec::new(), from)?;
        self.scope.close(outer);
        Ok(modify)
    }

    /// What follows `DELETE`.
    pub(super) fn delete(&mut self) -> Result<Modify, Error> {
        while self.take_any(&["LOW_PRIORITY", "QUICK", "IGNORE"]) {}
        let outer = self.scope.open(Role::Statement, BlockKind::Other);
        self.clause = Clause::From;
        let targets_first = !self.take("FROM");
        let (start, mentions) = (self.at, self.scope.mentions());
        let mut targets = self.targets()?;
        let from = if targets_first {
            self.expect("FROM")?;
            self.references()?
        } else if self.take("USING") {
            self.references()?
        } else if targets.len() > 1 {
            return Err(self.expected("USING"));
        } else {
            // One table, which may have an alias and partitions: those were no target list.
            self.scope.forget_mentions(mentions);
            self.at = start;
            targets.clear();
            self.delete_table()?;
            From { joined: Some(Joined::Source(0)), filter: Predicate::True, derived: false }
        };
        let modify = self.modify_end(Vec::new(), targets, from)?;
        self.scope.close(outer);
        Ok(modify)
    }

    /// The tables named before `FROM` or `USING`.
    fn targets(&mut self) -> Result<Vec<String>, Error> {
        let mut targets = Vec::new();
        loop {
            let name = self.table_name()?;
            if self.take_kind(TokenKind::Dot) {
                self.expect_kind(TokenKind::Star, "*")?;
            }
            targets.push(name.name.clone().into_owned());
            self.scope.mention(name.schema, name.name, name.span);
            if !self.take_kind(TokenKind::Comma) {
                return Ok(targets);
            }
        }
    }

    /// `t [[AS] alias] [PARTITION (…)]`
    fn delete_table(&mut self) -> Result<(), Error> {
        let name = self.table_name()?;
        let alias = self.table_alias()?;
        if self.take("PARTITION") {
            self.expect_kind(TokenKind::LeftParen, "(")?;
            self.skip_parens()?;
        }
        self.scope.table(name, alias)?;
        Ok(())
    }

    /// `WHERE`, `ORDER BY`, `LIMIT`.
    fn modify_end(&mut self, set: Vec<SetColumn>, targets: Vec<String>, from: From) -> Result<Modify, Error> {
        let multi = self.scope.sources() > 1;
        self.clause = Clause::Where;
        let filter = if self.take("WHERE") { self.condition()? } else { Predicate::True };
        if let Some(block) = self.scope.present_mut() {
            block.joined = from.joined;
            block.filter = filter.clone();
        }
        let filter = self.scope.own(predicate::all(vec![filter, from.filter]));
        let ordered = self.take_all(&["ORDER", "BY"]);
        self.clause = Clause::Order;
        if ordered {
            self.sorts()?;
        }
        let limited = self.limit()?.is_some();
        let subquery = self.facts.subqueries > 0;
        Ok(Modify { set, targets, filter, ordered, limited, multi, subquery })
    }

    /// `a = 1, t.b = DEFAULT`
    pub(super) fn set_columns(&mut self, by: SetBy) -> Result<Vec<SetColumn>, Error> {
        let mut set = Vec::new();
        loop {
            set.push(self.set_column(by, |value| value.scalar())?);
            if !self.take_kind(TokenKind::Comma) {
                return Ok(set);
            }
        }
    }

    /// `a = 1`, with what its value means.
    pub(super) fn set_column(
        &mut self,
        by: SetBy,
        read: impl FnOnce(&Expr) -> Scalar,
    ) -> Result<SetColumn, Error> {
        let first = self.at;
        let Named { column, index } = self.column()?;
        if !self.take_kind(TokenKind::Equal) {
            self.expect_kind(TokenKind::Assign, "=")?;
        }
        let (second, columns) = (self.at, self.uses.len());
        let expr = self.expr()?;
        let value = read(&expr);
        let (value_span, span) = (self.span_from(second), self.span_from(first));
        self.claim(index, Use::Set { by, value: value.clone(), value_span, span });
        let mut from = None;
        match expr {
            Expr::Column(other) => {
                self.claim(other.index, Use::Assigned(index));
                from = Some(other.column).filter(|_| !matches!(value, Scalar::Values(_)));
            }
            Expr::Scalar(Scalar::Values(_), _) => self.claim(columns as UseIndex, Use::Assigned(index)),
            _ => {}
        }
        Ok(SetColumn { owner: column.owner, column: column.name, value, from })
    }
}
