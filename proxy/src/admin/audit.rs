//! `SHOW`, `ALTER`, `RESET` and `ROTATE AUDIT LOG`: settings that stand above those of `agent.yaml`, and what has been
//! written. They are stored as a variable, so that they survive a restart.

use std::collections::BTreeMap;
use std::sync::Arc;

use agent::AuditConfig;
use distsql::audit::Statement;
use indexmap::IndexMap;
use meta::{Property, like};

use super::{Admin, Answer, Error, Servers, cell};
use crate::plugins;

impl<S: Servers> Admin<S> {
    pub(super) async fn audit(&self, statement: &Statement) -> Result<Answer, Error> {
        match statement {
            Statement::Alter(settings) => self.alter_audit(settings).await,
            Statement::Reset => {
                let _turn = self.turn.lock().await;
                self.store_audit(&BTreeMap::new()).await
            }
            Statement::Rotate => self.rotate_audit().await,
            Statement::Show { like } => Ok(self.show_audit(like.as_deref())),
            Statement::ShowStatus => Ok(self.show_audit_status()),
        }
    }

    /// As `agent.yaml` has it.
    fn configured_audit(&self) -> AuditConfig {
        self.plugins.get().map_or_else(AuditConfig::default, |plugins| plugins.configured_audit())
    }

    /// What stands above that.
    fn altered_audit(&self) -> BTreeMap<String, String> {
        plugins::altered_audit(&self.published.load().properties)
    }

    async fn alter_audit(&self, settings: &IndexMap<String, String>) -> Result<Answer, Error> {
        let _turn = self.turn.lock().await;
        let mut altered = self.altered_audit();
        for (name, value) in settings {
            let known = AuditConfig::spelling(name).unwrap_or(name);
            altered.insert(known.to_owned(), value.clone());
        }
        plugins::audit(&self.configured_audit(), &altered).map_err(|error| Error {
            code: 11000,
            state: "HY004",
            message: error.to_string(),
        })?;
        self.store_audit(&altered).await
    }

    async fn store_audit(&self, altered: &BTreeMap<String, String>) -> Result<Answer, Error> {
        let value = if altered.is_empty() {
            String::new()
        } else {
            serde_json::to_string(altered).map_err(Error::other)?
        };
        self.set_property(Property::SqlAudit, &value).await
    }

    async fn rotate_audit(&self) -> Result<Answer, Error> {
        let Some(plugins) = self.plugins.get().map(Arc::clone) else { return Ok(Answer::Ok) };
        // Waits for the thread that writes.
        let _ = tokio::task::spawn_blocking(move || plugins.rotate(agent::AuditLog::NAME)).await;
        Ok(Answer::Ok)
    }

    fn show_audit(&self, pattern: Option<&str>) -> Answer {
        let (configured, altered) = (self.configured_audit(), self.altered_audit());
        let config = plugins::audit(&configured, &altered).unwrap_or(configured);
        let rows = config.settings().filter(|(name, _)| pattern.is_none_or(|pattern| like(pattern, name)));
        let by = |name: &str| if altered.contains_key(name) { "ALTER AUDIT LOG" } else { "agent.yaml" };
        let rows = rows.map(|(name, value)| vec![cell(name), cell(value), cell(by(name))]);
        Answer::Rows { columns: vec!["name", "value", "set_by"], rows: rows.collect() }
    }

    fn show_audit_status(&self) -> Answer {
        let status = self.plugins.get().map(|plugins| plugins.audit_status()).unwrap_or_default();
        let rows = status.into_iter().map(|(name, value)| vec![cell(name), cell(value)]);
        Answer::Rows { columns: vec!["variable_name", "variable_value"], rows: rows.collect() }
    }
}
