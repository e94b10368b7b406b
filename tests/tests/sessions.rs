//! What a session believes of itself while others use the same connections: warnings, counts, settings; what standard
//! clients ask when they connect; and clients that go.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use weir_tests::{Bed, Client, Logical, Reply, Rules, differ};

fn bed() -> &'static Bed {
    static BED: LazyLock<Bed> = LazyLock::new(|| Bed::new(2));
    &BED
}

/// A database on one unit, of which there may be only so many connections, with a table `p (id, c)` on both sides.
fn plain(name: &str, connections: u32) -> Logical<'static> {
    let logical = bed().bare(name);
    logical.register(0, &format!("\"maximumPoolSize\"={connections}, \"minimumIdle\"=0"));
    let create = "CREATE TABLE p (id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, c VARCHAR(3))";
    logical.plain().run(create);
    logical.client().run(create);
    logical
}

/// A database on two units with a sharded table `t (id, c)`.
fn sharded(name: &str) -> Logical<'static> {
    let logical = bed().logical(name);
    logical.shard("t", "id");
    let create = "CREATE TABLE t (id INT NOT NULL PRIMARY KEY, c VARCHAR(3))";
    logical.plain().run(create);
    logical.client().run(create);
    logical
}

/// Runs statements, one to a line, on both sides; before each, another session uses the connections.
#[track_caller]
fn same(logical: &Logical<'_>, texts: &str, nudge: &str) {
    let (mut plain, mut proxied, mut other) = (logical.plain(), logical.client(), logical.client());
    let rules = Rules { ordered: true, unwarned: true, ..Rules::default() };
    for text in texts.lines().map(str::trim).filter(|text| !text.is_empty()) {
        other.query(nudge);
        let (expected, told) = (plain.query(text), proxied.query(text));
        assert_eq!(differ(&expected, &told, &rules), None, "{text}");
    }
}

const CONDITIONS: &str = "
    INSERT IGNORE INTO p VALUES (1, 'abcdef'), (2, 'abcdef'), (3, 'c')
    SHOW WARNINGS
    SHOW WARNINGS LIMIT 1, 5
    SHOW COUNT(*) WARNINGS
    SHOW ERRORS
    SELECT @@warning_count, @@error_count
    SHOW WARNINGS
    SELECT ROW_COUNT()
    UPDATE p SET c = 'z' WHERE id IN (1, 2)
    SELECT ROW_COUNT()
    SELECT ROW_COUNT()
    SELECT * FROM p WHERE id > 1 ORDER BY id
    SELECT FOUND_ROWS(), ROW_COUNT()
    SELECT SQL_CALC_FOUND_ROWS id FROM p ORDER BY id LIMIT 1
    SELECT FOUND_ROWS() AS n
    SELECT nope FROM p
    SHOW WARNINGS
    SELECT ROW_COUNT(), @@error_count
    SELECT 1/0 FROM p WHERE id = 1
    SHOW WARNINGS
    UPDATE p SET c = 'toolong'
    SHOW ERRORS
    INSERT INTO p (c) VALUES ('a'), ('b')
    SELECT LAST_INSERT_ID(), ROW_COUNT()
    SELECT LAST_INSERT_ID(id + 100) FROM p WHERE id = 1
    SELECT LAST_INSERT_ID()
    INSERT INTO p VALUES (50, 'x')
    SELECT LAST_INSERT_ID(), ROW_COUNT()
    INSERT INTO p (c) VALUES ('y')
    SELECT LAST_INSERT_ID()
    INSERT INTO p VALUES (60, 'x'), (70, 'x')
    REPLACE INTO p (c, id) VALUES ('x', 50)
    SELECT @@identity
    INSERT INTO p VALUES (NULL, 'x'), (0, 'y')
    SELECT LAST_INSERT_ID()
    UPDATE p SET id = LAST_INSERT_ID(id + 100) WHERE id = 1
    SELECT LAST_INSERT_ID()
    BEGIN
    INSERT IGNORE INTO p VALUES (10, 'abcdef')
    SHOW WARNINGS
    ROLLBACK
    SHOW WARNINGS
    CREATE TABLE IF NOT EXISTS p (id INT)
    SHOW WARNINGS
    DROP TABLE IF EXISTS nosuch
    SHOW WARNINGS";

#[test]
fn tells_what_its_own_last_statement_left_behind() {
    let logical = plain("conditions", 10);
    same(&logical, CONDITIONS, "SELECT nothing FROM p");
}

#[test]
fn tells_the_same_when_all_share_one_connection() {
    let logical = plain("conditions1", 1);
    let texts = CONDITIONS.replace("BEGIN\n", "").replace("ROLLBACK\n", "");
    same(&logical, &texts, "SELECT 1/0");
}

#[test]
fn a_connection_kept_for_its_warnings_is_given_to_who_waits() {
    let logical = plain("waiters", 1);
    let mut one = logical.client();
    let mut other = logical.client();
    let started = Instant::now();
    for _ in 0..20 {
        one.run("INSERT IGNORE INTO p VALUES (1, 'abcdef')");
        other.run("INSERT IGNORE INTO p VALUES (2, 'abcdef')");
    }
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    assert_eq!(one.rows("SHOW WARNINGS").len(), other.rows("SHOW WARNINGS").len());
}

#[test]
fn joins_the_warnings_of_several_servers() {
    let logical = sharded("joined");
    same(
        &logical,
        "INSERT IGNORE INTO t VALUES (1, 'abc'), (2, 'abc')
         INSERT INTO t VALUES (11, 'abcdef')
         SHOW WARNINGS
         SELECT ROW_COUNT()
         UPDATE t SET c = 'k'
         SELECT ROW_COUNT()
         SELECT * FROM t ORDER BY id
         SELECT FOUND_ROWS()",
        "SELECT nothing FROM t WHERE id = 1",
    );
    let mut client = logical.client();
    client.run("INSERT IGNORE INTO t VALUES (21, 'abcdef'), (22, 'abcdef')");
    assert_eq!(client.rows("SHOW WARNINGS").len(), 2);
    // Two nodes on one server.
    client.run("INSERT IGNORE INTO t VALUES (31, 'abcdef'), (33, 'abcdef')");
    assert_eq!(client.rows("SHOW WARNINGS").len(), 2);
}

#[test]
fn tells_the_id_of_the_row_that_one_server_would_tell() {
    let logical = bed().logical("ids");
    logical.shard("t", "id");
    let create = "CREATE TABLE t (id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, c INT)";
    logical.plain().run(create);
    logical.client().run(create);
    same(
        &logical,
        "INSERT INTO t (id, c) VALUES (1, 1), (2, 2), (3, 3), (4, 4)
         SELECT LAST_INSERT_ID()
         REPLACE INTO t (id, c) VALUES (13, 5), (1, 2)
         INSERT INTO t VALUES (7, 5)
         SELECT LAST_INSERT_ID()",
        "SELECT 1",
    );
}

#[test]
fn refuses_what_would_be_another_sessions() {
    let logical = plain("fleeting", 10);
    let mut client = logical.client();
    // What is told of the last statement in expressions is compared in `state_answers`.
    assert_eq!(client.fault("GET DIAGNOSTICS @n = NUMBER").code, 30001);
}

/// What clients and drivers send before anything else.
const HELLO: &str = "
    SELECT @@version_comment LIMIT 1
    SET NAMES utf8mb4
    SET NAMES utf8mb4 COLLATE utf8mb4_general_ci
    SET autocommit=0
    SET autocommit=1
    SELECT @@autocommit
    SET sql_mode='STRICT_TRANS_TABLES'
    SET sql_mode=(SELECT CONCAT(@@sql_mode,',PIPES_AS_CONCAT'))
    SELECT @@sql_mode
    SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED
    SELECT @@transaction_isolation, @@session.transaction_read_only
    SET TRANSACTION ISOLATION LEVEL SERIALIZABLE
    START TRANSACTION READ ONLY
    COMMIT
    SET character_set_results = NULL
    SELECT 'x'
    SET NAMES utf8mb4
    SET time_zone = '+00:00', foreign_key_checks = 0, unique_checks = 0
    SELECT @@time_zone
    SET @OLD_SQL_MODE=@@SQL_MODE, SQL_MODE='NO_AUTO_VALUE_ON_ZERO'
    SET SQL_MODE=@OLD_SQL_MODE
    SHOW VARIABLES LIKE 'sql_mode'
    SHOW COLLATION WHERE Charset = 'latin1'
    SHOW ENGINES
    SHOW STATUS LIKE 'Ssl_cipher'
    SHOW WARNINGS
    SELECT COUNT(*) FROM information_schema.engines
    SELECT @@session.auto_increment_increment AS auto_increment_increment, @@character_set_client AS cc, \
@@character_set_connection AS c, @@collation_connection AS cn, @@init_connect AS i, @@lower_case_table_names AS l, \
@@max_allowed_packet AS m, @@sql_mode AS s, @@transaction_isolation AS ti, @@wait_timeout AS w
    SET nosuch = 1
    SET NAMES nosuch
    SET sql_mode = 'nosuch'
    SELECT 1 + 1";

#[test]
fn talks_to_clients_with_and_without_a_database() {
    let logical = sharded("hello");
    let rules = Rules { unwarned: true, ..Rules::default() };
    let beds: [(&str, Client, Client); 2] = [
        ("no database", bed().plain().client(), bed().proxy().client()),
        ("two units", logical.plain(), logical.client()),
    ];
    for (what, mut plain, mut proxied) in beds {
        for text in HELLO.lines().map(str::trim).filter(|text| !text.is_empty()) {
            let (expected, told) = (plain.query(text), proxied.query(text));
            match (&expected, &told) {
                // What it says of itself; and of a server's warnings about a SET nobody is told.
                _ if text.contains("version_comment") => {}
                (Reply::Done(_), Reply::Done(_)) => {}
                _ => assert_eq!(differ(&expected, &told, &rules), None, "{what}: {text}"),
            }
        }
        // ER_NO_SUCH_THREAD: no session has got so far.
        assert_eq!(proxied.fault("KILL QUERY 4294967295").code, 1094, "{what}");
    }
}

#[test]
fn a_question_within_a_transaction_needs_no_second_connection() {
    let logical = plain("alone", 1);
    let mut client = logical.client();
    client.run("BEGIN");
    client.run("INSERT INTO p VALUES (1, 'a')");
    // Each of them asks a server, beside the one that the transaction holds.
    client.run("SET lock_wait_timeout = 77");
    client.run("SET sql_mode = CONCAT(@@sql_mode, ',ANSI')");
    assert_eq!(client.rows("SHOW TABLES"), [["p"]]);
    assert_eq!(client.value("SELECT @@lock_wait_timeout"), "77");
    client.run("ROLLBACK");
    assert_eq!(client.value("SELECT COUNT(*) FROM p"), "0");
}

/// Waits until no statement of this text runs on the first unit, and tells how long that took.
fn gone(logical: &Logical<'_>, words: &str) -> Duration {
    let mut client = logical.unit(0);
    let started = Instant::now();
    let running = format!(
        "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE INFO LIKE '%{words}%' AND ID <> CONNECTION_ID()"
    );
    while client.value(&running) != "0" {
        assert!(started.elapsed() < Duration::from_secs(15), "it still runs");
        std::thread::sleep(Duration::from_millis(20));
    }
    started.elapsed()
}

/// Waits until a statement of this text runs on the first unit.
fn runs(logical: &Logical<'_>, words: &str) {
    let mut client = logical.unit(0);
    let running = format!(
        "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE INFO LIKE '%{words}%' AND ID <> CONNECTION_ID()"
    );
    let started = Instant::now();
    while client.value(&running) == "0" {
        assert!(started.elapsed() < Duration::from_secs(15), "it does not run");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn the_statement_of_a_client_that_vanished_is_ended() {
    let logical = plain("vanished", 10);
    let mut client = logical.client();
    client.command(b"\x03SELECT 'vanished', SLEEP(31)").unwrap();
    runs(&logical, "vanished");
    client.vanish();
    gone(&logical, "vanished");
}

#[test]
fn kill_ends_a_session_that_waits_for_a_server() {
    let logical = plain("killed", 10);
    let mut victim = logical.client();
    let id = victim.value("SELECT CONNECTION_ID()");
    victim.command(b"\x03SELECT 'killed', SLEEP(32)").unwrap();
    runs(&logical, "killed");
    logical.client().run(format!("KILL {id}"));
    assert_eq!(victim.reply().unwrap().fault().code, 1317);
    assert!(victim.is_closed());
    gone(&logical, "killed");
}

#[test]
fn what_is_set_for_the_next_transaction_reaches_the_servers() {
    let logical = sharded("next");
    same(
        &logical,
        "SET TRANSACTION READ ONLY
         INSERT INTO t VALUES (1, 'a')
         SELECT COUNT(*) FROM t WHERE id = 1
         INSERT INTO t VALUES (1, 'a')
         SET TRANSACTION ISOLATION LEVEL SERIALIZABLE
         BEGIN
         SELECT * FROM t ORDER BY id
         COMMIT
         SELECT COUNT(*) FROM t",
        "SELECT 1",
    );
}
