//! Opens a connection: TCP, greeting, TLS when the unit asks for it, authentication.

use std::sync::Arc;

use bytes::BytesMut;
use meta::{StorageUnit, TlsMode};
use tokio_rustls::rustls::ClientConfig;
use wire::auth::{Client, Reaction};
use wire::caps::Capabilities;
use wire::frame::{Message, put_with};
use wire::handshake::{Attributes, Greeting, Identity, Login};
use wire::reply;

use crate::connection::{Connection, ServerInfo};
use crate::error::{Error, Origin};
use crate::settings::Charset;
use crate::socket::{self, Socket};

/// What the proxy understands of a server. A request for a local file goes to a client whose statement asked for it, and is
/// refused wherever else it comes: no server reads the proxy's files.
const CAPABILITIES: Capabilities = Capabilities::LONG_PASSWORD
    .union(Capabilities::LONG_FLAG)
    .union(Capabilities::LOCAL_FILES)
    .union(Capabilities::PROTOCOL_41)
    .union(Capabilities::TRANSACTIONS)
    .union(Capabilities::SECURE_CONNECTION)
    .union(Capabilities::MULTI_RESULTS)
    .union(Capabilities::PS_MULTI_RESULTS)
    .union(Capabilities::PLUGIN_AUTH)
    .union(Capabilities::PLUGIN_AUTH_LENENC)
    .union(Capabilities::CONNECT_ATTRS)
    .union(Capabilities::SESSION_TRACK)
    .union(Capabilities::DEPRECATE_EOF)
    .union(Capabilities::QUERY_ATTRIBUTES);

/// The largest packet the proxy may send, as servers can be set to take it at most.
const MAX_PACKET: u32 = 1 << 30;
/// `utf8mb4_general_ci`, which every server knows.
const GENERAL: (u8, &str) = (45, "utf8mb4_general_ci");
/// `utf8mb4_0900_ai_ci`, the default since MySQL 8.
const MYSQL_8: (u8, &str) = (255, "utf8mb4_0900_ai_ci");

/// Opens a connection to the unit's server and logs in; no time limit of its own.
pub(crate) async fn open(
    unit: &StorageUnit,
    origin: &Arc<Origin>,
    tls: &Arc<ClientConfig>,
    found_rows: bool,
) -> Result<Connection, Error> {
    let spec = &unit.spec;
    let tcp = match socket::connect(&spec.host, spec.port).await {
        Ok(tcp) => tcp,
        Err(source) => return Err(Error::Connect { origin: Arc::clone(origin), source }),
    };
    let mut connection = Connection::new(Arc::clone(origin), Socket::Plain(tcp));
    let greeting = greeting(&mut connection).await?;
    let mut sequence = 1;
    let mut wanted = CAPABILITIES;
    wanted.set(Capabilities::CONNECT_WITH_DB, !spec.database.is_empty());
    wanted.set(Capabilities::FOUND_ROWS, found_rows);
    wanted.set(Capabilities::SSL, spec.tls == TlsMode::Required);
    connection.capabilities = wanted & greeting.capabilities;
    connection.server = server(&greeting);
    let (collation, name) = if is_mysql_8(&connection.server) { MYSQL_8 } else { GENERAL };
    connection.charset = Charset { name: "utf8mb4".to_owned(), collation: Some(name.to_owned()) };
    let mut login = Login {
        capabilities: connection.capabilities,
        max_packet: MAX_PACKET,
        charset: collation,
        identity: None,
    };
    if spec.tls == TlsMode::Required {
        if !greeting.capabilities.contains(Capabilities::SSL) {
            return Err(Error::NoTls { origin: Arc::clone(origin) });
        }
        put_with(&mut connection.output, &mut sequence, |out| login.encode(out));
        connection.flush().await?;
        connection = connection.secure(tls, &spec.host).await?;
    }
    let mut client = Client::new(spec.password.clone(), spec.tls == TlsMode::Required);
    let (plugin, first) = client.start(&greeting.plugin, &greeting.nonce);
    let mut attributes = BytesMut::new();
    Attributes::put(&mut attributes, "program_name", "weir");
    login.identity = Some(Identity {
        user: spec.user.as_bytes(),
        auth: &first,
        database: Some(spec.database.as_bytes()),
        plugin: Some(plugin.name().as_bytes()),
        attributes: Attributes(&attributes),
        zstd_level: None,
    });
    put_with(&mut connection.output, &mut sequence, |out| login.encode(out));
    authenticate(&mut connection, client, sequence).await?;
    connection.read_only = spec.pool.read_only;
    for text in connection.opening(false) {
        connection.query(&text).await?;
    }
    connection.take_tracked();
    Ok(connection)
}

async fn greeting(connection: &mut Connection) -> Result<Greeting, Error> {
    let first = connection.message().await?;
    if first.payload.first() == Some(&reply::ERR) {
        return Err(refused(connection, &first));
    }
    Greeting::decode(&first.payload).map_err(|source| connection.broken(source))
}

/// Answers what the server asks until it says yes or no.
async fn authenticate(
    connection: &mut Connection,
    mut client: Client,
    mut sequence: u8,
) -> Result<(), Error> {
    loop {
        connection.flush().await?;
        connection.expect(sequence);
        let message = connection.message().await?;
        sequence = message.sequence.wrapping_add(1);
        let reaction = client.feed(&message.payload);
        match reaction.map_err(|source| Error::Auth { origin: Arc::clone(&connection.origin), source })? {
            Reaction::Denied => return Err(refused(connection, &message)),
            Reaction::Done => {
                let ok = reply::Ok::decode(&message.payload, connection.capabilities);
                let ok = ok.map_err(|source| connection.broken(source))?;
                connection.note(ok.status);
                connection.settle();
                return Ok(());
            }
            Reaction::Send(answer) => {
                put_with(&mut connection.output, &mut sequence, |out| out.extend_from_slice(&answer));
            }
            Reaction::Wait => {}
        }
    }
}

fn refused(connection: &mut Connection, message: &Message) -> Error {
    match connection.refusal(message) {
        Ok(refusal) => Error::login(Arc::clone(&connection.origin), refusal),
        Err(error) => error,
    }
}

fn server(greeting: &Greeting) -> ServerInfo {
    // MariaDB used to hide behind 5.5.5, so that old replicas would follow it.
    let version = greeting.version.strip_prefix("5.5.5-").unwrap_or(&greeting.version);
    let mariadb = version.contains("MariaDB") || !greeting.capabilities.contains(Capabilities::LONG_PASSWORD);
    ServerInfo { version: version.to_owned(), mariadb, thread: greeting.thread }
}

fn is_mysql_8(server: &ServerInfo) -> bool {
    let major = server.version.split('.').next().and_then(|major| major.parse::<u32>().ok());
    !server.mariadb && major.is_some_and(|major| major >= 8)
}
