//! What is to be run, and what came of it.

use std::sync::Arc;

use meta::Database;
use plan::{Call, Plan, Template};
use sql::Pin;
use wire::attributes::Attributes;
use wire::caps::Status;
use wire::execute::Params;
use wire::scan::Prepared;

/// One statement, bound.
#[derive(Clone, Copy)]
pub struct Job<'a, 'p> {
    /// Whose units the plan counts.
    pub database: &'a Arc<Database>,
    /// The statement.
    pub template: &'a Template,
    /// Where it goes.
    pub plan: &'a Plan,
    /// Its values.
    pub call: &'a Call<'a>,
    /// How the client sent it.
    pub command: Command<'a, 'p>,
    /// What the client has sent with it, for servers that take such.
    pub attributes: Option<&'a Attributes>,
}

/// How the client sent a statement.
#[derive(Clone, Copy)]
pub enum Command<'a, 'p> {
    /// `COM_STMT_EXECUTE`: rows travel in binary form.
    Execute {
        /// The parameters.
        params: &'a Params<'p>,
        /// The statement's number in the session, if a cursor is to be opened for it.
        cursor: Option<u32>,
    },
    /// `COM_STMT_PREPARE`: the plan names one unit that can tell parameters and columns.
    Prepare {
        /// The statement's number in the session, told to the client.
        statement: u32,
    },
    /// `COM_QUERY`.
    Query,
}

impl Command<'_, '_> {
    /// The same with all rows at once, as over several nodes.
    pub(crate) const fn at_once(self) -> Self {
        match self {
            Self::Execute { params, .. } => Self::Execute { params, cursor: None },
            other => other,
        }
    }
}

/// What came of it; the client's answer has been written in full.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Outcome {
    /// The status flags told to the client.
    pub status: Status,
    /// Rows changed.
    pub affected: u64,
    /// The first generated key.
    pub insert_id: u64,
    /// How many warnings wait.
    pub warnings: u16,
    /// Rows sent to the client.
    pub rows: u64,
    /// Rows of several nodes that were not sent and that `FOUND_ROWS()` counts.
    pub unsent: u64,
    /// The answer was a result set.
    pub rowset: bool,
    /// Whether the answer did not tell `LAST_INSERT_ID()`, so that the connection was asked.
    pub asked: bool,
    /// Reasons to keep the connection that the text gives and that turned out not to hold.
    pub untied: Pin,
    /// After an error: the server has told of its transaction since.
    pub known: bool,
    /// The number of the server's error that was handed on.
    pub error: Option<u16>,
    /// Parameters and columns, after a prepare.
    pub prepared: Option<Prepared>,
}
