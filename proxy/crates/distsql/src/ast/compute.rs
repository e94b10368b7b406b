//! Nodes of the proxy.

/// A statement about the nodes of the proxy.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Statement {
    /// `SHOW COMPUTE NODE INFO`.
    ShowInfo,
    /// `SHOW COMPUTE NODE MODE`.
    ShowMode,
    /// `SHOW COMPUTE NODES`.
    ShowNodes,
}

impl Statement {
    /// Its first words.
    pub fn title(self) -> &'static str {
        match self {
            Self::ShowInfo => "SHOW COMPUTE NODE INFO",
            Self::ShowMode => "SHOW COMPUTE NODE MODE",
            Self::ShowNodes => "SHOW COMPUTE NODES",
        }
    }
}
