//! Changes: each a pure function from one snapshot to the next, with all its checks; refused whole or done whole.

mod algorithm;
mod encrypt;
mod import;
mod mask;
mod named;
mod readwrite;
mod shadow;
mod sharding;
mod single;

use std::collections::HashSet;
use std::hash::Hash;
use std::sync::Arc;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Names, RuleKind};
use crate::rule::{
    BindingSpec, BroadcastRule, DefaultStrategies, EncryptRule, EncryptTableSpec, MaskRule, MaskTableSpec,
    NamedAlgorithms, ReadwriteGroup, ReadwriteSpec, ShadowRule, ShadowSpec, ShardingRule, ShardingTableSpec,
    SingleSpec,
};
use crate::snapshot::{Database, Snapshot, Table};
use crate::source::Sources;
use crate::unit::{StorageUnit, UnitId, UnitSpec};

pub use readwrite::Switch;
pub use shadow::{NamedAlgorithm, ShadowDefault, ShadowDraft};
pub use single::Load;

/// Databases that every MySQL has; no logical database may be called so.
pub const SYSTEM_DATABASES: [&str; 4] = ["information_schema", "mysql", "performance_schema", "sys"];

/// What to do with names that are there already (`IF NOT EXISTS`) or are not (`IF EXISTS`).
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Otherwise {
    /// Refuse the statement.
    #[default]
    Fail,
    /// Leave those names out.
    Skip,
}

/// Whether single tables keep their storage unit from being unregistered.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum SingleTables {
    /// They do.
    #[default]
    Count,
    /// `IGNORE SINGLE TABLES`.
    Ignore,
}

/// A database as it is stored and exported.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct DatabaseSpec {
    /// Its name.
    pub name: String,
    /// Storage units in order of registration.
    #[serde(default)]
    pub units: IndexMap<String, UnitSpec>,
    /// Readwrite-splitting groups in order of creation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub readwrite: Vec<ReadwriteSpec>,
    /// Shadow rules.
    #[serde(default, skip_serializing_if = "ShadowSpec::is_empty")]
    pub shadow: ShadowSpec,
    /// Single tables.
    #[serde(default, skip_serializing_if = "SingleSpec::is_empty")]
    pub single: SingleSpec,
    /// Sharded tables in order of creation.
    #[serde(default)]
    pub sharding: Vec<ShardingTableSpec>,
    /// Groups of sharded tables that are joined by their sharding columns, in order of creation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bindings: Vec<BindingSpec>,
    /// Strategies of sharded tables that name none.
    #[serde(default, skip_serializing_if = "DefaultStrategies::is_empty")]
    pub strategies: DefaultStrategies,
    /// Sharding algorithms, key generators and auditors that were created by themselves.
    #[serde(default, skip_serializing_if = "NamedAlgorithms::is_empty")]
    pub algorithms: NamedAlgorithms,
    /// Tables with the same rows on every source.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub broadcast: Vec<String>,
    /// Encrypted tables in order of creation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub encrypt: Vec<EncryptTableSpec>,
    /// Masked tables in order of creation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mask: Vec<MaskTableSpec>,
}

impl Snapshot {
    /// The first snapshot: stored databases, each checked as if it were created now.
    pub fn load(databases: Vec<DatabaseSpec>) -> Result<Self, Error> {
        let mut snapshot = Self::default();
        for spec in databases {
            let name = spec.name.clone();
            snapshot = snapshot.create_database(&name, Otherwise::Fail)?.respec(&name, |known| {
                *known = spec;
                Ok(())
            })?;
        }
        Ok(snapshot)
    }

    /// `CREATE DATABASE`.
    pub fn create_database(&self, name: &str, otherwise: Otherwise) -> Result<Self, Error> {
        if self.databases.contains_key(name)
            || SYSTEM_DATABASES.iter().any(|it| it.eq_ignore_ascii_case(name))
        {
            return match otherwise {
                Otherwise::Fail => Err(Error::DatabaseExists(name.to_owned())),
                Otherwise::Skip => Ok(self.clone()),
            };
        }
        // As in MySQL: at most 64 characters of the basic plane, no blank at the end.
        let wrong = |c: char| c == '\0' || c > '\u{ffff}';
        if name.is_empty() || name.chars().count() > 64 || name.ends_with(' ') || name.contains(wrong) {
            return Err(Error::DatabaseName(name.to_owned()));
        }
        let mut next = self.next();
        let database = Database { name: name.to_owned(), ..Database::default() };
        next.databases.insert(name.to_owned(), Arc::new(database));
        Ok(next)
    }

    /// `DROP DATABASE`: its units and rules go, the servers' data stays.
    pub fn drop_database(&self, name: &str, otherwise: Otherwise) -> Result<Self, Error> {
        let mut next = self.next();
        match (next.databases.shift_remove(name), otherwise) {
            (Some(_), _) => Ok(next),
            (None, Otherwise::Skip) => Ok(self.clone()),
            (None, Otherwise::Fail) => Err(Error::DatabaseMissing(name.to_owned())),
        }
    }

    /// `REGISTER STORAGE UNIT`.
    pub fn register_units(
        &self,
        database: &str,
        units: Vec<(String, UnitSpec)>,
        otherwise: Otherwise,
    ) -> Result<Self, Error> {
        let known = self.known(database)?;
        let taken = |name: &str| known.sources.index(name).is_some();
        let twice = repeated(units.iter().map(|(name, _)| name.clone()));
        let there = units.iter().map(|(name, _)| name).filter(|name| taken(name));
        let clashes: Vec<_> = match otherwise {
            Otherwise::Fail => merged(twice, there.cloned()),
            Otherwise::Skip => twice,
        };
        if !clashes.is_empty() {
            return Err(Error::DuplicateUnits(Names(clashes)));
        }
        let fresh: Vec<_> = units.into_iter().filter(|(name, _)| !taken(name)).collect();
        self.respec(database, |spec| {
            spec.units.extend(fresh);
            Ok(())
        })
    }

    /// `ALTER STORAGE UNIT`: user, password and properties; the changed units get new pools.
    pub fn alter_units(&self, database: &str, units: Vec<(String, UnitSpec)>) -> Result<Self, Error> {
        let known = self.known(database)?;
        let twice = repeated(units.iter().map(|(name, _)| name.clone()));
        if !twice.is_empty() {
            return Err(Error::DuplicateUnits(Names(twice)));
        }
        known.require_units(units.iter().map(|(name, _)| name))?;
        let moved: Vec<_> = units
            .iter()
            .filter(|(name, spec)| known.units.get(name).is_some_and(|unit| !unit.spec.same_place(spec)))
            .map(|(name, _)| name.clone())
            .collect();
        if !moved.is_empty() {
            let text = format!("Cannot alter the database of {}", Names(moved));
            return Err(Error::InvalidUnits(Names(vec![text])));
        }
        self.respec(database, |spec| {
            spec.units.extend(units);
            Ok(())
        })
    }

    /// `UNREGISTER STORAGE UNIT`.
    pub fn unregister_units(
        &self,
        database: &str,
        names: &[String],
        otherwise: Otherwise,
        singles: SingleTables,
    ) -> Result<Self, Error> {
        let known = self.known(database)?;
        if otherwise == Otherwise::Fail {
            known.require_units(names)?;
        }
        let gone: Vec<_> = names.iter().filter(|name| known.units.contains_key(*name)).collect();
        for name in &gone {
            let by: Vec<_> = known
                .users_of(name)
                .into_iter()
                .filter(|user| singles == SingleTables::Count || *user != RuleKind::Single)
                .map(|user| user.class_name().to_owned())
                .collect();
            if !by.is_empty() {
                return Err(Error::UnitInUse { unit: (*name).clone(), by: Names(by) });
            }
        }
        self.respec(database, |spec| {
            spec.units.retain(|name, _| !gone.contains(&name));
            Ok(())
        })
    }

    /// Adds what was found out about tables.
    pub fn learn_tables(&self, database: &str, tables: Vec<Table>) -> Result<Self, Error> {
        let known = self.known(database)?;
        if tables.iter().all(|table| known.table(&table.name).is_some_and(|it| **it == *table)) {
            return Ok(self.clone());
        }
        self.amend(database, |database, _| {
            for table in tables {
                database.tables.insert(table.name.to_ascii_lowercase(), Arc::new(table));
            }
            Ok(())
        })
    }

    /// Forgets tables that were dropped or changed.
    pub fn forget_tables(&self, database: &str, names: &[String]) -> Result<Self, Error> {
        let known = self.known(database)?;
        if names.iter().all(|name| known.table(name).is_none()) {
            return Ok(self.clone());
        }
        self.amend(database, |database, _| {
            for name in names {
                database.tables.shift_remove(&name.to_ascii_lowercase());
            }
            Ok(())
        })
    }

    /// Replaces the single tables by those found on the units, in the order of the units; structures already
    /// known are kept. Also gives back names found on more than one unit, with the unit that is not taken.
    pub fn place_tables(
        &self,
        database: &str,
        found: &[(String, Vec<String>)],
    ) -> Result<(Self, Vec<(String, String)>), Error> {
        let mut passed_over = Vec::new();
        let next = self.amend(database, |database, _| {
            let before = std::mem::take(&mut database.tables);
            for (unit, names) in found {
                let seen = |name: &&String| {
                    !database.sharding.covers(name)
                        && !database.broadcast.covers(name)
                        && !database.single.hides(unit, name)
                };
                for name in names.iter().filter(seen) {
                    let key = name.to_ascii_lowercase();
                    if let Some(known) = database.tables.get(&key) {
                        // A rule's sources may be told one after the other.
                        if known.source.as_ref() != Some(unit) {
                            passed_over.push((name.clone(), unit.clone()));
                        }
                        continue;
                    }
                    let table = match before.get(&key) {
                        Some(table) if table.source.as_ref() == Some(unit) => Arc::clone(table),
                        _ => Arc::new(Table {
                            name: name.clone(),
                            source: Some(unit.clone()),
                            ..Table::default()
                        }),
                    };
                    database.tables.insert(key, table);
                }
            }
            for (key, table) in before {
                if table.source.is_none()
                    && (database.sharding.tables.contains_key(&key) || database.broadcast.covers(&key))
                {
                    database.tables.insert(key, table);
                }
            }
            Ok(())
        })?;
        let tables = |snapshot: &Self| snapshot.database(database).map(|it| it.tables.clone());
        let same = tables(&next) == tables(self);
        Ok((if same { self.clone() } else { next }, passed_over))
    }

    /// The database, or the error that names it.
    pub fn known(&self, database: &str) -> Result<&Arc<Database>, Error> {
        self.database(database).ok_or_else(|| Error::UnknownDatabase(database.to_owned()))
    }

    /// Changes what a database is configured to be: the whole is checked again, and nothing is changed if it cannot be.
    pub(crate) fn respec(
        &self,
        database: &str,
        change: impl FnOnce(&mut DatabaseSpec) -> Result<(), Error>,
    ) -> Result<Self, Error> {
        let known = self.known(database)?;
        let before = known.spec();
        let mut spec = before.clone();
        change(&mut spec)?;
        if spec == before {
            return Ok(self.clone());
        }
        let mut next = self.next();
        let built = Database::build(spec, Some(known), &mut next.next_unit)?;
        next.databases.insert(database.to_owned(), Arc::new(built));
        Ok(next)
    }

    /// The next snapshot, still equal to this one but for its epoch.
    pub(crate) fn next(&self) -> Self {
        Self { epoch: self.epoch + 1, ..self.clone() }
    }

    fn amend(
        &self,
        database: &str,
        change: impl FnOnce(&mut Database, &mut u32) -> Result<(), Error>,
    ) -> Result<Self, Error> {
        let mut changed = Database::clone(self.known(database)?);
        let mut next = self.next();
        change(&mut changed, &mut next.next_unit)?;
        next.databases.insert(database.to_owned(), Arc::new(changed));
        Ok(next)
    }
}

impl Database {
    /// Puts a database together from its configuration, checked as a whole. What is known of the servers' tables is
    /// kept from `before`, and so are units that have not changed.
    pub(crate) fn build(
        spec: DatabaseSpec,
        before: Option<&Self>,
        next_unit: &mut u32,
    ) -> Result<Self, Error> {
        let mut units = IndexMap::with_capacity(spec.units.len());
        for (name, spec) in spec.units {
            let same = before.and_then(|before| before.units.get(&name)).filter(|unit| unit.spec == spec);
            let unit = same.map_or_else(|| unit(next_unit, name.clone(), spec), Arc::clone);
            units.insert(name, unit);
        }
        let sources = Sources::build(&spec.name, units.keys(), &spec.readwrite, &spec.shadow.pairs)?;
        let groups = before.map_or(&[][..], |before| &before.readwrite);
        let readwrite = ReadwriteGroup::build(spec.readwrite, &spec.name, &sources, groups)?;
        let shadow = ShadowRule::build(spec.shadow, &spec.name, &sources)?;
        let mut database = Self {
            name: spec.name,
            units,
            sources,
            readwrite,
            shadow,
            single: spec.single,
            ..Self::default()
        };
        database.sharding = ShardingRule::build(spec.sharding, spec.bindings, spec.strategies, &database)?;
        spec.algorithms.check()?;
        database.algorithms = spec.algorithms;
        database.broadcast = BroadcastRule::build(spec.broadcast, &database.sharding)?;
        database.encrypt = EncryptRule::build(&database.name, spec.encrypt)?;
        database.mask = MaskRule::build(&database.name, spec.mask)?;
        if let Some(before) = before {
            database.inherit(before);
        }
        Ok(database)
    }

    /// Takes over what is known of the servers' tables. Those of a source that has come behind a rule are the rule's,
    /// and go back when that is gone.
    fn inherit(&mut self, before: &Self) {
        self.tables = before.tables.clone();
        let Self { tables, sharding, broadcast, sources, single, .. } = self;
        let heir = |source: &str| sources.heir(&before.sources, source);
        tables.retain(|key, table| match table.source.as_deref() {
            Some(source) => match heir(source)
                .filter(|_| !sharding.covers(&table.name) && !broadcast.covers(&table.name))
            {
                Some(now) if now == source => true,
                Some(now) => {
                    *table = Arc::new(Table { source: Some(now.to_owned()), ..Table::clone(table) });
                    true
                }
                None => false,
            },
            None => {
                sharding.tables.get(key) == before.sharding.tables.get(key)
                    && broadcast.covers(key) == before.broadcast.covers(key)
            }
        });
        single.unloaded.retain_mut(|node| match heir(&node.unit) {
            Some(now) => {
                now.clone_into(&mut node.unit);
                true
            }
            None => false,
        });
        single.default = single.default.take().and_then(|source| heir(&source).map(str::to_owned));
    }

    /// The database as it is stored.
    pub fn spec(&self) -> DatabaseSpec {
        DatabaseSpec {
            name: self.name.clone(),
            units: self.units.iter().map(|(name, unit)| (name.clone(), unit.spec.clone())).collect(),
            readwrite: self.readwrite.iter().map(|group| group.spec.clone()).collect(),
            shadow: self.shadow.spec.clone(),
            single: self.single.clone(),
            sharding: self.sharding.tables.values().map(|table| table.spec.clone()).collect(),
            bindings: self.sharding.bindings.clone(),
            strategies: self.sharding.defaults.clone(),
            algorithms: self.algorithms.clone(),
            broadcast: self.broadcast.tables.values().cloned().collect(),
            encrypt: self.encrypt.tables.values().map(|table| table.spec.clone()).collect(),
            mask: self.mask.tables.values().map(|table| table.spec.clone()).collect(),
        }
    }

    /// The kinds of rule that use a source, each once.
    pub fn users_of(&self, source: &str) -> Vec<RuleKind> {
        let mut users = Vec::new();
        if self.sharding.tables.values().any(|table| table.units().iter().any(|it| it == source)) {
            users.push(RuleKind::Sharding);
        }
        for (kind, _) in self.sources.users(source) {
            if !users.contains(&kind) {
                users.push(kind);
            }
        }
        if self.single.default.as_deref() == Some(source)
            || self.tables.values().any(|table| table.source.as_deref() == Some(source))
        {
            users.push(RuleKind::Single);
        }
        users
    }

    /// Refuses names of sources that are not there, each named once.
    pub fn require_sources<'a>(&self, names: impl IntoIterator<Item = &'a String>) -> Result<(), Error> {
        let missing = names.into_iter().filter(|name| self.sources.index(name).is_none()).cloned();
        let missing = merged(Vec::new(), missing);
        if missing.is_empty() {
            return Ok(());
        }
        Err(Error::MissingUnits { names: Names(missing), database: self.name.clone() })
    }

    /// Refuses names of units that are not there, each named once.
    pub fn require_units<'a>(&self, names: impl IntoIterator<Item = &'a String>) -> Result<(), Error> {
        let missing = names.into_iter().filter(|name| !self.units.contains_key(*name)).cloned();
        let missing = merged(Vec::new(), missing);
        if missing.is_empty() {
            return Ok(());
        }
        Err(Error::MissingUnits { names: Names(missing), database: self.name.clone() })
    }
}

fn unit(next_unit: &mut u32, name: String, spec: UnitSpec) -> Arc<StorageUnit> {
    let id = UnitId(*next_unit);
    *next_unit += 1;
    Arc::new(StorageUnit { id, name, spec })
}

/// Items that come more than once, each once.
fn repeated<T: Clone + Eq + Hash>(items: impl Iterator<Item = T>) -> Vec<T> {
    let (mut seen, mut again) = (HashSet::new(), Vec::new());
    for item in items {
        if !seen.insert(item.clone()) && !again.contains(&item) {
            again.push(item);
        }
    }
    again
}

/// Both, each item once.
fn merged(mut first: Vec<String>, more: impl Iterator<Item = String>) -> Vec<String> {
    for item in more {
        if !first.contains(&item) {
            first.push(item);
        }
    }
    first
}

#[cfg(test)]
mod tests;
