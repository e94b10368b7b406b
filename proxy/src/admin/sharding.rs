//! Sharding rules: what DistSQL wrote as `meta` reads it (`distsql.md` §3).

mod show;

use distsql::sharding::{self, Auditors, Kind, Layout, Reference, References, Statement};
use distsql::{Algorithm, Choice, broadcast};
use meta::{
    AlgorithmKind, AlgorithmSpec, AuditSpec, BindingSpec, Database, KeyGenerateSpec, LayoutSpec, Level,
    Names, ShardingTableSpec, StrategyKind, StrategySpec,
};

use super::algorithm::spec;
use super::{Admin, Answer, Error, Servers, counted, otherwise};

impl<S: Servers> Admin<S> {
    pub(super) async fn sharding(
        &self,
        current: Option<&str>,
        statement: &Statement,
    ) -> Result<Answer, Error> {
        match statement {
            Statement::Count { database }
            | Statement::ShowAlgorithms { database, .. }
            | Statement::ShowDefault { database }
            | Statement::ShowNodes { database, .. }
            | Statement::ShowReferences { database, .. }
            | Statement::ShowTables { database, .. }
            | Statement::ShowUsers { database, .. } => {
                Ok(show::answer(&*self.named(database, current)?, statement))
            }
            _ => {
                let _turn = self.turn.lock().await;
                let database = self.current(current)?;
                if let Statement::DropAlgorithms { .. }
                | Statement::DropDefault { .. }
                | Statement::DropReferences { .. }
                | Statement::DropTables { .. } = statement
                {
                    self.drop_sharding(&database, statement)?;
                } else {
                    self.change_sharding(&database, statement)?;
                }
                // Other tables may be without a rule now.
                self.refresh(&database.name).await;
                Ok(Answer::Ok)
            }
        }
    }

    fn change_sharding(&self, database: &Database, statement: &Statement) -> Result<(), Error> {
        let name = database.name.as_str();
        let known = Known { database };
        match statement {
            Statement::AlterAlgorithms { kind, algorithms } => {
                let (kind, algorithms) = (algorithm_kind(*kind), named(algorithms));
                self.commit(|snapshot| snapshot.alter_algorithms(name, kind, algorithms))?;
            }
            Statement::AlterDefault { level: at, strategy } => {
                let strategy = known.strategy(strategy)?;
                self.commit(|snapshot| snapshot.alter_default_strategy(name, level(*at), strategy))?;
            }
            Statement::AlterReferences { rules } => {
                let rules = references(rules);
                self.commit(|snapshot| snapshot.alter_references(name, rules))?;
            }
            Statement::AlterTables { tables } => {
                let tables = known.tables(tables)?;
                self.commit(|snapshot| snapshot.alter_sharding(name, tables))?;
            }
            Statement::CreateAlgorithms { kind, if_not_exists, algorithms } => {
                let (kind, algorithms) = (algorithm_kind(*kind), named(algorithms));
                let otherwise = otherwise(*if_not_exists);
                self.commit(|snapshot| snapshot.create_algorithms(name, kind, algorithms, otherwise))?;
            }
            Statement::CreateDefault { if_not_exists, level: at, strategy } => {
                let (strategy, otherwise) = (known.strategy(strategy)?, otherwise(*if_not_exists));
                self.commit(|snapshot| {
                    snapshot.create_default_strategy(name, level(*at), strategy, otherwise)
                })?;
            }
            Statement::CreateReferences { if_not_exists, rules } => {
                let (rules, otherwise) = (references(rules), otherwise(*if_not_exists));
                self.commit(|snapshot| snapshot.create_references(name, rules, otherwise))?;
            }
            Statement::CreateTables { if_not_exists, tables } => {
                let (tables, otherwise) = (known.tables(tables)?, otherwise(*if_not_exists));
                self.commit(|snapshot| snapshot.create_sharding(name, tables, otherwise))?;
            }
            _ => return Err(Error::not_yet(statement.title())),
        }
        Ok(())
    }

    fn drop_sharding(&self, database: &Database, statement: &Statement) -> Result<(), Error> {
        let name = database.name.as_str();
        match statement {
            Statement::DropAlgorithms { kind, if_exists, names } => {
                let (kind, otherwise) = (algorithm_kind(*kind), otherwise(*if_exists));
                self.commit(|snapshot| snapshot.drop_algorithms(name, kind, names, otherwise))?;
            }
            Statement::DropDefault { if_exists, level: at } => {
                let otherwise = otherwise(*if_exists);
                self.commit(|snapshot| snapshot.drop_default_strategy(name, level(*at), otherwise))?;
            }
            Statement::DropReferences { if_exists, which } => {
                let names = references_named(database, which);
                let otherwise = otherwise(*if_exists);
                self.commit(|snapshot| snapshot.drop_references(name, &names, otherwise))?;
            }
            Statement::DropTables { if_exists, names } => {
                let otherwise = otherwise(*if_exists);
                self.commit(|snapshot| snapshot.drop_sharding(name, names, otherwise))?;
            }
            _ => return Err(Error::not_yet(statement.title())),
        }
        Ok(())
    }

    pub(super) async fn broadcast(
        &self,
        current: Option<&str>,
        statement: &broadcast::Statement,
    ) -> Result<Answer, Error> {
        match statement {
            broadcast::Statement::Count { database } => {
                let database = self.named(database, current)?;
                return Ok(counted(&database, &[("broadcast_table", database.broadcast.tables.len())]));
            }
            broadcast::Statement::Show { database } => {
                return Ok(show::broadcast(&*self.named(database, current)?));
            }
            broadcast::Statement::Create { .. } | broadcast::Statement::Drop { .. } => {}
        }
        let _turn = self.turn.lock().await;
        let database = self.current(current)?;
        let name = database.name.as_str();
        match statement {
            broadcast::Statement::Create { if_not_exists, tables } => {
                let otherwise = otherwise(*if_not_exists);
                self.commit(|snapshot| snapshot.create_broadcast(name, tables.clone(), otherwise))?;
            }
            broadcast::Statement::Drop { if_exists, tables } => {
                let every = || database.broadcast.tables.values().cloned().collect();
                let tables = tables.clone().unwrap_or_else(every);
                self.commit(|snapshot| snapshot.drop_broadcast(name, &tables, otherwise(*if_exists)))?;
            }
            broadcast::Statement::Count { .. } | broadcast::Statement::Show { .. } => {}
        }
        self.refresh(name).await;
        Ok(Answer::Ok)
    }
}

/// The database of a statement, whose algorithms it may name.
struct Known<'a> {
    database: &'a Database,
}

impl Known<'_> {
    fn tables(&self, tables: &[sharding::Table]) -> Result<Vec<ShardingTableSpec>, Error> {
        tables.iter().map(|table| self.table(table)).collect()
    }

    fn table(&self, table: &sharding::Table) -> Result<ShardingTableSpec, Error> {
        let strategy = |strategy: &Option<sharding::Strategy>| {
            strategy.as_ref().map(|strategy| self.strategy(strategy)).transpose()
        };
        let layout = match &table.layout {
            Layout::Auto { units, column, algorithm } => {
                LayoutSpec::Auto { units: units.clone(), column: column.clone(), algorithm: spec(algorithm) }
            }
            Layout::Nodes { nodes, database, table } => LayoutSpec::Nodes {
                nodes: nodes.clone(),
                database: strategy(database)?,
                table: strategy(table)?,
            },
        };
        let key = table.key.as_ref().map(|key| {
            let algorithm = self.algorithm(AlgorithmKind::Key, &key.generator)?;
            Ok::<_, Error>(KeyGenerateSpec { column: key.column.clone(), algorithm })
        });
        let audit = table.audit.as_ref().map(|audit| self.audit(&table.name, audit));
        Ok(ShardingTableSpec {
            name: table.name.clone(),
            layout,
            key: key.transpose()?,
            audit: audit.transpose()?,
        })
    }

    /// Auditors without a name get one of the table's and their type's.
    fn audit(&self, table: &str, audit: &sharding::Audit) -> Result<AuditSpec, Error> {
        let auditors = match &audit.auditors {
            Auditors::Named(names) => {
                let found =
                    names.iter().map(|name| Ok((name.clone(), self.existing(AlgorithmKind::Audit, name)?)));
                found.collect::<Result<_, Error>>()?
            }
            Auditors::Types(types) => {
                let name = |it: &Algorithm| format!("{table}_{}", it.name).to_lowercase();
                types.iter().map(|algorithm| (name(algorithm), spec(algorithm))).collect()
            }
        };
        Ok(AuditSpec { auditors, allow_hint_disable: audit.allow_hint_disable })
    }

    fn strategy(&self, strategy: &sharding::Strategy) -> Result<StrategySpec, Error> {
        let kind = match strategy.kind.to_ascii_lowercase().as_str() {
            "complex" => StrategyKind::Complex,
            "hint" => StrategyKind::Hint,
            "none" => StrategyKind::None,
            "standard" => StrategyKind::Standard,
            _ => return Err(Error::unsupported(&format!("unsupported strategy type {}", strategy.kind))),
        };
        let algorithm =
            strategy.algorithm.as_ref().map(|choice| self.algorithm(AlgorithmKind::Sharding, choice));
        Ok(StrategySpec { kind, columns: strategy.columns.clone(), algorithm: algorithm.transpose()? })
    }

    fn algorithm(&self, kind: AlgorithmKind, choice: &Choice) -> Result<AlgorithmSpec, Error> {
        match choice {
            Choice::Name(name) => self.existing(kind, name),
            Choice::Type(algorithm) => Ok(spec(algorithm)),
        }
    }

    /// One that was created before.
    fn existing(&self, kind: AlgorithmKind, name: &String) -> Result<AlgorithmSpec, Error> {
        let found = self.database.spec().algorithms_by_name(kind).shift_remove(name);
        Ok(found.ok_or_else(|| meta::Error::MissingAlgorithms {
            kind,
            names: Names::one(name),
            database: self.database.name.clone(),
        })?)
    }
}

fn algorithm_kind(kind: Kind) -> AlgorithmKind {
    match kind {
        Kind::Algorithm => AlgorithmKind::Sharding,
        Kind::Auditor => AlgorithmKind::Audit,
        Kind::KeyGenerator => AlgorithmKind::Key,
    }
}

fn level(level: sharding::Level) -> Level {
    match level {
        sharding::Level::Database => Level::Database,
        sharding::Level::Table => Level::Table,
    }
}

fn named(algorithms: &[sharding::Named]) -> Vec<(String, AlgorithmSpec)> {
    let spec = |algorithm: &Algorithm| spec(algorithm);
    algorithms.iter().map(|it| (it.name.clone(), spec(&it.algorithm))).collect()
}

/// Binding rules of old have no name: they get one of their tables.
fn references(rules: &[Reference]) -> Vec<BindingSpec> {
    let name = |rule: &Reference| rule.name.clone().unwrap_or_else(|| rule.tables.join("_").to_lowercase());
    rules.iter().map(|rule| BindingSpec { name: name(rule), tables: rule.tables.clone() }).collect()
}

/// Names of the reference rules that a statement speaks of; of tables that are no rule's the name that it would have.
fn references_named(database: &Database, which: &References) -> Vec<String> {
    let bindings = &database.sharding.bindings;
    match which {
        References::All => bindings.iter().map(|binding| binding.name.clone()).collect(),
        References::Named(names) => names.clone(),
        References::Of(groups) => {
            let same = |binding: &BindingSpec, group: &[String]| {
                let there = |table: &String| group.iter().any(|it| it.eq_ignore_ascii_case(table));
                binding.tables.len() == group.len() && binding.tables.iter().all(there)
            };
            let name = |group: &Vec<String>| {
                let found = bindings.iter().find(|binding| same(binding, group));
                found.map_or_else(|| group.join("_").to_lowercase(), |binding| binding.name.clone())
            };
            groups.iter().map(name).collect()
        }
    }
}
