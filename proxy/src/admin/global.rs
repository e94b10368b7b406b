//! Rules of the proxy as a whole, and the proxy as a compute node (`distsql.md` §10). There is one node.

use std::net::SocketAddr;

use distsql::{compute, global};
use meta::{Privileges, Users};

use super::{Admin, Answer, Servers, cell};

/// What the configuration says of the proxy as a whole, as queries show it.
#[derive(Clone, Debug, Default)]
pub(super) struct Node {
    /// Accounts.
    users: String,
    /// What they may do.
    provider: &'static str,
}

impl Node {
    pub(super) fn new(users: &Users) -> Self {
        let accounts: Vec<_> = users.iter().map(meta::User::account).collect();
        let provider = match users.privileges() {
            Privileges::All => "ALL_PERMITTED",
            Privileges::Databases(_) => "DATABASE_PERMITTED",
        };
        Self { users: accounts.join("; "), provider }
    }
}

impl<S: Servers> Admin<S> {
    /// Says where clients are waited for.
    pub(crate) fn listens(&self, address: SocketAddr) {
        // Said twice, the first stands.
        let _ = self.address.set(address);
    }

    pub(super) fn global(&self, statement: global::Statement) -> Answer {
        let node = self.node.lock().clone();
        let (columns, row) = match statement {
            global::Statement::ShowAuthority => {
                (vec!["users", "provider", "props"], vec![node.users.as_str(), node.provider, ""])
            }
            global::Statement::ShowParser => (
                vec!["sql_comment_parse_enable", "parse_tree_cache", "sql_statement_cache"],
                // Comments always count; the caches are the original's, this proxy sizes its own.
                vec![
                    "true",
                    "initialCapacity: 128, maximumSize: 1024",
                    "initialCapacity: 2000, maximumSize: 65535",
                ],
            ),
            global::Statement::ShowTransaction => {
                (vec!["default_type", "provider_type", "props"], vec!["LOCAL", "", ""])
            }
        };
        Answer::Rows { columns, rows: vec![row.into_iter().map(cell).collect()] }
    }

    pub(super) fn compute(&self, statement: compute::Statement) -> Answer {
        match statement {
            compute::Statement::ShowMode => Answer::Rows {
                columns: vec!["type", "repository", "props"],
                rows: vec![vec![cell("Standalone"), cell("File"), cell("")]],
            },
            compute::Statement::ShowInfo | compute::Statement::ShowNodes => {
                let (host, port) = self
                    .address
                    .get()
                    .map_or_else(Default::default, |it| (it.ip().to_string(), it.port().to_string()));
                let id = format!("{host}@{port}");
                let row = [id.as_str(), &host, &port, "OK", "Standalone", "0", ""].map(cell);
                Answer::Rows {
                    columns: vec![
                        "instance_id",
                        "host",
                        "port",
                        "status",
                        "mode_type",
                        "worker_id",
                        "labels",
                    ],
                    rows: vec![row.to_vec()],
                }
            }
        }
    }
}
