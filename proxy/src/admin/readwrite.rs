//! Readwrite-splitting groups: what DistSQL wrote as `meta` reads it and back, and the queries about them
//! (`distsql.md` §4, §9, §10).

use distsql::readwrite::{Rule, Statement, Switch};
use meta::{Database, ReadwriteGroup, ReadwriteSpec, TransactionalReads};

use super::algorithm::{kind, props, spec};
use super::{Admin, Answer, Error, Servers, cell, counted, otherwise};

/// Columns of `SHOW READWRITE_SPLITTING RULES` (5.3).
const COLUMNS: [&str; 7] = [
    "name",
    "auto_aware_data_source_name",
    "write_data_source_query_enabled",
    "write_storage_unit_name",
    "read_storage_unit_names",
    "load_balancer_type",
    "load_balancer_props",
];

impl<S: Servers> Admin<S> {
    pub(super) async fn readwrite(
        &self,
        current: Option<&str>,
        statement: &Statement,
    ) -> Result<Answer, Error> {
        match statement {
            Statement::Alter { rules } => {
                let rules = specs(rules)?;
                self.change_sources(current, |snapshot, database| {
                    snapshot.alter_readwrite(&database.name, rules)
                })
                .await
            }
            Statement::Create { if_not_exists, rules } => {
                let rules = specs(rules)?;
                self.change_sources(current, |snapshot, database| {
                    snapshot.create_readwrite(&database.name, rules, otherwise(*if_not_exists))
                })
                .await
            }
            Statement::Drop { if_exists, names } => {
                self.change_sources(current, |snapshot, database| {
                    snapshot.drop_readwrite(&database.name, names, otherwise(*if_exists))
                })
                .await
            }
            Statement::Switch { name, unit, switch, database } => {
                let switch = match switch {
                    Switch::Off => meta::Switch::Off,
                    Switch::On => meta::Switch::On,
                };
                self.change(database.as_deref().or(current), |snapshot, database| {
                    snapshot.switch_replica(&database.name, name.as_deref(), unit, switch)
                })
                .await
            }
            Statement::Count { database } => {
                let database = self.named(database, current)?;
                Ok(counted(&database, &[("readwrite_splitting", database.readwrite.len())]))
            }
            Statement::Show { name, database } => Ok(show(&*self.named(database, current)?, name.as_deref())),
            Statement::ShowStatus { name, database } => {
                Ok(status(&*self.named(database, current)?, name.as_deref()))
            }
        }
    }
}

/// Groups as `meta` takes them.
fn specs(rules: &[Rule]) -> Result<Vec<ReadwriteSpec>, Error> {
    let group = |rule: &Rule| {
        let strategy = |text: &String| {
            TransactionalReads::parse(text).ok_or_else(|| meta::Error::InvalidRule {
                kind: meta::RuleKind::Readwrite,
                name: rule.name.clone(),
                reason: format!("there is no TRANSACTIONAL_READ_QUERY_STRATEGY `{text}`"),
            })
        };
        Ok(ReadwriteSpec {
            name: rule.name.clone(),
            write: rule.write.clone(),
            reads: rule.read.clone(),
            transactional: rule.transactional.as_ref().map(strategy).transpose()?,
            balancer: rule.balancer.as_ref().map(spec),
            disabled: Vec::new(),
        })
    };
    rules.iter().map(group).collect()
}

fn named<'a>(database: &'a Database, name: Option<&'a str>) -> impl Iterator<Item = &'a ReadwriteGroup> {
    database.readwrite.iter().filter(move |group| name.is_none_or(|name| group.spec.name == name))
}

/// `SHOW READWRITE_SPLITTING RULES`, `SHOW READWRITE_SPLITTING RULE n`.
fn show(database: &Database, name: Option<&str>) -> Answer {
    let row = |group: &ReadwriteGroup| {
        let spec = &group.spec;
        let balancer = spec.balancer.as_ref();
        vec![
            cell(&spec.name),
            cell(""),
            cell(""),
            cell(&spec.write),
            cell(spec.reads.join(",")),
            cell(kind(balancer)),
            cell(props(balancer)),
        ]
    };
    Answer::Rows { columns: COLUMNS.to_vec(), rows: named(database, name).map(row).collect() }
}

/// `SHOW STATUS FROM READWRITE_SPLITTING RULES`, `… RULE n`.
fn status(database: &Database, name: Option<&str>) -> Answer {
    let rows = named(database, name).flat_map(|group| {
        group.spec.reads.iter().map(|unit| {
            let status = if group.spec.disabled.contains(unit) { "disabled" } else { "enabled" };
            // How far a replica is behind is not measured.
            vec![cell(unit), cell(status), cell("")]
        })
    });
    Answer::Rows { columns: vec!["storage_unit", "status", "delay_time(ms)"], rows: rows.collect() }
}
