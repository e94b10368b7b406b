//! Any statement.

use indexmap::IndexMap;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use super::{rules, sharding};
use crate::single::Pattern;
use crate::unit::{Address, Ignored, Unit};
use crate::{
    Algorithm, Statement, audit, broadcast, compute, configuration, global, hint, metadata, single, unit,
    variable,
};

/// Words of the language, any of which may be a name.
const WORDS: [&str; 40] = [
    "ALGORITHM",
    "ALL",
    "ALLOW_HINT_DISABLE",
    "AUDITORS",
    "CHECK_PRIVILEGES",
    "CIPHER",
    "COLUMNS",
    "DATABASE_VALUE",
    "DATANODES",
    "DEFAULT",
    "DISABLE",
    "ENABLE",
    "EXISTS",
    "FILE",
    "FROM",
    "GROUP",
    "HINT",
    "IF",
    "IGNORE",
    "KEY",
    "LIKE",
    "NAME",
    "NOT",
    "PLAIN",
    "RANDOM",
    "READ",
    "REFERENCE",
    "RESOURCE",
    "RULE",
    "RULES",
    "SHADOW",
    "SHARDING_ALGORITHM",
    "SOURCE",
    "STORAGE",
    "TABLE",
    "TO",
    "TYPE",
    "USED",
    "WHERE",
    "WITH",
];

pub(super) fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => "[a-z_$][a-zA-Z0-9_$]{0,8}",
        3 => "[ -~äß]{1,8}",
        2 => prop::sample::select(&WORDS[..]).prop_map(str::to_owned),
        1 => prop::sample::select(&WORDS[..]).prop_map(str::to_lowercase),
    ]
}

pub(super) fn names() -> impl Strategy<Value = Vec<String>> {
    vec(name(), 1..4)
}

pub(super) fn maybe() -> impl Strategy<Value = Option<String>> {
    option::of(name())
}

/// What can stand between quotes.
pub(super) fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[ !#-&(-\\[\\]-~ü\n]{0,12}", "([a-z]|'|\"\"|\\\\.){0,6}", "([a-z]|\"|''|\\\\.){0,6}",]
}

fn properties() -> impl Strategy<Value = IndexMap<String, String>> {
    vec((text(), text()), 0..3).prop_map(|pairs| pairs.into_iter().collect())
}

pub(super) fn algorithm() -> impl Strategy<Value = Algorithm> {
    (text(), properties()).prop_map(|(name, properties)| Algorithm { name, properties })
}

pub(super) fn statement() -> BoxedStrategy<Statement> {
    prop_oneof![
        broadcasts().prop_map(Statement::Broadcast),
        configurations().prop_map(Statement::Configuration),
        fixed(),
        hints().prop_map(Statement::Hint),
        metadata().prop_map(Statement::Metadata),
        rules::encrypt().prop_map(Statement::Encrypt),
        rules::mask().prop_map(Statement::Mask),
        rules::readwrite().prop_map(Statement::Readwrite),
        rules::shadow().prop_map(Statement::Shadow),
        sharding::statement().prop_map(Statement::Sharding),
        singles().prop_map(Statement::Single),
        units().prop_map(Statement::Unit),
        variables().prop_map(Statement::Variable),
        "[a-z][a-z0-9' ]{0,9}[a-z]".prop_map(Statement::Preview),
    ]
    .boxed()
}

/// Statements without parts.
fn fixed() -> impl Strategy<Value = Statement> {
    prop::sample::select(vec![
        Statement::Compute(compute::Statement::ShowInfo),
        Statement::Audit(audit::Statement::Reset),
        Statement::Audit(audit::Statement::Rotate),
        Statement::Audit(audit::Statement::ShowStatus),
        Statement::Compute(compute::Statement::ShowMode),
        Statement::Compute(compute::Statement::ShowNodes),
        Statement::Global(global::Statement::ShowAuthority),
        Statement::Global(global::Statement::ShowParser),
        Statement::Global(global::Statement::ShowTransaction),
        Statement::Hint(hint::Statement::Clear),
        Statement::Hint(hint::Statement::ClearReadwrite),
        Statement::Hint(hint::Statement::ClearSharding),
        Statement::Hint(hint::Statement::ShowReadwrite),
        Statement::Hint(hint::Statement::ShowSharding),
    ])
}

fn broadcasts() -> impl Strategy<Value = broadcast::Statement> {
    use broadcast::Statement as S;
    prop_oneof![
        maybe().prop_map(|database| S::Count { database }),
        (any::<bool>(), names()).prop_map(|(if_not_exists, tables)| S::Create { if_not_exists, tables }),
        (any::<bool>(), option::of(names())).prop_map(|(if_exists, tables)| S::Drop { if_exists, tables }),
        maybe().prop_map(|database| S::Show { database }),
    ]
}

fn configurations() -> impl Strategy<Value = configuration::Statement> {
    use configuration::Statement as S;
    prop_oneof![
        text().prop_map(|file| S::Convert { file }),
        (maybe(), option::of(text())).prop_map(|(database, file)| S::Export { database, file }),
        text().prop_map(|file| S::Import { file }),
    ]
}

fn hints() -> impl Strategy<Value = hint::Statement> {
    use hint::Statement as S;
    prop_oneof![
        (sharding::level(), name(), text()).prop_map(|(level, table, value)| S::AddSharding {
            level,
            table,
            value
        }),
        name().prop_map(|source| S::SetReadwrite { source: source.replace(['\'', '"', '\\'], "") + "x" }),
        text().prop_map(|value| S::SetSharding { value }),
    ]
}

fn metadata() -> impl Strategy<Value = metadata::Statement> {
    use metadata::Statement as S;
    prop_oneof![
        (maybe(), maybe()).prop_map(|(table, unit)| S::Refresh { table, unit }),
        (any::<bool>(), maybe(), option::of(text())).prop_map(|(full, database, like)| S::ShowLogical {
            full,
            database,
            like
        }),
        (names(), maybe()).prop_map(|(tables, database)| S::ShowTables { tables, database }),
    ]
}

fn singles() -> impl Strategy<Value = single::Statement> {
    use single::Statement as S;
    let pattern = || {
        prop_oneof![
            Just(Pattern::All),
            (name(), name()).prop_map(|(unit, table)| Pattern::Table { unit, table }),
            name().prop_map(Pattern::Unit),
        ]
    };
    prop_oneof![
        maybe().prop_map(|database| S::Count { database }),
        vec(pattern(), 1..4).prop_map(|patterns| S::Load { patterns }),
        maybe().prop_map(|unit| S::SetDefault { unit }),
        (name(), maybe()).prop_map(|(table, database)| S::Show { table: Some(table), database, like: None }),
        (maybe(), option::of(text())).prop_map(|(database, like)| S::Show { table: None, database, like }),
        maybe().prop_map(|database| S::ShowDefault { database }),
        (maybe(), maybe()).prop_map(|(database, unit)| S::ShowUnloaded { database, unit }),
        option::of(names()).prop_map(|tables| S::Unload { tables }),
    ]
}

fn units() -> impl Strategy<Value = unit::Statement> {
    use unit::Statement as S;
    let definitions = || vec(definition(), 1..3);
    prop_oneof![
        definitions().prop_map(|units| S::Alter { units }),
        (any::<bool>(), definitions())
            .prop_map(|(if_not_exists, units)| S::Register { if_not_exists, units }),
        (maybe(), option::of(any::<u64>()), option::of(text())).prop_map(|(database, usage, like)| S::Show {
            database,
            usage,
            like
        }),
        (maybe(), option::of(text())).prop_map(|(database, like)| S::ShowPools { database, like }),
        (name(), maybe()).prop_map(|(unit, database)| S::ShowRules { unit, database }),
        (any::<bool>(), names(), any::<(bool, bool)>()).prop_map(
            |(if_exists, names, (broadcast, single))| {
                S::Unregister { if_exists, names, ignored: Ignored { broadcast, single } }
            }
        ),
    ]
}

fn definition() -> impl Strategy<Value = Unit> {
    let address = prop_oneof![
        text().prop_map(Address::Url),
        (text(), any::<u64>(), text()).prop_map(|(host, port, database)| Address::Host {
            host,
            port,
            database
        }),
    ];
    (name(), address, text(), text(), properties()).prop_map(|(name, address, user, password, properties)| {
        Unit { name, address, user, password, properties }
    })
}

fn variables() -> impl Strategy<Value = variable::Statement> {
    use variable::Statement as S;
    prop_oneof![
        (name(), text()).prop_map(|(name, value)| S::Set { name, value }),
        option::of(text()).prop_map(|like| S::Show { like }),
        name().prop_map(|name| S::ShowOne { name }),
    ]
}
