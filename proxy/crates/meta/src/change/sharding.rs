//! Changes of sharding rules (`distsql.md` §3).

use super::named::{Named, require};
use super::{DatabaseSpec, Otherwise, merged};
use crate::algorithm::{Audit, KeyGenerator, ShardingAlgorithm};
use crate::error::{AlgorithmKind, Error, Names, RuleKind};
use crate::rule::{BindingSpec, Level, ShardingTableSpec, StrategySpec};
use crate::snapshot::Snapshot;

impl Named for ShardingTableSpec {
    const KIND: RuleKind = RuleKind::Sharding;

    fn name(&self) -> &str {
        &self.name
    }

    fn all(spec: &mut DatabaseSpec) -> &mut Vec<Self> {
        &mut spec.sharding
    }

    /// Units, then all key generators, auditors and algorithms by their types, in this order.
    fn check(rules: &[Self], snapshot: &Snapshot, database: &str) -> Result<(), Error> {
        let known = snapshot.known(database)?;
        let mut sources = Vec::new();
        for rule in rules {
            sources.extend(rule.sources()?);
        }
        known.require_sources(&sources)?;
        let mut draft = DatabaseSpec { sharding: rules.to_vec(), ..DatabaseSpec::default() };
        for kind in [AlgorithmKind::Key, AlgorithmKind::Audit, AlgorithmKind::Sharding] {
            let mut unknown = Vec::new();
            draft.each_algorithm(kind, |it| {
                let read = match kind {
                    AlgorithmKind::Key => KeyGenerator::parse(it.spec).map(drop),
                    AlgorithmKind::Audit => Audit::parse(it.spec).map(drop),
                    _ => ShardingAlgorithm::parse(it.spec).map(drop),
                };
                if matches!(read, Err(Error::InvalidAlgorithms { .. })) && !unknown.contains(&it.spec.kind) {
                    unknown.push(it.spec.kind.clone());
                }
            });
            if !unknown.is_empty() {
                return Err(Error::InvalidAlgorithms { kind, names: Names(unknown) });
            }
        }
        Ok(())
    }
}

impl Named for BindingSpec {
    const KIND: RuleKind = RuleKind::Reference;

    fn name(&self) -> &str {
        &self.name
    }

    fn all(spec: &mut DatabaseSpec) -> &mut Vec<Self> {
        &mut spec.bindings
    }
}

/// A broadcast table.
impl Named for String {
    const KIND: RuleKind = RuleKind::Broadcast;

    fn name(&self) -> &str {
        self
    }

    fn all(spec: &mut DatabaseSpec) -> &mut Vec<Self> {
        &mut spec.broadcast
    }
}

impl Snapshot {
    /// `CREATE SHARDING TABLE RULE`.
    pub fn create_sharding(
        &self,
        database: &str,
        tables: Vec<ShardingTableSpec>,
        otherwise: Otherwise,
    ) -> Result<Self, Error> {
        self.create_rules(database, tables, otherwise)
    }

    /// `ALTER SHARDING TABLE RULE`.
    pub fn alter_sharding(&self, database: &str, tables: Vec<ShardingTableSpec>) -> Result<Self, Error> {
        self.alter_rules(database, tables)
    }

    /// `DROP SHARDING TABLE RULE`: the physical tables stay. A table that a reference rule names stays whole.
    pub fn drop_sharding(
        &self,
        database: &str,
        names: &[String],
        otherwise: Otherwise,
    ) -> Result<Self, Error> {
        let known = self.known(database)?;
        if otherwise == Otherwise::Fail {
            let names = names.iter().map(String::as_str);
            require::<ShardingTableSpec>(&mut known.spec(), names, database)?;
        }
        let bound = |name: &&String| {
            let mut tables = known.sharding.bindings.iter().flat_map(|binding| &binding.tables);
            tables.any(|table| table.eq_ignore_ascii_case(name))
        };
        let used = merged(Vec::new(), names.iter().filter(bound).cloned());
        if !used.is_empty() {
            let (kind, names, database) = (RuleKind::Sharding, Names(used), database.to_owned());
            return Err(Error::RulesInUse { kind, names, database });
        }
        self.drop_rules::<ShardingTableSpec>(database, names, otherwise)
    }

    /// `CREATE SHARDING TABLE REFERENCE RULE`.
    pub fn create_references(
        &self,
        database: &str,
        rules: Vec<BindingSpec>,
        otherwise: Otherwise,
    ) -> Result<Self, Error> {
        self.require_bound(database, &rules)?;
        self.create_rules(database, rules, otherwise)
    }

    /// `ALTER SHARDING TABLE REFERENCE RULE`.
    pub fn alter_references(&self, database: &str, rules: Vec<BindingSpec>) -> Result<Self, Error> {
        self.require_bound(database, &rules)?;
        self.alter_rules(database, rules)
    }

    /// `DROP SHARDING TABLE REFERENCE RULE`.
    pub fn drop_references(
        &self,
        database: &str,
        names: &[String],
        otherwise: Otherwise,
    ) -> Result<Self, Error> {
        self.drop_rules::<BindingSpec>(database, names, otherwise)
    }

    fn require_bound(&self, database: &str, rules: &[BindingSpec]) -> Result<(), Error> {
        let names = rules.iter().flat_map(|rule| &rule.tables).map(String::as_str);
        require::<ShardingTableSpec>(&mut self.known(database)?.spec(), names, database)
    }

    /// `CREATE BROADCAST TABLE RULE`.
    pub fn create_broadcast(
        &self,
        database: &str,
        tables: Vec<String>,
        otherwise: Otherwise,
    ) -> Result<Self, Error> {
        self.create_rules(database, tables, otherwise)
    }

    /// `DROP BROADCAST TABLE RULE`: the physical tables stay.
    pub fn drop_broadcast(
        &self,
        database: &str,
        names: &[String],
        otherwise: Otherwise,
    ) -> Result<Self, Error> {
        self.drop_rules::<String>(database, names, otherwise)
    }

    /// `CREATE DEFAULT SHARDING DATABASE|TABLE STRATEGY`.
    pub fn create_default_strategy(
        &self,
        database: &str,
        level: Level,
        strategy: StrategySpec,
        otherwise: Otherwise,
    ) -> Result<Self, Error> {
        match (self.default_strategy(database, level)?, otherwise) {
            (None, _) => self.set_default_strategy(database, level, Some(strategy)),
            (Some(_), Otherwise::Skip) => Ok(self.clone()),
            (Some(_), Otherwise::Fail) => Err(Error::DuplicateRules {
                kind: RuleKind::DefaultStrategy,
                names: Names::one(level.name()),
                database: database.to_owned(),
            }),
        }
    }

    /// `ALTER DEFAULT SHARDING DATABASE|TABLE STRATEGY`.
    pub fn alter_default_strategy(
        &self,
        database: &str,
        level: Level,
        strategy: StrategySpec,
    ) -> Result<Self, Error> {
        match self.default_strategy(database, level)? {
            Some(_) => self.set_default_strategy(database, level, Some(strategy)),
            None => Err(missing(level, database)),
        }
    }

    /// `DROP DEFAULT SHARDING DATABASE|TABLE STRATEGY`.
    pub fn drop_default_strategy(
        &self,
        database: &str,
        level: Level,
        otherwise: Otherwise,
    ) -> Result<Self, Error> {
        match (self.default_strategy(database, level)?, otherwise) {
            (Some(_), _) => self.set_default_strategy(database, level, None),
            (None, Otherwise::Skip) => Ok(self.clone()),
            (None, Otherwise::Fail) => Err(missing(level, database)),
        }
    }

    fn default_strategy(&self, database: &str, level: Level) -> Result<Option<&StrategySpec>, Error> {
        let defaults = &self.known(database)?.sharding.defaults;
        Ok(match level {
            Level::Database => defaults.database.as_ref(),
            Level::Table => defaults.table.as_ref(),
        })
    }

    fn set_default_strategy(
        &self,
        database: &str,
        level: Level,
        strategy: Option<StrategySpec>,
    ) -> Result<Self, Error> {
        self.respec(database, |spec| {
            match level {
                Level::Database => spec.strategies.database = strategy,
                Level::Table => spec.strategies.table = strategy,
            }
            Ok(())
        })
    }
}

fn missing(level: Level, database: &str) -> Error {
    Error::MissingRules {
        kind: RuleKind::DefaultStrategy,
        names: Names::one(level.name()),
        database: database.to_owned(),
    }
}
