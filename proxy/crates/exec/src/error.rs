//! Why a plan could not be run, as far as the servers did not say so themselves.

/// What went wrong; a server's own `ERR` packet is not among these, it goes to the client as it is.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A server sent what the protocol does not allow.
    #[error("a server's reply cannot be read")]
    Malformed(#[source] wire::Error),
    /// Merging needs more memory than one statement may take.
    #[error(
        "{what} over several nodes needs more than {limit} bytes of memory; narrow the statement or add a LIMIT"
    )]
    Memory {
        /// The clause.
        what: &'static str,
        /// The limit.
        limit: usize,
    },
    /// The plan names a column that the servers did not send.
    #[error("the servers sent {columns} columns, the plan reads column {index}")]
    Shape {
        /// How many were sent.
        columns: usize,
        /// Which is missing, from 0.
        index: usize,
    },
    /// The servers order the column by something that the rows do not show.
    #[error(
        "rows of several nodes cannot be put in the order of column '{column}' (ENUM, SET and JSON have an order of their own)"
    )]
    Unsortable {
        /// The column's name.
        column: String,
    },
    /// Text is to be compared and the plan does not ask for its weight.
    #[error("rows of several nodes cannot be compared by the text column '{column}' in its collation")]
    Weightless {
        /// The column's name.
        column: String,
    },
}
