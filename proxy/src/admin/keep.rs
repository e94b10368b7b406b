//! The configuration beyond single statements: read anew from its files, and handed over to the process that takes this
//! one's place.

use std::path::{Path, PathBuf};

use meta::{Config, Properties};
use store::Store;
use tokio::sync::MutexGuard;

use super::configuration::begin;
use super::{Admin, Error, Servers, global};

/// The data folder while it is another process's to open; changes wait.
#[derive(Debug)]
pub(crate) struct Released<'a, S> {
    admin: &'a Admin<S>,
    folder: Option<PathBuf>,
    _turn: MutexGuard<'a, ()>,
}

impl<S: Servers> Admin<S> {
    /// The variables as they are with the configuration's files read anew: what DistSQL has set stands above them.
    pub(crate) fn properties(&self, config: &Config) -> Result<Properties, Error> {
        Ok(config.properties.restore(&self.published.load().properties.stored())?)
    }

    /// Takes the variables of the configuration, and its databases that are not there yet.
    pub(crate) async fn reload(&self, config: &Config) -> Result<(), Error> {
        let fresh: Vec<_> = {
            let _turn = self.turn.lock().await;
            let known = self.published.load();
            self.commit(|before| {
                let properties = config.properties.restore(&before.properties.stored())?;
                if properties == before.properties {
                    return begin(before, &config.databases);
                }
                begin(&before.with_properties(properties), &config.databases)
            })?;
            let names = config.databases.iter().map(|spec| spec.name.as_str());
            names.filter(|name| known.database(name).is_none()).collect()
        };
        *self.node.lock() = global::Node::new(&config.users);
        for name in fresh {
            tracing::info!(database = name, "made as its file says");
            self.refresh(name).await;
        }
        Ok(())
    }

    /// Lets another process open the data folder.
    pub(crate) async fn release(&self) -> Released<'_, S> {
        let turn = self.turn.lock().await;
        let folder = self.store.lock().take().map(|store| store.folder().to_owned());
        Released { admin: self, folder, _turn: turn }
    }
}

impl<S> Released<'_, S> {
    /// The other process has not come to be.
    pub(crate) fn take_back(self) -> Result<(), store::Error> {
        let Some(folder) = &self.folder else { return Ok(()) };
        // As it was: nobody else has changed what is there.
        *self.admin.store.lock() = Some(open(folder)?);
        Ok(())
    }
}

fn open(folder: &Path) -> Result<Store, store::Error> {
    Store::open(folder).map(|(store, _)| store)
}
