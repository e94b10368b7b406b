//! A plain blocking client that hides nothing: flags are what the test says, and packets can be sent broken.
//!
//! Frames are read and written by hand here, so that a mistake of `wire` in framing cannot hide itself.

use std::io::{self, Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::time::Duration;

use bytes::{BufMut as _, BytesMut};
use wire::auth::{self, Reaction};
use wire::caps::Capabilities;
use wire::command::{self, code};
use wire::handshake::{Attributes, Greeting, Identity, Login};
use wire::value::{Kind, Value};

use crate::reply::{Failure, Fault, Reply, read_reply, read_rows};

/// A hang becomes an error after this long.
const PATIENCE: Duration = Duration::from_secs(60);

/// What an ordinary client of today asks for.
pub const MODERN: Capabilities = Capabilities::LONG_PASSWORD
    .union(Capabilities::LONG_FLAG)
    .union(Capabilities::PROTOCOL_41)
    .union(Capabilities::TRANSACTIONS)
    .union(Capabilities::SECURE_CONNECTION)
    .union(Capabilities::MULTI_RESULTS)
    .union(Capabilities::PS_MULTI_RESULTS)
    .union(Capabilities::PLUGIN_AUTH)
    .union(Capabilities::PLUGIN_AUTH_LENENC)
    .union(Capabilities::CONNECT_ATTRS)
    .union(Capabilities::SESSION_TRACK)
    .union(Capabilities::DEPRECATE_EOF);

/// What a client of ten years ago asked for: EOF packets, no tracking of the session.
pub const OLD: Capabilities =
    MODERN.difference(Capabilities::DEPRECATE_EOF.union(Capabilities::SESSION_TRACK));

/// Who logs in where, and how.
#[derive(Debug, Clone)]
pub struct Account {
    /// Where the server or the proxy listens.
    pub address: SocketAddr,
    /// User name.
    pub user: String,
    /// Password.
    pub password: String,
    /// Default database.
    pub database: Option<String>,
    /// What the client claims to be able to.
    pub capabilities: Capabilities,
    /// The collation of the login.
    pub charset: u8,
    /// The level of zstd that a client asks for which claims to be able to do it.
    pub zstd_level: Option<u8>,
    /// The method the client begins with; otherwise the server's own.
    pub plugin: Option<&'static str>,
}

impl Account {
    /// An ordinary client without a default database.
    #[must_use]
    pub fn new(address: SocketAddr, user: &str, password: &str) -> Self {
        Self {
            address,
            user: user.to_owned(),
            password: password.to_owned(),
            database: None,
            capabilities: MODERN,
            charset: 255,
            zstd_level: None,
            plugin: None,
        }
    }

    /// The same with another default database.
    #[must_use]
    pub fn database(mut self, database: &str) -> Self {
        self.database = Some(database.to_owned());
        self
    }

    /// The same with another password.
    #[must_use]
    pub fn password(mut self, password: &str) -> Self {
        self.password = password.to_owned();
        self
    }

    /// The same with other abilities.
    #[must_use]
    pub fn capabilities(mut self, capabilities: Capabilities) -> Self {
        self.capabilities = capabilities;
        self
    }

    /// Logs in.
    pub fn connect(&self) -> Result<Client, Failure> {
        let mut client = Client::open(self.address)?;
        client.login(self)?;
        Ok(client)
    }

    /// Logs in, as what the test needs to go on at all.
    ///
    /// # Panics
    /// When the login fails.
    #[must_use]
    #[track_caller]
    pub fn client(&self) -> Client {
        self.connect().unwrap_or_else(|failure| {
            panic!("{} at {} into {:?}: {failure}", self.user, self.address, self.database)
        })
    }
}

/// A statement prepared on a [`Client`].
#[derive(Debug, Clone)]
pub struct Prepared {
    /// The server's id.
    pub id: u32,
    /// How many parameters it takes.
    pub parameters: u16,
    /// The columns of its result, as far as known.
    pub columns: Vec<wire::column::Column>,
    /// Warnings of preparing it.
    pub warnings: u16,
}

/// One connection.
#[derive(Debug)]
pub struct Client {
    stream: TcpStream,
    sequence: u8,
    capabilities: Capabilities,
    /// What the server said first.
    pub greeting: Greeting,
}

impl Client {
    /// Connects and reads the greeting; no login yet.
    pub fn open(address: SocketAddr) -> Result<Self, Failure> {
        Self::open_with(address, &[])
    }

    /// The same for a client that says something before the server does.
    pub fn open_with(address: SocketAddr, first: &[u8]) -> Result<Self, Failure> {
        let mut stream = TcpStream::connect(address)?;
        stream.write_all(first)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let greeting = Greeting {
            version: String::new(),
            thread: 0,
            nonce: Vec::new(),
            capabilities: Capabilities::empty(),
            charset: 0,
            status: wire::caps::Status::empty(),
            plugin: String::new(),
        };
        let mut client = Self { stream, sequence: 0, capabilities: MODERN, greeting };
        let first = client.receive()?;
        if first.first() == Some(&wire::reply::ERR) {
            return Err(Failure::Server(Fault::read(&first)?));
        }
        client.greeting = Greeting::decode(&first)?;
        Ok(client)
    }

    /// Logs in on a fresh connection.
    pub fn login(&mut self, account: &Account) -> Result<(), Failure> {
        self.capabilities = account.capabilities & self.greeting.capabilities;
        self.capabilities.set(Capabilities::CONNECT_WITH_DB, account.database.is_some());
        let mut auth = auth::Client::new(account.password.clone(), false);
        let method = account.plugin.unwrap_or(&self.greeting.plugin);
        let (plugin, answer) = auth.start(method, &self.greeting.nonce.clone());
        let mut attributes = BytesMut::new();
        Attributes::put(&mut attributes, "program_name", "weir-tests");
        let login = Login {
            capabilities: self.capabilities,
            max_packet: 1 << 30,
            charset: account.charset,
            identity: Some(Identity {
                user: account.user.as_bytes(),
                auth: &answer,
                database: account.database.as_deref().map(str::as_bytes),
                plugin: Some(plugin.name().as_bytes()),
                attributes: Attributes(&attributes),
                zstd_level: account.zstd_level,
            }),
        };
        let mut payload = BytesMut::new();
        login.encode(&mut payload);
        self.send(&payload)?;
        self.authenticate(auth)
    }

    fn authenticate(&mut self, mut auth: auth::Client) -> Result<(), Failure> {
        loop {
            let message = self.receive()?;
            match auth.feed(&message)? {
                Reaction::Denied => return Err(Failure::Server(Fault::read(&message)?)),
                Reaction::Done => return Ok(()),
                Reaction::Send(answer) => self.send(&answer)?,
                Reaction::Wait => {}
            }
        }
    }

    /// Its own end of the connection.
    pub fn local_address(&self) -> io::Result<SocketAddr> {
        self.stream.local_addr()
    }

    /// What both sides agreed on.
    #[must_use]
    pub fn capabilities(&self) -> Capabilities {
        self.capabilities
    }

    /// COM_CHANGE_USER.
    pub fn change_user(&mut self, account: &Account) -> Result<(), Failure> {
        let mut auth = auth::Client::new(account.password.clone(), false);
        let (plugin, answer) = auth.start(&self.greeting.plugin.clone(), &self.greeting.nonce.clone());
        let mut payload = BytesMut::new();
        payload.put_u8(code::CHANGE_USER);
        payload.put_slice(account.user.as_bytes());
        payload.put_u8(0);
        payload.put_u8(answer.len() as u8);
        payload.put_slice(&answer);
        payload.put_slice(account.database.as_deref().unwrap_or_default().as_bytes());
        payload.put_u8(0);
        payload.put_u16_le(u16::from(account.charset));
        payload.put_slice(plugin.name().as_bytes());
        payload.put_u8(0);
        if self.capabilities.contains(Capabilities::CONNECT_ATTRS) {
            payload.put_u8(0);
        }
        self.sequence = 0;
        self.send(&payload)?;
        self.authenticate(auth)
    }

    /// Sends one message, split into frames where it must be.
    pub fn send(&mut self, payload: &[u8]) -> io::Result<()> {
        let mut rest = payload;
        loop {
            let (frame, after) = rest.split_at(rest.len().min(wire::frame::MAX_PAYLOAD));
            let mut head = (frame.len() as u32).to_le_bytes();
            head[3] = self.sequence;
            self.sequence = self.sequence.wrapping_add(1);
            self.stream.write_all(&[&head, frame].concat())?;
            rest = after;
            if frame.len() < wire::frame::MAX_PAYLOAD {
                return Ok(());
            }
        }
    }

    /// Sends bytes as they are.
    pub fn send_raw(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.write_all(bytes)
    }

    /// Begins a command: its packet has sequence 0.
    pub fn command(&mut self, payload: &[u8]) -> io::Result<()> {
        self.sequence = 0;
        self.send(payload)
    }

    /// The next answer is to a command whose packet was the first of its kind, as after pipelined commands.
    pub fn expect_answer(&mut self) {
        self.sequence = 1;
    }

    /// What comes next comes without having been asked for.
    pub fn expect_unasked(&mut self) {
        self.sequence = 0;
    }

    /// Receives one message, joined from its frames.
    pub fn receive(&mut self) -> Result<Vec<u8>, Failure> {
        let mut message = Vec::new();
        loop {
            let mut head = [0; 4];
            self.stream.read_exact(&mut head)?;
            let len = usize::from(head[0]) | usize::from(head[1]) << 8 | usize::from(head[2]) << 16;
            if head[3] != self.sequence {
                return Err(Failure::Protocol(format!(
                    "packet {} came where {} was due",
                    head[3], self.sequence
                )));
            }
            self.sequence = self.sequence.wrapping_add(1);
            let from = message.len();
            message.resize(from + len, 0);
            self.stream.read_exact(&mut message[from..])?;
            if len < wire::frame::MAX_PAYLOAD {
                return Ok(message);
            }
        }
    }

    /// Reads so many bytes off the connection, whatever they are.
    pub fn receive_raw(&mut self, bytes: usize) -> io::Result<Vec<u8>> {
        let mut raw = vec![0; bytes];
        self.stream.read_exact(&mut raw)?;
        Ok(raw)
    }

    /// Reads `bytes` bytes off the connection and forgets them.
    pub fn skip(&mut self, bytes: u64) -> io::Result<u64> {
        io::copy(&mut (&self.stream).take(bytes), &mut io::sink())
    }

    /// Whether the other side closes the connection, whatever it may have sent before.
    pub fn is_closed(&mut self) -> bool {
        match io::copy(&mut self.stream, &mut io::sink()) {
            Ok(_) => true,
            Err(error) => error.kind() == io::ErrorKind::ConnectionReset,
        }
    }

    /// Says that nothing more will come; the answer can still be read.
    pub fn finish(&self) -> io::Result<()> {
        self.stream.shutdown(Shutdown::Write)
    }

    /// Vanishes without a word.
    pub fn vanish(self) {
        drop(self.stream.shutdown(Shutdown::Both));
    }

    /// Reads the answer to a query.
    pub fn reply(&mut self) -> Result<Reply, Failure> {
        let capabilities = self.capabilities;
        read_reply(capabilities, false, || self.receive())
    }

    /// Reads the answer to an execute.
    pub fn binary_reply(&mut self) -> Result<Reply, Failure> {
        let capabilities = self.capabilities;
        read_reply(capabilities, true, || self.receive())
    }

    /// COM_QUERY; the connection failing is an error of its own.
    pub fn try_query(&mut self, text: impl AsRef<[u8]>) -> Result<Reply, Failure> {
        let text = text.as_ref();
        let mut payload = BytesMut::with_capacity(text.len() + 1);
        command::put_text(&mut payload, code::QUERY, text);
        self.command(&payload)?;
        self.reply()
    }

    /// All answers to a text that has several, as one of several statements or a call.
    ///
    /// # Panics
    /// When the connection breaks.
    #[track_caller]
    pub fn replies(&mut self, text: impl AsRef<[u8]>) -> Vec<Reply> {
        let mut replies = vec![self.query(text.as_ref())];
        while replies.last().is_some_and(Reply::more) {
            let shown = String::from_utf8_lossy(text.as_ref()).into_owned();
            replies.push(self.reply().unwrap_or_else(|failure| panic!("{shown}: {failure}")));
        }
        replies
    }

    /// COM_QUERY.
    ///
    /// # Panics
    /// When the connection breaks.
    #[track_caller]
    pub fn query(&mut self, text: impl AsRef<[u8]>) -> Reply {
        let text = text.as_ref();
        let shown = String::from_utf8_lossy(&text[..text.len().min(300)]).into_owned();
        self.try_query(text).unwrap_or_else(|failure| panic!("{shown}: {failure}"))
    }

    /// COM_QUERY that must succeed.
    ///
    /// # Panics
    /// When it does not.
    #[track_caller]
    pub fn run(&mut self, text: impl AsRef<[u8]>) -> Reply {
        let text = text.as_ref();
        let reply = self.query(text);
        if let Reply::Error(fault) = &reply {
            panic!("{}: {fault}", String::from_utf8_lossy(&text[..text.len().min(300)]));
        }
        reply
    }

    /// COM_QUERY that must be answered by an error.
    ///
    /// # Panics
    /// When it is not.
    #[track_caller]
    pub fn fault(&mut self, text: impl AsRef<[u8]>) -> Fault {
        let text = text.as_ref();
        match self.query(text) {
            Reply::Error(fault) => fault,
            other => panic!("{} was answered: {other:?}", String::from_utf8_lossy(text)),
        }
    }

    /// The rows of a query as text, NULL as `NULL`.
    ///
    /// # Panics
    /// When there are none.
    #[track_caller]
    pub fn rows(&mut self, text: impl AsRef<[u8]>) -> Vec<Vec<String>> {
        let text = text.as_ref();
        match self.query(text) {
            Reply::Rows(table) => table.text(),
            other => panic!("{} was answered: {other:?}", String::from_utf8_lossy(text)),
        }
    }

    /// The first value of a query.
    ///
    /// # Panics
    /// When there is none.
    #[track_caller]
    pub fn value(&mut self, text: impl AsRef<[u8]>) -> String {
        let text = text.as_ref();
        let rows = self.rows(text);
        rows.into_iter()
            .flatten()
            .next()
            .unwrap_or_else(|| panic!("{} has no rows", String::from_utf8_lossy(text)))
    }

    /// COM_STMT_PREPARE.
    pub fn prepare(&mut self, text: impl AsRef<[u8]>) -> Result<Prepared, Failure> {
        let mut payload = BytesMut::new();
        command::put_text(&mut payload, code::STMT_PREPARE, text.as_ref());
        self.command(&payload)?;
        let first = self.receive()?;
        if first.first() == Some(&wire::reply::ERR) {
            return Err(Failure::Server(Fault::read(&first)?));
        }
        if first.len() < 12 {
            return Err(Failure::Protocol(format!("the answer to a prepare is {} bytes", first.len())));
        }
        let short = |at: usize| u16::from_le_bytes([first[at], first[at + 1]]);
        let id = u32::from_le_bytes([first[1], first[2], first[3], first[4]]);
        let (columns, parameters, warnings) = (short(5), short(7), short(10));
        let eof = !self.capabilities.contains(Capabilities::DEPRECATE_EOF);
        for _ in 0..parameters {
            self.receive()?;
        }
        if eof && parameters > 0 {
            self.receive()?;
        }
        let columns: Result<Vec<_>, Failure> =
            (0..columns).map(|_| Ok(wire::column::Column::decode(&self.receive()?)?)).collect();
        let columns = columns?;
        if eof && !columns.is_empty() {
            self.receive()?;
        }
        Ok(Prepared { id, parameters, columns, warnings })
    }

    /// COM_STMT_EXECUTE with the types of its parameters.
    pub fn execute(&mut self, statement: u32, parameters: &[Value<'_>]) -> Result<Reply, Failure> {
        self.command(&execute(statement, parameters, true)?)?;
        self.binary_reply()
    }

    /// Prepares, executes and closes; an error of either step is the answer.
    pub fn binary(&mut self, text: impl AsRef<[u8]>, parameters: &[Value<'_>]) -> Result<Reply, Failure> {
        let prepared = match self.prepare(text) {
            Err(Failure::Server(fault)) => return Ok(Reply::Error(fault)),
            prepared => prepared?,
        };
        let reply = self.execute(prepared.id, parameters)?;
        self.close(prepared.id)?;
        Ok(reply)
    }

    /// COM_STMT_EXECUTE that asks for a cursor (1), or with whatever flags; all answers to it.
    pub fn execute_with(
        &mut self,
        statement: u32,
        flags: u8,
        parameters: &[Value<'_>],
    ) -> Result<Vec<Reply>, Failure> {
        let mut payload = execute(statement, parameters, true)?;
        payload[5] = flags;
        self.command(&payload)?;
        let mut replies = vec![self.binary_reply()?];
        while replies.last().is_some_and(Reply::more) {
            replies.push(self.binary_reply()?);
        }
        Ok(replies)
    }

    /// COM_STMT_FETCH: at most so many rows of a cursor with these columns.
    pub fn fetch(&mut self, prepared: &Prepared, rows: u32) -> Result<Reply, Failure> {
        let mut payload = BytesMut::new();
        command::put_statement(&mut payload, code::STMT_FETCH, prepared.id);
        payload.put_u32_le(rows);
        self.command(&payload)?;
        let capabilities = self.capabilities;
        read_rows(capabilities, true, prepared.columns.clone(), || self.receive())
    }

    /// A command that is answered by OK or ERR.
    pub fn simple(&mut self, payload: &[u8]) -> Result<Reply, Failure> {
        self.command(payload)?;
        self.reply()
    }

    /// COM_STMT_CLOSE, which has no answer.
    pub fn close(&mut self, statement: u32) -> io::Result<()> {
        let mut payload = BytesMut::new();
        command::put_statement(&mut payload, code::STMT_CLOSE, statement);
        self.command(&payload)
    }
}

/// The payload of an execute; `typed` says whether it carries the types of its parameters.
pub fn execute(statement: u32, parameters: &[Value<'_>], typed: bool) -> Result<BytesMut, Failure> {
    let mut payload = BytesMut::new();
    payload.put_u8(code::STMT_EXECUTE);
    payload.put_u32_le(statement);
    payload.put_u8(0);
    payload.put_u32_le(1);
    if parameters.is_empty() {
        return Ok(payload);
    }
    let mut nulls = vec![0; parameters.len().div_ceil(8)];
    for (at, parameter) in parameters.iter().enumerate() {
        if parameter.is_null() {
            nulls[at / 8] |= 1 << (at % 8);
        }
    }
    payload.put_slice(&nulls);
    payload.put_u8(u8::from(typed));
    if typed {
        for parameter in parameters {
            payload.put_slice(&parameter.kind().to_bytes());
        }
    }
    for parameter in parameters {
        let kind: Kind = parameter.kind();
        parameter.put_binary(&mut payload, kind)?;
    }
    Ok(payload)
}
