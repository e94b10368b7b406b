//! What one statement may take of the proxy.

use std::path::Path;
use std::sync::Arc;

/// How much one statement may take.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Bytes for groups and for sorting, each.
    pub memory: usize,
    /// Bytes of rows that wait for others in memory; more wait in a file.
    pub early: usize,
    /// Where such files are made.
    pub folder: Arc<Path>,
    /// Connections of one unit side by side, where no transaction or other state binds a statement to one.
    pub connections: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { memory: 64 << 20, early: 4 << 20, folder: std::env::temp_dir().into(), connections: 1 }
    }
}
