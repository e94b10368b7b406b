//! The process list: which sessions there are, and the switch that ends one.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

/// Sessions by connection id.
#[derive(Debug, Default)]
pub struct Registry {
    // Taken at login and logout only.
    sessions: Mutex<BTreeMap<u32, Entry>>,
}

/// One session, as others see it.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// User name.
    pub(crate) user: Arc<str>,
    /// `address:port` of the client.
    pub(crate) host: Arc<str>,
    /// When it logged in.
    pub(crate) since: std::time::Instant,
    /// Cancelled to end the session.
    pub(crate) kill: CancellationToken,
}

/// A session's place in the list, given up on drop.
#[derive(Debug)]
pub(crate) struct Registered<'a> {
    registry: &'a Registry,
    id: u32,
}

impl Registry {
    pub(crate) fn enter(&self, id: u32, entry: Entry) -> Registered<'_> {
        self.sessions.lock().insert(id, entry);
        Registered { registry: self, id }
    }

    /// Ends a session of that user; false when there is none with that id.
    pub(crate) fn kill(&self, id: u32, user: &str) -> bool {
        let sessions = self.sessions.lock();
        sessions.get(&id).filter(|entry| &*entry.user == user).map(|entry| entry.kill.cancel()).is_some()
    }

    /// Ends every session, as `KILL` does: what runs for them is ended on its servers and rolled back.
    pub fn end_all(&self) {
        for entry in self.sessions.lock().values() {
            entry.kill.cancel();
        }
    }

    /// A session belongs to another user now.
    pub(crate) fn rename(&self, id: u32, user: &str) {
        if let Some(entry) = self.sessions.lock().get_mut(&id) {
            entry.user = user.into();
        }
    }

    /// How many there are.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "a figure, not a collection")]
    pub fn len(&self) -> usize {
        self.sessions.lock().len()
    }

    /// All sessions by id.
    pub(crate) fn list(&self) -> Vec<(u32, Entry)> {
        self.sessions.lock().iter().map(|(id, entry)| (*id, entry.clone())).collect()
    }
}

impl Drop for Registered<'_> {
    fn drop(&mut self) {
        self.registry.sessions.lock().remove(&self.id);
    }
}
