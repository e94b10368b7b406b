//! Sharding rules as DistSQL.

use distsql::Choice;
use distsql::sharding::{
    Audit, Auditors, Key, Kind, Layout, Level, Named, Reference, Statement, Strategy, Table,
};
use meta::{
    AlgorithmKind, AuditSpec, BindingSpec, DatabaseSpec, KeyGenerateSpec, LayoutSpec, ShardingTableSpec,
    StrategyKind, StrategySpec,
};

use super::tree;

/// Algorithms with names of their own come first, reference rules last.
pub(super) fn statements(spec: &DatabaseSpec) -> Vec<Statement> {
    let mut all = Vec::new();
    for (kind, of) in [
        (Kind::Algorithm, AlgorithmKind::Sharding),
        (Kind::KeyGenerator, AlgorithmKind::Key),
        (Kind::Auditor, AlgorithmKind::Audit),
    ] {
        let named = spec.algorithms.of(of).into_iter().flatten();
        let algorithms: Vec<_> =
            named.map(|(name, it)| Named { name: name.clone(), algorithm: tree(it) }).collect();
        if !algorithms.is_empty() {
            all.push(Statement::CreateAlgorithms { kind, if_not_exists: false, algorithms });
        }
    }
    for (level, default) in
        [(Level::Database, &spec.strategies.database), (Level::Table, &spec.strategies.table)]
    {
        if let Some(default) = default {
            let strategy = strategy(default);
            all.push(Statement::CreateDefault { if_not_exists: false, level, strategy });
        }
    }
    if !spec.sharding.is_empty() {
        let tables = spec.sharding.iter().map(|it| table(it, spec)).collect();
        all.push(Statement::CreateTables { if_not_exists: false, tables });
    }
    if !spec.bindings.is_empty() {
        let rule = |it: &BindingSpec| Reference { name: Some(it.name.clone()), tables: it.tables.clone() };
        let rules = spec.bindings.iter().map(rule).collect();
        all.push(Statement::CreateReferences { if_not_exists: false, rules });
    }
    all
}

fn table(table: &ShardingTableSpec, spec: &DatabaseSpec) -> Table {
    let layout = match &table.layout {
        LayoutSpec::Auto { units, column, algorithm } => {
            Layout::Auto { units: units.clone(), column: column.clone(), algorithm: tree(algorithm) }
        }
        LayoutSpec::Nodes { nodes, database, table } => Layout::Nodes {
            nodes: nodes.clone(),
            database: database.as_ref().map(strategy),
            table: table.as_ref().map(strategy),
        },
    };
    let key = |key: &KeyGenerateSpec| Key {
        column: key.column.clone(),
        generator: Choice::Type(tree(&key.algorithm)),
    };
    Table {
        name: table.name.clone(),
        layout,
        key: table.key.as_ref().map(key),
        audit: table.audit.as_ref().map(|it| audit(it, spec)),
    }
}

/// Auditors by name when all of them have one of their own.
fn audit(audit: &AuditSpec, spec: &DatabaseSpec) -> Audit {
    let named = audit.auditors.keys().all(|name| spec.algorithms.audit.contains_key(name));
    Audit {
        auditors: if named {
            Auditors::Named(audit.auditors.keys().cloned().collect())
        } else {
            Auditors::Types(audit.auditors.values().map(tree).collect())
        },
        allow_hint_disable: audit.allow_hint_disable,
    }
}

fn strategy(strategy: &StrategySpec) -> Strategy {
    let kind = match strategy.kind {
        StrategyKind::Complex => "complex",
        StrategyKind::Hint => "hint",
        StrategyKind::None => "none",
        StrategyKind::Standard => "standard",
    };
    Strategy {
        kind: kind.to_owned(),
        columns: strategy.columns.clone(),
        algorithm: strategy.algorithm.as_ref().map(|it| Choice::Type(tree(it))),
    }
}
