//! Looks after idle connections: closes what is too old or too many, pings, keeps the minimum open; probes replicas.

use std::cell::Cell;
use std::rc::{Rc, Weak};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{join, join_all};
use tokio::sync::Notify;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep, timeout};

use crate::gate::TICK;
use crate::lease::{Local, Pools};
use crate::pool::Pooled;

/// Distance of two rounds; idle and lifetime limits are seconds at least.
const ROUND: Duration = Duration::from_secs(1);
/// A server that does not answer within it is as good as dead.
const ANSWER: Duration = Duration::from_secs(5);
/// Longest distance of two attempts to reach the minimum on a server that cannot be reached.
const PATIENCE: u32 = 30;

impl Pools {
    /// Looks after this worker's idle connections until the pools are dropped; to be spawned once on its runtime.
    pub fn monitor(self: &Rc<Self>) -> impl Future<Output = ()> + 'static {
        let pools = Rc::downgrade(self);
        let pacer = Rc::clone(&self.pacer);
        async move {
            // Ends with the rounds: the pacer sleeps for as long as nobody waits.
            tokio::select! {
                () = watch(Weak::clone(&pools)) => {}
                () = pace(pools, pacer) => {}
            }
        }
    }
}

/// Tells the monitor of a worker that a session waits.
#[derive(Default)]
pub(crate) struct Pacer {
    awake: Cell<bool>,
    called: Notify,
}

impl Pacer {
    #[inline]
    pub(crate) fn wake(&self) {
        if !self.awake.replace(true) {
            self.called.notify_one();
        }
    }
}

/// Goes on with the time of pools for as long as sessions wait in them ([`crate::gate`]).
async fn pace(pools: Weak<Pools>, pacer: Rc<Pacer>) {
    loop {
        pacer.called.notified().await;
        loop {
            let Some(locals) = pools.upgrade().map(|pools| pools.locals()) else { return };
            let waited_for: Vec<_> = locals.iter().filter(|local| local.pool.has_waiters()).collect();
            if waited_for.is_empty() {
                break;
            }
            let now = Instant::now();
            waited_for.iter().for_each(|local| local.pool.tick(now));
            sleep(TICK).await;
        }
        pacer.awake.set(false);
    }
}

async fn watch(pools: Weak<Pools>) {
    let mut ticks = interval(ROUND);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let (locals, hub) = match pools.upgrade() {
            Some(pools) => (pools.locals(), Arc::clone(pools.hub())),
            None => return,
        };
        // Side by side: a server that keeps silent holds the others up by one `ANSWER` at most.
        let looks = join_all(locals.iter().map(|local| local.look_after(Instant::now())));
        join(looks, hub.probe()).await;
    }
}

/// Rounds to let pass before the next attempt to open a connection ahead of need.
#[derive(Clone, Copy, Default)]
pub(crate) struct Patience {
    rest: u32,
    last: u32,
}

impl Patience {
    fn grown(self) -> Self {
        let rest = (self.last * 2).clamp(1, PATIENCE);
        Self { rest, last: rest }
    }
}

impl Local {
    /// One round.
    pub(crate) async fn look_after(&self, now: Instant) {
        self.pool.gate.rest(now);
        self.prune(now);
        self.ping(now).await;
        let patience = self.patience.get();
        if patience.rest > 0 {
            self.patience.set(Patience { rest: patience.rest - 1, ..patience });
        } else if self.is_short() {
            let filled = self.refill().await;
            self.patience.set(if filled { Patience::default() } else { patience.grown() });
        }
    }

    /// Closes idle connections that are too old, unused too long or closed by the server.
    pub(crate) fn prune(&self, now: Instant) {
        let spec = &self.pool.unit.spec.pool;
        let surplus = self.pool.open().saturating_sub(spec.min);
        let is_unused =
            |pooled: &Pooled| !spec.idle_timeout.is_zero() && now - pooled.used >= spec.idle_timeout;
        let mut gone = Vec::new();
        {
            // The bottom of the shelf was used longest ago.
            let mut idle = self.shelf.idle.lock();
            let mut unused = 0;
            gone.extend(idle.extract_if(.., |pooled| {
                if pooled.is_expired(now) || !pooled.connection.is_quiet() {
                    return true;
                }
                let close = unused < surplus && is_unused(pooled);
                unused += u32::from(close);
                close
            }));
        }
        gone.into_iter().for_each(|pooled| pooled.close());
    }

    /// Asks connections that were silent for `keepaliveTime` whether they still work.
    pub(crate) async fn ping(&self, now: Instant) {
        let distance = self.pool.unit.spec.pool.keepalive;
        if distance.is_zero() {
            return;
        }
        loop {
            let due = {
                let mut idle = self.shelf.idle.lock();
                let at = idle.iter().position(|pooled| now - pooled.checked >= distance);
                at.map(|at| idle.remove(at))
            };
            let Some(mut pooled) = due else { return };
            match timeout(ANSWER, pooled.connection.ping()).await {
                Ok(Ok(())) => self.checked(pooled, now),
                Ok(Err(_)) => pooled.close(),
                // The others are asked in the next rounds.
                Err(_) => return pooled.close(),
            }
        }
    }

    /// Puts a connection back below those that did real work since.
    fn checked(&self, mut pooled: Box<Pooled>, now: Instant) {
        pooled.checked = now;
        let rejected = self.shelf.give_below(&self.pool, pooled);
        if let Err(pooled) = rejected {
            self.pool.hand(pooled);
        }
    }

    /// Whether a pool that was used has fewer connections than `minimumIdle`.
    fn is_short(&self) -> bool {
        self.pool.open() < self.pool.unit.spec.pool.min.min(self.pool.limit()) && !self.pool.is_retired()
    }

    /// Opens one connection ahead of need.
    async fn refill(&self) -> bool {
        let Some(permit) = self.pool.permit() else { return true };
        let started = Instant::now();
        match self.open(permit, false, started, started + ANSWER).await {
            Ok(pooled) => {
                self.give(pooled);
                true
            }
            Err(error) => {
                tracing::debug!(%error, "minimum of idle connections not reached");
                false
            }
        }
    }
}
