-- database: groups_db
SELECT * FROM t0
SELECT n, COUNT(*) FROM t0 WHERE id IN (SELECT id FROM near0) GROUP BY n
SELECT * FROM t0 JOIN near0 USING (id)
WITH c AS (SELECT id FROM t0) SELECT * FROM c UNION SELECT n FROM near0
TABLE t0
SELECT * FROM groups_db.t0 WHERE id = ? -- args: 1
SELECT * FROM t1
SELECT * FROM t2
SELECT * FROM t3
SELECT * FROM t0, t1
-- Not what only reads.
INSERT INTO t0 VALUES (1, 2)
INSERT INTO t0 SELECT * FROM near0
REPLACE INTO t0 VALUES (1, 2)
UPDATE t0 SET n = 1
DELETE FROM t0
CREATE TABLE t0 (id INT)
ALTER TABLE t0 ADD x INT
TRUNCATE t0
CALL p()
DO SLEEP(0)
LOCK TABLES t0 READ
SHOW COLUMNS FROM t0
SHOW CREATE TABLE t0
DESC t0
EXPLAIN SELECT * FROM t0
SELECT * FROM t0 FOR UPDATE
SELECT * FROM t0 LOCK IN SHARE MODE
SELECT * FROM t0 WHERE id IN (SELECT id FROM near0 FOR SHARE)
SELECT * FROM t0 INTO OUTFILE '/x'
SELECT id FROM t0 WHERE id = LAST_INSERT_ID()
SELECT GET_LOCK('x', 1) FROM t0
SELECT @a := id FROM t0
SELECT SQL_CALC_FOUND_ROWS * FROM t0
SELECT my_function(id) FROM t0
-- Of no table of the database's own.
SELECT 1
SELECT @@server_id
SELECT * FROM information_schema.processlist
SELECT * FROM t0 WHERE n = (SELECT COUNT(*) FROM performance_schema.threads)
-- Hints.
/* SHARDINGSPHERE_HINT: WRITE_ROUTE_ONLY=true */ SELECT * FROM t0
SELECT * FROM t0 /* ShardingSphere hint: writeRouteOnly=true */
/* SHARDINGSPHERE_HINT: WRITE_ROUTE_ONLY=false */ SELECT * FROM t0
-- All nodes of a group on one unit.
SELECT * FROM t_shard WHERE id = 2
SELECT * FROM t_shard WHERE id IN (0, 2)
SELECT * FROM t_shard
SELECT * FROM t_shard FOR UPDATE
UPDATE t_shard SET n = 1
-- session: write only
SELECT * FROM t0
SELECT * FROM t_shard
-- session: in transaction
SELECT * FROM t0
SELECT * FROM t1
SELECT * FROM t2
SELECT * FROM t3
SELECT * FROM t_shard
UPDATE t1 SET n = 1
SELECT * FROM t1 FOR UPDATE
-- session: in transaction, read only
SELECT * FROM t0
SELECT my_function(id) FROM t0
SELECT @a := id FROM t0
SELECT * FROM t0 FOR SHARE
SELECT * FROM t1
SELECT * FROM t3
SELECT 1
-- session: down r0a
SELECT * FROM t0
SELECT * FROM t_shard
-- session: down r0a, down r0b
SELECT * FROM t0
UPDATE t0 SET n = 1
-- session: down r2b
SELECT * FROM t2
-- session: down w0
SELECT * FROM t0 FOR UPDATE
