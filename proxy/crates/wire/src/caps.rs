//! What a peer can do, and in which state a server is.

use bitflags::bitflags;

bitflags! {
    /// The capability flags of the handshake.
    #[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Hash)]
    pub struct Capabilities: u64 {
        /// `CLIENT_LONG_PASSWORD`; MariaDB leaves it out to say it is MariaDB.
        const LONG_PASSWORD = 1;
        /// `UPDATE` counts rows found instead of rows changed.
        const FOUND_ROWS = 1 << 1;
        /// Column flags take two bytes.
        const LONG_FLAG = 1 << 2;
        /// The login names a database.
        const CONNECT_WITH_DB = 1 << 3;
        /// `db.table.column` is refused.
        const NO_SCHEMA = 1 << 4;
        /// Compression by zlib.
        const COMPRESS = 1 << 5;
        /// An ODBC client.
        const ODBC = 1 << 6;
        /// `LOAD DATA LOCAL` is allowed.
        const LOCAL_FILES = 1 << 7;
        /// A space may stand between a function and its parenthesis.
        const IGNORE_SPACE = 1 << 8;
        /// The protocol since 4.1.
        const PROTOCOL_41 = 1 << 9;
        /// An interactive client: `interactive_timeout` applies.
        const INTERACTIVE = 1 << 10;
        /// TLS.
        const SSL = 1 << 11;
        /// Ignored by everyone.
        const IGNORE_SIGPIPE = 1 << 12;
        /// Status flags are sent.
        const TRANSACTIONS = 1 << 13;
        /// Old name of the 4.1 protocol.
        const RESERVED = 1 << 14;
        /// The 4.1 authentication (`CLIENT_SECURE_CONNECTION`).
        const SECURE_CONNECTION = 1 << 15;
        /// Several statements in one query.
        const MULTI_STATEMENTS = 1 << 16;
        /// Several results for one query.
        const MULTI_RESULTS = 1 << 17;
        /// Several results for one execute.
        const PS_MULTI_RESULTS = 1 << 18;
        /// Authentication plugins.
        const PLUGIN_AUTH = 1 << 19;
        /// Connection attributes.
        const CONNECT_ATTRS = 1 << 20;
        /// The authentication answer has a length-encoded length.
        const PLUGIN_AUTH_LENENC = 1 << 21;
        /// An expired password does not end the connection.
        const CAN_HANDLE_EXPIRED_PASSWORDS = 1 << 22;
        /// OK packets carry changes of the session state.
        const SESSION_TRACK = 1 << 23;
        /// No EOF packets; an OK packet with header 0xFE ends rows.
        const DEPRECATE_EOF = 1 << 24;
        /// Result sets may come without metadata.
        const OPTIONAL_RESULTSET_METADATA = 1 << 25;
        /// Compression by zstd.
        const ZSTD_COMPRESSION = 1 << 26;
        /// Queries and executes may carry attributes.
        const QUERY_ATTRIBUTES = 1 << 27;
        /// Several factors of authentication.
        const MULTI_FACTOR_AUTHENTICATION = 1 << 28;
        /// Reserved for extensions.
        const CAPABILITY_EXTENSION = 1 << 29;
        /// The client checks the server's certificate.
        const SSL_VERIFY_SERVER_CERT = 1 << 30;
        /// The client keeps its options after a failed connect.
        const REMEMBER_OPTIONS = 1 << 31;
        const _ = !0;
    }
}

bitflags! {
    /// The status flags of OK and EOF packets.
    #[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Hash)]
    pub struct Status: u16 {
        /// A transaction is open.
        const IN_TRANSACTION = 1;
        /// Autocommit is on.
        const AUTOCOMMIT = 1 << 1;
        /// Another result follows.
        const MORE_RESULTS_EXIST = 1 << 3;
        /// No good index was used.
        const NO_GOOD_INDEX_USED = 1 << 4;
        /// No index was used.
        const NO_INDEX_USED = 1 << 5;
        /// A cursor was opened.
        const CURSOR_EXISTS = 1 << 6;
        /// The last row of a cursor was sent.
        const LAST_ROW_SENT = 1 << 7;
        /// A database was dropped.
        const DATABASE_DROPPED = 1 << 8;
        /// `NO_BACKSLASH_ESCAPES` is in `sql_mode`.
        const NO_BACKSLASH_ESCAPES = 1 << 9;
        /// Metadata of a prepared statement changed.
        const METADATA_CHANGED = 1 << 10;
        /// The query was slow.
        const QUERY_WAS_SLOW = 1 << 11;
        /// The result holds output parameters.
        const PS_OUT_PARAMS = 1 << 12;
        /// A read-only transaction is open.
        const IN_TRANSACTION_READONLY = 1 << 13;
        /// The OK packet says how the session state changed.
        const SESSION_STATE_CHANGED = 1 << 14;
        /// `ANSI_QUOTES` is in `sql_mode` (MariaDB).
        const ANSI_QUOTES = 1 << 15;
        const _ = !0;
    }
}
