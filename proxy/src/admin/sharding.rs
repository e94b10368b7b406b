//! Sharding rules: what DistSQL wrote as `meta` reads it, and the queries about them (`distsql.md` §3, §9).

use distsql::sharding::{self, Kind, Layout, Statement};
use meta::{AlgorithmSpec, AutoTable, Database, ShardedTable, Snapshot};

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
fn specs(tables: &[sharding::Table]) -> Result<Vec<AutoTable>, Error> {
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
            Ok(AutoTable {
                name: table.name.clone(),
                units: units.clone(),
                column: column.clone(),
                algorithm,
            })
        })
        .collect()
}

/// `SHOW SHARDING TABLE RULES`, `SHOW SHARDING TABLE RULE t`.
fn rules(database: &Database, table: Option<&str>) -> Answer {
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
fn nodes(database: &Database, table: Option<&str>) -> Answer {
    let row = |table: &ShardedTable| {
        let nodes: Vec<_> = table.nodes.iter().map(|node| format!("{}.{}", node.unit, node.table)).collect();
        vec![cell(&table.spec.name), cell(nodes.join(", "))]
    };
    Answer::Rows { columns: vec!["name", "nodes"], rows: selected(database, table).map(row).collect() }
}

/// `SHOW SHARDING ALGORITHMS`: each table has its own, `<table>_<type>`.
fn algorithms(database: &Database) -> Answer {
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
fn count(database: &Database) -> Answer {
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
