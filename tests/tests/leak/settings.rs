//! Variables that a session sets for itself, and statements that show which ones are in force.

use crate::twin::{Outcome, Twin};

/// Variables, and values that both sides take alike.
const VARIABLES: [(&str, &[&str]); 33] = [
    (
        "sql_mode",
        &[
            "''",
            "'ANSI_QUOTES'",
            "'PIPES_AS_CONCAT'",
            "'NO_BACKSLASH_ESCAPES'",
            "'ANSI,TRADITIONAL'",
            "'STRICT_ALL_TABLES'",
            "'HIGH_NOT_PRECEDENCE,IGNORE_SPACE'",
            "'ONLY_FULL_GROUP_BY,ERROR_FOR_DIVISION_BY_ZERO,STRICT_TRANS_TABLES'",
            "'NO_UNSIGNED_SUBTRACTION,REAL_AS_FLOAT,PAD_CHAR_TO_FULL_LENGTH'",
        ],
    ),
    ("time_zone", &["'+00:00'", "'+09:00'", "'-03:30'", "'SYSTEM'"]),
    ("group_concat_max_len", &["4", "10", "1024", "77"]),
    ("div_precision_increment", &["0", "2", "8", "4"]),
    ("sql_select_limit", &["1", "3", "1000"]),
    ("sql_safe_updates", &["0", "1"]),
    ("foreign_key_checks", &["0", "1"]),
    ("unique_checks", &["0", "1"]),
    ("sql_auto_is_null", &["0", "1"]),
    ("lc_time_names", &["'de_DE'", "'ja_JP'", "'en_US'"]),
    ("default_week_format", &["0", "3", "6"]),
    ("timestamp", &["1234567890", "86400"]),
    ("max_execution_time", &["0", "60000", "3600000"]),
    ("collation_connection", &["utf8mb4_bin", "utf8mb4_general_ci", "latin1_swedish_ci"]),
    ("character_set_results", &["NULL", "latin1", "utf8mb4"]),
    (
        "transaction_isolation",
        &["'READ-COMMITTED'", "'REPEATABLE-READ'", "'READ-UNCOMMITTED'", "'SERIALIZABLE'"],
    ),
    ("transaction_read_only", &["0", "0", "0", "1"]),
    ("sort_buffer_size", &["65536", "131072"]),
    ("join_buffer_size", &["65536", "131072"]),
    ("tmp_table_size", &["65536", "16777216"]),
    ("max_sort_length", &["64", "1024"]),
    ("net_write_timeout", &["60", "120"]),
    ("lock_wait_timeout", &["50", "60"]),
    ("innodb_lock_wait_timeout", &["40", "50"]),
    ("cte_max_recursion_depth", &["10", "1000"]),
    ("windowing_use_high_precision", &["0", "1"]),
    ("sql_quote_show_create", &["0", "1"]),
    ("max_error_count", &["0", "1", "64"]),
    ("sql_notes", &["0", "1"]),
    ("sql_warnings", &["0", "1"]),
    ("block_encryption_mode", &["'aes-128-ecb'", "'aes-256-ecb'"]),
    ("default_collation_for_utf8mb4", &["utf8mb4_0900_ai_ci", "utf8mb4_general_ci"]),
    ("optimizer_switch", &["'index_merge=off'", "'mrr_cost_based=off'", "DEFAULT"]),
];

/// Statements whose answer depends on the variables that are in force on the server, not on what the proxy remembers.
pub(crate) const EFFECTS: [&str; 26] = [
    "SELECT \"x\" AS q",
    "SELECT 'a' || 'b' AS pipes",
    "SELECT 'a\\'b' AS escaped",
    "SELECT NOT 1 BETWEEN -5 AND 5 AS high_not",
    "SELECT FROM_UNIXTIME(1000000000) AS t",
    "SELECT GROUP_CONCAT(l ORDER BY l) AS g FROM letters",
    "SELECT 1 / 3 AS third",
    "SELECT l FROM letters ORDER BY l",
    "UPDATE own_{n} SET v = v + 1",
    "SELECT DATE_FORMAT('2020-03-01', '%M %W') AS month",
    "SELECT WEEK('2008-02-20') AS week",
    "SELECT NOW() < '2015-01-01' AS past",
    "SELECT COLLATION('a') AS c, CHARSET('a') AS s",
    "SELECT HEX('é') AS h, 'é' AS e",
    "SELECT _utf8mb4 X'C3A4' AS a",
    "WITH RECURSIVE c AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM c WHERE n < 30) SELECT MAX(n) AS m FROM c",
    "SHOW CREATE TABLE whoami",
    "SELECT HEX(AES_ENCRYPT('a', 'b')) AS h",
    "SELECT COLLATION(_utf8mb4'a') AS c",
    "INSERT INTO own_{n} VALUES (9, 1, 'toolong')",
    "DELETE FROM own_{n} WHERE id = 9",
    "SELECT CAST(1 AS UNSIGNED) - 2 AS below",
    "SELECT COUNT (*) AS n FROM letters",
    "SELECT 1 / 0 AS infinite",
    "SELECT CAST('7x' AS SIGNED) AS seven",
    "SELECT l, 1 + 1 AS two FROM letters WHERE l = 'BETA'",
];

/// Statements that tell what is set.
const ECHOES: [&str; 9] = [
    "SELECT @@sql_mode, @@time_zone, @@group_concat_max_len, @@sql_select_limit",
    "SELECT @@transaction_isolation, @@transaction_read_only, @@autocommit",
    "SELECT @@character_set_client, @@character_set_connection, @@character_set_results, @@collation_connection",
    "SELECT @@foreign_key_checks, @@unique_checks, @@sql_safe_updates, @@max_execution_time",
    "SELECT CONCAT(@@sql_mode, '/', @@lc_time_names, '/', @@default_week_format) AS c",
    "SELECT @@innodb_lock_wait_timeout, @@lock_wait_timeout, @@net_write_timeout",
    "SHOW VARIABLES LIKE 'div_precision_increment'",
    "SHOW SESSION VARIABLES WHERE Variable_name IN ('sort_buffer_size', 'sql_notes', 'max_error_count', 'time_zone')",
    "SELECT (SELECT @@session.cte_max_recursion_depth) AS c, @@local.windowing_use_high_precision AS w",
];

impl Twin<'_> {
    /// Sets something, in one of the ways there are.
    pub(crate) fn set(&mut self) -> Outcome {
        match self.rng.u32(..10) {
            0 => self.names(),
            1 => self.several(),
            2 => self
                .ask_one(&[
                    "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED",
                    "SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE, READ WRITE",
                    "SET SESSION TRANSACTION READ ONLY",
                    "SET SESSION TRANSACTION READ WRITE, ISOLATION LEVEL REPEATABLE READ",
                ])
                .map(drop),
            3 => self
                .ask_one(&[
                    "SET SESSION sql_mode = CONCAT(@@sql_mode, ',PIPES_AS_CONCAT')",
                    "SET SESSION group_concat_max_len = @@group_concat_max_len + 1",
                    "SET @old = @@sql_mode, sql_mode = 'ANSI_QUOTES'",
                    "SET sql_mode = DEFAULT, time_zone = DEFAULT",
                    "SET sql_mode = 'NO_SUCH_MODE'",
                    "SET group_concat_max_len = 'x'",
                    "SET no_such_variable = 1",
                    "SET SESSION max_connections = 5",
                ])
                .map(drop),
            _ => {
                let (name, value) = self.assignment();
                let form = self.one_of(&["SESSION ", "", "@@session.", "LOCAL ", "@@"]);
                // Without SESSION these count for the next transaction only.
                let form = if form == "@@" && name.starts_with("transaction") { "@@session." } else { form };
                self.ask(&format!("SET {form}{name} = {value}")).map(drop)
            }
        }
    }

    fn assignment(&mut self) -> (&'static str, &'static str) {
        let (name, values) = VARIABLES[self.rng.usize(..VARIABLES.len())];
        let value = if self.rng.u32(..6) == 0 { "DEFAULT" } else { self.one_of(values) };
        (name, value)
    }

    fn several(&mut self) -> Outcome {
        let count = self.rng.usize(2..5);
        let parts: Vec<_> = (0..count)
            .map(|_| {
                let (name, value) = self.assignment();
                format!("{name} = {value}")
            })
            .collect();
        self.ask(&format!("SET {}", parts.join(", "))).map(drop)
    }

    fn names(&mut self) -> Outcome {
        self.ask_one(&[
            "SET NAMES utf8mb4",
            "SET NAMES latin1",
            "SET NAMES utf8mb4 COLLATE utf8mb4_bin",
            "SET NAMES DEFAULT",
            "SET NAMES utf8mb3",
            "SET NAMES ascii",
            "SET NAMES binary",
            "SET NAMES nosuch",
        ])
        .map(drop)
    }

    /// Looks at what is set and in force.
    pub(crate) fn look_at_settings(&mut self) -> Outcome {
        if self.rng.bool() { self.ask_one(&EFFECTS) } else { self.ask_one(&ECHOES) }.map(drop)
    }
}
