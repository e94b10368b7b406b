//! Changes of readwrite-splitting groups (`distsql.md` §4, §10).

use super::{Otherwise, merged, repeated};
use crate::error::{Error, Names, RuleKind, Unswitchable};
use crate::rule::ReadwriteSpec;
use crate::snapshot::{Database, Snapshot};

/// Whether a replica is read from.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Switch {
    /// It is not.
    Off,
    /// It is.
    On,
}

impl Snapshot {
    /// `CREATE READWRITE_SPLITTING RULE`.
    pub fn create_readwrite(
        &self,
        database: &str,
        groups: Vec<ReadwriteSpec>,
        otherwise: Otherwise,
    ) -> Result<Self, Error> {
        let known = self.known(database)?;
        let twice = repeated(groups.iter().map(|group| group.name.clone()));
        let there = groups.iter().map(|group| &group.name).filter(|name| known.group(name).is_some());
        let clashes = match otherwise {
            Otherwise::Fail => merged(twice, there.cloned()),
            Otherwise::Skip => twice,
        };
        if !clashes.is_empty() {
            return Err(duplicate(clashes, database));
        }
        let fresh: Vec<_> = groups.into_iter().filter(|group| known.group(&group.name).is_none()).collect();
        let units: Vec<_> =
            fresh.iter().map(|group| &group.name).filter(|name| known.units.contains_key(*name)).collect();
        if !units.is_empty() {
            let reasons = units.iter().map(|name| format!("[{name}] already exists in storage unit"));
            return Err(Error::InvalidRules {
                kind: RuleKind::Readwrite,
                reasons: Names(reasons.collect()),
                names: Names(units.into_iter().cloned().collect()),
            });
        }
        self.respec(database, |spec| {
            spec.readwrite.extend(fresh);
            Ok(())
        })
    }

    /// `ALTER READWRITE_SPLITTING RULE`. Replicas that were disabled stay so.
    pub fn alter_readwrite(&self, database: &str, groups: Vec<ReadwriteSpec>) -> Result<Self, Error> {
        let known = self.known(database)?;
        let twice = repeated(groups.iter().map(|group| group.name.clone()));
        if !twice.is_empty() {
            return Err(duplicate(twice, database));
        }
        known.require_groups(groups.iter().map(|group| &group.name))?;
        self.respec(database, |spec| {
            for mut group in groups {
                if let Some(place) = spec.readwrite.iter_mut().find(|it| it.name == group.name) {
                    group.disable(place);
                    *place = group;
                }
            }
            Ok(())
        })
    }

    /// `DROP READWRITE_SPLITTING RULE`: the storage units stay.
    pub fn drop_readwrite(
        &self,
        database: &str,
        names: &[String],
        otherwise: Otherwise,
    ) -> Result<Self, Error> {
        let known = self.known(database)?;
        if otherwise == Otherwise::Fail {
            known.require_groups(names)?;
        }
        let used = |name: &&String| {
            // Tables without a rule are found on the members again.
            known.group(name).is_some() && known.users_of(name).iter().any(|user| *user != RuleKind::Single)
        };
        let used: Vec<_> = names.iter().filter(used).cloned().collect();
        if !used.is_empty() {
            let (kind, names) = (RuleKind::Readwrite, Names(used));
            return Err(Error::RulesInUse { kind, names, database: database.to_owned() });
        }
        self.respec(database, |spec| {
            spec.readwrite.retain(|group| !names.contains(&group.name));
            Ok(())
        })
    }

    /// `ALTER READWRITE_SPLITTING RULE … ENABLE|DISABLE`: of one group, or of all that read from the unit.
    pub fn switch_replica(
        &self,
        database: &str,
        group: Option<&str>,
        unit: &str,
        switch: Switch,
    ) -> Result<Self, Error> {
        let known = self.known(database)?;
        if known.readwrite.is_empty() {
            return Err(Error::Switch(Unswitchable::NoGroups));
        }
        if let Some(name) = group
            && known.group(name).is_none()
        {
            return Err(Error::Switch(Unswitchable::NoGroup(name.to_owned())));
        }
        let reads = |spec: &ReadwriteSpec| {
            group.is_none_or(|name| spec.name == name) && spec.reads.iter().any(|read| read == unit)
        };
        let groups: Vec<_> =
            known.readwrite.iter().map(|group| &group.spec).filter(|spec| reads(spec)).collect();
        unswitchable(&groups, unit, switch).map_or(Ok(()), |why| Err(Error::Switch(why)))?;
        self.respec(database, |spec| {
            for group in spec.readwrite.iter_mut().filter(|group| reads(group)) {
                group.disabled.retain(|disabled| disabled != unit);
                if switch == Switch::Off {
                    group.disabled.push(unit.to_owned());
                }
            }
            Ok(())
        })
    }
}

/// Why a replica of these groups cannot be switched.
fn unswitchable(groups: &[&ReadwriteSpec], unit: &str, switch: Switch) -> Option<Unswitchable> {
    let is_off = |group: &&&ReadwriteSpec| group.disabled.iter().any(|disabled| disabled == unit);
    if groups.is_empty() {
        let what = if switch == Switch::Off { "disabled" } else { "enabled" };
        return Some(Unswitchable::NotRead { unit: unit.to_owned(), what });
    }
    match switch {
        Switch::On if !groups.iter().any(|group| is_off(&group)) => {
            Some(Unswitchable::Enabled(unit.to_owned()))
        }
        Switch::On => None,
        Switch::Off if groups.iter().all(|group| is_off(&group)) => {
            Some(Unswitchable::Disabled(unit.to_owned()))
        }
        Switch::Off => {
            let is_last = |group: &&&ReadwriteSpec| {
                !is_off(group) && group.reads.iter().all(|read| read == unit || group.disabled.contains(read))
            };
            let last: Vec<_> = groups.iter().filter(is_last).map(|group| group.name.clone()).collect();
            (!last.is_empty()).then(|| Unswitchable::Last { unit: unit.to_owned(), groups: Names(last) })
        }
    }
}

fn duplicate(names: Vec<String>, database: &str) -> Error {
    let kind = RuleKind::Readwrite;
    Error::DuplicateRules { kind, names: Names(names), database: database.to_owned() }
}

impl Database {
    /// The readwrite-splitting group of that name, whose letter case counts.
    pub fn group(&self, name: &str) -> Option<&crate::rule::ReadwriteGroup> {
        self.readwrite.iter().find(|group| group.spec.name == name)
    }

    /// Refuses names of readwrite-splitting groups that are not there.
    pub fn require_groups<'a>(&self, names: impl IntoIterator<Item = &'a String>) -> Result<(), Error> {
        let missing: Vec<_> = names.into_iter().filter(|name| self.group(name).is_none()).cloned().collect();
        if missing.is_empty() {
            return Ok(());
        }
        let kind = RuleKind::Readwrite;
        Err(Error::MissingRules { kind, names: Names(missing), database: self.name.clone() })
    }
}

#[cfg(test)]
mod tests;
