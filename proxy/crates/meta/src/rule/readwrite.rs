//! Readwrite splitting: one source that is written to, and replicas to read from (`distsql.md` §4).

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde::{Deserialize, Serialize};

use super::AlgorithmSpec;
use crate::algorithm::Balance;
use crate::error::{Error, Names, RuleKind};
use crate::source::{SourceIndex, Sources, UnitIndex};

/// `CREATE READWRITE_SPLITTING RULE`, as written; what is stored and exported.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct ReadwriteSpec {
    /// The group's name, by which it is a source.
    pub name: String,
    /// The source written to.
    pub write: String,
    /// The sources read from, in order.
    pub reads: Vec<String>,
    /// Where reads inside a transaction go, when it was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transactional: Option<TransactionalReads>,
    /// The load balancer; `ROUND_ROBIN` when none was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub balancer: Option<AlgorithmSpec>,
    /// Replicas that were taken out of the rotation by `ALTER READWRITE_SPLITTING RULE … DISABLE`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disabled: Vec<String>,
}

/// `TRANSACTIONAL_READ_QUERY_STRATEGY`.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum TransactionalReads {
    /// Every read is balanced anew.
    Dynamic,
    /// The first read chooses a replica for the whole transaction.
    Fixed,
    /// They go where is written.
    #[default]
    Primary,
}

/// A group, ready for planning.
#[derive(Clone, Debug)]
pub struct ReadwriteGroup {
    /// What the user wrote.
    pub spec: ReadwriteSpec,
    /// The source written to.
    pub write: SourceIndex,
    /// Those read from, in the order written.
    pub replicas: Vec<Replica>,
    /// Where reads inside a transaction go.
    pub transactional: TransactionalReads,
    /// How a replica is chosen.
    pub balance: Balance,
    /// Whose turn it is; the same for as long as there is a group of this name.
    pub rotation: Arc<Rotation>,
}

/// A source that a group reads from.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Replica {
    /// Which.
    pub source: SourceIndex,
    /// Its storage unit, in production.
    pub unit: UnitIndex,
    /// In the rotation, as far as the user has a say.
    pub enabled: bool,
}

/// Counts the reads of one group, over all sessions; also tells the group from all others.
#[derive(Debug, Default)]
pub struct Rotation(AtomicUsize);

impl TransactionalReads {
    /// Reads a strategy, whatever its letter case.
    pub fn parse(text: &str) -> Option<Self> {
        [("DYNAMIC", Self::Dynamic), ("FIXED", Self::Fixed), ("PRIMARY", Self::Primary)]
            .into_iter()
            .find(|(name, _)| name.eq_ignore_ascii_case(text))
            .map(|(_, strategy)| strategy)
    }

    /// As it is written.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Dynamic => "DYNAMIC",
            Self::Fixed => "FIXED",
            Self::Primary => "PRIMARY",
        }
    }
}

impl ReadwriteGroup {
    /// Builds all groups of a database. No source is written to by two, nor read from by two, nor both.
    pub(crate) fn build(
        specs: Vec<ReadwriteSpec>,
        database: &str,
        sources: &Sources,
        before: &[Self],
    ) -> Result<Vec<Self>, Error> {
        for (number, spec) in specs.iter().enumerate() {
            let taken = |of: &dyn Fn(&ReadwriteSpec, &str) -> bool, name: &str| {
                specs[..number].iter().any(|before| of(before, name))
            };
            let writes = |spec: &ReadwriteSpec, name: &str| spec.write == name;
            let reads = |spec: &ReadwriteSpec, name: &str| spec.reads.iter().any(|read| read == name);
            let clash = if taken(&writes, &spec.write) || taken(&reads, &spec.write) {
                Some(("write", &spec.write))
            } else {
                let mut names = spec.reads.iter().enumerate();
                names
                    .find(|(at, read)| {
                        spec.reads[..*at].contains(read) || taken(&writes, read) || taken(&reads, read)
                    })
                    .map(|(_, read)| ("read", read))
            };
            if let Some((what, unit)) = clash {
                let reason =
                    format!("Can not config duplicate {what} storage unit `{unit}` in database `{database}`");
                return Err(invalid(&spec.name, reason));
            }
        }
        let kept = |name: &str| before.iter().find(|group| group.spec.name == name);
        specs
            .into_iter()
            .map(|spec| {
                let rotation =
                    kept(&spec.name).map_or_else(Arc::default, |group| Arc::clone(&group.rotation));
                Self::of(spec, database, sources, rotation)
            })
            .collect()
    }

    fn of(
        spec: ReadwriteSpec,
        database: &str,
        sources: &Sources,
        rotation: Arc<Rotation>,
    ) -> Result<Self, Error> {
        if spec.reads.is_empty() {
            return Err(invalid(&spec.name, "no read storage unit is given".to_owned()));
        }
        let (balance, implied) = match &spec.balancer {
            Some(balancer) => Balance::parse(balancer, &spec.reads)?,
            None => (Balance::default(), None),
        };
        let transactional = match (spec.transactional, implied) {
            (Some(written), Some(implied)) if written != implied => {
                let kind = spec.balancer.as_ref().map(|balancer| balancer.kind.as_str()).unwrap_or_default();
                let reason = format!("`{kind}` contradicts TRANSACTIONAL_READ_QUERY_STRATEGY");
                return Err(invalid(&spec.name, reason));
            }
            (written, implied) => written.or(implied).unwrap_or_default(),
        };
        let index = |name: &String| {
            let names = Names::one(name);
            sources.index(name).ok_or_else(|| Error::MissingUnits { names, database: database.to_owned() })
        };
        let write = index(&spec.write)?;
        let replica = |name: &String| -> Result<Replica, Error> {
            let source = index(name)?;
            let enabled = !spec.disabled.contains(name);
            Ok(Replica { source, unit: sources.primary(source), enabled })
        };
        let replicas = spec.reads.iter().map(replica).collect::<Result<_, _>>()?;
        Ok(Self { spec, write, replicas, transactional, balance, rotation })
    }
}

impl ReadwriteSpec {
    /// Keeps what was disabled of the replicas that are still there, unless none would be left.
    pub(crate) fn disable(&mut self, before: &Self) {
        self.disabled = before.disabled.iter().filter(|unit| self.reads.contains(unit)).cloned().collect();
        if self.reads.iter().all(|read| self.disabled.contains(read)) {
            self.disabled.clear();
        }
    }
}

impl Rotation {
    /// The number of the next read; grows by one with each.
    pub fn advance(&self) -> usize {
        self.0.fetch_add(1, Ordering::Relaxed)
    }

    /// What [`Self::advance`] would give.
    pub fn peek(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

fn invalid(name: &str, reason: String) -> Error {
    Error::InvalidRule { kind: RuleKind::Readwrite, name: name.to_owned(), reason }
}
