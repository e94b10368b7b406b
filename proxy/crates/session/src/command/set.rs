//! `SET`: what the session remembers, what a server must compute first, and what goes to a server as it is.

use std::time::Duration;

use backend::Settings;
use exec::Lent;
use sql::{Assignment, Mode, SetTarget, SetValue, Slot};
use tokio::time::timeout;
use wire::column::ColumnType;
use wire::errno;
use wire::hex::hex;

use crate::error::Problem;
use crate::session::Session;
use crate::state::{Change, State, Timeouts, Unfit, change, quoted, timeout as timeout_of, user_variable};

/// A server that has no connection to spare for so long is passed over for another that knows the same.
const PATIENCE: Duration = Duration::from_millis(500);

impl Session {
    /// Takes over all assignments of a `SET`, or none; false when the statement must go to a server as it is.
    ///
    /// `bound`: the statement reads tables or asks for locks, so that it must run on the session's own connection.
    pub(crate) async fn set(
        &mut self,
        assignments: &[Assignment],
        bound: bool,
        text: &str,
        slots: &[Slot],
    ) -> Result<bool, Problem> {
        let mut next = self.state.clone();
        let (mut transaction, mut insert_id) = (None, None);
        let mut asks = false;
        for assignment in assignments {
            let value = value_text(assignment, text, slots);
            if let Some(words) = next_only(assignment, text, slots) {
                transaction = Some(words);
                continue;
            }
            let changes = match change(assignment, value, self.state.mode) {
                Ok(changes) => changes,
                Err(Unfit::Elsewhere) => {
                    let computed =
                        if bound { None } else { Box::pin(self.compute(assignment, value)).await? };
                    match computed {
                        Some(change) => vec![change],
                        // As a whole; the session takes user variables over from the connection.
                        None if assignments.len() == 1 || assignments.iter().all(is_user) => {
                            return Ok(false);
                        }
                        None => return Err(Problem::unsupported(mixed(text))),
                    }
                }
                Err(Unfit::Value { variable, value }) => {
                    let message = format!("Variable '{variable}' can't be set to the value of '{value}'");
                    return Err(Problem::new(errno::WRONG_VALUE_FOR_VARIABLE, message));
                }
                Err(Unfit::Type { variable }) => return Err(wrong_type(&variable)),
                Err(Unfit::OneConnection { variable }) => {
                    let message =
                        format!("SET {variable}, which means something to a single server connection only");
                    return Err(Problem::unsupported(message));
                }
            };
            for change in changes {
                match change {
                    Change::NextTransaction(words) => transaction = Some(words),
                    Change::InsertId(id) => insert_id = Some(id),
                    change => {
                        asks |= !is_known_good(&change);
                        next.apply(change);
                    }
                }
            }
        }
        if asks && next.settings != self.state.settings {
            self.try_out(&next).await?;
        }
        self.adopt(next).await?;
        if let Some(id) = insert_id {
            self.executor.set_insert_id(id);
        }
        if let Some(words) = transaction {
            self.next_transaction(&words)?;
        }
        Ok(true)
    }

    /// Lets a server say whether it takes the settings: the client must hear of a wrong one now, not with some later
    /// statement.
    async fn try_out(&mut self, next: &State) -> Result<(), Problem> {
        let settings = self.state.settings.clone();
        let mut busy = None;
        for unit in self.alike_units() {
            match timeout(PATIENCE, self.lend(&unit)).await {
                Ok(Ok(connection)) => {
                    if let Some(proven) = prove(connection, &settings, &next.settings).await {
                        return proven;
                    }
                }
                // A server that is down says nothing about the settings: they are proven with a later statement.
                Ok(Err(_)) => {}
                Err(_) => {
                    busy.get_or_insert(unit);
                }
            }
        }
        let Some(unit) = busy else { return Ok(()) };
        // It is waited for as by any statement.
        let connection = self.lend(&unit).await?;
        prove(connection, &settings, &next.settings).await.unwrap_or(Ok(()))
    }

    /// Asks a server for the value of an expression, so that every connection gets the same.
    async fn compute(&mut self, assignment: &Assignment, value: &str) -> Result<Option<Change>, Problem> {
        let name = match &assignment.target {
            SetTarget::Session(name) => name.clone(),
            SetTarget::User(name) => user_variable(name),
            _ => return Ok(None),
        };
        let mut units = self.alike_units();
        let Some(last) = units.pop() else { return Ok(None) };
        let mut found = last;
        for unit in units {
            if matches!(timeout(PATIENCE, self.lend(&unit)).await, Ok(Ok(_))) {
                found = unit;
                break;
            }
        }
        // Only the variable itself has the kind that its value has in the end.
        let user = name.starts_with('@').then(|| exec::question(&[name.as_str()]));
        let text =
            user.as_ref().map_or_else(|| format!("SELECT {value}"), |_| format!("SET {name} = {value}"));
        let text = self.own_expression(text.as_bytes()).unwrap_or_else(|| text.into_bytes());
        // All values are those before the statement.
        let (settings, mode) = (self.state.settings.clone(), self.state.mode);
        let mut connection = self.lend(&found).await?;
        connection.apply(&settings).await.map_err(|error| Problem::backend(&error))?;
        let result = connection.query(&text).await.map_err(|error| Problem::backend(&error))?;
        if let Some(question) = user {
            let told = connection.query(&question).await.map_err(|error| Problem::backend(&error))?;
            connection.take_tracked();
            let value = exec::literal(&told, 0, &name).unwrap_or_else(|| "NULL".to_owned());
            let mut now = connection.settings().clone();
            now.set(&name, &value);
            connection.adopt(&now);
            return Ok(Some(Change::Variable(name, value)));
        }
        let ([column], [row]) = (result.columns.as_slice(), result.rows.as_slice()) else {
            return Err(Problem::new(errno::WRONG_ARGUMENTS, "Operand should contain 1 column"));
        };
        let value = match row.first().and_then(Option::as_deref) {
            None => "NULL".to_owned(),
            Some(value) => constant(value, column.kind, mode),
        };
        Ok(Some(computed(name, value)?))
    }

    /// Takes a whole state over.
    async fn adopt(&mut self, next: State) -> Result<(), Problem> {
        self.executor.autocommit(next.autocommit).await.map_err(|error| Problem::exec(&error))?;
        self.executor.settings_mut().clone_from(&next.settings);
        self.state = next;
        self.heed_timeouts();
        Ok(())
    }

    /// `SET TRANSACTION …` for the next transaction alone, which must not have begun.
    fn next_transaction(&mut self, words: &str) -> Result<(), Problem> {
        if self.executor.in_transaction() {
            let message = "Transaction characteristics can't be changed while a transaction is in progress";
            return Err(Problem::new(errno::ErrorCode::new(1568, "25001"), message));
        }
        self.executor.next_transaction(&format!("SET TRANSACTION {words}"));
        Ok(())
    }
}

/// What a server says of settings, of which it has taken the present ones, so that an error is about what the client has
/// said, and nothing else; nothing when it is lost.
async fn prove(mut connection: Lent<'_>, present: &Settings, next: &Settings) -> Option<Result<(), Problem>> {
    let proven = match connection.apply(present).await {
        Ok(()) => connection.prove(next).await,
        Err(error) => Err(error),
    };
    match proven {
        Err(error) if error.refusal().is_some() => Some(Err(Problem::backend(&error))),
        Err(_) => None,
        Ok(()) => Some(Ok(())),
    }
}

fn is_user(assignment: &Assignment) -> bool {
    matches!(assignment.target, SetTarget::User(_))
}

/// What stands behind the `=` of an assignment, or behind its words.
fn value_text<'a>(assignment: &Assignment, text: &'a str, slots: &[Slot]) -> &'a str {
    let whole = assignment.span.text(text, slots);
    whole.split_once('=').map_or(whole, |(_, value)| value.trim())
}

/// Whether every server takes it: drivers say these to each fresh connection, and that must not need a server.
fn is_known_good(change: &Change) -> bool {
    match change {
        Change::Autocommit(_) | Change::DefaultNames | Change::Timeout(..) => true,
        Change::Names(names) => {
            let Some(charset) = wire::charset::Charset::named(&names.name) else { return false };
            let collation = names.collation.as_deref().map(wire::charset::Collation::named);
            // The newest collations are MySQL's alone.
            let old = |name: &str| !name.contains("_0900_");
            charset.is_client()
                && collation.is_none_or(|found| {
                    found.is_some_and(|found| found.charset == charset && old(found.name))
                })
        }
        _ => false,
    }
}

fn wrong_type(variable: &str) -> Problem {
    Problem::new(errno::WRONG_TYPE_FOR_VARIABLE, format!("Incorrect argument type to variable '{variable}'"))
}

/// What a computed value means for the session.
fn computed(name: String, value: String) -> Result<Change, Problem> {
    let wrong = |variable: &str, value: &str| {
        let message = format!("Variable '{variable}' can't be set to the value of '{value}'");
        Problem::new(errno::WRONG_VALUE_FOR_VARIABLE, message)
    };
    match (name.as_str(), value.as_str()) {
        ("autocommit", "0") => Ok(Change::Autocommit(false)),
        ("autocommit", "1") => Ok(Change::Autocommit(true)),
        ("autocommit", other) => Err(wrong("autocommit", other)),
        (name, value) if Timeouts::holds(name) => timeout_of(name, value).map_err(|_| wrong_type(name)),
        ("identity" | "last_insert_id", id) => id.parse().map(Change::InsertId).map_err(|_| wrong(&name, id)),
        _ => Ok(Change::Variable(name, value)),
    }
}

/// `@@transaction_isolation` and `@@transaction_read_only` without `SESSION`: for the next transaction alone, in the words of
/// `SET TRANSACTION` (MySQL's manual, "SET TRANSACTION Statement").
fn next_only(assignment: &Assignment, text: &str, slots: &[Slot]) -> Option<String> {
    let SetTarget::Session(name) = &assignment.target else { return None };
    let written = assignment.span.text(text, slots);
    let bare = written.strip_prefix("@@")?.trim_start();
    if !bare.get(..name.len())?.eq_ignore_ascii_case(name) {
        return None;
    }
    let SetValue::Text(value) = &assignment.value else { return None };
    let value = value.to_ascii_uppercase();
    match name.as_str() {
        "transaction_isolation" | "tx_isolation" => {
            Some(format!("ISOLATION LEVEL {}", value.replace('-', " ")))
        }
        "transaction_read_only" | "tx_read_only" => match value.as_str() {
            "1" | "ON" => Some("READ ONLY".to_owned()),
            "0" | "OFF" => Some("READ WRITE".to_owned()),
            _ => None,
        },
        _ => None,
    }
}

/// A value that a server has computed, as a literal of the same kind.
fn constant(value: &[u8], kind: ColumnType, mode: Mode) -> String {
    let number = matches!(
        kind,
        ColumnType::TINY
            | ColumnType::SHORT
            | ColumnType::INT24
            | ColumnType::LONG
            | ColumnType::LONGLONG
            | ColumnType::YEAR
            | ColumnType::FLOAT
            | ColumnType::DOUBLE
            | ColumnType::NEWDECIMAL
    );
    match std::str::from_utf8(value) {
        Ok(text) if number => text.to_owned(),
        Ok(text) => quoted(text, mode),
        Err(_) => format!("X'{}'", hex(value)),
    }
}

fn mixed(text: &str) -> String {
    let start: String = text.chars().take(80).collect();
    format!("SET of several things of which some belong to one server connection: {start}")
}
