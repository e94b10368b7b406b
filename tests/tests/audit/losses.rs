//! What is lost when the proxy is killed, while files change, and when the disk is full.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use weir_tests::{Bed, Own};

use super::{PATIENCE, alter, await_records, read};
use crate::read::text;

/// Clients that send statements of their own, each once.
const CLIENTS: u64 = 8;

/// Sends statements until told to stop or the proxy is gone; the numbers of those that were answered, and when the last of
/// each was.
fn load(own: &Own, stop: &AtomicBool, answered: &AtomicU64) -> Vec<(u64, Instant)> {
    std::thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS)
            .map(|number| {
                scope.spawn(move || {
                    let mut done = Vec::new();
                    let Ok(mut client) = own.account().database(own.name).connect() else { return done };
                    for count in 0.. {
                        let id = number * 1_000_000 + count;
                        if stop.load(Ordering::Relaxed)
                            || client.try_query(format!("SELECT v FROM t WHERE id = 1 /* {id}. */")).is_err()
                        {
                            break;
                        }
                        answered.fetch_add(1, Ordering::Relaxed);
                        done.push((id, Instant::now()));
                    }
                    done
                })
            })
            .collect();
        clients.into_iter().flat_map(|client| client.join().unwrap()).collect()
    })
}

fn await_count(answered: &AtomicU64, wanted: u64) {
    let deadline = Instant::now() + PATIENCE;
    while answered.load(Ordering::Relaxed) < wanted {
        assert!(Instant::now() < deadline, "{} statements", answered.load(Ordering::Relaxed));
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The numbers of the statements in the log; each is there once.
fn logged(own: &Own) -> BTreeSet<u64> {
    let records = read::records(&own.weir.logs(), "audit.log", "JSON");
    let number = |record: &read::Record| {
        let (_, rest) = text(record, "sqltext").split_once("/* ")?;
        rest.split_once('.')?.0.parse().ok()
    };
    let numbers: Vec<u64> = records.iter().filter_map(number).collect();
    let set: BTreeSet<_> = numbers.iter().copied().collect();
    assert_eq!(set.len(), numbers.len(), "some are there twice");
    set
}

/// Kills the proxy amid the load; the statements that were answered and are not in the log, by when they were.
fn killed(name: &'static str, strategy: &str) -> (Vec<Instant>, Instant, usize) {
    let own = Own::new(Bed::shared(), name, &[]);
    alter(
        &own,
        &format!(
            "enabled=true, strategy={strategy}, rotate_compression=none, rotate_size='256KB', rotate_keep=0"
        ),
    );
    let (stop, answered) = (AtomicBool::new(false), AtomicU64::new(0));
    let (sent, at) = std::thread::scope(|scope| {
        let sent = scope.spawn(|| load(&own, &stop, &answered));
        await_count(&answered, 3000);
        let at = Instant::now();
        own.weir.kill().unwrap();
        (sent.join().unwrap(), at)
    });
    let logged = logged(&own);
    let total = sent.len();
    (sent.into_iter().filter(|(id, _)| !logged.contains(id)).map(|(_, when)| when).collect(), at, total)
}

#[test]
fn a_proxy_that_is_killed_has_written_whatever_was_answered() {
    for (name, strategy) in [("audit_kill_sync", "SYNCHRONOUS"), ("audit_kill_semi", "SEMISYNCHRONOUS")] {
        let (lost, _, total) = killed(name, strategy);
        assert!(lost.is_empty() && total >= 3000, "{strategy}: {} of {total} are lost", lost.len());
    }
}

#[test]
fn a_proxy_that_is_killed_loses_a_moment_of_what_waits_in_memory() {
    let (lost, at, total) = killed("audit_kill_async", "ASYNCHRONOUS");
    // A record waits for 50 ms, and a machine that is busy makes more of it; what was answered long ago is there.
    let long_ago = lost.iter().filter(|when| **when + Duration::from_secs(2) < at).count();
    assert_eq!(long_ago, 0, "of {} lost, {total} answered", lost.len());
}

#[test]
fn files_that_change_under_load_lose_nothing() {
    let own = Own::new(Bed::shared(), "audit_rotation", &[]);
    alter(&own, "enabled=true, rotate_compression=none, rotate_size='64KB', rotate_keep=0");
    let (stop, answered) = (AtomicBool::new(false), AtomicU64::new(0));
    let sent = std::thread::scope(|scope| {
        let sent = scope.spawn(|| load(&own, &stop, &answered));
        for round in 1..=6 {
            await_count(&answered, round * 500);
            match round % 3 {
                0 => own.account().client().run("ROTATE AUDIT LOG"),
                // Another sink takes the place of the one there was.
                1 => own.account().client().run(format!("ALTER AUDIT LOG (rotate_size='{}KB')", 60 + round)),
                _ => own.account().client().run("ALTER AUDIT LOG (strategy=PERFORMANCE)"),
            };
        }
        stop.store(true, Ordering::Relaxed);
        sent.join().unwrap()
    });
    let load = |record: &read::Record| text(record, "sqltext").contains("/* ");
    await_records(&own, ("audit.log", "JSON"), sent.len(), load);
    let sent: BTreeSet<_> = sent.into_iter().map(|(id, _)| id).collect();
    assert_eq!(logged(&own), sent);
    assert!(read::files(&own.weir.logs(), "audit.log").len() > 4);
    assert_eq!(status(&own, "dropped"), 0);
}

fn status(own: &Own, name: &str) -> u64 {
    let rows = own.account().client().rows("SHOW AUDIT LOG STATUS");
    rows.into_iter().find(|row| row[0] == name).unwrap()[1].parse().unwrap()
}

#[test]
fn a_full_disk_stops_no_statement_and_is_told() {
    let own = Own::new(Bed::shared(), "audit_full", &[]);
    for strategy in ["ASYNCHRONOUS", "PERFORMANCE", "SEMISYNCHRONOUS", "SYNCHRONOUS"] {
        alter(&own, &format!("enabled=true, strategy={strategy}, file='/dev/full'"));
        let errors = status(&own, "errors");
        let mut client = own.client();
        for _ in 0..200 {
            client.run("SELECT v FROM t WHERE id = 1");
        }
        let deadline = Instant::now() + PATIENCE;
        while status(&own, "errors") == errors {
            assert!(Instant::now() < deadline, "{strategy}: nobody noticed");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
    // With room again, all goes on.
    alter(&own, "file='audit.log', rotate_compression=none");
    own.client().run("SELECT v FROM t WHERE id = 2 /* again */");
    let again = |record: &read::Record| text(record, "sqltext").contains("/* again */");
    await_records(&own, ("audit.log", "JSON"), 1, again);
    assert!(status(&own, "lost") > 0);
}
