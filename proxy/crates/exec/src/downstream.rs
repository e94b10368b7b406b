//! The client's side of an exchange, as much of it as running a plan needs.

use std::future::Future;
use std::io;
use std::task::Context;

use bytes::BytesMut;
use wire::caps::{Capabilities, Status};

/// Output waits in memory up to this size before the client must take it.
pub(crate) const FULL: usize = 32 * 1024;

/// Where answers go; implemented by the session.
pub trait Downstream {
    /// The buffer, and the number of the next frame written to it.
    fn output(&mut self) -> (&mut BytesMut, &mut u8);

    /// Sends the buffer. The end of an answer is not flushed here but by the session, once for everything.
    fn flush(&mut self) -> impl Future<Output = io::Result<()>>;

    /// Whether the client lets servers ask for its files (`CLIENT_LOCAL_FILES`).
    fn sends_files(&self) -> bool;

    /// Whether it numbers frames one after the other, as it does outside of compressed packets.
    fn numbers_frames(&self) -> bool {
        true
    }

    /// What the client has sent beyond the command that is being answered.
    fn input(&mut self) -> &mut BytesMut;

    /// Receives more of it; 0 when the client has hung up.
    fn fill(&mut self) -> impl Future<Output = io::Result<usize>>;

    /// How the client reads answers.
    fn dialect(&self) -> Dialect;

    /// Watches the client, beside whoever writes to it.
    fn watch(&self) -> impl Watch + use<Self>;
}

/// Tells whether somebody still waits for an answer.
pub trait Watch {
    /// Why nobody does any more; asked whenever the task is about to wait, which is woken when that changes.
    fn poll_absence(&mut self, cx: &mut Context<'_>) -> Option<Absence>;
}

/// Somebody always waits.
impl Watch for () {
    fn poll_absence(&mut self, _: &mut Context<'_>) -> Option<Absence> {
        None
    }
}

/// Why nobody waits for an answer any more.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Absence {
    /// The statement is to end; the session goes on. Told once.
    Interrupted,
    /// The session is to end.
    Killed,
    /// The client has hung up.
    Left,
}

/// What the client agreed to at login.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Dialect {
    /// No EOF packets: columns are not ended, rows end with an OK packet.
    pub deprecate_eof: bool,
    /// OK packets may tell what changed in the session.
    pub session_track: bool,
    /// Further statements of the same text follow: no answer is the last, unless it is an error.
    pub more: bool,
}

impl Dialect {
    /// As capabilities for the encoders of `wire`.
    pub(crate) fn capabilities(self) -> Capabilities {
        let mut capabilities = Capabilities::PROTOCOL_41 | Capabilities::TRANSACTIONS;
        capabilities.set(Capabilities::DEPRECATE_EOF, self.deprecate_eof);
        capabilities.set(Capabilities::SESSION_TRACK, self.session_track);
        capabilities
    }

    /// The flags of an answer's end as they are told.
    #[inline]
    pub(crate) fn told(self, status: Status) -> Status {
        if self.more { status | Status::MORE_RESULTS_EXIST } else { status }
    }
}
