//! All metrics there are.

/// A metric: what it is called, and what it tells.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Metric {
    /// Its name.
    pub name: &'static str,
    /// Whether it only grows.
    pub kind: Type,
    /// Names of its labels.
    pub labels: &'static [&'static str],
    /// What it tells.
    pub help: &'static str,
}

/// Types of metrics.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Type {
    /// Only grows.
    Counter,
    /// Goes up and down.
    Gauge,
    /// Counts by size.
    Histogram,
}

macro_rules! metrics {
    ($($constant:ident $kind:ident $name:literal [$($label:literal),*] $help:literal;)*) => {
        $(
            pub(super) const $constant: Metric =
                Metric { name: $name, kind: Type::$kind, labels: &[$($label),*], help: $help };
        )*

        /// All metrics there are.
        pub const METRICS: &[Metric] = &[$($constant),*];
    };
}

metrics! {
    // The names of releases 5.2 and 5.3.
    PROXY_REQUEST Counter "proxy_request_total" [] "Packets received from clients.";
    PROXY_CONNECTION Gauge "proxy_connection_total" [] "Clients connected.";
    EXECUTE_LATENCY Histogram "proxy_execute_latency_millis" [] "Execution time of commands in milliseconds.";
    EXECUTE_ERROR Counter "proxy_execute_error_total" [] "Commands that ended with an error.";
    ROUTE_SELECT Counter "route_sql_select_total" [] "SELECT statements routed.";
    ROUTE_INSERT Counter "route_sql_insert_total" [] "INSERT statements routed.";
    ROUTE_UPDATE Counter "route_sql_update_total" [] "UPDATE statements routed.";
    ROUTE_DELETE Counter "route_sql_delete_total" [] "DELETE statements routed.";
    ROUTE_DATASOURCE Counter "route_datasource_total" ["name"] "Route units by storage unit.";
    ROUTE_TABLE Counter "route_table_total" ["name"] "Physical tables of route units.";
    TRANSACTION_COMMIT Counter "proxy_transaction_commit_total" [] "COMMIT statements executed.";
    TRANSACTION_ROLLBACK Counter "proxy_transaction_rollback_total" [] "ROLLBACK statements executed.";
    PARSE_SELECT Counter "parse_sql_dml_select_total" [] "SELECT statements parsed.";
    PARSE_INSERT Counter "parse_sql_dml_insert_total" [] "INSERT statements parsed.";
    PARSE_UPDATE Counter "parse_sql_dml_update_total" [] "UPDATE statements parsed.";
    PARSE_DELETE Counter "parse_sql_dml_delete_total" [] "DELETE statements parsed.";
    PARSE_DDL Counter "parse_sql_ddl_total" [] "Definition statements parsed.";
    PARSE_DCL Counter "parse_sql_dcl_total" [] "Statements about accounts and privileges parsed.";
    PARSE_DAL Counter "parse_sql_dal_total" [] "Administration statements parsed.";
    PARSE_TCL Counter "parse_sql_tcl_total" [] "Transaction control statements parsed.";
    PARSE_RQL Counter "parse_dist_sql_rql_total" [] "DistSQL statements that show rules and resources.";
    PARSE_RDL Counter "parse_dist_sql_rdl_total" [] "DistSQL statements that define rules and resources.";
    PARSE_RAL Counter "parse_dist_sql_ral_total" [] "DistSQL statements for administration.";
    PROXY_INFO Gauge "proxy_info" ["name"] "State of the proxy: 0 serving, 1 circuit break.";
    META_DATA_INFO Gauge "meta_data_info" ["name"] "Logical databases (schema_count) and databases on servers (database_count).";
    // Those of 5.3.2 and later.
    BUILD_INFO Gauge "build_info" ["name", "version"] "The program; always 1.";
    PARSED_SQL Counter "parsed_sql_total" ["type"] "Statements parsed, by type.";
    ROUTED_SQL Counter "routed_sql_total" ["type"] "Statements routed, by type.";
    ROUTED_RESULT Counter "routed_result_total" ["object", "name"] "Storage units and physical tables of route units.";
    PROXY_STATE Gauge "proxy_state" [] "State of the proxy: 0 serving, 1 circuit break.";
    PROXY_META_DATA Gauge "proxy_meta_data_info" ["name"] "Logical databases (database_count) and storage units (storage_unit_count).";
    CURRENT_CONNECTIONS Gauge "proxy_current_connections" [] "Clients connected.";
    PROXY_REQUESTS Counter "proxy_requests_total" [] "Packets received from clients.";
    PROXY_TRANSACTIONS Counter "proxy_transactions_total" ["type"] "Transactions ended by clients.";
    EXECUTE_ERRORS Counter "proxy_execute_errors_total" [] "Commands that ended with an error.";
    // Weir's own: workers.
    SESSIONS Gauge "weir_sessions" ["worker"] "Clients connected, by worker.";
    LOGINS Counter "weir_logins_total" ["result"] "Logins, by what came of them.";
    COMMANDS Counter "weir_commands_total" ["worker", "command"] "Commands that are over, each statement of a text of several by itself.";
    STATEMENTS Counter "weir_statements_total" ["worker", "class"] "Statements executed, by class.";
    DURATION Histogram "weir_statement_duration_seconds" [] "From the last byte of a command to the last of its answer.";
    ERRORS Counter "weir_errors_total" ["party", "code"] "Errors told to clients, by who is to blame and their numbers.";
    CLIENT_RECEIVED Counter "weir_client_received_bytes_total" ["worker"] "Bytes of clients' commands.";
    CLIENT_SENT Counter "weir_client_sent_bytes_total" ["worker"] "Bytes of answers to clients.";
    ROWS_SENT Counter "weir_rows_sent_total" ["worker"] "Rows sent to clients.";
    ROWS_AFFECTED Counter "weir_rows_affected_total" ["worker"] "Rows changed.";
    CACHE_HITS Counter "weir_plan_cache_hits_total" ["worker"] "Texts whose plan was in the cache.";
    CACHE_MISSES Counter "weir_plan_cache_misses_total" ["worker"] "Texts that had to be planned.";
    PREPARED Gauge "weir_prepared_statements" ["worker"] "Prepared statements that sessions hold.";
    DRAINING Gauge "weir_draining" [] "1 once nobody is let in any more.";
    // Weir's own: storage units.
    UNIT_UP Gauge "weir_unit_up" ["database", "unit"] "0 while a replica is out of the rotation.";
    ROUTE_UNITS Counter "weir_route_units_total" ["database", "unit"] "Route units.";
    CONNECTIONS Gauge "weir_pool_connections" ["database", "unit", "state"] "Connections held by sessions, and free ones.";
    WAITING Gauge "weir_pool_waiting" ["database", "unit"] "Sessions that wait for a connection.";
    ACTIVE_LIMIT Gauge "weir_pool_active_limit" ["database", "unit"] "Connections that may be at work at a time now.";
    LIMIT Gauge "weir_pool_limit" ["database", "unit"] "Connections that may be open.";
    WAIT Histogram "weir_pool_wait_seconds" ["database", "unit"] "How long sessions that had to wait did so.";
    TIMEOUTS Counter "weir_pool_timeouts_total" ["database", "unit"] "Sessions that waited in vain.";
    OPENED Counter "weir_pool_connections_opened_total" ["database", "unit"] "Connections opened.";
    CLOSED Counter "weir_pool_connections_closed_total" ["database", "unit"] "Connections closed, by either side.";
    FAILED Counter "weir_pool_connections_failed_total" ["database", "unit"] "Attempts to open a connection that failed.";
    UNIT_RECEIVED Counter "weir_unit_received_bytes_total" ["database", "unit"] "Bytes received from servers, counted when a connection is given back.";
    UNIT_SENT Counter "weir_unit_sent_bytes_total" ["database", "unit"] "Bytes sent to servers, counted when a connection is given back.";
    // Weir's own: logs and traces.
    LOG_RECORDS Counter "weir_log_records_total" [] "Records that sessions have written for logs and traces.";
    LOG_BYTES Counter "weir_log_record_bytes_total" [] "Bytes of these records.";
    LOG_DROPPED Counter "weir_log_records_dropped_total" [] "Records dropped since too much was under way.";
    LOG_WAITS Counter "weir_log_waits_total" [] "How often a session waited for a log.";
    SINK_RECORDS Counter "weir_sink_records_total" ["sink"] "Records written or exported.";
    SINK_BYTES Counter "weir_sink_bytes_total" ["sink"] "Bytes written or exported.";
    SINK_LOST Counter "weir_sink_lost_total" ["sink"] "Records that could not be written or exported.";
    SINK_ERRORS Counter "weir_sink_errors_total" ["sink"] "Writes and exports that failed.";
    SINK_ROTATIONS Counter "weir_sink_rotations_total" ["sink"] "Log files begun.";
    SINK_EXPORTS Counter "weir_sink_exports_total" ["sink"] "Exports that were taken.";
    // The process, as all exporters call it.
    PROCESS_CPU Counter "process_cpu_seconds_total" [] "CPU time, of users and of the system.";
    PROCESS_OPEN_FDS Gauge "process_open_fds" [] "Open file descriptors.";
    PROCESS_MAX_FDS Gauge "process_max_fds" [] "File descriptors that may be open.";
    PROCESS_VIRTUAL Gauge "process_virtual_memory_bytes" [] "Virtual memory.";
    PROCESS_RESIDENT Gauge "process_resident_memory_bytes" [] "Resident memory.";
    PROCESS_START Gauge "process_start_time_seconds" [] "When the process began, since 1970 in seconds.";
    PROCESS_THREADS Gauge "process_threads" [] "Threads.";
}
