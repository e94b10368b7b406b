//! Encryption: which columns stand for a logical one on the servers (`distsql.md` §5, `sql-support.md` §10).

use std::sync::Arc;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::AlgorithmSpec;
use crate::algorithm::Cipher;
use crate::error::{AlgorithmKind, Error, Names, RuleKind};
use crate::snapshot::TableColumn;

/// `CREATE ENCRYPT RULE` of one table, as written; what is stored and exported.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct EncryptTableSpec {
    /// Logical table name, letter case as written.
    pub name: String,
    /// Encrypted columns in order.
    pub columns: Vec<EncryptColumnSpec>,
    /// `QUERY_WITH_CIPHER_COLUMN`, when it was written: whether values are read from the cipher column though there is
    /// one in the clear.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query_with_cipher: Option<bool>,
}

/// An encrypted column, as written.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct EncryptColumnSpec {
    /// Logical name, by which clients know it.
    pub name: String,
    /// The column that holds what can be decrypted.
    pub cipher: String,
    /// The column that is compared for equality.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assisted: Option<String>,
    /// The column that `LIKE` looks at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub like: Option<String>,
    /// The column that holds the value in the clear.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plain: Option<String>,
    /// Data types of these columns: kept and shown, nothing is made of them.
    #[serde(default, skip_serializing_if = "EncryptTypes::is_empty")]
    pub types: EncryptTypes,
    /// What fills the cipher column.
    pub encryptor: AlgorithmSpec,
    /// What fills the assisted query column.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assisted_algorithm: Option<AlgorithmSpec>,
    /// What fills the like query column.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub like_algorithm: Option<AlgorithmSpec>,
}

/// Data types of a column's parts, each when it was written.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub struct EncryptTypes {
    /// Of the logical column.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logical: Option<String>,
    /// Of the cipher column.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cipher: Option<String>,
    /// Of the assisted query column.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assisted: Option<String>,
    /// Of the like query column.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub like: Option<String>,
    /// Of the column in the clear.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plain: Option<String>,
}

/// All encrypted tables of a database, by lower-case logical name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EncryptRule {
    /// Encrypted tables.
    pub tables: IndexMap<String, EncryptTable>,
}

/// A table with encrypted columns.
#[derive(Clone, Debug, PartialEq)]
pub struct EncryptTable {
    /// What the user wrote.
    pub spec: EncryptTableSpec,
    /// Encrypted columns in order.
    pub columns: Vec<EncryptColumn>,
    /// Whether values are read from the cipher column though there is one in the clear.
    pub query_with_cipher: bool,
}

/// An encrypted column and what it is made of on the servers.
#[derive(Clone, Debug, PartialEq)]
pub struct EncryptColumn {
    /// Logical name, by which clients know it.
    pub name: String,
    /// The column that holds what can be decrypted.
    pub cipher: String,
    /// The column that is compared for equality; there is one exactly when there is `assisted_algorithm`.
    pub assisted: Option<String>,
    /// The column that `LIKE` looks at; there is one exactly when there is `like_algorithm`.
    pub like: Option<String>,
    /// The column that holds the value in the clear.
    pub plain: Option<String>,
    /// What fills the cipher column.
    pub encryptor: Arc<Cipher>,
    /// What fills the assisted query column.
    pub assisted_algorithm: Option<Arc<Cipher>>,
    /// What fills the like query column.
    pub like_algorithm: Option<Arc<Cipher>>,
}

/// What a column on the servers is to a logical one.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum EncryptPart {
    /// Compared for equality.
    Assisted,
    /// Decrypted.
    Cipher,
    /// Looked at by `LIKE`.
    Like,
    /// In the clear.
    Plain,
}

impl EncryptRule {
    /// Reads all algorithms and checks each table. Two tables of one name are refused.
    pub(crate) fn build(database: &str, specs: Vec<EncryptTableSpec>) -> Result<Self, Error> {
        let mut tables = IndexMap::with_capacity(specs.len());
        for spec in specs {
            let name = spec.name.clone();
            if tables.insert(name.to_ascii_lowercase(), EncryptTable::build(spec)?).is_some() {
                let (kind, names, database) = (RuleKind::Encrypt, Names::one(name), database.to_owned());
                return Err(Error::DuplicateRules { kind, names, database });
            }
        }
        Ok(Self { tables })
    }

    /// The encrypted table of that name, whatever its letter case.
    pub fn table(&self, name: &str) -> Option<&EncryptTable> {
        if self.tables.is_empty() { None } else { self.tables.get(&name.to_ascii_lowercase()) }
    }
}

impl EncryptTable {
    fn build(spec: EncryptTableSpec) -> Result<Self, Error> {
        spec.check()?;
        let columns = spec.columns.iter().map(EncryptColumn::build).collect::<Result<_, _>>()?;
        let query_with_cipher = spec.query_with_cipher.unwrap_or(true);
        Ok(Self { spec, columns, query_with_cipher })
    }

    /// The encrypted column that clients know by that name, whatever its letter case.
    pub fn column(&self, logical: &str) -> Option<&EncryptColumn> {
        self.columns.iter().find(|column| column.name.eq_ignore_ascii_case(logical))
    }

    /// The encrypted column that a column on the servers belongs to, and what it is to it.
    pub fn physical(&self, name: &str) -> Option<(&EncryptColumn, EncryptPart)> {
        self.columns.iter().find_map(|column| {
            let (_, part) = column.parts().find(|(it, _)| it.eq_ignore_ascii_case(name))?;
            Some((column, part))
        })
    }

    /// The columns that clients see of a table on the servers: each cipher column in its place under the logical name,
    /// the other parts not at all.
    pub fn logical_columns(&self, physical: &[TableColumn]) -> Vec<TableColumn> {
        let shown = physical.iter().filter_map(|column| match self.physical(&column.name) {
            Some((it, EncryptPart::Cipher)) => Some(TableColumn { name: it.name.clone(), ..column.clone() }),
            Some(_) => None,
            // A column that a logical one hides: nobody could name it.
            None if self.column(&column.name).is_some() => None,
            None => Some(column.clone()),
        });
        shown.collect()
    }

    /// Whether values of a column are read from the one in the clear.
    pub fn reads_plain(&self, column: &EncryptColumn) -> bool {
        !self.query_with_cipher && column.plain.is_some()
    }
}

impl EncryptColumn {
    fn build(spec: &EncryptColumnSpec) -> Result<Self, Error> {
        let cipher = |algorithm: &AlgorithmSpec, fits: fn(&Cipher) -> bool| {
            let cipher = Cipher::parse(algorithm)?;
            if fits(&cipher) {
                return Ok(Arc::new(cipher));
            }
            let names = Names::one(&algorithm.kind);
            Err(Error::InvalidAlgorithms { kind: AlgorithmKind::Encrypt, names })
        };
        // Only a digest made for it keeps what is alike alike; it takes unequal values for equal.
        let assisted = spec.assisted_algorithm.as_ref().map(|it| cipher(it, Cipher::is_distinct));
        let like = spec.like_algorithm.as_ref().map(|it| cipher(it, |cipher| !cipher.is_distinct()));
        Ok(Self {
            name: spec.name.clone(),
            cipher: spec.cipher.clone(),
            assisted: spec.assisted.clone(),
            like: spec.like.clone(),
            plain: spec.plain.clone(),
            encryptor: cipher(&spec.encryptor, Cipher::is_distinct)?,
            assisted_algorithm: assisted.transpose()?,
            like_algorithm: like.transpose()?,
        })
    }

    /// Its columns on the servers, in the order in which `INSERT` names them.
    pub fn parts(&self) -> impl Iterator<Item = (&str, EncryptPart)> {
        let others = [
            (self.assisted.as_deref(), EncryptPart::Assisted),
            (self.like.as_deref(), EncryptPart::Like),
            (self.plain.as_deref(), EncryptPart::Plain),
        ];
        let others = others.into_iter().filter_map(|(name, part)| Some((name?, part)));
        std::iter::once((self.cipher.as_str(), EncryptPart::Cipher)).chain(others)
    }

    /// The column that is compared for equality, and what fills it.
    pub fn equality(&self) -> (&str, &Arc<Cipher>) {
        match (&self.assisted, &self.assisted_algorithm) {
            (Some(name), Some(cipher)) => (name, cipher),
            _ => (&self.cipher, &self.encryptor),
        }
    }
}

impl EncryptTableSpec {
    /// All that can be said without reading the algorithms.
    fn check(&self) -> Result<(), Error> {
        let invalid = |reason: String| {
            Err(Error::InvalidRule { kind: RuleKind::Encrypt, name: self.name.clone(), reason })
        };
        if self.columns.is_empty() {
            return invalid("no column is given".to_owned());
        }
        let (mut logical, mut physical) = (Vec::new(), Vec::new());
        for column in &self.columns {
            let name = &column.name;
            let key = name.to_ascii_lowercase();
            if logical.contains(&key) {
                return invalid(format!("column `{name}` is given twice"));
            }
            logical.push(key);
            for (name, _) in column.parts() {
                let key = name.to_ascii_lowercase();
                if key.is_empty() {
                    return invalid(format!("column `{}` has a part without a name", column.name));
                }
                if physical.contains(&key) {
                    return invalid(format!("column `{name}` on the servers is given twice"));
                }
                physical.push(key);
            }
            for (what, part, algorithm) in [
                ("assisted query", &column.assisted, &column.assisted_algorithm),
                ("like query", &column.like, &column.like_algorithm),
            ] {
                match (part, algorithm) {
                    (Some(part), None) => {
                        return invalid(format!("{what} column `{part}` has no algorithm"));
                    }
                    (None, Some(algorithm)) => {
                        let kind = &algorithm.kind;
                        return invalid(format!("{what} algorithm {kind} of `{name}` has no column"));
                    }
                    _ => {}
                }
            }
        }
        self.check_overlap().or_else(invalid)?;
        if self.columns.iter().any(|column| !column.types.is_empty())
            && !self.columns.iter().all(EncryptColumnSpec::is_typed)
        {
            return invalid("incomplete data type".to_owned());
        }
        Ok(())
    }

    /// A logical name that is also a part of another column would say two things.
    fn check_overlap(&self) -> Result<(), String> {
        for column in &self.columns {
            for other in self.columns.iter().filter(|other| other.name != column.name) {
                if other.parts().any(|(part, _)| part.eq_ignore_ascii_case(&column.name)) {
                    return Err(format!("column `{}` is also a part of `{}`", column.name, other.name));
                }
            }
            // Alone as the cipher or in the clear: a digest under the logical name could not be told from it.
            for part in [&column.assisted, &column.like].into_iter().flatten() {
                if part.eq_ignore_ascii_case(&column.name) {
                    return Err(format!("query column `{part}` has the name of the logical column"));
                }
            }
        }
        Ok(())
    }
}

impl EncryptColumnSpec {
    /// Its columns on the servers, each with its data type.
    fn parts(&self) -> impl Iterator<Item = (&str, Option<&str>)> {
        let types = &self.types;
        let others =
            [(&self.assisted, &types.assisted), (&self.like, &types.like), (&self.plain, &types.plain)];
        let others = others.into_iter().filter_map(|(name, kind)| Some((name.as_deref()?, kind.as_deref())));
        std::iter::once((self.cipher.as_str(), types.cipher.as_deref())).chain(others)
    }

    fn is_typed(&self) -> bool {
        self.types.logical.is_some() && self.parts().all(|(_, kind)| kind.is_some())
    }
}

impl EncryptTypes {
    /// Whether none was written.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

#[cfg(test)]
mod tests;
