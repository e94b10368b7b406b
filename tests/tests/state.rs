//! What a session has set, assigned, locked or made stays its own and goes where it goes, while others use the same few
//! connections: each statement gives what one MySQL gives, and between any two of them another session with a state of its own
//! looks at what it sees.

use std::sync::LazyLock;

use weir_tests::{Bed, Client, Logical, Reply, Rules, differ};

fn bed() -> &'static Bed {
    static BED: LazyLock<Bed> = LazyLock::new(|| Bed::new(1));
    &BED
}

/// A database on one unit, of which there may be only so many connections, with a table `p (id, c)` and procedures on
/// both sides.
fn plain(name: &str, connections: u32) -> Logical<'static> {
    let logical = bed().bare(name);
    logical.register(
        0,
        &format!("\"maximumPoolSize\"={connections}, \"minimumIdle\"=0, \"connectionTimeout\"=5000"),
    );
    let create = "CREATE TABLE p (id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, c VARCHAR(3))";
    logical.plain().run(create);
    logical.client().run(create);
    let insert = "INSERT INTO p VALUES (1, 'a'), (2, 'b'), (3, 'c')";
    logical.plain().run(insert);
    logical.client().run(insert);
    logical
}

/// Makes routines on both servers, beside the proxy.
fn routines(logical: &Logical<'_>, texts: &[&str]) {
    for text in texts {
        logical.plain().run(text);
        logical.unit(0).run(text);
    }
}

/// Another session, whose state is that of nobody else.
struct Other {
    client: Client,
    expected: Vec<Vec<String>>,
}

const SEEN: &str = "SELECT @x, @y, @z, @@sql_mode, @@time_zone, @@foreign_key_checks, @@lock_wait_timeout, \
                    @@character_set_results, @@transaction_isolation, LAST_INSERT_ID(), @@sql_log_bin, \
                    @@group_concat_max_len, @@timestamp > 1600000000, @@autocommit";

impl Other {
    fn new(logical: &Logical<'_>) -> Self {
        let mut client = logical.client();
        client.run("SET @x = 'mine', @z = 7, time_zone = '+05:00', lock_wait_timeout = 91");
        let expected = client.rows(SEEN);
        assert_eq!(expected[0][..3], ["mine", "NULL", "7"]);
        Self { client, expected }
    }

    #[track_caller]
    fn looks(&mut self, after: &str) {
        assert_eq!(self.client.rows(SEEN), self.expected, "another session after {after}");
        assert_eq!(self.client.rows("SHOW TABLES"), [["p"]], "another session after {after}");
    }
}

/// Runs statements, one to a line, on both sides; after each, another session uses the connections.
#[track_caller]
fn same(logical: &Logical<'_>, texts: &str) {
    let (mut plain, mut proxied, mut other) = (logical.plain(), logical.client(), Other::new(logical));
    let rules = Rules { ordered: true, unwarned: true, ..Rules::default() };
    for text in texts.lines().map(str::trim).filter(|text| !text.is_empty()) {
        let (expected, told) = (plain.query(text), proxied.query(text));
        match (&expected, &told) {
            // Flags and figures of statements that the session does itself are not compared here.
            (Reply::Done(_), Reply::Done(_)) => {}
            _ => assert_eq!(differ(&expected, &told, &rules), None, "{text}"),
        }
        other.looks(text);
    }
}

#[test]
fn variables_are_the_sessions_own_on_any_connection() {
    let logical = plain("variables", 1);
    same(
        &logical,
        "SET @x = 1, @y = 'a'
         SELECT @x, @y, @z IS NULL
         SET @x = @x + 1
         SELECT @x
         SET @X = 1.50, @`y` = 1e3, @'z' = NULL
         SELECT @x, @y, @z, @x * 2, @y / 3
         SET @x = TRUE, @y = -5, @z = x'4142'
         SELECT @x, @y, @z, HEX(@z), CHARSET(@z), COLLATION(@y)
         SET time_zone = '+01:00', foreign_key_checks = 0
         SELECT @@time_zone, @@foreign_key_checks
         SET sql_mode = 'ANSI_QUOTES'
         SELECT \"id\" FROM p ORDER BY \"id\"
         SET sql_mode = DEFAULT, lock_wait_timeout = 17
         SELECT @@lock_wait_timeout, @@sql_mode
         SET SESSION group_concat_max_len = 4
         SELECT GROUP_CONCAT(id ORDER BY id) FROM p
         SET @@session.sql_select_limit = 2
         SELECT id FROM p ORDER BY id
         SET sql_select_limit = DEFAULT
         SELECT id FROM p ORDER BY id
         SET timestamp = 1
         SELECT NOW() = FROM_UNIXTIME(1), @@timestamp
         SET timestamp = DEFAULT
         SELECT NOW() > '2020-01-01'
         SET character_set_results = NULL
         SELECT @@character_set_results
         SET div_precision_increment = 8
         SELECT 1/3",
    );
}

#[test]
fn variables_that_statements_assign_are_known_on_any_connection() {
    // One of them for a transaction.
    let logical = plain("assigned", 2);
    same(
        &logical,
        "SELECT @x := 5
         SELECT @x, @y IS NULL
         SELECT @x := @x + id FROM p ORDER BY id
         SELECT @x
         SELECT id, c INTO @x, @y FROM p WHERE id = 2
         SELECT @x, @y, COLLATION(@y)
         SELECT COUNT(*), MAX(c), 1.0/3, 2e0/3, NULL INTO @a, @b, @d, @e, @n FROM p
         SELECT @a, @b, @d, @e, @n IS NULL, @d * 3, @e * 3
         SELECT @a := 18446744073709551615, @b := CAST(7 AS UNSIGNED), @d := -9223372036854775808
         SELECT @a, @b, @d, @b - 8 < 0
         SET @r = 0
         SELECT (@r := @r + 1) AS n, id FROM p ORDER BY id DESC
         SELECT @r
         UPDATE p SET c = (@y := 'z') WHERE id = 1
         SELECT @y, c FROM p WHERE id = 1
         INSERT IGNORE INTO p VALUES (9, @w := 'abcdef')
         SHOW WARNINGS
         SELECT @w
         SELECT SQL_CALC_FOUND_ROWS @s := id FROM p ORDER BY id LIMIT 1
         SELECT FOUND_ROWS()
         SELECT @s
         SELECT @t := 'ä€😀', @u := _latin1 x'e4', @v := _binary 'ab'
         SELECT @t, HEX(@t), CHARSET(@t), @u, CHARSET(@u), HEX(@u), CHARSET(@v), HEX(@v)
         SELECT @bad := 1, nope FROM p
         SELECT @bad
         DELETE FROM p WHERE id = 9
         SET @j = JSON_OBJECT('a', 1)
         SELECT @j, JSON_EXTRACT(@j, '$.a')
         DO @q := 4
         SELECT @q
         BEGIN
         SELECT @q := @q + 1
         INSERT INTO p VALUES (10, 'x')
         ROLLBACK
         SELECT @q",
    );
}

#[test]
fn what_a_procedure_leaves_behind_is_noticed() {
    // Some of what it does keeps a connection.
    let logical = plain("procedures", 2);
    routines(
        &logical,
        &[
            "CREATE PROCEDURE harmless() BEGIN SELECT 1; END",
            "CREATE PROCEDURE out1(IN a INT, OUT b INT, INOUT c VARCHAR(10)) BEGIN SET b = a + 1; SET c = CONCAT(c, 'x'); END",
            "CREATE PROCEDURE manual() BEGIN SET autocommit = 0; END",
            "CREATE PROCEDURE mode() BEGIN SET SESSION lock_wait_timeout = 33, sql_mode = 'ANSI'; END",
            "CREATE PROCEDURE begins() BEGIN START TRANSACTION; INSERT INTO p VALUES (20, 'q'); END",
            "CREATE PROCEDURE fails() BEGIN START TRANSACTION; INSERT INTO p VALUES (21, 'q'); SIGNAL SQLSTATE '45000'; END",
            "CREATE PROCEDURE hidden() BEGIN SELECT 42 INTO @hidden; END",
            "CREATE PROCEDURE temporary() BEGIN CREATE TEMPORARY TABLE made (a INT); INSERT INTO made VALUES (1); END",
        ],
    );
    same(
        &logical,
        "SET @y = 'b'
         CALL out1(4, @x, @y)
         SELECT @x, @y
         CALL mode()
         SELECT @@lock_wait_timeout, @@sql_mode
         SELECT \"id\" FROM p WHERE id = 1
         CALL begins()
         SELECT COUNT(*) FROM p
         ROLLBACK
         SELECT COUNT(*) FROM p
         CALL fails()
         SELECT COUNT(*) FROM p
         ROLLBACK
         SELECT COUNT(*) FROM p
         CALL hidden()
         SELECT @hidden
         CALL temporary()
         SELECT a FROM made",
    );
    let (mut client, mut other) = (logical.client(), Other::new(&logical));
    client.run("CALL manual()");
    other.looks("CALL manual()");
    assert_eq!(client.value("SELECT @@autocommit"), "0");
    client.run("INSERT INTO p VALUES (30, 'm')");
    other.looks("INSERT");
    assert_eq!(other.client.value("SELECT COUNT(*) FROM p WHERE id = 30"), "0");
    client.run("ROLLBACK");
    assert_eq!(client.value("SELECT COUNT(*) FROM p WHERE id = 30"), "0");
}

#[test]
fn a_procedure_without_a_trace_keeps_no_connection() {
    let logical = plain("harmless", 1);
    routines(
        &logical,
        &[
            "CREATE PROCEDURE counts(IN least INT, OUT n INT) BEGIN SELECT COUNT(*) INTO n FROM p WHERE id >= least; END",
        ],
    );
    same(&logical, "CALL counts(2, @x)\nSELECT @x");
}

/// What ties a connection, with what ends that.
const TIES: [(&str, &str); 7] = [
    ("CREATE TEMPORARY TABLE tmp (a INT)", "DROP TEMPORARY TABLE tmp"),
    ("CREATE TEMPORARY TABLE tmp2 SELECT 1 AS a", "DROP TABLE tmp2"),
    ("SELECT GET_LOCK('state', 0)", "SELECT RELEASE_LOCK('state')"),
    ("DO GET_LOCK('a', 0), GET_LOCK('b', 0)", "DO RELEASE_ALL_LOCKS()"),
    ("LOCK TABLES p READ", "UNLOCK TABLES"),
    ("LOCK TABLES p READ ", "BEGIN\nCOMMIT"),
    ("HANDLER p OPEN AS h", "HANDLER h CLOSE"),
];

#[test]
fn a_connection_is_given_back_when_what_tied_it_is_over() {
    let logical = plain("ties", 1);
    for (tie, end) in TIES {
        let (mut client, mut other) = (logical.client(), Other::new(&logical));
        client.run(tie);
        end.lines().for_each(|text| drop(client.run(text)));
        other.looks(tie);
    }
}

#[test]
fn a_session_that_ends_or_is_reset_leaves_nothing_behind() {
    let logical = plain("left_over", 1);
    let mut other = Other::new(&logical);
    let connection = other.client.value("SELECT 1 FROM p LIMIT 1");
    assert_eq!(connection, "1");
    let server = |client: &mut Client| client.value("SELECT @@pseudo_thread_id");
    let thread = server(&mut other.client);
    for (tie, _) in TIES {
        let mut client = logical.client();
        client.run(tie);
        client.run("SET @x = 'theirs', sql_mode = ''");
        client.simple(b"\x1f").unwrap();
        other.looks(tie);
        assert_eq!(client.rows("SELECT @x, @y"), [["NULL", "NULL"]]);
        client.run(tie);
        client.run("BEGIN");
        client.run("INSERT INTO p VALUES (77, 'l')");
        drop(client);
        other.looks(tie);
        assert_eq!(other.client.value("SELECT COUNT(*) FROM p WHERE id = 77"), "0", "{tie}");
    }
    // The server's connection is still the same: it was cleansed, not closed.
    assert_eq!(server(&mut other.client), thread);
}

#[test]
fn what_ties_a_connection_is_there_as_long_as_it_is_wanted() {
    let logical = plain("tied", 2);
    same(
        &logical,
        "CREATE TEMPORARY TABLE t1 (a INT)
         CREATE TEMPORARY TABLE t2 (a INT)
         INSERT INTO t1 VALUES (1), (2)
         DROP TEMPORARY TABLE t2
         SELECT COUNT(*) FROM t1
         SELECT @x := COUNT(*) FROM t1
         DROP TABLE t1
         SELECT COUNT(*) FROM t1
         SELECT GET_LOCK('one', 0), GET_LOCK('two', 0)
         SELECT RELEASE_LOCK('one')
         SELECT IS_USED_LOCK('two') = CONNECTION_ID(), IS_FREE_LOCK('one')
         SELECT RELEASE_LOCK('two'), RELEASE_LOCK('two')
         SELECT IS_FREE_LOCK('two')
         HANDLER p OPEN
         HANDLER p READ FIRST
         HANDLER p READ NEXT
         HANDLER p CLOSE
         HANDLER p READ NEXT",
    );
    let (mut client, mut second) = (logical.client(), logical.client());
    client.run("SELECT GET_LOCK('held', 0)");
    assert_eq!(second.value("SELECT GET_LOCK('held', 0)"), "0");
    assert_eq!(second.value("SELECT IS_FREE_LOCK('held')"), "0");
    client.run("SELECT RELEASE_LOCK('held')");
    assert_eq!(second.value("SELECT GET_LOCK('held', 0)"), "1");
}

#[test]
fn prepared_statements_mean_what_their_own_session_has_set() {
    let logical = plain("prepared", 1);
    let texts = [
        ("ANSI_QUOTES", "SELECT \"id\" FROM p ORDER BY id LIMIT 1"),
        ("", "SELECT \"id\" FROM p ORDER BY id LIMIT 1"),
        ("PIPES_AS_CONCAT", "SELECT 1 || 0"),
        ("", "SELECT 1 || 0"),
        ("NO_BACKSLASH_ESCAPES", "SELECT 'a\\\\b'"),
        ("", "SELECT 'a\\\\b'"),
    ];
    let mut pairs: Vec<_> = texts
        .iter()
        .map(|(mode, text)| {
            let (mut plain, mut proxied) = (logical.plain(), logical.client());
            for client in [&mut plain, &mut proxied] {
                client.run(format!("SET sql_mode = '{mode}'"));
            }
            let prepared = (plain.prepare(text).unwrap().id, proxied.prepare(text).unwrap().id);
            (plain, proxied, prepared, *text)
        })
        .collect();
    for _ in 0..3 {
        for (plain, proxied, (theirs, ours), text) in &mut pairs {
            let (expected, told) =
                (plain.execute(*theirs, &[]).unwrap(), proxied.execute(*ours, &[]).unwrap());
            assert_eq!(differ(&expected, &told, &Rules::default()), None, "{text}");
        }
    }
}
