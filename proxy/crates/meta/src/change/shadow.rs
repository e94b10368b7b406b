//! Changes of shadow rules and their algorithms (`distsql.md` §6).

use indexmap::IndexMap;

use super::{Otherwise, merged, repeated};
use crate::algorithm::ShadowAlgorithm;
use crate::error::{AlgorithmKind, Error, Names, RuleKind};
use crate::rule::{AlgorithmSpec, ShadowPair, ShadowSpec, ShadowTableSpec};
use crate::snapshot::{Database, Snapshot};

/// The name that a default algorithm is stored under.
const DEFAULT: &str = "default_shadow_algorithm";

/// A rule of `CREATE|ALTER SHADOW RULE`, as written.
#[derive(Clone, Debug, PartialEq)]
pub struct ShadowDraft {
    /// The rule itself.
    pub pair: ShadowPair,
    /// Its tables, each with its algorithms.
    pub tables: Vec<(String, Vec<NamedAlgorithm>)>,
}

/// An algorithm with its name, where one was written.
pub type NamedAlgorithm = (Option<String>, AlgorithmSpec);

/// The algorithm of `CREATE|ALTER DEFAULT SHADOW ALGORITHM`.
#[derive(Clone, Debug, PartialEq)]
pub enum ShadowDefault {
    /// `NAME=…`: one that is there.
    Name(String),
    /// `TYPE(…)`.
    Type(AlgorithmSpec),
}

impl Snapshot {
    /// `CREATE SHADOW RULE`.
    pub fn create_shadow(
        &self,
        database: &str,
        mut rules: Vec<ShadowDraft>,
        otherwise: Otherwise,
    ) -> Result<Self, Error> {
        let known = self.known(database)?;
        let there = |rule: &ShadowDraft| known.shadow_pair(&rule.pair.name).is_some();
        let mut clashes = repeated(rules.iter().map(|rule| rule.pair.name.clone()));
        if otherwise == Otherwise::Fail {
            let again = rules.iter().filter(|rule| there(rule)).map(|rule| rule.pair.name.clone());
            clashes = merged(clashes, again);
        }
        known.refuse_duplicate_shadow(clashes)?;
        rules.retain(|rule| !there(rule));
        check(known, &rules)?;
        self.respec(database, |spec| {
            for rule in rules {
                spec.shadow.pairs.push(rule.pair.clone());
                spec.shadow.list(rule, database)?;
            }
            Ok(())
        })
    }

    /// `ALTER SHADOW RULE`: everything that was said of the rules before is forgotten.
    pub fn alter_shadow(&self, database: &str, rules: Vec<ShadowDraft>) -> Result<Self, Error> {
        let known = self.known(database)?;
        known.refuse_duplicate_shadow(repeated(rules.iter().map(|rule| rule.pair.name.clone())))?;
        known.require_shadow(rules.iter().map(|rule| &rule.pair.name))?;
        check(known, &rules)?;
        self.respec(database, |spec| {
            for rule in &rules {
                spec.shadow.forget(&rule.pair.name);
            }
            spec.shadow.forget_unused(&known.shadow.spec);
            for rule in rules {
                let place = spec.shadow.pairs.iter_mut().find(|pair| pair.name == rule.pair.name);
                if let Some(place) = place {
                    *place = rule.pair.clone();
                }
                spec.shadow.list(rule, database)?;
            }
            Ok(())
        })
    }

    /// `DROP SHADOW RULE`, with tables and algorithms that nothing else needs.
    pub fn drop_shadow(&self, database: &str, names: &[String], otherwise: Otherwise) -> Result<Self, Error> {
        let known = self.known(database)?;
        if otherwise == Otherwise::Fail {
            known.require_shadow(names)?;
        }
        let used = |name: &&String| {
            // Tables without a rule are found on the members again.
            let is_single = |user: &RuleKind| *user == RuleKind::Single;
            known.shadow_pair(name).is_some() && !known.users_of(name).iter().all(is_single)
        };
        let used: Vec<_> = names.iter().filter(used).cloned().collect();
        if !used.is_empty() {
            let (kind, names) = (RuleKind::Shadow, Names(used));
            return Err(Error::RulesInUse { kind, names, database: database.to_owned() });
        }
        self.respec(database, |spec| {
            for name in names {
                spec.shadow.pairs.retain(|pair| pair.name != *name);
                spec.shadow.forget(name);
            }
            spec.shadow.forget_unused(&known.shadow.spec);
            Ok(())
        })
    }

    /// `CREATE DEFAULT SHADOW ALGORITHM`.
    pub fn create_default_shadow(
        &self,
        database: &str,
        default: ShadowDefault,
        otherwise: Otherwise,
    ) -> Result<Self, Error> {
        let known = self.known(database)?;
        match (&known.shadow.spec.default, otherwise) {
            (None, _) => self.set_default_shadow(database, default),
            (Some(_), Otherwise::Skip) => Ok(self.clone()),
            (Some(name), Otherwise::Fail) => Err(Error::DuplicateAlgorithms {
                kind: AlgorithmKind::Shadow,
                names: Names::one(name),
                database: database.to_owned(),
            }),
        }
    }

    /// `ALTER DEFAULT SHADOW ALGORITHM`.
    pub fn alter_default_shadow(&self, database: &str, default: ShadowDefault) -> Result<Self, Error> {
        if self.known(database)?.shadow.spec.default.is_none() {
            return Err(missing(vec![DEFAULT.to_owned()], database));
        }
        self.set_default_shadow(database, default)
    }

    /// `DROP DEFAULT SHADOW ALGORITHM`; it goes whole when no table uses it.
    pub fn drop_default_shadow(&self, database: &str, otherwise: Otherwise) -> Result<Self, Error> {
        let known = self.known(database)?;
        match (&known.shadow.spec.default, otherwise) {
            (Some(_), _) => self.respec(database, |spec| {
                spec.shadow.default = None;
                spec.shadow.forget_unused(&known.shadow.spec);
                Ok(())
            }),
            (None, Otherwise::Skip) => Ok(self.clone()),
            (None, Otherwise::Fail) => Err(missing(vec![DEFAULT.to_owned()], database)),
        }
    }

    /// `DROP SHADOW ALGORITHM`: only those that nothing uses.
    pub fn drop_shadow_algorithms(
        &self,
        database: &str,
        names: &[String],
        otherwise: Otherwise,
    ) -> Result<Self, Error> {
        let spec = &self.known(database)?.shadow.spec;
        let gone =
            merged(Vec::new(), names.iter().filter(|name| !spec.algorithms.contains_key(*name)).cloned());
        if otherwise == Otherwise::Fail && !gone.is_empty() {
            return Err(missing(gone, database));
        }
        let used = merged(Vec::new(), names.iter().filter(|name| spec.uses(name)).cloned());
        if !used.is_empty() {
            return Err(Error::AlgorithmsInUse {
                kind: AlgorithmKind::Shadow,
                names: Names(used),
                database: database.to_owned(),
            });
        }
        self.respec(database, |spec| {
            spec.shadow.algorithms.retain(|name, _| !names.contains(name));
            Ok(())
        })
    }

    fn set_default_shadow(&self, database: &str, default: ShadowDefault) -> Result<Self, Error> {
        let known = self.known(database)?;
        let name = match &default {
            ShadowDefault::Name(name) if known.shadow.spec.algorithms.contains_key(name) => name.clone(),
            ShadowDefault::Name(name) => return Err(missing(vec![name.clone()], database)),
            ShadowDefault::Type(algorithm) => {
                if ShadowAlgorithm::parse(algorithm)?.hint().is_none() {
                    return Err(Error::DefaultShadow);
                }
                DEFAULT.to_owned()
            }
        };
        self.respec(database, |spec| {
            if let ShadowDefault::Type(algorithm) = default {
                spec.shadow.algorithms.insert(name.clone(), algorithm);
            }
            spec.shadow.default = Some(name);
            spec.shadow.forget_unused(&known.shadow.spec);
            Ok(())
        })
    }
}

/// What must be right before rules are put together: sources, then names of algorithms, then their types.
fn check(known: &Database, rules: &[ShadowDraft]) -> Result<(), Error> {
    known.require_sources(rules.iter().flat_map(|rule| [&rule.pair.source, &rule.pair.shadow]))?;
    let algorithms = rules.iter().flat_map(|rule| &rule.tables).flat_map(|(_, algorithms)| algorithms);
    ShadowAlgorithm::check(algorithms.map(|(_, algorithm)| algorithm))
}

fn missing(names: Vec<String>, database: &str) -> Error {
    Error::MissingAlgorithms {
        kind: AlgorithmKind::Shadow,
        names: Names(names),
        database: database.to_owned(),
    }
}

/// The beginning of the names that algorithms of a rule's table are given.
fn prefix(rule: &str, table: &str) -> String {
    format!("{rule}_{table}_").to_lowercase()
}

impl ShadowSpec {
    /// Puts the tables of a rule into the list of tables.
    fn list(&mut self, rule: ShadowDraft, database: &str) -> Result<(), Error> {
        let mut own = IndexMap::new();
        let mut twice = Vec::new();
        let mut listed: Vec<String> = Vec::new();
        for (table, algorithms) in rule.tables {
            if listed.iter().any(|known| known.eq_ignore_ascii_case(&table)) {
                let reason = format!("table [{table}] is listed twice");
                return Err(Error::InvalidRule { kind: RuleKind::Shadow, name: rule.pair.name, reason });
            }
            let mut names = Vec::with_capacity(algorithms.len());
            for (index, (name, algorithm)) in algorithms.into_iter().enumerate() {
                let generated = || {
                    format!("{}{}_{index}", prefix(&rule.pair.name, &table), algorithm.kind.to_lowercase())
                };
                let name = name.unwrap_or_else(generated);
                if self.algorithms.contains_key(&name) || own.insert(name.clone(), algorithm).is_some() {
                    twice.push(name.clone());
                }
                names.push(name);
            }
            let known = self.tables.iter_mut().find(|known| known.name.eq_ignore_ascii_case(&table));
            match known {
                Some(known) => {
                    known.rules.push(rule.pair.name.clone());
                    known.algorithms.extend(names);
                }
                None => self.tables.push(ShadowTableSpec {
                    name: table.clone(),
                    rules: vec![rule.pair.name.clone()],
                    algorithms: names,
                }),
            }
            listed.push(table);
        }
        if !twice.is_empty() {
            return Err(Error::DuplicateAlgorithms {
                kind: AlgorithmKind::Shadow,
                names: Names(merged(Vec::new(), twice.into_iter())),
                database: database.to_owned(),
            });
        }
        self.algorithms.extend(own);
        Ok(())
    }

    /// Takes a rule from its tables, and from tables that other rules list the algorithms that were made for it.
    fn forget(&mut self, rule: &str) {
        for table in &mut self.tables {
            if table.rules.iter().any(|name| name == rule) {
                let prefix = prefix(rule, &table.name);
                table.rules.retain(|name| name != rule);
                table.algorithms.retain(|name| !name.starts_with(&prefix));
            }
        }
        self.tables.retain(|table| !table.rules.is_empty());
    }

    /// Takes away algorithms that `before` used and nothing uses any more.
    fn forget_unused(&mut self, before: &Self) {
        let unused: Vec<_> =
            self.algorithms.keys().filter(|name| before.uses(name) && !self.uses(name)).cloned().collect();
        self.algorithms.retain(|name, _| !unused.contains(name));
    }

    /// Whether a table uses an algorithm, or it is the default one.
    fn uses(&self, algorithm: &str) -> bool {
        self.default.as_deref() == Some(algorithm)
            || self.tables.iter().any(|table| table.algorithms.iter().any(|name| name == algorithm))
    }
}

impl Database {
    fn shadow_pair(&self, name: &str) -> Option<&ShadowPair> {
        self.shadow.spec.pairs.iter().find(|pair| pair.name == name)
    }

    fn refuse_duplicate_shadow(&self, names: Vec<String>) -> Result<(), Error> {
        if names.is_empty() {
            return Ok(());
        }
        Err(Error::DuplicateRules {
            kind: RuleKind::Shadow,
            names: Names(names),
            database: self.name.clone(),
        })
    }

    fn require_shadow<'a>(&self, names: impl IntoIterator<Item = &'a String>) -> Result<(), Error> {
        let gone = names.into_iter().filter(|name| self.shadow_pair(name).is_none()).cloned();
        let gone = merged(Vec::new(), gone);
        if gone.is_empty() {
            return Ok(());
        }
        Err(Error::MissingRules { kind: RuleKind::Shadow, names: Names(gone), database: self.name.clone() })
    }
}

#[cfg(test)]
mod tests;
