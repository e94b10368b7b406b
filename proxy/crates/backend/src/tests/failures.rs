//! What becomes of a connection, and of the caller, when a server fails.

use super::*;

#[test]
fn says_why_a_login_failed() {
    type Case = (fn() -> Answer, fn(&Error) -> bool, &'static str);
    let cases: [Case; 4] = [
        (
            || Answer::Err(1045, "Access denied for user 'app'@'localhost'"),
            |error| matches!(error, Error::Denied { refusal, .. } if refusal.code == 1045),
            "denied access: 1045 (HY000): Access denied for user 'app'@'localhost'",
        ),
        (
            || Answer::Err(1049, "Unknown database 'shop'"),
            |error| matches!(error, Error::UnknownDatabase { refusal, .. } if refusal.code == 1049),
            "has no such database: 1049 (HY000): Unknown database 'shop'",
        ),
        (
            || Answer::Err(1040, "Too many connections"),
            |error| matches!(error, Error::Refused { refusal, .. } if refusal.code == 1040),
            "refused: 1040 (HY000): Too many connections",
        ),
        (
            || Answer::Break(&[5, 0, 0]),
            |error| matches!(error, Error::Closed { before_reply: false, .. }),
            "closed the connection",
        ),
    ];
    for (login, is_expected, text) in cases {
        let peer = Peer::start(Script { login: Arc::new(login), ..Script::default() });
        let unit = peer.unit(limited(1));
        let hub = Hub::new();
        let error = on_worker(&hub, async |pools| pools.lease(&unit, false).await.unwrap_err());
        assert!(is_expected(&error), "{error:?}");
        assert_eq!(error.to_string(), format!("storage unit 'ds_0' (127.0.0.1:{}) {text}", peer.port));
        assert_eq!(counts(&hub), (0, 0, 0), "the permit is given back");
    }
}

#[test]
fn names_the_address_that_cannot_be_reached() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let unit = unit(port, limited(1), TlsMode::Disabled);
    let error = on_worker(&Hub::new(), async |pools| pools.lease(&unit, false).await.unwrap_err());
    assert!(matches!(error, Error::Connect { .. }), "{error:?}");
    assert_eq!(error.to_string(), format!("storage unit 'ds_0' (127.0.0.1:{port}) cannot be reached"));
}

#[test]
fn gives_up_on_a_server_that_never_greets() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let spec = PoolSpec { connection_timeout: Duration::from_millis(30), ..limited(1) };
    let unit = unit(port, spec, TlsMode::Disabled);
    let hub = Hub::new();
    let error = on_worker(&hub, async |pools| pools.lease(&unit, false).await.unwrap_err());
    assert!(matches!(error, Error::Timeout { waited, .. } if waited >= spec.connection_timeout), "{error:?}");
    assert!(error.to_string().starts_with(&format!("storage unit 'ds_0' (127.0.0.1:{port}) did not answer")));
    assert_eq!(counts(&hub), (0, 0, 0));
}

#[test]
fn refuses_a_server_without_the_tls_asked_for() {
    let peer = Peer::start(Script::default());
    let unit = peer.tls_unit(limited(1));
    let error = on_worker(&Hub::new(), async |pools| pools.lease(&unit, false).await.unwrap_err());
    assert!(matches!(error, Error::NoTls { .. }), "{error:?}");
}

#[test]
fn closes_a_connection_after_half_a_reply() {
    let peer = Peer::start(Script {
        // A row of 5 bytes of which 2 come.
        command: |_| Answer::Break(&[1, 0, 0, 1, 1, 5, 0, 0, 2, 4, b'a']),
        ..Script::default()
    });
    let unit = peer.unit(limited(1));
    let hub = Hub::new();
    on_worker(&hub, async |pools| {
        let mut lease = pools.lease(&unit, false).await.unwrap();
        let error = lease.query("SELECT c FROM t").await.unwrap_err();
        assert!(matches!(error, Error::Closed { before_reply: false, .. }), "{error:?}");
        assert_eq!(lease.link(), Link::Poisoned);
        drop(lease);
        assert_eq!(counts(&hub), (0, 0, 0));
        drop(pools.lease(&unit, false).await.unwrap());
    });
    assert_eq!(peer.accepted(), 2);
}

#[test]
fn says_whether_a_lost_statement_was_answered() {
    let peer = Peer::start(Script { command: |_| Answer::Break(&[]), ..Script::default() });
    let unit = peer.unit(limited(1));
    on_worker(&Hub::new(), async |pools| {
        let mut lease = pools.lease(&unit, false).await.unwrap();
        let error = lease.query("SELECT 1").await.unwrap_err();
        assert!(matches!(error, Error::Closed { before_reply: true, .. }), "{error:?}");
        assert!(error.fatal() && error.party() == observe::Party::Server);
    });
}

#[test]
fn keeps_a_connection_whose_statement_was_refused() {
    let peer = Peer::start(Script { command: |_| Answer::Err(1064, "no such thing"), ..Script::default() });
    let unit = peer.unit(limited(1));
    let hub = Hub::new();
    on_worker(&hub, async |pools| {
        let mut lease = pools.lease(&unit, false).await.unwrap();
        let error = lease.query("NONSENSE").await.unwrap_err();
        assert_eq!(error.refusal().map(|refusal| refusal.code), Some(1064));
        assert!(!error.fatal());
        drop(lease);
        assert_eq!(counts(&hub), (0, 1, 0));
    });
}

#[test]
fn never_lends_a_connection_in_doubt() {
    type Spoil = fn(&mut crate::Connection);
    let spoils: [Spoil; 4] = [
        |connection| connection.poison(),
        |connection| connection.doubt(),
        |connection| connection.output().extend_from_slice(b"half a command"),
        |connection| {
            connection.note(Status::IN_TRANSACTION);
            connection.settle();
        },
    ];
    let peer = Peer::start(Script::default());
    let unit = peer.unit(limited(1));
    let hub = Hub::new();
    on_worker(&hub, async |pools| {
        for spoil in spoils {
            let mut lease = pools.lease(&unit, false).await.unwrap();
            spoil(&mut lease);
            drop(lease);
            assert_eq!(counts(&hub), (0, 0, 0));
        }
    });
    assert_eq!(peer.accepted(), spoils.len());
}

#[test]
fn closes_a_connection_whose_reader_was_cancelled() {
    let peer = Peer::start(Script { command: |_| Answer::Silence, ..Script::default() });
    let unit = peer.unit(limited(1));
    let hub = Hub::new();
    on_worker(&hub, async |pools| {
        let mut lease = pools.lease(&unit, false).await.unwrap();
        let asked = tokio::time::timeout(Duration::from_millis(5), lease.query("SELECT SLEEP(9)")).await;
        assert!(asked.is_err());
        assert_eq!(lease.link(), Link::Busy);
        drop(lease);
        assert_eq!(counts(&hub), (0, 0, 0));
    });
}

#[test]
fn passes_over_idle_connections_the_server_closed() {
    let peer = Peer::start(Script::default());
    let unit = peer.unit(limited(3));
    on_worker(&Hub::new(), async |pools| {
        let all = [
            pools.lease(&unit, false).await.unwrap(),
            pools.lease(&unit, false).await.unwrap(),
            pools.lease(&unit, false).await.unwrap(),
        ];
        drop(all);
        peer.sever();
        // The first may be lent before the runtime hears of its end.
        if let Ok(mut lease) = pools.lease(&unit, false).await {
            let _ = lease.query("SELECT 1").await;
        }
        let mut lease = pools.lease_again(&unit, false).await.unwrap();
        lease.query("SELECT 2").await.unwrap();
    });
    assert_eq!(peer.accepted(), 4);
}
