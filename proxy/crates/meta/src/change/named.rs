//! Rules known by the name of a table, whatever its letter case: what `CREATE`, `ALTER` and `DROP` of them have in common.

use super::{DatabaseSpec, Otherwise, merged, repeated};
use crate::error::{Error, Names, RuleKind};
use crate::snapshot::Snapshot;

/// A rule known by a name.
pub(super) trait Named: Sized {
    /// Its kind.
    const KIND: RuleKind;

    /// Its name.
    fn name(&self) -> &str;

    /// All of its kind.
    fn all(spec: &mut DatabaseSpec) -> &mut Vec<Self>;

    /// What is checked of rules that a statement makes, before they are put among the others.
    fn check(_rules: &[Self], _snapshot: &Snapshot, _database: &str) -> Result<(), Error> {
        Ok(())
    }
}

impl Snapshot {
    /// Adds rules behind those that are there.
    pub(super) fn create_rules<T: Named>(
        &self,
        database: &str,
        rules: Vec<T>,
        otherwise: Otherwise,
    ) -> Result<Self, Error> {
        self.respec(database, |spec| {
            let known = T::all(spec);
            let there = |name: &str| known.iter().any(|it| it.name().eq_ignore_ascii_case(name));
            let twice = repeated(rules.iter().map(|rule| rule.name().to_ascii_lowercase()));
            let clashes = match otherwise {
                Otherwise::Fail => {
                    let names = rules.iter().map(T::name).filter(|name| there(name));
                    merged(twice, names.map(str::to_owned))
                }
                Otherwise::Skip => twice,
            };
            refuse_duplicates::<T>(clashes, database)?;
            let fresh: Vec<_> = rules.into_iter().filter(|rule| !there(rule.name())).collect();
            T::check(&fresh, self, database)?;
            known.extend(fresh);
            Ok(())
        })
    }

    /// Puts rules in the place of those of the same name.
    pub(super) fn alter_rules<T: Named>(&self, database: &str, rules: Vec<T>) -> Result<Self, Error> {
        self.respec(database, |spec| {
            let twice = repeated(rules.iter().map(|rule| rule.name().to_ascii_lowercase()));
            refuse_duplicates::<T>(twice, database)?;
            require::<T>(spec, rules.iter().map(T::name), database)?;
            T::check(&rules, self, database)?;
            for rule in rules {
                let place = T::all(spec).iter_mut().find(|it| it.name().eq_ignore_ascii_case(rule.name()));
                if let Some(place) = place {
                    *place = rule;
                }
            }
            Ok(())
        })
    }

    /// Takes rules away.
    pub(super) fn drop_rules<T: Named>(
        &self,
        database: &str,
        names: &[String],
        otherwise: Otherwise,
    ) -> Result<Self, Error> {
        self.respec(database, |spec| {
            if otherwise == Otherwise::Fail {
                require::<T>(spec, names.iter().map(String::as_str), database)?;
            }
            T::all(spec).retain(|rule| !names.iter().any(|name| name.eq_ignore_ascii_case(rule.name())));
            Ok(())
        })
    }
}

fn refuse_duplicates<T: Named>(names: Vec<String>, database: &str) -> Result<(), Error> {
    if names.is_empty() {
        return Ok(());
    }
    Err(Error::DuplicateRules { kind: T::KIND, names: Names(names), database: database.to_owned() })
}

/// Refuses names that no rule has.
pub(super) fn require<'a, T: Named>(
    spec: &mut DatabaseSpec,
    names: impl Iterator<Item = &'a str>,
    database: &str,
) -> Result<(), Error> {
    let known = T::all(spec);
    let missing = names.filter(|name| !known.iter().any(|it| it.name().eq_ignore_ascii_case(name)));
    let missing = merged(Vec::new(), missing.map(str::to_owned));
    if missing.is_empty() {
        return Ok(());
    }
    Err(Error::MissingRules { kind: T::KIND, names: Names(missing), database: database.to_owned() })
}
