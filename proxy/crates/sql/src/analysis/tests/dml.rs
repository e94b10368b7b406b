use super::*;

fn insert(read: &Read) -> &crate::Insert {
    match &read.statement.body {
        Body::Insert(insert) => insert,
        body => panic!("{}: {body:?}", read.text),
    }
}

#[test]
fn updates() {
    for (text, tables, sets, expected, owners) in [
        ("UPDATE sbtest1 SET k=k+1 WHERE id=?", "sbtest1", "k = ?", "id = #1", ""),
        ("UPDATE sbtest1 SET c=? WHERE id=5", "sbtest1", "c = #0", "id = #1", ""),
        (
            "UPDATE LOW_PRIORITY IGNORE t SET a = DEFAULT, t.b := -1, c = NULL",
            "t",
            "a = default, t.b = -#0, c = null",
            "true",
            "0:t",
        ),
        (
            "UPDATE db.t AS x SET x.a = 1 WHERE x.id = 2 ORDER BY a LIMIT 1",
            "db.t x",
            "x.a = #0",
            "x.id = #1",
            "",
        ),
        (
            "UPDATE a, b SET a.x = b.x WHERE a.id = b.id",
            "a, b",
            "a.x = ?",
            "a.id == b.id",
            "0:a, 1:b, 0:a, 1:b",
        ),
        ("UPDATE a JOIN b ON a.id = b.id SET a.x = 1", "a, b", "a.x = #0", "a.id == b.id", "0:a, 1:b, 0:a"),
        ("UPDATE t SET a = (SELECT MAX(x) FROM u) WHERE id = 1", "t, (u)", "a = ?", "id = #0", ""),
        (
            "WITH c AS (SELECT 1) UPDATE t, c SET t.a = 1 WHERE t.id = 2 AND b = 3",
            "t",
            "t.a = #1",
            "and(t.id = #2, ?)",
            "0:t, 0:t",
        ),
    ] {
        let read = read(text);
        assert_eq!(read.tables(), tables, "{text}");
        assert_eq!(set(&read.modify().set), sets, "{text}");
        assert_eq!(filter(&read.modify().filter), expected, "{text}");
        assert_eq!(read.owners(), owners, "{text}");
        assert!(matches!(read.statement.body, Body::Update(_)));
    }
}

#[test]
fn deletes() {
    for (text, tables, expected, owners) in [
        ("DELETE FROM sbtest1 WHERE id=?", "sbtest1", "id = #0", ""),
        ("DELETE LOW_PRIORITY QUICK IGNORE FROM t", "t", "true", ""),
        ("DELETE FROM t AS x PARTITION (p0) WHERE x.id = 1", "t x", "x.id = #0", ""),
        ("DELETE FROM t WHERE t.id = 1 ORDER BY a LIMIT 1", "t", "t.id = #0", "0:t"),
        ("DELETE t FROM t JOIN u ON t.id = u.id", "t, u", "t.id == u.id", "0:t, 0:t, 1:u"),
        ("DELETE db.t.*, u FROM db.t, u x", "db.t, u x", "true", "0:db.t"),
        ("DELETE FROM t.*, u USING t, u WHERE t.id = u.id", "t, u", "t.id == u.id", "0:t, 1:u, 0:t, 1:u"),
        ("DELETE FROM t USING t JOIN u", "t, u", "true", "0:t"),
        ("DELETE FROM t WHERE id IN (SELECT id FROM u)", "t, (u)", "id within 1", ""),
        ("WITH c AS (SELECT u.a FROM u) DELETE FROM t WHERE t.id = 1", "(u), t", "t.id = #0", "0:u, 1:t"),
    ] {
        let read = read(text);
        assert_eq!(read.tables(), tables, "{text}");
        assert_eq!(filter(&read.modify().filter), expected, "{text}");
        assert_eq!(read.owners(), owners, "{text}");
        assert!(matches!(read.statement.body, Body::Delete(_)));
    }
}

#[test]
fn flags_of_updates_and_deletes() {
    for (text, ordered, limited, multi, subquery) in [
        ("UPDATE t SET a = 1", false, false, false, false),
        ("UPDATE t SET a = 1 ORDER BY b LIMIT 1", true, true, false, false),
        ("DELETE FROM t LIMIT 5", false, true, false, false),
        ("UPDATE a, b SET a.x = 1", false, false, true, false),
        ("DELETE a FROM a JOIN b", false, false, true, false),
        ("DELETE a FROM a WHERE id = (SELECT 1)", false, false, false, true),
        ("UPDATE t, (SELECT 1 AS x) y SET a = 1", false, false, true, false),
    ] {
        let read = read(text);
        let modify = read.modify();
        let found = (modify.ordered, modify.limited, modify.multi, modify.subquery);
        assert_eq!(found, (ordered, limited, multi, subquery), "{text}");
    }
}

#[test]
fn inserts() {
    for (text, columns, rows) in [
        (
            "INSERT INTO sbtest1 (id, k, c, pad) VALUES (?, ?, ?, ?)",
            "id k c pad",
            &["#0 #1 #2 #3 ⟦(?, ?, ?, ?)⟧"][..],
        ),
        (
            "INSERT INTO sbtest1(k, c) VALUES(1, 'a'),(2, 'b')",
            "k c",
            &["#0 #1 ⟦(1, 'a')⟧", "#2 #3 ⟦(2, 'b')⟧"],
        ),
        ("INSERT sbtest1 VALUES(1,2),\n (-3, 4+5)", "", &["#0 #1 ⟦(1,2)⟧", "-#2 (#3+#4) ⟦(-3, 4+5)⟧"]),
        (
            "INSERT DELAYED IGNORE INTO t (t.a, `b c`) VALUE (DEFAULT, NOW())",
            "a b c",
            &["default ? ⟦(DEFAULT, NOW())⟧"],
        ),
        ("REPLACE LOW_PRIORITY INTO db.t PARTITION (p0) () VALUES ()", "", &[" ⟦()⟧"]),
        (
            "INSERT INTO t VALUES ROW(1, NULL), ROW('a' 'b', TRUE)",
            "",
            &["#0 null ⟦ROW(1, NULL)⟧", "? true ⟦ROW('a' 'b', TRUE)⟧"],
        ),
        ("INSERT INTO t SET a = 1, b = DEFAULT", "a b", &["#0 default"]),
        ("INSERT INTO t SELECT * FROM u", "", &["query"]),
        ("INSERT INTO t (a) (SELECT 1)", "a", &["query"]),
        ("INSERT INTO t ((SELECT 1))", "", &["query"]),
        ("INSERT INTO t WITH c AS (SELECT 1) SELECT * FROM c", "", &["query"]),
        ("INSERT INTO t TABLE u", "", &["query"]),
        ("INSERT INTO t VALUES (/* a */ 1 /* b */, 2)", "", &["#1 #3 ⟦(/* a */ 1 /* b */, 2)⟧"]),
    ] {
        let read = read(text);
        let insert = insert(&read);
        assert_eq!(insert.columns.join(" "), columns, "{text}");
        assert_eq!(read.rows(), rows, "{text}");
        assert_eq!(insert.table, 0);
        assert_eq!(insert.replace, text.starts_with("REPLACE"));
        assert_eq!(insert.ignore, text.contains("IGNORE"));
    }
}

#[test]
fn column_lists_have_a_span() {
    let text = "INSERT INTO t (a, `b`) VALUES (1, 2)";
    let read = read(text);
    assert_eq!(insert(&read).columns_span.map(|span| read.span(span)), Some("(a, `b`)"));
    assert_eq!(insert(&super::read("INSERT INTO t VALUES (1)")).columns_span, None);
}

#[test]
fn duplicates_know_the_value_that_would_have_been_inserted() {
    for (text, expected, owners) in [
        (
            "INSERT INTO t (a, b) VALUES (1, 2) ON DUPLICATE KEY UPDATE b = VALUES(b), t.a = 5",
            "b = values(b), t.a = #2",
            "0:t",
        ),
        (
            "INSERT INTO t (a, b) VALUES (1, 2) AS new ON DUPLICATE KEY UPDATE b = new.b, a = a + 1, b = a",
            "b = values(b), a = ?, b = ?",
            "",
        ),
        (
            "INSERT INTO t (a, b) VALUES (1, 2) AS new(x, y) ON DUPLICATE KEY UPDATE b = y, a = new.x",
            "b = values(b), a = values(a)",
            "",
        ),
        ("INSERT INTO t SELECT u.a FROM u ON DUPLICATE KEY UPDATE b = u.b + t.b", "b = ?", "1:u, 1:u, 0:t"),
        ("INSERT INTO t SET a = 1 ON DUPLICATE KEY UPDATE a = VALUES(t.a)", "a = values(a)", "0:t"),
    ] {
        let read = read(text);
        assert_eq!(set(&insert(&read).on_duplicate), expected, "{text}");
        assert_eq!(read.owners(), owners, "{text}");
    }
}

#[test]
fn an_inserted_query_is_read_like_any_other() {
    let read = read("INSERT INTO t (a) SELECT u.x FROM u WHERE u.id = 7");
    let InsertSource::Query(query) = &insert(&read).source else { panic!() };
    assert_eq!(filter(&query.filter), "u.id = #0");
    assert_eq!(read.tables(), "t, u");
    assert_eq!(read.owners(), "1:u, 1:u");
}
