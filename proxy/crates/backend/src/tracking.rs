//! What a server tells of changes to a session that no `SET` of the proxy's own has made: a procedure that sets
//! variables, switches `autocommit` off or makes a temporary table.
//!
//! Servers tell it in OK packets once they are asked to; an answer in which nothing changed is not a byte longer. All
//! variables (`*`) would be, since MySQL counts statements in one of them.

use wire::reply::{Change, Ok};

/// The variables of which values are wanted, sorted; MySQL and MariaDB overlook with a warning what they do not have.
/// Of others it is only told that something has changed.
const VARIABLES: &str = "autocommit,character_set_client,character_set_connection,character_set_results,\
    collation_connection,default_storage_engine,div_precision_increment,foreign_key_checks,group_concat_max_len,\
    innodb_lock_wait_timeout,lc_time_names,lock_wait_timeout,max_execution_time,max_statement_time,net_read_timeout,\
    net_write_timeout,optimizer_switch,sql_auto_is_null,sql_mode,sql_notes,sql_safe_updates,sql_select_limit,\
    time_zone,transaction_isolation,transaction_read_only,tx_isolation,tx_read_only,unique_checks";

/// Changes that a server told of with an answer.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Tracked {
    /// Variables with their new values, which are not in quotes.
    pub variables: Vec<(String, String)>,
    /// Something changed that another connection would lack: a variable, a user variable, a temporary table, a statement
    /// prepared by name.
    pub state: bool,
    /// The default database is another.
    pub schema: bool,
}

impl Tracked {
    /// The assignments that make a server tell of changes.
    pub(crate) fn assignments() -> String {
        format!(
            "@@SESSION.session_track_state_change=1,@@SESSION.session_track_system_variables='{VARIABLES}'"
        )
    }

    /// Adds what an OK packet tells.
    pub fn add(&mut self, ok: &Ok<'_>) {
        for change in ok.changes().flatten() {
            match change {
                Change::Schema(_) => self.schema = true,
                Change::State(changed) => self.state |= changed,
                Change::Variable { name, value } => {
                    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
                    self.variables.push((text(name).to_ascii_lowercase(), text(value)));
                }
                _ => {}
            }
        }
    }
}
