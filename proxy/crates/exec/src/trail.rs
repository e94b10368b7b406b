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
    /// How many the session had then.
    pub connections: usize,
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
    /// When it was about to be sent; where others come before it on its connection, when these had been answered.
    pub started: Instant,
    /// When its answer had come in full, if it has.
    pub ended: Option<Instant>,
    /// What was sent, if that is wanted.
    pub text: Vec<u8>,
    /// The server's error.
    pub error: Option<u16>,
    /// Its connection was lost before the answer had come.
    pub lost: bool,
}

/// The moments of one node of a statement over several.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    started: Instant,
    ended: Option<Instant>,
    error: Option<u16>,
}

/// Those of the nodes of one connection, in their order; nothing is kept unless it is wanted.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    kept: bool,
    marks: Vec<Mark>,
    answered: usize,
}

impl Marks {
    /// One more is about to be sent.
    #[inline]
    pub(crate) fn start(&mut self) {
        if self.kept {
            self.marks.push(Mark { started: Instant::now(), ended: None, error: None });
        }
    }

    /// The next has been answered.
    #[inline]
    pub(crate) fn end(&mut self, error: Option<u16>) {
        if self.kept {
            self.ended(error);
        }
    }

    #[cold]
    fn ended(&mut self, error: Option<u16>) {
        let now = Instant::now();
        if let Some(mark) = self.marks.get_mut(self.answered) {
            (mark.ended, mark.error) = (Some(now), error);
        }
        self.answered += 1;
        // Servers work on one after the other.
        if let Some(next) = self.marks.get_mut(self.answered) {
            next.started = now;
        }
    }
}

impl Executor {
    /// Keeps these of the statement that comes; nothing is kept unless this is called before each.
    pub fn keep_trail(&mut self, wants: Wants) {
        if wants.intersects(Wants::PHASES | Wants::RUNS | Wants::RUN_TEXTS) {
            let trail = self.trail.get_or_insert_default();
            trail.runs.clear();
            (trail.wants, trail.leased, trail.connections) = (wants, None, 0);
            trail.answered.set(None);
        } else {
            self.trail = None;
        }
    }

    /// How the last statement went, if that was kept.
    pub fn trail(&self) -> Option<&Trail> {
        self.trail.as_deref()
    }

    /// Connections have been taken: so many beside those that are held for other statements.
    #[inline]
    pub(crate) fn trail_leased(&mut self, more: usize) {
        let connections = self.held.len() + more;
        if let Some(trail) = &mut self.trail {
            (trail.leased, trail.connections) = (Some(Instant::now()), connections);
        }
    }

    /// A statement is about to be sent to one unit.
    #[inline]
    pub(crate) fn trail_started(&mut self, job: &Job<'_, '_>, route: &RouteUnit) {
        if let Some(trail) = &mut self.trail
            && trail.wants.contains(Wants::RUNS)
        {
            trail.runs.clear();
            trail.add(job, route, Mark { started: Instant::now(), ended: None, error: None }, false);
        }
    }

    /// Its answer has come.
    #[inline]
    pub(crate) fn trail_ended(&mut self, error: Option<u16>) {
        if let Some(run) = self.trail.as_mut().and_then(|trail| trail.runs.last_mut()) {
            (run.ended, run.error) = (Some(Instant::now()), error);
        }
    }

    /// Its answer has not come.
    pub(crate) fn trail_lost(&mut self) {
        if let Some(run) = self.trail.as_mut().and_then(|trail| trail.runs.last_mut()) {
            run.lost = true;
        }
    }

    /// For the nodes of one connection.
    pub(crate) fn marks(&self) -> Marks {
        let kept = self.trail.as_ref().is_some_and(|trail| trail.wants.contains(Wants::RUNS));
        Marks { kept, ..Marks::default() }
    }

    /// Nodes of one connection have been answered, or not all of them since the connection was `lost`.
    pub(crate) fn trail_marked(
        &mut self,
        job: &Job<'_, '_>,
        routes: &[&RouteUnit],
        marks: &Marks,
        lost: bool,
    ) {
        if let Some(trail) = &mut self.trail
            && marks.kept
        {
            for (at, (route, mark)) in routes.iter().zip(&marks.marks).enumerate() {
                trail.add(job, route, *mark, lost && at == marks.answered);
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
    fn add(&mut self, job: &Job<'_, '_>, route: &RouteUnit, mark: Mark, lost: bool) {
        let Ok(unit) = unit(job, route) else { return };
        let mut text = Vec::new();
        if self.wants.contains(Wants::RUN_TEXTS) {
            job.template.render(job.call, route, &mut text);
        }
        let Mark { started, ended, error } = mark;
        self.runs.push(Run { unit: Arc::clone(unit), started, ended, text, error, lost });
    }
}

#[cfg(test)]
mod tests;
