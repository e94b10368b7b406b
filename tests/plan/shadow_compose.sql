-- database: shadow_db
-- The shadow of a readwrite-splitting group.
SELECT * FROM t_rw
SELECT * FROM t_rw FOR UPDATE
SELECT * FROM t_rw WHERE status = 1
SELECT * FROM t_rw WHERE status = 1 FOR UPDATE
SELECT * FROM t_rw /* SHARDINGSPHERE_HINT: SHADOW=true */
SELECT * FROM t_rw /* SHARDINGSPHERE_HINT: SHADOW=true, WRITE_ROUTE_ONLY=true */
INSERT INTO t_rw (id, status) VALUES (1, 1)
INSERT INTO t_rw (id, status) VALUES (1, 0)
UPDATE shadow_db.t_rw SET id = 2 WHERE status = ? -- args: 1
ALTER TABLE t_rw ADD c INT
ALTER TABLE t_rw ADD c INT /* SHARDINGSPHERE_HINT: SHADOW=true */
-- Sharding over shadow rules.
SELECT * FROM t_shard WHERE id = 1
SELECT * FROM t_shard WHERE id = 0 AND status = 1
SELECT * FROM t_shard WHERE status = 1
SELECT * FROM t_shard
SELECT * FROM t_shard /* SHARDINGSPHERE_HINT: SHADOW=true */
SELECT COUNT(*) FROM t_shard WHERE status = ? -- args: 1
INSERT INTO t_shard (id, status) VALUES (0, 1), (1, 1), (2, 1)
INSERT INTO t_shard (id, status) VALUES (0, 1), (1, 0), (2, 1)
INSERT INTO t_shard (id, status) VALUES (?, ?), (?, ?) -- args: 0, 1, 1, 1
UPDATE t_shard SET name = 'x' WHERE id IN (2, 3) AND status = 1
CREATE TABLE t_shard (id INT)
CREATE TABLE t_shard (id INT) /* SHARDINGSPHERE_HINT: SHADOW=true */
-- session: in transaction
SELECT * FROM t_rw
SELECT * FROM t_rw WHERE status = 1
SELECT * FROM t_shard WHERE status = 1
