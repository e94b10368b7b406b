//! Pass *edit* for encrypted and masked columns: what a statement says of logical columns becomes what it says of the
//! columns on the servers (`sql-support.md` §10), and what comes back is decorated.
//!
//! [`names`] says which logical column a name means, [`read`] rewrites what reads it, [`write`] what stores it,
//! [`define`] what defines it; what shows it is the session's. A value is compared as ciphertext, which is right for equality
//! alone: everything else is refused. In a derived table, a common table expression or behind an alias an encrypted
//! column is its cipher column under the logical name.
//!
//! Expressions over a masked column are not masked, only the column itself, also out of a derived table.

mod define;
mod names;
mod read;
mod write;

use std::sync::Arc;

use meta::{Cipher, EncryptColumn, EncryptPart, Snapshot};
use sql::{Body, DdlKind, Mode, Place, Scalar, Span, Statement};

use crate::decorate::Decoration;
use crate::error::Error;
use crate::scope::{self, Home, Scope};
use crate::text::{Ciphered, Edits, Op, Role, put_name};
use names::{Meant, Names};

/// What planning needs of a statement that names encrypted or masked tables: the structure of all tables in it.
pub(crate) fn need_tables(scope: &Scope<'_>) -> Result<(), Error> {
    let new = match &scope.statement.body {
        Body::Call
        | Body::Delete(_)
        | Body::Do
        | Body::Explain
        | Body::Insert(_)
        | Body::Select(_)
        | Body::Update(_) => 0,
        // What is created is not there yet.
        Body::Ddl(ddl) if ddl.kind == DdlKind::CreateTableFrom => 1,
        _ => return Ok(()),
    };
    if scope.statement.unparsed.is_some() || !concerns(scope) {
        return Ok(());
    }
    let mut tables: Vec<String> = Vec::new();
    for (home, table) in scope.homes.iter().zip(&scope.statement.tables).skip(new) {
        let known = scope.database.table(&table.name).is_some_and(|known| !known.columns.is_empty());
        if *home != Home::Foreign && !known && !tables.contains(&table.name) {
            tables.push(table.name.clone());
        }
    }
    if tables.is_empty() {
        return Ok(());
    }
    Err(Error::NeedTables { database: scope.database.name.clone(), tables })
}

/// Whether a table in the statement is encrypted or masked, and the statement does not ask for what is stored. No
/// client can ask for what is masked.
fn concerns(scope: &Scope<'_>) -> bool {
    masked(scope).is_some() || encrypted(scope).is_some() && !scope.statement.hints.skip_encrypt()
}

/// The first encrypted table in the statement.
fn encrypted<'a>(scope: &Scope<'a>) -> Option<&'a str> {
    mentioned(scope, |name| scope.database.encrypt.table(name).is_some())
}

fn masked<'a>(scope: &Scope<'a>) -> Option<&'a str> {
    mentioned(scope, |name| scope.database.mask.table(name).is_some())
}

fn mentioned<'a>(scope: &Scope<'a>, fits: impl Fn(&str) -> bool) -> Option<&'a str> {
    let tables = scope.homes.iter().zip(&scope.statement.tables);
    let mut found = tables.filter(|(home, table)| **home != Home::Foreign && fits(&table.name));
    found.next().map(|(_, table)| table.name.as_str())
}

/// Refuses a statement of the session itself that asks for encrypted or masked columns.
pub(crate) fn refuse_session(
    statement: &Statement,
    text: &str,
    snapshot: &Snapshot,
    schema: Option<&str>,
) -> Result<(), Error> {
    if statement.tables.is_empty() {
        return Ok(());
    }
    let Ok(database) = scope::database(statement, snapshot, schema) else { return Ok(()) };
    let scope = Scope::new(database, statement, text, &[], Mode::default());
    if concerns(&scope) { refuse(&scope, "SET") } else { Ok(()) }
}

/// Adds the edits that encrypted columns need, says what becomes of the result's columns. The names of tables must be
/// edited already.
pub(crate) fn rewrite(scope: &Scope<'_>, edits: &mut Edits) -> Result<Box<[Decoration]>, Error> {
    let statement = scope.statement;
    if !concerns(scope) {
        return Ok(Box::default());
    }
    if let Some(error) = &statement.unparsed {
        return Err(error.clone().into());
    }
    if statement.hints.skip_encrypt() && encrypted(scope).is_some() {
        return refuse(scope, "SKIP_ENCRYPT_REWRITE");
    }
    match &statement.body {
        Body::Other(words) => {
            let harmless =
                ["LOCK TABLE", "LOCK TABLES", "FLUSH TABLE", "FLUSH TABLES"].contains(&words.as_str());
            return if harmless { Ok(Box::default()) } else { refuse(scope, words) };
        }
        Body::Ddl(ddl) if ddl.kind == DdlKind::Other => {
            let tokens = sql::lexer::Lexer::new(scope.text, scope.mode).filter_map(Result::ok);
            let words = tokens.filter(|token| token.kind == sql::lexer::TokenKind::Word).take(2);
            let words: Vec<_> = words.map(|token| token.text(scope.text).to_ascii_uppercase()).collect();
            let harmless = words.first().is_some_and(|word| word == "GRANT" || word == "REVOKE");
            return if harmless { Ok(Box::default()) } else { refuse(scope, &words.join(" ")) };
        }
        Body::Ddl(ddl) if ddl.kind == DdlKind::CreateTableFrom && stores_query(scope) => {
            return refuse(scope, "CREATE TABLE ... SELECT");
        }
        // What it would insert is not known.
        Body::Explain if explains_insert(scope) => return refuse(scope, "EXPLAIN of INSERT"),
        // Rules go by the name.
        Body::Ddl(ddl) if ddl.kind == DdlKind::RenameTable => return refuse(scope, "RENAME TABLE"),
        Body::Show(_) => return Ok(Box::default()),
        _ => {}
    }
    let mut pass = Pass { scope, names: Names::new(scope), edits };
    pass.read()?;
    pass.write()?;
    pass.define()?;
    let decorations = pass.decorations()?;
    // Something under a rule may be among what was missed.
    if pass.names.gave_up() {
        refuse(scope, "a query with that many columns within each other")
    } else {
        Ok(decorations)
    }
}

fn refuse<T>(scope: &Scope<'_>, what: &str) -> Result<T, Error> {
    let table = encrypted(scope).or_else(|| masked(scope)).unwrap_or_default();
    Err(Error::Encrypted { what: what.to_owned(), table: table.to_owned() })
}

/// Whether the rows of a query fill a new table that is encrypted.
fn stores_query(scope: &Scope<'_>) -> bool {
    let mut blocks = scope.statement.blocks.iter();
    let target = scope.statement.tables.first();
    target.is_some_and(|table| scope.database.encrypt.table(&table.name).is_some())
        && blocks.any(|block| block.role == sql::Role::Stored)
}

fn explains_insert(scope: &Scope<'_>) -> bool {
    let tokens = sql::lexer::Lexer::new(scope.text, scope.mode).filter_map(Result::ok);
    let verbs = ["DELETE", "INSERT", "REPLACE", "SELECT", "TABLE", "UPDATE", "VALUES", "WITH"];
    let mut verbs = tokens.filter(|token| token.is_any(scope.text, &verbs));
    verbs.next().is_some_and(|verb| verb.is_any(scope.text, &["INSERT", "REPLACE"]))
}

/// One statement on its way.
struct Pass<'a, 'e> {
    scope: &'a Scope<'a>,
    names: Names<'a>,
    edits: &'e mut Edits,
}

impl<'a> Pass<'a, '_> {
    /// What becomes of the columns of a query's result.
    fn decorations(&self) -> Result<Box<[Decoration]>, Error> {
        if !matches!(self.scope.statement.body, Body::Select(_)) {
            return Ok(Box::default());
        }
        // Common table expressions come before the query itself.
        let is_own = |block: &sql::Block| block.role == sql::Role::Statement;
        let Some(own) = self.scope.statement.blocks.iter().position(is_own) else {
            return Ok(Box::default());
        };
        let outputs = self.names.outputs(own as u32);
        let mut decorations = Vec::new();
        for (number, output) in outputs.list.iter().enumerate() {
            let Some(meant) = output.meant else { continue };
            let decrypt = meant.cipher().map(|column| Arc::clone(&column.encryptor));
            if decrypt.is_none() && meant.mask.is_none() {
                continue;
            }
            let Some(column) = u16::try_from(number).ok().filter(|_| outputs.known) else {
                return refuse(self.scope, "`*` over tables whose columns are not known");
            };
            decorations.push(Decoration {
                column,
                decrypt,
                mask: meant.mask.cloned(),
                table: meant.table.into(),
                name: meant.column.into(),
            });
        }
        Ok(decorations.into())
    }

    /// Puts another column in the place of a name; its owner stays.
    fn rename(&mut self, span: Span, column: &str) {
        self.edits.name(span, name(column));
    }

    /// Adds a text.
    fn insert(&mut self, place: Place, text: &str) {
        self.edits.insert(place, vec![Op::Literal(text.into())]);
    }
}

/// A quoted name.
fn name(column: &str) -> Op {
    let mut name = Vec::new();
    put_name(column, true, &mut name);
    Op::Literal(String::from_utf8_lossy(&name).into())
}

/// A value as a column holds it.
fn ciphered(value: &Scalar, cipher: &Arc<Cipher>, role: Role, meant: &Meant<'_>) -> Op {
    Op::Cipher(Box::new(Ciphered {
        value: value.clone(),
        cipher: Arc::clone(cipher),
        role,
        table: meant.table.into(),
        column: meant.column.into(),
    }))
}

/// What fills a part of a column; nothing fills the part in the clear.
fn filler(column: &EncryptColumn, part: EncryptPart) -> Option<&Arc<Cipher>> {
    match part {
        EncryptPart::Assisted => column.assisted_algorithm.as_ref(),
        EncryptPart::Cipher => Some(&column.encryptor),
        EncryptPart::Like => column.like_algorithm.as_ref(),
        EncryptPart::Plain => None,
    }
}

/// `The SQL clause … is unsupported in encrypt rule.`
fn clause<T>(what: impl Into<String>) -> Result<T, Error> {
    Err(Error::EncryptClause(what.into()))
}
