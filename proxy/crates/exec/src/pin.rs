//! What ties a connection to a session beyond its transaction, and when that is over.
//!
//! The text of a statement tells why ([`sql::Pin`]); what else has changed servers tell themselves
//! ([`backend::Tracked`]). What the text may have done is asked of the server behind it: the values that user variables
//! have now, which travel as settings from then on, and whether a lock is held. A procedure is looked at: one that may
//! leave something behind of which servers do not tell ties for good.

use std::fmt::Write as _;

use backend::{Link, TextResult, Tracked};
use plan::RouteUnit;
use sql::lexer::{Token, TokenKind, tokens};
use sql::{Body, DdlKind, Mode, Pin, SetTarget};
use wire::column::{ColumnFlags, ColumnType};
use wire::hex::hex;

use crate::Error;
use crate::diagnostics::Conditions;
use crate::executor::Executor;
use crate::job::{Command, Job, Outcome};
use crate::lane::Lane;
use crate::logical::Names;

/// Values of user variables up to this size, in hexadecimal digits, travel from connection to connection.
const CARRIED: usize = 64 * 1024;

/// A name that nobody gives up.
const UNNAMED: &str = "\0";

/// What a connection is kept for, by name.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    /// Handlers that are open.
    handlers: Vec<String>,
    /// What `GET_LOCK` was called with, as literals.
    locks: Vec<String>,
    /// Temporary tables.
    tables: Vec<String>,
}

/// Whether something must be asked of the server behind a statement.
#[inline]
pub(crate) fn asks(job: &Job<'_, '_>, outcome: &Outcome) -> bool {
    let statement = job.template.statement();
    if matches!(job.command, Command::Prepare { .. }) {
        return false;
    }
    statement.pin.intersects(Pin::USER_LOCK.union(Pin::VARIABLE))
        || match statement.body {
            Body::Call => true,
            // It may have begun or ended a transaction before it failed, and an ERR packet does not tell.
            Body::Other(_) => outcome.error.is_some(),
            _ => false,
        }
}

impl Executor {
    /// Asks what a statement has left behind on its connection.
    pub(crate) async fn inquire(
        &mut self,
        lane: &mut Lane,
        job: &Job<'_, '_>,
        route: &RouteUnit,
        outcome: &mut Outcome,
    ) {
        lane.lease.settle();
        self.save(lane, job, route, outcome).await;
        let statement = job.template.statement();
        if statement.pin.contains(Pin::VARIABLE) && self.read_variables(lane, job).await {
            outcome.untied |= Pin::VARIABLE;
        }
        if statement.pin.contains(Pin::USER_LOCK) && self.holds_no_lock(lane, job).await {
            outcome.untied |= Pin::USER_LOCK;
            lane.unpin(Pin::USER_LOCK);
        } else {
            lane.pin(statement.pin & Pin::USER_LOCK);
        }
        if outcome.error.is_some() {
            outcome.known = lane.lease.query("DO 0").await.is_ok();
        } else if statement.body == Body::Call && !lane.pinned.contains(Pin::UNKNOWN) {
            let mut rendered = Vec::new();
            job.template.render(job.call, route, &mut rendered);
            if lane.conceals(&String::from_utf8_lossy(&rendered), job.template.mode()).await {
                lane.pin(Pin::UNKNOWN);
            } else if outcome.untied.contains(Pin::VARIABLE) {
                // A change of state is that of the variables in the call, or of those that are told.
                outcome.untied |= Pin::UNKNOWN;
            }
        }
    }

    /// Fetches what a question would take away.
    async fn save(&mut self, lane: &mut Lane, job: &Job<'_, '_>, route: &RouteUnit, outcome: &mut Outcome) {
        if matches!(&job.template.statement().body, Body::Select(select) if select.traits.found_rows)
            && let Some(rows) = lane.number("SELECT FOUND_ROWS()").await
        {
            outcome.unsent = rows.saturating_sub(outcome.rows);
            outcome.asked = true;
        } else if !outcome.asked && (outcome.warnings > 0 || outcome.error.is_some()) {
            let list = lane.conditions(&Names::of(job, route)).await;
            self.diagnostics.conditions = list.map_or(Conditions::Lost(outcome.warnings), Conditions::Known);
            outcome.asked = true;
        }
    }

    /// Makes settings of all user variables that a statement names; whether nothing of them is left behind.
    async fn read_variables(&mut self, lane: &mut Lane, job: &Job<'_, '_>) -> bool {
        let names = variables(job.call.text, job.template.mode());
        let Some(told) =
            lane.told(&question(&names)).await.filter(|told| !names.is_empty() && told.rows.len() == 1)
        else {
            return false;
        };
        let sizes = (0..names.len()).map(|at| told.text(0, at * 4 + 1).len());
        if sizes.sum::<usize>() > CARRIED {
            return false;
        }
        for (at, name) in names.iter().enumerate() {
            match literal(&told, at * 4, name) {
                Some(value) => self.settings.set(name, &value),
                None => self.settings.unset(name),
            }
        }
        lane.lease.adopt(&self.settings);
        self.changed = true;
        true
    }

    /// Follows changes that a server told of with the answer to a statement.
    #[cold]
    pub(crate) fn follow(
        &mut self,
        lane: &mut Lane,
        job: &Job<'_, '_>,
        tracked: &Tracked,
        outcome: &Outcome,
    ) {
        if tracked.schema {
            // It is to be in the unit's own.
            lane.lease.doubt();
        }
        for (name, value) in &tracked.variables {
            if name == "autocommit" {
                self.transaction.manual = !value.eq_ignore_ascii_case("ON");
                match self.transaction.manual {
                    true => self.settings.set(name, "0"),
                    false => self.settings.unset(name),
                }
            } else {
                self.settings.set(name, &setting(name, value));
            }
        }
        if !tracked.variables.is_empty() {
            lane.lease.adopt(&self.settings);
            self.changed = true;
        }
        let statement = job.template.statement();
        let told_by_text = match &statement.body {
            Body::Ddl(_) => true,
            Body::Set(assignments) => {
                assignments.iter().all(|assignment| matches!(assignment.target, SetTarget::User(_)))
            }
            _ => false,
        };
        if tracked.state && !told_by_text && !outcome.untied.contains(Pin::UNKNOWN) {
            lane.pin(Pin::UNKNOWN);
        }
    }

    /// Follows a statement that succeeded, as far as its text tells.
    #[cold]
    pub(crate) fn follow_text(&mut self, lane: &mut Lane, job: &Job<'_, '_>, untied: Pin) {
        let statement = job.template.statement();
        let kept = self.kept(lane);
        lane.pin(statement.pin - untied);
        let tables = || statement.tables.iter().map(|table| table.name.to_lowercase());
        let mut over = Pin::empty();
        match &statement.body {
            Body::Ddl(ddl)
                if ddl.temporary && matches!(ddl.kind, DdlKind::CreateTable | DdlKind::CreateTableFrom) =>
            {
                kept.tables.extend(tables().take(1));
            }
            Body::Ddl(ddl) if ddl.kind == DdlKind::DropTable => {
                kept.tables.retain(|kept| !tables().any(|table| table == *kept));
                over.set(Pin::TEMPORARY_TABLE, kept.tables.is_empty());
            }
            Body::Ddl(ddl) if ddl.kind == DdlKind::RenameTable => kept.tables.push(UNNAMED.to_owned()),
            Body::Other(words) => match words.as_str() {
                "HANDLER" => {
                    kept.handle(job.call.text, job.template.mode());
                    over.set(Pin::HANDLER, kept.handlers.is_empty());
                }
                "UNLOCK INSTANCE" => over = Pin::INSTANCE_LOCK,
                "UNLOCK TABLES" => over = Pin::GLOBAL_LOCK | Pin::TABLE_LOCK,
                "XA COMMIT" | "XA ROLLBACK" => over = Pin::XA,
                _ => {}
            },
            _ if statement.pin.contains(Pin::TEMPORARY_TABLE) => kept.tables.push(UNNAMED.to_owned()),
            _ => {}
        }
        lane.unpin(over);
    }

    /// Whether none of the locks is held that the session has asked for by literals.
    async fn holds_no_lock(&mut self, lane: &mut Lane, job: &Job<'_, '_>) -> bool {
        let kept = self.kept(lane);
        let (text, mode) = (job.call.text, job.template.mode());
        let asked = locks(text, mode, job);
        let all = tokens(text, mode)
            .is_ok_and(|tokens| tokens.iter().any(|token| token.is(text, "RELEASE_ALL_LOCKS")));
        if all && asked.is_empty() {
            kept.locks.clear();
        }
        for lock in asked {
            if !kept.locks.contains(&lock) {
                kept.locks.push(lock);
            }
        }
        if kept.locks.iter().any(|lock| lock == UNNAMED) {
            return false;
        }
        let held: Vec<_> =
            kept.locks.iter().map(|lock| format!("IS_USED_LOCK({lock})<=>CONNECTION_ID()")).collect();
        if held.is_empty() {
            return true;
        }
        lane.number(&format!("SELECT {}", held.join(" OR "))).await == Some(0)
    }

    /// What ties a connection by name; nothing for one that is not tied yet.
    fn kept(&mut self, lane: &Lane) -> &mut Kept {
        let found = self.kept.iter().position(|(unit, _)| *unit == lane.unit);
        let place = found.unwrap_or_else(|| {
            self.kept.push((lane.unit, Kept::default()));
            self.kept.len() - 1
        });
        let (_, kept) = &mut self.kept[place];
        if !lane.is_pinned() {
            *kept = Kept::default();
        }
        kept
    }

    /// `UNLOCK TABLES`, wherever tables are locked.
    pub async fn unlock(&mut self) -> Result<(), Error> {
        let locked = |lane: &&mut Lane| lane.pinned.intersects(Pin::GLOBAL_LOCK | Pin::TABLE_LOCK);
        let mut committed = false;
        for lane in self.held.iter_mut().filter(locked) {
            let open = lane.in_transaction();
            lane.command("UNLOCK TABLES");
            lane.flush().await?;
            lane.all_answers().await?;
            lane.unpin(Pin::GLOBAL_LOCK | Pin::TABLE_LOCK);
            committed |= open && !lane.in_transaction();
        }
        if committed {
            return self.end("COMMIT").await;
        }
        let transaction = self.transaction.open.is_some();
        self.held.retain(|lane| lane.is_pinned() || lane.in_transaction() || (transaction && lane.begun));
        Ok(())
    }

    /// A transaction begins: at once where tables are locked, which ends that (but not what `FLUSH TABLES WITH READ
    /// LOCK` has locked).
    pub(crate) async fn begin_unlocked(&mut self) -> Result<(), Error> {
        let opening: Vec<String> = self.transaction.opening(&self.settings).map(Into::into).collect();
        for lane in self.held.iter_mut().filter(|lane| lane.pinned.contains(Pin::TABLE_LOCK)) {
            if let Some(text) = lane.lease.sync(&self.settings) {
                lane.command(&text);
            }
            opening.iter().for_each(|text| lane.command(text));
            lane.flush().await?;
            lane.all_answers().await?;
            lane.begun = true;
            lane.unpin(Pin::TABLE_LOCK);
        }
        Ok(())
    }

    /// Whether servers have told of other settings than the session had, since the last call.
    #[inline]
    pub const fn take_changed(&mut self) -> bool {
        std::mem::replace(&mut self.changed, false)
    }

    /// Whether transactions begin by themselves, as far as servers were told or have told.
    pub const fn is_manual(&self) -> bool {
        self.transaction.manual
    }
}

impl Lane {
    /// Keeps it for the session; it is cleansed or closed when that is over.
    #[inline]
    pub(crate) fn pin(&mut self, why: Pin) {
        if !why.is_empty() {
            self.pinned |= why;
            self.lease.tie(true);
        }
    }

    /// A reason is gone.
    pub(crate) fn unpin(&mut self, why: Pin) {
        self.pinned -= why;
        if self.pinned.is_empty() {
            self.lease.tie(false);
        }
    }

    /// Whether a procedure may have left something behind of which servers do not tell. `call` is the text that was sent.
    async fn conceals(&mut self, call: &str, mode: Mode) -> bool {
        let Some(name) = procedure(call, mode) else { return true };
        let Some(shown) = self.told(&format!("SHOW CREATE PROCEDURE {name}")).await else { return true };
        let body = shown.text(0, 2);
        body.is_empty() || conceals(&body, Mode::of(&shown.text(0, 1)))
    }

    /// Makes the connection one for everybody again, if it has any state; in doubt it will be closed.
    pub(crate) async fn cleanse(&mut self) {
        let settled = matches!(self.lease.link(), Link::Idle | Link::InTransaction);
        if settled && !self.lease.has_output() && (self.is_pinned() || self.in_transaction()) {
            if let Err(error) = self.lease.cleanse().await {
                tracing::debug!(%error, "a connection could not be cleansed");
            }
            self.pinned = Pin::empty();
        }
    }
}

impl Kept {
    /// `HANDLER t OPEN [AS a]`, `HANDLER a CLOSE`.
    fn handle(&mut self, text: &str, mode: Mode) {
        let tokens = tokens(text, mode).unwrap_or_default();
        let mut names = Vec::new();
        let mut opens = false;
        for token in tokens.iter().skip(1).filter(|token| token.kind != TokenKind::Comment) {
            match token.name(text) {
                _ if token.is(text, "READ") => return,
                _ if token.is(text, "CLOSE") => {
                    self.handlers.retain(|kept| names.last() != Some(kept));
                    return;
                }
                _ if token.is(text, "OPEN") => opens = true,
                Some(name) if !token.is(text, "AS") => names.push(name.to_lowercase()),
                _ => {}
            }
        }
        if opens {
            self.handlers.extend(names.pop());
        }
    }
}

/// The user variables that a text names, as settings call them.
fn variables(text: &str, mode: Mode) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for token in tokens(text, mode).unwrap_or_default() {
        if token.kind == TokenKind::UserVariable {
            let name = token.text(text).trim_start_matches('@');
            let name = match name.starts_with('`') {
                true => sql::unquote::name(name),
                false => sql::unquote::string(name, mode),
            };
            let name = format!("@`{}`", name.to_lowercase().replace('`', "``"));
            if !found.contains(&name) {
                found.push(name);
            }
        }
    }
    found
}

/// What asks for the values of user variables, so that [`literal`] can read the answer: four columns for each.
pub fn question(names: &[impl AsRef<str>]) -> String {
    let mut question = String::from("SELECT ");
    for name in names.iter().map(AsRef::as_ref) {
        let _ = write!(question, "{name},HEX({name}),CHARSET({name}),COLLATION({name}),");
    }
    question.pop();
    question
}

/// The value of the user variable whose columns in the answer to a [`question`] begin at `at`, as a literal that gives it
/// back whatever a connection is set to; nothing for one that was never set. NULL keeps the type of the value before, so
/// that one is given first.
pub fn literal(told: &TextResult, at: usize, name: &str) -> Option<String> {
    let column = told.columns.get(at)?;
    let Some(shown) = told.rows.first()?.get(at)?.as_deref() else {
        let before = match column.kind {
            ColumnType::VAR_STRING => return None,
            ColumnType::LONGLONG if column.flags.contains(ColumnFlags::UNSIGNED) => {
                "CAST(0 AS UNSIGNED)".to_owned()
            }
            ColumnType::LONGLONG => "0".to_owned(),
            ColumnType::NEWDECIMAL => "0.".to_owned(),
            ColumnType::DOUBLE => "0e0".to_owned(),
            _ => match &*told.text(0, at + 2) {
                "binary" => "X''".to_owned(),
                charset => format!("_{charset} X'' COLLATE {}", told.text(0, at + 3)),
            },
        };
        return Some(format!("{before},{name}=NULL"));
    };
    let shown = || String::from_utf8_lossy(shown).into_owned();
    Some(match column.kind {
        ColumnType::LONGLONG if column.flags.contains(ColumnFlags::UNSIGNED) => {
            format!("CAST({} AS UNSIGNED)", shown())
        }
        ColumnType::LONGLONG => shown(),
        ColumnType::NEWDECIMAL if told.text(0, at).contains('.') => shown(),
        ColumnType::NEWDECIMAL => shown() + ".",
        ColumnType::DOUBLE if told.text(0, at).contains('e') => shown(),
        ColumnType::DOUBLE => shown() + "e0",
        _ => {
            let (digits, charset) = (told.text(0, at + 1), told.text(0, at + 2));
            match &*charset {
                "binary" => format!("X'{digits}'"),
                _ => format!("_{charset} X'{digits}' COLLATE {}", told.text(0, at + 3)),
            }
        }
    })
}

/// A variable's value, as a server tells it, in SQL.
fn setting(name: &str, value: &str) -> String {
    if name == "character_set_results" && value.is_empty() {
        return "NULL".to_owned();
    }
    let number = value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    if number && value.starts_with(|first: char| first.is_ascii_digit()) {
        return value.to_owned();
    }
    let mut quoted = String::with_capacity(value.len() + 2);
    quoted.push('\'');
    // No value of a variable that is told has a backslash.
    value.chars().filter(|character| *character != '\\').for_each(|character| {
        if character == '\'' {
            quoted.push('\'');
        }
        quoted.push(character);
    });
    quoted.push('\'');
    quoted
}

/// What `GET_LOCK` is called with in a text, as literals.
fn locks(text: &str, mode: Mode, job: &Job<'_, '_>) -> Vec<String> {
    let tokens: Vec<Token> = tokens(text, mode).unwrap_or_default();
    let tokens: Vec<Token> = tokens.into_iter().filter(|token| token.kind != TokenKind::Comment).collect();
    let calls = tokens.iter().enumerate().filter(|(_, token)| token.is(text, "GET_LOCK"));
    let names = calls.map(|(at, _)| {
        let kind = |ahead: usize| tokens.get(at + ahead).map(|token| token.kind);
        let alone = kind(1) == Some(TokenKind::LeftParen) && kind(3) == Some(TokenKind::Comma);
        let name = tokens.get(at + 2)?;
        match name.kind {
            TokenKind::String if alone => hexadecimal(name.string(text, mode)?.as_bytes()),
            TokenKind::Param if alone => {
                let before = tokens[..at].iter().filter(|token| token.kind == TokenKind::Param).count();
                match job.call.params?.value(before) {
                    plan::Value::Bytes(bytes) => hexadecimal(bytes),
                    _ => None,
                }
            }
            _ => None,
        }
    });
    names.map(|name| name.unwrap_or_else(|| UNNAMED.to_owned())).collect()
}

/// A text in the one spelling that no setting changes; only ASCII is the same in all character sets.
fn hexadecimal(text: &[u8]) -> Option<String> {
    if !text.is_ascii() {
        return None;
    }
    Some(format!("_utf8mb4 X'{}'", hex(text)))
}

/// The name of the procedure as a `CALL` writes it.
fn procedure(call: &str, mode: Mode) -> Option<&str> {
    let tokens = tokens(call, mode).ok()?;
    let mut tokens = tokens.iter().filter(|token| token.kind != TokenKind::Comment);
    tokens.next().filter(|token| token.is(call, "CALL"))?;
    let mut names =
        tokens.take_while(|token| matches!(token.kind, TokenKind::Dot | TokenKind::Quoted | TokenKind::Word));
    let first = names.next()?;
    let last = names.last().unwrap_or(first);
    call.get(first.start as usize..last.end as usize)
}

/// Whether the body of a procedure names anything that may outlast it without being told.
fn conceals(body: &str, mode: Mode) -> bool {
    const WORDS: [&str; 12] = [
        "CALL",
        "EXECUTE",
        "FLUSH",
        "GET_LOCK",
        "HANDLER",
        "LOCK",
        "PREPARE",
        "RELEASE_ALL_LOCKS",
        "RELEASE_LOCK",
        "SESSION",
        "TEMPORARY",
        "XA",
    ];
    let variable = |token: &Token| matches!(token.kind, TokenKind::SystemVariable | TokenKind::UserVariable);
    tokens(body, mode).map_or(true, |tokens| {
        // Before the word stands an account, whose host looks like a variable.
        let mut tokens = tokens.iter().skip_while(|token| !token.is(body, "PROCEDURE"));
        tokens.any(|token| variable(token) || token.is_any(body, &WORDS))
    })
}
