//! Commands about sessions themselves: reset, change of user, figures, the end of others.

use meta::Property;
use plan::{Call, Value};
use sql::lexer::{TokenKind, tokens};
use wire::caps::Capabilities;
use wire::errno;
use wire::handshake::ChangeUser;

use crate::client::Failure;
use crate::error::Problem;
use crate::login;
use crate::registry::{Kill, Killed};
use crate::session::{Next, Session};
use crate::state::State;

impl Session {
    /// `COM_RESET_CONNECTION`: the current database is kept; all else is as servers begin with, the login's character set
    /// not among it.
    pub(crate) async fn reset(&mut self) -> Result<(), Problem> {
        self.fresh(State::default()).await;
        self.ok()
    }

    /// Ends what is open and takes a state as after login.
    async fn fresh(&mut self, state: State) {
        self.executor.reset().await;
        self.overdue = false;
        self.statements.clear();
        self.executor.settings_mut().clone_from(&state.settings);
        self.state = state;
        self.heed_timeouts();
    }

    /// Nothing was said for too long within a transaction: others need its locks and connections.
    pub(crate) async fn give_up_transaction(&mut self) {
        if !self.executor.in_transaction() {
            return;
        }
        if let Err(error) = self.executor.rollback(false).await {
            tracing::debug!(%error, "rolling back a transaction of a client that says nothing");
        }
        self.overdue = true;
    }

    /// What the next statement is answered after that: it was meant for the transaction.
    pub(crate) fn told_overdue(&mut self) -> Problem {
        self.overdue = false;
        let limit = self.local.snapshot().properties.integer(Property::FrontendMaxIdleInTransaction);
        let message = format!(
            "The transaction was rolled back, since the client said nothing for more than {limit} s within it ({})",
            Property::FrontendMaxIdleInTransaction.name()
        );
        Problem::new(errno::TRANSACTION_ROLLED_BACK, message)
    }

    /// `COM_CHANGE_USER`: another login on the same connection; one that fails ends it.
    pub(crate) async fn change_user(&mut self, change: ChangeUser<'_>) -> Result<Next, Failure> {
        self.executor.reset().await;
        let shared = std::sync::Arc::clone(&self.shared);
        let local = std::rc::Rc::clone(&self.local);
        let Some(login) =
            login::again(&shared, &local, &mut self.client, self.id, &self.who, &change).await?
        else {
            return Ok(Next::Quit);
        };
        self.fresh(login.state).await;
        *self.who = login.who;
        if let Some(entry) = &self.client.entry {
            entry.belongs_to(&self.who.user);
        }
        self.set_schema(login.database.map(Into::into));
        self.tell_changed(std::time::Instant::now());
        let status = self.status();
        self.client.put_ok(status);
        Ok(Next::Go)
    }

    pub(crate) fn set_option(&mut self, option: u16) -> Result<(), Problem> {
        match option {
            0 | 1 => {
                self.client.capabilities.set(Capabilities::MULTI_STATEMENTS, option == 0);
                let (capabilities, status) = (self.client.capabilities, self.status());
                self.client.put(|out| wire::reply::put_end(out, &crate::reply::done(status), capabilities));
                Ok(())
            }
            _ => Err(Problem::new(errno::UNKNOWN_COMMAND, "Unknown command")),
        }
    }

    /// One line in the form of MySQL's `mysqladmin status`.
    pub(crate) fn statistics(&self) -> String {
        let uptime = self.local.sessions.uptime();
        let threads = self.shared.registry.len();
        format!("Uptime: {uptime}  Threads: {threads}  Questions: {}", self.questions)
    }

    /// `KILL` with a literal or anything else that stands for a number.
    pub(crate) async fn kill_by(
        &mut self,
        query: bool,
        id: Option<&u64>,
        call: &Call<'_>,
    ) -> Result<(), Problem> {
        let id = match id {
            // As servers do: what is too large counts as far as it fits.
            Some(id) => *id as u32,
            None => self.number(call).await?,
        };
        self.kill(id, if query { Kill::Query } else { Kill::Connection }).await
    }

    /// What an expression names. What the session does not know, such as variables, any server can work out.
    async fn number(&mut self, call: &Call<'_>) -> Result<u32, Problem> {
        let mode = self.state.mode;
        let tokens = tokens(call.text, mode).map_err(|error| Problem::syntax(&error, call.text))?;
        let mut tokens = tokens
            .iter()
            .filter(|token| token.kind != TokenKind::Comment)
            .skip_while(|token| token.is_any(call.text, &["KILL", "HARD", "SOFT", "CONNECTION", "QUERY"]))
            .take_while(|token| token.kind != TokenKind::Semicolon);
        let first = tokens.next();
        let (start, end) = match (first, tokens.last().or(first)) {
            (Some(first), Some(last)) => (first.start as usize, last.end as usize),
            _ => return Err(Problem::new(errno::PARSE, "KILL needs a connection id")),
        };
        if first.is_some_and(|token| token.kind == TokenKind::Param) {
            return match call.params.map(|params| params.value(0)) {
                Some(Value::Int(id)) => Ok(id as u32),
                Some(Value::UInt(id)) => Ok(id as u32),
                Some(Value::Bytes(text)) => Ok(leading(&String::from_utf8_lossy(text))),
                _ => Ok(0),
            };
        }
        let text = format!("SELECT {}", call.text.get(start..end).unwrap_or_default());
        if let Some(facing) = self.facts(&text).await
            && let [fact] = facing.facts.as_slice()
        {
            return Ok(fact.value.as_deref().map_or(0, leading));
        }
        let unit = self.any_unit().ok_or_else(Problem::no_database)?;
        let text = self.own_expression(text.as_bytes()).unwrap_or_else(|| text.into_bytes());
        let settings = self.state.settings.clone();
        let mut connection = self.lend(&unit).await?;
        connection.apply(&settings).await.map_err(|error| Problem::backend(&error))?;
        let result = connection.query(&text).await.map_err(|error| Problem::backend(&error))?;
        Ok(leading(&result.text(0, 0)))
    }

    /// Ends a session or what it does.
    pub(crate) async fn kill(&mut self, id: u32, what: Kill) -> Result<(), Problem> {
        if id == self.id {
            self.quitting |= what == Kill::Connection;
            return Err(interrupted());
        }
        match self.shared.registry.kill(id, what, &self.by()).await {
            Killed::Done => self.ok(),
            Killed::Denied => {
                Err(Problem::new(errno::KILL_DENIED, format!("You are not owner of thread {id}")))
            }
            Killed::Unknown => Err(Problem::new(errno::NO_SUCH_THREAD, format!("Unknown thread id: {id}"))),
        }
    }
}

/// A text as the number that it begins with, as servers read it; what is too large counts as far as it fits.
fn leading(text: &str) -> u32 {
    let text = text.trim_start();
    let end = text
        .char_indices()
        .find(|(at, it)| !(it.is_ascii_digit() || (*at == 0 && matches!(it, '-' | '+'))))
        .map_or(text.len(), |(at, _)| at);
    text.get(..end).and_then(|digits| digits.parse::<i64>().ok()).unwrap_or_default() as u32
}

/// A statement was ended by `KILL QUERY`.
pub(crate) fn interrupted() -> Problem {
    Problem::new(errno::QUERY_INTERRUPTED, "Query execution was interrupted")
}

/// Nothing was said for longer than `wait_timeout`.
pub(crate) fn expired() -> Problem {
    let message = "The client was disconnected by the server because of inactivity. See wait_timeout and interactive_timeout for configuring this behavior.";
    Problem::new(errno::CLIENT_INTERACTION_TIMEOUT, message)
}

/// A session was ended by `KILL`.
pub(crate) fn killed() -> Problem {
    Problem::new(errno::QUERY_INTERRUPTED, "Connection was killed")
}
