//! What a session is told of its own state is what one MySQL tells: values, types of columns, status flags, warnings.

use std::sync::LazyLock;

use weir_tests::{Bed, Logical, Rules, differ};

const UNITS: usize = 2;

fn bed() -> &'static Bed {
    static BED: LazyLock<Bed> = LazyLock::new(|| Bed::new(UNITS));
    &BED
}

/// A database over two units with a sharded table `t (id, v, n)` of 40 rows and a table `auto (id, v)` on one of them.
fn sharded(name: &str) -> Logical<'static> {
    let logical = bed().logical(name);
    logical.shard("t", "id");
    let rows: Vec<_> = (0..40).map(|id| format!("({id}, -{id}, 'n{}')", id % 7)).collect();
    for text in [
        "CREATE TABLE t (id INT NOT NULL PRIMARY KEY, v INT, n VARCHAR(10))",
        &format!("INSERT INTO t VALUES {}", rows.join(", ")),
        "CREATE TABLE auto (id INT AUTO_INCREMENT PRIMARY KEY, v INT)",
    ] {
        logical.plain().run(text);
        logical.client().run(text);
    }
    logical
}

/// Runs statements, one to a line, in a session of both sides; nothing in the answers may differ.
#[track_caller]
fn same(logical: &Logical<'_>, texts: &str) {
    let (mut plain, mut proxied) = (logical.plain(), logical.client());
    for text in texts.lines().map(str::trim).filter(|text| !text.is_empty()) {
        let rules = Rules { ordered: true, ..Rules::default() };
        assert_eq!(differ(&plain.query(text), &proxied.query(text), &rules), None, "{text}");
    }
}

#[test]
fn figures_of_the_last_statement_are_known_in_expressions() {
    same(
        &sharded("figures"),
        "INSERT INTO auto (v) VALUES (1), (2)
         CREATE TEMPORARY TABLE x (l INT)
         INSERT INTO x VALUES (1)
         SELECT LAST_INSERT_ID() + 1
         SELECT ROW_COUNT() + 1
         UPDATE auto SET v = 9
         SELECT ROW_COUNT(), 1+1
         UPDATE auto SET v = 10
         SELECT IF(ROW_COUNT() > 0, 'a', 'b')
         UPDATE t SET v = v - 1
         INSERT INTO auto (v) VALUES (ROW_COUNT())
         SELECT v FROM auto ORDER BY id
         SELECT @@warning_count + 1
         SELECT 1/0
         SELECT @@warning_count, 1+1
         SELECT 1/0
         SELECT CONCAT('x', @@session.warning_count) AS w
         SELECT nosuch FROM t
         SELECT @@error_count * 2",
    );
}

#[test]
fn the_rows_found_are_known_in_expressions() {
    let logical = sharded("found");
    let (mut plain, mut proxied) = (logical.plain(), logical.client());
    for text in [
        "SELECT id FROM t ORDER BY id LIMIT 7",
        "SELECT FOUND_ROWS() * 2",
        "SELECT id FROM t WHERE id = 3",
        "SELECT id FROM t WHERE id < FOUND_ROWS() ORDER BY id",
    ] {
        // A server warns of the function.
        let rules = Rules { ordered: true, unwarned: true, ..Rules::default() };
        assert_eq!(differ(&plain.query(text), &proxied.query(text), &rules), None, "{text}");
    }
    let text = "SELECT ROW_COUNT() + ?";
    let (theirs, ours) = (plain.prepare(text).unwrap().id, proxied.prepare(text).unwrap().id);
    for rows in [3, 5] {
        let change = format!("DELETE FROM t WHERE id BETWEEN 0 AND {rows}");
        assert_eq!(differ(&plain.query(&change), &proxied.query(&change), &Rules::default()), None);
        let one = [wire::value::Value::Int(1)];
        let (expected, told) = (plain.execute(theirs, &one).unwrap(), proxied.execute(ours, &one).unwrap());
        assert_eq!(differ(&expected, &told, &Rules::default()), None, "{rows}");
    }
}

#[test]
fn transactions_have_the_access_that_was_set_before_they_began() {
    same(
        &sharded("access"),
        "SET SESSION TRANSACTION READ ONLY
         BEGIN
         SELECT id FROM t WHERE id = 1
         UPDATE t SET v = v WHERE id = 1
         SET @x = 1
         COMMIT
         START TRANSACTION READ WRITE
         UPDATE t SET v = v WHERE id = 1
         SET @x = 2
         BEGIN
         UPDATE t SET v = v WHERE id = 1
         COMMIT AND CHAIN
         SET @x = 3
         UPDATE t SET v = v WHERE id = 1
         SET SESSION TRANSACTION READ WRITE
         COMMIT
         START TRANSACTION READ ONLY
         COMMIT AND CHAIN
         SET @x = 3
         ROLLBACK AND CHAIN
         UPDATE t SET v = v WHERE id = 2
         BEGIN
         SET @x = 4
         ROLLBACK
         SET @x = 4
         SET TRANSACTION READ ONLY
         BEGIN
         SET @x = 4
         UPDATE t SET v = v WHERE id = 2
         COMMIT
         BEGIN
         UPDATE t SET v = v WHERE id = 2
         COMMIT
         SET @@transaction_read_only = 1
         BEGIN
         COMMIT AND CHAIN
         SET @x = 5
         COMMIT",
    );
}

#[test]
fn a_session_without_autocommit_tells_of_what_statements_have_opened() {
    same(
        &sharded("manual"),
        "SET autocommit = 0
         SELECT v FROM auto
         SELECT @a
         SET @x = 1
         SET @x = 1 + 1
         SELECT DATABASE() IS NULL
         COMMIT
         SET @x = 1
         SET SESSION TRANSACTION READ ONLY
         SELECT v FROM auto
         SET @x = 1
         COMMIT
         SET @x = 1",
    );
}

#[test]
fn sql_select_limit_counts_for_the_answer_of_all_nodes() {
    same(
        &sharded("limited"),
        "SET sql_select_limit = 3
         SELECT id, v FROM t WHERE id BETWEEN 10 AND 30 ORDER BY id
         SELECT n, COUNT(*) FROM t GROUP BY n ORDER BY n
         SELECT n, COUNT(*) c FROM t GROUP BY n ORDER BY c DESC, n
         SELECT n, SUM(v) c FROM t GROUP BY n ORDER BY c DESC, n LIMIT 5
         SELECT n, COUNT(DISTINCT v) c FROM t GROUP BY n ORDER BY c, n
         SELECT COUNT(*), SUM(v) FROM t
         SELECT id FROM t ORDER BY id LIMIT 5
         SELECT COUNT(*) FROM (SELECT id FROM t) q
         SELECT id FROM t WHERE id < 2 UNION SELECT id + 100 FROM t WHERE id < 4 ORDER BY id
         (SELECT id FROM t WHERE id < 6 ORDER BY id)
         SELECT @@sql_select_limit
         SELECT v FROM t WHERE id = 3
         SET sql_select_limit = 0
         SELECT id FROM t
         SET sql_select_limit = DEFAULT
         SELECT id FROM t ORDER BY id",
    );
}

#[test]
fn settings_are_tried_out_however_busy_a_unit_is() {
    let logical = bed().bare("busy");
    logical.register(0, "\"maximumPoolSize\"=1, \"minimumIdle\"=0, \"connectionTimeout\"=60000");
    let mut holder = logical.client();
    holder.run("CREATE TABLE p (id INT NOT NULL PRIMARY KEY)");
    holder.run("BEGIN");
    holder.run("INSERT INTO p VALUES (1)");
    let account = logical.account();
    let waiting = std::thread::spawn(move || account.client().fault("SET sql_mode = 'NO_SUCH_MODE'").code);
    // Longer than one unit is preferred to another.
    std::thread::sleep(std::time::Duration::from_millis(700));
    holder.run("ROLLBACK");
    assert_eq!(waiting.join().unwrap(), 1231);
}
