//! Shadow: test traffic goes to another source (`distsql.md` §6, `algorithms.md` §4).

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::AlgorithmSpec;
use crate::algorithm::{ShadowAlgorithm, ShadowHint};
use crate::error::{AlgorithmKind, Error, Names, RuleKind};
use crate::source::{Source, Sources};

/// All shadow rules of a database; what is stored and exported.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct ShadowSpec {
    /// Rules in order of creation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pairs: Vec<ShadowPair>,
    /// Tables with what tells their test traffic.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<ShadowTableSpec>,
    /// Algorithms by name.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub algorithms: IndexMap<String, AlgorithmSpec>,
    /// The name of the default algorithm.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
}

/// `CREATE SHADOW RULE name (SOURCE=…, SHADOW=…`: production and its shadow.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct ShadowPair {
    /// The rule's name, by which it is a source.
    pub name: String,
    /// Where production data is.
    pub source: String,
    /// Where test data is.
    pub shadow: String,
}

/// A table of shadow rules.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct ShadowTableSpec {
    /// Logical table name.
    pub name: String,
    /// Names of the rules that list it.
    pub rules: Vec<String>,
    /// Names of its algorithms, in order.
    pub algorithms: Vec<String>,
}

/// All shadow rules of a database, ready for planning.
#[derive(Clone, Debug, Default)]
pub struct ShadowRule {
    /// What the user wrote.
    pub spec: ShadowSpec,
    /// Tables by lower-case name.
    tables: IndexMap<String, ShadowTable>,
    /// All algorithms that ask for a comment, the default one too.
    hints: Vec<ShadowHint>,
    default: Option<ShadowHint>,
}

/// A table of shadow rules, ready for planning.
#[derive(Clone, Debug)]
pub struct ShadowTable {
    /// Its algorithms, in order.
    pub algorithms: Vec<ShadowAlgorithm>,
}

impl ShadowSpec {
    /// Whether nothing is configured.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl ShadowRule {
    /// Reads all algorithms and finds everything that is called by name.
    pub(crate) fn build(spec: ShadowSpec, database: &str, sources: &Sources) -> Result<Self, Error> {
        spec.pairs.iter().try_for_each(|pair| check(pair, &spec, sources))?;
        ShadowAlgorithm::check(spec.algorithms.values())?;
        let mut algorithms = IndexMap::with_capacity(spec.algorithms.len());
        for (name, algorithm) in &spec.algorithms {
            algorithms.insert(name.as_str(), ShadowAlgorithm::parse(algorithm)?);
        }
        let find = |name: &String| {
            algorithms.get(name.as_str()).cloned().ok_or_else(|| Error::MissingAlgorithms {
                kind: AlgorithmKind::Shadow,
                names: Names::one(name),
                database: database.to_owned(),
            })
        };
        let default = match &spec.default {
            Some(name) => Some(find(name)?.hint().cloned().ok_or(Error::DefaultShadow)?),
            None => None,
        };
        let mut tables = IndexMap::with_capacity(spec.tables.len());
        for table in &spec.tables {
            let is_missing = |name: &&String| !spec.pairs.iter().any(|pair| pair.name == **name);
            if let Some(missing) = table.rules.iter().find(is_missing) {
                return Err(Error::MissingRules {
                    kind: RuleKind::Shadow,
                    names: Names::one(missing),
                    database: database.to_owned(),
                });
            }
            let built =
                ShadowTable { algorithms: table.algorithms.iter().map(find).collect::<Result<_, _>>()? };
            if tables.insert(table.name.to_ascii_lowercase(), built).is_some() {
                let reason = format!("table [{}] is listed twice", table.name);
                let name = table.rules.first().cloned().unwrap_or_default();
                return Err(Error::InvalidRule { kind: RuleKind::Shadow, name, reason });
            }
        }
        let hints = algorithms.values().filter_map(ShadowAlgorithm::hint).cloned().collect();
        drop(algorithms);
        Ok(Self { spec, tables, hints, default })
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.spec.pairs.is_empty()
    }

    /// The table of that name, whatever its letter case.
    pub fn table(&self, name: &str) -> Option<&ShadowTable> {
        self.tables.get(&name.to_ascii_lowercase())
    }

    /// What tells test traffic on tables that no rule lists.
    pub fn default_hint(&self) -> Option<&ShadowHint> {
        self.default.as_ref()
    }

    /// All that ask for a comment.
    pub fn hints(&self) -> &[ShadowHint] {
        &self.hints
    }
}

/// What is behind two rules would be seen twice. Only a shadow may be shared, since what is seen is production.
fn check(pair: &ShadowPair, spec: &ShadowSpec, sources: &Sources) -> Result<(), Error> {
    let invalid =
        |reason| Err(Error::InvalidRule { kind: RuleKind::Shadow, name: pair.name.clone(), reason });
    if pair.source == pair.shadow {
        return invalid(format!("[{}] is both source and shadow", pair.source));
    }
    for (member, is_shadow) in [(&pair.source, false), (&pair.shadow, true)] {
        for (kind, user) in sources.users(member).filter(|(_, user)| *user != pair.name) {
            let is_rule = |source: &Source| matches!(source, Source::Shadow(_));
            let rule = sources.index(user).and_then(|at| sources.source(at)).filter(is_rule);
            let shares = rule.is_some()
                && spec.pairs.iter().any(|other| other.name == user && is_shadow && other.shadow == *member);
            if !shares {
                return invalid(format!("[{member}] is already used by {kind} rule `{user}`"));
            }
        }
    }
    Ok(())
}
