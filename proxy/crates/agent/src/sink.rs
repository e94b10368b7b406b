//! What takes events.

use std::time::Duration;

use observe::{Event, Sampler, Wants};

use crate::file::LogFile;

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

    /// The file that it writes, if it does: whatever is asked of a sink and not done by itself is asked of that.
    fn file(&mut self) -> Option<&mut LogFile> {
        None
    }

    /// A round of events is over. When this returns, records count as written ([`Wants::CONFIRMED`]).
    fn flush(&mut self) {
        if let Some(file) = self.file() {
            file.flush();
        }
    }

    /// About once a second, whether there are events or not.
    fn tick(&mut self) {
        if let Some(file) = self.file() {
            file.tick();
        }
    }

    /// Opens its file anew: somebody has moved it.
    fn reopen(&mut self) {
        if let Some(file) = self.file() {
            file.reopen();
        }
    }

    /// Begins a new file.
    fn rotate(&mut self) {
        if let Some(file) = self.file() {
            file.rotate();
        }
    }
}
