-- database: nodes
SELECT v FROM t_config WHERE k = 1
SELECT c.v FROM t_config c JOIN t_region r ON c.k = r.k
SELECT c.v FROM t_config c JOIN t_far f ON c.k = f.id
SELECT c.v FROM t_config c JOIN t_near n ON c.k = n.id JOIN t_far f ON c.k = f.id
SELECT o.note, c.v FROM t_order o JOIN t_config c ON c.k = o.order_id WHERE o.user_id = 1 AND o.order_id = 2
SELECT o.note, c.v FROM t_order o JOIN t_config c ON c.k = o.order_id WHERE o.user_id = 1
SELECT o.note, c.v FROM t_order o LEFT JOIN t_config c ON c.k = o.order_id WHERE o.user_id = 1 AND o.order_id = 2
SELECT v FROM t_config WHERE k = 1 FOR UPDATE
SELECT v FROM nodes.t_config
INSERT INTO t_config VALUES (1, 1), (2, 2)
INSERT INTO nodes.t_config (k, v) VALUES (?, ?) -- args: 1, 2
REPLACE INTO t_config VALUES (1, 1)
INSERT INTO t_config SELECT k, v FROM t_region
INSERT INTO t_config SELECT id, id FROM t_far
INSERT INTO t_config SELECT order_id, user_id FROM t_order
INSERT INTO t_far SELECT k FROM t_config
INSERT INTO t_config VALUES (1, RAND())
INSERT INTO t_config VALUES (1, LAST_INSERT_ID())
INSERT INTO t_config VALUES (1, @x)
UPDATE t_config SET v = 2 WHERE k = 1
UPDATE t_config SET v = 2 WHERE k IN (SELECT k FROM t_region)
UPDATE t_config SET v = 2 WHERE k IN (SELECT id FROM t_far)
UPDATE t_config c JOIN t_region r ON c.k = r.k SET c.v = r.v
UPDATE t_config c JOIN t_far f ON c.k = f.id SET c.v = 1
UPDATE t_far SET id = 1 WHERE id IN (SELECT k FROM t_config)
DELETE FROM t_config
TRUNCATE TABLE t_config
CREATE TABLE t_config (k INT PRIMARY KEY, v INT)
CREATE TABLE IF NOT EXISTS t_config (k INT PRIMARY KEY, v INT)
ALTER TABLE t_config ADD COLUMN w INT
CREATE INDEX i ON t_config (v)
DROP TABLE t_config, t_region
DROP TABLE t_config, t_far
CREATE TEMPORARY TABLE t_config (k INT)
ANALYZE TABLE t_config
SHOW COLUMNS FROM t_config
SHOW CREATE TABLE t_config
LOCK TABLES t_config WRITE
