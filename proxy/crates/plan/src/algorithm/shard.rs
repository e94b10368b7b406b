//! Which data nodes hold a key. A key is what the server will have *stored*, not what the statement wrote.
//!
//! An algorithm decides among the *targets* of a strategy: by number, or by name. Each target stands for some nodes.

mod auto_interval;
mod boundary_range;
mod complex_inline;
mod hash_mod;
mod inline;
mod interval;
mod mod_;
mod volume_range;

use meta::{Fault, Moment, NamedTargets, Operand, ShardingAlgorithm, Strategy, Targets};

use crate::shards::Shards;

/// A stored key.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Key<'a> {
    /// The text that a text column makes of an integer.
    Digits(i128),
    /// An integer.
    Int(i128),
    /// A date or time from the first to the second moment: which one, only the precision of the column tells.
    Moment(Moment, Moment),
    /// A text, or an integer of more digits than fit.
    Text(&'a str),
}

/// Why a key has no place.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Misfit {
    /// It may be on either of two.
    Doubtful,
    /// The expression has no value for it.
    Fault(Fault),
    /// What the offsets leave of it is no integer.
    NotNumeric,
    /// It is no date and time in the form that the algorithm reads.
    NotTime,
    /// No target has the name that the expression comes to.
    Target(String),
    /// It is shorter than what the offsets cut off.
    TooShort,
}

/// What of a key an algorithm looks at.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Reading {
    /// Some of its decimal digits.
    Digits,
    /// Its kind and every character.
    Exact,
    /// A moment.
    Time,
    /// The value of an integer, however it is written.
    Value,
}

/// The nodes that may hold one key, of a strategy with one column.
pub(crate) fn nodes(strategy: &Strategy, key: Key<'_>) -> Result<Shards, Misfit> {
    let targets = match &strategy.targets {
        Targets::Nodes => return number(&strategy.algorithm, key).map(Shards::One),
        Targets::Named(targets) => targets,
    };
    match &strategy.algorithm {
        ShardingAlgorithm::Inline(properties) => named(targets, inline::name(&properties.expression, key)?),
        ShardingAlgorithm::Interval(properties) => {
            let suffix = interval::suffix(properties, key)?;
            Ok(suffix.map_or(Shards::Nowhere, |suffix| ending(targets, &suffix)))
        }
        algorithm => Ok(numbered(targets, number(algorithm, key)?)),
    }
}

/// The nodes that may hold one key for each column of a complex strategy.
pub(crate) fn nodes_of_several(strategy: &Strategy, keys: &[Key<'_>]) -> Result<Shards, Misfit> {
    match (&strategy.algorithm, &strategy.targets, keys) {
        (ShardingAlgorithm::ComplexInline(properties), Targets::Named(targets), keys) => {
            named(targets, complex_inline::name(properties, &strategy.columns, keys)?)
        }
        (_, _, [key]) => nodes(strategy, *key),
        _ => Ok(Shards::All),
    }
}

/// The nodes that a hint asks for: a text that is an integer is one.
pub(crate) fn nodes_of_hint(strategy: &Strategy, value: &str) -> Result<Shards, Misfit> {
    let (ShardingAlgorithm::HintInline(properties), Targets::Named(targets)) =
        (&strategy.algorithm, &strategy.targets)
    else {
        return Ok(Shards::All);
    };
    let operand = value.parse().map_or(Operand::Text(value), Operand::Int);
    let operands: Vec<_> = properties.expression.variables().iter().map(|_| operand).collect();
    named(targets, properties.expression.evaluate(&operands).map_err(Misfit::Fault)?)
}

/// Every node that may hold a key in `low..=high`; `None` is no bound. Bounds are integers, or microseconds of
/// [`Moment`] for algorithms that read times.
pub(crate) fn range(strategy: &Strategy, low: Option<i128>, high: Option<i128>) -> Shards {
    let targets = match &strategy.targets {
        Targets::Nodes => return numbers(&strategy.algorithm, low, high),
        Targets::Named(targets) => targets,
    };
    let moment = |bound: i128| i64::try_from(bound).ok().map(Moment);
    let mut found = Shards::Nowhere;
    if let ShardingAlgorithm::Interval(properties) = &strategy.algorithm {
        match interval::suffixes(properties, low.and_then(moment), high.and_then(moment)) {
            Some(suffixes) => suffixes.iter().for_each(|suffix| found.unite(&ending(targets, suffix))),
            None => return Shards::All,
        }
        return found;
    }
    let Some(count) = strategy.algorithm.shards() else { return Shards::All };
    for shard in numbers(&strategy.algorithm, low, high).iter(count) {
        found.unite(&numbered(targets, shard));
    }
    found
}

/// Whether a range is refused, because nobody said that it may go to every target.
pub(crate) fn refuses_ranges(algorithm: &ShardingAlgorithm) -> bool {
    match algorithm {
        ShardingAlgorithm::ComplexInline(properties) => !properties.ranges,
        ShardingAlgorithm::Inline(properties) => !properties.ranges,
        _ => false,
    }
}

/// What of a key an algorithm looks at.
pub(crate) fn reading(algorithm: &ShardingAlgorithm) -> Reading {
    match algorithm {
        ShardingAlgorithm::AutoInterval(_) | ShardingAlgorithm::Interval(_) => Reading::Time,
        ShardingAlgorithm::BoundaryRange(_) | ShardingAlgorithm::VolumeRange(_) => Reading::Value,
        ShardingAlgorithm::ComplexInline(_)
        | ShardingAlgorithm::HashMod(_)
        | ShardingAlgorithm::HintInline(_)
        | ShardingAlgorithm::Inline(_) => Reading::Exact,
        ShardingAlgorithm::Mod(properties) if properties.start_offset == 0 && properties.stop_offset == 0 => {
            Reading::Value
        }
        ShardingAlgorithm::Mod(_) => Reading::Digits,
    }
}

/// The shard of one key.
fn number(algorithm: &ShardingAlgorithm, key: Key<'_>) -> Result<u32, Misfit> {
    match algorithm {
        ShardingAlgorithm::AutoInterval(properties) => auto_interval::shard(*properties, key),
        ShardingAlgorithm::BoundaryRange(properties) => boundary_range::shard(properties, key),
        ShardingAlgorithm::HashMod(properties) => hash_mod::shard(*properties, key),
        ShardingAlgorithm::Mod(properties) => mod_::shard(properties, key),
        ShardingAlgorithm::VolumeRange(properties) => volume_range::shard(*properties, key),
        // They number no shards.
        ShardingAlgorithm::ComplexInline(_)
        | ShardingAlgorithm::HintInline(_)
        | ShardingAlgorithm::Inline(_)
        | ShardingAlgorithm::Interval(_) => Err(Misfit::Doubtful),
    }
}

/// The shards of a range.
fn numbers(algorithm: &ShardingAlgorithm, low: Option<i128>, high: Option<i128>) -> Shards {
    let moment = |bound: i128| i64::try_from(bound).ok().map(Moment);
    match algorithm {
        ShardingAlgorithm::AutoInterval(properties) => {
            auto_interval::range(*properties, low.and_then(moment), high.and_then(moment))
        }
        ShardingAlgorithm::BoundaryRange(properties) => boundary_range::range(properties, low, high),
        ShardingAlgorithm::Mod(properties) => mod_::range(properties, low, high),
        ShardingAlgorithm::VolumeRange(properties) => volume_range::range(*properties, low, high),
        _ => Shards::All,
    }
}

fn named(targets: &NamedTargets, name: String) -> Result<Shards, Misfit> {
    match targets.find(&name) {
        Some(target) => Ok(of_target(targets, target)),
        None => Err(Misfit::Target(name)),
    }
}

fn numbered(targets: &NamedTargets, shard: u32) -> Shards {
    let target = targets.numbered.get(shard as usize).copied().flatten();
    target.map_or(Shards::Nowhere, |target| of_target(targets, target))
}

/// All targets whose names end so.
fn ending(targets: &NamedTargets, suffix: &str) -> Shards {
    let mut found = Shards::Nowhere;
    for (name, nodes) in targets.names.iter().zip(&targets.nodes) {
        if name.ends_with(suffix) {
            nodes.iter().for_each(|node| found.add(*node));
        }
    }
    found
}

fn of_target(targets: &NamedTargets, target: u32) -> Shards {
    let mut found = Shards::Nowhere;
    if let Some(nodes) = targets.nodes.get(target as usize) {
        nodes.iter().for_each(|node| found.add(*node));
    }
    found
}

/// An integer; one too large to be one is as large as can be.
fn integer(key: Key<'_>) -> Result<i128, Misfit> {
    match key {
        Key::Digits(value) | Key::Int(value) => Ok(value),
        Key::Moment(..) => Err(Misfit::NotNumeric),
        Key::Text(text) if crate::key::is_integer(text) => Ok(crate::key::saturated(text)),
        Key::Text(_) => Err(Misfit::NotNumeric),
    }
}
