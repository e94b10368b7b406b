//! `SET`: what the session remembers, what a server must compute first, and what goes to a server as it is.

use std::sync::Arc;

use meta::StorageUnit;
use sql::{Assignment, Slot};

use crate::error::Problem;
use crate::session::Session;
use crate::state::{Change, State, Unfit, change};
use wire::errno;

impl Session {
    /// Takes over all assignments of a `SET`, or none; false when the statement must go to a server as it is.
    pub(crate) async fn set(
        &mut self,
        assignments: &[Assignment],
        text: &str,
        slots: &[Slot],
    ) -> Result<bool, Problem> {
        let mut next = self.state.clone();
        let mut transaction = None;
        let mut asks = false;
        for assignment in assignments {
            let value = value_text(assignment, text, slots);
            let changes = match change(assignment, value, self.state.mode) {
                Ok(changes) => changes,
                Err(Unfit::Elsewhere) => match self.compute(assignment, value, &next).await? {
                    Some(change) => vec![change],
                    None if assignments.len() == 1 => return Ok(false),
                    None => return Err(Problem::unsupported(mixed(text))),
                },
                Err(Unfit::Value { variable, value }) => {
                    let message = format!("Variable '{variable}' can't be set to the value of '{value}'");
                    return Err(Problem::new(errno::WRONG_VALUE_FOR_VARIABLE, message));
                }
            };
            for change in changes {
                match change {
                    Change::NextTransaction(words) => transaction = Some(words),
                    change => {
                        asks |= !matches!(change, Change::Autocommit(_));
                        next.apply(change);
                    }
                }
            }
        }
        if asks && next.settings != self.state.settings {
            self.try_out(&next).await?;
        }
        self.adopt(next).await?;
        if let Some(words) = transaction {
            self.next_transaction(&words)?;
        }
        Ok(true)
    }

    /// Lets a server say whether it takes the settings: the client must hear of a wrong one now, not with some later
    /// statement.
    async fn try_out(&self, next: &State) -> Result<(), Problem> {
        let Some(unit) = self.any_unit() else { return Ok(()) };
        let mut lease = self.lease(&unit).await?;
        lease.apply(&next.settings).await.map_err(|error| Problem::backend(&error))
    }

    /// Asks a server for the value of an expression, so that every connection gets the same.
    async fn compute(
        &self,
        assignment: &Assignment,
        value: &str,
        state: &State,
    ) -> Result<Option<Change>, Problem> {
        let (sql::SetTarget::Session(name), Some(unit)) = (&assignment.target, self.any_unit()) else {
            return Ok(None);
        };
        if value.contains('@') && !value.contains("@@") {
            // A user variable lives on a connection; the session may hold one.
            return Ok(None);
        }
        let mut lease = self.lease(&unit).await?;
        lease.apply(&state.settings).await.map_err(|error| Problem::backend(&error))?;
        // A server may not change what is asked for by the asking.
        let result =
            lease.query(&format!("SELECT QUOTE({value})")).await.map_err(|error| Problem::backend(&error))?;
        let quoted = result.text(0, 0).into_owned();
        let inner = quoted.trim_matches('\'');
        let number = !inner.is_empty() && inner.bytes().all(|byte| byte.is_ascii_digit());
        Ok(Some(Change::Variable(name.clone(), if number { inner.to_owned() } else { quoted })))
    }

    /// Takes a whole state over.
    async fn adopt(&mut self, next: State) -> Result<(), Problem> {
        self.executor.autocommit(next.autocommit).await.map_err(|error| Problem::exec(&error))?;
        self.executor.settings_mut().clone_from(&next.settings);
        self.state = next;
        Ok(())
    }

    /// `SET TRANSACTION …` for the next transaction alone, which must not have begun.
    fn next_transaction(&mut self, words: &str) -> Result<(), Problem> {
        if self.executor.in_transaction() {
            let message = "Transaction characteristics can't be changed while a transaction is in progress";
            return Err(Problem::new(errno::ErrorCode::new(1568, "25001"), message));
        }
        self.executor.next_transaction(words);
        Ok(())
    }

    /// Some unit of the current database, to ask what any of them would answer alike.
    pub(crate) fn any_unit(&self) -> Option<Arc<StorageUnit>> {
        self.database().and_then(|database| database.units.values().next().map(Arc::clone))
    }
}

/// What stands behind the `=` of an assignment, or behind its words.
fn value_text<'a>(assignment: &Assignment, text: &'a str, slots: &[Slot]) -> &'a str {
    let whole = assignment.span.text(text, slots);
    whole.split_once('=').map_or(whole, |(_, value)| value.trim())
}

fn mixed(text: &str) -> String {
    let start: String = text.chars().take(80).collect();
    format!("SET of several things of which some belong to one server connection: {start}")
}
