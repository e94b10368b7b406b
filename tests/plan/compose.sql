-- database: composed
-- Readwrite splitting and encryption.
SELECT phone FROM readwrite_encrypt WHERE phone = '13800001111'
SELECT phone FROM readwrite_encrypt WHERE phone = '13800001111' FOR UPDATE
INSERT INTO readwrite_encrypt (id, phone) VALUES (1, ?) -- args: '13800001111'
-- Readwrite splitting and masks.
SELECT email, id FROM readwrite_mask WHERE email = 'a@b.c'
UPDATE readwrite_mask SET email = 'a@b.c' WHERE id = 1
-- Shadow and encryption.
SELECT id, phone FROM shadow_encrypt WHERE phone = '13800001111' AND status = 1
SELECT id, phone FROM shadow_encrypt WHERE phone = '13800001111' AND status = 2
INSERT INTO shadow_encrypt (phone, status) VALUES ('13800001111', 1)
INSERT INTO shadow_encrypt (phone, status) VALUES ('13800001111', 0)/*shadow:true*/
-- Shadow and masks.
SELECT email FROM shadow_mask WHERE status = ? -- args: 1
SELECT composed.shadow_mask.email FROM composed.shadow_mask /*shadow:true*/
-- Sharding and encryption.
SELECT phone FROM sharding_encrypt WHERE id = 5 AND phone IN ('1', '2')
SELECT phone FROM sharding_encrypt WHERE phone = '1' ORDER BY id
INSERT INTO sharding_encrypt (id, phone) VALUES (5, '1'), (6, NULL)
-- Sharding and masks.
SELECT email FROM sharding_mask WHERE id = 5
SELECT id, email FROM sharding_mask ORDER BY id LIMIT 3
-- Encryption and masks.
SELECT phone, email FROM encrypt_mask WHERE phone = '1' AND email = 'a@b.c'
SELECT * FROM encrypt_mask
-- All four, and masks.
SELECT * FROM t_all WHERE id = 5
SELECT phone, email FROM t_all WHERE id = 5 AND phone = ? -- args: '13800001111'
SELECT phone, email FROM t_all WHERE id = 5 AND phone = ? AND status = 1 -- args: '13800001111'
SELECT phone FROM t_all WHERE id = 6 FOR UPDATE
SELECT phone FROM t_all WHERE id = 6 /* SHARDINGSPHERE_HINT: WRITE_ROUTE_ONLY=true */
SELECT phone FROM t_all WHERE id = 6 /*shadow:true*/
SELECT id, phone FROM t_all WHERE phone = '13800001111' ORDER BY id LIMIT 2, 3
SELECT phone, COUNT(*) FROM t_all WHERE status = 1 GROUP BY phone
INSERT INTO t_all (id, phone, status) VALUES (1, 'a', 0), (2, 'b', 0)
INSERT INTO t_all (id, phone, status) VALUES (1, 'a', 1), (2, 'b', 1)
INSERT INTO t_all (id, phone, status) VALUES (?, ?, ?), (?, ?, ?) -- args: 1, 'a', 1, 2, NULL, 1
UPDATE t_all SET phone = 'c' WHERE id = 1 AND phone = 'a'
UPDATE t_all SET phone = 'c' WHERE id IN (1, 2) AND status = 1
DELETE FROM t_all WHERE phone = 'a'
CREATE TABLE t_all (id BIGINT PRIMARY KEY, phone VARCHAR(64), email VARCHAR(64), status INT)
SELECT phone FROM t_all WHERE id = 5 ORDER BY phone DESC
SELECT phone FROM t_all WHERE phone > 'a'
UPDATE t_all SET id = 2 WHERE id = 1
-- session: in transaction
SELECT phone FROM t_all WHERE id = 5
SELECT phone FROM t_all WHERE id = 5 AND status = 1
SELECT phone FROM readwrite_encrypt
