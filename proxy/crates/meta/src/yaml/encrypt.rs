//! `!ENCRYPT`: columns flat as up to 5.3, or with a block for each part as since 5.4.

use indexmap::IndexMap;
use serde::Deserialize;

use super::Wrong;
use super::algorithm::{self, Algorithms, Block};
use super::emit::Node;
use crate::change::DatabaseSpec;
use crate::rule::{AlgorithmSpec, EncryptColumnSpec, EncryptTableSpec, EncryptTypes};

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Rule {
    tables: Option<IndexMap<String, Table>>,
    encryptors: Algorithms,
    query_with_cipher_column: Option<bool>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Table {
    /// The key again, in some releases.
    #[serde(rename = "name")]
    _name: Option<String>,
    columns: Option<IndexMap<String, Column>>,
    query_with_cipher_column: Option<bool>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Column {
    /// The key again, in some releases.
    #[serde(rename = "name", alias = "logicColumn")]
    _name: Option<String>,
    #[serde(alias = "logicDataType")]
    data_type: Option<String>,
    // Since 5.4.
    cipher: Option<Part>,
    assisted_query: Option<Part>,
    like_query: Option<Part>,
    plain: Option<Part>,
    // Up to 5.3.
    cipher_column: Option<String>,
    cipher_data_type: Option<String>,
    encryptor_name: Option<String>,
    assisted_query_column: Option<String>,
    assisted_query_data_type: Option<String>,
    assisted_query_encryptor_name: Option<String>,
    like_query_column: Option<String>,
    like_query_data_type: Option<String>,
    like_query_encryptor_name: Option<String>,
    plain_column: Option<String>,
    plain_data_type: Option<String>,
    query_with_cipher_column: Option<bool>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Part {
    name: Option<String>,
    data_type: Option<String>,
    encryptor_name: Option<String>,
}

impl Rule {
    pub(super) fn read(self, spec: &mut DatabaseSpec) -> Result<(), Wrong> {
        for (name, table) in self.tables.unwrap_or_default() {
            let columns = table.columns.unwrap_or_default();
            let mut told = columns.values().map(|column| column.query_with_cipher_column);
            let of_table = table.query_with_cipher_column.or(self.query_with_cipher_column);
            let query_with_cipher = told.try_fold(of_table, |before, told| match (before, told) {
                (before, None) => Ok(before),
                (None, Some(told)) if columns.len() == 1 => Ok(Some(told)),
                (before, told) if before == told => Ok(before),
                _ => Err(format!("`queryWithCipherColumn` must be the same for all columns of `{name}`")),
            })?;
            let columns = columns
                .into_iter()
                .map(|(column, it)| it.read(&column, &self.encryptors))
                .collect::<Result<_, _>>()?;
            spec.encrypt.push(EncryptTableSpec { name, columns, query_with_cipher });
        }
        Ok(())
    }
}

impl Column {
    fn read(self, name: &str, encryptors: &Algorithms) -> Result<EncryptColumnSpec, Wrong> {
        let part = |part: Option<Part>, name, data_type, encryptor_name| {
            part.unwrap_or(Part { name, data_type, encryptor_name })
        };
        let cipher = part(self.cipher, self.cipher_column, self.cipher_data_type, self.encryptor_name);
        let assisted = part(
            self.assisted_query,
            self.assisted_query_column,
            self.assisted_query_data_type,
            self.assisted_query_encryptor_name,
        );
        let like = part(
            self.like_query,
            self.like_query_column,
            self.like_query_data_type,
            self.like_query_encryptor_name,
        );
        let plain = part(self.plain, self.plain_column, self.plain_data_type, None);
        let encryptor = |part: &Part| {
            let name = part.encryptor_name.as_deref().filter(|name| !name.is_empty());
            name.map(|name| algorithm::find(encryptors, "encryptors", name)).transpose()
        };
        let given = |name: Option<String>| name.filter(|name| !name.is_empty());
        Ok(EncryptColumnSpec {
            encryptor: encryptor(&cipher)?
                .ok_or_else(|| format!("column `{name}` has no encryptor for its cipher column"))?,
            assisted_algorithm: encryptor(&assisted)?,
            like_algorithm: encryptor(&like)?,
            name: name.to_owned(),
            cipher: given(cipher.name).ok_or_else(|| format!("column `{name}` has no cipher column"))?,
            assisted: given(assisted.name),
            like: given(like.name),
            plain: given(plain.name),
            types: EncryptTypes {
                logical: self.data_type,
                cipher: cipher.data_type,
                assisted: assisted.data_type,
                like: like.data_type,
                plain: plain.data_type,
            },
        })
    }
}

/// Writes the rule; nothing when there is no table.
pub(super) fn write(tables: &[EncryptTableSpec]) -> Option<Node> {
    let mut encryptors = Block::default();
    let nodes: Vec<_> = tables.iter().map(|it| (it.name.clone(), write_table(it, &mut encryptors))).collect();
    (!nodes.is_empty())
        .then(|| Node::map([("tables", Some(Node::Map(nodes))), ("encryptors", encryptors.finish())]))
}

fn write_table(table: &EncryptTableSpec, encryptors: &mut Block) -> Node {
    let columns = table.columns.iter();
    let columns = columns.map(|it| (it.name.clone(), write_column(&table.name, it, encryptors)));
    Node::map([
        ("columns", Some(Node::Map(columns.collect()))),
        ("queryWithCipherColumn", table.query_with_cipher.map(Node::word)),
    ])
}

fn write_column(table: &str, column: &EncryptColumnSpec, encryptors: &mut Block) -> Node {
    let types = &column.types;
    let text = |text: &Option<String>| text.as_ref().map(Node::text);
    let mut part = |name: &Option<String>, data_type, spec: Option<&AlgorithmSpec>, before: &str| {
        name.as_ref().map(|name| {
            let encryptor = spec.map(|it| encryptors.add(format!("{before}{table}_{}", column.name), it));
            Node::map([
                ("name", Some(Node::text(name))),
                ("dataType", text(data_type)),
                ("encryptorName", encryptor),
            ])
        })
    };
    Node::map([
        ("dataType", text(&types.logical)),
        ("cipher", part(&Some(column.cipher.clone()), &types.cipher, Some(&column.encryptor), "")),
        (
            "assistedQuery",
            part(&column.assisted, &types.assisted, column.assisted_algorithm.as_ref(), "assist_"),
        ),
        ("likeQuery", part(&column.like, &types.like, column.like_algorithm.as_ref(), "like_")),
        ("plain", part(&column.plain, &types.plain, None, "")),
    ])
}
