//! `!SINGLE`: every table that is found is loaded, whatever `tables` lists.

use serde::Deserialize;

use super::emit::Node;
use crate::change::DatabaseSpec;

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Rule {
    #[serde(rename = "tables")]
    _tables: Option<Vec<String>>,
    default_data_source: Option<String>,
}

impl Rule {
    pub(super) fn read(self, spec: &mut DatabaseSpec) {
        if let Some(source) = self.default_data_source.filter(|source| !source.is_empty()) {
            spec.single.default = Some(source);
        }
    }
}

/// Writes the rule. Without it newer releases would find no table that has no other rule.
pub(super) fn write(spec: &DatabaseSpec) -> Node {
    Node::map([
        ("tables", Some(Node::List(vec![Node::text("*.*")]))),
        ("defaultDataSource", spec.single.default.as_ref().map(Node::text)),
    ])
}
