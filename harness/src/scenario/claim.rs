//! What a scenario says must be true, as written in its file.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::file::Fault;
use super::fill::{Each, Fill};

/// Something that must be true.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckPart {
    /// In words.
    pub name: String,
    /// The only time it is made; always, if absent.
    pub when: Option<When>,
    /// Names and what each stands for in turn: the check is made for every combination.
    #[serde(default)]
    pub each: Each,
    /// `weir`, a server, or an arm.
    pub on: String,
    /// A query.
    pub sql: String,
    /// The one row it must give.
    pub expect: Option<Vec<String>>,
    /// A query that must give the same rows.
    pub same: Option<Query>,
    /// Queries of one row whose rows must add up to the same.
    pub total: Option<Query>,
}

/// A moment at which checks are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum When {
    /// After the tables were filled.
    Filled,
    /// After the load.
    Loaded,
}

impl When {
    /// In words, for a report.
    pub fn words(self) -> &'static str {
        match self {
            Self::Filled => "after filling",
            Self::Loaded => "after the load",
        }
    }
}

/// A query, or several of them.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Query {
    /// Names and what each stands for in turn.
    #[serde(default)]
    pub each: Each,
    /// `weir`, a server, or an arm.
    pub on: String,
    /// The text.
    pub sql: String,
}

/// What a server must have done while an arm was measured, by its own counters.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CountPart {
    /// In words.
    pub name: String,
    /// The arm.
    pub arm: String,
    /// The server.
    pub on: String,
    /// Status variables, and by how much each transaction of the load must raise them.
    pub per_transaction: BTreeMap<String, f64>,
}

/// What a proxy must have written while an arm was measured.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordPart {
    /// In words.
    pub name: String,
    /// The arm.
    pub arm: String,
    /// Files in the proxy's folder of logs, by how their names begin; `collector` for spans that the harness has taken.
    pub file: String,
    /// What a line must hold to be a record of a statement of the load: any of these.
    #[serde(default)]
    pub holding: Vec<String>,
    /// So many such lines for each query of the load.
    pub per_query: f64,
    /// By which share of that they may be off: by nothing, unless it is said, as for samples.
    #[serde(default)]
    pub margin: f64,
}

impl CheckPart {
    pub(super) fn check(
        &self,
        fill: &Fill,
        known: &dyn Fn(&str) -> bool,
        names: &[String],
    ) -> Result<(), Fault> {
        let against = [self.expect.is_some(), self.same.is_some(), self.total.is_some()];
        if against.iter().filter(|given| **given).count() != 1 {
            return Err(Fault::new(
                format!("check `{}` needs one of expect, same and total", self.name),
                &self.name,
            ));
        }
        let own = Query { each: Each::new(), on: self.on.clone(), sql: self.sql.clone() };
        let others = [&self.same, &self.total].into_iter().flatten();
        for fill in fill.each(&self.each) {
            for query in std::iter::once(&own).chain(others.clone()) {
                query.check(&fill, known, names)?;
            }
        }
        Ok(())
    }
}

impl Query {
    fn check(&self, fill: &Fill, known: &dyn Fn(&str) -> bool, names: &[String]) -> Result<(), Fault> {
        for fill in fill.each(&self.each) {
            let on = fill.text(&self.on).map_err(Fault::fill)?;
            fill.text(&self.sql).map_err(Fault::fill)?;
            if !known(&on) {
                return Err(Fault::unknown(&on, names));
            }
        }
        Ok(())
    }
}
