//! Cursors of prepared statements: opened by an execution on one node, read piece by piece with `COM_STMT_FETCH`.
//!
//! The connection stays with the session until its last cursor is closed. Meanwhile nobody else may run the server's
//! statement, which would close the cursor.

use std::cell::RefCell;
use std::future::poll_fn;
use std::rc::Rc;
use std::sync::Arc;
use std::task::Poll;

use backend::Statement;
use bytes::BufMut;
use meta::Database;
use plan::{Decoration, Renames, RouteUnit};
use sql::Pin;
use wire::caps::Status;
use wire::command::{code, put_statement};
use wire::frame;
use wire::scan::Expect;

use crate::Error;
use crate::decorate::Sent;
use crate::diagnostics::Conditions;
use crate::downstream::{Absence, Downstream, Watch as _};
use crate::executor::{Executor, refuse, unreadable};
use crate::job::{Job, Outcome};
use crate::lane::{Lane, PASSING};
use crate::relay::{View, relay};

/// An open cursor.
#[derive(Debug)]
pub(crate) struct Cursor {
    /// The statement's number in the session.
    client: u32,
    /// By which the connection knew the statement, and will again.
    key: u64,
    statement: Statement,
    /// Its columns, where some are decorated.
    columns: RefCell<Vec<Sent>>,
}

/// What a client wants of a cursor.
#[derive(Clone, Copy, Debug)]
pub struct Fetch<'a> {
    /// The statement's number in the session.
    pub statement: u32,
    /// At most so many rows.
    pub rows: u32,
    /// Whose statement it is.
    pub database: &'a Arc<Database>,
    /// What becomes of its columns.
    pub decorations: &'a [Decoration],
}

impl Executor {
    /// Whether a statement of the session has an open cursor.
    pub fn has_cursor(&self, statement: u32) -> bool {
        self.held.iter().any(|lane| lane.cursor(statement).is_some())
    }

    /// Closes the cursor of a statement of the session, if it has one.
    pub fn close_cursor(&mut self, statement: u32) {
        let Some(place) = self.held.iter().position(|lane| lane.cursor(statement).is_some()) else { return };
        let mut lane = self.held.swap_remove(place);
        lane.close_cursor(statement, false);
        self.keep(lane);
    }

    /// Sends the client the next rows of a cursor; nothing when there is none. A client that hangs up meanwhile ends it.
    pub async fn fetch<D: Downstream>(
        &mut self,
        fetch: Fetch<'_>,
        down: &mut D,
    ) -> Result<Option<Outcome>, Error> {
        let place = self.held.iter().position(|lane| lane.cursor(fetch.statement).is_some());
        let Some(place) = place else { return Ok(None) };
        let mut watch = down.watch();
        let running = Rc::clone(&self.running);
        let done = {
            let mut work = std::pin::pin!(self.fetched(place, &fetch, down));
            let waited = poll_fn(|cx| match work.as_mut().poll(cx) {
                Poll::Ready(done) => Poll::Ready(Ok(done)),
                Poll::Pending => watch.poll_absence(cx).map_or(Poll::Pending, |why| Poll::Ready(Err(why))),
            });
            match waited.await {
                Ok(done) => done,
                Err(Absence::Interrupted) => running.interrupt(work, &mut watch, fetch.database).await,
                Err(why) => running.abandon(work, why, fetch.database).await,
            }
        };
        self.running.clear();
        done.map(Some)
    }

    async fn fetched<D: Downstream>(
        &mut self,
        place: usize,
        fetch: &Fetch<'_>,
        down: &mut D,
    ) -> Result<Outcome, Error> {
        let elsewhere = self.in_transaction();
        let mut lane = self.held.swap_remove(place);
        self.running.note(&lane);
        match self.rows(&mut lane, fetch, elsewhere, down).await {
            Ok(outcome) => {
                lane.lease.settle();
                if outcome.error.is_some() || lane.lease.status().contains(Status::LAST_ROW_SENT) {
                    lane.close_cursor(fetch.statement, outcome.error.is_none());
                }
                self.keep(lane);
                Ok(outcome)
            }
            Err(error) => {
                self.put_back([lane]);
                Err(self.lost(error).await)
            }
        }
    }

    async fn rows<D: Downstream>(
        &mut self,
        lane: &mut Lane,
        fetch: &Fetch<'_>,
        elsewhere: bool,
        down: &mut D,
    ) -> Result<Outcome, Error> {
        // In which character set texts come is as it is now.
        if let Some(text) = lane.lease.sync(&self.settings) {
            lane.command(&text);
        }
        let Some(cursor) = lane.cursors.iter().find(|cursor| cursor.client == fetch.statement) else {
            return Ok(Outcome::default());
        };
        frame::put_with(lane.lease.output(), &mut 0, |out| {
            put_statement(out, code::STMT_FETCH, cursor.statement.id);
            out.put_u32_le(fetch.rows);
        });
        let columns = cursor.columns.take();
        let told = RefCell::new(columns);
        lane.flush().await?;
        lane.answers().await?;
        let renames = Renames::default();
        let view = View {
            database: Some(fetch.database),
            decorations: fetch.decorations,
            binary: true,
            elsewhere,
            columns: Some(&told),
            ..View::of(Expect::Rows, &renames)
        };
        let done = relay(&mut *lane.lease, down, &view).await;
        if let Some(cursor) = lane.cursors.iter().find(|cursor| cursor.client == fetch.statement) {
            cursor.columns.replace(told.take());
        }
        match done {
            Err(Error::Undecryptable(error)) => {
                lane.pass_over().await?;
                let refusal = unreadable(&error);
                self.diagnostics.conditions = Conditions::of(&refusal);
                Ok(refuse(down, &refusal).into())
            }
            done => Ok(done?.into()),
        }
    }

    /// Keeps a connection that was held, if the session still would miss it.
    fn keep(&mut self, mut lane: Lane) {
        let begun = lane.begun && self.transaction.open.is_some();
        let stays = lane.is_pinned() || lane.in_transaction() || begun;
        lane.lingers = !stays && lane.witness;
        if stays || lane.lingers {
            self.held.push(lane);
        }
    }
}

impl Lane {
    fn cursor(&self, statement: u32) -> Option<&Cursor> {
        self.cursors.iter().find(|cursor| cursor.client == statement)
    }

    /// The server has opened a cursor for the execution of a statement that the connection knows.
    pub(crate) fn opened(&mut self, client: u32, job: &Job<'_, '_>, route: &RouteUnit, columns: Vec<Sent>) {
        let key = self.key(job, route);
        if let Some(statement) = self.lease.prepared.take(key) {
            self.cursors.push(Cursor { client, key, statement, columns: RefCell::new(columns) });
            self.pinned |= Pin::CURSOR;
        }
    }

    /// A cursor is done with. `ended`: the server has closed it itself.
    fn close_cursor(&mut self, client: u32, ended: bool) {
        if let Some(place) = self.cursors.iter().position(|cursor| cursor.client == client) {
            let Cursor { key, statement, .. } = self.cursors.swap_remove(place);
            if ended && key < PASSING {
                self.lease.prepared.insert(key, statement);
            } else {
                self.lease.prepared.close(statement);
            }
        }
        self.pinned.set(Pin::CURSOR, !self.cursors.is_empty());
    }

    /// Closes all cursors.
    pub(crate) fn close_cursors(&mut self) {
        for Cursor { statement, .. } in self.cursors.drain(..) {
            self.lease.prepared.close(statement);
        }
        self.pinned.remove(Pin::CURSOR);
    }
}
