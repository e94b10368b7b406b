//! The process list: what each session is doing, as others see it, and how they end it.
//!
//! A session's [`Entry`] belongs to its worker: it is cells that a statement writes with plain stores. Whoever lists or
//! ends sessions, which is rare, sends an [`Order`] to every worker and is answered there, beside the sessions.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::future::poll_fn;
use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Poll, Waker};
use std::time::{Duration, Instant};

use bytes::BytesMut;
use exec::{Running, Wait};
use meta::{Property, Snapshot, UnitId};
use parking_lot::Mutex;
use sql::Mode;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;
use wire::caps::Capabilities;
use wire::command::{Command, code};

use crate::digests::Figures;
use crate::local::Local;
use crate::redact::redacted;

/// A worker is busy with one thing for less than this, or is left out.
const PATIENCE: Duration = Duration::from_secs(5);

/// A client that has been idle for so many seconds gives its buffers back.
const REST: u32 = 1;

/// How all workers are reached, and how many clients there are.
#[derive(Debug, Default)]
pub struct Registry {
    // Locked at the start of a worker, and for what is rare.
    workers: Mutex<Vec<mpsc::UnboundedSender<Order>>>,
    clients: Arc<AtomicUsize>,
}

/// What a worker is asked to do.
#[derive(Debug)]
enum Order {
    /// Tell the sessions of this user, or all.
    List(Option<String>, oneshot::Sender<Vec<Process>>),
    /// End a session or its statement.
    Kill { id: u32, what: Kill, by: By, told: oneshot::Sender<Killed> },
    /// Tell figures of statements by digest.
    Digests(oneshot::Sender<Vec<Figures>>),
    /// Begin them anew.
    ResetDigests(oneshot::Sender<()>),
    /// End all sessions.
    EndAll,
}

/// What `KILL` ends.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Kill {
    /// The session.
    Connection,
    /// The statement that it runs, if there is one.
    Query,
}

/// Who says `KILL`, or asks.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct By {
    pub(crate) user: String,
    /// May end and see the sessions of others.
    pub(crate) administrator: bool,
}

/// What became of a `KILL`.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) enum Killed {
    /// No such session.
    Unknown,
    /// It is somebody else's.
    Denied,
    /// It is told.
    Done,
}

/// One line of the process list.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Process {
    pub(crate) id: u32,
    pub(crate) user: String,
    /// `address:port`.
    pub(crate) host: String,
    pub(crate) database: Option<String>,
    /// As MySQL calls it: `Query`.
    pub(crate) command: &'static str,
    /// How long it has been so, in seconds.
    pub(crate) time: u32,
    pub(crate) state: String,
    /// The statement, without what is secret in it.
    pub(crate) info: Option<String>,
}

/// What a session is told.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) enum Told {
    #[default]
    Nothing,
    /// The statement is to end.
    Interrupt,
    /// Nothing was said for too long within a transaction.
    Idle,
    /// Nothing was said for too long.
    Expire,
    /// The session is to end.
    Kill,
}

/// One session as its worker and others see it.
pub(crate) struct Entry {
    id: u32,
    host: RefCell<String>,
    /// How its commands are to be read.
    capabilities: Cell<Capabilities>,
    local: Rc<Local>,
    /// Of all workers, this one among them.
    clients: Arc<AtomicUsize>,
    /// Nobody before the login.
    user: RefCell<Option<String>>,
    schema: RefCell<Option<Rc<str>>>,
    /// The command that is carried out, as it came; empty while the session waits for one.
    command: RefCell<BytesMut>,
    /// The text of the prepared statement that it executes.
    text: RefCell<Option<Rc<str>>>,
    /// When this command, or the waiting for one, began; by the worker's clock.
    since: Cell<u32>,
    /// So many seconds may pass between two commands.
    patience: Cell<u32>,
    /// A transaction is open while the session waits for a command.
    open: Cell<bool>,
    told: Cell<Told>,
    /// Its buffers are larger than an idle client's should be.
    much: Cell<bool>,
    /// It is to give back what its buffers hold room for.
    rest: Cell<bool>,
    /// Wakes the session's task wherever it waits.
    waker: RefCell<Option<Waker>>,
    running: RefCell<Option<Rc<Running>>>,
}

/// The sessions of one worker.
pub(crate) struct Sessions {
    entries: RefCell<BTreeMap<u32, Rc<Entry>>>,
    started: Instant,
    /// Seconds since the worker began; set anew each second, so that no statement has to ask the time.
    now: Cell<u32>,
}

/// A session's place in the list, given up on drop.
pub(crate) struct Registered(Rc<Entry>);

impl Registry {
    /// A client has come to a worker; there are that many now.
    pub(crate) fn enter(&self, local: &Rc<Local>, id: u32, host: String) -> (Registered, usize) {
        let entry = Rc::new(Entry {
            id,
            host: RefCell::new(host),
            capabilities: Cell::default(),
            local: Rc::clone(local),
            clients: Arc::clone(&self.clients),
            user: RefCell::default(),
            schema: RefCell::default(),
            command: RefCell::default(),
            text: RefCell::default(),
            since: Cell::new(local.sessions.now()),
            patience: Cell::new(u32::MAX),
            open: Cell::default(),
            told: Cell::default(),
            much: Cell::default(),
            rest: Cell::default(),
            waker: RefCell::default(),
            running: RefCell::default(),
        });
        local.sessions.entries.borrow_mut().insert(id, Rc::clone(&entry));
        local.outlet.counts().sessions.add(1);
        (Registered(entry), self.clients.fetch_add(1, Ordering::Relaxed) + 1)
    }

    /// How many clients are connected.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "a figure, not a collection")]
    pub fn len(&self) -> usize {
        self.clients.load(Ordering::Relaxed)
    }

    /// Ends every session, as `KILL` does: what runs for them is ended on its servers and rolled back.
    pub fn end_all(&self) {
        for worker in &*self.workers.lock() {
            // One that has ended has no sessions.
            let _ = worker.send(Order::EndAll);
        }
    }

    /// The sessions that someone may see, by id.
    pub(crate) async fn list(&self, by: &By) -> Vec<Process> {
        let user = (!by.administrator).then_some(&by.user);
        let lists = self.ask(|told| Order::List(user.cloned(), told)).await;
        let mut all: Vec<_> = lists.into_iter().flatten().collect();
        all.sort_by_key(|process| process.id);
        all
    }

    /// Figures of each worker by digest.
    pub(crate) async fn digest_lists(&self) -> Vec<Vec<Figures>> {
        self.ask(Order::Digests).await
    }

    /// Figures by digest begin anew.
    pub(crate) async fn reset_digests(&self) {
        self.ask(Order::ResetDigests).await;
    }

    /// Ends a session or what it does.
    pub(crate) async fn kill(&self, id: u32, what: Kill, by: &By) -> Killed {
        let done = self.ask(|told| Order::Kill { id, what, by: by.clone(), told }).await;
        done.into_iter().max().unwrap_or(Killed::Unknown)
    }

    /// Sends an order to every worker, and gives what they answer.
    async fn ask<T>(&self, order: impl Fn(oneshot::Sender<T>) -> Order) -> Vec<T> {
        let asked: Vec<_> = {
            let workers = self.workers.lock();
            let ask = |worker: &mpsc::UnboundedSender<Order>| {
                let (told, answer) = oneshot::channel();
                worker.send(order(told)).is_ok().then_some(answer)
            };
            workers.iter().filter_map(ask).collect()
        };
        let mut answers = Vec::with_capacity(asked.len());
        for answer in asked {
            if let Ok(Ok(answer)) = timeout(PATIENCE, answer).await {
                answers.push(answer);
            }
        }
        answers
    }
}

/// Keeps a worker's clock and carries out what it is ordered; ends with the worker.
pub(crate) async fn attend(registry: &Registry, local: Rc<Local>) {
    let (sender, mut orders) = mpsc::unbounded_channel();
    registry.workers.lock().push(sender);
    let sessions = &local.sessions;
    let mut tick = tokio::time::interval(Duration::from_secs(1));
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            order = orders.recv() => match order {
                Some(Order::List(user, told)) => {
                    let _ = told.send(sessions.list(user.as_deref(), &local.snapshot()));
                }
                Some(Order::Kill { id, what, by, told }) => {
                    let _ = told.send(sessions.kill(id, what, &by));
                }
                Some(Order::Digests(told)) => {
                    let _ = told.send(local.digests.list());
                }
                Some(Order::ResetDigests(told)) => {
                    local.digests.reset();
                    let _ = told.send(());
                }
                Some(Order::EndAll) => sessions.entries.borrow().values().for_each(|it| it.tell(Told::Kill)),
                None => return,
            },
            _ = tick.tick() => {
                let limit = local.snapshot().properties.integer(Property::FrontendMaxIdleInTransaction);
                local.clock.tick();
                local.follow_digests();
                sessions.sweep(u32::try_from(limit).ok().filter(|limit| *limit > 0));
            }
        }
    }
}

impl Sessions {
    pub(crate) fn new() -> Self {
        Self { entries: RefCell::default(), started: Instant::now(), now: Cell::default() }
    }

    /// Seconds since the worker began.
    pub(crate) fn uptime(&self) -> u64 {
        self.started.elapsed().as_secs()
    }

    /// Seconds since the worker began, to a second or so.
    #[inline]
    pub(crate) fn now(&self) -> u32 {
        self.now.get()
    }

    fn tick(&self) {
        self.now.set(u32::try_from(self.started.elapsed().as_secs()).unwrap_or(u32::MAX));
    }

    /// Tells those of whom nothing was heard for too long, and has those give back buffers who have been idle for a while.
    /// `limit`: in seconds, within a transaction.
    fn sweep(&self, limit: Option<u32>) {
        self.tick();
        let now = self.now();
        for entry in self.entries.borrow().values().filter(|entry| entry.is_idle()) {
            // Either figure may be a second late.
            let idle = now.saturating_sub(entry.since.get());
            if idle > entry.patience.get() {
                entry.tell(Told::Expire);
            } else if entry.open.get() && limit.is_some_and(|limit| idle > limit) {
                entry.open.set(false);
                entry.tell(Told::Idle);
            }
            if idle > REST && entry.much.take() {
                entry.rest.set(true);
                entry.wake();
            }
        }
    }

    fn list(&self, user: Option<&str>, snapshot: &Snapshot) -> Vec<Process> {
        self.tick();
        let entries = self.entries.borrow();
        let seen = entries.values().filter(|entry| user.is_none_or(|user| entry.is_of(user)));
        seen.map(|entry| entry.process(self.now(), snapshot)).collect()
    }

    fn kill(&self, id: u32, what: Kill, by: &By) -> Killed {
        let entries = self.entries.borrow();
        let Some(entry) = entries.get(&id) else { return Killed::Unknown };
        if !by.administrator && !entry.is_of(&by.user) {
            return Killed::Denied;
        }
        match what {
            Kill::Connection => entry.tell(Told::Kill),
            // Nothing that comes later is meant.
            Kill::Query if !entry.is_idle() => entry.tell(Told::Interrupt),
            Kill::Query => {}
        }
        Killed::Done
    }
}

impl Entry {
    pub(crate) fn id(&self) -> u32 {
        self.id
    }

    /// Where the client is, as a proxy in front has told.
    pub(crate) fn comes_from(&self, peer: SocketAddr) {
        *self.host.borrow_mut() = peer.to_string();
    }

    /// What was agreed with the client.
    pub(crate) fn speaks(&self, capabilities: Capabilities) {
        self.capabilities.set(capabilities);
    }

    /// It is this user's from now on.
    pub(crate) fn belongs_to(&self, user: &str) {
        *self.user.borrow_mut() = Some(user.to_owned());
    }

    /// The current database.
    pub(crate) fn uses(&self, schema: Option<&Rc<str>>) {
        *self.schema.borrow_mut() = schema.map(Rc::clone);
    }

    /// Where its statements run.
    pub(crate) fn runs(&self, running: &Rc<Running>) {
        *self.running.borrow_mut() = Some(Rc::clone(running));
    }

    /// A command begins, which [`Self::command`] gives back.
    #[inline]
    pub(crate) fn begin(&self, command: BytesMut, now: u32) {
        *self.command.borrow_mut() = command;
        self.since.set(now);
    }

    /// The command that is carried out. Others only look at it.
    #[inline]
    pub(crate) fn command(&self) -> std::cell::Ref<'_, BytesMut> {
        self.command.borrow()
    }

    /// It executes a prepared statement.
    #[inline]
    pub(crate) fn executes(&self, text: &Rc<str>) {
        *self.text.borrow_mut() = Some(Rc::clone(text));
    }

    /// So many seconds may pass between two commands.
    pub(crate) fn waits(&self, seconds: u32) {
        self.patience.set(seconds);
    }

    /// The command is done, and a transaction is `open` or not. Whoever wanted to end it comes too late.
    #[inline]
    pub(crate) fn end(&self, now: u32, open: bool) {
        drop(self.command.take());
        self.since.set(now);
        self.open.set(open);
        if self.told.get() == Told::Interrupt {
            self.told.set(Told::Nothing);
        }
    }

    /// Wakes the task that asks, from now on, when something is told.
    pub(crate) async fn listen(&self) {
        poll_fn(|cx| {
            *self.waker.borrow_mut() = Some(cx.waker().clone());
            Poll::Ready(())
        })
        .await;
    }

    /// What the session was told while a statement of it runs; that this is to end, only once.
    #[inline]
    pub(crate) fn hear(&self) -> Told {
        let told = self.told.get();
        if told == Told::Interrupt {
            self.told.set(Told::Nothing);
        }
        told
    }

    /// Waits until the session, which waits for a command, is told something; all but the end is told once.
    pub(crate) async fn heard(&self) -> Told {
        poll_fn(|_| match self.told.get() {
            Told::Nothing => Poll::Pending,
            Told::Kill => Poll::Ready(Told::Kill),
            told => {
                self.told.set(Told::Nothing);
                Poll::Ready(told)
            }
        })
        .await
    }

    /// Whether the session was told to end.
    #[inline]
    pub(crate) fn is_killed(&self) -> bool {
        self.told.get() == Told::Kill
    }

    /// Its buffers have grown.
    pub(crate) fn holds_much(&self) {
        self.much.set(true);
    }

    /// Waits until the session is to give back what it holds for nothing.
    pub(crate) async fn rests(&self) {
        poll_fn(|_| if self.rest.take() { Poll::Ready(()) } else { Poll::Pending }).await;
    }

    fn tell(&self, told: Told) {
        if self.told.get() != Told::Kill {
            self.told.set(told);
        }
        self.wake();
    }

    fn wake(&self) {
        if let Some(waker) = &*self.waker.borrow() {
            waker.wake_by_ref();
        }
    }

    fn is_of(&self, user: &str) -> bool {
        self.user.borrow().as_deref() == Some(user)
    }

    fn is_idle(&self) -> bool {
        self.command.borrow().is_empty()
    }

    fn process(&self, now: u32, snapshot: &Snapshot) -> Process {
        let user = self.user.borrow().clone();
        let command = self.command.borrow();
        let state = match (&user, &*self.running.borrow()) {
            (None, _) => "login".to_owned(),
            (Some(_), _) if command.is_empty() => String::new(),
            (Some(_), Some(running)) => match running.waits() {
                Some(Wait::Connection(unit)) => {
                    format!("waiting for a connection of {}", unit_name(unit, snapshot))
                }
                Some(Wait::Turn) => "waiting for its turn".to_owned(),
                None => "executing".to_owned(),
            },
            (Some(_), None) => "executing".to_owned(),
        };
        let text = match Command::decode(&command, self.capabilities.get()) {
            Ok(Command::Query(text) | Command::Prepare(text)) => Some(String::from_utf8_lossy(text)),
            _ => None,
        };
        let prepared = self.text.borrow().clone();
        let executed = prepared.as_deref().filter(|_| command.first() == Some(&code::STMT_EXECUTE));
        let info = text.as_deref().or(executed);
        Process {
            id: self.id,
            command: if user.is_none() { "Connect" } else { name(command.first().copied()) },
            user: user.unwrap_or_else(|| "unauthenticated user".to_owned()),
            host: self.host.borrow().clone(),
            database: self.schema.borrow().as_deref().map(str::to_owned),
            time: now.saturating_sub(self.since.get()),
            state,
            info: info.map(|text| redacted(text, Mode::default()).into_owned()),
        }
    }
}

/// A unit's name; of whichever database.
fn unit_name(id: UnitId, snapshot: &Snapshot) -> &str {
    let mut units = snapshot.databases.values().flat_map(|database| &database.units);
    units.find(|(_, unit)| unit.id == id).map_or("a storage unit", |(name, _)| name.as_str())
}

/// What MySQL calls a command in its process list.
fn name(command: Option<u8>) -> &'static str {
    match command {
        None => "Sleep",
        Some(code::QUIT) => "Quit",
        Some(code::INIT_DB) => "Init DB",
        Some(code::FIELD_LIST) => "Field List",
        Some(code::STATISTICS) => "Statistics",
        Some(code::PROCESS_INFO) => "Processlist",
        Some(code::PROCESS_KILL) => "Kill",
        Some(code::DEBUG) => "Debug",
        Some(code::PING) => "Ping",
        Some(code::CHANGE_USER) => "Change user",
        Some(code::STMT_PREPARE) => "Prepare",
        Some(code::STMT_EXECUTE) => "Execute",
        Some(code::STMT_SEND_LONG_DATA) => "Long Data",
        Some(code::STMT_CLOSE) => "Close stmt",
        Some(code::STMT_RESET) => "Reset stmt",
        Some(code::SET_OPTION) => "Set option",
        Some(code::STMT_FETCH) => "Fetch",
        Some(code::RESET_CONNECTION) => "Reset Connection",
        Some(_) => "Query",
    }
}

impl Process {
    /// What stands in a column of the process list, by its name in upper case; nothing in one that only some servers have.
    pub(crate) fn cell(&self, column: &str) -> Option<String> {
        match column {
            "ID" => Some(self.id.to_string()),
            "USER" => Some(self.user.clone()),
            "HOST" => Some(self.host.clone()),
            "DB" => self.database.clone(),
            "COMMAND" => Some(self.command.to_owned()),
            "TIME" => Some(self.time.to_string()),
            "STATE" => Some(self.state.clone()),
            "INFO" => self.info.clone(),
            // MariaDB's.
            "TIME_MS" => Some(format!("{}.000", u64::from(self.time) * 1000)),
            "QUERY_ID" | "TID" | "STAGE" | "MAX_STAGE" | "PROGRESS" | "MEMORY_USED" | "MAX_MEMORY_USED"
            | "EXAMINED_ROWS" | "SENT_ROWS" => Some("0".to_owned()),
            _ => None,
        }
    }
}

impl Registered {
    pub(crate) fn entry(&self) -> &Rc<Entry> {
        &self.0
    }
}

impl Drop for Registered {
    fn drop(&mut self) {
        self.0.local.sessions.entries.borrow_mut().remove(&self.0.id);
        self.0.local.outlet.counts().sessions.take(1);
        self.0.clients.fetch_sub(1, Ordering::Relaxed);
    }
}
