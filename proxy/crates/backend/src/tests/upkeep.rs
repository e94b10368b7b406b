//! The monitor's work, asked for at chosen moments.

use tokio::time::Instant;

use super::*;

#[test]
fn closes_idle_connections_above_the_minimum_when_unused() {
    let peer = Peer::start(Script::default());
    let spec = PoolSpec { min: 1, idle_timeout: Duration::from_secs(60), ..limited(5) };
    let unit = peer.unit(spec);
    let hub = Hub::new();
    on_worker(&hub, async |pools| {
        let all = [pools.lease(&unit, false).await.unwrap(), pools.lease(&unit, false).await.unwrap()];
        drop(all);
        let local = &pools.locals()[0];
        local.prune(Instant::now() + Duration::from_secs(59));
        assert_eq!(counts(&hub), (0, 2, 0));
        local.prune(Instant::now() + Duration::from_secs(61));
        assert_eq!(counts(&hub), (0, 1, 0));
    });
}

#[test]
fn closes_connections_past_their_lifetime_even_the_last() {
    let peer = Peer::start(Script::default());
    let spec =
        PoolSpec { max_lifetime: Duration::from_secs(100), idle_timeout: Duration::ZERO, ..limited(5) };
    let unit = peer.unit(spec);
    let hub = Hub::new();
    on_worker(&hub, async |pools| {
        drop(pools.lease(&unit, false).await.unwrap());
        let local = &pools.locals()[0];
        local.prune(Instant::now() + Duration::from_secs(89));
        assert_eq!(counts(&hub), (0, 1, 0));
        local.prune(Instant::now() + Duration::from_secs(100));
        assert_eq!(counts(&hub), (0, 0, 0));
    });
}

#[test]
fn opens_the_minimum_once_the_pool_was_used() {
    let peer = Peer::start(Script::default());
    let unit = peer.unit(PoolSpec { min: 2, ..limited(5) });
    let hub = Hub::new();
    on_worker(&hub, async |pools| {
        assert!(pools.locals().is_empty());
        drop(pools.lease(&unit, false).await.unwrap());
        let local = &pools.locals()[0];
        local.look_after(Instant::now()).await;
        assert_eq!(counts(&hub), (0, 2, 0));
        local.look_after(Instant::now()).await;
        assert_eq!(counts(&hub), (0, 2, 0));
    });
}

#[test]
fn pings_silent_connections_and_closes_those_that_do_not_answer() {
    let peer = Peer::start(Script {
        command: |command| match command {
            [code::PING] => Answer::Ok(Status::AUTOCOMMIT),
            _ => Answer::Break(&[]),
        },
        ..Script::default()
    });
    let unit = peer.unit(PoolSpec { keepalive: Duration::from_secs(30), ..limited(5) });
    let hub = Hub::new();
    on_worker(&hub, async |pools| {
        let (one, two) = (pools.lease(&unit, false).await.unwrap(), pools.lease(&unit, false).await.unwrap());
        let last = two.server().thread;
        drop(one);
        drop(two);
        let local = &pools.locals()[0];
        local.ping(Instant::now() + Duration::from_secs(29)).await;
        assert!(peer.commands().is_empty());
        local.ping(Instant::now() + Duration::from_secs(31)).await;
        assert_eq!(peer.commands().len(), 2);
        assert_eq!(pools.lease(&unit, false).await.unwrap().server().thread, last, "the order stays");
        peer.sever();
        until_pruned(&hub, local).await;
        assert_eq!(counts(&hub), (0, 0, 0));
    });
}

/// The runtime hears of the closed sockets on one of its next turns.
async fn until_pruned(hub: &Hub, local: &crate::lease::Local) {
    while counts(hub).1 > 0 {
        local.prune(Instant::now());
        tokio::task::yield_now().await;
    }
}

#[test]
fn monitor_ends_with_its_pools() {
    let hub = Hub::new();
    runtime().block_on(async {
        let pools = Pools::new(hub);
        let monitor = pools.monitor();
        drop(pools);
        monitor.await;
    });
}
