//! Word lists of MySQL: which words are no names, and what some functions do.

/// Whether MySQL reserves the word, so that without quotes it is no name.
pub(super) fn is_reserved(word: &str) -> bool {
    holds(RESERVED, word)
}

/// Whether a reserved word may be called like a function.
pub(super) fn is_callable(word: &str) -> bool {
    holds(CALLABLE, word)
}

/// Whether it is a character set, so that `_word` before a string is an introducer.
pub(super) fn is_charset(word: &str) -> bool {
    holds(CHARSETS, word)
}

/// Whether the word is a value without parentheses (`CURRENT_DATE`).
pub(super) fn is_niladic(word: &str) -> bool {
    holds(NILADIC, word)
}

/// Whether the function answers for the session or server connection.
pub(super) fn is_session(function: &str) -> bool {
    holds(SESSION, function)
}

/// Whether the function changes state of the server connection that only the session knows to end.
pub(super) fn is_pinning(function: &str) -> bool {
    holds(PINNING, function)
}

/// Whether it is a unit of `INTERVAL`.
pub(super) fn is_unit(word: &str) -> bool {
    holds(UNITS, word)
}

/// Looks a word up in a sorted list of words in upper case.
fn holds(list: &[&str], word: &str) -> bool {
    if word.len() > 32 {
        return false;
    }
    list.binary_search_by(|entry| {
        let upper = word.bytes().map(|byte| byte.to_ascii_uppercase());
        entry.bytes().cmp(upper)
    })
    .is_ok()
}

#[rustfmt::skip]
static RESERVED: &[&str] = &[
    "ACCESSIBLE", "ADD", "ALL", "ALTER", "ANALYZE", "AND", "AS", "ASC", "ASENSITIVE", "BEFORE", "BETWEEN", "BIGINT",
    "BINARY", "BLOB", "BOTH", "BY", "CALL", "CASCADE", "CASE", "CHANGE", "CHAR", "CHARACTER", "CHECK", "COLLATE",
    "COLUMN", "CONDITION", "CONSTRAINT", "CONTINUE", "CONVERT", "CREATE", "CROSS", "CUBE", "CUME_DIST", "CURRENT_DATE",
    "CURRENT_TIME", "CURRENT_TIMESTAMP", "CURRENT_USER", "CURSOR", "DATABASE", "DATABASES", "DAY_HOUR",
    "DAY_MICROSECOND", "DAY_MINUTE", "DAY_SECOND", "DEC", "DECIMAL", "DECLARE", "DEFAULT", "DELAYED", "DELETE",
    "DENSE_RANK", "DESC", "DESCRIBE", "DETERMINISTIC", "DISTINCT", "DISTINCTROW", "DIV", "DOUBLE", "DROP", "DUAL",
    "EACH", "ELSE", "ELSEIF", "EMPTY", "ENCLOSED", "ESCAPED", "EXCEPT", "EXISTS", "EXIT", "EXPLAIN", "FALSE", "FETCH",
    "FIRST_VALUE", "FLOAT", "FLOAT4", "FLOAT8", "FOR", "FORCE", "FOREIGN", "FROM", "FULLTEXT", "FUNCTION", "GENERATED",
    "GET", "GRANT", "GROUP", "GROUPING", "GROUPS", "HAVING", "HIGH_PRIORITY", "HOUR_MICROSECOND", "HOUR_MINUTE",
    "HOUR_SECOND", "IF", "IGNORE", "IN", "INDEX", "INFILE", "INNER", "INOUT", "INSENSITIVE", "INSERT", "INT", "INT1",
    "INT2", "INT3", "INT4", "INT8", "INTEGER", "INTERSECT", "INTERVAL", "INTO", "IO_AFTER_GTIDS", "IO_BEFORE_GTIDS",
    "IS", "ITERATE", "JOIN", "JSON_TABLE", "KEY", "KEYS", "KILL", "LAG", "LAST_VALUE", "LATERAL", "LEAD", "LEADING",
    "LEAVE", "LEFT", "LIKE", "LIMIT", "LINEAR", "LINES", "LOAD", "LOCALTIME", "LOCALTIMESTAMP", "LOCK", "LONG",
    "LONGBLOB", "LONGTEXT", "LOOP", "LOW_PRIORITY", "MATCH", "MAXVALUE", "MEDIUMBLOB", "MEDIUMINT", "MEDIUMTEXT",
    "MIDDLEINT", "MINUTE_MICROSECOND", "MINUTE_SECOND", "MOD", "MODIFIES", "NATURAL", "NOT", "NO_WRITE_TO_BINLOG",
    "NTH_VALUE", "NTILE", "NULL", "NUMERIC", "OF", "ON", "OPTIMIZE", "OPTIMIZER_COSTS", "OPTION", "OPTIONALLY", "OR",
    "ORDER", "OUT", "OUTER", "OUTFILE", "OVER", "PARTITION", "PERCENT_RANK", "PRECISION", "PRIMARY", "PROCEDURE",
    "PURGE", "RANGE", "RANK", "READ", "READS", "READ_WRITE", "REAL", "RECURSIVE", "REFERENCES", "REGEXP", "RELEASE",
    "RENAME", "REPEAT", "REPLACE", "REQUIRE", "RESIGNAL", "RESTRICT", "RETURN", "REVOKE", "RIGHT", "RLIKE", "ROW",
    "ROWS", "ROW_NUMBER", "SCHEMA", "SCHEMAS", "SECOND_MICROSECOND", "SELECT", "SENSITIVE", "SEPARATOR", "SET", "SHOW",
    "SIGNAL", "SMALLINT", "SPATIAL", "SPECIFIC", "SQL", "SQLEXCEPTION", "SQLSTATE", "SQLWARNING", "SQL_BIG_RESULT",
    "SQL_CALC_FOUND_ROWS", "SQL_SMALL_RESULT", "SSL", "STARTING", "STORED", "STRAIGHT_JOIN", "SYSTEM", "TABLE",
    "TERMINATED", "THEN", "TINYBLOB", "TINYINT", "TINYTEXT", "TO", "TRAILING", "TRIGGER", "TRUE", "UNDO", "UNION",
    "UNIQUE", "UNLOCK", "UNSIGNED", "UPDATE", "USAGE", "USE", "USING", "UTC_DATE", "UTC_TIME", "UTC_TIMESTAMP",
    "VALUES", "VARBINARY", "VARCHAR", "VARCHARACTER", "VARYING", "VIRTUAL", "WHEN", "WHERE", "WHILE", "WINDOW", "WITH",
    "WRITE", "XOR", "YEAR_MONTH", "ZEROFILL",
];

#[rustfmt::skip]
static CALLABLE: &[&str] = &[
    "CHAR", "CONVERT", "CUME_DIST", "CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP", "CURRENT_USER", "DATABASE",
    "DEFAULT", "DENSE_RANK", "FIRST_VALUE", "GROUPING", "IF", "INSERT", "LAG", "LAST_VALUE", "LEAD", "LEFT",
    "LOCALTIME", "LOCALTIMESTAMP", "MOD", "NTH_VALUE", "NTILE", "PERCENT_RANK", "RANK", "REPEAT", "REPLACE", "RIGHT",
    "ROW_NUMBER", "SCHEMA", "UTC_DATE", "UTC_TIME", "UTC_TIMESTAMP",
];

#[rustfmt::skip]
static CHARSETS: &[&str] = &[
    "ARMSCII8", "ASCII", "BIG5", "BINARY", "CP1250", "CP1251", "CP1256", "CP1257", "CP850", "CP852", "CP866", "CP932",
    "DEC8", "EUCJPMS", "EUCKR", "GB18030", "GB2312", "GBK", "GEOSTD8", "GREEK", "HEBREW", "HP8", "KEYBCS2", "KOI8R",
    "KOI8U", "LATIN1", "LATIN2", "LATIN5", "LATIN7", "MACCE", "MACROMAN", "SJIS", "SWE7", "TIS620", "UCS2", "UJIS",
    "UTF16", "UTF16LE", "UTF32", "UTF8", "UTF8MB3", "UTF8MB4",
];

static NILADIC: &[&str] = &[
    "CURRENT_DATE",
    "CURRENT_TIME",
    "CURRENT_TIMESTAMP",
    "CURRENT_USER",
    "LOCALTIME",
    "LOCALTIMESTAMP",
    "UTC_DATE",
    "UTC_TIME",
    "UTC_TIMESTAMP",
];

#[rustfmt::skip]
static SESSION: &[&str] = &[
    "CONNECTION_ID", "CURRENT_ROLE", "CURRENT_USER", "DATABASE", "FOUND_ROWS", "GET_LOCK", "IS_FREE_LOCK",
    "IS_USED_LOCK", "LAST_INSERT_ID", "PS_CURRENT_THREAD_ID", "RELEASE_ALL_LOCKS", "RELEASE_LOCK", "ROW_COUNT",
    "SCHEMA", "SESSION_USER", "SYSTEM_USER", "USER",
];

static PINNING: &[&str] = &["GET_LOCK", "RELEASE_ALL_LOCKS", "RELEASE_LOCK"];

#[rustfmt::skip]
static UNITS: &[&str] = &[
    "DAY", "DAY_HOUR", "DAY_MICROSECOND", "DAY_MINUTE", "DAY_SECOND", "HOUR", "HOUR_MICROSECOND", "HOUR_MINUTE",
    "HOUR_SECOND", "MICROSECOND", "MINUTE", "MINUTE_MICROSECOND", "MINUTE_SECOND", "MONTH", "QUARTER", "SECOND",
    "SECOND_MICROSECOND", "SQL_TSI_DAY", "SQL_TSI_HOUR", "SQL_TSI_MINUTE", "SQL_TSI_MONTH", "SQL_TSI_QUARTER",
    "SQL_TSI_SECOND", "SQL_TSI_WEEK", "SQL_TSI_YEAR", "WEEK", "YEAR", "YEAR_MONTH",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted_and_found_in_any_letter_case() {
        for list in [RESERVED, CALLABLE, CHARSETS, NILADIC, SESSION, PINNING, UNITS] {
            assert!(list.is_sorted(), "{list:?}");
            for word in list {
                assert!(holds(list, word) && holds(list, &word.to_lowercase()), "{word}");
            }
        }
        assert!(!is_reserved("user") && !is_reserved("") && !is_reserved(&"A".repeat(100)));
    }
}
