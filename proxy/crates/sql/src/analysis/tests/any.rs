use super::*;
use proptest::prelude::*;

/// Every text of the stock `oltp_*.lua` and `bulk_insert.lua` of sysbench.
pub(super) const SYSBENCH: [&str; 30] = [
    "CREATE TABLE sbtest1(\n  id INTEGER NOT NULL AUTO_INCREMENT,\n  k INTEGER DEFAULT '0' NOT NULL,\n  c CHAR(120) DEFAULT '' NOT NULL,\n  pad CHAR(60) DEFAULT '' NOT NULL,\n  PRIMARY KEY (id)\n) /*! ENGINE = innodb */ ",
    "CREATE TABLE sbtest1(\n  id INTEGER NOT NULL,\n  k INTEGER DEFAULT '0' NOT NULL,\n  c CHAR(120) DEFAULT '' NOT NULL,\n  pad CHAR(60) DEFAULT '' NOT NULL,\n  KEY xid (id)\n) /*! ENGINE = innodb */ ",
    "CREATE TABLE IF NOT EXISTS sbtest1 (\n          id INTEGER NOT NULL,\n          k INTEGER DEFAULT '0' NOT NULL,\n          PRIMARY KEY (id))",
    "CREATE INDEX k_1 ON sbtest1(k)",
    "DROP TABLE IF EXISTS sbtest1",
    "INSERT INTO sbtest1(k, c, pad) VALUES(2507, '68487932199-96439406143', '22195207048-70116052123'),(2512, '13241531885-45658403807', '31647228903-33944302400')",
    "INSERT INTO sbtest1(id, k, c, pad) VALUES(1, 2507, '68487932199-96439406143', '22195207048-70116052123')",
    "INSERT INTO sbtest1 VALUES(1,1),(2,2)",
    "INSERT INTO sbtest1 (id, k, c, pad) VALUES (-3, 2507, '68487932199', '22195207048')",
    "INSERT INTO sbtest1 (id, k, c, pad) VALUES (?, ?, ?, ?)",
    "SELECT c FROM sbtest1 WHERE id=?",
    "SELECT c FROM sbtest1 WHERE id=5046",
    "SELECT c FROM sbtest1 WHERE id BETWEEN ? AND ?",
    "SELECT SUM(k) FROM sbtest1 WHERE id BETWEEN ? AND ?",
    "SELECT c FROM sbtest1 WHERE id BETWEEN ? AND ? ORDER BY c",
    "SELECT DISTINCT c FROM sbtest1 WHERE id BETWEEN ? AND ? ORDER BY c",
    "UPDATE sbtest1 SET k=k+1 WHERE id=?",
    "UPDATE sbtest1 SET c=? WHERE id=?",
    "DELETE FROM sbtest1 WHERE id=?",
    "BEGIN",
    "COMMIT",
    "SET tmp_table_size=2*1024*1024*1024",
    "SET max_heap_table_size=2*1024*1024*1024",
    "ANALYZE TABLE sbtest1",
    "SELECT AVG(id) FROM (SELECT * FROM sbtest1 FORCE KEY (PRIMARY) LIMIT 10000) t",
    "SELECT COUNT(*) FROM (SELECT * FROM sbtest1 WHERE k LIKE '%0%' LIMIT 10000) t",
    "SELECT id, k, c, pad FROM sbtest1 WHERE k IN (?, ?, ?)",
    "SELECT count(k) FROM sbtest1 WHERE k BETWEEN ? AND ? OR k BETWEEN ? AND ?",
    "SELECT 1 FROM sbtest1 LIMIT 1",
    "ROLLBACK",
];

const MORE: [&str; 8] = [
    "WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT * FROM c JOIN u ON c.n = u.id LIMIT 5, ?",
    "INSERT INTO t (a, b) SELECT x, COUNT(DISTINCT y) FROM u GROUP BY x ON DUPLICATE KEY UPDATE b = VALUES(b) + 1",
    "SET @a = 1, GLOBAL b = 'c', @@session.d := (SELECT MAX(x) FROM t), NAMES utf8mb4 COLLATE utf8mb4_bin",
    "DELETE a.*, b FROM a JOIN b USING (id) WHERE a.x <=> 5 AND (a.y, b.z) IN ((1, 'x'), (-2, N'y'))",
    "SELECT t.*, RANK() OVER (PARTITION BY a ORDER BY b) r FROM t WHERE MATCH (a) AGAINST ('x' IN BOOLEAN MODE) FOR UPDATE",
    "ALTER TABLE t ADD CONSTRAINT f FOREIGN KEY (a) REFERENCES u (b), RENAME TO v /*!80000 , ALGORITHM=COPY */",
    "SHOW FULL COLUMNS FROM t FROM db WHERE Field LIKE 'a\\'b%' -- done",
    "EXPLAIN SELECT CASE WHEN a IS NULL THEN _utf8mb4'x' ELSE CAST(b AS CHAR(5)) END FROM {OJ a LEFT JOIN b ON 1}",
];

#[test]
fn every_text_of_sysbench_is_read() {
    for text in SYSBENCH {
        let read = read(text);
        let named = text.contains("sbtest1");
        assert_eq!(read.statement.tables.len(), usize::from(named), "{text}");
        assert!(read.statement.tables.iter().all(|table| table.name == "sbtest1"), "{text}");
        assert!(!matches!(read.statement.body, Body::Other(_)), "{text}");
        assert!(read.statement.pin.is_empty(), "{text}");
    }
}

#[test]
fn deep_nesting_is_an_error_and_long_chains_are_not() {
    let many = |count: usize, part: &str| part.repeat(count);
    for text in [
        format!("SELECT {}1{}", many(20_000, "("), many(20_000, ")")),
        format!("SELECT {}1", many(20_000, "-")),
        format!("SELECT {}1", many(20_000, "NOT ")),
        format!("SELECT {}1{}", many(20_000, "f("), many(20_000, ")")),
        format!("SELECT * FROM {}t{}", many(20_000, "("), many(20_000, ")")),
        format!("SELECT {}1", many(20_000, "(SELECT ")),
        format!("SELECT {}", many(20_000, "CASE ")),
        format!("{}SELECT 1", many(20_000, "(")),
        format!("SELECT 1 {}", many(20_000, "BETWEEN 1 AND 2 ")),
        format!("SELECT 1 {}", many(20_000, "BETWEEN 1 AND ")),
        format!("SELECT {}1", many(20_000, "@x := ")),
        format!("SELECT {}1", many(20_000, "INTERVAL ")),
        format!("SELECT {}1", many(20_000, "BINARY ")),
    ] {
        // In half of what a thread has, without optimisation.
        let copy = text.clone();
        let thread = std::thread::Builder::new().stack_size(1 << 20);
        let run = move || try_read(&copy, Mode::default()).unwrap().statement;
        let statement = thread.spawn(run).unwrap().join().unwrap();
        assert!(
            matches!(statement.unparsed, Some(Error::TooDeep { .. } | Error::Syntax { .. })),
            "{:.40}",
            text
        );
    }
    for text in [
        format!("SELECT 1{}", many(20_000, "+1")),
        format!("SELECT 1 FROM t WHERE a = 1{}", many(20_000, " AND a = 1")),
        format!("SELECT 1 FROM t WHERE a = 1{}", many(20_000, " OR a = 1")),
        format!("SELECT 1 FROM t WHERE a = 1{}", many(20_000, " XOR a = 1")),
        format!("SELECT 1 FROM t WHERE a IN (1{})", many(20_000, ",1")),
        format!("SELECT 1{}", many(10_000, " UNION SELECT 1")),
        format!("SELECT {}1{}", many(40, "("), many(40, ")")),
    ] {
        assert_eq!(read(&text).statement.unparsed, None);
    }
}

#[test]
fn a_bulk_insert_is_read_row_by_row() {
    let row =
        "(2507, '68487932199-96439406143-93774651418-41631865787', '22195207048-70116052123-74140395089')";
    let text = format!("INSERT INTO sbtest1(k, c, pad) VALUES{}", vec![row; 5_000].join(","));
    let read = read(&text);
    let rows = read.rows();
    assert_eq!(rows.len(), 5_000);
    assert_eq!(rows[4_999], format!("#14997 #14998 #14999 ⟦{row}⟧"));
}

/// Were one of them to cost the square of its length, this test would take minutes.
#[test]
fn hostile_texts_are_read_or_refused() {
    let many = |part: &str| part.repeat(30_000);
    let joins = |count: usize| vec!["t"; count].join(", ");
    let texts = [
        format!("SELECT 1 /*!99999 {}", many("/*")),
        format!("SELECT 1 /*!99999 {} {}", many("/*"), many("*/")),
        format!("SET {} z = 1", many("a = 1, b = 1 + 1, ")),
        format!("SELECT {}1{}", "POSITION(".repeat(40), " IN 2)".repeat(40)),
        format!("SELECT {}1{}", "INTERVAL(".repeat(40), many(" + (2)")),
        format!("SELECT {}a FROM {}", many("t.a, "), joins(60)),
        format!("SELECT 1 FROM {}", joins(30_000)),
        format!("SELECT 1 FROM t{}", many(" CROSS JOIN t")),
        format!("WITH {} z AS (SELECT 1) SELECT 1", many("c AS (SELECT 1), ")),
        format!("SELECT /*+ {} */ 1 FROM {}", many("INDEX(t a) "), joins(60)),
        format!("SELECT {}", many("a.b ")),
        format!("DELETE {} t FROM t", many("t, ")),
        format!("INSERT INTO t ({} z) VALUES (1)", many("a, ")),
        format!("CREATE TABLE t (a INT{}", many(" REFERENCES t")),
        many("'"),
        many("\""),
        many("`"),
        many("a."),
        many("1."),
    ];
    let answers: Vec<_> = texts.iter().map(|text| try_read(text, Mode::default()).map(|_| ())).collect();
    // Quotes that do not close are told as such, everything else is at least recognised.
    let refused: Vec<_> = texts.iter().zip(&answers).filter(|(_, answer)| answer.is_err()).collect();
    for (text, answer) in refused {
        let expected = matches!(answer, Err(Error::Unterminated { .. }));
        assert!(expected, "{text:.60}: {answer:?}");
    }
    let full = format!("SELECT 1 FROM {}", joins(61));
    assert_eq!(read(&full).statement.tables.len(), 61);
    let over = format!("SELECT 1 FROM {}", joins(65));
    let unparsed = try_read(&over, Mode::default()).unwrap().statement.unparsed;
    assert_eq!(unparsed, Some(Error::TooManyTables));
}

/// All spans and places of a statement are on character boundaries of its text.
fn check(read: &Read) {
    let fits = |span: Span| {
        assert!(read.text.get(span.range(&read.slots)).is_some(), "{} {span:?}", read.text);
    };
    read.statement.tables.iter().for_each(|table| fits(table.span));
    for owner in &read.statement.owners {
        fits(owner.span);
        assert!(usize::from(owner.table) < read.statement.tables.len());
    }
    assert!(read.text.is_char_boundary(read.statement.end.offset(&read.slots)));
    assert!(read.statement.fixed.iter().all(|slot| (*slot as usize) < read.slots.len()));
    if let Body::Select(select) = &read.statement.body {
        select.items.iter().for_each(|item| fits(item.span));
        select.order_by.iter().chain(&select.group_by).for_each(|sort| fits(sort.span));
        assert!(read.text.is_char_boundary(select.items_end.offset(&read.slots)));
        assert!(read.text.is_char_boundary(select.order_place.offset(&read.slots)));
    }
}

fn statements() -> impl Strategy<Value = String> {
    let all: Vec<&str> = SYSBENCH.into_iter().chain(MORE).collect();
    proptest::sample::select(all).prop_map(str::to_owned)
}

#[test]
fn the_seeds_are_read_to_their_end() {
    for text in SYSBENCH.into_iter().chain(MORE) {
        check(&read(text));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn arbitrary_text_never_panics(text in ".{0,80}") {
        if let Ok(read) = try_read(&text, Mode::default()) {
            check(&read);
        }
    }

    #[test]
    fn arbitrary_words_never_panic(
        words in proptest::collection::vec(
            proptest::sample::select(vec![
                "SELECT", "FROM", "WHERE", "(", ")", ",", "t", "a", ".", "*", "=", "1", "'x'", "?", "AND", "OR", "NOT", "IN",
                "BETWEEN", "UNION", "JOIN", "LEFT", "ON", "AS", "WITH", "INSERT", "INTO", "VALUES", "UPDATE", "SET", "DELETE",
                "LIMIT", "ORDER", "BY", "GROUP", "COUNT", "DISTINCT", "@x", ":=", "@@", "CASE", "WHEN", "END", "INTERVAL",
                "EXISTS", "`q`", "CREATE", "TABLE", "REFERENCES", "SHOW", "EXPLAIN", "NAMES", "GLOBAL", ";", "/* c */", "-",
                "OVER", "DUPLICATE", "KEY", "FOR", "LOCK", "USING", "MATCH", "AGAINST", "ROW", "é", "BINARY", "CAST",
            ]),
            0..25,
        )
    ) {
        if let Ok(read) = try_read(&words.join(" "), Mode::default()) {
            check(&read);
        }
    }

    #[test]
    fn mutated_statements_never_panic(
        text in statements(),
        cuts in proptest::collection::vec((any::<prop::sample::Index>(), 0_usize..12, ".{0,4}"), 1..4),
    ) {
        let mut text = text;
        for (at, length, with) in cuts {
            let chars: Vec<char> = text.chars().collect();
            let at = at.index(chars.len().max(1)).min(chars.len());
            let end = (at + length).min(chars.len());
            text = chars[..at].iter().chain(with.chars().collect::<Vec<_>>().iter()).chain(&chars[end..]).collect();
        }
        if let Ok(read) = try_read(&text, Mode::default()) {
            check(&read);
        }
    }
}
