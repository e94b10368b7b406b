//! A scripted MySQL server on loopback, for tests: a thread per connection, so that it serves several runtimes at once.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use bytes::BytesMut;
use meta::{PoolSpec, StorageUnit, TlsMode, UnitId, UnitSpec};
use parking_lot::Mutex;
use tokio_rustls::rustls::{ServerConfig, ServerConnection, StreamOwned, crypto::ring};
use wire::auth::rsa::KeyPair;
use wire::auth::{Nonce, Server, Step, Verifier};
use wire::caps::{Capabilities, Status};
use wire::column::Column;
use wire::command::code;
use wire::frame::{Assembler, put_with};
use wire::handshake::{Greeting, Identity, Login};
use wire::reply;

const NONCE: Nonce = *b"01234567890123456789";

/// What the peer answers.
pub(crate) enum Answer {
    /// An OK packet with these status flags.
    Ok(Status),
    /// An ERR packet.
    Err(u16, &'static str),
    /// A result set of one column.
    Rows(Vec<&'static str>),
    /// These bytes, and then the end of the connection.
    Break(&'static [u8]),
    /// Nothing, ever.
    Silence,
}

/// How the peer behaves.
#[derive(Clone)]
pub(crate) struct Script {
    pub(crate) version: &'static str,
    /// The account's password digests; without them anybody gets in.
    pub(crate) account: Option<Verifier>,
    /// The last word of a login.
    pub(crate) login: Arc<dyn Fn() -> Answer + Send + Sync>,
    /// The answer to a command, by its payload.
    pub(crate) command: fn(&[u8]) -> Answer,
    pub(crate) tls: bool,
}

impl Default for Script {
    fn default() -> Self {
        Self {
            version: "9.7.0",
            account: None,
            login: Arc::new(|| Answer::Ok(Status::AUTOCOMMIT)),
            command: |_| Answer::Ok(Status::AUTOCOMMIT),
            tls: false,
        }
    }
}

/// The server; its threads end with its connections.
pub(crate) struct Peer {
    pub(crate) port: u16,
    seen: Arc<Seen>,
}

#[derive(Default)]
struct Seen {
    accepted: AtomicUsize,
    /// Payloads of all commands in order of arrival.
    commands: Mutex<Vec<Vec<u8>>>,
    logins: Mutex<Vec<(Capabilities, String)>>,
    streams: Mutex<Vec<TcpStream>>,
}

impl Peer {
    pub(crate) fn start(script: Script) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let seen = Arc::new(Seen::default());
        let shared = Arc::clone(&seen);
        let tls = script.tls.then(server_tls);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(stream) = stream else { return };
                let (script, seen, tls) = (script.clone(), Arc::clone(&shared), tls.clone());
                seen.accepted.fetch_add(1, SeqCst);
                stream.set_nodelay(true).unwrap();
                seen.streams.lock().push(stream.try_clone().unwrap());
                std::thread::spawn(move || {
                    let end = stream.try_clone().unwrap();
                    let mut talk = Talk::new(stream);
                    // A test that cuts the connection makes this end in an error, which is what it wants.
                    let _ = talk.serve(&script, &seen, tls);
                    let _ = end.shutdown(Shutdown::Both);
                });
            }
        });
        Self { port, seen }
    }

    /// A storage unit on this peer, with its own pool.
    pub(crate) fn unit(&self, pool: PoolSpec) -> Arc<StorageUnit> {
        unit(self.port, pool, TlsMode::Disabled)
    }

    pub(crate) fn tls_unit(&self, pool: PoolSpec) -> Arc<StorageUnit> {
        unit(self.port, pool, TlsMode::Required)
    }

    /// Connections so far.
    pub(crate) fn accepted(&self) -> usize {
        self.seen.accepted.load(SeqCst)
    }

    /// Commands so far, as text behind the command byte.
    pub(crate) fn commands(&self) -> Vec<(u8, String)> {
        let text = |payload: &Vec<u8>| (payload[0], String::from_utf8_lossy(&payload[1..]).into_owned());
        self.seen.commands.lock().iter().map(text).collect()
    }

    pub(crate) fn logins(&self) -> Vec<(Capabilities, String)> {
        self.seen.logins.lock().clone()
    }

    /// Ends all connections, as a restart of the server does.
    pub(crate) fn sever(&self) {
        for stream in self.seen.streams.lock().drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

/// What every unit of a peer logs in with.
pub(crate) const PASSWORD: &str = "sécret";

pub(crate) fn unit(port: u16, pool: PoolSpec, tls: TlsMode) -> Arc<StorageUnit> {
    let spec = UnitSpec {
        host: "127.0.0.1".into(),
        port,
        database: "shop".into(),
        user: "app".into(),
        password: PASSWORD.into(),
        tls,
        pool,
        other: Default::default(),
    };
    Arc::new(StorageUnit { id: UnitId(u32::from(port)), name: "ds_0".into(), spec })
}

trait Stream: Read + Write + Send {}
impl<T: Read + Write + Send> Stream for T {}

struct Talk {
    stream: Option<TcpStream>,
    over: Box<dyn Stream>,
    input: BytesMut,
    assembler: Assembler,
}

impl Talk {
    fn new(stream: TcpStream) -> Self {
        let over = Box::new(stream.try_clone().unwrap());
        Self { stream: Some(stream), over, input: BytesMut::new(), assembler: Assembler::new(1 << 24) }
    }

    fn serve(&mut self, script: &Script, seen: &Seen, tls: Option<Arc<ServerConfig>>) -> Option<()> {
        let mut capabilities = Capabilities::from_bits_retain(0xFFFF_FFFF) - Capabilities::QUERY_ATTRIBUTES;
        capabilities.set(Capabilities::SSL, script.tls);
        let greeting = Greeting {
            version: script.version.into(),
            thread: seen.accepted.load(SeqCst) as u32,
            nonce: NONCE.to_vec(),
            capabilities,
            charset: 45,
            status: Status::AUTOCOMMIT,
            plugin: "caching_sha2_password".into(),
        };
        self.put(0, |out| greeting.encode(out))?;
        self.assembler.expect(1);
        let mut first = self.message()?;
        let mut login = Login::decode(&first, capabilities).ok()?;
        if login.identity.is_none() {
            let session = ServerConnection::new(tls?).unwrap();
            self.over = Box::new(StreamOwned::new(session, self.stream.take()?));
            first = self.message()?;
            login = Login::decode(&first, capabilities).ok()?;
        }
        let agreed = login.capabilities;
        let database = login.identity.as_ref().and_then(|identity| identity.database).unwrap_or_default();
        seen.logins.lock().push((agreed, String::from_utf8_lossy(database).into_owned()));
        if let Some(account) = script.account {
            self.authenticate(account, script.tls, login.identity.as_ref()?)?;
        }
        let sequence = self.assembler.expected();
        self.answer((script.login)(), sequence, agreed)?;
        loop {
            self.assembler.reset();
            let payload = self.message()?;
            if String::from_utf8_lossy(&payload).contains("SET @@SESSION.session_track") {
                self.answer(Answer::Ok(Status::AUTOCOMMIT), 1, agreed)?;
                continue;
            }
            seen.commands.lock().push(payload.to_vec());
            match payload[0] {
                code::QUIT => return Some(()),
                code::STMT_CLOSE => {}
                _ => self.answer((script.command)(&payload), 1, agreed)?,
            }
        }
    }

    /// Returns when the client proved its password; the next sequence is that of the OK.
    fn authenticate(&mut self, account: Verifier, tls: bool, identity: &Identity<'_>) -> Option<()> {
        let key = (!tls).then(|| Arc::new(KeyPair::generate().unwrap()));
        let mut server = Server::new(account, NONCE, tls, key);
        let mut step = server.start(identity.plugin, identity.auth);
        loop {
            let sequence = self.assembler.expected();
            match step {
                Step::Denied => {
                    self.answer(Answer::Err(1045, "Access denied"), sequence, Capabilities::empty())?;
                    return None;
                }
                Step::Done(None) => return Some(()),
                Step::Done(Some(last)) => {
                    self.put(sequence, |out| out.extend_from_slice(&last))?;
                    self.assembler.expect(sequence + 1);
                    return Some(());
                }
                Step::Send(word) => {
                    self.put(sequence, |out| out.extend_from_slice(&word))?;
                    self.assembler.expect(sequence + 1);
                    step = server.feed(&self.message()?);
                }
            }
        }
    }

    fn answer(&mut self, answer: Answer, sequence: u8, agreed: Capabilities) -> Option<()> {
        match answer {
            Answer::Ok(status) => {
                self.put(sequence, |out| reply::Ok { status, ..Default::default() }.encode(out, agreed))
            }
            Answer::Err(number, message) => {
                let error = reply::Err { code: number, state: *b"HY000", message: message.as_bytes() };
                self.put(sequence, |out| error.encode(out))
            }
            Answer::Rows(rows) => {
                let mut out = BytesMut::new();
                let mut sequence = sequence;
                put_with(&mut out, &mut sequence, |out| out.extend_from_slice(&[1]));
                put_with(&mut out, &mut sequence, |out| Column::text("c", 10).encode(out));
                for row in rows {
                    put_with(&mut out, &mut sequence, |out| wire::row::put_text(out, [Some(row.as_bytes())]));
                }
                let end = reply::Ok { status: Status::AUTOCOMMIT, ..Default::default() };
                put_with(&mut out, &mut sequence, |out| reply::put_end(out, &end, agreed));
                self.over.write_all(&out).ok()
            }
            Answer::Break(bytes) => {
                self.over.write_all(bytes).ok()?;
                None
            }
            Answer::Silence => {
                // Until the other side goes.
                let _ = self.over.read(&mut [0; 64]);
                None
            }
        }
    }

    fn put(&mut self, mut sequence: u8, write: impl FnOnce(&mut BytesMut)) -> Option<()> {
        let mut out = BytesMut::new();
        put_with(&mut out, &mut sequence, write);
        self.over.write_all(&out).ok()
    }

    fn message(&mut self) -> Option<BytesMut> {
        loop {
            if let Some(message) = self.assembler.next(&mut self.input).ok()? {
                return Some(message.payload);
            }
            // Not a byte more: behind a request for TLS come bytes for the TLS session.
            let wanted = self.assembler.wants(&self.input) - self.input.len();
            let mut buffer = [0; 4096];
            match self.over.read(&mut buffer[..wanted.min(4096)]) {
                Ok(0) | Err(_) => return None,
                Ok(read) => self.input.extend_from_slice(&buffer[..read]),
            }
        }
    }
}

fn server_tls() -> Arc<ServerConfig> {
    let own = rcgen::generate_simple_self_signed(["somewhere.else".to_owned()]).unwrap();
    let key = own.signing_key.serialize_der().try_into().unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![own.cert.der().clone()], key)
        .unwrap();
    Arc::new(config)
}
