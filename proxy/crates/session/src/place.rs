//! Where a plan goes, as far as the session and the servers decide; and where it goes instead when a replica does not
//! answer.

use exec::{Job, Outcome};
use meta::{StorageUnit, UnitId};
use plan::{Call, Placement, Plan, RouteUnit, Template};

use crate::error::Problem;
use crate::session::Session;

/// What a plan is placed for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Purpose {
    /// To be shown.
    Preview,
    /// To be run.
    Run,
}

impl Session {
    /// Chooses the units of a plan among those that take statements, without the ones `lost` to this statement.
    pub(crate) fn place(
        &mut self,
        template: &Template,
        plan: &mut Plan,
        call: &Call<'_>,
        purpose: Purpose,
        lost: &[UnitId],
    ) -> Result<(), plan::Error> {
        let hub = &self.shared.hub;
        let is_up = |unit: &StorageUnit| !lost.contains(&unit.id) && hub.is_up(unit.id);
        let mut placement = Placement {
            // Without autocommit a statement opens one.
            in_transaction: self.executor.in_transaction() || !self.state.autocommit,
            read_only: self.executor.is_read_only(),
            // A tie is to a connection of a primary: only reads go elsewhere, and they tie nothing.
            write_only: self.state.write_only || self.executor.is_pinned(),
            preview: purpose == Purpose::Preview,
            is_up: &is_up,
            random: fastrand::u64(..),
            bereft: None,
            chosen: self.executor.chosen_mut(),
        };
        template.place(plan, call, &mut placement)?;
        if let (Some(group), Some(database), Purpose::Run) = (placement.bereft, template.database(), purpose)
            && let Some(name) = database.sources.name(group)
        {
            hub.warn_of_bereft(name);
        }
        Ok(())
    }

    /// Reads elsewhere what a replica did not answer. Nothing of an answer may have been written, and no state may have
    /// been lost with the connection. A statement that may have run goes to one more server only: it may be what the
    /// first one died of.
    pub(crate) async fn elsewhere(
        &mut self,
        job: Job<'_, '_>,
        first: exec::Error,
    ) -> Result<Outcome, exec::Error> {
        let mut plan = job.plan.clone();
        let mut lost = Vec::new();
        let mut failed = first;
        let mut again = true;
        loop {
            let replica = replica(&job, &plan, &failed).filter(|replica| !lost.contains(&replica.id));
            let Some(replica) = replica.filter(|_| self.client.is_unanswered()) else {
                return Err(failed);
            };
            if may_have_run(&failed) && !std::mem::take(&mut again) {
                return Err(failed);
            }
            tracing::debug!(unit = replica.name, error = %failed, "read from another server");
            lost.push(replica.id);
            self.executor.chosen_mut().forget(replica.id);
            let placed = self.place(job.template, &mut plan, job.call, Purpose::Run, &lost);
            let is_lost = |route: &RouteUnit| {
                let unit = job.database.units.get_index(usize::from(route.unit));
                unit.is_none_or(|(_, unit)| lost.contains(&unit.id))
            };
            // What cannot go elsewhere, as all that writes, stays where it failed.
            if placed.is_err() || plan.units.iter().any(is_lost) {
                return Err(failed);
            }
            match self.executor.run(Job { plan: &plan, ..job }, &mut self.client).await {
                Ok(outcome) => return Ok(outcome),
                Err(error) => failed = error,
            }
        }
    }

    /// A plan as it would be run now.
    pub(crate) fn planned(&mut self, template: &Template, call: &Call<'_>) -> Result<Plan, Problem> {
        let refused = |error| Problem::plan(&error, call.text);
        let mut plan = template.bind(call).map_err(refused)?;
        if template.is_movable() {
            self.place(template, &mut plan, call, Purpose::Preview, &[]).map_err(refused)?;
        }
        Ok(plan)
    }
}

/// Whether the statement was sent, as far as can be told.
fn may_have_run(error: &exec::Error) -> bool {
    use backend::Error::{Closed, Io, Protocol};
    matches!(error, exec::Error::Backend(Closed { .. } | Io { .. } | Protocol { .. }))
}

/// The replica of a plan that did not answer: it was chosen for reading, so that another may be as well.
fn replica<'a>(job: &Job<'a, '_>, plan: &Plan, error: &exec::Error) -> Option<&'a StorageUnit> {
    let exec::Error::Backend(error) = error else { return None };
    let name = &error.origin()?.unit;
    let (at, _, unit) = job.database.units.get_full(name)?;
    let sources = &job.database.sources;
    let chosen =
        |route: &RouteUnit| usize::from(route.unit) == at && sources.primary(route.source) != route.unit;
    plan.units.iter().any(chosen).then_some(&**unit)
}
