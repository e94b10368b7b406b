//! Properties: what is printed reads back, and no text makes the parser panic.

use indexmap::IndexMap;
use proptest::prelude::*;

use crate::sharding::{self, Kind, Layout, Table};
use crate::unit::{self, Address, Ignored, Unit};
use crate::{Algorithm, Statement, parse, variable};

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z_$][a-zA-Z0-9_$]{0,8}",
        "[ -~äß]{1,8}",
        Just("from".to_owned()),
        Just("IF".to_owned()),
        Just("ignore".to_owned()),
    ]
}

/// What can stand between quotes.
fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[ !#-&(-\\[\\]-~ü\n]{0,12}", "([a-z]|'|\"\"|\\\\.){0,6}", "([a-z]|\"|''|\\\\.){0,6}",]
}

fn properties() -> impl Strategy<Value = IndexMap<String, String>> {
    prop::collection::vec((text(), text()), 0..3).prop_map(|pairs| pairs.into_iter().collect())
}

fn address() -> impl Strategy<Value = Address> {
    prop_oneof![
        text().prop_map(Address::Url),
        (text(), any::<u64>(), text()).prop_map(|(host, port, database)| Address::Host {
            host,
            port,
            database
        }),
    ]
}

fn unit() -> impl Strategy<Value = Unit> {
    (name(), address(), text(), text(), properties()).prop_map(
        |(name, address, user, password, properties)| Unit { name, address, user, password, properties },
    )
}

fn table() -> impl Strategy<Value = Table> {
    let units = prop::collection::vec(prop_oneof!["[a-z]{1,5}", Just("ds_${0..3}".to_owned())], 1..4);
    (name(), units, name(), text(), properties()).prop_map(|(table, units, column, kind, properties)| {
        let algorithm = Algorithm { name: kind, properties };
        Table { name: table, layout: Layout::Auto { units, column, algorithm }, key: None, audit: None }
    })
}

fn database() -> impl Strategy<Value = Option<String>> {
    prop::option::of(name())
}

fn statement() -> impl Strategy<Value = Statement> {
    let units = || prop::collection::vec(unit(), 1..3);
    let tables = || prop::collection::vec(table(), 1..3);
    let names = || prop::collection::vec(name(), 1..4);
    prop_oneof![
        (any::<bool>(), units()).prop_map(|(if_not_exists, units)| Statement::Unit(
            unit::Statement::Register { if_not_exists, units }
        )),
        units().prop_map(|units| Statement::Unit(unit::Statement::Alter { units })),
        (any::<bool>(), names(), any::<(bool, bool)>()).prop_map(
            |(if_exists, names, (broadcast, single))| {
                Statement::Unit(unit::Statement::Unregister {
                    if_exists,
                    names,
                    ignored: Ignored { broadcast, single },
                })
            }
        ),
        (any::<bool>(), tables()).prop_map(|(if_not_exists, tables)| Statement::Sharding(
            sharding::Statement::CreateTables { if_not_exists, tables }
        )),
        tables().prop_map(|tables| Statement::Sharding(sharding::Statement::AlterTables { tables })),
        (any::<bool>(), names()).prop_map(|(if_exists, names)| Statement::Sharding(
            sharding::Statement::DropTables { if_exists, names }
        )),
        (database(), prop::option::of(any::<u64>()), prop::option::of(text())).prop_map(
            |(database, usage, like)| Statement::Unit(unit::Statement::Show { database, usage, like })
        ),
        (name(), database())
            .prop_map(|(unit, database)| Statement::Unit(unit::Statement::ShowRules { unit, database })),
        (database(), database()).prop_map(|(table, database)| Statement::Sharding(
            sharding::Statement::ShowTables { table, database }
        )),
        (database(), database()).prop_map(|(table, database)| Statement::Sharding(
            sharding::Statement::ShowNodes { table, database }
        )),
        database().prop_map(|database| Statement::Sharding(sharding::Statement::ShowAlgorithms {
            kind: Kind::Algorithm,
            unused: false,
            database
        })),
        database().prop_map(|database| Statement::Sharding(sharding::Statement::Count { database })),
        (name(), text())
            .prop_map(|(name, value)| Statement::Variable(variable::Statement::Set { name, value })),
        name().prop_map(|name| Statement::Variable(variable::Statement::ShowOne { name })),
        prop::option::of(text()).prop_map(|like| Statement::Variable(variable::Statement::Show { like })),
        "[a-z][a-z0-9' ]{0,9}[a-z]".prop_map(Statement::Preview),
    ]
}

/// Bits of the language in any order.
fn soup() -> impl Strategy<Value = String> {
    let bit = prop::sample::select(vec![
        "REGISTER",
        "STORAGE",
        "UNIT",
        "UNITS",
        "CREATE",
        "SHARDING",
        "TABLE",
        "RULE",
        "RULES",
        "SHOW",
        "FROM",
        "(",
        ")",
        ",",
        "=",
        "HOST",
        "PORT",
        "URL",
        "USER",
        "PROPERTIES",
        "TYPE",
        "NAME",
        "'a'",
        "\"b\"",
        "1",
        "-",
        ";",
        "IF",
        "NOT",
        "EXISTS",
        "DIST",
        "VARIABLE",
        "SET",
        "STORAGE_UNITS",
        "SHARDING_COLUMN",
        "`x`",
        "x",
        "/*",
        "*/",
        "PREVIEW",
        "UNREGISTER",
        "é",
        "WHERE",
        "LIKE",
        "\n",
    ]);
    prop::collection::vec(bit, 0..24).prop_map(|bits| bits.join(" "))
}

proptest! {
    #[test]
    fn what_is_printed_reads_back(statement in statement()) {
        let text = statement.to_string();
        prop_assert_eq!(parse(&text), Ok(Some(statement)), "{}", text);
    }

    #[test]
    fn no_text_makes_it_panic(text in any::<String>(), bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        let _ = parse(&text).map_err(|error| error.to_string());
        let _ = parse(&String::from_utf8_lossy(&bytes)).map_err(|error| error.to_string());
        let _ = parse(&format!("REGISTER STORAGE UNIT {text}")).map_err(|error| error.to_string());
    }

    #[test]
    fn no_order_of_words_makes_it_panic(text in soup()) {
        if let Ok(Some(statement)) = parse(&text) {
            prop_assert_eq!(parse(&statement.to_string()), Ok(Some(statement)));
        }
    }
}
