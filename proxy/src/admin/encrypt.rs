//! Encrypt rules: what DistSQL wrote as `meta` reads it and back, and the queries about them (`distsql.md` §5, §9).

use distsql::encrypt::{Column, Physical, Rule, Statement};
use meta::{AlgorithmSpec, Database, EncryptColumnSpec, EncryptTable, EncryptTableSpec, EncryptTypes};

use super::algorithm::{kind, props, spec};
use super::{Admin, Answer, Error, Servers, cell, counted, otherwise};

/// Columns of `SHOW ENCRYPT RULES` (5.3).
const COLUMNS: [&str; 16] = [
    "table",
    "logic_column",
    "logic_data_type",
    "cipher_column",
    "cipher_data_type",
    "plain_column",
    "plain_data_type",
    "assisted_query_column",
    "assisted_query_data_type",
    "encryptor_type",
    "encryptor_props",
    "assisted_query_type",
    "assisted_query_props",
    "like_query_type",
    "like_query_props",
    "query_with_cipher_column",
];

impl<S: Servers> Admin<S> {
    pub(super) async fn encrypt(
        &self,
        current: Option<&str>,
        statement: &Statement,
    ) -> Result<Answer, Error> {
        match statement {
            Statement::Alter { rules } => {
                self.change(current, |snapshot, database| {
                    require_units(database, rules)?;
                    snapshot.alter_encrypt(&database.name, specs(rules))
                })
                .await
            }
            Statement::Create { if_not_exists, rules } => {
                self.change(current, |snapshot, database| {
                    require_units(database, rules)?;
                    snapshot.create_encrypt(&database.name, specs(rules), otherwise(*if_not_exists))
                })
                .await
            }
            Statement::Drop { if_exists, names } => {
                self.change(current, |snapshot, database| {
                    snapshot.drop_encrypt(&database.name, names, otherwise(*if_exists))
                })
                .await
            }
            Statement::Count { database } => {
                let database = self.named(database, current)?;
                Ok(counted(&database, &[("encrypt", database.encrypt.tables.len())]))
            }
            Statement::Show { table, database } => {
                Ok(show(&*self.named(database, current)?, table.as_deref()))
            }
        }
    }
}

/// `RESOURCE=x` of old: the unit has to be there, more is not made of it.
fn require_units(database: &Database, rules: &[Rule]) -> Result<(), meta::Error> {
    database.require_sources(rules.iter().filter_map(|rule| rule.unit.as_ref()))
}

/// Rules as `meta` takes them.
fn specs(rules: &[Rule]) -> Vec<EncryptTableSpec> {
    let name = |column: &Option<Physical>| column.as_ref().map(|it| it.name.clone());
    let data_type = |column: &Option<Physical>| column.as_ref().and_then(|it| it.data_type.clone());
    let column = |it: &Column| EncryptColumnSpec {
        name: it.name.clone(),
        cipher: it.cipher.name.clone(),
        assisted: name(&it.assisted),
        like: name(&it.like),
        plain: name(&it.plain),
        types: EncryptTypes {
            logical: it.data_type.clone(),
            cipher: it.cipher.data_type.clone(),
            assisted: data_type(&it.assisted),
            like: data_type(&it.like),
            plain: data_type(&it.plain),
        },
        encryptor: spec(&it.algorithm),
        assisted_algorithm: it.assisted_algorithm.as_ref().map(spec),
        like_algorithm: it.like_algorithm.as_ref().map(spec),
    };
    let table = |rule: &Rule| EncryptTableSpec {
        name: rule.table.clone(),
        columns: rule.columns.iter().map(column).collect(),
        query_with_cipher: rule.query_with_cipher,
    };
    rules.iter().map(table).collect()
}

/// `SHOW ENCRYPT RULES`, `SHOW ENCRYPT RULE t`.
fn show(database: &Database, table: Option<&str>) -> Answer {
    let tables = database.encrypt.tables.values();
    let tables = tables.filter(|it| table.is_none_or(|name| it.spec.name.eq_ignore_ascii_case(name)));
    Answer::Rows { columns: COLUMNS.to_vec(), rows: tables.flat_map(rows).collect() }
}

fn rows(table: &EncryptTable) -> impl Iterator<Item = Vec<Option<String>>> + '_ {
    let text = |text: &Option<String>| cell(text.clone().unwrap_or_default());
    let algorithm = |it: Option<&AlgorithmSpec>| [cell(kind(it)), cell(props(it))];
    table.spec.columns.iter().map(move |column| {
        let types = &column.types;
        let mut row = vec![cell(&table.spec.name), cell(&column.name), text(&types.logical)];
        row.extend([cell(&column.cipher), text(&types.cipher)]);
        row.extend([text(&column.plain), text(&types.plain), text(&column.assisted), text(&types.assisted)]);
        row.extend(algorithm(Some(&column.encryptor)));
        row.extend(algorithm(column.assisted_algorithm.as_ref()));
        row.extend(algorithm(column.like_algorithm.as_ref()));
        row.push(cell(table.query_with_cipher.to_string()));
        row
    })
}
