-- Changes in every form: what they count, what they say, what they warn of, and which error comes first.

-- sharded t
CREATE TABLE t (id INT NOT NULL PRIMARY KEY, k INT NOT NULL DEFAULT 7, v VARCHAR(5), s VARCHAR(20), CHECK (k >= 0));
INSERT INTO t (id, k, v) VALUES (1, 1, 'a'), (2, 2, 'b'), (3, 3, 'c'), (4, 4, 'd'), (5, 5, 'e'), (11, 6, 'f'), (12, 7, 'g');

-- The row that an error or warning speaks of is the client's.
INSERT INTO t (id, k, v) VALUES (21, 1, 'a'), (22, 2, 'toolong'), (23, 1, 'toolongtoo');
SHOW WARNINGS;
INSERT INTO t (id, k, v) VALUES (21, 1, 'a'), (36, 'x', 'toolong'), (23, 1, 'toolongtoo');
INSERT INTO t (id, k, v) VALUES (21, 1, 'a'), (3, 1, 'a'), (22, 1, 'toolong');
INSERT INTO t (id, k, v) VALUES (21, 1, 'a'), (22, 1, 'toolong'), (3, 1, 'a');
INSERT INTO t (id, k, v) VALUES (21, 1, 'a'), (24, 1, 'a'), (23, 1, 'a'), (4, 1, 'a'), (3, 3, 'a');
INSERT INTO t (id, k, v) VALUES (21, -1, 'a');
INSERT INTO t (id, k, v) VALUES (21, NULL, 'a');
SELECT COUNT(*) FROM t;
INSERT IGNORE INTO t (id, k, v) VALUES (31, 1, 'a'), (24, 1, 'toolong'), (23, 1, 'a'), (4, 1, 'a'), (3, 3, 'a'), (36, 'x', 'toolong'), (37, -1, 'a'), (1, 1, 'a');
SHOW WARNINGS;
SHOW COUNT(*) WARNINGS;
SHOW WARNINGS LIMIT 2, 2;
INSERT IGNORE INTO t (id, k, v) VALUES (51, 1, 'toolong'), (61, 2, 'toolong'), (52, 3, 'toolong'), (71, 4, 'toolong'), (1, 5, 'toolong'), (62, 6, 'toolong');
SHOW WARNINGS;
INSERT IGNORE INTO t (id, k) VALUES (1, -1), (2, -1), (81, 1);
SHOW WARNINGS;
SELECT * FROM t ORDER BY id;
-- args 91, 'toolong', 92, 'b'
INSERT INTO t (id, v) VALUES (?, ?), (?, ?);
-- args 91, 'b', 92, 'toolong'
INSERT INTO t (id, v) VALUES (?, ?), (?, ?);
-- args 1, 'b', 92, 'toolong'
INSERT IGNORE INTO t (id, v) VALUES (?, ?), (?, ?);
SHOW WARNINGS;

-- ON DUPLICATE KEY UPDATE and REPLACE.
INSERT INTO t (id, k, v) VALUES (1, 50, 'x'), (2, 60, 'y'), (101, 1, 'n') ON DUPLICATE KEY UPDATE k = VALUES(k), v = 'dup';
SHOW WARNINGS;
INSERT INTO t (id, k, v) VALUES (1, 50, 'x') ON DUPLICATE KEY UPDATE k = VALUES(k);
SHOW WARNINGS;
INSERT INTO t (id, k, v) VALUES (1, 50, 'dup'), (2, 60, 'dup') ON DUPLICATE KEY UPDATE k = 50, v = 'dup';
INSERT INTO t (id, k) VALUES (1, 51), (2, 61), (102, 1) AS n ON DUPLICATE KEY UPDATE k = n.k;
INSERT INTO t (id, k) VALUES (1, 52), (2, 62), (103, 1) AS n(a, b) ON DUPLICATE KEY UPDATE k = b + 1;
INSERT INTO t SET id = 3, k = 70 AS n ON DUPLICATE KEY UPDATE k = n.k;
INSERT INTO t SET id = 3, k = 70 ON DUPLICATE KEY UPDATE v = 'set';
INSERT INTO t (id, k, v) VALUES (1, 1, 'a'), (2, 1, 'a') ON DUPLICATE KEY UPDATE v = 'toolong';
INSERT INTO t (id, k, v) VALUES (4, 1, 'a'), (2, 1, 'a') ON DUPLICATE KEY UPDATE k = -k;
INSERT IGNORE INTO t (id, k, v) VALUES (4, 1, 'a'), (5, 1, 'a'), (104, 1, 'a') ON DUPLICATE KEY UPDATE v = 'toolong';
SHOW WARNINGS;
REPLACE INTO t (id, k, v) VALUES (1, 1, 'a'), (2, 2, 'b'), (105, 3, 'c');
REPLACE INTO t (id, k, v) VALUES (1, 1, 'a'), (2, 2, 'b'), (105, 3, 'c');
REPLACE INTO t (id, k, v) VALUES (1, 1, 'a');
REPLACE t SET id = 2, k = 9;
REPLACE INTO t (id, k) VALUES (1, 1), (2, -2);
REPLACE LOW_PRIORITY INTO t VALUES (106, 1, 'a', 'b'), (107, DEFAULT, DEFAULT, DEFAULT);
INSERT INTO t VALUES ROW(108, 1, 'a', 'b'), ROW(109, 1, 'a', 'b');
INSERT INTO t VALUES ROW(110, 1, 'a', 'b');
INSERT INTO t VALUE (111, 1, 'a', 'b'), (112, 1 + 1, CONCAT('a', 'b'), NULL);
INSERT DELAYED INTO t (id) VALUES (113), (114);
SHOW WARNINGS;
SELECT * FROM t ORDER BY id;

-- A sharding key that stays, or stays on its node.
UPDATE t SET id = id, k = 1 WHERE k = 9;
UPDATE t SET t.id = t.id WHERE k = 1;
UPDATE t SET id = 201 WHERE id = 1;
UPDATE t SET id = 1 WHERE id = 201;
UPDATE t SET id = 2 WHERE id IN (2, 302);
-- args 22, 2
UPDATE t SET id = ? WHERE id = ?;
-- args 2, 22
UPDATE t SET id = ? WHERE id = ?;
UPDATE t SET id = 11 WHERE id = 1;
INSERT INTO t (id, k) VALUES (1, 5) ON DUPLICATE KEY UPDATE id = id, k = 5;
INSERT INTO t (id, k) VALUES (1, 5), (2, 6) ON DUPLICATE KEY UPDATE id = VALUES(id), k = VALUES(k);
INSERT INTO t (id, k) VALUES (1, 5) ON DUPLICATE KEY UPDATE id = 211;
INSERT INTO t (id, k) VALUES (211, 5), (2, 6) AS n ON DUPLICATE KEY UPDATE id = n.id;
-- refused 20041 Can not update sharding value
UPDATE t SET id = 2 WHERE id = 1;
-- refused 20041 Can not update sharding value
UPDATE t SET id = 12 WHERE id IN (2, 3);
-- refused 20041 Can not update sharding value
UPDATE t SET id = k WHERE id = 2;
-- refused 20041 Can not update sharding value
INSERT INTO t (id, k) VALUES (2, 5) ON DUPLICATE KEY UPDATE id = 211;
SELECT id, k FROM t ORDER BY id;

-- Order without limit, and limits on one node.
UPDATE t SET v = 'o' WHERE k = 1 ORDER BY id DESC;
DELETE FROM t WHERE k = 1 ORDER BY v, id;
UPDATE t SET v = 'l' WHERE id IN (2, 12, 22) ORDER BY id DESC LIMIT 2;
DELETE FROM t WHERE id IN (2, 12, 22) ORDER BY id LIMIT 1;
-- refused 20046 UPDATE ... LIMIT
UPDATE t SET v = 'l' ORDER BY id LIMIT 1;
-- refused 20046 DELETE ... LIMIT
DELETE FROM t ORDER BY id LIMIT 1;
SELECT * FROM t ORDER BY id;

-- Warnings of rows that are changed.
TRUNCATE TABLE t;
INSERT INTO t (id, k, v, s) VALUES (1, 1, 'a', 'x1'), (2, 2, 'b', '2x'), (3, 3, 'c', '3'), (4, 4, 'd', 'x4');
UPDATE IGNORE t SET v = 'toolong';
SHOW WARNINGS;
UPDATE IGNORE t SET v = 'toolong' WHERE id IN (2, 4);
SHOW WARNINGS;
UPDATE IGNORE t SET k = k + 'x';
SHOW WARNINGS;
UPDATE IGNORE t SET k = NULL;
SHOW WARNINGS;
UPDATE IGNORE t SET k = -1;
SHOW WARNINGS;
UPDATE t SET v = 'toolong';
UPDATE t SET k = -1;
SHOW WARNINGS;
UPDATE t SET k = 1 / 0;
DELETE FROM t WHERE k = 'x';
SET sql_mode = '';
UPDATE t SET k = 5 WHERE k = 'x';
SHOW WARNINGS;
DELETE FROM t WHERE s = 1;
SHOW COUNT(*) WARNINGS;
UPDATE t SET v = 'toolong', k = 1 WHERE id > 1;
SHOW WARNINGS;
INSERT INTO t (id, k, v) VALUES (21, 'x', 'toolong'), (11, 'y', 'toolong'), (31, NULL, 'toolong'), (22, 1, 'a');
SHOW WARNINGS;
INSERT INTO t (id, k) VALUES (23, 1 / 0), (33, 1 / 0), (24, 2);
SHOW WARNINGS;
SET sql_mode = DEFAULT;
SELECT * FROM t ORDER BY id;
SELECT ROW_COUNT();
UPDATE t SET v = 'z';
SELECT ROW_COUNT();

-- Nothing is half done, in a transaction neither.
BEGIN;
INSERT INTO t (id, k) VALUES (41, 1), (42, 2);
INSERT INTO t (id, k) VALUES (43, 1), (44, 2), (42, 3), (45, 4);
UPDATE t SET k = k - 2;
SELECT id, k FROM t WHERE id > 40 ORDER BY id;
COMMIT;
SELECT id, k FROM t ORDER BY id;

-- Keys that the server hands out beside the sharding key.
-- sharded made by shop
CREATE TABLE made (id INT NOT NULL AUTO_INCREMENT, shop INT NOT NULL, note VARCHAR(3), PRIMARY KEY (id, shop), UNIQUE KEY u (shop, note));
INSERT INTO made (shop, note) VALUES (1, 'a');
SELECT LAST_INSERT_ID();
INSERT INTO made (shop, note) VALUES (1, 'b'), (1, 'c');
SELECT LAST_INSERT_ID();
INSERT INTO made (shop, note) VALUES (1, 'a') ON DUPLICATE KEY UPDATE id = LAST_INSERT_ID(id);
SELECT LAST_INSERT_ID();
INSERT INTO made (shop, note) VALUES (1, 'a'), (1, 'x');
INSERT IGNORE INTO made (shop, note) VALUES (1, 'a'), (1, 'y');
SHOW WARNINGS;
SELECT shop, note FROM made ORDER BY note;

-- What is said of a statement itself is said once, however many nodes say it.
SELECT id FROM t WHERE k = 'x' ORDER BY id;
SHOW WARNINGS;
SELECT COUNT(*) FROM t WHERE id > 3 && k > 0;
SHOW WARNINGS;
SELECT id, k + 'x' FROM t ORDER BY id;
SHOW COUNT(*) WARNINGS;
