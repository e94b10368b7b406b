//! From a text to what it says.
//!
//! A descent of our own over the tokens: MySQL's precedence (`XOR` and `||` bind looser than `AND` and comparisons),
//! exact byte ranges, and every modifier of MySQL are what routing stands on. Nothing is checked that the server will
//! check; what is not understood in a condition is opaque, what is not understood elsewhere makes the statement
//! [`Statement::unparsed`].

mod call;
mod claim;
mod columns;
mod common;
mod control;
mod cursor;
mod ddl;
mod destination;
mod expr;
mod fallback;
mod from;
mod hints;
mod insert;
mod logic;
mod modify;
mod predicate;
mod scope;
mod select;
mod set;
mod show;
mod special;
mod words;

use crate::lexer::TokenKind;
use crate::{Body, Error, Fingerprint, Hints, Mode, Role, Statement};
use cursor::Parser;

/// Reads one statement. `fingerprint` must be that of `text` in the same mode.
///
/// Refuses what the lexer refuses, and a second statement behind a `;`. A statement of a known kind that cannot be
/// read to its end comes back with [`Statement::unparsed`] set.
pub fn analyse(text: &str, fingerprint: &Fingerprint, mode: Mode) -> Result<Statement, Error> {
    let mut parser = Parser::new(text, &fingerprint.slots, mode)?;
    parser.cut()?;
    match parser.statement() {
        Ok(body) if parser.peek().is_none() => Ok(parser.finish(body, None)),
        Ok(body) => {
            let error = parser.expected("the end of the statement");
            parser.finish_unparsed(body, error)
        }
        Err(error) => {
            let body = parser.rough_body();
            parser.finish_unparsed(body, error)
        }
    }
}

impl Parser<'_> {
    /// Leaves the first statement; another one is refused.
    fn cut(&mut self) -> Result<(), Error> {
        let Some(end) = self.tokens.iter().position(|lexeme| lexeme.token.kind == TokenKind::Semicolon)
        else {
            return Ok(());
        };
        let rest = self.tokens.get(end..).unwrap_or_default();
        if rest.iter().any(|lexeme| lexeme.token.kind != TokenKind::Semicolon) {
            if self.has_compound_body() {
                return Ok(());
            }
            let next = rest.get(1).map_or(self.text.len(), |lexeme| lexeme.token.start as usize);
            return Err(Error::Multiple { at: next });
        }
        self.tokens.truncate(end);
        Ok(())
    }

    /// Whether it creates something whose body holds statements of its own.
    fn has_compound_body(&self) -> bool {
        self.is("CREATE")
            && (1..12).any(|ahead| {
                ["PROCEDURE", "FUNCTION", "TRIGGER", "EVENT"].iter().any(|word| self.is_ahead(ahead, word))
            })
    }

    fn finish(mut self, body: Body, unparsed: Option<Error>) -> Statement {
        if unparsed.is_none() {
            self.hinted_tables();
        }
        self.at = self.tokens.len();
        self.fixed.sort_unstable();
        self.fixed.dedup();
        Statement {
            owners: self.scope.owners(),
            end: self.statement_end(),
            tables: std::mem::take(&mut self.scope.tables),
            blocks: std::mem::take(&mut self.scope.blocks),
            uses: self.uses,
            aggregates: self.aggregates,
            hints: Hints::of(self.text, &self.comments),
            reads_only: unparsed.is_none() && matches!(body, Body::Select(_)) && !self.facts.primary,
            body,
            fixed: self.fixed,
            pin: self.facts.pin,
            session: self.facts.session,
            unparsed,
        }
    }

    fn finish_unparsed(mut self, body: Body, error: Error) -> Result<Statement, Error> {
        self.fixed.clear();
        self.scope = scope::Scope::default();
        self.uses.clear();
        self.aggregates.clear();
        self.at = 1;
        self.every_name()?;
        self.rough_pins();
        Ok(self.finish(body, Some(error)))
    }

    /// The whole statement, by its first word.
    fn statement(&mut self) -> Result<Body, Error> {
        let Some(token) = self.peek() else { return Ok(Body::Empty) };
        if token.kind == TokenKind::LeftParen {
            return Ok(Body::Select(self.query(Role::Statement)?));
        }
        let Some(word) = self.word() else { return Err(self.expected("a statement")) };
        Ok(match word.as_str() {
            "SELECT" | "TABLE" | "VALUES" => {
                self.at = 0;
                Body::Select(self.query(Role::Statement)?)
            }
            "WITH" => self.with()?,
            "INSERT" => Body::Insert(self.insert(false)?),
            "REPLACE" => Body::Insert(self.insert(true)?),
            "UPDATE" => Body::Update(self.update()?),
            "DELETE" => Body::Delete(self.delete()?),
            "BEGIN" | "START" | "COMMIT" | "ROLLBACK" | "SAVEPOINT" | "RELEASE" => self.transaction(&word)?,
            "SET" => self.set_statement()?,
            "USE" => self.use_database()?,
            "SHOW" => self.show()?,
            "DESC" | "DESCRIBE" | "EXPLAIN" => self.explain()?,
            "KILL" => self.kill()?,
            "CALL" => {
                self.call_statement()?;
                Body::Call
            }
            "DO" => {
                self.exprs()?;
                Body::Do
            }
            "CREATE" | "ALTER" | "DROP" | "TRUNCATE" | "RENAME" | "ANALYZE" | "CHECK" | "CHECKSUM"
            | "OPTIMIZE" | "REPAIR" | "GRANT" | "REVOKE" => self.definition(&word)?,
            _ => self.other()?,
        })
    }

    /// What follows a leading `WITH`.
    pub(super) fn with(&mut self) -> Result<Body, Error> {
        self.common_tables()?;
        Ok(if self.take("UPDATE") {
            Body::Update(self.update()?)
        } else if self.take("DELETE") {
            Body::Delete(self.delete()?)
        } else {
            let mut select = self.query_body(Role::Statement)?;
            select.traits.cte = true;
            Body::Select(select)
        })
    }
}

#[cfg(test)]
mod tests;
