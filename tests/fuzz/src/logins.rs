//! Logins: hostile clients before our server side, hostile servers before our client side.

use std::sync::{Arc, LazyLock};

use bytes::BytesMut;
use wire::auth::rsa::KeyPair;
use wire::auth::{self, Plugin, Reaction, Step, Verifier};
use wire::caps::Capabilities;
use wire::handshake::{Attributes, AuthMoreData, AuthSwitch, Greeting, Identity, Login};

use crate::{Choices, seen};

/// Nobody guesses it, and it does not come about by chance.
const PASSWORD: &str = "correct horse battery staple 42";

/// A nonce like any other.
const NONCE: [u8; 20] = *b"0123456789abcdefghij";

/// Cuts bytes into messages: each begins with its length.
fn messages(mut input: &[u8]) -> Vec<&[u8]> {
    let mut messages = Vec::new();
    while let Some((len, rest)) = input.split_first() {
        let (message, after) = rest.split_at(usize::from(*len).min(rest.len()));
        messages.push(message);
        input = after;
    }
    messages
}

/// Writes messages so that [`messages`] reads them.
fn joined(messages: &[&[u8]]) -> Vec<u8> {
    messages.iter().flat_map(|message| [&[message.len() as u8], *message].concat()).collect()
}

/// What our server side says to one client, step by step.
fn serve(
    record: Option<Verifier>,
    key: Option<Arc<KeyPair>>,
    first: &Login<'_>,
    rest: &[&[u8]],
) -> Vec<Step> {
    // An unknown user has one that takes no password.
    let record = record.unwrap_or_else(|| Verifier::from_password("x").decoy(&NONCE));
    let mut server = auth::Server::new(record, NONCE, false, key);
    let (plugin, answer) =
        first.identity.as_ref().map_or((None, &[][..]), |identity| (identity.plugin, identity.auth));
    let mut steps = vec![server.start(plugin, answer)];
    for message in rest {
        if !matches!(steps.last(), Some(Step::Send(_))) {
            break;
        }
        steps.push(server.feed(message));
    }
    assert!(steps.len() <= 5, "a login of {} messages", steps.len());
    if steps.last() == Some(&Step::Denied) {
        assert_eq!(server.feed(b"again"), Step::Denied, "denied, and then not");
    }
    steps
}

/// A client logs in: what it says is read and written again, and nobody gets in without the password.
pub(crate) fn clients(input: &[u8]) -> u64 {
    static KEY: LazyLock<Option<Arc<KeyPair>>> = LazyLock::new(|| KeyPair::generate().ok().map(Arc::new));
    let (mut choices, input) = Choices::split(input, 1);
    let how = choices.next();
    let said = messages(input);
    let Some((first, rest)) = said.split_first() else { return 0 };
    let all = Capabilities::from_bits_retain(u64::from(u32::MAX));
    let login = match Login::decode(first, all) {
        Ok(login) => login,
        Err(error) => return seen(error.to_string()),
    };
    let mut written = BytesMut::new();
    login.encode(&mut written);
    assert_eq!(Login::decode(&written, all).as_ref(), Ok(&login), "written again");
    if let Some(identity) = &login.identity {
        let named: usize = identity.attributes.iter().map(|(name, value)| name.len() + value.len()).sum();
        assert!(named <= first.len());
    }
    let key = if how & 1 != 0 { KEY.clone() } else { None };
    let record = Verifier::from_password(PASSWORD);
    let record = match how >> 1 & 3 {
        0 => record,
        1 => record.requiring(Plugin::Native),
        2 => record.requiring(Plugin::CachingSha2),
        _ => record.showing_password(),
    };
    let known = serve(Some(record), key.clone(), &login, rest);
    assert!(!known.iter().any(|step| matches!(step, Step::Done(_))), "in without the password: {known:?}");
    if how >> 1 & 3 == 0 {
        let unknown = serve(None, key, &login, rest);
        assert_eq!(known, unknown, "it shows which users there are");
    }
    let kinds: Vec<_> = known.iter().map(std::mem::discriminant).collect();
    seen((how & 7, kinds, login.capabilities.bits() & 0x00F8_8208, login.identity.is_some()))
}

pub(crate) fn client_seeds() -> Vec<Vec<u8>> {
    let mut attributes = BytesMut::new();
    Attributes::put(&mut attributes, "program_name", "fuzz");
    let mut seeds = Vec::new();
    for plugin in [None, Some(&b"mysql_native_password"[..]), Some(b"caching_sha2_password"), Some(b"dialog")]
    {
        for how in 0..8 {
            let mut login = BytesMut::new();
            let bits =
                Capabilities::PLUGIN_AUTH | Capabilities::CONNECT_ATTRS | Capabilities::PLUGIN_AUTH_LENENC;
            let bits = bits | Capabilities::SECURE_CONNECTION | Capabilities::CONNECT_WITH_DB;
            Login {
                capabilities: if plugin.is_some() { bits } else { Capabilities::SECURE_CONNECTION },
                max_packet: 1 << 24,
                charset: 255,
                identity: Some(Identity {
                    user: b"root",
                    auth: &[how; 20],
                    database: Some(b"db"),
                    plugin,
                    attributes: Attributes(&attributes),
                    zstd_level: None,
                }),
            }
            .encode(&mut login);
            seeds.push([&[how][..], &joined(&[&login, &[2], &[how; 32], b"guess\0"])].concat());
        }
    }
    seeds
}

/// A hostile server: whatever it says, the password never goes out in the clear.
pub(crate) fn servers(input: &[u8]) -> u64 {
    let said = messages(input);
    let Some((first, rest)) = said.split_first() else { return 0 };
    let greeting = match Greeting::decode(first) {
        Ok(greeting) => greeting,
        Err(error) => return seen(error.to_string()),
    };
    let mut written = BytesMut::new();
    greeting.encode(&mut written);
    let again = Greeting::decode(&written).expect("what was written can be read");
    assert_eq!(
        (&again.version, again.thread, again.capabilities),
        (&greeting.version, greeting.thread, greeting.capabilities)
    );
    assert_eq!((again.charset, again.status), (greeting.charset, greeting.status));
    let mut client = auth::Client::new(PASSWORD.to_owned(), false);
    let (_, answer) = client.start(&greeting.plugin, &greeting.nonce);
    expect_hidden(&answer);
    let mut kinds = Vec::new();
    for message in rest.iter().take(20) {
        match client.feed(message) {
            Ok(Reaction::Send(answer)) => {
                expect_hidden(&answer);
                kinds.push(1_u8);
            }
            Ok(Reaction::Wait) => kinds.push(2),
            Ok(Reaction::Done) => kinds.push(3),
            Ok(Reaction::Denied) => kinds.push(4),
            Err(_) => {
                kinds.push(5);
                break;
            }
        }
        if let Ok(switch) = AuthSwitch::decode(message) {
            let mut written = BytesMut::new();
            switch.encode(&mut written);
            assert!(AuthSwitch::decode(&written).is_ok_and(|again| again.plugin == switch.plugin));
        }
        if let Ok(more) = AuthMoreData::decode(message) {
            let mut written = BytesMut::new();
            more.encode(&mut written);
            assert_eq!(written, *message);
        }
    }
    seen((kinds, greeting.plugin.len().min(30), greeting.nonce.len()))
}

fn expect_hidden(answer: &[u8]) {
    let shown = answer.windows(PASSWORD.len()).any(|window| window == PASSWORD.as_bytes());
    assert!(!shown, "the password in the clear");
}

pub(crate) fn server_seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for plugin in ["caching_sha2_password", "mysql_native_password", "mysql_clear_password", ""] {
        let mut greeting = BytesMut::new();
        Greeting {
            version: "9.7.0".to_owned(),
            thread: 7,
            nonce: NONCE.to_vec(),
            capabilities: Capabilities::from_bits_retain(u64::from(u32::MAX)),
            charset: 255,
            status: wire::caps::Status::AUTOCOMMIT,
            plugin: plugin.to_owned(),
        }
        .encode(&mut greeting);
        let mut switch = BytesMut::new();
        AuthSwitch { plugin: b"mysql_native_password", nonce: &NONCE }.encode(&mut switch);
        let mut other = BytesMut::new();
        AuthSwitch { plugin: b"mysql_clear_password", nonce: &NONCE }.encode(&mut other);
        let key =
            b"\x01-----BEGIN PUBLIC KEY-----\nMFwwDQYJKoZIhvcNAQEBBQADSwAwSAJB\n-----END PUBLIC KEY-----\n";
        for rest in [
            vec![&b"\x01\x03"[..], b"\0\0\0\x02\0\0\0"],
            vec![b"\x01\x04", key],
            vec![&switch, b"\xff\x15\x04"],
        ] {
            let all: Vec<&[u8]> = std::iter::once(&greeting[..]).chain(rest).chain([&other[..]]).collect();
            seeds.push(joined(&all));
        }
    }
    seeds
}
