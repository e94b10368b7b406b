//! Sharding rules: what DistSQL wrote as `meta` reads it, and the queries about them (`distsql.md` §3, §9).

use meta::{AlgorithmSpec, AutoTable, Database, ShardedTable};

use super::{Answer, cell, properties};

/// Rules as `meta` takes them.
pub(super) fn specs(tables: &[distsql::ShardingTable]) -> Vec<AutoTable> {
    tables
        .iter()
        .map(|table| AutoTable {
            name: table.name.clone(),
            units: table.units.clone(),
            column: table.column.clone(),
            algorithm: AlgorithmSpec {
                kind: table.algorithm.name.clone(),
                properties: table.algorithm.properties.clone(),
            },
        })
        .collect()
}

/// `SHOW SHARDING TABLE RULES`, `SHOW SHARDING TABLE RULE t`.
pub(super) fn rules(database: &Database, table: Option<&str>) -> Answer {
    let row = |table: &ShardedTable| {
        let kind = table.spec.algorithm.kind.to_ascii_lowercase();
        // An automatically laid out table has sources and no nodes, and no strategy for databases.
        let mut row = vec![cell(&table.spec.name), cell(""), cell(table.spec.units.join(","))];
        row.extend(std::iter::repeat_n(cell(""), 4));
        row.extend([
            cell(&kind),
            cell(&table.spec.column),
            cell(&kind),
            cell(properties(&table.spec.algorithm.properties)),
        ]);
        row.extend(std::iter::repeat_n(cell(""), 5));
        row
    };
    Answer::Rows {
        columns: vec![
            "table",
            "actual_data_nodes",
            "actual_data_sources",
            "database_strategy_type",
            "database_sharding_column",
            "database_sharding_algorithm_type",
            "database_sharding_algorithm_props",
            "table_strategy_type",
            "table_sharding_column",
            "table_sharding_algorithm_type",
            "table_sharding_algorithm_props",
            "key_generate_column",
            "key_generator_type",
            "key_generator_props",
            "auditor_types",
            "allow_hint_disable",
        ],
        rows: selected(database, table).map(row).collect(),
    }
}

/// `SHOW SHARDING TABLE NODES`.
pub(super) fn nodes(database: &Database, table: Option<&str>) -> Answer {
    let row = |table: &ShardedTable| {
        let nodes: Vec<_> = table.nodes.iter().map(|node| format!("{}.{}", node.unit, node.table)).collect();
        vec![cell(&table.spec.name), cell(nodes.join(", "))]
    };
    Answer::Rows { columns: vec!["name", "nodes"], rows: selected(database, table).map(row).collect() }
}

/// `SHOW SHARDING ALGORITHMS`: each table has its own, `<table>_<type>`.
pub(super) fn algorithms(database: &Database) -> Answer {
    let row = |table: &ShardedTable| {
        let kind = table.spec.algorithm.kind.to_ascii_lowercase();
        vec![
            cell(format!("{}_{kind}", table.spec.name)),
            cell(&kind),
            cell(properties(&table.spec.algorithm.properties)),
        ]
    };
    Answer::Rows {
        columns: vec!["name", "type", "props"],
        rows: database.sharding.tables.values().map(row).collect(),
    }
}

/// `COUNT SHARDING RULE`.
pub(super) fn count(database: &Database) -> Answer {
    let row = |name: &str, count: usize| vec![cell(name), cell(&database.name), cell(count.to_string())];
    Answer::Rows {
        columns: vec!["rule_name", "database", "count"],
        rows: vec![
            row("sharding_table", database.sharding.tables.len()),
            row("sharding_table_reference", 0),
            row("broadcast_table", 0),
        ],
    }
}

fn selected<'a>(
    database: &'a Database,
    table: Option<&'a str>,
) -> impl Iterator<Item = &'a ShardedTable> + 'a {
    database
        .sharding
        .tables
        .values()
        .filter(move |it| table.is_none_or(|name| it.spec.name.eq_ignore_ascii_case(name)))
}
