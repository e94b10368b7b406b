use super::*;
use proptest::prelude::*;

const CLASSIC: Capabilities =
    Capabilities::SECURE_CONNECTION.union(Capabilities::PLUGIN_AUTH).union(Capabilities::CONNECT_ATTRS);

#[test]
fn reads_every_command() {
    for (payload, expected) in [
        (&b"\x01"[..], Command::Quit),
        (b"\x02test", Command::InitDb(b"test")),
        (b"\x03SELECT 1", Command::Query(b"SELECT 1")),
        (b"\x04t\0a%", Command::FieldList { table: b"t", wildcard: b"a%" }),
        (b"\x05db", Command::Unknown(5)),
        (b"\x09", Command::Statistics),
        (b"\x0a", Command::ProcessInfo),
        (b"\x0c\x07\0\0\0", Command::ProcessKill(7)),
        (b"\x0d", Command::Debug),
        (b"\x0e", Command::Ping),
        (b"\x12\0\0\0\0", Command::Unknown(0x12)),
        (b"\x16SELECT ?", Command::Prepare(b"SELECT ?")),
        (b"\x18\x01\0\0\0\x02\0xyz", Command::StmtSendLongData { statement: 1, parameter: 2, data: b"xyz" }),
        (b"\x19\x01\0\0\0", Command::StmtClose(1)),
        (b"\x1a\x01\0\0\0", Command::StmtReset(1)),
        (b"\x1b\x01\0", Command::SetOption(1)),
        (b"\x1c\x01\0\0\0\x05\0\0\0", Command::StmtFetch { statement: 1, rows: 5 }),
        (b"\x1f", Command::ResetConnection),
        (b"\xff", Command::Unknown(0xFF)),
    ] {
        assert_eq!(Command::decode(payload, CLASSIC), Ok(expected));
    }
    assert_eq!(Command::decode(b"", CLASSIC), Err(Error::Truncated { what: "a command" }));
    assert_eq!(
        Command::decode(b"\x0c\x07", CLASSIC),
        Err(Error::Truncated { what: "argument of a command" })
    );
}

#[test]
fn reads_an_execute() {
    let payload = b"\x17\x09\0\0\0\0\x01\0\0\0\0\x01\x08\0\x01\0\0\0\0\0\0\0";
    let Ok(Command::Execute(execute)) = Command::decode(payload, CLASSIC) else { panic!("no execute") };
    assert_eq!((execute.statement, execute.flags, execute.iterations), (9, 0, 1));
    assert_eq!(execute.rest, &payload[10..]);
}

#[test]
fn finds_the_text_behind_query_attributes() {
    let capabilities = CLASSIC | Capabilities::QUERY_ATTRIBUTES;
    // No attribute; then two: a string, and one that is NULL.
    for payload in
        [&b"\x03\0\x01SELECT 1"[..], b"\x03\x02\x01\x02\x01\xfd\0\x02n1\x08\0\x02n2\x03abcSELECT 1"]
    {
        assert_eq!(Command::decode(payload, capabilities), Ok(Command::Query(b"SELECT 1")));
    }
    for broken in
        [&b"\x03"[..], b"\x03\x01", b"\x03\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01\0\x01", b"\x03\x01\x02"]
    {
        assert!(Command::decode(broken, capabilities).is_err());
    }
}

#[test]
fn reads_a_change_of_user() {
    let payload = b"\x11root\0\x02ab\0\xff\0caching_sha2_password\0\x06\x01k\x03v=1";
    let Ok(Command::ChangeUser(change)) = Command::decode(payload, CLASSIC) else {
        panic!("no change of user")
    };
    assert_eq!((change.user, change.auth, change.database), (&b"root"[..], &b"ab"[..], None));
    assert_eq!((change.charset, change.plugin), (Some(255), Some(&b"caching_sha2_password"[..])));
    assert_eq!(change.attributes.get("k"), Some(&b"v=1"[..]));
    let mut out = BytesMut::new();
    change.encode(&mut out, CLASSIC);
    assert_eq!(&out[..], payload);
}

#[test]
fn writes_commands_it_reads_back() {
    let mut out = BytesMut::new();
    put_text(&mut out, code::INIT_DB, b"db");
    assert_eq!(Command::decode(&out, CLASSIC), Ok(Command::InitDb(b"db")));
    out.clear();
    put_long_data(&mut out, 3, 4, b"piece");
    let expected = Command::StmtSendLongData { statement: 3, parameter: 4, data: b"piece" };
    assert_eq!(Command::decode(&out, CLASSIC), Ok(expected));
}

proptest! {
    #[test]
    fn never_panics_on_garbage(code in any::<u8>(), bytes in prop::collection::vec(any::<u8>(), 0..80)) {
        let payload: Vec<_> = std::iter::once(code).chain(bytes).collect();
        for capabilities in [Capabilities::empty(), CLASSIC, Capabilities::all()] {
            let _ = Command::decode(&payload, capabilities);
        }
    }
}
