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
-- Values are compared before they are encrypted.
INSERT INTO t_enc (id, phone) VALUES (1, '13800001111')
INSERT INTO t_enc VALUES (1, 13800001111, 'e')
INSERT INTO t_enc VALUES (?, ?, ?) -- args: 1, '13800001111', 'e'
INSERT INTO t_enc VALUES (?, ?, ?) -- args: 1, '2', 'e'
SELECT * FROM t_enc WHERE phone = '13800001111'
SELECT * FROM t_plain p JOIN t_enc e ON p.id = e.id WHERE phone = ? -- args: '13800001111'
UPDATE shadow_db.t_enc SET phone = '1' WHERE phone IN ('13800001111')
DELETE FROM t_enc WHERE phone = '1'
-- Sharded, in a shadow of readwrite splitting, encrypted and masked.
SELECT * FROM t_all
SELECT id, phone, email FROM t_all WHERE id = 0
SELECT phone FROM t_all WHERE id = 0 FOR UPDATE
SELECT phone, email FROM t_all WHERE phone = '13800001111'
SELECT phone FROM t_all WHERE phone = ? ORDER BY id LIMIT 2 -- args: '13800001111'
INSERT INTO t_all (id, phone) VALUES (0, '13800001111'), (1, '13800001111')
INSERT INTO t_all (id, phone) VALUES (0, '13800001111'), (1, '2')
INSERT INTO t_all (id, phone) VALUES (?, ?), (?, ?) -- args: 0, '13800001111', 1, '13800001111'
UPDATE t_all SET phone = '3' WHERE phone = '13800001111'
DELETE FROM t_all WHERE id = 1 AND phone = '13800001111'
-- session: in transaction
SELECT phone FROM t_all WHERE id = 0
SELECT * FROM t_rw
SELECT * FROM t_rw WHERE status = 1
SELECT * FROM t_shard WHERE status = 1
