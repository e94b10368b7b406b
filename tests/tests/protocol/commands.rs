//! Each command of the protocol, compared with a plain server where it says something.

use bytes::{BufMut as _, BytesMut};
use weir_tests::{Client, Failure, MODERN, OLD, Reply, Rules, differ, execute};
use wire::caps::Capabilities;
use wire::command::{self, code};
use wire::value::Value;

use crate::{bed, database};

#[test]
fn ping_statistics_and_init_db() {
    let _logical = bed().logical("commands_simple");
    let mut client = bed().proxy().client();
    let _ = client.simple(&[code::PING]).unwrap().done();

    client.command(&[code::STATISTICS]).unwrap();
    let words = String::from_utf8(client.receive().unwrap()).unwrap();
    assert!(words.starts_with("Uptime: "), "{words}");

    let mut init = vec![code::INIT_DB];
    init.extend_from_slice(b"commands_simple");
    let _ = client.simple(&init).unwrap().done();
    assert_eq!(client.value("SELECT DATABASE()"), "commands_simple");

    let unknown = [&[code::INIT_DB][..], b"nowhere"].concat();
    let told = client.simple(&unknown).unwrap();
    assert_eq!(told, bed().plain().client().simple(&unknown).unwrap());
    assert_eq!(client.value("SELECT DATABASE()"), "commands_simple");
}

#[test]
fn unknown_commands_are_1047_and_the_session_lives() {
    let mut client = bed().proxy().client();
    let mut plain = bed().plain().client();
    for number in [0x50, 0xFE] {
        let expected = plain.simple(&[number]).unwrap();
        assert_eq!(client.simple(&[number, 1, 2, 3]).unwrap(), expected, "command {number}");
        assert_eq!(expected.fault().code, 1047);
        assert_eq!(client.value("SELECT 1"), "1");
    }
}

#[test]
fn an_empty_query_is_an_error_as_on_a_server() {
    let mut client = bed().proxy().client();
    let expected = bed().plain().client().fault("");
    assert_eq!(client.fault(""), expected);
    assert_eq!(client.value("SELECT 1"), "1");
}

#[test]
fn reset_leaves_nothing_of_the_session() {
    let logical = database("commands_reset");
    let mut client = logical.client();
    client.run("SET @x = 5");
    client.run("SET SESSION sql_mode = 'ANSI_QUOTES', autocommit = 0");
    client.run("SET NAMES latin1");
    client.run("INSERT INTO t VALUES (1, 'gone')");
    let prepared = client.prepare("SELECT 1").unwrap();
    let _ = client.simple(&[code::RESET_CONNECTION]).unwrap().done();
    assert_eq!(client.value("SELECT @x"), "NULL");
    let mut fresh = logical.plain();
    for variable in ["sql_mode", "autocommit", "character_set_client", "collation_connection"] {
        let ask = format!("SELECT @@session.{variable}");
        assert_eq!(client.value(&ask), fresh.value(&ask), "{variable}");
    }
    assert_eq!(client.value("SELECT COUNT(*) FROM t"), "0");
    assert_eq!(client.value("SELECT DATABASE()"), "commands_reset");
    assert_eq!(client.execute(prepared.id, &[]).unwrap().fault().code, 1243);
}

#[test]
fn field_list_tells_logical_names() {
    let logical = database("commands_fields");
    for capabilities in [MODERN, OLD] {
        let list = |mut client: Client, text: &[u8]| {
            client.command(&[&[code::FIELD_LIST][..], text].concat()).unwrap();
            let mut packets = vec![client.receive().unwrap()];
            while packets.last().is_some_and(|last| !matches!(last.first(), Some(0xFE | 0xFF))) {
                packets.push(client.receive().unwrap());
            }
            assert_eq!(client.value("SELECT 1"), "1");
            packets
        };
        for text in [&b"t\0"[..], b"t\0v%", b"missing\0"] {
            let expected =
                list(bed().plain().database(&logical.name).capabilities(capabilities).client(), text);
            let told = list(logical.account().capabilities(capabilities).client(), text);
            if expected[0].first() == Some(&0xFF) {
                assert_eq!(told[0][..3], expected[0][..3], "{told:?}");
                continue;
            }
            let columns = |packets: &[Vec<u8>]| {
                let columns = packets[..packets.len() - 1].iter();
                columns.map(|packet| wire::column::Column::decode(packet).unwrap()).collect::<Vec<_>>()
            };
            assert_eq!(columns(&told), columns(&expected));
        }
    }
}

#[test]
fn several_statements_in_one_query_are_an_option() {
    let (mut plain, mut proxied) = (bed().plain().client(), bed().proxy().client());
    let texts = ["SELECT 1; SELECT 2", "SELECT 1;", "SELECT 1; -- x", "SELECT 1;\n;SELECT 2"];
    for option in [None, Some(0), Some(1), Some(0), Some(2)] {
        if let Some(option) = option {
            let answer = |client: &mut Client| {
                client.command(&[code::SET_OPTION, option, 0]).unwrap();
                // Behind the status a server counts what the statement before left behind.
                client.receive().unwrap()[..5].to_vec()
            };
            assert_eq!(answer(&mut proxied), answer(&mut plain), "{option}");
        }
        for text in texts {
            assert_eq!(proxied.replies(text), plain.replies(text), "{text} after {option:?}");
        }
    }
}

#[test]
fn eof_packets_for_clients_that_want_them() {
    let logical = database("commands_eof");
    logical.plain().run("INSERT INTO t VALUES (1, 'one'), (2, 'two'), (3, NULL)");
    logical.client().run("INSERT INTO t VALUES (1, 'one'), (2, 'two'), (3, NULL)");
    for capabilities in [MODERN, OLD, OLD | Capabilities::SESSION_TRACK, MODERN | Capabilities::FOUND_ROWS] {
        let mut plain = bed().plain().database(&logical.name).capabilities(capabilities).client();
        let mut client = logical.account().capabilities(capabilities).client();
        for text in [
            "SELECT * FROM t WHERE id = 2",
            "SELECT id, v FROM t ORDER BY id DESC",
            "SELECT COUNT(*) FROM t",
            "SELECT 1 FROM t WHERE id = 77",
            "UPDATE t SET v = 'two' WHERE id = 2",
            "UPDATE t SET v = 'two' WHERE id IN (1, 2, 9)",
            "UPDATE t SET v = 'one' WHERE id = 1",
            "SELECT missing FROM t WHERE id = 1",
        ] {
            let rules = Rules { ordered: true, ..Rules::default() };
            let difference = differ(&plain.query(text), &client.query(text), &rules);
            assert_eq!(difference, None, "{text} with {capabilities:?}");
            let (expected, told) = (plain.binary(text, &[]).unwrap(), client.binary(text, &[]).unwrap());
            assert_eq!(differ(&expected, &told, &rules), None, "{text} prepared with {capabilities:?}");
        }
    }
}

#[test]
fn session_changes_are_told_to_clients_that_ask() {
    let _logical = bed().logical("commands_track");
    let mut client = bed().proxy().client();
    let changed = client.run("USE commands_track").done();
    let changes = changed.changes.unwrap();
    assert!(changes.windows(14).any(|part| part == b"commands_track"), "{changes:?}");
    let mut old = bed().proxy().capabilities(OLD).client();
    assert_eq!(old.run("USE commands_track").done().changes, None);
}

#[test]
fn pipelined_commands_are_answered_in_order() {
    let logical = database("commands_pipeline");
    let mut client = logical.client();
    client.run("INSERT INTO t VALUES (1, 'one'), (2, 'two')");
    let prepared = client.prepare("SELECT v FROM t WHERE id = ?").unwrap();
    let mut bytes = BytesMut::new();
    let mut put = |payload: &[u8]| wire::frame::put(&mut bytes, &mut 0, payload);
    put(b"\x03SELECT v FROM t WHERE id = 1");
    put(&[code::PING]);
    put(&execute(prepared.id, &[Value::Int(2)], true).unwrap());
    put(b"\x03SELECT nonsense");
    put(b"\x03SELECT v FROM t ORDER BY id DESC");
    client.send_raw(&bytes).unwrap();
    let mut next = |binary: bool| {
        client.expect_answer();
        if binary { client.binary_reply().unwrap() } else { client.reply().unwrap() }
    };
    assert_eq!(next(false).table().text(), [["one"]]);
    let _ = next(false).done();
    assert_eq!(next(true).table().text(), [["two"]]);
    assert_eq!(next(false).fault().code, 1054);
    assert_eq!(next(false).table().text(), [["two"], ["one"]]);
}

#[test]
fn long_data_arrives_in_pieces_and_reset_forgets_it() {
    let logical = database("commands_long");
    let mut client = logical.client();
    let prepared = client.prepare("INSERT INTO t VALUES (?, ?)").unwrap();
    let piece = |client: &mut Client, data: &[u8]| {
        let mut payload = BytesMut::new();
        command::put_long_data(&mut payload, prepared.id, 1, data);
        client.command(&payload).unwrap();
    };
    // The second value is not in the packet: only its type.
    let run = |client: &mut Client, id: i32| {
        let mut payload = BytesMut::new();
        payload.put_u8(code::STMT_EXECUTE);
        payload.put_u32_le(prepared.id);
        payload.put_slice(&[0, 1, 0, 0, 0, 0, 1, 0x03, 0, 0xFC, 0]);
        payload.put_i32_le(id);
        client.command(&payload).unwrap();
        client.binary_reply().unwrap()
    };
    piece(&mut client, b"forgotten");
    let mut reset = BytesMut::new();
    command::put_statement(&mut reset, code::STMT_RESET, prepared.id);
    let _ = client.simple(&reset).unwrap().done();
    piece(&mut client, b"one ");
    piece(&mut client, b"piece\0and ");
    piece(&mut client, &[0xFF; 3]);
    assert_eq!(run(&mut client, 5).done().affected, 1);
    for _ in 0..5 {
        piece(&mut client, &[b'x'; 1_000_000]);
    }
    assert_eq!(run(&mut client, 16).done().affected, 1);
    let rows = client.rows("SELECT id, LENGTH(v), HEX(LEFT(v, 18)) FROM t ORDER BY id");
    assert_eq!(rows[0], ["5", "17", "6F6E6520706965636500616E6420FFFFFF"]);
    assert_eq!(rows[1][..2], ["16", "5000000"]);
}

#[test]
fn statements_that_are_not_prepared_are_1243() {
    let mut client = bed().proxy().client();
    let mut plain = bed().plain().client();
    let closed = |client: &mut Client| {
        let prepared = client.prepare("SELECT ?").unwrap();
        client.close(prepared.id).unwrap();
        prepared.id
    };
    let id = closed(&mut client);
    let fault = client.execute(id, &[Value::Int(1)]).unwrap().fault();
    let expected = plain.execute(77, &[]).unwrap().fault();
    // The text names a function of the server.
    assert_eq!((fault.code, &fault.state), (expected.code, &expected.state));
    let mut reset = BytesMut::new();
    command::put_statement(&mut reset, code::STMT_RESET, 4242);
    assert_eq!(client.simple(&reset).unwrap().fault().code, 1243);
    // Neither of these has an answer.
    let mut silent = BytesMut::new();
    command::put_long_data(&mut silent, 4242, 0, b"for nobody");
    client.command(&silent).unwrap();
    client.close(4242).unwrap();
    assert_eq!(client.value("SELECT 1"), "1");
}

#[test]
fn types_of_parameters_are_remembered() {
    let logical = database("commands_types");
    let mut client = logical.client();
    client.run("INSERT INTO t VALUES (1, 'one'), (2, 'two')");
    let prepared = client.prepare("SELECT v FROM t WHERE id = ?").unwrap();
    assert_eq!(prepared.parameters, 1);
    let first = client.execute(prepared.id, &[Value::Int(1)]).unwrap();
    assert_eq!(first.table().text(), [["one"]]);
    client.command(&execute(prepared.id, &[Value::Int(2)], false).unwrap()).unwrap();
    assert_eq!(client.binary_reply().unwrap().table().text(), [["two"]]);
    let text = client.execute(prepared.id, &[Value::Bytes(b"1")]).unwrap();
    assert_eq!(text.table().text(), [["one"]]);
}

#[test]
fn many_statements_are_prepared_side_by_side() {
    let logical = database("commands_many");
    let mut client = logical.client();
    client.run("INSERT INTO t VALUES (1, 'one'), (2, 'two'), (3, 'three')");
    let prepared: Vec<_> =
        (0..300).map(|n| client.prepare(format!("SELECT id + {n} FROM t WHERE id = ?")).unwrap()).collect();
    for (n, statement) in prepared.iter().enumerate() {
        let id = 1 + n % 3;
        let rows = client.execute(statement.id, &[Value::Int(id as i64)]).unwrap().table().text();
        assert_eq!(rows, [[(id + n).to_string()]]);
    }
}

#[test]
fn texts_in_other_character_sets_pass_as_they_are() {
    let logical = database("commands_charset");
    let (mut plain, mut client) = (logical.plain(), logical.client());
    let texts: [(&str, &[u8]); 9] = [
        ("latin1", b"SELECT 'caf\xE9' AS a, HEX('caf\xE9')"),
        ("latin1", b"INSERT INTO t VALUES (1, 'caf\xE9 \xFF\xFE')"),
        ("latin1", b"SELECT HEX(v) FROM t WHERE id = 1 AND v <> '\xE9'"),
        ("gbk", b"SELECT '\xD6\xD0\xCE\xC4' AS a, LENGTH('\xD6\xD0')"),
        // The second byte of this letter is a backslash; it must not escape the quote.
        ("gbk", b"SELECT HEX('\xBF\x5C') AS a, 'b' AS b"),
        ("gbk", b"SELECT v FROM t WHERE id = 1 AND v <> '\xBF\x5C'"),
        ("utf8mb4", b"SELECT _binary'\xFF\x01\x02' AS a"),
        ("utf8mb4", b"INSERT INTO t VALUES (2, _binary'\xFF\x00\x27')"),
        ("utf8mb4", b"SELECT HEX(v) FROM t WHERE id = 2 AND v <> _binary'\xC3\x28'"),
    ];
    for (charset, text) in texts {
        for session in [&mut plain, &mut client] {
            session.run(format!("SET NAMES {charset}"));
        }
        let expected = plain.query(text);
        let told = client.query(text);
        let shown = String::from_utf8_lossy(text);
        if let (Reply::Error(expected), Reply::Error(told)) = (&expected, &told) {
            assert_eq!(told.code, expected.code, "{charset}: {shown}");
            continue;
        }
        assert_eq!(differ(&expected, &told, &Rules::default()), None, "{charset}: {shown}");
        let prepared = (plain.binary(text, &[]).unwrap(), client.binary(text, &[]).unwrap());
        assert_eq!(differ(&prepared.0, &prepared.1, &Rules::default()), None, "{charset} prepared: {shown}");
    }
}

#[test]
fn characters_end_where_servers_end_them() {
    let logical = database("commands_cut");
    let (mut plain, mut client) = (logical.plain(), logical.client());
    for charset in ["gbk", "big5", "sjis", "cp932", "gb18030", "euckr", "ujis", "latin1", "utf8mb4"] {
        for session in [&mut plain, &mut client] {
            session.run(format!("SET NAMES {charset}"));
        }
        for lead in [0x80, 0x81, 0xa0, 0xa1, 0xb0, 0xbf, 0xdf, 0xe0, 0xf9, 0xfa, 0xfc, 0xfd, 0xfe, 0xff] {
            // Each has an end, or none, by whether the byte and the next are one character.
            let texts: [&[u8]; 5] = [
                &[b"SELECT '", &[lead][..], b"'"].concat(),
                &[b"SELECT '", &[lead][..], b"\\'"].concat(),
                &[b"SELECT '\\", &[lead][..], b"\\'"].concat(),
                &[b"SELECT '\\", &[lead][..], b"\\''"].concat(),
                &[b"SELECT '\\\\", &[lead][..], b"\\'"].concat(),
            ];
            for text in texts {
                let shown = format!("{charset}: {}", text.escape_ascii());
                let (expected, told) = (plain.query(text), client.query(text));
                match (&expected, &told) {
                    (Reply::Error(expected), Reply::Error(told)) => {
                        assert_eq!(told.code, expected.code, "{shown}");
                    }
                    _ => assert_eq!(differ(&expected, &told, &Rules::default()), None, "{shown}"),
                }
            }
        }
    }
}

#[test]
fn bytes_that_are_no_text_at_all_do_not_end_the_session() {
    let logical = bed().logical("commands_bytes");
    let (mut plain, mut client) = (logical.plain(), logical.client());
    for text in
        [&b"SELECT '\xFF\xC3\x28\x80'"[..], b"\xFF\xFE\x00\x01", b"SELECT 1 AS \xC3\x28", b"\x00SELECT 1"]
    {
        let expected = plain.try_query(text).unwrap();
        let told = client.try_query(text).unwrap();
        match (expected, told) {
            (Reply::Error(expected), Reply::Error(told)) => assert_eq!(told.code, expected.code, "{text:?}"),
            (expected, told) => assert_eq!(differ(&expected, &told, &Rules::default()), None, "{text:?}"),
        }
    }
    assert_eq!(client.value("SELECT 1"), "1");
}

#[test]
fn quit_ends_the_connection_without_an_answer() {
    let mut client = bed().proxy().client();
    client.command(&[code::QUIT]).unwrap();
    let failure = client.receive().unwrap_err();
    assert!(matches!(failure, Failure::Closed(_)), "{failure}");
}
