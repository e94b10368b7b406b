-- Changes of rows: rows affected, what the text tells, warnings and generated keys are those of one server, or they are refused by name.

-- sharded t
CREATE TABLE t (id INT NOT NULL PRIMARY KEY, k INT NOT NULL DEFAULT 4, s VARCHAR(10), x DECIMAL(6,2), UNIQUE KEY by_id_k (id, k));
-- sharded u
CREATE TABLE u (id INT NOT NULL, n INT NOT NULL, k INT, s VARCHAR(10), PRIMARY KEY (id, n));
-- proxy
CREATE SHARDING TABLE REFERENCE RULE tu (t, u);
-- proxy
CREATE BROADCAST TABLE RULE kinds;
CREATE TABLE kinds (kind INT NOT NULL PRIMARY KEY, label VARCHAR(10));
CREATE TABLE alone (id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, k INT, s VARCHAR(10));
INSERT INTO t VALUES (1, 1, 'a', 1), (2, 2, 'b', 2), (3, 3, 'c', 3), (4, 4, 'd', 4), (5, 5, 'e', 5), (11, 1, 'f', 6), (12, 2, 'g', 7), (13, 3, 'h', 8);
INSERT INTO u VALUES (1, 1, 1, 'x'), (1, 2, 2, 'y'), (2, 1, 3, 'z'), (11, 1, 4, 'w'), (20, 1, 5, 'v');
INSERT INTO kinds VALUES (1, 'one'), (2, 'two'), (3, 'three');
INSERT INTO alone (k, s) VALUES (1, 'p'), (2, 'q');
-- or refused from here

-- INSERT and what becomes of keys that are there.
INSERT INTO t SET id = 20, k = 2, s = 'set';
INSERT INTO t (id) VALUES (21), (22), (23), (24);
INSERT INTO t (id, s) VALUES (25, DEFAULT), (26, 'x'), (27, NULL);
INSERT INTO t VALUES (1, 1, 'again', 1);
INSERT INTO t (id, k) VALUES (30, 1), (31, 1), (1, 1), (32, 1);
SELECT COUNT(*) FROM t WHERE id BETWEEN 30 AND 32;
INSERT IGNORE INTO t (id, k) VALUES (1, 1), (33, 1), (2, 2), (34, 1);
-- gathered
SHOW WARNINGS;
SELECT ROW_COUNT();
INSERT IGNORE INTO t (id, s) VALUES (35, 'much too long for it'), (36, 'also much too long');
-- gathered
SHOW WARNINGS;
INSERT INTO t (id, s) VALUES (37, 'much too long for it');
INSERT INTO t (id, k) VALUES (38, NULL);
INSERT INTO t (id, x) VALUES (39, 99999.99);
INSERT INTO t (id, x) VALUES (40, 1.239), (41, 2.239);
-- gathered
SHOW WARNINGS;
INSERT INTO t (id, k) VALUES (1, 5) ON DUPLICATE KEY UPDATE k = k + 10;
INSERT INTO t (id, k) VALUES (1, 5), (2, 6), (50, 7) ON DUPLICATE KEY UPDATE k = k + 10, s = 'dup';
INSERT INTO t (id, k) VALUES (2, 5), (3, 6) AS new ON DUPLICATE KEY UPDATE k = new.k;
-- repeated
INSERT INTO t (id, k) VALUES (2, 5), (3, 6) ON DUPLICATE KEY UPDATE k = VALUES(k);
INSERT INTO t (id, k) VALUES (3, 6) ON DUPLICATE KEY UPDATE id = 3;
INSERT INTO t (id, k) VALUES (3, 6) ON DUPLICATE KEY UPDATE id = 99;
INSERT INTO t (id, k) VALUES (3, 6) ON DUPLICATE KEY UPDATE id = id + 1;
-- repeated
INSERT INTO t (id, k) VALUES (3, 6) ON DUPLICATE KEY UPDATE id = VALUES(id);
REPLACE INTO t (id, k) VALUES (1, 1);
REPLACE INTO t (id, k) VALUES (2, 1), (51, 1), (3, 1);
REPLACE INTO t SET id = 4, s = 'new';
-- args 60, 'bound', 61, NULL
INSERT INTO t (id, s) VALUES (?, ?), (?, ?);
-- args 60, 'again'
INSERT INTO t (id, s) VALUES (?, ?) ON DUPLICATE KEY UPDATE s = 'dup';
SELECT * FROM t ORDER BY id;

-- INSERT ... SELECT.
INSERT INTO u (id, n, k) SELECT id, 100, k FROM t WHERE id < 5;
INSERT INTO u SELECT id, 101, k, s FROM t WHERE id IN (1, 2);
INSERT INTO u (id, n, k) SELECT id, 102, k FROM t WHERE id = 1;
INSERT INTO u (id, n) SELECT id, n + 1000 FROM u WHERE n < 100;
INSERT IGNORE INTO u (id, n) SELECT id, 100 FROM t;
REPLACE INTO u (id, n, k) SELECT id, 100, 7 FROM t WHERE k = 1;
INSERT INTO u (id, n, k) SELECT id, 100, 8 FROM t ON DUPLICATE KEY UPDATE u.k = 9;
INSERT INTO t (id, k) SELECT id + 100, k FROM t WHERE id = 5;
INSERT INTO t (id, k) SELECT k + 200, id FROM t;
INSERT INTO t (id, k) SELECT kind + 300, 1 FROM kinds;
INSERT INTO t (id, k) SELECT id + 400, k FROM alone;
INSERT INTO alone (k, s) SELECT kind, label FROM kinds;
INSERT INTO alone (k, s) SELECT k, s FROM t WHERE id = 5;
INSERT INTO kinds SELECT id + 500, s FROM alone;
INSERT INTO kinds SELECT kind + 600, label FROM kinds;
INSERT INTO t (id, k) VALUES ROW(70, 1), ROW(71, 1);
INSERT INTO t (id, k) SELECT 72, 1;
INSERT INTO t (id, k) SELECT 73, 1 FROM DUAL;
SELECT * FROM t ORDER BY id;
SELECT * FROM u ORDER BY id, n;
SELECT * FROM kinds ORDER BY kind;
SELECT k, s FROM alone ORDER BY id;

-- UPDATE.
UPDATE t SET s = 'all';
UPDATE t SET s = 'all';
UPDATE t SET s = 'some', k = k + 1 WHERE id IN (1, 2, 3, 999);
UPDATE t SET id = 5 WHERE id = 5;
UPDATE t SET id = 5, s = 'same' WHERE id = 5;
UPDATE t SET id = id;
UPDATE t SET id = 6 WHERE id = 5;
UPDATE t SET id = id + 1 WHERE id = 5;
UPDATE t SET id = 15 WHERE id = 5;
UPDATE t SET s = 'limited' WHERE id = 5 LIMIT 1;
UPDATE t SET s = 'limited' WHERE id = 5 ORDER BY k LIMIT 1;
UPDATE t SET s = 'limited' LIMIT 2;
UPDATE t SET s = 'limited' ORDER BY id LIMIT 2;
UPDATE t SET s = 'ordered' WHERE id < 4 ORDER BY id;
UPDATE t SET s = 'longer than it can hold' WHERE id = 5;
UPDATE IGNORE t SET s = 'longer than it can hold' WHERE id IN (4, 5);
-- gathered
SHOW WARNINGS;
UPDATE t SET k = NULL WHERE id = 5;
UPDATE t SET nothing = 1;
UPDATE t JOIN u ON t.id = u.id SET t.s = 'joined', u.s = 'joined' WHERE t.k < 100;
UPDATE t, u SET u.k = t.k WHERE t.id = u.id AND u.n = 1;
UPDATE t LEFT JOIN u ON t.id = u.id SET t.s = 'lonely' WHERE u.id IS NULL;
UPDATE t JOIN u USING (id) SET t.k = u.k WHERE t.id = 1 AND u.n = 1;
UPDATE t JOIN kinds ON t.k = kinds.kind SET t.s = kinds.label;
UPDATE t JOIN u ON t.k = u.k SET t.s = 'moved';
UPDATE t JOIN u ON t.id = u.id SET t.id = 7;
UPDATE kinds SET label = 'same' WHERE kind < 3;
UPDATE kinds JOIN t ON t.k = kinds.kind SET kinds.label = 'from t';
UPDATE alone JOIN kinds ON alone.k = kinds.kind SET alone.s = kinds.label;
UPDATE t SET k = (SELECT MAX(kind) FROM kinds) WHERE id < 4;
UPDATE t SET k = 5 WHERE id IN (SELECT id FROM u WHERE n = 1);
UPDATE t SET k = (SELECT COUNT(*) FROM u WHERE u.id = t.id);
UPDATE t SET k = (SELECT COUNT(*) FROM u);
-- args 'bound', 3
UPDATE t SET s = ? WHERE id < ?;
SELECT * FROM t ORDER BY id;
SELECT * FROM u ORDER BY id, n;
SELECT * FROM kinds ORDER BY kind;

-- DELETE.
DELETE FROM t WHERE id IN (1, 999);
DELETE FROM t WHERE k = 2;
DELETE FROM t WHERE id = 5 LIMIT 1;
DELETE FROM t WHERE id = 5 ORDER BY k LIMIT 1;
DELETE FROM t ORDER BY id LIMIT 1;
DELETE FROM t LIMIT 1;
DELETE t FROM t JOIN u ON t.id = u.id WHERE u.n = 1;
DELETE t, u FROM t JOIN u ON t.id = u.id WHERE t.id = 11;
DELETE FROM u USING t JOIN u ON t.id = u.id WHERE t.k > 3;
DELETE t FROM t LEFT JOIN u ON t.id = u.id WHERE u.id IS NULL AND t.id > 60;
DELETE u FROM t JOIN u ON t.k = u.k;
DELETE FROM t WHERE id IN (SELECT id FROM u);
DELETE FROM t WHERE k IN (SELECT kind FROM kinds WHERE kind > 1);
DELETE FROM kinds WHERE kind > 2;
DELETE FROM alone WHERE id = 2;
SELECT * FROM t ORDER BY id;
SELECT * FROM u ORDER BY id, n;
SELECT * FROM kinds ORDER BY kind;
DELETE FROM t;
SELECT ROW_COUNT();
DELETE FROM u;
SELECT COUNT(*) FROM t;

-- Keys that servers hand out.
INSERT INTO alone (k) VALUES (9);
SELECT LAST_INSERT_ID();
INSERT INTO alone (k) VALUES (10), (11);
SELECT LAST_INSERT_ID(), ROW_COUNT();
INSERT INTO t (id, k) VALUES (1, 1), (2, 2);
SELECT LAST_INSERT_ID();
INSERT INTO alone (k) VALUES (LAST_INSERT_ID());
SELECT MAX(k) FROM alone;
