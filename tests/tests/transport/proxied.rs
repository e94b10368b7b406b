//! The PROXY protocol: whose connection one from a proxy in front is.

use weir_harness::{HaProxy, WeirProcess};
use weir_tests::{Account, Client, Failure, Fault, MODERN};
use wire::errno;

use crate::bed;

/// A proxy of its own that trusts these networks.
fn weir(networks: &str) -> (WeirProcess, Account) {
    let weir = WeirProcess::builder(&bed().sandbox).start().unwrap();
    let account = Account { address: weir.address(), ..bed().proxy() };
    account.client().run(format!("SET DIST VARIABLE proxy_frontend_proxy_protocol_networks = '{networks}'"));
    (weir, account)
}

fn log_in(account: &Account, header: &[u8]) -> Result<Client, Failure> {
    let mut client = Client::open_with(account.address, header)?;
    client.login(account)?;
    Ok(client)
}

/// A header of version 2 with an IPv4 address, and a TLV.
fn binary(command: u8) -> Vec<u8> {
    let head = [&b"\r\n\r\n\0\r\nQUIT\n"[..], &[command, 0x11, 0, 12 + 6]].concat();
    [&head[..], &[203, 0, 113, 9, 127, 0, 0, 1, 0x10, 0x92, 0x0c, 0xea], &[4, 0, 3, 0, 0, 0]].concat()
}

#[test]
fn the_address_of_the_header_is_the_clients() {
    let (_weir, account) = weir("192.0.2.0/24, 127.0.0.0/8");
    let v6 = b"PROXY TCP6 2001:db8::7 ::1 4242 3306\r\n";
    for (header, address, host) in [
        (&b"PROXY TCP4 203.0.113.7 127.0.0.1 4242 3306\r\n"[..], "203.0.113.7", "203.0.113.7:4242"),
        (&binary(0x21), "203.0.113.9", "203.0.113.9:4242"),
        (v6, "2001:db8::7", "[2001:db8::7]:4242"),
        // The proxy speaks for itself.
        (&binary(0x20), "127.0.0.1", ""),
        (b"PROXY UNKNOWN\r\n", "127.0.0.1", ""),
    ] {
        let mut client = log_in(&account, header).unwrap();
        assert_eq!(client.value("SELECT USER()"), format!("root@{address}"));
        let id = client.value("SELECT CONNECTION_ID()");
        let list = client.rows("SHOW PROCESSLIST");
        let own = list.iter().find(|row| row[0] == id).unwrap();
        assert!(own[2].starts_with(if host.is_empty() { "127.0.0.1:" } else { host }), "{own:?}");
    }
    let account = account.password("wrong");
    let denied = log_in(&account, b"PROXY TCP4 203.0.113.7 127.0.0.1 1 1\r\n").unwrap_err().fault();
    assert_eq!(denied.text, "Access denied for user 'root'@'203.0.113.7' (using password: YES)");
}

#[test]
fn a_trusted_network_must_send_a_header() {
    let (_weir, account) = weir("*");
    let refused = |first: &[u8]| match Client::open_with(account.address, first) {
        Err(Failure::Server(Fault { code, .. })) => code,
        other => panic!("{other:?}"),
    };
    let bad = errno::BAD_HANDSHAKE.code;
    assert_eq!(refused(b"GET / HTTP/1.0\r\n\r\n"), bad);
    assert_eq!(refused(b"PROXY TCP4 203.0.113.7 127.0.0.1 1\r\n"), bad);
    assert_eq!(refused(b"\r\n\r\n\0\r\nQUIT\n\x21\x11\xff\xff"), bad);
    assert_eq!(refused(&[&b"PROXY UNKNOWN "[..], &[b'x'; 107]].concat()), bad);
    assert!(log_in(&account, &binary(0x21)).is_ok());
}

#[test]
fn a_header_from_elsewhere_is_never_believed() {
    for networks in ["", "192.0.2.0/24,10.0.0.1"] {
        let (_weir, account) = weir(networks);
        for header in [&b"PROXY TCP4 203.0.113.7 127.0.0.1 4242 3306\r\n"[..], &binary(0x21)] {
            let mut client = Client::open_with(account.address, header).unwrap();
            assert!(client.login(&account).is_err());
            assert!(client.is_closed());
        }
        let mut client = account.client();
        assert_eq!(client.value("SELECT USER()"), "root@127.0.0.1");
        let fault = client.fault("SET DIST VARIABLE proxy_frontend_proxy_protocol_networks = 'all'");
        assert!(fault.text.contains("all"), "{fault}");
    }
}

#[test]
fn haproxy_tells_whose_connections_it_hands_on() {
    let (weir, account) = weir("127.0.0.1");
    for option in ["send-proxy", "send-proxy-v2"] {
        let haproxy = HaProxy::start_with(&bed().sandbox, &[weir.address()], option).unwrap();
        let through = Account { address: haproxy.address(), ..account.clone() }.capabilities(MODERN);
        let mut client = through.client();
        let id = client.value("SELECT CONNECTION_ID()");
        let list = client.rows("SHOW PROCESSLIST");
        let own = list.iter().find(|row| row[0] == id).unwrap();
        assert_eq!(own[2], client.local_address().unwrap().to_string(), "{option}");
    }
}
