//! One client's session: log in, then one command after the other until it says goodbye or vanishes.

use std::cell::Cell;
use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use exec::{Executor, Lent};
use meta::{Database, StorageUnit};
use tokio::net::TcpStream;
use wire::attributes::Attributes;
use wire::caps::{Capabilities, Status};
use wire::column::Column;
use wire::command::Command;
use wire::errno;

use crate::answer::Table;
use crate::client::{Client, Failure};
use crate::command::control;
use crate::error::Problem;
use crate::local::Local;
use crate::login::{self, Who};
use crate::notes::Notes;
use crate::prepared::Statements;
use crate::registry::{By, Entry, Kill, Told};
use crate::reply::Format;
use crate::shared::Shared;
use crate::state::State;

/// A session after its login.
pub(crate) struct Session {
    pub(crate) shared: Arc<Shared>,
    pub(crate) local: Rc<Local>,
    pub(crate) client: Client,
    /// Connection id.
    pub(crate) id: u32,
    /// Boxed, since nothing on the way of a query looks at it.
    pub(crate) who: Box<Who>,
    /// Current database.
    pub(crate) schema: Option<Rc<str>>,
    /// The account was found to be permitted that when metadata and accounts were of this age; 0: it is to be asked.
    pub(crate) checked: Cell<u64>,
    pub(crate) state: State,
    pub(crate) statements: Statements,
    pub(crate) executor: Executor,
    /// What the client has sent with the current statement.
    pub(crate) attributes: Option<Rc<Attributes>>,
    /// `COMMIT RELEASE` was said: the session ends with its answer.
    pub(crate) quitting: bool,
    /// A statement was answered by a server's error; only told within a text of several.
    pub(crate) failed: bool,
    /// A transaction was rolled back since nothing was said within it, and the client does not know.
    pub(crate) overdue: bool,
    /// Statements so far.
    pub(crate) questions: u64,
    /// Of the current command, for whoever wants to know.
    pub(crate) notes: Notes,
}

/// How long a connection is kept for the warnings that the client may ask for, or may not.
const LINGER: Duration = Duration::from_millis(5);

/// How long a server may take to end what a session has left open.
const CLEANSING: Duration = Duration::from_secs(5);

/// What comes after a command.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Next {
    /// The next command.
    Go,
    /// The end.
    Quit,
}

/// Serves one connection from greeting to goodbye.
pub(crate) async fn run(shared: Arc<Shared>, local: Rc<Local>, socket: TcpStream, peer: SocketAddr) {
    let (registered, clients) = shared.registry.enter(&local, shared.next_id(), peer.to_string());
    // Boxed, as all that is rare: an idle session takes the memory of the largest future that it may come to await.
    let opening = open(Arc::clone(&shared), local, socket, peer, registered.entry(), clients);
    let Some(mut session) = Box::pin(opening).await else { return };
    let began = std::time::Instant::now();
    session.tell_connected(began);
    let mut why = None;
    if let Err(error) = session.serve(registered.entry()).await {
        tracing::debug!(session = session.id, "session ended: {}", crate::error::with_sources(&error));
        let problem = broken(&session.shared, &error);
        session.tell_broken(&problem);
        why = Some(problem);
        match &error {
            Failure::Killed => session.client.cut(&ended(&session.shared)),
            Failure::Wire(error) => session.client.put_broken(error),
            _ => {}
        }
    }
    session.tell_quit(began, why.as_ref());
    // Whatever is open belongs to nobody any more; what is not clean in time is closed.
    let cleansed = Box::pin(tokio::time::timeout(CLEANSING, session.executor.cleanse())).await;
    if cleansed.is_err() {
        session.executor.release();
    }
    session.client.close().await;
}

/// Greets a client and lets it in, in time.
async fn open(
    shared: Arc<Shared>,
    local: Rc<Local>,
    socket: TcpStream,
    peer: SocketAddr,
    entry: &Rc<Entry>,
    clients: usize,
) -> Option<Session> {
    let id = entry.id();
    let client = Client::new(socket);
    let login = login::login(&shared, &local, client, entry, peer, clients);
    let opened = tokio::select! {
        biased;
        // Nobody is let in any more.
        () = shared.drain.cancelled() => return None,
        opened = tokio::time::timeout(shared.login_timeout(), login) => opened,
    };
    let (mut client, login) = match opened {
        Ok(Ok(opened)) => opened?,
        Ok(Err(error)) => {
            tracing::debug!(%peer, "login failed: {}", crate::error::with_sources(&error));
            return None;
        }
        Err(_) => {
            tracing::debug!(%peer, "login took too long");
            return None;
        }
    };
    if let Some(method) = login.compression {
        client = match client.compressed(method, Rc::clone(&local.codec)) {
            Ok(client) => client,
            Err(error) => {
                tracing::debug!(%peer, %error, "login failed");
                return None;
            }
        };
    }
    let found_rows = client.capabilities.contains(Capabilities::FOUND_ROWS);
    client.admit(entry, shared.max_packet());
    let mut executor = Executor::new(Rc::clone(&local.pools), found_rows, shared.limits.statement.clone());
    executor.settings_mut().clone_from(&login.state.settings);
    entry.speaks(client.capabilities);
    entry.belongs_to(&login.who.user);
    entry.runs(executor.running());
    entry.waits(login.state.timeouts.wait);
    let schema: Option<Rc<str>> = login.database.map(Rc::from);
    entry.uses(schema.as_ref());
    Some(Session {
        executor,
        schema,
        checked: Cell::default(),
        state: login.state,
        who: Box::new(login.who),
        statements: Statements::default(),
        attributes: None,
        quitting: false,
        failed: false,
        overdue: false,
        questions: 0,
        notes: Notes::default(),
        shared,
        local,
        client,
        id,
    })
}

impl Session {
    #[expect(clippy::await_holding_refcell_ref, reason = "others only look at the command")]
    async fn serve(&mut self, entry: &Entry) -> Result<(), Failure> {
        let drain = self.shared.drain.clone();
        // Registered once for the whole session: waiting for a command then costs no list operation.
        let mut drained = std::pin::pin!(drain.cancelled());
        entry.listen().await;
        loop {
            let message = tokio::select! {
                biased;
                message = self.client.command() => message?,
                () = linger(), if self.executor.lingers() => {
                    self.executor.keep_conditions().await;
                    continue;
                }
                () = entry.rests() => {
                    self.client.rest();
                    self.notes.rest();
                    continue;
                }
                told = entry.heard() => match told {
                    Told::Kill => {
                        // As MySQL does it, a client that is killed while it says nothing finds its connection closed.
                        if self.shared.drain.is_cancelled() {
                            self.client.put_unasked(&ended(&self.shared));
                        }
                        return Ok(());
                    }
                    Told::Expire => {
                        self.client.put_unasked(&control::expired());
                        return Ok(());
                    }
                    Told::Idle | Told::Interrupt | Told::Nothing => {
                        Box::pin(self.give_up_transaction()).await;
                        continue;
                    }
                },
                () = &mut drained, if !self.executor.in_transaction() => {
                    self.client.put_unasked(&ended(&self.shared));
                    return Ok(());
                }
            };
            let Some(message) = message else { return Ok(()) };
            self.questions += 1;
            self.note_command(&message.payload);
            entry.begin(message.payload, self.local.sessions.now());
            let next = {
                let payload = entry.command();
                self.command(&payload).await?
            };
            entry.end(self.local.sessions.now(), self.executor.in_transaction());
            if self.notes.is_noted() && self.ends_told() {
                Box::pin(self.confirm()).await;
            }
            if next == Next::Quit || self.quitting {
                self.tell_rest();
                return Ok(());
            }
            // What a client sends ahead is answered in one write.
            if !self.client.has_input() {
                self.client.flush().await?;
                if self.executor.lingers() && self.executor.is_contended() {
                    self.executor.keep_conditions().await;
                }
            }
            if self.notes.is_on() && self.tell_rest() {
                Box::pin(self.wait_for_room()).await;
            }
        }
    }

    /// Keeps what came with the statement that is to be run now.
    #[inline]
    pub(crate) fn attribute(&mut self, attributes: Option<Attributes>) {
        self.attributes = attributes.map(Rc::new);
    }

    async fn command(&mut self, payload: &[u8]) -> Result<Next, Failure> {
        let command = Command::decode(payload, self.client.capabilities)?;
        if self.client.capabilities.contains(Capabilities::QUERY_ATTRIBUTES) {
            let attributes = Attributes::of_query(payload)?;
            self.attribute(attributes);
        }
        let done = match command {
            Command::Query(_) | Command::Execute(_) if self.overdue => Err(self.told_overdue()),
            Command::Query(text) if self.is_several(text) => Box::pin(self.several(text)).await?,
            Command::Query(text) => {
                self.note_text(observe::Command::Query, text);
                self.query(text).await?
            }
            Command::Execute(execute) => self.execute(execute).await?,
            Command::Prepare(text) => {
                self.note_text(observe::Command::Prepare, text);
                self.prepare(text).await?
            }
            Command::StmtClose(id) => {
                self.note_statement(observe::Command::Close, id);
                self.close_statement(id);
                return Ok(Next::Go);
            }
            Command::StmtSendLongData { statement, parameter, data } => {
                let limit = self.shared.max_packet();
                // What executes it is told.
                self.notes.forget();
                self.statements.append(statement, parameter, data, limit);
                return Ok(Next::Go);
            }
            Command::StmtReset(id) => {
                self.note_statement(observe::Command::Reset, id);
                self.reset_statement(id)
            }
            Command::Quit => {
                self.notes.forget();
                return Ok(Next::Quit);
            }
            Command::Ping => {
                self.notes.is(observe::Command::Ping);
                self.ok()
            }
            Command::InitDb(name) => {
                self.note_text(observe::Command::InitDb, name);
                self.init_db(name).await
            }
            Command::FieldList { table, wildcard } => {
                self.note_text(observe::Command::FieldList, table);
                self.field_list(table, wildcard).await
            }
            Command::Statistics => {
                let text = self.statistics();
                self.client.put(|out| out.extend_from_slice(text.as_bytes()));
                Ok(())
            }
            Command::ResetConnection => {
                self.notes.is(observe::Command::ResetConnection);
                self.reset().await
            }
            Command::ChangeUser(change) => {
                // Told as what it is when it is over.
                self.notes.forget();
                return Box::pin(self.change_user(change)).await;
            }
            Command::SetOption(option) => self.set_option(option),
            Command::ProcessKill(id) => {
                self.notes.is(observe::Command::Kill);
                Box::pin(self.kill(id, Kill::Connection)).await
            }
            Command::ProcessInfo => Box::pin(self.show_processes(false, Format::Text)).await,
            Command::Debug => {
                let status = self.status();
                self.client.put(|out| wire::reply::Eof { warnings: 0, status }.encode(out));
                Ok(())
            }
            Command::StmtFetch { statement, rows } => {
                self.note_statement(observe::Command::Fetch, statement);
                Box::pin(self.fetch(statement, rows)).await?
            }
            Command::Unknown(_) => Err(Problem::new(errno::UNKNOWN_COMMAND, "Unknown command")),
        };
        if let Err(problem) = done {
            self.notes.failed(&problem);
            self.executor.raise(problem.code, &problem.message);
            self.client.put_problem(&problem);
        }
        Ok(Next::Go)
    }

    /// The status flags as the session sees them.
    pub(crate) fn status(&self) -> Status {
        let mut status = Status::empty();
        status.set(Status::AUTOCOMMIT, self.state.autocommit);
        status.set(Status::MORE_RESULTS_EXIST, self.client.more);
        status.set(Status::IN_TRANSACTION, self.executor.in_transaction());
        status.set(Status::IN_TRANSACTION_READONLY, self.executor.shows_read_only());
        status.set(Status::NO_BACKSLASH_ESCAPES, self.state.mode.no_backslash_escapes);
        status
    }

    pub(crate) fn ok(&mut self) -> Result<(), Problem> {
        let status = self.status();
        self.client.put_ok(status);
        self.executor.did();
        Ok(())
    }

    /// A result set of the session's own.
    pub(crate) fn put_rows<T: AsRef<[u8]>>(
        &mut self,
        columns: &[Column],
        rows: &[Vec<Option<T>>],
        format: Format,
    ) {
        let status = self.status();
        self.client.put_rows(columns, rows, format, status);
        self.notes.showed(rows.len());
        self.executor.showed(rows.len() as u64);
    }

    /// A result set of the session's own whose columns are all texts.
    pub(crate) fn put_table(&mut self, table: &Table, format: Format) {
        self.put_rows(&table.definitions(), &table.rows, format);
    }

    /// The current database as it is now; nothing when none is selected or it was dropped.
    pub(crate) fn database(&self) -> Option<Arc<Database>> {
        self.schema.as_deref().and_then(|name| self.local.snapshot().database(name).map(Arc::clone))
    }

    /// Whether the account may use a database.
    pub(crate) fn may_use(&self, database: &str) -> bool {
        self.shared.accounts.permits(&self.who, database)
    }

    /// Whether the account may do what concerns more than the databases that it may use.
    pub(crate) fn is_administrator(&self) -> bool {
        self.shared.accounts.is_administrator(&self.who)
    }

    /// As whom it asks about others.
    pub(crate) fn by(&self) -> By {
        By { user: self.who.user.clone(), administrator: self.is_administrator() }
    }

    /// The session's time limits may be others now.
    pub(crate) fn heed_timeouts(&self) {
        if let Some(entry) = &self.client.entry {
            entry.waits(self.state.timeouts.wait);
        }
    }

    /// Another current database, or none.
    pub(crate) fn set_schema(&mut self, schema: Option<Rc<str>>) {
        if let Some(entry) = &self.client.entry {
            entry.uses(schema.as_ref());
        }
        self.checked.set(0);
        self.schema = schema;
    }

    /// A connection for questions of the session's own.
    pub(crate) async fn lend(&mut self, unit: &Arc<StorageUnit>) -> Result<Lent<'_>, Problem> {
        self.executor.lend(unit).await.map_err(|error| Problem::backend(&error))
    }
}

/// Made into a timer only when it is waited for.
async fn linger() {
    tokio::time::sleep(LINGER).await;
}

/// The same as an error, for logs: most are never told to the client, which is gone.
fn broken(shared: &Shared, failure: &Failure) -> Problem {
    match failure {
        Failure::Killed => ended(shared),
        Failure::Io(_) | Failure::Truncated => {
            Problem::new(errno::ErrorCode::new(1158, "08S01"), crate::error::with_sources(failure))
        }
        Failure::Torn(error) => Problem::backend(error),
        Failure::Wire(error) => Problem::packet(error),
    }
}

/// Why a session ends that has not asked for it.
fn ended(shared: &Shared) -> Problem {
    if shared.drain.is_cancelled() {
        return Problem::new(errno::SERVER_SHUTDOWN, "Server shutdown in progress");
    }
    control::killed()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size<A, B, C, D, F: Future>(_: impl FnOnce(A, B, C, D) -> F) -> usize {
        size_of::<F>()
    }

    /// What a session costs beside its buffers; a future that grows it belongs in a box unless it is on the way of
    /// every query.
    #[test]
    fn a_session_is_small() {
        let size = size(run);
        assert!(size <= 5 * 1024, "{size} bytes");
    }
}
