//! Masking: what clients may see of a column (`distsql.md` §8).

use std::sync::Arc;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::AlgorithmSpec;
use crate::algorithm::Mask;
use crate::error::{Error, Names, RuleKind};

/// `CREATE MASK RULE` of one table, as written; what is stored and exported.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct MaskTableSpec {
    /// Logical table name, letter case as written.
    pub name: String,
    /// Masked columns in order.
    pub columns: Vec<MaskColumnSpec>,
}

/// A masked column, as written.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct MaskColumnSpec {
    /// Logical name.
    pub name: String,
    /// What masks it.
    pub algorithm: AlgorithmSpec,
}

/// All masked tables of a database, by lower-case logical name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MaskRule {
    /// Masked tables.
    pub tables: IndexMap<String, MaskTable>,
}

/// A table with masked columns.
#[derive(Clone, Debug, PartialEq)]
pub struct MaskTable {
    /// What the user wrote.
    pub spec: MaskTableSpec,
    /// Masked columns in order.
    pub columns: Vec<MaskColumn>,
}

/// A masked column.
#[derive(Clone, Debug, PartialEq)]
pub struct MaskColumn {
    /// Logical name.
    pub name: String,
    /// What masks it.
    pub mask: Arc<Mask>,
}

impl MaskRule {
    /// Reads all algorithms and checks each table. Two tables of one name are refused.
    pub(crate) fn build(database: &str, specs: Vec<MaskTableSpec>) -> Result<Self, Error> {
        let mut tables = IndexMap::with_capacity(specs.len());
        for spec in specs {
            let name = spec.name.clone();
            if tables.insert(name.to_ascii_lowercase(), MaskTable::build(spec)?).is_some() {
                let (kind, names, database) = (RuleKind::Mask, Names::one(name), database.to_owned());
                return Err(Error::DuplicateRules { kind, names, database });
            }
        }
        Ok(Self { tables })
    }

    /// The masked table of that name, whatever its letter case.
    pub fn table(&self, name: &str) -> Option<&MaskTable> {
        if self.tables.is_empty() { None } else { self.tables.get(&name.to_ascii_lowercase()) }
    }
}

impl MaskTable {
    fn build(spec: MaskTableSpec) -> Result<Self, Error> {
        let invalid = |reason: String| {
            Err(Error::InvalidRule { kind: RuleKind::Mask, name: spec.name.clone(), reason })
        };
        if spec.columns.is_empty() {
            return invalid("no column is given".to_owned());
        }
        let mut columns: Vec<MaskColumn> = Vec::with_capacity(spec.columns.len());
        for column in &spec.columns {
            let name = column.name.clone();
            if columns.iter().any(|before| before.name.eq_ignore_ascii_case(&name)) {
                return invalid(format!("column `{name}` is given twice"));
            }
            columns.push(MaskColumn { name, mask: Arc::new(Mask::parse(&column.algorithm)?) });
        }
        Ok(Self { spec, columns })
    }

    /// The masked column of that name, whatever its letter case.
    pub fn column(&self, name: &str) -> Option<&MaskColumn> {
        self.columns.iter().find(|column| column.name.eq_ignore_ascii_case(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(name: &str, kind: &str, properties: &[(&str, &str)]) -> MaskColumnSpec {
        MaskColumnSpec {
            name: name.into(),
            algorithm: AlgorithmSpec {
                kind: kind.into(),
                properties: properties.iter().map(|(k, v)| ((*k).into(), (*v).into())).collect(),
            },
        }
    }

    fn build(columns: Vec<MaskColumnSpec>) -> Result<MaskRule, Error> {
        MaskRule::build("db", vec![MaskTableSpec { name: "T_user".into(), columns }])
    }

    #[test]
    fn finds_columns_whatever_their_letter_case() {
        let rule = build(vec![column("Phone", "MD5", &[("salt", "x")])]).unwrap();
        let table = rule.table("t_USER").unwrap();
        assert_eq!(*table.column("phONE").unwrap().mask, Mask::Md5("x".into()));
        assert!(table.column("mail").is_none() && rule.table("t").is_none());
    }

    #[test]
    fn refuses_what_is_twice_unknown_or_nothing() {
        for (columns, text) in [
            (vec![], "Invalid mask rule `T_user`, error message is: no column is given"),
            (
                vec![column("a", "MD5", &[]), column("A", "MD5", &[])],
                "Invalid mask rule `T_user`, error message is: column `A` is given twice",
            ),
            (vec![column("a", "ROT13", &[])], "Invalid mask algorithms `[ROT13]`."),
        ] {
            assert_eq!(build(columns).unwrap_err().to_string(), text);
        }
        let table = |name: &str| MaskTableSpec { name: name.into(), columns: vec![column("a", "MD5", &[])] };
        assert_eq!(
            MaskRule::build("db", vec![table("t"), table("T")]).unwrap_err().to_string(),
            "Duplicate mask rule names `[T]` in database `db`."
        );
    }
}
