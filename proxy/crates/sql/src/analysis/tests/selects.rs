use super::*;
use crate::{Block, Common, JoinKind, Joined, Role};

const CONDITIONS: &[(&str, &str)] = &[
    ("id = 5", "id = #0"),
    ("5 = id", "id = #0"),
    ("`id`=?", "id = #0"),
    ("t.id = 5", "t.id = #0"),
    ("db.t.id = 5", "t.id = #0"),
    ("id = -5", "id = -#0"),
    ("id = +5", "id = #0"),
    ("id = 2+3", "id = (#0+#1)"),
    ("id = 2+3*4", "id = (#0+(#1*#2))"),
    ("id = (2-3)-4", "id = ((#0-#1)-#2)"),
    ("id = 10 - 3 - 2", "id = ((#0-#1)-#2)"),
    ("id = 10 DIV 3", "id = (#0/#1)"),
    ("id = 10 MOD 3", "id = (#0%#1)"),
    ("id MOD 2 = 1", "?"),
    ("(id) = (5)", "id = #0"),
    ("id <=> 5", "and(id = #0, ?)"),
    ("5 <=> id", "and(id = #0, ?)"),
    ("NOT (id <=> 5)", "or(id <> #0, ?)"),
    ("id <=> ?", "?"),
    ("id <=> NULL", "?"),
    ("id = NULL", "id = null"),
    ("id = TRUE", "id = true"),
    ("id <> 5", "id <> #0"),
    ("id != 5", "id <> #0"),
    ("id < 5", "id < #0"),
    ("5 < id", "id > #0"),
    ("5 <= id", "id >= #0"),
    ("5 > id", "id < #0"),
    ("5 >= id", "id <= #0"),
    ("id >= 5 AND id <= 6", "and(id >= #0, id <= #1)"),
    ("id IN (1, 2, ?)", "id in [#0 #1 #2]"),
    ("id IN (1, f(x), -3)", "id in [#0 ? -#1]"),
    ("id IN ('a' 'b', 'c')", "id in [? #2]"),
    ("id IN (SELECT x FROM u WHERE y = 1)", "id within 1"),
    ("id NOT IN (1, 2)", "?"),
    ("id BETWEEN 1 AND 2", "id in #0..#1"),
    ("id BETWEEN 1 AND 2 AND x = 3", "and(id in #0..#1, x = #2)"),
    ("id BETWEEN ? AND ? + 1", "id in #0..(#1+#2)"),
    ("id BETWEEN 1 AND x", "and(id >= #0, ?)"),
    ("5 BETWEEN a AND b", "and(a <= #0, b >= #0)"),
    ("id NOT BETWEEN 1 AND 2", "?"),
    ("id BETWEEN 1 AND y IN (2)", "and(id >= #0, ?)"),
    ("NOT (id = 5)", "id <> #0"),
    ("NOT (id <> 5 OR x > 1)", "and(id = #0, x <= #1)"),
    ("NOT (id = 5 AND y)", "or(id <> #0, ?)"),
    ("NOT (id) <> 5", "?"),
    ("NOT id <> 5", "?"),
    ("NOT id = 5 AND x = 1", "and(?, x = #1)"),
    ("! (id = 5)", "?"),
    ("id IS NULL", "?"),
    ("id IS NOT NULL AND id = 1", "and(?, id = #0)"),
    ("id = 5 IS TRUE", "?"),
    ("id LIKE 'a%' ESCAPE '!'", "?"),
    ("id NOT LIKE 'a%' OR id = 1", "or(?, id = #1)"),
    ("id REGEXP '^a' AND id = 1", "and(?, id = #1)"),
    ("name SOUNDS LIKE 'x'", "?"),
    ("5 MEMBER OF (tags)", "?"),
    ("id = 1 OR id = 2", "or(id = #0, id = #1)"),
    ("id = 1 OR (id = 2 OR id = 3)", "or(id = #0, id = #1, id = #2)"),
    ("id = 1 OR id = 2 AND x = 3", "or(id = #0, and(id = #1, x = #2))"),
    ("(id = 1 OR id = 2) AND x = 3", "and(or(id = #0, id = #1), x = #2)"),
    ("id = 1 && x = 2", "and(id = #0, x = #1)"),
    ("id = 1 || id = 2", "or(id = #0, id = #1)"),
    // XOR binds looser than AND: nothing holds for certain.
    ("x = 1 AND id = 5 XOR y = 2", "?"),
    ("id = 5 XOR y = 2 OR id = 3", "or(?, id = #2)"),
    ("id = 5 = 1", "?"),
    ("id & 1 = 1", "?"),
    ("id = 5 | 2", "?"),
    ("id + 1 = 5", "?"),
    ("abs(id) = 5", "?"),
    ("-id = 5", "?"),
    ("id = abs(5)", "?"),
    ("id = x", "id == x"),
    ("a.id = b.id", "a.id == b.id"),
    ("a.id < b.id", "?"),
    ("id = (SELECT 5)", "?"),
    ("id = ANY (SELECT 5)", "id within 1"),
    ("id = ALL (SELECT 5)", "?"),
    ("id <> ANY (SELECT 5)", "?"),
    ("id = 1 AND EXISTS (SELECT 1 FROM u WHERE id = 7)", "and(id = #0, ?)"),
    ("(a, b) = (1, 2)", "and(a = #0, b = #1)"),
    ("ROW(a, b) = ROW(1, 2)", "and(a = #0, b = #1)"),
    ("(a, b) < (1, 2)", "?"),
    ("(a, b) IN ((1, 2), (3, 4))", "or(and(a = #0, b = #1), and(a = #2, b = #3))"),
    ("(a, b) IN ((1, 2))", "and(a = #0, b = #1)"),
    ("(a, f(b)) IN ((1, 2))", "?"),
    ("(a.id, b.id) IN (SELECT 1, 2)", "a.id b.id within 1"),
    ("id = 'a' 'b'", "id = ?"),
    ("id = _utf8mb4'a'", "id = ?"),
    ("id = N'a'", "id = ?"),
    ("id = DATE '2020-01-01'", "id = ?"),
    ("id = x'1f'", "id = #0"),
    ("id = _binary 0x1f", "id = ?"),
    ("id = 'a' COLLATE utf8mb4_bin", "id = ?"),
    ("id COLLATE utf8mb4_bin = 'a'", "?"),
    ("BINARY id = 'a'", "?"),
    ("id = @x", "?"),
    ("id = @@port", "?"),
    ("id->'$.a' = 5", "?"),
    ("id = CASE WHEN x = 1 THEN 2 ELSE 3 END", "?"),
    ("d > NOW() - INTERVAL 1 DAY AND id = 5", "and(?, id = #1)"),
    ("MATCH (a, b) AGAINST ('x' IN BOOLEAN MODE) AND id = 5", "and(?, id = #1)"),
    ("MATCH a AGAINST ('x' IN NATURAL LANGUAGE MODE WITH QUERY EXPANSION)", "?"),
    ("MATCH (a) AGAINST ('x' WITH QUERY EXPANSION)", "?"),
    ("POSITION('a' IN b) > 0 AND id = 5", "and(?, id = #2)"),
    ("id = {d '2020-01-01'}", "?"),
    ("1", "true"),
    ("0", "or()"),
    ("1 = 0 AND id = 1", "and(or(), id = #2)"),
    ("1 <= 2", "true"),
    ("NULL = 1", "or()"),
    ("'1'", "?"),
    ("1 = '1'", "?"),
    ("id = CAST('1' AS SIGNED)", "id = i#0"),
    ("id = CAST(1 AS UNSIGNED INTEGER)", "id = u#0"),
    ("id = CAST(1 AS CHAR)", "?"),
    ("id = CAST(1 + 1 AS SIGNED)", "?"),
    ("1 = 1 AND id = 5", "id = #2"),
    ("TRUE AND id = 5", "id = #0"),
    ("TRUE", "true"),
    ("id = 5 /*! AND x = 6 */", "and(id = #0, x = #1)"),
    ("id = /* here */ 5", "id = #1"),
    ("id BETWEEN INTERVAL(3, 1, 2) AND 44 AND x = 5", "and(?, id <= #3, x = #4)"),
    ("id = INTERVAL(3, 1) + 1 AND x = 5", "and(?, x = #3)"),
    ("id = 1 AND d > INTERVAL (1) + 1 DAY + d", "and(id = #0, ?)"),
    ("id = 1 AND d > INTERVAL ((1 + INTERVAL(1, 2)) * 2) DAY + d", "and(id = #0, ?)"),
    ("id = 1 AND d BETWEEN d + INTERVAL 1 OR 2 DAY AND d", "and(id = #0, ?, ?)"),
];

#[test]
fn conditions() {
    for (condition, expected) in CONDITIONS {
        let text = format!("SELECT * FROM t WHERE {condition}");
        assert_eq!(filter(&read(&text).select().filter), *expected, "{condition}");
    }
}

/// All of these were answered by MySQL 9.7.
const BETWEENS: &[&str] = &[
    "(3) AND CASE 1 WHEN 2 THEN 3 END",
    "(SELECT 1) AND 3",
    "ADDDATE(d, 3) AND DATE_SUB(d, INTERVAL 3 SECOND)",
    "BINARY 3 AND 4",
    "CAST(l AS CHAR ASCII) AND CAST(l AS UNSIGNED)",
    "CHAR(65 USING utf8mb4) AND 3",
    "CONVERT(l, CHAR(3) CHARACTER SET latin1) AND 3",
    "CONVERT(l, CHAR) AND CONVERT(l USING latin1)",
    "DATE'2020-01-01' AND 2",
    "DEFAULT(a) AND VALUES(a)",
    "EXTRACT(DAY_HOUR FROM d) AND 3",
    "GET_FORMAT(DATE, 'USA') AND 3",
    "IF(1, 2, 3) AND INSERT('abc', 1, 2, '3')",
    "INTERVAL (1) DAY + d AND d",
    "INTERVAL 1 DAY + d AND d",
    "INTERVAL(3, 1, 2) AND INTERVAL(3, 1)",
    "JSON_VALUE('{}', '$.a' RETURNING SIGNED DEFAULT 1 ON EMPTY ERROR ON ERROR) AND 3",
    "LOCALTIME AND UTC_TIME(3)",
    "MOD(3, 1) AND 3 MOD 2",
    "POSITION('a' IN l) AND 4",
    "REPEAT('1', 1) AND LEFT('2', 1)",
    "SUBSTRING(l FROM 2 FOR 3) AND 3",
    "TIMESTAMPDIFF(DAY, d, d) AND 3",
    "TRIM(LEADING 'a' FROM l) AND 3",
    "WEIGHT_STRING(l AS CHAR(3)) AND WEIGHT_STRING(l AS BINARY(3))",
    "YEAR(d) AND SECOND(d)",
    "{d '2020-01-01'} AND {fn ABS(3)}",
];

#[test]
fn ranges_end_where_their_bounds_do() {
    for bounds in BETWEENS {
        let text = format!("SELECT * FROM t WHERE x = 7 AND id BETWEEN {bounds} AND y = 8");
        let found = filter(&read(&text).select().filter);
        assert!(found.starts_with("and(x = #0, ") && found.contains(", y = #"), "{bounds}: {found}");
    }
}

#[test]
fn pipes_join_strings_where_the_mode_says_so() {
    let mode = Mode { pipes_as_concat: true, ..Mode::default() };
    let read = try_read("SELECT 1 FROM t WHERE x = 1 AND id = 5 || y AND z = 2", mode).unwrap();
    assert_eq!(filter(&read.select().filter), "and(x = #1, ?, z = #3)");
}

#[test]
fn null_safe_comparisons_fix_their_literal() {
    assert_eq!(read("SELECT 1 FROM t WHERE id <=> 5").statement.fixed, [1]);
    assert_eq!(read("SELECT 1 FROM t WHERE id <=> ?").statement.fixed, [1]);
}

/// What the statement's own block joins: `a * b` for inner joins, `<` and `>` behind the side that is kept, the
/// condition or common columns in brackets.
fn joined(read: &Read) -> String {
    fn tree(block: &Block, of: &Joined) -> String {
        let Joined::Join(join) = of else {
            let Joined::Source(number) = of else { return String::new() };
            return block.from[usize::from(*number)].name.clone();
        };
        let sign = match join.kind {
            JoinKind::Inner => "*",
            JoinKind::Left => "<",
            JoinKind::Right => ">",
        };
        let by = match (&join.on, &join.common) {
            (_, Common::All) => "[natural]".to_owned(),
            (Predicate::True, Common::Named(names)) if names.is_empty() => String::new(),
            (Predicate::True, Common::Named(names)) => format!("[{}]", names.join(" ")),
            (on, _) => format!("[{}]", filter(on)),
        };
        format!("({} {sign}{by} {})", tree(block, &join.left), tree(block, &join.right))
    }
    let block = read.statement.blocks.iter().find(|block| block.role == Role::Statement).unwrap();
    block.joined.as_ref().map_or(String::new(), |of| tree(block, of))
}

/// Text, tables, how they are joined, filter.
const SOURCES: &[(&str, &str, &str, &str)] = &[
    ("SELECT 1", "", "", "true"),
    ("SELECT 1 FROM DUAL WHERE 1", "", "", "true"),
    ("SELECT * FROM t", "t", "t", "true"),
    ("SELECT * FROM `my db`.`t``1` AS x WHERE x.id = 1", "", "x", "x.id = #0"),
    ("SELECT * FROM db.t x", "db.t x", "x", "true"),
    (
        "SELECT * FROM t PARTITION (p0, p1) AS x USE INDEX (a) IGNORE KEY FOR JOIN (b) WHERE id = 1",
        "t x",
        "x",
        "id = #0",
    ),
    ("SELECT * FROM t FORCE INDEX FOR ORDER BY (PRIMARY), u", "t, u", "(t * u)", "true"),
    ("SELECT * FROM a, b WHERE a.id = b.id AND a.id = 1", "a, b", "(a * b)", "and(a.id == b.id, a.id = #0)"),
    (
        "SELECT * FROM a JOIN b ON a.id = b.id WHERE a.id = 1",
        "a, b",
        "(a *[a.id == b.id] b)",
        "and(a.id = #0, a.id == b.id)",
    ),
    ("SELECT * FROM a INNER JOIN b USING (id) WHERE a.id = 1", "a, b", "(a *[id] b)", "a.id = #0"),
    ("SELECT * FROM a STRAIGHT_JOIN b ON a.id = b.id", "a, b", "(a *[a.id == b.id] b)", "a.id == b.id"),
    ("SELECT * FROM a CROSS JOIN b", "a, b", "(a * b)", "true"),
    ("SELECT * FROM a NATURAL JOIN b", "a, b", "(a *[natural] b)", "true"),
    ("SELECT * FROM a NATURAL LEFT OUTER JOIN b", "a, b", "(a <[natural] b)", "true"),
    (
        "SELECT * FROM a LEFT JOIN b ON a.id = b.id AND b.id = 5 WHERE a.id = 1",
        "a, b",
        "(a <[and(a.id == b.id, b.id = #0)] b)",
        "a.id = #1",
    ),
    ("SELECT * FROM a RIGHT JOIN b ON a.id = b.id", "a, b", "(a >[a.id == b.id] b)", "true"),
    (
        "SELECT * FROM a JOIN b ON a.id = b.id LEFT JOIN c ON c.id = 5",
        "a, b, c",
        "((a *[a.id == b.id] b) <[c.id = #0] c)",
        "a.id == b.id",
    ),
    (
        "SELECT * FROM a JOIN b ON a.id = b.id RIGHT JOIN c ON c.id = 5",
        "a, b, c",
        "((a *[a.id == b.id] b) >[c.id = #0] c)",
        "true",
    ),
    (
        "SELECT * FROM a LEFT JOIN b JOIN c ON b.id = 1 ON a.id = b.id",
        "a, b, c",
        "(a <[a.id == b.id] (b *[b.id = #0] c))",
        "true",
    ),
    (
        "SELECT * FROM a LEFT JOIN (b JOIN c ON b.id = 1) ON a.id = b.id",
        "a, b, c",
        "(a <[a.id == b.id] (b *[b.id = #0] c))",
        "true",
    ),
    ("SELECT * FROM a JOIN b LEFT JOIN c ON c.id = 5", "a, b, c", "((a * b) <[c.id = #0] c)", "true"),
    ("SELECT * FROM a JOIN (b RIGHT JOIN c ON c.id = 5)", "a, b, c", "(a * (b >[c.id = #0] c))", "true"),
    ("SELECT * FROM a JOIN b RIGHT JOIN c ON c.id = 5", "a, b, c", "((a * b) >[c.id = #0] c)", "true"),
    ("SELECT * FROM a JOIN b JOIN c ON b.id = 1", "a, b, c", "((a * b) *[b.id = #0] c)", "b.id = #0"),
    ("SELECT * FROM a, b LEFT JOIN c ON c.id = 5", "a, b, c", "(a * (b <[c.id = #0] c))", "true"),
    ("SELECT * FROM a JOIN (b, c) ON a.id = b.id", "a, b, c", "(a *[a.id == b.id] (b * c))", "a.id == b.id"),
    (
        "SELECT * FROM a JOIN (b JOIN c ON b.id = 1) ON a.id = b.id",
        "a, b, c",
        "(a *[a.id == b.id] (b *[b.id = #0] c))",
        "and(b.id = #0, a.id == b.id)",
    ),
    ("SELECT * FROM {OJ a LEFT OUTER JOIN b ON a.id = b.id}", "a, b", "(a <[a.id == b.id] b)", "true"),
    (
        "SELECT AVG(id) FROM (SELECT * FROM sbtest1 FORCE KEY (PRIMARY) LIMIT 10) t WHERE id = 5",
        "(sbtest1)",
        "t",
        "?",
    ),
    (
        "SELECT * FROM t, (SELECT id FROM u WHERE id = 1) v WHERE t.id = 2 AND v.id = 3 AND id = 4",
        "t, (u)",
        "(t * v)",
        "and(t.id = #1, ?, ?)",
    ),
    ("SELECT * FROM t, LATERAL (SELECT u.a FROM u WHERE u.id = t.id) AS v (b)", "t, (u)", "(t * v)", "true"),
    ("SELECT * FROM ((SELECT 1 FROM a) UNION (SELECT 1 FROM b)) x", "(a), (b)", "x", "true"),
    (
        "SELECT * FROM JSON_TABLE('[1]', '$[*]' COLUMNS (x INT PATH '$')) AS j, t WHERE id = 1",
        "t",
        "(j * t)",
        "?",
    ),
    (
        "SELECT * FROM t WHERE id IN (SELECT id FROM u WHERE id = 1) AND id = 2",
        "t, (u)",
        "t",
        "and(id within 1, id = #1)",
    ),
    ("SELECT (SELECT MAX(x) FROM u) FROM t ORDER BY (SELECT 1 FROM v)", "(u), t, (v)", "t", "true"),
    ("SELECT 1 FROM a WHERE id = 1 UNION ALL SELECT 2 FROM b WHERE id = 2", "(a), (b)", "a", "?"),
    ("(SELECT 1 FROM a WHERE id = 1) UNION (SELECT 2 FROM b) ORDER BY 1 LIMIT 1", "(a), (b)", "", "?"),
    ("WITH c AS (SELECT * FROM t) SELECT * FROM c WHERE id = 1", "(t)", "c", "?"),
    ("WITH t AS (SELECT * FROM t) SELECT * FROM t", "(t)", "t", "true"),
    (
        "WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT * FROM c, u WHERE u.id = 1",
        "u",
        "(c * u)",
        "u.id = #2",
    ),
    ("TABLE t ORDER BY 1", "(t)", "t", "?"),
    ("VALUES ROW(1, 2), ROW(3, 4)", "", "", "?"),
    ("(SELECT * FROM t WHERE id = 1)", "t", "", "id = #0"),
    ("((SELECT * FROM t WHERE id = 1 LIMIT 3))", "t", "", "id = #0"),
    ("(SELECT * FROM t WHERE id = 1) LIMIT 1", "(t)", "", "?"),
];

#[test]
fn tables_joins_and_filters() {
    for (text, tables, join, expected) in SOURCES {
        let read = read(text);
        if !tables.is_empty() {
            assert_eq!(read.tables(), *tables, "{text}");
        }
        assert_eq!(joined(&read), *join, "{text}");
        assert_eq!(filter(&read.select().filter), *expected, "{text}");
    }
}

#[test]
fn items() {
    for (list, expected) in [
        ("*", "* ⟦*⟧"),
        ("t.*, db.t.*", "* ⟦t.*⟧, * ⟦db.t.*⟧"),
        ("a, t.b AS x, db.t.c y", "a ⟦a⟧, t.b as x ⟦t.b⟧, t.c as y ⟦db.t.c⟧"),
        ("a 'x y', b AS \"z\", c `w`", "a as x y ⟦a⟧, b as z ⟦b⟧, c as w ⟦c⟧"),
        ("COUNT(*)", "Count() ⟦COUNT(*)⟧"),
        ("count( * ) AS n", "Count() as n ⟦count( * )⟧"),
        ("COUNT(DISTINCT a)", "Count(distinct a = a) ⟦COUNT(DISTINCT a)⟧"),
        ("COUNT(DISTINCT a, b)", "Count(distinct a, b) ⟦COUNT(DISTINCT a, b)⟧"),
        (
            "SUM(t.k), AVG(ALL k), MIN(k+1), MAX(f(k))",
            "Sum(t.k = t.k) ⟦SUM(t.k)⟧, Avg(k = k) ⟦AVG(ALL k)⟧, Min(k+1) ⟦MIN(k+1)⟧, Max(f(k)) ⟦MAX(f(k))⟧",
        ),
        (
            "GROUP_CONCAT(a ORDER BY b DESC SEPARATOR ',')",
            "Other(a ORDER BY b DESC SEPARATOR ',') ⟦GROUP_CONCAT(a ORDER BY b DESC SEPARATOR ',')⟧",
        ),
        ("SUM(a) / COUNT(b), 1 + MAX(a) x", "over ⟦SUM(a) / COUNT(b)⟧, over as x ⟦1 + MAX(a)⟧"),
        ("IFNULL(SUM(a), 0)", "over ⟦IFNULL(SUM(a), 0)⟧"),
        ("(SELECT COUNT(*) FROM u) n", "expression as n ⟦(SELECT COUNT(*) FROM u)⟧"),
        (
            "SUM(a) OVER (PARTITION BY b ORDER BY c ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) s",
            "expression as s ⟦SUM(a) OVER (PARTITION BY b ORDER BY c ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)⟧",
        ),
        ("ROW_NUMBER() OVER w", "expression ⟦ROW_NUMBER() OVER w⟧"),
        ("1, 'a', NULL", "expression ⟦1⟧, expression ⟦'a'⟧, expression ⟦NULL⟧"),
        ("a + b c", "expression as c ⟦a + b⟧"),
        (
            "CAST(a AS CHAR(10) CHARACTER SET utf8mb4) x, CONVERT(a USING utf8mb4), CONVERT(a, UNSIGNED)",
            "expression as x ⟦CAST(a AS CHAR(10) CHARACTER SET utf8mb4)⟧, expression ⟦CONVERT(a USING utf8mb4)⟧, expression ⟦CONVERT(a, UNSIGNED)⟧",
        ),
        (
            "EXTRACT(DAY_HOUR FROM a), TRIM(BOTH 'x' FROM a), SUBSTRING(a FROM 2 FOR 3), CHAR(77 USING utf8mb4)",
            "expression ⟦EXTRACT(DAY_HOUR FROM a)⟧, expression ⟦TRIM(BOTH 'x' FROM a)⟧, expression ⟦SUBSTRING(a FROM 2 FOR 3)⟧, expression ⟦CHAR(77 USING utf8mb4)⟧",
        ),
        (
            "IF(a, 1, 2), LEFT(a, 1), REPLACE(a, 'x', 'y'), INSERT(a, 1, 2, 'x'), MOD(a, 2)",
            "expression ⟦IF(a, 1, 2)⟧, expression ⟦LEFT(a, 1)⟧, expression ⟦REPLACE(a, 'x', 'y')⟧, expression ⟦INSERT(a, 1, 2, 'x')⟧, expression ⟦MOD(a, 2)⟧",
        ),
        (
            "INTERVAL(a, 1, 2), DATE_ADD(a, INTERVAL 1 DAY_HOUR), JSON_VALUE(a, '$.x' RETURNING SIGNED NULL ON EMPTY)",
            "expression ⟦INTERVAL(a, 1, 2)⟧, expression ⟦DATE_ADD(a, INTERVAL 1 DAY_HOUR)⟧, expression ⟦JSON_VALUE(a, '$.x' RETURNING SIGNED NULL ON EMPTY)⟧",
        ),
        (
            "CURRENT_TIMESTAMP, CURRENT_TIMESTAMP(6), UTC_DATE, db.f(a)",
            "expression ⟦CURRENT_TIMESTAMP⟧, expression ⟦CURRENT_TIMESTAMP(6)⟧, expression ⟦UTC_DATE⟧, expression ⟦db.f(a)⟧",
        ),
        ("@x, @@global.y, @z := 5", "expression ⟦@x⟧, expression ⟦@@global.y⟧, expression ⟦@z := 5⟧"),
        ("date, _id, n, status", "date ⟦date⟧, _id ⟦_id⟧, n ⟦n⟧, status ⟦status⟧"),
        (
            "COUNT(t.a) OVER (), NTH_VALUE(a, 2) FROM FIRST IGNORE NULLS OVER (w ORDER BY b)",
            "expression ⟦COUNT(t.a) OVER ()⟧, expression ⟦NTH_VALUE(a, 2) FROM FIRST IGNORE NULLS OVER (w ORDER BY b)⟧",
        ),
    ] {
        assert_eq!(read(&format!("SELECT {list} FROM t")).items(), expected, "{list}");
    }
}

#[test]
fn constants_among_what_is_selected() {
    let read = read(
        "SELECT 5 x, 'a', -1, 1 + ?, NULL, NOW(), UPPER('a'), CASE 1 WHEN 1 THEN 2 END, @x, @@port, \
         a, t.a + 1, UPPER(a), (SELECT 1), EXISTS (SELECT 1), COUNT(1), COUNT(*) + 1, *, t.*, MATCH a AGAINST ('x') FROM t",
    );
    let constants: Vec<_> = read.select().items.iter().map(|item| item.constant).collect();
    assert_eq!(constants, [[true; 10], [false; 10]].concat());
}

#[test]
fn clauses_and_where_ours_would_go() {
    let read = read(
        "SELECT SQL_NO_CACHE DISTINCT a, COUNT(*) FROM t WHERE a > 1 GROUP BY a, 2, b + 1 WITH ROLLUP \
         HAVING COUNT(*) > 1 ORDER BY a DESC, COUNT(*), 1 ASC, t.c LIMIT 5, 10 FOR UPDATE OF t SKIP LOCKED;",
    );
    let select = read.select();
    assert!(select.distinct && select.rollup && select.having && select.locking);
    assert_eq!(read.sorts(&select.group_by), "a ⟦a⟧, ordinal 2 ⟦2⟧, expression ⟦b + 1⟧");
    assert_eq!(read.sorts(&select.order_by), "a desc ⟦a⟧, over ⟦COUNT(*)⟧, ordinal 1 ⟦1⟧, t.c ⟦t.c⟧");
    assert_eq!(read.statement.fixed, [1, 4]);
    let limit = select.limit.as_ref().unwrap();
    assert_eq!((read.span(limit.span), limit.offset, limit.count), ("LIMIT 5, 10", Some(5), 6));
    assert_eq!(read.owners(), "0:t, 0:t");
    let at = |place: crate::Place| &read.text[..place.offset(&read.slots)];
    assert!(at(select.items_end).ends_with("COUNT(*)"));
    assert!(at(select.order_place).ends_with("t.c"));
    assert!(at(read.statement.end).ends_with("LOCKED"));
}

#[test]
fn places_without_an_order() {
    for (text, items_end, order_place) in [
        ("SELECT a FROM t", "SELECT a", "SELECT a FROM t"),
        ("SELECT a FROM t LIMIT 1", "SELECT a", "SELECT a FROM t"),
        ("SELECT a x FROM t WHERE id = 5 LIMIT 1 -- c", "SELECT a x", "SELECT a x FROM t WHERE id = 5"),
        ("SELECT a INTO @x FROM t GROUP BY a FOR UPDATE", "SELECT a", "SELECT a INTO @x FROM t GROUP BY a"),
        ("SELECT 1", "SELECT 1", "SELECT 1"),
    ] {
        let read = read(text);
        assert_eq!(&text[..read.select().items_end.offset(&read.slots)], items_end, "{text}");
        assert_eq!(&text[..read.select().order_place.offset(&read.slots)], order_place, "{text}");
    }
}

#[test]
fn limits() {
    for (limit, offset, count) in [
        ("LIMIT 10", None, 0),
        ("LIMIT ?", None, 0),
        ("LIMIT 5, 10", Some(0), 1),
        ("LIMIT 10 OFFSET 5", Some(1), 0),
        ("LIMIT ?, ?", Some(0), 1),
    ] {
        let read = read(&format!("SELECT a FROM t {limit} LOCK IN SHARE MODE"));
        let found = read.select().limit.clone().unwrap();
        assert_eq!((read.span(found.span), found.offset, found.count), (limit, offset, count));
        assert!(read.select().locking && read.statement.fixed.is_empty());
    }
}

#[test]
fn traits() {
    let flags = |text: &str| {
        let read = read(text);
        let t = read.select().traits;
        let all = [
            (t.set_operation, "set"),
            (t.cte, "cte"),
            (t.subquery, "subquery"),
            (t.derived, "derived"),
            (t.window, "window"),
            (t.into, "into"),
            (t.found_rows, "found_rows"),
            (t.session, "session"),
            (!read.statement.pin.is_empty(), "pin"),
        ];
        all.iter().filter(|(on, _)| *on).map(|(_, name)| *name).collect::<Vec<_>>().join(" ")
    };
    for (text, expected) in [
        ("SELECT HIGH_PRIORITY STRAIGHT_JOIN SQL_BIG_RESULT a FROM t", ""),
        ("SELECT a FROM t UNION SELECT b FROM u", "set"),
        ("SELECT a FROM t EXCEPT (SELECT b FROM u) INTERSECT SELECT 1", "set"),
        ("WITH c AS (SELECT 1) SELECT * FROM c", "cte derived"),
        ("SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u)", "subquery"),
        ("SELECT a FROM (SELECT a FROM t WHERE b IN (SELECT 1)) x", "derived"),
        ("SELECT RANK() OVER (ORDER BY a) FROM t", "window"),
        ("SELECT SUM(a) OVER w FROM t WINDOW w AS (PARTITION BY b)", "window"),
        ("SELECT a FROM t INTO OUTFILE '/tmp/x' CHARACTER SET utf8mb4 FIELDS TERMINATED BY ','", "into"),
        ("SELECT a FROM t INTO @x", "into session pin"),
        ("SELECT SQL_CALC_FOUND_ROWS a FROM t", "found_rows"),
        ("SELECT LAST_INSERT_ID()", "session"),
        ("SELECT @@identity", "session"),
        ("SELECT @@autocommit", ""),
        ("SELECT CURRENT_USER, a FROM t", "session"),
        ("SELECT @x", "session"),
        ("SELECT @x := 5", "session pin"),
        ("SELECT GET_LOCK('a', 1)", "session pin"),
        ("SELECT 1 FROM t WHERE a = (SELECT RELEASE_LOCK('a'))", "subquery session pin"),
    ] {
        assert_eq!(flags(text), expected, "{text}");
    }
}

#[test]
fn owners_follow_a_tables_own_name_only() {
    for (text, expected) in [
        (
            "SELECT t.a, t.*, x FROM t WHERE t.b = 1 GROUP BY t.c HAVING t.d ORDER BY t.e",
            "0:t, 0:t, 0:t, 0:t, 0:t, 0:t",
        ),
        ("SELECT db.t.a, `t` . b FROM db.t", "0:db.t, 0:`t`"),
        ("SELECT db.t.a FROM t", "0:db.t"),
        ("SELECT x.a, t.b FROM t x", ""),
        ("SELECT T.a FROM t", "0:T"),
        ("SELECT a.id, b.id FROM a JOIN b ON a.id = b.id", "0:a, 1:b, 0:a, 1:b"),
        ("SELECT x.a, t.b FROM u t, x", "1:x"),
        ("SELECT COUNT(t.a), MAX(f(t.b)), CASE t.c WHEN 1 THEN t.d END FROM t", "0:t, 0:t, 0:t, 0:t"),
        // The inner t is the inner table, o the outer one.
        ("SELECT * FROM o WHERE EXISTS (SELECT t.x FROM t WHERE t.id = o.id)", "1:t, 1:t, 0:o"),
        ("SELECT * FROM t WHERE EXISTS (SELECT t.x FROM u t)", ""),
        ("SELECT t.a FROM (SELECT 1 a) t", ""),
        ("WITH t AS (SELECT t.a FROM t) SELECT t.a FROM t", "0:t"),
        ("SELECT t.a OVER_ FROM t WHERE t.a IN (SELECT t.a FROM u)", "0:t, 0:t, 0:t"),
        ("SELECT s.f(t.a) FROM t", "0:t"),
        ("SELECT 't.a', \"t.b\" /* t.c */ FROM t", ""),
        ("SELECT COUNT(t.*) FROM t", "0:t"),
        ("SELECT /*+ INDEX(t u, t) NO_BNL(`u`, x@q) SET_VAR(t=1) */ 1 FROM t, u, v x", "0:t, 1:`u`"),
    ] {
        assert_eq!(read(text).owners(), expected, "{text}");
    }
}
