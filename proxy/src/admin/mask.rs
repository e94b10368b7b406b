//! Mask rules: what DistSQL wrote as `meta` reads it and back, and the queries about them (`distsql.md` §8, §9).

use distsql::mask::{Column, Rule, Statement};
use meta::{Database, MaskColumnSpec, MaskTable, MaskTableSpec};

use super::algorithm::{props, spec};
use super::{Admin, Answer, Error, Servers, cell, counted, otherwise};

impl<S: Servers> Admin<S> {
    pub(super) async fn mask(&self, current: Option<&str>, statement: &Statement) -> Result<Answer, Error> {
        match statement {
            Statement::Alter { rules } => {
                self.change(current, |snapshot, database| snapshot.alter_mask(&database.name, specs(rules)))
                    .await
            }
            Statement::Create { if_not_exists, rules } => {
                self.change(current, |snapshot, database| {
                    snapshot.create_mask(&database.name, specs(rules), otherwise(*if_not_exists))
                })
                .await
            }
            Statement::Drop { if_exists, names } => {
                self.change(current, |snapshot, database| {
                    snapshot.drop_mask(&database.name, names, otherwise(*if_exists))
                })
                .await
            }
            Statement::Count { database } => {
                let database = self.named(database, current)?;
                Ok(counted(&database, &[("mask", database.mask.tables.len())]))
            }
            Statement::Show { table, database } => {
                Ok(show(&*self.named(database, current)?, table.as_deref()))
            }
        }
    }
}

/// Rules as `meta` takes them.
fn specs(rules: &[Rule]) -> Vec<MaskTableSpec> {
    let column = |it: &Column| MaskColumnSpec { name: it.name.clone(), algorithm: spec(&it.algorithm) };
    let table = |rule: &Rule| MaskTableSpec {
        name: rule.table.clone(),
        columns: rule.columns.iter().map(column).collect(),
    };
    rules.iter().map(table).collect()
}

/// `SHOW MASK RULES`, `SHOW MASK RULE t`.
fn show(database: &Database, table: Option<&str>) -> Answer {
    let tables = database.mask.tables.values();
    let tables = tables.filter(|it| table.is_none_or(|name| it.spec.name.eq_ignore_ascii_case(name)));
    Answer::Rows {
        columns: vec!["table", "column", "algorithm_type", "algorithm_props"],
        rows: tables.flat_map(rows).collect(),
    }
}

fn rows(table: &MaskTable) -> impl Iterator<Item = Vec<Option<String>>> + '_ {
    table.spec.columns.iter().map(|column| {
        let algorithm = &column.algorithm;
        vec![cell(&table.spec.name), cell(&column.name), cell(&algorithm.kind), cell(props(Some(algorithm)))]
    })
}
