//! What is answered: several statements in a text, several results of one, and all of it as one MySQL answers.

use std::sync::LazyLock;

use weir_tests::{Bed, Client, Logical, MODERN, Reply, Rules, differ};
use wire::caps::Capabilities;

fn bed() -> &'static Bed {
    static BED: LazyLock<Bed> = LazyLock::new(|| Bed::new(2));
    &BED
}

/// A database on two units with a sharded table `t (id, c)` and a plain one `p (id, c)`.
fn database(name: &str) -> Logical<'static> {
    let logical = bed().logical(name);
    logical.shard("t", "id");
    let (mut plain, mut proxied) = (logical.plain(), logical.client());
    for text in [
        "CREATE TABLE t (id INT NOT NULL PRIMARY KEY, c VARCHAR(3))",
        "CREATE TABLE p (id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, c VARCHAR(3))",
    ] {
        plain.run(text);
        proxied.run(text);
    }
    logical
}

/// Two sessions that may send several statements at once, with the plain server and with the proxy.
fn several(logical: &Logical<'_>, capabilities: Capabilities) -> (Client, Client) {
    let capabilities = capabilities | Capabilities::MULTI_STATEMENTS;
    let plain = logical.bed.plain().database(&logical.name).capabilities(capabilities).client();
    (plain, logical.account().capabilities(capabilities).client())
}

/// All answers are alike.
#[track_caller]
fn same(text: &str, plain: &[Reply], proxied: &[Reply], rules: &Rules) {
    let told = |replies: &[Reply]| replies.iter().map(|reply| format!("\n  {reply:?}")).collect::<String>();
    let shown = || format!("{text}\nplain{}\nproxy{}", told(plain), told(proxied));
    assert_eq!(plain.len(), proxied.len(), "{}", shown());
    for (plain, proxied) in plain.iter().zip(proxied) {
        assert_eq!(differ(plain, proxied, rules), None, "{}", shown());
    }
}

#[test]
fn a_text_of_several_statements_is_answered_one_by_one() {
    let logical = database("several");
    for capabilities in [MODERN, MODERN - Capabilities::DEPRECATE_EOF - Capabilities::SESSION_TRACK] {
        let (mut plain, mut proxied) = several(&logical, capabilities);
        for text in [
            "SELECT 1; SELECT 'a;b' ;SELECT 3;; ; ",
            "DELETE FROM t; INSERT INTO t VALUES (1, 'a'), (2, 'b'), (13, 'c'); SELECT * FROM t ORDER BY id",
            "UPDATE t SET c = 'x' WHERE id = 1; UPDATE t SET c = 'y' WHERE id > 1; SELECT ROW_COUNT(); SELECT c FROM t WHERE id = 13",
            "DELETE FROM p; INSERT INTO p (c) VALUES ('a'), ('b'); SELECT LAST_INSERT_ID() > 0; SELECT c, COUNT(*) FROM p GROUP BY c ORDER BY c",
            "SELECT 1; -- and no more",
            "SELECT 1; /* ; */ SELECT 2 /* ; */",
            "INSERT IGNORE INTO p (c) VALUES ('abcdef'); SHOW WARNINGS; SELECT 1; SHOW WARNINGS",
            "BEGIN; INSERT INTO t VALUES (50, 'n'), (51, 'o'); SELECT COUNT(*) FROM t; ROLLBACK; SELECT COUNT(*) FROM t",
            "SET autocommit = 0; SELECT @@autocommit; INSERT INTO t VALUES (60, 'p'); COMMIT; SET autocommit = 1; SELECT COUNT(*) FROM t",
            "SET @a = 7; SELECT @a; SELECT COUNT(*) FROM p WHERE id > @a",
            "SELECT c FROM p WHERE c = 'a'; SELECT c FROM t LIMIT 0",
            "SET sql_mode = 'ANSI_QUOTES'; SELECT \"c;\" FROM (SELECT 1 AS \"c;\") q; SET sql_mode = DEFAULT; SELECT \"c;\"",
            "SET SESSION sql_mode = 'NO_BACKSLASH_ESCAPES'; SELECT '\\'; SELECT ';'; SET SESSION sql_mode = DEFAULT",
            // Errors end a text, wherever they come from.
            "SELECT 1; SELECT nope FROM p; SELECT 2",
            "SELECT 1; INSERT INTO t VALUES (1, 'dup'); DELETE FROM t",
            "SELECT 1; SELECT * FROM nope; DELETE FROM t",
            "SELECT 1; USE nope; DELETE FROM t",
            "SELECT COUNT(*) FROM t; ; DELETE FROM t",
            "SELECT 1; /* c */; DELETE FROM t",
            ";SELECT 1",
            "SELECT COUNT(*) FROM t; SHOW WARNINGS",
            "USE information_schema; SELECT DATABASE(); USE several; SELECT DATABASE()",
        ] {
            let rules = Rules { ordered: true, ..Rules::default() };
            same(text, &plain.replies(text), &proxied.replies(text), &rules);
        }
        for text in ["SELECT 1; SELEC 2; SELECT 3", "SELECT 1; SELECT 'x", "SELECT 1; SELECT (2; SELECT 3"] {
            let rules = Rules { worded: true, ..Rules::default() };
            same(text, &plain.replies(text), &proxied.replies(text), &rules);
        }
    }
}

#[test]
fn bodies_of_routines_stay_whole() {
    let logical = database("bodies");
    let (mut plain, mut proxied) = several(&logical, MODERN);
    for text in [
        "DROP PROCEDURE IF EXISTS q; CREATE PROCEDURE q(a INT) BEGIN IF a THEN SELECT 1; ELSE SELECT 2; END IF; SELECT 3; END; SELECT 4",
        "CALL q(1); SELECT 5; CALL q(0); CALL q(NULL)",
        "CREATE TRIGGER r BEFORE INSERT ON p FOR EACH ROW BEGIN SET NEW.c = CASE WHEN NEW.c = 'a' THEN 'b' ELSE 'c' END; SET @r = 1; END; INSERT INTO p (c) VALUES ('a'); SELECT c FROM p",
        "CALL q(1); CALL nope(); CALL q(1)",
    ] {
        same(text, &plain.replies(text), &proxied.replies(text), &Rules::default());
    }
}

#[test]
fn distsql_goes_with_other_statements() {
    let logical = database("mixture");
    let (_, mut proxied) = several(&logical, MODERN);
    let replies = proxied.replies("SHOW STORAGE UNITS; SELECT 1; SHOW SHARDING TABLE RULES; SELECT 2");
    let tables: Vec<_> = replies.into_iter().map(|reply| reply.table().text()).collect();
    assert_eq!(tables.iter().map(Vec::len).collect::<Vec<_>>(), [2, 1, 1, 1]);
    assert_eq!(tables[3], [["2"]]);
}

#[test]
fn a_text_that_ends_its_session_ends_there() {
    let logical = database("ending");
    let (mut plain, mut proxied) = several(&logical, MODERN);
    for text in ["SELECT 1; COMMIT RELEASE; DELETE FROM t", "SELECT 1; KILL CONNECTION_ID(); DELETE FROM t"] {
        proxied.run("REPLACE INTO t VALUES (1, 'a')");
        let number = |client: &mut Client| client.value("SELECT CONNECTION_ID()");
        let (mine, theirs) = (number(&mut plain), number(&mut proxied));
        let reply = plain.query(text.replace("CONNECTION_ID()", &mine));
        same(text, &[reply], &[proxied.query(text.replace("CONNECTION_ID()", &theirs))], &Rules::default());
        let (expected, told) = (plain.reply().unwrap(), proxied.reply().unwrap());
        let rules = Rules { worded: true, ..Rules::default() };
        same(text, &[expected], &[told], &rules);
        assert!(proxied.is_closed(), "{text}");
        (plain, proxied) = several(&logical, MODERN);
        assert_eq!(proxied.value("SELECT COUNT(*) FROM t"), "1");
    }
}

#[test]
fn many_statements_come_in_order_while_the_client_does_not_read() {
    let logical = database("batch");
    let (_, mut proxied) = several(&logical, MODERN);
    let inserts: String = (0..2000).map(|id| format!("INSERT INTO t VALUES ({id}, 'x');")).collect();
    let replies = proxied.replies(inserts);
    assert_eq!(replies.len(), 2000);
    assert!(replies.into_iter().all(|reply| reply.done().affected == 1));
    assert_eq!(proxied.value("SELECT COUNT(*) FROM t"), "2000");
}
