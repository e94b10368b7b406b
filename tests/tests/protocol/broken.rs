//! Whatever comes over a connection harms that connection at most.

use bytes::BytesMut;
use weir_tests::{Client, MODERN};
use wire::command::code;
use wire::handshake::{Attributes, Identity, Login};

use crate::{bed, database};

/// A session that others must not disturb, at the end of a test.
fn still_serves(witness: &mut Client) {
    assert_eq!(witness.value("SELECT 42"), "42");
    assert_eq!(bed().proxy().client().value("SELECT 42"), "42");
    assert!(bed().weir.pid().is_some());
}

#[test]
fn garbage_on_the_port_is_shown_the_door() {
    let mut witness = bed().proxy().client();
    let mut noise = Vec::new();
    let mut state = 0x9E37_79B9_u32;
    for _ in 0..65_536 {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        noise.push((state >> 24) as u8);
    }
    let inputs: [&[u8]; 7] = [
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        &noise,
        &[0; 64],
        &[0xFF; 64],
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"\x00\x00\x00\x01",
        b"",
    ];
    for input in inputs {
        let mut client = Client::open(bed().weir.address()).unwrap();
        // The proxy may have hung up before it had read everything.
        drop(client.send_raw(input));
        drop(client.finish());
        assert!(client.is_closed(), "{:?}", &input[..input.len().min(16)]);
    }
    still_serves(&mut witness);
}

#[test]
fn a_login_cut_anywhere_ends_only_itself() {
    let mut witness = bed().proxy().client();
    let mut payload = BytesMut::new();
    let mut attributes = BytesMut::new();
    Attributes::put(&mut attributes, "program_name", "cut");
    let login = Login {
        capabilities: MODERN | wire::caps::Capabilities::CONNECT_WITH_DB,
        max_packet: 1 << 24,
        charset: 255,
        identity: Some(Identity {
            user: b"root",
            auth: &[7; 32],
            database: Some(b"information_schema"),
            plugin: Some(b"caching_sha2_password"),
            attributes: Attributes(&attributes),
            zstd_level: None,
        }),
    };
    login.encode(&mut payload);
    for length in 0..payload.len() {
        let mut client = Client::open(bed().weir.address()).unwrap();
        client.send(&payload[..length]).unwrap();
        drop(client.finish());
        assert!(client.is_closed(), "{length} of {} bytes", payload.len());
    }
    still_serves(&mut witness);
}

#[test]
fn packets_out_of_order_end_the_session() {
    let mut witness = bed().proxy().client();
    for sequence in [1, 5, 255] {
        let mut client = bed().proxy().client();
        client.send_raw(&[9, 0, 0, sequence]).unwrap();
        drop(client.send_raw(b"\x03SELECT 1"));
        assert!(client.is_closed(), "sequence {sequence}");
    }
    still_serves(&mut witness);
}

#[test]
fn packets_cut_short_end_the_session() {
    let mut witness = bed().proxy().client();
    for bytes in
        [&b"\x64\x00\x00\x00\x03SELECT"[..], b"\xFF\xFF\xFF\x00\x03SELECT 1", b"\x05", b"\x01\x00\x00"]
    {
        let mut client = bed().proxy().client();
        client.send_raw(bytes).unwrap();
        client.finish().unwrap();
        assert!(client.is_closed(), "{bytes:?}");
    }
    still_serves(&mut witness);
}

#[test]
fn commands_whose_contents_are_cut_are_refused() {
    let logical = database("broken_commands");
    let mut witness = bed().proxy().client();
    let prepared = |client: &mut Client| client.prepare("INSERT INTO t VALUES (?, ?)").unwrap().id;
    let cuts = |id: u32| {
        let id = id.to_le_bytes();
        let head = [&[code::STMT_EXECUTE][..], &id, &[0, 1, 0, 0, 0]].concat();
        vec![
            vec![code::STMT_EXECUTE],
            vec![code::STMT_EXECUTE, 1, 0],
            head.clone(),
            [&head[..], &[0]].concat(),
            [&head[..], &[0, 1, 3]].concat(),
            [&head[..], &[0, 1, 3, 0, 0xFC, 0]].concat(),
            [&head[..], &[0, 1, 3, 0, 0xFC, 0, 1, 0, 0, 0]].concat(),
            [&head[..], &[0, 1, 3, 0, 0xFC, 0, 1, 0, 0, 0, 200, 1, 2]].concat(),
            [&head[..], &[0, 1, 3, 0, 0xFC, 0, 1, 0, 0, 0, 0xFE, 255, 255, 255, 255, 255, 255, 255, 127, 1]]
                .concat(),
            [&head[..], &[0, 1, 3, 0, 0xEE, 0, 1, 0, 0, 0, 1, 65]].concat(),
            // No types were ever given.
            [&head[..], &[0, 0, 1, 0, 0, 0, 1, 65]].concat(),
            vec![code::STMT_RESET, 1],
            vec![code::SET_OPTION],
            vec![code::CHANGE_USER],
            vec![code::CHANGE_USER, b'r', b'o'],
            vec![],
        ]
    };
    for number in 0..cuts(0).len() {
        let mut client = logical.client();
        let id = prepared(&mut client);
        let payload = &cuts(id)[number];
        client.command(payload).unwrap();
        // Refused or hung up on; never carried out.
        if let Ok(answer) = client.receive() {
            assert_eq!(answer.first(), Some(&0xFF), "{payload:?} was answered {answer:?}");
        }
    }
    assert_eq!(logical.client().value("SELECT COUNT(*) FROM t"), "0");
    still_serves(&mut witness);
}

#[test]
fn clients_that_vanish_leave_no_trace() {
    let logical = database("broken_vanish");
    let mut witness = logical.client();
    for number in 0..100 {
        let mut client = logical.client();
        client.command(format!("\x03SELECT SLEEP(0), {number} FROM t").as_bytes()).unwrap();
        client.vanish();
    }
    still_serves(&mut witness);
}
