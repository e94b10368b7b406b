//! Spellings.

use super::{read, same};
use crate::sharding::Layout;
use crate::unit::Address;
use crate::{Statement, parse, sharding, unit};

/// Section A of the scenarios, as the guide has it.
const GUIDE_UNITS: &str = "REGISTER STORAGE UNIT ds_0 (\nHOST=\"127.0.0.1\",\nPORT=13306,\nDB=\"sbtest\",\nUSER=\"test\",\n\
    PASSWORD=\"test\"\n),ds_1 (\nHOST=\"127.0.0.1\",PORT=13307,DB=\"sbtest\",USER=\"test\",PASSWORD=\"test\"\n);";
const GUIDE_RULE: &str = "CREATE SHARDING TABLE RULE t_user (\nSTORAGE_UNITS(ds_0, ds_1, ds_2, ds_3),\n\
    SHARDING_COLUMN=id,TYPE(NAME=\"MOD\",PROPERTIES(\"sharding-count\"=10))\n);";

#[test]
fn reads_the_guide() {
    let Statement::Unit(unit::Statement::Register { if_not_exists: false, units }) = read(GUIDE_UNITS) else {
        panic!("not a registration")
    };
    assert_eq!(units.len(), 2);
    assert_eq!(
        (units[1].name.as_str(), units[1].user.as_str(), units[1].password.as_str()),
        ("ds_1", "test", "test")
    );
    assert_eq!(
        units[1].address,
        Address::Host { host: "127.0.0.1".into(), port: 13307, database: "sbtest".into() }
    );
    let Statement::Sharding(sharding::Statement::CreateTables { if_not_exists: false, tables }) =
        read(GUIDE_RULE)
    else {
        panic!("not a rule")
    };
    let Layout::Auto { units, column, algorithm } = &tables[0].layout else { panic!("not an auto table") };
    assert_eq!(*units, ["ds_0", "ds_1", "ds_2", "ds_3"]);
    assert_eq!((tables[0].name.as_str(), column.as_str()), ("t_user", "id"));
    assert_eq!(algorithm.properties["sharding-count"], "10");
}

#[test]
fn reads_storage_units_in_every_spelling() {
    same(
        "REGISTER STORAGE UNIT ds_0 (HOST=\"h\", PORT=1, DB=\"d\", USER=\"u\", PASSWORD=\"\")",
        &[
            "register storage unit ds_0(host='h',port=1,db='d',user='u')",
            "REGISTER STORAGE UNIT `ds_0` (HOST='h', PORT=1, DB='d', USER='u', PASSWORD='', PROPERTIES());",
            "ADD RESOURCE ds_0 (HOST=\"h\", PORT=1, DB=\"d\", USER=\"u\", PASSWORD=\"\");",
            "/* c */ REGISTER -- c\n STORAGE # c\n UNIT ds_0 (HOST=\"h\", PORT=1, DB=\"d\", USER=\"u\")",
            "REGISTER STORAGE UNIT ds_0 (HOST=\"h\", PORT=1, DB=\"d\", USER=\"u\"), CHECK_PRIVILEGES = SELECT, NONE",
            "REGISTER STORAGE UNIT\tds_0\r\n(HOST =\"h\" , PORT= 1,DB = \"d\",USER=\"u\")",
        ],
    );
    same(
        "REGISTER STORAGE UNIT IF NOT EXISTS a (URL=\"jdbc:mysql://h/d?x=y&z=1\", USER=\"u\", PASSWORD=\"p\", \
         PROPERTIES(\"maximumPoolSize\"=\"10\", \"readOnly\"=\"True\", \"k\"=\"-1\"))",
        &["REGISTER STORAGE UNIT IF NOT EXISTS a (URL='jdbc:mysql://h/d?x=y&z=1', USER='u', PASSWORD='p', \
           PROPERTIES('maximumPoolSize'=10, readOnly=True, \"k\"=-1))"],
    );
    same(
        "ALTER STORAGE UNIT a (URL=\"u\", USER=\"u\", PASSWORD=\"\"), b (URL=\"u\", USER=\"u\", PASSWORD=\"\")",
        &["ALTER RESOURCE a (URL='u', USER='u'), b (URL='u',USER='u')"],
    );
    same("UNREGISTER STORAGE UNIT ds_0, `a b`", &["DROP RESOURCE ds_0,`a b`;"]);
    same("UNREGISTER STORAGE UNIT IF EXISTS ds_0", &["drop resource if exists ds_0"]);
    same("UNREGISTER STORAGE UNIT ds_0 IGNORE SINGLE TABLES", &["DROP RESOURCE ds_0 IGNORE SINGLE TABLES"]);
    same("UNREGISTER STORAGE UNIT ds_0 IGNORE BROADCAST TABLES", &[]);
    same("UNREGISTER STORAGE UNIT ds_0 IGNORE SINGLE, BROADCAST TABLES", &[]);
}

#[test]
fn keeps_strings_as_they_are_between_their_quotes() {
    let Statement::Unit(unit::Statement::Register { units, .. }) =
        read(r#"REGISTER STORAGE UNIT a (URL="u", USER='it''s', PASSWORD="a\"b""c")"#)
    else {
        panic!("not a registration")
    };
    assert_eq!((units[0].user.as_str(), units[0].password.as_str()), ("it''s", r#"a\"b""c"#));
}

#[test]
fn reads_queries_about_storage_units() {
    same("SHOW STORAGE UNITS", &["show storage units;", "SHOW DATABASE RESOURCES"]);
    same("SHOW STORAGE UNITS FROM `my-db`", &["SHOW DATABASE RESOURCES FROM `my-db`;"]);
    same(
        "SHOW STORAGE UNITS WHERE USAGE_COUNT = 0",
        &["SHOW UNUSED RESOURCES", "SHOW UNUSED STORAGE UNITS", "SHOW STORAGE UNITS WHERE USAGE_COUNT=0"],
    );
    same("SHOW STORAGE UNITS FROM db LIKE \"ds%\"", &["SHOW STORAGE UNITS FROM db LIKE 'ds%'"]);
    same("SHOW RULES USED STORAGE UNIT ds_0", &["SHOW RULES USED RESOURCE ds_0"]);
    same("SHOW RULES USED STORAGE UNIT ds_0 FROM db", &["SHOW RULES USED STORAGE UNIT `ds_0` FROM `db`;"]);
}

#[test]
fn reads_sharding_rules_in_every_spelling() {
    same(
        "CREATE SHARDING TABLE RULE t (STORAGE_UNITS(a, \"ds_${0..3}\"), SHARDING_COLUMN=id, TYPE(NAME=\"MOD\", \
         PROPERTIES(\"sharding-count\"=\"4\")))",
        &[
            "CREATE SHARDING TABLE RULE t(RESOURCES(\"a\",'ds_${0..3}'),SHARDING_COLUMN=id,TYPE(NAME=MOD,\
             PROPERTIES('sharding-count'='4')));",
            "create sharding table rule `t` (storage_units(`a`, \"ds_${0..3}\"), sharding_column = `id`, \
             type(name = 'MOD', properties(\"sharding-count\" = 4)))",
        ],
    );
    same(
        "CREATE SHARDING TABLE RULE IF NOT EXISTS a (STORAGE_UNITS(x), SHARDING_COLUMN=c, TYPE(NAME=\"mod\")), \
         b (STORAGE_UNITS(x), SHARDING_COLUMN=c, TYPE(NAME=\"mod\"))",
        &["CREATE SHARDING TABLE RULE IF NOT EXISTS a (STORAGE_UNITS(x), SHARDING_COLUMN=c, TYPE(NAME=mod, \
           PROPERTIES())), b (STORAGE_UNITS(x), SHARDING_COLUMN=c, TYPE(NAME=mod));"],
    );
    same("ALTER SHARDING TABLE RULE a (STORAGE_UNITS(x), SHARDING_COLUMN=c, TYPE(NAME=\"MOD\"))", &[]);
    same(
        "DROP SHARDING TABLE RULE t_user, t_order",
        &["DROP SHARDING TABLE RULE t_user,t_order WITH UNUSED ALGORITHMS;"],
    );
    same("DROP SHARDING TABLE RULE IF EXISTS t_user", &[]);
}

#[test]
fn reads_queries_about_rules_and_variables() {
    for text in [
        "SHOW SHARDING TABLE RULES",
        "SHOW SHARDING TABLE RULES FROM db",
        "SHOW SHARDING TABLE RULE t_user",
        "SHOW SHARDING TABLE RULE t_user FROM db",
        "SHOW SHARDING TABLE NODES",
        "SHOW SHARDING TABLE NODES FROM db",
        "SHOW SHARDING TABLE NODES t_user",
        "SHOW SHARDING TABLE NODES `from` FROM db",
        "SHOW SHARDING ALGORITHMS",
        "SHOW SHARDING ALGORITHMS FROM db",
        "COUNT SHARDING RULE",
        "COUNT SHARDING RULE FROM db",
    ] {
        same(text, &[&format!("{} ;", text.to_lowercase())]);
    }
    same("SHOW DIST VARIABLES", &["SHOW ALL VARIABLES;"]);
    same("SHOW DIST VARIABLES LIKE \"sql%\"", &[]);
    same("SHOW DIST VARIABLE WHERE NAME = sql_show", &["SHOW VARIABLE sql_show"]);
    same(
        "SET DIST VARIABLE sql_show = \"true\"",
        &["SET VARIABLE sql_show = true", "SET DIST VARIABLE sql_show='true'"],
    );
    same("SET DIST VARIABLE transaction_type = \"XA\"", &["SET VARIABLE transaction_type = XA;"]);
    same(
        "SET DIST VARIABLE proxy_backend_query_fetch_size = \"-1\"",
        &["set dist variable proxy_backend_query_fetch_size = -1"],
    );
}

#[test]
fn previews_any_statement_as_it_is() {
    for (text, sql) in [
        ("PREVIEW SELECT * FROM t_user", "SELECT * FROM t_user"),
        ("preview\n select 'a;' ; ", "select 'a;'"),
        ("PREVIEW SELECT 1; ;", "SELECT 1"),
        ("PREVIEW SELECT 'unterminated", "SELECT 'unterminated"),
        ("PREVIEW /* c */ DELETE FROM t", "/* c */ DELETE FROM t"),
    ] {
        assert_eq!(read(text), Statement::Preview(sql.to_owned()));
    }
}

#[test]
fn leaves_to_mysql_what_is_mysqls() {
    for text in [
        "",
        ";",
        "/* only a comment */",
        "SELECT 1",
        "CREATE TABLE t (a INT)",
        "CREATE DATABASE IF NOT EXISTS sharding_db",
        "CREATE INDEX i ON t (a)",
        "ALTER TABLE t ADD COLUMN a INT",
        "ALTER DATABASE d CHARACTER SET utf8mb4",
        "ALTER RESOURCE GROUP g VCPU = 1",
        "DROP RESOURCE GROUP g FORCE",
        "DROP TABLE t",
        "DROP DATABASE IF EXISTS d",
        "SHOW TABLES",
        "SHOW TABLE STATUS",
        "SHOW DATABASES",
        "SHOW STORAGE ENGINES",
        "SHOW VARIABLES LIKE 'a'",
        "SHOW STATUS",
        "SHOW PLUGINS",
        "SHOW FULL TABLES",
        "SHOW",
        "SET variable = 1",
        "SET dist = 1",
        "SET DEFAULT ROLE ALL TO u",
        "SET sharding = 'x'",
        "LOAD DATA INFILE 'x' INTO TABLE t",
        "LOCK TABLES t READ",
        "UNLOCK TABLES",
        "IMPORT TABLE FROM 'x'",
        "PREPARE distsql FROM 'SELECT 1'",
        "`REGISTER` STORAGE UNIT",
        "'REGISTER'",
        "SELECT 'unterminated",
        "/* unterminated",
    ] {
        assert_eq!(parse(text), Ok(None), "{text}");
    }
}
