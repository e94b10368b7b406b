-- Queries of several tables or blocks: each node's own rows give the answer, or the query is refused by name.

-- sharded t
CREATE TABLE t (id INT NOT NULL PRIMARY KEY, a INT, b VARCHAR(20), e ENUM('z','y','x'), f FLOAT);
-- sharded o by uid
CREATE TABLE o (oid INT NOT NULL, uid BIGINT NOT NULL, n INT, s VARCHAR(20) COLLATE utf8mb4_bin, PRIMARY KEY (uid, oid));
-- sharded w by code
CREATE TABLE w (code VARCHAR(20) NOT NULL PRIMARY KEY, n INT);
-- proxy
CREATE BROADCAST TABLE RULE g;
CREATE TABLE g (k INT PRIMARY KEY, v INT, s VARCHAR(20));
CREATE TABLE alone (id INT PRIMARY KEY, v INT);
-- proxy
CREATE SHARDING TABLE REFERENCE RULE r (t, o);
INSERT INTO t VALUES (1, 10, 'apple', 'x', 1.1), (2, 20, 'Banana', 'y', 2.2), (3, NULL, NULL, NULL, NULL), (4, 40, 'cherry', 'z', 4.4), (5, 20, 'APPLE', 'x', 1.1),
  (6, 60, '', 'y', 6.6), (7, 70, 'date', 'z', 7.7), (8, 20, 'Elder', 'x', 8.8), (11, 1, 'fig', 'y', 11.11), (12, 2, NULL, 'z', 12.12), (21, 10, 'apple', 'x', 21.21);
INSERT INTO o VALUES (1, 1, 1, 'a'), (2, 1, 2, 'B'), (3, 1, NULL, NULL), (1, 2, 5, 'b'), (1, 4, 4, 'c'), (2, 4, 4, 'C'), (1, 7, 7, 'a'), (1, 11, 1, 'fig'), (1, 12, 2, 'x'),
  (1, 13, 3, 'orphan'), (2, 13, 13, 'orphan'), (1, 22, 22, NULL), (1, 30, 3, 'orphan');
INSERT INTO w VALUES ('1', 1), ('2', 2), ('11', 11), ('21', 21);
INSERT INTO g VALUES (1, 10, 'one'), (2, 20, 'two'), (3, NULL, 'three'), (4, 40, NULL), (7, 70, 'seven'), (11, 1, 'eleven'), (99, 99, 'none');
INSERT INTO alone VALUES (1, 1), (2, 2), (3, 3);

-- Joins by keys.
SELECT t.id, o.oid FROM t JOIN o ON t.id = o.uid;
SELECT t.id, o.oid FROM t, o WHERE o.uid = t.id AND o.n > 1 ORDER BY t.id, o.oid;
SELECT * FROM t JOIN o ON t.id = o.uid ORDER BY t.id, o.oid LIMIT 3, 4;
SELECT t.b, o.s FROM t STRAIGHT_JOIN o ON o.uid = t.id ORDER BY o.s, t.b;
SELECT t.b, COUNT(*), SUM(o.n), MAX(o.s) FROM t JOIN o ON o.uid = t.id GROUP BY t.b ORDER BY t.b;
SELECT DISTINCT t.a FROM t JOIN o ON o.uid = t.id ORDER BY t.a;
SELECT COUNT(*), AVG(o.n) FROM t JOIN o ON o.uid = t.id;
SELECT t.id, o.oid FROM t LEFT JOIN o ON t.id = o.uid ORDER BY t.id, o.oid;
SELECT t.id, o.oid FROM t LEFT JOIN o ON t.id = o.uid AND o.n > 2 ORDER BY t.id, o.oid;
SELECT t.id, o.oid FROM t LEFT JOIN o ON t.id = o.uid WHERE o.n > 2 ORDER BY t.id, o.oid;
SELECT t.id, o.oid FROM t LEFT JOIN o ON t.id = o.uid AND t.id = 2 WHERE NOT (o.uid <=> 7) ORDER BY t.id, o.oid;
SELECT t.id, o.oid FROM t LEFT JOIN o ON t.id = o.uid AND t.id = 2 WHERE NOT (NOT (o.uid <=> 2)) ORDER BY t.id, o.oid;
SELECT t.id, o.oid FROM t LEFT JOIN o ON t.id = o.uid AND t.id = 2 WHERE NOT (o.n IN (1, NULL)) ORDER BY t.id, o.oid;
SELECT t.id, o.oid FROM t LEFT JOIN o ON t.id = o.uid AND t.id = 2 WHERE NOT (o.n BETWEEN NULL AND 2) ORDER BY t.id, o.oid;
SELECT t.id, o.oid FROM t LEFT JOIN o ON t.id = o.uid WHERE o.oid IS NULL ORDER BY t.id;
SELECT t.id, o.oid FROM t LEFT JOIN o ON t.id = o.uid AND t.a > 20 ORDER BY t.id, o.oid;
SELECT t.id, o.oid FROM t LEFT JOIN o ON t.id = o.uid AND o.uid = 4 ORDER BY t.id, o.oid;
SELECT t.id, o.oid FROM t LEFT JOIN o ON t.id = o.uid AND o.uid = 4 WHERE t.id IN (1, 4, 6) ORDER BY t.id, o.oid;
SELECT t.id, o.oid FROM t LEFT JOIN o ON t.id = o.uid AND t.id = 4 WHERE t.id < 5 ORDER BY t.id, o.oid;
SELECT t.id, o.uid FROM t LEFT JOIN o ON t.id = o.uid WHERE o.uid = 4;
SELECT t.id, o.uid FROM t LEFT JOIN o ON t.a = o.n WHERE t.id = o.uid;
SELECT t.id, o.uid FROM t RIGHT JOIN o ON t.id = o.uid ORDER BY o.uid, o.oid;
-- planned
SELECT t.id, o.uid FROM t RIGHT JOIN o ON t.id = o.uid WHERE t.a IS NULL ORDER BY o.uid, o.oid;
SELECT t.id, o.uid FROM t RIGHT JOIN o ON t.id = o.uid WHERE o.uid IN (13, 1) ORDER BY o.uid, o.oid;
SELECT COUNT(*), COUNT(t.id), COUNT(o.uid) FROM t LEFT JOIN o ON t.id = o.uid;
SELECT COUNT(*), COUNT(t.id), COUNT(o.uid) FROM t RIGHT JOIN o ON t.id = o.uid;
-- planned
SELECT x.id, y.id FROM t x JOIN t y ON x.id = y.id AND y.a = 20 ORDER BY x.id;
SELECT x.id, y.id FROM t x JOIN t y USING (id) WHERE x.a = 20 ORDER BY id;
SELECT id, x.a, y.b FROM t x JOIN t y USING (id) ORDER BY id LIMIT 3;
SELECT * FROM t x JOIN t y USING (id) WHERE id IN (1, 3);
-- planned
SELECT id FROM t x LEFT JOIN (SELECT id, a FROM t WHERE a = 20) y USING (id) WHERE y.a IS NULL ORDER BY id;
SELECT COUNT(*) FROM t x NATURAL JOIN t y;
SELECT x.id FROM t x NATURAL LEFT JOIN t y ORDER BY x.id;
SELECT t.id, p.oid, q.oid FROM t LEFT JOIN (o p JOIN o q ON p.uid = q.uid AND p.oid < q.oid) ON t.id = p.uid ORDER BY t.id, p.oid, q.oid;
SELECT t.id, p.oid, q.oid FROM t LEFT JOIN o p ON t.id = p.uid LEFT JOIN o q ON q.uid = p.uid AND q.oid > p.oid ORDER BY t.id, p.oid, q.oid;
SELECT t.id, p.oid FROM t JOIN o p ON t.id = p.uid JOIN t u ON u.id = p.uid WHERE u.id < 10 ORDER BY t.id, p.oid;
SELECT t.id, o.oid FROM t JOIN o ON t.id = o.uid WHERE t.id = 1 ORDER BY o.oid;
SELECT t.id, o.oid FROM t JOIN o ON t.id = o.uid WHERE t.id = 1 AND o.uid = 2;
SELECT t.id, o.oid FROM t, o WHERE t.id = 1 AND o.uid = 11 ORDER BY o.oid;
SELECT t.id, o.oid FROM t, o WHERE t.id = 1 AND t.id = 2;
SELECT t.id FROM t JOIN o ON NOT (t.id <> o.uid) WHERE t.id = 4 AND o.uid = 4;
-- refused 30001 a join
SELECT t.id, o.oid FROM t JOIN o ON t.id = o.n;
-- refused 30001 a join
SELECT t.id, o.oid FROM t JOIN o;
-- refused 30001 a join
SELECT t.id, o.oid FROM t LEFT JOIN o ON t.id <=> o.uid;
-- refused 30001 a join
SELECT t.id, o.oid FROM t JOIN o ON t.id = o.uid OR t.a = o.n;
-- refused 30001 a join
SELECT t.id, w.n FROM t JOIN w ON t.id = w.code;
-- refused 30001 a join
SELECT x.id FROM t x JOIN t y ON x.id = y.id + 0;
-- refused 30001 a join
SELECT x.id, y.a FROM t x JOIN t y ON x.a = y.a;

-- Broadcast tables stand beside any, but their rows are not kept.
-- planned
SELECT t.id, g.s FROM t JOIN g ON t.id = g.k ORDER BY t.id;
SELECT t.id, g.s FROM g, t WHERE t.a = g.v ORDER BY t.id, g.k;
SELECT t.id, g.s FROM t LEFT JOIN g ON t.id = g.k ORDER BY t.id;
SELECT t.id, g.s FROM g RIGHT JOIN t ON t.id = g.k ORDER BY t.id;
SELECT t.id, g.s, o.oid FROM t LEFT JOIN g ON t.id = g.k LEFT JOIN o ON o.uid = t.id ORDER BY t.id, o.oid;
SELECT t.id, o.oid FROM t, g, o WHERE t.id = g.k AND o.uid = g.k ORDER BY t.id, o.oid;
SELECT t.id, g.k FROM t LEFT JOIN g ON g.v = t.a AND g.v = t.id * 10 ORDER BY t.id;
SELECT t.id, g.k FROM g LEFT JOIN t ON t.id = g.k WHERE t.a > 1 ORDER BY t.id;
SELECT t.id, g.k, h.k FROM t CROSS JOIN g JOIN g h ON g.k = h.v WHERE t.id < 3 ORDER BY t.id, g.k, h.k;
SELECT t.id FROM t JOIN g ON t.id = g.k WHERE g.k = 7;
SELECT t.id FROM t JOIN g ON t.id = g.k WHERE g.k IN (1, 11) ORDER BY t.id;
SELECT g.s, COUNT(*) FROM t JOIN g ON t.a = g.v GROUP BY g.s ORDER BY g.s;
-- refused 30001 a join
SELECT t.id, g.k FROM g LEFT JOIN t ON t.id = g.k;
-- refused 30001 a join
SELECT t.id, g.k FROM t RIGHT JOIN g ON t.id = g.k;
-- refused 30001 a join
SELECT t.id, o.oid FROM t LEFT JOIN g ON t.a = g.v LEFT JOIN o ON o.uid = g.k;
-- refused 30001 a join
SELECT t.id, o.oid FROM t LEFT JOIN g ON g.v = t.a AND g.v = t.id LEFT JOIN o ON o.uid = t.a;
-- refused 30001 a join
SELECT t.id, g.k FROM g LEFT JOIN t ON t.id = g.k WHERE t.a > 1 OR t.a IS NULL;

-- Subqueries over broadcast tables, and those tied to the row.
-- planned
SELECT id FROM t WHERE id IN (SELECT k FROM g WHERE v IS NOT NULL) ORDER BY id;
SELECT id FROM t WHERE id NOT IN (SELECT k FROM g) ORDER BY id;
SELECT id FROM t WHERE a NOT IN (SELECT v FROM g) ORDER BY id;
SELECT id FROM t WHERE a > (SELECT AVG(v) FROM g) ORDER BY id;
SELECT id, (SELECT s FROM g WHERE k = t.id) x FROM t ORDER BY id;
SELECT id, (SELECT s FROM g WHERE k = t.id) x FROM t ORDER BY x, id;
SELECT id FROM t ORDER BY (SELECT s FROM g WHERE k = t.id) DESC, id;
SELECT id FROM t ORDER BY (SELECT v FROM g WHERE k = t.id), id;
SELECT id, (SELECT COUNT(*) FROM o WHERE uid = t.id) c FROM t ORDER BY c DESC, id;
SELECT id, (SELECT GROUP_CONCAT(o.s ORDER BY o.oid) FROM o WHERE o.uid = t.id) c FROM t ORDER BY id;
SELECT id, (SELECT MAX(o.s) FROM o WHERE o.uid = t.id) c FROM t ORDER BY c, id;
SELECT id, (SELECT o.s FROM o WHERE o.uid = t.id ORDER BY o.oid DESC LIMIT 1) c FROM t ORDER BY id;
-- planned
SELECT id FROM t WHERE EXISTS (SELECT 1 FROM o WHERE o.uid = t.id) ORDER BY id;
SELECT id FROM t WHERE NOT EXISTS (SELECT 1 FROM o WHERE o.uid = t.id AND o.n > 1) ORDER BY id;
SELECT id FROM t WHERE EXISTS (SELECT * FROM o WHERE t.id = o.uid AND o.n = t.a) OR a = 20 ORDER BY id;
SELECT id, EXISTS (SELECT 1 FROM o WHERE o.uid = id) x FROM t ORDER BY id;
-- planned
SELECT id FROM t WHERE id IN (SELECT uid FROM o WHERE n > 1) ORDER BY id;
SELECT id FROM t WHERE id IN (SELECT uid FROM o GROUP BY uid HAVING COUNT(*) > 1) ORDER BY id;
-- planned
SELECT id FROM t WHERE id = ANY (SELECT uid FROM o) AND a > 5 ORDER BY id;
-- planned
SELECT id FROM t WHERE (id, a) IN (SELECT uid, n FROM o) ORDER BY id;
SELECT id FROM t WHERE a IS NULL OR id IN (SELECT uid FROM o WHERE s = 'a') ORDER BY id;
-- planned
SELECT id FROM t WHERE id IN (SELECT o.uid FROM o JOIN g ON g.k = o.uid) ORDER BY id;
SELECT id FROM t WHERE id IN (SELECT uid FROM o WHERE n > 4 UNION SELECT uid FROM o WHERE s = 'a') ORDER BY id;
SELECT id FROM t WHERE id NOT IN (SELECT uid FROM o) ORDER BY id;
SELECT id FROM t WHERE id NOT IN (SELECT uid FROM o WHERE n > 3) OR a = 20 ORDER BY id;
SELECT id FROM t WHERE (id, a) NOT IN (SELECT uid, n FROM o) ORDER BY id;
SELECT id FROM t WHERE id NOT IN (SELECT uid FROM o GROUP BY uid HAVING COUNT(*) > 1) ORDER BY id;
SELECT id FROM t WHERE id NOT IN (SELECT uid FROM o UNION SELECT v FROM g) ORDER BY id;
SELECT id FROM t WHERE id IN (SELECT uid FROM o WHERE uid = 4);
SELECT id FROM t WHERE id = 4 AND id IN (SELECT uid FROM o);
SELECT id FROM t WHERE id = 6 AND NOT EXISTS (SELECT 1 FROM o WHERE uid = t.id);
SELECT id FROM t WHERE (SELECT COUNT(*) FROM o WHERE o.uid = t.id) > 1 ORDER BY id;
-- planned
SELECT id FROM t WHERE EXISTS (SELECT 1 FROM g WHERE g.v = t.a AND EXISTS (SELECT 1 FROM o WHERE o.uid = t.id AND o.n < g.k)) ORDER BY id;
SELECT id FROM t WHERE EXISTS (SELECT 1 FROM g WHERE g.k = t.id AND EXISTS (SELECT 1 FROM o WHERE o.uid = g.k)) ORDER BY id;
SELECT COUNT(*), SUM(a) FROM t WHERE EXISTS (SELECT 1 FROM o WHERE o.uid = t.id);
SELECT SUM((SELECT COUNT(*) FROM o WHERE o.uid = t.id)) FROM t;
SELECT a, COUNT(*) FROM t WHERE id IN (SELECT uid FROM o) GROUP BY a ORDER BY a;
SELECT DISTINCT (SELECT MAX(v) FROM g WHERE k = t.a) x FROM t ORDER BY x;
SELECT t.id, o.oid FROM t JOIN o ON t.id = o.uid AND o.n IN (SELECT k FROM g) ORDER BY t.id, o.oid;
SELECT t.id, o.oid FROM t LEFT JOIN o ON t.id = o.uid AND EXISTS (SELECT 1 FROM o p WHERE p.uid = t.id AND p.n = o.n + 1) ORDER BY t.id, o.oid;
SELECT id FROM t WHERE id > (SELECT k FROM g ORDER BY k DESC LIMIT 1, 1) ORDER BY id;
SELECT 'x' FROM t WHERE id = (SELECT 1) UNION SELECT 'y';
-- refused 30001 subquery
SELECT id FROM t WHERE a IN (SELECT n FROM o);
-- refused 30001 subquery
SELECT id FROM t WHERE a NOT IN (SELECT uid FROM o);
-- refused 30001 subquery
SELECT id FROM t WHERE id NOT IN (SELECT o.uid FROM t u LEFT JOIN o ON o.uid = u.id);
-- refused 30001 subquery
SELECT t.id FROM t LEFT JOIN o ON o.uid = t.id WHERE o.uid NOT IN (SELECT uid FROM o WHERE n > 3);
-- refused 30001 subquery
SELECT id FROM t WHERE EXISTS (SELECT 1 FROM o WHERE uid = oid);
-- refused 30001 subquery
SELECT id FROM t WHERE EXISTS (SELECT 1 FROM o t WHERE t.uid = t.oid);
-- refused 30001 subquery
SELECT a FROM t WHERE EXISTS (SELECT 1 FROM t u WHERE u.id = id);
-- refused 30001 subquery
SELECT id FROM t WHERE id = (SELECT uid FROM o WHERE n = 7);
-- refused 30001 subquery
SELECT id FROM t WHERE id IN (SELECT MAX(uid) FROM o);
-- refused 30001 subquery
SELECT id, (SELECT MAX(o.n) FROM o) FROM t;
-- refused 30001 subquery
SELECT id, id IN (SELECT uid FROM o) FROM t;
-- refused 30001 subquery
SELECT (SELECT MAX(t.a)) FROM t;
-- refused 30001 subquery
SELECT (SELECT MAX(t.a) FROM g) FROM t;
-- refused 30001 subquery
SELECT k FROM g WHERE k IN (SELECT id FROM t);
-- refused 30001 LIMIT without ORDER BY
SELECT id FROM t WHERE a > (SELECT k FROM g LIMIT 1);

-- Derived tables and WITH.
SELECT * FROM (SELECT id, a FROM t) x ORDER BY id;
SELECT x.b FROM (SELECT b, id FROM t WHERE a = 20) x ORDER BY x.b, x.id LIMIT 2;
SELECT * FROM (SELECT id, a FROM t) x WHERE x.id = 7;
SELECT * FROM (SELECT id + 1, t.a * 2, a FROM t) x WHERE a > 20 ORDER BY a;
SELECT `id + 1` FROM (SELECT id + 1, t.a FROM t) x ORDER BY `id + 1`;
SELECT x.e, x.f FROM (SELECT e, f, id FROM t) x ORDER BY x.e, x.id;
SELECT x.f FROM (SELECT f, id FROM t) x ORDER BY x.f DESC, x.id;
SELECT e, COUNT(*) FROM (SELECT e FROM t) x GROUP BY e ORDER BY e;
SELECT a, COUNT(*), MIN(b), MAX(s) FROM (SELECT t.a, t.b, o.s FROM t LEFT JOIN o ON t.id = o.uid) x GROUP BY a ORDER BY a;
SELECT x.a, CONCAT(x.b, '!') c FROM (SELECT a, b FROM t) x ORDER BY c, x.a;
SELECT id FROM (SELECT CONCAT(id) AS id FROM t) x ORDER BY id;
SELECT a FROM (SELECT b AS a, id FROM t) x ORDER BY a, id;
SELECT COUNT(*) FROM (SELECT DISTINCT id FROM t) x;
SELECT * FROM (SELECT uid, COUNT(*) c FROM o GROUP BY uid) x ORDER BY c DESC, uid;
SELECT MAX(c) FROM (SELECT uid, COUNT(*) c FROM o GROUP BY uid) x;
SELECT * FROM (SELECT uid, SUM(n) c FROM o GROUP BY uid HAVING SUM(n) > 4) x WHERE uid < 12 ORDER BY uid;
SELECT * FROM (SELECT uid, GROUP_CONCAT(s ORDER BY oid) c FROM o GROUP BY uid) x ORDER BY uid;
SELECT t.id, x.c FROM t LEFT JOIN (SELECT uid, COUNT(*) c FROM o GROUP BY uid) x ON x.uid = t.id ORDER BY t.id;
SELECT t.id, x.c FROM t JOIN (SELECT uid, COUNT(*) c FROM o WHERE n > 1 GROUP BY uid) x ON x.uid = t.id WHERE t.id IN (1, 4) ORDER BY t.id;
SELECT x.id, y.uid FROM (SELECT id FROM t WHERE a > 1) x LEFT JOIN (SELECT uid FROM o WHERE n > 3) y ON y.uid = x.id ORDER BY x.id, y.uid;
SELECT t.id, x.m FROM t, (SELECT MAX(v) m FROM g) x WHERE t.a < x.m ORDER BY t.id;
-- planned
SELECT t.id, x.k FROM t LEFT JOIN (SELECT k FROM g ORDER BY k LIMIT 3) x ON x.k = t.id ORDER BY t.id;
-- planned
SELECT t.id, x.k FROM t JOIN (SELECT 1 AS k UNION ALL SELECT 7 UNION ALL SELECT 1) x ON x.k = t.id ORDER BY t.id;
SELECT x.i FROM (SELECT id AS i FROM t UNION ALL SELECT uid FROM o) x ORDER BY x.i;
SELECT x.i, COUNT(*) FROM (SELECT id AS i FROM t UNION ALL SELECT uid FROM o) x GROUP BY x.i ORDER BY x.i;
SELECT x.i FROM (SELECT id AS i FROM t UNION SELECT id FROM t WHERE a = 20) x ORDER BY x.i;
SELECT x.i FROM (SELECT id AS i FROM t UNION SELECT uid FROM o) x ORDER BY x.i;
SELECT x.i FROM (SELECT id AS i FROM t EXCEPT SELECT uid FROM o) x ORDER BY x.i;
SELECT x.i FROM (SELECT id AS i FROM t INTERSECT SELECT uid FROM o) x ORDER BY x.i;
SELECT t.id, x.m FROM t, LATERAL (SELECT MAX(n) m FROM o WHERE o.uid = t.id) x ORDER BY t.id;
SELECT t.id, x.m FROM t LEFT JOIN LATERAL (SELECT n m FROM o WHERE o.uid = t.id ORDER BY oid LIMIT 1) x ON x.m > 1 ORDER BY t.id;
SELECT t.id, j.x FROM t, JSON_TABLE('[1, 2]', '$[*]' COLUMNS (x INT PATH '$')) j WHERE t.id < 3 ORDER BY t.id, j.x;
WITH x AS (SELECT id, a FROM t WHERE a > 10) SELECT * FROM x ORDER BY id;
-- planned
WITH x AS (SELECT id, a FROM t), y AS (SELECT id FROM x WHERE a = 20) SELECT x.id + 0 i, x.a + 0 FROM x JOIN y ON x.id = y.id ORDER BY i;
WITH x (p, q) AS (SELECT id, b FROM t) SELECT q, COUNT(*) FROM x GROUP BY q ORDER BY q;
WITH x AS (SELECT uid, COUNT(*) c FROM o GROUP BY uid) SELECT t.id, c FROM t LEFT JOIN x ON x.uid = t.id ORDER BY t.id;
WITH x AS (SELECT MAX(v) m FROM g) SELECT id FROM t, x WHERE t.a = x.m OR t.id = 1 ORDER BY id;
WITH x AS (SELECT id FROM t WHERE id = 7) SELECT * FROM x;
-- refused 30001 LIMIT
SELECT * FROM (SELECT id FROM t ORDER BY id LIMIT 3) x;
-- refused 30001 without the sharding column
SELECT * FROM (SELECT a, COUNT(*) FROM t GROUP BY a) x;
-- refused 30001 without the sharding column
SELECT * FROM (SELECT MAX(a) FROM t) x;
-- refused 30001 without the sharding column
SELECT * FROM (SELECT DISTINCT a FROM t) x;
-- refused 30001 without the sharding column
SELECT * FROM (SELECT uid, COUNT(*) FROM o GROUP BY uid WITH ROLLUP) x;
-- refused 30001 without the sharding column
SELECT * FROM (SELECT DISTINCT o.uid FROM t LEFT JOIN o ON t.id = o.uid) x;
-- refused 30001 without the sharding column
SELECT * FROM (SELECT o.uid, COUNT(*) FROM t LEFT JOIN o ON t.id = o.uid GROUP BY o.uid) x;
-- refused 30001 a join
SELECT x.id FROM (SELECT id + 0 AS id FROM t) x JOIN o ON x.id = o.uid;
-- refused 30001 a join
SELECT x.k, t.id FROM (SELECT k FROM g) x LEFT JOIN t ON x.k = t.id;
-- refused 30001 a join
WITH x AS (SELECT id, a FROM t) SELECT y.id, z.id FROM x y JOIN x z ON y.a = z.a;
-- refused 30001 a set operation of sharded with other tables
SELECT * FROM (SELECT id FROM t UNION ALL SELECT k FROM g) x;
-- refused 30001 UNION
SELECT * FROM (SELECT a FROM t UNION SELECT n FROM o) x;
-- refused 30001 subquery
SELECT t.id, x.m FROM t, LATERAL (SELECT MAX(n) m FROM o WHERE o.n = t.id) x;
-- refused 30001 WITH
WITH RECURSIVE x (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM x WHERE i < 3) SELECT t.id FROM x JOIN t ON t.id = x.i;
-- On one node all of it is the server's.
SELECT * FROM (SELECT id, a FROM t WHERE id = 1 LIMIT 1) x JOIN o ON o.n = x.id AND o.uid = 11;
SELECT MAX(c) FROM (SELECT a, COUNT(*) c FROM t WHERE id IN (1, 11, 21) GROUP BY a) x;
SELECT id FROM t WHERE id = 1 AND id NOT IN (SELECT uid FROM o WHERE uid = 21);
SELECT k FROM g WHERE k IN (SELECT uid FROM o WHERE uid = 11) ORDER BY k;
SELECT (SELECT MAX(n) FROM o WHERE uid = 1), (SELECT MIN(a) FROM t WHERE id = 11);
SELECT g.k, t.id FROM g LEFT JOIN t ON t.id = g.k AND t.id = 7 ORDER BY g.k;
WITH RECURSIVE x (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM x WHERE i < 3) SELECT t.id FROM x JOIN t ON t.id = x.i AND t.id = 1;
-- args 20, 7
SELECT x.id FROM (SELECT id, a FROM t WHERE a = ?) x WHERE x.id < ? ORDER BY x.id;
-- args 1
SELECT t.id, o.oid FROM t JOIN o ON t.id = o.uid WHERE o.uid = ? ORDER BY o.oid;
-- args 2, 1
SELECT id FROM t WHERE EXISTS (SELECT 1 FROM o WHERE o.uid = t.id AND n >= ?) ORDER BY id LIMIT ?, 3;

-- Set operations.
SELECT id FROM t UNION ALL SELECT uid FROM o;
SELECT id, b FROM t WHERE id < 5 UNION ALL SELECT oid, s FROM o WHERE uid < 5 ORDER BY 1, b;
SELECT id, b FROM t UNION ALL SELECT oid, s FROM o ORDER BY b DESC, id DESC LIMIT 4, 6;
(SELECT id FROM t WHERE a = 20) UNION ALL (SELECT uid FROM o WHERE n > 3) ORDER BY id;
SELECT a FROM t UNION SELECT n FROM o;
SELECT a FROM t UNION SELECT n FROM o ORDER BY a;
SELECT a FROM t UNION DISTINCT SELECT n FROM o ORDER BY a DESC LIMIT 3;
SELECT a FROM t UNION SELECT n FROM o ORDER BY a LIMIT 2, 4;
SELECT LOWER(b) x FROM t UNION SELECT LOWER(s) FROM o ORDER BY x;
SELECT b x FROM t WHERE b <> 'apple' UNION SELECT s FROM o ORDER BY x;
SELECT e FROM t UNION SELECT e FROM t ORDER BY e;
SELECT e, id FROM t UNION ALL SELECT e, id FROM t WHERE id > 5 ORDER BY e DESC, id;
SELECT f FROM t UNION SELECT f FROM t ORDER BY f;
SELECT f FROM t UNION SELECT n FROM o ORDER BY f;
SELECT a, 'x', NULL, a * 2 FROM t UNION SELECT n, s, 1, uid FROM o WHERE uid > 10;
SELECT a, a FROM t UNION SELECT n, uid FROM o ORDER BY 2, 1;
SELECT t.a + 1, t.a FROM t UNION SELECT n, uid FROM o ORDER BY 1, 2;
SELECT id FROM t UNION SELECT id FROM t WHERE a = 20 ORDER BY id;
SELECT id, a FROM t UNION SELECT uid, n FROM o ORDER BY id, a;
SELECT id FROM t INTERSECT SELECT uid FROM o ORDER BY id;
SELECT id FROM t EXCEPT SELECT uid FROM o ORDER BY id;
SELECT uid FROM o INTERSECT ALL SELECT uid FROM o WHERE n > 1 ORDER BY uid;
SELECT uid FROM o EXCEPT ALL SELECT id FROM t ORDER BY uid;
SELECT a FROM t UNION ALL SELECT n FROM o UNION SELECT oid FROM o ORDER BY a;
SELECT a FROM t UNION (SELECT n FROM o UNION ALL SELECT oid FROM o) ORDER BY a;
SELECT a FROM t UNION SELECT v FROM g ORDER BY a;
SELECT a FROM t UNION SELECT 5 UNION SELECT 6 ORDER BY a;
SELECT a FROM t WHERE id < 0 UNION SELECT v FROM g ORDER BY a;
SELECT a FROM t WHERE id = 1 UNION ALL SELECT v FROM g WHERE k = 2 ORDER BY a;
SELECT id FROM t WHERE id = 1 UNION ALL SELECT uid FROM o WHERE uid = 21 OR uid = 11;
SELECT id FROM t WHERE id = 1 UNION ALL SELECT uid FROM o WHERE uid = 2 ORDER BY id;
SELECT id FROM t WHERE id = 1 UNION ALL SELECT uid FROM o WHERE 1 = 0;
SELECT id FROM t WHERE 1 = 0 UNION ALL SELECT uid FROM o WHERE 1 = 0;
SELECT t.id, o.n FROM t JOIN o ON t.id = o.uid UNION ALL SELECT id, a FROM t WHERE NOT EXISTS (SELECT 1 FROM o WHERE uid = t.id) ORDER BY id, n;
WITH x AS (SELECT id, a FROM t) SELECT id FROM x WHERE a = 20 UNION ALL SELECT id + 100 FROM x ORDER BY id;
SELECT * FROM t WHERE id < 3 UNION ALL SELECT * FROM t WHERE id > 20 ORDER BY id;
SELECT ID, A FROM t UNION SELECT uid, n FROM o ORDER BY a, Id;
TABLE g UNION ALL SELECT id, v, 'alone' FROM alone WHERE 1 = 0 ORDER BY k;
-- refused 30001 UNION
(SELECT id FROM t WHERE id < 5) ORDER BY id;
SELECT uid, COUNT(*) c FROM o GROUP BY uid UNION ALL SELECT id, a FROM t WHERE a = 20 ORDER BY uid, c;
-- args 20, 1
SELECT id, b FROM t WHERE a = ? UNION SELECT uid, s FROM o WHERE n > ? ORDER BY id, b;
-- args 3
SELECT id FROM t UNION ALL SELECT uid FROM o ORDER BY id LIMIT ?;
-- args 'q', 2
SELECT id, ? x FROM t UNION SELECT uid, 'r' FROM o ORDER BY 1, 2 LIMIT ?;
-- refused 30001 UNION
SELECT a FROM t UNION SELECT n FROM o UNION ALL SELECT oid FROM o;
-- refused 30001 EXCEPT
SELECT a FROM t EXCEPT SELECT n FROM o;
-- refused 30001 a set operation of sharded with other tables
SELECT a FROM t UNION ALL SELECT v FROM g;
-- refused 30001 without the sharding column
SELECT a FROM t UNION ALL SELECT COUNT(*) FROM o;
-- refused 30001 LIMIT
(SELECT a FROM t LIMIT 1) UNION ALL SELECT n FROM o;
-- refused 30001 ORDER BY an expression
SELECT a FROM t UNION ALL SELECT n FROM o ORDER BY a + 1;

-- Groups that lie on one node each are rows like others.
SELECT uid, COUNT(*) c FROM o GROUP BY uid HAVING c > 1 ORDER BY uid;
SELECT uid, COUNT(*) + 1, COUNT(DISTINCT n), SUM(n) / COUNT(*) FROM o GROUP BY uid ORDER BY SUM(n) DESC, uid;
SELECT uid, MAX(s) m FROM o GROUP BY 1 ORDER BY m DESC, uid LIMIT 2, 4;
SELECT uid, GROUP_CONCAT(s ORDER BY oid) m FROM o GROUP BY uid ORDER BY m, uid;
SELECT uid, n, COUNT(*) FROM o GROUP BY n, uid HAVING COUNT(*) > 0 ORDER BY COUNT(*) DESC, uid, n;
SELECT id, e, COUNT(*) FROM t GROUP BY id HAVING e <> 'x' ORDER BY e, id;
SELECT t.id, COUNT(o.oid) c FROM t LEFT JOIN o ON t.id = o.uid GROUP BY t.id HAVING c <> 1 ORDER BY c DESC, t.id;
SELECT id, COUNT(*) + (SELECT COUNT(*) FROM o WHERE uid = t.id) m FROM t GROUP BY id ORDER BY id;
SELECT id, COUNT(*) FROM t GROUP BY id HAVING EXISTS (SELECT 1 FROM o WHERE uid = t.id) ORDER BY id;
SELECT x.i, COUNT(*) c FROM (SELECT id AS i FROM t UNION ALL SELECT uid FROM o) x GROUP BY x.i HAVING c > 2 ORDER BY x.i;
SELECT x.i, t.b FROM (SELECT id AS i FROM t UNION ALL SELECT uid FROM o) x JOIN t ON t.id = x.i ORDER BY x.i, t.b;
SELECT o.uid, COUNT(*) FROM t LEFT JOIN o ON t.id = o.uid GROUP BY o.uid HAVING COUNT(*) > 1 ORDER BY o.uid;
SELECT id, (SELECT COUNT(*) FROM g LEFT JOIN o ON o.uid = t.id AND o.n = g.k) c FROM t ORDER BY id;

-- Conditions that exclude each other leave one node to answer.
SELECT COUNT(*) FROM (SELECT id FROM t WHERE id = 6) x JOIN (SELECT uid FROM o WHERE uid = 7) y ON x.id = y.uid;
SELECT SUM(y.n) FROM (SELECT id FROM t WHERE id = 6) x JOIN (SELECT uid, n FROM o WHERE uid IN (7, 8)) y ON x.id = y.uid GROUP BY x.id;
SELECT alone.v FROM (SELECT DISTINCT id, a FROM t WHERE id = 6) x RIGHT JOIN t ON t.id = x.id RIGHT JOIN alone ON t.a = alone.v WHERE x.id IN (2, 3);

-- What stands in the parentheses of the first part is that part's own.
-- unordered
(SELECT k, v FROM g WHERE k > 1 ORDER BY k LIMIT 2) UNION DISTINCT (SELECT a, id FROM t);
(SELECT id FROM t ORDER BY id) UNION ALL (SELECT uid FROM o) ORDER BY id DESC LIMIT 3;
(SELECT a FROM t WHERE id = 1 ORDER BY a LIMIT 1) UNION ALL SELECT 1 UNION ALL SELECT 2;
