use super::*;

const TICK: Duration = Duration::from_millis(10);

/// A server that gives the most at `knee` connections, and a little less with each beyond.
struct Model {
    knee: f64,
    /// Given back per second and connection, up to the knee.
    rate: f64,
    /// Lost with each connection beyond.
    decline: f64,
    /// The rate of a tick is off by up to this share.
    noise: f64,
    random: fastrand::Rng,
    rest: f64,
}

impl Model {
    fn new(knee: f64, rate: f64, noise: f64) -> Self {
        Self { knee, rate, decline: 0.005, noise, random: fastrand::Rng::with_seed(7), rest: 0.0 }
    }

    fn throughput(&self, limit: u32) -> f64 {
        let limit = f64::from(limit);
        let busy = limit.min(self.knee) * self.rate;
        // Not a sharp bend: some of those at work are always on their way.
        let bend = 1.0 / (1.0 + (limit / self.knee).powi(-4));
        busy * bend.max(0.5) * (1.0 - self.decline * (limit - self.knee).max(0.0)).max(0.3)
    }

    fn best(&self) -> f64 {
        (1..200).map(|limit| self.throughput(limit)).fold(0.0, f64::max)
    }

    /// Runs for some seconds; the mean throughput of the last half, as a share of the best there is.
    fn run(&mut self, climb: &mut Climb, seconds: u32) -> f64 {
        let ticks = seconds * 100;
        let mut late = 0.0;
        for tick in 0..ticks {
            let rate = self.throughput(climb.limit());
            late += if tick >= ticks / 2 { rate } else { 0.0 };
            let noise = 1.0 + self.noise * (2.0 * self.random.f64() - 1.0);
            self.rest += rate * noise * TICK.as_secs_f64();
            let given = self.rest.floor();
            self.rest -= given;
            climb.feed(TICK, given as u64);
        }
        late / f64::from(ticks - ticks / 2) / self.best()
    }
}

#[test]
fn finds_the_bend_of_small_and_of_large_servers() {
    for knee in [2.0, 4.0, 8.0, 16.0, 40.0, 90.0] {
        for noise in [0.0, 0.1, 0.3] {
            let mut climb = Climb::new(128);
            let mut model = Model::new(knee, 4000.0, noise);
            let share = model.run(&mut climb, 60);
            assert!(share > 0.93, "knee {knee}, noise {noise}: {share} at {}", climb.base);
            // What little is lost behind the bend can drown in noise.
            assert!(
                f64::from(climb.base) < knee * (2.5 + 5.0 * noise) + 2.0,
                "knee {knee}, noise {noise}: {}",
                climb.base
            );
        }
    }
}

#[test]
fn finds_the_bend_where_long_transactions_come_back_seldom() {
    let mut climb = Climb::new(50);
    let mut model = Model::new(8.0, 40.0, 0.2);
    let share = model.run(&mut climb, 120);
    assert!(share > 0.9 && climb.base < 24, "{share} at {}", climb.base);
}

#[test]
fn is_near_the_bend_in_a_few_seconds() {
    for (knee, rate, seconds) in [(4.0, 5000.0, 4), (4.0, 150.0, 6), (48.0, 2000.0, 4)] {
        let mut climb = Climb::new(64);
        let mut model = Model { decline: 0.02, ..Model::new(knee, rate, 0.1) };
        model.run(&mut climb, seconds);
        let share = model.throughput(climb.base) / model.best();
        assert!(share > 0.9 && f64::from(climb.base) < 2.5 * knee, "{knee}: {share} at {}", climb.base);
    }
}

#[test]
fn follows_a_load_that_changes() {
    let mut climb = Climb::new(50);
    assert!(Model::new(4.0, 5000.0, 0.1).run(&mut climb, 30) > 0.93);
    let low = climb.base;
    assert!(Model::new(32.0, 500.0, 0.1).run(&mut climb, 60) > 0.93);
    assert!(climb.base > 2 * low, "{low} {}", climb.base);
    assert!(Model::new(4.0, 5000.0, 0.1).run(&mut climb, 60) > 0.93);
    assert!(climb.base < 16, "{}", climb.base);
}

#[test]
fn opens_up_by_doubling_and_not_beyond_the_pool() {
    let mut climb = Climb::new(50);
    let limits: Vec<u32> = (0..3)
        .map(|_| {
            climb.open_up();
            climb.limit()
        })
        .collect();
    assert_eq!(limits, [32, 50, 50]);
}

#[test]
fn stays_within_a_pool_of_one_or_two() {
    for most in [1, 2] {
        let mut climb = Climb::new(most);
        Model::new(8.0, 1000.0, 0.5).run(&mut climb, 20);
        assert!((1..=most).contains(&climb.limit()), "{}", climb.limit());
    }
}
