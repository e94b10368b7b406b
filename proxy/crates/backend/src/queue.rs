//! Who waits for a connection of one storage unit, and who is next.

use std::collections::VecDeque;

use tokio::sync::oneshot;

use crate::gate::Admission;
use crate::pool::Grant;

/// The sessions of all workers that wait, in the order they came.
#[derive(Default)]
pub(crate) struct Queue {
    next: u64,
    /// Those who hold what others wait for; served first. Tickets grow from front to back.
    urgent: VecDeque<Waiter>,
    /// Everybody else, likewise.
    regular: VecDeque<Waiter>,
}

/// One session that waits.
pub(crate) struct Waiter {
    ticket: u64,
    pub(crate) worker: u32,
    pub(crate) found_rows: bool,
    /// How often others were served that came later.
    passed: u8,
    pub(crate) grant: oneshot::Sender<Grant>,
}

/// A connection goes to a waiter of its own worker if one is among so many at the front: waking another thread and
/// moving the socket there costs about as much as the whole relay of a short query.
const REACH: usize = 16;
/// No waiter is passed over more often than this.
const PASSES: u8 = 8;

impl Queue {
    pub(crate) fn is_empty(&self) -> bool {
        self.urgent.is_empty() && self.regular.is_empty()
    }

    /// Queues a session up behind everybody else of its kind; gives its ticket.
    pub(crate) fn join(
        &mut self,
        admission: Admission,
        worker: u32,
        found_rows: bool,
        grant: oneshot::Sender<Grant>,
    ) -> u64 {
        let ticket = self.next;
        self.next += 1;
        self.line(admission).push_back(Waiter { ticket, worker, found_rows, passed: 0, grant });
        ticket
    }

    /// Takes out a session that waits no more; whether it was still there.
    pub(crate) fn quit(&mut self, admission: Admission, ticket: u64) -> bool {
        let line = self.line(admission);
        let place = line.binary_search_by_key(&ticket, |waiter| waiter.ticket);
        place.is_ok_and(|at| line.remove(at).is_some())
    }

    /// Who is to be served first, and how it asks.
    pub(crate) fn first(&self) -> Option<(&Waiter, Admission)> {
        let urgent = self.urgent.front().map(|waiter| (waiter, Admission::Urgent));
        urgent.or_else(|| self.regular.front().map(|waiter| (waiter, Admission::Regular)))
    }

    pub(crate) fn take_first(&mut self, admission: Admission) -> Option<Waiter> {
        self.line(admission).pop_front()
    }

    /// Takes out everybody.
    pub(crate) fn take_all(&mut self) -> impl Sized + use<> {
        (std::mem::take(&mut self.urgent), std::mem::take(&mut self.regular))
    }

    /// Takes out the regular waiter who gets what worker `home` has given back.
    pub(crate) fn take_near(&mut self, home: u32) -> Option<Waiter> {
        let near = self.regular.iter().take(REACH).position(|waiter| waiter.worker == home).unwrap_or(0);
        if self.regular.iter().take(near).any(|waiter| waiter.passed >= PASSES) {
            return self.regular.pop_front();
        }
        self.regular.iter_mut().take(near).for_each(|waiter| waiter.passed += 1);
        self.regular.remove(near)
    }

    fn line(&mut self, admission: Admission) -> &mut VecDeque<Waiter> {
        match admission {
            Admission::Regular => &mut self.regular,
            Admission::Urgent => &mut self.urgent,
        }
    }
}
