//! Every column is accounted for, once, with its place and what is done with it.
//!
//! In the texts here «`…`» stands around every name of a column; what is found must be exactly these.

use super::*;
use crate::{BlockKind, Define, OutputKind, Role, Source, SourceKind, Use};

/// Reads a text without its marks and asserts that the columns found are those marked.
fn marked(text: &str) -> Read {
    let mut plain = String::new();
    let mut wanted = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('«') {
        let (name, after) = after.split_once('»').unwrap();
        plain.push_str(before);
        wanted.push((plain.len(), name.to_owned()));
        plain.push_str(name);
        rest = after;
    }
    plain.push_str(rest);
    let read = read(&plain);
    let mut found: Vec<_> = (read.statement.uses.iter())
        .map(|column| (column.name_span.range(&read.slots).start, read.span(column.name_span).to_owned()))
        .collect();
    found.sort();
    assert_eq!(found, wanted, "{plain}");
    for column in &read.statement.uses {
        assert!(read.statement.blocks.get(column.block as usize).is_some(), "{plain}");
        assert!(read.span(column.span).ends_with(read.span(column.name_span)), "{plain}");
    }
    read
}

impl Read {
    /// Each use as `name: what`.
    fn uses(&self) -> String {
        let name = |index: u32| self.span(self.statement.uses[index as usize].span);
        let uses = self.statement.uses.iter().map(|column| {
            let what = match &column.place {
                Use::Aggregate { function, distinct } => format!("{function:?} {distinct}"),
                Use::Assigned(to) => format!("assigned to {}", name(*to)),
                Use::Compare { op, value, span } => {
                    format!(
                        "{} {}{}",
                        op.text(),
                        self.span(*span),
                        if *value == Scalar::Opaque { " ?" } else { "" }
                    )
                }
                Use::Define(Define { change, definition, span, constrained }) => format!(
                    "{change:?} ⟦{}⟧ of ⟦{}⟧ {constrained}",
                    definition.map_or("", |span| self.span(span)),
                    self.span(*span)
                ),
                Use::In { values, negated } => {
                    let values: Vec<_> = values.iter().map(|(_, span)| self.span(*span)).collect();
                    format!("{}in {}", if *negated { "not " } else { "" }, values.join(" "))
                }
                Use::Like { span, escape, .. } => {
                    format!("like {}{}", self.span(*span), escape.map_or("", |span| self.span(span)))
                }
                Use::Other(what) => format!("({what})"),
                Use::Query { op, block } => format!("{} block {block}", op.text()),
                Use::Same { op, other } => format!("{} {}", op.text(), name(*other)),
                Use::Set { by, value_span, span, value } => {
                    assert!(self.span(*span).ends_with(self.span(*value_span)));
                    let opaque = if *value == Scalar::Opaque { " ?" } else { "" };
                    format!("{by:?} {}{opaque}", self.span(*value_span))
                }
                plain => format!("{plain:?}"),
            };
            format!("{}: {what}", self.span(column.span))
        });
        uses.collect::<Vec<_>>().join(", ")
    }

    fn blocks(&self) -> String {
        let blocks = self.statement.blocks.iter().map(|block| {
            let from: Vec<_> = block.from.iter().map(source).collect();
            let parent = block.parent.map_or(String::new(), |parent| format!("{parent}<"));
            format!("{parent}{:?} {:?} [{}]", block.role, block.kind, from.join(" "))
        });
        blocks.collect::<Vec<_>>().join(", ")
    }
}

fn source(source: &Source) -> String {
    match &source.kind {
        SourceKind::Table(table) => format!("{}={table}", source.name),
        SourceKind::Query { block, columns } if columns.is_empty() => {
            format!("{}=block {block}", source.name)
        }
        SourceKind::Query { block, columns } => format!("{}=block {block} {columns:?}", source.name),
        kind => format!("{}={kind:?}", source.name),
    }
}

#[test]
fn no_column_of_a_query_is_lost() {
    for text in [
        "SELECT «a», t.«b», `db`.`t`.«`c`», t.*, * FROM t",
        "SELECT `t` . «`a b`» AS x, («b») y, 'z' z FROM t AS t2 WHERE (((«c»))) = 1",
        "SELECT «a» + 1, -«b», ~«c», !«d», «e» COLLATE utf8mb4_bin, BINARY «f», «g»->'$.x', «h»->>'$.y' FROM t",
        "SELECT CASE «a» WHEN 1 THEN «b» ELSE «c» END, IF(«d», «e», «f»), IFNULL(«g», 0), @x := «h» FROM t",
        "SELECT COUNT(*), COUNT(«a»), COUNT(DISTINCT «b», «c»), SUM(«d» * «e»), GROUP_CONCAT(«f» ORDER BY «g» DESC \
         SEPARATOR ',') FROM t",
        "SELECT CAST(«a» AS CHAR CHARACTER SET utf8mb4), CONVERT(«b», SIGNED), CONVERT(«c» USING utf8mb4), \
         CONVERT(«d», DATE), CONVERT(«e», DECIMAL(10,2)) FROM t",
        "SELECT TRIM(BOTH 'x' FROM «a»), SUBSTRING(«b» FROM 1 FOR 2), POSITION('x' IN «c»), EXTRACT(DAY FROM «d»), \
         CHAR(«e» USING utf8mb4), WEIGHT_STRING(«f» AS CHAR(3)) FROM t",
        "SELECT TIMESTAMPDIFF(DAY, «a», «b»), TIMESTAMPADD(MINUTE, 1, «c»), «d» + INTERVAL «e» DAY, \
         DATE_ADD(«f», INTERVAL 1 MONTH), GET_FORMAT(DATE, 'USA') FROM t",
        "SELECT JSON_VALUE(«a», '$.x' RETURNING DECIMAL(4,2) DEFAULT 1 ON EMPTY NULL ON ERROR), DEFAULT(«b») FROM t",
        "SELECT «a» FROM t WHERE «b» = 1 AND 2 < «c» OR NOT «d» AND «e» IN (1, «f», (SELECT «g» FROM u)) XOR «h»",
        "SELECT 1 FROM t WHERE «a» LIKE 'x%' ESCAPE '!' AND «b» NOT LIKE «c» AND «d» REGEXP 'x' AND «e» RLIKE «f» \
         AND «g» SOUNDS LIKE 'x' AND «h» MEMBER OF («i»)",
        "SELECT 1 FROM t WHERE «a» BETWEEN 1 AND 2 AND «b» NOT BETWEEN «c» AND «d» AND 5 BETWEEN «e» AND «f»",
        "SELECT 1 FROM t WHERE («a», «b») = (1, 2) AND («c», «d») IN ((1, 2), («e», «f»)) AND ROW(«g», 1) > (1, 1)",
        "SELECT 1 FROM t WHERE «a» IS NULL AND «b» IS NOT NULL AND «c» IS TRUE AND «d» <=> NULL AND «e» = «f» = «g»",
        "SELECT 1 FROM t WHERE «a» = ANY (SELECT «b» FROM u) AND EXISTS (SELECT «c» FROM v WHERE v.«d» = t.«e»)",
        "SELECT 1 FROM t WHERE MATCH («a», «b») AGAINST ('x' IN BOOLEAN MODE) AND MATCH «c» AGAINST («d»)",
        "SELECT «a», ROW_NUMBER() OVER (PARTITION BY «b» ORDER BY «c» DESC ROWS BETWEEN 1 PRECEDING AND CURRENT ROW), \
         SUM(«d») OVER w FROM t WINDOW w AS (ORDER BY «e»)",
        "SELECT «a» x FROM t WHERE «b» = 1 GROUP BY «c», «d» + 1 WITH ROLLUP HAVING COUNT(«e») > 1 AND «x» = 2 \
         ORDER BY «x», «f» DESC, LENGTH(«g»), 1 LIMIT 1",
        "SELECT t.«a» FROM t JOIN u ON t.«b» = u.«c» AND u.«d» = 1 LEFT JOIN v USING («e», «f») NATURAL JOIN w",
        "SELECT d.«x» FROM (SELECT «a» AS x FROM t WHERE «b» = 1) AS d (x) WHERE d.«x» = 3",
        "WITH c (x) AS (SELECT «a» FROM t), e AS (SELECT «x» FROM c) SELECT c.«x» FROM c, e WHERE «y» = 1",
        "WITH RECURSIVE c AS (SELECT «a» FROM t UNION ALL SELECT «b» FROM c JOIN u ON «d» = «e») SELECT «f» FROM c",
        "SELECT «a» FROM t UNION SELECT «b» FROM u UNION ALL (SELECT «c» FROM v ORDER BY «d» LIMIT 1) ORDER BY «a»",
        "SELECT * FROM ((SELECT «a» FROM t) UNION (SELECT «b» FROM u) ORDER BY «a») x WHERE x.«a» = 1",
        "SELECT ((SELECT «a» FROM t) UNION (SELECT «b» FROM u)), (SELECT MAX(«c») FROM v)",
        "SELECT j.«x» FROM t, JSON_TABLE(t.«doc», '$[*]' COLUMNS (x INT PATH '$.x')) j",
        "SELECT /*+ INDEX(t i) */ «a» FROM t PARTITION (p0) USE INDEX (i, j) FORCE KEY FOR JOIN (k) WHERE «b» = 1",
        "SELECT «a» FROM t, LATERAL (SELECT «b» FROM u WHERE u.«c» = t.«d») l",
        "SELECT «select_x», «user», «date», t.«select», «year» FROM t",
        "SELECT DATE '2024-01-01', TIME'10:00', _utf8mb4'x', N'y', {d '2024-01-01'}, X'1f', \"s\" 't' FROM t",
        "SELECT f(«a», g(«b»)), db.f(«c»), `f`(«d») FROM t",
        "SELECT «a» FROM t FOR UPDATE OF t SKIP LOCKED",
        "TABLE t ORDER BY «a»",
        "VALUES ROW(1, 2), ROW((SELECT «a» FROM t), 3)",
        "EXPLAIN FORMAT=TREE SELECT «a» FROM t WHERE «b» = 1",
        "DO SLEEP((SELECT «a» FROM t))",
        "SET @x = (SELECT «a» FROM t WHERE «b» = 1), autocommit = 1",
    ] {
        marked(text);
    }
}

#[test]
fn no_column_of_a_change_is_lost() {
    for text in [
        "INSERT INTO t VALUES (1, 2), (DEFAULT, 1 + 1)",
        "INSERT INTO t («a», t.«b», «`c`») VALUES (1, 2, (SELECT «d» FROM u)), ROW(1, «a» + 1, 3)",
        "INSERT INTO t SET «a» = 1, «b» = «a» + 1",
        "INSERT INTO t («a») VALUES (1) ON DUPLICATE KEY UPDATE «a» = VALUES(«a»), «b» = «c» + VALUES(«d»), t.«e» = 1",
        "INSERT INTO t («a», «b») VALUES (1, 2) AS n(x, y) ON DUPLICATE KEY UPDATE «a» = n.«x», «b» = «y» + «b»",
        "INSERT INTO t SET «a» = 1 AS n ON DUPLICATE KEY UPDATE «a» = n.«a»",
        "REPLACE INTO t («a») SELECT «b» FROM u WHERE «c» = 1",
        "INSERT INTO t («a») SELECT u.«b» FROM u ON DUPLICATE KEY UPDATE «a» = u.«b»",
        "INSERT INTO t (SELECT * FROM u)",
        "UPDATE t SET «a» = 1, t.«b» = «c» + 1, «d» = DEFAULT WHERE «e» = 1 ORDER BY «f» LIMIT 1",
        "UPDATE t, u SET t.«a» = u.«b» WHERE t.«c» = u.«d»",
        "UPDATE t JOIN u ON t.«a» = u.«b» SET «c» = (SELECT «d» FROM v)",
        "WITH c AS (SELECT «a» FROM t) UPDATE u JOIN c USING («a») SET «b» = 1",
        "DELETE FROM t WHERE «a» = 1 ORDER BY «b» LIMIT 2",
        "DELETE t, u FROM t JOIN u ON t.«a» = u.«a» WHERE u.«b» = 1",
        "DELETE FROM t USING t, u WHERE t.«a» = u.«b»",
    ] {
        marked(text);
    }
}

#[test]
fn no_column_of_a_definition_is_lost() {
    for text in [
        "CREATE TABLE t («id» BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, «`name`» VARCHAR(20) CHARACTER SET \
         utf8mb4 COLLATE utf8mb4_bin DEFAULT 'x, y' COMMENT 'a (b', «kind» ENUM('a','b'), «n» INT AS («id» + 1) STORED, \
         PRIMARY KEY («id»), UNIQUE KEY k («name»(10), «n» DESC), KEY f ((UPPER(«name»))), INDEX («n»), \
         CONSTRAINT c FOREIGN KEY («n») REFERENCES u («x») ON DELETE CASCADE, CHECK («n» > 1), FULLTEXT («name») \
         WITH PARSER ngram) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COMMENT='c' PARTITION BY HASH («id») PARTITIONS 4",
        "CREATE TABLE t («a» INT REFERENCES u («b»), «c» DATETIME(6) DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE \
         CURRENT_TIMESTAMP(6), «d» JSON DEFAULT (JSON_ARRAY(«a»)))",
        "CREATE TABLE t («a» INT) AS SELECT «a» FROM u WHERE «b» = 1",
        "CREATE TABLE t SELECT «a» AS x FROM u",
        "CREATE TABLE t LIKE u",
        "CREATE TABLE t («a» DATE) PARTITION BY RANGE (YEAR(«a»)) (PARTITION p0 VALUES LESS THAN (2000))",
        "ALTER TABLE t ADD COLUMN «a» INT NOT NULL AFTER «b», ADD «c» DECIMAL(10,2) FIRST, ADD («d» INT, «e» INT)",
        "ALTER TABLE t MODIFY «a» INT, MODIFY COLUMN «b» INT FIRST, CHANGE «c» «d» INT AFTER «e», CHANGE COLUMN «f» «g» INT",
        "ALTER TABLE t DROP «a», DROP COLUMN «b», DROP INDEX i, DROP PRIMARY KEY, DROP FOREIGN KEY f, DROP CHECK c",
        "ALTER TABLE t RENAME COLUMN «a» TO «b», RENAME INDEX i TO j, ALTER «c» SET DEFAULT 1, ALTER COLUMN «d» DROP DEFAULT",
        "ALTER TABLE t ADD INDEX i («a», «b»(3)), ADD UNIQUE («c»), ADD PRIMARY KEY («d»), ADD CONSTRAINT x FOREIGN KEY \
         («e») REFERENCES u («f»), ADD FULLTEXT KEY («g»), ADD CONSTRAINT CHECK («h» > 0)",
        "ALTER TABLE t ENGINE=InnoDB, COMMENT='x', ORDER BY «a» DESC, «b»",
        "ALTER TABLE t ADD PARTITION (PARTITION p1 VALUES LESS THAN (10)), ALTER INDEX i INVISIBLE",
        "ALTER TABLE t PARTITION BY KEY («a», «b») PARTITIONS 2",
        "CREATE UNIQUE INDEX i USING BTREE ON t («a», «b»(10) DESC, (LOWER(«c»))) COMMENT 'x'",
        "DROP INDEX i ON t",
        "DESC t",
        "DESC t «a»",
        "SHOW COLUMNS FROM t LIKE 'a%'",
        "SHOW FULL COLUMNS FROM t WHERE «Field» = 'a'",
    ] {
        marked(text);
    }
}

#[test]
fn columns_tell_what_is_done_with_them() {
    for (text, uses) in [
        (
            "SELECT a, (t.b), COUNT(c), COUNT(DISTINCT d), MAX(e), UPPER(f) FROM t",
            "a: Item(0), t.b: Item(1), c: Count \
          false, d: Count true, e: Max false, f: (function UPPER)",
        ),
        (
            "SELECT 1 FROM t WHERE a = 1 AND ('x') <> (b) AND ? < c AND d <=> NULL AND e != CONCAT('a', 'b')",
            "a: = 1, b: <> ('x'), c: > ?, d: <=> NULL, e: <> CONCAT('a', 'b') ?",
        ),
        (
            "SELECT 1 FROM t JOIN u ON t.a = u.b AND t.c > u.d",
            "t.a: = u.b, u.b: = t.a, t.c: > u.d, u.d: < t.c",
        ),
        ("SELECT 1 FROM t WHERE a IN (1, ('x'), 1 + 1) AND b NOT IN (?)", "a: in 1 ('x') 1 + 1, b: not in ?"),
        (
            "SELECT 1 FROM t WHERE a IN (SELECT b FROM u) AND c <> (SELECT d FROM u) AND (SELECT 1) > e AND f NOT IN \
          (SELECT 1)",
            "a: = block 1, b: Item(0), c: <> block 2, d: Item(0), e: < block 3, f: <> block 4",
        ),
        (
            "SELECT 1 FROM t WHERE a LIKE 'x%' AND b LIKE ? ESCAPE '!' AND c LIKE d",
            "a: like 'x%', b: like ?ESCAPE '!', \
          c: like d, d: (LIKE)",
        ),
        (
            "SELECT 1 FROM t WHERE a IS NULL AND b IS NOT NULL AND c IS TRUE AND d BETWEEN 1 AND 2 AND e REGEXP 'x' AND f",
            "a: IsNull, b: IsNull, c: (IS), d: Between, e: (REGEXP), f: (expression)",
        ),
        (
            "SELECT 1 FROM t WHERE (a, b) = (1, 2) AND c + 1 = d AND NOT e AND -f = 1 AND g->'$.x' = 1",
            "a: (ROW), b: (ROW), c: (operator +), d: = c + 1 ?, e: (NOT), f: (operator -), g: (operator ->)",
        ),
        (
            "SELECT a FROM t GROUP BY b, c + 1 HAVING MAX(d) > 1 ORDER BY e, f DIV 2",
            "a: Item(0), b: Group, c: (operator +), d: Max false, e: Order, f: (operator DIV)",
        ),
        (
            "SELECT SUM(a) OVER (PARTITION BY b ORDER BY c) FROM t JOIN u USING (d)",
            "a: (function SUM), b: (OVER), c: \
          (OVER), d: Using",
        ),
        (
            "SELECT CASE a WHEN b THEN c END, @x := d, GROUP_CONCAT(e ORDER BY f), CAST(g AS CHAR) FROM t",
            "a: (CASE), b: (CASE), c: (CASE), d: (operator :=), e: (function GROUP_CONCAT), f: (function GROUP_CONCAT), g: \
          (function CAST)",
        ),
        (
            "INSERT INTO t (a, b) VALUES (1, 2) ON DUPLICATE KEY UPDATE a = VALUES(a), b = VALUES(b) + 1, c = d, e = 5",
            "a: Insert(0), b: Insert(1), a: Duplicate VALUES(a), a: assigned to a, b: Duplicate VALUES(b) + 1, b: \
          (function VALUES), c: Duplicate d ?, d: assigned to c, e: Duplicate 5",
        ),
        (
            "UPDATE t SET a = 1, t.b = NULL, c = d, e = e + 1",
            "a: Update 1, t.b: Update NULL, c: Update d ?, d: assigned \
          to c, e: Update e + 1 ?, e: (operator +)",
        ),
        ("INSERT INTO t SET a = ?", "a: Insert ?"),
        (
            "CREATE TABLE t (a VARCHAR(9) NOT NULL, b INT PRIMARY KEY, KEY (a))",
            "a: Add ⟦VARCHAR(9) NOT NULL⟧ of ⟦a \
          VARCHAR(9) NOT NULL⟧ false, b: Add ⟦INT PRIMARY KEY⟧ of ⟦b INT PRIMARY KEY⟧ true, a: Key",
        ),
        (
            "ALTER TABLE t ADD COLUMN a INT AFTER b, CHANGE c d INT, DROP e",
            "a: Add ⟦INT⟧ of ⟦ADD COLUMN a INT AFTER \
          b⟧ false, b: After ⟦⟧ of ⟦ADD COLUMN a INT AFTER b⟧ false, c: ChangeFrom ⟦INT⟧ of ⟦CHANGE c d INT⟧ false, d: \
          ChangeTo ⟦INT⟧ of ⟦CHANGE c d INT⟧ false, e: Drop ⟦⟧ of ⟦DROP e⟧ false",
        ),
    ] {
        assert_eq!(read(text).uses(), uses, "{text}");
    }
}

#[test]
fn blocks_tell_where_names_are_looked_up() {
    for (text, blocks) in [
        ("SELECT 1 FROM t a, db.u", "Statement Select [a=0 u=1]"),
        (
            "SELECT (SELECT 1), 1 + (SELECT 2), EXISTS (SELECT 3)",
            "Statement Select [], 0<Item(0) Select [], 0<Value Select [], 0<Exists Select []",
        ),
        (
            "SELECT 1 FROM (SELECT 1 FROM t) d (x), (SELECT 2) e",
            "Statement Select [d=block 1 [\"x\"] e=block 2], 0<Derived Select [t=0], 0<Derived Select []",
        ),
        (
            "WITH c (x) AS (SELECT 1 FROM t) SELECT 1 FROM c AS d",
            "Common Select [t=0], Statement Select [d=block 0 [\"x\"]]",
        ),
        (
            "WITH RECURSIVE c AS (SELECT 1 UNION SELECT 2 FROM c) TABLE c",
            "Common Select [], Branch(0) Select [c=Recursion], Statement Table [c=block 0]",
        ),
        ("SELECT 1 FROM t UNION SELECT 2 FROM u", "Statement Select [t=0], Branch(0) Select [u=1]"),
        (
            "(SELECT 1 FROM t) UNION TABLE u",
            "Statement Wrapped [], 0<Branch(0) Select [t=0], Branch(0) Table [u=1]",
        ),
        (
            "SELECT 1 FROM ((SELECT 1 FROM t) UNION SELECT 2 FROM u) d",
            "Statement Select [d=block 2], 0<Branch(2) Select [t=0], 0<Derived Wrapped [], 0<Branch(2) Select [u=1]",
        ),
        ("INSERT INTO t SELECT 1 FROM u", "Statement Other [t=0], 0<Stored Select [u=1]"),
        ("UPDATE t SET a = (SELECT 1 FROM t x)", "Statement Other [t=0], 0<Value Select [x=1]"),
    ] {
        assert_eq!(read(text).blocks(), blocks, "{text}");
    }
}

#[test]
fn select_items_and_ordinals_of_every_block_are_kept() {
    let read = read(
        "SELECT *, a AS x, t.*, (SELECT 1), NOW(), 5 FROM (SELECT DISTINCT b FROM u ORDER BY 1) t GROUP BY 2",
    );
    let [outer, scalar, derived] = &read.statement.blocks[..] else { panic!("{:?}", read.statement.blocks) };
    let kinds: Vec<_> = outer.outputs.iter().map(|output| &output.kind).collect();
    let five = OutputKind::Value(Scalar::Slot(1));
    let own = OutputKind::AllOf { schema: None, owner: "t".to_owned() };
    assert_eq!(
        kinds,
        [&OutputKind::All, &OutputKind::Column(0), &own, &OutputKind::Query(1), &OutputKind::Other, &five]
    );
    assert_eq!(outer.outputs[1].alias.as_deref(), Some("x"));
    assert_eq!(read.span(outer.outputs[1].span), "a");
    assert_eq!((outer.group_ordinals.as_slice(), outer.order_ordinals.as_slice()), (&[2][..], &[][..]));
    assert_eq!((scalar.role, scalar.kind), (Role::Item(3), BlockKind::Select));
    assert!(derived.distinct && derived.order_ordinals == [1]);
}

#[test]
fn values_of_a_row_are_found_when_asked_for() {
    let text = "INSERT INTO t VALUES (1, 'a,b', f(1, (2)) /* , */, -?), ROW(NULL,DEFAULT,1+1,'x')";
    let read = read(text);
    let Body::Insert(insert) = &read.statement.body else { panic!("{text}") };
    let InsertSource::Rows(rows) = &insert.source else { panic!("{text}") };
    let values = |row: usize| -> Vec<&str> {
        let spans = rows[row].value_spans(text, &read.slots, Mode::default()).unwrap();
        spans.into_iter().map(|span| read.span(span)).collect()
    };
    assert_eq!(values(0), ["1", "'a,b'", "f(1, (2))", "-?"]);
    assert_eq!(values(1), ["NULL", "DEFAULT", "1+1", "'x'"]);
}
