//! From greeting to OK: TLS when the client wants it, authentication, the first database; and `COM_CHANGE_USER`.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use backend::Charset;
use meta::Property;
use observe::Event;
use tokio_rustls::TlsAcceptor;
use wire::auth::{self, Nonce, Plugin, Server, Step};
use wire::caps::{Capabilities, Status};
use wire::compress::Method;
use wire::errno;
use wire::handshake::{ChangeUser, Greeting, Identity, Login};

use crate::accounts::Blocked;
use crate::client::{Client, Failure};
use crate::error::Problem;
use crate::local::Local;
use crate::registry::Entry;
use crate::shared::Shared;
use crate::state::{State, Timeouts};
use crate::text::{self, Encoding};
use crate::visits::tell_refused;

/// Someone who is logged in.
#[derive(Clone, Debug)]
pub(crate) struct Who {
    pub(crate) user: String,
    /// `user@address`.
    pub(crate) client: String,
    /// `address:port`.
    pub(crate) address: String,
    /// `user@pattern` as configured.
    pub(crate) account: String,
    pub(crate) peer: SocketAddr,
    /// What `COM_CHANGE_USER` answers to.
    nonce: Nonce,
}

/// What a login leads to.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) who: Who,
    pub(crate) database: Option<String>,
    pub(crate) state: State,
    /// What its packets are compressed by from now on.
    pub(crate) compression: Option<Method>,
}

/// `utf8mb4_0900_ai_ci`, as a MySQL 8 server offers.
const DEFAULT_COLLATION: u8 = 255;

/// What every client is offered.
fn offered(shared: &Shared) -> Capabilities {
    let mut offered = Capabilities::LONG_PASSWORD
        | Capabilities::FOUND_ROWS
        | Capabilities::LONG_FLAG
        | Capabilities::CONNECT_WITH_DB
        | Capabilities::LOCAL_FILES
        | Capabilities::IGNORE_SPACE
        | Capabilities::PROTOCOL_41
        | Capabilities::INTERACTIVE
        | Capabilities::TRANSACTIONS
        | Capabilities::SECURE_CONNECTION
        | Capabilities::MULTI_STATEMENTS
        | Capabilities::MULTI_RESULTS
        | Capabilities::PS_MULTI_RESULTS
        | Capabilities::PLUGIN_AUTH
        | Capabilities::CONNECT_ATTRS
        | Capabilities::PLUGIN_AUTH_LENENC
        | Capabilities::SESSION_TRACK
        | Capabilities::DEPRECATE_EOF
        | Capabilities::QUERY_ATTRIBUTES;
    offered.set(Capabilities::SSL, shared.tls.load().is_some());
    let methods = shared.published.load();
    let mut methods = methods.properties.list(Property::FrontendCompression);
    offered.set(Capabilities::COMPRESS, methods.clone().any(|method| method == "zlib"));
    offered.set(Capabilities::ZSTD_COMPRESSION, methods.any(|method| method == "zstd"));
    offered
}

/// Greets a client and lets it in; nothing when it was refused (and told so) or hung up. `clients`: how many are
/// connected, this one among them.
pub(crate) async fn login(
    shared: &Shared,
    local: &Local,
    mut client: Client,
    entry: &Entry,
    mut peer: SocketAddr,
    clients: usize,
) -> Result<Option<(Client, Opened)>, Failure> {
    let door = |peer| Door { local, session: entry.id(), peer };
    if is_proxy(shared, peer.ip()) {
        match client.proxy_header().await {
            Ok(Some(header)) => peer = header.client.unwrap_or(peer),
            Ok(None) => return Ok(None),
            Err(Failure::Wire(error)) => return door(peer).refuse(client, bad_handshake(&error)).await,
            Err(failure) => return Err(failure),
        }
        entry.comes_from(peer);
    }
    let door = door(peer);
    // One more than all may try: an administrator is still let in.
    let crowd = shared.max_sessions().map_or(0, |limit| clients.saturating_sub(limit));
    if crowd > 1 {
        return door.refuse(client, too_many()).await;
    }
    let nonce = auth::nonce();
    let offered = offered(shared);
    greet(&mut client, shared, entry.id(), nonce, offered).await?;
    let Some(mut message) = client.first().await? else { return Ok(None) };
    let mut login = match Login::decode(&message.payload, offered) {
        Ok(login) => login,
        Err(error) => return door.refuse(client, bad_handshake(&error)).await,
    };
    if login.identity.is_none() {
        let Some(tls) = shared.tls.load_full() else {
            return door.refuse(client, Problem::new(errno::BAD_HANDSHAKE, "Bad handshake")).await;
        };
        client = client.secure_with(&TlsAcceptor::from(tls), &local.pacing).await?;
        let Some(second) = client.message().await? else { return Ok(None) };
        message = second;
        login = match Login::decode(&message.payload, offered) {
            Ok(login) => login,
            Err(error) => return door.refuse(client, bad_handshake(&error)).await,
        };
    }
    let Some(identity) = &login.identity else {
        return door.refuse(client, Problem::new(errno::BAD_HANDSHAKE, "Bad handshake")).await;
    };
    client.capabilities = login.capabilities;
    let compression = match compression(shared, login.capabilities, identity) {
        Ok(compression) => compression,
        Err(problem) => return door.refuse(client, problem).await,
    };
    let attempt = Attempt {
        user: text::name(identity.user, Encoding::Plain).into_owned(),
        plugin: identity.plugin,
        answer: identity.auth,
        database: identity.database.map(|name| text::name(name, Encoding::Plain).into_owned()),
        collation: u16::from(login.charset),
        peer,
        nonce,
        begin: Server::start,
    };
    let (user, database) = (attempt.user.clone(), attempt.database.clone());
    match attempt.judge(shared, local, &mut client).await? {
        Ok(opened) if crowd > 0 && !shared.accounts.is_administrator(&opened.who) => {
            door.refuse_somebody(client, (&opened.who.user, opened.database.as_deref()), too_many()).await
        }
        Ok(mut opened) => {
            opened.compression = compression;
            client.put_ok(Status::AUTOCOMMIT);
            client.flush().await?;
            Ok(Some((client, opened)))
        }
        Err(problem) => door.refuse_somebody(client, (&user, database.as_deref()), problem).await,
    }
}

/// `COM_CHANGE_USER`; nothing when it was refused, which ends the connection.
pub(crate) async fn again(
    shared: &Shared,
    local: &Local,
    client: &mut Client,
    id: u32,
    who: &Who,
    change: &ChangeUser<'_>,
) -> Result<Option<Opened>, Failure> {
    let attempt = Attempt {
        user: text::name(change.user, Encoding::Plain).into_owned(),
        plugin: change.plugin,
        answer: change.auth,
        database: change.database.map(|name| text::name(name, Encoding::Plain).into_owned()),
        collation: change.charset.unwrap_or_else(|| u16::from(DEFAULT_COLLATION)),
        peer: who.peer,
        nonce: who.nonce,
        begin: Server::restart,
    };
    let (user, database) = (attempt.user.clone(), attempt.database.clone());
    match attempt.judge(shared, local, client).await? {
        Ok(opened) => Ok(Some(opened)),
        Err(problem) => {
            let to = (user.as_str(), database.as_deref());
            tell_refused(local, id, &who.address, to, client.secure(), &problem, Event::ChangeUser);
            client.put_problem(&problem);
            client.flush().await?;
            Ok(None)
        }
    }
}

/// Whether connections from there are those of a proxy that tells whose they are.
fn is_proxy(shared: &Shared, peer: IpAddr) -> bool {
    let published = shared.published.load();
    let mut networks = published.properties.list(Property::FrontendProxyProtocolNetworks);
    networks.any(|network| meta::is_in_network(peer, network) == Some(true))
}

/// What both sides agreed on: zlib, if a client can do either, as servers do.
fn compression(
    shared: &Shared,
    agreed: Capabilities,
    identity: &Identity<'_>,
) -> Result<Option<Method>, Problem> {
    if agreed.contains(Capabilities::COMPRESS) {
        return Ok(Some(Method::Zlib));
    }
    if agreed.contains(Capabilities::ZSTD_COMPRESSION) {
        return match identity.zstd_level {
            Some(level @ 1..=22) => Ok(Some(Method::Zstd { level })),
            _ => Err(Problem::new(
                errno::WRONG_COMPRESSION_LEVEL,
                "Invalid zstd compression level for algorithm 'zstd'.",
            )),
        };
    }
    let methods = shared.published.load();
    if methods.properties.list(Property::FrontendCompression).any(|method| method == "uncompressed") {
        return Ok(None);
    }
    Err(Problem::new(errno::WRONG_COMPRESSION_ALGORITHM, "Invalid compression algorithm 'uncompressed'."))
}

async fn greet(
    client: &mut Client,
    shared: &Shared,
    id: u32,
    nonce: Nonce,
    capabilities: Capabilities,
) -> Result<(), Failure> {
    let greeting = Greeting {
        version: shared.version(),
        thread: id,
        nonce: nonce.to_vec(),
        capabilities,
        charset: DEFAULT_COLLATION,
        status: Status::AUTOCOMMIT,
        plugin: Plugin::CachingSha2.name().to_owned(),
    };
    client.put(|out| greeting.encode(out));
    client.flush().await?;
    Ok(())
}

/// Where somebody wants to come in.
struct Door<'a> {
    local: &'a Local,
    session: u32,
    peer: SocketAddr,
}

impl Door<'_> {
    /// Refuses one who has not said who it is.
    async fn refuse<T>(self, client: Client, problem: Problem) -> Result<Option<T>, Failure> {
        self.refuse_somebody(client, ("", None), problem).await
    }

    /// Refuses somebody who wanted to be in a database, and tells others of it.
    async fn refuse_somebody<T>(
        self,
        mut client: Client,
        who: (&str, Option<&str>),
        problem: Problem,
    ) -> Result<Option<T>, Failure> {
        let peer = self.peer.to_string();
        tell_refused(self.local, self.session, &peer, who, client.secure(), &problem, Event::Connect);
        client.put_problem(&problem);
        client.close().await;
        Ok(None)
    }
}

fn bad_handshake(error: &wire::Error) -> Problem {
    Problem::new(errno::BAD_HANDSHAKE, format!("Bad handshake: {error}"))
}

fn too_many() -> Problem {
    Problem::new(errno::TOO_MANY_CONNECTIONS, "Too many connections")
}

/// One try to log in.
struct Attempt<'a> {
    user: String,
    plugin: Option<&'a [u8]>,
    answer: &'a [u8],
    database: Option<String>,
    collation: u16,
    peer: SocketAddr,
    nonce: Nonce,
    /// What takes method and answer.
    begin: fn(&mut Server, Option<&[u8]>, &[u8]) -> Step,
}

impl Attempt<'_> {
    /// Lets somebody in, or says why not.
    async fn judge(
        self,
        shared: &Shared,
        local: &Local,
        client: &mut Client,
    ) -> Result<Result<Opened, Problem>, Failure> {
        if let Some(problem) = self.blocked(shared) {
            return Ok(Err(problem));
        }
        let (account, verifier) = shared.accounts.find(&self.user, self.peer.ip());
        let mut server = Server::new(verifier, self.nonce, client.secure(), Some(Arc::clone(&shared.rsa)));
        let said = |answer: &[u8]| !matches!(answer, [] | [0]); // some write the end of an empty text
        let mut password = said(self.answer);
        let mut step = (self.begin)(&mut server, self.plugin, self.answer);
        let account = loop {
            match step {
                Step::Send(payload) => {
                    client.put(|out| out.extend_from_slice(&payload));
                    client.flush().await?;
                    let Some(message) = client.message().await? else { return Err(Failure::Truncated) };
                    password |= said(&message.payload);
                    step = local.pacing.run(|| server.feed(&message.payload)).await;
                }
                Step::Done(payload) => {
                    if let Some(payload) = payload {
                        client.put(|out| out.extend_from_slice(&payload));
                    }
                    match account {
                        Some(account) => break account,
                        None => return Ok(Err(self.denied(shared, password))),
                    }
                }
                Step::Denied => return Ok(Err(self.denied(shared, password))),
            }
        };
        let timeouts =
            Timeouts::new(shared.timeouts(), client.capabilities.contains(Capabilities::INTERACTIVE));
        Ok(self.open(shared, account, timeouts))
    }

    /// The password was right: is the database, too?
    fn open(self, shared: &Shared, account: String, timeouts: Timeouts) -> Result<Opened, Problem> {
        shared.accounts.succeeded(&self.user, self.peer.ip());
        let who = Who {
            client: format!("{}@{}", self.user, self.peer.ip()),
            address: self.peer.to_string(),
            user: self.user,
            account,
            peer: self.peer,
            nonce: self.nonce,
        };
        if let Some(name) = &self.database {
            let system = plan::system_schema(name);
            let open = match system {
                Some(system) => system == plan::INFORMATION_SCHEMA || shared.accounts.is_administrator(&who),
                None => shared.accounts.permits(&who, name),
            };
            if system.is_none() && shared.published.load().database(name).is_none() {
                return Err(Problem::unknown_database(name));
            }
            if !open {
                return Err(Problem::new(
                    errno::DATABASE_ACCESS_DENIED,
                    format!("Access denied for user '{}'@'{}' to database '{name}'", who.user, who.peer.ip()),
                ));
            }
        }
        let mut state = State { timeouts, ..State::default() };
        state.names(charset(self.collation));
        let database = self.database.map(|name| plan::system_schema(&name).map_or(name, str::to_owned));
        Ok(Opened { who, database, state, compression: None })
    }

    /// Too many have failed before.
    fn blocked(&self, shared: &Shared) -> Option<Problem> {
        let most = shared.published.load().properties.integer(Property::FrontendMaxFailedLogins);
        let most = u32::try_from(most).ok().filter(|most| *most > 0)?;
        let ip = self.peer.ip();
        let Blocked { count, left } = shared.accounts.blocked(&self.user, ip, most)?;
        let message = format!(
            "Access denied for user '{}'@'{ip}'. Account is blocked for {left} s due to {count} consecutive failed logins",
            self.user
        );
        Some(Problem::new(errno::ACCOUNT_BLOCKED, message))
    }

    fn denied(&self, shared: &Shared, password: bool) -> Problem {
        shared.accounts.failed(&self.user, self.peer.ip());
        let password = if password { "YES" } else { "NO" };
        let message = format!(
            "Access denied for user '{}'@'{}' (using password: {password})",
            self.user,
            self.peer.ip()
        );
        Problem::new(errno::ACCESS_DENIED, message)
    }
}

/// What connections to servers are set to for a client of this collation; nothing for the one they begin with.
fn charset(collation: u16) -> Option<Charset> {
    let found = wire::charset::Collation::find(collation)?;
    (collation != u16::from(DEFAULT_COLLATION))
        .then(|| Charset { name: found.charset.name.to_owned(), collation: Some(found.name.to_owned()) })
}
