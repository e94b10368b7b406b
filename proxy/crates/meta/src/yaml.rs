//! Databases as ShardingSphere writes them in YAML: `conf/database-*.yaml`, `EXPORT` and `IMPORT DATABASE CONFIGURATION`
//! (`distsql.md` §10, `sql-support.md` §11).
//!
//! Spellings of all releases up to 5.5 are read. Written is the newest form that says everything; algorithms are named
//! as DistSQL would name them. An unknown key, and a rule that cannot be, are refused with file, line and column.

mod algorithm;
mod emit;
mod encrypt;
mod mask;
mod readwrite;
mod shadow;
mod sharding;
mod single;
mod unit;

use std::path::Path;

use indexmap::IndexMap;
use serde::Deserialize;
use serde_saphyr::{Location, Spanned};

use crate::change::{DatabaseSpec, Otherwise};
use crate::error::Error;
use crate::snapshot::{Database, Snapshot};
use emit::Node;

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct File {
    #[serde(alias = "schemaName")]
    database_name: Option<Spanned<String>>,
    data_sources: Option<IndexMap<String, Spanned<unit::Source>>>,
    rules: Option<Vec<Spanned<Rule>>>,
}

/// An item of `rules`.
#[derive(Deserialize)]
enum Rule {
    #[serde(rename = "BROADCAST")]
    Broadcast(sharding::Broadcast),
    #[serde(rename = "ENCRYPT", alias = "COMPATIBLE_ENCRYPT")]
    Encrypt(encrypt::Rule),
    #[serde(rename = "MASK")]
    Mask(mask::Rule),
    #[serde(rename = "READWRITE_SPLITTING")]
    Readwrite(readwrite::Rule),
    #[serde(rename = "SHADOW")]
    Shadow(shadow::Rule),
    #[serde(rename = "SHARDING")]
    Sharding(Box<sharding::Rule>),
    #[serde(rename = "SINGLE")]
    Single(single::Rule),
}

/// Tags of rules, as they are written.
const TAGS: [&str; 7] =
    ["READWRITE_SPLITTING", "SHADOW", "SHARDING", "BROADCAST", "ENCRYPT", "MASK", "SINGLE"];

/// A rule that is not as it has to be, in words.
type Wrong = String;

impl DatabaseSpec {
    /// Reads the text of a file, whose name is for errors; nothing when there is no more than comments. What is read
    /// has been checked as if DistSQL had said it.
    pub fn from_yaml(text: &str, file: &Path) -> Result<Option<Self>, Error> {
        let refuse = |at: Location, reason: String| Error::File {
            file: file.to_owned(),
            line: at.line().max(1),
            column: at.column().max(1),
            reason,
        };
        let read: Option<File> = serde_saphyr::from_str(text).map_err(|error| {
            // A tag it does not know is passed over by the reader, which then stumbles over something else.
            if let Some((line, tag)) = unknown_tag(text) {
                let reason = format!("unknown rule `!{tag}`, there are `!{}`", TAGS.join("`, `!"));
                return Error::File { file: file.to_owned(), line, column: 1, reason };
            }
            let at = error.location().unwrap_or(Location::UNKNOWN);
            let reason = error.without_snippet().to_string();
            let place = format!(" at line {}, column {}", at.line(), at.column());
            refuse(at, reason.strip_suffix(&place).unwrap_or(&reason).to_owned())
        })?;
        let Some(read) = read else { return Ok(None) };
        let start = || Location::UNKNOWN;
        let Some(name) = read.database_name else {
            return Err(refuse(start(), "`databaseName` is required".to_owned()));
        };
        let fresh = Snapshot::default().create_database(&name.value, Otherwise::Fail);
        fresh.map_err(|error| refuse(name.referenced, error.to_string()))?;
        let mut spec = Self { name: name.value, ..Self::default() };
        for (unit, source) in read.data_sources.unwrap_or_default() {
            let at = source.referenced;
            let read = source.value.read().map_err(|reason| refuse(at, reason))?;
            spec.units.insert(unit, read);
        }
        if spec.units.is_empty() {
            return Err(refuse(start(), "`dataSources` with at least one of them is required".to_owned()));
        }
        let mut rules = read.rules.unwrap_or_default();
        // What others build on comes first, so that the rule that is wrong is the one found to be.
        rules.sort_by_key(|rule| rule.value.rank());
        for rule in rules {
            let at = rule.referenced;
            rule.value.read(&mut spec).map_err(|reason| refuse(at, reason))?;
            Database::build(spec.clone(), None, &mut 0).map_err(|error| refuse(at, error.to_string()))?;
        }
        Ok(Some(spec))
    }

    /// Writes the text of a file.
    pub fn to_yaml(&self) -> String {
        let units = self.units.iter().map(|(name, unit)| (name.clone(), unit::write(unit))).collect();
        let rules = [
            readwrite::write(&self.readwrite),
            shadow::write(&self.shadow),
            sharding::write(self),
            sharding::write_broadcast(&self.broadcast),
            encrypt::write(&self.encrypt),
            mask::write(&self.mask),
            Some(single::write(self)),
        ];
        let rules = TAGS.into_iter().zip(rules);
        let rules: Vec<_> =
            rules.filter_map(|(tag, rule)| Some(Node::Tagged(tag, Box::new(rule?)))).collect();
        let node = Node::map([
            ("databaseName", Some(Node::text(&self.name))),
            ("dataSources", Some(Node::Map(units))),
            ("rules", Some(Node::List(rules))),
        ]);
        node.to_string()
    }
}

impl Rule {
    const fn rank(&self) -> u8 {
        match self {
            Self::Readwrite(_) => 0,
            Self::Shadow(_) => 1,
            Self::Single(_) => 2,
            Self::Sharding(_) => 3,
            Self::Broadcast(_) => 4,
            Self::Encrypt(_) => 6,
            Self::Mask(_) => 7,
        }
    }

    fn read(self, spec: &mut DatabaseSpec) -> Result<(), Wrong> {
        match self {
            Self::Broadcast(rule) => {
                rule.read(spec);
                Ok(())
            }
            Self::Encrypt(rule) => rule.read(spec),
            Self::Mask(rule) => rule.read(spec),
            Self::Readwrite(rule) => rule.read(spec),
            Self::Shadow(rule) => rule.read(spec),
            Self::Sharding(rule) => rule.read(spec),
            Self::Single(rule) => {
                rule.read(spec);
                Ok(())
            }
        }
    }
}

/// The first list item with a tag that no rule has, and its line.
fn unknown_tag(text: &str) -> Option<(u64, &str)> {
    (1..).zip(text.lines()).find_map(|(line, text)| {
        let tag = text.trim_start().strip_prefix('-')?.trim_start().strip_prefix('!')?;
        let tag = tag.split_whitespace().next()?;
        (!TAGS.contains(&tag) && tag != "COMPATIBLE_ENCRYPT").then_some((line, tag))
    })
}

#[cfg(test)]
mod tests;
