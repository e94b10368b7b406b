//! What takes events.

use std::time::Duration;

use observe::{Event, Sampler, Wants};

/// Takes the events of all sessions, on the writer's thread: those of one session in their order.
pub trait Sink: Send {
    /// What it is called in messages and counters: `general-log`.
    fn name(&self) -> &'static str;

    /// What it needs to be told.
    fn wants(&self) -> Wants;

    /// From which time on statements are slow, for one that wants [`Wants::SLOW`].
    fn slow(&self) -> Option<Duration> {
        None
    }

    /// How statements are chosen, for one that wants [`Wants::TRACES`]; of several such the first decides.
    fn sampler(&self) -> Option<Sampler> {
        None
    }

    /// How many bytes of a statement's text it makes use of.
    fn text_limit(&self) -> usize;

    /// Takes one event. It may be one that only others have asked for.
    fn take(&mut self, event: &Event<'_>);

    /// A round of events is over. When this returns, records count as written ([`Wants::CONFIRMED`]).
    fn flush(&mut self);

    /// About once a second, whether there are events or not.
    fn tick(&mut self) {}

    /// Opens its files anew: somebody has moved them.
    fn reopen(&mut self) {}

    /// Begins a new file, if it writes some.
    fn rotate(&mut self) {}
}
