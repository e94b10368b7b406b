//! Logins, failed ones too, changes of user, and ends of sessions, for whoever wants to know.

use std::time::{Duration, Instant};

use observe::{Error, Event, Head, Party, Wants};

use crate::error::Problem;
use crate::local::Local;
use crate::session::Session;

impl Session {
    /// Somebody has logged in.
    pub(crate) fn tell_connected(&self, began: Instant) {
        let outlet = &self.local.outlet;
        if outlet.hub().wants().contains(Wants::COUNTS) {
            outlet.counts().logins.add(1);
        }
        self.tell_session(began, None, Event::Connect);
    }

    /// The session is somebody else's.
    pub(crate) fn tell_changed(&self, began: Instant) {
        self.tell_session(began, None, Event::ChangeUser);
    }

    /// The session ends, maybe since something went wrong.
    pub(crate) fn tell_quit(&self, began: Instant, problem: Option<&Problem>) {
        self.tell_session(began, problem, Event::Quit);
    }

    fn tell_session<'a>(
        &'a self,
        began: Instant,
        problem: Option<&'a Problem>,
        event: impl FnOnce(observe::Session<'a>) -> Event<'a>,
    ) {
        if !self.local.outlet.hub().wants().contains(Wants::SESSIONS) {
            return;
        }
        let head = Head {
            record: (0, 0),
            session: self.id,
            user: &self.who.user,
            client: &self.who.address,
            database: self.schema.as_deref().unwrap_or_default(),
            at: self.local.clock.at(Instant::now()),
            elapsed: began.elapsed(),
            error: problem.map(|problem| error(problem, problem.party())),
        };
        let session = observe::Session { head, encrypted: self.client.secure(), statements: self.questions };
        self.local.outlet.put(event(session));
    }
}

/// The same as events have it.
pub(crate) fn error(problem: &Problem, party: Party) -> Error<'_> {
    let state = problem.state.as_bytes().first_chunk().copied().unwrap_or(*b"HY000");
    Error { code: problem.code, state, party, message: problem.message.as_bytes() }
}

/// Somebody, who wanted to be in a database, was not let in, or not as another user.
#[cold]
pub(crate) fn tell_refused<'a>(
    local: &Local,
    session: u32,
    client: &'a str,
    (user, database): (&'a str, Option<&'a str>),
    encrypted: bool,
    problem: &'a Problem,
    event: impl FnOnce(observe::Session<'a>) -> Event<'a>,
) {
    let outlet = &local.outlet;
    if outlet.hub().wants().contains(Wants::COUNTS) {
        outlet.counts().refused.add(1);
    }
    if !outlet.hub().wants().contains(Wants::SESSIONS) {
        return;
    }
    let at = local.clock.at(Instant::now());
    let (database, error) = (database.unwrap_or_default(), Some(error(problem, problem.party())));
    let head = Head { record: (0, 0), session, user, client, database, at, elapsed: Duration::ZERO, error };
    outlet.put(event(observe::Session { head, encrypted, statements: 0 }));
}
