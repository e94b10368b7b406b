//! `SHOW`, as far as the proxy answers it or routes it by a table.

use super::cursor::Parser;
use crate::lexer::TokenKind;
use crate::{BlockKind, Body, Clause, Error, Role, Show, ShowWhat};

impl Parser<'_> {
    /// What follows `SHOW`.
    pub(super) fn show(&mut self) -> Result<Body, Error> {
        let mut show = Show { what: ShowWhat::Other, schema: None, like: None, filtered: false, full: false };
        let outer = self.scope.open(Role::Statement, BlockKind::Other);
        self.clause = Clause::Show;
        self.take("EXTENDED");
        show.full = self.take("FULL");
        show.what = self.shown();
        match show.what {
            ShowWhat::CreateTable => {
                let name = self.table_name()?;
                show.schema = name.schema.as_deref().map(str::to_owned);
                self.scope.table(name, None)?;
            }
            ShowWhat::CreateDatabase => {
                self.take_all(&["IF", "NOT", "EXISTS"]);
                show.schema = Some(self.name("a database")?.into_owned());
            }
            ShowWhat::Columns | ShowWhat::Index => self.show_table(&mut show)?,
            ShowWhat::Events | ShowWhat::Tables | ShowWhat::TableStatus | ShowWhat::Triggers => {
                if self.take("FROM") || self.take("IN") {
                    show.schema = Some(self.name("a database")?.into_owned());
                }
            }
            ShowWhat::Databases
            | ShowWhat::Functions
            | ShowWhat::Gtid
            | ShowWhat::Procedures
            | ShowWhat::ProcessList => {}
            ShowWhat::Warnings => {
                self.limit()?;
            }
            ShowWhat::Other => {
                // Nobody asks what stands there, so nothing of it can be wrong.
                self.every_name()?;
                self.at = self.tokens.len();
            }
        }
        if self.take("LIKE") {
            let pattern = self.peek().and_then(|token| token.string(self.text, self.mode));
            let Some(pattern) = pattern else { return Err(self.expected("a pattern")) };
            show.like = Some(pattern.into_owned());
            self.fixed.push(self.slot(self.at));
            self.at += 1;
        } else if self.take("WHERE") {
            show.filtered = true;
            self.expr()?;
        }
        self.scope.close(outer);
        Ok(Body::Show(show))
    }

    /// Takes the words that say what is shown.
    fn shown(&mut self) -> ShowWhat {
        let start = self.at;
        if self.take("COUNT") {
            // COUNT(*) WARNINGS
            let counted = self.take_kind(TokenKind::LeftParen)
                && self.take_kind(TokenKind::Star)
                && self.take_kind(TokenKind::RightParen)
                && self.take_any(&["WARNINGS", "ERRORS"]);
            if counted {
                return ShowWhat::Warnings;
            }
            self.at = start;
        }
        if self.take_gtid() {
            return ShowWhat::Gtid;
        }
        let known: [(&[&str], ShowWhat); 20] = [
            (&["COLUMNS"], ShowWhat::Columns),
            (&["FIELDS"], ShowWhat::Columns),
            (&["CREATE", "DATABASE"], ShowWhat::CreateDatabase),
            (&["CREATE", "SCHEMA"], ShowWhat::CreateDatabase),
            (&["CREATE", "TABLE"], ShowWhat::CreateTable),
            (&["DATABASES"], ShowWhat::Databases),
            (&["SCHEMAS"], ShowWhat::Databases),
            (&["EVENTS"], ShowWhat::Events),
            (&["FUNCTION", "STATUS"], ShowWhat::Functions),
            (&["INDEX"], ShowWhat::Index),
            (&["INDEXES"], ShowWhat::Index),
            (&["KEYS"], ShowWhat::Index),
            (&["PROCEDURE", "STATUS"], ShowWhat::Procedures),
            (&["PROCESSLIST"], ShowWhat::ProcessList),
            (&["TABLE", "STATUS"], ShowWhat::TableStatus),
            (&["TABLES"], ShowWhat::Tables),
            (&["TRIGGERS"], ShowWhat::Triggers),
            (&["WARNINGS"], ShowWhat::Warnings),
            (&["ERRORS"], ShowWhat::Warnings),
            (&["GLOBAL", "PROCESSLIST"], ShowWhat::ProcessList),
        ];
        known.iter().find(|(words, _)| self.take_all(words)).map_or(ShowWhat::Other, |(_, what)| *what)
    }

    /// Takes `[GLOBAL|SESSION|LOCAL] VARIABLES` before `LIKE 'gtid…'`.
    fn take_gtid(&mut self) -> bool {
        let start = self.at;
        self.take_any(&["GLOBAL", "SESSION", "LOCAL"]);
        if self.take("VARIABLES") && self.is("LIKE") {
            let pattern = self.tokens.get(self.at + 1).map(|lexeme| lexeme.token);
            let pattern = pattern.and_then(|token| token.string(self.text, self.mode));
            if pattern.is_some() {
                // Another pattern is another statement, also where this one is not about GTIDs.
                self.fixed.push(self.slot(self.at + 1));
            }
            let named =
                |pattern: &str| pattern.get(..4).is_some_and(|name| name.eq_ignore_ascii_case("gtid"));
            if pattern.is_some_and(|pattern| named(&pattern)) {
                return true;
            }
        }
        self.at = start;
        false
    }

    /// `FROM t [FROM db]`
    fn show_table(&mut self, show: &mut Show) -> Result<(), Error> {
        if !self.take("FROM") {
            self.expect("IN")?;
        }
        let mut name = self.table_name()?;
        if self.take("FROM") || self.take("IN") {
            name.schema = Some(self.name("a database")?);
        }
        show.schema = name.schema.as_deref().map(str::to_owned);
        self.scope.table(name, None)?;
        Ok(())
    }
}
