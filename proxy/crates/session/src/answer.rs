//! Answers that the proxy gives itself.

use wire::column::Column;

/// What a statement answered by the proxy returns.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// Done; nothing to show.
    Ok,
    /// A result set of text columns.
    Rows(Table),
}

/// A result set of text columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// Column names.
    pub columns: Vec<String>,
    /// Rows; as many values as columns.
    pub rows: Vec<Vec<Option<String>>>,
}

impl Table {
    /// Its column definitions.
    pub(crate) fn definitions(&self) -> Vec<Column> {
        self.columns.iter().map(|name| Column::text(name.clone().into_bytes(), 256)).collect()
    }
}
