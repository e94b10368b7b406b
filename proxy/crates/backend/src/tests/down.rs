//! Servers that let nobody in: not asked by everybody all the time, and found again.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};

use super::*;

#[test]
fn a_server_that_is_down_is_not_asked_by_every_session() {
    let peer = Peer::start(Script {
        login: Arc::new(|| Answer::Err(1040, "Too many connections")),
        ..Script::default()
    });
    let unit = peer.unit(limited(5));
    let hub = Hub::new();
    on_worker(&hub, async |pools| {
        for _ in 0..300 {
            let error = pools.lease(&unit, false).await.unwrap_err();
            assert_eq!(error.refusal().map(|refusal| refusal.code), Some(1040), "{error:?}");
        }
    });
    assert!((3..100).contains(&peer.accepted()), "{}", peer.accepted());
    let stats = &hub.stats()[0];
    assert_eq!((stats.opened, stats.failed), (0, peer.accepted() as u64));
}

#[test]
fn a_server_that_comes_back_is_found_by_whoever_asks() {
    let up = Arc::new(AtomicBool::new(false));
    let is_up = Arc::clone(&up);
    let peer = Peer::start(Script {
        login: Arc::new(move || match is_up.load(SeqCst) {
            true => Answer::Ok(Status::AUTOCOMMIT),
            false => Answer::Err(1053, "Server shutdown in progress"),
        }),
        ..Script::default()
    });
    let unit = peer.unit(limited(5));
    on_worker(&Hub::new(), async |pools| {
        for _ in 0..10 {
            assert!(pools.lease(&unit, false).await.is_err());
        }
        up.store(true, SeqCst);
        while pools.lease(&unit, false).await.is_err() {
            tokio::task::yield_now().await;
        }
        let all = [pools.lease(&unit, false).await, pools.lease(&unit, false).await];
        assert!(all.iter().all(Result::is_ok), "the door is open again");
    });
}

#[test]
fn who_finds_no_way_in_waits_for_those_inside() {
    let logins = AtomicUsize::new(0);
    let peer = Peer::start(Script {
        login: Arc::new(move || match logins.fetch_add(1, SeqCst) {
            0 => Answer::Ok(Status::AUTOCOMMIT),
            _ => Answer::Err(1040, "Too many connections"),
        }),
        ..Script::default()
    });
    let unit = peer.unit(limited(5));
    let hub = Hub::new();
    on_worker(&hub, async |pools| {
        let lease = pools.lease(&unit, false).await.unwrap();
        let thread = lease.server().thread;
        // As many failures as everybody has by itself; more where the door was open for a moment.
        let mut failures = 0;
        let mut waiter = loop {
            let mut waiter = Box::pin(pools.lease(&unit, false));
            tokio::select! {
                biased;
                refused = &mut waiter => assert!(refused.is_err()),
                () = until(&hub, (1, 0, 1)) => break waiter,
            }
            failures += 1;
        };
        assert!(failures >= 3, "{failures}");
        drop(lease);
        assert_eq!((&mut waiter).await.unwrap().server().thread, thread);
    });
}
