//! Transactions over several units, and sessions that share connections without noticing each other.

use std::sync::LazyLock;

use weir_tests::{Bed, Client, Logical, Rules, differ};

fn bed() -> &'static Bed {
    static BED: LazyLock<Bed> = LazyLock::new(|| Bed::new(4));
    &BED
}

/// A sharded table `t (id, v)` in a database of its own, on both sides.
fn database(name: &str) -> Logical<'static> {
    let logical = bed().logical(name);
    logical.shard("t", "id");
    let create = "CREATE TABLE t (id INT NOT NULL PRIMARY KEY, v INT)";
    logical.plain().run(create);
    logical.client().run(create);
    logical
}

/// The same session on both sides.
struct Pair {
    plain: Client,
    proxied: Client,
    rules: Rules,
}

impl Pair {
    fn new(logical: &Logical<'_>) -> Self {
        Self {
            plain: logical.plain(),
            proxied: logical.client(),
            rules: Rules { ordered: true, ..Rules::default() },
        }
    }

    /// Runs statements, one to a line, and compares every answer.
    #[track_caller]
    fn run(&mut self, texts: &str) {
        for text in texts.lines().map(str::trim).filter(|text| !text.is_empty()) {
            let (expected, told) = (self.plain.query(text), self.proxied.query(text));
            assert_eq!(differ(&expected, &told, &self.rules), None, "{text}");
        }
    }
}

const ALL: &str = "SELECT * FROM t ORDER BY id";

#[test]
fn commit_keeps_and_rollback_takes_back_on_all_units() {
    let logical = database("commit");
    let (mut one, mut other) = (Pair::new(&logical), Pair::new(&logical));
    one.run(
        "BEGIN
         INSERT INTO t VALUES (1, 1), (2, 2), (3, 3), (4, 4)
         UPDATE t SET v = v + 10 WHERE id IN (1, 4)
         SELECT * FROM t ORDER BY id",
    );
    other.run(ALL);
    one.run("COMMIT");
    other.run(ALL);
    one.run(
        "START TRANSACTION
         DELETE FROM t WHERE id < 3
         INSERT INTO t VALUES (15, 15)
         SELECT * FROM t ORDER BY id
         ROLLBACK
         SELECT * FROM t ORDER BY id",
    );
    other.run(ALL);
    // Empty ones, and ends of none.
    one.run("BEGIN\nCOMMIT\nCOMMIT\nROLLBACK\nBEGIN\nROLLBACK\nSTART TRANSACTION READ ONLY\nSELECT * FROM t ORDER BY id\nCOMMIT");
}

#[test]
fn a_second_begin_and_definitions_commit() {
    let logical = database("implicit");
    let (mut one, mut other) = (Pair::new(&logical), Pair::new(&logical));
    one.run("BEGIN\nINSERT INTO t VALUES (1, 1), (2, 2)\nBEGIN");
    other.run(ALL);
    one.run("INSERT INTO t VALUES (3, 3)\nROLLBACK");
    other.run(ALL);
    one.run(
        "BEGIN
         INSERT INTO t VALUES (4, 4), (5, 5)
         CREATE TABLE other (id INT PRIMARY KEY)
         ROLLBACK",
    );
    other.run(ALL);
    one.run(
        "BEGIN
         INSERT INTO t VALUES (6, 6), (7, 7)
         ALTER TABLE t ADD COLUMN w INT
         ROLLBACK",
    );
    other.run(ALL);
    one.run("BEGIN\nINSERT INTO t VALUES (8, 8, 8)\nTRUNCATE TABLE other\nROLLBACK");
    other.run(ALL);
}

#[test]
fn autocommit_off_opens_transactions_by_itself() {
    let logical = database("autocommit");
    let (mut one, mut other) = (Pair::new(&logical), Pair::new(&logical));
    one.run("SET autocommit = 0\nINSERT INTO t VALUES (1, 1), (2, 2)\nSELECT * FROM t ORDER BY id");
    other.run(ALL);
    one.run("ROLLBACK\nSELECT * FROM t ORDER BY id\nINSERT INTO t VALUES (3, 3), (4, 4)\nCOMMIT");
    other.run(ALL);
    // Setting it on commits what is open.
    one.run("INSERT INTO t VALUES (5, 5), (6, 6)\nSET autocommit = 1");
    other.run(ALL);
    one.run("INSERT INTO t VALUES (7, 7)\nROLLBACK\nSELECT @@autocommit");
    other.run(ALL);
    // Settings commit nothing.
    one.run(
        "SET autocommit = 0
         INSERT INTO t VALUES (21, 1), (22, 2), (23, 3), (24, 4)
         SET @a = 1
         SET sql_notes = 1
         SET @b = @@sql_mode
         ROLLBACK
         SET autocommit = 1",
    );
    other.run(ALL);
    one.run("SET @@session.autocommit = OFF\nDELETE FROM t\nROLLBACK\nSET SESSION autocommit = ON\nSELECT * FROM t ORDER BY id");
}

#[test]
fn savepoints_hold_on_units_touched_later_too() {
    let logical = database("savepoints");
    let mut one = Pair::new(&logical);
    one.run(
        "BEGIN
         INSERT INTO t VALUES (1, 1)
         SAVEPOINT a
         INSERT INTO t VALUES (2, 2), (3, 3)
         SAVEPOINT b
         INSERT INTO t VALUES (4, 4)
         UPDATE t SET v = 100
         SELECT * FROM t ORDER BY id
         ROLLBACK TO SAVEPOINT b
         SELECT * FROM t ORDER BY id
         ROLLBACK TO a
         SELECT * FROM t ORDER BY id
         INSERT INTO t VALUES (12, 12)
         ROLLBACK TO SAVEPOINT b
         RELEASE SAVEPOINT a
         ROLLBACK TO SAVEPOINT a
         COMMIT
         SELECT * FROM t ORDER BY id
         ROLLBACK TO SAVEPOINT a",
    );
    // The same name again replaces the first; case does not count.
    one.run(
        "BEGIN
         SAVEPOINT a
         INSERT INTO t VALUES (21, 1), (22, 2)
         SAVEPOINT A
         INSERT INTO t VALUES (23, 3)
         ROLLBACK TO `a`
         SELECT * FROM t ORDER BY id
         ROLLBACK
         SELECT * FROM t ORDER BY id",
    );
}

#[test]
fn an_error_amid_a_write_leaves_nothing_of_it() {
    let logical = database("amid");
    let (mut one, mut other) = (Pair::new(&logical), Pair::new(&logical));
    one.run("INSERT INTO t VALUES (1, 1), (12, 12), (23, 23), (34, 34)");
    // On its own: nothing stays.
    one.run("INSERT INTO t VALUES (2, 2), (13, 13), (24, 24), (34, 0), (5, 5)\nSELECT * FROM t ORDER BY id");
    one.run("UPDATE t SET v = IF(id = 23, 1 / (v - 23), 7)\nSELECT * FROM t ORDER BY id");
    // In a transaction: what was before stays, and the transaction goes on.
    one.run(
        "BEGIN
         INSERT INTO t VALUES (100, 1), (101, 1)
         INSERT INTO t VALUES (2, 2), (13, 13), (24, 24), (34, 0), (5, 5)
         SELECT * FROM t ORDER BY id
         INSERT INTO t VALUES (102, 1)
         SELECT nonsense FROM t
         COMMIT",
    );
    other.run(ALL);
}

#[test]
fn chained_and_released_transactions() {
    let logical = database("chained");
    let (mut one, mut other) = (Pair::new(&logical), Pair::new(&logical));
    one.run(
        "BEGIN\nINSERT INTO t VALUES (1, 1), (2, 2)\nCOMMIT AND CHAIN\nINSERT INTO t VALUES (3, 3), (4, 4)",
    );
    other.run(ALL);
    one.run("ROLLBACK AND CHAIN\nINSERT INTO t VALUES (5, 5)\nROLLBACK");
    // A chain begins where nothing is open, too.
    one.run("COMMIT AND CHAIN\nINSERT INTO t VALUES (31, 31)\nROLLBACK");
    one.run(
        "SET autocommit = 0\nCOMMIT AND CHAIN\nINSERT INTO t VALUES (32, 32)\nROLLBACK\nSET autocommit = 1",
    );
    other.run(ALL);
    one.run("START TRANSACTION READ ONLY\nINSERT INTO t VALUES (6, 6)\nSELECT * FROM t ORDER BY id\nCOMMIT");
    one.run("START TRANSACTION WITH CONSISTENT SNAPSHOT");
    one.run(ALL);
    other.run("INSERT INTO t VALUES (7, 7), (8, 8)");
    one.run(ALL);
    one.run("COMMIT\nSELECT * FROM t ORDER BY id");
}

#[test]
fn isolation_levels_are_those_of_the_session() {
    let logical = database("levels");
    let (mut one, mut other) = (Pair::new(&logical), Pair::new(&logical));
    other.run("INSERT INTO t VALUES (1, 1), (2, 2)");
    one.run("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED\nSELECT @@transaction_isolation\nBEGIN\nSELECT * FROM t ORDER BY id");
    other.run("UPDATE t SET v = v + 1");
    one.run("SELECT * FROM t ORDER BY id\nCOMMIT");
    one.run("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ\nBEGIN\nSELECT * FROM t ORDER BY id");
    other.run("UPDATE t SET v = v + 1");
    one.run("SELECT * FROM t ORDER BY id\nCOMMIT\nSELECT * FROM t ORDER BY id");
    // For the next transaction only.
    one.run("SET TRANSACTION ISOLATION LEVEL READ UNCOMMITTED\nBEGIN\nSELECT * FROM t ORDER BY id");
    other.run("BEGIN\nUPDATE t SET v = 77 WHERE id = 2");
    one.run("SELECT * FROM t WHERE id = 2\nCOMMIT\nSELECT * FROM t WHERE id = 2");
    other.run("ROLLBACK");
}

#[test]
fn rows_stay_locked_until_the_end_and_a_vanished_client_frees_them() {
    let logical = database("locks");
    logical.client().run("INSERT INTO t VALUES (1, 1), (2, 2), (3, 3), (4, 4)");
    for vanish in [false, true] {
        let (mut holder, mut waiter) = (logical.client(), logical.client());
        holder.run("BEGIN");
        holder.run("UPDATE t SET v = v + 100 WHERE id IN (1, 2, 3)");
        waiter.run("SET SESSION innodb_lock_wait_timeout = 1");
        assert_eq!(waiter.fault("UPDATE t SET v = 0 WHERE id = 2").code, 1205);
        waiter.run("SET SESSION innodb_lock_wait_timeout = 20");
        waiter.command(b"\x03UPDATE t SET v = v + 1 WHERE id = 2").unwrap();
        if vanish {
            holder.vanish();
        } else {
            holder.run("ROLLBACK");
        }
        assert_eq!(waiter.reply().unwrap().done().affected, 1);
        let mut reader = logical.client();
        let expected = if vanish { ["1", "4", "3", "4"] } else { ["1", "3", "3", "4"] };
        let values: Vec<_> = reader.rows("SELECT v FROM t ORDER BY id").into_iter().flatten().collect();
        assert_eq!(values, expected, "the client vanished: {vanish}");
    }
}

#[test]
fn a_client_that_vanishes_amid_its_statement_is_rolled_back() {
    let logical = database("vanish");
    logical.client().run("INSERT INTO t VALUES (1, 1), (2, 2)");
    let mut holder = logical.client();
    holder.run("BEGIN");
    holder.run("UPDATE t SET v = 100 WHERE id = 2");
    holder.command(b"\x03SELECT SLEEP(30) FROM t WHERE id = 2").unwrap();
    // Runs, as the server itself says.
    let mut unit = bed().unit(2).client();
    let running = "SELECT COUNT(*) FROM information_schema.processlist WHERE info LIKE 'SELECT SLEEP(30)%'";
    while unit.value(running) != "1" {}
    holder.vanish();
    let mut waiter = logical.client();
    assert_eq!(waiter.run("UPDATE t SET v = v + 1 WHERE id = 2").done().affected, 1);
    assert_eq!(waiter.value("SELECT v FROM t WHERE id = 2"), "3");
}

#[test]
fn deadlocks_of_a_server_are_told_and_roll_back_everywhere() {
    let logical = database("deadlock");
    logical.client().run("INSERT INTO t VALUES (1, 1), (2, 2), (11, 11)");
    let (mut one, mut other) = (logical.client(), logical.client());
    one.run("BEGIN");
    other.run("BEGIN");
    one.run("UPDATE t SET v = 100 WHERE id = 2");
    one.run("UPDATE t SET v = 100 WHERE id = 1");
    other.run("UPDATE t SET v = 200 WHERE id = 11");
    one.command(b"\x03UPDATE t SET v = 100 WHERE id = 11").unwrap();
    let mut unit = bed().unit(1).client();
    while unit.value("SELECT COUNT(*) FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'")
        != "1"
    {}
    let second = other.query("UPDATE t SET v = 200 WHERE id = 1");
    let first = one.reply().unwrap();
    let codes = [&first, &second].map(|reply| match reply {
        weir_tests::Reply::Error(fault) => fault.code,
        _ => 0,
    });
    assert!(codes == [0, 1213] || codes == [1213, 0], "{codes:?}");
    // Who lost has lost all of it, on the other unit too.
    if codes[0] == 1213 {
        assert_eq!(logical.client().value("SELECT v FROM t WHERE id = 2"), "2");
    }
    one.run("COMMIT");
    other.run("COMMIT");
}

/// A database of one unit whose pool holds so many connections.
fn narrow(name: &str, connections: u32) -> Logical<'static> {
    let logical = bed().bare(name);
    let unit = logical.definition(0).replace(
        "PASSWORD=\"test\"",
        &format!("PASSWORD=\"test\", PROPERTIES(\"maximumPoolSize\"={connections}, \"minimumIdle\"=0)"),
    );
    logical.client().run(format!("REGISTER STORAGE UNIT {unit}"));
    logical
}

#[test]
fn sessions_on_one_connection_keep_their_own_variables() {
    let logical = narrow("shared_variables", 1);
    let (mut one, mut other) = (logical.client(), logical.client());
    let mut plain = logical.plain();
    one.run("CREATE TABLE p (id INT PRIMARY KEY)");
    let usual = plain.value("SELECT @@sql_mode");
    one.run("SET SESSION sql_mode = 'ANSI_QUOTES', time_zone = '+09:00', group_concat_max_len = 77");
    one.run("SET NAMES latin1");
    for _ in 0..3 {
        assert_eq!(one.value("SELECT CONCAT_WS('/', @@sql_mode, @@time_zone, @@group_concat_max_len, @@character_set_client)"), "ANSI_QUOTES/+09:00/77/latin1");
        assert_eq!(other.value("SELECT @@sql_mode"), usual);
        assert_eq!(
            other.value("SELECT CONCAT_WS('/', @@time_zone, @@group_concat_max_len, @@character_set_client)"),
            plain.value("SELECT CONCAT_WS('/', @@time_zone, @@group_concat_max_len, @@character_set_client)")
        );
        assert_eq!(one.rows("SELECT \"id\" FROM \"p\"").len(), 0);
        assert_eq!(other.value("SELECT \"id\""), "id");
        // It is one connection.
        assert_eq!(one.value("SELECT CONNECTION_ID() > 0"), "1");
    }
    one.run("SET SESSION sql_mode = DEFAULT");
    assert_eq!(one.value("SELECT @@sql_mode"), usual);
}

#[test]
fn user_variables_and_temporary_tables_do_not_leak() {
    let logical = narrow("shared_leaks", 2);
    let mut one = logical.client();
    one.run("SET @secret = 'mine'");
    one.run("CREATE TEMPORARY TABLE hidden (id INT)");
    one.run("INSERT INTO hidden VALUES (1)");
    assert_eq!(one.value("SELECT @secret"), "mine");
    assert_eq!(one.value("SELECT COUNT(*) FROM hidden"), "1");
    assert_eq!(one.value("SELECT GET_LOCK('weir', 0)"), "1");
    for _ in 0..3 {
        let mut other = logical.client();
        assert_eq!(other.value("SELECT @secret"), "NULL");
        assert_eq!(other.fault("SELECT * FROM hidden").code, 1146);
        assert_eq!(other.value("SELECT GET_LOCK('weir', 0)"), "0");
    }
    drop(one);
    // Its connection comes back without any of it; the lock tells when.
    let mut last = logical.client();
    assert_eq!(last.value("SELECT GET_LOCK('weir', 20)"), "1");
    assert_eq!(last.value("SELECT RELEASE_LOCK('weir')"), "1");
    drop(last);
    let (mut first, mut second) = (logical.client(), logical.client());
    first.run("BEGIN");
    second.run("BEGIN");
    for client in [&mut first, &mut second] {
        assert_eq!(client.fault("SELECT * FROM hidden").code, 1146);
        assert_eq!(client.value("SELECT @secret"), "NULL");
    }
}

#[test]
fn many_sessions_share_few_connections() {
    let logical = narrow("shared_many", 3);
    logical.client().run("CREATE TABLE n (id INT PRIMARY KEY, v INT)");
    logical.client().run("INSERT INTO n VALUES (1, 0)");
    std::thread::scope(|scope| {
        for thread in 0..16 {
            let logical = &logical;
            scope.spawn(move || {
                let mut client = logical.client();
                client.run(format!("SET SESSION group_concat_max_len = {}", 100 + thread));
                for round in 0..20 {
                    let own = client.value("SELECT @@group_concat_max_len");
                    assert_eq!(own, (100 + thread).to_string());
                    client.run("BEGIN");
                    client.run("UPDATE n SET v = v + 1 WHERE id = 1");
                    client.run(if round % 4 == 0 { "ROLLBACK" } else { "COMMIT" });
                }
            });
        }
    });
    assert_eq!(logical.client().value("SELECT v FROM n"), (16 * 15).to_string());
    let used = "SELECT COUNT(*) FROM information_schema.processlist WHERE db = 'shared_many_unit'";
    let used: u32 = bed().unit(0).client().value(used).parse().unwrap();
    assert!(used <= 3, "{used} connections where three are allowed");
}
