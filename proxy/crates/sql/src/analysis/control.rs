//! Statements about the session itself: transactions, `USE`, `KILL`, `EXPLAIN`, `CALL`.

use super::cursor::Parser;
use crate::lexer::TokenKind;
use crate::{BlockKind, Body, Clause, Error, Pin, Role, Show, ShowWhat, Transaction, Use};

impl Parser<'_> {
    /// What follows `BEGIN`, `START`, `COMMIT`, `ROLLBACK`, `SAVEPOINT`, `RELEASE`.
    pub(super) fn transaction(&mut self, word: &str) -> Result<Body, Error> {
        let transaction = match word {
            "BEGIN" => {
                self.take("WORK");
                Transaction::Begin { read_only: None, snapshot: false }
            }
            "START" if self.take("TRANSACTION") => self.start_options()?,
            "START" => return self.other(),
            "COMMIT" => {
                self.take("WORK");
                let (chain, release) = self.completion()?;
                Transaction::Commit { chain, release }
            }
            "ROLLBACK" => {
                self.take("WORK");
                if self.take("TO") {
                    self.take("SAVEPOINT");
                    Transaction::RollbackTo(self.savepoint()?)
                } else {
                    let (chain, release) = self.completion()?;
                    Transaction::Rollback { chain, release }
                }
            }
            "SAVEPOINT" => Transaction::Savepoint(self.savepoint()?),
            _ => {
                self.expect("SAVEPOINT")?;
                Transaction::Release(self.savepoint()?)
            }
        };
        Ok(Body::Transaction(transaction))
    }

    /// What follows `START TRANSACTION`.
    fn start_options(&mut self) -> Result<Transaction, Error> {
        let (mut read_only, mut snapshot) = (None, false);
        while self.peek().is_some() {
            if self.take_all(&["READ", "ONLY"]) {
                read_only = Some(true);
            } else if self.take_all(&["WITH", "CONSISTENT", "SNAPSHOT"]) {
                snapshot = true;
            } else if self.take_all(&["READ", "WRITE"]) {
                read_only = Some(false);
            } else {
                return Err(self.expected("READ ONLY, READ WRITE or WITH CONSISTENT SNAPSHOT"));
            }
            if !self.take_kind(TokenKind::Comma) {
                break;
            }
        }
        Ok(Transaction::Begin { read_only, snapshot })
    }

    /// `AND [NO] CHAIN`, `[NO] RELEASE`.
    fn completion(&mut self) -> Result<(bool, bool), Error> {
        let mut chain = false;
        if self.take("AND") {
            chain = !self.take("NO");
            self.expect("CHAIN")?;
        }
        let no = self.take("NO");
        let release = self.take("RELEASE");
        if no && !release {
            return Err(self.expected("RELEASE"));
        }
        Ok((chain, release && !no))
    }

    fn savepoint(&mut self) -> Result<String, Error> {
        Ok(self.name("a savepoint")?.into_owned())
    }

    /// What follows `USE`.
    pub(super) fn use_database(&mut self) -> Result<Body, Error> {
        Ok(Body::Use(self.name("a database")?.into_owned()))
    }

    /// What follows `KILL`.
    pub(super) fn kill(&mut self) -> Result<Body, Error> {
        // MariaDB's: how much time the session is given. All have as much as they need to end in order here.
        let _ = self.take("HARD") || self.take("SOFT");
        let query = self.take("QUERY");
        if !query {
            self.take("CONNECTION");
        }
        let Some(token) = self.peek() else { return Err(self.expected("a connection id")) };
        let mut id = None;
        if token.kind == TokenKind::Integer && self.ahead(1).is_none() {
            id = token.text(self.text).parse().ok();
            self.fixed.push(self.slot(self.at));
            self.at += 1;
        } else {
            // A parameter alone has the fingerprint of a literal.
            if token.kind.slot().is_some() {
                self.fixed.push(self.slot(self.at));
            }
            self.expr()?;
        }
        Ok(Body::Kill { query, id })
    }

    /// What follows `CALL`.
    pub(super) fn call_statement(&mut self) -> Result<(), Error> {
        self.name("a procedure")?;
        if self.take_kind(TokenKind::Dot) {
            self.any_name("a procedure")?;
        }
        if self.take_kind(TokenKind::LeftParen) {
            // OUT parameters are user variables.
            let variables = self.tokens.iter().any(|lexeme| lexeme.token.kind == TokenKind::UserVariable);
            self.facts.pin.set(Pin::VARIABLE, variables);
            self.arguments("")?;
        }
        Ok(())
    }

    /// What follows `EXPLAIN`, `DESCRIBE`, `DESC`: a table is like `SHOW COLUMNS`.
    pub(super) fn explain(&mut self) -> Result<Body, Error> {
        if self.is_name(0) && !self.is_explain_option() {
            let name = self.table_name()?;
            let schema = name.schema.as_deref().map(str::to_owned);
            let outer = self.scope.open(Role::Statement, BlockKind::Other);
            self.clause = Clause::Show;
            self.scope.table(name, None)?;
            let mut like = None;
            if let Some(pattern) = self.peek().and_then(|token| token.string(self.text, self.mode)) {
                self.fixed.push(self.slot(self.at));
                like = Some(pattern.into_owned());
                self.at += 1;
            } else if self.is_name(0) {
                let index = self.lone_column(Use::Other("DESCRIBE".into()))?;
                like = self.uses.get(index as usize).map(|column| column.name.clone());
            }
            self.scope.close(outer);
            let what = ShowWhat::Columns;
            return Ok(Body::Show(Show { what, schema, like, filtered: false, full: false }));
        }
        self.explain_options()?;
        if self.take("FOR") {
            self.expect("CONNECTION")?;
            self.expr()?;
            return Ok(Body::Explain);
        }
        // What it explains says which tables there are; of what it would do nothing is kept.
        self.explained()?;
        self.facts.pin = Pin::empty();
        Ok(Body::Explain)
    }

    fn is_explain_option(&self) -> bool {
        self.is_any(&["EXTENDED", "PARTITIONS"])
            && self.ahead(1).is_some()
            && self.kind_ahead(1) != Some(TokenKind::Dot)
            || self.is("FORMAT") && self.kind_ahead(1) == Some(TokenKind::Equal)
    }

    fn explain_options(&mut self) -> Result<(), Error> {
        loop {
            if self.take("FORMAT") {
                self.expect_kind(TokenKind::Equal, "=")?;
                self.at += 1;
            } else if self.take_all(&["FOR", "DATABASE"]) || self.take_all(&["FOR", "SCHEMA"]) {
                self.name("a database")?;
            } else if self.take("INTO") {
                self.expect_kind(TokenKind::UserVariable, "a variable")?;
            } else if !self.take_any(&["ANALYZE", "EXTENDED", "PARTITIONS"]) {
                return Ok(());
            }
        }
    }

    fn explained(&mut self) -> Result<(), Error> {
        if self.kind() == Some(TokenKind::LeftParen) || self.is_query() && !self.is("WITH") {
            self.query(Role::Statement)?;
        } else if self.take("WITH") {
            self.with()?;
        } else if self.take("INSERT") {
            self.insert(false)?;
        } else if self.take("REPLACE") {
            self.insert(true)?;
        } else if self.take("UPDATE") {
            self.update()?;
        } else if self.take("DELETE") {
            self.delete()?;
        } else {
            return Err(self.expected("a statement to explain"));
        }
        Ok(())
    }
}
