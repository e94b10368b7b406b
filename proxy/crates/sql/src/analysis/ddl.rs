//! Data definition, read on tokens: the kind, the tables named, and (in [`super::columns`]) the columns.

use super::cursor::Parser;
use crate::lexer::TokenKind;
use crate::{BlockKind, Body, Clause, Ddl, DdlKind, Error, Pin, Role};

impl Parser<'_> {
    /// What follows the first word of a definition.
    pub(super) fn definition(&mut self, word: &str) -> Result<Body, Error> {
        let mut ddl = Ddl { kind: DdlKind::Other, guarded: false, temporary: false, database: None };
        if word == "DROP" && self.take("PREPARE") {
            self.at = self.tokens.len();
            return Ok(Body::Other("DROP PREPARE".to_owned()));
        }
        match word {
            "CREATE" => self.create(&mut ddl)?,
            "DROP" => self.drop(&mut ddl)?,
            "ALTER" => self.alter(&mut ddl)?,
            "TRUNCATE" => {
                self.take("TABLE");
                ddl.kind = DdlKind::TruncateTable;
                self.target()?;
            }
            "RENAME" if self.take_any(&["TABLE", "TABLES"]) => {
                ddl.kind = DdlKind::RenameTable;
                loop {
                    self.target()?;
                    self.expect("TO")?;
                    self.target()?;
                    if !self.take_kind(TokenKind::Comma) {
                        break;
                    }
                }
            }
            "ANALYZE" | "CHECK" | "CHECKSUM" | "OPTIMIZE" | "REPAIR" => {
                self.take_any(&["NO_WRITE_TO_BINLOG", "LOCAL"]);
                if self.take_any(&["TABLE", "TABLES"]) {
                    ddl.kind = if word == "CHECKSUM" { DdlKind::Checksum } else { DdlKind::Maintain };
                    self.target_list()?;
                    self.at = self.tokens.len();
                }
            }
            _ => {}
        }
        if ddl.kind == DdlKind::Other {
            self.every_name()?;
            self.at = self.tokens.len();
        }
        Ok(Body::Ddl(ddl))
    }

    pub(super) fn target(&mut self) -> Result<(), Error> {
        let name = self.table_name()?;
        self.scope.table(name, None)?;
        Ok(())
    }

    fn target_list(&mut self) -> Result<(), Error> {
        loop {
            self.target()?;
            if !self.take_kind(TokenKind::Comma) {
                return Ok(());
            }
        }
    }

    fn guard(&mut self, ddl: &mut Ddl) {
        ddl.guarded = self.take_all(&["IF", "NOT", "EXISTS"]) || self.take_all(&["IF", "EXISTS"]);
    }

    fn create(&mut self, ddl: &mut Ddl) -> Result<(), Error> {
        let start = self.at;
        if self.take_any(&["DATABASE", "SCHEMA"]) {
            return self.database(ddl, DdlKind::CreateDatabase);
        }
        self.take_all(&["OR", "REPLACE"]);
        ddl.temporary = self.take("TEMPORARY");
        if self.take("TABLE") {
            self.facts.pin.set(Pin::TEMPORARY_TABLE, ddl.temporary);
            return self.create_table(ddl);
        }
        self.take_any(&["ONLINE", "OFFLINE"]);
        self.take_any(&["UNIQUE", "FULLTEXT", "SPATIAL"]);
        if self.take("INDEX") {
            self.guard(ddl);
            return self.index(ddl, DdlKind::CreateIndex);
        }
        self.at = start;
        Ok(())
    }

    fn database(&mut self, ddl: &mut Ddl, kind: DdlKind) -> Result<(), Error> {
        ddl.kind = kind;
        self.guard(ddl);
        ddl.database = Some(self.name("a database")?.into_owned());
        self.at = self.tokens.len();
        Ok(())
    }

    /// What follows `CREATE [TEMPORARY] TABLE`.
    fn create_table(&mut self, ddl: &mut Ddl) -> Result<(), Error> {
        ddl.kind = DdlKind::CreateTable;
        self.guard(ddl);
        let outer = self.scope.open(Role::Statement, BlockKind::Other);
        self.clause = Clause::Definition;
        self.target()?;
        if self.take("LIKE") {
            ddl.kind = DdlKind::CreateTableFrom;
            self.target()?;
        } else if self.kind() == Some(TokenKind::LeftParen) && self.is_ahead(1, "LIKE") {
            ddl.kind = DdlKind::CreateTableFrom;
            self.at += 2;
            self.target()?;
            self.expect_kind(TokenKind::RightParen, ")")?;
        } else {
            self.table_elements(ddl)?;
        }
        self.scope.close(outer);
        Ok(())
    }

    /// Columns, keys and options: `REFERENCES t`, `UNION = (t, u)`, and the query that fills the table.
    fn table_elements(&mut self, ddl: &mut Ddl) -> Result<(), Error> {
        if self.kind() == Some(TokenKind::LeftParen) && !self.is_query_ahead() {
            self.at += 1;
            self.elements()?;
        }
        while let Some(token) = self.peek() {
            match token.kind {
                TokenKind::LeftParen if self.is_query_ahead() => {
                    ddl.kind = DdlKind::CreateTableFrom;
                    self.query(Role::Stored)?;
                    return Ok(());
                }
                TokenKind::Word if self.is("SELECT") || self.is("WITH") && !self.is_parser_option() => {
                    ddl.kind = DdlKind::CreateTableFrom;
                    self.query(Role::Stored)?;
                    return Ok(());
                }
                TokenKind::Word if token.is(self.text, "UNION") => {
                    self.at += 1;
                    self.take_kind(TokenKind::Equal);
                    self.expect_kind(TokenKind::LeftParen, "(")?;
                    self.target_list()?;
                    self.expect_kind(TokenKind::RightParen, ")")?;
                }
                _ => self.option()?,
            }
        }
        Ok(())
    }

    fn is_query_ahead(&self) -> bool {
        self.is_ahead(1, "SELECT") || self.is_ahead(1, "WITH")
    }

    /// `WITH` of an option, not of a query.
    fn is_parser_option(&self) -> bool {
        self.is_ahead(1, "PARSER") || self.is_ahead(1, "SYSTEM")
    }

    /// `i ON t …`
    fn index(&mut self, ddl: &mut Ddl, kind: DdlKind) -> Result<(), Error> {
        ddl.kind = kind;
        self.name("an index")?;
        while !self.is("ON") {
            if self.peek().is_none() {
                return Err(self.expected("ON"));
            }
            self.at += 1;
        }
        self.at += 1;
        let outer = self.scope.open(Role::Statement, BlockKind::Other);
        self.clause = Clause::Definition;
        self.target()?;
        if self.kind() == Some(TokenKind::LeftParen) {
            self.key_parts()?;
        }
        self.scope.close(outer);
        self.at = self.tokens.len();
        Ok(())
    }

    fn drop(&mut self, ddl: &mut Ddl) -> Result<(), Error> {
        let start = self.at;
        if self.take_any(&["DATABASE", "SCHEMA"]) {
            return self.database(ddl, DdlKind::DropDatabase);
        }
        ddl.temporary = self.take("TEMPORARY");
        if self.take_any(&["TABLE", "TABLES"]) {
            ddl.kind = DdlKind::DropTable;
            self.guard(ddl);
            self.target_list()?;
            self.take_any(&["RESTRICT", "CASCADE"]);
            return Ok(());
        }
        if self.take("INDEX") {
            self.guard(ddl);
            return self.index(ddl, DdlKind::DropIndex);
        }
        self.at = start;
        Ok(())
    }

    fn alter(&mut self, ddl: &mut Ddl) -> Result<(), Error> {
        self.take_any(&["ONLINE", "OFFLINE", "IGNORE"]);
        if !self.take("TABLE") {
            return Ok(());
        }
        ddl.kind = DdlKind::AlterTable;
        self.guard(ddl);
        let outer = self.scope.open(Role::Statement, BlockKind::Other);
        self.clause = Clause::Definition;
        self.target()?;
        while self.peek().is_some() {
            if self.is("RENAME") && !self.renames_part() {
                ddl.kind = DdlKind::RenameTable;
                self.at += 1;
                let _ = self.take_any(&["TO", "AS"]) || self.take_kind(TokenKind::Equal);
                self.target()?;
            } else {
                self.change()?;
            }
            self.take_kind(TokenKind::Comma);
        }
        self.scope.close(outer);
        Ok(())
    }

    /// `RENAME COLUMN|INDEX|KEY`: not the table.
    fn renames_part(&self) -> bool {
        ["COLUMN", "INDEX", "KEY"].iter().any(|word| self.is_ahead(1, word))
    }
}
