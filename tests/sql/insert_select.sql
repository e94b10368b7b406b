-- INSERT ... SELECT: each node by itself where rows keep their keys, or all of it on one node.

-- sharded a
CREATE TABLE a (id INT NOT NULL PRIMARY KEY, k INT, v VARCHAR(5));
-- sharded b
CREATE TABLE b (id INT NOT NULL PRIMARY KEY, k INT NOT NULL, v VARCHAR(3));
-- sharded c by a_id
CREATE TABLE c (n INT NOT NULL, a_id INT NOT NULL, w INT, PRIMARY KEY (a_id, n));
CREATE TABLE plain (id INT NOT NULL PRIMARY KEY, k INT);
INSERT INTO a VALUES (1, 10, 'a'), (2, 20, 'b'), (3, 30, 'c'), (4, 40, 'd'), (11, 50, 'e'), (12, 60, 'f'), (25, 70, NULL);
INSERT INTO plain VALUES (1, 1), (2, 2);
INSERT INTO b SELECT * FROM a;
INSERT INTO b SELECT * FROM a;
INSERT IGNORE INTO b SELECT * FROM a;
SHOW COUNT(*) WARNINGS;
INSERT IGNORE INTO b SELECT * FROM a WHERE id IN (2, 12);
SHOW WARNINGS;
REPLACE INTO b SELECT id, k + 1, v FROM a WHERE id > 2;
REPLACE INTO b SELECT id, k + 1, v FROM a WHERE id > 2;
INSERT INTO b (id, k) SELECT id, k FROM a WHERE id IN (1, 3) ON DUPLICATE KEY UPDATE k = a.k + 5;
INSERT INTO b (id, k) SELECT x.id, x.k FROM a x ON DUPLICATE KEY UPDATE k = VALUES(k), b.v = 'd';
INSERT INTO b (id, k) SELECT id, k FROM a x WHERE x.id = 1 ON DUPLICATE KEY UPDATE b.id = b.id, b.k = 7;
SELECT * FROM b ORDER BY id;
DELETE FROM b;
INSERT INTO b (v, k, id) SELECT v, k, id FROM a WHERE k BETWEEN 20 AND 60 ORDER BY k DESC;
INSERT INTO b TABLE a;
DELETE FROM b;
INSERT INTO b TABLE a;
-- args 30
DELETE FROM b WHERE k > ?;
-- args 30
INSERT INTO b SELECT * FROM a WHERE k > ?;
SELECT * FROM b ORDER BY id;
DELETE FROM b;
INSERT INTO b (id, k, v) SELECT id, k, 'toolong' FROM a;
INSERT IGNORE INTO b (id, k, v) SELECT id, k, 'toolong' FROM a;
SHOW WARNINGS;
DELETE FROM b;
INSERT INTO b (id, k) SELECT id, NULL FROM a WHERE id = 1;
INSERT INTO b (id, k) SELECT id, MAX(k) FROM a GROUP BY id HAVING MAX(k) > 10;
INSERT INTO b (id, k) SELECT DISTINCT id, 3 FROM a WHERE id = 1;
INSERT IGNORE INTO b (id, k) SELECT id, k FROM a UNION ALL SELECT id, k + 1 FROM a;
SELECT * FROM b ORDER BY id;
INSERT INTO c (a_id, n, w) SELECT id, 1, k FROM a;
INSERT INTO c (a_id, n, w) SELECT a.id, 2, b.k FROM a JOIN b ON a.id = b.id WHERE a.k > 10;
INSERT INTO c (a_id, n, w) SELECT a.id, 3, x.w FROM a LEFT JOIN c x ON x.a_id = a.id AND x.n = 2;
INSERT INTO c SELECT n + 10, a_id, w FROM c;
SELECT * FROM c ORDER BY a_id, n;
SELECT ROW_COUNT();

-- A constant key: one node.
INSERT INTO a SELECT 5, 6, 'x';
INSERT INTO a (id, k) SELECT 15, k FROM a WHERE id = 5;
-- args 35, 5
INSERT INTO a (id, k) SELECT ?, k FROM a WHERE id = ?;
INSERT INTO a (id, k) SELECT 5, 1 ON DUPLICATE KEY UPDATE k = 9;
-- refused 30001 INSERT ... SELECT
INSERT INTO a (id, k) SELECT 16, k FROM a WHERE id = 5;
-- refused 30001 INSERT ... SELECT
INSERT INTO a (id, k) SELECT NULL, 1;
SELECT * FROM a ORDER BY id;

-- Rows that would have to move.
-- refused 30001 INSERT ... SELECT
INSERT INTO b (id, k) SELECT k, id FROM a;
-- refused 30001 INSERT ... SELECT
INSERT INTO b (id, k) SELECT id + 10, k FROM a;
-- refused 30001 INSERT ... SELECT
INSERT INTO b (id, k) SELECT MIN(id), k FROM a GROUP BY k;
-- refused 30001 INSERT ... SELECT
INSERT INTO b (id, k) SELECT id, k FROM a LIMIT 2;
-- refused 30001 INSERT ... SELECT
INSERT INTO b (id, k) SELECT id, RANK() OVER (ORDER BY k) FROM a;
-- refused 30001 INSERT ... SELECT
INSERT INTO b (id, k) SELECT id, k FROM plain;
-- refused 30001 INSERT ... SELECT
INSERT INTO plain SELECT id, k FROM a;
-- refused 20041 Can not update sharding value
INSERT INTO b (id, k) SELECT id, k FROM a ON DUPLICATE KEY UPDATE b.id = a.k;
SELECT * FROM b ORDER BY id;
SELECT * FROM plain ORDER BY id;

-- In a transaction, and one that fails half-way.
BEGIN;
DELETE FROM b;
INSERT INTO b (id, k) SELECT id, k FROM a WHERE id IN (2, 12);
INSERT INTO b (id, k) SELECT id, k FROM a;
SELECT id FROM b ORDER BY id;
ROLLBACK;
SELECT COUNT(*) FROM b;
