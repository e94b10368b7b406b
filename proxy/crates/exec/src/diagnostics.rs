//! What the last statement of a session left behind: its warnings and errors, `ROW_COUNT()`, `FOUND_ROWS()`.
//!
//! The figures are in every answer and are kept here. Warnings are not: the server has them until the next statement
//! on the same connection. So a connection that has some lingers with the session. When the session goes on it is given
//! back; when they are asked for, or others wait for a connection, they are fetched first ([`Executor::keep_conditions`]).

use backend::{Link, Refusal, TextResult};
use bytes::{BufMut, Bytes};
use plan::Given;
use sql::Body;
use wire::attributes::put_query;
use wire::frame;

use crate::Error;
use crate::executor::Executor;
use crate::job::{Job, Outcome};
use crate::lane::Lane;
use crate::logical::Names;

const CONDITIONS: &str = "SHOW WARNINGS";

/// One line of `SHOW WARNINGS`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Condition {
    /// `Error`, `Warning` or `Note`.
    pub level: Bytes,
    /// Its number.
    pub code: u16,
    /// Its text.
    pub message: Bytes,
}

/// Figures about the last statement.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Figures {
    /// `ROW_COUNT()`.
    pub row_count: i64,
    /// `FOUND_ROWS()`.
    pub found_rows: u64,
    /// `LAST_INSERT_ID()`.
    pub insert_id: u64,
}

/// The conditions of the last statement.
#[derive(Debug, Default)]
pub(crate) enum Conditions {
    /// The server has them, on the lane marked as witness.
    Held,
    /// These.
    Known(Vec<Condition>),
    /// So many were told of, and nobody knows any more what they said.
    Lost(u16),
    #[default]
    None,
}

/// What the last statement left behind.
#[derive(Debug, Default)]
pub(crate) struct Diagnostics {
    pub(crate) conditions: Conditions,
    /// How many conditions the last answer told of.
    pub(crate) told: u16,
    /// What the witness calls by other names than the client.
    pub(crate) names: Names,
    /// `FOUND_ROWS()` is still to be asked of the witness.
    pub(crate) calculated: bool,
    pub(crate) row_count: i64,
    pub(crate) found_rows: u64,
}

impl Executor {
    /// Figures about the last statement; `FOUND_ROWS()` only after [`Self::keep_conditions`].
    pub fn figures(&self) -> Figures {
        let Diagnostics { row_count, found_rows, .. } = self.diagnostics;
        Figures { row_count, found_rows, insert_id: self.insert_id }
    }

    /// Another statement begins: the conditions of the last one are gone.
    #[inline]
    pub fn next_statement(&mut self) {
        if !matches!(self.diagnostics.conditions, Conditions::None) {
            self.diagnostics.conditions = Conditions::None;
            self.part();
        }
    }

    /// The session did a statement by itself.
    pub fn did(&mut self) {
        self.diagnostics.row_count = 0;
    }

    /// The session answered a statement with rows of its own.
    pub fn showed(&mut self, rows: u64) {
        (self.diagnostics.row_count, self.diagnostics.found_rows) = (-1, rows);
    }

    /// The session answered with rows of servers that told these conditions with them.
    pub fn warned(&mut self, conditions: Vec<Condition>) {
        if !conditions.is_empty() {
            self.diagnostics.conditions = Conditions::Known(conditions);
        }
    }

    /// The session answered with an error that no server has raised.
    pub fn raise(&mut self, code: u16, message: &str) {
        self.next_statement();
        self.diagnostics.conditions = Conditions::error(code, message);
        self.diagnostics.row_count = -1;
    }

    /// Whether a connection is held for nothing but what it knows of the last statement.
    #[inline]
    pub fn lingers(&self) -> bool {
        matches!(self.diagnostics.conditions, Conditions::Held) && self.held.iter().any(|lane| lane.lingers)
    }

    /// Whether others wait for that connection.
    pub fn is_contended(&self) -> bool {
        self.held.iter().any(|lane| lane.lingers && lane.lease.is_contended())
    }

    /// Fetches what only the connection knows, and gives it back if nothing else is on it.
    pub async fn keep_conditions(&mut self) {
        if !matches!(self.diagnostics.conditions, Conditions::Held) {
            return;
        }
        self.diagnostics.conditions = Conditions::Lost(self.diagnostics.told);
        if let Some(lane) = self.held.iter_mut().find(|lane| lane.witness) {
            // Asking for the one loses the other.
            if self.diagnostics.calculated {
                self.diagnostics.found_rows = lane.number("SELECT FOUND_ROWS()").await.unwrap_or_default();
            } else if let Some(list) = lane.conditions(&self.diagnostics.names).await {
                self.diagnostics.conditions = Conditions::Known(list);
            }
        }
        self.part();
    }

    /// The conditions of the last statement, as `SHOW WARNINGS` tells them.
    pub async fn conditions(&mut self) -> Result<&[Condition], Error> {
        self.diagnostics.calculated = false;
        self.keep_conditions().await;
        match &self.diagnostics.conditions {
            Conditions::Known(list) => Ok(list),
            Conditions::Held | Conditions::None => Ok(&[]),
            Conditions::Lost(count) => Err(Error::Conditions { count: *count }),
        }
    }

    /// How many conditions there are, and how many of them are errors.
    pub async fn count_conditions(&mut self) -> (usize, usize) {
        let list = match self.conditions().await {
            Ok(list) => list,
            Err(Error::Conditions { count }) => return (usize::from(count), 0),
            Err(_) => &[],
        };
        (list.len(), list.iter().filter(|condition| *condition.level == *b"Error").count())
    }

    /// Asks for `LAST_INSERT_ID()`, and first for the conditions that are lost by that.
    pub(crate) async fn recall(&mut self, lane: &mut Lane, outcome: &Outcome, names: impl FnOnce() -> Names) {
        if outcome.warnings > 0 {
            let list = lane.conditions(&names()).await;
            self.diagnostics.conditions = list.map_or(Conditions::Lost(outcome.warnings), Conditions::Known);
        }
        let id = lane.number("SELECT LAST_INSERT_ID()").await;
        // One that is not what the answer told is an older one, of whichever session.
        if let Some(id) = id.filter(|id| outcome.insert_id == 0 || *id == outcome.insert_id) {
            self.insert_id = id;
        }
    }

    /// The statement was told to end: should the order reach its server only now, it ends a question of the proxy's own
    /// and no other statement.
    pub(crate) async fn calm(
        &mut self,
        lane: &mut Lane,
        outcome: &mut Outcome,
        names: impl FnOnce() -> Names,
    ) {
        let list = lane.conditions(&names()).await;
        if outcome.warnings > 0 || outcome.error.is_some() {
            let count = outcome.warnings.max(1);
            self.diagnostics.conditions = list.map_or(Conditions::Lost(count), Conditions::Known);
            outcome.asked = true;
        }
    }

    /// Whether the connection that ran the statement alone knows something that may be asked for next.
    #[inline]
    pub(crate) fn bears(&mut self, job: &Job<'_, '_>, outcome: &Outcome) -> bool {
        let calculated =
            matches!(&job.template.statement().body, Body::Select(select) if select.traits.found_rows);
        if outcome.warnings == 0 && outcome.error.is_none() && !calculated {
            return false;
        }
        // What came of several nodes has been put together already.
        let [route] = job.plan.units.as_slice() else { return false };
        if outcome.prepared.is_some() || outcome.asked {
            return false;
        }
        self.diagnostics.names = Names::of(job, route);
        self.diagnostics.conditions = Conditions::Held;
        self.diagnostics.told = outcome.warnings;
        self.diagnostics.calculated = calculated && outcome.error.is_none();
        true
    }

    /// Gives back what was held for its conditions alone.
    fn part(&mut self) {
        self.diagnostics.calculated = false;
        for lane in &mut self.held {
            lane.witness = false;
        }
        self.held.retain(|lane| !lane.lingers);
    }
}

impl Condition {
    /// Those that `SHOW WARNINGS` has shown.
    pub(crate) fn all(shown: TextResult, names: &Names) -> Vec<Self> {
        let rows = shown.rows.into_iter().filter_map(|row| {
            let [level, code, message] = <[Option<Bytes>; 3]>::try_from(row).ok()?;
            let code = std::str::from_utf8(code.as_deref()?).ok()?.parse().ok()?;
            let mut condition = Self { level: level?, code, message: message? };
            names.condition(&mut condition);
            Some(condition)
        });
        rows.collect()
    }
}

impl Conditions {
    /// A server's error alone.
    pub(crate) fn of(refusal: &Refusal) -> Self {
        Self::error(refusal.code, &refusal.message)
    }

    fn error(code: u16, message: &str) -> Self {
        let message = Bytes::copy_from_slice(message.as_bytes());
        Self::Known(vec![Condition { level: Bytes::from_static(b"Error"), code, message }])
    }
}

impl Diagnostics {
    /// A statement was answered.
    #[inline]
    pub(crate) fn answered(&mut self, outcome: &Outcome) {
        if outcome.error.is_some() {
            self.row_count = -1;
        } else if outcome.rowset {
            (self.row_count, self.found_rows) = (-1, outcome.rows + outcome.unsent);
        } else {
            self.row_count = i64::try_from(outcome.affected).unwrap_or(i64::MAX);
        }
    }
}

impl Lane {
    /// What `SHOW WARNINGS` says here, in the client's terms, if the connection still works.
    pub(crate) async fn conditions(&mut self, names: &Names) -> Option<Vec<Condition>> {
        self.told(CONDITIONS).await.map(|result| Condition::all(result, names))
    }

    /// Writes the question for them, whose answer comes behind that of the statement written before.
    pub(crate) fn ask_conditions(&mut self) {
        let some = self.lease.takes_attributes();
        frame::put_with(self.lease.output(), &mut 0, |out| {
            put_query(out, some, None);
            out.put_slice(CONDITIONS.as_bytes());
        });
    }

    /// Reads the answer; of conditions that nobody wants nothing is kept.
    pub(crate) async fn asked_conditions(
        &mut self,
        names: impl FnOnce() -> Option<Names>,
    ) -> Result<Vec<Condition>, Error> {
        let shown = self.lease.answer().await?;
        Ok(names().map_or_else(Vec::new, |names| Condition::all(shown, &names)))
    }

    pub(crate) async fn number(&mut self, question: &str) -> Option<u64> {
        self.told(question).await?.text(0, 0).parse().ok()
    }

    pub(crate) async fn told(&mut self, question: &str) -> Option<TextResult> {
        if self.lease.link() == Link::Poisoned {
            return None;
        }
        let told = self.lease.query(question).await;
        told.inspect_err(|error| tracing::debug!(%error, "diagnostics of a statement are lost")).ok()
    }
}

/// Whether only the server can tell what `LAST_INSERT_ID()` is after a statement: it gave it an argument, or the id in
/// its answer may be generated or not.
pub(crate) fn recalls(job: &Job<'_, '_>, outcome: &Outcome) -> bool {
    let statement = job.template.statement();
    let name = b"LAST_INSERT_ID";
    if outcome.insert_id != 0 {
        return job.template.generates().is_none()
            && job.template.given(job.call, outcome.insert_id) == Given::Unknown;
    }
    statement.session
        && outcome.error.is_none()
        && outcome.prepared.is_none()
        && matches!(statement.body, Body::Select(_) | Body::Do)
        && job.call.raw.windows(name.len()).enumerate().any(|(at, window)| {
            let mut rest = job.call.raw[at + name.len()..].iter().filter(|byte| !byte.is_ascii_whitespace());
            window.eq_ignore_ascii_case(name) && rest.next() == Some(&b'(') && rest.next() != Some(&b')')
        })
}

#[cfg(test)]
mod tests;
