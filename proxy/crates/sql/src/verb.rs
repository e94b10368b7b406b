//! What a statement is called: by the names of MySQL's `Com_…` status variables (its manual, "Server Status Variables"),
//! which its audit logs also use.

use observe::Class;

use crate::Mode;
use crate::lexer::{Lexer, TokenKind};

/// What a statement is called.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Verb {
    /// `create_table`; empty when it could not be told.
    pub name: &'static str,
    /// Its kind.
    pub class: Class,
}

impl Verb {
    /// Of what could not be read.
    pub const UNKNOWN: Self = Self { name: "", class: Unknown };

    /// Of a text, by its first words.
    pub fn of(text: &str, mode: Mode) -> Self {
        let mut words = Words { lexer: Lexer::new(text, mode), text };
        let Some(first) = words.next() else { return Self::UNKNOWN };
        for (word, name, class) in SIMPLE {
            if first.eq_ignore_ascii_case(word) {
                return Self { name, class: *class };
            }
        }
        for (word, objects) in DEFINITIONS {
            if first.eq_ignore_ascii_case(word) {
                return object(words, objects);
            }
        }
        let first = first.to_ascii_uppercase();
        let second = words.next().unwrap_or_default().to_ascii_uppercase();
        two(&first, &second, words.next().unwrap_or_default())
    }
}

use Class::{Dal, Dcl, Ddl, Delete, Dml, Insert, Prepared, Select, Tcl, Unknown, Update};

/// Told by the first word.
const SIMPLE: &[(&str, &str, Class)] = &[
    ("SELECT", "select", Select),
    ("INSERT", "insert", Insert),
    ("UPDATE", "update", Update),
    ("DELETE", "delete", Delete),
    ("REPLACE", "replace", Insert),
    ("BEGIN", "begin", Tcl),
    ("COMMIT", "commit", Tcl),
    ("WITH", "select", Select),
    ("TABLE", "select", Select),
    ("VALUES", "select", Select),
    ("CALL", "call_procedure", Dml),
    ("DO", "do", Dml),
    ("HANDLER", "handler", Dml),
    ("LOAD", "load", Dml),
    ("IMPORT", "import", Ddl),
    ("TRUNCATE", "truncate", Ddl),
    ("GRANT", "grant", Dcl),
    ("REVOKE", "revoke", Dcl),
    ("SAVEPOINT", "savepoint", Tcl),
    ("USE", "change_db", Dal),
    ("EXPLAIN", "explain", Dal),
    ("DESCRIBE", "explain", Dal),
    ("DESC", "explain", Dal),
    ("KILL", "kill", Dal),
    ("FLUSH", "flush", Dal),
    ("ANALYZE", "analyze", Dal),
    ("CHECK", "check", Dal),
    ("CHECKSUM", "checksum", Dal),
    ("OPTIMIZE", "optimize", Dal),
    ("REPAIR", "repair", Dal),
    ("CACHE", "assign_to_keycache", Dal),
    ("HELP", "help", Dal),
    ("BINLOG", "binlog", Dal),
    ("PURGE", "purge", Dal),
    ("CHANGE", "change_replication_source", Dal),
    ("SHUTDOWN", "shutdown", Dal),
    ("RESTART", "restart", Dal),
    ("CLONE", "clone", Dal),
    ("GET", "get_diagnostics", Dal),
    ("SIGNAL", "signal", Dal),
    ("RESIGNAL", "resignal", Dal),
    ("PREPARE", "prepare_sql", Prepared),
    ("EXECUTE", "execute_sql", Prepared),
    ("DEALLOCATE", "dealloc_sql", Prepared),
];

/// Told by the first of these words behind it.
type Objects = &'static [(&'static str, &'static str, Class)];

const DEFINITIONS: &[(&str, Objects)] =
    &[("CREATE", CREATE), ("ALTER", ALTER), ("DROP", DROP), ("RENAME", RENAME)];

const CREATE: Objects = &[
    ("TABLE", "create_table", Ddl),
    ("INDEX", "create_index", Ddl),
    ("DATABASE", "create_db", Ddl),
    ("SCHEMA", "create_db", Ddl),
    ("VIEW", "create_view", Ddl),
    ("PROCEDURE", "create_procedure", Ddl),
    ("FUNCTION", "create_function", Ddl),
    ("TRIGGER", "create_trigger", Ddl),
    ("EVENT", "create_event", Ddl),
    ("USER", "create_user", Dcl),
    ("ROLE", "create_role", Dcl),
    ("SERVER", "create_server", Ddl),
    ("TABLESPACE", "alter_tablespace", Ddl),
    ("UNDO", "alter_tablespace", Ddl),
    ("LOGFILE", "alter_tablespace", Ddl),
    ("RESOURCE", "create_resource_group", Ddl),
    ("REFERENCE", "create_spatial_reference_system", Ddl),
];

const ALTER: Objects = &[
    ("TABLE", "alter_table", Ddl),
    ("DATABASE", "alter_db", Ddl),
    ("SCHEMA", "alter_db", Ddl),
    ("VIEW", "create_view", Ddl),
    ("PROCEDURE", "alter_procedure", Ddl),
    ("FUNCTION", "alter_function", Ddl),
    ("EVENT", "alter_event", Ddl),
    ("USER", "alter_user", Dcl),
    ("SERVER", "alter_server", Ddl),
    ("TABLESPACE", "alter_tablespace", Ddl),
    ("UNDO", "alter_tablespace", Ddl),
    ("LOGFILE", "alter_tablespace", Ddl),
    ("RESOURCE", "alter_resource_group", Ddl),
    ("INSTANCE", "alter_instance", Dal),
];

const DROP: Objects = &[
    ("TABLE", "drop_table", Ddl),
    ("TABLES", "drop_table", Ddl),
    ("INDEX", "drop_index", Ddl),
    ("DATABASE", "drop_db", Ddl),
    ("SCHEMA", "drop_db", Ddl),
    ("VIEW", "drop_view", Ddl),
    ("PROCEDURE", "drop_procedure", Ddl),
    ("FUNCTION", "drop_function", Ddl),
    ("TRIGGER", "drop_trigger", Ddl),
    ("EVENT", "drop_event", Ddl),
    ("USER", "drop_user", Dcl),
    ("ROLE", "drop_role", Dcl),
    ("SERVER", "drop_server", Ddl),
    ("TABLESPACE", "alter_tablespace", Ddl),
    ("UNDO", "alter_tablespace", Ddl),
    ("PREPARE", "dealloc_sql", Prepared),
    ("RESOURCE", "drop_resource_group", Ddl),
    ("REFERENCE", "drop_spatial_reference_system", Ddl),
];

const RENAME: Objects =
    &[("TABLE", "rename_table", Ddl), ("TABLES", "rename_table", Ddl), ("USER", "rename_user", Dcl)];

/// Words that may stand between a verb and its object; after more of them it is not looked for.
const BETWEEN: usize = 16;

fn object(words: Words<'_>, objects: Objects) -> Verb {
    for word in words.take(BETWEEN) {
        if let Some((_, name, class)) = objects.iter().find(|(object, ..)| word.eq_ignore_ascii_case(object))
        {
            return Verb { name, class: *class };
        }
    }
    Verb { name: "", class: Ddl }
}

/// Told by two words or three.
fn two(first: &str, second: &str, third: &str) -> Verb {
    let (name, class) = match (first, second) {
        ("ROLLBACK", "TO") => ("rollback_to_savepoint", Tcl),
        ("ROLLBACK", "WORK") if third.eq_ignore_ascii_case("TO") => ("rollback_to_savepoint", Tcl),
        ("ROLLBACK", _) => ("rollback", Tcl),
        ("START", "TRANSACTION") => ("begin", Tcl),
        ("START", "GROUP_REPLICATION") => ("group_replication_start", Dal),
        ("START", _) => ("replica_start", Dal),
        ("STOP", "GROUP_REPLICATION") => ("group_replication_stop", Dal),
        ("STOP", _) => ("replica_stop", Dal),
        ("RELEASE", _) => ("release_savepoint", Tcl),
        ("LOCK", "INSTANCE") => ("lock_instance", Dal),
        ("LOCK", _) => ("lock_tables", Tcl),
        ("UNLOCK", "INSTANCE") => ("unlock_instance", Dal),
        ("UNLOCK", _) => ("unlock_tables", Tcl),
        ("XA", "START" | "BEGIN") => ("xa_start", Tcl),
        ("XA", "END") => ("xa_end", Tcl),
        ("XA", "PREPARE") => ("xa_prepare", Tcl),
        ("XA", "COMMIT") => ("xa_commit", Tcl),
        ("XA", "ROLLBACK") => ("xa_rollback", Tcl),
        ("XA", "RECOVER") => ("xa_recover", Tcl),
        ("SET", "PASSWORD") => ("set_password", Dcl),
        ("SET", "ROLE") => ("set_role", Dcl),
        ("SET", "DEFAULT") => ("alter_user_default_role", Dcl),
        ("SET", "RESOURCE") => ("set_resource_group", Dal),
        ("SET", _) => ("set_option", Dal),
        ("RESET", "PERSIST") => ("reset_persist", Dal),
        ("RESET", _) => ("reset", Dal),
        ("INSTALL", "COMPONENT") => ("install_component", Dal),
        ("INSTALL", _) => ("install_plugin", Dal),
        ("UNINSTALL", "COMPONENT") => ("uninstall_component", Dal),
        ("UNINSTALL", _) => ("uninstall_plugin", Dal),
        ("SHOW", _) => (show(second, third), Dal),
        _ => ("", Unknown),
    };
    Verb { name, class }
}

fn show(what: &str, next: &str) -> &'static str {
    match what {
        // `SHOW FULL TABLES`, `SHOW SESSION STATUS` …: by the word behind.
        "FULL" | "EXTENDED" | "GLOBAL" | "SESSION" | "LOCAL" => show(&next.to_ascii_uppercase(), ""),
        "DATABASES" | "SCHEMAS" => "show_databases",
        "TABLES" => "show_tables",
        "TABLE" => "show_table_status",
        "OPEN" => "show_open_tables",
        "COLUMNS" | "FIELDS" => "show_fields",
        "INDEX" | "INDEXES" | "KEYS" => "show_keys",
        "VARIABLES" => "show_variables",
        "STATUS" => "show_status",
        "WARNINGS" => "show_warnings",
        "ERRORS" => "show_errors",
        "PROCESSLIST" => "show_processlist",
        "GRANTS" => "show_grants",
        "PRIVILEGES" => "show_privileges",
        "PROFILE" => "show_profile",
        "PROFILES" => "show_profiles",
        "ENGINE" => "show_engine_status",
        "ENGINES" | "STORAGE" => "show_storage_engines",
        "CHARACTER" | "CHARSET" => "show_charsets",
        "COLLATION" => "show_collations",
        "PLUGINS" => "show_plugins",
        "EVENTS" => "show_events",
        "TRIGGERS" => "show_triggers",
        "PROCEDURE" => "show_procedure_status",
        "FUNCTION" => "show_function_status",
        "CREATE" => "show_create",
        "BINARY" => "show_binlogs",
        "BINLOG" => "show_binlog_events",
        "REPLICA" | "REPLICAS" | "SLAVE" => "show_replica_status",
        _ => "show",
    }
}

/// The words of a text, without comments and what stands between.
struct Words<'a> {
    lexer: Lexer<'a>,
    text: &'a str,
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        loop {
            let token = self.lexer.token().ok()??;
            match token.kind {
                TokenKind::Word => return Some(token.text(self.text)),
                TokenKind::Semicolon => return None,
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_called_as_mysql_counts_them() {
        for (text, name, class) in [
            ("select 1", "select", Select),
            ("  /* x */ (SELECT 1) UNION SELECT 2", "select", Select),
            ("-- c\nINSERT INTO t VALUES (1)", "insert", Insert),
            ("REPLACE t VALUES (1)", "replace", Insert),
            ("create or replace definer = `a`@`b` view v as select 1", "create_view", Ddl),
            ("CREATE TEMPORARY TABLE IF NOT EXISTS t (a INT)", "create_table", Ddl),
            ("CREATE UNIQUE INDEX i ON t (a)", "create_index", Ddl),
            ("CREATE USER a IDENTIFIED BY 'x'", "create_user", Dcl),
            ("SET PASSWORD = 'x'", "set_password", Dcl),
            ("SET @a = 1", "set_option", Dal),
            ("START TRANSACTION", "begin", Tcl),
            ("rollback", "rollback", Tcl),
            ("ROLLBACK TO SAVEPOINT a", "rollback_to_savepoint", Tcl),
            ("XA START 'a'", "xa_start", Tcl),
            ("SHOW FULL TABLES", "show_tables", Dal),
            ("DROP PREPARE s", "dealloc_sql", Prepared),
            ("LOAD DATA INFILE 'x' INTO TABLE t", "load", Dml),
            ("", "", Unknown),
            ("SELEKT 1", "", Unknown),
            ("'text'", "", Unknown),
        ] {
            assert_eq!(Verb::of(text, Mode::default()), Verb { name, class }, "{text}");
        }
    }
}
