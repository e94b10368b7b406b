//! Queries about sharding rules (`distsql.md` §9).

use std::collections::HashSet;

use distsql::sharding::{Kind, Statement};
use meta::{
    AlgorithmKind, AlgorithmSpec, Database, LayoutSpec, Level, ShardedTable, StrategyKind, StrategySpec,
};

use super::algorithm_kind;
use crate::admin::{Answer, cell, counted, properties};

/// Cells of a row.
type Cells = Vec<Option<String>>;

/// The answer to a query; nothing is asked of what changes something.
pub(super) fn answer(database: &Database, statement: &Statement) -> Answer {
    match statement {
        Statement::Count { .. } => counted(
            database,
            &[
                ("sharding_table", database.sharding.tables.len()),
                ("sharding_table_reference", database.sharding.bindings.len()),
                ("broadcast_table", database.broadcast.tables.len()),
            ],
        ),
        Statement::ShowAlgorithms { kind, unused, .. } => algorithms(database, *kind, *unused),
        Statement::ShowDefault { .. } => defaults(database),
        Statement::ShowNodes { table, .. } => nodes(database, table.as_deref()),
        Statement::ShowReferences { name, .. } => references(database, name.as_deref()),
        Statement::ShowTables { table, .. } => rules(database, table.as_deref()),
        Statement::ShowUsers { kind, name, .. } => users(database, *kind, name),
        _ => Answer::Ok,
    }
}

/// `SHOW SHARDING TABLE RULES`, `SHOW SHARDING TABLE RULE t`.
fn rules(database: &Database, table: Option<&str>) -> Answer {
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
        rows: selected(database, table).map(rule).collect(),
    }
}

fn rule(table: &ShardedTable) -> Cells {
    let spec = &table.spec;
    let mut row = vec![cell(&spec.name)];
    match &spec.layout {
        // An automatically laid out table has sources and no nodes, and no strategy for databases.
        LayoutSpec::Auto { units, column, algorithm } => {
            row.extend([cell(""), cell(units.join(","))]);
            row.extend(strategy(None));
            row.push(cell(kind(algorithm)));
            row.push(cell(column));
            row.extend(described(algorithm));
        }
        LayoutSpec::Nodes { nodes, database, table } => {
            row.extend([cell(nodes.join(",")), cell("")]);
            row.extend(strategy(database.as_ref()));
            row.extend(strategy(table.as_ref()));
        }
    }
    match &spec.key {
        Some(key) => {
            row.push(cell(&key.column));
            row.extend(described(&key.algorithm));
        }
        None => row.extend(vec![cell(""); 3]),
    }
    match &spec.audit {
        Some(audit) => {
            let kinds: Vec<_> = audit.auditors.values().map(kind).collect();
            row.extend([cell(kinds.join(",")), cell(audit.allow_hint_disable.to_string())]);
        }
        None => row.extend(vec![cell(""); 2]),
    }
    row
}

/// Type, columns, type of the algorithm and its properties; empty for a table that has none of its own.
fn strategy(strategy: Option<&StrategySpec>) -> Cells {
    let Some(it) = strategy else { return vec![cell(""); 4] };
    let mut cells = vec![cell(strategy_kind(it.kind)), cell(it.columns.join(","))];
    match &it.algorithm {
        Some(algorithm) => cells.extend(described(algorithm)),
        None => cells.extend([cell(""), cell("")]),
    }
    cells
}

/// `SHOW SHARDING TABLE NODES`.
fn nodes(database: &Database, table: Option<&str>) -> Answer {
    let row = |table: &ShardedTable| {
        let nodes: Vec<_> = table.nodes.iter().map(|node| format!("{}.{}", node.unit, node.table)).collect();
        vec![cell(&table.spec.name), cell(nodes.join(", "))]
    };
    Answer::Rows { columns: vec!["name", "nodes"], rows: selected(database, table).map(row).collect() }
}

/// `SHOW SHARDING ALGORITHMS`, `AUDITORS`, `KEY GENERATORS`, and those that no rule uses.
fn algorithms(database: &Database, of: Kind, unused: bool) -> Answer {
    let (mut spec, of) = (database.spec(), algorithm_kind(of));
    let mut shown = spec.algorithms_by_name(of);
    if unused {
        let mut used = HashSet::new();
        spec.each_algorithm(of, |it| {
            used.insert(it.name);
        });
        shown.retain(|name, _| !used.contains(name));
    }
    let row = |(name, algorithm): (String, AlgorithmSpec)| {
        let [kind, props] = described(&algorithm);
        vec![cell(name), kind, props]
    };
    Answer::Rows { columns: vec!["name", "type", "props"], rows: shown.into_iter().map(row).collect() }
}

/// `SHOW SHARDING TABLE RULES USED ALGORITHM`, `AUDITOR`, `KEY GENERATOR`.
fn users(database: &Database, of: Kind, name: &str) -> Answer {
    let tables = database.spec().algorithm_users(algorithm_kind(of), name).into_iter().flatten();
    let row = |table: String| {
        let known = database.sharding.table(&table);
        let auto = known.is_some_and(|table| matches!(table.spec.layout, LayoutSpec::Auto { .. }));
        vec![cell(if auto { "auto_table" } else { "table" }), cell(table)]
    };
    Answer::Rows { columns: vec!["type", "name"], rows: tables.map(row).collect() }
}

/// `SHOW DEFAULT SHARDING STRATEGY`: two rows once there is any rule of sharding.
fn defaults(database: &Database) -> Answer {
    let spec = database.spec();
    let is_ruled = !spec.sharding.is_empty() || !spec.strategies.is_empty() || !spec.algorithms.is_empty();
    let row = |level: Level, strategy: &Option<StrategySpec>| {
        let mut row = vec![cell(level.name())];
        match strategy {
            Some(it) => {
                row.extend([cell(strategy_kind(it.kind)), cell(it.columns.join(","))]);
                match &it.algorithm {
                    Some(algorithm) => {
                        row.push(cell(default_name(&spec, level)));
                        row.extend(described(algorithm));
                    }
                    None => row.extend(vec![cell(""); 3]),
                }
            }
            None => {
                row.push(cell("NONE"));
                row.extend(vec![cell(""); 4]);
            }
        }
        row
    };
    let rows = [(Level::Table, &spec.strategies.table), (Level::Database, &spec.strategies.database)];
    let rows = rows.into_iter().filter(|_| is_ruled).map(|(level, strategy)| row(level, strategy));
    Answer::Rows {
        columns: vec![
            "name",
            "type",
            "sharding_column",
            "sharding_algorithm_name",
            "sharding_algorithm_type",
            "sharding_algorithm_props",
        ],
        rows: rows.collect(),
    }
}

/// The name of a default strategy's algorithm.
fn default_name(spec: &meta::DatabaseSpec, level: Level) -> String {
    let mut only = spec.clone();
    only.sharding.clear();
    match level {
        Level::Database => only.strategies.table = None,
        Level::Table => only.strategies.database = None,
    }
    let mut name = String::new();
    only.each_algorithm(AlgorithmKind::Sharding, |it| name = it.name);
    name
}

/// `SHOW SHARDING TABLE REFERENCE RULES`, `SHOW SHARDING TABLE REFERENCE RULE n`.
fn references(database: &Database, name: Option<&str>) -> Answer {
    let bindings = database.sharding.bindings.iter();
    let shown = bindings.filter(|it| name.is_none_or(|name| it.name.eq_ignore_ascii_case(name)));
    let rows = shown.map(|it| vec![cell(&it.name), cell(it.tables.join(","))]);
    Answer::Rows { columns: vec!["name", "sharding_table_reference"], rows: rows.collect() }
}

/// `SHOW BROADCAST TABLE RULES`.
pub(super) fn broadcast(database: &Database) -> Answer {
    let rows = database.broadcast.tables.values().map(|table| vec![cell(table)]);
    Answer::Rows { columns: vec!["broadcast_table"], rows: rows.collect() }
}

fn selected<'a>(
    database: &'a Database,
    table: Option<&'a str>,
) -> impl Iterator<Item = &'a ShardedTable> + 'a {
    let tables = database.sharding.tables.values();
    tables.filter(move |it| table.is_none_or(|name| it.spec.name.eq_ignore_ascii_case(name)))
}

/// Type and properties of an algorithm.
fn described(algorithm: &AlgorithmSpec) -> [Option<String>; 2] {
    [cell(kind(algorithm)), cell(properties(&algorithm.properties))]
}

fn kind(algorithm: &AlgorithmSpec) -> String {
    algorithm.kind.to_ascii_lowercase()
}

fn strategy_kind(kind: StrategyKind) -> &'static str {
    match kind {
        StrategyKind::Complex => "COMPLEX",
        StrategyKind::Hint => "HINT",
        StrategyKind::None => "NONE",
        StrategyKind::Standard => "STANDARD",
    }
}
