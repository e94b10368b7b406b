use super::*;
use crate::{
    Error,
    caps::Capabilities,
    handshake::{Greeting, Login},
    reply,
};
use proptest::prelude::*;
use std::sync::{Arc, LazyLock};

static KEY: LazyLock<Arc<rsa::KeyPair>> = LazyLock::new(|| Arc::new(rsa::KeyPair::generate().unwrap()));

const NONCE: Nonce = *b"0123456789abcdefghij";

/// What a client learns at the end of a login, and the messages the server sent before.
#[derive(Debug, PartialEq, Eq)]
struct Outcome {
    entered: bool,
    sent: Vec<u8>,
}

/// Lets the two sides talk; `sent` are the first two bytes of each message of the server.
fn login(record: Option<Verifier>, password: &str, greeted: &str, secure: bool) -> Outcome {
    let mut server = Server::new(
        record.unwrap_or_else(|| Verifier::from_password("x").decoy(&[9; 20])),
        NONCE,
        secure,
        Some(Arc::clone(&KEY)),
    );
    let mut client = Client::new(password.to_owned(), secure);
    let (plugin, answer) = client.start(greeted, &NONCE);
    let mut step = server.start(Some(plugin.name().as_bytes()), &answer);
    let mut sent = vec![];
    loop {
        let (payload, done) = match step {
            Step::Denied => return Outcome { entered: false, sent },
            Step::Done(None) => return Outcome { entered: true, sent },
            Step::Done(Some(payload)) => (payload, true),
            Step::Send(payload) => (payload, false),
        };
        sent.extend_from_slice(&payload[..2]);
        let reaction = client.feed(&payload).unwrap();
        if done {
            assert_eq!(reaction, Reaction::Wait);
            return Outcome { entered: true, sent };
        }
        let Reaction::Send(payload) = reaction else { panic!("{reaction:?}") };
        step = server.feed(&payload);
    }
}

#[test]
fn scrambles_as_other_clients_do() {
    // The vectors of go-sql-driver/mysql.
    let nonce = [70, 114, 92, 94, 1, 38, 11, 116, 63, 114, 23, 101, 126, 103, 26, 95, 81, 17, 24, 21];
    let expected =
        [53, 177, 140, 159, 251, 189, 127, 53, 109, 252, 172, 50, 211, 192, 240, 164, 26, 48, 207, 45];
    assert_eq!(native::scramble(b"secret", &nonce), expected);
    let nonce = [10, 47, 74, 111, 75, 73, 34, 48, 88, 76, 114, 74, 37, 13, 3, 80, 82, 2, 23, 21];
    let hex: String = caching::scramble(b"secret", &nonce).iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(hex, "f490e76f66d9d86665ce54d98c78d0acfe2fb0b08b423da807144873d30b312c");
}

#[test]
fn accepts_the_login_of_a_real_client() {
    // Greeting of MySQL 9.7 and login of its own client, user and password `weir`.
    let greeting = b"\x0a9.7.4-2\x00\x0c\x00\x00\x00&d\x06(qwq\x10\x00\xff\xff\xff\x02\x00\xff\xdf\x15\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00`XZ\x0f~P3CC7T\x02\x00caching_sha2_password\x00";
    let login = b"\x85\xa2\xbf\x19\x00\x00\x00\x01\xff\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00weir\x00 \x06]f{\x96Bt\x0az\xd4\xc6JU6^\x96\xfc\x9f;\x16?{\xd4\xe2*\x13[\xc1\xfc\x05\x80vcaching_sha2_password\x00q\x04_pid\x049970\x09_platform\x06x86_64\x03_os\x05Linux\x0c_client_name\x08libmysql\x07os_user\x04root\x0f_client_version\x059.7.4\x0cprogram_name\x05mysql";
    let greeting = Greeting::decode(greeting).unwrap();
    let identity = Login::decode(login, greeting.capabilities).unwrap().identity.unwrap();
    let nonce = Nonce::try_from(&greeting.nonce[..]).unwrap();
    for (password, expected) in [("weir", Step::Done(Some(vec![1, 3]))), ("wire", Step::Denied)] {
        let mut server = Server::new(Verifier::from_password(password), nonce, false, None);
        assert_eq!(server.start(identity.plugin, identity.auth), expected);
    }
}

#[test]
fn lets_in_by_every_way_and_nobody_with_another_password() {
    let user = Verifier::from_password("sécret");
    let (fast, switch, show, key) = ([1, 3], [0xFE, b'c'], [1, 4], [1, b'-']);
    let (caching, native) = (Plugin::CachingSha2, Plugin::Native);
    for (name, record, greeted, secure, sent) in [
        ("fast", user, caching, false, fast.to_vec()),
        ("native", user, native, false, vec![]),
        ("switch to native", user.requiring(native), caching, false, vec![0xFE, b'm']),
        ("switch to caching", user.requiring(caching), native, false, [switch, fast].concat()),
        ("shown over TLS", user.showing_password(), caching, true, show.to_vec()),
        ("shown by RSA", user.showing_password(), caching, false, [show, key].concat()),
        (
            "switch, shown by RSA",
            user.requiring(caching).showing_password(),
            native,
            false,
            [switch, show, key].concat(),
        ),
    ] {
        assert_eq!(
            login(Some(record), "sécret", greeted.name(), secure),
            Outcome { entered: true, sent },
            "{name}"
        );
        for wrong in ["secret", "", "sécret "] {
            assert!(!login(Some(record), wrong, greeted.name(), secure).entered, "{name} with {wrong:?}");
        }
    }
}

#[test]
fn lets_in_an_empty_password_only_where_it_is_one() {
    let (none, some) = (Verifier::from_password(""), Verifier::from_password("x"));
    for plugin in [Plugin::CachingSha2, Plugin::Native] {
        for record in [none, none.showing_password(), none.requiring(Plugin::Native)] {
            assert!(login(Some(record), "", plugin.name(), false).entered);
            assert!(!login(Some(record), "x", plugin.name(), false).entered);
        }
        assert!(!login(Some(some), "", plugin.name(), false).entered);
        assert!(!login(None, "", plugin.name(), false).entered);
        assert!(!login(None, "x", plugin.name(), true).entered);
    }
    let mut server = Server::new(none, NONCE, false, None);
    assert_eq!(server.start(Some(b"caching_sha2_password"), &[0]), Step::Done(None));
}

#[test]
fn asks_for_the_answer_that_a_change_of_user_leaves_out() {
    let user = Verifier::from_password("x");
    let name = Some(&b"caching_sha2_password"[..]);
    let mut server = Server::new(user, NONCE, false, None);
    let Step::Send(switch) = server.restart(name, b"") else { panic!("not asked") };
    let mut expected = b"\xfecaching_sha2_password\0".to_vec();
    expected.extend_from_slice(&NONCE);
    expected.push(0);
    assert_eq!(switch, expected);
    assert!(matches!(server.feed(&caching::scramble(b"x", &NONCE)), Step::Done(Some(_))));
    // A user without a password says so once more.
    let mut server = Server::new(Verifier::from_password(""), NONCE, false, None);
    assert!(matches!(server.restart(name, b""), Step::Send(_)));
    assert_eq!(server.feed(b""), Step::Done(None));
    // Who answers at once is not asked.
    let mut server = Server::new(user, NONCE, false, None);
    assert!(matches!(server.restart(name, &caching::scramble(b"x", &NONCE)), Step::Done(Some(_))));
}

#[test]
fn asks_a_client_of_an_unknown_method_to_switch() {
    let mut server = Server::new(Verifier::from_password("x"), NONCE, true, None);
    let Step::Send(switch) = server.start(Some(b"mysql_clear_password"), b"x\0") else { panic!("no switch") };
    assert_eq!(switch, b"\xfecaching_sha2_password\x000123456789abcdefghij\0");
    assert_eq!(server.feed(&caching::scramble(b"x", &NONCE)), Step::Done(Some(vec![1, 3])));
    assert_eq!(server.feed(&caching::scramble(b"x", &NONCE)), Step::Denied);
}

#[test]
fn takes_a_client_without_methods_for_native() {
    let user = Verifier::from_password("x");
    let answer = native::scramble(b"x", &NONCE);
    assert_eq!(Server::new(user, NONCE, false, None).start(None, &answer), Step::Done(None));
    let required = user.requiring(Plugin::CachingSha2);
    assert_eq!(Server::new(required, NONCE, false, None).start(None, &answer), Step::Denied);
}

#[test]
fn never_shows_the_password_on_a_plain_connection() {
    let mut client = Client::new("secret".to_owned(), false);
    client.start("caching_sha2_password", &NONCE);
    assert_eq!(client.feed(&[1, 4]), Ok(Reaction::Send(vec![2])));
    assert_eq!(client.feed(b"\x01no key"), Err(Error::Key { what: "is no public key in PEM" }));
    let unknown = Error::UnknownPlugin { name: "mysql_clear_password".to_owned() };
    assert_eq!(client.feed(b"\xfemysql_clear_password\0"), Err(unknown));
    assert_eq!(client.feed(&[reply::OK]), Ok(Reaction::Done));
    assert_eq!(client.feed(&[reply::ERR]), Ok(Reaction::Denied));
}

#[test]
fn keeps_keys_in_pem() {
    let again = rsa::KeyPair::from_pem(&KEY.to_pem().unwrap()).unwrap();
    assert_eq!(again.public_pem(), KEY.public_pem());
    let encrypted = rsa::encrypt(KEY.public_pem().as_bytes(), b"secret", &NONCE).unwrap();
    assert_eq!(again.decrypt(&encrypted, &NONCE), Ok(b"secret".to_vec()));
    assert!(again.decrypt(&encrypted[1..], &NONCE).is_err());
    assert!(rsa::KeyPair::from_pem("no key").is_err());
}

#[test]
fn hides_digests_and_passwords_from_logs() {
    let user = Verifier::from_password("secret");
    assert_eq!(format!("{user:?}"), "Verifier { required: None, .. }");
    let client = Client::new("secret".to_owned(), false);
    assert_eq!(format!("{client:?}"), "Client { plugin: CachingSha2, .. }");
}

#[test]
fn makes_nonces_that_survive_the_greeting() {
    let (one, other) = (nonce(), nonce());
    assert_ne!(one, other);
    for nonce in std::iter::repeat_with(nonce).take(200) {
        assert!(nonce.iter().all(|byte| (1..0x80).contains(byte) && *byte != b'$'));
    }
}

proptest! {
    #[test]
    fn never_panics_on_garbage(
        plugin in prop::option::of(0..3_usize), messages in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 1..5),
        secure in any::<bool>(), full in any::<bool>(),
    ) {
        let mut record = Verifier::from_password("x");
        record.full = full;
        let names = [&b"caching_sha2_password"[..], b"mysql_native_password", b"\xff"];
        let mut server = Server::new(record, NONCE, secure, None);
        let mut step = server.start(plugin.map(|at| names[at]), &messages[0]);
        for message in &messages {
            prop_assert!(!matches!(step, Step::Done(_)));
            step = server.feed(message);
        }
        let mut client = Client::new("secret".to_owned(), secure);
        client.start("caching_sha2_password", &messages[0]);
        for message in &messages {
            let _ = client.feed(message);
        }
        let _ = Login::decode(&messages[0], Capabilities::all());
    }
}

/// The digests of `root` as MySQL computes them: `SHA1(UNHEX(SHA1('root')))` and `SHA2(UNHEX(SHA2('root', 256)), 256)`.
const ROOT: [&str; 2] = [
    "*81F5E21E35407D884A6CD4A731AEBFB6AF209E1B",
    "*EF722C9187A4F1ABBD33861281A782F22D2DD9882045F4EB2E65294D3D825298",
];

#[test]
fn passwords_may_be_hashed() {
    let clear = Verifier::from_password("root");
    let hash = clear.hash();
    assert_eq!(hash, ROOT.concat());
    let (native, caching) = hash.split_at(41);
    let parsed = [Verifier::parse(&hash), Verifier::parse(&format!("{caching}{native}"))];
    assert!(parsed.iter().all(|it| *it == clear));
    for (text, entered) in [
        (hash.as_str(), [true, true, true, true]),
        // Over a line that others may read, a password is shown to one who has the key.
        (native, [true, true, true, true]),
        (&native.to_ascii_lowercase(), [true, true, true, true]),
        // The client is asked for its other method.
        (caching, [true, true, true, true]),
    ] {
        let record = Verifier::parse(text);
        assert_eq!(record.hash(), text.to_ascii_uppercase());
        assert!(record.matches(b"root") && !record.matches(b"Root") && !record.matches(b""));
        let found = [
            ("caching_sha2_password", false),
            ("caching_sha2_password", true),
            ("mysql_native_password", false),
            ("mysql_native_password", true),
        ]
        .map(|(plugin, secure)| login(Some(record), "root", plugin, secure).entered);
        assert_eq!(found, entered, "{text}");
        for plugin in ["caching_sha2_password", "mysql_native_password"] {
            assert!(!login(Some(record), "wrong", plugin, true).entered, "{text}");
            assert!(!login(Some(record), "", plugin, true).entered, "{text}");
            assert!(!login(Some(record.decoy(&[7; 20])), "root", plugin, true).entered, "{text}");
            // Nobody sees from outside who is there.
            let (real, decoy) = (
                login(Some(record), "wrong", plugin, true),
                login(Some(record.decoy(&[7; 20])), "wrong", plugin, true),
            );
            assert_eq!(real.sent.len(), decoy.sent.len(), "{text}");
        }
    }
    // Whatever is no digest is a password.
    for text in [
        "*",
        "*81F5",
        "*81F5E21E35407D884A6CD4A731AEBFB6AF209E1G",
        &format!("{native}{native}"),
        "root*",
        "$A$005$x",
    ] {
        assert!(Verifier::parse(text) == Verifier::from_password(text), "{text}");
    }
    assert!(
        login(Some(Verifier::parse(&Verifier::from_password("").hash())), "", "caching_sha2_password", false)
            .entered
    );
}
