//! Fewer at work than may be open: who is let in, who is not held back, and what sessions of several workers share.

use super::contention::{Worker, wait_until};
use super::*;

/// A pool with room for `max` connections of which `active` may be at work.
fn gated(max: u32, active: u32) -> PoolSpec {
    PoolSpec { active: Some(active), ..limited(max) }
}

#[test]
fn sessions_wait_though_more_connections_could_be_open() {
    let peer = Peer::start(Script::default());
    let unit = peer.unit(gated(5, 2));
    let hub = Hub::new();
    on_worker(&hub, async |pools| {
        let one = pools.lease(&unit, false).await.unwrap();
        let two = pools.lease(&unit, false).await.unwrap();
        let last = two.server().thread;
        let mut three = Box::pin(pools.lease(&unit, false));
        queues(&mut three, &hub, (2, 0, 1)).await;
        assert!(pools.spare(&unit, false).await.is_none(), "a spare one is no way around the queue");
        drop(two);
        assert_eq!(three.await.unwrap().server().thread, last);
        drop(one);
        assert_eq!(counts(&hub), (0, 2, 0));
        let stats = &hub.stats()[0];
        assert_eq!((stats.active_limit, stats.limit), (2, 5));
        assert_eq!((stats.opened, stats.closed, stats.failed), (2, 0, 0));
        assert_eq!((stats.waits.count(), stats.given_up), (1, 0));
    });
}

#[test]
fn who_holds_connections_elsewhere_is_not_held_back() {
    let peer = Peer::start(Script::default());
    let unit = peer.unit(gated(3, 1));
    let hub = Hub::new();
    on_worker(&hub, async |pools| {
        let regular = pools.lease(&unit, false).await.unwrap();
        let mut waiter = Box::pin(pools.lease(&unit, false));
        queues(&mut waiter, &hub, (1, 0, 1)).await;
        let first = pools.lease_further(&unit, false).await.unwrap();
        let second = pools.lease_further(&unit, false).await.unwrap();
        assert_eq!(counts(&hub), (3, 0, 1), "past the limit and past the queue");
        let mut third = Box::pin(pools.lease_further(&unit, false));
        queues(&mut third, &hub, (3, 0, 2)).await;
        drop(regular);
        let third = third.await.unwrap();
        assert_eq!(counts(&hub), (3, 0, 1), "what comes back is for it before others");
        drop((first, second, third));
        drop(waiter.await.unwrap());
    });
}

/// With its monitor, which goes on with time while sessions wait.
fn on_watched_worker<T>(hub: &Arc<Hub>, session: impl AsyncFnOnce(&Pools) -> T) -> T {
    runtime().block_on(async {
        let pools = Pools::new(Arc::clone(hub));
        tokio::select! {
            () = pools.monitor() => unreachable!("the pools live"),
            done = session(&pools) => done,
        }
    })
}

#[test]
fn who_sits_on_a_connection_keeps_out_nobody_but_for_the_size_of_the_pool() {
    let peer = Peer::start(Script::default());
    let unit = peer.unit(PoolSpec { connection_timeout: Duration::from_secs(20), ..gated(6, 2) });
    let automatic = peer.unit(PoolSpec { active: None, ..limited(40) });
    for (unit, size) in [(unit, 6), (automatic, 40)] {
        let hub = Hub::new();
        on_watched_worker(&hub, async |pools| {
            let mut held = Vec::new();
            for _ in 0..size {
                held.push(pools.lease(&unit, false).await.unwrap());
            }
            assert_eq!(counts(&hub), (size, 0, 0));
        });
    }
}

#[test]
fn turns_go_from_worker_to_worker_and_sockets_stay() {
    let peer = Peer::start(Script::default());
    let unit = peer.unit(gated(4, 1));
    let hub = Hub::new();
    let workers = [Worker::start(&hub), Worker::start(&hub)];
    let threads: Arc<Mutex<[Vec<u32>; 2]>> = Arc::default();
    let (release, held) = tokio::sync::oneshot::channel::<()>();
    let first = Arc::clone(&unit);
    workers[0].run(async move |pools| {
        let lease = pools.lease(&first, false).await.unwrap();
        held.await.unwrap();
        drop(lease);
    });
    wait_until(&hub, (1, 0, 0));
    for turn in 0..60 {
        let (unit, threads, worker) = (Arc::clone(&unit), Arc::clone(&threads), turn % 2);
        workers[worker].run(async move |pools| {
            let mut lease = pools.lease(&unit, false).await.unwrap();
            lease.query("SELECT 1").await.unwrap();
            threads.lock()[worker].push(lease.server().thread);
        });
        wait_until(&hub, (1, 0, turn + 1));
    }
    release.send(()).unwrap();
    workers.into_iter().for_each(Worker::finish);
    for (worker, mut threads) in std::mem::take(&mut *threads.lock()).into_iter().enumerate() {
        assert_eq!(threads.len(), 30);
        threads.sort_unstable();
        threads.dedup();
        assert_eq!(threads.len(), 1, "worker {worker}: {threads:?}");
    }
    assert_eq!(peer.accepted(), 2);
}
