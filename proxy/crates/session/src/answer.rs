//! Answers that the proxy gives itself.

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
