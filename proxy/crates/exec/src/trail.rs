//! How a statement went: when it came how far, and what ran where. Kept only while somebody wants to know.

use std::cell::Cell;
use std::sync::Arc;
use std::time::Instant;

use backend::Connection;
use meta::StorageUnit;
use observe::Wants;
use plan::RouteUnit;

use crate::Error;
use crate::executor::{Executor, unit};
use crate::job::Job;

/// How the current statement went.
#[derive(Debug, Default)]
pub struct Trail {
    wants: Wants,
    /// When connections had been taken.
    pub leased: Option<Instant>,
    /// When the first byte of an answer had come.
    pub answered: Cell<Option<Instant>>,
    /// What ran where, if that is wanted; each route unit once, its last try.
    pub runs: Vec<Run>,
}

/// What ran on one unit.
#[derive(Debug)]
pub struct Run {
    /// Where.
    pub unit: Arc<StorageUnit>,
    /// When it was about to be sent.
    pub started: Instant,
    /// When its answer had come in full.
    pub ended: Option<Instant>,
    /// What was sent, if that is wanted.
    pub text: Vec<u8>,
    /// The server's error.
    pub error: Option<u16>,
}

impl Executor {
    /// Keeps these of the statement that comes; nothing is kept unless this is called before each.
    pub fn keep_trail(&mut self, wants: Wants) {
        if wants.intersects(Wants::PHASES | Wants::RUNS | Wants::RUN_TEXTS) {
            let trail = self.trail.get_or_insert_default();
            trail.runs.clear();
            (trail.wants, trail.leased) = (wants, None);
            trail.answered.set(None);
        } else {
            self.trail = None;
        }
    }

    /// How the last statement went, if that was kept.
    pub fn trail(&self) -> Option<&Trail> {
        self.trail.as_deref()
    }

    /// Connections have been taken.
    #[inline]
    pub(crate) fn trail_leased(&mut self) {
        if let Some(trail) = &mut self.trail {
            trail.leased = Some(Instant::now());
        }
    }

    /// Statements are about to be sent.
    #[inline]
    pub(crate) fn trail_started<'a>(
        &mut self,
        job: &Job<'a, '_>,
        routes: impl Iterator<Item = &'a RouteUnit>,
    ) {
        if let Some(trail) = &mut self.trail
            && trail.wants.contains(Wants::RUNS)
        {
            trail.start(job, routes);
        }
    }

    /// The answer to all of them has come.
    #[inline]
    pub(crate) fn trail_ended(&mut self, error: Option<u16>) {
        if let Some(trail) = &mut self.trail
            && trail.wants.contains(Wants::RUNS)
        {
            let now = Instant::now();
            for run in &mut trail.runs {
                (run.ended, run.error) = (Some(now), error);
            }
        }
    }
}

impl Trail {
    /// Waits for the first bytes of the answer that counts.
    #[cold]
    pub(crate) async fn answer(&self, connection: &mut Connection) -> Result<(), Error> {
        if self.wants.contains(Wants::PHASES) {
            if connection.input().is_empty() {
                connection.fill().await?;
            }
            self.answered.set(Some(Instant::now()));
        }
        Ok(())
    }

    #[cold]
    fn start<'a>(&mut self, job: &Job<'a, '_>, routes: impl Iterator<Item = &'a RouteUnit>) {
        let started = Instant::now();
        self.runs.clear();
        for route in routes {
            let Ok(unit) = unit(job, route) else { continue };
            let mut text = Vec::new();
            if self.wants.contains(Wants::RUN_TEXTS) {
                job.template.render(job.call, route, &mut text);
            }
            self.runs.push(Run { unit: Arc::clone(unit), started, ended: None, text, error: None });
        }
    }
}
