//! What is answered: several statements in a text, several results of one, and all of it as one MySQL answers.

mod kinds;
mod named;

use std::sync::LazyLock;

use weir_tests::{Bed, Client, Failure, Logical, MODERN, OLD, Prepared, Reply, Rules, differ, execute};
use wire::caps::Capabilities;
use wire::command::code;
use wire::value::Value;

use kinds::kinds;
use named::NAMED;

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
    for capabilities in [MODERN, OLD] {
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

const ALIVE: &str = "the connection should live";

/// A session with the plain server and one with the proxy that do the same.
struct Pair {
    plain: Client,
    proxied: Client,
    /// Statements by the order of their preparation, as each side knows them.
    statements: Vec<(Prepared, Prepared)>,
}

impl Pair {
    fn new(logical: &Logical<'_>, capabilities: Capabilities) -> Self {
        let plain = logical.bed.plain().database(&logical.name).capabilities(capabilities).client();
        let proxied = logical.account().capabilities(capabilities).client();
        Self { plain, proxied, statements: Vec::new() }
    }

    #[track_caller]
    fn query(&mut self, text: &str) {
        same(text, &self.plain.replies(text), &self.proxied.replies(text), &Rules::default());
    }

    /// Both prepare it.
    #[track_caller]
    fn prepare(&mut self, text: &str) -> usize {
        let (plain, proxied) =
            (self.plain.prepare(text).expect(ALIVE), self.proxied.prepare(text).expect(ALIVE));
        assert_eq!((plain.parameters, &plain.columns), (proxied.parameters, &proxied.columns), "{text}");
        self.statements.push((plain, proxied));
        self.statements.len() - 1
    }

    #[track_caller]
    fn execute(&mut self, statement: usize, flags: u8, parameters: &[Value<'_>]) {
        let (plain, proxied) = &self.statements[statement];
        let expected = self.plain.execute_with(plain.id, flags, parameters).expect(ALIVE);
        let told = self.proxied.execute_with(proxied.id, flags, parameters).expect(ALIVE);
        same(&format!("execute {statement} with {flags}"), &expected, &told, &Rules::default());
    }

    /// The packets of a result set of one column and one row, one of two columns and one row, and an OK are the same:
    /// what tells of OUT parameters is not where clients look for more results otherwise.
    #[track_caller]
    fn packets(&mut self, statement: usize, capabilities: Capabilities, parameters: &[Value<'_>]) {
        let (plain, proxied) = &self.statements[statement];
        let count = if capabilities.contains(Capabilities::DEPRECATE_EOF) { 10 } else { 12 };
        let packets = |client: &mut Client, id: u32| -> Vec<Vec<u8>> {
            client.command(&execute(id, parameters, true).expect(ALIVE)).expect(ALIVE);
            (0..count).map(|_| client.receive().expect(ALIVE)).collect()
        };
        let (mut expected, mut told) =
            (packets(&mut self.plain, plain.id), packets(&mut self.proxied, proxied.id));
        if count == 12 {
            // Whether more follows is not known there yet, and nobody asks.
            expected[2].clear();
            told[2].clear();
        }
        assert_eq!(expected, told);
    }

    #[track_caller]
    fn fetch(&mut self, statement: usize, rows: u32) {
        let (plain, proxied) = &self.statements[statement];
        let own = |reply: Result<Reply, Failure>, id: u32| match reply.expect(ALIVE) {
            // The text names the number of the statement, which is not the same.
            Reply::Error(mut fault) => {
                fault.text = fault.text.replace(&format!("({id})"), "(id)");
                Reply::Error(fault)
            }
            reply => reply,
        };
        let expected = own(self.plain.fetch(plain, rows), plain.id);
        let told = own(self.proxied.fetch(proxied, rows), proxied.id);
        same(&format!("fetch {rows} of {statement}"), &[expected], &[told], &Rules::default());
    }

    #[track_caller]
    fn simple(&mut self, code: u8, statement: usize) {
        let (plain, proxied) = &self.statements[statement];
        let payload = |id: u32| [&[code][..], &id.to_le_bytes()].concat();
        let (expected, told) = (payload(plain.id), payload(proxied.id));
        if code == code::STMT_CLOSE {
            self.plain.command(&expected).expect(ALIVE);
            self.proxied.command(&told).expect(ALIVE);
        } else {
            let (expected, told) =
                (self.plain.simple(&expected).expect(ALIVE), self.proxied.simple(&told).expect(ALIVE));
            same("command", &[expected], &[told], &Rules::default());
        }
    }
}

#[test]
fn cursors_give_rows_piece_by_piece() {
    let logical = database("cursors");
    for capabilities in [MODERN, OLD] {
        let mut pair = Pair::new(&logical, capabilities);
        pair.query("DELETE FROM p");
        pair.query("INSERT INTO p VALUES (1, 'a'), (2, NULL), (3, 'c'), (4, 'd'), (5, 'e')");
        let all = pair.prepare("SELECT id, c FROM p ORDER BY id");
        pair.fetch(all, 2);
        pair.execute(all, 1, &[]);
        pair.fetch(all, 2);
        // Whatever else the session does.
        pair.query("BEGIN");
        pair.fetch(all, 1);
        pair.query("UPDATE p SET c = 'z'");
        pair.fetch(all, 0);
        pair.query("COMMIT");
        pair.fetch(all, 1);
        pair.query("SELECT nope FROM p");
        pair.fetch(all, 9);
        pair.fetch(all, 1);
        // Exactly all rows are not the last.
        pair.execute(all, 1, &[]);
        pair.fetch(all, 5);
        pair.fetch(all, 5);
        pair.fetch(all, 5);
        // Executed once more, reset, closed.
        pair.execute(all, 1, &[]);
        pair.fetch(all, 2);
        pair.execute(all, 1, &[]);
        pair.fetch(all, 2);
        pair.simple(code::STMT_RESET, all);
        pair.fetch(all, 2);
        pair.simple(code::STMT_RESET, all);
        // Two at once, of one text.
        let again = pair.prepare("SELECT id, c FROM p ORDER BY id");
        pair.execute(all, 1, &[]);
        pair.execute(again, 1, &[]);
        pair.fetch(all, 2);
        pair.fetch(again, 3);
        pair.fetch(all, 2);
        pair.simple(code::STMT_CLOSE, all);
        pair.fetch(again, 3);
        pair.fetch(again, 3);
        // Parameters, nothing found, no rows at all, and what has no cursor.
        let one = pair.prepare("SELECT c FROM p WHERE id > ?");
        pair.execute(one, 1, &[Value::Int(3)]);
        pair.fetch(one, 9);
        pair.execute(one, 1, &[Value::Int(99)]);
        pair.fetch(one, 9);
        let insert = pair.prepare("INSERT INTO p (c) VALUES (?)");
        pair.execute(insert, 1, &[Value::Bytes(b"x")]);
        pair.fetch(insert, 1);
        for (text, flags) in [
            ("SELECT id FROM p WHERE id = 1", 2),
            ("SELECT id FROM p WHERE id = 1", 3),
            ("SELECT c FROM p WHERE FALSE", 1),
        ] {
            let statement = pair.prepare(text);
            pair.execute(statement, flags, &[]);
            pair.fetch(statement, 1);
        }
    }
}

#[test]
fn a_cursor_holds_its_connection_and_no_longer() {
    let logical = bed().bare("held");
    logical.register(0, "\"maximumPoolSize\"=1, \"minimumIdle\"=0");
    let mut client = logical.client();
    client.run("CREATE TABLE p (id INT NOT NULL PRIMARY KEY)");
    client.run("INSERT INTO p VALUES (1), (2), (3)");
    let mut other = logical.client();
    let (text, rows) = ("SELECT id FROM p", vec![["1"], ["2"], ["3"]]);
    let prepared = client.prepare(text).unwrap();
    let opens = |client: &mut Client| {
        let opened = client.execute_with(prepared.id, 1, &[]).unwrap();
        assert!(opened[0].clone().table().rows.is_empty());
        client.fetch(&prepared, 1).unwrap().table()
    };
    // Read to its end, reset, run again without, closed with the statement, and with the session.
    opens(&mut client);
    assert_eq!(client.fetch(&prepared, 9).unwrap().table().rows.len(), 2);
    assert_eq!(other.rows(text), rows);
    assert_eq!(other.binary(text, &[]).unwrap().table().text(), rows);
    opens(&mut client);
    client.simple(&[&[code::STMT_RESET][..], &prepared.id.to_le_bytes()].concat()).unwrap();
    assert_eq!(other.binary(text, &[]).unwrap().table().text(), rows);
    opens(&mut client);
    assert_eq!(client.execute(prepared.id, &[]).unwrap().table().text(), rows);
    assert_eq!(other.binary(text, &[]).unwrap().table().text(), rows);
    opens(&mut client);
    client.simple(&[code::RESET_CONNECTION]).unwrap();
    assert_eq!(other.binary(text, &[]).unwrap().table().text(), rows);
    let prepared = client.prepare(text).unwrap();
    client.execute_with(prepared.id, 1, &[]).unwrap();
    client.close(prepared.id).unwrap();
    assert_eq!(other.binary(text, &[]).unwrap().table().text(), rows);
    let prepared = client.prepare(text).unwrap();
    client.execute_with(prepared.id, 1, &[]).unwrap();
    client.vanish();
    assert_eq!(other.binary(text, &[]).unwrap().table().text(), rows);
}

#[test]
fn rows_of_a_cursor_are_decorated_and_those_of_many_nodes_come_at_once() {
    let logical = database("decorated");
    let mut client = logical.client();
    client.run("CREATE MASK RULE p (COLUMNS((NAME=c, TYPE(NAME='KEEP_FIRST_N_LAST_M', PROPERTIES('first-n'=1, 'last-m'=0, 'replace-char'='*')))))");
    client.run("INSERT INTO p VALUES (1, 'abc'), (2, NULL), (3, 'def')");
    client.run("INSERT INTO t VALUES (1, 'abc'), (2, 'x'), (13, 'def')");
    for flags in [0, 1] {
        let prepared = client.prepare("SELECT id, c FROM p ORDER BY id").unwrap();
        let mut rows = client.execute_with(prepared.id, flags, &[]).unwrap().remove(0).table().text();
        assert_eq!(rows.is_empty(), flags == 1);
        for _ in 0..2 * flags {
            rows.extend(client.fetch(&prepared, 2).unwrap().table().text());
        }
        assert_eq!(rows, [["1", "a**"], ["2", "NULL"], ["3", "d**"]], "{flags}");
    }
    let prepared = client.prepare("SELECT id, c FROM t WHERE id > ? ORDER BY id").unwrap();
    let rows = client.execute_with(prepared.id, 1, &[Value::Int(1)]).unwrap().remove(0).table();
    assert_eq!(rows.text(), [["2", "x"], ["13", "def"]]);
    assert_eq!(client.fetch(&prepared, 1).unwrap().fault().code, 1421);
    let prepared = client.prepare("SELECT c FROM t WHERE id = ?").unwrap();
    let opened = client.execute_with(prepared.id, 1, &[Value::Int(13)]).unwrap().remove(0).table();
    assert!(opened.rows.is_empty());
    assert_eq!(client.fetch(&prepared, 1).unwrap().table().text(), [["def"]]);
}

const PROCEDURES: &[&str] = &[
    "CREATE PROCEDURE none() BEGIN END",
    "CREATE PROCEDURE two(n INT) BEGIN SELECT id, c FROM p WHERE id < n ORDER BY id; SELECT n, 'x' AS x; END",
    "CREATE PROCEDURE fails() BEGIN SELECT 1; SELECT nope FROM p; SELECT 2; END",
    "CREATE PROCEDURE warns() BEGIN SELECT 1; INSERT IGNORE INTO p VALUES (1, 'again'); END",
    "CREATE PROCEDURE gives(IN a INT, OUT b VARCHAR(9), INOUT c DECIMAL(5,2)) BEGIN SELECT a; SET b = CONCAT('b', a), c = c + 1.5; END",
    "CREATE PROCEDURE begins() BEGIN START TRANSACTION; INSERT INTO p VALUES (77, 'x'); SELECT 1; END",
];

#[test]
fn calls_give_every_result() {
    let logical = database("calls");
    for capabilities in [MODERN, OLD] {
        let mut pair = Pair::new(&logical, capabilities);
        pair.query("DELETE FROM p");
        pair.query("INSERT INTO p VALUES (1, 'a'), (2, NULL), (3, 'c')");
        for text in PROCEDURES {
            let name = text.split(' ').nth(2).unwrap().split('(').next().unwrap();
            pair.query(&format!("DROP PROCEDURE IF EXISTS {name}"));
            pair.query(text);
        }
        for text in [
            "CALL none()",
            "CALL two(3)",
            "CALL two(0)",
            "CALL fails()",
            "SELECT 1",
            "CALL warns()",
            "CALL nope()",
            "CALL begins()",
            "SELECT COUNT(*) FROM p",
            "ROLLBACK",
        ] {
            pair.query(text);
            if text.starts_with("CALL") && !text.contains("begins") && !text.contains("nope") {
                let statement = pair.prepare(text);
                pair.execute(statement, 0, &[]);
                pair.execute(statement, 1, &[]);
            }
        }
        let two = pair.prepare("CALL two(?)");
        pair.execute(two, 0, &[Value::Int(2)]);
        pair.execute(two, 1, &[Value::Int(2)]);
        pair.execute(two, 0, &[Value::Null]);
        let gives = pair.prepare("CALL gives(?, ?, ?)");
        pair.packets(gives, capabilities, &[Value::Int(7), Value::Null, Value::Bytes(b"2.25")]);
        pair.packets(gives, capabilities, &[Value::Null, Value::Bytes(b"in"), Value::Double(0.5)]);
        pair.query("SET @b = 0, @c = 1");
        pair.query("SELECT COUNT(*) FROM p");
    }
}

#[test]
fn statements_of_sql_go_where_their_rows_are() {
    let logical = database("named");
    kinds(&logical);
    let (mut plain, mut proxied) = several(&logical, MODERN);
    for text in [
        "INSERT INTO t VALUES (1, 'a'), (2, 'b'), (13, 'c')",
        "INSERT INTO p (c) VALUES ('a')",
        "CREATE PROCEDURE sums(IN a INT, OUT b INT) BEGIN SELECT a; SET b = a + 40; END",
    ] {
        same(text, &plain.replies(text), &proxied.replies(text), &Rules::default());
    }
    for text in NAMED {
        same(text, &plain.replies(text), &proxied.replies(text), &Rules::default());
    }
    for text in ["PREPARE s FROM 'SELEC 1'", "SET @a=NULL; PREPARE s FROM @a"] {
        let rules = Rules { worded: true, ..Rules::default() };
        same(text, &plain.replies(text), &proxied.replies(text), &rules);
    }
    let (mut plain, mut proxied) = several(&logical, OLD);
    for text in NAMED {
        same(text, &plain.replies(text), &proxied.replies(text), &Rules::default());
    }
}

#[test]
fn values_of_every_type_pass_in_both_forms() {
    let logical = database("kinds");
    kinds(&logical);
    for capabilities in [MODERN, OLD] {
        let mut pair = Pair::new(&logical, capabilities);
        for text in [
            "SELECT * FROM kinds WHERE id = 1",
            "SELECT * FROM kinds WHERE id = 13",
            "SELECT * FROM kinds ORDER BY id",
            "SELECT i, j, p, q, id FROM kinds ORDER BY h, id",
            "SELECT MIN(a), MAX(b), MIN(h), MAX(y), MAX(u), SUM(e), MIN(z) FROM kinds",
            "SELECT y, COUNT(*) FROM kinds GROUP BY y ORDER BY y",
        ] {
            let rules = Rules { ordered: true, ..Rules::default() };
            same(text, &[pair.plain.query(text)], &[pair.proxied.query(text)], &rules);
            let (plain, proxied) =
                (pair.plain.binary(text, &[]).unwrap(), pair.proxied.binary(text, &[]).unwrap());
            same(text, &[plain], &[proxied], &rules);
            for cursor in [0, 1] {
                if text.contains("= 1") {
                    let statement = pair.prepare(text);
                    pair.execute(statement, cursor, &[]);
                    if cursor == 1 {
                        pair.fetch(statement, 1);
                        pair.fetch(statement, 1);
                    }
                }
            }
        }
    }
}

#[test]
fn a_statement_prepared_before_its_table_changed_tells_the_new_columns() {
    let logical = database("altered");
    let mut pair = Pair::new(&logical, MODERN);
    pair.query("INSERT INTO p VALUES (1, 'a')");
    pair.query("INSERT INTO t VALUES (1, 'a'), (2, 'b')");
    let all = pair.prepare("SELECT * FROM p");
    let one = pair.prepare("SELECT * FROM t WHERE id = ?");
    let many = pair.prepare("SELECT * FROM t ORDER BY id");
    let check = |pair: &mut Pair| {
        pair.execute(all, 0, &[]);
        pair.execute(one, 0, &[Value::Int(2)]);
        pair.execute(many, 0, &[]);
        pair.execute(all, 1, &[]);
        pair.fetch(all, 9);
    };
    check(&mut pair);
    for text in ["ALTER TABLE p ADD COLUMN d INT DEFAULT 7", "ALTER TABLE t ADD COLUMN d INT DEFAULT 7"] {
        pair.query(text);
    }
    check(&mut pair);
    // By another session.
    let mut other = Pair::new(&logical, MODERN);
    for text in ["ALTER TABLE p MODIFY COLUMN d VARCHAR(9)", "ALTER TABLE t DROP COLUMN c"] {
        other.query(text);
    }
    check(&mut pair);
    other.query("DROP TABLE p");
    pair.execute(all, 0, &[]);
    other.query("CREATE TABLE p (e DATE)");
    pair.execute(all, 0, &[]);
}

#[test]
fn parameters_are_taken_as_a_server_takes_them() {
    let logical = database("parameters");
    let mut pair = Pair::new(&logical, MODERN);
    pair.query("INSERT INTO p VALUES (1, 'a'), (2, NULL)");
    for values in [
        [Value::Int(5), Value::Bytes(b"it's \\ a \"text\"")],
        [Value::Double(2.5), Value::Bytes(b"n")],
        [Value::UInt(u64::MAX), Value::Bytes(b"")],
    ] {
        let set = pair.prepare("SET @b = ?, @c = ?");
        pair.execute(set, 0, &values);
        pair.query("SELECT @b, @c");
    }
    let row = pair.prepare("SELECT id FROM p WHERE c <=> ? AND id > ?");
    for values in
        [[Value::Null, Value::Int(0)], [Value::Bytes(b"a"), Value::Bytes(b"0")], [Value::Int(0), Value::Null]]
    {
        pair.execute(row, 0, &values);
    }
    // Long data for one that is NULL in the packet, for no parameter at all, and with a number that is not there.
    let insert = pair.prepare("INSERT INTO p (c) VALUES (?)");
    let long = |pair: &mut Pair, parameter: u16, data: &[u8]| {
        let (plain, proxied) = &pair.statements[insert];
        for (client, id) in [(&mut pair.plain, plain.id), (&mut pair.proxied, proxied.id)] {
            let mut payload = bytes::BytesMut::new();
            wire::command::put_long_data(&mut payload, id, parameter, data);
            client.command(&payload).unwrap();
        }
    };
    long(&mut pair, 0, b"l");
    long(&mut pair, 0, b"o");
    pair.execute(insert, 0, &[Value::Null]);
    long(&mut pair, 0, b"l");
    long(&mut pair, 0, b"o");
    pair.execute(insert, 0, &[Value::Bytes(b"")]);
    pair.query("SELECT c FROM p WHERE id > 2");
    long(&mut pair, 1, b"x");
    pair.execute(insert, 0, &[Value::Bytes(b"y")]);
    pair.execute(insert, 0, &[Value::Bytes(b"y")]);
    long(&mut pair, 0, b"z");
    pair.simple(code::STMT_RESET, insert);
    pair.execute(insert, 0, &[Value::Bytes(b"r")]);
    pair.query("SELECT c FROM p ORDER BY id");
}
