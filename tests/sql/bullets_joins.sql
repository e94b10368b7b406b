-- Joins: of bound tables, with broadcast tables, with single tables on the same unit; what would move rows is refused.

-- sharded t
CREATE TABLE t (id INT NOT NULL PRIMARY KEY, k INT, s VARCHAR(20));
-- sharded u
CREATE TABLE u (id INT NOT NULL, n INT NOT NULL, k INT, s VARCHAR(20), PRIMARY KEY (id, n));
-- proxy
CREATE SHARDING TABLE REFERENCE RULE tu (t, u);
-- proxy
CREATE BROADCAST TABLE RULE kinds;
CREATE TABLE kinds (kind INT NOT NULL PRIMARY KEY, label VARCHAR(20));
CREATE TABLE alone (id INT NOT NULL PRIMARY KEY, k INT, s VARCHAR(20));
CREATE TABLE other (id INT NOT NULL PRIMARY KEY, v INT);
-- sharded v by k
CREATE TABLE v (k INT NOT NULL PRIMARY KEY, s VARCHAR(20));
INSERT INTO t VALUES (1, 1, 'a'), (2, 2, 'b'), (3, NULL, 'c'), (4, 1, NULL), (5, 3, 'A'), (12, 2, 'b'), (21, 9, 'x');
INSERT INTO u VALUES (1, 1, 5, 'p'), (1, 2, 1, 'a'), (2, 1, NULL, 'q'), (4, 1, 3, 'r'), (5, 1, 3, 'A'), (21, 1, 1, 'x'), (30, 1, 1, 'none');
INSERT INTO kinds VALUES (1, 'one'), (2, 'two'), (3, 'three'), (7, 'seven');
INSERT INTO alone VALUES (1, 1, 'a'), (2, 7, 'b');
INSERT INTO other VALUES (1, 10), (3, 30);
INSERT INTO v VALUES (1, 'v1'), (2, 'v2'), (3, 'v3');
-- or refused from here
-- planned from here

-- Bound tables.
SELECT t.id, u.n FROM t JOIN u ON t.id = u.id ORDER BY t.id, u.n;
SELECT t.id, u.n FROM t INNER JOIN u ON u.id = t.id WHERE t.k = 1 ORDER BY t.id, u.n;
SELECT t.id, u.n FROM t, u WHERE t.id = u.id ORDER BY t.id, u.n;
SELECT t.id, u.n FROM t LEFT JOIN u ON t.id = u.id ORDER BY t.id, u.n;
SELECT t.id, u.n FROM t LEFT JOIN u ON t.id = u.id AND u.k > 1 ORDER BY t.id, u.n;
SELECT t.id, u.id, u.n FROM t RIGHT JOIN u ON t.id = u.id ORDER BY u.id, u.n;
SELECT t.id, u.id, u.n FROM u LEFT JOIN t ON t.id = u.id WHERE t.id IS NULL ORDER BY u.id, u.n;
SELECT id, n FROM t JOIN u USING (id) ORDER BY id, n;
SELECT * FROM t JOIN u USING (id) ORDER BY id, n;
SELECT id, n FROM t NATURAL JOIN u ORDER BY id, n;
SELECT id, n FROM t LEFT JOIN u USING (id) ORDER BY id, n;
SELECT id, n FROM t RIGHT JOIN u USING (id) ORDER BY id, n;
SELECT a.id, b.k FROM t a JOIN t b ON a.id = b.id ORDER BY a.id;
SELECT a.n, b.n FROM u a JOIN u b ON a.id = b.id AND a.n < b.n ORDER BY a.id;
SELECT t.*, u.* FROM t JOIN u ON t.id = u.id ORDER BY t.id, u.n;
SELECT t.k FROM t JOIN u ON t.id = u.id ORDER BY u.k, t.id, u.n;
SELECT t.s FROM t JOIN u ON t.id = u.id ORDER BY u.s DESC, t.id, u.n;
SELECT u.k AS k, t.id FROM t JOIN u ON t.id = u.id ORDER BY t.k, t.id, u.n;
SELECT COUNT(*), SUM(u.k), MAX(t.s) FROM t JOIN u ON t.id = u.id;
SELECT t.k, COUNT(u.n) FROM t LEFT JOIN u ON t.id = u.id GROUP BY t.k ORDER BY t.k;
SELECT t.k, COUNT(*) FROM t JOIN u ON t.id = u.id GROUP BY t.k HAVING COUNT(*) > 1 ORDER BY t.k;
SELECT DISTINCT u.k FROM t JOIN u ON t.id = u.id ORDER BY u.k;
SELECT t.id, u.n FROM t JOIN u ON t.id = u.id WHERE t.id IN (1, 2, 21) ORDER BY t.id, u.n LIMIT 2 OFFSET 1;
SELECT t.id FROM t STRAIGHT_JOIN u ON t.id = u.id WHERE u.id = 1 ORDER BY u.n;
SELECT t.id, a.n, b.n FROM t JOIN u a ON t.id = a.id JOIN u b ON b.id = a.id ORDER BY t.id, a.n, b.n;
SELECT t.id FROM t JOIN u ON t.id = u.id OR t.k = u.k ORDER BY t.id;
SELECT t.id FROM t JOIN u ON t.id = u.id + 0 ORDER BY t.id;
SELECT t.id FROM t JOIN u ON t.k = u.k ORDER BY t.id;
SELECT t.id FROM t CROSS JOIN u ORDER BY t.id;
SELECT t.id, u.n FROM t JOIN u ON t.id = 1 AND u.id = 1 ORDER BY u.n;
SELECT t.id FROM t WHERE t.id IN (SELECT id FROM u) ORDER BY t.id;
SELECT t.id FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.id = t.id AND u.k > 1) ORDER BY t.id;
SELECT t.id, (SELECT MAX(u.n) FROM u WHERE u.id = t.id) m FROM t ORDER BY t.id;
-- args 1
SELECT t.id, u.n FROM t JOIN u ON t.id = u.id WHERE u.k = ? ORDER BY t.id, u.n;

-- Broadcast tables.
SELECT t.id, kinds.label FROM t JOIN kinds ON t.k = kinds.kind ORDER BY t.id;
SELECT t.id, label FROM t LEFT JOIN kinds ON t.k = kinds.kind ORDER BY t.id;
SELECT t.id, label FROM kinds RIGHT JOIN t ON t.k = kinds.kind ORDER BY t.id;
SELECT kinds.kind, t.id FROM kinds LEFT JOIN t ON t.k = kinds.kind ORDER BY kinds.kind, t.id;
SELECT kinds.kind, t.id FROM t RIGHT JOIN kinds ON t.k = kinds.kind ORDER BY kinds.kind, t.id;
SELECT label, COUNT(*) FROM t, kinds WHERE t.k = kind GROUP BY label ORDER BY label;
SELECT t.id FROM t WHERE t.k IN (SELECT kind FROM kinds WHERE label = 'one') ORDER BY t.id;
SELECT t.id FROM t WHERE t.k NOT IN (SELECT kind FROM kinds) ORDER BY t.id;
SELECT t.id, (SELECT label FROM kinds WHERE kind = t.k) l FROM t ORDER BY t.id;
SELECT kind FROM kinds WHERE kind IN (SELECT k FROM t) ORDER BY kind;
SELECT kind FROM kinds WHERE NOT EXISTS (SELECT 1 FROM t WHERE t.k = kinds.kind) ORDER BY kind;
SELECT * FROM kinds ORDER BY kind;
SELECT COUNT(*) FROM kinds;
SELECT a.kind FROM kinds a JOIN kinds b ON a.kind = b.kind + 1 ORDER BY a.kind;
SELECT t.id, n, label FROM t JOIN u USING (id) JOIN kinds ON kinds.kind = u.k ORDER BY t.id, n;
SELECT t.id, x.label FROM t JOIN (SELECT * FROM kinds WHERE kind < 3) x ON x.kind = t.k ORDER BY t.id;
SELECT t.id, u.n FROM t LEFT JOIN (u JOIN kinds ON u.k = kinds.kind) ON t.id = u.id ORDER BY t.id, u.n;

-- Single tables.
SELECT alone.id, kinds.label FROM alone JOIN kinds ON alone.k = kinds.kind ORDER BY alone.id;
SELECT alone.id, other.v FROM alone JOIN other ON alone.id = other.id ORDER BY alone.id;
SELECT id, v FROM alone JOIN other USING (id) ORDER BY id;
SELECT t.id, alone.s FROM t JOIN alone ON t.id = alone.id ORDER BY t.id;
SELECT t.id, alone.s FROM t JOIN alone ON t.k = alone.id WHERE t.id = 4;
SELECT t.id FROM t WHERE t.k IN (SELECT id FROM alone) ORDER BY t.id;

-- Tables that are sharded otherwise.
SELECT t.id, v.s FROM t JOIN v ON t.k = v.k ORDER BY t.id;
SELECT t.id, v.s FROM t JOIN v ON t.k = v.k WHERE t.id = 1 AND v.k = 1;
SELECT t.id, v.s FROM t JOIN v ON t.id = v.k ORDER BY t.id;

-- A part of a UNION in parentheses keeps its order and its LIMIT to itself.
-- unordered
(SELECT kind, kind FROM kinds WHERE kind > 1 ORDER BY kind LIMIT 1) UNION DISTINCT (SELECT k, id FROM t);
(SELECT kind, kind FROM kinds ORDER BY kind DESC LIMIT 2) UNION (SELECT k, id FROM t) ORDER BY 1, 2 LIMIT 4;
(SELECT kind FROM kinds ORDER BY kind LIMIT 1) UNION (SELECT kind FROM kinds) ORDER BY 1;
