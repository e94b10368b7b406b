//! Shadow rules: what DistSQL wrote as `meta` reads it, and the queries about them (`distsql.md` §6, §9).

use distsql::Choice;
use distsql::shadow::{Rule, Statement};
use meta::{Database, ShadowDefault, ShadowDraft, ShadowPair};

use super::algorithm::{kind, props, spec};
use super::{Admin, Answer, Error, Servers, cell, counted, otherwise};

impl<S: Servers> Admin<S> {
    pub(super) async fn shadow(&self, current: Option<&str>, statement: &Statement) -> Result<Answer, Error> {
        match statement {
            Statement::Alter { rules } => {
                self.change_sources(current, |snapshot, database| {
                    snapshot.alter_shadow(&database.name, drafts(rules))
                })
                .await
            }
            Statement::Create { if_not_exists, rules } => {
                let otherwise = otherwise(*if_not_exists);
                self.change_sources(current, |snapshot, database| {
                    snapshot.create_shadow(&database.name, drafts(rules), otherwise)
                })
                .await
            }
            Statement::Drop { if_exists, names } => {
                let otherwise = otherwise(*if_exists);
                self.change_sources(current, |snapshot, database| {
                    snapshot.drop_shadow(&database.name, names, otherwise)
                })
                .await
            }
            Statement::AlterDefault { algorithm } => {
                self.change(current, |snapshot, database| {
                    snapshot.alter_default_shadow(&database.name, default(algorithm))
                })
                .await
            }
            Statement::CreateDefault { if_not_exists, algorithm } => {
                self.change(current, |snapshot, database| {
                    let otherwise = otherwise(*if_not_exists);
                    snapshot.create_default_shadow(&database.name, default(algorithm), otherwise)
                })
                .await
            }
            Statement::DropDefault { if_exists } => {
                self.change(current, |snapshot, database| {
                    snapshot.drop_default_shadow(&database.name, otherwise(*if_exists))
                })
                .await
            }
            Statement::DropAlgorithms { if_exists, names } => {
                self.change(current, |snapshot, database| {
                    snapshot.drop_shadow_algorithms(&database.name, names, otherwise(*if_exists))
                })
                .await
            }
            Statement::Count { database } => {
                let database = self.named(database, current)?;
                Ok(counted(&database, &[("shadow", database.shadow.spec.pairs.len())]))
            }
            Statement::Show { name, database } => {
                Ok(rules(&*self.named(database, current)?, name.as_deref()))
            }
            Statement::ShowAlgorithms { database } => Ok(algorithms(&*self.named(database, current)?)),
            Statement::ShowDefault { database } => Ok(default_algorithm(&*self.named(database, current)?)),
            Statement::ShowTables { table, database } => {
                Ok(tables(&*self.named(database, current)?, table.as_deref()))
            }
        }
    }
}

/// Rules as `meta` takes them.
fn drafts(rules: &[Rule]) -> Vec<ShadowDraft> {
    let draft = |rule: &Rule| {
        let tables = rule.tables.iter().map(|table| {
            let algorithms = table.algorithms.iter().map(|it| (it.name.clone(), spec(&it.algorithm)));
            (table.name.clone(), algorithms.collect())
        });
        let (name, source) = (rule.name.clone(), rule.source.clone());
        ShadowDraft {
            pair: ShadowPair { name, source, shadow: rule.shadow.clone() },
            tables: tables.collect(),
        }
    };
    rules.iter().map(draft).collect()
}

fn default(algorithm: &Choice) -> ShadowDefault {
    match algorithm {
        Choice::Name(name) => ShadowDefault::Name(name.clone()),
        Choice::Type(algorithm) => ShadowDefault::Type(spec(algorithm)),
    }
}

/// `SHOW SHADOW RULES`, `SHOW SHADOW RULE r`.
fn rules(database: &Database, name: Option<&str>) -> Answer {
    let spec = &database.shadow.spec;
    let row = |pair: &ShadowPair| {
        let listed = spec.tables.iter().filter(|table| table.rules.contains(&pair.name));
        let tables: Vec<_> = listed.map(|table| table.name.as_str()).collect();
        vec![cell(&pair.name), cell(&pair.source), cell(&pair.shadow), cell(tables.join(","))]
    };
    Answer::Rows {
        columns: vec!["rule_name", "source_name", "shadow_name", "shadow_table"],
        rows: spec.pairs.iter().filter(|pair| name.is_none_or(|name| pair.name == name)).map(row).collect(),
    }
}

/// `SHOW SHADOW TABLE RULES`, `SHOW SHADOW TABLE RULE t`.
fn tables(database: &Database, name: Option<&str>) -> Answer {
    let listed = database.shadow.spec.tables.iter();
    let shown = listed.filter(|table| name.is_none_or(|name| table.name.eq_ignore_ascii_case(name)));
    Answer::Rows {
        columns: vec!["shadow_table", "shadow_algorithm_name"],
        rows: shown.map(|table| vec![cell(&table.name), cell(table.algorithms.join(","))]).collect(),
    }
}

/// `SHOW SHADOW ALGORITHMS`.
fn algorithms(database: &Database) -> Answer {
    let spec = &database.shadow.spec;
    let rows = spec.algorithms.iter().map(|(name, algorithm)| {
        let is_default = spec.default.as_ref() == Some(name);
        vec![
            cell(name),
            cell(kind(Some(algorithm))),
            cell(props(Some(algorithm))),
            cell(is_default.to_string()),
        ]
    });
    Answer::Rows {
        columns: vec!["shadow_algorithm_name", "type", "props", "is_default"],
        rows: rows.collect(),
    }
}

/// `SHOW DEFAULT SHADOW ALGORITHM`.
fn default_algorithm(database: &Database) -> Answer {
    let spec = &database.shadow.spec;
    let rows = spec.default.iter().map(|name| {
        let algorithm = spec.algorithms.get(name);
        vec![cell(name), cell(kind(algorithm)), cell(props(algorithm))]
    });
    Answer::Rows { columns: vec!["shadow_algorithm_name", "type", "props"], rows: rows.collect() }
}
