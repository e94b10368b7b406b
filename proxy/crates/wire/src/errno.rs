//! Error numbers and SQLSTATEs the proxy answers with.

/// An error number with its SQLSTATE.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ErrorCode {
    /// The number, as in MySQL's list of server errors.
    pub code: u16,
    /// Five letters.
    pub state: &'static str,
}

impl ErrorCode {
    /// A number with its state.
    pub const fn new(code: u16, state: &'static str) -> Self {
        Self { code, state }
    }
}

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $code:literal $state:literal;)*) => {
        $($(#[$doc])* pub const $name: ErrorCode = ErrorCode::new($code, $state);)*
        /// Every code of this module.
        pub const ALL: &[ErrorCode] = &[$($name),*];
    };
}

codes! {
    /// `ER_DB_CREATE_EXISTS`: the database exists.
    DATABASE_EXISTS = 1007 "HY000";
    /// `ER_DB_DROP_EXISTS`: the database to drop does not exist.
    DATABASE_DROP_MISSING = 1008 "HY000";
    /// `ER_CON_COUNT_ERROR`: too many connections.
    TOO_MANY_CONNECTIONS = 1040 "08004";
    /// `ER_OUT_OF_RESOURCES`: out of memory.
    OUT_OF_RESOURCES = 1041 "HY000";
    /// `ER_BAD_HOST_ERROR`: the host name could not be found.
    BAD_HOST = 1042 "08S01";
    /// `ER_HANDSHAKE_ERROR`: the handshake is broken.
    BAD_HANDSHAKE = 1043 "08S01";
    /// `ER_DBACCESS_DENIED_ERROR`: no access to the database.
    DATABASE_ACCESS_DENIED = 1044 "42000";
    /// `ER_ACCESS_DENIED_ERROR`: wrong user or password.
    ACCESS_DENIED = 1045 "28000";
    /// `ER_NO_DB_ERROR`: no database selected.
    NO_DATABASE = 1046 "3D000";
    /// `ER_UNKNOWN_COM_ERROR`: unknown command.
    UNKNOWN_COMMAND = 1047 "08S01";
    /// `ER_BAD_NULL_ERROR`: the column cannot be NULL.
    BAD_NULL = 1048 "23000";
    /// `ER_BAD_DB_ERROR`: unknown database.
    UNKNOWN_DATABASE = 1049 "42000";
    /// `ER_TABLE_EXISTS_ERROR`: the table exists.
    TABLE_EXISTS = 1050 "42S01";
    /// `ER_BAD_TABLE_ERROR`: unknown table in DROP.
    UNKNOWN_TABLE = 1051 "42S02";
    /// `ER_NON_UNIQ_ERROR`: the column is ambiguous.
    AMBIGUOUS_COLUMN = 1052 "23000";
    /// `ER_SERVER_SHUTDOWN`: the server is going down.
    SERVER_SHUTDOWN = 1053 "08S01";
    /// `ER_BAD_FIELD_ERROR`: unknown column.
    UNKNOWN_COLUMN = 1054 "42S22";
    /// `ER_DUP_ENTRY`: duplicate key.
    DUPLICATE_ENTRY = 1062 "23000";
    /// `ER_PARSE_ERROR`: the statement cannot be parsed.
    PARSE = 1064 "42000";
    /// `ER_EMPTY_QUERY`: the query was empty.
    EMPTY_QUERY = 1065 "42000";
    /// `ER_NO_SUCH_THREAD`: unknown connection id.
    NO_SUCH_THREAD = 1094 "HY000";
    /// `ER_KILL_DENIED_ERROR`: the connection belongs to someone else.
    KILL_DENIED = 1095 "HY000";
    /// `ER_UNKNOWN_ERROR`: nothing better fits.
    UNKNOWN = 1105 "HY000";
    /// `ER_UNKNOWN_CHARACTER_SET`: unknown character set.
    UNKNOWN_CHARSET = 1115 "42000";
    /// `ER_HOST_NOT_PRIVILEGED`: the client's host may not connect.
    HOST_NOT_PRIVILEGED = 1130 "HY000";
    /// `ER_WRONG_VALUE_COUNT_ON_ROW`: the row has too few or too many values.
    WRONG_VALUE_COUNT = 1136 "21S01";
    /// `ER_TABLEACCESS_DENIED_ERROR`: no access to the table.
    TABLE_ACCESS_DENIED = 1142 "42000";
    /// `ER_NO_SUCH_TABLE`: the table does not exist.
    NO_SUCH_TABLE = 1146 "42S02";
    /// `ER_ABORTING_CONNECTION`: the connection was given up.
    ABORTED_CONNECTION = 1152 "08S01";
    /// `ER_NET_PACKET_TOO_LARGE`: packet over `max_allowed_packet`.
    PACKET_TOO_LARGE = 1153 "08S01";
    /// `ER_NET_PACKETS_OUT_OF_ORDER`: wrong sequence.
    PACKETS_OUT_OF_ORDER = 1156 "08S01";
    /// `ER_UNKNOWN_SYSTEM_VARIABLE`: unknown system variable.
    UNKNOWN_VARIABLE = 1193 "HY000";
    /// `ER_TOO_MANY_USER_CONNECTIONS`: too many connections of one user.
    TOO_MANY_USER_CONNECTIONS = 1203 "42000";
    /// `ER_LOCK_WAIT_TIMEOUT`: waited too long for a lock.
    LOCK_WAIT_TIMEOUT = 1205 "HY000";
    /// `ER_WRONG_ARGUMENTS`: wrong arguments to a command.
    WRONG_ARGUMENTS = 1210 "HY000";
    /// `ER_LOCK_DEADLOCK`: deadlock.
    DEADLOCK = 1213 "40001";
    /// `ER_SPECIFIC_ACCESS_DENIED_ERROR`: a privilege is missing.
    PRIVILEGE_MISSING = 1227 "42000";
    /// `ER_WRONG_VALUE_FOR_VAR`: the variable cannot have this value.
    WRONG_VALUE_FOR_VARIABLE = 1231 "42000";
    /// `ER_WRONG_TYPE_FOR_VAR`: the variable cannot have a value of this type.
    WRONG_TYPE_FOR_VARIABLE = 1232 "42000";
    /// `ER_NOT_SUPPORTED_YET`: not supported.
    NOT_SUPPORTED = 1235 "42000";
    /// `ER_UNKNOWN_STMT_HANDLER`: unknown prepared statement.
    UNKNOWN_STATEMENT = 1243 "HY000";
    /// `ER_NOT_SUPPORTED_AUTH_MODE`: the client's authentication is not supported.
    AUTH_NOT_SUPPORTED = 1251 "08004";
    /// `ER_OPTION_PREVENTS_STATEMENT`: an option of the server forbids it.
    OPTION_PREVENTS_STATEMENT = 1290 "HY000";
    /// `ER_UNSUPPORTED_PS`: no prepared statement for this command.
    UNSUPPORTED_PREPARED = 1295 "HY000";
    /// `ER_SP_DOES_NOT_EXIST`: no such savepoint or routine.
    NO_SUCH_SAVEPOINT = 1305 "42000";
    /// `ER_QUERY_INTERRUPTED`: the query was killed.
    QUERY_INTERRUPTED = 1317 "70100";
    /// `ER_PS_MANY_PARAM`: more than 65,535 parameters.
    TOO_MANY_PARAMETERS = 1390 "HY000";
    /// `ER_MAX_PREPARED_STMT_COUNT_REACHED`: too many prepared statements.
    TOO_MANY_PREPARED = 1461 "42000";
    /// `ER_PLUGIN_IS_NOT_LOADED`: the authentication plugin is unknown.
    PLUGIN_NOT_LOADED = 1524 "HY000";
    /// `ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION`: write in a read-only transaction.
    READ_ONLY_TRANSACTION = 1792 "25006";
    /// `ER_MALFORMED_PACKET`: the packet cannot be read.
    MALFORMED_PACKET = 1835 "HY000";
    /// `CR_CONNECTION_ERROR` family: the server cannot be reached.
    CANNOT_CONNECT = 2003 "HY000";
    /// `CR_SERVER_GONE_ERROR`: the server has gone away.
    SERVER_GONE = 2006 "HY000";
    /// `CR_SERVER_LOST`: the connection to the server broke during a query.
    SERVER_LOST = 2013 "HY000";
    /// `ER_QUERY_TIMEOUT`: the statement took too long.
    QUERY_TIMEOUT = 3024 "HY000";
    /// `ER_WRONG_COMPRESSION_ALGORITHM_CLIENT`: the client does not compress, or by what is not allowed.
    WRONG_COMPRESSION_ALGORITHM = 3922 "HY000";
    /// `ER_WRONG_COMPRESSION_LEVEL_CLIENT`: there is no such level of compression.
    WRONG_COMPRESSION_LEVEL = 3923 "HY000";
    /// `ER_TRANSACTION_ROLLBACK_DURING_COMMIT`: the transaction was rolled back, though the client did not say so.
    TRANSACTION_ROLLED_BACK = 3101 "40000";
    /// `ER_USER_ACCESS_DENIED_FOR_USER_ACCOUNT_BLOCKED_BY_PASSWORD_LOCK`: too many failed logins.
    ACCOUNT_BLOCKED = 3955 "HY000";
    /// `ER_CLIENT_INTERACTION_TIMEOUT`: the client said nothing for too long.
    CLIENT_INTERACTION_TIMEOUT = 4031 "HY000";
    /// `ER_CLIENT_LOCAL_FILES_DISABLED`: a local file is to be loaded that the client or the server does not allow.
    LOCAL_FILES_DISABLED = 3948 "42000";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_has_five_letters_and_every_code_is_there_once() {
        for (at, code) in ALL.iter().enumerate() {
            assert_eq!(code.state.len(), 5, "{}", code.code);
            assert!(ALL[at + 1..].iter().all(|other| other.code != code.code), "{}", code.code);
        }
    }
}
