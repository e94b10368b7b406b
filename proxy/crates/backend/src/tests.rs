//! Connections and pools against a scripted server.

use std::sync::Arc;
use std::sync::mpsc;
use std::time::Duration;

use meta::{PoolSpec, StorageUnit, TlsMode};
use parking_lot::Mutex;
use tokio::runtime::{Builder, Runtime};
use wire::auth::{Plugin, Verifier};
use wire::caps::{Capabilities, Status};
use wire::command::code;

use crate::peer::{Answer, PASSWORD, Peer, Script, unit};
use crate::{Error, Hub, Kill, Lease, Link, Pools, Statement};

mod admission;
mod contention;
mod down;
mod failures;
mod upkeep;

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

/// Runs a session of one worker.
fn on_worker<T>(hub: &Arc<Hub>, session: impl AsyncFnOnce(&Pools) -> T) -> T {
    runtime().block_on(async {
        let pools = Pools::new(Arc::clone(hub));
        session(&pools).await
    })
}

fn limited(max: u32) -> PoolSpec {
    PoolSpec { max, ..PoolSpec::default() }
}

/// What a pool looks like: active, idle, waiting.
fn counts(hub: &Hub) -> (usize, usize, usize) {
    let stats = hub.stats();
    stats.first().map_or((0, 0, 0), |pool| (pool.active, pool.idle, pool.waiting))
}

/// Lets other tasks and threads go on until the pool looks like this.
async fn until(hub: &Hub, expected: (usize, usize, usize)) {
    while counts(hub) != expected {
        tokio::task::yield_now().await;
        std::thread::yield_now();
    }
}

/// Lets a session come to wait: it is not served before the pools are so.
async fn queues(
    waiter: &mut (impl Future<Output = Result<Lease, Error>> + Unpin),
    hub: &Hub,
    expected: (usize, usize, usize),
) {
    tokio::select! {
        biased;
        _ = waiter => unreachable!("it should wait"),
        () = until(hub, expected) => {}
    }
}

#[test]
fn reuses_the_connection_used_last() {
    let peer = Peer::start(Script::default());
    let unit = peer.unit(limited(5));
    let hub = Hub::new();
    on_worker(&hub, async |pools| {
        let one = pools.lease(&unit, false).await.unwrap();
        let two = pools.lease(&unit, false).await.unwrap();
        let last = one.server().thread;
        drop(two);
        drop(one);
        assert_eq!(counts(&hub), (0, 2, 0));
        let again = pools.lease(&unit, false).await.unwrap();
        assert_eq!(again.server().thread, last);
    });
    assert_eq!(peer.accepted(), 2);
    assert_eq!(counts(&hub), (0, 0, 0), "a worker that ends closes its idle connections");
}

#[test]
fn keeps_connections_that_count_found_rows_apart() {
    let peer = Peer::start(Script::default());
    let unit = peer.unit(limited(1));
    let hub = Hub::new();
    on_worker(&hub, async |pools| {
        drop(pools.lease(&unit, false).await.unwrap());
        let found = pools.lease(&unit, true).await.unwrap();
        assert!(found.found_rows());
        assert_eq!(counts(&hub), (1, 0, 0), "the other one made room");
    });
    let found: Vec<_> =
        peer.logins().iter().map(|login| login.0.contains(Capabilities::FOUND_ROWS)).collect();
    assert_eq!(found, [false, true]);
    assert_eq!(peer.logins()[0].1, "shop");
}

#[test]
fn proves_its_password_by_every_method() {
    let right = Verifier::from_password(PASSWORD);
    let wrong = Verifier::from_password("another");
    let cases = [
        (right, false, true),
        (right, true, true),
        (right.showing_password(), false, true),
        (right.showing_password(), true, true),
        (right.requiring(Plugin::Native), false, true),
        (wrong, false, false),
        (wrong.showing_password(), false, false),
        (wrong.requiring(Plugin::Native), false, false),
    ];
    for (at, (account, tls, gets_in)) in cases.into_iter().enumerate() {
        let peer = Peer::start(Script { account: Some(account), tls, ..Script::default() });
        let unit = if tls { peer.tls_unit(limited(1)) } else { peer.unit(limited(1)) };
        let leased = on_worker(&Hub::new(), async |pools| pools.lease(&unit, false).await.map(drop));
        match leased {
            Ok(()) => assert!(gets_in, "case {at}"),
            Err(Error::Denied { refusal, .. }) => assert!(!gets_in && refusal.code == 1045, "case {at}"),
            Err(error) => panic!("case {at}: {error:?}"),
        }
    }
}

#[test]
fn kills_over_a_connection_outside_the_limit() {
    let peer = Peer::start(Script::default());
    let unit = peer.unit(limited(1));
    let hub = Hub::new();
    on_worker(&hub, async |pools| {
        let busy = pools.lease(&unit, false).await.unwrap();
        hub.kill(&unit, busy.server().thread, Kill::Query).await.unwrap();
        assert_eq!(counts(&hub), (1, 0, 0));
    });
    assert_eq!(peer.commands()[0], (code::QUERY, "KILL QUERY 1".to_owned()));
}

#[test]
fn reads_small_results() {
    let peer = Peer::start(Script { command: |_| Answer::Rows(vec!["a", "b"]), ..Script::default() });
    let unit = peer.unit(limited(1));
    on_worker(&Hub::new(), async |pools| {
        let mut lease = pools.lease(&unit, false).await.unwrap();
        let result = lease.query("SELECT c FROM t").await.unwrap();
        assert_eq!((result.columns[0].name.as_ref(), result.rows.len()), (&b"c"[..], 2));
        assert_eq!(result.text(1, 0), "b");
        assert_eq!(lease.link(), Link::Idle);
    });
}

#[test]
fn speaks_tls_and_moves_it_to_another_worker() {
    let peer =
        Peer::start(Script { tls: true, command: |_| Answer::Rows(vec!["over TLS"]), ..Script::default() });
    let unit = peer.tls_unit(limited(1));
    let hub = Hub::new();
    let (one, two) = (runtime(), runtime());
    let (here, there) = (
        one.block_on(async { Pools::new(Arc::clone(&hub)) }),
        two.block_on(async { Pools::new(Arc::clone(&hub)) }),
    );
    one.block_on(async {
        let mut lease = here.lease(&unit, false).await.unwrap();
        assert_eq!(lease.query("SELECT 1").await.unwrap().text(0, 0), "over TLS");
    });
    two.block_on(async {
        let mut lease = there.lease(&unit, false).await.unwrap();
        assert_eq!(lease.query("SELECT 2").await.unwrap().text(0, 0), "over TLS");
    });
    assert_eq!(peer.accepted(), 1);
}

#[test]
fn gives_the_memory_of_a_large_result_back() {
    const CELL: &str = match std::str::from_utf8(&[b'x'; 200_000]) {
        Ok(text) => text,
        Err(_) => "",
    };
    let peer = Peer::start(Script { command: |_| Answer::Rows(vec![CELL, CELL]), ..Script::default() });
    let unit = peer.unit(limited(1));
    on_worker(&Hub::new(), async |pools| {
        let mut lease = pools.lease(&unit, false).await.unwrap();
        assert_eq!(lease.query("SELECT c FROM t").await.unwrap().text(1, 0).len(), CELL.len());
        assert!(lease.input().capacity() > 0);
        drop(lease);
        let mut lease = pools.lease(&unit, false).await.unwrap();
        assert_eq!(lease.input().capacity(), 0);
    });
}

#[test]
fn closes_evicted_statements_before_the_next_command() {
    let peer = Peer::start(Script::default());
    let unit = peer.unit(limited(1));
    on_worker(&Hub::new(), async |pools| {
        let mut lease = pools.lease(&unit, false).await.unwrap();
        for text in 0..300_u64 {
            lease.prepared.insert(text, Statement { id: text as u32 + 1, params: 0, columns: 0 });
        }
        lease.query("DO 1").await.unwrap();
    });
    let commands = peer.commands();
    assert_eq!(commands.iter().filter(|command| command.0 == code::STMT_CLOSE).count(), 44);
    assert_eq!((commands[0].0, commands[0].1.as_bytes()), (code::STMT_CLOSE, &[1, 0, 0, 0][..]));
    assert_eq!(commands[44], (code::QUERY, "DO 1".to_owned()));
}

#[test]
fn brings_a_connection_to_the_settings_of_the_next_session() {
    let peer = Peer::start(Script::default());
    let unit = peer.unit(limited(1));
    on_worker(&Hub::new(), async |pools| {
        let mut wanted = crate::Settings::default();
        wanted.set("sql_mode", "'ANSI'");
        let mut lease = pools.lease(&unit, false).await.unwrap();
        lease.apply(&wanted).await.unwrap();
        drop(lease);
        let mut lease = pools.lease(&unit, false).await.unwrap();
        assert_eq!(lease.sync(&wanted), None);
        lease.apply(&crate::Settings::default()).await.unwrap();
    });
    let texts: Vec<_> = peer.commands().into_iter().map(|command| command.1).take(2).collect();
    assert_eq!(texts, ["SET @@SESSION.sql_mode='ANSI'", "SET @@SESSION.sql_mode=@@GLOBAL.sql_mode"]);
}
