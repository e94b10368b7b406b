//! Any statement about sharding.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use super::trees::{algorithm, maybe, name, names, text};
use crate::Choice;
use crate::sharding::{
    Audit, Auditors, Key, Kind, Layout, Level, Named, Reference, References, Statement as S,
    Strategy as Chosen, Table,
};

pub(super) fn level() -> impl Strategy<Value = Level> {
    prop::sample::select(vec![Level::Database, Level::Table])
}

pub(super) fn statement() -> impl Strategy<Value = S> {
    prop_oneof![changes(), queries()]
}

fn changes() -> impl Strategy<Value = S> {
    let guard = any::<bool>;
    let algorithms =
        || vec((name(), algorithm()).prop_map(|(name, algorithm)| Named { name, algorithm }), 1..3);
    let references = || vec((maybe(), names()).prop_map(|(name, tables)| Reference { name, tables }), 1..3);
    let tables = || vec(table(), 1..3);
    let which = prop_oneof![
        Just(References::All),
        names().prop_map(References::Named),
        vec(names(), 1..3).prop_map(References::Of),
    ];
    prop_oneof![
        (kind(), algorithms()).prop_map(|(kind, algorithms)| S::AlterAlgorithms { kind, algorithms }),
        (level(), chosen()).prop_map(|(level, strategy)| S::AlterDefault { level, strategy }),
        references().prop_map(|rules| S::AlterReferences { rules }),
        tables().prop_map(|tables| S::AlterTables { tables }),
        (kind(), guard(), algorithms()).prop_map(|(kind, if_not_exists, algorithms)| S::CreateAlgorithms {
            kind,
            if_not_exists,
            algorithms
        }),
        (guard(), level(), chosen()).prop_map(|(if_not_exists, level, strategy)| S::CreateDefault {
            if_not_exists,
            level,
            strategy
        }),
        (guard(), references())
            .prop_map(|(if_not_exists, rules)| S::CreateReferences { if_not_exists, rules }),
        (guard(), tables()).prop_map(|(if_not_exists, tables)| S::CreateTables { if_not_exists, tables }),
        (kind(), guard(), names()).prop_map(|(kind, if_exists, names)| S::DropAlgorithms {
            kind,
            if_exists,
            names
        }),
        (guard(), level()).prop_map(|(if_exists, level)| S::DropDefault { if_exists, level }),
        (guard(), which).prop_map(|(if_exists, which)| S::DropReferences { if_exists, which }),
        (guard(), names()).prop_map(|(if_exists, names)| S::DropTables { if_exists, names }),
    ]
}

fn queries() -> impl Strategy<Value = S> {
    prop_oneof![
        maybe().prop_map(|database| S::Count { database }),
        (kind(), any::<bool>(), maybe()).prop_map(|(kind, unused, database)| S::ShowAlgorithms {
            kind,
            unused,
            database
        }),
        maybe().prop_map(|database| S::ShowDefault { database }),
        (maybe(), maybe()).prop_map(|(table, database)| S::ShowNodes { table, database }),
        (maybe(), maybe()).prop_map(|(name, database)| S::ShowReferences { name, database }),
        (maybe(), maybe()).prop_map(|(table, database)| S::ShowTables { table, database }),
        (kind(), name(), maybe()).prop_map(|(kind, name, database)| S::ShowUsers { kind, name, database }),
    ]
}

fn kind() -> impl Strategy<Value = Kind> {
    prop::sample::select(vec![Kind::Algorithm, Kind::Auditor, Kind::KeyGenerator])
}

fn choice() -> impl Strategy<Value = Choice> {
    prop_oneof![name().prop_map(Choice::Name), algorithm().prop_map(Choice::Type)]
}

fn chosen() -> impl Strategy<Value = Chosen> {
    let kind = prop_oneof![text(), Just("standard".to_owned()), Just("none".to_owned())];
    (kind, vec(name(), 0..4), option::of(choice())).prop_map(|(kind, columns, algorithm)| Chosen {
        kind,
        columns,
        algorithm,
    })
}

fn table() -> impl Strategy<Value = Table> {
    let units = vec(prop_oneof!["[a-z]{1,5}", Just("ds_${0..3}".to_owned()), Just("from".to_owned())], 1..4);
    let layout = prop_oneof![
        (units, name(), algorithm()).prop_map(|(units, column, algorithm)| Layout::Auto {
            units,
            column,
            algorithm
        }),
        (vec(text(), 1..3), option::of(chosen()), option::of(chosen()))
            .prop_map(|(nodes, database, table)| Layout::Nodes { nodes, database, table }),
    ];
    let key = (name(), choice()).prop_map(|(column, generator)| Key { column, generator });
    let auditors =
        prop_oneof![names().prop_map(Auditors::Named), vec(algorithm(), 1..3).prop_map(Auditors::Types),];
    let audit = (auditors, any::<bool>())
        .prop_map(|(auditors, allow_hint_disable)| Audit { auditors, allow_hint_disable });
    (name(), layout, option::of(key), option::of(audit)).prop_map(|(name, layout, key, audit)| Table {
        name,
        layout,
        key,
        audit,
    })
}
