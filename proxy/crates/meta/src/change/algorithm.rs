//! Changes of sharding algorithms, key generators and auditors by name (`distsql.md` §3).

use super::{DatabaseSpec, Otherwise, merged, repeated};
use crate::error::{AlgorithmKind, Error, Names};
use crate::rule::AlgorithmSpec;
use crate::snapshot::Snapshot;

/// Algorithms with their names.
type Named = Vec<(String, AlgorithmSpec)>;

impl Snapshot {
    /// `CREATE SHARDING ALGORITHM`, `KEY GENERATOR`, `AUDITOR`.
    pub fn create_algorithms(
        &self,
        database: &str,
        kind: AlgorithmKind,
        algorithms: Named,
        otherwise: Otherwise,
    ) -> Result<Self, Error> {
        self.respec(database, |spec| {
            let known = spec.algorithms_by_name(kind);
            let twice = repeated(algorithms.iter().map(|(name, _)| name.clone()));
            let there = algorithms.iter().map(|(name, _)| name).filter(|name| known.contains_key(*name));
            let clashes = match otherwise {
                Otherwise::Fail => merged(twice, there.cloned()),
                Otherwise::Skip => twice,
            };
            if !clashes.is_empty() {
                let (names, database) = (Names(clashes), database.to_owned());
                return Err(Error::DuplicateAlgorithms { kind, names, database });
            }
            let fresh = algorithms.into_iter().filter(|(name, _)| !known.contains_key(name));
            if let Some(named) = spec.algorithms.of_mut(kind) {
                named.extend(fresh);
            }
            Ok(())
        })
    }

    /// `ALTER SHARDING ALGORITHM`, `KEY GENERATOR`, `AUDITOR`: rules that use it decide by the new one.
    pub fn alter_algorithms(
        &self,
        database: &str,
        kind: AlgorithmKind,
        algorithms: Named,
    ) -> Result<Self, Error> {
        self.respec(database, |spec| {
            let twice = repeated(algorithms.iter().map(|(name, _)| name.clone()));
            if !twice.is_empty() {
                let (names, database) = (Names(twice), database.to_owned());
                return Err(Error::DuplicateAlgorithms { kind, names, database });
            }
            require(spec, kind, algorithms.iter().map(|(name, _)| name), database)?;
            for (name, algorithm) in algorithms {
                spec.each_algorithm(kind, |it| {
                    if it.name == name {
                        *it.spec = algorithm.clone();
                    }
                });
                if let Some(named) = spec.algorithms.of_mut(kind).and_then(|all| all.get_mut(&name)) {
                    *named = algorithm;
                }
            }
            Ok(())
        })
    }

    /// `DROP SHARDING ALGORITHM`, `KEY GENERATOR`, `AUDITOR`: only those that no rule uses.
    pub fn drop_algorithms(
        &self,
        database: &str,
        kind: AlgorithmKind,
        names: &[String],
        otherwise: Otherwise,
    ) -> Result<Self, Error> {
        self.respec(database, |spec| {
            if otherwise == Otherwise::Fail {
                require(spec, kind, names.iter(), database)?;
            }
            let used = names.iter().filter(|name| !spec.algorithm_users(kind, name).is_empty());
            let used = merged(Vec::new(), used.cloned());
            if !used.is_empty() {
                let (names, database) = (Names(used), database.to_owned());
                return Err(Error::AlgorithmsInUse { kind, names, database });
            }
            if let Some(named) = spec.algorithms.of_mut(kind) {
                named.retain(|name, _| !names.contains(name));
            }
            Ok(())
        })
    }
}

fn require<'a>(
    spec: &DatabaseSpec,
    kind: AlgorithmKind,
    names: impl Iterator<Item = &'a String>,
    database: &str,
) -> Result<(), Error> {
    let known = spec.algorithms_by_name(kind);
    let missing = merged(Vec::new(), names.filter(|name| !known.contains_key(*name)).cloned());
    if missing.is_empty() {
        return Ok(());
    }
    Err(Error::MissingAlgorithms { kind, names: Names(missing), database: database.to_owned() })
}
