//! Any statement about readwrite splitting, encryption, masking and shadow databases.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use super::trees::{algorithm, maybe, name, names, text};
use crate::{Choice, encrypt, mask, readwrite, shadow};

pub(super) fn encrypt() -> impl Strategy<Value = encrypt::Statement> {
    use encrypt::{Column, Rule, Statement as S};
    let columns = (
        (name(), option::of(text())),
        (option::of(physical()), physical(), option::of(physical()), option::of(physical())),
        (algorithm(), option::of(algorithm()), option::of(algorithm())),
    );
    let column = columns.prop_map(|((name, data_type), (plain, cipher, assisted, like), algorithms)| {
        let (algorithm, assisted_algorithm, like_algorithm) = algorithms;
        Column {
            name,
            data_type,
            plain,
            cipher,
            assisted,
            like,
            algorithm,
            assisted_algorithm,
            like_algorithm,
        }
    });
    let rule = (name(), maybe(), vec(column, 1..3), option::of(any::<bool>())).prop_map(
        |(table, unit, columns, query_with_cipher)| Rule { table, unit, columns, query_with_cipher },
    );
    let rules = vec(rule, 1..3).boxed();
    prop_oneof![
        rules.clone().prop_map(|rules| S::Alter { rules }),
        maybe().prop_map(|database| S::Count { database }),
        (any::<bool>(), rules).prop_map(|(if_not_exists, rules)| S::Create { if_not_exists, rules }),
        (any::<bool>(), names()).prop_map(|(if_exists, names)| S::Drop { if_exists, names }),
        (maybe(), maybe()).prop_map(|(table, database)| S::Show { table, database }),
    ]
}

fn physical() -> impl Strategy<Value = encrypt::Physical> {
    (name(), option::of(text())).prop_map(|(name, data_type)| encrypt::Physical { name, data_type })
}

pub(super) fn mask() -> impl Strategy<Value = mask::Statement> {
    use mask::{Column, Rule, Statement as S};
    let column = (name(), algorithm()).prop_map(|(name, algorithm)| Column { name, algorithm });
    let rule = (name(), vec(column, 1..3)).prop_map(|(table, columns)| Rule { table, columns });
    let rules = vec(rule, 1..3).boxed();
    prop_oneof![
        rules.clone().prop_map(|rules| S::Alter { rules }),
        maybe().prop_map(|database| S::Count { database }),
        (any::<bool>(), rules).prop_map(|(if_not_exists, rules)| S::Create { if_not_exists, rules }),
        (any::<bool>(), names()).prop_map(|(if_exists, names)| S::Drop { if_exists, names }),
        (maybe(), maybe()).prop_map(|(table, database)| S::Show { table, database }),
    ]
}

pub(super) fn readwrite() -> impl Strategy<Value = readwrite::Statement> {
    use readwrite::{Rule, Statement as S, Switch};
    let rule = (name(), name(), names(), option::of(text()), option::of(algorithm())).prop_map(
        |(name, write, read, transactional, balancer)| Rule { name, write, read, transactional, balancer },
    );
    let rules = vec(rule, 1..3).boxed();
    let switch = prop::sample::select(vec![Switch::Off, Switch::On]);
    prop_oneof![
        rules.clone().prop_map(|rules| S::Alter { rules }),
        maybe().prop_map(|database| S::Count { database }),
        (any::<bool>(), rules).prop_map(|(if_not_exists, rules)| S::Create { if_not_exists, rules }),
        (any::<bool>(), names()).prop_map(|(if_exists, names)| S::Drop { if_exists, names }),
        (maybe(), maybe()).prop_map(|(name, database)| S::Show { name, database }),
        (maybe(), maybe()).prop_map(|(name, database)| S::ShowStatus { name, database }),
        (maybe(), name(), switch, maybe()).prop_map(|(name, unit, switch, database)| S::Switch {
            name,
            unit,
            switch,
            database
        }),
    ]
}

pub(super) fn shadow() -> impl Strategy<Value = shadow::Statement> {
    use shadow::{Named, Rule, Statement as S, Table};
    let named = (maybe(), algorithm()).prop_map(|(name, algorithm)| Named { name, algorithm });
    let table = (name(), vec(named, 1..3)).prop_map(|(name, algorithms)| Table { name, algorithms });
    let rule = (name(), name(), name(), vec(table, 1..3)).prop_map(|(name, source, shadow, tables)| Rule {
        name,
        source,
        shadow,
        tables,
    });
    let rules = vec(rule, 1..3).boxed();
    let choice = || prop_oneof![name().prop_map(Choice::Name), algorithm().prop_map(Choice::Type)];
    let default = prop_oneof![
        choice().prop_map(|algorithm| S::AlterDefault { algorithm }),
        (any::<bool>(), choice())
            .prop_map(|(if_not_exists, algorithm)| S::CreateDefault { if_not_exists, algorithm }),
        any::<bool>().prop_map(|if_exists| S::DropDefault { if_exists }),
        maybe().prop_map(|database| S::ShowDefault { database }),
    ];
    prop_oneof![
        default,
        rules.clone().prop_map(|rules| S::Alter { rules }),
        maybe().prop_map(|database| S::Count { database }),
        (any::<bool>(), rules).prop_map(|(if_not_exists, rules)| S::Create { if_not_exists, rules }),
        (any::<bool>(), names()).prop_map(|(if_exists, names)| S::Drop { if_exists, names }),
        (any::<bool>(), names()).prop_map(|(if_exists, names)| S::DropAlgorithms { if_exists, names }),
        (maybe(), maybe()).prop_map(|(name, database)| S::Show { name, database }),
        maybe().prop_map(|database| S::ShowAlgorithms { database }),
        (maybe(), maybe()).prop_map(|(table, database)| S::ShowTables { table, database }),
    ]
}
