//! One connection to a server: its stream, its buffers and what is known of its state.
//!
//! The caller writes commands to [`output`](Connection::output), [`flush`](Connection::flush)es them in one write and
//! reads the answer from [`input`](Connection::input), which [`fill`](Connection::fill) extends. It reports the status flags of every answer
//! by [`note`](Connection::note) and its end by [`settle`](Connection::settle). A connection not settled when it is
//! given back is closed: nobody knows what would come out of it next.

use std::io;
use std::sync::Arc;

use bytes::BytesMut;
use tokio_rustls::rustls::ClientConfig;
use wire::caps::{Capabilities, Status};
use wire::command::code;
use wire::frame::{Assembler, Message};

use crate::error::{Error, Origin};
use crate::prepared::Prepared;
use crate::settings::{Charset, Settings};
use crate::socket::Socket;
use crate::tls::Tls;
use crate::tracking::Tracked;

/// Room for a read: the usual answer comes in one.
const READ: usize = 16 * 1024;
/// Room for a read after one that was filled: a large result takes fewer, larger reads.
const READ_MAX: usize = 64 * 1024;
/// An output buffer up to this size is kept.
const KEEP: usize = 2 * READ;
/// The largest packet any server can be set to send (`max_allowed_packet`).
const MESSAGE_MAX: usize = 1 << 30;

/// Whether a connection may be used by someone else.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Link {
    /// Nothing in flight, no transaction open.
    Idle,
    /// A command was sent whose answer is not complete.
    Busy,
    /// Nothing in flight, a transaction open.
    InTransaction,
    /// Unusable: to be closed.
    Poisoned,
}

/// What a server says of itself when a connection is opened.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ServerInfo {
    /// Version, as the server spells it.
    pub version: String,
    /// MariaDB, not MySQL.
    pub mariadb: bool,
    /// The connection's id there, for `KILL`.
    pub thread: u32,
}

/// A connection to a server, logged in.
#[derive(Debug)]
pub struct Connection {
    pub(crate) origin: Arc<Origin>,
    pub(crate) socket: Socket,
    pub(crate) input: BytesMut,
    pub(crate) output: BytesMut,
    pub(crate) assembler: Assembler,
    pub(crate) capabilities: Capabilities,
    pub(crate) server: ServerInfo,
    pub(crate) link: Link,
    pub(crate) status: Status,
    /// What the login set.
    pub(crate) charset: Charset,
    settings: Settings,
    /// Statements prepared on it.
    pub prepared: Prepared,
    /// Something of the answer to the command in flight has come.
    replied: bool,
    /// To be closed as soon as it is given back, though the protocol is in order.
    doubtful: bool,
    /// Its state belongs to one session: to be closed when it is given back without having been cleansed.
    tied: bool,
    /// User variables that no session has any more are NULL here, and have types of their own.
    stained: bool,
    /// Transactions only read, unless said otherwise.
    pub(crate) read_only: bool,
    /// What the server told of changes since it was last asked for.
    tracked: Option<Box<Tracked>>,
    read: usize,
    /// Bytes since they were last asked for.
    traffic: Traffic,
}

/// Bytes of a connection, inside TLS.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) struct Traffic {
    pub(crate) received: u64,
    pub(crate) sent: u64,
}

impl Connection {
    pub(crate) fn new(origin: Arc<Origin>, socket: Socket) -> Self {
        Self {
            origin,
            socket,
            input: BytesMut::new(),
            output: BytesMut::new(),
            assembler: Assembler::new(MESSAGE_MAX),
            capabilities: Capabilities::empty(),
            server: ServerInfo { version: String::new(), mariadb: false, thread: 0 },
            link: Link::Busy,
            status: Status::empty(),
            charset: Charset { name: "utf8mb4".to_owned(), collation: None },
            settings: Settings::default(),
            prepared: Prepared::default(),
            // A login that breaks off is no answer that could be asked for again.
            replied: true,
            doubtful: false,
            tied: false,
            stained: false,
            read_only: false,
            tracked: None,
            read: READ,
            traffic: Traffic::default(),
        }
    }

    /// Bytes since this was last called.
    #[inline]
    pub(crate) const fn take_traffic(&mut self) -> Traffic {
        std::mem::replace(&mut self.traffic, Traffic { received: 0, sent: 0 })
    }

    /// The server at the other end.
    pub const fn server(&self) -> &ServerInfo {
        &self.server
    }

    /// Storage unit and address, for messages.
    pub const fn origin(&self) -> &Arc<Origin> {
        &self.origin
    }

    /// The capabilities both sides agreed on.
    pub const fn capabilities(&self) -> Capabilities {
        self.capabilities
    }

    /// Whether queries and executes may carry attributes; then all say at least that there are none.
    #[inline]
    pub const fn takes_attributes(&self) -> bool {
        self.capabilities.contains(Capabilities::QUERY_ATTRIBUTES)
    }

    /// Whether it may be used by someone else.
    pub const fn link(&self) -> Link {
        self.link
    }

    /// The status flags last reported.
    pub const fn status(&self) -> Status {
        self.status
    }

    /// `UPDATE` counts the rows found instead of the rows changed.
    pub const fn found_rows(&self) -> bool {
        self.capabilities.contains(Capabilities::FOUND_ROWS)
    }

    /// Bytes received and not yet consumed.
    #[inline]
    pub const fn input(&mut self) -> &mut BytesMut {
        &mut self.input
    }

    /// Where commands are written for the next [`flush`](Self::flush).
    #[inline]
    pub fn output(&mut self) -> &mut BytesMut {
        if self.prepared.has_evicted() {
            self.close_evicted();
        }
        &mut self.output
    }

    /// Reads once, at least a byte. May be dropped and called again.
    pub async fn fill(&mut self) -> Result<usize, Error> {
        // An empty buffer is set back to its beginning, which costs nothing; one in use grows as late as possible.
        if self.input.is_empty() || self.input.capacity() - self.input.len() < self.read / 2 {
            self.input.reserve(self.read);
        }
        let room = self.input.capacity() - self.input.len();
        match self.socket.read(&mut self.input).await {
            Ok(0) => Err(self.lost(io::ErrorKind::UnexpectedEof.into())),
            Ok(read) => {
                self.replied = true;
                // One addition beside a system call.
                self.traffic.received += read as u64;
                if read == room {
                    self.read = READ_MAX;
                }
                Ok(read)
            }
            Err(error) => Err(self.lost(error)),
        }
    }

    /// Sends everything in `output`.
    pub async fn flush(&mut self) -> Result<(), Error> {
        if self.output.is_empty() {
            return Ok(());
        }
        if matches!(self.link, Link::Idle | Link::InTransaction) {
            self.link = Link::Busy;
            self.replied = false;
        }
        self.traffic.sent += self.output.len() as u64;
        let written = self.socket.write(&self.output).await;
        if self.output.capacity() > KEEP {
            self.output = BytesMut::new();
        } else {
            self.output.clear();
        }
        written.map_err(|error| self.lost(error))
    }

    /// Sends all of `bytes` behind what has been sent, unless the server says something meanwhile, which is then in
    /// [`input`](Self::input): some of the bytes are lost, and false is the answer.
    pub async fn stream(&mut self, bytes: &[u8]) -> Result<bool, Error> {
        self.traffic.sent += bytes.len() as u64;
        let sent = self.socket.write_unless_read(bytes, &mut self.input).await;
        sent.map_err(|error| self.lost(error))
    }

    /// The next whole message; frames must follow on from the one before, or from [`expect`](Self::expect).
    pub async fn message(&mut self) -> Result<Message, Error> {
        loop {
            match self.assembler.next(&mut self.input) {
                Ok(Some(message)) => return Ok(message),
                Ok(None) => {}
                Err(source) => return Err(self.broken(source)),
            }
            self.fill().await?;
        }
    }

    /// Whether a message of several frames has been taken in part: the next bytes are in the middle of it.
    pub const fn is_midway(&self) -> bool {
        self.assembler.is_midway()
    }

    /// The next frame has this sequence: 1 for the answer to a command of one frame.
    pub fn expect(&mut self, sequence: u8) {
        self.assembler.expect(sequence);
    }

    /// Takes note of the status flags of an answer.
    #[inline]
    pub const fn note(&mut self, status: Status) {
        self.status = status;
    }

    /// The last answer awaited is complete.
    #[inline]
    pub fn settle(&mut self) {
        self.link = match self.link {
            Link::Poisoned => Link::Poisoned,
            // More than was asked for: the caller and the server no longer agree on where answers end.
            _ if !self.input.is_empty() => Link::Poisoned,
            _ if self.status.contains(Status::IN_TRANSACTION) => Link::InTransaction,
            _ => Link::Idle,
        };
    }

    /// Gives the connection up: it is closed when given back.
    pub const fn poison(&mut self) {
        self.link = Link::Poisoned;
    }

    /// Goes on with the connection for this session, but closes it afterwards: it holds state that cannot be taken back.
    pub const fn doubt(&mut self) {
        self.doubtful = true;
    }

    /// Whether its state belongs to one session. One that does is not given to another before it is
    /// [cleansed](Self::cleanse).
    pub const fn tie(&mut self, tied: bool) {
        self.tied = tied;
    }

    /// Whether user variables of other sessions have left their types, which only a reset takes back.
    #[inline]
    pub const fn is_stained(&self) -> bool {
        self.stained
    }

    pub(crate) const fn is_tied(&self) -> bool {
        self.tied
    }

    /// Takes note of changes that the server has told of.
    #[cold]
    pub fn track(&mut self, tracked: Box<Tracked>) {
        let Some(before) = &mut self.tracked else {
            self.tracked = Some(tracked);
            return;
        };
        before.variables.extend(tracked.variables);
        before.state |= tracked.state;
        before.schema |= tracked.schema;
    }

    /// The changes that the server has told of since the last call.
    #[inline]
    pub fn take_tracked(&mut self) -> Option<Box<Tracked>> {
        self.tracked.take()
    }

    /// The session has these settings by what happened on this connection.
    pub fn adopt(&mut self, settings: &Settings) {
        self.settings = settings.clone();
    }

    /// What is set on the connection.
    pub const fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The `SET` statement that brings the connection to `wanted`, if one is needed.
    ///
    /// From here on the connection counts as having these settings; the caller sends the statement before anything
    /// else, and calls [`doubt`](Self::doubt) should the server refuse it.
    #[inline]
    pub fn sync(&mut self, wanted: &Settings) -> Option<String> {
        if self.settings.same(wanted) {
            return None;
        }
        self.stained |= self.settings.leaves_types(wanted);
        let text = self.settings.difference(wanted, &self.charset);
        self.settings = wanted.clone();
        text
    }

    /// The statement that sets the character set anew as it is known to be, after it was changed beside the settings.
    pub fn charset_text(&self) -> String {
        self.settings.charset_text(&self.charset)
    }

    /// The server has taken everything back.
    pub(crate) fn forget_state(&mut self) {
        self.settings = Settings::default();
        self.prepared.clear();
        self.tracked = None;
        (self.tied, self.doubtful, self.stained) = (false, false, false);
    }

    /// The statements that make a fresh connection one that the proxy can work with; after a reset the character set
    /// of the login is to be set anew.
    pub(crate) fn opening(&self, names: bool) -> Vec<String> {
        let mut parts = Vec::new();
        if names {
            let Charset { name, collation } = &self.charset;
            let collation = collation.as_deref().map(|collation| format!(" COLLATE {collation}"));
            parts.push(format!("NAMES {name}{}", collation.unwrap_or_default()));
        }
        if self.capabilities.contains(Capabilities::SESSION_TRACK) {
            parts.push(Tracked::assignments());
        }
        let set = (!parts.is_empty()).then(|| format!("SET {}", parts.join(",")));
        let read_only = self.read_only.then(|| "SET SESSION TRANSACTION READ ONLY".to_owned());
        set.into_iter().chain(read_only).collect()
    }

    /// Whether something was written and not sent.
    pub fn has_output(&self) -> bool {
        !self.output.is_empty()
    }

    /// Whether these settings are known to be those of the connection, at the cost of one comparison.
    #[inline]
    pub fn has(&self, wanted: &Settings) -> bool {
        self.settings.same(wanted)
    }

    /// The server has refused a change: the settings are still these.
    pub(crate) fn restore(&mut self, before: Settings) {
        self.settings = before;
        self.doubt();
    }

    /// The bytes do not follow the protocol.
    pub fn broken(&mut self, source: wire::Error) -> Error {
        self.link = Link::Poisoned;
        Error::Protocol { origin: Arc::clone(&self.origin), source }
    }

    /// Whether the next session may have it: settled, nothing buffered, no transaction.
    pub(crate) fn is_clean(&self) -> bool {
        self.link == Link::Idle
            && !self.doubtful
            && !self.tied
            && self.input.is_empty()
            && self.output.is_empty()
    }

    /// Whether the server has neither closed the connection nor said anything unasked.
    #[inline]
    pub fn is_quiet(&mut self) -> bool {
        self.input.is_empty() && self.socket.is_quiet()
    }

    /// Like `is_quiet`, with a question to the kernel first.
    pub fn is_open(&mut self) -> bool {
        self.socket.is_open() && self.is_quiet()
    }

    /// Gives back the memory a large result took.
    #[inline]
    pub(crate) fn rest(&mut self) {
        // The capacity says nothing here: it counts from the first byte not yet consumed.
        if self.read > READ {
            self.input = BytesMut::new();
            self.read = READ;
        }
    }

    /// Puts TLS over the stream; the server waits for the handshake.
    pub(crate) async fn secure(self, config: &Arc<ClientConfig>, host: &str) -> Result<Self, Error> {
        let socket = match self.socket {
            Socket::Plain(tcp) => match Tls::open(tcp, Arc::clone(config), host).await {
                Ok(tls) => Socket::Tls(Box::new(tls)),
                Err(source) => return Err(Error::Tls { origin: self.origin, source }),
            },
            secured @ Socket::Tls(_) => secured,
        };
        // What came in the clear before the handshake may be anybody's.
        Ok(Self { socket, input: BytesMut::new(), ..self })
    }

    /// Moves to the runtime of the caller.
    pub(crate) fn rehome(self) -> io::Result<Self> {
        Ok(Self { socket: self.socket.rehome()?, ..self })
    }

    /// Says goodbye if the server listens, and closes.
    pub(crate) fn close(mut self) {
        if matches!(self.link, Link::Idle | Link::InTransaction) {
            self.socket.farewell(&[1, 0, 0, 0, code::QUIT]);
        }
    }

    fn close_evicted(&mut self) {
        for id in self.prepared.take_evicted() {
            wire::frame::put_with(&mut self.output, &mut 0, |out| {
                out.extend_from_slice(&[code::STMT_CLOSE]);
                out.extend_from_slice(&id.to_le_bytes());
            });
        }
    }

    fn lost(&mut self, source: io::Error) -> Error {
        use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, NotConnected, UnexpectedEof};
        self.link = Link::Poisoned;
        let origin = Arc::clone(&self.origin);
        match source.kind() {
            BrokenPipe | ConnectionAborted | ConnectionReset | NotConnected | UnexpectedEof => {
                Error::Closed { origin, before_reply: !self.replied }
            }
            _ => Error::Io { origin, source },
        }
    }
}
