//! Why a plan could not be run, as far as the servers did not say so themselves.

/// What went wrong; a server's own `ERR` packet is not among these, it goes to the client as it is.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A connection could not be had, or was lost, or the server refused a statement of the proxy's own.
    #[error(transparent)]
    Backend(#[from] backend::Error),
    /// What the answer tells turned out not to be so when it had been written: it must not reach the client.
    #[error(transparent)]
    Belied(Box<Self>),
    /// A column that one server is to work with does not survive the way there.
    #[error("rows of several nodes cannot be worked on by one server: column '{column}' is or holds {what}")]
    Carried {
        /// The column's name, or the expression.
        column: String,
        /// The type, or what is wrong with a value.
        what: &'static str,
    },
    /// The client did not take its answer.
    #[error("the client went away")]
    Client(#[source] std::io::Error),
    /// The conditions of a statement were asked for too late, or come from too many places.
    #[error(
        "SHOW WARNINGS after a statement on several data nodes of one storage unit, or whose server was lost ({count} warnings)"
    )]
    Conditions {
        /// How many were told of.
        count: u16,
    },
    /// Two servers sent results that do not fit together.
    #[error("results of several nodes have {first} and {other} columns")]
    Columns {
        /// How many one has.
        first: usize,
        /// How many another has.
        other: usize,
    },
    /// A server refused what came before the statement in the same write, though it took that before.
    #[error("{0}; the statement behind it may have been carried out")]
    Introduction(#[source] Box<Self>),
    /// What one server is to work on is more than it can be told.
    #[error(
        "a statement that one server works out over the rows of several nodes needs more than {limit} bytes of them; narrow it"
    )]
    Gathered {
        /// The limit, of the proxy or of the server's `max_allowed_packet`.
        limit: usize,
    },
    /// The statement was told to end before any server had begun it.
    #[error("Query execution was interrupted")]
    Interrupted,
    /// The session was told to end while the statement ran.
    #[error("the statement was ended together with its session")]
    Killed,
    /// A server sent what the protocol does not allow.
    #[error("a server's reply cannot be read")]
    Malformed(#[source] wire::Error),
    /// Groups of long texts that servers do not sort to the end.
    #[error(
        "rows of several nodes cannot be grouped by column '{column}': texts in it agree in the first {bytes} bytes that servers sort by (max_sort_length)"
    )]
    Long {
        /// The column's name.
        column: String,
        /// How many bytes count.
        bytes: usize,
    },
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
    /// A server was lost while it carried out a definition on one of its nodes.
    #[error(
        "{source} (on {node}; {done} of {of} data nodes have carried it out, give the statement again for the others)"
    )]
    Node {
        /// `ds_0.t_3`.
        node: String,
        /// How many nodes have done it.
        done: usize,
        /// How many there are.
        of: usize,
        /// Why.
        source: Box<Self>,
    },
    /// No such savepoint in this transaction.
    #[error("SAVEPOINT {name} does not exist")]
    NoSavepoint {
        /// Its name.
        name: String,
    },
    /// The plan names a column that the servers did not send.
    #[error("the servers sent {columns} columns, the plan reads column {index}")]
    Shape {
        /// How many were sent.
        columns: usize,
        /// Which is missing, from 0.
        index: usize,
    },
    /// A server was lost in the middle of a row of which the client has the first part.
    #[error("the answer broke off within a row")]
    Torn(#[source] backend::Error),
    /// A connection was lost that held a transaction or other state of the session; all that was open has been rolled
    /// back, on the other servers, too.
    #[error(
        "the session's transaction or state was lost with a server connection; what was open is rolled back"
    )]
    TransactionLost(#[source] Box<Self>),
    /// `*` stands for other columns than the plan was made for.
    #[error(
        "`*` stands for {sent} columns on the servers and for {planned} here: let the table's structure be read again by REFRESH TABLE METADATA"
    )]
    Structure {
        /// How many columns were known of.
        planned: usize,
        /// How many were sent.
        sent: usize,
    },
    /// A value is not what its cipher makes of any; told to the client in the place of the row.
    #[error(transparent)]
    Undecryptable(#[from] plan::Undecryptable),
    /// Rows that wait for others and are too many for memory could not be kept in a file.
    #[error(
        "rows of several nodes that wait for others (ORDER BY, GROUP BY, DISTINCT) cannot be kept in a temporary file"
    )]
    Spill(#[source] std::io::Error),
    /// What one server worked out is of another type than the client's own statement has.
    #[error(
        "result column '{column}', worked out by one server over rows of several nodes, would be {worked} instead of {told}"
    )]
    Unfit {
        /// The column's name.
        column: String,
        /// The type it has.
        told: &'static str,
        /// The type it would have.
        worked: &'static str,
    },
    /// The plan names a storage unit that the database does not have.
    #[error("the plan names storage unit {index} of {units}")]
    Unit {
        /// Which, from 0.
        index: usize,
        /// How many there are.
        units: usize,
    },
    /// Two nodes tell one column in types between which a value cannot be carried over.
    #[error("nodes answer with different types of the column '{column}'; give it one by CAST")]
    Types {
        /// The column's name.
        column: String,
    },
    /// The servers order the column by something that the rows do not show.
    #[error(
        "rows of several nodes cannot be put in the order of column '{column}' (ENUM, SET and JSON have an order of their own, FLOAT shows too few digits)"
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

impl Error {
    /// The server's own error packet, when that is what the error is.
    pub const fn refusal(&self) -> Option<&backend::Refusal> {
        match self {
            Self::Backend(error) => error.refusal(),
            _ => None,
        }
    }

    /// The same, and the transaction is gone with it.
    pub(crate) fn with_transaction(self) -> Self {
        if self.fatal() { self } else { Self::TransactionLost(Box::new(self)) }
    }

    /// Whether the client must be let go: the bytes it has are of no use without those that are missing, or the
    /// transaction or state it believes to have is gone.
    pub const fn fatal(&self) -> bool {
        matches!(
            self,
            Self::Belied(_) | Self::Client(_) | Self::Killed | Self::Torn(_) | Self::TransactionLost(_)
        )
    }
}
