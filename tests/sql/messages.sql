-- Errors and warnings of servers name things as the client does, and leave its values alone.

-- sharded t
CREATE TABLE t (id INT NOT NULL PRIMARY KEY, k INT, u VARCHAR(20), v VARCHAR(3) NOT NULL, j JSON, g INT AS (k + 1), UNIQUE KEY u_k (id, u), CHECK (k <> 13));
-- sharded w
CREATE TABLE w (id INT NOT NULL, n BIGINT UNSIGNED, UNIQUE KEY only (id));
CREATE TABLE plain (id INT NOT NULL PRIMARY KEY, k INT, CHECK (k <> 13));
INSERT INTO t (id, k, u, v) VALUES (1, 1, 't_1', 'a'), (2, 2, 't_2.PRIMARY', 'b');
INSERT INTO w VALUES (1, 1), (2, 2);
INSERT INTO plain VALUES (1, 1);
INSERT INTO t (id, v) VALUES (1, 'x');
SHOW WARNINGS;
INSERT INTO t (id, v) VALUES (1, 'x'), (3, 'y');
INSERT INTO w VALUES (1, 2);
INSERT INTO plain VALUES (1, 2);
INSERT IGNORE INTO t (id, v) VALUES (1, 'x');
SHOW WARNINGS;
INSERT INTO t (id) VALUES (3);
INSERT INTO t (id, v) VALUES (3, NULL);
INSERT INTO t (id, v) VALUES (3, 't_3');
INSERT INTO t (id, v) VALUES (3, 't_3x');
INSERT INTO t (id, k, v) VALUES (3, 't_3', 'a');
INSERT INTO t (id, k, v) VALUES (3, 13, 'a');
INSERT INTO plain VALUES (3, 13);
INSERT INTO t (id, k, v) VALUES (3, 1, 'a'), (4, 13, 'b');
INSERT INTO t (id, k, v) VALUES (3, 99999999999, 'a');
INSERT INTO t (id, v, j) VALUES (3, 'a', '{"t_3.x"');
INSERT INTO t (id, v, g) VALUES (3, 'a', 5);
INSERT INTO t (id, v, nothing) VALUES (3, 'a', 5);
INSERT INTO t (id, v, t.nothing) VALUES (3, 'a', 5);
UPDATE t SET nothing = 1 WHERE id = 1;
UPDATE t SET t.nothing = 1;
UPDATE t SET k = t.nothing WHERE id = 1;
UPDATE t x SET t.k = 1;
UPDATE t SET k = 't_1' WHERE id = 1;
UPDATE t SET id = id, v = NULL;
UPDATE t SET k = 13;
UPDATE w SET n = n - 5 WHERE id = 1;
UPDATE w SET n = n - 5;
DELETE FROM t WHERE t.nothing = 1;
-- worded
DELETE FROM t WHERE id = 1 AND {db}.t.nothing = 1;
-- worded
SELECT {db}.t.nothing FROM t WHERE id = 1;
SELECT t.nothing FROM {db}.t;
SELECT n - 5 FROM w WHERE id = 1;
SELECT k, COUNT(*) FROM t WHERE id = 1 GROUP BY v;
SELECT id FROM plain, plain;
SELECT NO_SUCH_FUNCTION(id) FROM t WHERE id = 1;
SELECT {db}.no_such_function(id) FROM t;
SELECT t.nothing FROM t WHERE id = 1 UNION SELECT 1;
UPDATE t SET k = (SELECT MAX(k) FROM t WHERE id = 1) WHERE id = 1;
DELETE FROM t WHERE id = 1 AND k IN (SELECT k FROM t WHERE id = 1);
INSERT INTO t (id, v) SELECT id, v FROM t WHERE id = 1;
SELECT * FROM t USE INDEX (no_such_index) WHERE id = 1;
SELECT * FROM t PARTITION (p0) WHERE id = 1;
SELECT id FROM t WHERE id = 1 AND k = 't_1';
SHOW WARNINGS;
SELECT CAST('t_1' AS SIGNED) FROM t WHERE id = 1;
SHOW WARNINGS;
SELECT * FROM missing;
SELECT * FROM {db}.missing WHERE id = 1;
SELECT plain.nothing FROM plain;
INSERT INTO plain VALUES (2, 'db_unit');
DELETE FROM {db}.plain WHERE plain.nothing = 1;
SELECT * FROM t ORDER BY id;

-- In the collation of the session.
SET NAMES utf8mb4 COLLATE utf8mb4_bin;
INSERT INTO t (id, v) VALUES (1, 'x');
SHOW WARNINGS;
SET NAMES utf8mb4;
INSERT INTO t (id, v) VALUES (1, 'x');
SHOW WARNINGS;
