//! Several arms under one load, in turns.
//!
//! Rounds are interleaved and each begins with another arm, so that what slows the machine for a
//! while, or comes with the order, falls on all of them.

use std::collections::BTreeMap;

use anyhow::Result;

use crate::load::{Interval, Load, Sysbench, Target};
use crate::measure::{Meter, Trial, Watch, meter, trial};
use crate::report::{Documented, Group, Live, Outcome, Series};
use crate::sandbox::Replica;

/// Who is measured.
#[derive(Debug, Clone)]
pub struct Arm {
    /// Short name.
    pub name: String,
    /// What it is.
    pub about: String,
    /// Where the load goes.
    pub target: Target,
    /// The processes it passes.
    pub watch: Watch,
    /// Servers whose own counters are read around each run.
    pub meters: Vec<Meter>,
    /// The load; the same for all arms but where a document differs.
    pub load: Load,
    /// What the document says.
    pub documented: Option<Documented>,
}

/// Arms to be compared; the first is what the others are compared with.
#[derive(Debug, Clone)]
pub struct Contest {
    /// The load in words.
    pub title: String,
    /// Who takes part.
    pub arms: Vec<Arm>,
    /// Runs of each.
    pub rounds: u32,
    /// What must have caught up before each run.
    pub replicas: Vec<Replica>,
    /// Seconds of load before the first round of each arm, not counted; 0 for none.
    pub warm_up: u32,
}

impl Contest {
    /// How many measured runs this is.
    pub fn runs(&self) -> u64 {
        self.arms.len() as u64 * u64::from(self.rounds)
    }

    /// How long it takes at least, in seconds.
    pub fn seconds(&self) -> u64 {
        let once = |arm: &Arm| u64::from(self.warm_up) + u64::from(self.rounds) * u64::from(arm.load.seconds);
        self.arms.iter().map(once).sum()
    }

    /// Runs it into a new group of the report, so that what is interrupted keeps the runs that were done. A run
    /// that fails is noted and the others go on.
    pub async fn hold(&self, sysbench: &Sysbench, groups: &mut Vec<Group>, live: &Live) {
        for arm in self.arms.iter().filter(|_| self.warm_up > 0) {
            let load = Load { seconds: self.warm_up, ..arm.load.clone() };
            let what = format!("{}: {} warms up", self.title, arm.name);
            live.begin(&what);
            let progress = &mut |interval| live.interval(&what, interval);
            // What is wrong here will be wrong in the first round too, and is reported there.
            let _ = trial(sysbench, &arm.target, &load, &arm.watch, progress).await;
        }
        let load = self.arms.first().map_or_else(|| Load::new(""), |arm| arm.load.clone());
        let arms = self.arms.iter().map(|arm| arm.series(sysbench)).collect();
        groups.push(Group { title: self.title.clone(), load, arms });
        for round in 0..self.rounds as usize {
            for turn in 0..self.arms.len() {
                let at = (turn + round) % self.arms.len();
                let Some(arm) = self.arms.get(at) else { continue };
                let outcome = self.once(arm, round, sysbench, live).await;
                let series = groups.last_mut().and_then(|group| group.arms.get_mut(at));
                series.into_iter().for_each(|series| series.trials.push(outcome.clone()));
            }
        }
    }

    async fn once(&self, arm: &Arm, round: usize, sysbench: &Sysbench, live: &Live) -> Outcome {
        let what = format!("{}, round {}: {}", self.title, round + 1, arm.name);
        live.begin(&what);
        let progress = &mut |interval| live.interval(&what, interval);
        match self.measured(arm, sysbench, progress).await {
            Ok(trial) => {
                live.end(&what, Ok(&trial));
                Outcome::Ran(trial)
            }
            Err(failure) => {
                let reason = format!("{failure:#}");
                live.end(&what, Err(&reason));
                Outcome::Failed(reason)
            }
        }
    }
}

impl Contest {
    async fn measured(
        &self,
        arm: &Arm,
        sysbench: &Sysbench,
        progress: &mut dyn FnMut(Interval),
    ) -> Result<Trial> {
        for replica in &self.replicas {
            replica.caught_up().await?;
        }
        let before = meter::read(&arm.meters).await?;
        let mut trial = trial(sysbench, &arm.target, &arm.load, &arm.watch, progress).await?;
        trial.counts = meter::since(&before, &meter::read(&arm.meters).await?);
        Ok(trial)
    }
}

impl Arm {
    fn series(&self, sysbench: &Sysbench) -> Series {
        Series {
            arm: self.name.clone(),
            about: self.about.clone(),
            command: sysbench.shown(&self.target, &self.load, crate::load::Job::Run),
            trials: Vec::new(),
            medians: BTreeMap::new(),
            documented: self.documented,
        }
    }
}
