//! Refusals.

use super::refusal;

#[test]
fn says_what_was_expected_where_in_units() {
    for (text, message) in [
        ("REGISTER", "expected STORAGE but found the end of the statement at line 1, column 9"),
        ("REGISTER TABLE x", "expected STORAGE but found 'TABLE' at line 1, column 10"),
        (
            "REGISTER STORAGE UNIT",
            "expected a storage unit but found the end of the statement at line 1, column 22",
        ),
        ("REGISTER STORAGE UNIT 12 (", "expected a storage unit but found '12' at line 1, column 23"),
        ("REGISTER STORAGE UNIT a b", "expected '(' but found 'b' at line 1, column 25"),
        ("REGISTER STORAGE UNIT a (PORT=1", "expected HOST or URL but found 'PORT' at line 1, column 26"),
        ("REGISTER STORAGE UNIT a (HOST=h", "expected a string but found 'h' at line 1, column 31"),
        ("REGISTER STORAGE UNIT a (HOST='h', DB='d'", "expected PORT but found 'DB' at line 1, column 36"),
        (
            "REGISTER STORAGE UNIT a (HOST='h', PORT='1'",
            "expected an integer but found ''1'' at line 1, column 41",
        ),
        (
            "REGISTER STORAGE UNIT a (HOST='h', PORT=99999999999999999999",
            "expected an integer but found '99999999999999999999' at line 1, column 41",
        ),
        ("REGISTER STORAGE UNIT a (URL='u' USER='x')", "expected ',' but found 'USER' at line 1, column 34"),
        (
            "REGISTER STORAGE UNIT ds_0 (\n  USER='u'",
            "expected HOST or URL but found 'USER' at line 2, column 3",
        ),
        (
            "REGISTER STORAGE UNIT a (\nURL='u', USER=x)",
            "expected a string but found 'x' at line 2, column 15",
        ),
        (
            "REGISTER STORAGE UNIT a (\nURL='u', USER='x' y)",
            "expected ',' or ')' but found 'y' at line 2, column 19",
        ),
        (
            "REGISTER STORAGE UNIT a (URL='u', USER='x', DB='d')",
            "expected PASSWORD or PROPERTIES but found 'DB' at line 1, column 45",
        ),
        (
            "REGISTER STORAGE UNIT a (URL='u', USER='x', PASSWORD='p', PASSWORD='q')",
            "expected PROPERTIES but found 'PASSWORD' at line 1, column 59",
        ),
        (
            "REGISTER STORAGE UNIT a (URL='u', USER='x', PROPERTIES('a'=1,'a'=2))",
            "property 'a' is given twice at line 1, column 62",
        ),
        (
            "REGISTER STORAGE UNIT a (URL='u', USER='x', PROPERTIES('a'=b))",
            "expected a string, an integer, TRUE or FALSE but found 'b' at line 1, column 60",
        ),
        (
            "REGISTER STORAGE UNIT a (URL='u', USER='x'), CHECK_PRIVILEGES = ALL",
            "expected SELECT, XA, PIPELINE or NONE but found 'ALL' at line 1, column 65",
        ),
        ("REGISTER STORAGE UNIT a (URL='u", "unterminated string at line 1, column 30"),
    ] {
        assert_eq!(refusal(text), message, "{text}");
    }
}

#[test]
fn says_what_was_expected_where_in_rules_and_queries() {
    for (text, message) in [
        (
            "UNREGISTER STORAGE UNIT a IGNORE ALL",
            "expected SINGLE or BROADCAST but found 'ALL' at line 1, column 34",
        ),
        (
            "UNREGISTER STORAGE UNIT a b",
            "expected the end of the statement but found 'b' at line 1, column 27",
        ),
        ("SHOW STORAGE UNIT", "expected POOLS but found the end of the statement at line 1, column 18"),
        (
            "SHOW STORAGE UNITS; SELECT 1",
            "expected the end of the statement but found 'SELECT' at line 1, column 21",
        ),
        ("SHOW STORAGE UNITS WHERE x", "expected USAGE_COUNT but found 'x' at line 1, column 26"),
        (
            "CREATE SHARDING",
            "expected ALGORITHM, AUDITOR, BINDING, BROADCAST, KEY or TABLE but found the end of the \
          statement at line 1, column 16",
        ),
        ("CREATE SHARDING TABLE t", "expected REFERENCE or RULE but found 't' at line 1, column 23"),
        (
            "CREATE SHARDING TABLE RULE t (ds_0)",
            "expected STORAGE_UNITS or DATANODES but found 'ds_0' at line 1, column 31",
        ),
        (
            "CREATE SHARDING TABLE RULE t_user (\nSTORAGE_UNITS(ds_0 ds_1),\nSHARDING_COLUMN=id)",
            "expected ',' or ')' but found 'ds_1' at line 2, column 20",
        ),
        (
            "CREATE SHARDING TABLE RULE t (STORAGE_UNITS(a), TYPE(NAME=MOD))",
            "expected SHARDING_COLUMN but found 'TYPE' at line 1, column 49",
        ),
        (
            "CREATE SHARDING TABLE RULE t (STORAGE_UNITS(a), SHARDING_COLUMN=c, TYPE(MOD))",
            "expected NAME but found 'MOD' at line 1, column 73",
        ),
        (
            "CREATE SHARDING TABLE RULE t (STORAGE_UNITS(a), SHARDING_COLUMN=c, TYPE(NAME=MOD), x)",
            "expected KEY_GENERATE_STRATEGY or AUDIT_STRATEGY but found 'x' at line 1, column 84",
        ),
        (
            "SHOW SHARDING TABLE RULE",
            "expected a table but found the end of the statement at line 1, column 25",
        ),
        ("SET DIST VARIABLE x", "expected '=' but found the end of the statement at line 1, column 20"),
        ("PREVIEW ;", "expected a statement but found the end of the statement at line 1, column 10"),
        ("PREVIEW ; ;", "expected a statement but found the end of the statement at line 1, column 12"),
        ("ADD x", "expected RESOURCE or SHARDING but found 'x' at line 1, column 5"),
    ] {
        assert_eq!(refusal(text), message, "{text}");
    }
}

#[test]
fn counts_columns_in_characters_and_shortens_long_tokens() {
    assert_eq!(
        refusal("REGISTER STORAGE UNIT `größe` (ü"),
        "expected HOST or URL but found 'ü' at line 1, column 32"
    );
    let long = format!("SHOW STORAGE UNITS {}", "x".repeat(1000));
    let message = refusal(&long);
    assert_eq!(
        message,
        format!("expected the end of the statement but found '{}…' at line 1, column 20", "x".repeat(64))
    );
}

#[test]
fn refuses_by_name_what_is_not_carried_out() {
    for (text, what) in [
        ("REGISTER STORAGE UNIT a (URL='u', USER='x'), CHECK_PRIVILEGES=xa", "CHECK_PRIVILEGES = XA"),
        (
            "CREATE READWRITE_SPLITTING RULE r (AUTO_AWARE_RESOURCE=x, WRITE_DATA_SOURCE_QUERY_ENABLED=true)",
            "AUTO_AWARE_RESOURCE of readwrite splitting rule 'r'",
        ),
        ("REFRESH TABLE METADATA t FROM STORAGE UNIT u SCHEMA s", "SCHEMA of REFRESH TABLE METADATA"),
        ("PARSE SELECT 1", "PARSE"),
        ("FORMAT SELECT 1", "FORMAT"),
        ("REFRESH DATABASE METADATA", "REFRESH DATABASE METADATA"),
        ("label compute node x WITH y", "LABEL COMPUTE NODE"),
        ("ALTER TRANSACTION RULE(DEFAULT='XA')", "ALTER TRANSACTION RULE"),
    ] {
        assert_eq!(refusal(text), format!("{what} is not supported yet"));
    }
}
