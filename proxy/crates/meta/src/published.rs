//! The snapshot that is valid now.

use std::sync::Arc;

use arc_swap::ArcSwap;
use arc_swap::cache::Cache;

use crate::snapshot::Snapshot;

/// Holds the current [`Snapshot`]; swapped whole. Clones hold the same one.
#[derive(Clone, Debug, Default)]
pub struct Published(Arc<ArcSwap<Snapshot>>);

/// A worker's own view: asking it costs one load unless there is a new snapshot.
#[derive(Clone, Debug)]
pub struct Reader(Cache<Arc<ArcSwap<Snapshot>>, Arc<Snapshot>>);

impl Published {
    /// Starts with a snapshot.
    pub fn new(snapshot: Snapshot) -> Self {
        Self(Arc::new(ArcSwap::from_pointee(snapshot)))
    }

    /// The current snapshot.
    pub fn load(&self) -> Arc<Snapshot> {
        self.0.load_full()
    }

    /// Makes another snapshot the current one.
    pub fn publish(&self, snapshot: Arc<Snapshot>) {
        self.0.store(snapshot);
    }

    /// A view for one worker.
    pub fn reader(&self) -> Reader {
        Reader(Cache::new(Arc::clone(&self.0)))
    }
}

impl Reader {
    /// The current snapshot.
    pub fn latest(&mut self) -> &Arc<Snapshot> {
        self.0.load()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_sees_what_is_published_after_it_was_made() {
        let published = Published::default();
        let mut reader = published.reader();
        assert_eq!(reader.latest().epoch, 0);
        published.publish(Arc::new(Snapshot { epoch: 7, ..Snapshot::default() }));
        assert_eq!((reader.latest().epoch, published.load().epoch), (7, 7));
    }
}
