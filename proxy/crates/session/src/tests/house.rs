//! A proxy with one worker, and a client to talk to it.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::AtomicU32;
use std::sync::{Arc, LazyLock};
use std::thread::JoinHandle;
use std::time::Duration;

use bytes::BytesMut;
use meta::{Database, Privileges, Published, Snapshot, User, Users};
use tokio_util::sync::CancellationToken;
use wire::auth::rsa::KeyPair;
use wire::auth::{self, Plugin, Reaction};
use wire::caps::{Capabilities, Status};
use wire::command::code;
use wire::frame::{self, Assembler};
use wire::handshake::{ChangeUser, Greeting, Identity, Login};
use wire::{reply, row};

use crate::{Accounts, Admin, Answer, Limits, Listener, Pending, Refusal, Registry, Shared, Workers};

static KEY: LazyLock<Arc<KeyPair>> = LazyLock::new(|| Arc::new(KeyPair::generate().unwrap()));

/// The users `root` (everything) and `ann` (database `shop` only), with their names as passwords.
pub(super) struct House {
    pub(super) shared: Arc<Shared>,
    pub(super) address: SocketAddr,
    thread: Option<JoinHandle<()>>,
}

impl House {
    /// With the databases `shop` and `plant`.
    pub(super) fn new() -> Self {
        Self::with(Limits::default(), |_| {})
    }

    pub(super) fn with(limits: Limits, change: impl FnOnce(&mut Snapshot)) -> Self {
        let mut snapshot = Snapshot { epoch: 1, ..Snapshot::default() };
        for name in ["shop", "plant"] {
            let database = Database { name: name.to_owned(), ..Database::default() };
            snapshot.databases.insert(name.to_owned(), Arc::new(database));
        }
        change(&mut snapshot);
        let published = Published::new(snapshot);
        let all = |list: &[&str]| list.iter().map(|&name| name.to_owned()).collect();
        let map = [("root@%".to_owned(), all(&["*"])), ("ann@%".to_owned(), all(&["shop"]))];
        let users = Users::new(
            vec![User::parse("root", "root"), User::parse("ann", "ann"), User::parse("far@10.9.9.9", "far")],
            Privileges::Databases(map.into_iter().collect()),
        );
        let shared = Arc::new(Shared {
            events: observe::Hub::new(observe::Capacity::default()),
            accounts: Accounts::new(&users),
            hub: backend::Hub::new(),
            admin: Arc::new(Fake(published.clone())),
            published,
            tls: arc_swap::ArcSwapOption::empty(),
            rsa: Arc::clone(&KEY),
            limits,
            drain: CancellationToken::new(),
            registry: Registry::default(),
            last_id: AtomicU32::new(0),
            keys: crate::Keys::default(),
            numbers: Arc::default(),
        });
        let (told, address) = std::sync::mpsc::channel();
        let own = Arc::clone(&shared);
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let listener = Listener::bind("127.0.0.1:0".parse().unwrap()).unwrap();
                let workers = Workers::start(1, &own).unwrap();
                told.send(listener.address().unwrap()).unwrap();
                listener.run(&workers, own.drain.clone()).await;
                workers.join();
            });
        });
        Self { shared, address: address.recv().unwrap(), thread: Some(thread) }
    }

    pub(super) fn connect(&self) -> Client {
        Client::new(self.address)
    }

    /// A client that has logged in as this user with the right password.
    pub(super) fn client(&self, user: &str, database: Option<&str>) -> Client {
        let mut client = self.connect();
        client.login(user, user, database).unwrap();
        client
    }
}

impl Drop for House {
    fn drop(&mut self) {
        self.shared.drain.cancel();
        // A test that fails may hold sessions open, for which nobody waits.
        if let Some(thread) = self.thread.take().filter(|_| !std::thread::panicking()) {
            thread.join().unwrap();
        }
    }
}

/// Keeps databases in memory; all DistSQL succeeds and does nothing.
struct Fake(Published);

impl Fake {
    fn change(&self, change: impl FnOnce(&mut Snapshot)) {
        let mut snapshot = Snapshot::clone(&self.0.load());
        snapshot.epoch += 1;
        change(&mut snapshot);
        self.0.publish(Arc::new(snapshot));
    }
}

impl Admin for Fake {
    fn execute<'a>(
        &'a self,
        _: Option<&'a str>,
        _: &'a distsql::Statement,
    ) -> Pending<'a, Result<Answer, Refusal>> {
        Box::pin(async { Ok(Answer::Ok) })
    }

    fn create_database<'a>(&'a self, name: &'a str, _: bool) -> Pending<'a, Result<bool, Refusal>> {
        let database = Arc::new(Database { name: name.to_owned(), ..Database::default() });
        self.change(|snapshot| drop(snapshot.databases.insert(name.to_owned(), database)));
        Box::pin(async { Ok(true) })
    }

    fn drop_database<'a>(&'a self, name: &'a str, _: bool) -> Pending<'a, Result<bool, Refusal>> {
        self.change(|snapshot| drop(snapshot.databases.shift_remove(name)));
        Box::pin(async { Ok(true) })
    }

    fn learn<'a>(&'a self, _: &'a str, _: &'a [String]) -> Pending<'a, Result<(), Refusal>> {
        Box::pin(async { Ok(()) })
    }
}

/// What the proxy answered.
#[derive(Debug, PartialEq)]
pub(super) enum Said {
    Err(u16, String),
    Ok(Status),
    Rows(Vec<Vec<Option<String>>>),
}

impl Said {
    pub(super) fn code(&self) -> u16 {
        match self {
            Self::Err(code, _) => *code,
            other => panic!("no error but {other:?}"),
        }
    }

    /// The error's number, or 0.
    pub(super) fn code_or_ok(&self) -> u16 {
        match self {
            Self::Err(code, _) => *code,
            _ => 0,
        }
    }

    /// The cells of the only row.
    pub(super) fn row(self) -> Vec<String> {
        match self {
            Self::Rows(rows) => {
                assert_eq!(rows.len(), 1);
                rows[0].iter().map(|cell| cell.clone().unwrap_or_else(|| "NULL".to_owned())).collect()
            }
            other => panic!("no rows but {other:?}"),
        }
    }
}

/// A client that waits for each answer.
pub(super) struct Client {
    pub(super) stream: TcpStream,
    input: BytesMut,
    assembler: Assembler,
    pub(super) greeting: Greeting,
    capabilities: Capabilities,
}

impl Client {
    fn new(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let greeting = Greeting {
            version: String::new(),
            thread: 0,
            nonce: Vec::new(),
            capabilities: Capabilities::empty(),
            charset: 0,
            status: Status::empty(),
            plugin: String::new(),
        };
        let (input, assembler) = (BytesMut::new(), Assembler::new(1 << 24));
        Self { stream, input, assembler, greeting, capabilities: Capabilities::empty() }
    }

    /// The next message; nothing when the proxy has closed the connection.
    pub(super) fn message(&mut self) -> Option<Vec<u8>> {
        loop {
            if let Some(message) = self.assembler.next(&mut self.input).unwrap() {
                return Some(message.payload.to_vec());
            }
            let mut buffer = [0; 4096];
            match self.stream.read(&mut buffer) {
                Ok(0) => return None,
                Ok(read) => self.input.extend_from_slice(&buffer[..read]),
                Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => return None,
                Err(error) => panic!("{error}"),
            }
        }
    }

    /// Waits for the proxy to close the connection, whatever it says before.
    pub(super) fn hangs_up(&mut self) -> bool {
        let mut buffer = [0; 256];
        loop {
            match self.stream.read(&mut buffer) {
                Ok(0) => return true,
                Ok(_) => {}
                Err(error) => return error.kind() == std::io::ErrorKind::ConnectionReset,
            }
        }
    }

    pub(super) fn send(&mut self, mut sequence: u8, payload: &[u8]) {
        let mut out = BytesMut::new();
        frame::put(&mut out, &mut sequence, payload);
        self.stream.write_all(&out).unwrap();
        self.assembler.expect(sequence);
    }

    /// Reads the greeting and logs in by `caching_sha2_password`; gives the OK's status.
    pub(super) fn login(
        &mut self,
        user: &str,
        password: &str,
        database: Option<&str>,
    ) -> Result<Status, (u16, String)> {
        self.login_by(Plugin::CachingSha2, user, password, database)
    }

    pub(super) fn login_by(
        &mut self,
        plugin: Plugin,
        user: &str,
        password: &str,
        database: Option<&str>,
    ) -> Result<Status, (u16, String)> {
        let greeting = self.message().unwrap();
        if greeting[0] == reply::ERR {
            return Err(error(&greeting));
        }
        self.greeting = Greeting::decode(&greeting).unwrap();
        self.capabilities = self.greeting.capabilities
            - Capabilities::CONNECT_ATTRS
            - Capabilities::COMPRESS
            - Capabilities::ZSTD_COMPRESSION
            - Capabilities::QUERY_ATTRIBUTES
            - Capabilities::SESSION_TRACK;
        self.capabilities.set(Capabilities::CONNECT_WITH_DB, database.is_some());
        let mut client = auth::Client::new(password.to_owned(), false);
        let (plugin, answer) = client.start(plugin.name(), &self.greeting.nonce);
        let identity = Identity {
            user: user.as_bytes(),
            auth: &answer,
            database: database.map(str::as_bytes),
            plugin: Some(plugin.name().as_bytes()),
            attributes: Default::default(),
            zstd_level: None,
        };
        let capabilities = self.capabilities;
        let login = Login { capabilities, max_packet: 1 << 24, charset: 255, identity: Some(identity) };
        let mut out = BytesMut::new();
        login.encode(&mut out);
        self.send(1, &out);
        self.authenticate(&mut client)
    }

    fn authenticate(&mut self, client: &mut auth::Client) -> Result<Status, (u16, String)> {
        loop {
            let payload = self.message().unwrap();
            match client.feed(&payload).unwrap() {
                Reaction::Denied => return Err(error(&payload)),
                Reaction::Done => {
                    return Ok(reply::Ok::decode(&payload, self.capabilities).unwrap().status);
                }
                Reaction::Send(answer) => {
                    let sequence = self.assembler.expected();
                    self.send(sequence, &answer);
                }
                Reaction::Wait => {}
            }
        }
    }

    /// `COM_CHANGE_USER`.
    pub(super) fn change_user(
        &mut self,
        user: &str,
        password: &str,
        database: Option<&str>,
    ) -> Result<Status, (u16, String)> {
        let mut client = auth::Client::new(password.to_owned(), false);
        let (plugin, answer) = client.start(Plugin::CachingSha2.name(), &self.greeting.nonce);
        let change = ChangeUser {
            user: user.as_bytes(),
            auth: &answer,
            database: database.map(str::as_bytes),
            charset: Some(255),
            plugin: Some(plugin.name().as_bytes()),
            attributes: Default::default(),
        };
        let mut out = BytesMut::new();
        change.encode(&mut out, self.capabilities);
        self.send(0, &out);
        self.authenticate(&mut client)
    }

    pub(super) fn query(&mut self, text: &str) -> Said {
        self.command(code::QUERY, text.as_bytes()).expect("an answer")
    }

    /// Sends a command and reads its answer; nothing when the proxy has closed the connection.
    pub(super) fn command(&mut self, code: u8, payload: &[u8]) -> Option<Said> {
        self.send(0, &[&[code][..], payload].concat());
        self.answer()
    }

    /// The answer to a command that was sent ahead of others.
    pub(super) fn answer_anew(&mut self) -> Said {
        self.assembler.expect(1);
        self.answer().expect("an answer")
    }

    /// What is said without having been asked for.
    pub(super) fn unasked(&mut self) -> Said {
        self.assembler.expect(0);
        self.answer().expect("a last word")
    }

    pub(super) fn answer(&mut self) -> Option<Said> {
        let first = self.message()?;
        Some(match first[0] {
            reply::ERR => {
                let (code, message) = error(&first);
                Said::Err(code, message)
            }
            reply::OK | reply::EOF => Said::Ok(reply::Ok::decode(&first, self.capabilities).unwrap().status),
            columns => {
                (0..columns).for_each(|_| drop(self.message()));
                let mut rows = Vec::new();
                loop {
                    let payload = self.message()?;
                    if reply::ends_rows(&payload, self.capabilities) {
                        break Said::Rows(rows);
                    }
                    let text = |cell: &[u8]| String::from_utf8_lossy(cell).into_owned();
                    rows.push(row::text(&payload).map(|cell| cell.unwrap().map(text)).collect());
                }
            }
        })
    }
}

fn error(payload: &[u8]) -> (u16, String) {
    let error = reply::Err::decode(payload).unwrap();
    (error.code, error.text().into_owned())
}
