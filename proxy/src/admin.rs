//! Executes DistSQL: checks, tests connections, stores, publishes — in this order, so that a change is either refused
//! with nothing done or lasting when it is seen.
//!
//! Changes are made one after the other. Queries read the published snapshot and wait for nobody.

mod algorithm;
mod audit;
mod configuration;
mod convert;
mod encrypt;
mod error;
mod global;
mod keep;
mod mask;
mod metadata;
mod port;
mod readwrite;
mod servers;
mod shadow;
mod sharding;
mod single;
mod tables;
mod units;
mod variables;

pub(crate) use error::Error;
pub(crate) use servers::Servers;

use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use distsql::Statement;
use meta::{Config, Database, Otherwise, Published, Snapshot, StorageUnit};
use parking_lot::Mutex;
use store::Store;

use crate::plugins::Plugins;

/// What a statement answers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Answer {
    /// OK, nothing affected.
    Ok,
    /// A result set of texts whose columns are called after something.
    Named {
        /// Names of the columns.
        columns: Vec<String>,
        /// Rows as wide as the columns.
        rows: Vec<Vec<Option<String>>>,
    },
    /// A result set of texts.
    Rows {
        /// Names of the columns.
        columns: Vec<&'static str>,
        /// Rows as wide as the columns.
        rows: Vec<Vec<Option<String>>>,
    },
}

/// Executes DistSQL, and keeps what is known of the servers' tables.
#[derive(Debug)]
pub(crate) struct Admin<S> {
    servers: S,
    published: Published,
    /// Held while a snapshot is replaced: read, changed, stored, published.
    ///
    /// Nothing once another process has the data folder.
    store: Mutex<Option<Store>>,
    /// Held by a change from its first check to the end, over questions to servers.
    turn: tokio::sync::Mutex<()>,
    node: Mutex<global::Node>,
    /// Where clients are waited for, once they are.
    address: OnceLock<SocketAddr>,
    /// What follows variables, once it is there.
    plugins: OnceLock<Arc<Plugins>>,
}

impl<S: Servers> Admin<S> {
    /// Opens the data folder and publishes what is there.
    pub(crate) fn open(folder: &Path, config: &Config, servers: S) -> anyhow::Result<Self> {
        let (store, stored) = Store::open(folder)?;
        let properties = config.properties.restore(&stored.properties)?;
        let before = Snapshot::load(stored.databases)?.with_properties(properties);
        let snapshot = configuration::begin(&before, &config.databases)?;
        store.save(&before, &snapshot)?;
        servers.watch(replicas(&snapshot));
        let published = Published::new(snapshot);
        Ok(Self {
            servers,
            published,
            store: Mutex::new(Some(store)),
            turn: tokio::sync::Mutex::default(),
            node: Mutex::new(global::Node::new(&config.users)),
            address: OnceLock::new(),
            plugins: OnceLock::new(),
        })
    }

    /// These follow variables from now on.
    pub(crate) fn is_observed_by(&self, plugins: &Arc<Plugins>) {
        self.plugins.get_or_init(|| Arc::clone(plugins));
    }

    /// Where sessions read the current snapshot.
    pub(crate) fn published(&self) -> &Published {
        &self.published
    }

    /// Executes a statement for a session whose current database is `current`.
    pub(crate) async fn execute(
        &self,
        current: Option<&str>,
        statement: &Statement,
    ) -> Result<Answer, Error> {
        match statement {
            // A session plans statements, not this.
            Statement::Preview(_) => Err(Error::unsupported("PREVIEW without a session")),
            Statement::Audit(statement) => self.audit(statement).await,
            Statement::Broadcast(statement) => self.broadcast(current, statement).await,
            Statement::Compute(statement) => Ok(self.compute(*statement)),
            Statement::Configuration(statement) => self.configuration(current, statement).await,
            Statement::Encrypt(statement) => self.encrypt(current, statement).await,
            Statement::Global(statement) => Ok(self.global(*statement)),
            Statement::Mask(statement) => self.mask(current, statement).await,
            Statement::Metadata(statement) => self.metadata(current, statement).await,
            Statement::Readwrite(statement) => self.readwrite(current, statement).await,
            Statement::Shadow(statement) => self.shadow(current, statement).await,
            Statement::Single(statement) => self.single(current, statement).await,
            Statement::Sharding(statement) => self.sharding(current, statement).await,
            Statement::Unit(statement) => self.units(current, statement).await,
            Statement::Variable(statement) => self.variables(statement).await,
            Statement::Hint(_) | Statement::Digest(_) => Err(Error::not_yet(statement.title())),
        }
    }

    /// `CREATE DATABASE`; whether it was there already.
    pub(crate) async fn create_database(&self, name: &str, otherwise: Otherwise) -> Result<bool, Error> {
        let _turn = self.turn.lock().await;
        Ok(self.commit(|snapshot| snapshot.create_database(name, otherwise))?.is_none())
    }

    /// `DROP DATABASE`; whether it was not there.
    pub(crate) async fn drop_database(&self, name: &str, otherwise: Otherwise) -> Result<bool, Error> {
        let _turn = self.turn.lock().await;
        let missing = self.commit(|snapshot| snapshot.drop_database(name, otherwise))?.is_none();
        self.retain();
        Ok(missing)
    }

    /// The database that the session is in.
    fn current(&self, name: Option<&str>) -> Result<Arc<Database>, Error> {
        self.named(&None, name)
    }

    /// The database of `FROM db`, else the one the session is in.
    fn named(&self, name: &Option<String>, current: Option<&str>) -> Result<Arc<Database>, Error> {
        let name = name.as_deref().or(current).ok_or_else(Error::no_database)?;
        Ok(Arc::clone(self.published.load().known(name)?))
    }

    /// Changes rules of the database that the session is in.
    async fn change(
        &self,
        current: Option<&str>,
        change: impl FnOnce(&Snapshot, &Database) -> Result<Snapshot, meta::Error>,
    ) -> Result<Answer, Error> {
        let _turn = self.turn.lock().await;
        let database = self.current(current)?;
        self.commit(|snapshot| change(snapshot, &database))?;
        Ok(Answer::Ok)
    }

    /// Changes rules under whose names tables stand, after which the servers are asked where they are.
    async fn change_sources(
        &self,
        current: Option<&str>,
        change: impl FnOnce(&Snapshot, &Database) -> Result<Snapshot, meta::Error>,
    ) -> Result<Answer, Error> {
        let _turn = self.turn.lock().await;
        let database = self.current(current)?;
        if self.commit(|snapshot| change(snapshot, &database))?.is_some() {
            self.refresh(&database.name).await;
        }
        Ok(Answer::Ok)
    }

    /// Replaces the snapshot: changed, stored, then published. Nothing when the change changed nothing.
    fn commit(
        &self,
        change: impl FnOnce(&Snapshot) -> Result<Snapshot, meta::Error>,
    ) -> Result<Option<Arc<Snapshot>>, Error> {
        let store = self.store.lock();
        let before = self.published.load();
        let after = change(&before)?;
        if after.epoch == before.epoch {
            return Ok(None);
        }
        match &*store {
            Some(store) => store.save(&before, &after)?,
            // What is learnt of the servers is not stored.
            None if Store::is_same(&before, &after) => {}
            None => return Err(Error::replaced()),
        }
        let after = Arc::new(after);
        self.servers.watch(replicas(&after));
        self.published.publish(Arc::clone(&after));
        Ok(Some(after))
    }

    /// Lets go of connections to units that are no more.
    fn retain(&self) {
        let snapshot = self.published.load();
        self.servers.retain(&|id| {
            snapshot.databases.values().any(|database| database.units.values().any(|unit| unit.id == id))
        });
    }
}

/// The units that readwrite-splitting groups read from.
fn replicas(snapshot: &Snapshot) -> Vec<Arc<StorageUnit>> {
    let replicas = snapshot.databases.values().flat_map(|database| {
        let replicas = database.readwrite.iter().flat_map(|group| &group.replicas);
        replicas.filter_map(|replica| database.units.get_index(usize::from(replica.unit)))
    });
    replicas.map(|(_, unit)| Arc::clone(unit)).collect()
}

fn otherwise(skip: bool) -> Otherwise {
    if skip { Otherwise::Skip } else { Otherwise::Fail }
}

/// `COUNT … RULE`: numbers of rules by kind.
fn counted(database: &Database, counts: &[(&str, usize)]) -> Answer {
    let row =
        |(kind, count): &(&str, usize)| vec![cell(*kind), cell(&database.name), cell(count.to_string())];
    Answer::Rows { columns: vec!["rule_name", "database", "count"], rows: counts.iter().map(row).collect() }
}

/// A cell with a value.
fn cell(text: impl Into<String>) -> Option<String> {
    Some(text.into())
}

/// Properties as release 5.3 shows them: `key=value,key2=value2`.
fn properties<'a>(properties: impl IntoIterator<Item = (&'a String, &'a String)>) -> String {
    let pairs: Vec<_> = properties.into_iter().map(|(key, value)| format!("{key}={value}")).collect();
    pairs.join(",")
}

#[cfg(test)]
mod tests;
