//! Which queries a replica may answer.

use super::*;

#[test]
fn queries_that_only_read_may_go_to_a_replica() {
    for text in [
        "SELECT 1",
        "SELECT c, COUNT(*), NOW(), CONCAT('a', b), IF(a, 1, 2) FROM t WHERE x IN (SELECT MAX(y) FROM u) GROUP BY c",
        "SELECT CONNECTION_ID(), DATABASE(), USER(), VERSION(), @@version, CURRENT_USER, UUID()",
        "SELECT ROW_NUMBER() OVER (PARTITION BY a ORDER BY b) FROM t UNION SELECT `count`(*) FROM u",
        "WITH c AS (SELECT 1) SELECT * FROM c",
        "TABLE t",
        "(SELECT CAST(a AS CHAR), EXTRACT(DAY FROM b), POSITION('a' IN c), JSON_ARRAYAGG(d), MD5(e) FROM t) LIMIT 1",
    ] {
        assert!(read(text).statement.reads_only, "{text}");
    }
}

#[test]
fn queries_that_lock_store_or_depend_on_the_connection_go_to_the_primary() {
    for text in [
        "SELECT 1 FROM t FOR UPDATE",
        "SELECT 1 FROM t FOR SHARE SKIP LOCKED",
        "SELECT 1 FROM t LOCK IN SHARE MODE",
        "SELECT 1 FROM (SELECT 2 FROM t FOR UPDATE) x",
        "SELECT 1 WHERE EXISTS (SELECT 1 FROM t LOCK IN SHARE MODE)",
        "(SELECT 1 FROM t FOR UPDATE) UNION SELECT 2",
        "SELECT 1 INTO @a",
        "SELECT 1 INTO OUTFILE 'x'",
        "SELECT LAST_INSERT_ID()",
        "SELECT a FROM t WHERE id = last_insert_id()",
        "SELECT GET_LOCK('a', 1)",
        "SELECT RELEASE_LOCK('a'), RELEASE_ALL_LOCKS()",
        "SELECT IS_FREE_LOCK('a')",
        "SELECT IS_USED_LOCK('a')",
        "SELECT ROW_COUNT()",
        "SELECT FOUND_ROWS()",
        "SELECT SQL_CALC_FOUND_ROWS a FROM t",
        "SELECT @@identity",
        "SELECT @@SESSION.last_insert_id",
        "SELECT @a",
        "SELECT @a := 1",
        "SELECT 1 FROM (SELECT @a AS a) x",
        "SELECT my_function(1)",
        "SELECT db.upper(1)",
        "SELECT (SELECT my_function(a) FROM t)",
        "SELECT LOAD_FILE('x')",
        "INSERT INTO t VALUES (1)",
        "SET @a = 1",
        "CALL p()",
        "SHOW TABLES",
        "EXPLAIN SELECT 1",
        "DO SLEEP(1)",
    ] {
        assert!(!read(text).statement.reads_only, "{text}");
    }
    assert!(!try_read("SELECT 1 FROM FROM t", Mode::default()).unwrap().statement.reads_only);
}
