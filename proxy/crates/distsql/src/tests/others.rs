//! Single tables, configuration files, metadata, hints, nodes and global rules.

use super::{read, refusal, same};
use crate::single::{Pattern, Statement as Single};
use crate::{Statement, parse};

#[test]
fn reads_single_tables_in_every_spelling() {
    same(
        "SET DEFAULT SINGLE TABLE STORAGE UNIT = ds_0",
        &[
            "set default single table storage unit=ds_0;",
            "CREATE DEFAULT SINGLE TABLE RULE RESOURCE = ds_0",
            "ALTER DEFAULT SINGLE TABLE RULE RESOURCE=ds_0;",
        ],
    );
    same(
        "SET DEFAULT SINGLE TABLE STORAGE UNIT = RANDOM",
        &["DROP DEFAULT SINGLE TABLE RULE", "DROP DEFAULT SINGLE TABLE RULE IF EXISTS;"],
    );
    same("SET DEFAULT SINGLE TABLE STORAGE UNIT = `random`", &[]);
    same("LOAD SINGLE TABLE *.*", &["load single table * . * ;"]);
    same("LOAD SINGLE TABLE ds_0.t_1, ds_1.*", &["LOAD SINGLE TABLE ds_0.`t_1`,ds_1.*"]);
    same("UNLOAD SINGLE TABLE a, b", &["UNLOAD SINGLE TABLE a,b;"]);
    same("UNLOAD ALL SINGLE TABLES", &["UNLOAD SINGLE TABLE *"]);
    let patterns = vec![
        Pattern::Table { unit: "ds".into(), table: "1t".into() },
        Pattern::Unit("b".into()),
        Pattern::All,
    ];
    assert_eq!(read("LOAD SINGLE TABLE ds.1t, b.*, *.*"), Statement::Single(Single::Load { patterns }));
    for text in [
        "SHOW DEFAULT SINGLE TABLE STORAGE UNIT",
        "SHOW DEFAULT SINGLE TABLE STORAGE UNIT FROM db",
        "SHOW SINGLE TABLES",
        "SHOW SINGLE TABLES FROM db",
        "SHOW SINGLE TABLE t",
        "SHOW SINGLE TABLE t FROM db",
        "SHOW UNLOADED SINGLE TABLES",
        "SHOW UNLOADED SINGLE TABLES FROM db",
        "SHOW UNLOADED SINGLE TABLES FROM STORAGE UNIT u",
        "SHOW UNLOADED SINGLE TABLES FROM db STORAGE UNIT u",
    ] {
        same(text, &[&format!("{};", text.to_lowercase())]);
    }
    same("SHOW SINGLE TABLES FROM db LIKE \"a%\"", &["SHOW SINGLE TABLES LIKE 'a%' FROM db"]);
    same("COUNT SINGLE TABLE FROM db", &["COUNT SINGLE_TABLE RULE FROM db"]);
}

#[test]
fn reads_configuration_files_in_every_spelling() {
    same("EXPORT DATABASE CONFIGURATION", &["EXPORT DATABASE CONFIG;"]);
    same(
        "EXPORT DATABASE CONFIGURATION FROM db TO FILE \"/a/b.yaml\"",
        &[
            "export database configuration from db to file '/a/b.yaml';",
            "EXPORT DATABASE CONFIG FROM db, FILE=\"/a/b.yaml\"",
            "EXPORT DATABASE CONFIG FROM db FILE='/a/b.yaml'",
        ],
    );
    same(
        "IMPORT DATABASE CONFIGURATION FROM FILE \"/a/b.yaml\"",
        &["IMPORT DATABASE CONFIG FILE='/a/b.yaml';", "IMPORT DATABASE CONFIGURATION FROM FILE '/a/b.yaml'"],
    );
    same(
        "CONVERT YAML CONFIGURATION FROM FILE \"C:\\b.yaml\"",
        &[
            "CONVERT YAML CONFIGURATION FILE='C:\\b.yaml'",
            "convert yaml configuration from file 'C:\\b.yaml'",
        ],
    );
}

#[test]
fn reads_metadata_nodes_and_global_rules() {
    for text in [
        "REFRESH TABLE METADATA",
        "REFRESH TABLE METADATA t",
        "REFRESH TABLE METADATA FROM STORAGE UNIT u",
        "REFRESH TABLE METADATA t FROM STORAGE UNIT u",
        "SHOW TABLE METADATA t",
        "SHOW TABLE METADATA t, u FROM db",
        "SHOW LOGICAL TABLES",
        "SHOW LOGICAL TABLES FROM db",
        "SHOW FULL LOGICAL TABLES",
        "SHOW COMPUTE NODES",
        "SHOW COMPUTE NODE INFO",
        "SHOW COMPUTE NODE MODE",
        "SHOW AUTHORITY RULE",
        "SHOW TRANSACTION RULE",
        "SHOW SQL_PARSER RULE",
    ] {
        same(text, &[&format!(" {} ;", text.to_lowercase())]);
    }
    same("REFRESH TABLE METADATA t FROM STORAGE UNIT u", &["REFRESH TABLE METADATA t FROM RESOURCE u"]);
    same("SHOW LOGICAL TABLES FROM db LIKE \"a%\"", &["SHOW LOGICAL TABLES LIKE 'a%' FROM db"]);
    same("SHOW FULL LOGICAL TABLES LIKE \"a%\"", &[]);
}

#[test]
fn reads_hints() {
    same(
        "SET READWRITE_SPLITTING HINT SOURCE = \"write\"",
        &["SET READWRITE_SPLITTING HINT SOURCE = write;", "set readwrite_splitting hint source='write'"],
    );
    same("SET SHARDING HINT DATABASE_VALUE = \"100\"", &["set sharding hint database_value=100;"]);
    same("ADD SHARDING HINT DATABASE_VALUE t = \"100\"", &["add sharding hint database_value t=100"]);
    same("ADD SHARDING HINT TABLE_VALUE t = \"x\"", &["ADD SHARDING HINT TABLE_VALUE t = 'x'"]);
    for text in [
        "CLEAR HINT",
        "CLEAR SHARDING HINT",
        "CLEAR READWRITE_SPLITTING HINT",
        "SHOW SHARDING HINT STATUS",
        "SHOW READWRITE_SPLITTING HINT STATUS",
    ] {
        same(text, &[&format!("{};", text.to_lowercase())]);
    }
}

#[test]
fn says_what_was_expected_where() {
    for (text, message) in [
        ("LOAD SINGLE TABLE t", "expected '.' but found the end of the statement at line 1, column 20"),
        ("LOAD SINGLE TABLE *.t", "expected '*' but found 't' at line 1, column 21"),
        ("LOAD SINGLE TABLE a.b.c", "expected the end of the statement but found '.' at line 1, column 22"),
        ("LOAD SINGLE TABLE 'a'", "expected a storage unit or '*' but found ''a'' at line 1, column 19"),
        (
            "UNLOAD SINGLE TABLE",
            "expected a table or '*' but found the end of the statement at line 1, column 20",
        ),
        ("UNLOAD TABLE", "expected ALL or SINGLE but found 'TABLE' at line 1, column 8"),
        ("EXPORT DATABASE CONFIGURATION TO 'x'", "expected FILE but found ''x'' at line 1, column 34"),
        ("IMPORT DATABASE CONFIGURATION 'x'", "expected FROM FILE but found ''x'' at line 1, column 31"),
        (
            "ADD SHARDING HINT t = 1",
            "expected DATABASE_VALUE or TABLE_VALUE but found 't' at line 1, column 19",
        ),
        (
            "SET SHARDING HINT DATABASE_VALUE = x",
            "expected a string, an integer, TRUE or FALSE but found 'x' at line 1, column 36",
        ),
        ("REFRESH TABLE METADATA t FROM u", "expected STORAGE UNIT but found 'u' at line 1, column 31"),
        (
            "SHOW COMPUTE NODE",
            "expected INFO or MODE but found the end of the statement at line 1, column 18",
        ),
        ("SHOW COMPUTE NODES x", "expected the end of the statement but found 'x' at line 1, column 20"),
        ("CLEAR SHARDING x", "expected HINT but found 'x' at line 1, column 16"),
    ] {
        assert_eq!(refusal(text), message, "{text}");
    }
}

#[test]
fn leaves_to_mysql_what_begins_alike() {
    for text in [
        "SHOW STATUS FROM x",
        "SHOW STATUS LIKE 'Threads%'",
        "SHOW TABLE STATUS FROM db",
        "SHOW FULL COLUMNS FROM t",
        "SET DEFAULT ROLE NONE TO u",
        "SET readwrite_splitting = 1",
        "LOAD XML INFILE 'x' INTO TABLE t",
        "LOCK INSTANCE FOR BACKUP",
        "SELECT COUNT(*) FROM t",
        "CREATE USER u",
        "CREATE ROLE r",
        "CREATE RESOURCE GROUP g TYPE = USER",
        "ALTER VIEW v AS SELECT 1",
        "DROP VIEW v",
        "IMPORT TABLE FROM '/x.sdi'",
    ] {
        assert_eq!(parse(text), Ok(None), "{text}");
    }
}

#[test]
fn reads_digests() {
    same("SHOW STATEMENT DIGESTS", &["show statement digests;"]);
    same(
        "SHOW STATEMENT DIGESTS FROM shop LIKE \"%t%\" LIMIT 10",
        &[
            "SHOW STATEMENT DIGESTS LIKE '%t%' FROM shop LIMIT 10",
            "show statement digests from shop like '%t%' limit 10",
        ],
    );
    same("RESET STATEMENT DIGESTS", &["reset statement digests"]);
}

#[test]
fn reads_the_audit_log() {
    same("SHOW AUDIT LOG", &["show audit log;"]);
    same("SHOW AUDIT LOG LIKE \"rotate%\"", &["SHOW AUDIT LOG LIKE 'rotate%'"]);
    same("SHOW AUDIT LOG STATUS", &["show audit log status"]);
    same("RESET AUDIT LOG", &["reset audit log"]);
    same("ROTATE AUDIT LOG", &["rotate audit log"]);
    same(
        "ALTER AUDIT LOG (format=\"CSV\", `rotate-size-bytes`=\"1048576\", enabled=\"TRUE\")",
        &[
            "alter audit log (format = CSV, \"rotate-size-bytes\" = 1048576, enabled=TRUE)",
            "ALTER AUDIT LOG (format='CSV', `rotate-size-bytes`='1048576', 'enabled'='TRUE')",
        ],
    );
}
