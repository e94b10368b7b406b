//! `SHOW DIST VARIABLES`, `SET DIST VARIABLE` (`distsql.md` §10).

use std::sync::Arc;

use distsql::variable::Statement;
use meta::{Properties, Property, like};

use super::{Admin, Answer, Error, Servers};

/// Variables that are no property: shown last, by this value.
const OTHERS: [(&str, &str); 2] = [("cached_connections", "0"), ("transaction_type", "LOCAL")];

impl<S: Servers> Admin<S> {
    pub(super) async fn variables(&self, statement: &Statement) -> Result<Answer, Error> {
        match statement {
            Statement::Set { name, value } => self.set_variable(name, value).await,
            Statement::Show { like } => Ok(show(&self.published.load().properties, like.as_deref())),
            Statement::ShowOne { name } => show_one(&self.published.load().properties, name),
        }
    }

    async fn set_variable(&self, name: &str, value: &str) -> Result<Answer, Error> {
        if name.eq_ignore_ascii_case("transaction_type") {
            return match value.to_ascii_uppercase().as_str() {
                "LOCAL" => Ok(Answer::Ok),
                "XA" | "BASE" => Err(Error::not_yet(&format!("transaction_type = {value}"))),
                _ => Err(unknown(name)),
            };
        }
        let property = Property::find(name).ok_or_else(|| unknown(name))?;
        if property == Property::SqlAudit {
            // Which is checked, setting by setting.
            return Err(Error::unsupported("SET DIST VARIABLE sql_audit: use ALTER AUDIT LOG"));
        }
        let _turn = self.turn.lock().await;
        self.set_property(property, value).await
    }

    /// Sets a variable, while it is this statement's turn.
    pub(super) async fn set_property(&self, property: Property, value: &str) -> Result<Answer, Error> {
        let changed =
            self.commit(|snapshot| Ok(snapshot.with_properties(snapshot.properties.with(property, value)?)))?;
        if let (Some(snapshot), Some(plugins)) = (changed, self.plugins.get()) {
            let plugins = Arc::clone(plugins);
            // Waits for the thread that writes. One that has failed changes nothing of what was set.
            let _ = tokio::task::spawn_blocking(move || plugins.follow(&snapshot.properties)).await;
        }
        Ok(Answer::Ok)
    }
}

/// `SHOW DIST VARIABLES`.
fn show(properties: &Properties, pattern: Option<&str>) -> Answer {
    let rows = all(properties)
        .filter(|(name, _)| pattern.is_none_or(|pattern| like(pattern, name)))
        .map(|(name, value)| vec![Some(name), Some(value)]);
    answer(rows.collect())
}

/// `SHOW DIST VARIABLE WHERE NAME = x`.
fn show_one(properties: &Properties, name: &str) -> Result<Answer, Error> {
    let found = all(properties).find(|(it, _)| it.eq_ignore_ascii_case(name)).ok_or_else(|| unknown(name))?;
    Ok(answer(vec![vec![Some(found.0), Some(found.1)]]))
}

fn all(properties: &Properties) -> impl Iterator<Item = (String, String)> + '_ {
    let own = Property::ALL.iter().map(|it| (it.variable(), properties.text(*it).to_owned()));
    own.chain(OTHERS.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())))
}

fn answer(rows: Vec<Vec<Option<String>>>) -> Answer {
    Answer::Rows { columns: vec!["variable_name", "variable_value"], rows }
}

fn unknown(name: &str) -> Error {
    meta::Error::UnknownVariable(name.to_owned()).into()
}
