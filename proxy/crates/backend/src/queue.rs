//! Who waits for a connection of one storage unit, and who is next.

use std::collections::VecDeque;

use tokio::sync::oneshot;

use crate::gate::Admission;
use crate::pool::Grant;

/// The sessions of all workers that wait.
#[derive(Default)]
pub(crate) struct Queue {
    /// The next ticket; they grow in every line from front to back.
    next: u64,
    /// Those who hold what others wait for; served first.
    urgent: VecDeque<Waiter>,
    /// Everybody else, by worker.
    regular: Vec<VecDeque<Waiter>>,
}

/// One session that waits.
pub(crate) struct Waiter {
    ticket: u64,
    pub(crate) worker: u32,
    pub(crate) found_rows: bool,
    pub(crate) grant: oneshot::Sender<Grant>,
}

/// What a worker gives back goes to a waiter of its own if one came at most so many places behind the first of all: to
/// wake another thread is a good part of what the relay of a short query costs, and a worker gives several connections
/// back before another has its turn on a processor.
const REACH: u64 = 32;

impl Queue {
    pub(crate) fn is_empty(&self) -> bool {
        self.urgent.is_empty() && self.regular.iter().all(VecDeque::is_empty)
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
        self.line(admission, worker).push_back(Waiter { ticket, worker, found_rows, grant });
        ticket
    }

    /// Takes out a session that waits no more; whether it was still there.
    pub(crate) fn quit(&mut self, admission: Admission, worker: u32, ticket: u64) -> bool {
        let line = self.line(admission, worker);
        let place = line.binary_search_by_key(&ticket, |waiter| waiter.ticket);
        place.is_ok_and(|at| line.remove(at).is_some())
    }

    /// Who is to be served first, and how it asks.
    pub(crate) fn first(&self) -> Option<(&Waiter, Admission)> {
        match self.urgent.front() {
            Some(waiter) => Some((waiter, Admission::Urgent)),
            None => self.oldest().map(|waiter| (waiter, Admission::Regular)),
        }
    }

    /// Takes that one out.
    pub(crate) fn take_first(&mut self) -> Option<Waiter> {
        let (first, admission) = self.first()?;
        let worker = first.worker;
        self.line(admission, worker).pop_front()
    }

    /// Takes out the regular waiter who gets what worker `home` has given back.
    pub(crate) fn take_near(&mut self, home: u32) -> Option<Waiter> {
        let (oldest, worker) = self.oldest().map(|waiter| (waiter.ticket, waiter.worker))?;
        let near = self.regular.get(home as usize).and_then(VecDeque::front);
        let worker = if near.is_some_and(|near| near.ticket - oldest <= REACH) { home } else { worker };
        self.line(Admission::Regular, worker).pop_front()
    }

    /// Takes out everybody.
    pub(crate) fn take_all(&mut self) -> impl Sized + use<> {
        (std::mem::take(&mut self.urgent), std::mem::take(&mut self.regular))
    }

    fn oldest(&self) -> Option<&Waiter> {
        self.regular.iter().filter_map(VecDeque::front).min_by_key(|waiter| waiter.ticket)
    }

    fn line(&mut self, admission: Admission, worker: u32) -> &mut VecDeque<Waiter> {
        let worker = worker as usize;
        match admission {
            Admission::Urgent => &mut self.urgent,
            Admission::Regular => {
                if self.regular.len() <= worker {
                    self.regular.resize_with(worker + 1, VecDeque::new);
                }
                &mut self.regular[worker]
            }
        }
    }
}
