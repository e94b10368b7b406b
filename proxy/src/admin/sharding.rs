//! Sharding rules: what DistSQL wrote as `meta` reads it, and the queries about them (`distsql.md` §3, §9).

use distsql::sharding::{self, Kind, Layout, Statement};
use meta::{AlgorithmSpec, Database, LayoutSpec, ShardedTable, ShardingTableSpec, Snapshot, StrategySpec};

use super::{Admin, Answer, Error, Servers, cell, otherwise, properties};

impl<S: Servers> Admin<S> {
    pub(super) async fn sharding(
        &self,
        current: Option<&str>,
        statement: &Statement,
    ) -> Result<Answer, Error> {
        match statement {
            Statement::AlterTables { tables } => {
                let tables = specs(tables)?;
                self.change_tables(current, |snapshot, name| snapshot.alter_sharding(name, tables)).await
            }
            Statement::CreateTables { if_not_exists, tables } => {
                let (tables, otherwise) = (specs(tables)?, otherwise(*if_not_exists));
                self.change_tables(current, |snapshot, name| {
                    snapshot.create_sharding(name, tables, otherwise)
                })
                .await
            }
            Statement::DropTables { if_exists, names } => {
                let otherwise = otherwise(*if_exists);
                self.change_tables(current, |snapshot, name| snapshot.drop_sharding(name, names, otherwise))
                    .await
            }
            Statement::Count { database } => Ok(count(&*self.named(database, current)?)),
            Statement::ShowAlgorithms { kind: Kind::Algorithm, unused: false, database } => {
                Ok(algorithms(&*self.named(database, current)?))
            }
            Statement::ShowNodes { table, database } => {
                Ok(nodes(&*self.named(database, current)?, table.as_deref()))
            }
            Statement::ShowTables { table, database } => {
                Ok(rules(&*self.named(database, current)?, table.as_deref()))
            }
            Statement::AlterAlgorithms { .. }
            | Statement::AlterDefault { .. }
            | Statement::AlterReferences { .. }
            | Statement::CreateAlgorithms { .. }
            | Statement::CreateDefault { .. }
            | Statement::CreateReferences { .. }
            | Statement::DropAlgorithms { .. }
            | Statement::DropDefault { .. }
            | Statement::DropReferences { .. }
            | Statement::ShowAlgorithms { .. }
            | Statement::ShowDefault { .. }
            | Statement::ShowReferences { .. }
            | Statement::ShowUsers { .. } => Err(Error::not_yet(statement.title())),
        }
    }

    /// Changes the rules of tables, after which others may be single tables.
    async fn change_tables(
        &self,
        current: Option<&str>,
        change: impl FnOnce(&Snapshot, &str) -> Result<Snapshot, meta::Error>,
    ) -> Result<Answer, Error> {
        let _turn = self.turn.lock().await;
        let database = self.current(current)?;
        self.commit(|snapshot| change(snapshot, &database.name))?;
        self.refresh(&database.name).await;
        Ok(Answer::Ok)
    }
}

/// Rules as `meta` takes them.
fn specs(tables: &[sharding::Table]) -> Result<Vec<ShardingTableSpec>, Error> {
    tables
        .iter()
        .map(|table| {
            let later =
                |what: &str| Error::not_yet(&format!("{what} of sharding table rule '{}'", table.name));
            let Layout::Auto { units, column, algorithm } = &table.layout else {
                return Err(later("DATANODES"));
            };
            if table.key.is_some() {
                return Err(later("KEY_GENERATE_STRATEGY"));
            }
            if table.audit.is_some() {
                return Err(later("AUDIT_STRATEGY"));
            }
            let algorithm =
                AlgorithmSpec { kind: algorithm.name.clone(), properties: algorithm.properties.clone() };
            Ok(ShardingTableSpec::auto(table.name.clone(), units.clone(), column.clone(), algorithm))
        })
        .collect()
}

/// `SHOW SHARDING TABLE RULES`, `SHOW SHARDING TABLE RULE t`.
fn rules(database: &Database, table: Option<&str>) -> Answer {
    let row = |table: &ShardedTable| {
        let spec = &table.spec;
        let none = || vec![cell(""); 4];
        let strategy = |strategy: &Option<StrategySpec>| match strategy {
            Some(it) => vec![
                cell(format!("{:?}", it.kind).to_lowercase()),
                cell(it.columns.join(",")),
                cell(it.algorithm.as_ref().map(|it| it.kind.to_ascii_lowercase()).unwrap_or_default()),
                cell(it.algorithm.as_ref().map(|it| properties(&it.properties)).unwrap_or_default()),
            ],
            None => none(),
        };
        let mut row = vec![cell(&spec.name)];
        match &spec.layout {
            // An automatically laid out table has sources and no nodes, and no strategy for databases.
            LayoutSpec::Auto { units, column, algorithm } => {
                let kind = algorithm.kind.to_ascii_lowercase();
                row.extend([cell(""), cell(units.join(","))]);
                row.extend(none());
                row.extend([cell(&kind), cell(column), cell(&kind), cell(properties(&algorithm.properties))]);
            }
            LayoutSpec::Nodes { nodes, database, table } => {
                row.extend([cell(nodes.join(",")), cell("")]);
                row.extend(strategy(database));
                row.extend(strategy(table));
            }
        }
        row.extend(match &spec.key {
            Some(key) => vec![
                cell(&key.column),
                cell(key.algorithm.kind.to_ascii_lowercase()),
                cell(properties(&key.algorithm.properties)),
            ],
            None => vec![cell(""); 3],
        });
        row.extend(match &spec.audit {
            Some(audit) => {
                let kinds: Vec<_> = audit.auditors.values().map(|it| it.kind.to_ascii_lowercase()).collect();
                vec![cell(kinds.join(",")), cell(audit.allow_hint_disable.to_string())]
            }
            None => vec![cell(""); 2],
        });
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
fn nodes(database: &Database, table: Option<&str>) -> Answer {
    let row = |table: &ShardedTable| {
        let nodes: Vec<_> = table.nodes.iter().map(|node| format!("{}.{}", node.unit, node.table)).collect();
        vec![cell(&table.spec.name), cell(nodes.join(", "))]
    };
    Answer::Rows { columns: vec!["name", "nodes"], rows: selected(database, table).map(row).collect() }
}

/// `SHOW SHARDING ALGORITHMS`: each table has its own, `<table>_<type>` or `<table>_<database|table>_<type>`.
fn algorithms(database: &Database) -> Answer {
    let mut rows = Vec::new();
    let mut add = |before: String, algorithm: &AlgorithmSpec| {
        let kind = algorithm.kind.to_ascii_lowercase();
        let props = properties(&algorithm.properties);
        rows.push(vec![cell(format!("{before}_{kind}")), cell(&kind), cell(props)]);
    };
    for table in database.sharding.tables.values() {
        match &table.spec.layout {
            LayoutSpec::Auto { algorithm, .. } => add(table.spec.name.clone(), algorithm),
            LayoutSpec::Nodes { database, table: inner, .. } => {
                for (strategy, level) in [(database, "database"), (inner, "table")] {
                    if let Some(algorithm) = strategy.as_ref().and_then(|it| it.algorithm.as_ref()) {
                        add(format!("{}_{level}", table.spec.name), algorithm);
                    }
                }
            }
        }
    }
    Answer::Rows { columns: vec!["name", "type", "props"], rows }
}

/// `COUNT SHARDING RULE`.
fn count(database: &Database) -> Answer {
    let row = |name: &str, count: usize| vec![cell(name), cell(&database.name), cell(count.to_string())];
    Answer::Rows {
        columns: vec!["rule_name", "database", "count"],
        rows: vec![
            row("sharding_table", database.sharding.tables.len()),
            row("sharding_table_reference", database.sharding.bindings.len()),
            row("broadcast_table", database.broadcast.tables.len()),
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
