//! Many sessions, several workers, one limit.

use tokio::task::LocalSet;

use super::*;

/// A worker thread that runs what it is sent.
pub(super) struct Worker {
    jobs: tokio::sync::mpsc::UnboundedSender<Job>,
    thread: std::thread::JoinHandle<()>,
}

type Job = Box<dyn FnOnce(std::rc::Rc<Pools>, &LocalSet) + Send>;

impl Worker {
    pub(super) fn start(hub: &Arc<Hub>) -> Self {
        let (jobs, mut todo) = tokio::sync::mpsc::unbounded_channel::<Job>();
        let hub = Arc::clone(hub);
        let thread = std::thread::spawn(move || {
            runtime().block_on(async {
                let tasks = LocalSet::new();
                let pools = Pools::new(hub);
                tasks
                    .run_until(async {
                        while let Some(job) = todo.recv().await {
                            job(std::rc::Rc::clone(&pools), &tasks);
                        }
                    })
                    .await;
                tasks.await;
            });
        });
        Self { jobs, thread }
    }

    pub(super) fn run<F>(&self, session: impl FnOnce(std::rc::Rc<Pools>) -> F + Send + 'static)
    where
        F: Future<Output = ()> + 'static,
    {
        let job: Job = Box::new(move |pools, tasks| drop(tasks.spawn_local(session(pools))));
        assert!(self.jobs.send(job).is_ok());
    }

    pub(super) fn finish(self) {
        drop(self.jobs);
        self.thread.join().unwrap();
    }
}

/// Waits on the thread of the test.
pub(super) fn wait_until(hub: &Hub, expected: (usize, usize, usize)) {
    runtime().block_on(until(hub, expected));
}

#[test]
fn serves_waiters_of_one_worker_in_order_and_passes_nobody_over_for_long() {
    let peer = Peer::start(Script::default());
    let unit = peer.unit(limited(1));
    let hub = Hub::new();
    let workers = [Worker::start(&hub), Worker::start(&hub)];
    let (release, held) = tokio::sync::oneshot::channel::<()>();
    let first = Arc::clone(&unit);
    workers[0].run(async move |pools| {
        let lease = pools.lease(&first, false).await.unwrap();
        held.await.unwrap();
        drop(lease);
    });
    wait_until(&hub, (1, 0, 0));
    let order = Arc::new(Mutex::new(Vec::new()));
    // The connection is worker 0's; every third waiter is worker 1's.
    for turn in 0..120 {
        let (unit, order) = (Arc::clone(&unit), Arc::clone(&order));
        workers[usize::from(turn % 3 == 1)].run(async move |pools| {
            let mut lease = pools.lease(&unit, false).await.unwrap();
            order.lock().push(turn);
            lease.query("SELECT 1").await.unwrap();
        });
        wait_until(&hub, (1, 0, turn + 1));
    }
    release.send(()).unwrap();
    workers.into_iter().for_each(Worker::finish);
    let order = order.lock();
    for worker in [0, 1] {
        let own: Vec<_> = order.iter().filter(|turn| usize::from(*turn % 3 == 1) == worker).collect();
        assert!(own.is_sorted(), "worker {worker}: {own:?}");
    }
    let passed = |place: usize| order[..place].iter().filter(|before| **before > order[place]).count();
    let most = (0..order.len()).map(passed).max();
    assert!(most.is_some_and(|most| (1..=32).contains(&most)), "{most:?}: {order:?}");
    assert_eq!(peer.accepted(), 1, "one connection went through all hands");
}

#[test]
fn takes_an_idle_connection_from_another_worker_at_the_limit() {
    let peer = Peer::start(Script { command: |_| Answer::Rows(vec!["x"]), ..Script::default() });
    let unit = peer.unit(limited(1));
    let hub = Hub::new();
    let workers = [Worker::start(&hub), Worker::start(&hub)];
    for worker in [0, 1, 0] {
        let (done, finished) = mpsc::channel();
        let unit = Arc::clone(&unit);
        workers[worker].run(async move |pools| {
            let mut lease = pools.lease(&unit, false).await.unwrap();
            assert_eq!(lease.query("SELECT 1").await.unwrap().text(0, 0), "x");
            drop(lease);
            done.send(()).unwrap();
        });
        finished.recv().unwrap();
    }
    workers.into_iter().for_each(Worker::finish);
    assert_eq!(peer.accepted(), 1);
}

#[test]
fn a_waiter_that_gives_up_names_the_pool_and_leaves_the_queue() {
    let peer = Peer::start(Script::default());
    let unit = peer.unit(PoolSpec { connection_timeout: Duration::from_millis(300), ..limited(1) });
    let hub = Hub::new();
    on_worker(&hub, async |pools| {
        let lease = pools.lease(&unit, false).await.unwrap();
        let error = pools.lease(&unit, false).await.unwrap_err();
        assert!(matches!(&error, Error::Exhausted { pool, limit: 1, .. } if pool == "ds_0"), "{error:?}");
        assert_eq!(error.party(), observe::Party::Proxy);
        assert_eq!(counts(&hub), (1, 0, 0));
        drop(lease);
        assert_eq!(counts(&hub), (0, 1, 0));
    });
}

#[test]
fn a_grant_to_a_waiter_that_left_goes_to_the_next() {
    let peer = Peer::start(Script::default());
    let unit = peer.unit(limited(1));
    let hub = Hub::new();
    on_worker(&hub, async |pools| {
        let lease = pools.lease(&unit, false).await.unwrap();
        let mut leaver = Box::pin(pools.lease(&unit, false));
        let mut stayer = Box::pin(pools.lease(&unit, false));
        tokio::select! {
            biased;
            _ = &mut leaver => unreachable!("the only connection is held"),
            _ = &mut stayer => unreachable!("the only connection is held"),
            () = until(&hub, (1, 0, 2)) => {}
        }
        // The grant is in the leaver's hands when it goes, without having been looked at.
        drop(lease);
        drop(leaver);
        drop(stayer.await.unwrap());
        assert_eq!(counts(&hub), (0, 1, 0));
    });
    assert_eq!(peer.accepted(), 1);
}

#[test]
fn retiring_a_unit_closes_everything_and_sends_waiters_away() {
    let peer = Peer::start(Script::default());
    let unit = peer.unit(limited(1));
    let hub = Hub::new();
    on_worker(&hub, async |pools| {
        let lease = pools.lease(&unit, false).await.unwrap();
        let mut waiter = Box::pin(pools.lease(&unit, false));
        queues(&mut waiter, &hub, (1, 0, 1)).await;
        hub.retire(unit.id);
        assert!(matches!(waiter.await.unwrap_err(), Error::Retired { .. }));
        drop(lease);
        assert!(matches!(pools.lease(&unit, false).await.unwrap_err(), Error::Retired { .. }));
        assert!(hub.stats().is_empty());
    });
    let again = on_worker(&hub, async |pools| pools.lease(&unit, false).await.unwrap_err());
    assert!(matches!(again, Error::Retired { .. }), "{again:?}");
}

/// Leases, runs, spoils, cancels at random; the limit holds at every moment and nobody waits for ever.
#[test]
fn limit_holds_and_no_wakeup_is_lost_under_load() {
    const LIMIT: u32 = 3;
    for active in [None, Some(1), Some(2)] {
        let peer = Peer::start(Script::default());
        let unit = peer.unit(PoolSpec { active, ..limited(LIMIT) });
        let hub = Hub::new();
        let workers: Vec<_> = (0..3).map(|_| Worker::start(&hub)).collect();
        let held = Arc::new(std::sync::atomic::AtomicU32::new(0));
        for (at, worker) in workers.iter().enumerate() {
            for session in 0..8 {
                let (unit, hub, held) = (Arc::clone(&unit), Arc::clone(&hub), Arc::clone(&held));
                worker.run(async move |pools| {
                    let mut random = fastrand::Rng::with_seed((at * 100 + session) as u64);
                    for _ in 0..60 {
                        session_at_random(&pools, &unit, &held, &mut random, LIMIT).await;
                        let stats = &hub.stats()[0];
                        assert!(stats.active + stats.idle <= LIMIT as usize, "{stats:?}");
                    }
                });
            }
        }
        workers.into_iter().for_each(Worker::finish);
        assert_eq!(counts(&hub), (0, 0, 0));
    }
}

async fn session_at_random(
    pools: &Pools,
    unit: &Arc<StorageUnit>,
    held: &std::sync::atomic::AtomicU32,
    random: &mut fastrand::Rng,
    limit: u32,
) {
    use std::sync::atomic::Ordering::SeqCst;
    let (found_rows, further) = (random.u8(0..10) == 0, random.u8(0..10) == 0);
    let leasing = async {
        match further {
            true => pools.lease_further(unit, found_rows).await,
            false => pools.lease(unit, found_rows).await,
        }
    };
    let mut lease = if random.u8(0..5) == 0 {
        // Gives up after a few turns, maybe just when the grant arrives.
        let turns = random.u8(0..6);
        tokio::select! {
            biased;
            lease = leasing => lease.unwrap(),
            () = async { for _ in 0..turns { tokio::task::yield_now().await } } => return,
        }
    } else {
        leasing.await.unwrap()
    };
    assert!(held.fetch_add(1, SeqCst) < limit);
    match random.u8(0..20) {
        0 => lease.poison(),
        1..5 => tokio::task::yield_now().await,
        _ => drop(lease.query("SELECT 1").await.unwrap()),
    }
    held.fetch_sub(1, SeqCst);
}
