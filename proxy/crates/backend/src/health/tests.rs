use meta::{PoolSpec, TlsMode};

use super::*;
use crate::peer::{Answer, Peer, Script, unit};

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

/// A hub that watches one unit on this port.
fn watching(port: u16) -> (Arc<Hub>, Arc<StorageUnit>) {
    let pool = PoolSpec { connection_timeout: Duration::from_millis(250), ..PoolSpec::default() };
    let unit = unit(port, pool, TlsMode::Disabled);
    let hub = Hub::new();
    hub.watch([Arc::clone(&unit)]);
    (hub, unit)
}

/// A port on which nobody listens.
fn closed() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn fail(hub: &Hub, unit: &StorageUnit) {
    let origin = Arc::new(Origin::of(unit));
    hub.note_login::<()>(unit.id, Err(&Error::Timeout { origin, waited: ANSWER }));
}

#[test]
fn three_failed_logins_in_a_row_take_a_unit_out_and_a_good_one_brings_it_back() {
    let (hub, unit) = watching(1);
    fail(&hub, &unit);
    fail(&hub, &unit);
    hub.note_login(unit.id, Ok(&()));
    fail(&hub, &unit);
    fail(&hub, &unit);
    assert!(hub.is_up(unit.id));
    fail(&hub, &unit);
    assert!(!hub.is_up(unit.id));
    fail(&hub, &unit);
    hub.note_login(unit.id, Ok(&()));
    assert!(hub.is_up(unit.id));
}

#[test]
fn a_full_pool_says_nothing_of_its_server() {
    let (hub, unit) = watching(1);
    for _ in 0..9 {
        let full = Error::Exhausted { pool: unit.name.clone(), limit: 1, waited: ANSWER };
        hub.note_login::<()>(unit.id, Err(&full));
    }
    assert!(hub.is_up(unit.id));
}

#[test]
fn what_is_not_watched_is_up_and_what_is_watched_again_stays_down() {
    let (hub, unit) = watching(1);
    (0..3).for_each(|_| fail(&hub, &unit));
    hub.watch([Arc::clone(&unit)]);
    assert!(!hub.is_up(unit.id));
    hub.watch([]);
    assert!(hub.is_up(unit.id));
    (0..3).for_each(|_| fail(&hub, &unit));
    assert!(hub.is_up(unit.id));
}

#[test]
fn logins_of_sessions_count() {
    let (hub, unit) = watching(closed());
    block_on(async {
        let pools = crate::Pools::new(Arc::clone(&hub));
        for _ in 0..3 {
            assert!(hub.is_up(unit.id));
            pools.lease(&unit, false).await.unwrap_err();
        }
    });
    assert!(!hub.is_up(unit.id));
}

#[test]
fn probes_each_unit_once_for_all_workers_and_again_soon_after_an_error() {
    let peer = Peer::start(Script::default());
    let (hub, unit) = watching(peer.port);
    block_on(async {
        hub.probe().await;
        hub.probe().await;
        assert_eq!(peer.accepted(), 1);
        fail(&hub, &unit);
        hub.probe().await;
        assert_eq!(peer.accepted(), 1);
        tokio::time::sleep(WORRY).await;
        hub.probe().await;
        assert_eq!(peer.accepted(), 2);
    });
}

#[test]
fn probes_notice_servers_that_hang_or_let_nobody_in() {
    let silent = Peer::start(Script { login: Arc::new(|| Answer::Silence), ..Script::default() });
    let full = Peer::start(Script {
        login: Arc::new(|| Answer::Err(1040, "Too many connections")),
        ..Script::default()
    });
    for port in [silent.port, full.port, closed()] {
        let (hub, unit) = watching(port);
        block_on(async {
            let watched = hub.health.watched.read().get(&unit.id).map(Arc::clone).unwrap();
            for _ in 0..3 {
                assert!(hub.is_up(unit.id));
                hub.probe_one(&watched).await;
            }
        });
        assert!(!hub.is_up(unit.id));
    }
}

#[test]
fn warns_once_in_a_while() {
    let (hub, _) = watching(1);
    hub.warn_of_bereft("rw");
    let first = hub.health.warned.load(Ordering::Relaxed);
    assert!(first > 0);
    std::thread::sleep(Duration::from_millis(3));
    hub.warn_of_bereft("rw");
    assert_eq!(hub.health.warned.load(Ordering::Relaxed), first);
}

#[test]
fn a_login_to_a_replica_is_not_waited_for_as_long_as_another() {
    let (hub, unit) = watching(1);
    let deadline = Instant::now() + Duration::from_secs(30);
    assert!(hub.patience(unit.id, deadline) < deadline - Duration::from_secs(20));
    hub.watch([]);
    assert_eq!(hub.patience(unit.id, deadline), deadline);
}
