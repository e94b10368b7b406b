use super::*;
use crate::{DdlKind, Pin, SetTarget, SetValue, ShowWhat, Transaction};

#[test]
fn transactions() {
    let begin = |read_only, snapshot| Transaction::Begin { read_only, snapshot };
    for (text, expected) in [
        ("BEGIN", begin(None, false)),
        ("begin work;", begin(None, false)),
        ("START TRANSACTION", begin(None, false)),
        ("START TRANSACTION READ ONLY, WITH CONSISTENT SNAPSHOT", begin(Some(true), true)),
        ("START TRANSACTION READ WRITE", begin(Some(false), false)),
        ("COMMIT", Transaction::Commit { chain: false, release: false }),
        ("COMMIT WORK AND CHAIN", Transaction::Commit { chain: true, release: false }),
        ("COMMIT AND NO CHAIN RELEASE", Transaction::Commit { chain: false, release: true }),
        ("ROLLBACK NO RELEASE", Transaction::Rollback { chain: false, release: false }),
        ("ROLLBACK WORK TO SAVEPOINT `a b`", Transaction::RollbackTo("a b".into())),
        ("ROLLBACK TO x", Transaction::RollbackTo("x".into())),
        ("SAVEPOINT x", Transaction::Savepoint("x".into())),
        ("RELEASE SAVEPOINT x", Transaction::Release("x".into())),
    ] {
        assert_eq!(read(text).statement.body, Body::Transaction(expected), "{text}");
    }
}

#[test]
fn sets() {
    use SetTarget as T;
    let text = |value: &str| SetValue::Text(value.into());
    let session = |name: &str| T::Session(name.into());
    for (statement, expected, pin) in [
        ("SET autocommit=0", vec![(session("autocommit"), text("0"))], false),
        (
            "SET SESSION sql_mode = 'ANSI', @@session.x := ON",
            vec![(session("sql_mode"), text("ANSI")), (session("x"), text("ON"))],
            false,
        ),
        ("SET @@AutoCommit = DEFAULT", vec![(session("autocommit"), SetValue::Default)], false),
        (
            "SET LOCAL a = -1, b = +2, c = TRUE",
            vec![(session("a"), text("-1")), (session("b"), text("2")), (session("c"), text("TRUE"))],
            false,
        ),
        (
            "SET GLOBAL a = 1, b = 2, SESSION c = 3",
            vec![
                (T::Global("a".into()), text("1")),
                (T::Global("b".into()), text("2")),
                (session("c"), text("3")),
            ],
            false,
        ),
        (
            "SET @@GLOBAL.a = 1, b = 2",
            vec![(T::Global("a".into()), text("1")), (session("b"), text("2"))],
            false,
        ),
        (
            "SET PERSIST hot.key_buffer_size = 1",
            vec![(T::Global("hot.key_buffer_size".into()), text("1"))],
            false,
        ),
        (
            "SET @x = 1, @`Y z` := @x + 1",
            vec![(T::User("x".into()), text("1")), (T::User("y z".into()), SetValue::Expression)],
            true,
        ),
        (
            "SET sql_mode = CONCAT(@@sql_mode, ',STRICT')",
            vec![(session("sql_mode"), SetValue::Expression)],
            false,
        ),
        (
            "SET tmp_table_size=2*1024*1024*1024",
            vec![(session("tmp_table_size"), SetValue::Expression)],
            false,
        ),
        ("SET NAMES utf8mb4", vec![(T::Names { collation: None }, text("utf8mb4"))], false),
        (
            "SET NAMES 'utf8mb4' COLLATE 'utf8mb4_bin', a = 1",
            vec![
                (T::Names { collation: Some("utf8mb4_bin".into()) }, text("utf8mb4")),
                (session("a"), text("1")),
            ],
            false,
        ),
        ("SET NAMES DEFAULT", vec![(T::Names { collation: None }, SetValue::Default)], false),
        ("SET CHARACTER SET utf8mb4", vec![(T::CharacterSet, text("utf8mb4"))], false),
        ("SET CHARSET 'latin1'", vec![(T::CharacterSet, text("latin1"))], false),
        ("SET character_set_results = NULL", vec![(session("character_set_results"), text("NULL"))], false),
        (
            "SET TRANSACTION ISOLATION LEVEL READ COMMITTED, READ ONLY",
            vec![(T::Transaction { session: false }, text("ISOLATION LEVEL READ COMMITTED, READ ONLY"))],
            false,
        ),
        (
            "SET SESSION TRANSACTION read write",
            vec![(T::Transaction { session: true }, text("READ WRITE"))],
            false,
        ),
        (
            "SET GLOBAL TRANSACTION READ ONLY",
            vec![(T::Global("transaction".into()), text("READ ONLY"))],
            false,
        ),
        ("SET PASSWORD FOR 'a'@'b' = 'c'", vec![(T::Other("PASSWORD".into()), SetValue::Expression)], false),
        ("SET DEFAULT ROLE x TO y", vec![(T::Other("DEFAULT".into()), SetValue::Expression)], false),
        ("SET ROLE NONE", vec![(T::Other("ROLE".into()), SetValue::Expression)], false),
    ] {
        let read = read(statement);
        let Body::Set(found) = &read.statement.body else { panic!("{statement}") };
        let found: Vec<_> = found.iter().map(|set| (set.target.clone(), set.value.clone())).collect();
        assert_eq!(found, expected, "{statement}");
        assert_eq!(!read.statement.pin.is_empty(), pin, "{statement}");
    }
}

#[test]
fn sets_fix_the_values_they_read() {
    for (text, fixed) in [
        ("SET autocommit=0", &[0][..]),
        ("SET a = 1, b = 1 + 2, c = 'x'", &[0, 3]),
        ("SET @x = (SELECT 1 FROM t)", &[]),
        ("SET NAMES 'utf8mb4' COLLATE 'utf8mb4_bin'", &[0, 1]),
        // Or else it would be taken for what is known of SET a = 1.
        ("SET a = ?, b = -?, c = ? + 1", &[0, 1]),
    ] {
        assert_eq!(read(text).statement.fixed, fixed, "{text}");
    }
    assert_eq!(read("SET @x = (SELECT 1 FROM t)").tables(), "(t)");
    let read = read("SET a = 1 , SESSION b = 'x'");
    let Body::Set(found) = &read.statement.body else { panic!() };
    let spans: Vec<_> = found.iter().map(|set| read.span(set.span)).collect();
    assert_eq!(spans, ["a = 1", "SESSION b = 'x'"]);
}

#[test]
fn shows() {
    use ShowWhat as W;
    for (text, what, schema, like, filtered, full, tables) in [
        ("SHOW DATABASES", W::Databases, None, None, false, false, ""),
        ("SHOW SCHEMAS LIKE 'a%'", W::Databases, None, Some("a%"), false, false, ""),
        ("SHOW TABLES", W::Tables, None, None, false, false, ""),
        ("SHOW FULL TABLES FROM db WHERE Table_type = 'VIEW'", W::Tables, Some("db"), None, true, true, ""),
        (
            "SHOW EXTENDED FULL COLUMNS FROM t IN db LIKE 'x'",
            W::Columns,
            Some("db"),
            Some("x"),
            false,
            true,
            "db.t",
        ),
        ("SHOW FIELDS FROM db.t", W::Columns, Some("db"), None, false, false, "db.t"),
        ("SHOW INDEX FROM t", W::Index, None, None, false, false, "t"),
        ("SHOW KEYS IN t", W::Index, None, None, false, false, "t"),
        ("SHOW CREATE TABLE `t`", W::CreateTable, None, None, false, false, "t"),
        ("SHOW CREATE DATABASE IF NOT EXISTS db", W::CreateDatabase, Some("db"), None, false, false, ""),
        ("SHOW FULL PROCESSLIST", W::ProcessList, None, None, false, true, ""),
        ("SHOW TABLE STATUS FROM db LIKE 't'", W::TableStatus, Some("db"), Some("t"), false, false, ""),
        ("SHOW FULL TRIGGERS IN `db` LIKE 't'", W::Triggers, Some("db"), Some("t"), false, true, ""),
        ("SHOW TRIGGERS WHERE `Table` = 't'", W::Triggers, None, None, true, false, ""),
        ("SHOW EVENTS FROM db", W::Events, Some("db"), None, false, false, ""),
        ("SHOW WARNINGS LIMIT 1, 2", W::Warnings, None, None, false, false, ""),
        ("SHOW COUNT(*) ERRORS", W::Warnings, None, None, false, false, ""),
        ("DESC t", W::Columns, None, None, false, false, "t"),
        ("DESCRIBE db.t 'a%'", W::Columns, Some("db"), Some("a%"), false, false, "db.t"),
        ("EXPLAIN t a", W::Columns, None, Some("a"), false, false, "t"),
    ] {
        let read = read(text);
        let Body::Show(show) = &read.statement.body else { panic!("{text}") };
        let found = (show.what, show.schema.as_deref(), show.like.as_deref(), show.filtered, show.full);
        assert_eq!(found, (what, schema, like, filtered, full), "{text}");
        if what != W::Columns || !text.contains(" IN ") {
            assert_eq!(read.tables(), tables, "{text}");
        }
    }
    for text in [
        "SHOW VARIABLES LIKE 'x'",
        "SHOW ENGINE innodb STATUS",
        "SHOW GLOBAL STATUS",
        "SHOW OPEN TABLES FROM db",
    ] {
        let Body::Show(show) = read(text).statement.body else { panic!("{text}") };
        assert_eq!(show.what, W::Other, "{text}");
    }
}

#[test]
fn definitions() {
    use DdlKind as K;
    for (text, kind, tables) in [
        ("CREATE TABLE t (a INT)", K::CreateTable, "t"),
        (
            "CREATE TABLE IF NOT EXISTS db.t (a INT REFERENCES u (x), FOREIGN KEY (a) REFERENCES db.v(y) ON DELETE SET NULL) ENGINE=InnoDB",
            K::CreateTable,
            "db.t, u, db.v",
        ),
        ("CREATE TEMPORARY TABLE t (a INT)", K::CreateTable, "t"),
        ("CREATE TABLE t LIKE u", K::CreateTableFrom, "t, u"),
        ("CREATE TABLE t (LIKE db.u)", K::CreateTableFrom, "t, db.u"),
        ("CREATE TABLE t SELECT * FROM u", K::CreateTableFrom, "t, u"),
        ("CREATE TABLE t (a INT) ENGINE=InnoDB AS SELECT u.a FROM u", K::CreateTableFrom, "t, u"),
        ("CREATE TABLE t AS (SELECT 1 FROM u)", K::CreateTableFrom, "t, u"),
        ("CREATE TABLE t (a INT) UNION=(u, v)", K::CreateTable, "t, u, v"),
        (
            "CREATE TABLE t (a INT DEFAULT (1 + 2), KEY k (a), CHECK (a > 0)) COMMENT='SELECT'",
            K::CreateTable,
            "t",
        ),
        ("CREATE INDEX k_1 ON sbtest1(k)", K::CreateIndex, "sbtest1"),
        ("CREATE UNIQUE INDEX i USING BTREE ON db.t (a DESC) ALGORITHM=INPLACE", K::CreateIndex, "db.t"),
        ("DROP INDEX i ON t LOCK=NONE", K::DropIndex, "t"),
        ("DROP TABLE IF EXISTS sbtest1", K::DropTable, "sbtest1"),
        ("DROP TABLE a, db.b CASCADE", K::DropTable, "a, db.b"),
        ("TRUNCATE t", K::TruncateTable, "t"),
        ("TRUNCATE TABLE db.t", K::TruncateTable, "db.t"),
        ("ALTER TABLE t ADD COLUMN a INT, ADD INDEX i (a)", K::AlterTable, "t"),
        ("ALTER TABLE t RENAME COLUMN a TO b, RENAME INDEX i TO j", K::AlterTable, "t"),
        ("ALTER TABLE t ADD CONSTRAINT f FOREIGN KEY (a) REFERENCES u(b)", K::AlterTable, "t, u"),
        ("ALTER TABLE t RENAME TO u", K::RenameTable, "t, u"),
        ("ALTER TABLE t RENAME AS db.u", K::RenameTable, "t, db.u"),
        ("ALTER TABLE t EXCHANGE PARTITION p WITH TABLE u WITHOUT VALIDATION", K::AlterTable, "t, u"),
        ("RENAME TABLE a TO b, db.c TO db.d", K::RenameTable, "a, b, db.c, db.d"),
        ("ANALYZE TABLE sbtest1", K::Maintain, "sbtest1"),
        ("CHECK TABLE a, b FAST", K::Maintain, "a, b"),
        ("OPTIMIZE LOCAL TABLE a", K::Maintain, "a"),
        ("CREATE DATABASE IF NOT EXISTS db CHARACTER SET utf8mb4", K::CreateDatabase, ""),
        ("DROP SCHEMA db", K::DropDatabase, ""),
    ] {
        let read = read(text);
        let Body::Ddl(ddl) = &read.statement.body else { panic!("{text}") };
        assert_eq!(ddl.kind, kind, "{text}");
        assert_eq!(read.tables(), tables, "{text}");
        assert_eq!(ddl.guarded, text.contains("EXISTS"), "{text}");
        assert_eq!(
            (ddl.temporary, read.statement.pin == Pin::TEMPORARY_TABLE),
            (text.contains("TEMPORARY"), ddl.temporary),
            "{text}"
        );
        let database = matches!(kind, K::CreateDatabase | K::DropDatabase).then_some("db");
        assert_eq!(ddl.database.as_deref(), database, "{text}");
    }
    for text in [
        "CREATE VIEW v AS SELECT * FROM t",
        "CREATE PROCEDURE p() BEGIN SELECT 1; SELECT 2; END",
        "GRANT SELECT ON db.t TO 'u'@'%'",
        "DROP VIEW t",
        "ALTER USER u IDENTIFIED BY 'x'",
    ] {
        let Body::Ddl(ddl) = read(text).statement.body else { panic!("{text}") };
        assert_eq!(ddl.kind, K::Other, "{text}");
    }
}

#[test]
fn others() {
    assert_eq!(read("USE `my db`").statement.body, Body::Use("my db".into()));
    assert_eq!(read("DO SLEEP(1), GET_LOCK('a', 1)").statement.body, Body::Do);
    assert_eq!(read("DO GET_LOCK('a', 1)").statement.pin, Pin::USER_LOCK);
    assert_eq!(read("CALL db.p(1, (SELECT 1 FROM t))").tables(), "(t)");
    assert_eq!(read("CALL p").statement.body, Body::Call);
    for (text, query, id) in
        [("KILL 5", false, Some(5)), ("KILL SOFT QUERY 6", true, Some(6)), ("KILL CONNECTION ?", false, None)]
    {
        let read = read(text);
        assert_eq!(read.statement.body, Body::Kill { query, id }, "{text}");
        assert_eq!(read.statement.fixed, [0], "{text}");
    }
    for (text, tables) in [
        ("EXPLAIN SELECT t.a FROM t WHERE id = 1", "t"),
        ("EXPLAIN FORMAT=JSON SELECT 1", ""),
        ("EXPLAIN ANALYZE UPDATE t SET a = 1", "t"),
        ("DESC INSERT INTO t VALUES (1)", "t"),
        ("EXPLAIN FORMAT=TREE DELETE FROM t", "t"),
        ("EXPLAIN WITH c AS (SELECT 1) SELECT * FROM c, t", "t"),
        ("EXPLAIN FOR CONNECTION 5", ""),
    ] {
        let read = read(text);
        assert_eq!(read.statement.body, Body::Explain, "{text}");
        assert_eq!(read.tables(), tables, "{text}");
    }
    for (text, words, pin) in [
        ("HANDLER t OPEN", "HANDLER", Pin::HANDLER),
        ("LOAD DATA INFILE 'x' INTO TABLE t", "LOAD DATA", Pin::empty()),
        ("LOAD DATA LOCAL INFILE 'x' INTO TABLE t", "LOAD DATA LOCAL", Pin::empty()),
        ("load xml low_priority local infile 'x' into table t", "LOAD XML LOCAL", Pin::empty()),
        ("LOAD DATA CONCURRENT FROM LOCAL INFILE 'x' INTO TABLE t", "LOAD DATA LOCAL", Pin::empty()),
        ("LOAD DATA CONCURRENT INFILE 'x' INTO TABLE local", "LOAD DATA", Pin::empty()),
        ("XA START 'x'", "XA START", Pin::XA),
        ("PREPARE s FROM 'SELECT 1'", "PREPARE", Pin::empty()),
        ("EXECUTE s USING @a", "EXECUTE", Pin::empty()),
        ("DROP PREPARE s", "DROP PREPARE", Pin::empty()),
        ("LOCK TABLES t READ", "LOCK TABLES", Pin::TABLE_LOCK),
        ("UNLOCK TABLES", "UNLOCK TABLES", Pin::empty()),
        ("FLUSH TABLES WITH READ LOCK", "FLUSH TABLES", Pin::GLOBAL_LOCK),
        ("FLUSH STATUS", "FLUSH STATUS", Pin::empty()),
        ("FLUSH /*!40101 LOCAL */ TABLES", "FLUSH TABLES", Pin::empty()),
        ("FLUSH NO_WRITE_TO_BINLOG TABLES t WITH READ LOCK", "FLUSH TABLES", Pin::GLOBAL_LOCK),
        ("START REPLICA", "START REPLICA", Pin::empty()),
        ("nonsense x", "NONSENSE", Pin::empty()),
    ] {
        let read = read(text);
        assert_eq!(read.statement.body, Body::Other(words.into()), "{text}");
        assert_eq!(read.statement.pin, pin, "{text}");
    }
    assert_eq!(read("LOCK TABLES t READ, db.u WRITE").tables(), "(t), (db), (db.u)");
    assert_eq!(read("FLUSH LOCAL TABLES WITH READ LOCK").tables(), "");
    assert_eq!(read("FLUSH LOCAL TABLES t").tables(), "(t)");
}

#[test]
fn ends_and_second_statements() {
    for (text, end) in [
        ("SELECT 1", "SELECT 1"),
        ("SELECT 1 ;; -- bye", "SELECT 1"),
        (" SELECT a FROM t /* c */ ; ", " SELECT a FROM t"),
        ("BEGIN;", "BEGIN"),
    ] {
        let read = read(text);
        assert_eq!(&text[..read.statement.end.offset(&read.slots)], end, "{text}");
    }
    assert_eq!(read(" -- nothing\n ;").statement.body, Body::Empty);
    assert_eq!(try_read("SELECT 1; SELECT 2", Mode::default()).err(), Some(Error::Multiple { at: 10 }));
}

#[test]
fn what_cannot_be_read_still_has_a_kind_and_every_name() {
    for (text, kind, tables, error) in [
        (
            "SELECT a FROM t WHERE",
            "Select",
            "(a), (t)",
            "expected an expression, found the end of the statement",
        ),
        (
            "SELECT a b c FROM db.t",
            "Select",
            "(a), (b), (c), (db), (db.t)",
            "expected the end of the statement, found c",
        ),
        (
            "INSERT INTO t(a) VALUES (1) RETURNING a",
            "Insert",
            "(t), (a), (RETURNING)",
            "expected the end of the statement, found RETURNING",
        ),
        ("UPDATE t SET a", "Update", "(t), (a)", "expected =, found the end of the statement"),
        ("DELETE FROM t WHERE )", "Delete", "(t)", "expected an expression, found )"),
    ] {
        let read = try_read(text, Mode::default()).unwrap();
        assert!(format!("{:?}", read.statement.body).starts_with(kind), "{text}");
        assert_eq!(read.tables(), tables, "{text}");
        assert_eq!(read.statement.unparsed.as_ref().unwrap().to_string(), error, "{text}");
    }
    assert_eq!(try_read("SELECT @x := 1 FROM WHERE", Mode::default()).unwrap().statement.pin, Pin::VARIABLE);
}
